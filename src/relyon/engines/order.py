"""From answers to a run: the engine's order counts, also where its scores do not give it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import polars as pl

from relyon.core.notes import Note
from relyon.data.run import Run
from relyon.engines.answers import Answers
from relyon.engines.tapes.entry import Entry

__all__ = ["Scores", "make_run"]

#: Where the scores of a run come from.
Scores = Literal["auto", "engine", "rank"]
#: Ids that a note names.
NAMED = 3


def make_run(
    entries: Iterable[Entry] | Answers, name: str, k: int, scores: Scores = "auto"
) -> tuple[Run, tuple[Note, ...]]:
    """Returns the run of a variant's entries, and notes on how it came about.

    Users see the engine's order. A run is ordered by its scores; where these are missing, equal or
    rising for any query, they would give another order, so that `auto` replaces all scores of the
    run by k + 1 − rank.

    Args:
        entries: The entries, one per query.
        name: The name of the run.
        k: How many results were asked for.
        scores: `engine` keeps the engine's scores unless one is missing; `rank` never does.

    Examples:
        >>> entry = Entry(key="", variant="base", query="q1", ids=["d1", "d2"], scores=[1.0, 1.0])
        >>> run, notes = make_run([entry], "base", 10)
        >>> run.to_dict(), notes[0].kind
        ({'q1': {'d1': 10.0, 'd2': 9.0}}, 'search-scores-equal')
    """
    answers = entries if isinstance(entries, Answers) else Answers.of(entries)
    queries = pl.Series([one.query for one in answers.outlines], dtype=pl.String)
    place = pl.Series(answers.places)
    found = answers.scores
    notes = []
    by_rank = scores == "rank"
    if not by_rank:
        faults = _faults(queries, place, found)
        by_rank = "missing" in faults or (scores == "auto" and bool(faults))
        for kind, named in faults.items():
            what = f"search-scores-{kind}"
            key = "" if by_rank else f"{what}.kept"
            notes.append(Note(what, len(named), examples=tuple(named[:NAMED]), key=key))
            break
    if by_rank:
        found = pl.Series(k + 1.0 - answers.ranks)
    columns = {"query": queries.gather(place), "document": answers.ids, "score": found}
    return Run.from_frame(pl.DataFrame(columns), name=name), tuple(notes)


def _faults(queries: pl.Series, place: pl.Series, scores: pl.Series) -> dict[str, list[str]]:
    """Returns the queries with missing scores, rising scores and equal ones, if there are any.

    A query counts for the first of them that it has.

    Args:
        queries: All queries.
        place: The place of each result's query among them.
        scores: The score of each result.
    """
    within = place == place.shift()
    step = scores.diff()
    tests = {
        "missing": scores.is_null(),
        "rising": within & (step > 0),
        "equal": within & (step == 0),
    }
    found: dict[str, list[str]] = {}
    seen: set[int] = set()
    for kind, test in tests.items():
        numbers = place.filter(test).unique(maintain_order=True)
        left = [number for number in numbers if number not in seen]
        if left:
            found[kind] = queries.gather(left).to_list()
            seen.update(left)
    return found
