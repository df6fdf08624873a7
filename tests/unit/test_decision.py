"""The decision on top of a comparison is no more certain than the evidence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

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


def written(folder: Path, unjudged: int, lacking: int = 0) -> tuple[Path, Path, Path]:
    """Writes judgments and two runs; the second is better, and lacks queries."""
    lines: list[list[str]] = [[], [], []]
    for n in range(30):
        lines[0] += [f"q{n} 0 good 1", *(f"q{n} 0 bad{place} 0" for place in range(9))]
        for side in (0, 1):
            rest = [f"new{place}" if place < unjudged else f"bad{place}" for place in range(9)]
            top = 0 if side else 3 + n % 3
            ranked = [*rest[:top], "good", *rest[top:]]
            if side and n < lacking:
                continue
            lines[1 + side] += [
                f"q{n} Q0 {name} {rank} {20 - rank} r" for rank, name in enumerate(ranked, 1)
            ]
    paths = [folder / name for name in ("judgments.qrels", "old.run", "new.run")]
    for path, each in zip(paths, lines, strict=True):
        path.write_text("\n".join(each) + "\n")
    return paths[0], paths[1], paths[2]


@pytest.mark.parametrize(("unjudged", "choice"), [(0, "ship"), (6, "grade-more")])
def test_files_and_runs_in_memory_get_the_same_decision(
    tmp_path: Path, unjudged: int, choice: str
) -> None:
    judgments, old, new = written(tmp_path, unjudged)
    of_files = relyon.compare(judgments, old, new, "rr@10")
    of_runs = relyon.compare(judgments, relyon.read_run(old), relyon.read_run(new), "rr@10")
    before = of_files.to_dict()["decision"]
    relyon.write_report(of_files, tmp_path / "report.md")
    assert [one["choice"] for one in before] == [choice]  # type: ignore[attr-defined]
    assert before == of_files.to_dict()["decision"] == of_runs.to_dict()["decision"]


@pytest.mark.parametrize(
    ("convention", "lacking", "choice", "reason"),
    [
        ("trec_eval", 0, "ship", "better"),
        ("trec_eval", 1, "cannot-tell", "lost"),
        ("trec_eval", 10, "cannot-tell", "lost"),
        ("relyon", 1, "ship", "better"),  # an empty list counts as zero
    ],
)
@pytest.mark.filterwarnings("ignore::relyon.RelyonWarning")
def test_a_candidate_that_returns_nothing_for_queries_left_out_is_not_shipped(
    tmp_path: Path, convention: str, lacking: int, choice: str, reason: str
) -> None:
    judgments, old, new = written(tmp_path, 0, lacking)
    found = relyon.compare(judgments, old, new, "rr@10", convention=convention)
    decision = decide(found, found.candidates[0])
    assert (decision.choice, decision.reason, decision.lost) == (
        choice,
        reason,
        lacking if reason == "lost" else 0,
    )
    if reason == "lost":
        noun = "query" if lacking == 1 else "queries"
        assert f"lacks {lacking} {noun} of the baseline" in decision.line()
        assert f"{lacking} 条查询" in decision.line("zh")


@pytest.mark.filterwarnings("ignore::relyon.RelyonWarning")
def test_evaluations_alone_know_unjudged_documents_by_a_compared_share(tmp_path: Path) -> None:
    judgments, *runs = written(tmp_path, 6)
    for measures, choice in ((["rr@10"], "ship"), (["rr@10", "judged@10"], "grade-more")):
        results = [relyon.evaluate(judgments, run, measures) for run in runs]
        found = relyon.compare_results(results)
        decision = decide(found, found.candidates[0])
        assert decision.choice == choice
        unknown = "judged@10" not in measures
        assert ("unjudged documents are unknown" in decision.line()) == unknown


@pytest.mark.parametrize(("losing", "shown"), [(0, True), (1, False)])
def test_where_no_query_lost_the_line_says_how_many_may(losing: int, shown: bool) -> None:
    old = {f"q{n}": 0.5 for n in range(10)}
    new = {query: 0.49 if n < losing else 0.6 + n / 100 for n, query in enumerate(old)}
    decision = decide(of_values({"m": old}, {"m": new}), "run 2")
    assert decision.choice == "ship"
    assert ("no query lost, up to 26% of such queries may" in decision.line()) is shown
    assert ("至多可能有 26% 变差" in decision.line("zh")) is shown
    if shown:
        assert decision.unseen is not None
        assert (1 - decision.unseen) ** 10 == pytest.approx(0.05)  # none of ten, at that share


def test_rare_large_losses_are_shipped_with_the_warning() -> None:
    """Where 5% of queries lose 0.58 and the others gain 0.02, the mean falls by 0.01."""
    numbers = np.random.default_rng(3)
    shipped = warned = 0
    for _ in range(60):
        old = {f"q{n}": 0.6 for n in range(10)}
        drawn = zip(numbers.random(10) < 0.05, numbers.normal(0, 0.005, 10), strict=True)
        changes = [(-0.58 if rare else 0.02) + noise for rare, noise in drawn]
        new = {query: 0.6 + float(change) for query, change in zip(old, changes, strict=True)}
        decision = decide(of_values({"m": old}, {"m": new}), "run 2")
        if decision.choice == "ship" and min(changes) > 0:
            shipped += 1
            warned += "up to 26%" in decision.line()
    assert shipped > 10
    assert warned == shipped
