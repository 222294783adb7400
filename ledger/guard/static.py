"""What a query's text alone tells: whether it keeps classes apart, and the same query partitioned by class.

Both are one walk: each SELECT that reads something with a `class_id` should have it as a key of its groups and windows
and as the first key of its order, should join two such sources on it, and should restrict its subqueries to the class
of the row around them, unless a constant holds it to one class or run. What is missing is added: the result is a
suggestion, to be printed once the probe has proven it clean, never run silently. Where nothing is missing, `clean`
will stay true whatever runs are added.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from ledger.guard.expressions import Expressions, conjuncts
from ledger.guard.masks import Knowledge, Relation, Scope, Unanalysable, Work

_CLASS: Final = "class_id"
_KEYS: Final = {_CLASS, "run_id"}
_NONE, _MANY = "", "*"
"""What rows are made of: no score, scores of classes that a column tells; else the constant that holds them to one."""


def by_class(tree: exp.Query, knowledge: Knowledge) -> exp.Query | None:
    """Return the query partitioned by class, or None where it is not known how."""
    walk, rewritten = _Walk(knowledge), tree.copy()
    try:
        walk.query(rewritten, {})
    except Unanalysable:
        return None
    return rewritten if walk.missing else None


def keeps_classes_apart(tree: exp.Query, knowledge: Knowledge) -> bool:
    """Tell whether the text alone keeps classes apart. True only for what is plainly so."""
    walk = _Walk(knowledge)
    try:
        walk.query(tree.copy(), {})
    except Unanalysable:
        return False
    return not walk.missing and not walk.has_scores_without_class


class _Walk:
    def __init__(self, knowledge: Knowledge) -> None:
        self.missing = 0
        self.has_scores_without_class = False
        self._knowledge = knowledge
        self._expressions = Expressions(Work(knowledge, is_lenient=False), _no_query)

    def query(self, node: exp.Expr, ctes: dict[str, str]) -> str:
        """Partition a query in place. Returns what its rows are made of."""
        ctes = dict(ctes)
        for cte in node.args["with_"].expressions if node.args.get("with_") else []:
            ctes[cte.alias.lower()] = made = self.query(cte.this, ctes)
            _refuse_if(made == _MANY and cte.args["alias"].columns)
        if isinstance(node, exp.SetOperation):
            sides = {self.query(side, ctes) for side in (node.this, node.expression)} - {_NONE}
            if len(sides) > 1 or (_MANY in sides and node.args.get("order")):
                self.missing += 1
                raise Unanalysable("classes side by side")
            return sides.pop() if sides else _NONE
        if isinstance(node, exp.Subquery):
            return self.query(node.this, ctes)
        return self._select(node, ctes) if isinstance(node, exp.Select) else _NONE

    def _select(self, node: exp.Select, ctes: dict[str, str]) -> str:
        made = {alias: found for source in _sources(node) for alias, found in [self._source(source, ctes)] if found}
        held = _constants(node, [alias for alias, found in made.items() if found == _MANY])
        constants = {found for found in {**made, **held}.values() if found != _MANY}
        classed = [alias for alias, found in made.items() if found == _MANY and alias not in held]
        outer = exp.column(_CLASS, table=classed[0]) if classed else None
        for subquery in _subqueries(node):
            constants |= self._correlate(subquery, list(made), outer, ctes)
        if len(constants) + bool(classed) > 1:
            self.missing += 1
            raise Unanalysable("scores of two classes")
        if outer is None:
            return constants.pop() if constants else _NONE
        grouped = self._expressions.is_grouped(node)
        self._join(node, classed)
        self._windows(node, outer)
        self._limit(node, outer)
        self._order(node, outer)
        group = node.args.get("group")
        if grouped and (group is None or not (group.args.get("all") or any(_is_key(key) for key in group.expressions))):
            self.missing += 1
        if grouped and group is None:
            node.set("group", exp.Group(expressions=[outer.copy()]))
        elif group is not None and not group.args.get("all") and not any(_is_class(key) for key in group.expressions):
            group.append("expressions", outer.copy())
        self._distinct(node, outer)
        if not any(_is_class(value.unalias()) or value.is_star for value in node.expressions):
            self.missing += bool(group is not None and group.args.get("all")) and not any(map(_is_key, node.expressions))
            _shift_ordinals(node)
            node.set("expressions", [outer.copy(), *node.expressions])
        return _MANY

    def _source(self, source: exp.Expr, ctes: dict[str, str]) -> tuple[str, str]:
        """Return a source's name and what its rows are made of, partitioning it first where it is a query."""
        made = _NONE
        if isinstance(source, exp.Subquery):
            made = self.query(source.this, ctes)
            if made and not source.alias:
                source.set("alias", exp.TableAlias(this=exp.to_identifier("by_class")))
            _refuse_if(made == _MANY and source.args["alias"].columns)
        elif isinstance(source, exp.Table) and not isinstance(source.this, exp.Func):
            name = source.name.lower()
            made = ctes[name] if name in ctes else self._relation(name)
        return source.alias_or_name, made

    def _relation(self, name: str) -> str:
        known = self._knowledge.known(name)
        if not known.scores and not known.selected:
            return _NONE
        self.has_scores_without_class = self.has_scores_without_class or _CLASS not in known.columns
        return _MANY if _CLASS in known.columns else _NONE

    def _correlate(self, subquery: exp.Select, names: list[str], outer: exp.Column | None, ctes: dict[str, str]) -> set[str]:
        """Restrict a subquery to the class of the row that it is asked for. Returns the constants that hold it already."""
        sources = [source for source in _sources(subquery) if self._source(source, ctes)[1] == _MANY]
        held = _constants(subquery, [source.alias_or_name for source in sources])
        if not sources or len(held) == len(sources):
            return set(held.values())
        if _equal_keys(subquery):
            self.missing += outer is None  # rows without scores are chosen by those of their run
            return set()
        self.missing += 1
        _refuse_if(len(sources) > 1 or outer is None or isinstance(sources[0], exp.Subquery))
        assert outer is not None
        if sources[0].alias_or_name in names:
            _refuse_if(any(found.table for found in subquery.find_all(exp.Column)))
            sources[0].set("alias", exp.TableAlias(this=exp.to_identifier("same_class")))
        inner = exp.column(_CLASS, table=sources[0].alias_or_name)
        subquery.where(exp.EQ(this=inner, expression=outer.copy()), copy=False)
        return set()

    def _join(self, node: exp.Select, classed: list[str]) -> None:
        if len(classed) > 1 and len(_equal_keys(node)) < len(classed) - 1:
            self.missing += 1
            for other in classed[1:]:
                own, another = exp.column(_CLASS, table=classed[0]), exp.column(_CLASS, table=other)
                node.where(exp.EQ(this=own, expression=another), copy=False)

    def _windows(self, node: exp.Select, column: exp.Column) -> None:
        for window in node.find_all(exp.Window):
            keys = window.args.get("partition_by") or []
            if window.parent_select is not node or window.args.get("alias") or any(_is_class(key) for key in keys):
                continue
            self.missing += not any(_is_key(key) for key in keys)
            window.set("partition_by", [column.copy(), *keys])

    def _limit(self, node: exp.Select, column: exp.Column) -> None:
        """Make `ORDER BY … LIMIT n` the first n of each class."""
        limit, order = node.args.get("limit"), node.args.get("order")
        if limit is None or order is None or _is_key(order.expressions[0].this):
            return
        _refuse_if(node.args.get("offset") or not isinstance(limit.expression, exp.Literal) or node.args.get("distinct"))
        keys = order.copy()
        for ordered in keys.expressions:
            ordered.set("this", _meaning(node, ordered.this).copy())
        number = exp.Window(this=exp.RowNumber(), partition_by=[column.copy()], order=keys)
        condition = exp.LTE(this=number, expression=limit.expression.copy())
        qualify = node.args.get("qualify")
        node.set("qualify", exp.Qualify(this=exp.and_(qualify.this, condition) if qualify else condition))
        node.set("limit", None)

    def _order(self, node: exp.Select, column: exp.Column) -> None:
        order = node.args.get("order")
        if order is None or _is_class(order.expressions[0].this):
            return
        self.missing += not _is_key(order.expressions[0].this)
        _refuse_if(isinstance(order.expressions[0].this, exp.Var))
        order.set("expressions", [exp.Ordered(this=column.copy()), *order.expressions])

    def _distinct(self, node: exp.Select, column: exp.Column) -> None:
        distinct = node.args.get("distinct")
        if distinct is None:
            return
        self.missing += not any(_is_key(value.unalias()) for value in node.expressions)
        if distinct.args.get("on"):
            distinct.args["on"].append("expressions", column.copy())


