"""Whether the rows that a query aggregates, orders or ranks by score really are of one class.

The query is rewritten to carry classes along (`rewrite`), and the rewritten query is asked how many rows of the result
rest on a mix. `clean` is only said of what was understood and run to its end; all else is `unknown`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Final

import duckdb
import sqlglot
from sqlglot import exp

from ledger import schema
from ledger.guard.catalog import Catalog
from ledger.guard.masks import PREFIX, Carried, Mask, Unanalysable, call, column_of, union
from ledger.guard.rewrite import Rewriter
from ledger.guard.static import by_class, keeps_classes_apart

_MAX_CLASSES: Final = 120
"""A set of classes is a HUGEINT: 127 bits, two of them reserved."""


@dataclass(frozen=True)
class Finding:
    """What may be said of a query's result.

    `groups_mixed` counts the rows that rest on a mix, of the result and of those that a filter on a score decided about;
    an ordering counts once. `note` says in words why it is not known, or what `clean` depends on.
    """

    status: str
    dimensions: list[str] = field(default_factory=list)
    groups_mixed: int | None = 0
    suggestion: str | None = None
    note: str | None = None

    def as_row(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return asdict(self)


def unknown(note: str) -> Finding:
    """Return the finding of what was not analysed."""
    return Finding("unknown", groups_mixed=None, note=note)


class Probe:
    """Analyses statements over one open ledger. The connection is the probe's own: it makes temporary tables in it."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self.catalog = Catalog(self.function_kinds)
        self._classes_n: int | None = None
        self._has_requests = False

    def finding(self, statement: str, *, suggest: bool = True) -> Finding:
        """Return what may be said of one SELECT. Never raises for what the statement holds."""
        try:
            tree = sqlglot.parse_one(statement, dialect="duckdb")
        except (sqlglot.errors.SqlglotError, RecursionError, ValueError, AttributeError, TypeError):
            return unknown("the statement is written in a way that is not analysed")
        try:
            return self._of_tree(tree, statement, suggest=suggest)
        except Unanalysable as found:
            return unknown(f"not analysed: {found}")
        except RecursionError:
            return unknown("the statement is nested too deeply to analyse")
        except duckdb.InterruptException:
            return unknown("the analysis took too long")
        except duckdb.Error as error:
            return unknown(f"the analysis failed ({type(error).__name__})")

    def _of_tree(self, tree: exp.Expr, statement: str, *, suggest: bool) -> Finding:
        if isinstance(tree, exp.Describe | exp.Show):
            return Finding("clean")
        if isinstance(tree, exp.Command):
            raise Unanalysable(tree.name.upper())
        if not self.catalog.rests_on_scores(tree) and not tree.find(exp.Command):
            return Finding("clean")
        if not isinstance(tree, exp.Query):
            raise Unanalysable(type(tree).__name__.upper())
        if PREFIX in statement.lower():
            raise Unanalysable(f"names that begin with {PREFIX}")
        found = self._mixes(tree)
        if found.status == "mixed" and suggest:
            return Finding("mixed", found.dimensions, found.groups_mixed, self._suggestion(tree))
        return found

    def _suggestion(self, tree: exp.Query) -> str | None:
        """Return the query partitioned by class, if it runs and is proven clean."""
        try:
            rewritten = by_class(tree, self.catalog)
            if rewritten is None or self._mixes(rewritten).status != "clean":
                return None
            text = rewritten.sql("duckdb", pretty=True)
            self._connection.execute(f"EXPLAIN {text}").fetchall()
        except (Unanalysable, duckdb.Error):
            return None
        return text

    def _mixes(self, tree: exp.Query) -> Finding:
        rewriter = Rewriter(self.catalog)
        made, relation = rewriter.root(tree)
        rests = [column for column in relation.columns.values() if column is not None and not column.plain]
        rests += [relation.mixed] if relation.mixed is not None else []
        rests = list(dict.fromkeys(rests))
        mixed, unsure, classes = self._count(made, rests, uses_requests=rewriter.uses_requests) if rests else (0, 0, 0)
        if mixed:
            return Finding("mixed", self._dimensions(classes), mixed)
        if unsure:
            return unknown("which rows count, or whose verdict is meant, is not determined by the query")
        if rewriter.may_have_missed:
            return unknown("rows are grouped or numbered after a filter on a score")
        if rests and not keeps_classes_apart(tree, self.catalog):
            return Finding("clean", note="of the runs that are here; the query itself does not keep classes apart")
        return Finding("clean")

    def _count(self, made: exp.Query, rests: list[Carried], *, uses_requests: bool) -> tuple[int, int, int]:
        """Return the rows that rest on a mix, those that may, and the classes of the mixes."""
        self._number_classes(uses_requests=uses_requests)
        told = []
        for word in ("mixed", "unsure"):
            found = union(Mask(call(f"{PREFIX}_{word}", column_of(column.name))) for column in rests)
            assert found is not None
            told.append(exp.alias_(found.sql, word))
        rows = exp.Select(expressions=told, from_=exp.From(this=exp.Subquery(this=made, alias=exp.to_identifier(PREFIX))))
        counting = f"WITH {PREFIX}_rows AS ({rows.sql('duckdb')}) {schema.query('count_mixed_rows')}"
        ((mixed, not_sure, classes),) = self._connection.execute(counting).fetchall()
        return mixed, not_sure, classes

    def _number_classes(self, *, uses_requests: bool) -> None:
        if self._classes_n is None:
            for name in ("number_classes", "number_class_ids", "define_mixed", "define_unsure"):
                self._connection.execute(schema.query(name))
            ((self._classes_n,),) = self._connection.execute("SELECT COUNT(*) FROM __wt_classes").fetchall()
        if self._classes_n > _MAX_CLASSES:
            raise Unanalysable(f"a ledger with more than {_MAX_CLASSES} classes")
        if uses_requests and not self._has_requests:
            self._connection.execute(schema.query("number_requests"))
            self._has_requests = True

    def _dimensions(self, classes: int) -> list[str]:
        """Return the policies that differ between the classes of a set."""
        cursor = self._connection.execute(schema.query("select_class_policies"))
        _, *names = [column[0] for column in cursor.description or ()]
        rows = [policies for mask, *policies in cursor.fetchall() if mask & classes]
        return [name for name, values in zip(names, zip(*rows, strict=True), strict=True) if len(set(values)) > 1]

    def function_kinds(self, name: str) -> set[str]:
        """Return what the engine knows by a function's name: scalar, aggregate, table, macro, table_macro."""
        rows = self._connection.execute(schema.query("select_function_kinds"), {"name": name}).fetchall()
        return {row[0] for row in rows}
