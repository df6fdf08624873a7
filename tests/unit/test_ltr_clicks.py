"""Rankers learn from clicks on a biased ranking what documents are worth, where they can."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import relyon
import relyon.ltr
from relyon.data.labelled import LabelledRows
from relyon.ltr.training.goal import Goal

SIZE = 10
GOAL = Goal.of("ndcg@10", None, 1)
TREES: dict[str, Any] = {"trees": 60, "leaves": 7, "threads": 1}


@cache
def world(seed: int, queries: int, relevant: float) -> tuple[LabelledRows, LabelledRows]:
    """Returns clicks of one session per query, and the truth that they come from.

    Users examine position k with probability 1/k and click what they examine with the probability
    of its grade. What they were shown was ordered by `relevant` times a feature that tells
    relevance, plus one that says nothing of it.
    """
    random = np.random.default_rng(seed)
    good, useless, noise = random.normal(size=(3, queries * SIZE))
    grades = np.digitize(good + 0.5 * random.normal(size=len(good)), [0.3, 1.0, 1.7])
    shown = (relevant * good + useless).reshape(queries, SIZE)
    positions = (np.argsort(np.argsort(-shown, axis=1), axis=1) + 1).ravel()
    seen = 1 / positions
    clicked = random.random(len(good)) < seen * np.array([0.05, 0.2, 0.5, 0.9])[grades]
    weights = np.where(clicked, 1 / seen, 1.0)
    kept = np.repeat(clicked.reshape(queries, SIZE).any(axis=1), SIZE)
    qid = np.repeat(np.arange(queries), SIZE)
    features = np.column_stack([good, useless, noise])
    clicks = relyon.ltr.labelled_rows(
        features[kept],
        clicked[kept].astype(int),
        qid[kept],
        weights=weights[kept],
        positions=positions[kept],
    )
    return clicks, relyon.ltr.labelled_rows(features, grades, qid)


@cache
def reached(
    model: str = "lambdamart",
    engine: str = "lightgbm",
    use: str = "",
    queries: int = 1600,
    relevant: float = 0.5,
) -> NDArray[np.float64]:
    """Returns NDCG@10 by true grades on 400 other queries of a ranker that learned from clicks."""
    rows, _ = world(1, queries, relevant)
    _, truth = world(2, 400, relevant)
    assert rows.features is not None
    uses: dict[str, dict[str, Any]] = {
        "weights": {"sample_weight": rows.weights},
        "everywhere": {"sample_weight": np.asarray(rows.positions, dtype=float)},
        "positions": {"positions": rows.positions},
    }
    made = relyon.ltr.ranker(model, engine=engine, **TREES)
    made.fit(rows.features.values, rows.labels, qid=rows.qid, **uses.get(use, {}))
    return np.array(GOAL.values(truth, made.predict(truth)))


def gain(one: NDArray[np.float64], other: NDArray[np.float64]) -> tuple[float, float]:
    """Returns the mean difference, and Student's t of the paired test."""
    found = stats.ttest_rel(one, other, nan_policy="omit")
    return float(np.nanmean(one - other)), float(found.statistic)


# In seven such worlds the least gain was 0.017 (positions of XGBoost), the least t 4.9.
@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
@pytest.mark.parametrize("use", ["positions", "weights"])
def test_a_known_bias_is_removed(engine: str, use: str) -> None:
    pytest.importorskip(engine)
    mean, t = gain(reached(engine=engine, use=use), reached(engine=engine))
    assert mean > 0.012
    assert t > 4


def test_weights_within_a_query_are_those_of_pairs() -> None:
    """Row by row, as LightGBM does it, the heaviest are those that nobody saw."""
    pairs = reached(use="weights")
    # A pair weighs as its better document does: what a row without a click weighs is all the same.
    np.testing.assert_array_equal(reached(use="everywhere"), pairs)
    mean, t = gain(pairs, reached("lambdamart(weighting=rows)", use="everywhere"))
    assert mean > 0.012
    assert t > 4


def test_weights_of_whole_queries_and_chosen_weightings_stay() -> None:
    rows, _ = world(1, 400, 0.5)
    assert rows.features is not None
    weights = 1.0 + (rows.qid % 3)
    scores = [
        relyon.ltr.ranker(name, **TREES)
        .fit(rows.features.values, rows.labels, qid=rows.qid, sample_weight=weights)
        .predict(rows)
        for name in ("lambdamart", "lambdamart(weighting=rows)")
    ]
    assert (scores[0] == scores[1]).all()


def test_where_the_ranking_was_good_positions_gain_nothing() -> None:
    """Position and relevance are then told apart by few: what the bias explains, relevance does."""
    for use in ("positions", "weights"):
        mean, _ = gain(reached(use=use, relevant=3.0), reached(relevant=3.0))
        assert -0.03 < mean < 0.01


@pytest.mark.parametrize("scorer", ["linear", "neural"])
def test_who_learns_no_bias_says_so(scorer: Any) -> None:
    rows, _ = world(1, 400, 0.5)
    with pytest.raises(relyon.ParameterError, match="learns no position bias") as found:
        relyon.ltr.ranker("ranknet", scorer=scorer).fit(rows)
    assert "weight rows" in str(found.value.hint)


def test_training_says_what_became_of_weights_and_positions() -> None:
    rows, _ = world(1, 400, 0.5)
    found = relyon.ltr.train(rows, folds=3, **TREES | {"trees": 5})
    kinds = [note.kind for note in found.notes]
    assert "baseline-without-positions" in kinds
    weighed = relyon.ltr.train(
        replace(rows, positions=None), folds=3, baseline=None, **TREES | {"trees": 5}
    )
    (note,) = [one for one in weighed.notes if one.kind == "weighted-pairs"]
    assert note.count == rows.varied(np.asarray(rows.weights))
