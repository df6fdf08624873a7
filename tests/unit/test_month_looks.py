"""A month that is looked at while it is graded."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import relyon
from relyon.online.monitoring import look_at_month
from relyon.online.monitoring.look_order import rank_deviate

Command = Callable[..., Any]
Grades = dict[str, dict[str, int]]

QUERIES = [f"q{number:02}" for number in range(60)]
pytestmark = pytest.mark.filterwarnings("ignore::relyon.RelyonWarning")


def drawn(seed: int, empty: int = 0) -> relyon.Sample:
    """Returns a month's sample in two tiers; the first sessions were shown nothing."""
    draws = random.Random(seed)
    weights = [1 / (place + 5) for place in range(len(QUERIES))]
    rows: list[tuple[str, str, int | None, str | None]] = []
    for number in range(900):
        query = draws.choices(QUERIES, weights)[0]
        shown: list[tuple[int | None, str | None]] = [(1, "a"), (2, "b")]
        if number < empty:
            shown = [(None, None)]
        rows += [(f"s{number}", query, place, one) for place, one in shown]
    columns = {"session": pl.String, "query": pl.String, "position": pl.Int64, "doc": pl.String}
    log = pl.DataFrame(rows, schema=columns, orient="row")
    return relyon.draw_sample(log, per_tier=150, cuts=[0.6], names=["head", "tail"], k=2, seed=seed)


def graded(level: float, seed: int, queries: Iterable[str] = QUERIES) -> Grades:
    """Returns grades of about a level, the same of a query whatever others are graded."""
    found = {}
    for query in queries:
        draws = random.Random(f"{seed} {query}")
        found[query] = {
            one: max(0, min(3, round(draws.gauss(level - (one == "b"), 0.5)))) for one in "ab"
        }
    return found


@pytest.fixture(scope="module")
def first() -> relyon.Round:
    """A finished month."""
    return relyon.create_round("2026-03", drawn(1), graded(2.3, 1))


def second(level: float, count: int, seed: int = 2) -> relyon.Round:
    """Returns the next month, of which some queries are graded in random order."""
    order = random.Random(5).sample(QUERIES, len(QUERIES))[:count]
    return relyon.create_round("2026-04", drawn(seed), graded(level, seed, order))


def test_a_drop_is_found_before_the_month_is_graded(first: relyon.Round) -> None:
    found = look_at_month([first], second(1.0, 45))
    whole = found.tiers[0]
    assert (whole.tier, whole.verdict, whole.graded) == ("all", "fell", 45)
    assert whole.change_interval[1] < 0
    assert whole.mean + whole.before * 0 < whole.before
    assert found.drops[0] == whole


@pytest.mark.long
def test_nothing_is_found_where_nothing_changed(first: relyon.Round) -> None:
    for count in (25, 40, 60):
        found = look_at_month([first], second(2.3, count))
        assert {one.verdict for one in found.tiers} == {"undecided"}


@pytest.mark.long
def test_the_finished_month_has_the_monitors_change(first: relyon.Round) -> None:
    last = second(2.0, 60)
    look = look_at_month([first, last]).tiers[0]
    change = relyon.monitor([first, last]).change("all", "common", "2026-04")
    assert change is not None
    assert look.change == pytest.approx(change.dcg.value, abs=1e-9)
    assert look.p > change.dcg.p
    low, high = change.dcg.interval
    assert look.change_interval[0] < low < high < look.change_interval[1]


def test_watched_months_cost_evidence(first: relyon.Round) -> None:
    last = second(1.6, 45)
    one, year = (look_at_month([first], last, watched_months=months) for months in (1, 12))
    assert year.tiers[0].p_adjusted == pytest.approx(min(1.0, 12 * one.tiers[0].p_adjusted))
    assert year.tiers[0].p == one.tiers[0].p


def test_too_few_queries_are_not_tested(first: relyon.Round) -> None:
    found = look_at_month([first], second(0.0, 12))
    assert {one.untested for one in found.tiers} <= {"first-look", "few-queries", "tier-missing"}
    assert all(math.isnan(one.p) and one.verdict == "undecided" for one in found.tiers)


def test_a_month_alone_is_not_compared(first: relyon.Round) -> None:
    found = look_at_month([first])
    assert (found.before, found.tiers[0].untested) == ("", "no-month-before")
    assert found.tiers[0].interval[0] < found.tiers[0].mean < found.tiers[0].interval[1]


def test_half_graded_lists_do_not_count(first: relyon.Round) -> None:
    grades = graded(2.3, 2)
    for query in QUERIES[::2]:
        del grades[query]["b"]
    last = relyon.create_round("2026-04", drawn(2), grades)
    whole = look_at_month([first], last).tiers[0]
    assert whole.graded == len(QUERIES) // 2
    assert whole.verdict == "undecided"


