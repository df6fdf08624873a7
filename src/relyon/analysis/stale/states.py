"""The state of every judged document: what it said when it was judged, against what it says now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from relyon.data.document_prints import (
    ContentPrint,
    closeness,
    content_print,
    fingerprint_of,
    normal_text,
)
from relyon.io.content_prints import KnownPrints
from relyon.io.document_rows import DocumentRows

__all__ = ["STATES", "Compared", "PairState", "State", "compare_contents"]

State: TypeAlias = Literal["same", "near", "changed", "gone", "moved", "unknown"]
STATES: tuple[State, ...] = get_args(State)

Pair: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class PairState:
    """What became of one judged document.

    Attributes:
        state: One of `STATES`.
        closeness: The share of words in common; NaN if either content is unknown.
        new_id: The id under which the old content is found; empty if it is under none.
    """

    state: State
    closeness: float
    new_id: str = ""


@dataclass(frozen=True)
class Compared:
    """All pairs, compared with the collection of today.

    Attributes:
        states: By query and document.
        documents: The number of documents of the collection.
        repeated: Documents that occur several times today with different contents.
    """

    states: Mapping[Pair, PairState]
    documents: int
    repeated: tuple[str, ...]


def compare_contents(
    pairs: Iterable[Pair], then: KnownPrints, today: DocumentRows, *, near: float
) -> Compared:
    """Compares what documents said when they were judged with a collection, read once.

    Memory grows with the judged documents, not with the collection. In this order: `same`: the same
    id has the same fingerprint. `near`: the same id, and a closeness of at least `near`. `moved`:
    another id has the same fingerprint, and did not have it then as far as is known. `changed`: the
    same id with another content. `gone`: no such id. `unknown`: what it said then is unknown or
    without a text.

    Args:
        pairs: The judged pairs of query and document.
        then: What documents said when they were judged, of the same fields as `today`.
        today: The collection.
        near: The least closeness that counts as nearly the same.
    """
    asked = list(dict.fromkeys(pairs))
    judged = {document for _, document in asked}
    old = {pair: found for pair in asked if (found := then.find(*pair)) is not None}
    wanted: dict[str, str] = {one.fingerprint: "" for one in old.values()}
    before: dict[str, set[str]] = {}
    for document, one in (
        *then.documents.items(),
        *((document, one) for (_, document), one in then.pairs.items()),
    ):
        if one.fingerprint in wanted:
            before.setdefault(one.fingerprint, set()).add(document)
    now: dict[str, ContentPrint] = {}
    repeated: dict[str, None] = {}
    count = 0
    for document, parts in today:
        count += 1
        # Of most documents the words do not matter.
        mark = fingerprint_of([normal_text(part) for part in parts])
        if document in judged:
            one = now.setdefault(document, content_print(parts))
            if mark != one.fingerprint:
                repeated[document] = None
        if wanted.get(mark, "-") == "" and document not in before[mark]:
            wanted[mark] = document
    states = {pair: _state(pair[1], old.get(pair), now, wanted, near) for pair in asked}
    return Compared(states, count, tuple(repeated))


def _state(
    document: str,
    old: ContentPrint | None,
    now: Mapping[str, ContentPrint],
    places: Mapping[str, str],
    near: float,
) -> PairState:
    new = now.get(document)
    if old is None:
        # That a document is gone is known without its text.
        return PairState("gone" if new is None else "unknown", float("nan"))
    close = float("nan") if new is None else closeness(old, new)
    if new is not None and new.fingerprint == old.fingerprint:
        return PairState("same", close)
    if new is not None and close >= near:
        return PairState("near", close)
    if places[old.fingerprint]:
        return PairState("moved", close, places[old.fingerprint])
    return PairState("gone" if new is None else "changed", close)
