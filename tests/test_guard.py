"""The guard's verdicts: labelled queries over a ledger of two classes; no mix is called clean."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from seeded import seed

from ledger.guard.probe import Finding, Probe
from ledger.store import Store

MIXED = {
    "mean over everything": "SELECT AVG(final_score) FROM task_scores",
    "sum of figures": "SELECT SUM(overall) FROM run_scores",
    "model over both classes": "SELECT model, AVG(overall) FROM run_scores GROUP BY model",
    "group by all": "SELECT model, AVG(final_score) AS m FROM task_scores GROUP BY ALL",
    "from first": "FROM run_scores SELECT AVG(overall)",
    "CTE": "WITH s AS (SELECT final_score AS x FROM task_scores) SELECT AVG(x) FROM s",
    "CTE of a CTE": "WITH s AS (SELECT * FROM task_scores), u AS (SELECT model, final_score * 100 AS p FROM s) SELECT MAX(p) FROM u",
    "CTE with columns renamed": "WITH s(a, b) AS (SELECT model, overall FROM run_scores) SELECT a, AVG(b) FROM s GROUP BY a",
    "subquery": "SELECT AVG(x) FROM (SELECT overall AS x FROM run_scores)",
    "means of means": "SELECT AVG(m) FROM (SELECT class_id, AVG(overall) AS m FROM run_scores GROUP BY class_id)",
    "judge scores": "SELECT judge, AVG(score) FROM judge_scores GROUP BY judge",
    "judge totals, which have no class": "SELECT judge_fingerprint, SUM(total) FROM judge_totals GROUP BY 1",
    "evidence": "SELECT AVG(total) FROM verdicts",
    "evidence that counts": "SELECT AVG(total) FROM effective_verdicts",
    "evidence joined to its runs": "SELECT AVG(v.total) FROM verdicts AS v JOIN judge_requests AS q ON v.request_key = q.request_key",
    "order": "SELECT model, overall FROM run_scores ORDER BY overall DESC",
    "order by an alias": "SELECT model, overall AS x FROM run_scores ORDER BY x",
    "order by ordinal": "SELECT model, overall FROM run_scores ORDER BY 2 DESC LIMIT 3",
    "order by an expression": "SELECT model FROM leaderboard ORDER BY -scored_overall",
    "order by all": "SELECT overall, model FROM run_scores ORDER BY ALL",
    "order inside": "SELECT * FROM (SELECT model FROM run_scores ORDER BY overall DESC LIMIT 1)",
    "order by the mean": "SELECT class_id, AVG(overall) AS m FROM run_scores GROUP BY class_id ORDER BY m",
    "order of a union": "SELECT model, overall FROM run_scores WHERE class_id = '$A' UNION ALL "
    "SELECT model, overall FROM run_scores WHERE class_id = '$B' ORDER BY overall",
    "rank": "SELECT model, RANK() OVER (ORDER BY overall DESC) FROM run_scores",
    "rank by model": "SELECT label, ROW_NUMBER() OVER (PARTITION BY model ORDER BY overall) AS r FROM run_scores",
    "window mean": "SELECT model, AVG(overall) OVER () FROM run_scores",
    "named window": "SELECT model, RANK() OVER w FROM run_scores WINDOW w AS (PARTITION BY model ORDER BY overall)",
    "lag": "SELECT overall - LAG(overall) OVER (PARTITION BY model ORDER BY run_id) AS step FROM run_scores",
    "qualify": "SELECT model FROM run_scores QUALIFY ROW_NUMBER() OVER (PARTITION BY model ORDER BY overall DESC) = 1",
    "running mean": "SELECT AVG(overall) OVER (ORDER BY run_id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM run_scores",
    "union all": "SELECT AVG(s) FROM (SELECT overall AS s FROM run_scores WHERE class_id = '$A' UNION ALL "
    "SELECT overall FROM run_scores WHERE class_id = '$B')",
    "union of views": "SELECT MAX(s) FROM (SELECT overall AS s FROM run_scores UNION ALL SELECT final_score FROM task_scores)",
    "scalar subquery": "SELECT (SELECT AVG(overall) FROM run_scores) AS mean",
    "above the mean of all": "SELECT model FROM run_scores WHERE overall > (SELECT AVG(overall) FROM run_scores)",
    "distance to the best of all": "SELECT model, overall - (SELECT MAX(overall) FROM run_scores) AS gap FROM run_scores",
    "the best of another class": "SELECT overall - (SELECT MAX(overall) FROM run_scores WHERE class_id = '$B') FROM run_scores "
    "WHERE class_id = '$A'",
    "correlated": "SELECT model, (SELECT MAX(b.overall) FROM run_scores AS b WHERE b.model = a.model) AS best FROM run_scores AS a",
    "none is better": "SELECT model FROM run_scores AS a WHERE NOT EXISTS "
    "(SELECT 1 FROM run_scores AS b WHERE b.model = a.model AND b.overall > a.overall)",
    "all": "SELECT model FROM run_scores WHERE overall >= ALL (SELECT overall FROM run_scores WHERE overall IS NOT NULL)",
    "distinct, then counted": "SELECT COUNT(*) FROM (SELECT DISTINCT final_score FROM task_scores)",
    "count distinct": "SELECT COUNT(DISTINCT final_score) FROM task_scores",
    "having": "SELECT model FROM run_scores GROUP BY model HAVING AVG(overall) > 0",
    "having that keeps none": "SELECT model FROM run_scores GROUP BY model HAVING AVG(overall) > 5",
    "rollup": "SELECT class_id, AVG(overall) FROM run_scores GROUP BY ROLLUP (class_id)",
    "cube": "SELECT class_id, model, AVG(overall) FROM run_scores GROUP BY CUBE (class_id, model)",
    "grouping sets": "SELECT class_id, AVG(overall) FROM run_scores GROUP BY GROUPING SETS ((class_id), ())",
    "self-join difference": "SELECT AVG(a.overall - b.overall) FROM run_scores AS a JOIN run_scores AS b ON a.model = b.model",
    "difference of classes": "SELECT a.model, a.overall - b.overall FROM run_scores AS a JOIN run_scores AS b "
    "ON a.model = b.model AND a.class_id < b.class_id",
    "wins": "SELECT COUNT(*) FROM task_scores AS a JOIN task_scores AS b USING (task_id) WHERE a.class_id = '$A' "
    "AND b.class_id = '$B' AND a.final_score > b.final_score",
    "correlation": "SELECT CORR(a.final_score, b.final_score) FROM task_scores AS a JOIN task_scores AS b "
    "ON a.task_id = b.task_id AND a.class_id <> b.class_id",
    "count over a filter": "SELECT COUNT(*) FROM task_scores WHERE final_score > 0.5",
    "count over a filter that passes none": "SELECT COUNT(*) FROM task_scores WHERE final_score > 5",
    "count filter": "SELECT COUNT(*) FILTER (WHERE final_score > 0.5) FROM task_scores",
    "count_if": "SELECT model, COUNT_IF(final_score > 0.5) FROM task_scores GROUP BY model",
    "count of scores": "SELECT COUNT(panel_score) FROM task_scores",
    "sum of a case": "SELECT SUM(CASE WHEN final_score > 0.5 THEN 1 ELSE 0 END) FROM task_scores",
    "laundered by IN": "SELECT COUNT(*) FROM runs WHERE run_id IN (SELECT run_id FROM run_scores WHERE overall > 0.3)",
    "laundered by EXISTS": "SELECT COUNT(*) FROM runs WHERE EXISTS "
    "(SELECT 1 FROM run_scores AS s WHERE s.run_id = runs.run_id AND s.overall > 0.3)",
    "laundered by a CTE": "WITH good AS (SELECT run_id FROM run_scores WHERE overall > 0.3) SELECT COUNT(*) FROM good",
    "laundered by a join": "WITH good AS (SELECT run_id FROM run_scores WHERE overall > 0.3) "
    "SELECT COUNT(*) FROM runs JOIN good USING (run_id)",
    "histogram": "SELECT ROUND(final_score, 1) AS bin, COUNT(*) FROM task_scores WHERE final_score = 0 GROUP BY bin",
    "case by class, combined": "SELECT MAX(CASE WHEN class_id = '$A' THEN overall END) - MAX(CASE WHEN class_id = '$B' THEN overall END) "
    "FROM run_scores",
    "arg max": "SELECT ARG_MAX(model, overall) FROM run_scores",
    "list": "SELECT model, LIST(overall) FROM run_scores GROUP BY model",
    "first by order": "SELECT FIRST(model ORDER BY overall DESC) FROM run_scores",
    "median": "SELECT MEDIAN(final_score), QUANTILE_CONT(final_score, 0.9) FROM task_scores",
    "within group": "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY final_score) FROM task_scores",
    "aggregate that sqlglot does not know": "SELECT FAVG(final_score) FROM task_scores",
    "exact mean by the ledger's macro": "SELECT EXACT_RATIO(SUM(final_score), COUNT(*)) FROM task_scores",
    "mean of ranks": "SELECT model, AVG(rank) FROM leaderboard GROUP BY model",
    "nested aggregate window": "SELECT model, SUM(AVG(overall)) OVER () FROM run_scores GROUP BY model",
    "distinct on": "SELECT DISTINCT ON (model) model, label FROM run_scores ORDER BY model, overall DESC",
    "string of scores": "SELECT STRING_AGG(overall::VARCHAR, ',') FROM run_scores",
    "star of a join": "SELECT AVG(overall) FROM (SELECT * FROM run_scores JOIN runs USING (run_id))",
    "exclude": "SELECT AVG(overall) FROM (SELECT * EXCLUDE (label, class_id) FROM run_scores)",
    "replace": "SELECT AVG(model) FROM (SELECT * REPLACE (overall AS model) FROM run_scores)",
    "rename": "SELECT AVG(y) FROM (SELECT * RENAME (overall AS y) FROM run_scores)",
    "left join": "SELECT AVG(s.overall) FROM runs AS r LEFT JOIN run_scores AS s ON r.run_id = s.run_id",
    "unnest": "SELECT AVG(x) FROM (SELECT UNNEST([overall, scored_overall]) AS x FROM run_scores)",
    "in the best of all": "SELECT model FROM run_scores WHERE overall IN (SELECT MAX(overall) FROM run_scores)",
    "mode": "SELECT MODE(final_score) FROM task_scores WHERE model = 'm-a'",
    "two runs of two classes": "SELECT AVG(overall) FROM run_scores WHERE label IN ('a first', 'a long')",
}

CLEAN = {
    "listing": "SELECT * FROM run_scores",
    "listing of tasks": "SELECT run_id, task_id, final_score FROM task_scores WHERE final_score > 0.5",
    "listing with arithmetic": "SELECT run_id, overall * 100 AS percent, overall_hi - overall_lo AS width FROM run_scores",
    "listing of evidence": "SELECT request_key, total FROM verdicts",
    "leaderboard": "SELECT * FROM leaderboard ORDER BY class_id, rank",
    "no score": "SELECT model, COUNT(*) FROM runs GROUP BY model",
    "no table": "SELECT 1 + 1",
    "settings": "SELECT name FROM duckdb_settings() LIMIT 3",
    "catalogue": "SELECT table_name FROM information_schema.tables ORDER BY 1",
    "describe": "DESCRIBE run_scores",
    "show": "SHOW TABLES",
    "counts of work": "SELECT status, COUNT(*) FROM task_scores GROUP BY status",
    "rows counted": "SELECT COUNT(*) FROM task_scores",
    "coverage": "SELECT model, SUM(scored_n), SUM(tasks_n) FROM run_scores GROUP BY model",
    "by class": "SELECT class_id, AVG(overall) FROM run_scores GROUP BY class_id",
    "by class and model": "SELECT class_id, model, AVG(overall) AS m FROM run_scores GROUP BY ALL ORDER BY class_id, m DESC",
    "by run": "SELECT run_id, AVG(final_score) FROM task_scores GROUP BY run_id",
    "by label": "SELECT label, SUM(final_score) FROM task_scores JOIN current_labels USING (run_id) GROUP BY label",
    "pinned by a literal": "SELECT AVG(final_score) FROM task_scores WHERE class_id = '$A'",
    "pinned by run": "SELECT AVG(final_score) FROM task_scores WHERE run_id = (SELECT run_id FROM current_labels WHERE label = 'a first')",
    "pinned by a model that is in one class alone": "SELECT AVG(overall) FROM run_scores WHERE model = 'm-c'",
    "pinned in a CTE": "WITH s AS (SELECT * FROM task_scores WHERE class_id = '$B') SELECT model, AVG(final_score) FROM s GROUP BY model",
    "pinned order": "SELECT model, overall FROM run_scores WHERE class_id = '$A' ORDER BY overall DESC LIMIT 2",
    "ordered within class": "SELECT class_id, model, overall FROM run_scores ORDER BY class_id, overall DESC",
    "ordered by something else": "SELECT model, overall FROM run_scores ORDER BY model, label",
    "rank within class": "SELECT model, RANK() OVER (PARTITION BY class_id ORDER BY overall DESC) AS r FROM run_scores",
    "best of each class": "SELECT class_id, model FROM run_scores QUALIFY ROW_NUMBER() OVER "
    "(PARTITION BY class_id ORDER BY overall DESC) = 1",
    "named window within class": "SELECT model, RANK() OVER w FROM run_scores WINDOW w AS (PARTITION BY class_id ORDER BY overall)",
    "row numbers": "SELECT ROW_NUMBER() OVER (ORDER BY run_id) AS n, overall FROM run_scores",
    "paired within class": "SELECT AVG(a.final_score - b.final_score) FROM task_scores AS a JOIN task_scores AS b "
    "ON a.task_id = b.task_id AND a.class_id = b.class_id WHERE a.class_id = '$A' AND a.model = 'm-a' AND b.model = 'm-b'",
    "differences within class": "SELECT a.model, b.model, a.overall - b.overall FROM run_scores AS a JOIN run_scores AS b "
    "ON a.class_id = b.class_id",
    "side by side": "SELECT AVG(a.final_score) AS in_a, AVG(b.final_score) AS in_b FROM task_scores AS a JOIN task_scores AS b "
    "USING (task_id) WHERE a.class_id = '$A' AND b.class_id = '$B'",
    "side by side in a CTE": "WITH p AS (SELECT a.final_score AS x, b.final_score AS y FROM task_scores AS a JOIN task_scores AS b "
    "ON a.task_id = b.task_id WHERE a.class_id = '$A' AND b.class_id = '$B') SELECT AVG(x), AVG(y) FROM p",
    "case by class": "SELECT AVG(CASE WHEN class_id = '$A' THEN overall END) AS a, AVG(CASE WHEN class_id = '$B' THEN overall END) AS b "
    "FROM run_scores",
    "sum of a case with an else": "SELECT SUM(CASE WHEN class_id = '$A' THEN overall ELSE 0 END) FROM run_scores",
    "filter by class": "SELECT AVG(overall) FILTER (WHERE class_id = '$A') FROM run_scores",
    "best of its class": "SELECT model FROM run_scores AS a WHERE overall = "
    "(SELECT MAX(b.overall) FROM run_scores AS b WHERE b.class_id = a.class_id)",
    "none better in its class": "SELECT model FROM run_scores AS a WHERE NOT EXISTS "
    "(SELECT 1 FROM run_scores AS b WHERE b.class_id = a.class_id AND b.overall > a.overall)",
    "class means beside rows": "SELECT model, overall - m FROM run_scores JOIN "
    "(SELECT class_id, AVG(overall) AS m FROM run_scores GROUP BY class_id) AS means USING (class_id)",
    "union of classes": "SELECT 'a', AVG(overall) FROM run_scores WHERE class_id = '$A' UNION ALL "
    "SELECT 'b', AVG(overall) FROM run_scores WHERE class_id = '$B'",
    "union of listings": "SELECT model, overall FROM run_scores WHERE class_id = '$A' UNION ALL SELECT model, overall FROM run_scores",
    "distinct models": "SELECT DISTINCT model FROM run_scores",
    "models above a mark": "SELECT DISTINCT model FROM run_scores WHERE overall > 0.4",
    "distinct with class": "SELECT DISTINCT class_id, overall FROM run_scores",
    "rollup below class": "SELECT class_id, model, AVG(overall) FROM run_scores GROUP BY class_id, ROLLUP (model)",
    "having within class": "SELECT class_id, model FROM run_scores GROUP BY class_id, model HAVING AVG(overall) > 0.1",
    "count over a filter, by class": "SELECT class_id, COUNT(*) FROM task_scores WHERE final_score > 0.5 GROUP BY class_id",
    "histogram of a class": "SELECT ROUND(final_score, 1) AS bin, COUNT(*) FROM task_scores WHERE class_id = '$A' GROUP BY bin ORDER BY bin",
    "IN of a class": "SELECT COUNT(*) FROM runs WHERE run_id IN (SELECT run_id FROM run_scores WHERE class_id = '$A' AND overall > 0.3)",
    "judges of one run": "SELECT judge, AVG(score) FROM judge_scores WHERE run_id = (SELECT MIN(run_id) FROM runs) GROUP BY judge",
    "evidence of one run": "SELECT AVG(v.total) FROM verdicts AS v JOIN judge_requests AS q ON v.request_key = q.request_key "
    "JOIN runs AS r ON q.run_id = r.run_id WHERE r.model = 'm-c'",
    "evidence of a class": "SELECT AVG(total) FROM effective_verdicts JOIN judge_requests USING (request_key) "
    "JOIN run_classes USING (run_id) WHERE class_id = '$A'",
    "window mean of a class": "SELECT model, overall - AVG(overall) OVER (PARTITION BY class_id) FROM run_scores",
    "running mean of a class": "SELECT AVG(overall) OVER (PARTITION BY class_id ORDER BY run_id) FROM run_scores",
    "list by class": "SELECT class_id, LIST(overall ORDER BY overall) FROM run_scores GROUP BY class_id",
    "cross join with runs": "SELECT s.run_id, AVG(s.overall) FROM run_scores AS s CROSS JOIN runs GROUP BY s.run_id",
    "models of both": "SELECT model FROM run_scores GROUP BY model HAVING COUNT(DISTINCT class_id) > 1",
    "recursion over no score": "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT SUM(i) FROM n",
    "series": "SELECT SUM(i) FROM range(10) AS r(i)",
    "explain": "SELECT COUNT(*) FROM run_tasks WHERE cap_chars > 0",
}

UNKNOWN = {
    "pivot in a FROM": "SELECT * FROM (PIVOT run_scores ON class_id IN ('$A', '$B') USING AVG(overall))",
    "sql pivot": "SELECT * FROM run_scores PIVOT (AVG(overall) FOR model IN ('m-a', 'm-b'))",
    "unpivot": "SELECT AVG(value) FROM (UNPIVOT run_scores ON overall, scored_overall INTO NAME n VALUE value)",
    "query()": "SELECT * FROM query('SELECT AVG(overall) FROM run_scores')",
    "query_table()": "SELECT AVG(overall) FROM query_table('run_scores')",
    "summarize": "SUMMARIZE run_scores",
    "summarize of a query": "SELECT * FROM (SUMMARIZE SELECT overall FROM run_scores)",
    "columns(lambda)": "SELECT AVG(COLUMNS(lambda c: c LIKE 'overall%')) FROM run_scores",
    "columns(regex)": "SELECT AVG(COLUMNS('overall.*')) FROM run_scores",
    "lateral": "SELECT MAX(x) FROM run_scores, LATERAL (SELECT run_scores.overall AS x) AS l",
    "recursive": "WITH RECURSIVE r AS (SELECT 1 AS i, overall FROM run_scores UNION ALL SELECT i + 1, overall FROM r WHERE i < 2) "
    "SELECT AVG(overall) FROM r",
    "an engine's macro": "SELECT WAVG(overall, tasks_n) FROM run_scores",
    "sample": "SELECT AVG(overall) FROM run_scores USING SAMPLE 3",
    "except": "SELECT overall FROM run_scores WHERE class_id = '$A' EXCEPT SELECT overall FROM run_scores WHERE class_id = '$B'",
    "random rows": "SELECT AVG(overall) FROM run_scores WHERE RANDOM() < 0.5",
    "some rows": "SELECT AVG(x) FROM (SELECT overall AS x FROM run_scores LIMIT 3)",
    "union by name": "SELECT AVG(overall) FROM (SELECT overall FROM run_scores UNION BY NAME SELECT overall FROM run_scores)",
    "list comprehension": "SELECT LIST_SUM([x FOR x IN LIST(overall)]) FROM run_scores",
    "shared verdicts": "SELECT AVG(total) FROM verdicts WHERE request_key IN "
    "(SELECT request_key FROM judge_requests GROUP BY request_key HAVING COUNT(DISTINCT run_id) > 1)",
}

ALL = [
    *((name, "mixed", query) for name, query in MIXED.items()),
    *((name, "clean", query) for name, query in CLEAN.items()),
    *((name, "unknown", query) for name, query in UNKNOWN.items()),
]


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A ledger of two classes."""
    return seed(tmp_path_factory.mktemp("guard"))


@pytest.fixture(scope="module")
def connection(ledger: Store) -> Iterator[duckdb.DuckDBPyConnection]:
    """The ledger, open for reading."""
    with duckdb.connect(str(ledger.path), read_only=True) as opened:
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


@pytest.mark.parametrize(("name", "label", "query"), ALL, ids=[f"{label}: {name}" for name, label, _ in ALL])
def test_the_verdict_on_a_labelled_query(
    name: str, label: str, query: str, probe: Probe, connection: duckdb.DuckDBPyConnection, classes: tuple[str, str]
) -> None:
    """The query runs, and the verdict on it is the label."""
    connection.execute(filled(query, classes)).fetchall()
    found = probe.finding(filled(query, classes))
    assert found.status == label, (name, found)
