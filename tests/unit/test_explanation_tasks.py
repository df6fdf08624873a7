"""Explanations of tasks: call by call, and two traces of one task."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conftest import Command

import relyon
from relyon.analysis.explanation import TaskExplanation
from relyon.core.document.signs import width

JUDGMENTS = {"who": {"d1": 2, "d2": 1, "d3": 0, "文档": 1}, "one": {"a": 1}}
CALLS: list[dict[str, Any]] = [
    {"query": "author", "results": [("d3", 3.0), ("d4", 2.0)], "read": ["d4"], "tokens": 400},
    {
        "query": "author of the novel",
        "results": [("d1", 2.5), ("d3", 0.5)],
        "read": ["d1", "文档", "d4"],
        "tokens": 350,
        "seconds": 1.5,
    },
    {"query": "小说 第一版 作者", "results": []},
]
TRACES = relyon.Traces.from_dict({"who": CALLS, "one": [{"results": ["b", "a"]}]}, name="agent")
OTHER = relyon.Traces.from_dict({"who": [{"query": "novel", "results": ["d2", "d1"]}]}, name="b")


def explain(measure: str, task: str = "who", **settings: Any) -> Any:
    return relyon.explain(JUDGMENTS, TRACES, task, measure, **settings)


def test_what_each_call_returned_and_added() -> None:
    found = explain("session_dcg@10")
    assert isinstance(found, TaskExplanation)
    assert [call.query for call in found.calls] == [call["query"] for call in CALLS]
    second = found.calls[1]
    assert [(row.rank, row.document, row.first, row.read) for row in second.results] == [
        (1, "d1", 2, True),
        (2, "d3", 1, False),
        (None, "文档", 2, True),
        (None, "d4", 1, True),
    ]
    assert (second.new, second.returned, second.tokens, second.seconds) == (1, 2, 350, 1.5)
    assert second.results[0].contribution == pytest.approx(2 / math.log(5, 4))
    assert second.results[2].contribution is None
    assert [call.value for call in found.calls] == pytest.approx([0.0, *[2 / math.log(5, 4)] * 2])
    assert found.value == found.calls[-1].value
    assert found.value == pytest.approx(
        relyon.evaluate(JUDGMENTS, TRACES, "session_dcg@10").values_by_query("session_dcg@10")[
            "who"
        ]
    )


@pytest.mark.parametrize(
    "measure",
    [
        *("session_dcg@2", "nsdcg", "srbp", "task_recall@1", "call_rr", "recovery", "redundancy"),
        *("gain_per_read", "chain_recall", "first(ndcg@5)", "last(p@2)", "best(rr)", "mean(ap)"),
        *("ndcg@5", "pnr", "gain_per_ktoken(calls=2)"),
    ],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_explanations_fit_a_terminal_and_agree_with_the_evaluation(
    measure: str, language: str
) -> None:
    found = explain(measure)
    evaluated = relyon.evaluate(JUDGMENTS, TRACES, measure).values_by_query(measure)["who"]
    assert found.value == pytest.approx(evaluated, nan_ok=True)
    assert found.calls[-1].value == pytest.approx(found.value, nan_ok=True)
    text = found.to_text(language=language)
    assert max(map(width, text.splitlines())) <= 80
    markdown = found.to_markdown(language=language)
    assert "author of the novel" in markdown
    assert ("首次" if language == "zh" else "new") in markdown
    values = json.loads(json.dumps(found.to_dict()))
    assert [call["call"] for call in values["calls"]] == [1, 2, 3]
    assert values["calls"][2]["tokens"] is None
    assert found.to_frame().height == 6


def test_contributions_add_up() -> None:
    for measure in ("session_dcg", "srbp(p=0.5)", "task_recall", "mean(dcg@3)", "gain_per_read"):
        found = explain(measure)
        added = [row.contribution or 0.0 for call in found.calls for row in call.results]
        assert math.fsum(added) == pytest.approx(found.value), measure


def test_a_list_measure_of_one_call_is_explained_as_of_a_run() -> None:
    run = relyon.Run.from_dict({"one": {"b": 2, "a": 1}})
    whole = relyon.explain(JUDGMENTS, run, "one", "ndcg@5")
    assert relyon.explain(JUDGMENTS, TRACES, "one", "ndcg@5").to_dict() == whole.to_dict()


def test_a_task_without_calls() -> None:
    traces = relyon.Traces.from_dict({"who": CALLS})
    found: Any = relyon.explain(JUDGMENTS, traces, "one", "task_recall")
    assert (found.value, found.calls) == (0.0, ())
    assert "0 calls" in str(found)


def test_an_unknown_task_and_other_refusals() -> None:
    with pytest.raises(relyon.UnknownNameError, match="no query `whom`"):
        explain("ndcg", "whom")
    with pytest.raises(relyon.ParameterError, match="against"):
        explain("ndcg", against="sklearn")
    with pytest.raises(relyon.ParameterError, match="compares two runs"):
        explain("rbo")
    with pytest.raises(relyon.ParameterError, match="sum over its calls"):
        explain("num_ret")
    assert explain("mean(num_ret)").value == pytest.approx(4 / 3)
    assert explain("num_ret", "one").value == 2
    tied = relyon.Traces.from_dict({"who": [{"results": [("d1", 1.0), ("d2", 1.0)]}] * 2})
    with pytest.raises(relyon.ParameterError, match="averages over"):
        relyon.explain(JUDGMENTS, tied, "who", "ndcg", convention={"ties": "expected"})


def test_two_traces_next_to_each_other() -> None:
    change = relyon.explain_change(JUDGMENTS, TRACES, OTHER, "who", "session_dcg")
    assert change.additive
    assert change.of_task
    moves = {move.document: (move.before, move.after) for move in change.moves}
    assert moves == {"d1": (2, 1), "d2": (None, 1)}
    assert math.fsum(move.change for move in change.moves) == pytest.approx(change.difference)
    text = str(change)
    assert "query in A" in text
    assert "call in A" in text
    assert max(map(width, text.splitlines())) <= 80
    assert "A 的查询" in change.to_markdown(language="zh")


def test_a_run_against_traces_is_a_task_with_one_call() -> None:
    run = relyon.Run.from_dict({"who": {"d2": 2, "d1": 1}})
    one = relyon.explain_change(JUDGMENTS, TRACES, run, "who", "task_recall")
    two = relyon.explain_change(JUDGMENTS, TRACES, OTHER, "who", "task_recall")
    assert one.difference == two.difference


def test_the_command(command: Command) -> None:
    relyon.write_traces(TRACES, "agent.jsonl")
    Path("j.qrels").write_text("who 0 d1 2\nwho 0 d2 1\none 0 a 1\n")
    outcome = command("explain", "j.qrels", "agent.jsonl", "--query-id", "who", "-m", "task_recall")
    assert (outcome.code, outcome.err) == (0, "")
    assert "Call 2: author of the novel" in outcome.out
    assert max(map(width, outcome.out.splitlines())) <= 80
    told = command("explain", "j.qrels", "agent.jsonl", "-m", "task_recall")
    assert told.code == 2
    assert "`who` (0.5000)" in told.err
    changed = command("explain", "j.qrels", "agent.jsonl", "agent.jsonl", "--query-id", "who")
    assert changed.code == 0
    assert "value after" not in changed.out
