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
    rows = (
        answers.frame.lazy()
        .select("query", "ids", "scores", place=pl.int_range(pl.len()))
        .filter(pl.col("ids").list.len() > 0)
        .explode("ids", "scores")
        .collect()
    )
    notes = []
    by_rank = scores == "rank"
    if not by_rank:
        faults = _faults(rows)
        by_rank = "missing" in faults or (scores == "auto" and bool(faults))
        for kind, found in faults.items():
            what = f"search-scores-{kind}"
            key = "" if by_rank else f"{what}.kept"
            notes.append(Note(what, len(found), examples=tuple(found[:NAMED]), key=key))
            break
    if by_rank:
        rows = rows.with_columns(scores=k - pl.int_range(pl.len()).over("place"))
    columns = rows.select("query", document="ids", score="scores")
    return Run.from_frame(columns, name=name), tuple(notes)


def _faults(rows: pl.DataFrame) -> dict[str, list[str]]:
    """Returns the queries with missing scores, rising scores and equal ones, if there are any.

    A query counts for the first of them that it has.
    """
    place, score = pl.col("place"), pl.col("scores")
    step = pl.when(place == place.shift()).then(score.diff())
    tests = {"missing": score.is_null(), "rising": step > 0, "equal": step == 0}
    found: dict[str, list[str]] = {}
    seen: set[int] = set()
    for kind, test in tests.items():
        queries = dict(
            rows.filter(test).select("place", "query").unique(maintain_order=True).rows()
        )
        queries = {number: query for number, query in queries.items() if number not in seen}
        if queries:
            found[kind] = list(queries.values())
            seen.update(queries)
    return found
