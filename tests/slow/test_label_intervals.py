"""Intervals of labels cover the truth as often as they say, in logs that their model made."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from relyon.labels import Crowd, UserBehaviour, make_labels, simulate

#: By grade, which is all that tells the documents of a query apart.
ATTRACTION: dict[float, float] = dict(enumerate([0.01, 0.05, 0.2, 0.4, 0.6, 0.9]))
SATISFACTION: dict[float, float] = dict.fromkeys(ATTRACTION, 0.5)
JUDGMENTS = {f"q{query}": {f"d{grade}": grade for grade in ATTRACTION} for query in range(10)}
REPEATS = 60

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("sessions", [2_000, 20_000])
@pytest.mark.parametrize("model", ["pbm", "ubm", "dbn"])
def test_coverage(model: str, sessions: int) -> None:
    covered = np.zeros(len(ATTRACTION))
    for seed in range(REPEATS):
        users = simulate(
            JUDGMENTS,
            JUDGMENTS,
            model,
            sessions=sessions,
            seed=seed,
            behaviour=UserBehaviour(depth=len(ATTRACTION), eta=0.7),
            crowd=Crowd(shuffle=1.0, frequencies=0.0),
            attraction=ATTRACTION,
            satisfaction=SATISFACTION,
        )
        found = make_labels(users.log, model).labels.join(
            users.pairs.select("query", "document", "relevance", place="grade"),
            on=["query", "document"],
        )
        inside = pl.col("relevance").is_between("low", "high")
        covered += found.group_by("place").agg(inside.sum()).sort("place")["relevance"].to_numpy()
    shares = covered / (REPEATS * len(JUDGMENTS))
    # Four standard errors; of what is hardly ever clicked, the prior makes intervals too wide.
    least = 0.95 - 4 * np.sqrt(0.95 * 0.05 / (REPEATS * len(JUDGMENTS)))
    assert ((shares > least) & (shares < 0.995)).all(), shares