def _sources(node: exp.Select) -> list[exp.Expr]:
    from_ = node.args.get("from_")
    return [item.this for item in [from_, *(node.args.get("joins") or [])] if item is not None]


def _subqueries(node: exp.Select) -> Iterator[exp.Select]:
    """Return the queries in a SELECT's expressions, not those in its FROM or WITH."""
    for clause in [*node.expressions, *(node.args.get(name) for name in ("where", "having", "qualify"))]:
        if clause is not None:
            yield from (found for found in clause.find_all(exp.Select) if found.parent_select is node)


def _conditions(node: exp.Select) -> list[exp.EQ]:
    """Return the equalities that every row fulfils."""
    found = [join.args["on"] for join in node.args.get("joins") or [] if join.args.get("on")]
    found += [node.args["where"].this] if node.args.get("where") else []
    return [part for condition in found for part in conjuncts(condition) if isinstance(part, exp.EQ)]


def _constants(node: exp.Select, names: list[str]) -> dict[str, str]:
    """Return the constant that holds each source to one class or run."""
    held: dict[str, str] = {}
    for part in _conditions(node):
        for side, other in ((part.left, part.right), (part.right, part.left)):
            if _is_key(side) and isinstance(other, exp.Literal):
                chosen = [side.text("table")] if side.text("table") else names if len(names) == 1 else []
                held.update({name: f"{side.name} {other.name}" for name in names if name in chosen})
    if held and len(_equal_keys(node)) >= len(names) - 1:
        held.update({name: next(iter(held.values())) for name in names})
    return held


