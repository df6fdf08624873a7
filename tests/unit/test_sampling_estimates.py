"""Means over all sessions, from the values of those that were sampled."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy.stats import t

from relyon.core.errors import InputError, ParameterError
from relyon.online.sampling import Sample, Stratum, draw_sample, estimate


def stratum(name: str, sessions: int, sampled: int) -> Stratum:
    return Stratum(name, 1, sessions, sessions / 100, 1, 1, sampled, sampled / max(sessions, 1), 20)


def stratified(sizes: dict[str, tuple[int, int]]) -> Sample:
    """A sample of tiers: (sessions, sampled) by name; sessions are named head-0, head-1 …"""
    rows = [
        (f"{name}-{number}", f"q-{name}-{number}", name)
        for name, (_, sampled) in sizes.items()
        for number in range(sampled)
    ]
    frame = pl.DataFrame(rows, schema=["session", "query", "tier"], orient="row")
    tiers = tuple(stratum(name, *numbers) for name, numbers in sizes.items())
    return Sample(frame, frame.clear(), tiers, "stratified", 0, 20)


def pptss(draws: list[tuple[str, int]], total: int) -> Sample:
    """A sample of draws: the query and its sessions; two tiers, by at least 10 sessions or not."""
    tiers = {True: "head", False: "tail"}
    of_tier = {"head": 60, "tail": total - 60}
    rows = [
        {
            "session": f"s{number}",
            "query": query,
            "tier": tiers[sessions >= 10],
            "query_sessions": sessions,
            "tier_sessions": of_tier[tiers[sessions >= 10]],
            "draw_probability": sessions / total,
            "inclusion_probability": 1 - (1 - sessions / total) ** len(draws),
        }
        for number, (query, sessions) in enumerate(draws)
    ]
    frame = pl.DataFrame(rows)
    strata = tuple(
        stratum(name, size, frame.filter(pl.col("tier") == name).height)
        for name, size in of_tier.items()
    )
    return Sample(frame, frame.clear(), strata, "pptss", 0, 20)


def test_stratified_mean_and_its_variance() -> None:
    sample = stratified({"head": (60, 3), "tail": (40, 4)})
    head, tail = [1.0, 2.0, 4.5], [0.0, 0.5, 1.0, 0.1]
    values = {f"head-{i}": value for i, value in enumerate(head)}
    values |= {f"tail-{i}": value for i, value in enumerate(tail)}
    found = estimate(sample, values)
    assert found.value == pytest.approx(0.6 * np.mean(head) + 0.4 * np.mean(tail))
    a = 0.6**2 * (1 - 3 / 60) * np.var(head, ddof=1) / 3
    b = 0.4**2 * (1 - 4 / 40) * np.var(tail, ddof=1) / 4
    assert found.standard_error == pytest.approx(math.sqrt(a + b))
    degrees = (a + b) ** 2 / (a**2 / 2 + b**2 / 3)
    assert found.degrees_of_freedom == pytest.approx(degrees)
    half = t.ppf(0.975, degrees) * math.sqrt(a + b)
    assert found.interval == pytest.approx((found.value - half, found.value + half))
    of_tail = found.per_tier["tail"]
    error = math.sqrt((1 - 4 / 40) * np.var(tail, ddof=1) / 4)
    assert (of_tail.value, of_tail.standard_error) == pytest.approx((np.mean(tail), error))
    assert of_tail.degrees_of_freedom == 3
    half = t.ppf(0.975, 3) * error
    assert of_tail.interval == pytest.approx((of_tail.value - half, of_tail.value + half))


def test_a_tier_that_was_taken_whole_adds_no_variance() -> None:
    sample = stratified({"head": (3, 3), "tail": (40, 2)})
    values = {"head-0": 1.0, "head-1": 5.0, "head-2": 9.0, "tail-0": 1.0, "tail-1": 2.0}
    found = estimate(sample, values)
    head = found.per_tier["head"]
    assert head.interval == (5.0, 5.0)
    assert head.to_dict()["degrees_of_freedom"] is None
    assert found.degrees_of_freedom == pytest.approx(1)
    assert found.standard_error == pytest.approx(40 / 43 * math.sqrt((1 - 2 / 40) * 0.5 / 2))


def test_a_tier_without_sessions_has_no_weight() -> None:
    sample = stratified({"head": (10, 2), "middle": (0, 0), "tail": (10, 2)})
    found = estimate(sample, {"head-0": 1, "head-1": 2, "tail-0": 3, "tail-1": 4})
    assert found.value == pytest.approx(2.5)
    assert list(found.per_tier) == ["head", "tail"]


def test_one_session_of_a_tier_shows_no_variance() -> None:
    sample = stratified({"head": (10, 1), "tail": (10, 2)})
    found = estimate(sample, {"head-0": 1, "tail-0": 3, "tail-1": 4})
    assert found.value == pytest.approx(0.5 * 1 + 0.5 * 3.5)
    assert all(map(math.isnan, found.interval))
    assert found.to_dict()["interval"] == [None, None]
    assert str(found) == "2.2500 [-, -]"
    assert [note.kind for note in found.notes] == ["no-variance"]


def test_equal_values_have_no_interval_since_their_spread_is_unknown() -> None:
    sample = stratified({"head": (10, 2), "tail": (10, 2)})
    found = estimate(sample, {"head-0": 1, "head-1": 1, "tail-0": 1, "tail-1": 1})
    assert np.isnan(found.interval).all()
    assert found.degrees_of_freedom == 1
    assert [note.kind for note in found.notes] == ["equal-sample", "equal-sample"]


def test_equal_values_of_a_census_are_known() -> None:
    sample = stratified({"head": (2, 2)})
    found = estimate(sample, {"head-0": 1, "head-1": 1})
    assert found.interval == (1.0, 1.0)
    assert not found.notes


def test_a_tier_of_equal_values_is_named() -> None:
    sample = stratified({"head": (10, 2), "tail": (10, 2)})
    found = estimate(sample, {"head-0": 1, "head-1": 2, "tail-0": 1, "tail-1": 1})
    assert np.isfinite(found.interval).all()
    assert np.isnan(found.per_tier["tail"].interval).all()
    assert [note.values["tier"] for note in found.notes] == ["tail"]


def test_hansen_hurwitz_is_the_mean_of_all_draws() -> None:
    sample = pptss([("a", 40), ("b", 5), ("a", 40), ("c", 20)], 100)
    values = {"s0": 1.0, "s1": 2.0, "s2": 1.5, "s3": 4.0}
    found = estimate(sample, values)
    assert found.value == pytest.approx(8.5 / 4)
    error = np.std([1, 2, 1.5, 4], ddof=1) / 2
    assert found.standard_error == pytest.approx(error)
    assert found.degrees_of_freedom == 3
    assert found.per_tier["head"].value == pytest.approx(6.5 / 3)
    assert math.isnan(found.per_tier["tail"].standard_error)
    assert [note.examples for note in found.notes] == [("tail",)]


def test_horvitz_thompson_counts_each_query_once() -> None:
    sample = pptss([("a", 40), ("b", 5), ("a", 40), ("c", 20)], 100)
    values = {"a": 1.0, "b": 2.0, "c": 4.0}
    found = estimate(sample, values, by="query", estimator="horvitz-thompson")
    p = {"a": 0.4, "b": 0.05, "c": 0.2}
    pi = {query: 1 - (1 - chance) ** 4 for query, chance in p.items()}
    terms = {query: p[query] * values[query] / pi[query] for query in p}
    assert found.value == pytest.approx(sum(terms.values()))
    variance = 0.0
    for i, j in product(p, p):
        both = pi[i] if i == j else pi[i] + pi[j] - 1 + (1 - p[i] - p[j]) ** 4
        variance += (both - pi[i] * pi[j]) / both * terms[i] * terms[j]
    assert found.standard_error == pytest.approx(math.sqrt(variance))
    assert found.sampled == 3
    tail = found.per_tier["tail"]
    assert tail.value == pytest.approx(5 / 40 * 2.0 / pi["b"])


def test_horvitz_thompson_over_all_possible_samples_is_unbiased() -> None:
    # Every sequence of two draws of three queries, with its chance: the mean of the estimates
    # is the truth, and the mean of the variance estimates is their variance.
    sizes, values = {"a": 60, "b": 30, "c": 10}, {"a": 1.0, "b": 2.0, "c": 7.0}
    truth = sum(sizes[query] * values[query] for query in sizes) / 100
    for estimator in ("hansen-hurwitz", "horvitz-thompson"):
        mean = square = variance = 0.0
        for i, j in product(sizes, sizes):
            chance = sizes[i] * sizes[j] / 100**2
            sample = pptss([(i, sizes[i]), (j, sizes[j])], 100)
            found = estimate(sample, values, by="query", estimator=estimator)
            mean += chance * found.value
            square += chance * (found.value - truth) ** 2
            variance += chance * found.standard_error**2
        assert mean == pytest.approx(truth)
        if estimator == "hansen-hurwitz":
            assert variance == pytest.approx(square)


def test_one_query_only() -> None:
    sample = pptss([("a", 100), ("a", 100)], 100)
    found = estimate(sample, {"a": 3.0}, by="query", estimator="horvitz-thompson")
    assert (found.value, found.standard_error) == (3.0, 0.0)


def test_a_sample_of_everything_is_the_mean_of_everything() -> None:
    log = pl.DataFrame(
        {
            "session": [f"s{number}" for number in range(20)],
            "query": [f"q{number % 4}" for number in range(20)],
            "position": [1] * 20,
            "doc": ["d"] * 20,
        }
    )
    found = estimate(draw_sample(log, per_tier=20), {f"s{number}": number for number in range(20)})
    assert found.value == pytest.approx(9.5)
    assert found.interval == pytest.approx((9.5, 9.5))
    assert found.to_dict()["degrees_of_freedom"] is None


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"head-0": 1.0}, "1 of the sampled sessions have no value, such as `head-1`"),
        ({"head-0": 1.0, "head-1": math.nan}, "the value of session `head-1` is nan"),
    ],
)
def test_values_that_cannot_be(values: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        estimate(stratified({"head": (10, 2)}), values)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "doc"}, "must be one of `session`, `query`"),
        ({"estimator": "mean"}, "must be one of `hansen-hurwitz`"),
        ({"estimator": "horvitz-thompson"}, "for PPTSS samples"),
        ({"confidence": 1.0}, "must be between 0 and 1"),
    ],
)
def test_options_that_cannot_be(options: dict[str, object], message: str) -> None:
    values = {"head-0": 1.0, "head-1": 2.0}
    with pytest.raises(ParameterError, match=message):
        estimate(stratified({"head": (10, 2)}), values, **options)  # type: ignore[arg-type]
