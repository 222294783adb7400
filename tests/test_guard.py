"""The guard's verdicts over a ledger of two classes: no mix is called clean, and what `wildtrace sql` says of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import duckdb
import pytest
from conftest import Finished, Workshop
from guard_queries import CLEAN, HELD_OUT, MIXED, UNKNOWN
from seeded import RUNS, Seed, seed

from ledger import guard, schema
from ledger.errors import InputError, LedgerError
from ledger.guard.catalog import Catalog
from ledger.guard.masks import Known
from ledger.guard.pin import NotPinnable, check
from ledger.guard.probe import Probe
from ledger.store import SETTINGS, Store

LABELLED = [
    *((f"mixed: {name}", "mixed", query) for name, query in MIXED.items()),
    *((f"clean: {name}", "clean", query) for name, query in CLEAN.items()),
    *((f"unknown: {name}", "unknown", query) for name, query in UNKNOWN.items()),
]


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A ledger of two classes."""
    return seed(tmp_path_factory.mktemp("guard"))


@pytest.fixture(scope="module")
def connection(ledger: Store) -> Iterator[duckdb.DuckDBPyConnection]:
    """The ledger, open for reading."""
    with duckdb.connect(str(ledger.path), read_only=True, config=SETTINGS) as opened:  # one process, one configuration
        yield opened


@pytest.fixture(scope="module")
def probe(connection: duckdb.DuckDBPyConnection) -> Probe:
    """A probe over the ledger."""
    return Probe(connection.cursor())


@pytest.fixture(scope="module")
def classes(connection: duckdb.DuckDBPyConnection) -> tuple[str, str]:
    """The class of m-d, then that of m-c."""
    rows = connection.execute("SELECT class_id FROM run_scores WHERE model IN ('m-c', 'm-d') ORDER BY model DESC").fetchall()
    return rows[0][0], rows[1][0]


def filled(query: str, classes: tuple[str, str]) -> str:
    """Return a query with the two classes' ids in it."""
    return query.replace("$A", classes[0]).replace("$B", classes[1])


@pytest.mark.parametrize(("label", "query"), [row[1:] for row in LABELLED], ids=[row[0] for row in LABELLED])
def test_the_verdict_on_a_labelled_query(label: str, query: str, probe: Probe, classes: tuple[str, str]) -> None:
    """The verdict on a query is its label."""
    found = probe.finding(filled(query, classes), suggest=False)
    assert found.status == label, found


@pytest.mark.slow
def test_every_labelled_query_runs(connection: duckdb.DuckDBPyConnection, classes: tuple[str, str]) -> None:
    """A label on a query that DuckDB refuses would prove nothing."""
    for query in [*(row[2] for row in LABELLED), *(row[1] for row in HELD_OUT)]:
        connection.execute(filled(query, classes)).fetchall()


@pytest.mark.slow
def test_no_held_out_mix_is_called_clean_and_hardly_a_clean_query_mixed(probe: Probe, classes: tuple[str, str]) -> None:
    """On queries that the guard was not written against: no mix is called clean, at most 5 % of the clean ones mixed."""
    verdicts = [(label, probe.finding(filled(query, classes), suggest=False).status) for label, query in HELD_OUT]
    assert ("mixed", "clean") not in verdicts
    assert verdicts.count(("clean", "mixed")) <= 0.05 * sum(label == "clean" for label, _ in verdicts)
    assert sum(verdict == "unknown" for _, verdict in verdicts) <= 0.05 * len(verdicts)


@pytest.mark.parametrize(
    "name",
    [
        "model over both classes",
        "CTE of a CTE",
        "order by ordinal",
        "none is better",
    ],
)
def test_a_suggestion_runs_and_is_clean(
    name: str, probe: Probe, connection: duckdb.DuckDBPyConnection, classes: tuple[str, str]
) -> None:
    """The suggested query names the class, gives rows and mixes nothing."""
    suggestion = probe.finding(filled(MIXED[name], classes)).suggestion
    assert suggestion is not None
    assert "class_id" in suggestion
    assert connection.execute(suggestion).fetchall()
    assert probe.finding(suggestion).status == "clean"


@pytest.mark.parametrize("name", ["wins", "laundered by IN", "evidence", "order of a union"])
def test_nothing_is_suggested_where_no_partition_is_proven(name: str, probe: Probe, classes: tuple[str, str]) -> None:
    """Where partitioning by class cannot help, or cannot be proven to, the verdict comes without a suggestion."""
    found = probe.finding(filled(MIXED[name], classes))
    assert (found.status, found.suggestion) == ("mixed", None)


def test_clean_by_the_text_or_by_the_runs_that_are_here(probe: Probe, classes: tuple[str, str]) -> None:
    """Where another run could mix in, clean says so; where the text keeps classes apart it says nothing."""
    by_luck = probe.finding("SELECT AVG(overall) FROM run_scores WHERE model = 'm-c'")
    by_text = probe.finding(filled(CLEAN["pinned in a CTE"], classes))
    assert (by_luck.status, by_text.status) == ("clean", "clean")
    assert "of the runs that are here" in str(by_luck.note)
    assert by_text.note is None


