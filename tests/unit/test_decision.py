"""The decision on top of a comparison is no more certain than the evidence."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest

import relyon
from relyon.analysis.comparison.decision import Decision, decide
from relyon.analysis.comparison.summaries.parts import Gate

Values = dict[str, float]


def of_values(*columns: Mapping[str, Values], **options: object) -> relyon.Comparison:
    """Returns a comparison of values by measure and query, the baseline first."""
    names = [f"run {place}" for place in range(1, len(columns) + 1)]
    runs = dict(zip(names, columns, strict=True))
    return relyon.compare_values(runs, **options)  # type: ignore[arg-type]


def shifted(gain: float, count: int = 40, noise: float = 0.05, seed: int = 0) -> list[Values]:
    """Returns values of two runs, the second better by `gain` on average."""
    draws = np.random.default_rng(seed)
    old = draws.uniform(0.2, 0.8, count)
    change = draws.normal(0, noise, count)
    new = old + gain + (change - change.mean())
    return [{f"q{n:03}": float(v) for n, v in enumerate(each)} for each in (old, new)]


def decided(
    gains: Mapping[str, float], count: int = 40, **options: object
) -> tuple[Decision, relyon.Comparison]:
    pairs = {name: shifted(gain, count, seed=n) for n, (name, gain) in enumerate(gains.items())}
    sides = [{name: pair[side] for name, pair in pairs.items()} for side in (0, 1)]
    found = of_values(*sides, **options)
    return decide(found, "run 2"), found


@pytest.mark.parametrize(
    ("gains", "options", "choice", "reason"),
    [
        ({"m": 0.1}, {}, "ship", "better"),
        ({"m": -0.1}, {}, "do-not-ship", "worse"),
        ({"m": 0.0}, {}, "cannot-tell", "undecided"),
        ({"m": 0.1, "guard": -0.1}, {}, "do-not-ship", "worse"),
        ({"m": 0.0, "guard": 0.1}, {}, "cannot-tell", "other-better"),
        ({"m": 0.1, "guard": 0.0}, {}, "ship", "better"),
        ({"m": 0.1, "guard": 0.0}, {"margins": {"guard": 0.001}}, "cannot-tell", "guard"),
        ({"m": 0.1, "guard": 0.0}, {"margins": {"guard": 0.05}}, "ship", "better"),
        ({"m": 0.0}, {"margins": {"m": 0.05}}, "ship", "equal"),
        ({"m": 0.0}, {"margins": {"m": 0.001}}, "cannot-tell", "undecided"),
        ({"m": -0.03}, {"margins": {"m": 0.08}}, "ship", "equal-loss"),
        ({"m": 0.018, "b": 0.0, "c": 0.0, "d": 0.0}, {}, "cannot-tell", "corrected"),
        ({"m": 0.018, "b": 0.0, "c": 0.0, "d": 0.0}, {"correction": "none"}, "ship", "better"),
    ],
)
def test_a_decision_follows_the_verdicts(
    gains: dict[str, float], options: dict[str, object], choice: str, reason: str
) -> None:
    found, comparison = decided(gains, 40, **options)
    assert (found.choice, found.reason) == (choice, reason)
    assert found.unjudged is None
    assert "judged" not in found.text("en")
    assert comparison.to_dict()["decision"] == [found.to_dict()]
    assert comparison.to_text().startswith(found.line()[:40])


@pytest.mark.parametrize("count", [1, 2, 5])
def test_few_queries_decide_nothing(count: int) -> None:
    values = {f"q{n}": 0.1 for n in range(count)}
    found = of_values({"m": values}, {"m": dict.fromkeys(values, 0.9)})
    decision = decide(found, "run 2")
    assert (decision.choice, decision.reason) == ("cannot-tell", "few")
    assert "nan" not in decision.line().lower()


def test_equal_runs_decide_nothing() -> None:
    values = {f"q{n}": 0.5 for n in range(50)}
    decision = decide(of_values({"m": values}, {"m": dict(values)}), "run 2")
    assert (decision.choice, decision.reason) == ("cannot-tell", "unchanged")
    assert "NaN" not in decision.line()


def judged_lists(unjudged: tuple[int, int], better: int, queries: int = 30) -> relyon.Comparison:
    """Returns a comparison of lists of ten; the first so many of each run's last are unjudged."""
    judgments: dict[str, dict[str, int]] = {}
    runs: list[dict[str, dict[str, float]]] = [{}, {}]
    for n in range(queries):
        query = f"查询{n}"
        grades = {"good": 1, **{f"bad{place}": 0 for place in range(10)}}
        judgments[query] = grades
        for side in (0, 1):
            top = 0 if side == better else 3 + n % 3
            ranked = [f"bad{place}" for place in range(9)]
            for place in range(unjudged[side]):
                ranked[8 - place] = f"new{side}{place}"
            ranked.insert(top, "good")
            runs[side][query] = {name: 10.0 - rank for rank, name in enumerate(ranked)}
    return relyon.compare(judgments, runs[0], runs[1], ["rr@10"], names=["old", "新"])


