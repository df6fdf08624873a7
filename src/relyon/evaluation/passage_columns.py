"""Rankings of chunks for measures of passages, as little as these need."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.ranked_chunks import RankedChunks
from relyon.data.ranking import first_rows

if TYPE_CHECKING:
    from relyon.data.convention import Convention
    from relyon.data.judged_passages import JudgedPassages
    from relyon.evaluation.program import Program

__all__ = ["chunk_notes", "only_places", "ranked_chunks"]

#: Chunks that a note names.
NAMED = 3


def chunk_notes(
    program: Program,
    passages: JudgedPassages | None,
    lists: Iterable[tuple[str, Sequence[str]]],
    path: str = "",
) -> tuple[Note, ...]:
    """Notes retrieved chunks that the table of chunks does not have: it may be that of another run.

    Args:
        program: The measures.
        passages: The judged passages; without them nothing is noted.
        lists: The ids of the judged queries, each with retrieved chunks.
        path: The file of the run.

    Raises:
        InputError: If there is one and a measure of passages needs its place.
    """
    if passages is None:
        return ()
    parts = passages.chunks.parts
    unknown: list[str] = []
    count = rows = 0
    for query, chunks in lists:
        rows += len(chunks)
        lost = [chunk for chunk in chunks if chunk not in parts]
        if lost and not count:
            unknown = lost[:NAMED]
            if program.convention.unjudged not in ("removed", "ignored") and any(
                one.needs_passages for one in program.asked
            ):
                raise InputError(
                    message("measures.chunk-without-place", query=query, chunk=lost[0]),
                    path=path,
                    hint=message("measures.give-chunks-of-run"),
                )
        count += len(lost)
    if not count:
        return ()
    return (Note("chunks-not-in-table", count, "warning", tuple(unknown), {"of": rows}),)


def only_places(program: Program, passages: JudgedPassages | None) -> bool:
    """Whether all measures without a kernel need nothing but the places of ranked chunks."""
    return (
        passages is not None
        and all(one.needs_passages for _, one in program.in_python)
        and program.convention.unjudged not in ("removed", "ignored")
    )


def ranked_chunks(
    query: str,
    listed: tuple[Sequence[str], Sequence[float], Sequence[int] | None],
    passages: JudgedPassages,
    convention: Convention,
) -> RankedChunks | None:
    """Returns the places of a query's chunks in order; None if a chunk is unknown or tied.

    Args:
        query: The query.
        listed: Its chunks, scores and ranks.
        passages: The judged passages.
        convention: The rules.
    """
    chunks, scores, ranks = listed
    known = scores
    if convention.scores == "float32":
        known = struct.unpack(f"{len(scores)}f", struct.pack(f"{len(scores)}f", *scores))
    if (convention.ties == "rank" and ranks is None) or len({*known}) < len(known):
        return None
    rows = first_rows(chunks, scores, ranks, len(chunks), convention)
    parts = passages.chunks.parts
    try:
        places = tuple([parts[chunks[row]] for row in rows])
    except KeyError:
        return None
    return RankedChunks((), {}, query, passages=passages.of(query), places=places)
