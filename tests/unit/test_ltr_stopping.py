"""Early stopping: both rules by hand, and in the training of each engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import relyon
import relyon.ltr
from relyon.core.errors import InputError, ParameterError

QUIET = {"num_threads": 1, "verbosity": -1, "deterministic": True, "force_row_wise": True}


def noise(seed: int, queries: int = 40, each: int = 12) -> tuple[Any, Any, Any]:
    """Features that say little of the labels: trees soon learn what is not there."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(queries * each, 10)).astype(np.float32)
    labels = np.digitize(0.6 * features[:, 0] + rng.normal(size=len(features)), [0.5, 1.5])
    return features, labels.astype(float), np.full(queries, each)


def test_the_usual_rule_counts_rounds_from_the_first_best() -> None:
    stopping = relyon.ltr.EarlyStopping("rounds", rounds=2)
    assert [stopping.update(value) for value in (0.5, 0.5, 0.6, 0.6, 0.1)] == [False] * 4 + [True]
    assert (stopping.best_round, stopping.best_value, stopping.stopped) == (2, 0.6, "rounds")
    stopping.reset()
    assert (stopping.best_round, stopping.values, stopping.stopped) == (-1, [], "")


def test_significance_is_the_paired_interval_at_the_rounds_level() -> None:
    from scipy.stats import ttest_rel

    rng = np.random.default_rng(1)
    stopping = relyon.ltr.EarlyStopping("significance", level=0.05)
    best = rng.uniform(size=30)
    assert not stopping.update(float(best.mean()), best)
    for rounds in range(2, 12):
        now = best - rng.normal(0.01 * rounds, 0.1, size=30)
        p = ttest_rel(best, now, alternative="greater").pvalue
        expected = p < 0.05 / (rounds * (rounds - 1) ** 2)
        assert stopping.update(float(now.mean()), now) == expected
        if expected:
            break
    assert stopping.stopped == "significance"
    assert rounds > 2


def test_rounds_end_what_neither_gains_nor_loses() -> None:
    values = np.array([0.1, 0.9, 0.4])
    forever = relyon.ltr.EarlyStopping("significance")
    limited = relyon.ltr.EarlyStopping("significance", rounds=3)
    assert not any(forever.update(0.5, values) for _ in range(20))
    assert [limited.update(0.5, values) for _ in range(4)] == [False] * 3 + [True]
    assert limited.stopped == "rounds"


