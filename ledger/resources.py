"""Where the shipped files are: inside the package in a wheel, beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_ROOT = _PACKAGE if (_PACKAGE / "sql").is_dir() else _PACKAGE.parent
SQL = _ROOT / "sql"
DATA = _ROOT / "data"
CORPUS = _ROOT / "corpus"
