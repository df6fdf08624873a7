"""Rules of traces: a first query that a later one mends, and documents read again."""

from __future__ import annotations

from typing import Any

import pytest

import relyon
from relyon.analysis.diagnosis import FirstCallFails, ReadsAgain, rules

JUDGMENTS = {f"t{place:02}": {"d1": 1, "d2": 2, "x": 0} for place in range(20)}
BAD = {"query": "坏的查询", "results": ["x", "y"], "read": ["x"]}
GOOD = {"query": "good query", "results": ["d1", "x"], "read": ["x", "d1"]}
OWN = ["first-call-fails", "reads-again"]


def traces(mended: int, name: str = "agent", **changes: Any) -> relyon.Traces:
    """The first `mended` tasks need a second query."""
    calls = {
        task: [{**BAD, **changes}, {**GOOD, **changes}] if place < mended else [{**GOOD, **changes}]
        for place, task in enumerate(JUDGMENTS)
    }
    return relyon.Traces.from_dict(calls, name=name)


def diagnose(candidate: Any, *chosen: Any) -> list[Any]:
    comparison = relyon.compare(JUDGMENTS, traces(0, "old"), [candidate])
    return list(relyon.diagnose(comparison, rules=chosen or OWN))


def test_a_later_query_mends_the_first() -> None:
    found = diagnose(traces(6), "first-call-fails")[0]
    assert found.evidence == {
        "k": 10,
        "tasks": 20,
        "failed": 6,
        "failed_share": 0.3,
        "mended": 6,
        "mended_share": 1.0,
        "saved": 6,
        "calls": 26,
    }
    assert found.examples[0] == "t00: 坏的查询 → good query #2"
    assert found.chart_data[0] == {
        "query": "t00",
        "call": 2,
        "first_query": "坏的查询",
        "later_query": "good query",
    }
    assert "6 of 20 tasks with a relevant document (30%)" in found.text()
    assert "可以省下 6 次" in found.text("zh")
    assert found.candidate == "agent"


@pytest.mark.parametrize(
    ("mended", "thresholds", "fires"),
    [
        (4, {}, False),  # fewer than five tasks
        (5, {}, True),
        (5, {"least": 6}, False),
        (5, {"failed": 0.3}, False),
        (4, {"least": 4}, True),
        (0, {"least": 0, "failed": 0.0}, False),  # nothing failed
    ],
)
def test_thresholds_of_the_first_call(mended: int, thresholds: dict[str, Any], fires: bool) -> None:
    assert bool(diagnose(traces(mended), FirstCallFails(**thresholds))) == fires


def test_unmended_tasks_do_not_count() -> None:
    calls = {task: [BAD, BAD] for task in JUDGMENTS}
    assert diagnose(relyon.Traces.from_dict(calls), "first-call-fails") == []
    calls |= {task: [BAD, BAD, GOOD] for task in list(JUDGMENTS)[:8]}
    assert diagnose(relyon.Traces.from_dict(calls), "first-call-fails") == []  # 8 of 20: 40%
    found = diagnose(relyon.Traces.from_dict(calls), FirstCallFails(mended=0.4))[0]
    assert (found.evidence["saved"], found.evidence["calls"]) == (16, 48)


def test_the_cutoff_of_the_first_call() -> None:
    calls = {task: [{"results": ["x", "d1"]}, {"results": ["d1"]}] for task in JUDGMENTS}
    candidate = relyon.Traces.from_dict(calls)
    assert diagnose(candidate, "first-call-fails") == []
    found = diagnose(candidate, FirstCallFails(k=1))[0]
    assert found.examples[0] == "t00 #2"  # no query texts


def test_reading_again() -> None:
    found = diagnose(traces(10), "reads-again")[0]
    assert found.evidence == {
        "reads": 50,
        "again": 10,
        "again_share": 0.2,
        "tasks": 20,
        "tasks_again": 10,
    }
    assert found.examples[0] == "t00: x ×2"
    assert "10 of 50 reads" in found.text()
    assert "共阅读 50 次，其中 10 次（20%）" in found.text("zh")
    assert diagnose(traces(9), "reads-again") == []
    assert diagnose(traces(9), ReadsAgain(least=9, share=0.1))
    assert diagnose(traces(10), ReadsAgain(share=0.25)) == []


def test_silent_without_reads_and_on_runs() -> None:
    assert diagnose(traces(10, read=None), "reads-again") == []
    run = relyon.Run.from_dict({task: {"x": 1.0} for task in JUDGMENTS}, name="run")
    assert diagnose(run) == []
    comparison = relyon.compare(JUDGMENTS, run, [run], names=["a", "b"])
    assert [one.rule for one in relyon.diagnose(comparison) if one.rule in OWN] == []


def test_rules_of_lists_do_not_apply_to_tasks_with_several_calls() -> None:
    comparison = relyon.compare(JUDGMENTS, traces(0, "old"), [traces(20)])
    found = relyon.diagnose(comparison)
    lists = {name for name in rules if rules.get(name).of_lists}
    assert found.applied == len(rules) - len(lists)
    assert {one.rule for one in found} >= set(OWN)
    assert not {one.rule for one in found} & lists
    one_call = relyon.compare(JUDGMENTS, traces(0, "old"), [traces(0, "new")])
    assert relyon.diagnose(one_call).applied == len(rules)
