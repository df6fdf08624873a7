"""One measure of all runs: values, tests of all pairs, and the ranks that follow."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.analysis.comparison.contrast import gain_sign
from relyon.analysis.comparison.pairing import Sample, common_values
from relyon.analysis.comparison.query_facts import QueryFacts
from relyon.analysis.leaderboard.board import Board, FirstTwo, Unit
from relyon.analysis.leaderboard.costs import cost_standings
from relyon.analysis.leaderboard.groups import letters, maximal_groups
from relyon.analysis.leaderboard.standing import Standing
from relyon.analysis.statistics import (
    ENOUGH_QUERIES,
    Resampling,
    is_significant,
    queries_needed,
    student_quantile,
)
from relyon.analysis.statistics.bounded import BoundedInterval, mean_interval
from relyon.analysis.statistics.separation import Part, Separation, separation
from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["Design", "rank_measure"]

SMALL_TASK, LACKING = "analysis.leave-out-small-task", "analysis.check-runs-of-leaderboard"
#: Runs that a note names.
NAMED = 4


@dataclass(frozen=True)
class Design:
    """What is ranked, and how.

    Attributes:
        runs: The names of the runs.
        level: The confidence level.
        draws: Number of draws and seed.
        facts: The clusters of queries.
        several: Whether values are by task.
        sampled: Whether tasks are the units.
        costs: By cost, the number of each run.
    """

    runs: tuple[str, ...]
    level: float
    draws: Resampling
    facts: QueryFacts
    several: bool
    sampled: bool
    costs: Mapping[str, Mapping[str, float]]


def rank_measure(
    name: str,
    definition: str,
    average: str,
    samples: Mapping[str, Sequence[Sample]],
    design: Design,
) -> tuple[Board, list[Note], dict[str, int]]:
    """Returns the leaderboard of one measure, notes, and the number of queries of each task.

    Args:
        name: The measure.
        definition: Its definition; empty for values of another program.
        average: How queries become one number.
        samples: By task, the values of all runs.
        design: What is ranked, and how.

    Raises:
        InputError: If runs have no query in common, or a task has too few.
    """
    sign = gain_sign(definition or name)
    queries, values, left = _values(name, samples, design)
    parts = [
        Part(sign * sums, sizes, 1 / len(values)) for sums, sizes in _units(queries, values, design)
    ]
    for task, part in zip(samples, parts, strict=True):
        if len(parts) > 1 and not design.sampled and part.sums.shape[1] < ENOUGH_QUERIES:
            raise InputError(
                message(
                    "analysis.task-has-few-clusters",
                    task=task,
                    count=part.sums.shape[1],
                    least=ENOUGH_QUERIES,
                ),
                hint=message("analysis.leave-out-small-task"),
            )
    if design.sampled:
        rows = sign * _means(values)
        parts = [Part(rows, _ones(rows))]
    found = separation(parts, design.draws)
    unit: Unit = (
        "tasks"
        if design.sampled
        else "queries of tasks"
        if design.several
        else "clusters"
        if design.facts.cluster
        else "queries"
    )
    count = sum(one.sums.shape[1] for one in parts)
    intervals = _intervals(values, parts, found, definition or name, average, sign, design)
    total = sum(map(len, queries.values()))
    names = tuple(samples) if design.several else ()
    standings = _standings(found, values, intervals, sign, design, names)
    places = [design.runs.index(one.run) for one in standings]
    alpha = 1 - design.level
    apart = found.p[places][:, places] <= alpha + 1e-12
    pairs = [
        (first, second)
        for first in range(len(places))
        for second in range(first + 1, len(places))
        if apart[first, second] and standings[first].value != standings[second].value
    ]
    grouped = maximal_groups(len(places), pairs)
    named = letters(grouped, len(places)) if grouped else [""] * len(places)
    standings = [replace(one, letters=letter) for one, letter in zip(standings, named, strict=True)]
    joined = set(pairs)
    board = Board(
        name,
        definition,
        average,
        tuple(standings),
        total,
        left,
        unit,
        count,
        tuple(tuple(standings[place].run for place in one) for one in grouped or ()),
        len(pairs),
        len(places) * (len(places) - 1) // 2,
        sum((place, place + 1) in joined for place in range(len(places) - 1)),
        _first_two(found, places, alpha, count),
    )
    counts = {task: len(found) for task, found in queries.items()}
    return board, _notes(board, values, design, grouped is None), counts


def _values(
    name: str, samples: Mapping[str, Sequence[Sample]], design: Design
) -> tuple[dict[str, tuple[str, ...]], list[Floats], int]:
    """Returns by task the queries that all runs have, runs x queries, and how many are left out."""
    queries, values, left = {}, [], 0
    least = ENOUGH_QUERIES if design.several and not design.sampled else 1
    for task, column in samples.items():
        every = {query for one in column for query in one.values}
        found, rows = common_values(column)
        if len(found) < least:
            where = message("analysis.in-task", task=task) if design.several else ""
            raise InputError(
                message(
                    "analysis.no-query-of-all-runs",
                    measure=name,
                    where=where,
                    count=len(found),
                    least=least,
                ),
                hint=message(SMALL_TASK if design.several else LACKING),
            )
        queries[task] = found
        values.append(rows)
        left += len(every) - len(found)
    return queries, values, left


def _units(
    queries: Mapping[str, tuple[str, ...]], values: Sequence[Floats], design: Design
) -> Iterator[tuple[Floats, Floats]]:
    """Yields, task by task, runs x units of sums, and how many queries each unit has."""
    import numpy as np

    for ids, rows in zip(queries.values(), values, strict=True):
        groups = design.facts.groups(ids)
        if groups is None:
            yield rows, _ones(rows)
            continue
        numbers, names = groups
        member = np.zeros((len(ids), len(names)))
        member[np.arange(len(ids)), numbers] = 1.0
        yield rows @ member, member.sum(axis=0)


def _ones(rows: Floats) -> Floats:
    import numpy as np

    return np.ones(rows.shape[1])


def _means(values: Sequence[Floats]) -> Floats:
    """Returns runs x tasks: the mean of each run on each task."""
    import numpy as np

    return np.array([[math.fsum(row) / len(row) for row in one.tolist()] for one in values]).T


def _intervals(
    values: Sequence[Floats],
    parts: Sequence[Part],
    found: Separation,
    measure: str,
    average: str,
    sign: int,
    design: Design,
) -> list[tuple[float, float]]:
    """Returns the interval of every run's value over other units.

    One task of queries: as `relyon evaluate --intervals` has it. Else Student's t with the standard
    error of the value: the units minus the tasks are its degrees of freedom, in fixed tasks those
    of Welch and Satterthwaite.
    """
    import numpy as np

    try:
        bounds = parse_measure(measure).bounds
    except (LookupError, ValueError):
        bounds = (-math.inf, math.inf)
    plain = len(values) == 1 and not design.facts.cluster and average == "macro"
    if plain and all(map(math.isfinite, bounds)):
        return [mean_interval(row, *bounds, design.level).bounds for row in values[0]]
    intervals = []
    squares = []
    for one in parts:
        units = one.sums.shape[1]
        apart = (one.sums - one.means[:, None] * one.sizes) * one.weight / one.sizes.sum()
        squares.append((units / max(units - 1, 1) * np.square(apart).sum(axis=1), units - 1))
    for place, value in enumerate((sign * found.values).tolist()):
        shares = [(float(square[place]), degrees) for square, degrees in squares]
        whole = math.fsum(square for square, _ in shares)
        below = math.fsum(square**2 / degrees for square, degrees in shares if degrees)
        if not whole > 0 or not below > 0:
            intervals.append((math.nan, math.nan))
            continue
        half = student_quantile(whole**2 / below, (1 + design.level) / 2) * math.sqrt(whole)
        cut = BoundedInterval((value - half, value + half), "t").cut(*bounds)
        intervals.append(cut.bounds)
    return intervals


def _standings(
    found: Separation,
    values: Sequence[Floats],
    intervals: Sequence[tuple[float, float]],
    sign: int,
    design: Design,
    of_tasks: Sequence[str],
) -> list[Standing]:
    """Returns the runs, the best first."""
    import numpy as np

    alpha = 1 - design.level + 1e-12
    tasks = _means(values)
    numbers = np.array([math.fsum(row) / len(row) for row in tasks.tolist()])
    better, worse = found.apart(alpha)
    firsts, lasts = found.ranks(alpha)
    own_firsts, own_lasts = found.ranks(alpha, own=True)
    goodness = (sign * numbers).tolist()
    order = sorted(range(len(design.runs)), key=lambda one: (-goodness[one], design.runs[one]))
    names = design.runs
    costs = {
        cost: cost_standings(
            by_run,
            [
                (names[one], goodness[one], [names[other] for other in np.flatnonzero(better[one])])
                for one in order
            ],
        )
        for cost, by_run in design.costs.items()
    }
    standings = []
    for place in order:
        run = names[place]
        above = sum(one > goodness[place] for one in goodness)
        standings.append(
            Standing(
                run,
                float(numbers[place]),
                intervals[place],
                above + 1,
                (int(firsts[place]), int(lasts[place])),
                (int(own_firsts[place]), int(own_lasts[place])),
                bool(found.best_p[place] > alpha),
                tuple(names[one] for one in order if better[place, one]),
                tuple(names[one] for one in order if worse[place, one]),
                "",
                dict(zip(of_tasks, tasks[place].tolist(), strict=False)),
                {cost: by_run[run] for cost, by_run in costs.items() if run in by_run},
            )
        )
    return standings


def _first_two(found: Separation, places: Sequence[int], alpha: float, units: int) -> FirstTwo:
    first, second = places[:2]
    difference = float(found.values[first] - found.values[second])
    p = float(found.p[first, second])
    spread = float(found.difference_errors[first, second]) * math.sqrt(units)
    needed = queries_needed(difference, spread, alpha) if spread > 0 else 0
    separated = difference > 0 and p <= alpha + 1e-12 and is_significant(units, p, alpha + 1e-12)
    return FirstTwo(difference, p, separated, needed)


def _notes(board: Board, values: Sequence[Floats], design: Design, ungrouped: bool) -> list[Note]:
    notes = []
    if board.units < ENOUGH_QUERIES:
        notes.append(
            Note("leaderboard-few-units", board.units, key=f"leaderboard-few-units.{_few(board)}")
        )
    if board.left_out:
        notes.append(
            Note(
                "leaderboard-left-out",
                board.left_out,
                values={"measure": board.measure, "queries": board.queries},
            )
        )
    twins = _identical(values, design.runs)
    if twins:
        values_of = {"measure": board.measure, "runs": twins[:NAMED]}
        notes.append(Note("leaderboard-identical", len(twins), values=values_of))
    if ungrouped:
        notes.append(Note("leaderboard-many-groups", values={"measure": board.measure}))
    runs = set(design.runs)
    lacking = sorted({run for by_run in design.costs.values() for run in runs - by_run.keys()})
    if lacking:
        notes.append(
            Note("leaderboard-unknown-costs", len(lacking), values={"runs": lacking[:NAMED]})
        )
    return notes


def _few(board: Board) -> str:
    return {"tasks": "tasks", "clusters": "clusters"}.get(board.unit, "queries")


def _identical(values: Sequence[Floats], runs: Sequence[str]) -> list[str]:
    """Returns runs whose values equal those of another run on every query."""
    seen: dict[bytes, list[str]] = {}
    for place, run in enumerate(runs):
        seen.setdefault(b"".join(one[place].tobytes() for one in values), []).append(run)
    return [run for same in seen.values() if len(same) > 1 for run in same]
