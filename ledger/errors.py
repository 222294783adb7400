"""What can go wrong, one class per decision that a caller takes.

LedgerError                 one clear line for the user; exit status 1
├── InputError              a file or config of the user's is not sound (may hold several problems)
├── StoreError              the ledger file, its lock or its journal cannot be used
└── Interrupted             the user stopped the work; what is finished is kept

A message says what is wrong, where (file, row, field, host) and what to do. It never holds a key.
"""

from __future__ import annotations

from enum import IntEnum


class ExitStatus(IntEnum):
    """The exit statuses of the command line."""

    DONE = 0
    ERROR = 1
    """Something is wrong that the message names."""
    INCOMPLETE = 2
    """Resumable work remains: failed, missing or unjudged tasks. Only that."""
    NOT_COMPARABLE = 3
    """Scores were asked for that may not be compared."""
    USAGE = 64
    """The command line itself is wrong."""
    INTERRUPTED = 130
    """Stopped by the user; all finished work is kept."""


class LedgerError(Exception):
    """An error that the user can act on."""

    exit_status = ExitStatus.ERROR


class InputError(LedgerError):
    """A file of the user's is not sound. `problems` holds one line for each thing found."""

    def __init__(self, *problems: str) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


class StoreError(LedgerError):
    """The ledger file, its lock or its journal cannot be used."""


class Interrupted(LedgerError):
    """The user stopped the work; everything finished is kept."""

    exit_status = ExitStatus.INTERRUPTED
