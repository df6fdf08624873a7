"""Changes from month to month: tests, corrections, alarms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st
from scipy.stats import t, ttest_ind, ttest_rel

from relyon.analysis.statistics import adjust
from relyon.core.errors import ParameterError, UnknownNameError
from relyon.core.registry import Registry
from relyon.online.monitoring import ALL, Point
from relyon.online.monitoring.alarms import Alarm, find_alarms, register
from relyon.online.monitoring.change_attribution import Losses
from relyon.online.monitoring.changes import MonthlyChange, compare_points, difference
from relyon.online.monitoring.month_variance import MonthMean, month_means, nothing, spread
from relyon.online.monitoring.sentences import change_sentence
from relyon.online.sampling import Estimate, draw_sample


def mean(value: float, error: float = 0.1, count: int = 50) -> Estimate:
    return Estimate(value, (value - 2 * error, value + 2 * error), error, count - 1, count, 0.95)


def by_query(values: Sequence[float], name: str = "", *, times: int = 1) -> MonthMean:
    """A month in which each query has one value, and so many sampled sessions."""
    count = len(values)
    return MonthMean(
        value=math.fsum(values) / count,
        queries=tuple(f"{name}{place}" for place in range(count)),
        strata=np.zeros(count, dtype=np.int64),
        weights=np.full(count, 1 / count),
        means=np.array(values, dtype=np.float64),
        counts=np.full(count, times),
        within=0.0,
        known=np.ones(1),
    )


def around(one: Estimate, month: str) -> MonthMean:
    """A month whose queries are its own, with such a mean and standard error."""
    if math.isnan(one.value):
        return nothing()
    unit = np.resize([-1.0, 1.0], one.sampled)
    unit -= unit.mean()
    unit *= one.standard_error * math.sqrt(one.sampled) / unit.std(ddof=1)
    return by_query((one.value + unit).tolist(), month)


def point(
    month: str,
    tier: str,
    dcg: Estimate,
    ndcg: Estimate | None = None,
    *,
    share: float = 0.5,
    k: int = 10,
) -> Point:
    ndcg = ndcg or mean(0.8, 0.01)
    return Point(
        month=month, tier=tier, depth="common" if tier == ALL else "tier", k=k, dcg=dcg, ndcg=ndcg,
        judged=1.0, sessions=100, share=share, sampled=50, left_out=0, empty=0,
        dcg_mean=around(dcg, month), ndcg_mean=around(ndcg, month),
    )  # fmt: skip


def test_queries_of_one_session_each_are_tested_as_by_welch() -> None:
    a, b = [1.0, 2.0, 4.0, 3.5, 2.2], [0.5, 0.7, 1.9, 1.1, 1.4]
    found = difference(by_query(a, "a"), by_query(b, "b"), confidence=0.9)
    theirs = ttest_ind(b, a, equal_var=False)
    assert found.value / found.standard_error == pytest.approx(theirs.statistic)
    # One variance for both months: the degrees of freedom of Student's test of two samples.
    assert found.degrees_of_freedom == pytest.approx(8)
    assert found.p == pytest.approx(2 * t.sf(abs(theirs.statistic), 8))
    half = t.ppf(0.95, 8) * found.standard_error
    assert found.interval == pytest.approx((found.value - half, found.value + half))
    quantiles = t.ppf(0.975, 8) + t.ppf(0.8, 8)
    assert found.detectable == pytest.approx(quantiles * found.standard_error)
    assert found.queries == 10


def test_shared_queries_are_tested_as_pairs() -> None:
    a, b = [1.0, 2.0, 4.0, 3.5, 2.2], [0.5, 1.7, 3.9, 2.1, 1.4]
    found = difference(by_query(a), by_query(b))
    theirs = ttest_rel(b, a)
    assert found.value / found.standard_error == pytest.approx(theirs.statistic)
    assert found.degrees_of_freedom == pytest.approx(4)
    assert found.p == pytest.approx(theirs.pvalue)
    assert found.queries == 5


@pytest.mark.long
def test_the_detectable_change_is_found_four_times_of_five() -> None:
    chooser = np.random.default_rng(7)
    draws = chooser.standard_normal((2, 1000, 30))
    truth = difference(*(by_query(draws[m].ravel(), f"{m}") for m in (0, 1))).standard_error
    truth *= math.sqrt(1000) * (t.ppf(0.975, 58) + t.ppf(0.8, 58))
    found = sum(
        difference(by_query(one, "a"), by_query(two - truth, "b")).p <= 0.05
        for one, two in zip(*draws, strict=True)
    )
    assert 0.76 < found / 1000 < 0.84


@given(
    cells=st.lists(
        st.tuples(
            st.integers(0, 6), st.integers(0, 2), st.integers(1, 9), st.floats(-5, 5), st.booleans()
        ),
        min_size=4,
        max_size=16,
        unique_by=lambda cell: (cell[0], cell[4]),
    )
)
def test_degrees_of_freedom_are_those_of_the_whole_matrix(cells: list[Any]) -> None:
    months = []
    for later in (False, True):
        rows = [cell for cell in cells if cell[4] is later]
        if len(rows) < 2:
            return
        counts = np.array([row[2] for row in rows])
        weights = counts / counts.sum()
        means = np.array([row[3] for row in rows])
        months.append(
            MonthMean(
                float(weights @ means),
                tuple(f"q{row[0]}" for row in rows),
                np.array([row[1] for row in rows]),
                weights,
                means,
                counts,
                float(counts.sum() - len(counts)),
                np.array([0.2, 0.5, 1.0]),
            )
        )
    names = sorted({query for one in months for query in one.queries})
    rows, variances = [], []
    for sign, one in zip((-1, 1), months, strict=True):
        block = np.zeros((len(names), len(one.queries)))
        for cell, query in enumerate(one.queries):
            mine = one.strata == one.strata[cell]
            share = one.weights[mine].sum()
            of_tier = np.where(mine, one.weights / share, 0.0)
            own = np.eye(len(one.queries))[cell]
            weight, size = one.weights[cell], int(mine.sum())
            row = np.zeros(len(one.queries))
            if size > 1:
                shrink = math.sqrt((size - 1) / size) / (1 - weight / share)
                row += weight * shrink * (own - of_tier)
            if len(set(one.strata)) > 1:
                known = 1.0 if size == 1 else math.sqrt(one.known[one.strata[cell]])
                row += known * weight / (1 - weight) * (of_tier - one.weights)
            block[names.index(query)] += sign * row
        rows.append(block)
        variances.append(1 / one.counts)
    whole = np.hstack(rows)
    moved = whole @ np.concatenate([one.means for one in months])
    found = spread(*months)
    assert found.error == pytest.approx(math.sqrt(moved @ moved), abs=1e-9)
    if found.error == 0:
        return
    session = np.concatenate(variances)
    free = sum(int((one.counts - 1).sum()) for one in months)
    noise = 1.0 if free else 0.0
    more = max(0.0, moved @ moved - noise * np.trace(whole @ np.diag(session) @ whole.T))
    omega = more / np.trace(whole @ whole.T) + noise * session
    matrix = whole @ np.diag(omega) @ whole.T
    expected = np.trace(matrix) ** 2 / np.trace(matrix @ matrix)
    assert found.degrees_of_freedom == pytest.approx(expected, rel=1e-6)


def test_a_single_query_says_nothing_of_the_process() -> None:
    one = by_query([2.0], times=400)
    for other in (one, by_query([1.0], "x", times=400), by_query([1.0, 2.0, 3.0])):
        found = difference(one, other)
        assert found.value == other.value - 2.0
        assert math.isnan(found.p)
        assert math.isnan(found.standard_error)
        assert found.to_dict()["interval"] == [None, None]


def test_queries_that_do_not_differ_are_counted() -> None:
    for count in (2, 3, 8):
        found = difference(by_query([2.0] * count), by_query([1.0] * count, "x"))
        assert found.p == pytest.approx(2 / math.comb(2 * count, count))
        assert (found.standard_error, found.queries) == (0.0, 2 * count)
        assert math.isnan(found.detectable)
    same = difference(by_query([2.0] * 3), by_query([2.0] * 5))
    assert (same.value, same.p) == (0.0, 1.0)
    assert difference(by_query([2.0] * 900), by_query([1.0] * 900)).p == math.ulp(0.0)


def test_the_last_digits_of_a_sum_are_no_change() -> None:
    found = difference(by_query([3.6309297535714573] * 4), by_query([3.630929753571457] * 4))
    assert (found.value, found.p) == (0.0, 1.0)


def test_a_month_without_values_has_no_test() -> None:
    found = difference(nothing(), by_query([1.0, 2.0]))
    assert math.isnan(found.value)
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
        "head: DCG@10 fell by 6.7%, more than the 6% allowed (3.000 to 2.800; p = 0.481)."
    )
    assert alarm.sentence("zh").startswith("高频：DCG@10 下降了 6.7%，超过允许的 6%")
    assert alarm.to_dict()["limit"] == 0.06


def test_an_alarm_is_one_registered_class(monkeypatch: pytest.MonkeyPatch) -> None:
    class Risen(Alarm):
        kind = "risen"

        @classmethod
        def find(
            cls, change: MonthlyChange, losses: Losses | None, max_drop: float | None
        ) -> Alarm | None:
            return cls(change, losses) if change.dcg.value > 0 else None

    found = months(mean(3.2), mean(2.0, 0.01))
    monkeypatch.setattr("relyon.online.monitoring.alarms.alarms", Registry("alarm"))
    assert register(Risen) is Risen
    assert [(one.kind, one.tier) for one in find_alarms(found, [])] == [("risen", "head")]


def test_what_cannot_be_asked() -> None:
    found = months(mean(2.8), mean(3.0))
    with pytest.raises(UnknownNameError, match="no tier is called `haed`") as caught:
        find_alarms(found, [], tier="haed")
    assert "head" in caught.value.hint
    with pytest.raises(ParameterError, match="must be between 0 and 1"):
        find_alarms(found, [], max_drop=5)
    with pytest.raises(ParameterError, match="must be one of `en`, `zh`"):
        change_sentence(found[0], "fr")


def test_traffic_that_moves_between_tiers() -> None:
    def of(month: str, head: float, tail: float, share: float) -> list[Point]:
        points = [point(month, ALL, mean(share * head + (1 - share) * tail, 0.01))]
        for tier, value, part in (("head", head, share), ("tail", tail, 1 - share)):
            points.append(
                replace(point(month, tier, mean(value, 0.01), share=part), depth="common")
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


@pytest.mark.parametrize("cuts", [[], [0.5, 0.9]])
def test_the_order_of_a_samples_rows_changes_no_digit(cuts: list[float]) -> None:
    sessions = [f"s{number}" for number in range(240)]
    log = pl.DataFrame({
        "session": sessions,
        "query": [f"q{number % 17 * (number % 5)}" for number in range(240)],
        "position": [1] * 240,
        "doc": ["d"] * 240,
    })  # fmt: skip
    sample = draw_sample(log, cuts=cuts, names=["head", "middle", "tail"][: len(cuts) + 1])
    before = {name: (7 * place % 31) / 3 for place, name in enumerate(sessions)}
    after = {name: (11 * place % 37) / 7 for place, name in enumerate(sessions)}

    def seen(sample: Any) -> tuple[Any, ...]:
        (first, tiers), (second, _) = (month_means(sample, one) for one in (before, after))
        found = difference(first, second)
        return (
            first.value, first.within, found.value, found.standard_error, found.p, found.interval,
            {name: one.value for name, one in tiers.items()},
        )  # fmt: skip

    shuffled = [
        replace(sample, sessions=sample.sessions.sample(fraction=1, shuffle=True, seed=seed))
        for seed in range(10)
    ]
    assert [seen(one) for one in shuffled] == [seen(sample)] * len(shuffled)
