"""Threads classes through a query: every column made of scores gets a hidden column with the set of classes it rests on.

A set of classes is an integer, one bit a class, so a union is `|` and BIT_OR. The rewritten query keeps the user's own
expressions and gains hidden columns; a value rests on a mix where its set has two classes. What decides *which* scores
count is itself a use of scores: filters on a score are taken out, so that every row that was considered is seen,
and their classes are carried as the row's selection. Whatever is not understood raises Unanalysable: an analysis that
guesses would call a mix clean. Nothing here opens a database.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from sqlglot import exp

PREFIX: Final = "__wt"
UNSURE_BIT: Final = 1
"""Set where a row's class is not known: a verdict that runs of several classes share."""
SUPERSET_BIT: Final = 2
"""Set where more rows were looked at than the query uses: a LIMIT below the top was taken out."""

_ORDER_ONLY: Final = {
    "RowNumber", "Rank", "DenseRank", "PercentRank", "CumeDist", "Ntile", "Lag", "Lead", "FirstValue", "LastValue", "NthValue",
}  # fmt: skip
_CLAUSES: Final = {
    "with_", "expressions", "from_", "joins", "where", "group", "having", "qualify", "windows", "distinct", "order", "limit",
    "offset",
}  # fmt: skip
_OPAQUE: Final = (
    exp.Columns, exp.PositionalColumn, exp.Command, exp.DML, exp.DDL, exp.Lateral, exp.Pivot, exp.Placeholder, exp.Parameter,
    exp.Rand, exp.Uuid, exp.TableSample, exp.Comprehension,
)  # fmt: skip
_WRAPPERS: Final = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)


class Unanalysable(Exception):
    """A construct that the analysis does not follow, named in words."""


@dataclass(frozen=True)
class Known:
    """What is known of a table or view of the ledger. `key` is the column that gives a row's class, None: ask its definition."""

    columns: tuple[str, ...]
    scores: frozenset[str] = frozenset()
    selected: bool = False
    key: str | None = None
    definition: exp.Query | None = None


class Knowledge(Protocol):
    """What the rewriter asks of the ledger's own SQL and of the engine."""

    def known(self, name: str) -> Known:
        """Return what is known of a relation. Raises Unanalysable."""

    def is_aggregate(self, function: str) -> bool:
        """Tell an aggregate function from a scalar one. Raises Unanalysable for a macro or a name that is neither."""

    def is_table_function(self, function: str) -> bool:
        """Tell whether a function in FROM returns rows that are made of its arguments alone."""


@dataclass(frozen=True)
class Mask:
    """An expression for a set of classes. `plain`: one row's own class, nothing combined yet."""

    sql: exp.Expr
    plain: bool = False


@dataclass(frozen=True)
class Carried:
    """A hidden column that holds a Mask; `table` where it is another source's than the column's own."""

    name: str
    plain: bool
    table: str | None = None


@dataclass
class Relation:
    """What a query hands on: its visible columns in order, each with what it rests on; None: no score."""

    columns: dict[str, Carried | None]
    selected: Carried | None = None
    """Classes whose scores decided that the row is there."""
    mixed: Carried | None = None
    """Classes of a mix that the row rests on, other than by a column."""
    is_open: bool = False
    """There may be more columns; they rest on `tint`."""
    tint: Mask | None = None
    shares_verdicts: bool = False

    def carried(self) -> list[Carried]:
        """Return every hidden column, each once."""
        found = [*self.columns.values(), self.selected, self.mixed]
        return list(dict.fromkeys(carried for carried in found if carried is not None))

    def touched(self) -> bool:
        """Tell whether any of it rests on scores."""
        return bool(self.carried()) or self.tint is not None


@dataclass
class _Scope:
    """One SELECT: its sources, the names it may use, and the scores that decided its rows."""

    parent: _Scope | None
    ctes: dict[str, Relation]
    sources: dict[str, Relation] = field(default_factory=dict)
    hidden_sources: set[str] = field(default_factory=set)
    using: set[str] = field(default_factory=set)
    aliases: dict[str, exp.Expr] = field(default_factory=dict)
    resolving: set[str] = field(default_factory=set)
    selected: list[Mask] = field(default_factory=list)
    checks: list[Mask] = field(default_factory=list)
    keys: list[Mask] = field(default_factory=list)

    def touched(self) -> bool:
        return any(source.touched() for source in self.sources.values())


