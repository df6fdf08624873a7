"""Changes from month to month: tests, corrections, alarms."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t, ttest_ind_from_stats

from relkit.errors import ParameterError, UnknownNameError
from relkit.monitoring import ALL, Point
from relkit.monitoring.alarms import find_alarms
from relkit.monitoring.changes import compare_points, difference
from relkit.monitoring.wording import change_sentence
from relkit.sampling import Estimate
from relkit.statistics import adjust


def mean(value: float, error: float = 0.1, count: int = 50) -> Estimate:
    return Estimate(value, (value - 2 * error, value + 2 * error), error, count - 1, count, 0.95)


def point(
    month: str,
    tier: str,
    dcg: Estimate,
    ndcg: Estimate | None = None,
    *,
    share: float = 0.5,
    k: int = 10,
) -> Point:
    return Point(
        month=month, tier=tier, reach="common" if tier == ALL else "own", k=k, dcg=dcg,
        ndcg=ndcg or mean(0.8, 0.01), judged=1.0, sessions=100, share=share, sampled=50,
        left_out=0, empty=0,
    )  # fmt: skip


def test_the_test_is_that_of_welch() -> None:
    a, b = np.array([1.0, 2.0, 4.0, 3.5, 2.2]), np.array([0.5, 0.7, 1.9, 1.1])
    before, after = (
        mean(float(values.mean()), float(values.std(ddof=1)) / math.sqrt(len(values)), len(values))
        for values in (a, b)
    )
    found = difference(before, after, confidence=0.9)
    theirs = ttest_ind_from_stats(
        b.mean(), b.std(ddof=1), 4, a.mean(), a.std(ddof=1), 5, equal_var=False
    )
    assert found.p == pytest.approx(theirs.pvalue)
    half = t.ppf(0.95, found.degrees_of_freedom) * found.standard_error
    assert found.interval == pytest.approx((found.value - half, found.value + half))
    quantiles = t.ppf(0.975, found.degrees_of_freedom) + t.ppf(0.8, found.degrees_of_freedom)
    assert found.detectable == pytest.approx(quantiles * found.standard_error)


def test_the_detectable_change_is_found_four_times_of_five() -> None:
    chooser = np.random.default_rng(7)
    error, degrees = 0.1, 60
    one = Estimate(2.0, (1.8, 2.2), error, degrees, degrees + 1, 0.95)
    truth = difference(one, one).detectable
    found = 0
    for _ in range(2000):
        before = replace(one, value=2.0 + error * chooser.standard_normal())
        after = replace(one, value=2.0 - truth + error * chooser.standard_normal())
        found += difference(before, after).p <= 0.05
    assert 0.77 < found / 2000 < 0.83


def test_months_that_were_sampled_whole_have_no_chance() -> None:
    one = Estimate(2.0, (2.0, 2.0), 0.0, math.inf, 50, 0.95)
    assert difference(one, one).p == 1.0
    assert difference(one, replace(one, value=1.9)).p == math.ulp(0.0)
    # One side whole: the error is the other's.
    half = difference(one, mean(2.2, 0.1, 41))
    assert (half.standard_error, half.degrees_of_freedom) == (0.1, pytest.approx(40))
    assert half.p == pytest.approx(2 * t.sf(2, 40))


def test_the_last_digits_of_a_sum_are_no_change() -> None:
    one = Estimate(3.6309297535714573, (3.6, 3.7), 0.0, 9, 10, 0.95)
    found = difference(one, replace(one, value=3.630929753571457))
    assert (found.value, found.p) == (0.0, 1.0)


def test_a_month_without_an_interval_has_no_test() -> None:
    one = Estimate(2.0, (math.nan, math.nan), math.nan, 0, 1, 0.95)
    found = difference(one, mean(1.0))
    assert found.value == -1.0
    assert math.isnan(found.p)
    assert found.to_dict()["interval"] == [None, None]


def months(head: Estimate, tail: Estimate, **options: float) -> list:
    """Two months: 3.0 at first, and then what is given."""
    old = [point("2026-01", tier, mean(3.0)) for tier in ("head", "tail")]
    new = [point("2026-02", "head", head), point("2026-02", "tail", tail)]
    return compare_points(
        [point("2026-01", ALL, mean(3.0, 0.07)), *old],
        [point("2026-02", ALL, mean((head.value + tail.value) / 2, 0.07)), *new],
        confidence=0.95,
        alpha=0.05,
        **options,
    )


def test_tiers_are_corrected_together() -> None:
    found = months(mean(2.67), mean(2.95))
    raw = [one.dcg.p for one in found]
    assert [one.p_adjusted for one in found] == adjust(raw, "holm")
    by_tier = {one.tier: one for one in found}
    # The head alone would be called lower.
    assert by_tier["head"].dcg.p < 0.05 < by_tier["head"].p_adjusted
    assert by_tier["head"].verdict == "undecided"
    assert [(alarm.kind, alarm.tier) for alarm in find_alarms(found, [])] == []
    alone = find_alarms(found, [], tier="head")
    assert [(alarm.kind, alarm.tier) for alarm in alone] == [("fell", "head"), ("recall", "head")]
    assert "may be chance" in change_sentence(by_tier["head"])


def test_points_of_another_depth_are_not_compared() -> None:
    before = [point("2026-01", "head", mean(3.0), k=20)]
    after = [point("2026-02", "head", mean(1.0), k=10)]
    assert compare_points(before, after, confidence=0.95, alpha=0.05) == []


def test_a_rise_is_no_alarm() -> None:
    found = months(mean(4.0), mean(3.9))
    assert {one.verdict for one in found} == {"rose"}
    assert find_alarms(found, [], max_drop=0.0) == []


@pytest.mark.parametrize(
    ("ndcg", "hidden"),
    [(mean(0.8, 0.01), True), (mean(0.9, 0.01), True), (mean(0.5, 0.01), False)],
)
def test_ndcg_that_stays_while_dcg_falls_is_an_alarm(ndcg: Estimate, hidden: bool) -> None:
    before, after = point("2026-01", "head", mean(3.0)), point("2026-02", "head", mean(2.0), ndcg)
    (found,) = compare_points([before], [after], confidence=0.95, alpha=0.05)
    assert found.verdict == "fell"
    assert found.hidden is hidden
    kinds = [alarm.kind for alarm in find_alarms([found], [])]
    assert kinds == (["fell", "recall"] if hidden else ["fell"])


def test_without_ndcg_nothing_is_said_about_recall() -> None:
    nan = Estimate(math.nan, (math.nan, math.nan), math.nan, math.nan, 0, 0.95)
    before = point("2026-01", "head", mean(3.0), nan)
    (found,) = compare_points(
        [before], [point("2026-02", "head", mean(2.0), nan)], confidence=0.95, alpha=0.05
    )
    assert not found.hidden


def test_a_limit_holds_whether_or_not_it_is_chance() -> None:
    found = months(mean(2.8), mean(3.0))
    assert find_alarms(found, [], max_drop=0.07) == []
    (alarm,) = find_alarms(found, [], max_drop=0.06)
    assert (alarm.kind, alarm.tier) == ("beyond-limit", "head")
    assert alarm.sentence() == (
        "head: DCG@10 fell by 6.7 %, more than the 6 % allowed (3.000 to 2.800; p = 0.481)."
    )
    assert alarm.sentence("zh").startswith("高频：DCG@10 下降了 6.7%，超过允许的 6%")
    assert alarm.to_dict()["limit"] == 0.06


def test_what_cannot_be_asked() -> None:
    found = months(mean(2.8), mean(3.0))
    with pytest.raises(UnknownNameError, match="no tier is called `haed`") as caught:
        find_alarms(found, [], tier="haed")
    assert "head" in caught.value.hint
    with pytest.raises(ParameterError, match="must lie between 0 and 1"):
        find_alarms(found, [], max_drop=5)
    with pytest.raises(ParameterError, match="must be one of `en`, `zh`"):
        change_sentence(found[0], "fr")  # type: ignore[arg-type]


def test_traffic_that_moves_between_tiers() -> None:
    def of(month: str, head: float, tail: float, share: float) -> list[Point]:
        points = [point(month, ALL, mean(share * head + (1 - share) * tail, 0.01))]
        for tier, value, part in (("head", head, share), ("tail", tail, 1 - share)):
            points.append(
                replace(point(month, tier, mean(value, 0.01), share=part), reach="common")
            )
        return points

    changes = compare_points(
        of("2026-01", 4.0, 2.0, 0.5), of("2026-02", 4.0, 2.0, 0.25), confidence=0.95, alpha=0.05
    )
    (total,) = (one for one in changes if one.tier == ALL)
    # Neither tier changed: all of the fall is traffic.
    assert total.dcg.value == pytest.approx(-0.5)
    assert total.mix == pytest.approx(-0.5)
    assert all(math.isnan(one.mix) for one in changes if one.tier != ALL)