def _equal_keys(node: exp.Select) -> list[exp.Expr]:
    """Return where two sources are held to one class or run."""
    using = [name for join in node.args.get("joins") or [] for name in join.args.get("using") or [] if name.name.lower() in _KEYS]
    return [
        *using,
        *(part for part in _conditions(node) if _is_key(part.left) and _is_key(part.right) and part.left.name == part.right.name),
    ]


def _meaning(node: exp.Select, key: exp.Expr) -> exp.Expr:
    """Return what an ordinal or an output's name stands for."""
    if isinstance(key, exp.Literal) and key.name.isdigit():
        _refuse_if(any(value.is_star for value in node.expressions) or int(key.name) > len(node.expressions))
        chosen: exp.Expr = node.expressions[int(key.name) - 1].unalias()
        return chosen
    outputs = {value.alias.lower(): value.this for value in node.expressions if isinstance(value, exp.Alias)}
    found: exp.Expr = outputs.get(key.name.lower(), key) if isinstance(key, exp.Column) else key
    return found


def _shift_ordinals(node: exp.Select) -> None:
    group, order = node.args.get("group"), node.args.get("order")
    keys = [*(group.expressions if group else []), *(ordered.this for ordered in (order.expressions if order else []))]
    for key in keys:
        if isinstance(key, exp.Literal) and key.name.isdigit():
            key.replace(exp.Literal.number(int(key.name) + 1))


def _is_class(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column) and node.name.lower() == _CLASS


def _is_key(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column) and node.name.lower() in _KEYS


def _refuse_if(condition: object) -> None:
    if condition:
        raise Unanalysable("no partition by class")


def _no_query(_node: exp.Expr, _scope: Scope | None, _ctes: dict[str, Relation]) -> tuple[exp.Query, Relation]:
    raise Unanalysable("a query inside an expression")
