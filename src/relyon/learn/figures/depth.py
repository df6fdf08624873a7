"""Figures about the cutoff: what users see, what is judged, how many queries it takes."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

import relyon
from relyon.analysis import statistics
from relyon.analysis.depth import Depth, LastClicks
from relyon.labels import Crowd, UserBehaviour, simulate
from relyon.learn.figures import Figure, figure
from relyon.online.logs import last_clicks

__all__ = ["depth", "peeking"]

QUERIES = 100
DOCUMENTS = 40
SESSIONS = 4000
#: Ranks that people graded, of both runs.
GRADED = 15
CUTOFFS = (1, 2, 3, 5, 10, 20, 30)
#: The share of the mean that is to be detected.
RELATIVE = 0.1
LEVEL = 0.05
#: Comparisons of equals, and the queries of each.
REPEATS, EACH = 400, 50
MEASURE, RECALL = "ndcg", "recall"

Graded = dict[str, dict[str, float]]
Values = NDArray[np.float64]


@figure("depth")
def depth(setting: float) -> Figure:
    """The advice of `relyon.depth` on a cutoff, for two rankers and a log of simulated users.

    Without a cutoff: the rank by which 95% of the users have their last click.
    """
    found, clicks, cutoff = *_found(), int(setting)
    if not cutoff:
        return Figure({"covers": float(clicks.rank(0.95))})
    new = found.series(MEASURE, found.runs[1])
    recall = found.series(RECALL, found.runs[1])
    curves = {
        "seen": {k: clicks.share(k) for k in found.cutoffs},
        "judged": {k: new[k].judged for k in found.cutoffs},
        "recall": {k: recall[k].value for k in found.cutoffs},
    }
    values = {name: curve[cutoff] for name, curve in curves.items()}
    values["needed"] = float(statistics.queries_needed(RELATIVE, new[cutoff].deviation_share))
    series = {
        name: [(float(k), round(value, 4)) for k, value in curve.items()]
        for name, curve in curves.items()
    }
    return Figure(values, {**series, "here": [(float(cutoff), 0.0), (float(cutoff), 1.0)]})


@figure("peeking")
def peeking(_: float) -> Figure:
    """Two equally good rankers at several cutoffs: how often one of them seems to be ahead."""
    chance = np.random.default_rng(7)
    grades, quality = _queries(chance, REPEATS * EACH)
    names = [f"{MEASURE}@{k}" for k in CUTOFFS]
    runs = [
        relyon.evaluate_scores(grades, _disturbed(chance, quality, 0.5), measures=names)
        for _ in range(2)
    ]
    columns = [np.asarray(runs[1].column(one)) - np.asarray(runs[0].column(one)) for one in names]
    alarms = np.zeros((REPEATS, 2))
    for place, differences in enumerate(
        np.reshape(columns, (len(names), REPEATS, EACH)).swapaxes(0, 1)
    ):
        p_values = [statistics.paired_test("t", one).p for one in differences]
        alarms[place] = min(p_values), min(statistics.adjust(p_values, "holm"))
    any_, corrected = (alarms <= LEVEL).mean(axis=0)
    return Figure({"any": float(any_), "holm": float(corrected)})


@cache
def _found() -> tuple[Depth, LastClicks]:
    """Returns the depths of two rankers, of which people graded the first ranks, and the clicks."""
    chance = np.random.default_rng(5)
    grades, quality = _queries(chance, QUERIES)
    old, new = (_lists(_disturbed(chance, quality, noise)) for noise in (0.9, 0.7))
    every = _lists(grades)
    top = {
        query: {one for run in (old, new) for one in _first(run[query], GRADED)} for query in every
    }
    judgments = {
        query: {one: grade for one, grade in row.items() if one in top[query]}
        for query, row in every.items()
    }
    behaviour = UserBehaviour(depth=DOCUMENTS, eta=2.0)
    users = simulate(
        new,
        every,
        "pbm",
        sessions=SESSIONS,
        seed=2,
        behaviour=behaviour,
        crowd=Crowd(frequencies=0.0),
    )
    clicks = last_clicks(users.log)
    found = relyon.depth(
        judgments,
        old,
        new,
        names=["old", "new"],
        at=range(1, max(CUTOFFS) + 1),
        measures=[MEASURE, RECALL],
        clicks=clicks,
    )
    return found, clicks


def _queries(chance: np.random.Generator, count: int) -> tuple[Values, Values]:
    """Returns grades, and scores that follow them more closely for some queries than others."""
    shape = (count, DOCUMENTS)
    relevant = chance.random(shape) < chance.beta(1, 8, (count, 1))
    relevant[:, 0] = True
    grades = (relevant * chance.integers(1, 4, shape)).astype(np.float64)
    quality = grades * chance.exponential(0.6, (count, 1)) + chance.normal(0, 0.8, shape)
    return grades, quality


def _disturbed(chance: np.random.Generator, quality: Values, noise: float) -> Values:
    return np.asarray(quality + chance.normal(0, noise, quality.shape))


def _lists(rows: Values) -> Graded:
    names = [f"d{place}" for place in range(DOCUMENTS)]
    return {
        f"q{place}": dict(zip(names, row, strict=True)) for place, row in enumerate(rows.tolist())
    }


def _first(scores: dict[str, float], count: int) -> list[str]:
    return sorted(scores, key=scores.__getitem__, reverse=True)[:count]
