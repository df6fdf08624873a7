"""Always-valid tests of comparisons: what they are, what they need, and where they say so."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relyon
from relyon.analysis.comparison import compare_values
from relyon.analysis.statistics import (
    kelly_interval,
    kelly_p,
    kelly_units,
    mixture_half,
    mixture_p,
    smallest_found,
    units_for,
)

Command = Callable[..., Any]

RANDOM = np.random.default_rng(4)
STEPS = RANDOM.normal(0.1, 0.2, 80).clip(-1, 1)


def compared(differences: object, measure: str = "ndcg@10", **options: Any) -> relyon.Contrast:
    """Returns the contrast of two runs that differ so, query by query."""
    values = {f"q{place}": one for place, one in enumerate(np.asarray(differences).tolist())}
    middle = dict.fromkeys(values, 0.5)
    moved = {name: 0.5 + one / 2 for name, one in values.items()}
    settings: Any = {"test": "anytime", "interval": "anytime"} | options
    found = compare_values({"A": {measure: middle}, "B": {measure: moved}}, **settings)
    return found.contrasts[0]


@pytest.mark.parametrize("mean", [-0.4, 0.0, 0.1, 0.3])
def test_wealth_is_what_bets_of_constant_stakes_earn(mean: float) -> None:
    values = STEPS[:12]
    wealth = []
    for sign in (1, -1):
        for place in range(1, 21):
            stake, capital = place / 21, 1.0
            for value in (sign * values).tolist():
                scaled, at = (value + 1) / 2, (sign * mean + 1) / 2
                capital *= 1 + stake * (scaled / at - 1)
            wealth.append(capital)
    expected = min(1.0, 1 / (sum(wealth) / len(wealth)))
    assert kelly_p(values, mean, -1, 1) == pytest.approx(expected, rel=1e-12)


def test_the_interval_is_what_the_test_does_not_refute() -> None:
    low, high = kelly_interval(STEPS, -1, 1, confidence=0.9)
    inside, outside = (low + 1e-6, high - 1e-6), (low - 1e-6, high + 1e-6)
    assert all(kelly_p(STEPS, one, -1, 1) > 0.1 for one in inside)
    assert all(kelly_p(STEPS, one, -1, 1) < 0.1 for one in outside)
    half = mixture_half(0.02, 30, 5.0, 0.9)
    assert mixture_p(half, 0.02, 30, 5.0) == pytest.approx(0.1, rel=1e-6)


def test_the_order_of_the_queries_does_not_matter() -> None:
    for values in (STEPS[::-1], RANDOM.permutation(STEPS)):
        assert kelly_p(values, 0, -1, 1) == kelly_p(STEPS, 0, -1, 1)
        assert kelly_interval(values, -1, 1) == kelly_interval(STEPS, -1, 1)


@pytest.mark.parametrize("count", [0, 1, 5, 10, 20])
def test_few_queries_decide_nothing_by_chance(count: int) -> None:
    low, high = kelly_interval(np.zeros(count), -1, 1)
    assert low < 0 < high
    assert kelly_p(np.zeros(count), 0, -1, 1) == 1.0
    assert kelly_units(np.zeros(count), -1, 1, 0.05) == 0


def test_values_at_the_end_of_the_range() -> None:
    low, high = kelly_interval(np.ones(30), 0, 1)
    assert 0.8 < low < 1 == high
    assert kelly_p(np.ones(30), 0.0, 0, 1) == 0.0 < kelly_p(np.ones(30), 1.0, 0, 1) == 1.0


@pytest.mark.parametrize(
    ("values", "limits"),
    [([2.0], (-1, 1)), ([0.0], (0, math.inf)), ([0.0], (1, 1)), ([math.nan], (-1, 1))],
)
def test_values_without_a_range_are_refused(
    values: list[float], limits: tuple[float, float]
) -> None:
    with pytest.raises(relyon.ParameterError):
        kelly_interval(np.array(values), *limits)


def test_sizes_are_those_that_are_found() -> None:
    count = units_for(0.05, 0.2, 0.05)
    assert smallest_found(count, 0.2, 0.05) <= 0.05 < smallest_found(count - 1, 0.2, 0.05)
    needed = kelly_units(STEPS, -1, 1, 0.05)
    found = 0
    for _ in range(300):
        found += kelly_p(RANDOM.choice(STEPS, needed), 0, -1, 1) <= 0.05
    assert 0.7 < found / 300 < 0.95


def test_a_measure_in_a_range_is_bet_on_and_others_are_asymptotic() -> None:
    steps = STEPS + 0.2
    bounded, unbounded = compared(steps), compared(steps, "revenue")
    assert (bounded.test, unbounded.test) == ("anytime", "asymptotic")
    assert bounded.verdict == unbounded.verdict == "better"
    wide, narrow = (one.interval[1] - one.interval[0] for one in (bounded, unbounded))
    plain = compared(steps, test="t", interval="t").interval
    assert wide > narrow > plain[1] - plain[0]
    assert bounded.p == pytest.approx(kelly_p(steps / 2, 0, -1, 1))
    assert bounded.p_values == {}


def test_the_verdict_is_that_of_the_interval() -> None:
    for shift in np.linspace(-0.2, 0.2, 21):
        one = compared((STEPS - STEPS.mean() + shift).clip(-1, 1))
        assert (one.verdict != "undecided") == (not one.interval[0] <= 0 <= one.interval[1])


def test_an_asymptotic_test_waits_for_its_first_look() -> None:
    early, later = (compared(STEPS[:count], "revenue") for count in (29, 30))
    assert (early.no_interval, early.p, early.verdict) == ("first-look", 1.0, "undecided")
    assert later.no_interval == ""


def test_queries_that_are_tied_do_not_bring_the_first_look_nearer() -> None:
    """They do not show how skewed the changes of the others are."""
    tied = np.r_[np.full(29, 0.3), np.zeros(400)]
    tied[:29:2] = 0.1
    early, later = compared(tied, "revenue"), compared(np.r_[tied, 0.2], "revenue")
    assert (early.no_interval, early.p, early.verdict) == ("first-look", 1.0, "undecided")
    assert (later.no_interval, later.verdict) == ("", "better")


def test_equal_runs_have_an_interval_and_no_verdict() -> None:
    one = compared(np.zeros(40))
    assert one.interval[0] < 0 < one.interval[1]
    assert (one.p, one.verdict, one.queries_needed) == (1.0, "undecided", 0)
    assert compared(np.zeros(40), "revenue").no_interval == "unchanged"
    assert compared(np.full(40, 0.25), "revenue").no_interval == "equal-changes"
    assert compared(np.full(40, 0.5)).verdict == "better"


def test_margins_are_bet_on_too() -> None:
    tight = (STEPS - STEPS.mean()) / 10
    one = compared(np.tile(tight, 4), margins={"ndcg@10": 0.1})
    assert one.verdict == "equal"
    assert one.margin is not None
    assert one.margin.test == "anytime"
    shown = one.interval[0] > -0.1
    assert shown == one.margin.not_worse
    few = compared(tight[:10], margins={"ndcg@10": 0.1})
    assert few.verdict == "undecided"


def test_test_and_interval_go_together() -> None:
    with pytest.raises(relyon.ParameterError, match="needs the interval of its name"):
        compared(STEPS, interval="t")
    with pytest.raises(relyon.ParameterError, match="needs the interval of its name"):
        compared(STEPS, test="t")


def test_a_plan_is_for_one_look() -> None:
    values = {f"q{place}": float(one) for place, one in enumerate(STEPS.tolist())}
    found = compare_values(
        {"A": {"rr": dict.fromkeys(values, 0.0)}, "B": {"rr": values}},
        test="anytime",
        interval="anytime",
    )
    with pytest.raises(relyon.ParameterError, match="one look"):
        found.plan()


@pytest.fixture
def lists(tmp_path: Path) -> list[str]:
    """Judgments and two runs of forty queries; the second ranks better."""
    names = [str(tmp_path / name) for name in ("j.qrels", "a.run", "b.run")]
    lines: list[list[str]] = [[], [], []]
    for query in range(40):
        for place in range(3):
            lines[0].append(f"{query} 0 d{place} {int(place == 0)}")
            lines[1].append(f"{query} Q0 d{place} 1 {place} a")
            lines[2].append(f"{query} Q0 d{place} 1 {-place if query % 4 else place} b")
    for name, text in zip(names, lines, strict=True):
        Path(name).write_text("\n".join(text) + "\n", encoding="utf-8")
    return names


def test_the_command_says_when_it_holds(command: Command, lists: list[str]) -> None:
    done = command("compare", *lists, "-m", "rr", "--anytime")
    assert done.code == 0
    assert "valid at every look" in " ".join(done.out.split())
    done = command("compare", *lists, "-m", "rr", "--anytime", "--format", "json")
    found = json.loads(done.out)
    assert (found["test"], found["interval"]) == ("anytime", "anytime")
    assert found["contrasts"][0]["test"] == "anytime"


def test_the_gate_uses_it(command: Command, lists: list[str]) -> None:
    judged, old, new = lists
    assert command("compare", judged, old, new, "--anytime", "--fail-if-worse", "rr").code == 0
    assert command("compare", judged, new, old, "--anytime", "--fail-if-worse", "rr").code == 1


@pytest.mark.parametrize(
    "words",
    [
        ("--anytime", "--test", "sign"),
        ("--anytime", "--interval", "bca"),
        ("--test", "asymptotic", "--interval", "bca"),
        ("--anytime", "--plan"),
        ("--anytime", "--answerable", "queries.csv"),
        ("--anytime", "--model-judgments", "model.qrels"),
        ("--anytime", "--find-slices"),
    ],
    ids="_".join,
)
def test_what_is_for_one_look_is_refused(
    command: Command, lists: list[str], words: tuple[str, ...]
) -> None:
    assert command("compare", *lists, "-m", "rr", *words).code == 2


def half_graded(measures: list[str]) -> relyon.Comparison:
    """Returns two runs of which people graded the first document of the old one only."""
    judged = {f"q{place}": {"a": 1} for place in range(40)}
    judged["q0"] = {"a": 1, "b": 1}
    old, new = ({query: {one: 1.0} for query in judged} for one in ("a", "b"))
    names = ["old", "new"]
    return relyon.compare(judged, old, new, measures, names=names, test="anytime",
                          interval="anytime")  # fmt: skip


@pytest.mark.filterwarnings("ignore::relyon.RelyonWarning")
def test_queries_that_are_graded_in_part_are_counted() -> None:
    found = half_graded(["rr@10", "judged@10"])
    note = next(one for one in found.notes if one.kind == "looks-incomplete")
    assert (note.count, note.level, note.run) == (39, "warning", "new")
    assert "39 of 40 queries a run has ungraded documents among its first 10" in note.message
    # Why: the old run alone was graded.
    assert found.contrast("new", "rr@10").verdict == "worse"
    whole = half_graded(["rr@10", "judged"])
    note = next(one for one in whole.notes if one.kind == "looks-incomplete")
    assert "a run has ungraded documents:" in note.message
    assert "还有未标注的文档" in note.text("zh")


@pytest.mark.filterwarnings("ignore::relyon.RelyonWarning")
def test_one_look_or_whole_lists_have_no_such_note() -> None:
    judged = {f"q{place}": {"a": 1, "b": 0} for place in range(40)}
    old, new = ({query: {one: 1.0} for query in judged} for one in ("a", "b"))
    whole = relyon.compare(judged, old, new, ["rr@10", "judged@10"], test="anytime",
                           interval="anytime", names=["old", "new"])  # fmt: skip
    part = {query: {"a": 1} for query in judged}
    once = relyon.compare(part, old, new, ["rr@10", "judged@10"], names=["old", "new"])
    assert "looks-incomplete" not in {one.kind for one in (*whole.notes, *once.notes)}
