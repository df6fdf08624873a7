"""Which click model to take by default: how labels order documents where users are otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from relyon.analysis.statistics.correlation import correlate
from relyon.labels import Crowd, models, read_clicks, simulate

pytestmark = pytest.mark.slow

MODELS = ("dctr", "sdbn", "dbn", "pbm", "ubm", "cascade", "dcm", "ccm")


def agreement(users: str, sessions: int = 20_000, queries: int = 100) -> dict[str, float]:
    """Kendall's tau of each model's labels with the truth, the mean over queries."""
    run = {f"q{one}": {f"d{doc}": float(10 - doc) for doc in range(10)} for one in range(queries)}
    made = simulate(run, None, users, sessions=sessions, seed=1, crowd=Crowd(shuffle=0.3))
    log = read_clicks(made.log)
    truth = (
        made.truth.relevance().rename({"relevance": "truth"}).select("query", "document", "truth")
    )
    found = {}
    for name in MODELS:
        labels = models.get(name)().fit(log).relevance().join(truth, on=["query", "document"])
        taus = [
            correlate("kendall", part["relevance"].to_numpy(), part["truth"].to_numpy())
            for _, part in labels.group_by("query")
        ]
        found[name] = float(np.nanmean(taus))  # labels that are all equal have none
    return found


@pytest.mark.parametrize("users", ["dbn", "ubm", "pbm"])
def test_the_default_is_never_far_from_the_best(users: str) -> None:
    found = agreement(users)
    best = max(found.values())
    assert found["pbm"] > best - 0.06
    assert found["pbm"] > found["dctr"] + 0.05
    if users != "dbn":
        assert found["pbm"] > found["dbn"] + 0.1


def test_few_sessions_favour_the_naive_rate() -> None:
    found = agreement("pbm", sessions=3_000, queries=1_000)
    assert found["dctr"] > found["pbm"] + 0.03
