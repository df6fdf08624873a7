"""The requests of a search, in order, before any is sent."""

from __future__ import annotations

from collections.abc import Sequence

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.engines.asked import Query, Request, Variant
from relyon.engines.engine import Engine

__all__ = ["make_requests"]


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
        ParameterError: If a placeholder of the engine's templates has no value.
    """
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