def test_queries_without_a_value_are_left_out() -> None:
    stopping = relyon.ltr.EarlyStopping("significance")
    best = np.array([0.9, 0.8, np.nan, 0.7])
    assert not stopping.update(0.8, best)
    assert stopping.update(0.3, best - 0.5)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"rule": "never"}, "`rule` must be"),
        ({"rule": "rounds"}, "needs a number of rounds"),
        ({"rule": "rounds", "rounds": 0}, "rounds"),
        ({"rule": "significance", "level": 0.0}, "between 0 and 1"),
        ({"rule": "significance", "level": 1.0}, "between 0 and 1"),
    ],
)
def test_rules_that_cannot_be(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        relyon.ltr.EarlyStopping(**arguments)


def test_rounds_that_cannot_be_judged() -> None:
    stopping = relyon.ltr.EarlyStopping("significance")
    with pytest.raises(InputError, match="no value on the validation"):
        stopping.update(float("nan"), [0.1, 0.2])
    with pytest.raises(InputError, match="needs the values"):
        stopping.update(0.5)
    with pytest.raises(InputError, match="two or more"):
        stopping.update(0.5, [0.5, np.nan])
    stopping.update(0.5, [0.4, 0.6])
    with pytest.raises(InputError, match="others than"):
        stopping.update(0.5, [0.4, 0.5, 0.6])


def test_only_means_over_queries_are_compared_query_by_query() -> None:
    for name in ("pnr", "auc", "gauc"):
        with pytest.raises(ParameterError, match="not a mean over queries"):
            relyon.ltr.stopping(relyon.ltr.feval(name), "significance")
    macro = relyon.ltr.feval("concordance", average="macro")
    assert relyon.ltr.stopping(macro, "significance").decision.rule == "significance"
    assert relyon.ltr.stopping(relyon.ltr.feval("pnr"), rounds=5).decision.rounds == 5


def test_lightgbm_stops_where_its_own_rule_does() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    features, labels, sizes = noise(1)
    rest, other, few = noise(2)
    data = lightgbm.Dataset(features, labels, group=sizes, params=QUIET)
    valid = lightgbm.Dataset(rest, other, group=few, reference=data, params=QUIET)
    settings = {**QUIET, "objective": "lambdarank", "num_leaves": 15, "eval_at": [5]}

    def train(metric: str, **more: Any) -> Any:
        return lightgbm.train(
            {**settings, "metric": metric}, data, 60, valid_sets=[data, valid], **more
        )

    own = train("ndcg", callbacks=[lightgbm.early_stopping(5, verbose=False)])
    metric = relyon.ltr.feval("ndcg@5", convention="lightgbm", threads=1)
    stopping = relyon.ltr.stopping(metric, rounds=5)
    ours = train("none", feval=metric, callbacks=[stopping])
    assert ours.best_iteration == own.best_iteration == stopping.decision.best_round + 1
    assert ours.best_score["valid_1"]["ndcg@5"] == stopping.decision.best_value
    assert ours.num_trees() < 60
    # The same callback serves the next training.
    again = train("none", feval=metric, callbacks=[stopping])
    assert again.best_iteration == own.best_iteration
    with pytest.raises(InputError, match="needs a metric"):
        train("ndcg", callbacks=[stopping])


def test_lightgbm_stops_at_a_significant_loss() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    features, labels, sizes = noise(3, queries=150)
    data = lightgbm.Dataset(features, labels, group=sizes, params=QUIET)
    valid = lightgbm.Dataset(features, labels, group=sizes, reference=data, params=QUIET)
    metric = relyon.ltr.feval("ndcg@5", threads=1)
    stopping = relyon.ltr.stopping(metric, "significance")
    flat = np.zeros(len(labels), dtype=np.float32)

    rounds = iter(range(1000))

    def turning(scores: Any, data: Any) -> Any:
        """Learns for ten rounds, then the opposite."""
        sign = 1 if next(rounds) < 10 else -1
        return sign * (scores - labels).astype(np.float32), flat + 1

    settings = {**QUIET, "objective": turning, "metric": "none", "learning_rate": 0.2}
    booster = lightgbm.train(
        settings, data, 200, valid_sets=[valid], feval=metric, callbacks=[stopping]
    )
    assert stopping.decision.stopped == "significance"
    assert booster.best_iteration in range(8, 12)
    assert booster.num_trees() < 30


def test_xgboost_stops_where_its_own_rule_does() -> None:
    xgboost = pytest.importorskip("xgboost")
    features, labels, sizes = noise(4)
    rest, other, few = noise(5)
    data, valid = xgboost.DMatrix(features, labels), xgboost.DMatrix(rest, other)
    data.set_group(sizes)
    valid.set_group(few)
    settings = {"objective": "rank:ndcg", "nthread": 1, "max_depth": 6, "eval_metric": "ndcg@5"}
    evals = [(data, "train"), (valid, "valid")]
    own = xgboost.train(
        settings, data, 60, evals=evals, early_stopping_rounds=5, verbose_eval=False
    )
    metric = relyon.ltr.feval("ndcg@5", engine="xgboost", convention="xgboost", threads=1)
    stopping = relyon.ltr.stopping(metric, rounds=5)
    ours = xgboost.train(
        {**settings, "disable_default_eval_metric": True},
        data,
        60,
        evals=evals,
        custom_metric=metric,
        callbacks=[stopping],
        verbose_eval=False,
    )
    assert ours.best_iteration == own.best_iteration == stopping.decision.best_round
    assert ours.best_score == pytest.approx(own.best_score, abs=1e-12)
    assert ours.num_boosted_rounds() < 60


def test_catboost_stops_too() -> None:
    catboost = pytest.importorskip("catboost")
    features, labels, sizes = noise(6)
    rest, other, few = noise(7)
    pools = [
        catboost.Pool(one, grades, group_id=np.repeat(np.arange(len(size)), size))
        for one, grades, size in ((features, labels, sizes), (rest, other, few))
    ]
    metric = relyon.ltr.feval("ndcg@5", sizes, engine="catboost", threads=1)
    stopping = relyon.ltr.stopping(metric, rounds=4)
    model = catboost.CatBoost(
        {
            "loss_function": "QueryRMSE",
            "eval_metric": metric,
            "iterations": 80,
            "learning_rate": 0.5,
            "thread_count": 1,
            "verbose": False,
            "allow_writing_files": False,
        }
    )
    model.fit(pools[0], eval_set=pools[1], callbacks=[stopping], use_best_model=True)
    assert len(stopping.decision.values) == stopping.decision.best_round + 5 < 80
    assert model.get_best_iteration() == stopping.decision.best_round
    scores = model.predict(rest)
    found = relyon.evaluate_scores(other, scores, few, "ndcg@5", threads=1)["ndcg@5"]
    assert found == pytest.approx(stopping.decision.best_value, abs=1e-12)
