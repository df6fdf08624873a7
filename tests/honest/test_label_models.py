"""The model that `auto` chooses orders documents about as well as the best one would."""

from __future__ import annotations

import numpy as np
import pytest
from tests.honest.rows import row

from relyon.analysis.statistics.correlation import correlate
from relyon.labels import Crowd, choose_model, models, read_clicks, simulate
from relyon.labels.position_bias.connection import support_of

CLAIM = "label-model-choice"
MODELS = ("dctr", "pbm", "ubm", "dbn", "ccm")
PROMISE = "τ at most 0.05 below the best model's"
REPEATS = 20
#: Queries, sessions, and the share of lists in which two results trade places.
LOGS = {
    "200 impressions per label": (10, 2_000, 0.3),
    "20 impressions per label": (50, 1_000, 0.3),
    "3 impressions per label": (200, 600, 0.3),
}


def losses(users: str, queries: int, sessions: int, swap: float, seed: int) -> tuple[float, float]:
    """By how much the tau of the chosen model, and of `pbm`, is below that of the best model."""
    run = {f"q{one}": {f"d{doc}": 10.0 - doc for doc in range(10)} for one in range(queries)}
    crowd = Crowd(swap=swap, frequencies=0.5)
    made = simulate(run, None, users, sessions=sessions, seed=seed, crowd=crowd)
    log = read_clicks(made.log)
    truth = made.truth.on(log.pairs).relevances.value
    numbers = log.pairs.get_column("query").rle_id().to_numpy()
    places = [np.flatnonzero(numbers == one) for one in range(numbers.max() + 1)]
    taus = {}
    for name in MODELS:
        labels = models.get(name)().fit(log).relevances.value
        found = [correlate("kendall", labels[rows], truth[rows]) for rows in places]
        taus[name] = float(np.nanmean(found))  # labels that are all equal have none
    best = max(taus.values())
    return best - taus[choose_model(log, support_of(log)).model], best - taus["pbm"]


@pytest.mark.parametrize("density", LOGS)
@pytest.mark.parametrize("users", ["pbm", "ubm", "dbn", "ccm", "dcm"])
def test_the_choice_is_never_far_from_the_best(users: str, density: str) -> None:
    found = [losses(users, *LOGS[density], seed)[0] for seed in range(REPEATS)]
    near = float(np.mean(np.array(found) <= 0.05))
    case = f"{users.upper()} users, {density}"
    own = users in MODELS
    row(CLAIM, case, near, REPEATS, promise=PROMISE, least=0.8, assumption=own)
    assert np.mean(found) <= 0.05
