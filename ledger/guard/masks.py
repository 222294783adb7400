"""What the analysis of a query is made of: sets of classes as expressions, hidden columns, relations, scopes.

A set of classes is an integer, one bit a class: a union is `|`, that of many rows BIT_OR, and no class is 0. Here is
only how such expressions are put together; what they mean for a query is said in `expressions` and `rewrite`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Protocol

from sqlglot import exp

PREFIX: Final = "__wt"
UNSURE_BIT: Final = 1
"""Set where a row's class is not known: a verdict that runs of several classes share (sql/queries/number_requests)."""
SUPERSET_BIT: Final = 2
"""Set where more rows were looked at than the query uses: a LIMIT below the top was taken out."""


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
class Scope:
    """One SELECT: its sources, the names it may use, and the scores that decided its rows."""

    parent: Scope | None
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
        """Tell whether any source rests on scores."""
        return any(source.touched() for source in self.sources.values())


@dataclass
class Work:
    """The state of one rewriting. `is_lenient`: inside the ledger's own views COUNT and IS NULL tell of work, not of scores."""

    knowledge: Knowledge
    is_lenient: bool
    uses_requests: bool = False
    has_dropped: bool = False
    """A filter or LIMIT was taken out, so that more rows are looked at than the query uses."""
    has_score_keys: bool = False
    """Rows are grouped or partitioned by a score."""
    number: int = 0

    def name(self) -> str:
        """Return a name that nothing else in the query has."""
        self.number += 1
        return f"{PREFIX}{self.number}"


def column_of(name: str, table: str | None = None) -> exp.Column:
    """Return a column by its exact name."""
    return exp.column(exp.to_identifier(name, quoted=True), table=exp.to_identifier(table, quoted=True) if table else None)


def call(function: str, *arguments: exp.Expr) -> exp.Anonymous:
    """Return a call as it is written, of whatever function."""
    return exp.Anonymous(this=function, expressions=list(arguments))


def present(*masks: Mask | None) -> list[Mask]:
    """Return those that rest on scores."""
    return [mask for mask in masks if mask is not None]


def union(masks: Iterable[Mask | None]) -> Mask | None:
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


def aggregated(mask: Mask | None, conditions: Iterable[exp.Expr] = ()) -> Mask | None:
    """Return the union of a set over the rows of a group that fulfil the conditions."""
    if mask is None:
        return None
    return Mask(call("COALESCE", call("BIT_OR", where_true(mask, list(conditions))), exp.Literal.number(0)))


def where_true(mask: Mask, conditions: list[exp.Expr]) -> exp.Expr:
    """Return a set where the conditions hold, else the empty one."""
    if not conditions:
        return mask.sql.copy()
    condition = exp.and_(*(part.copy() for part in conditions), copy=False)
    return exp.Case(ifs=[exp.If(this=condition, true=mask.sql.copy())], default=exp.Literal.number(0))


def only_mixed(mask: Mask | None) -> Mask | None:
    """Return the set where it has several classes, else the empty one."""
    if mask is None or mask.plain:
        return None
    several = exp.GT(this=call("BIT_COUNT", mask.sql.copy()), expression=exp.Literal.number(1))
    return Mask(exp.Case(ifs=[exp.If(this=several, true=mask.sql.copy())], default=exp.Literal.number(0)))


def superset(mask: Mask | None) -> Mask | None:
    """Return a set, marked as one of more rows than the query uses."""
    if mask is None:
        return None
    return Mask(exp.Paren(this=exp.BitwiseOr(this=exp.Paren(this=mask.sql.copy()), expression=exp.Literal.number(SUPERSET_BIT))))
