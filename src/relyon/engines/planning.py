"""The requests of a search, in order, before any is sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.engines.asked import Query, Request, Variant
from relyon.engines.engine import Engine
from relyon.engines.tapes.entry import query_key, variant_key

__all__ = ["in_turn", "keyed", "make_requests"]


def make_requests(
    engine: Engine,
    queries: Sequence[Query],
    variants: Sequence[Variant],
    k: int,
    *,
    explain: bool = False,
) -> list[Request]:
    """Returns a request for every variant and query: all of a variant before the next.

    Args:
        engine: The engine.
        queries: The queries.
        variants: The variants.
        k: How many results to ask for.
        explain: Whether the engine's explanation of scores is asked for.

    Raises:
        ParameterError: If a placeholder of the engine's templates has no value, or a column of the
            queries has the name of a parameter.
    """
    for name in queries[0].values:
        if name in variants[0].parameters:
            raise ParameterError(
                message("engines.column-is-parameter", name=name),
                hint=message("engines.rename-column"),
            )
    requests = [Request(one, variant, k, explain) for variant in variants for one in queries]
    names = engine.placeholders()
    known = set(requests[0].values)
    for name in names or ():
        if name not in known:
            raise ParameterError(
                message("engines.placeholder-has-no-value", name=name),
                hint=message("engines.placeholder-names", names=sorted(known), name=name),
            )
    return requests


def keyed(requests: Sequence[Request], recipe: str, engine: Engine) -> dict[str, Request]:
    """Returns requests by their keys.

    Args:
        requests: The requests.
        recipe: The fingerprint of the engine's templates, k and whether scores are explained.
        engine: The engine, which says what it uses of them.

    Raises:
        ParameterError: If two variants would be asked the same.
    """
    names = engine.placeholders()
    used = None if names is None else frozenset(names)
    starts = {
        name: variant_key(recipe, variant, used)
        for name, variant in {one.variant.name: one.variant for one in requests}.items()
    }
    found: dict[str, Request] = {}
    for one in requests:
        other = found.setdefault(query_key(starts[one.variant.name], one.query, used), one)
        if other is not one:
            raise ParameterError(
                message(
                    "engines.variants-are-equal", first=other.variant.name, name=one.variant.name
                ),
                hint=message("engines.remove-variant"),
            )
    return found


def in_turn(requests: Iterable[Request]) -> list[Request]:
    """Returns requests in the order of asking: every query through all variants, before the next.

    Variants asked one after another would differ by warm caches and by what else the engine does.
    The first variant changes from query to query, so that none always finds the query in a cache.

    Examples:
        >>> asked = [
        ...     Request(Query(query, query), Variant(variant), 10)
        ...     for variant in ("a", "b")
        ...     for query in ("q1", "q2")
        ... ]
        >>> [(one.query.id, one.variant.name) for one in in_turn(asked)]
        [('q1', 'a'), ('q1', 'b'), ('q2', 'b'), ('q2', 'a')]
    """
    by_query: dict[str, list[Request]] = {}
    for one in requests:
        by_query.setdefault(one.query.id, []).append(one)
    found: list[Request] = []
    for place, group in enumerate(by_query.values()):
        first = place % len(group)
        found += group[first:] + group[:first]
    return found
