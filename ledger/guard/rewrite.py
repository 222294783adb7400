"""Threads classes through a query: every column made of scores gets a hidden column with the set of classes it rests on.

A set of classes is an integer, one bit a class, so a union is `|` and BIT_OR. The rewritten query keeps the user's own
expressions and gains hidden columns; a value rests on a mix where its set has two classes. What decides *which* scores
count is itself a use of scores: filters on a score are taken out, so that every row that was considered is seen,
and their classes are carried as the row's selection. Whatever is not understood raises Unanalysable: an analysis that
guesses would call a mix clean. Nothing here opens a database.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from ledger.guard.expressions import Expressions
from ledger.guard.masks import (
    Carried,
    Knowledge,
    Mask,
    Relation,
    Scope,
    Unanalysable,
    Work,
    aggregated,
    call,
    column_of,
    only_mixed,
    present,
    superset,
    union,
)
from ledger.guard.sources import Sources, no_query_inside, renamed

_CLAUSES: Final = {
    "with_", "expressions", "from_", "joins", "where", "group", "having", "qualify", "windows", "distinct", "order", "limit",
    "offset",
}  # fmt: skip


class Rewriter:
    """Rewrites one statement. `lenient` is for the ledger's own views: there COUNT and IS NULL tell of work, not of scores."""

    def __init__(self, knowledge: Knowledge, *, lenient: bool = False) -> None:
        self._work = Work(knowledge, lenient)
        self._read = Expressions(self._work, self._query)
        self._sources = Sources(self._work, self._read, self._query)

    @property
    def uses_requests(self) -> bool:
        """Whether the rewritten statement asks for the classes of judge requests."""
        return self._work.uses_requests

    @property
    def may_have_missed(self) -> bool:
        """Groups formed by a score while rows were added: such groups may differ from the query's own."""
        return self._work.has_dropped and self._work.has_score_keys

    def root(self, statement: exp.Query) -> tuple[exp.Query, Relation]:
        """Return the statement with its hidden columns, and what it hands on. Raises Unanalysable."""
        return self._query(statement.copy(), None, {}, is_root=True)

    def _query(
        self, node: exp.Expr, parent: Scope | None, ctes: dict[str, Relation], *, is_root: bool = False
    ) -> tuple[exp.Query, Relation]:
        while isinstance(node, exp.Subquery):
            if any(value for clause, value in node.args.items() if clause not in {"this", "alias"}):
                return self._bracketed(node, parent, ctes, is_root=is_root)
            node = node.this
        with_ = node.args.get("with_")
        if with_ is not None:
            if with_.args.get("recursive") and any(_refers_to_itself(cte) for cte in with_.expressions):
                raise Unanalysable("a recursive CTE")
            node.set("with_", None)
            ctes = dict(ctes)
            for cte in with_.expressions:
                made, relation = self._query(cte.this, parent, ctes)
                cte.set("this", made)
                ctes[cte.alias.lower()] = renamed(relation, cte.args.get("alias"))
        if isinstance(node, exp.SetOperation):
            made, relation = self._set_operation(node, parent, ctes, is_root=is_root)
        elif isinstance(node, exp.Select):
            made, relation = self._select(node, parent, ctes, is_root=is_root)
        elif isinstance(node, exp.Values):
            no_query_inside(node)
            made, relation = exp.select("*").from_(exp.Subquery(this=node)), Relation({}, is_open=True)
        else:
            raise Unanalysable(type(node).__name__.upper())
        if with_ is not None:
            made.set("with_", with_)
        return made, relation

    def _bracketed(
        self, node: exp.Subquery, parent: Scope | None, ctes: dict[str, Relation], *, is_root: bool
    ) -> tuple[exp.Query, Relation]:
        """Rewrite `(query) ORDER BY … LIMIT …`."""
        clauses = {clause: _taken(node, clause) for clause in ("order", "limit", "offset")}
        if any(value for clause, value in node.args.items() if clause not in {"this", "alias"}):
            raise Unanalysable("a query in brackets")
        made, relation = self._query(node.this, parent, ctes)
        order = _by_output(clauses.pop("order"), None, relation)
        return self._plain(self._over(made, relation, order=order, **clauses), parent, ctes, is_root=is_root)

    def _select(
        self, node: exp.Select, parent: Scope | None, ctes: dict[str, Relation], *, is_root: bool
    ) -> tuple[exp.Query, Relation]:
        distinct = node.args.get("distinct")
        if distinct is None or distinct.args.get("on") is not None:
            return self._plain(node, parent, ctes, is_root=is_root)
        order, limit, offset = (_taken(node, clause) for clause in ("order", "limit", "offset"))
        node.set("distinct", None)
        made, relation = self._plain(node, parent, ctes, is_root=False)
        if not relation.touched():
            made.set("distinct", distinct)
            for clause, value in (("order", order), ("limit", limit), ("offset", offset)):
                made.set(clause, value)
            self._arbitrary_limit(made, is_root=is_root)
            return made, relation
        over = self._over(made, relation, order=_by_output(order, node, relation), limit=limit, offset=offset)
        over.set("group", exp.Group(all=True))
        return self._plain(over, parent, ctes, is_root=is_root)

    def _set_operation(
        self, node: exp.SetOperation, parent: Scope | None, ctes: dict[str, Relation], *, is_root: bool
    ) -> tuple[exp.Query, Relation]:
        order, limit, offset = (_taken(node, clause) for clause in ("order", "limit", "offset"))
        sides = [self._query(side, parent, ctes) for side in (node.this, node.expression)]
        (_, left), (_, right) = sides
        if not left.touched() and not right.touched():
            for (made, _), place in zip(sides, ("this", "expression"), strict=True):
                node.set(place, made)
            for clause, value in (("order", order), ("limit", limit), ("offset", offset)):
                node.set(clause, value)
            self._arbitrary_limit(node, is_root=is_root)
            return node, Relation(left.columns, is_open=left.is_open or right.is_open)
        if not isinstance(node, exp.Union) or node.args.get("by_name"):
            raise Unanalysable(f"{type(node).__name__.upper()} over scores")
        if left.is_open or right.is_open or len(left.columns) != len(right.columns):
            raise Unanalysable("a UNION whose columns are not known")
        names = list(left.columns)
        pairs: list[tuple[Carried | None, Carried | None]] = list(zip(left.columns.values(), right.columns.values(), strict=True))
        pairs += [(left.selected, right.selected), (left.mixed, right.mixed)]
        needed = list(dict.fromkeys(pair for pair in pairs if pair != (None, None)))
        shared = {pair: Carried(self._work.name(), all(side is None or side.plain for side in pair)) for pair in needed}
        arms = []
        for index, (made, relation) in enumerate(sides):
            arm = self._over(made, relation)
            arm.set(
                "expressions",
                [exp.alias_(column_of(own), name, quoted=True) for own, name in zip(relation.columns, names, strict=True)],
            )
            for pair in needed:
                side = pair[index]
                value = exp.cast(exp.Literal.number(0), "hugeint") if side is None else column_of(side.name)
                arm.append("expressions", exp.alias_(value, shared[pair].name, quoted=True))
            arms.append(arm)
        union = exp.union(arms[0], arms[1], distinct=False, copy=False)
        *columns, selected, mixed = [shared.get(pair) for pair in pairs]
        relation = Relation(dict(zip(names, columns, strict=True)), selected, mixed)
        if not node.args.get("distinct") and order is None and limit is None and offset is None:
            return union, relation
        over = self._over(union, relation, order=_by_output(order, None, relation), limit=limit, offset=offset)
        if node.args.get("distinct"):
            over.set("group", exp.Group(all=True))
        return self._plain(over, parent, ctes, is_root=is_root)

    def _over(self, made: exp.Query, relation: Relation, **clauses: exp.Expr | None) -> exp.Select:
        """Return `SELECT <the visible columns> FROM (made)`, whose source is already rewritten."""
        if relation.is_open:
            raise Unanalysable("DISTINCT or UNION over columns that are not known")
        subquery = exp.Subquery(this=made, alias=exp.TableAlias(this=exp.to_identifier(self._work.name(), quoted=True)))
        self._sources.ready[id(subquery)] = relation
        columns = [column_of(name) for name in relation.columns]
        return exp.Select(
            expressions=columns, from_=exp.From(this=subquery), **{k: v for k, v in clauses.items() if v is not None}
        )

    def _plain(
        self, node: exp.Select, parent: Scope | None, ctes: dict[str, Relation], *, is_root: bool
    ) -> tuple[exp.Select, Relation]:
        """Rewrite a SELECT without DISTINCT (but for DISTINCT ON)."""
        for clause, value in node.args.items():
            if value and clause not in _CLAUSES and clause not in {"kind", "hint", "operation_modifiers"}:
                raise Unanalysable(clause.strip("_").upper())
        scope = Scope(parent, ctes)
        self._sources.read(node, scope)
        _inline_windows(node)
        projections = self._projections(node, scope)
        scope.aliases = {name: value for name, value in projections.items() if not isinstance(value, exp.Star)}
        grouped = self._read.is_grouped(node)
        if where := node.args.get("where"):
            node.set("where", _where(self._read.filtered(where.this, scope, grouped=False)))
        for alias, relation in scope.sources.items():
            scope.selected += present(self._read.reference(relation.selected, alias))
            scope.checks += present(self._read.reference(relation.mixed, alias))
        if grouped:
            self._group_keys(node, scope)
        selected, checks = union(scope.selected), union(map(only_mixed, scope.checks))
        if grouped:
            selected, checks = aggregated(union([selected, *scope.keys])), aggregated(checks)
        late = Scope(parent, ctes, scope.sources, scope.hidden_sources, scope.using, scope.aliases, keys=scope.keys)
        late.selected = scope.selected  # aggregates below still ask which scores chose their rows
        later: list[Mask] = []
        for clause, kind in (("having", exp.Having), ("qualify", exp.Qualify)):
            if found := node.args.get(clause):
                later += self._late_filter(node, clause, kind, found, late, grouped=grouped)
        order = self._ordering(node, late, grouped=grouped, is_root=is_root)
        masks = {name: self._read.mask(value, late, grouped=grouped) for name, value in projections.items()}
        selected = union([selected, *later])
        mixed = union([checks, *(only_mixed(mask) for mask in later), only_mixed(order)])
        return node, self._export(node, scope, masks, selected, mixed, order, is_root=is_root)

    def _late_filter(
        self, node: exp.Select, clause: str, kind: type[exp.Expr], found: exp.Expr, scope: Scope, *, grouped: bool
    ) -> list[Mask]:
        probe = Scope(
            scope.parent, scope.ctes, scope.sources, aliases=scope.aliases, keys=scope.keys, selected=list(scope.selected)
        )
        before = len(probe.selected)
        kept = self._read.filtered(found.this, probe, grouped=grouped)
        node.set(clause, kind(this=exp.and_(*kept, copy=False)) if kept else None)
        return probe.selected[before:]

    def _export(
        self,
        node: exp.Select,
        scope: Scope,
        masks: dict[str, Mask | None],
        selected: Mask | None,
        mixed: Mask | None,
        order: Mask | None,
        *,
        is_root: bool,
    ) -> Relation:
        touched = any(masks.values()) or selected is not None or mixed is not None or order is not None
        distinct, is_limited = node.args.get("distinct"), bool(node.args.get("limit") or node.args.get("offset"))
        if is_limited and not touched:
            self._arbitrary_limit(node, is_root=is_root)
        elif is_limited or (distinct is not None and touched):  # LIMIT and DISTINCT ON: which rows they leave may vary
            for clause in ("limit", "offset", "distinct"):
                node.set(clause, None)
            if not is_root or distinct is not None:
                self._work.has_dropped = True
                selected = superset(union([*masks.values(), selected, order]))
                masks = {name: superset(mask) for name, mask in masks.items()}
        named: list[tuple[Mask, Carried]] = []

        def carried(mask: Mask | None) -> Carried | None:
            if mask is None:
                return None
            for other, column in named:
                if other.sql == mask.sql:
                    return column
            column = Carried(self._work.name(), mask.plain)
            named.append((mask, column))
            node.append("expressions", exp.alias_(mask.sql.copy(), column.name, quoted=True))
            return column

        is_open = any(isinstance(value, exp.Star) for value in node.expressions) or any(
            isinstance(value, exp.Column) and isinstance(value.this, exp.Star) for value in node.expressions
        )
        columns = {name: carried(mask) for name, mask in masks.items()}
        shares = self._work.is_lenient and any(source.shares_verdicts for source in scope.sources.values())
        return Relation(columns, carried(selected), carried(mixed), is_open=is_open, shares_verdicts=shares)

    def _arbitrary_limit(self, node: exp.Query, *, is_root: bool) -> None:
        if not is_root and (node.args.get("limit") or node.args.get("offset")) and not node.args.get("order"):
            raise Unanalysable("a LIMIT without ORDER BY inside the query")

    def _projections(self, node: exp.Select, scope: Scope) -> dict[str, exp.Expr]:
        """Expand stars where a source rests on scores; return each visible column's expression by its name."""
        found: dict[str, exp.Expr] = {}
        expanded: list[exp.Expr] = []
        for value in node.expressions:
            star = value.this if isinstance(value, exp.Column) else value
            if isinstance(star, exp.Star):
                table = value.table.lower() if isinstance(value, exp.Column) else ""
                expanded += self._expanded(value, star, table, scope)
            else:
                expanded.append(value)
        for index, value in enumerate(expanded):
            if isinstance(value, exp.Star) or (isinstance(value, exp.Column) and isinstance(value.this, exp.Star)):
                for source in scope.sources.values():
                    found.update({name: exp.Null() for name in source.columns if name not in found})
                continue
            name = value.alias_or_name.lower() if isinstance(value, exp.Alias | exp.Column | exp.Dot) else ""
            if not name:
                name = self._work.name()
                value = expanded[index] = exp.alias_(value, name, quoted=True)  # noqa: PLW2901 - the column gets its name
            while name in found:
                name += "_1"
                value = expanded[index] = exp.alias_(value.unalias(), name, quoted=True)  # noqa: PLW2901 - as DuckDB does
            found[name] = value.unalias()
        node.set("expressions", expanded)
        return found

    def _expanded(self, value: exp.Expr, star: exp.Star, table: str, scope: Scope) -> list[exp.Expr]:
        chosen = {alias: source for alias, source in scope.sources.items() if alias not in scope.hidden_sources}
        if table:
            if table not in chosen:
                raise Unanalysable("a star over something that is not a source")
            chosen = {table: chosen[table]}
        if not any(source.touched() for source in scope.sources.values()):
            return [value]
        if any(source.is_open and (source.tint is not None or source.columns) for source in chosen.values()):
            raise Unanalysable("a star over columns that are not known")
        made: list[exp.Expr] = []
        merged: set[str] = set()
        for alias, source in chosen.items():
            if source.is_open:
                made.append(exp.Column(this=exp.Star(), table=exp.to_identifier(alias, quoted=True)))
            for name in source.columns:
                is_merged = not table and name in scope.using
                if name not in merged:
                    made += _starred(star, name, column_of(name) if is_merged else column_of(name, alias))
                merged |= {name} if is_merged else set()
        return made

    def _group_keys(self, node: exp.Select, scope: Scope) -> None:
        group = node.args.get("group")
        if group is None:
            return
        keys = list(_flattened(group))
        if group.args.get("all"):
            keys = [
                value
                for value in scope.aliases.values()
                if not self._read.has_aggregate(value) and not isinstance(value, exp.Literal)
            ]
            node.set("group", exp.Group(expressions=[key.copy() for key in keys]))
        for key in keys:
            meanings = [key, self._read.output(key, scope)] if isinstance(key, exp.Column) else [self._read.output(key, scope)]
            mask = union(self._read.mask(meaning, scope, grouped=False) for meaning in meanings)
            if mask is not None:
                scope.keys.append(mask)
                self._work.has_score_keys = True

    def _ordering(self, node: exp.Select, scope: Scope, *, grouped: bool, is_root: bool) -> Mask | None:
        """Rows ordered by a score are ranked: return the classes ranked against each other, within equal leading keys."""
        order, distinct = node.args.get("order"), node.args.get("distinct")
        leading = list(distinct.args["on"].expressions) if distinct is not None else []
        leading = [self._read.output(key, scope).copy() for key in leading]
        keys = [ordered.this for ordered in order.expressions] if order is not None else []
        if [key for key in keys if isinstance(key, exp.Var) and key.name.upper() == "ALL"]:
            keys = list(scope.aliases.values())
        for key in keys:
            value = self._read.output(key, scope)
            mask = self._read.mask(value, scope, grouped=grouped)
            if mask is None:
                leading.append(value.copy())
                continue
            if distinct is None:
                node.set("order", None)
            ranked: exp.Expr = exp.Window(this=call("BIT_OR", mask.sql.copy()), partition_by=leading)
            if is_root:  # one ordering is one group, however many rows it has
                first = exp.EQ(
                    this=exp.Window(this=exp.RowNumber(), partition_by=[k.copy() for k in leading]),
                    expression=exp.Literal.number(1),
                )
                ranked = exp.Case(ifs=[exp.If(this=first, true=ranked)], default=exp.Literal.number(0))
            return Mask(call("COALESCE", ranked, exp.Literal.number(0)))
        return None


