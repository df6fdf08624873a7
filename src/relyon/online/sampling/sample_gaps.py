"""Positions that the result lists of a sample lack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.core.notes import Note

if TYPE_CHECKING:
    from relyon.online.sampling.sample import Sample

__all__ = ["note_gaps"]


def note_gaps(sample: Sample) -> tuple[Note, ...]:
    """Returns a note if sessions lack a position above their last one.

    A log may have such gaps, so they are not refused; deleted rows look the same.

    Args:
        sample: A sample.
    """
    import polars as pl

    shown = sample.results.group_by("session", "query").agg(pl.col("position").unique().sort())
    gaps = shown.filter(pl.col("position").list.last() > pl.col("position").list.len())
    if gaps.is_empty():
        return ()
    draws = sample.sessions.select("draw", "session", "query")
    draw, session, query, positions = draws.join(gaps, on=["session", "query"]).sort("draw").row(0)
    found = {
        "total": shown.height,
        "draw": draw,
        "query": query,
        "session": session,
        "position": next(at for at in range(1, positions[-1]) if at not in positions),
    }
    return (Note("positions-missing", gaps.height, "warning", values=found),)
