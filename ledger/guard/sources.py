"""What a SELECT reads: each source with its hidden columns, the ledger's own relations with the classes of their rows.

A score relation becomes a subquery that adds its rows' class; one without any class of its own is replaced by its
definition, rewritten in turn. A join's conditions on scores are taken out like any filter on a score.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from ledger.guard.expressions import Expressions, Query, conjuncts
from ledger.guard.masks import PREFIX, Carried, Known, Relation, Scope, Unanalysable, Work, column_of, union

_REFUSED: Final = {"pivots": "PIVOT", "sample": "SAMPLE", "joins": "a join in brackets"}


class Sources:
    """Reads the FROM clauses of one statement. `ready` holds the relations of sources that are rewritten already."""

    def __init__(self, work: Work, read: Expressions, query: Query) -> None:
        self._work, self._read, self._query = work, read, query
        self.ready: dict[int, Relation] = {}

    def read(self, node: exp.Select, scope: Scope) -> None:
        """Rewrite the sources of a SELECT in place and enter them in its scope. Raises Unanalysable."""
        from_ = node.args.get("from_")
        if from_ is None:
            return
        joins = node.args.get("joins") or []
        self._source(from_.this, scope)
        for join in joins:
            alias = self._source(join.this, scope)
            if join.method in {"NATURAL", "POSITIONAL"} and scope.touched():
                raise Unanalysable(f"a {join.method} join")
            if join.kind in {"SEMI", "ANTI"}:
                scope.hidden_sources.add(alias)
        self._resolve_shared_verdicts(node, scope)
        for join in joins:
            self._join(join, scope)

    def _join(self, join: exp.Join, scope: Scope) -> None:
        using = {name.name.lower() for name in join.args.get("using") or []}
        if any(source.columns.get(name) for source in scope.sources.values() for name in using):
            raise Unanalysable("a join USING a score")
        scope.using |= using
        words = (
            join.side or (join.kind if join.kind in {"SEMI", "ANTI"} else "") or (join.method if join.method == "ASOF" else "")
        )
        if (on := join.args.get("on")) is not None:
            before = len(scope.selected)
            kept = self._read.filtered(on, scope, grouped=False)
            if words and len(scope.selected) > before:
                raise Unanalysable(f"a {words} join on a score")
            join.set("on", exp.and_(*kept, copy=False) if kept else exp.true())
        # Whether such a join finds a row would tell of the score, and that is not carried along.
        if words and any(source.selected is not None for source in scope.sources.values()):
            raise Unanalysable(f"a {words} join with rows chosen by a score")
        alias = join.this.alias_or_name.lower()
        if alias in scope.hidden_sources:
            source = scope.sources[alias]
            if source.mixed is not None:
                raise Unanalysable(f"a {words} join with a mix")
            scope.sources[alias] = Relation(source.columns, is_open=source.is_open)

    def _source(self, node: exp.Expr, scope: Scope) -> str:
        for clause, words in _REFUSED.items():
            if node.args.get(clause):
                raise Unanalysable(words)
        if not node.alias_or_name:
            node.set("alias", exp.TableAlias(this=exp.to_identifier(self._work.name(), quoted=True)))
        if id(node) in self.ready:
            relation = self.ready[id(node)]
        elif isinstance(node, exp.Subquery):
            made, relation = self._query(node.this, scope.parent, scope.ctes)
            node.set("this", made)
        elif isinstance(node, exp.Values):
            no_query_inside(node)
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
        scope.sources[alias] = renamed(relation, node.args.get("alias"))
        return alias

    def _table_function(self, node: exp.Expr, scope: Scope) -> Relation:
        if isinstance(node, exp.Unnest):
            arguments = node.expressions
        else:
            function = node.this
            if isinstance(function, exp.Anonymous) and not self._work.knowledge.is_table_function(function.name.lower()):
                raise Unanalysable(f"{function.name.lower()}()")
            arguments = list(function.iter_expressions())
        tint = union(self._read.mask(argument, scope, grouped=False) for argument in arguments)
        return Relation({}, is_open=True, tint=tint)

    def _table(self, node: exp.Table, scope: Scope) -> tuple[exp.Expr, Relation]:
        name = node.name.lower()
        if not node.db and name in scope.ctes:
            return node, scope.ctes[name]
        if node.db.lower() in {"information_schema", "pg_catalog"}:
            return node, Relation({}, is_open=True)
        known = self._work.knowledge.known(name)
        if not known.scores and not known.selected:
            return node, Relation(dict.fromkeys(known.columns))
        alias = node.args.get("alias") or exp.TableAlias(this=exp.to_identifier(node.name))
        if known.key is None:
            if known.definition is None:
                raise Unanalysable(f"{name}, whose class is not known")
            lenient, self._work.is_lenient = self._work.is_lenient, True
            made, relation = self._query(known.definition.copy(), None, {})
            self._work.is_lenient = lenient
        else:
            made, relation = self._leaf(node, known)
        subquery = exp.Subquery(this=made, alias=alias.copy())
        node.replace(subquery)
        return subquery, relation

    def _leaf(self, table: exp.Table, known: Known) -> tuple[exp.Select, Relation]:
        """Return `SELECT rows.*, mask FROM table LEFT JOIN <masks by the table's key>`."""
        key, hidden = known.key or "", Carried(self._work.name(), plain=True)
        masks = {"class_id": f"{PREFIX}_classes", "run_id": f"{PREFIX}_runs", "request_key": f"{PREFIX}_requests"}[key]
        self._work.uses_requests = self._work.uses_requests or key == "request_key"
        bare = table.copy()
        bare.set("alias", exp.TableAlias(this=exp.to_identifier(f"{PREFIX}r")))
        bits = exp.alias_(column_of("mask", f"{PREFIX}k"), hidden.name, quoted=True)
        on = exp.EQ(this=column_of(key, f"{PREFIX}r"), expression=column_of(key, f"{PREFIX}k"))
        select = exp.Select(
            expressions=[exp.Column(this=exp.Star(), table=exp.to_identifier(f"{PREFIX}r")), bits],
            from_=exp.From(this=bare),
            joins=[exp.Join(this=exp.to_table(masks, alias=f"{PREFIX}k"), side="LEFT", on=on)],
        )
        columns = {name: hidden if name in known.scores else None for name in known.columns}
        relation = Relation(columns, hidden if known.selected else None, shares_verdicts=key == "request_key")
        return select, relation

    def _resolve_shared_verdicts(self, node: exp.Select, scope: Scope) -> None:
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
            for part in conjuncts(condition)
            if isinstance(part, exp.EQ) and isinstance(part.left, exp.Column) and isinstance(part.right, exp.Column)
        }
        is_using = any(
            "request_key" in {name.name.lower() for name in join.args.get("using") or []} for join in node.args.get("joins") or []
        )
        known = self._work.knowledge.known("judge_requests")
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
            named = table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(table.name))
            table.replace(exp.Subquery(this=made, alias=named.copy()))


def renamed(relation: Relation, alias: exp.Expr | None) -> Relation:
    """Return a relation under the column names that its alias gives it."""
    names = [column.name.lower() for column in alias.args.get("columns") or []] if isinstance(alias, exp.TableAlias) else []
    if not names:
        return relation
    if relation.is_open and not relation.columns:
        return Relation({}, is_open=True, tint=relation.tint)
    columns = dict(zip([*names, *list(relation.columns)[len(names) :]], relation.columns.values(), strict=False))
    return Relation(columns, relation.selected, relation.mixed, is_open=relation.is_open, tint=relation.tint)


def no_query_inside(node: exp.Values) -> None:
    """Raise Unanalysable for VALUES that hold a query."""
    if node.find(exp.Query):
        raise Unanalysable("a query inside VALUES")
