"""The rules of sql/: one object a file, its comments below it, an order that is computed, and no name used twice."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from ledger import schema
from ledger.evidence import TABLES
from ledger.resources import SQL
from ledger.store import Store

FILES = schema.object_files()


@pytest.mark.parametrize("name", FILES)
def test_a_file_creates_the_object_of_its_name_and_then_only_comments(name: str) -> None:
    """The first statement creates the object of the stem; every other one is a COMMENT at the start of a line."""
    text = FILES[name].read_text(encoding="utf-8")
    first, *others = duckdb.extract_statements(text)
    code = "\n".join(line for line in first.query.strip().splitlines() if not line.startswith("--"))
    words = code.split("(")[0].split()
    assert words[0] == "CREATE"
    assert name in words
    assert {statement.type.name for statement in others} == {"ALTER"}
    assert text.count("\nCOMMENT ON ") == len(others)


def test_stems_are_unique_across_rooms_and_no_cte_shadows_an_object() -> None:
    """A name means one thing: no two rooms share a stem and no CTE has an object's name."""
    paths = [path for room in ("schema", "views", "macros") for path in (SQL / room).glob("*.sql")]
    assert len(paths) == len(FILES)
    for path in [*paths, *(SQL / "queries").glob("*.sql")]:
        create = path.read_text(encoding="utf-8").partition("\nCOMMENT ON ")[0]
        ctes = {cte.alias for cte in sqlglot.parse_one(create, dialect="duckdb").find_all(exp.CTE)}
        assert not ctes & FILES.keys(), path.name


def test_every_object_is_installed_after_those_it_uses(tmp_path: Path) -> None:
    """The computed order installs in a fresh database, and each file stands after what it uses."""
    order = [path.stem for path in schema.installed_files()]
    assert sorted(order) == sorted(FILES)
    assert order.index("exact_ratio") < order.index("task_scores") < order.index("run_scores") < order.index("leaderboard")
    with Store(tmp_path / "l.duckdb").writing():
        pass


def test_every_table_view_and_column_has_a_comment(tmp_path: Path) -> None:
    """What DuckDB shows of each object and column is never blank."""
    store = Store(tmp_path / "l.duckdb")
    with store.writing() as connection:
        tables = connection.select("SELECT table_name AS name, comment FROM duckdb_tables() WHERE NOT internal")
        views = connection.select("SELECT view_name AS name, comment FROM duckdb_views() WHERE NOT internal")
        columns = connection.select("SELECT table_name, column_name, comment FROM duckdb_columns() WHERE NOT internal")
    assert {row["name"] for row in tables} == {path.stem for path in (SQL / "schema").glob("*.sql")}
    assert {row["name"] for row in views} == {path.stem for path in (SQL / "views").glob("*.sql")}
    assert not [row for row in [*tables, *views, *columns] if not row["comment"]]


def test_row_classes_are_the_tables(tmp_path: Path) -> None:
    """Each row class has exactly its table's columns, in order, and an insert query of its own."""
    store = Store(tmp_path / "l.duckdb")
    with store.writing() as connection:
        for kind, table in TABLES.items():
            found = connection.select(
                f"SELECT column_name FROM duckdb_columns() WHERE table_name = '{table}' ORDER BY column_index"
            )
            assert [row["column_name"] for row in found] == list(kind.__dataclass_fields__), table  # type: ignore[attr-defined]
            assert schema.query(f"insert_{table}")


def test_the_aggregation_fingerprint_covers_everything_that_run_scores_is_made_of() -> None:
    """Every view and macro below run_scores is part of the aggregation, but for names and classes."""
    used, waiting = set(), ["run_scores"]
    made = {path.stem for room in ("views", "macros") for path in (SQL / room).glob("*.sql")}
    while waiting:
        name = waiting.pop()
        used.add(name)
        create = FILES[name].read_text(encoding="utf-8").partition("\nCOMMENT ON ")[0]
        nodes = sqlglot.parse_one(create, dialect="duckdb").find_all(exp.Table, exp.Anonymous)
        waiting += [node.name.lower() for node in nodes if node.name.lower() in made - used]
    assert used - {"current_labels", "run_classes"} == set(schema.AGGREGATION)


def test_the_aggregation_fingerprint_ignores_comments_and_white_space(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A comment or a line break in a view's file moves no class; a changed expression does."""

    def fingerprint(change: tuple[str, str]) -> str:
        files = {name: tmp_path / f"{name}.sql" for name in FILES}
        for name, path in files.items():
            path.write_text(FILES[name].read_text(encoding="utf-8").replace(*change), encoding="utf-8")
        monkeypatch.setattr(schema, "object_files", lambda: files)
        return schema.aggregation_fingerprint.__wrapped__()

    plain = fingerprint(("", ""))
    assert fingerprint(("FROM sums\n", "-- a remark\n   FROM  sums\n\n")) == plain
    assert fingerprint(("score_sum + sums.unjudged_n", "score_sum + sums.unjudged_n + 0")) != plain


def test_every_column_of_a_statistics_macro_is_documented(tmp_path: Path) -> None:
    """DuckDB keeps no comment on a macro's columns, so docs/statistics.md names each."""
    macros = {
        "cause_diff": 2, "document_diff": 2, "rerun_noise": 2, "run_diff": 2, "task_diff": 2, "under_caps": 3, "without_judge": 2,
    }  # fmt: skip
    documented = (SQL.parent / "docs" / "statistics.md").read_text(encoding="utf-8")
    with Store(tmp_path / "l.duckdb").writing() as connection:
        for name, parameters in macros.items():
            columns, _ = connection.table(f"FROM {name}({', '.join(['NULL'] * parameters)})")
            assert f"{name}(" in documented
            assert [column for column in columns if f"`{column}`" not in documented] == []
