"""How many queries and runs detect a difference: against simulation, and what is printed."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from tests.unit.conftest import Command
from tests.unit.test_systems import judged, planted, run_of, systems_of, write

import relyon
from relyon.analysis.comparison.repeats.repeats import RepeatedValues
from relyon.analysis.statistics import paired_test
from relyon.analysis.statistics.components import Components
from relyon.analysis.statistics.plans.runs import power_of_runs, queries_for_runs
from relyon.core.errors import ParameterError

PARTS = Components(query=0.04, interaction=0.01, run=0.0002, repeat=0.02)


def simulated(parts: Components, difference: float, queries: int, runs: int, times: int) -> float:
    """Returns the share of comparisons that detect a difference."""
    random = np.random.default_rng([queries, runs])
    found = 0
    for _ in range(times):
        sides = [
            random.normal(0, math.sqrt(parts.interaction), queries)
            + random.normal(0, math.sqrt(parts.run), (runs, 1))
            + random.normal(0, math.sqrt(parts.repeat), (runs, queries))
            for _ in range(2)
        ]
        values = RepeatedValues(np.array(sides[0]), np.array(sides[1]))
        differences = sides[1].mean(axis=0) - sides[0].mean(axis=0) + difference
        if values.excess:
            found += values.t_test(differences).p <= 0.05
        else:
            found += paired_test("t", differences).p <= 0.05
    return found / times


@pytest.mark.long
@pytest.mark.parametrize("runs", [2, 3, 10])
@pytest.mark.parametrize("run", [0.0, 0.0002], ids=["nothing shared", "shared"])
def test_the_planned_power_is_reached(runs: int, run: float) -> None:
    parts = Components(0.04, 0.01, run, 0.02)
    difference = 0.2 if runs == 2 and run else 0.08
    queries = queries_for_runs(parts, difference, runs)
    assert queries >= 6
    assert abs(simulated(parts, difference, queries, runs, 1500) - 0.8) < 0.05


def test_more_runs_and_queries_detect_more() -> None:
    powers = [power_of_runs(PARTS, 0.05, 60, runs) for runs in (2, 3, 5, 10, 30)]
    assert powers == sorted(powers)
    powers = [power_of_runs(PARTS, 0.05, queries, 3) for queries in (6, 20, 60, 200, 2000)]
    assert powers == sorted(powers)


def test_no_number_of_queries_replaces_runs() -> None:
    assert queries_for_runs(PARTS, 0.02, 2) == 0
    assert queries_for_runs(PARTS, 0.0, 10) == 0
    assert queries_for_runs(Components(0.04, 0.0, 0.0, 0.0), 0.02, 2) == 6


def test_a_plan_names_the_cheapest_number_of_runs() -> None:
    comparison = relyon.compare_values(systems=planted(3, (3, 3), run=0.01, queries=40))
    dear, cheap = (comparison.plan([0.03], repeat_cost=cost) for cost in (10.0, 0.0))
    for plan in (dear, cheap):
        (row,) = plan.repeats
        assert row.queries[-1] <= row.queries[1]
        known = [cost for cost in row.costs if not math.isnan(cost)]
        assert row.costs[row.cheapest] == min(known)
    assert cheap.repeats[0].runs[cheap.repeats[0].cheapest] == 10
    assert dear.repeats[0].cheapest < cheap.repeats[0].cheapest
    assert "cheapest" in cheap.to_text(columns=100)
    without = comparison.plan([0.03])
    assert without.repeats[0].cheapest == -1
    assert "cheapest" not in without.to_text(columns=100)


def test_a_plan_without_repeats_is_that_of_today() -> None:
    runs = planted(3, (1, 1), run=0.0)
    plain = relyon.compare_values({name: one[0] for name, one in runs.items()})
    plan = plain.plan([0.02])
    assert plan.repeats == ()
    assert "repeats" not in plan.to_dict()
    with pytest.raises(ParameterError, match="system with several runs"):
        plain.plan([0.02], repeat_cost=1.0)


def test_a_cost_of_repeats_is_not_ignored_with_margins() -> None:
    values = {name: {"m": {f"q{n}": n * 0.01 for n in range(9)}} for name in ("a", "b")}
    compared = relyon.compare_values(values, margins={"m": 0.02})
    with pytest.raises(ParameterError, match="only margins are planned") as raised:
        compared.plan(repeat_cost=0.1)
    assert "--difference 0.02" in str(raised.value.hint)


def test_a_plan_for_the_present_runs_counts_what_they_share() -> None:
    """More than a plan over queries alone, and none where no number of queries is enough."""
    given = planted(8, (3, 3), run=0.03, queries=40)
    comparison = relyon.compare_values(systems=given)
    one = comparison.contrasts[0]
    assert one.repeats is not None
    assert one.repeats.excess > 0
    small = comparison.plan([1.5 * math.sqrt(one.repeats.excess)])
    assert small.rows[0].queries == (0, 0)
    permuted = relyon.compare_values(systems=given, test="permutation")
    large = [found.plan([0.1]).rows[0].queries[0] for found in (comparison, permuted)]
    assert large[0] >= large[1] > 0


def test_the_command_line_plans_runs(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judgments = judged()
    monkeypatch.chdir(tmp_path)
    rows = [f"{q} 0 {d} {g}\n" for q, grades in judgments.items() for d, g in grades.items()]
    Path("j.qrels").write_text("".join(rows), encoding="utf-8")
    for name, runs in systems_of(judgments).items():
        for place, run in enumerate(runs, 1):
            write(tmp_path / f"{name.lower()}-{place}.run", run)
    start = ["compare", "j.qrels", "-m", "ndcg@10", "--system", "A=a-*.run"]
    start += ["--system", "B=b-*.run"]
    found = command(*start, "--plan", "--difference", "20%", "--repeat-cost", "0.1")
    assert found.code == 0, found.err
    assert "10 runs" in found.out
    assert "0.1 of" in " ".join(found.out.split())
    told = json.loads(command(*start, "--plan", "--format", "json").out)
    assert [one["runs"] for one in told["repeats"][0]["by_runs"]] == [2, 3, 5, 10]
    assert command(*start, "--repeat-cost", "1").code == 2
    write(tmp_path / "c.run", run_of(judgments, 1.0, 3))
    plain = ["compare", "j.qrels", "a-1.run", "c.run", "--plan", "--repeat-cost", "1"]
    assert "several runs" in command(*plain).err
