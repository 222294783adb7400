"""Every view that carries a score carries class_id: nobody can average what may not be compared without seeing it."""

from __future__ import annotations

from functools import cache
from typing import Final

import pytest
import sqlglot
from conftest import Workshop
from sqlglot import exp
from sqlglot.lineage import lineage

from ledger import schema
from ledger.resources import SQL

VERDICT: Final = {"verdicts.total", "verdicts.points_awarded"}
VIEWS: Final = sorted(path.stem for path in (SQL / "views").glob("*.sql"))


@cache
def selects() -> dict[str, exp.Query]:
    """The SELECT of each view, from its file."""
    parsed = {name: sqlglot.parse_one(schema.creation(name), dialect="duckdb").expression for name in VIEWS}
    return {name: select for name, select in parsed.items() if isinstance(select, exp.Query)}


@cache
def tables() -> dict[str, dict[str, str]]:
    """The columns of each evidence table, from its file."""
    found = {}
    for path in (SQL / "schema").glob("*.sql"):
        create = sqlglot.parse_one(schema.creation(path.stem), dialect="duckdb")
        found[path.stem] = {column.name: column.kind.sql("duckdb") for column in create.find_all(exp.ColumnDef) if column.kind}
    return found


def leaves(column: str, view: str, sources: dict[str, exp.Query]) -> set[str]:
    """Return the table columns that a column's values come from."""
    root = lineage(column, f"SELECT {column} FROM {view}", schema=tables(), sources=sources, dialect="duckdb")
    found = set()
    for node in root.walk():
        if not node.downstream and isinstance(node.expression, exp.Table):
            found.add(f"{node.expression.name}.{node.name.rsplit('.', 1)[-1]}")
    return found


def scores_without_class(view: str, types: dict[str, str], sources: dict[str, exp.Query]) -> list[str]:
    """Return the numbers of a view that come from a verdict, where it does not say the class.

    A view of single requests, below any run, has no class to say: it has a request_key and no run_id.
    """
    if "class_id" in types or ("request_key" in types and "run_id" not in types):
        return []
    numbers = [name for name, kind in types.items() if kind.startswith(("DECIMAL", "DOUBLE"))]
    return [name for name in numbers if leaves(name, view, sources) & VERDICT]


@pytest.fixture
def types(workshop: Workshop) -> dict[str, dict[str, str]]:
    """The columns of each view with their types, as DuckDB sees them."""
    found: dict[str, dict[str, str]] = {}
    for row in workshop.rows("SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal"):
        found.setdefault(row["table_name"], {})[row["column_name"]] = row["data_type"]
    return found


def test_every_view_with_a_score_has_class_id(types: dict[str, dict[str, str]]) -> None:
    """No view gives a number out of a verdict without the class within which it may be compared."""
    assert {view: found for view in VIEWS if (found := scores_without_class(view, types[view], selects()))} == {}


def test_the_rule_finds_a_view_that_forgets_the_class(types: dict[str, dict[str, str]]) -> None:
    """A made-up view of means without class_id is caught, through views, CTEs and macros; one of counts is not."""
    made = "SELECT model, AVG(final_score) AS mean, COUNT(*) AS n, MAX(cap_chars) AS cap"
    made += " FROM task_scores INNER JOIN run_tasks USING (run_id) GROUP BY model"
    select = sqlglot.parse_one(made, dialect="duckdb")
    assert isinstance(select, exp.Query)
    columns = {"model": "VARCHAR", "mean": "DOUBLE", "n": "BIGINT", "cap": "DOUBLE"}
    assert scores_without_class("made_up", columns, {**selects(), "made_up": select}) == ["mean"]
    assert scores_without_class("made_up", {**columns, "class_id": "VARCHAR"}, {**selects(), "made_up": select}) == []
    assert "class_id" in types["task_scores"]


@pytest.mark.parametrize("view", ["task_scores", "run_scores", "leaderboard", "judge_scores"])
def test_scores_lead_back_to_verdicts_and_points(view: str) -> None:
    """The contract's figures come from totals and rubric points, by the files alone, and every leaf is a table's column."""
    column = {"task_scores": "final_score", "judge_scores": "score"}.get(view, "overall")
    found = leaves(column, view, selects())
    assert found >= {"verdicts.total", "rubric_criteria.points"}
    assert all(leaf.split(".")[1] in tables()[leaf.split(".")[0]] for leaf in found)
