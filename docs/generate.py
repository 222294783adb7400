"""Writes what is made from the running thing: docs/cli.md from --help, docs/schema.md from the COMMENTs, the README's output.

    python docs/generate.py

A test compares the pages with what this module makes, so none can lie.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from ledger import schema
from ledger.resources import SQL
from ledger.store import Store

DOCS = Path(__file__).parent
README = DOCS.parent / "README.md"
WILDTRACE = Path(sys.executable).parent / "wildtrace"

CLI_HEAD = """\
# The command line

Made by `python docs/generate.py` from `--help`.

Results go to stdout, progress and messages to stderr. `--ledger PATH` (or `$WILDTRACE_LEDGER`) names the ledger file, before
or after the command. A RUN is named by its id, a unique beginning of it, or its label.

| exit status | meaning |
| --- | --- |
| 0 | done |
| 1 | an error, said in one line that names the file, row, field or host and what to do |
| 2 | resumable work remains: failed, missing or unjudged tasks; run the same command again |
| 3 | scores that may not be compared |
| 64 | wrong usage |
| 130 | interrupted; all finished work is kept |
"""
SCHEMA_HEAD = """\
# Tables, views and macros

Made by `python docs/generate.py` from the COMMENTs of `sql/`. Evidence is in tables and is only ever added to; everything
that is computed from it is a view.
"""


def cli_page() -> str:
    """Return docs/cli.md: the help of the program and of each command."""
    whole = _help()
    names = [
        line.split()[0] for line in whole.partition("Commands:\n")[2].splitlines() if line.startswith("  ") and line[2] != " "
    ]
    parts = [CLI_HEAD, f"```text\n{whole}```\n"]
    parts += [f"## wildtrace {name}\n\n```text\n{_help(name)}```\n" for name in names]
    return "\n".join(parts)


def _help(*command: str) -> str:
    environment = {"PATH": os.environ["PATH"], "COLUMNS": "110", "TERM": "dumb", "PYTHONUTF8": "1"}
    return subprocess.run([WILDTRACE, *command, "--help"], capture_output=True, text=True, check=True, env=environment).stdout


def schema_page() -> str:
    """Return docs/schema.md: every table, view and macro with its comment, and every column."""
    parts = [SCHEMA_HEAD]
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "l.duckdb")
        with store.writing():
            pass
        with store.reading() as connection:
            objects = {row["name"]: row["comment"] for row in connection.rows("select_object_comments")}
            columns = connection.rows("select_column_comments")
    for room, title in (("views", "Views"), ("macros", "Macros"), ("schema", "Evidence tables")):
        parts.append(f"## {title}\n")
        for name in (name for name, path in schema.object_files().items() if path.parent == SQL / room):
            parts.append(f"### {name}\n\n{objects[name]}.\n")
            rows = [f"| {row['name']} | {row['type']} | {row['comment']} |" for row in columns if row["object"] == name]
            if rows:
                parts.append("\n".join(["| column | type | meaning |", "| --- | --- | --- |", *rows]) + "\n")
    return "\n".join(parts)


def readme_page() -> str:
    """Return README.md with the demo's output as it is now."""
    before, title, rest = README.read_text(encoding="utf-8").partition("## What the demo prints\n\n```text\n")
    with tempfile.TemporaryDirectory() as folder:
        environment = {"PATH": os.environ["PATH"], "PYTHONUTF8": "1"}
        demo = subprocess.run([WILDTRACE, "demo"], capture_output=True, text=True, check=True, env=environment, cwd=folder)
    shown = demo.stdout.partition("\nEvery prompt")[0].strip("\n")
    return before + title + shown + rest[rest.index("\n```") :]


def main() -> None:
    """Write the pages."""
    (DOCS / "cli.md").write_text(cli_page(), encoding="utf-8")
    (DOCS / "schema.md").write_text(schema_page(), encoding="utf-8")
    README.write_text(readme_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