class Rewriter:
    """Rewrites one statement. `lenient` is for the ledger's own views: there COUNT and IS NULL tell of work, not of scores."""

    def __init__(self, knowledge: Knowledge, *, lenient: bool = False) -> None:
        self._knowledge, self._lenient = knowledge, lenient
        self._ready: dict[int, Relation] = {}
        self._number = 0
        self._dropped = self._score_keys = False
        self.uses_requests = False

    @property
    def may_have_missed(self) -> bool:
        """Groups formed by a score while rows were added: such groups may differ from the query's own."""
        return self._dropped and self._score_keys

    def root(self, statement: exp.Query) -> tuple[exp.Query, Relation]:
        """Return the statement with its hidden columns, and what it hands on. Raises Unanalysable."""
        return self._query(statement.copy(), None, {}, is_root=True)

    # Queries

    def _query(
        self, node: exp.Expr, parent: _Scope | None, ctes: dict[str, Relation], *, is_root: bool = False
    ) -> tuple[exp.Query, Relation]:
        for _ in range(20):
            if not (isinstance(node, exp.Subquery) and node.is_wrapper):
                break
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
                ctes[cte.alias.lower()] = _renamed(relation, cte.args.get("alias"))
        if isinstance(node, exp.SetOperation):
            made, relation = self._set_operation(node, parent, ctes, is_root=is_root)
        elif isinstance(node, exp.Select):
            made, relation = self._select(node, parent, ctes, is_root=is_root)
        elif isinstance(node, exp.Values):
            made, relation = node, Relation({}, is_open=True)
        else:
            raise Unanalysable(type(node).__name__.upper())
        if with_ is not None:
            made.set("with_", with_)
        return made, relation

    def _select(
        self, node: exp.Select, parent: _Scope | None, ctes: dict[str, Relation], *, is_root: bool
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
        self, node: exp.SetOperation, parent: _Scope | None, ctes: dict[str, Relation], *, is_root: bool
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
        shared = {
            pair: Carried(self._name(), all(side is None or side.plain for side in pair)) for pair in needed
        }
        arms = []
        for index, (made, relation) in enumerate(sides):
            arm = self._over(made, relation)
            arm.set("expressions", [exp.alias_(_column(own), name, quoted=True) for own, name in zip(relation.columns, names, strict=True)])
            for pair in needed:
                side = pair[index]
                value = exp.cast(exp.Literal.number(0), "hugeint") if side is None else _column(side.name)
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
        subquery = exp.Subquery(this=made, alias=exp.TableAlias(this=exp.to_identifier(self._name(), quoted=True)))
        self._ready[id(subquery)] = relation
        columns = [_column(name) for name in relation.columns]
        return exp.Select(expressions=columns, from_=exp.From(this=subquery), **{k: v for k, v in clauses.items() if v is not None})

    def _plain(
        self, node: exp.Select, parent: _Scope | None, ctes: dict[str, Relation], *, is_root: bool
    ) -> tuple[exp.Select, Relation]:
        """Rewrite a SELECT without DISTINCT (but for DISTINCT ON)."""
        for clause, value in node.args.items():
            if value and clause not in _CLAUSES and clause not in {"kind", "hint", "operation_modifiers"}:
                raise Unanalysable(clause.strip("_").upper())
        scope = _Scope(parent, ctes)
        self._sources(node, scope)
        _inline_windows(node)
        projections = self._projections(node, scope)
        scope.aliases = {name: value for name, value in projections.items() if not isinstance(value, exp.Star)}
        grouped = self._is_grouped(node)
        if where := node.args.get("where"):
            node.set("where", _where(self._filter(where.this, scope, grouped=False)))
        for relation in scope.sources.values():
            scope.selected += _masks(self._reference(relation.selected, scope))
            scope.checks += _masks(self._reference(relation.mixed, scope))
        if grouped:
            self._group_keys(node, scope)
        selected, checks = _union(scope.selected), _union(map(_only_mixed, scope.checks))
        if grouped:
            selected, checks = _aggregated(_union([selected, *scope.keys])), _aggregated(checks)
        late = _Scope(parent, ctes, scope.sources, scope.hidden_sources, scope.using, scope.aliases, keys=scope.keys)
        late.selected = scope.selected  # aggregates below still ask which scores chose their rows
        later: list[Mask] = []
        for clause, kind in (("having", exp.Having), ("qualify", exp.Qualify)):
            if found := node.args.get(clause):
                later += self._late_filter(node, clause, kind, found, late, grouped=grouped)
        order = self._ordering(node, late, grouped=grouped, is_root=is_root)
        masks = {name: self._mask(value, late, grouped=grouped) for name, value in projections.items()}
        selected = _union([selected, *later])
        mixed = _union([checks, *(_only_mixed(mask) for mask in later), _only_mixed(order)])
        return node, self._export(node, scope, masks, selected, mixed, is_root=is_root)

    def _late_filter(
        self, node: exp.Select, clause: str, kind: type[exp.Expr], found: exp.Expr, scope: _Scope, *, grouped: bool
    ) -> list[Mask]:
        probe = _Scope(scope.parent, scope.ctes, scope.sources, aliases=scope.aliases, keys=scope.keys, selected=list(scope.selected))
        before = len(probe.selected)
        kept = self._filter(found.this, probe, grouped=grouped)
        node.set(clause, kind(this=exp.and_(*kept, copy=False)) if kept else None)
        return probe.selected[before:]

    def _export(
        self, node: exp.Select, scope: _Scope, masks: dict[str, Mask | None], selected: Mask | None, mixed: Mask | None, *, is_root: bool
    ) -> Relation:
        touched = any(masks.values()) or selected is not None or mixed is not None
        if node.args.get("limit") is not None or node.args.get("offset") is not None:
            if is_root or touched:
                node.set("limit", None)
                node.set("offset", None)
                self._dropped = self._dropped or not is_root
                if not is_root:
                    masks = {name: _superset(mask) for name, mask in masks.items()}
                    selected = _superset(selected)
            else:
                self._arbitrary_limit(node, is_root=is_root)
        distinct = node.args.get("distinct")
        if distinct is not None and touched:  # DISTINCT ON: any row of each group may be the one
            node.set("distinct", None)
            masks = {name: _superset(mask) for name, mask in masks.items()}
        named: list[tuple[Mask, Carried]] = []

        def carried(mask: Mask | None) -> Carried | None:
            if mask is None:
                return None
            for other, column in named:
                if other.sql == mask.sql:
                    return column
            column = Carried(self._name(), mask.plain)
            named.append((mask, column))
            node.append("expressions", exp.alias_(mask.sql.copy(), column.name, quoted=True))
            return column

        is_open = any(isinstance(value, exp.Star) for value in node.expressions) or any(
            isinstance(value, exp.Column) and isinstance(value.this, exp.Star) for value in node.expressions
        )
        columns = {name: carried(mask) for name, mask in masks.items()}
        shares = self._lenient and any(source.shares_verdicts for source in scope.sources.values())
        return Relation(columns, carried(selected), carried(mixed), is_open=is_open, shares_verdicts=shares)

    def _arbitrary_limit(self, node: exp.Query, *, is_root: bool) -> None:
        if not is_root and (node.args.get("limit") or node.args.get("offset")) and not node.args.get("order"):
            raise Unanalysable("a LIMIT without ORDER BY inside the query")

    # Sources

    def _sources(self, node: exp.Select, scope: _Scope) -> None:
        from_ = node.args.get("from_")
        if from_ is None:
            return
        joins = node.args.get("joins") or []
        self._source(from_.this, scope)
        for join in joins:
            alias = self._source(join.this, scope)
            if join.args.get("pivots"):
                raise Unanalysable("PIVOT")
            if join.method in {"NATURAL", "POSITIONAL"} and scope.touched():
                raise Unanalysable(f"a {join.method} join")
            if join.kind in {"SEMI", "ANTI"}:
                scope.hidden_sources.add(alias)
        self._resolve_shared_verdicts(node, scope)
        for join in joins:
            using = {name.name.lower() for name in join.args.get("using") or []}
            if any(source.columns.get(name) for source in scope.sources.values() for name in using):
                raise Unanalysable("a join USING a score")
            scope.using |= using
            if (on := join.args.get("on")) is not None:
                before = len(scope.selected)
                kept = self._filter(on, scope, grouped=False)
                is_changed = len(scope.selected) > before
                if is_changed and (join.kind in {"SEMI", "ANTI"} or join.method == "ASOF"):
                    raise Unanalysable(f"a {join.kind or join.method} join on a score")
                join.set("on", exp.and_(*kept, copy=False) if kept else exp.true())
            alias = join.this.alias_or_name.lower()
            if join.kind in {"SEMI", "ANTI"} and (source := scope.sources[alias]).touched():
                if source.selected is not None or source.mixed is not None:
                    raise Unanalysable(f"a {join.kind} join with rows chosen by a score")
                scope.sources[alias] = Relation(source.columns, is_open=source.is_open)

    def _source(self, node: exp.Expr, scope: _Scope) -> str:
        if node.args.get("pivots"):
            raise Unanalysable("PIVOT")
        if node.args.get("sample"):
            raise Unanalysable("SAMPLE")
        if node.args.get("joins"):
            raise Unanalysable("a join in brackets")
        if not node.alias_or_name:
            node.set("alias", exp.TableAlias(this=exp.to_identifier(self._name(), quoted=True)))
        if id(node) in self._ready:
            relation = self._ready[id(node)]
        elif isinstance(node, exp.Subquery):
            made, relation = self._query(node.this, scope.parent, scope.ctes)
            node.set("this", made)
        elif isinstance(node, exp.Values):
            relation = Relation({}, is_open=True)
        elif isinstance(node, exp.Unnest) or (isinstance(node, exp.Table) and isinstance(node.this, exp.Func)):
            relation = self._table_function(node, scope)
        elif isinstance(node, exp.Table):
            node, relation = self._table(node, scope)
        else:
            raise Unanalysable(type(node).__name__.upper())
        alias = node.alias_or_name.lower()
        if alias in scope.sources:
            raise Unanalysable("two sources of one name")
        scope.sources[alias] = _renamed(relation, node.args.get("alias"))
        return alias

    def _table_function(self, node: exp.Expr, scope: _Scope) -> Relation:
        if isinstance(node, exp.Unnest):
            arguments = node.expressions
        else:
            function = node.this
            if isinstance(function, exp.Anonymous) and not self._knowledge.is_table_function(function.name.lower()):
                raise Unanalysable(f"{function.name.lower()}()")
            arguments = list(function.iter_expressions())
        tint = _union(self._mask(argument, scope, grouped=False) for argument in arguments)
        return Relation({}, is_open=True, tint=tint)

    def _table(self, node: exp.Table, scope: _Scope) -> tuple[exp.Expr, Relation]:
        name = node.name.lower()
        if not node.db and name in scope.ctes:
            return node, scope.ctes[name]
        if node.db.lower() in {"information_schema", "pg_catalog"}:
            return node, Relation({}, is_open=True)
        known = self._knowledge.known(name)
        if not known.scores and not known.selected:
            return node, Relation(dict.fromkeys(known.columns))
        alias = node.args.get("alias") or exp.TableAlias(this=exp.to_identifier(node.name))
        if known.key is None:
            if known.definition is None:
                raise Unanalysable(f"{name}, whose class is not known")
            lenient, self._lenient = self._lenient, True
            made, relation = self._query(known.definition.copy(), None, {})
            self._lenient = lenient
        else:
            made, relation = self._leaf(node, known)
        subquery = exp.Subquery(this=made, alias=alias.copy())
        node.replace(subquery)
        return subquery, relation

    def _leaf(self, table: exp.Table, known: Known) -> tuple[exp.Select, Relation]:
        """Return `SELECT rows.*, mask FROM table LEFT JOIN <masks by the table's key>`."""
        key, hidden = known.key or "", Carried(self._name(), plain=True)
        masks = {"class_id": f"{PREFIX}_classes", "run_id": f"{PREFIX}_runs", "request_key": f"{PREFIX}_requests"}[key]
        self.uses_requests = self.uses_requests or key == "request_key"
        bare = table.copy()
        bare.set("alias", exp.TableAlias(this=exp.to_identifier(f"{PREFIX}r")))
        bits = exp.alias_(_column("mask", f"{PREFIX}k"), hidden.name, quoted=True)
        on = exp.EQ(this=_column(key, f"{PREFIX}r"), expression=_column(key, f"{PREFIX}k"))
        select = exp.Select(
            expressions=[exp.Column(this=exp.Star(), table=exp.to_identifier(f"{PREFIX}r")), bits],
            from_=exp.From(this=bare),
            joins=[exp.Join(this=exp.to_table(masks, alias=f"{PREFIX}k"), side="LEFT", on=on)],
        )
        columns = {name: hidden if name in known.scores else None for name in known.columns}
        relation = Relation(columns, hidden if known.selected else None, shares_verdicts=key == "request_key")
        return select, relation

    def _resolve_shared_verdicts(self, node: exp.Select, scope: _Scope) -> None:
        """Where verdicts are joined to judge_requests by their key, the run of the request tells the class."""
        if not any(source.shares_verdicts for source in scope.sources.values()):
            return
        requests = [
            item.this
            for item in [node.args["from_"], *(node.args.get("joins") or [])]
            if isinstance(item.this, exp.Table) and item.this.name.lower() == "judge_requests"
        ]
        if len(requests) != 1:
            return
        table, by = requests[0], requests[0].alias_or_name.lower()
        conditions = [join.args["on"] for join in node.args.get("joins") or [] if join.args.get("on")]
        conditions += [node.args["where"].this] if node.args.get("where") else []
        equal = {
            frozenset((side.table.lower(), side.name.lower()) for side in (part.left, part.right))
            for condition in conditions
            for part in _conjuncts(condition)
            if isinstance(part, exp.EQ) and isinstance(part.left, exp.Column) and isinstance(part.right, exp.Column)
        }
        is_using = any(
            "request_key" in {name.name.lower() for name in join.args.get("using") or []} for join in node.args.get("joins") or []
        )
        known = self._knowledge.known("judge_requests")
        made, _ = self._leaf(table, Known(known.columns, key="run_id"))
        name = made.expressions[-1].alias
        keyed = sum("request_key" in source.columns for source in scope.sources.values())
        is_used = False
        for alias, source in scope.sources.items():
            is_joined = frozenset({(alias, "request_key"), (by, "request_key")}) in equal
            if source.shares_verdicts and (is_joined or (is_using and keyed == 2)):
                held = Carried(name, plain=True, table=by)
                columns = {column: held if value is not None else None for column, value in source.columns.items()}
                scope.sources[alias] = Relation(columns, source.selected and held, source.mixed, is_open=source.is_open)
                is_used = True
        if is_used:
            alias = table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(table.name))
            table.replace(exp.Subquery(this=made, alias=alias.copy()))

    # Clauses

    def _projections(self, node: exp.Select, scope: _Scope) -> dict[str, exp.Expr]:
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
                name = self._name()
                value = expanded[index] = exp.alias_(value, name, quoted=True)  # noqa: PLW2901 - the column gets its name
            while name in found:
                name += "_1"
                value = expanded[index] = exp.alias_(value.unalias(), name, quoted=True)  # noqa: PLW2901 - as DuckDB does
            found[name] = value.unalias()
        node.set("expressions", expanded)
        return found

    def _expanded(self, value: exp.Expr, star: exp.Star, table: str, scope: _Scope) -> list[exp.Expr]:
        chosen = {alias: source for alias, source in scope.sources.items() if alias not in scope.hidden_sources}
        if table:
            if table not in chosen:
                raise Unanalysable("a star over something that is not a source")
            chosen = {table: chosen[table]}
        if not any(source.touched() for source in scope.sources.values()):
            return [value]
        if any(source.is_open and (source.tint is not None or source.columns) for source in chosen.values()):
            raise Unanalysable("a star over columns that are not known")
        left_out = {_plain_name(item) for item in star.args.get("except_") or []}
        replaced = {item.alias.lower(): item for item in star.args.get("replace") or []}
        renamed = {_plain_name(item.this): item.alias for item in star.args.get("rename") or []}
        made: list[exp.Expr] = []
        merged: set[str] = set()
        for alias, source in chosen.items():
            if source.is_open:
                made.append(exp.Column(this=exp.Star(), table=exp.to_identifier(alias, quoted=True)))
            for name in source.columns:
                if name in left_out or name in merged:
                    continue
                is_merged = not table and name in scope.using
                merged |= {name} if is_merged else set()
                column = _column(name) if is_merged else _column(name, alias)
                if name in replaced:
                    column = replaced[name].copy()
                elif name in renamed:
                    column = exp.alias_(column, renamed[name], quoted=True)
                made.append(column)
        return made

    def _filter(self, condition: exp.Expr, scope: _Scope, *, grouped: bool) -> list[exp.Expr]:
        """Split a condition: return the parts that rest on no score, note the classes of those that do."""
        kept = []
        for part in _conjuncts(condition):
            mask = self._mask(part, scope, grouped=grouped)
            if mask is not None:
                scope.selected.append(mask)
                scope.checks.append(mask)
                if not _is_null_test(part):
                    self._dropped = True
                    continue
            kept.append(part)
        return kept

    def _is_grouped(self, node: exp.Select) -> bool:
        if node.args.get("group") is not None:
            return True
        clauses = [*node.expressions, node.args.get("having"), node.args.get("qualify"), node.args.get("order")]
        return any(self._has_aggregate(clause) for clause in clauses if clause is not None)

    def _has_aggregate(self, node: exp.Expr) -> bool:
        if isinstance(node, exp.Query):
            return False
        if isinstance(node, exp.Window):
            inner = _function(node)
            parts = [*inner.iter_expressions(), *(part for part in node.iter_expressions() if part is not node.this)]
            return any(self._has_aggregate(part) for part in parts)
        return self._is_aggregate(node) or any(self._has_aggregate(part) for part in node.iter_expressions())

    def _is_aggregate(self, node: exp.Expr) -> bool:
        if isinstance(node, exp.Anonymous):
            return self._knowledge.is_aggregate(node.name.lower())
        return isinstance(node, exp.AggFunc)

    def _group_keys(self, node: exp.Select, scope: _Scope) -> None:
        group = node.args.get("group")
        if group is None:
            return
        keys = [key for key in _flattened(group)]
        if group.args.get("all"):
            keys = [value for value in scope.aliases.values() if not self._has_aggregate(value) and not isinstance(value, exp.Literal)]
            node.set("group", exp.Group(expressions=[key.copy() for key in keys]))
        for key in keys:
            mask = self._mask(self._output(key, scope), scope, grouped=False)
            if mask is not None:
                scope.keys.append(mask)
                self._score_keys = True

    def _output(self, key: exp.Expr, scope: _Scope) -> exp.Expr:
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

    def _ordering(self, node: exp.Select, scope: _Scope, *, grouped: bool, is_root: bool) -> Mask | None:
        """Rows ordered by a score are ranked: return the classes ranked against each other, within equal leading keys."""
        order, distinct = node.args.get("order"), node.args.get("distinct")
        leading = list(distinct.args["on"].expressions) if distinct is not None else []
        leading = [self._output(key, scope).copy() for key in leading]
        keys = [ordered.this for ordered in order.expressions] if order is not None else []
        if [key for key in keys if isinstance(key, exp.Var) and key.name.upper() == "ALL"]:
            keys = list(scope.aliases.values())
        for key in keys:
            value = self._output(key, scope)
            mask = self._mask(value, scope, grouped=grouped)
            if mask is None:
                leading.append(value.copy())
                continue
            if distinct is None:
                node.set("order", None)
            ranked: exp.Expr = exp.Window(this=_call("BIT_OR", mask.sql.copy()), partition_by=leading)
            if is_root:  # one ordering is one group, however many rows it has
                first = exp.EQ(this=exp.Window(this=exp.RowNumber(), partition_by=[k.copy() for k in leading]), expression=exp.Literal.number(1))
                ranked = exp.Case(ifs=[exp.If(this=first, true=ranked)], default=exp.Literal.number(0))
            return Mask(_call("COALESCE", ranked, exp.Literal.number(0)))
        return None

    # Expressions

    def _mask(self, node: exp.Expr, scope: _Scope, *, grouped: bool) -> Mask | None:
        """Return the classes whose scores a value rests on, as an expression beside it; None where it rests on none."""
        if isinstance(node, _OPAQUE):
            raise Unanalysable(type(node).__name__.upper())
        if isinstance(node, exp.Column):
            mask = self._column_mask(node, scope)
            return _aggregated(mask) if grouped else mask
        if isinstance(node, exp.Star):
            mask = self._whole_rows(scope.sources.values(), scope)
            return _aggregated(mask) if grouped else mask
        if isinstance(node, exp.Window):
            return self._window_mask(node, scope, grouped=grouped)
        if isinstance(node, _WRAPPERS) or self._is_aggregate(node):
            return self._aggregate_mask(node, scope)
        if isinstance(node, exp.Case | exp.If):
            return self._choice_mask(node, scope, grouped=grouped)
        if isinstance(node, exp.In) and node.args.get("query") is not None:
            return self._membership_mask(node, scope, grouped=grouped)
        if isinstance(node, exp.Exists):
            return self._subquery_mask(node.this, scope, lambda found: [found.selected, found.mixed])
        if isinstance(node, exp.Query):
            return self._subquery_mask(node, scope, Relation.carried)
        if self._lenient and isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
            return None
        return _union(self._mask(part, scope, grouped=grouped) for part in node.iter_expressions())

    def _column_mask(self, node: exp.Column, scope: _Scope) -> Mask | None:
        if isinstance(node.this, exp.Star):
            table = node.table.lower()
            return self._whole_rows([scope.sources[table]] if table in scope.sources else scope.sources.values(), scope)
        name, table = node.name.lower(), node.table.lower()
        found: _Scope | None = scope
        while found is not None:
            hits = self._hits(found, table, name)
            if not hits and table and table not in found.sources:  # a field of a structure
                hits = self._hits(found, node.text("db").lower(), table)
            if not hits and not table and name in found.sources:
                return self._whole_rows([found.sources[name]], found)
            if hits:
                return _union(hits)
            if not table and name in found.aliases and name not in found.resolving:
                found.resolving.add(name)
                try:
                    return self._mask(found.aliases[name], found, grouped=False)
                finally:
                    found.resolving.discard(name)
            found = found.parent
        raise Unanalysable(f"the name {node.name}")

    def _hits(self, scope: _Scope, table: str, name: str) -> list[Mask | None]:
        hits: list[Mask | None] = []
        for alias, source in scope.sources.items():
            if table in {"", alias} and name in source.columns:
                hits.append(self._reference(source.columns[name], scope, alias))
        if not hits:
            hits = [source.tint for alias, source in scope.sources.items() if table in {"", alias} and source.is_open]
        return hits

    def _whole_rows(self, sources: Iterable[Relation], scope: _Scope) -> Mask | None:
        found = [self._reference(value, scope) for source in sources for value in source.columns.values()]
        return _union([*found, *(source.tint for source in sources)])

    def _reference(self, carried: Carried | None, scope: _Scope, alias: str | None = None) -> Mask | None:
        """Return a hidden column as an expression: NULL, of an outer join, is no class."""
        if carried is None:
            return None
        if alias is None:
            alias = next(name for name, source in scope.sources.items() if carried in source.carried())
        column = _column(carried.name, carried.table or alias)
        return Mask(_call("COALESCE", column, exp.Literal.number(0)), carried.plain)

    def _aggregate_mask(self, node: exp.Expr, scope: _Scope) -> Mask | None:
        conditions: list[exp.Expr] = []
        parts: list[Mask | None] = []
        function = node
        while isinstance(function, _WRAPPERS):
            extra = function.args.get("expression")
            if isinstance(function, exp.Filter) and extra is not None:
                probe = _Scope(scope.parent, scope.ctes, scope.sources, aliases=scope.aliases)
                conditions += self._filter(extra.this, probe, grouped=False)
                parts += probe.selected
            elif extra is not None:
                parts.append(self._mask(extra, scope, grouped=False))
            function = function.this
        if self._lenient and isinstance(function, exp.Count) and not isinstance(function.this, exp.Distinct):
            return None
        is_row_count = isinstance(function, exp.Count) and isinstance(function.this, exp.Star)
        arguments = [] if is_row_count else list(function.iter_expressions())
        found = _union(self._mask(argument, scope, grouped=False) for argument in arguments)
        if found is not None and len(arguments) == 1 and not isinstance(arguments[0], exp.Distinct | exp.Order | exp.Star):
            if not (isinstance(arguments[0], exp.Column) and isinstance(arguments[0].this, exp.Star)):
                conditions.append(exp.Not(this=exp.Is(this=exp.Paren(this=arguments[0].copy()), expression=exp.Null())))
        return _aggregated(_union([found, *parts, *scope.selected, *scope.keys]), conditions)

    def _window_mask(self, node: exp.Window, scope: _Scope, *, grouped: bool) -> Mask | None:
        function, parts, conditions = node.this, [], []
        while isinstance(function, _WRAPPERS):
            if isinstance(function, exp.Filter):
                probe = _Scope(scope.parent, scope.ctes, scope.sources, aliases=scope.aliases, keys=scope.keys)
                conditions += self._filter(function.expression.this, probe, grouped=grouped)
                parts += probe.selected
            function = function.this
        if isinstance(function, exp.Anonymous):
            self._is_aggregate(function)  # refuses a macro
        for argument in function.iter_expressions():
            if not isinstance(argument, exp.Star):
                parts += _masks(self._mask(argument, scope, grouped=grouped))
        order = node.args.get("order")
        ordering = _union(self._mask(key.this, scope, grouped=grouped) for key in order.expressions) if order is not None else None
        keys = node.args.get("partition_by") or []
        partition = _union(self._mask(key, scope, grouped=grouped) for key in keys)
        self._score_keys = self._score_keys or partition is not None
        is_running = type(function).__name__ not in _ORDER_ONLY
        if is_running:
            parts += [_aggregated(mask) or mask for mask in scope.selected] if grouped else scope.selected
        mask = _union([*parts, ordering, partition])
        if mask is None:
            return None
        window = exp.Window(this=_call("BIT_OR", _where_true(mask, conditions)), partition_by=[key.copy() for key in keys])
        if is_running and ordering is None and order is not None:
            window.set("order", order.copy())
            window.set("spec", node.args["spec"].copy() if node.args.get("spec") else None)
        return Mask(_call("COALESCE", window, exp.Literal.number(0)))

    def _choice_mask(self, node: exp.Expr, scope: _Scope, *, grouped: bool) -> Mask | None:
        """Return the mask of the branch that is taken, with those of the conditions."""
        subject = node.this if isinstance(node, exp.Case) else None
        branches = node.args["ifs"] if isinstance(node, exp.Case) else [node]
        default = node.args.get("default") if isinstance(node, exp.Case) else node.args.get("false")
        deciding = [self._mask(subject, scope, grouped=grouped)] if subject is not None else []
        deciding += [self._mask(branch.this, scope, grouped=grouped) for branch in branches]
        values = [self._mask(branch.args["true"], scope, grouped=grouped) for branch in branches]
        otherwise = self._mask(default, scope, grouped=grouped) if default is not None else None
        if _union([*values, otherwise]) is None or _union(deciding) is not None:
            return _union([*deciding, *values, otherwise])
        zero = exp.Literal.number(0)
        ifs = [
            exp.If(this=branch.this.copy(), true=value.sql.copy() if value else zero.copy())
            for branch, value in zip(branches, values, strict=True)
        ]
        made = exp.Case(this=subject.copy() if subject is not None else None, ifs=ifs, default=otherwise.sql.copy() if otherwise else zero)
        used = [value for value in [*values, otherwise] if value is not None]
        return Mask(exp.Paren(this=made), all(value.plain for value in used))

    def _subquery_mask(
        self, node: exp.Expr, scope: _Scope, pick: Callable[[Relation], list[Carried | None] | list[Carried]], where: Any = None
    ) -> Mask | None:
        """Return the classes that a subquery's rows rest on, as a subquery beside it."""
        made, found = self._query(node.copy(), scope, scope.ctes)
        alias = self._name()
        mask = _union(
            Mask(_call("COALESCE", _column(carried.name, alias), exp.Literal.number(0))) for carried in pick(found) if carried is not None
        )
        if mask is None:
            return None
        subquery = exp.Subquery(this=made, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
        select = exp.Select(expressions=[_call("BIT_OR", mask.sql)], from_=exp.From(this=subquery))
        if where is not None and not (self._dropped and any(found.columns.values())):
            select.set("where", exp.Where(this=where(found, alias)))
        return Mask(_call("COALESCE", exp.Subquery(this=select), exp.Literal.number(0)))

    def _membership_mask(self, node: exp.In, scope: _Scope, *, grouped: bool) -> Mask | None:
        """Return the classes of `value IN (subquery)`: the value's own, and those of the rows that match it."""
        own = self._mask(node.this, scope, grouped=grouped)
        values = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]

        def matching(found: Relation, alias: str) -> exp.Expr:
            if found.is_open or len(found.columns) != len(values):
                raise Unanalysable("IN over columns that are not known")
            pairs = zip(values, found.columns, strict=True)
            return exp.and_(*(exp.EQ(this=value.copy(), expression=_column(name, alias)) for value, name in pairs), copy=False)

        return _union([own, self._subquery_mask(node.args["query"], scope, Relation.carried, matching)])

    def _name(self) -> str:
        self._number += 1
        return f"{PREFIX}{self._number}"


