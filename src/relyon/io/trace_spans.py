"""Spans of OpenTelemetry in JSON: attributes, times, and the calls that they record."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from relyon.core.errors import ParseError
from relyon.core.texts import message

__all__ = ["Span", "calls_of_spans", "spans_in"]

DOCUMENT = re.compile(r"retrieval\.documents\.([0-9]{1,9})\.document\.(id|score|metadata)")
WHOLE = re.compile(r"-?[0-9]{1,300}")
#: Members of a document's metadata that may be its id, in this order.
IDS = ("id", "document_id", "doc_id", "chunk_id")
#: Numbers of tokens or nanoseconds are smaller.
LARGEST = 1e300
#: Operations of language models, whose tokens count.
MODELS = ("chat", "text_completion", "generate_content")
USAGE = ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens")
#: As they were called before.
OLD_USAGE = ("gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens")
COUNTS = ("llm.token_count.prompt", "llm.token_count.completion")


@dataclass(frozen=True)
class Span:
    """One span.

    Attributes:
        trace: The id of its trace.
        id: Its own id.
        parent: The id of the span above it; empty for none.
        attributes: Its attributes.
        resource: Those of its resource.
        start: When it began, in seconds; NaN if unknown.
        end: When it ended, likewise.
        line: Its line in the file.
    """

    trace: str
    id: str
    parent: str
    attributes: Mapping[str, object]
    resource: Mapping[str, object]
    start: float
    end: float
    line: int

    @property
    def kind(self) -> str:
        """The kind of OpenInference, in capitals."""
        return str(self.attributes.get("openinference.span.kind", "")).upper()

    @property
    def operation(self) -> str:
        """The operation of the conventions for generative AI."""
        return str(self.attributes.get("gen_ai.operation.name", ""))

    @property
    def is_call(self) -> bool:
        """Whether documents were retrieved."""
        return (
            self.kind == "RETRIEVER"
            or self.operation == "retrieval"
            or "gen_ai.retrieval.documents" in self.attributes
            or any(DOCUMENT.match(name) for name in self.attributes)
        )

    @property
    def tokens(self) -> float:
        """The tokens of a language model's span; NaN for others."""
        if self.kind != "LLM" and self.operation not in MODELS:
            return math.nan
        total = _number(self.attributes.get("llm.token_count.total"))
        for names in (USAGE, OLD_USAGE, COUNTS):
            known = [_number(self.attributes.get(name)) for name in names]
            known = [one for one in known if not math.isnan(one)]
            if known:
                return total if names == COUNTS and not math.isnan(total) else sum(known)
        return total


@dataclass
class _Task:
    """The calls of a task, and the spans of language models around them."""

    calls: list[Span] = field(default_factory=list)
    models: list[Span] = field(default_factory=list)


def spans_in(value: Mapping[str, object], path: str, line: int) -> Iterator[Span]:
    """Yields the spans of an OTLP export, or the one span that an object is.

    Raises:
        ParseError: If the object has neither `resourceSpans` nor the id of a trace, or a member is
            of another type.
    """
    resources = value.get("resourceSpans", value.get("resource_spans"))
    if resources is None:
        yield _span(value, {}, path, line)
        return
    for resource in _objects(resources, "resourceSpans", path, line):
        about = resource.get("resource")
        shared = _attributes(about.get("attributes"), path, line) if isinstance(about, dict) else {}
        scopes = resource.get("scopeSpans", resource.get("scope_spans"))
        if scopes is None:
            scopes = resource.get("instrumentationLibrarySpans", [])
        for scope in _objects(scopes, "scopeSpans", path, line):
            for span in _objects(scope.get("spans", []), "spans", path, line):
                yield _span(span, shared, path, line)


def calls_of_spans(
    spans: list[Span], attribute: str | None, path: str
) -> Iterator[tuple[str, dict[str, object], int]]:
    """Yields task, members and line of each call, in the order of tasks and calls.

    Args:
        spans: All spans.
        attribute: The attribute that names the task; `None` for the trace's id.
        path: The file, for messages.

    Raises:
        ParseError: If a call has no such attribute, or a document has no id.
    """
    names = _Names(attribute or "", {(span.trace, span.id): span for span in spans})
    tasks: dict[str, _Task] = {}
    for span in spans:
        call, model = span.is_call, not math.isnan(span.tokens)
        if not call and not model:
            continue
        task = span.trace if attribute is None else names.of(span)
        if task is None:
            if not call:
                continue  # a model that no call is near
            raise ParseError(
                message("io.span-lacks-attribute", attribute=attribute, span=span.id),
                path=path,
                line=span.line,
                hint=message("io.name-task-attribute"),
            )
        found = tasks.setdefault(task, _Task())
        (found.calls if call else found.models).append(span)
    for name, members in tasks.items():
        calls = sorted(members.calls, key=_began)
        times = list(map(_began, calls))
        tokens = [math.nan] * len(calls)
        for llm in members.models if calls else ():
            place = max(bisect_right(times, _began(llm)) - 1, 0)
            tokens[place] = llm.tokens + (0 if math.isnan(tokens[place]) else tokens[place])
        for one, used in zip(calls, tokens, strict=True):
            values = _members(one, path)
            if not math.isnan(used):
                values["tokens"] = used
            yield name, values, one.line


def _began(span: Span) -> float:
    return -math.inf if math.isnan(span.start) else span.start