@pytest.mark.parametrize(
    ("unjudged", "better", "choice"),
    [
        ((0, 0), 1, "ship"),
        ((0, 0), 0, "do-not-ship"),
        ((1, 1), 1, "ship"),
        ((6, 6), 1, "grade-more"),
        ((6, 6), 0, "grade-more"),
        ((0, 6), 1, "ship"),  # only the candidate's could be better than they count
        ((0, 6), 0, "grade-more"),
        ((6, 0), 0, "do-not-ship"),
        ((6, 0), 1, "grade-more"),
        ((1, 0), 1, "grade-more"),  # ten points more
    ],
)
def test_unjudged_documents_of_the_run_behind_can_turn_it(
    unjudged: tuple[int, int], better: int, choice: str
) -> None:
    decision = decide(judged_lists(unjudged, better), "新")
    assert decision.choice == choice
    assert decision.unjudged == pytest.approx([one / 10 for one in unjudged])
    if choice == "grade-more":
        behind = ("old", "新")[1 - better]
        share = f"{unjudged[1 - better] * 10}%"
        assert f"{share} of the first 10 documents of {behind} are unjudged" in decision.text()


def test_a_failing_gate_never_ships() -> None:
    _, comparison = decided({"m": 0.1})
    page = comparison.to_summary(gate=Gate(["m"], ["m is below 0.9"]))
    assert "decision: do not ship - the gate fails" in page
    assert "decision: ship" in comparison.to_summary()


def test_a_gate_decides_by_its_measures() -> None:
    _, comparison = decided({"m": 0.1, "other": -0.1})
    assert decide(comparison, "run 2").choice == "do-not-ship"
    assert decide(comparison, "run 2", ["m"]).choice == "ship"


def rate(choice: str, gain: float, draws: int, *, measures: int, correction: str) -> float:
    """Returns how often a choice is said of simulated differences."""
    numbers = np.random.default_rng(7)
    hits = 0
    for _ in range(draws):
        old = {f"m{n}": dict.fromkeys(map(str, range(30)), 0.5) for n in range(measures)}
        new = {
            f"m{n}": {
                str(query): float(value)
                for query, value in enumerate(numbers.normal(0.5 + gain, 0.2, 30))
            }
            for n in range(measures)
        }
        found = of_values(old, new, correction=correction)
        hits += decide(found, "run 2").choice == choice
    return hits / draws


@pytest.mark.long
@pytest.mark.parametrize(("measures", "correction"), [(1, "holm"), (4, "holm"), (4, "none")])
def test_ship_is_said_no_more_often_than_the_level_allows(measures: int, correction: str) -> None:
    draws = 1000 if measures == 1 else 250
    options = {"measures": measures, "correction": correction}
    slack = 4 * math.sqrt(0.025 * 0.975 / draws)
    assert rate("ship", 0.0, draws, **options) <= 0.025 + slack  # type: ignore[arg-type]
    assert rate("ship", -0.1, 300, **options) == 0  # type: ignore[arg-type]
    assert rate("do-not-ship", -0.2, 300, **options) > 0.9  # type: ignore[arg-type]
