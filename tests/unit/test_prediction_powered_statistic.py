"""Prediction-powered intervals: the formula, its corners, and when the model is not used."""

from __future__ import annotations

import math

import numpy as np
import pytest

from relyon import ParameterError
from relyon.analysis.statistics import interval, prediction_powered
from relyon.analysis.statistics.bounded import mean_interval


def data(seed: int = 0, count: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Human values of all queries, and a model's that are 0.1 too high."""
    rng = np.random.default_rng(seed)
    truth = rng.beta(2, 2, count)
    return truth, truth + rng.normal(0.1, 0.08, count)


def test_estimate_is_the_regression_estimator() -> None:
    truth, model = data()
    y, f = truth[:40], model[:40]
    found = prediction_powered(y, f, model)
    slope = np.cov(y, f)[0, 1] / np.var(f, ddof=1)
    assert found.weight == pytest.approx(slope)
    assert found.estimate == pytest.approx(y.mean() + slope * (model.mean() - f.mean()))
    assert found.classical == pytest.approx(interval("t", y))
    assert found.high - found.low < np.diff(found.classical)[0]
    assert 40 < found.worth < 300


def test_error_is_that_of_leaving_each_query_out() -> None:
    """The closed form is the jackknife of the estimate, computed one by one."""
    truth, model = data(count=5000)
    model = model + np.random.default_rng(1).normal(0, 0.2, 5000)
    y, f = truth[:60], model[:60]
    found = prediction_powered(y, f, model, population="finite")

    def estimate(kept: np.ndarray) -> float:
        slope = np.cov(y[kept], f[kept])[0, 1] / np.var(f[kept], ddof=1)
        return float(y[kept].mean() + slope * (model.mean() - f[kept].mean()))

    left_out = np.array([estimate(np.arange(60) != one) for one in range(60)])
    jackknife = 59 / 60 * ((left_out - found.estimate) ** 2).sum() * (1 - 60 / 5000)
    assert found.standard_error**2 == pytest.approx(jackknife, rel=1e-6)


def test_a_constant_bias_of_the_model_moves_nothing() -> None:
    truth, model = data()
    first = prediction_powered(truth[:30], model[:30], model)
    moved = prediction_powered(truth[:30], model[:30] + 5, model + 5)
    assert (moved.estimate, moved.low) == pytest.approx((first.estimate, first.low))


@pytest.mark.parametrize("kind", ["reversed", "constant"])
def test_a_useless_model_is_not_used(kind: str) -> None:
    truth, model = data()
    model = -model if kind == "reversed" else np.zeros(len(model))
    found = prediction_powered(truth[:30], model[:30], model)
    assert (found.alone, found.weight, found.worth) == ("no-help", 0, 30)
    assert (found.low, found.high) == pytest.approx(interval("t", truth[:30]))
    assert [note.kind for note in found.notes] == ["human-grades-alone"]


def test_a_model_that_was_never_wrong_is_not_trusted_without_limit() -> None:
    truth, _ = data()
    found = prediction_powered(truth[:30], truth[:30], truth)
    whole = np.diff(found.classical)[0]
    assert found.alone == ""
    assert math.sqrt(3 / 30) * whole < found.high - found.low < whole


def test_few_labelled_queries_or_alike_ones_are_not_enough() -> None:
    truth, model = data()
    few = prediction_powered(truth[:9], model[:9], model)
    assert few.alone == "few-labelled"
    zeros = np.r_[np.zeros(12), 0.4, 0.6, np.zeros(286)]
    found = prediction_powered(zeros[:14], zeros[:14], zeros, bounds=(0, 1))
    assert found.alone == "few-differ"
    assert (found.low, found.high) == mean_interval(zeros[:14], 0, 1).bounds
    equal = prediction_powered(np.full(20, 0.5), model[:20], model)
    assert math.isnan(equal.low)
    assert math.isnan(equal.worth)


def test_success_has_the_exact_interval_unless_both_values_are_frequent() -> None:
    rng = np.random.default_rng(3)
    truth = (rng.random(500) < 0.6).astype(float)
    assert prediction_powered(truth[:20], truth[:20], truth, bounds=(0, 1)).alone == "few-differ"
    found = prediction_powered(truth[:60], truth[:60], truth, bounds=(0, 1))
    assert found.alone == ""
    assert found.classical == mean_interval(truth[:60], 0, 1).bounds


def test_all_labelled() -> None:
    truth, model = data(count=40)
    similar = prediction_powered(truth, model, model)
    assert similar.alone == "census"
    assert similar.low == pytest.approx(interval("t", truth)[0])
    these = prediction_powered(truth, model, model, population="finite")
    assert these.low == these.estimate == these.high == pytest.approx(truth.mean())


def test_strata_are_weighted_by_their_shares_of_all_queries() -> None:
    truth, model = data()
    tiers = np.repeat(["head", "tail"], [100, 200])
    chosen = np.r_[0:40, 100:120]
    found = prediction_powered(
        truth[chosen], model[chosen], model, strata=(tiers[chosen], tiers), population="finite"
    )
    means = truth[:40].mean(), truth[100:120].mean()
    assert found.classical_estimate == pytest.approx(means[0] / 3 + means[1] * 2 / 3)
    shift = model.mean() - model[:40].mean() / 3 - model[100:120].mean() * 2 / 3
    assert found.estimate == pytest.approx(found.classical_estimate + found.weight * shift)
    one = 4 / 9 * truth[100:120].var(ddof=1) / 20 * 0.9 + truth[:40].var(ddof=1) / 40 * 0.6 / 9
    half = (found.classical[1] - found.classical[0]) / 2
    assert half / math.sqrt(one) == pytest.approx(2.05, abs=0.06)


def test_weights_that_are_equal_change_nothing() -> None:
    truth, model = data()
    plain = prediction_powered(truth[:50], model[:50], model)
    same = prediction_powered(truth[:50], model[:50], model, weights=np.full(50, 7.0))
    assert (same.estimate, same.low) == pytest.approx((plain.estimate, plain.low))
    sizes = np.linspace(1, 3, 50)
    found = prediction_powered(truth[:50], model[:50], model, weights=sizes)
    assert found.classical_estimate == pytest.approx(np.average(truth[:50], weights=sizes))


def test_queries_that_come_in_copies_are_no_evidence() -> None:
    truth, model = data(count=400)
    twice = np.repeat(np.arange(400), 4)
    many = prediction_powered(
        truth[twice[:120]],
        model[twice[:120]],
        model[twice],
        clusters=(twice[:120], twice),
    )
    once = prediction_powered(truth[:30], model[:30], model)
    assert many.estimate == pytest.approx(once.estimate)
    assert many.high - many.low == pytest.approx(once.high - once.low, rel=0.1)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"human": [0.1, math.nan]}, "value 2 of `human` is not a finite number"),
        ({"human": [0.1]}, "`model` has 2 values, `human` has 1"),
        ({"human": []}, "`human` must be one list of numbers"),
        ({"model_all": [0.2, 0.3]}, "not all among those of all 2 queries"),
        ({"weights": [1, 0]}, "weights must be above 0"),
        ({"strata": (["a", "a"], ["a", "a", "b"])}, "1 stratum has no query with human values: b"),
        ({"strata": (["a"], ["a", "a", "b"])}, "`strata[0]` has 1 value, `human` has 2"),
        ({"confidence": 95}, "confidence"),
        ({"population": "all"}, "population"),
    ],
    ids=["nan", "short", "empty", "other", "weight", "stratum", "strata", "level", "population"],
)
def test_what_cannot_be_used_is_refused(change: dict[str, object], words: str) -> None:
    given = {"human": [0.1, 0.2], "model": [0.2, 0.4], "model_all": [0.2, 0.4, 0.6]}
    with pytest.raises(ParameterError) as raised:
        prediction_powered(**{**given, **change})  # type: ignore[arg-type]
    assert words in str(raised.value)


