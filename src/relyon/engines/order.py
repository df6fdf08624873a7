"""From answers to a run: the engine's order counts, also where its scores do not give it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import polars as pl

from relyon.core.notes import Note
from relyon.data.run import Run
from relyon.engines.answers import Answers
from relyon.engines.entry import Entry

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
    notes = []
    by_rank = scores == "rank"
    if not by_rank:
        faults = _faults(answers.frame)
        by_rank = "missing" in faults or (scores == "auto" and bool(faults))
        for kind, found in faults.items():
            what = f"search-scores-{kind}"
            key = "" if by_rank else f"{what}.kept"
            notes.append(Note(what, len(found), examples=tuple(found[:NAMED]), key=key))
            break
    rows = answers.frame.filter(pl.col("ids").list.len() > 0)
    if by_rank:
        rows = rows.with_columns(scores=pl.int_ranges(k, k - pl.col("ids").list.len(), -1))
    columns = rows.select("query", document="ids", score="scores").explode("document", "score")
    return Run.from_frame(columns, name=name), tuple(notes)


def _faults(frame: pl.DataFrame) -> dict[str, list[str]]:
    """Returns the queries with missing scores, rising scores and equal ones, if there are any."""
    scores = pl.col("scores")
    steps = scores.list.diff()
    kind = (
        pl.when(scores.list.eval(pl.element().is_null()).list.any())
        .then(pl.lit("missing"))
        .when(steps.list.max() > 0)
        .then(pl.lit("rising"))
        .when(steps.list.eval(pl.element() == 0).list.any())
        .then(pl.lit("equal"))
    )
    found = frame.select("query", kind=kind)
    queries = {
        name: found.filter(pl.col("kind") == name)["query"].to_list()
        for name in ("missing", "rising", "equal")
    }
    return {name: some for name, some in queries.items() if some}
