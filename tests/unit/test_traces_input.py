"""Traces: spans of OpenTelemetry, and bad input."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.unit.test_traces import LINES, export, retriever, span, written

import relyon
from relyon.core.errors import InputError, ParameterError, ParseError
from relyon.data.traces import Traces
from relyon.io.byte_source import Source
from relyon.io.traces import _slowly, read_trace_lines

# -- OpenTelemetry --------------------------------------------------------------------------------


def test_an_export_of_openinference(tmp_path: Path) -> None:
    chat = {
        "gen_ai.operation.name": "chat",
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
    }
    model = {"openinference.span.kind": "LLM", "llm.token_count.total": 7}
    text = export(
        span(1, 0, {"openinference.span.kind": "AGENT"}),
        span(2, 5, retriever({"z": 0.1}, "again")),
        span(3, 2, retriever({"a": 0.9, "c": 0.5}), parentSpanId="1"),
        span(4, 1, model),
        span(5, 3, chat),
        span(6, 4, {"openinference.span.kind": "TOOL", "llm.token_count.total": 1000}),
    )
    traces = relyon.read_traces(written(tmp_path, text, "export.json"))
    first, second = traces.calls("aa")
    assert (first.query, first.documents, first.scores) == ("sky", ("a", "c"), (0.9, 0.5))
    assert (first.tokens, first.seconds) == (127.0, 0.5)
    assert (second.query, second.documents) == ("again", ("z",))
    assert math.isnan(second.tokens)


@pytest.mark.parametrize("structured", [False, True])
def test_documents_of_the_conventions_for_generative_ai(structured: bool, tmp_path: Path) -> None:
    documents: list[dict[str, Any]] = [{"id": "d1", "score": 0.5}, {"id": 2, "score": 1}]
    one = span(1, 0, {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "q"})
    value: dict[str, Any] = {"stringValue": json.dumps(documents)}
    if structured:
        kinds = {str: "stringValue", float: "doubleValue", int: "intValue"}
        value = {
            "arrayValue": {
                "values": [
                    {
                        "kvlistValue": {
                            "values": [
                                {"key": key, "value": {kinds[type(inside)]: inside}}
                                for key, inside in document.items()
                            ]
                        }
                    }
                    for document in documents
                ]
            }
        }
    one["attributes"].append({"key": "gen_ai.retrieval.documents", "value": value})
    call = relyon.read_traces(written(tmp_path, export(one), "x.json")).calls("aa")[0]
    assert (call.query, call.documents, call.scores) == ("q", ("d1", "2"), (0.5, 1.0))


def test_spans_line_by_line_and_ids_in_metadata(tmp_path: Path) -> None:
    rows = [
        {
            "name": "search",
            "context": {"trace_id": "0xaa", "span_id": "0x1"},
            "parent_id": None,
            "start_time": "2026-11-27T10:00:00.500000Z",
            "end_time": "2026-11-27T10:00:02Z",
            "attributes": {
                "openinference.span.kind": "RETRIEVER",
                "session.id": "s1",
                "retrieval.documents.0.document.metadata": '{"doc_id": "a"}',
                "retrieval.documents.1.document.metadata": '{"document_id": 7}',
            },
        },
        {"context": {"trace_id": "0xbb", "span_id": "0x2"}, "attributes": {"x": 1}},
    ]
    path = written(tmp_path, "\n".join(map(json.dumps, rows)), "spans.jsonl")
    traces = relyon.read_traces(path)
    assert traces.tasks == ["0xaa"]
    call = traces.calls("0xaa")[0]
    assert (call.documents, call.scored, call.seconds) == (("a", "7"), False, 1.5)
    assert relyon.read_traces(path, columns={"task": "session.id"}).tasks == ["s1"]


def test_the_attribute_of_the_task_is_found_above(tmp_path: Path) -> None:
    parent = span(1, 0, {"session.id": "s"})
    child = span(2, 1, retriever({"a": 1.0}), parentSpanId="1")
    path = written(tmp_path, export(parent, child), "x.json")
    assert relyon.read_traces(path, columns={"task": "session.id"}).tasks == ["s"]
    other = written(tmp_path, export(child, resource={"session.id": "r"}), "y.json")
    assert relyon.read_traces(other, columns={"task": "session.id"}).tasks == ["r"]
    with pytest.raises(ParseError, match="has the attribute `user`"):
        relyon.read_traces(path, columns={"task": "user"})
    with pytest.raises(ParameterError):
        relyon.read_traces(path, columns={"documents": "x"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (export(span(1, 0, {"openinference.span.kind": "LLM"})), "there are no calls"),
        (
            export(span(1, 0, {"retrieval.documents.0.document.score": 0.5})),
            "document 1 of span `1` has no id",
        ),
        (
            export(span(1, 0, {"gen_ai.retrieval.documents": "[{"})),
            "of span `1` is not a list in JSON",
        ),
        ('{"resourceSpans": [1]}', "`resourceSpans` is not a list of objects"),
        ('{"traceId": "a", "spanId": "b", "attributes": 7}', "`attributes` is not a list"),
        ('{"resourceSpans": []}\n{"spanId": "x"}', "2: the object is neither an OTLP export"),
        ('{"resourceSpans": []}\n{"traceId": ', "2: is not JSON"),
    ],
)
def test_bad_spans(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        relyon.read_traces(written(tmp_path, text, "x.json"), format="opentelemetry")


# -- bad input ------------------------------------------------------------------------------------

GOOD = '{"task": "t", "results": ["a"]}'


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"task": "t", "results": ["a"', "not JSON"),
        ('{"results": ["a"]}', "`task` is neither text nor a whole number: None"),
        ('{"task": "t"}', "the call has no `results`"),
        ('{"task": "", "results": []}', "`task` is neither text nor a whole number"),
        ('{"task": 1.5, "results": []}', "`task` is neither text nor a whole number: 1.5"),
        ('{"task": true, "results": []}', "`task` is neither text nor a whole number: True"),
        ('{"task": "t", "results": "a"}', "`results` of the call is not a list: a"),
        ('{"task": "t", "results": [["a", 1]]}', "a result is neither an id nor an object"),
        ('{"task": "t", "results": [null]}', "a result is neither an id nor an object"),
        ('{"task": "t", "results": [{"id": "a"}]}', "a result is neither an id nor an object"),
        (
            '{"task": "t", "results": [{"document": "a", "score": "1"}]}',
            "`score` is not a finite number: 1",
        ),
        (
            '{"task": "t", "results": [{"document": "a", "score": NaN}]}',
            "`score` is not a finite number: nan",
        ),
        (
            '{"task": "t", "results": [{"document": "a", "score": 1}, "b"]}',
            "1 of the 2 results of the call have no score",
        ),
        (
            '{"task": "t", "results": [{"document": "a", "start": 5, "end": 4}]}',
            "starts at 5 and ends at 4",
        ),
        ('{"task": "t", "results": [{"document": "a", "start": -1}]}', "`start` is less than 0"),
        ('{"task": "t", "call": 1.5, "results": []}', "`call` is not a whole number: 1.5"),
        ('{"task": "t", "call": "1", "results": []}', "`call` is not a whole number: 1"),
        ('{"task": "t", "query": 7, "results": []}', "`query` of the call is not text: 7"),
        ('{"task": "t", "results": [], "read": "a"}', "`read` of the call is not a list: a"),
        ('{"task": "t", "results": [], "read": [1.5]}', "`read` is neither text nor a whole"),
        ('{"task": "t", "results": [], "tokens": -1}', "`tokens` is less than 0: -1.0"),
        ('{"task": "t", "results": [], "seconds": "3"}', "`seconds` is not a finite number: 3"),
        ('{"task": "t", "results": ["a", "b", "a"]}', "`a` occurs twice in call 2 of task `t`"),
        ('{"task": "t", "results": ["\\ud800"]}', "`document` is neither text nor"),
        ("[1]", "expected an object"),
        ("7", "expected an object"),
        ("{" * 2000, "not JSON"),
    ],
)
def test_a_bad_line_is_named(line: str, said: str, tmp_path: Path) -> None:
    path = written(tmp_path, f"{GOOD}\n{line}\n")
    with pytest.raises(ParseError, match=re.escape(said)) as caught:
        relyon.read_traces(path, format="traces")
    assert str(caught.value).startswith(f"{path}:2:")


def test_numbers_of_calls(tmp_path: Path) -> None:
    twice = '{"task": "t", "call": 3, "results": []}\n'
    with pytest.raises(ParseError, match="call 3 of task `t` occurs twice") as caught:
        relyon.read_traces(written(tmp_path, twice * 2))
    assert caught.value.line == 2
    with pytest.raises(ParseError, match="and this one has none") as caught:
        relyon.read_traces(written(tmp_path, twice + GOOD))
    assert caught.value.line == 2


def test_bad_objects() -> None:
    with pytest.raises(InputError, match="there are no calls"):
        Traces.from_dict({})
    with pytest.raises(InputError, match="maps to a str, not to a list"):
        Traces.from_dict({"t": "abc"})  # type: ignore[dict-item]
    with pytest.raises(InputError, match="a call of task `t` is a str"):
        Traces.from_dict({"t": ["abc"]})  # type: ignore[list-item]
    with pytest.raises(InputError, match="task `t`, call 1: the call has no `results`"):
        Traces.from_dict({"t": [{"query": "x"}]})
    with pytest.raises(InputError, match="`a` occurs twice in call 2 of task `t`"):
        Traces.from_dict({"t": [{"results": []}, {"results": ["a", "a"]}]})
    with pytest.raises(InputError, match="no column `task`"):
        Traces.from_frame(pl.DataFrame({"document": ["a"]}))
    with pytest.raises(InputError, match="cannot read"):
        relyon.read_traces(7)
    with pytest.raises(KeyError):
        Traces.from_dict({"t": [{"results": []}]}).calls("u")


@pytest.mark.parametrize("place", range(0, 140, 7))
def test_truncated_lines_are_refused_or_the_same(place: int, tmp_path: Path) -> None:
    text = LINES.splitlines()[0][:place]
    source = Source(written(tmp_path, f"{GOOD}\n{text}"))
    if not text.strip():
        assert read_trace_lines(source, None).tasks == ["t"]
        return
    with pytest.raises(ParseError):
        read_trace_lines(source, None)


@pytest.mark.parametrize(
    "line",
    [
        '{"task":"a\\"b\\\\\\n","results":["\\u4e2d\\ud83d\\ude00", 12, -3, "7"]}',
        ' { "results" : [ ] , "task" : 0 , "read" : null, "tokens" : null, "call": null } ',
        '{"task": 123456789012345678901234567890, "results": [99999999999999999999]}',
        '{"results": [{"score": 1e400, "document": "x"}], "task": "t"}',
        '{"task": "t", "task": "u", "results": []}',
        '{"task": "t", "results": [{"document": "a", "score": 1E2, "z": [[[{}]]]}]}',
        '{"task": "t", "results": [{"document": "a", "score": -0.0}], "seconds": 1e-3}',
        '{"task": "t", "results": ["a"], "read": ["a", "a", "q"], "x": "\\u0000"}',
        '{"task": "t", "results": [-0]}',
    ],
)
def test_both_readers_read_the_same(line: str, tmp_path: Path) -> None:
    path = written(tmp_path, line + "\n")

    def outcome(read: Any) -> Any:
        try:
            return read(Source(path), None).to_dict()
        except InputError as error:
            return str(error)

    assert outcome(read_trace_lines) == outcome(_slowly)


@pytest.mark.parametrize(
    "names",
    [
        ("task_id", "call", "query", "chunk_id", "score", "read"),
        ("任务", "调用", "查询", "文档", "得分", "已读"),
        ("任务编号", "调用序号", "查询词", "分块编号", "分数", "是否已读"),
    ],
    ids=lambda one: one[0],
)
def test_columns_of_frames_are_found_by_usual_names(names: tuple[str, ...]) -> None:
    values = (["t", "t"], [2, 1], ["x", "y"], ["a", "b"], [1.0, 2.0], [True, False])
    frame = pl.DataFrame(dict(zip(names, values, strict=True)))
    first, second = Traces.from_frame(frame).calls("t")
    assert (first.query, first.documents, first.scores, first.read) == ("y", ("b",), (2.0,), ())
    assert second.read == ("a",)
    two = frame.with_columns(pl.lit("t").alias("任务 id"), pl.lit("t").alias("task-id"))
    with pytest.raises(InputError, match="could each be the task"):
        Traces.from_frame(two.drop(names[0]))


@pytest.mark.parametrize("value", ["false", "否", "yes", 2, 0.5])
def test_what_was_read_is_true_or_false(value: object) -> None:
    frame = pl.DataFrame({"task": ["t"], "document": ["a"], "read": [value]})
    with pytest.raises(InputError, match=r"task `t`: .* whether the document was read"):
        Traces.from_frame(frame)