def test_strata_of_a_sample_out_of_proportion_count_by_their_given_shares() -> None:
    truth, model = data()
    tiers = np.repeat(["head", "tail"], [100, 200])
    chosen = np.r_[0:40, 100:140]
    given = truth[chosen], model[chosen], model
    strata = (tiers[chosen], tiers)
    found = prediction_powered(*given, strata=strata, shares={"head": 0.9, "tail": 0.1})
    mean = 0.9 * truth[:40].mean() + 0.1 * truth[100:140].mean()
    assert found.classical_estimate == pytest.approx(mean)
    assert found.model_mean == pytest.approx(0.9 * model[:100].mean() + 0.1 * model[100:].mean())
    same = prediction_powered(*given, strata=strata, shares={"head": 1 / 3, "tail": 2 / 3})
    plain = prediction_powered(*given, strata=strata)
    assert same == plain
    with pytest.raises(ParameterError, match="add up to 1"):
        prediction_powered(*given, strata=strata, shares={"head": 0.9})


def test_a_stratum_whose_values_are_all_equal_is_not_certain() -> None:
    """Five successes of five in the tail, which is half of all queries, say little about it."""
    random = np.random.default_rng(3)
    tiers = np.repeat(["head", "tail"], 200)
    human = np.r_[(random.random(200) < 0.5).astype(float), np.ones(200)]
    chosen = np.r_[0:40, 200:205]
    found = prediction_powered(
        human[chosen],
        human[chosen],
        human,
        strata=(tiers[chosen].tolist(), tiers.tolist()),
        bounds=(0, 1),
    )
    # The head alone has ± 0.08; the tail could be at (5 + 1) / (5 + 2), with p (1 - p) / 5.
    least = 2 * math.sqrt(0.25 * (6 / 7) * (1 / 7) / 5)
    assert found.high - found.low > 2 * 0.9 * least
    assert found.classical[1] - found.classical[0] >= found.high - found.low


