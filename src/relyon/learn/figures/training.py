"""Figures about training: what losses push scores towards, and what NDCG makes of it."""

from __future__ import annotations

from functools import cache
from math import exp, log1p

import numpy as np
from numpy.typing import NDArray

import relyon.ltr
from relyon.evaluation import evaluate_scores
from relyon.learn.figures import Figure, figure
from relyon.measures.parser import measure

__all__ = ["capacity", "descent", "slope", "staircase"]

Values = NDArray[np.float64]

#: Losses by the names that lessons call them; gains are the grades themselves, as in lesson 2.
LOSSES = {
    "regression": "squared_error",
    "ranknet": "ranknet",
    "lambdarank": "lambdarank(measure=ndcg(gain=linear),normalize=false)",
    "softrank": "softrank(sigma=0.3,gain=linear)",
    "listnet": "listnet",
}

#: The list of the staircase: the third document is the best, and the others keep their scores.
STAIR_GRADES = np.array([0.0, 1.0, 3.0, 0.0, 0.0, 0.0])
STAIR_SCORES = np.array([2.0, 1.2, 0.0, 0.4, -0.8, -1.6])

#: One query, badly ranked at first, and how far all its scores together move in one step.
GRADES = np.array([0.0, 1.0, 0.0, 2.0, 0.0, 0.0, 1.0, 3.0])
SCORES = np.array([1.4, 1.2, 1.0, 0.8, 0.6, 0.4, 0.2, 0.0])
STEP = 0.1

#: Lists for a model that cannot order them all: twelve documents, two features.
LISTS = 100
LINEAR_GRADES = np.array([3.0, 2, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0])


@figure("staircase")
def staircase(setting: float) -> Figure:
    """NDCG by the score of the best document, and SoftRank's curve for σ = setting."""
    places = np.linspace(-2.5, 3.5, 121)
    lists = np.tile(STAIR_SCORES, (len(places), 1))
    lists[:, 2] = places
    steps = np.array([_ndcg(STAIR_GRADES, scores) for scores in lists])
    loss = relyon.ltr.loss(f"softrank(sigma={setting:g},gain=linear)")
    found = loss.evaluate(np.tile(STAIR_GRADES, (len(places), 1)), lists)
    push = -found.gradient.reshape(lists.shape)[places < STAIR_SCORES[0], 2]
    smooth = 1 - found.values
    return Figure(
        {
            "off": float(np.abs(smooth - steps).mean()),
            "flat": float(np.mean(push < 0.01)),
        },
        {"ndcg": _points(places, steps), "softrank": _points(places, smooth)},
    )


@figure("slope")
def slope(setting: float) -> Figure:
    """RankNet's loss of one pair by how far the better document is ahead, and its slope there."""
    loss = relyon.ltr.loss("ranknet")
    found = loss.evaluate([1, 0], [setting, 0.0])
    value, rise = float(found.values[0]), float(found.gradient[0])
    places = np.linspace(-4, 4, 81)
    curve = [log1p(exp(-place)) for place in places]
    ends = [setting - 1, setting + 1]
    return Figure(
        {"loss": value, "lambda": -rise},
        {
            "curve": _points(places, np.array(curve)),
            "tangent": [(end, max(0.0, value + rise * (end - setting))) for end in ends],
        },
    )


@figure("descent")
def descent(setting: float) -> Figure:
    """NDCG of one query after so many steps down each loss, its scores being free to move."""
    steps = int(setting)
    values, series = {}, {}
    for name in LOSSES:
        path = _descent(name)
        values[name] = path[steps]
        series[name] = [(float(step), one) for step, one in enumerate(path[: steps + 1])]
    return Figure(values, series)


@figure("capacity")
def capacity(setting: float) -> Figure:
    """NDCG that each loss reaches with two features, and the most that can be reached with them."""
    reached = _capacity()
    values = {name: float(one.mean()) for name, one in reached.items()}
    ahead = reached["lambdarank"] - reached["ranknet"]
    values["ahead"] = float(np.mean(ahead > 1e-9))
    values["behind"] = float(np.mean(ahead < -1e-9))
    return Figure(values)


def _ndcg(grades: Values, scores: Values) -> float:
    order = np.argsort(-scores, kind="stable")
    return float(measure("ndcg").score(grades[order].tolist()))


def _points(places: Values, values: Values) -> list[tuple[float, float]]:
    return [(round(float(x), 4), round(float(y), 5)) for x, y in zip(places, values, strict=True)]


@cache
def _descent(name: str) -> list[float]:
    """NDCG before each step: every step has the same length, so that losses can be compared."""
    loss = relyon.ltr.loss(LOSSES[name])
    scores, path = SCORES.copy(), []
    for _ in range(61):
        path.append(_ndcg(GRADES, scores))
        gradient = loss.evaluate(GRADES, scores, hessian=False).gradient
        length = float(np.linalg.norm(gradient))
        if length > 1e-9:
            scores = scores - STEP * gradient / length
    return path


@cache
def _capacity() -> dict[str, Values]:
    """NDCG of every list under each loss, with a linear model of its own for each list."""
    chance = np.random.default_rng(12)
    shape = (LISTS, len(LINEAR_GRADES))
    grades = np.tile(LINEAR_GRADES, (LISTS, 1))
    features = np.stack(
        [grades + chance.normal(0, 1.3, shape), grades / 2 + chance.normal(0, 1.0, shape)], axis=2
    )
    features -= features.mean(axis=1, keepdims=True)
    found = {}
    for name, called in LOSSES.items():
        loss = relyon.ltr.loss(called)
        weights = np.full((LISTS, 2), 0.1)
        for step in range(150):
            scores = np.einsum("ldf,lf->ld", features, weights)
            gradient = loss.evaluate(grades, scores, hessian=False).gradient.reshape(shape)
            slopes = np.einsum("ldf,ld->lf", features, gradient)
            lengths = np.linalg.norm(slopes, axis=1, keepdims=True)
            weights -= 0.1 / (1 + step / 15) * slopes / np.maximum(lengths, 1e-9)
        found[name] = _of_each(grades, np.einsum("ldf,lf->ld", features, weights))
    turns = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    every = [features @ np.array([np.cos(turn), np.sin(turn)]) for turn in turns]
    found["best"] = np.max([_of_each(grades, scores) for scores in every], axis=0)
    return found


def _of_each(grades: Values, scores: Values) -> Values:
    results = evaluate_scores(
        grades.ravel(), scores.ravel(), [grades.shape[1]] * len(grades), ["ndcg"]
    )
    return np.array(list(results.values_by_query("ndcg").values()))
