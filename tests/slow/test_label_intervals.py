"""Intervals of labels cover the truth as often as they say, in logs that their model made."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from relkit.labels import make_labels

ATTRACTION = np.array([0.9, 0.6, 0.4, 0.2, 0.05, 0.01])
EXAMINATION = 1 / np.arange(1, 7) ** 0.7
SATISFACTION, GO_ON = 0.5, 0.9
REPEATS, QUERIES = 60, 10

pytestmark = pytest.mark.slow


def draw(
    model: str, attracts: NDArray[np.float64], generator: np.random.Generator
) -> NDArray[np.bool_]:
    """Clicks on lists of documents that attract with these probabilities."""
    chances = generator.random((3, *attracts.shape))
    if model != "dbn":
        seen: NDArray[np.bool_] = chances[0] < attracts * EXAMINATION
        return seen
    clicked = np.zeros(attracts.shape, bool)
    examines = np.ones(len(attracts), bool)
    for place in range(attracts.shape[1]):
        clicked[:, place] = examines & (chances[0, :, place] < attracts[:, place])
        pleased = clicked[:, place] & (chances[1, :, place] < SATISFACTION)
        examines &= ~pleased & (chances[2, :, place] < GO_ON)
    return clicked


@pytest.mark.parametrize("sessions", [2_000, 20_000])
@pytest.mark.parametrize("model", ["pbm", "ubm", "dbn"])
def test_coverage(model: str, sessions: int) -> None:
    generator = np.random.default_rng(5)
    truth = ATTRACTION * (SATISFACTION if model == "dbn" else EXAMINATION[0])
    covered = np.zeros(len(truth))
    for _ in range(REPEATS):
        documents = np.argsort(generator.random((sessions, len(truth))), axis=1)
        clicked = draw(model, ATTRACTION[documents], generator)
        queries = generator.integers(0, QUERIES, sessions)
        log = pl.DataFrame(
            {
                "session": np.repeat(np.arange(sessions), len(truth)),
                "query": np.repeat(queries, len(truth)),
                "doc": documents.ravel(),
                "position": np.tile(np.arange(1, len(truth) + 1), sessions),
                "clicked": clicked.ravel(),
            }
        )
        labels = make_labels(log, model).labels
        place = labels.get_column("document").cast(pl.Int64).to_numpy()
        low, high = labels.get_column("low").to_numpy(), labels.get_column("high").to_numpy()
        covered += np.bincount(place, (low <= truth[place]) & (truth[place] <= high))
    shares = covered / (REPEATS * QUERIES)
    # Four standard errors; of what is hardly ever clicked, the prior makes intervals too wide.
    least = 0.95 - 4 * np.sqrt(0.95 * 0.05 / (REPEATS * QUERIES))
    assert ((shares > least) & (shares < 0.995)).all(), shares
