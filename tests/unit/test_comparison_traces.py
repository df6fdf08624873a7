"""Comparisons of traces: the whole traces behind a name, and notes on what was asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

import relyon
from relyon.analysis.comparison.inputs import compare_runs

JUDGMENTS = {"t": {"a": 1, "b": 0}, "u": {"a": 1}}
SEVERAL = relyon.Traces.from_dict(
    {"t": [{"results": ["b"]}, {"results": ["a"]}], "u": [{"results": ["a"]}]}
)
SINGLE = relyon.Traces.from_dict({"t": [{"results": ["a", "b"]}], "u": [{"results": ["b"]}]})
RUN = {"t": {"a": 1.0}, "u": {"b": 1.0}}


def test_the_traces_behind_a_name(tmp_path: Path) -> None:
    relyon.write_traces(SEVERAL, tmp_path / "agent.jsonl")
    for given in (SEVERAL, tmp_path / "agent.jsonl"):
        found = relyon.compare(JUDGMENTS, given, RUN, "rr", names=["agent", "run"])
        held = found.lists("agent")
        assert isinstance(held, relyon.Traces)
        assert held.most_calls == 2
        assert found.of_tasks
        assert isinstance(found.lists("run"), relyon.Run)
        assert found.run("run").queries == ["t", "u"]
        with pytest.raises(relyon.InputError, match="a task has up to 2 calls"):
            found.run("agent")


def test_traces_with_one_call_are_runs() -> None:
    found = relyon.compare(JUDGMENTS, SINGLE, RUN, "rr", names=["agent", "run"])
    assert not found.of_tasks
    assert found.run("agent").documents("t") == [("a", 2.0), ("b", 1.0)]
    assert found.measured("agent", "recall@1")["recall@1"] == 0.5


def test_values_alone_are_of_no_tasks() -> None:
    results = [relyon.evaluate(JUDGMENTS, one, "rr", name=name)
               for name, one in (("old", SEVERAL), ("new", SINGLE))]  # fmt: skip
    assert not relyon.compare_results(results).of_tasks


def test_notes_name_the_measures_that_were_asked_for() -> None:
    found = compare_runs(
        JUDGMENTS, [SEVERAL, SINGLE], ["rr"], ["ndcg@10", "num_ret"], names=["old", "new"]
    )
    (note,) = (one for one in found.notes if one.kind == "mean-over-calls")
    assert note.values["measures"] == ["rr"]
    assert not [one for one in found.notes if one.kind == "sum-over-calls"]
    further = found.measured("old", ["num_ret"])
    assert {"mean-over-calls", "sum-over-calls"} <= {one.kind for one in further.notes}


def test_some_queries_of_a_run_become_tasks() -> None:
    run = relyon.Run.from_dict({"q": {"a": 1.0}, "r": {"b": 1.0}})
    assert relyon.Traces.from_run(run, ["r", "absent"]).tasks == ["r"]
    assert relyon.Traces.from_run(run, []).tasks == []
    assert relyon.Traces.from_run(run).tasks == ["q", "r"]
