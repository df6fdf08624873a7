"""From answers to a run: the engine's order counts, also where its scores do not give it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal

from relyon.core.notes import Note
from relyon.data.run import Run
from relyon.engines.entry import Entry

__all__ = ["Scores", "make_run"]

#: Where the scores of a run come from.
Scores = Literal["auto", "engine", "rank"]
#: Ids that a note names.
NAMED = 3


def make_run(
    entries: Sequence[Entry], name: str, k: int, scores: Scores = "auto"
) -> tuple[Run, tuple[Note, ...]]:
    """Returns the run of a variant's entries, and notes on how it came about.

    Users see the engine's order. A run is ordered by its scores; where these are missing, equal or
    rising for any query, they would give another order, so that `auto` replaces all scores of the
    run by k + 1 − rank.

    Args:
        entries: The entries, one per query.
        name: The name of the run.
        k: How many results were asked for.
        scores: `engine` keeps the engine's scores in any case; `rank` never does.

    Examples:
        >>> entry = Entry(key="", variant="base", query="q1", ids=["d1", "d2"], scores=[1.0, 1.0])
        >>> run, notes = make_run([entry], "base", 10)
        >>> run.to_dict(), notes[0].kind
        ({'q1': {'d1': 10.0, 'd2': 9.0}}, 'search-scores-equal')
    """
    notes = []
    by_rank = scores == "rank"
    if scores != "rank":
        missing, rising, equal = _faults(entries)
        by_rank = bool(missing) or (scores == "auto" and bool(rising or equal))
        for kind, found in (("missing", missing), ("rising", rising), ("equal", equal)):
            if found:
                what = f"search-scores-{kind}"
                key = "" if by_rank else f"{what}.kept"
                notes.append(Note(what, len(found), examples=tuple(found[:NAMED]), key=key))
                break
    table: dict[str, Mapping[str, float | None]] = {}
    ranks: list[float | None] = [float(k - place) for place in range(k)]
    for entry in entries:
        if entry.ids:
            chosen = ranks[: len(entry.ids)] if by_rank else entry.scores
            table[entry.query] = dict(zip(entry.ids, chosen, strict=True))
    return Run.from_dict(table, name=name), tuple(notes)


def _faults(entries: Sequence[Entry]) -> tuple[list[str], list[str], list[str]]:
    """Returns the queries with missing scores, rising scores, and equal ones."""
    missing: list[str] = []
    rising: list[str] = []
    equal: list[str] = []
    for entry in entries:
        found = [one for one in entry.scores if one is not None]
        if len(found) < len(entry.scores):
            missing.append(entry.query)
        elif any(after > before for before, after in pairwise(found)):
            rising.append(entry.query)
        elif len(set(found)) < len(found):
            equal.append(entry.query)
    return missing, rising, equal