def _where(kept: list[exp.Expr]) -> exp.Where | None:
    return exp.Where(this=exp.and_(*kept, copy=False)) if kept else None


def _flattened(group: exp.Expr) -> Iterator[exp.Expr]:
    for part in group.iter_expressions():
        if isinstance(part, exp.Rollup | exp.Cube | exp.GroupingSets | exp.Tuple | exp.Paren):
            yield from _flattened(part)
        else:
            yield part


def _inline_windows(node: exp.Select) -> None:
    named = {window.name.lower(): window for window in node.args.get("windows") or []}
    if not named:
        return
    for window in list(node.find_all(exp.Window)):
        alias = window.args.get("alias")
        if alias is None:
            continue
        base = named.get(alias.name.lower())
        if base is None or base.args.get("alias") is not None:
            raise Unanalysable("a named window")
        for part in ("partition_by", "order", "spec"):
            value = base.args.get(part)
            if value and not window.args.get(part):
                window.set(part, [item.copy() for item in value] if isinstance(value, list) else value.copy())
        window.set("alias", None)
    node.set("windows", None)


def _starred(star: exp.Star, name: str, column: exp.Column) -> list[exp.Expr]:
    """Return what a star makes of one column: nothing, another expression, another name or itself."""
    if any(item.name.lower() == name for item in star.args.get("except_") or []):
        return []
    for item in star.args.get("replace") or []:
        if item.alias.lower() == name:
            return [item.copy()]
    for item in star.args.get("rename") or []:
        if item.this.name.lower() == name:
            return [exp.alias_(column, item.alias, quoted=True)]
    return [column]


def _taken(node: exp.Expr, clause: str) -> exp.Expr | None:
    value: exp.Expr | None = node.args.get(clause)
    node.set(clause, None)
    return value


def _by_output(order: exp.Expr | None, select: exp.Select | None, relation: Relation) -> exp.Expr | None:
    """Return an ORDER BY as one over the output columns alone."""
    if order is None:
        return None
    names = list(relation.columns)
    outputs = [value.unalias() for value in select.expressions[: len(names)]] if select is not None else []
    for ordered in order.expressions:
        key = ordered.this
        if isinstance(key, exp.Literal) or (isinstance(key, exp.Var) and key.name.upper() == "ALL"):
            continue
        if isinstance(key, exp.Column) and key.name.lower() in names:
            ordered.set("this", column_of(key.name.lower()))
        elif key in outputs:
            ordered.set("this", column_of(names[outputs.index(key)]))
        else:
            raise Unanalysable("an ORDER BY over something that is not in the result")
    return order


def _refers_to_itself(cte: exp.Expr) -> bool:
    return any(table.name.lower() == cte.alias.lower() for table in cte.this.find_all(exp.Table))
