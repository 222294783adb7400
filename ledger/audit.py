"""Every finding about some runs, in words: what is mixed, what contradicts itself, and what was claimed otherwise.

Findings come from the views `mixing` and `integrity`; this module adds what SQL can't see, the journal's segments, and
orders it all. Nothing here changes anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ledger import claims, journal
from ledger.identity import sha256_bytes
from ledger.store import Connection, Row, Store

_ORDER = {"error": 0, "warning": 1, "info": 2}


@dataclass(frozen=True)
class Audit:
    """Findings, the gravest first: severity, dimension, subject, detail, run_ids. `is_mix`: the board mixes what it must not."""

    findings: list[Row]
    is_mix: bool
    is_broken: bool


def audit(store: Store, connection: Connection, run_ids: Sequence[str]) -> Audit:
    """Return every finding over the runs given, as if they were a board of their own."""
    found = connection.rows("select_findings", board=_json_list(run_ids))
    found += claims.check_claims(connection, set(run_ids))
    broken = [*_contradictions(connection), *_segments(store, connection)]
    findings = sorted(
        [*broken, *found], key=lambda row: (_ORDER[row["severity"]], row["dimension"], row["subject"], row["run_ids"])
    )
    return Audit(findings, any(row["is_mix"] and row["severity"] == "error" for row in found), bool(broken))


def _json_list(run_ids: Sequence[str]) -> str:
    return "[" + ",".join(f'"{run_id}"' for run_id in run_ids) + "]"


def _contradictions(connection: Connection) -> Iterator[Row]:
    for row in connection.rows("select_integrity"):
        yield _broken(row["subject"], f"{row['row_key']}: {row['problem']}")


def _segments(store: Store, connection: Connection) -> Iterator[Row]:
    """Yield segments on disk that the ledger does not hold whole: DuckDB opens a truncated file without a word."""
    recorded = {row["segment"]: row for row in connection.rows("select_segments")}
    for path in sorted(store.journal_directory.glob("*" + journal.DONE)):
        whole, lines = journal.read_lines(path)
        row = recorded.get(path.stem)
        if row is None:
            yield _broken(
                "segments", f"{path.name}: its rows are not in the ledger; rename it to {path.stem}.sealed to bring them in"
            )
        elif (row["rows_n"], row["sha256"]) != (len(lines), sha256_bytes(whole)):
            yield _broken("segments", f"{path.name}: the file has changed since it was brought in")


def _broken(subject: str, detail: str) -> Row:
    return {
        "severity": "error", "dimension": "integrity", "subject": subject, "detail": detail, "run_ids": "", "is_mix": False,
    }  # fmt: skip
