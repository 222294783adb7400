"""What a value rests on: beside each expression of a query, one for the classes of the scores that it is made of.

None means no score. What is not understood raises Unanalysable, never counts as none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from sqlglot import exp

from ledger.guard.masks import (
    Carried,
    Mask,
    Relation,
    Scope,
    Unanalysable,
    Work,
    aggregated,
    call,
    column_of,
    present,
    union,
    where_true,
)

Query = Callable[[exp.Expr, Scope | None, dict[str, Relation]], tuple[exp.Query, Relation]]
"""Rewrites a query inside another: the query, the scope that it stands in, the CTEs that it sees."""
Pick = Callable[[Relation], Sequence[Carried | None]]
Match = Callable[[Relation, str], exp.Expr]

_ORDER_ONLY: Final = {
    "RowNumber", "Rank", "DenseRank", "PercentRank", "CumeDist", "Ntile", "Lag", "Lead", "FirstValue", "LastValue", "NthValue",
}  # fmt: skip
_OPAQUE: Final = (
    exp.Columns, exp.PositionalColumn, exp.Command, exp.DML, exp.DDL, exp.Lateral, exp.Pivot, exp.Placeholder, exp.Parameter,
    exp.Rand, exp.Uuid, exp.TableSample, exp.Comprehension,
)  # fmt: skip
_WRAPPERS: Final = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)


class Expressions:
    """Reads the expressions of one statement."""

    def __init__(self, work: Work, query: Query) -> None:
        self._work, self._query = work, query

    def mask(self, node: exp.Expr, scope: Scope, *, grouped: bool) -> Mask | None:
        """Return the classes whose scores a value rests on, as an expression beside it; None where it rests on none."""
        if isinstance(node, _OPAQUE):
            raise Unanalysable(type(node).__name__.upper())
        if isinstance(node, exp.Column | exp.Star):
            return self._column_mask(node, scope, grouped=grouped)
        if isinstance(node, exp.Window):
            return self._window_mask(node, scope, grouped=grouped)
        if isinstance(node, _WRAPPERS) or self._is_aggregate(node):
            return self._aggregate_mask(node, scope)
        if isinstance(node, exp.Case | exp.If):
            return self._choice_mask(node, scope, grouped=grouped)
        if isinstance(node, exp.In | exp.Exists | exp.Query) and (node.args.get("query") or not isinstance(node, exp.In)):
            return self._query_mask(node, scope, grouped=grouped)
        if self._work.is_lenient and isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
            return None
        return union(self.mask(part, scope, grouped=grouped) for part in node.iter_expressions())

    def _query_mask(self, node: exp.Expr, scope: Scope, *, grouped: bool) -> Mask | None:
        if isinstance(node, exp.In):
            return self._membership_mask(node, scope, grouped=grouped)
        if isinstance(node, exp.Exists):
            return self._subquery_mask(node.this, scope, lambda found: [found.selected, found.mixed])
        return self._subquery_mask(node, scope, Relation.carried)

    def _column_mask(self, node: exp.Expr, scope: Scope, *, grouped: bool) -> Mask | None:
        name, table = node.name.lower(), node.text("table").lower()
        if isinstance(node, exp.Star) or isinstance(node.this, exp.Star):
            mask = self._whole_rows(scope, table if table in scope.sources else None)
            return aggregated(mask) if grouped else mask
        found: Scope | None = scope
        while found is not None:
            hits = self._hits(found, table, name)
            if not hits and table and table not in found.sources:  # a field of a structure
                hits = self._hits(found, node.text("db").lower(), table)
            if not hits and not table and name in found.sources:
                hits = [self._whole_rows(found, name)]
            if hits:
                return aggregated(union(hits)) if grouped else union(hits)
            if not table and name in found.aliases and name not in found.resolving:
                found.resolving.add(name)
                try:
                    return self.mask(found.aliases[name], found, grouped=grouped)
                finally:
                    found.resolving.discard(name)
            found = found.parent
        raise Unanalysable(f"the name {node.name}")

    def _hits(self, scope: Scope, table: str, name: str) -> list[Mask | None]:
        hits: list[Mask | None] = []
        for alias, source in scope.sources.items():
            if table in {"", alias} and name in source.columns:
                hits.append(self.reference(source.columns[name], alias))
        if not hits:
            hits = [source.tint for alias, source in scope.sources.items() if table in {"", alias} and source.is_open]
        return hits

    def _whole_rows(self, scope: Scope, alias: str | None) -> Mask | None:
        chosen = {name: source for name, source in scope.sources.items() if alias in {None, name}}
        found = [self.reference(value, name) for name, source in chosen.items() for value in source.columns.values()]
        return union([*found, *(source.tint for source in chosen.values())])

    def reference(self, carried: Carried | None, alias: str) -> Mask | None:
        """Return a hidden column of a source as an expression: NULL, of an outer join, is no class."""
        if carried is None:
            return None
        column = column_of(carried.name, carried.table or alias)
        return Mask(call("COALESCE", column, exp.Literal.number(0)), carried.plain)

    def _aggregate_mask(self, node: exp.Expr, scope: Scope) -> Mask | None:
        conditions: list[exp.Expr] = []
        parts: list[Mask | None] = []
        function = node
        while isinstance(function, _WRAPPERS):
            extra = function.args.get("expression")
            if isinstance(function, exp.Filter) and extra is not None:
                probe = Scope(scope.parent, scope.ctes, scope.sources, aliases=scope.aliases)
                conditions += self.filtered(extra.this, probe, grouped=False)
                parts += probe.selected
            elif extra is not None:
                parts.append(self.mask(extra, scope, grouped=False))
            function = function.this
        if self._work.is_lenient and isinstance(function, exp.Count) and not isinstance(function.this, exp.Distinct):
            return None
        is_row_count = isinstance(function, exp.Count) and isinstance(function.this, exp.Star)
        arguments = [] if is_row_count else list(function.iter_expressions())
        found = union(self.mask(argument, scope, grouped=False) for argument in arguments)
        is_exact = not self._work.has_dropped  # else what is NULL here may have a value in the query
        if found is not None and is_exact and len(arguments) == 1 and _is_a_value(arguments[0]):  # an aggregate skips NULL
            conditions.append(exp.Not(this=exp.Is(this=exp.Paren(this=arguments[0].copy()), expression=exp.Null())))
        return aggregated(union([found, *parts, *scope.selected, *scope.keys]), conditions)

    def _window_mask(self, node: exp.Window, scope: Scope, *, grouped: bool) -> Mask | None:
        function, parts, conditions = node.this, [], []
        while isinstance(function, _WRAPPERS):
            if isinstance(function, exp.Filter):
                probe = Scope(scope.parent, scope.ctes, scope.sources, aliases=scope.aliases, keys=scope.keys)
                conditions += self.filtered(function.expression.this, probe, grouped=grouped)
                parts += probe.selected
            function = function.this
        if isinstance(function, exp.Anonymous):
            self._is_aggregate(function)  # refuses a macro
        for argument in function.iter_expressions():
            if not isinstance(argument, exp.Star):
                parts += present(self.mask(argument, scope, grouped=grouped))
        order = node.args.get("order")
        ordering = union(self.mask(key.this, scope, grouped=grouped) for key in order.expressions) if order is not None else None
        keys = node.args.get("partition_by") or []
        partition = union(self.mask(key, scope, grouped=grouped) for key in keys)
        self._work.has_score_keys = self._work.has_score_keys or partition is not None
        is_running = type(function).__name__ not in _ORDER_ONLY
        if is_running:
            parts += [aggregated(mask) or mask for mask in scope.selected] if grouped else scope.selected
        mask = union([*parts, ordering, partition])
        if mask is None:
            if scope.selected:  # numbers that depend on which rows a score left
                self._work.has_score_keys = True
            return None
        window = exp.Window(this=call("BIT_OR", where_true(mask, conditions)), partition_by=[key.copy() for key in keys])
        if is_running and ordering is None and order is not None:
            window.set("order", order.copy())
            window.set("spec", node.args["spec"].copy() if node.args.get("spec") else None)
        return Mask(call("COALESCE", window, exp.Literal.number(0)))

    def _choice_mask(self, node: exp.Expr, scope: Scope, *, grouped: bool) -> Mask | None:
        """Return the mask of the branch that is taken, with those of the conditions."""
        subject = node.this if isinstance(node, exp.Case) else None
        branches = node.args["ifs"] if isinstance(node, exp.Case) else [node]
        default = node.args.get("default") if isinstance(node, exp.Case) else node.args.get("false")
        deciding = [self.mask(subject, scope, grouped=grouped)] if subject is not None else []
        deciding += [self.mask(branch.this, scope, grouped=grouped) for branch in branches]
        values = [self.mask(branch.args["true"], scope, grouped=grouped) for branch in branches]
        otherwise = self.mask(default, scope, grouped=grouped) if default is not None else None
        if union([*values, otherwise]) is None or union(deciding) is not None:
            return union([*deciding, *values, otherwise])
        zero = exp.Literal.number(0)
        ifs = [
            exp.If(this=branch.this.copy(), true=value.sql.copy() if value else zero.copy())
            for branch, value in zip(branches, values, strict=True)
        ]
        made = exp.Case(
            this=subject.copy() if subject is not None else None, ifs=ifs, default=otherwise.sql.copy() if otherwise else zero
        )
        used = [value for value in [*values, otherwise] if value is not None]
        return Mask(exp.Paren(this=made), all(value.plain for value in used))

    def _subquery_mask(self, node: exp.Expr, scope: Scope, pick: Pick, where: Match | None = None) -> Mask | None:
        """Return the classes that a subquery's rows rest on, as a subquery beside it."""
        made, found = self._query(node.copy(), scope, scope.ctes)
        alias = self._work.name()
        mask = union(
            Mask(call("COALESCE", column_of(carried.name, alias), exp.Literal.number(0)))
            for carried in pick(found)
            if carried is not None
        )
        if mask is None:
            return None
        subquery = exp.Subquery(this=made, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
        select = exp.Select(expressions=[call("BIT_OR", mask.sql)], from_=exp.From(this=subquery))
        if where is not None and not (self._work.has_dropped and any(found.columns.values())):
            select.set("where", exp.Where(this=where(found, alias)))
        return Mask(call("COALESCE", exp.Subquery(this=select), exp.Literal.number(0)))

    def _membership_mask(self, node: exp.In, scope: Scope, *, grouped: bool) -> Mask | None:
        """Return the classes of `value IN (subquery)`: the value's own, and those of the rows that match it."""
        own = self.mask(node.this, scope, grouped=grouped)
        values = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]

        def matching(found: Relation, alias: str) -> exp.Expr:
            if found.is_open or len(found.columns) != len(values):
                raise Unanalysable("IN over columns that are not known")
            pairs = zip(values, found.columns, strict=True)
            return exp.and_(*(exp.EQ(this=value.copy(), expression=column_of(name, alias)) for value, name in pairs), copy=False)

        return union([own, self._subquery_mask(node.args["query"], scope, Relation.carried, matching)])

    def filtered(self, condition: exp.Expr, scope: Scope, *, grouped: bool) -> list[exp.Expr]:
        """Split a condition: return the parts that rest on no score, note the classes of those that do."""
        kept = []
        for part in conjuncts(condition):
            mask = self.mask(part, scope, grouped=grouped)
            if mask is not None:
                scope.selected.append(mask)
                scope.checks.append(mask)
                if self._work.has_dropped or not _is_null_test(part):
                    self._work.has_dropped = True
                    continue
            kept.append(part)
        return kept

    def is_grouped(self, node: exp.Select) -> bool:
        """Tell whether a SELECT aggregates."""
        if node.args.get("group") is not None:
            return True
        clauses = [*node.expressions, node.args.get("having"), node.args.get("qualify"), node.args.get("order")]
        return any(self.has_aggregate(clause) for clause in clauses if clause is not None)

    def has_aggregate(self, node: exp.Expr) -> bool:
        """Tell whether an expression holds an aggregate that is not a window's own function."""
        if isinstance(node, exp.Query):
            return False
        if isinstance(node, exp.Window):
            parts = [*_function(node).iter_expressions(), *(part for part in node.iter_expressions() if part is not node.this)]
            return any(self.has_aggregate(part) for part in parts)
        return self._is_aggregate(node) or any(self.has_aggregate(part) for part in node.iter_expressions())

    def _is_aggregate(self, node: exp.Expr) -> bool:
        if isinstance(node, exp.Anonymous):
            return self._work.knowledge.is_aggregate(node.name.lower())
        return isinstance(node, exp.AggFunc)

    def output(self, key: exp.Expr, scope: Scope) -> exp.Expr:
        """Return what an ordinal or an output's name in GROUP BY or ORDER BY stands for."""
        if isinstance(key, exp.Literal) and not key.is_string:
            values = list(scope.aliases.values())
            position = int(key.name) - 1 if key.name.isdigit() else -1
            if not 0 <= position < len(values):
                raise Unanalysable("an ordinal over columns that are not known")
            return values[position]
        if isinstance(key, exp.Column) and not key.table and key.name.lower() in scope.aliases:
            return scope.aliases[key.name.lower()]
        return key


def conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    """Return the parts of a condition that must all hold."""
    if isinstance(condition, exp.And):
        yield from conjuncts(condition.left)
        yield from conjuncts(condition.right)
    elif isinstance(condition, exp.Paren):
        yield from conjuncts(condition.this)
    else:
        yield condition


def _is_null_test(part: exp.Expr) -> bool:
    inner = part.this if isinstance(part, exp.Not) else part
    return isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null) and isinstance(inner.this, exp.Column)


def _is_a_value(argument: exp.Expr) -> bool:
    is_star = isinstance(argument, exp.Star) or isinstance(argument.this, exp.Star)
    return not is_star and not isinstance(argument, exp.Distinct | exp.Order)


def _function(window: exp.Window) -> exp.Expr:
    found: exp.Expr = window.this
    while isinstance(found, _WRAPPERS):
        found = found.this
    return found