def _column(name: str, table: str | None = None) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True), table=exp.to_identifier(table, quoted=True) if table else None)


def _call(function: str, *arguments: exp.Expr) -> exp.Anonymous:
    return exp.Anonymous(this=function, expressions=list(arguments))


def _masks(*masks: Mask | None) -> list[Mask]:
    return [mask for mask in masks if mask is not None]


def _union(masks: Iterable[Mask | None]) -> Mask | None:
    """Return the union of sets of classes, each named once; one set alone stays what it is."""
    found: list[Mask] = []
    for mask in masks:
        if mask is not None and all(mask.sql != other.sql for other in found):
            found.append(mask)
    if len(found) <= 1:
        return found[0] if found else None
    union: exp.Expr = exp.Paren(this=found[0].sql.copy())
    for mask in found[1:]:
        union = exp.BitwiseOr(this=union, expression=exp.Paren(this=mask.sql.copy()))
    return Mask(exp.Paren(this=union))


def _aggregated(mask: Mask | None, conditions: Iterable[exp.Expr] = ()) -> Mask | None:
    if mask is None:
        return None
    return Mask(_call("COALESCE", _call("BIT_OR", _where_true(mask, list(conditions))), exp.Literal.number(0)))


def _where_true(mask: Mask, conditions: list[exp.Expr]) -> exp.Expr:
    if not conditions:
        return mask.sql.copy()
    condition = exp.and_(*(part.copy() for part in conditions), copy=False)
    return exp.Case(ifs=[exp.If(this=condition, true=mask.sql.copy())], default=exp.Literal.number(0))


