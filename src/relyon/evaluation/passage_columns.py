"""Rankings of chunks for measures of passages, as little as these need."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

from relyon.data.ranked_chunks import RankedChunks
from relyon.data.ranking import first_rows

if TYPE_CHECKING:
    from relyon.data.convention import Convention
    from relyon.data.judged_passages import JudgedPassages
    from relyon.evaluation.program import Program

__all__ = ["only_places", "ranked_chunks"]


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
