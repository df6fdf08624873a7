"""One request and what became of it, as tapes keep it."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from relyon.engines.asked import Request
    from relyon.engines.template import Json

__all__ = ["Entry", "key_of", "recipe_hash", "sorted_json"]


class Entry(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One request and what became of it.

    Attributes:
        key: The fingerprint of the request, see `key_of`.
        variant: The name of its variant.
        query: The id of its query.
        ids: The documents of the answer, in order.
        scores: The engine's scores; None for a result without one.
        ms: Milliseconds from sending the request that was answered to its answer.
        took: Milliseconds by the engine's own clock.
        total: How many documents match.
        at: When it was answered, in seconds since 1970.
        duplicates: How many results were left out because their document came before.
        problems: What went wrong before it was answered, once per attempt.
        failed: Why it has no answer: a query that the engine refuses counts as one without results.
        why: The engine's explanation of each score.
    """

    key: str
    variant: str
    query: str
    ids: list[str] = []
    scores: list[float | None] = []
    ms: float = 0.0
    took: float | None = None
    total: int | None = None
    at: float = 0.0
    duplicates: int = 0
    problems: list[str] = []
    failed: str = ""
    why: list[str] = []


def sorted_json(value: object) -> bytes:
    """Returns JSON that is the same for the same value."""
    return msgspec.json.encode(value, order="sorted")


def recipe_hash(recipe: Json, k: int, explain: bool) -> str:
    """Returns the fingerprint of what decides an engine's answers to all requests."""
    return hashlib.sha256(sorted_json([recipe, k, explain])).hexdigest()[:32]


def key_of(recipe: str, request: Request, used: Collection[str] | None = None) -> str:
    """Returns the fingerprint of a request: other words, parameters or templates give another.

    Neither the address of the engine nor a secret is part of it, so that a tape serves where the
    engine has another name or none; nor is a column of the queries that no template uses.

    Args:
        recipe: The fingerprint of the engine's templates, k and whether scores are explained.
        request: The request.
        used: The names that templates use; None if every value is used.
    """
    values = request.values
    if used is not None:
        kept = {"query", "query_id", "k", *used}
        values = {name: value for name, value in values.items() if name in kept}
    return hashlib.sha256(recipe.encode() + sorted_json(values)).hexdigest()[:32]
