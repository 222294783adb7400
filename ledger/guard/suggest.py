"""The same query, partitioned by class: a suggestion to print, once it is proven clean, never to run silently."""

from __future__ import annotations

from sqlglot import exp

from ledger.guard.catalog import Catalog


def by_class(tree: exp.Query, catalog: Catalog) -> exp.Query | None:
    """x."""
    return None
