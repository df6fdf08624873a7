"""Intervals of position bias cover the truth, and doubts stay silent, in logs of the model."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from relyon.labels import PositionBias, estimate_bias

EXAMINATION = 1 / np.arange(1, 7) ** 0.7
SESSIONS, REPEATS = 3_000, 200
HARVEST = ("all-pairs", "pivot", "chain")

pytestmark = pytest.mark.slow


def draw(queries: int, generator: np.random.Generator) -> pl.DataFrame:
    """A log in which better documents mostly stand further up; few queries have most sessions."""
    depth, documents = len(EXAMINATION), len(EXAMINATION) + 2
    share = 1 / np.arange(1, queries + 1) ** 0.5
    query = generator.choice(queries, SESSIONS, p=share / share.sum())
    attracts = 1 / (1 + np.exp(1.5 - 1.2 * generator.normal(size=(queries, documents))))
    score = 0.5 * np.log(attracts)[query] + generator.gumbel(size=(SESSIONS, documents))
    order = np.argsort(-score, axis=1)[:, :depth]
    chances = EXAMINATION * np.take_along_axis(attracts[query], order, axis=1)
    return pl.DataFrame(
        {
            "session": np.repeat(np.arange(SESSIONS), depth),
            "query": np.repeat(query, depth),
            "doc": order.ravel(),
            "position": np.tile(np.arange(1, depth + 1), SESSIONS),
            "clicked": (generator.random(order.shape) < chances).ravel(),
        }
    )


def covered(found: PositionBias, name: str) -> NDArray[np.bool_]:
    return np.array(
        [one.low <= theta <= one.high for one, theta in zip(found[name], EXAMINATION, strict=True)][
            1:
        ]
    )


@pytest.mark.parametrize("queries", [10, 30, 1_000])
def test_coverage(queries: int) -> None:
    generator = np.random.default_rng(7)
    inside = {name: np.zeros(len(EXAMINATION) - 1) for name in (*HARVEST, "em")}
    alarms = 0
    for _ in range(REPEATS):
        found = estimate_bias(draw(queries, generator), [*HARVEST, "em"])
        for name in inside:
            inside[name] += covered(found, name)
        alarms += any(one.second != "em" for one in found.doubts)
    bound = 4 * np.sqrt(0.95 * 0.05 / REPEATS)
    for name in HARVEST:
        shares = inside[name] / REPEATS
        assert (shares > 0.95 - bound).all(), (name, shares)
        assert shares.mean() < 0.985, (name, shares)
    assert alarms / REPEATS < 0.05 + bound
    shares = inside["em"] / REPEATS
    # Every attraction of em has a prior: it decides where there are a thousand queries.
    if queries == 10:
        assert (shares > 0.95 - bound).all()
    if queries == 1_000:
        assert shares.mean() < 0.5