def test_the_dimensions_are_all_policies_that_differ(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Of three classes in one mean, every policy that differs between any two of them is named."""
    filler = Seed(tmp_path_factory.mktemp("dimensions"), tasks=2)
    filler.run(0, {"model": "m-a"})
    filler.run(1, {"model": "m-b", "max_tokens": 4096})
    filler.run(2, {"model": "gpt-5.4", "caps": {"gpt-5.4": {"en": 1000, "cjk": 20}}})
    found = guard.run_sql(filler.store, "SELECT AVG(overall) FROM run_scores").comparability
    assert found["dimensions"] == ["cap_rule", "decoding_policy"]
    assert found["groups_mixed"] == 1


def test_score_relations_are_derived_from_the_files(connection: duckdb.DuckDBPyConnection) -> None:
    """Every view can be read; those whose columns come from verdicts are score relations, the others are not."""
    catalog = Probe(connection.cursor()).catalog
    known = {path.stem: catalog.known(path.stem) for path in schema.installed_files() if path.parent.name != "macros"}
    scores = {name for name, found in known.items() if found.scores}
    assert {
        "run_scores",
        "task_scores",
        "judge_scores",
        "leaderboard",
        "judge_totals",
        "effective_verdicts",
        "verdicts",
    } <= scores
    assert not {"runs", "run_tasks", "tasks", "run_classes", "request_attempts", "responses", "effective_responses"} & scores
    assert known["run_scores"].scores >= {"overall", "scored_overall", "overall_lo", "overall_hi", "all_tasks_overall"}
    assert not known["run_scores"].scores & {"complete", "scored_n", "tasks_n", "class_id", "label", "unjudged_n"}
    for name, found in known.items():
        columns = [row[0] for row in connection.execute(f'DESCRIBE "{name}"').fetchall()]
        assert list(found.columns) == columns, name


def test_the_class_of_a_view_is_the_class_that_its_own_definition_rests_on(connection: duckdb.DuckDBPyConnection) -> None:
    """Followed down to the verdicts instead of trusting class_id, no row of a score view rests on two classes."""

    class Untrusting(Catalog):
        def known(self, name: str) -> Known:
            found = super().known(name)
            return replace(found, key=None) if found.definition is not None and found.scores and name != "judge_totals" else found

    probe = Probe(connection.cursor())
    probe.catalog = Untrusting(probe.function_kinds)
    for name in ("judge_scores", "task_scores"):
        found = probe.finding(
            f"SELECT class_id, COUNT(score) FROM (SELECT class_id, {_figure(name)} AS score FROM {name}) GROUP BY class_id"
        )
        assert found.status == "clean", (name, found)
        assert probe.finding(f"SELECT COUNT({_figure(name)}) FROM {name}").status == "mixed"


def _figure(view: str) -> str:
    return {"judge_scores": "score", "task_scores": "final_score"}[view]


def sql(store: Store, *arguments: str, stdin: str | None = None) -> Finished:
    """Run `wildtrace sql` on a ledger."""
    return Workshop(store.path.parent).run("sql", *arguments, stdin=stdin)


MIX = MIXED["model over both classes"]


def test_a_mix_is_said_beside_the_table_and_in_the_json(ledger: Store) -> None:
    """The rows go to stdout, the mix and the suggestion to stderr; JSON has exactly three keys."""
    table = sql(ledger, "--format", "csv", MIX)
    assert table.status == 0
    assert table.out.startswith("model,avg(overall)\n")
    assert "MIXED: 2 rows rest on scores of classes that differ in decoding_policy" in table.err
    assert "GROUP BY" in table.err
    document = sql(ledger, "--format", "json", MIX).json
    assert list(document) == ["columns", "rows", "comparability"]
    assert document["columns"] == ["model", "avg(overall)"]
    assert list(document["comparability"]) == ["status", "dimensions", "groups_mixed", "suggestion"]
    assert document["comparability"]["status"] == "mixed"


def test_strict_prints_no_rows_and_exits_3(ledger: Store) -> None:
    """On a mix, and on what is not analysed, --strict shows nothing but why."""
    done = sql(ledger, "--strict", MIX)
    assert (done.status, done.out) == (3, "")
    assert "--strict prints no rows" in done.err
    document = sql(ledger, "--strict", "--format", "json", UNKNOWN["summarize"])
    assert (document.status, document.json["rows"], document.json["comparability"]["status"]) == (3, [], "unknown")
    assert sql(ledger, "--strict", CLEAN["by class"]).status == 0


def test_a_pin_restricts_every_view_to_one_class(ledger: Store, classes: tuple[str, str]) -> None:
    """Under a pin the same views hold one class: by class, by run id, by label; their rows are those of the whole ledger."""
    query = "SELECT * FROM judge_scores ORDER BY ALL"
    whole = guard.run_sql(ledger, f"SELECT * FROM judge_scores WHERE class_id = '{classes[1]}' ORDER BY ALL")
    (run,) = guard.run_sql(ledger, "SELECT run_id FROM runs WHERE model = 'm-c'").rows
    for pin in (str(run[0]), "c long"):
        pinned = guard.run_sql(ledger, query, pin=pin)
        assert (pinned.columns, pinned.rows) == (whole.columns, whole.rows)
    count = guard.run_sql(
        ledger, "SELECT COUNT(*), (SELECT COUNT(*) FROM effective_verdicts) FROM verdicts", pin=classes[1]
    ).rows[0]
    assert count[0] == count[1] == len({row[whole.columns.index("request_key")] for row in whole.rows})


def test_under_a_pin_even_what_is_not_analysed_is_clean(ledger: Store) -> None:
    """A pivot over pinned views mixes nothing; a qualified name is refused."""
    done = guard.run_sql(ledger, "PIVOT run_scores ON model USING AVG(overall) GROUP BY class_id", pin="a long")
    assert done.comparability["status"] == "clean"
    assert len(done.rows) == 1
    with pytest.raises(LedgerError, match="refused under --pin"):
        guard.run_sql(ledger, "SELECT * FROM wildtrace.main.run_scores", pin="a long")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM wildtrace.main.run_scores",
        "SELECT * FROM wildtrace.run_scores",
        "SELECT * FROM query('SELECT 1')",
        "SELECT * FROM query_table('runs')",
        "SELECT reduce([1], lambda a, b: a + b)",
        "SELECT * FROM (SELECT 1) WHERE EXISTS (FROM wildtrace.main.runs)",
    ],
)
def test_a_pin_cannot_be_looked_past(query: str) -> None:
    """Qualified names, SQL made of text and what cannot be parsed are refused under a pin."""
    with pytest.raises(NotPinnable, match=r"refused|only statements that can be parsed"):
        check(query)


def test_a_pin_that_names_nothing_or_two_classes_is_an_error(ledger: Store) -> None:
    """The message says what to give instead."""
    with pytest.raises(InputError, match="no class and no run"):
        guard.run_sql(ledger, "SELECT 1", pin="nowhere")
    with pytest.raises(InputError, match="no class and no run"):
        guard.run_sql(ledger, "SELECT 1", pin="")


def test_the_query_comes_from_a_file_or_standard_input(ledger: Store) -> None:
    """--file reads one, without a query standard input is read; not both, and not what is not UTF-8."""
    file = ledger.path.parent / "query.sql"
    file.write_text("-- one\nSELECT 42 AS answer;\n", encoding="utf-8")
    for done in (
        sql(ledger, "--format", "csv", "--file", str(file)),
        sql(ledger, "--format", "csv", stdin="SELECT 42 AS answer"),
    ):
        assert (done.status, done.out) == (0, "answer\n42\n")
    assert sql(ledger, "--file", str(file), "SELECT 1").status == 64
    file.write_bytes(b"SELECT '\xff'")
    done = sql(ledger, "--file", str(file))
    assert (done.status, "not UTF-8 at byte 8" in done.err) == (1, True)
    assert sql(ledger, "--file", "nowhere.sql").status == 1


def test_a_long_table_is_cut_and_says_so(ledger: Store) -> None:
    """A table shows 1,000 rows and says that there are more; CSV has them all."""
    query = "SELECT i FROM range(1500) AS r(i)"
    table = sql(ledger, query)
    assert len(table.out.splitlines()) == 1002
    assert "only the first 1000 rows" in table.err
    assert len(sql(ledger, "--format", "csv", query).out.splitlines()) == 1501
    found = guard.run_sql(ledger, query, limits=guard.Limits(rows=3))
    assert (found.rows, found.is_cut) == ([(0,), (1,), (2,)], True)


def test_values_of_every_kind_arrive_as_they_are(ledger: Store) -> None:
    """What DuckDB's Python library would have given here is what the child hands over."""
    query = (
        "SELECT NULL AS n, TRUE AS b, 170141183460469231731687303715884105727 AS h, 1.50::DECIMAL(9,2) AS d, 'NaN'::DOUBLE AS f, "
        "DATE '2026-01-02' AS day, TIME '01:02:03' AS t, TIMESTAMP '2026-01-02 03:04:05.000006' AS ts, INTERVAL '36 hours' AS i, "
        "'\\xff\\x00'::BLOB AS raw, {'a': [1, NULL], 'b': '字\n'} AS s, MAP {'k': 1.5} AS m, "
        "'00000000-0000-0000-0000-000000000001'::UUID AS u, 1 AS x, 2 AS x"
    )
    found = guard.run_sql(ledger, query)
    expected = duckdb.execute(query).fetchall()[0]
    assert found.columns[-2:] == ["x", "x_1"]
    assert json.dumps(found.rows[0], default=repr) == json.dumps(expected, default=repr)


def test_the_same_statement_gives_the_same_rows_as_without_the_guard(
    ledger: Store, connection: duckdb.DuckDBPyConnection
) -> None:
    """The guard changes nothing of a result."""
    query = "SELECT * FROM leaderboard ORDER BY class_id, rank, run_id"
    assert guard.run_sql(ledger, query).rows == connection.execute(query).fetchall()
    assert len(connection.execute(query).fetchall()) == len(RUNS)
