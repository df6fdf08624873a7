"""One request and what became of it, as tapes keep it."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from relyon.engines.asked import Query, Request, Variant
    from relyon.engines.files.template import Json, Scalar

__all__ = ["Entry", "key_of", "query_key", "recipe_hash", "sorted_json", "variant_key"]


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
    return query_key(variant_key(recipe, request.variant, used), request.query, used)


def variant_key(recipe: str, variant: Variant, used: Collection[str] | None) -> hashlib._Hash:
    """Returns the part of a key that all requests of a variant share."""
    return hashlib.sha256(recipe.encode() + sorted_json(_used(variant.parameters, used)))


def query_key(start: hashlib._Hash, query: Query, used: Collection[str] | None) -> str:
    """Returns the key of a request, whose start is `variant_key`."""
    digest = start.copy()
    digest.update(sorted_json([query.id, query.text, _used(query.values, used)]))
    return digest.hexdigest()[:32]


def _used(values: Mapping[str, Scalar], used: Collection[str] | None) -> Mapping[str, Scalar]:
    return values if used is None else {name: values[name] for name in values if name in used}