def _only_mixed(mask: Mask | None) -> Mask | None:
    """Return the set where it has several classes, else the empty one."""
    if mask is None or mask.plain:
        return None
    several = exp.GT(this=_call("BIT_COUNT", mask.sql.copy()), expression=exp.Literal.number(1))
    return Mask(exp.Case(ifs=[exp.If(this=several, true=mask.sql.copy())], default=exp.Literal.number(0)))


def _superset(mask: Mask | None) -> Mask | None:
    if mask is None:
        return None
    return Mask(exp.Paren(this=exp.BitwiseOr(this=exp.Paren(this=mask.sql.copy()), expression=exp.Literal.number(SUPERSET_BIT))))


def _conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(condition, exp.And):
        yield from _conjuncts(condition.left)
        yield from _conjuncts(condition.right)
    elif isinstance(condition, exp.Paren):
        yield from _conjuncts(condition.this)
    else:
        yield condition


def _where(kept: list[exp.Expr]) -> exp.Where | None:
    return exp.Where(this=exp.and_(*kept, copy=False)) if kept else None


def _is_null_test(part: exp.Expr) -> bool:
    inner = part.this if isinstance(part, exp.Not) else part
    return isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null) and isinstance(inner.this, exp.Column)


def _flattened(group: exp.Expr) -> Iterator[exp.Expr]:
    for part in group.iter_expressions():
        if isinstance(part, exp.Rollup | exp.Cube | exp.GroupingSets | exp.Tuple | exp.Paren):
            yield from _flattened(part)
        else:
            yield part


def _function(window: exp.Window) -> exp.Expr:
    function = window.this
    while isinstance(function, _WRAPPERS):
        function = function.this
    return function


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


def _renamed(relation: Relation, alias: exp.Expr | None) -> Relation:
    names = [column.name.lower() for column in alias.args.get("columns") or []] if isinstance(alias, exp.TableAlias) else []
    if not names:
        return relation
    if relation.is_open and not relation.columns:
        return Relation({}, is_open=True, tint=relation.tint)
    columns = dict(zip([*names, *list(relation.columns)[len(names) :]], relation.columns.values(), strict=False))
    return Relation(columns, relation.selected, relation.mixed, is_open=relation.is_open, tint=relation.tint)


def _plain_name(node: exp.Expr) -> str:
    return node.name.lower()


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
            ordered.set("this", _column(key.name.lower()))
        elif key in outputs:
            ordered.set("this", _column(names[outputs.index(key)]))
        else:
            raise Unanalysable("an ORDER BY over something that is not in the result")
    return order


def _refers_to_itself(cte: exp.Expr) -> bool:
    return any(table.name.lower() == cte.alias.lower() for table in cte.this.find_all(exp.Table))
