"""Judgments of chunks from judged passages."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from relyon import _native
from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note
from relyon.core.parameters import check_type
from relyon.core.texts import message
from relyon.data.judged_passages import JudgedPassages
from relyon.data.judgments import Judgments
from relyon.data.parts import JudgedPart, Part
from relyon.data.source import path_of

if TYPE_CHECKING:
    from relyon.data.chunks import Chunks
    from relyon.data.passage_rows import Passage
    from relyon.data.scale import Scale

__all__ = ["chunk_judgments"]

#: Before the name of a passage of which no chunk contains enough.
PREFIX = "passage:"
#: Ids that a note names.
NAMED = 3


def chunk_judgments(
    passages: Sequence[Passage],
    chunks: Chunks,
    share: float,
    *,
    scale: Scale | None,
    source: str,
    notes: tuple[Note, ...],
) -> Judgments:
    """Returns the judgments of chunks; see `Passages.judgments`.

    Args:
        passages: The passages.
        chunks: The chunks.
        share: The share of a passage that a chunk must contain.
        scale: The grade scale.
        source: Where the passages come from.
        notes: Notes about them.

    Raises:
        InputError: If there is no passage, or quotes have not been searched.
        ParameterError: If the share is not above 0 and at most 1.
    """
    check_type("share", share, (int, float), "a number")
    if not 0 < share <= 1:
        raise ParameterError(message("data.parameter-share", share=share))
    if not len(passages):
        raise InputError(message("data.there-are-no-passages"), path=path_of(source))
    open_ones = [one for one in passages if one.resolution == "not searched"]
    if open_ones:
        raise InputError(
            message("data.quotes-not-searched", count=len(open_ones), first=open_ones[0].shown),
            path=path_of(source),
            hint=message("data.give-texts"),
        )
    by_query: dict[str, dict[tuple[Part, str], JudgedPart]] = {}
    for one in passages:
        _add(by_query.setdefault(one.query, {}), one, path_of(source))
    judged = {query: tuple(found.values()) for query, found in by_query.items()}
    grades: dict[str, dict[str, dict[str, float]]] = {}
    loose = 0
    for query, parts in judged.items():
        held = grades[query] = {}
        for passage in parts:
            enough = _holding(passage.part, chunks, share)
            if not enough:
                loose += passage.part.found
                enough = [_unused(PREFIX + passage.name, chunks)]
            for chunk in enough:
                held.setdefault(chunk, {})[passage.name] = passage.grade
    table = _native.JudgmentTable.from_dict(grades)
    found = (*notes, *chunks.notes, *_notes(passages, chunks, loose, share))
    return Judgments(
        table,
        scale=scale,
        source=source,
        notes=found,
        passages=JudgedPassages(judged, chunks),
    )


def _add(found: dict[tuple[Part, str], JudgedPart], one: Passage, path: str) -> None:
    """Adds a passage of a query; quotes that are at the same place count once.

    Raises:
        InputError: If they have different grades.
    """
    key = one.part, "" if one.part.found else one.quote
    document, start, end, known_place = one.part
    place = f"{start}-{end}" if known_place else f"?{_digest(one.quote)}"
    known = found.setdefault(
        key, JudgedPart(one.name or f"{document}:{place}", one.part, one.grade)
    )
    if known.grade != one.grade:
        raise InputError(
            message("data.passages-at-one-place", passage=one.shown),
            path=path,
            hint=message("data.leave-one-passage"),
        )


def _digest(quote: str) -> str:
    """Returns the name of a quote that was not found, which does not depend on its row."""
    return hashlib.sha256(quote.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def _holding(part: Part, chunks: Chunks, share: float) -> list[str]:
    """Returns the chunks that contain enough of a passage."""
    return [
        chunk
        for chunk in chunks.overlapping(part)
        if _shared(chunks.parts[chunk], part) / part.length >= share
    ]


def _shared(one: Part, other: Part) -> int:
    return min(one.end, other.end) - max(one.start, other.start)


def _unused(name: str, chunks: Chunks) -> str:
    while name in chunks:
        name = "_" + name
    return name


def _notes(passages: Sequence[Passage], chunks: Chunks, loose: int, share: float) -> Iterable[Note]:
    documents = dict.fromkeys(chunks.documents)
    missing = [one for one in passages if one.part.found and one.part.document not in documents]
    if missing:
        names = tuple(dict.fromkeys(one.part.document for one in missing))
        values = {"of": len(passages), "known": next(iter(documents), "")}
        yield Note("passages-without-chunks", len(missing), "warning", names[:NAMED], values)
    if loose > len(missing):
        yield Note("passages-in-no-chunk", loose - len(missing), "info", values={"share": share})
