"""Quality against latency: the numbers, their intervals, and the chart."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace

import numpy as np
import pytest

import relyon
from relyon.analysis.statistics import quantile_interval
from relyon.core.document.signs import width
from relyon.core.texts import LANGUAGES, Language
from relyon.engines import Recorded, quality_against_latency
from relyon.engines.planning import in_turn
from relyon.engines.tapes.entry import Entry


def recorded(times: dict[str, float], *, start: float = 0.0, failed: str = "") -> Recorded:
    entries = {
        query: Entry(
            key=f"{n:032}",
            variant="x",
            query=query,
            ids=[] if query == failed else ["d"],
            scores=[] if query == failed else [1.0],
            ms=ms,
            at=start + n,
            failed="refused" if query == failed else "",
        )
        for n, (query, ms) in enumerate(times.items())
    }
    return Recorded(entries, None)  # type: ignore[arg-type]


def compared(values: dict[str, float]) -> relyon.Comparison:
    """A comparison of runs whose MRR is a share of the queries with the good document first."""
    queries = [f"q{n}" for n in range(20)]
    judgments = {query: {"good": 1} for query in queries}
    lists = [
        {
            query: {"good": 1.0 if n < 20 * share else -1.0, "bad": 0.0}
            for n, query in enumerate(queries)
        }
        for share in values.values()
    ]
    return relyon.compare(judgments, lists[0], lists[1:], "rr", names=list(values))


# -- the interval of a quantile -------------------------------------------------------------------


@pytest.mark.parametrize("count", [6, 10, 25])
def test_interval_of_a_median_is_that_of_the_binomial(count: int) -> None:
    low, high = quantile_interval(range(count), 0.5)
    below = sum(math.comb(count, k) for k in range(int(low) + 1)) / 2**count
    assert below <= 0.025 < below + math.comb(count, int(low) + 1) / 2**count
    assert high == count - 1 - low


def test_too_few_values_have_no_interval() -> None:
    assert all(map(math.isnan, quantile_interval([1, 2, 3, 4, 5], 0.5)))
    assert math.isnan(quantile_interval(range(71), 0.95)[1])
    assert quantile_interval(range(72), 0.95)[1] == 71


@pytest.mark.parametrize("tail", [0.0, 0.05])
@pytest.mark.parametrize("count", [8, 40, 200])
def test_unchanged_latencies_differ_rarely(tail: float, count: int) -> None:
    draws = np.random.default_rng(count)

    def times() -> np.ndarray:
        spikes = (draws.random(count) < tail) * draws.pareto(1.1, count) * 30
        return np.exp(draws.normal(0, 0.6, count)) + spikes

    wrong = 0
    for _ in range(300):
        cost = np.exp(draws.normal(3, 0.6, count))
        low, high = quantile_interval((cost * times() - cost * times()).tolist(), 0.5)
        wrong += low > 0 or high < 0
    assert wrong <= 300 * 0.05 + 3 * math.sqrt(300 * 0.05)


# -- the numbers -----------------------------------------------------------------------------------


def test_runs_with_their_quality_and_latency() -> None:
    comparison = compared({"old": 0.5, "new": 1.0, "slow": 0.25})
    times = {f"q{n}": 10.0 + n for n in range(20)}
    both = quality_against_latency(
        comparison,
        {
            "old": recorded(times),
            "new": recorded({query: ms - 5 for query, ms in times.items()}),
            "slow": recorded({query: ms + 100 for query, ms in times.items()}, start=1000),
        },
    )
    old, new, slow = both.runs
    assert (old.value, new.value) == (0.75, 1.0)
    assert (old.latency.p50, new.latency.p50) == (19.5, 14.5)
    assert (old.dominated_by, new.dominated_by, slow.dominated_by) == ("new", "", "new")
    faster, slower = both.contrasts
    assert (faster.difference, faster.interval, faster.faster) == (-5, (-5, -5), 20)
    assert slower.difference == 100
    assert faster.together == 1.0
    assert slower.together == 0.0
    assert [note.kind for note in both.notes] == ["latency-not-together"]
    assert both.notes[0].examples == ("slow",)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tables_fit_a_terminal(language: Language) -> None:
    names = {"title-first.csv": 0.5, "by-length.csv": 1.0, "description.csv": 0.25}
    times = {f"q{n}": 1000.0 + n for n in range(20)}
    found = {name: recorded(times, failed="q1") for name in names}
    both = quality_against_latency(compared(names), found)
    printed = both.to_text(language=language)
    assert "title-first.csv" in printed
    assert [line for line in printed.splitlines() if width(line) > 80] == []


def test_lower_is_better_for_measures_of_which_less_is_better() -> None:
    from relyon.engines.quality import _dominated

    comparison = compared({"a": 0.5, "b": 1.0})
    times = {f"q{n}": 10.0 for n in range(20)}
    both = quality_against_latency(comparison, {"a": recorded(times), "b": recorded(times)})
    runs = [replace(one, dominated_by="") for one in both.runs]
    assert [one.dominated_by for one in _dominated(runs, 1)] == ["b", ""]
    assert [one.dominated_by for one in _dominated(runs, -1)] == ["", "a"]


def test_a_tie_in_both_dominates_nothing() -> None:
    comparison = compared({"a": 1.0, "b": 1.0})
    times = {f"q{n}": 10.0 for n in range(20)}
    both = quality_against_latency(comparison, {"a": recorded(times), "b": recorded(times)})
    assert [one.dominated_by for one in both.runs] == ["", ""]


def test_refused_queries_have_no_latency() -> None:
    comparison = compared({"a": 0.5, "b": 1.0})
    times = {f"q{n}": 10.0 for n in range(20)}
    refused = recorded({**times, "q3": 9_000.0}, failed="q3")
    both = quality_against_latency(comparison, {"a": recorded(times), "b": refused})
    assert both.runs[1].latency.failed == 1
    assert both.runs[1].latency.longest == 10.0
    assert both.contrasts[0].queries == 19


def test_one_query_has_no_interval() -> None:
    comparison = relyon.compare(
        {"q": {"good": 1}}, {"q": {"good": 1.0}}, {"q": {"good": 2.0}}, "rr", names=["a", "b"]
    )
    one = {"a": recorded({"q": 3.0}), "b": recorded({"q": 5.0})}
    both = quality_against_latency(comparison, one)
    assert both.contrasts[0].difference == 2.0
    assert all(map(math.isnan, both.contrasts[0].interval))
    assert json.loads(both.to_json())["differences"][0]["interval_ms"] == [None, None]
    assert "+2.00" in both.to_text()


def test_a_run_without_a_tape_is_left_out() -> None:
    comparison = compared({"a": 0.5, "b": 1.0})
    both = quality_against_latency(comparison, {"b": recorded({"q1": 3.0})})
    assert [one.run for one in both.runs] == ["b"]
    assert both.contrasts == ()
    assert both.to_frame().height == 1


def test_something_else_is_refused() -> None:
    comparison = compared({"a": 0.5, "b": 1.0})
    with pytest.raises(relyon.ParameterError, match="recordings must be"):
        quality_against_latency(comparison, {"a": 3})
    values = relyon.compare_values(
        {"a": {"rr": {"q": 1.0, "r": 0.0}}, "b": {"rr": {"q": 0.0, "r": 1.0}}}
    )
    with pytest.raises(relyon.ParameterError, match="only values"):
        quality_against_latency(values, {})


def test_several_variants_are_asked_in_turn() -> None:
    from relyon.engines import Query, Request, Variant

    variants = [Variant(name) for name in "abc"]
    requests = [
        Request(Query(str(n), str(n)), variant, 10) for variant in variants for n in range(30)
    ]
    asked = in_turn(requests)
    assert sorted(map(repr, asked)) == sorted(map(repr, requests))
    firsts = [asked[3 * n].variant.name for n in range(30)]
    assert {name: firsts.count(name) for name in "abc"} == {"a": 10, "b": 10, "c": 10}
    assert all(len({one.query.id for one in asked[3 * n : 3 * n + 3]}) == 1 for n in range(30))


def test_many_runs_have_names_only_if_not_dominated() -> None:
    from relyon.report.catalogue import catalogue
    from relyon.report.charts import draw
    from relyon.report.latencies import latency_chart

    pytest.importorskip("vl_convert")
    random.seed(1)
    comparison = compared({f"run-{n}": random.random() for n in range(12)})
    times = {
        name: recorded({f"q{n}": 1.0 + place for n in range(20)})
        for place, name in enumerate(comparison.runs)
    }
    both = quality_against_latency(comparison, times)
    chart = latency_chart(both, catalogue("en"))
    named = {row["name"] for row in chart.rows if row["named"]}
    assert named == {one.run for one in both.runs if not one.dominated_by}
    assert len(named) < 12
    assert "run-0" in draw(chart, "c1", "narrow")


# -- if nothing changed ----------------------------------------------------------------------------


@pytest.mark.parametrize(("in_turns", "least", "most"), [(True, 0.9, 1.0), (False, 0.0, 0.7)])
def test_warming_caches_mislead_only_one_after_another(
    in_turns: bool, least: float, most: float
) -> None:
    """Why variants are asked in turn: the same engine twice, whose caches warm up."""
    from relyon.engines import Query, Request, Variant

    draws = np.random.default_rng(5)
    count, repeats, covered = 200, 200, 0
    variants = [Variant("a"), Variant("b")]
    requests = [Request(Query(str(n), "x"), one, 10) for one in variants for n in range(count)]
    order = in_turn(requests) if in_turns else requests
    places = {(one.variant.name, one.query.id): n for n, one in enumerate(order)}
    for _ in range(repeats):
        cost = np.exp(draws.normal(3, 0.6, count))
        times = {}
        for name in "ab":
            place = np.array([places[name, str(n)] for n in range(count)])
            warmth = 1 + 0.6 * np.exp(-place / (count / 4))
            times[name] = cost * np.exp(draws.normal(0, 0.5, count)) * warmth
        low, high = quantile_interval((times["b"] - times["a"]).tolist(), 0.5)
        covered += low <= 0 <= high
    assert least <= covered / repeats <= most
