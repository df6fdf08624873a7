"""How much to grade: queries of a comparison, sessions of a month."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.unit.conftest import Command

import relyon
from relyon.analysis.statistics import paired_test, queries_needed
from relyon.analysis.statistics.plans.tests import plan_test
from relyon.core.errors import ParameterError
from relyon.online.monitoring import (
    Moments,
    SamplePlan,
    create_round,
    moments_of,
    plan_sample,
    read_rounds,
)
from relyon.online.monitoring.changes import difference
from relyon.online.monitoring.simulated_months import Frames, draw_months
from relyon.online.sampling import allocate, build_tiers, draw_sample

pytestmark = pytest.mark.long


def log(sessions: int = 12_000, queries: int = 2000) -> pl.DataFrame:
    generator = np.random.default_rng(3)
    chances = 1 / np.arange(1, queries + 1) ** 0.8
    asked = generator.choice(queries, sessions, p=chances / chances.sum())
    return pl.DataFrame(
        {
            "session": [f"s{number}" for number in range(sessions)],
            "query": [f"q{number}" for number in asked],
            "position": 1,
            "doc": "d",
        }
    )


@pytest.fixture(scope="module")
def plan() -> SamplePlan:
    return plan_sample(log())


def values(count: int, spread: float, seed: int = 0) -> dict[str, dict[str, dict[str, float]]]:
    generator = np.random.default_rng(seed)
    base = generator.uniform(0.3, 0.5, count)
    moved = base + generator.normal(0.01, spread, count)
    return {
        name: {"rate": {f"q{place}": float(value) for place, value in enumerate(column)}}
        for name, column in (("old", base), ("new", moved))
    }


def test_queries_follow_from_the_spread_and_the_number_of_comparisons() -> None:
    given = values(50, 0.1)
    given["newer"] = values(50, 0.2, 1)["new"]
    comparison = relyon.compare_values(given)
    plan = comparison.plan([0.02, "5%"], powers=(0.8,))
    assert (plan.comparisons, plan.level) == (2, 0.025)
    for row in plan.rows:
        deltas = np.array(list(comparison.deltas(row.candidate, row.measure).values()))
        assert row.queries == (plan_test(deltas, row.difference, alpha=0.025, power=0.8),)
        # That s is an estimate costs a few queries more than if it were known.
        known = queries_needed(row.difference, float(deltas.std(ddof=1)), 0.025, 0.8)
        assert known < row.queries[0] < 1.2 * known
    assert plan.rows[1].difference == pytest.approx(0.05 * comparison.contrasts[0].baseline_mean)
    alone = relyon.compare_values(given, correction="none").plan([0.02])
    assert alone.level == 0.05
    assert alone.rows[0].queries[0] < plan.rows[0].queries[0]


def test_the_planned_queries_find_the_difference_as_often_as_promised() -> None:
    spread, size = 0.1, 0.02
    generator = np.random.default_rng(8)
    for power in (0.8, 0.9):
        count = queries_needed(size, spread, 0.025, power)
        for true, low, high in ((size, power - 0.05, power + 0.05), (0.0, 0.0, 0.045)):
            draws = generator.normal(true, spread, (600, count))
            found = [paired_test("t", one).p <= 0.025 for one in draws]
            assert low <= np.mean(found) <= high


def pilot_of(differing: int, count: int = 12) -> relyon.Comparison:
    old = {f"q{n}": 0.5 for n in range(count)}
    new = {query: 0.5 + 0.1 * (n + 1) * (n < differing) for n, query in enumerate(old)}
    return relyon.compare_values({"old": {"rate": old}, "new": {"rate": new}}, test="sign")


def test_too_few_queries_that_differ_carry_no_plan() -> None:
    plan = pilot_of(1).plan([0.05])
    (row,) = plan.rows
    assert (row.queries, row.basis, row.differing, row.test) == ((0, 0), "too_few", 1, "sign")
    assert "No plan (-): fewer than 6 queries differ (new, rate)" in " ".join(
        plan.to_text().split()
    )
    assert "无法计划" in plan.to_text("zh")
    assert pilot_of(6).plan([0.05]).rows[0].basis == "few"


def test_a_plan_names_its_test_and_never_less_than_six_queries() -> None:
    given = values(60, 0.1)
    for test, said in (
        ("sign", "so that the sign test"),
        ("wilcoxon", "so that the Wilcoxon signed-rank test"),
        ("t", "so that the paired t test"),
    ):
        plan = relyon.compare_values(given, test=test).plan([0.02, 5.0])
        assert said in " ".join(plan.to_text().split())
        assert plan.rows[1].queries == (6, 6)
    queries = {
        test: relyon.compare_values(given, test=test).plan([0.02]).rows[0].queries[0]
        for test in ("t", "permutation", "sign")
    }
    assert queries["t"] == queries["permutation"] < queries["sign"]
    strict = pilot_of(12).plan([5.0], powers=(0.8,)).rows[0].queries[0]
    assert strict == 6
    assert plan_test(np.linspace(-1, 1, 30), 5.0, "sign", alpha=0.001) == 11


def test_what_has_no_spread_has_no_number() -> None:
    given = values(50, 0.1)
    plan = relyon.compare_values({"old": given["old"], "same": given["old"]}).plan([0.01])
    assert plan.rows[0].queries == (0, 0)
    values_of: Any = plan.to_dict()
    assert values_of["rows"][0]["queries"] == [None, None]


@pytest.mark.parametrize("wrong", ["much", "-1%", 0, "nan"])
def test_what_is_no_difference_is_refused(wrong: str | float) -> None:
    with pytest.raises(ParameterError, match="is not a difference"):
        relyon.compare_values(values(9, 0.1)).plan([wrong])


def test_more_sessions_show_smaller_falls(plan: SamplePlan) -> None:
    shown = [row.same for row in plan.rows if row.tier == "all"]
    assert shown == sorted(shown, reverse=True)
    found = [plan.needed(drop) for drop in (0.2, 0.1)]
    assert found[0] is not None
    assert found[1] is not None
    assert 2.5 < found[1][1] / found[0][1] < 6
    # Queries that the months do not share need more.
    other = plan.needed(0.2, queries="other")
    assert other is None or other[1] > found[0][1]
    assert plan.needed(0.0001) is None
    # No dashes: what the largest sample does not show needs more than that.
    small = plan_sample(log(3000, 400), drops=(0.0001,))
    last = small.rows[-1]
    assert f">{last.per_tier:,}" in small.to_text()
    for tier in ("all", *small.tiers):
        shown = [row.other for row in small.rows if row.tier == tier]
        assert shown == sorted(shown, reverse=True)


def test_the_planned_sessions_find_the_fall_as_often_as_promised(plan: SamplePlan) -> None:
    needed = plan.needed(0.2)
    assert needed is not None
    cut = build_tiers(log(), "share", None)
    frames = Frames.of(cut)
    sizes = allocate(frames.sizes, needed[0] * len(frames.names))
    moments = dict.fromkeys(frames.names, Moments(1.0, 0.32, 0.32))
    for fall, low, high in ((0.2, 0.7, 0.93), (0.0, 0.0, 0.05)):
        generator = np.random.default_rng(11)
        pairs = [draw_months(frames, sizes, moments, generator, fall) for _ in range(150)]
        found = [difference(one[0], two[0]).p <= 0.05 / 4 for one, two in pairs]
        assert low <= np.mean(found) <= high


def test_a_month_graded_whole_is_not_certain_of_the_next() -> None:
    small = log(300, 60)
    plan = plan_sample(small)
    last = [row for row in plan.rows if row.tier == "all"][-1]
    assert last.sampled == 300
    assert last.same > 0.01


def test_a_graded_month_says_its_spread() -> None:
    generator = np.random.default_rng(5)
    frame = log(4000, 300)
    frame = frame.with_columns(doc=pl.concat_str(pl.lit("d"), pl.int_range(4000) % 7))
    sample = draw_sample(frame, per_tier=300, k=1)
    grades = {
        query: {f"d{number}": int(generator.integers(0, 4)) for number in range(7)}
        for query in sample.sessions["query"].unique().to_list()
    }
    month = create_round("2026-03", sample, grades)
    found = moments_of(month)
    results = month.results
    for tier, moments in found.items():
        held = results.filter(pl.col("tier") == tier)["dcg"].to_numpy()
        assert moments.mean == pytest.approx(held.mean())
        assert moments.between + moments.within == pytest.approx(held.var(ddof=1), rel=0.1)
        # Which of seven documents is shown is chance: most of the variance lies within a query.
        assert moments.within > 2 * moments.between
    plan = plan_sample(frame, month=month)
    assert not plan.assumed


def test_plans_on_the_command_line(files: Path, command: Command) -> None:
    log(3000, 400).write_csv(files / "long.csv")
    shown = command("sample", "long.csv", "--plan", "--drop", "15%", "--format", "json")
    assert shown.code == 0, shown.err
    assert {row["drop"] for row in json.loads(shown.out)["needed"]} == {0.15}
    table = command("sample", "long.csv", "--plan", "--spread", "0.6", "--lang", "zh")
    assert "查询相同" in table.out
    for wrong, said in (
        (["--plan", "-o", "s.csv"], "--plan draws nothing"),
        (["--drop", "5%"], "are for --plan"),
        (["--plan", "--drop", "much"], "is not a share"),
        (["--plan", "--history", "x", "--spread", "1"], "leave one of them out"),
    ):
        refused = command("sample", "long.csv", *wrong)
        assert refused.code == 2
        assert said in refused.err


def test_plans_with_the_last_of_the_graded_months(files: Path, command: Command) -> None:
    log(3000, 400).write_csv(files / "long.csv")
    # In January half of the queries get nothing; in February nearly all get the same.
    for month, grades in (("2026-01", (0, 3)), ("2026-02", (2, 3, 3, 3))):
        own = ("--seed", month[-1], "-o", f"drawn-{month}.csv")
        drawn = command("sample", "long.csv", "--per-tier", "200", "-k", "1", *own)
        assert drawn.code == 0, drawn.err
        asked = pl.read_csv(files / f"drawn-{month}.csv")["query"].unique(maintain_order=True)
        rows = [f"{query},d,{grades[at % len(grades)]}" for at, query in enumerate(asked)]
        (files / f"{month}.csv").write_text("query,doc,grade\n" + "\n".join(rows) + "\n")
    base = ("sample", "long.csv", "--plan", "--drop", "30%", "--history", "rounds")
    assert "is not a folder" in command(*base).err
    needed = {}
    for month in ("2026-01", "2026-02"):
        added = command(
            *("monitor", "add", "rounds", "--month", month),
            *("--sample", f"drawn-{month}.csv", "--judgments", f"{month}.csv"),
        )
        assert added.code == 0, added.err
        shown = command(*base, "--format", "json")
        assert shown.code == 0, shown.err
        needed[month] = {
            row["tier"]: row["per_tier"]
            for row in json.loads(shown.out)["needed"]
            if row["queries"] == "same"
        }
    assert needed["2026-02"]["tail"] < needed["2026-01"]["tail"] / 2
    read = read_rounds(str(files / "rounds"))
    found = plan_sample(log(3000, 400), month=read[-1]).needed(0.3)
    assert found is not None
    assert found[0] == needed["2026-02"]["all"]
    table = command(*base)
    assert "The spread is that of the last graded month" in table.out
    assert "assumed" not in table.out


def test_the_plan_of_a_comparison_on_the_command_line(files: Path, command: Command) -> None:
    for name, column in values(40, 0.1).items():
        rows = [f"{query},{value}" for query, value in column["rate"].items()]
        (files / f"{name}.csv").write_text("query,rate\n" + "\n".join(rows) + "\n")
    base = ("compare", "--values", "old.csv", "new.csv")
    shown = command(*base, "--plan", "--difference", "2%")
    assert shown.code == 0, shown.err
    assert "power 0.9" in shown.out
    for form in ("json", "csv", "markdown"):
        assert command(*base, "--plan", "--format", form).code == 0
    assert "cannot be written as latex" in command(*base, "--plan", "--format", "latex").err
    assert "is for --plan" in command(*base, "--difference", "1%").err
