"""What `train` says of a ranker, where the truth is known: false alarms, coverage, and searches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.honest.rows import row

import relyon
import relyon.ltr
from relyon.data.features import Features
from relyon.data.labelled import LabelledRows
from relyon.ltr.training.plan import dealt_pairs

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::relyon.RelyonWarning")]

QUERIES, DOCUMENTS, RUNS = 40, 8, 150
TREES: dict[str, Any] = {"trees": 5, "leaves": 4, "min_rows": 5, "learning_rate": 0.3, "threads": 1}


def simulated(
    seed: int, signal: float, queries: int = QUERIES, *, cuts: tuple[float, ...] = (0.6, 1.3, 2.0)
) -> LabelledRows:
    """Four features, of which three say something, and grades 0 to 3, or 0 and 1 with one cut."""
    random = np.random.default_rng(seed)
    count = queries * DOCUMENTS
    values = random.normal(size=(count, 4))
    worth = signal * (values[:, 0] + 0.5 * values[:, 1] * values[:, 2]) + random.normal(size=count)
    labels = np.digitize(worth, np.array(cuts) * np.sqrt(1 + 1.25 * signal**2))
    return LabelledRows(
        labels.astype(float),
        None,
        np.arange(queries + 1) * DOCUMENTS,
        [str(query) for query in range(queries)],
        features=Features(("a", "b", "c", "d"), values),
    )


@pytest.mark.parametrize("case", ["features that say nothing", "the same ranker by another seed"])
def test_no_difference_is_found_where_there_is_none(case: str) -> None:
    nothing = case == "features that say nothing"
    baseline: Any = "regression"
    if not nothing:
        baseline = relyon.ltr.TreeRanker(measure="ndcg@10", seed=1, **TREES)
    alarms = 0
    for seed in range(RUNS):
        rows = simulated(seed, 0.0 if nothing else 1.0)
        found = relyon.ltr.train(rows, baseline=baseline, folds=5, **TREES).found
        alarms += int(found.p < 0.05)
    row(
        "train-held-out",
        f"no difference from the baseline: {case}, {QUERIES} queries",
        alarms / RUNS,
        RUNS,
        promise="5%",
        least=0.02,
        most=0.085,
    )


@pytest.mark.parametrize("queries", [8, 15, 40])
@pytest.mark.parametrize("labels", ["grades 0 to 3", "labels 0 and 1"])
def test_the_interval_holds_what_the_rankers_reach_on_other_queries(
    queries: int, labels: str
) -> None:
    """A little less often than it says: it knows how queries differ, not how trainings do."""
    folds = final = 0
    cuts = (1.0,) if labels == "labels 0 and 1" else (0.6, 1.3, 2.0)
    for seed in range(RUNS):
        rows = simulated(seed, 1.0, queries, cuts=cuts)
        others = simulated(10_000 + seed, 1.0, queries=500, cuts=cuts)
        found = relyon.ltr.train(rows, baseline=None, folds=5, **TREES)
        low, high = found.found.interval
        final += int(low <= found.ranker.score(others) <= high)
        made = [
            relyon.ltr.TreeRanker(measure="ndcg@10", **TREES).fit(train).score(others)
            for train, _, _ in dealt_pairs(rows, 5, 0, "together").pairs
        ]
        folds += int(low <= float(np.mean(made)) <= high)
    row(
        "train-held-out",
        f"the folds' rankers on other queries, {queries} queries, {labels}",
        folds / RUNS,
        RUNS,
        promise="95%",
        least=0.88 if queries >= 40 else 0.8,
        most=0.98,
        assumption=queries >= 40,
    )
    row(
        "train-held-out",
        f"the saved ranker on other queries, {queries} queries, {labels}",
        final / RUNS,
        RUNS,
        promise="none",
        least=0.75,
        most=0.98,
        assumption=False,
        says="the card: the interval is not that of the saved ranker",
    )


def test_a_search_does_not_flatter_the_held_out_number() -> None:
    held, trials = [], []
    for seed in range(60):
        rows = simulated(seed, 0.0)
        found = relyon.ltr.train(rows, baseline=None, folds=3, search=4, threads=1, trees=5)
        chance = relyon.evaluate_scores(rows, np.zeros(len(rows)), measures=["ndcg@10"])["ndcg@10"]
        held.append(found.found.value - chance)
        trials.append(max(trial.score for trial in found.trials) - chance)
    half = 2.6 * np.std(held, ddof=1) / 60**0.5
    assert abs(np.mean(held)) <= half
    # The best trial's own number is flattered: it was chosen for it.
    assert np.mean(trials) > 0.02
