"""Progress and messages: the only module that writes to stderr.

A live line on a terminal, a plain line every few seconds elsewhere; no colour or animation without a terminal or with
NO_COLOR.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter

from .output import neutral

_PLAIN_EVERY_S = 10.0
_LIVE_EVERY_S = 0.1


def message(text: str) -> None:
    """Print a message for the user, each of its lines marked as this command's."""
    sys.stderr.write("".join(f"wildtrace: {neutral(line)}\n" for line in text.split("\n")))
    sys.stderr.flush()


class Progress:
    """How a piece of work goes on: done of total, by outcome, tokens, rate and time left."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        self._title, self._total, self._tokens = "", 0, 0
        self._outcomes: Counter[str] = Counter()
        self._started = self._shown = 0.0

    def begin(self, title: str, total: int) -> None:
        """Work of `total` requests begins."""
        self._title, self._total, self._tokens = title, total, 0
        self._outcomes.clear()
        self._started = self._shown = time.monotonic()
        if not self._live:
            message(f"{title}: {total} requests")

    def step(self, outcome: str, tokens: int) -> None:
        """One request is over."""
        self._outcomes[outcome] += 1
        self._tokens += tokens
        now = time.monotonic()
        if now - self._shown >= (_LIVE_EVERY_S if self._live else _PLAIN_EVERY_S):
            self._shown = now
            self._show()

    def say(self, text: str) -> None:
        """Print something that the user should read."""
        if self._live:
            sys.stderr.write("\r\x1b[K")
        message(text)

    def end(self) -> None:
        """Show where the work has ended."""
        self._show()
        if self._live:
            sys.stderr.write("\n")

    def _show(self) -> None:
        done = self._outcomes.total()
        seconds = max(time.monotonic() - self._started, 1e-9)
        counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(self._outcomes.items()))
        left = (self._total - done) * seconds / done if done else 0.0
        parts = [f"{self._title}: {done} of {self._total}", counts, f"{done / seconds:.1f}/s"]
        parts += [f"{self._tokens} completion tokens"] if self._tokens else []
        parts += [f"{_span(left)} left"] if done < self._total else []
        text = " | ".join(part for part in parts if part)
        if self._live:
            sys.stderr.write(f"\r\x1b[K{neutral(text)}")
            sys.stderr.flush()
        else:
            message(text)


def _span(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02d}m" if hours else f"{minutes}m{rest:02d}s" if minutes else f"{rest}s"
