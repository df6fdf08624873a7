"""Traces of agents: JSON Lines of calls, and spans of OpenTelemetry."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, BinaryIO, ClassVar

from relyon.core.errors import ParseError
from relyon.core.texts import message
from relyon.io.byte_source import Source
from relyon.io.format import Format, first_lines, formats
from relyon.io.json_members import has_member, is_array

if TYPE_CHECKING:
    from relyon.data.run import Run
    from relyon.data.traces import Traces

__all__ = ["OpenTelemetry", "TraceLines", "is_calls", "is_spans"]


class _Traces(Format):
    """Shared by formats of traces: one with one call per task is also a run."""

    def read_run(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        name: str | None = None,
    ) -> Run:
        """Reads traces with one call per task; each task is a query."""
        return self.read_traces(source, columns=columns, name=name).run()


class TraceLines(_Traces):
    """Calls in JSON, one per line or a list: `task`, `call`, `query`, `results`, `read` …"""

    name: ClassVar[str] = "traces"
    aliases: ClassVar[tuple[str, ...]] = ("trace",)
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")

    def may_be(self, head: bytes) -> bool:
        """Whether the first call has a task and a list of results."""
        return is_calls(head)

    def recognises(self, head: bytes) -> bool:
        """Whether the first call has a task and a list of results."""
        return is_calls(head)

    def read_traces(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        name: str | None = None,
    ) -> Traces:
        """Reads one call per line, or a list of calls."""
        from relyon.io.traces import read_trace_lines

        return read_trace_lines(source, name)

    def write_run(self, run: Run, stream: BinaryIO) -> None:
        """Writes each query as a task with one call."""
        from relyon.data.traces import Traces
        from relyon.io.traces import trace_lines

        trace_lines(Traces.from_run(run), stream)


class OpenTelemetry(_Traces):
    """Spans in JSON: OTLP exports, one or one per line, or one span per line."""

    name: ClassVar[str] = "opentelemetry"
    tabular: ClassVar[bool] = True
    aliases: ClassVar[tuple[str, ...]] = ("otel", "otlp")
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")

    def may_be(self, head: bytes) -> bool:
        """Whether the file begins with an export or a span."""
        return is_spans(head)

    def recognises(self, head: bytes) -> bool:
        """Whether the file begins with an export or a span."""
        return is_spans(head)

    def read_traces(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        name: str | None = None,
    ) -> Traces:
        """Reads the spans of retrievals, and the tokens of language models."""
        from relyon.data.trace_columns import TraceColumns
        from relyon.data.traces import Traces
        from relyon.io.text_rows import json_object
        from relyon.io.trace_spans import Span, calls_of_spans, spans_in

        data = source.read_all().removeprefix(b"\xef\xbb\xbf")
        spans: list[Span] = []
        try:
            whole = json.loads(data)
        except (ValueError, RecursionError):
            whole = None  # one object per line, or an error in one of them
        if whole is not None:
            for one in whole if isinstance(whole, list) else [whole]:
                if not isinstance(one, dict):
                    raise ParseError(
                        message("io.expected-object", name=type(one).__name__),
                        path=source.path,
                        line=1,
                    )
                spans += spans_in(one, source.path, 1)
        else:
            for number, line in enumerate(data.split(b"\n"), 1):
                if line.strip():
                    spans += spans_in(json_object(line, source.path, number), source.path, number)
        columns_of_calls = TraceColumns(source.path)
        attribute = (columns or {}).get("task")
        for task, members, where in calls_of_spans(spans, attribute, source.path):
            columns_of_calls.add(task, members, line=where)
        return Traces.of(columns_of_calls, name=name, source=source.path)


def is_calls(head: bytes) -> bool:
    """Whether a file with this beginning has one call per line, or is a list of calls.

    Examples:
        >>> is_calls(b'{"task": "t1", "results": ["d1"]}')
        True
        >>> is_calls(b'{"query": "q1", "document": "d1", "score": 1}')
        False
    """
    if is_array(head):
        first = head
    else:
        lines = first_lines(head, comment=b"")
        if not lines or not lines[0].lstrip().startswith(b"{"):
            return False
        first = lines[0]
    return has_member(first, "results", "[") and any(
        has_member(first, "task", sign) for sign in ['"', *"-0123456789"]
    )


def is_spans(head: bytes) -> bool:
    """Whether a file with this beginning contains spans of OpenTelemetry.

    Examples:
        >>> is_spans(b'{"resourceSpans": []}'), is_spans(b'{"traceId": "5b8e", "spanId": "1"}')
        (True, True)
    """
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] not in (b"{", b"["):
        return False
    if has_member(text, "resourceSpans", "[") or has_member(text, "resource_spans", "["):
        return True
    return any(
        has_member(text, trace, '"') and has_member(text, span, '"')
        for trace, span in (("traceId", "spanId"), ("trace_id", "span_id"))
    )


formats.register(TraceLines())
formats.register(OpenTelemetry())