def _members(span: Span, path: str) -> dict[str, object]:
    """Returns a call's query, results and seconds."""
    query = span.attributes.get("gen_ai.retrieval.query.text", span.attributes.get("input.value"))
    found: dict[str, object] = {"results": _results(span, path)}
    if query is not None:
        found["query"] = query if isinstance(query, str) else json.dumps(query, ensure_ascii=False)
    if span.end >= span.start:
        found["seconds"] = span.end - span.start
    return found


def _results(span: Span, path: str) -> list[dict[str, object]]:
    documents: dict[int, dict[str, object]] = {}
    for name, value in span.attributes.items():
        match = DOCUMENT.fullmatch(name)
        if match is not None:
            documents.setdefault(int(match[1]), {})[match[2]] = value
    listed: list[object] = [documents[number] for number in sorted(documents)]
    if not listed:
        given = span.attributes.get("gen_ai.retrieval.documents", [])
        if isinstance(given, str):
            given = _parsed(given)
        if not isinstance(given, list):
            raise ParseError(
                message("io.documents-are-no-list", span=span.id), path=path, line=span.line
            )
        listed = given
    results = []
    for place, one in enumerate(listed, 1):
        document = one.get("id") if isinstance(one, dict) else None
        if document is None and isinstance(one, dict):
            document = _id_in(one.get("metadata"))
        if document is None or not isinstance(one, dict):
            raise ParseError(
                message("io.span-document-lacks-id", place=place, span=span.id),
                path=path,
                line=span.line,
                hint=message("io.set-document-id"),
            )
        results.append({"document": document, "score": one.get("score")})
    return results


def _id_in(metadata: object) -> object:
    """Returns the id that metadata contains, as an object or as JSON text."""
    if isinstance(metadata, str):
        metadata = _parsed(metadata)
    if not isinstance(metadata, dict):
        return None
    return next((metadata[name] for name in IDS if metadata.get(name) not in (None, "")), None)


def _parsed(text: str) -> object:
    """Returns what JSON text contains; None if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


@dataclass
class _Names:
    """An attribute of each span, of one above it, or of its resource."""

    attribute: str
    above: Mapping[tuple[str, str], Span]
    _known: dict[tuple[str, str], str | None] = field(default_factory=dict)

    def of(self, span: Span) -> str | None:
        """Returns the attribute as text; None if it is nowhere."""
        found = self._above(span)
        if found is None and span.resource.get(self.attribute) is not None:
            found = str(span.resource[self.attribute])
        return found

    def _above(self, span: Span) -> str | None:
        """Returns the nearest attribute; each span is visited once, however deep they are."""
        found: str | None = None
        way: list[tuple[str, str]] = []
        one: Span | None = span
        while one is not None:
            place = (one.trace, one.id)
            if self.attribute in one.attributes:
                found = str(one.attributes[self.attribute])
                break
            if one is not span or one is self.above.get(place):
                if place in self._known:
                    found = self._known[place]
                    break
                self._known[place] = None  # also ends a circle
                way.append(place)
            one = self.above.get((one.trace, one.parent)) if one.parent else None
        self._known.update(dict.fromkeys(way, found))
        return found


def _span(
    value: Mapping[str, object], resource: Mapping[str, object], path: str, line: int
) -> Span:
    context = value.get("context")
    inside = context if isinstance(context, dict) else value
    trace = inside.get("traceId", inside.get("trace_id"))
    if not isinstance(trace, str) or not trace:
        raise ParseError(
            message("io.span-lacks-trace"), path=path, line=line, hint=message("io.form-of-spans")
        )
    parent = value.get("parentSpanId", value.get("parent_span_id", value.get("parent_id")))
    about = value.get("resource")
    if isinstance(about, dict):
        resource = _attributes(about.get("attributes"), path, line)
    return Span(
        trace,
        str(inside.get("spanId", inside.get("span_id", "")) or ""),
        str(parent or ""),
        _attributes(value.get("attributes"), path, line),
        resource,
        _time(value.get("startTimeUnixNano", value.get("start_time"))),
        _time(value.get("endTimeUnixNano", value.get("end_time"))),
        line,
    )


def _attributes(value: object, path: str, line: int) -> dict[str, object]:
    """Returns attributes by name: an object, or OTLP's list of `key` and `value`."""
    if value is None:
        return {}
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    found = {}
    for one in _objects(value, "attributes", path, line):
        found[str(one.get("key"))] = _plain(one.get("value"))
    return found


def _plain(value: object) -> object:
    """Returns what a value of OTLP contains."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    (kind, inside), *_ = value.items()
    if kind in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
        return inside
    if kind == "intValue":
        return int(inside) if isinstance(inside, str) and WHOLE.fullmatch(inside) else inside
    values = inside.get("values", []) if isinstance(inside, dict) else []
    if not isinstance(values, list):
        return value
    if kind == "arrayValue":
        return [_plain(one) for one in values]
    if kind == "kvlistValue":
        pairs = [one for one in values if isinstance(one, dict)]
        return {str(one.get("key")): _plain(one.get("value")) for one in pairs}
    return value


def _objects(value: object, member: str, path: str, line: int) -> list[dict[str, object]]:
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        return value
    raise ParseError(message("io.spans-are-no-list", member=member), path=path, line=line)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    return float(value) if abs(value) < LARGEST else math.nan


def _time(value: object) -> float:
    """Returns nanoseconds since 1970, or a time in ISO 8601, in seconds; NaN if unknown."""
    if isinstance(value, str) and not WHOLE.fullmatch(value):
        try:
            return datetime.fromisoformat(value).timestamp()
        except (ValueError, OverflowError, OSError):  # also years that the system does not know
            return math.nan
    number = _number(int(value) if isinstance(value, str) else value)
    return math.nan if math.isnan(number) or not number else number / 1e9