def test_a_stratum_that_is_labelled_whole_hides_nothing_of_a_finite_population() -> None:
    random = np.random.default_rng(4)
    tiers = np.repeat(["head", "tail"], [20, 200])
    human = np.r_[np.ones(20), random.random(200)]
    model = np.clip(human + random.normal(0, 0.05, 220), 0, 1)
    chosen = np.r_[0:20, 20:60]
    given = human[chosen], model[chosen], model
    strata = (tiers[chosen], tiers)
    found = prediction_powered(*given, strata=strata, bounds=(0, 1), population="finite")
    tail = prediction_powered(
        human[20:60], model[20:60], model[20:], bounds=(0, 1), population="finite"
    )
    width, own = (one.classical[1] - one.classical[0] for one in (found, tail))
    assert width == pytest.approx(own * 200 / 220, rel=1e-6)


def test_two_values_of_a_stratum_that_lie_close_do_not_decide() -> None:
    """Their error has one degree of freedom, however small it comes out."""
    random = np.random.default_rng(5)
    tiers = np.repeat(["head", "tail"], 200)
    human = random.random(400)
    human[200:202] = 0.5, 0.51
    chosen = np.r_[0:40, 200:202]
    found = prediction_powered(
        human[chosen],
        human[chosen],
        human,
        strata=(tiers[chosen].tolist(), tiers.tolist()),
        bounds=(0, 1),
    )
    assert found.classical[1] - found.classical[0] > 0.5


def test_whether_a_sample_is_random_is_compared_with_random_samples() -> None:
    """Of ten values, three of which are 1, three are drawn: the chance is counted."""
    every = np.repeat([0.0, 1.0], [7, 3])
    found = prediction_powered([1.0, 1.0, 0.0], [1.0, 1.0, 0.0], every, bounds=(0, 1))
    # Two or three are 1 in 22 of 120 samples; those without a 1 are nearer to 0.3.
    assert found.shift_p == pytest.approx(22 / 120, abs=0.03)
