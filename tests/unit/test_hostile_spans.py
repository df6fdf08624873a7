"""Spans of OpenTelemetry as nobody should write them: errors or values, never a crash or a wait."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

import relyon

DEEP = "[" * 3000 + "]" * 3000


def span(attributes: Mapping[str, object], **more: object) -> dict[str, Any]:
    """Returns a span of a retrieval."""
    usual = {"openinference.span.kind": "RETRIEVER", "retrieval.documents.0.document.id": "d1"}
    return {"traceId": "t", "spanId": "1", "attributes": {**usual, **attributes}, **more}


def read(path: Path, *spans: Mapping[str, object], task: str = "") -> relyon.Traces:
    """Returns the traces of spans."""
    path.write_text("".join(json.dumps(one) + "\n" for one in spans), "utf-8")
    return relyon.read_traces(path, columns={"task": task} if task else None)


@pytest.mark.parametrize(
    ("attributes", "more"),
    [
        ({"x": {"intValue": "²"}}, {}),
        ({"x": {"intValue": "--5"}}, {}),
        ({"x": {"intValue": "9" * 5000}}, {}),
        ({"x": {"arrayValue": {"values": 5}}}, {}),
        ({"x": {"arrayValue": {"values": None}}}, {}),
        ({"x": {"kvlistValue": {"values": [1, {"key": 2}]}}}, {}),
        ({"x": {"kvlistValue": {"values": {"key": 1}}}}, {}),
        ({"llm.token_count.total": 10**400}, {}),
        ({f"retrieval.documents.{'9' * 5000}.document.id": "d2"}, {}),
        ({"retrieval.documents.0.document.metadata": DEEP}, {}),
        ({}, {"startTimeUnixNano": "²", "endTimeUnixNano": "1"}),
        ({}, {"startTimeUnixNano": "9" * 5000, "endTimeUnixNano": 10**400}),
        ({}, {"start_time": "0001-01-01", "end_time": "9999-12-31T23:59:59"}),
    ],
    ids=[
        "digit", "signs", "long", "no-list", "null", "no-pairs", "object", "tokens", "number",
        "metadata", "time", "times", "years",
    ],
)  # fmt: skip
def test_strange_values_are_left_out(
    attributes: dict[str, object], more: dict[str, object], tmp_path: Path
) -> None:
    traces = read(tmp_path / "spans.jsonl", span(attributes, **more))
    assert list(traces.calls("t")[0].documents) == ["d1"]


def test_documents_that_are_too_deep_are_an_error_with_the_line(tmp_path: Path) -> None:
    bad = {"traceId": "t", "spanId": "1", "attributes": {"gen_ai.retrieval.documents": DEEP}}
    with pytest.raises(relyon.ParseError, match=r"spans\.jsonl:2: ") as told:
        read(tmp_path / "spans.jsonl", span({}), bad)
    assert told.value.line == 2


def test_a_file_that_is_too_deep_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text(json.dumps(span({})) + "\n" + '{"traceId": ' + DEEP, "utf-8")
    with pytest.raises(relyon.ParseError, match=r"deep\.json:2: "):
        relyon.read_traces(path, format="opentelemetry")


def test_the_nearest_attribute_above_names_the_task(tmp_path: Path) -> None:
    """Also above spans that were visited before, and where parents form a circle."""
    spans = [
        {"traceId": "t", "spanId": "a", "attributes": {"session.id": "s1"}},
        {"traceId": "t", "spanId": "b", "parentSpanId": "a", "attributes": {}},
        span({}, spanId="c", parentSpanId="b"),
        span({}, spanId="d", parentSpanId="c"),
        span({"session.id": "s2"}, spanId="e", parentSpanId="c"),
        span({}, spanId="f", parentSpanId="e"),
    ]
    traces = read(tmp_path / "spans.jsonl", *spans, task="session.id")
    assert {one: len(traces.calls(one)) for one in traces.tasks} == {"s1": 2, "s2": 2}
    circle = [span({}, spanId="a", parentSpanId="b"), span({}, spanId="b", parentSpanId="a")]
    with pytest.raises(relyon.ParseError, match=r"session\.id"):
        read(tmp_path / "circle.jsonl", *circle, task="session.id")


@pytest.mark.long
def test_deep_and_long_traces_take_time_in_proportion(tmp_path: Path) -> None:
    """A chain of spans, and as many calls as spans of models: each was a square before."""
    count = 20_000
    chain = [span({}, spanId=str(n), parentSpanId=str(n - 1)) for n in range(1, count)]
    chain.insert(0, {"traceId": "t", "spanId": "0", "attributes": {"session.id": "s"}})
    times = range(10**9, 10**9 + count)
    calls = [span({}, spanId=f"c{n}", startTimeUnixNano=str(n)) for n in times]
    used = {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 1}
    models = [
        {"traceId": "t", "spanId": f"m{n}", "startTimeUnixNano": str(n), "attributes": used}
        for n in times
    ]
    start = perf_counter()
    deep = read(tmp_path / "deep.jsonl", *chain, task="session.id")
    long = read(tmp_path / "long.jsonl", *calls, *models)
    assert len(deep.calls("s")) == count - 1
    assert {one.tokens for one in long.calls("t")} == {1}
    assert perf_counter() - start < 30


@pytest.mark.parametrize("form", ["spans", "calls"])
def test_a_query_cut_within_a_character_is_read(form: str, tmp_path: Path) -> None:
    call = {"task": "t", "query": "sky \ud83d", "results": ["d1"]}
    row = call if form == "calls" else span({"input.value": "sky \ud83d"})
    traces = read(tmp_path / "rows.jsonl", row)
    assert traces.calls("t")[0].query == "sky \ufffd"
    relyon.write_traces(traces, tmp_path / "again.jsonl")
    assert relyon.read_traces(tmp_path / "again.jsonl").calls("t")[0].query == "sky \ufffd"
