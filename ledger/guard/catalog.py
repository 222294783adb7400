"""What the shipped .sql files say of each relation: its columns, which of them are scores, what gives a row its class.

A column is a score if its value comes from what a judge said: see SCORE_COLUMNS. The files are read, never
`duckdb_views().sql`, whose normalised text sqlglot misreads. A new view needs no entry anywhere: it is a score view by
what it selects, and its class is its `class_id`, else its `run_id`, else what its own definition rests on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import sqlglot
from sqlglot import exp

from ledger import schema
from ledger.guard.masks import Known, Unanalysable
from ledger.guard.rewrite import Rewriter

SCORE_COLUMNS: Final = {
    "verdicts": frozenset({"total", "points_awarded"}),
    "judge_replies": frozenset({"text"}),  # a score can be read from the raw reply as well
    "attempts": frozenset({"body"}),
}
_KEYS: Final = ("class_id", "run_id", "request_key")
_NO_ROWS_OF_THE_LEDGER: Final = {"json_each", "json_tree", "repeat_row", "duckdb_settings", "duckdb_functions", "duckdb_types"}


class Catalog:
    """The ledger's own relations by name, each read when it is first asked for."""

    def __init__(self, function_kinds: Callable[[str], set[str]]) -> None:
        """`function_kinds` tells what the engine knows by a function's name: scalar, aggregate, table, macro, table_macro."""
        self._files = schema.object_files()
        self._function_kinds = function_kinds
        self._kinds: dict[str, set[str]] = {}
        self._known: dict[str, Known] = {}
        self._opaque: dict[str, str] = {}

    def known(self, name: str) -> Known:
        """Return what is known of a table or view. Raises Unanalysable for another name, and for a view that cannot be read."""
        if name in self._opaque:
            raise Unanalysable(self._opaque[name])
        if name not in self._known:
            try:
                self._known[name] = self._read(name)
            except (Unanalysable, sqlglot.errors.SqlglotError) as error:
                self._opaque[name] = f"{name} ({error})"
                raise Unanalysable(self._opaque[name]) from error
        return self._known[name]

    def is_aggregate(self, function: str) -> bool:
        """Tell an aggregate from a scalar function. Raises Unanalysable for a macro and for a name the engine doesn't know."""
        if function in self._files:
            return self._is_aggregating_macro(function)
        kinds = self._kinds_of(function)
        if not kinds or kinds & {"macro", "table_macro", "pragma"}:
            raise Unanalysable(f"{function}()")
        return "aggregate" in kinds

    def is_table_function(self, function: str) -> bool:
        """Tell whether a function in FROM makes rows of its arguments, and reads nothing of the ledger."""
        return function in _NO_ROWS_OF_THE_LEDGER

    def rests_on_scores(self, statement: exp.Expr) -> bool:
        """Tell whether a statement names anything that scores could come from, analysed or not."""
        if any(self._is_macro_with_a_query(function.name.lower()) for function in statement.find_all(exp.Anonymous)):
            return True
        ctes = {cte.alias.lower() for cte in statement.find_all(exp.CTE)}
        for table in statement.find_all(exp.Table):
            name = table.name.lower()
            if isinstance(table.this, exp.Anonymous):
                if not self.is_table_function(name) and not name.startswith(("duckdb_", "pragma_")):
                    return True
            elif name in self._files:
                try:
                    known = self.known(name)
                except Unanalysable:
                    return True
                if known.scores or known.selected:
                    return True
            elif not isinstance(table.this, exp.Func) and name not in ctes and not table.db:
                return True
        return False

    def _read(self, name: str) -> Known:
        if name not in self._files:
            raise Unanalysable(f"the relation {name}")
        create = sqlglot.parse_one(schema.creation(name), dialect="duckdb")
        kind = str(create.args.get("kind", "")).upper()
        if kind == "TABLE":
            columns = tuple(column.name.lower() for column in create.this.expressions if isinstance(column, exp.ColumnDef))
            return self._with_key(Known(columns, SCORE_COLUMNS.get(name, frozenset())))
        if kind != "VIEW" or not isinstance(create.expression, exp.Query):
            raise Unanalysable(f"the macro {name}")
        try:
            _, relation = Rewriter(self, lenient=True).root(create.expression)
        except Unanalysable:
            if "class_id" not in create.expression.named_selects:
                raise
            return self._with_class_of_its_own(create.expression)
        if relation.is_open:
            raise Unanalysable("its columns are not known")
        scores = frozenset(column for column, carried in relation.columns.items() if carried is not None)
        is_selected = relation.selected is not None or relation.mixed is not None
        return self._with_key(Known(tuple(relation.columns), scores, is_selected, None, create.expression))

    def _with_class_of_its_own(self, definition: exp.Query) -> Known:
        """Return a view that can't be followed but whose rows say their class: any other column may be a score."""
        columns = tuple(column.lower() for column in definition.named_selects)
        return self._with_key(Known(columns, frozenset(columns) - set(_KEYS), selected=True, key=None, definition=definition))

    def _with_key(self, known: Known) -> Known:
        plain = [key for key in _KEYS if key in known.columns and key not in known.scores]
        is_table = known.definition is None
        key = plain[0] if plain and (is_table or plain[0] != "request_key") else None
        return Known(known.columns, known.scores, known.selected, key, known.definition)

    def _is_aggregating_macro(self, name: str) -> bool:
        create = sqlglot.parse_one(schema.creation(name), dialect="duckdb")
        if isinstance(create.expression, exp.Query) or create.find(exp.Query, exp.Window):
            raise Unanalysable(f"the macro {name}")
        return create.find(exp.AggFunc) is not None

    def _is_macro_with_a_query(self, name: str) -> bool:
        if name not in self._files or self._files[name].parent.name != "macros":
            return False
        return sqlglot.parse_one(schema.creation(name), dialect="duckdb").find(exp.Query) is not None

    def _kinds_of(self, function: str) -> set[str]:
        if function not in self._kinds:
            self._kinds[function] = self._function_kinds(function)
        return self._kinds[function]
