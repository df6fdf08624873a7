"""Traces: constructors, files, OpenTelemetry, the command line, and bad input."""

from __future__ import annotations

import gzip
import io
import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.unit.conftest import Command

import relyon
from relyon.core.errors import InputError, ParseError
from relyon.data.traces import Traces
from relyon.io.byte_source import Source
from relyon.io.traces import _slowly

JUDGMENTS = {"q1": {"a": 2, "c": 1}, "5": {"a": 1}, "m": {"x": 1}}
LINES = """\
{"task": "q1", "call": 2, "query": "b\\u00e9", "results": [{"document": "c", "score": 0.5}, {"document": "a", "score": 0.25}], "more": {"y": [1, {}]}}
{"task": "q1", "call": 1, "results": ["a", "b"], "read": ["b", "z"], "tokens": 12, "seconds": 0.5}

{"task": 5, "results": []}
"""  # noqa: E501


def written(folder: Path, text: str, name: str = "agent.jsonl") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def span(number: int, start: float, attributes: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Returns a span of OTLP; attributes are written as its list of keys and values."""
    kinds = {str: "stringValue", float: "doubleValue", int: "intValue", bool: "boolValue"}
    return {
        "traceId": "aa",
        "spanId": str(number),
        "startTimeUnixNano": str(int(start * 1e9)),
        "endTimeUnixNano": str(int((start + 0.5) * 1e9)),
        "attributes": [
            {
                "key": key,
                "value": {kinds[type(value)]: str(value) if type(value) is int else value},
            }
            for key, value in attributes.items()
        ],
        **more,
    }


def export(*spans: dict[str, Any], resource: dict[str, str] | None = None) -> str:
    about = [{"key": key, "value": {"stringValue": one}} for key, one in (resource or {}).items()]
    scopes = [{"scope": {"name": "agent"}, "spans": list(spans)}]
    resources = [{"resource": {"attributes": about}, "scopeSpans": scopes}]
    return json.dumps({"resourceSpans": resources})


def retriever(documents: dict[str, float], query: str = "sky") -> dict[str, Any]:
    found: dict[str, Any] = {"openinference.span.kind": "RETRIEVER", "input.value": query}
    for place, (document, score) in enumerate(documents.items()):
        found[f"retrieval.documents.{place}.document.id"] = document
        found[f"retrieval.documents.{place}.document.score"] = score
    return found


# -- what is read ---------------------------------------------------------------------------------


def test_lines_become_calls(tmp_path: Path) -> None:
    traces = relyon.read_traces(written(tmp_path, LINES))
    assert traces.tasks == ["q1", "5"]
    first, second = traces.calls("q1")
    assert (first.documents, first.scores, first.scored) == (("a", "b"), (2.0, 1.0), False)
    assert (first.read, first.tokens, first.seconds) == (("b", "z"), 12.0, 0.5)
    assert (second.query, second.scores, second.read) == ("bé", (0.5, 0.25), None)
    assert math.isnan(second.tokens)
    assert traces.calls(5)[0].documents == ()
    assert len(traces) == 4
    assert traces.most_calls == 2
    assert [task in traces for task in ("q1", 5, "m")] == [True, True, False]
    assert [note.kind for note in traces.notes] == ["scores-from-ranks"]


@pytest.mark.parametrize("form", ["gzip", "stream", "blank", "bom", "crlf"])
def test_the_same_lines_in_other_clothes(form: str, tmp_path: Path) -> None:
    expected = relyon.read_traces(written(tmp_path, LINES)).to_dict()
    data = LINES.encode()
    source: Any = tmp_path / "other.jsonl"
    if form == "gzip":
        source = tmp_path / "other.jsonl.gz"
        source.write_bytes(gzip.compress(data))
    elif form == "stream":
        source = io.BytesIO(data)
    elif form == "blank":
        source.write_bytes(b"\n  \n" + data + b"\n\n")
    elif form == "bom":
        source.write_bytes(b"\xef\xbb\xbf" + data)
    else:
        source.write_bytes(data.replace(b"\n", b"\r\n").rstrip())
    assert relyon.read_traces(source).to_dict() == expected


def test_spans_within_documents_survive(tmp_path: Path) -> None:
    line = '{"task": "t", "results": [{"document": "a", "start": 0, "end": 10}, "b"]}\n'
    traces = relyon.read_traces(written(tmp_path, line))
    call = traces.calls("t")[0]
    assert (call.starts, call.ends) == ((0.0, None), (10.0, None))
    relyon.write_traces(traces, tmp_path / "again.jsonl")
    assert relyon.read_traces(tmp_path / "again.jsonl").to_dict() == traces.to_dict()


def test_frames_and_runs_become_traces() -> None:
    frame = pl.DataFrame(
        {
            "topic": ["t", "t", "t", "u"],
            "call": [2, 1, 1, 1],
            "document": ["a", "b", None, None],
            "score": [0.5, 1.5, None, None],
            "read": [True, False, None, None],
            "tokens": [7, 9, None, None],
        }
    )
    traces = Traces.from_frame(frame, {"task": "topic"})
    assert [call.documents for call in traces.calls("t")] == [("b",), ("a",)]
    assert [call.read for call in traces.calls("t")] == [(), ("a",)]
    assert [call.tokens for call in traces.calls("t")] == [9.0, 7.0]
    assert traces.calls("u")[0].documents == ()
    run = relyon.Run.from_dict({"q": {"a": 1.0, "b": 2.0}}, name="bm25")
    assert Traces.from_run(run).run().to_dict() == run.to_dict()
    assert relyon.read_traces(run).name == "bm25"
    assert relyon.read_traces(traces) is traces
    assert relyon.read_traces(frame.rename({"topic": "task"})).tasks == ["t", "u"]


def test_one_call_of_each_task_as_a_run() -> None:
    traces = Traces.from_dict(
        {"a": [{"results": ["x"]}, {"results": ["y"]}], "b": [{"results": []}]}
    )
    assert traces.run(2).to_dict() == {"a": {"y": 1.0}}
    with pytest.raises(InputError, match="up to 2 calls, and a run has one list"):
        traces.run()
    with pytest.raises(InputError, match="no task has results in call 3"):
        traces.run(3)


def test_thousands_of_calls_of_one_task(tmp_path: Path) -> None:
    lines = [json.dumps({"task": "t", "call": -n, "results": [f"d{n}", "d"]}) for n in range(5000)]
    traces = relyon.read_traces(written(tmp_path, "\n".join(lines)))
    assert traces.most_calls == 5000
    assert traces.calls("t")[0].documents == ("d4999", "d")
    found = relyon.evaluate({"t": {"d": 1, "d0": 1}}, traces, ["rr", "best(rr)", "task_recall"])
    assert found["rr"] == (4999 * 0.5 + 1) / 5000
    assert (found["best(rr)"], found["task_recall"]) == (1.0, 1.0)


@pytest.mark.parametrize("stretch", ["1", "70", "300"])
def test_files_in_many_parts(stretch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        json.dumps(
            {"task": f"t{n % 7}", "call": 100 - n, "results": [{"document": f"d{n}", "start": n}]}
        )
        if n % 3
        else json.dumps(
            {"task": f"t{n % 7}", "call": 100 - n, "results": [f"d{n}", 7], "read": [n]}
        )
        for n in range(60)
    ]
    path = written(tmp_path, "\n".join(lines))
    expected = relyon.read_traces(path).to_dict()
    assert expected == _slowly(Source(path), None).to_dict()
    monkeypatch.setenv("RELYON_STRETCH", stretch)
    assert relyon.read_traces(path).to_dict() == expected
    twice = written(tmp_path, "\n".join([*lines, "", lines[30]]), "twice.jsonl")
    with pytest.raises(ParseError, match="call 70 of task `t2` occurs twice") as caught:
        relyon.read_traces(twice)
    assert caught.value.line == 62


# -- what several calls mean ----------------------------------------------------------------------


def test_values_of_several_calls_by_hand() -> None:
    traces = Traces.from_dict(
        {"t": [{"results": ["n", "m"]}, {"results": ["a", "n"]}, {"results": ["n", "b", "a"]}]}
    )
    judgments = {"t": {"a": 2, "b": 1, "n": 0}}
    names = ["rr", "first(rr)", "last(rr)", "best(rr)", "mean(rr)", "num_ret", "num_rel", "num_q"]
    found = relyon.evaluate(judgments, traces, [*names, "pnr", "recall@3"])
    assert [found[name] for name in names] == [0.5, 0.0, 0.5, 1.0, 0.5, 7, 6, 1]
    # Call 2 has a before n; call 3 has n before b and a, and b before a.
    assert found.entries["pnr"].details["positive"] == 1
    assert found.entries["pnr"].details["negative"] == 3
    assert found["recall@3"] == pytest.approx((0 + 0.5 + 1) / 3)
    kinds = {note.kind: note.values["measures"] for note in found.notes if "calls" in note.kind}
    assert kinds["mean-over-calls"] == ["rr", "recall@3"]
    assert kinds["sum-over-calls"] == ["num_ret", "num_rel", "pnr"]


def test_a_note_names_a_few_of_many_measures() -> None:
    traces = Traces.from_dict({"t": [{"results": ["a"]}, {"results": ["b"]}]})
    names = [f"ndcg@{k}" for k in range(1, 41)]
    found = relyon.evaluate({"t": {"a": 1}}, traces, names)
    (note,) = (one for one in found.notes if one.kind == "mean-over-calls")
    assert note.values["measures"] == names
    assert "ndcg@6, ndcg@7 and … is the mean" in note.text()
    assert "ndcg@7 等 取任务" in note.text("zh")
    few = relyon.evaluate({"t": {"a": 1}}, traces, names[:8])
    (note,) = (one for one in few.notes if one.kind == "mean-over-calls")
    assert "ndcg@7 and ndcg@8 is the mean" in note.text()


def test_a_call_without_a_value_is_left_out_of_the_mean() -> None:
    calls = [{"results": ["u"]}, {"results": ["a", "b"]}, {"results": ["b", "a"]}]
    found = relyon.evaluate(
        {"t": {"a": 1, "b": 0}}, Traces.from_dict({"t": calls}), "auc", average="macro"
    )
    assert found["auc"] == 0.5
    without = relyon.evaluate(
        {"t": {"a": 1, "b": 0}},
        Traces.from_dict({"t": calls[:1]}),
        ["auc", "first(auc)"],
        average="macro",
    )
    assert math.isnan(without["auc"])
    assert math.isnan(without["first(auc)"])
    assert without.entries["auc"].undefined == 1


def test_judged_tasks_without_calls_are_missing() -> None:
    traces = Traces.from_dict(
        {"q1": [{"results": ["a"]}, {"results": ["c"]}], "z": [{"results": ["a"]}]}
    )
    with pytest.warns(relyon.RelyonWarning):
        found = relyon.evaluate(JUDGMENTS, traces, ["ndcg@3", "task_recall"])
    assert found.queries == ["q1", "5", "m"]
    assert found.values_by_query("task_recall") == {"q1": 1.0, "5": 0.0, "m": 0.0}
    assert found.entries["ndcg@3"].missing == 2
    kinds = {note.kind: note.count for note in found.notes}
    assert kinds["unjudged-queries"] == 1
    with pytest.raises(InputError, match="not in the run"):
        relyon.evaluate(JUDGMENTS, traces, "rr", convention=relyon.Convention(missing="error"))
    skipped = relyon.evaluate(
        JUDGMENTS, traces, ["rr", "task_recall"], convention=relyon.Convention(missing="skip")
    )
    assert skipped.queries == ["q1"]


def test_pooled_scores_are_those_of_all_calls() -> None:
    calls: list[dict[str, Any]] = [
        {"results": {"a": 3.0, "b": 1.0}},
        {"results": {"a": 0.5, "b": 2.0}},
    ]
    found = relyon.evaluate({"t": {"a": 1, "b": 0}}, Traces.from_dict({"t": calls}), "auc")
    # Positives 3 and .5 against negatives 1 and 2: two of four pairs are right.
    assert found["auc"] == 0.5


def test_nothing_judged_and_nothing_in_common() -> None:
    traces = Traces.from_dict({"t": [{"results": ["a"]}]})
    with pytest.raises(InputError, match="no query of the run is judged"):
        relyon.evaluate({"u": {"a": 1}}, traces, "rr")


def test_measures_of_two_runs_refuse_several_calls() -> None:
    traces = Traces.from_dict({"t": [{"results": ["a"]}, {"results": ["b"]}]})
    run = relyon.Run.from_dict({"t": {"a": 1.0}})
    with pytest.raises(InputError):
        relyon.evaluate(run, traces, "rbo")


# -- the command line -----------------------------------------------------------------------------


def test_commands_take_traces(command: Command, tmp_path: Path) -> None:
    judgments = written(tmp_path, "q1 0 a 2\nq1 0 c 1\n5 0 a 1\n", "j.qrels")
    one = written(tmp_path, LINES)
    other = written(tmp_path, LINES.replace('["a", "b"]', '["b", "a"]'), "other.jsonl")
    outcome = command(
        "evaluate", judgments, one, "-m", "rr,first(rr),recovery@1", "--format", "json"
    )
    assert outcome.code == 0, outcome.err
    found = json.loads(outcome.out)
    assert found["measures"]["rr"]["value"] == 0.5
    assert found["measures"]["first(rr)"]["value"] == 0.5
    assert "the mean over the calls of a task" in outcome.err
    outcome = command("compare", judgments, one, other, "-m", "first(rr)", "--format", "json")
    assert outcome.code == 0, outcome.err
    stored = str(tmp_path / "one.json")
    command("evaluate", judgments, one, "-m", "rr", "-q", "--format", "json", "-o", stored)
    again = str(tmp_path / "two.json")
    command("evaluate", judgments, other, "-m", "rr", "-q", "--format", "json", "-o", again)
    assert command("compare", stored, again, "-m", "rr").code == 0
    outcome = command("evaluate", judgments, one, "-m", "rr", "--intervals")
    assert outcome.code == 0, outcome.err


def test_repeats_of_an_agent(command: Command, tmp_path: Path) -> None:
    lines = [f"q{n} 0 a 1" for n in range(12)]
    judgments = written(tmp_path, "\n".join(lines) + "\n", "j.qrels")
    files = []
    for system, place in (("a", 1), ("a", 2), ("b", 3), ("b", 4)):
        rows = [
            json.dumps({"task": f"q{n}", "results": ["a", "x"] if (n * place) % 3 else ["x", "a"]})
            for n in range(12)
            for _ in range(2)
        ]
        files.append(written(tmp_path, "\n".join(rows), f"{system}{place}.jsonl"))
    systems = (f"A={files[0]},{files[1]}", f"B={files[2]},{files[3]}")
    outcome = command(
        "compare", judgments, "--system", systems[0], "--system", systems[1], "-m", "rr"
    )
    assert outcome.code == 0, outcome.err


def test_lists_refuse_several_calls(command: Command, tmp_path: Path) -> None:
    one = written(tmp_path, LINES)
    outcome = command("convert", one, str(tmp_path / "a.run"))
    assert outcome.code == 3
    assert "a task has up to 2 calls" in outcome.err


def test_traces_are_converted(command: Command, tmp_path: Path) -> None:
    text = export(span(1, 0, {**retriever({"a": 1.0}), "session.id": "s"}))
    path = written(tmp_path, text, "x.json")
    target = str(tmp_path / "x.jsonl")
    outcome = command(
        "convert", path, target, "--format", "traces", "--columns", "query=session.id"
    )
    assert outcome.code == 0, outcome.err
    assert relyon.read_traces(target).tasks == ["s"]
    outcome = command("convert", target, str(tmp_path / "x.run"))
    assert outcome.code == 0, outcome.err
    assert (tmp_path / "x.run").read_text().startswith("s Q0 a 1 1")
    judgments = written(tmp_path, "s 0 a 1\n", "j.qrels")
    outcome = command("evaluate", judgments, path, "-m", "rr", "--run-columns", "query=session.id")
    assert outcome.code == 0, outcome.err
    outcome = command("evaluate", judgments, path, "-m", "rr", "--run-columns", "score=x")
    assert outcome.code == 2
    assert "traces have no column for the score" in outcome.err
