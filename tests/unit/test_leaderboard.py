"""Leaderboards: ranks, groups, costs, tasks, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import relyon
from relyon.analysis.leaderboard import maximal_groups, read_costs
from relyon.analysis.leaderboard.groups import letters

NAMES = ["best", "second", "third", "last"]


def values(n: int = 60, seed: int = 0, gaps: tuple[float, ...] = (0.5, 0.48, 0.3, 0.1)) -> Any:
    draw = np.random.default_rng(seed)
    base = draw.normal(size=n) / 4
    return {
        name: {"gain": {f"q{q}": float(gap + base[q] + draw.normal() / 8) for q in range(n)}}
        for name, gap in zip(NAMES, gaps, strict=True)
    }


def test_a_board_says_which_runs_are_separated() -> None:
    board = relyon.leaderboard_values(values())["gain"]
    assert board.runs == ("best", "second", "third", "last")
    assert [one.ranks for one in board.standings] == [(1, 2), (1, 2), (3, 3), (4, 4)]
    assert board.groups == (("best", "second"), ("third",), ("last",))
    assert [one.letters for one in board.standings] == ["a", "a", "b", "c"]
    assert (board.separated, board.pairs, board.neighbours) == (5, 6, 2)
    assert board.may_be_best == ("best", "second")
    assert board["third"].better == ("best", "second")
    assert board["third"].worse == ("last",)
    assert not board.first_two.separated
    assert board.first_two.needed > 60
    with pytest.raises(relyon.UnknownNameError, match="no run `thrid`"):
        board["thrid"]


def test_groups_need_not_be_neighbours_and_overlap() -> None:
    assert maximal_groups(5, [(0, 2), (0, 4), (1, 4), (2, 4)]) == [(0, 1, 3), (1, 2, 3), (3, 4)]
    assert letters([(0, 1), (1, 2)], 4) == ["a", "ab", "b", ""]
    many = letters([(0,)] * 28, 1)[0]
    assert many.endswith("za2b2")


def test_too_many_groups_are_not_named() -> None:
    """Each of nine pairs of systems is separated: two to the ninth groups."""
    assert maximal_groups(18, [(2 * n, 2 * n + 1) for n in range(9)]) is None
    assert len(maximal_groups(10, [(2 * n, 2 * n + 1) for n in range(5)]) or []) == 32


def test_equal_values_share_a_rank() -> None:
    given = values()
    given["copy"] = given["best"]
    found = relyon.leaderboard_values(given)
    board = found["gain"]
    assert [(one.run, one.rank) for one in board.standings[:3]] == [
        ("best", 1),
        ("copy", 1),
        ("second", 3),
    ]
    assert board.first_two.difference == 0
    assert "have the same value" in found.to_text()
    assert [note.kind for note in found.notes] == ["leaderboard-identical"]


def test_lower_is_better_where_the_measure_says_so() -> None:
    given = {run: {"rbp_residual": one["gain"]} for run, one in values().items()}
    board = relyon.leaderboard_values(given)["rbp_residual"]
    assert board.runs == ("last", "third", "second", "best")
    assert [one.ranks for one in board.standings] == [(1, 1), (2, 2), (3, 4), (3, 4)]
    assert board.first_two.difference > 0
    low, high = board.standings[0].interval
    assert low < board.standings[0].value < high


@pytest.mark.parametrize("n", [1, 2, 5])
def test_few_queries_separate_nothing_and_say_so(n: int) -> None:
    given = values(n, gaps=(9.0, 5.0, 2.0, 0.0))
    found = relyon.leaderboard_values(given)
    assert {one.ranks for one in found["gain"].standings} == {(1, 4)}
    assert found["gain"].groups == (tuple(NAMES),)
    assert "leaderboard-few-units" in [note.kind for note in found.notes]


def test_queries_without_a_value_in_a_run_are_left_out() -> None:
    given = values()
    del given["last"]["gain"]["q3"]
    given["best"]["gain"]["q4"] = float("nan")
    found = relyon.leaderboard_values(given)
    assert (found["gain"].queries, found["gain"].left_out) == (58, 2)
    assert "2 queries left out" in str(found.notes[0])
    with pytest.raises(relyon.InputError, match="only 0 queries have a value in every run"):
        relyon.leaderboard_values({"a": {"x": {"q": 1.0}}, "b": {"x": {"r": 1.0}}})


def test_measures_of_the_data_have_no_ranks() -> None:
    judgments = {f"q{n}": {"a": 1} for n in range(6)}
    runs = [{query: {"a": 1.0} for query in judgments}, {query: {"b": 1.0} for query in judgments}]
    found = relyon.leaderboard(judgments, runs, ["rr", "judged@10"])
    assert [one.measure for one in found.boards] == ["rr"]
    with pytest.raises(relyon.ParameterError, match="none of the measures"):
        relyon.leaderboard(judgments, runs, "judged@10")


def test_the_intervals_of_values_are_those_of_evaluate() -> None:
    judgments = {f"q{n}": {"a": 1, "b": 0} for n in range(30)}
    run = {q: {"a": 1.0, "b": float(n % 3)} for n, q in enumerate(judgments)}
    other = {q: {"a": float(n % 2), "b": 0.5} for n, q in enumerate(judgments)}
    found = relyon.leaderboard(judgments, [run, other], "rr", names=["one", "other"])
    expected = relyon.measure_intervals(judgments, run, "rr")["rr"].queries
    assert found["rr"]["one"].interval == pytest.approx(expected)


def test_ratios_and_pooled_measures_are_ranked_by_pseudo_values() -> None:
    draw = np.random.default_rng(0)
    judgments = {f"q{n}": {f"d{i}": int(draw.integers(0, 3)) for i in range(6)} for n in range(40)}
    runs = [
        {q: {d: g + draw.normal() * noise for d, g in one.items()} for q, one in judgments.items()}
        for noise in (0.5, 3.0)
    ]
    found = relyon.leaderboard(judgments, runs, ["pnr", "auc"], names=["good", "bad"])
    for name in ("pnr", "auc"):
        assert found[name].runs == ("good", "bad")
        expected = relyon.evaluate(judgments, runs[0], name)[name]
        assert found[name]["good"].value == pytest.approx(expected, rel=0.02)


def test_tasks_are_means_of_means() -> None:
    easy, hard = values(40), values(10, seed=1)
    found = relyon.leaderboard_values({"easy": easy, "hard": hard}, tasks="fixed")
    board = found["gain"]
    assert found.tasks == {"easy": 40, "hard": 10}
    assert (board.unit, board.units, board.queries) == ("queries of tasks", 50, 50)
    for one in board.standings:
        parts = [np.mean(list(task[one.run]["gain"].values())) for task in (easy, hard)]
        assert one.value == pytest.approx(np.mean(parts))
        assert list(one.tasks.values()) == pytest.approx(parts)
    sampled = relyon.leaderboard_values({"easy": easy, "hard": hard}, tasks="sampled")
    assert {one.ranks for one in sampled["gain"].standings} == {(1, 4)}
    assert "2 tasks: too few" in str(sampled.notes[0])
    lacking = {"easy": easy, "hard": {name: hard[name] for name in NAMES[:3]}}
    with pytest.raises(relyon.ParameterError, match="`hard` has other runs than the first: last"):
        relyon.leaderboard_values(lacking, tasks="fixed")


def test_a_fixed_task_needs_six_queries_or_clusters() -> None:
    """With fewer, a task that is the noisiest decides, and its noise is unknown."""
    with pytest.raises(relyon.InputError, match="of the task `one`, 6 or more") as caught:
        relyon.leaderboard_values({"one": values(5), "two": values()}, tasks="fixed")
    assert "--tasks-are sampled" in str(caught.value)
    clusters = {f"q{n}": str(n % 5) for n in range(60)}
    given = {"one": values(), "two": values()}
    with pytest.raises(relyon.InputError, match="`one` has 5 clusters of queries, 6 or more"):
        relyon.leaderboard_values(given, tasks="fixed", cluster=clusters)


def test_results_can_be_ranked_by_task_in_any_order() -> None:
    judgments = {f"q{n}": {"a": 1, "b": 0} for n in range(12)}
    good = {query: {"a": 2.0, "b": 1.0} for query in judgments}
    bad = {query: {"a": 1.0, "b": 2.0} for query in judgments}
    one, two = (
        relyon.evaluate(judgments, run, "rr", name=name)
        for name, run in (("bad", bad), ("good", good))
    )
    found = relyon.leaderboard_results({"x": [one, two], "y": [two, one]})
    assert [(s.run, s.value, s.ranks) for s in found["rr"].standings] == [
        ("good", 1.0, (1, 1)),
        ("bad", 0.5, (2, 2)),
    ]
    assert sorted(found.inputs) == ["x: bad", "x: good", "y: bad", "y: good"]


def test_clusters_count_not_their_queries() -> None:
    given = values(24)
    clusters = {f"q{n}": str(n // 6) for n in range(24)}
    found = relyon.leaderboard_values(given, cluster=clusters)
    board = found["gain"]
    assert (board.unit, board.units) == ("clusters", 4)
    assert {one.ranks for one in board.standings} == {(1, 4)}
    with pytest.raises(relyon.ParameterError, match="tasks that are sampled are the units"):
        relyon.leaderboard_values({"t": given}, tasks="sampled", cluster=clusters)


def test_costs_say_which_runs_are_worth_it() -> None:
    costs = {"best": {"p50": 90}, "second": {"p50": 100}, "third": {"p50": 95}, "last": {"p50": 1}}
    board = relyon.leaderboard_values(values(), costs=costs)["gain"]
    found = {one.run: (one.costs["p50"].verdict, one.costs["p50"].by) for one in board.standings}
    assert found == {
        "best": ("front", ""),
        "second": ("open", "best"),
        "third": ("dominated", "best"),
        "last": ("front", ""),
    }


def test_costs_from_tables(tmp_path: Path) -> None:
    file = tmp_path / "costs.csv"
    file.write_text("Name,p50,licence,size\nbest.run,12,MIT,\nsecond,3.5,Apache,1e3\nother,1,x,1\n")
    found = read_costs(file, ["best.run", "second.run"])
    assert found == {"p50": {"best.run": 12.0, "second.run": 3.5}, "size": {"second.run": 1000.0}}
    frame = pl.DataFrame({"model": ["a"], "price": [2]})
    assert read_costs(frame, ["a", "b"]) == {"price": {"a": 2.0}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name,p50\nx,1\n", "none of the runs"),
        ("p50,size\n1,2\n", "no column with the names"),
        ("name,p50\na,-1\n", "is not a number of 0 or more: -1"),
        ("name,p50\na,inf\n", "is not a number of 0 or more: inf"),
        ("name,note\na,slow\n", "no column of numbers"),
        ("name,p50\na,1\na,2\n", "two rows for `a`"),
    ],
    ids=["names", "no-names", "negative", "infinite", "text", "twice"],
)
def test_bad_costs_are_refused(text: str, expected: str, tmp_path: Path) -> None:
    file = tmp_path / "costs.csv"
    file.write_text(text)
    with pytest.raises(relyon.InputError, match=expected) as caught:
        read_costs(file, ["a"])
    assert str(file) in str(caught.value)
    with pytest.raises(relyon.ParameterError, match="mapping from runs"):
        read_costs({"a": 3}, ["a"])


def test_forms_and_languages() -> None:
    costs = {"best": {"p50": 9.0}}
    found = relyon.leaderboard_values(values(), costs=costs)
    read = json.loads(found.to_json())
    assert read["measures"][0]["standings"][0]["ranks"] == [1, 2]
    assert read["measures"][0]["groups"] == [["best", "second"], ["third"], ["last"]]
    assert found.line("best") == "best: ranks 1–2 of 4 on gain (95% confidence, 60 queries)"
    assert found.line("last", "gain", language="zh").startswith("last：gain 排名第 4，共 4 个")
    chinese = found.to_text(language="zh")
    assert "分得开" in chinese
    assert "separated" not in chinese
    assert found.to_frame()["p50"].to_list() == [9.0, None, None, None]
    assert found.to_xlsx()[:2] == b"PK"
    with pytest.raises(relyon.UnknownNameError):
        found["other"]


def test_ids_may_be_numbers_or_chinese() -> None:
    given: Any = {
        f"系统{run}": {"增益": {number: float(number % 5 + run) for number in range(20)}}
        for run in range(3)
    }
    found = relyon.leaderboard_values(given)
    assert [one.ranks for one in found["增益"].standings] == [(1, 1), (2, 2), (3, 3)]
    assert found.runs == ("系统2", "系统1", "系统0")


@pytest.mark.parametrize(
    "options",
    [{"confidence": 1.0}, {"resamples": 0}, {"seed": -1}, {"tasks": "all"}],
    ids=["confidence", "resamples", "seed", "tasks"],
)
def test_bad_parameters_are_refused(options: Any) -> None:
    with pytest.raises(relyon.ParameterError):
        relyon.leaderboard_values(values(10), **options)
    with pytest.raises(relyon.ParameterError):
        relyon.leaderboard_values({"one": values()["best"]})
    with pytest.raises(relyon.ParameterError, match="no tasks"):
        relyon.leaderboard_results({})


def test_a_single_best_run_with_a_wider_interval_of_ranks_is_explained() -> None:
    chance = np.random.default_rng(3)
    old = chance.random(40)
    for gain in np.linspace(0, 0.2, 81):
        new = old + gain + chance.normal(0, 0.15, 40)
        values = {"old": dict(enumerate(old)), "new": dict(enumerate(new))}
        found = relyon.leaderboard_values(
            {run: {"m": {f"q{n}": x for n, x in one.items()}} for run, one in values.items()}
        )
        first = found["m"].standings[0]
        explained = "asks only whether another run" in found.to_text()
        assert explained == (found["m"].may_be_best == (first.run,) and first.ranks[1] > 1)
        if explained:
            break
    assert explained
    assert "只检验有没有更好的系统" in found.to_text(language="zh")


def test_runs_by_name_and_one_run_alone() -> None:
    judgments = {f"q{n}": {"good": 1, "bad": 0} for n in range(8)}
    good = {query: {"good": 2.0, "bad": 1.0} for query in judgments}
    bad = {query: {"good": 1.0, "bad": 2.0} for query in judgments}
    found = relyon.leaderboard(judgments, {"worse": bad, "better": good}, "rr")
    assert [one.run for one in found["rr"].standings] == ["better", "worse"]
    with pytest.raises(relyon.ParameterError, match="two or more runs"):
        relyon.leaderboard(judgments, "alone.run", "rr")