def test_tiers_may_be_graded_in_any_order(first: relyon.Round) -> None:
    sample = drawn(2)
    tiers = dict(sample.sessions.select("query", "tier").iter_rows())
    order = sorted(QUERIES, key=lambda one: (tiers.get(one, "x") != "head", hash_of(one)))
    known = [one for one in order if one in tiers]
    part = known[: len(known) // 2 + 8]
    last = relyon.create_round("2026-04", sample, graded(2.3, 2, part))
    whole = look_at_month([first], last).tiers[0]
    every = relyon.create_round("2026-04", sample, graded(2.3, 2))
    assert abs(whole.mean - look_at_month([first], every).tiers[0].mean) < 0.6
    assert whole.untested in {"", "tier-missing"}


def hash_of(query: str) -> float:
    """Returns a number that says nothing about a query."""
    return random.Random(query).random()


def test_an_order_by_traffic_within_a_tier_is_refused() -> None:
    rows = [
        (f"s{query}-{number}", f"q{query:03}", 1, "a")
        for query in range(80)
        for number in range(1 + (80 - query) // 8)
    ]
    log = pl.DataFrame(rows, schema=["session", "query", "position", "doc"], orient="row")
    sample = relyon.draw_sample(log, per_tier=len(rows), cuts=[], names=["every"], k=1)
    names = [f"q{query:03}" for query in range(80)]
    grades = {name: {"a": place % 4} for place, name in enumerate(names)}
    before = relyon.create_round("2026-03", sample, grades)
    last = relyon.create_round("2026-04", sample, {name: grades[name] for name in names[:40]})
    assert {one.untested for one in look_at_month([before], last).tiers} == {"order"}
    mixed = random.Random(1).sample(names, 40)
    last = relyon.create_round("2026-04", sample, {name: grades[name] for name in mixed})
    assert {one.untested for one in look_at_month([before], last).tiers} == {""}


def test_sessions_without_results_count_in_the_pace_of_grading() -> None:
    before = relyon.create_round("2026-03", drawn(1, empty=300), graded(2.3, 1))
    sample = drawn(2, empty=300)
    order = random.Random(5).sample(QUERIES, len(QUERIES))
    means = []
    for count in (25, 60):
        last = relyon.create_round("2026-04", sample, graded(2.3, 2, order[:count]))
        means.append(look_at_month([before], last).tiers[0].mean)
    # All of them at once would draw the mean of the first look to less than half.
    assert means[0] > 0.75 * means[1]


@pytest.mark.long
def test_ranks_with_ties_are_those_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    draws = random.Random(3)
    values = [float(draws.randint(0, 6)) for _ in range(40)]
    held = [draws.random() < 0.4 for _ in values]
    split = [[one for one, kept in zip(values, held, strict=True) if kept == side]
             for side in (True, False)]  # fmt: skip
    expected = stats.mannwhitneyu(*split, use_continuity=False, method="asymptotic").pvalue
    assert 2 * stats.norm.sf(abs(rank_deviate(values, held))) == pytest.approx(expected)


@pytest.mark.parametrize("months", [0, -1, 1.5])
def test_watched_months_are_whole(first: relyon.Round, months: Any) -> None:
    with pytest.raises(relyon.ParameterError):
        look_at_month([first], watched_months=months)


def test_the_unfinished_month_is_the_last(first: relyon.Round) -> None:
    with pytest.raises(relyon.ParameterError, match="is not after the last round"):
        look_at_month([first], first)


@pytest.fixture
def folder(tmp_path: Path, first: relyon.Round) -> Path:
    """A folder of rounds, and the sample and grades of the month after."""
    relyon.write_round(first, tmp_path / "rounds")
    drawn(2).write(tmp_path / "sample.csv")
    for name, level in (("same", 2.3), ("worse", 0.8)):
        grades = second(level, 45).judgments.to_dict()
        lines = [f"{query},{doc},{grade:g}" for query, found in grades.items()
                 for doc, grade in found.items()]  # fmt: skip
        text = "\n".join(["query,document,grade", *lines, ""])
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    return tmp_path


def words(folder: Path, name: str, *more: str) -> list[str]:
    """Returns the words of a command that looks at the month."""
    given = ["--month", "2026-04", "--sample", str(folder / "sample.csv")]
    given += ["--judgments", str(folder / f"{name}.csv")]
    return [str(folder / "rounds"), "--anytime", *given, *more]


@pytest.mark.long
def test_the_check_fails_on_a_drop(command: Command, folder: Path) -> None:
    assert command("monitor", "check", *words(folder, "same")).code == 0
    done = command("monitor", "check", *words(folder, "worse"))
    assert done.code == 1
    assert "fell from" in done.out
    assert command("monitor", "check", *words(folder, "worse", "--tier", "head")).code in {0, 1}
    assert command("monitor", "check", *words(folder, "worse", "--tier", "x")).code == 2


@pytest.mark.long
def test_the_month_is_shown_in_every_form(command: Command, folder: Path) -> None:
    text = command("monitor", "show", *words(folder, "worse")).out
    assert "2026-04 so far" in text
    chinese = command("monitor", "show", *words(folder, "worse", "--lang", "zh")).out
    assert "截至目前" in chinese
    found = json.loads(command("monitor", "show", *words(folder, "worse", "--format", "json")).out)
    assert found["tiers"][0]["verdict"] == "fell"
    rows = command("monitor", "show", *words(folder, "worse", "--format", "csv")).out.splitlines()
    assert len(rows) == 1 + len(found["tiers"])


def test_options_of_a_look_go_together(command: Command, folder: Path) -> None:
    rounds = str(folder / "rounds")
    assert command("monitor", "show", rounds, "--month", "2026-04").code == 2
    assert command("monitor", "show", rounds, "--anytime", "--month", "2026-04").code == 2
    assert command("monitor", "check", rounds, "--anytime", "--max-drop", "5%").code == 2
    assert command("monitor", "show", rounds, "--anytime").code == 0
