"""A/B tests: what keeps one from being read, and what its arms did, by hand and in corners."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import polars as pl
import pytest

from relyon.analysis.diagnosis import OnlineData
from relyon.analysis.statistics import (
    ratio_mismatch,
    sequential_mismatch,
    student,
    student_quantile,
)
from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.online.experiments import Threat, check_experiment, compare_arms


def number(finding: Threat, name: str) -> float:
    value = finding.evidence[name]
    assert isinstance(value, float)
    return value


def traffic(
    users: int = 400, seed: int = 0, *, shares: float = 0.5, days: int = 7, **more: Any
) -> pl.DataFrame:
    """A log of users in two arms, alike: a week before the test and one in it."""
    generator = np.random.default_rng(seed)
    arm = np.where(generator.random(users) < shares, "B", "A")
    taste = generator.beta(2, 5, users)
    count = generator.poisson(6, users)
    user = np.repeat(np.arange(users), count)
    searches = len(user)
    day = generator.integers(-days, days, searches)
    frame = pl.DataFrame(
        {
            "user": np.repeat(user, 2),
            "session": np.repeat(np.arange(searches), 2),
            "arm": np.repeat(arm[user], 2),
            "query": "tv",
            "position": np.tile([1, 2], searches),
            "doc": np.tile(["a", "b"], searches),
            "clicked": generator.random(2 * searches) < np.repeat(taste[user], 2),
            "day": np.repeat(day, 2),
        }
    )
    return frame.with_columns(
        timestamp=pl.datetime(2026, 3, 8)
        + pl.duration(days="day", hours=pl.int_range(pl.len()) % 23, minutes=pl.col("position")),
        **more,
    ).drop("day")


START = "2026-03-08"

SMALL = pl.DataFrame(
    {
        "user": [1, 1, 1, 2, 2, 3, 3, 4],
        "session": [1, 1, 2, 3, 3, 4, 5, 6],
        "arm": ["A"] * 5 + ["B"] * 3,
        "query": "tv",
        "position": [1, 2, 1, 1, 2, 1, 1, 1],
        "doc": list("ababaaab"),
        "clicked": [0, 1, 0, 0, 0, 1, 0, 1],
        "purchase": [0, 1, 0, 0, 0, 0, 0, 1],
        "timestamp": [0, 5, 60, 100, 104, 200, 300, 400],
    }
).with_columns(pl.from_epoch("timestamp"))


# -- sizes -----------------------------------------------------------------------------------------


def test_sizes_against_the_plan_by_hand() -> None:
    # (450 - 500)² / 500 twice.
    found = ratio_mismatch([450, 550], [0.5, 0.5])
    assert found.statistic == pytest.approx(10)
    assert found.p == pytest.approx(0.0015654, abs=1e-6)
    assert found.expected == (500, 500)
    # So few that χ² does not hold: all of five in one arm, exactly 2 / 2⁵.
    assert ratio_mismatch([5, 0], [1, 1]).p == pytest.approx(2 / 32)


def test_the_sequential_test_by_its_definition() -> None:
    groups = np.array([0, 0, 1, 0])
    found = sequential_mismatch(groups, [3, 1])
    # The predictive probability of each arrival over the planned one: c θ + n_i of c + n.
    factor, smallest, counts = 1.0, 1.0, [75.0, 25.0]
    for group, p in zip(groups, found, strict=True):
        factor *= counts[group] / sum(counts) / (0.75, 0.25)[group]
        counts[group] += 1
        smallest = min(smallest, 1 / factor)
        assert p == pytest.approx(smallest)


def test_a_mismatch_is_found() -> None:
    log = traffic(3000, shares=0.42)
    health = check_experiment(log)
    finding = health["sample-ratio"]
    assert finding.level == "warning"
    assert finding.total == log["user"].n_unique()
    assert abs(finding.count - 240) < 60
    assert number(finding, "p") < 1e-6
    assert number(finding, "sequential") < 1e-6
    planned = check_experiment(traffic(3000, shares=0.42), planned={"A": 0.58, "B": 0.42})
    assert "sample-ratio" not in planned


# -- checks ----------------------------------------------------------------------------------------


def test_nothing_is_wrong_with_a_fair_test() -> None:
    health = check_experiment(traffic(), start=START)
    assert [one.kind for one in health] == []
    assert {one.kind: one.reason for one in health.skipped} == {
        "overridden": "no-overridden",
        "carry-over": "no-restart",
        "same-assignment": "no-restart",
    }
    assert "nothing is wrong" in health.to_text()


def test_users_in_several_arms_are_left_out() -> None:
    log = traffic(100)
    other = pl.when(pl.col("user") < 3).then(pl.lit("B")).otherwise("arm")
    mixed = pl.concat([log, log.with_columns(arm=other, session=pl.col("session") + 10_000)])
    health = check_experiment(mixed)
    moved = log.filter(pl.col("user") < 3, pl.col("arm") == "A")["user"].n_unique()
    assert moved
    assert health["several-arms"].count == moved
    assert sum(health.arms.values()) == log["user"].n_unique() - moved


def test_rows_without_an_arm_are_counted() -> None:
    log = traffic(100)
    lost = log.with_columns(arm=pl.when(pl.int_range(pl.len()) >= 10).then("arm"))
    finding = check_experiment(lost)["unassigned"]
    assert (finding.count, finding.total) == (10, log.height)
    assert finding.level == ("warning" if 0.01 * log.height <= 10 else "info")


def test_arms_that_differ_before_the_test() -> None:
    better = (pl.col("arm") == "B") & (pl.col("timestamp") < pl.datetime(2026, 3, 8))
    lucky = pl.col("clicked") | (better & (pl.col("session") % 4 == 0))
    finding = check_experiment(traffic(), start=START)
    assert "differ-before" not in finding
    found = check_experiment(traffic().with_columns(clicked=lucky), start=START)["differ-before"]
    assert found.evidence["metric"] in {"ctr", "abandonment"}
    assert found.evidence["arm"] == "B"
    assert number(found, "p") < 0.01


def test_a_cold_start() -> None:
    log = traffic(600)
    gone = (pl.col("arm") == "B") & (pl.col("user") % 3 == 0)
    history = pl.col("timestamp") < pl.datetime(2026, 3, 8)
    finding = check_experiment(log.filter(~(gone & history)), start=START)["cold-start"]
    assert number(finding, "share") > number(finding, "other") + 0.2
    assert (finding.unit, finding.level) == ("users", "warning")


def test_what_rules_decided() -> None:
    alike = traffic(overridden=pl.col("session") % 40 == 0)
    finding = check_experiment(alike)["overridden"]
    assert finding.level == "info"
    assert finding.count == alike["overridden"].sum()
    differs = traffic(overridden=(pl.col("session") % 40 == 0) & (pl.col("arm") == "B"))
    assert check_experiment(differs)["overridden"].level == "warning"
    many = traffic(overridden=pl.col("session") % 5 == 0)
    assert check_experiment(many)["overridden"].level == "warning"


def test_what_an_earlier_attempt_left() -> None:
    log = traffic(2000, 1)
    early = pl.col("timestamp") < pl.datetime(2026, 3, 8)
    same = check_experiment(log, restart=START)
    assert same["same-assignment"].count == same["same-assignment"].total
    redrawn = pl.when(early).then(
        pl.when(pl.col("user").hash(1) % 2 == 0).then(pl.lit("A")).otherwise(pl.lit("B"))
    ).otherwise("arm")  # fmt: skip
    fresh = check_experiment(log.with_columns(arm=redrawn), restart=START)
    assert "same-assignment" not in fresh
    assert "carry-over" not in fresh
    spoilt = pl.col("clicked") & (early | (pl.col("user").hash(1) % 2 == 0))
    left = check_experiment(log.with_columns(arm=redrawn, clicked=spoilt), restart=START)
    finding = left["carry-over"]
    assert finding.evidence["arm"] == "B"
    assert number(finding, "p") < 1e-6


def test_what_diagnose_reads() -> None:
    values = check_experiment(traffic(), start=START, planned={"A": 1, "B": 1}).online()
    data = OnlineData.from_dict(values)
    assert data.lift_p == values["p"]
    assert data.cold_start.keys() == {"baseline", "candidate"}
    report = compare_arms(traffic(), start=START)
    assert data.lift == pytest.approx(report.get("ctr", "B").difference)
    assert data.lift_p == pytest.approx(report.get("ctr", "B").p)


def test_checks_by_name() -> None:
    health = check_experiment(traffic(100), only="sample-ratio")
    assert (health.made, health.skipped) == (1, ())
    with pytest.raises(UnknownNameError, match="sample-rotia"):
        check_experiment(traffic(100), only=["sample-rotia"])


# -- arms ------------------------------------------------------------------------------------------


def test_arms_by_hand() -> None:
    report = compare_arms(SMALL)
    ctr = report.get("ctr", "A")
    # Users 1 and 2: 1 of 3 and 0 of 2. They count as 25/13 equal ones: one of them decides.
    assert (ctr.users, ctr.value, ctr.largest) == (2, 0.2, 0.6)
    assert ctr.effective == pytest.approx(25 / 13)
    assert all(math.isnan(bound) for bound in ctr.interval)
    other = report.get("ctr", "B")
    assert other.value == pytest.approx(2 / 3)
    assert other.difference == pytest.approx(2 / 3 - 0.2)
    # Searches: of A 3 with one click, of B 3 with two.
    assert report.get("abandonment", "A").value == pytest.approx(2 / 3)
    assert report.get("abandonment", "B").value == pytest.approx(1 / 3)
    assert report.get("conversion", "B").value == pytest.approx(1 / 3)
    # The only click of A came 5 seconds after the first result, those of B at once.
    assert report.get("first-click", "A").value == 5
    assert report.get("first-click", "B").value == 0
    assert all(one.thin for one in report.rows)
    assert "* Do not rely on this interval" in report.to_text()


def test_an_interval_by_hand() -> None:
    """Users of 4, 2 and 2 results with 1, 0 and 1 clicks: r = 1/4, s − r n = 0, −1/2 and 1/2."""
    rows = [
        ("a", 1, 1),
        ("a", 1, 0),
        ("a", 1, 0),
        ("a", 1, 0),
        ("b", 2, 0),
        ("b", 2, 0),
        ("c", 3, 1),
    ]
    rows += [("c", 3, 0)]
    some = pl.DataFrame(rows, ["user", "session", "clicked"], orient="row")
    some = some.with_columns(query=pl.lit("tv"), position=pl.int_range(pl.len()), doc=pl.lit("x"))
    other = some.with_columns(user=pl.col("user") + "2", session=pl.col("session") + 9)
    found = compare_arms(
        pl.concat([some.with_columns(arm=pl.lit("A")), other.with_columns(arm=pl.lit("B"))])
    )
    one = found.get("ctr", "A")
    # Over 1 - w = 1/2, 3/4 and 3/4: error² = (2/3) 2 (2/3)² / 8²; 64/24 effective users.
    half = -student_quantile(64 / 24 - 1, 0.025) * math.sqrt(2 / 3 * 2 * 4 / 9 / 64)
    assert one.interval == pytest.approx((max(0, 0.25 - half), 0.25 + half))
    # Two of the three carry the error.
    assert (one.value, one.influential) == (0.25, 2)
    text = " ".join(found.to_text().split())
    assert "A: 3 users count as 2.7 equally active ones; the most active has 50.0%." in text


def test_differences_are_welch_of_the_jackknife() -> None:
    log = traffic(300, 4)
    one = compare_arms(log).get("ctr", "B")
    users = log.group_by("user").agg(pl.col("arm").first(), pl.col("clicked").sum(), n=pl.len())
    rates, variances, degrees = [], [], []
    for arm in "AB":
        part = users.filter(arm=arm)
        clicks, shown = part["clicked"].to_numpy(), part["n"].to_numpy()
        without = (clicks.sum() - clicks) / (shown.sum() - shown)
        rates.append(clicks.sum() / shown.sum())
        variances.append(np.square(without - rates[-1]).sum() * (1 - 1 / len(shown)))
        degrees.append(shown.sum() ** 2 / np.square(shown).sum() - 1)
    assert one.difference == pytest.approx(rates[1] - rates[0])
    freedom = sum(variances) ** 2 / sum(
        value**2 / degree for value, degree in zip(variances, degrees, strict=True)
    )
    t = (rates[1] - rates[0]) / math.sqrt(sum(variances))
    assert one.p == pytest.approx(2 * student(freedom, -abs(t)))


def test_looks_at_the_sizes() -> None:
    """χ² alone is no warning: it would be one at some look far more often than its level."""
    sizes = pl.DataFrame({"user": range(10_000)}).with_columns(
        session="user",
        query=pl.lit("tv"),
        position=1,
        doc=pl.lit("a"),
        arm=pl.Series("BA"[int((n + 1) * 0.483) > int(n * 0.483)] for n in range(10_000)),
    )
    by_arm = sizes["arm"].value_counts(sort=True)["count"].to_list()
    assert ratio_mismatch(by_arm, [1, 1]).p < 0.001
    assert not check_experiment(sizes, only="sample-ratio").warnings


def test_history_sharpens_differences() -> None:
    log = traffic(1500, 2)
    plain, sharper = compare_arms(log), compare_arms(log, start=START)
    assert math.isnan(plain.get("ctr", "B").adjusted)
    one = sharper.get("ctr", "B")
    assert 0.1 < one.reduction < 1
    low, high = one.adjusted_interval
    assert high - low < one.difference_interval[1] - one.difference_interval[0]
    # The test's own numbers are those of the log from the start on.
    alone = compare_arms(log.filter(pl.col("timestamp") >= pl.datetime(2026, 3, 8)))
    assert alone.get("ctr", "B").difference == pytest.approx(one.difference)


def test_bootstrap_and_delta_agree_on_many_users() -> None:
    log = traffic(2000, 6)
    delta = compare_arms(log).get("ctr", "B")
    drawn = compare_arms(log, interval="bootstrap", resamples=4000).get("ctr", "B")
    assert drawn.interval == pytest.approx(delta.interval, abs=0.003)
    assert drawn.difference_interval == pytest.approx(delta.difference_interval, abs=0.004)
    assert drawn.p == delta.p


def test_what_the_log_does_not_tell_is_left_out_with_the_reason() -> None:
    log = traffic(100)
    report = compare_arms(log)
    assert report.missing == {"conversion": "no-purchase"}
    assert "the log does not say what was bought" in report.to_text()
    assert compare_arms(log.drop("timestamp")).missing["first-click"] == "no-timestamp"
    same = log.with_columns(timestamp=pl.col("timestamp").min().over("session"))
    assert compare_arms(same).missing["first-click"] == "one-time"
    nothing = compare_arms(log.drop("clicked"))
    assert (nothing.rows, len(nothing.missing)) == ((), 4)
    assert "nan" not in nothing.to_text().lower()
    unclicked = compare_arms(log.with_columns(clicked=pl.lit(False)))
    assert unclicked.missing["first-click"] == "nothing"


@pytest.mark.parametrize("clicked", [False, True])
def test_all_clicks_or_none_have_no_interval(clicked: bool) -> None:
    report = compare_arms(traffic(100).with_columns(clicked=pl.lit(clicked)))
    one = report.get("ctr", "B")
    assert (one.value, one.difference, one.p) == (float(clicked), 0, 1)
    assert all(map(math.isnan, one.interval + one.difference_interval))
    assert one.thin
    assert "There is no interval (-) with" in report.to_text()
    assert "nan" not in report.to_text().lower()
    assert json.loads(report.to_json())["metrics"][0]["interval"] == [None, None]
    bootstrap = compare_arms(
        traffic(100).with_columns(clicked=pl.lit(clicked)), interval="bootstrap"
    )
    assert all(map(math.isnan, bootstrap.get("ctr", "A").interval))


def test_one_user_per_arm() -> None:
    report = compare_arms(SMALL.filter(pl.col("user").is_in([1, 3])))
    one = report.get("ctr", "B")
    assert one.difference == pytest.approx(1 / 2 - 1 / 3)
    assert math.isnan(one.p)
    assert math.isnan(one.interval[0])


def test_sessions_stand_for_users_where_there_are_none() -> None:
    with pytest.warns(match="the log has no users"):
        report = compare_arms(SMALL.drop("user"))
    assert (report.unit, report.arms) == ("sessions", {"A": 3, "B": 3})


def test_three_arms_and_a_baseline() -> None:
    log = traffic(300).with_columns(
        arm=pl.when(pl.col("user") % 3 == 0).then(pl.lit("C")).otherwise("arm")
    )
    report = compare_arms(log, baseline="B")
    assert list(report.arms) == ["B", "A", "C"]
    assert math.isnan(report.get("ctr", "B").difference)
    assert report.to_frame().height == 9
    with pytest.raises(ParameterError, match="no arm is called"):
        compare_arms(log, baseline="Z")


@pytest.mark.parametrize(
    ("change", "options", "error"),
    [
        (lambda log: log.drop("arm"), {}, "which arm"),
        (lambda log: log.with_columns(arm=pl.lit("A")), {}, "two arms or more, the log has 1"),
        (lambda log: log.drop("timestamp"), {"start": START}, "no times"),
        (lambda log: log, {"start": "soon"}, "a day or a time"),
        (lambda log: log, {"start": START, "restart": START}, "after the start"),
        (lambda log: log, {"start": "2036-01-01"}, "two arms or more, the log has 0"),
        (lambda log: log, {"planned": {"A": 1}}, "the arms are"),
        (lambda log: log, {"planned": {"A": 1, "B": 0}}, "above 0"),
    ],
)
def test_what_cannot_be_checked(change: Any, options: dict[str, Any], error: str) -> None:
    with pytest.raises((InputError, ParameterError), match=error):
        check_experiment(change(traffic(50)), **options)


def test_other_engines_give_the_same() -> None:
    duckdb = pytest.importorskip("duckdb")
    log = traffic(200)
    connection = duckdb.connect()
    connection.register("log", log.to_arrow())
    there = compare_arms(connection.sql("select * from log"), start=START)
    here = compare_arms(log, start=START)
    assert there.to_frame().equals(here.to_frame())
