"""Reading and writing traces: what agents searched for, call by call."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, BinaryIO

from relyon import _native
from relyon.core.errors import InputError
from relyon.core.parameters import check_choice, check_path, check_type
from relyon.core.texts import message
from relyon.io.byte_source import Source
from relyon.io.format import formats
from relyon.io.readers import opened, read_run
from relyon.io.writers import replace_file

if TYPE_CHECKING:
    from relyon.data.run import Run
    from relyon.data.traces import Traces

__all__ = ["read_lists", "read_trace_lines", "read_traces", "trace_lines", "write_traces"]

#: What `columns` may name in a file of traces.
ROLES = ("task",)


def read_traces(
    source: object,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    name: str | None = None,
    encoding: str | None = None,
) -> Traces:
    """Reads traces from a file, frame or object.

    Two kinds of files are recognised by their content:

    - JSON Lines, one call per line, or JSON with a list of calls: `task` (the id that judgments
      know) and `results`, a list of objects with `document` and perhaps `score`, `start` and `end`
      (characters in the document), or of ids; and perhaps `call` (the number of the call within its
      task), `query` (the text that was sent), `read` (the documents that were then read), `tokens`
      and `seconds`. Lines may be in any order: calls are sorted by `call`; without it they count as
      they are written. Either all calls of a task have a number, or none. Only the order of the
      numbers matters: calls count from 1. Either all results of a call have a score, or none:
      then they count as they are written. Other members are ignored.
    - OpenTelemetry in JSON: an OTLP export (`resourceSpans`), one or one per line, or one span per
      line. A call is a span whose `openinference.span.kind` is `RETRIEVER`, whose
      `gen_ai.operation.name` is `retrieval`, or that has documents: `retrieval.documents.N.
      document.id` and `.score` (without an id, `id`, `document_id`, `doc_id` or `chunk_id` of
      `.metadata`), or `gen_ai.retrieval.documents`. Its query is `gen_ai.retrieval.query.text` or
      `input.value`, its seconds are from its start to its end. Calls are in the order in which they
      began. The tokens of spans of language models (kind `LLM`; operation `chat`,
      `text_completion` or `generate_content`) are `gen_ai.usage.input_tokens` and
      `.output_tokens`, or `llm.token_count.total` (`.prompt` and `.completion`); they count with
      the last call of the task that began before them, and before the first call with that. The
      task is the trace's id, or the attribute that `columns` names, of the span, a span above it,
      or the resource.

    Args:
        source: A path ("-" for standard input), an open binary file, a mapping {task: [call, …]}, a
            data frame (see `Traces.from_frame`), or a run, whose queries become tasks with one
            call. `Traces` are returned as they are.
        format: `traces`, `opentelemetry`, or a format of runs; None recognises it.
        columns: For OpenTelemetry the attribute that names the task, such as
            ``{"task": "session.id"}``; for a data frame the columns by role.
        name: The name in results; None takes the file's name.
        encoding: The encoding of a text file; see `read_run`.

    Raises:
        InputError: If the data cannot be used; the message names the file and the line.
        UnknownNameError: If there is no format or encoding of that name.

    Examples:
        >>> import relyon
        >>> call = {"query": "colour of the sky", "results": ["d1", "d2"], "read": ["d2"]}
        >>> relyon.read_traces({"t1": [call]}).calls("t1")[0].read
        ('d2',)
    """
    from relyon.data.run import Run, run_name
    from relyon.data.traces import Traces

    if isinstance(source, Traces):
        return source
    if isinstance(source, Run):
        return Traces.from_run(source)
    found = opened(source, "traces", format=format, columns=columns, encoding=encoding)
    if found is not None:
        title = name or run_name(found)
        chosen = formats.get(found.format)
        if "traces" not in chosen.kinds and "run" in chosen.kinds:
            run = chosen.read_run(found, columns=columns, name=title)
            return Traces.from_run(run.with_notes(found.notes))
        for role in columns or ():
            check_choice("columns", role, ROLES)
        result = chosen.read_traces(found, columns=columns, name=title)
        return result.with_notes(found.notes) if found.notes else result
    from relyon.data.columns import is_frame

    if isinstance(source, Mapping):
        return Traces.from_dict(source, name=name)
    if is_frame(source):
        return Traces.from_frame(source, columns, name=name)
    raise InputError(
        message("io.cannot-read-what", what="traces", name=type(source).__name__),
        hint=message("io.give-traces"),
    )


def read_lists(
    source: object, *, columns: Mapping[str, str] | None = None, name: str | None = None
) -> Run | Traces:
    """Reads traces where they are recognised, and anything else as a run.

    Args:
        source: `Traces`, or what `read_run` takes; a file of traces is recognised by its content.
        columns: Column names by role, for tables.
        name: The name in results; None takes the file's name.

    Raises:
        InputError: If the data cannot be used.
    """
    from relyon.data.traces import Traces

    if isinstance(source, Traces):
        return source
    found = opened(source, "run", columns=columns)
    if found is None:
        return read_run(source, columns=columns, name=name)
    if "traces" in formats.get(found.format).kinds:
        return read_traces(found, name=name)
    return read_run(found, columns=columns, name=name)


def write_traces(traces: Traces, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Writes traces as JSON Lines, one call per line, compressed as in `write_judgments`.

    Args:
        traces: The traces.
        path: The file; "-" for standard output. The file appears once it is complete.
        overwrite: Replaces an existing file.

    Raises:
        InputError: If the file exists, or cannot be written.

    Examples:
        >>> import relyon
        >>> traces = relyon.Traces.from_dict({"t1": [{"query": "sky", "results": ["d1"]}]})
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     relyon.write_traces(traces, f"{folder}/agent.jsonl")
        ...     print(Path(folder, "agent.jsonl").read_text())
        {"task": "t1", "call": 1, "query": "sky", "results": ["d1"]}
        <BLANKLINE>
    """
    from relyon.data.traces import Traces

    check_type("traces", traces, Traces, "Traces")
    target = check_path("path", path)
    replace_file(target, lambda stream: trace_lines(traces, stream), overwrite)


def trace_lines(traces: Traces, stream: BinaryIO) -> None:
    """Writes one call per line."""
    from relyon.io.json_members import write_json

    for task in traces.tasks:
        for number, call in enumerate(traces.calls(task), 1):
            line = write_json({"task": task, "call": number, **call.to_dict()})
            stream.write(line.encode("utf-8", "surrogateescape") + b"\n")


def read_trace_lines(source: Source, name: str | None) -> Traces:
    """Reads JSON Lines natively, or, where a line is unusual or wrong, with Python's own parser.

    A file may also be one list of calls.

    Raises:
        InputError: If a line cannot be used.
    """
    from relyon.data.traces import Traces
    from relyon.io.json_members import is_array

    if is_array(source.head):
        return _listed(source, name)
    lines = None
    if not source.plain:
        source.keep()
        lines = source.read_all()
    table = _native.TraceTable.from_lines(source.path, lines)
    if table is not None and len(table):
        return Traces(table, name=name, source=source.path)
    return _slowly(source, name)


def _listed(source: Source, name: str | None) -> Traces:
    from relyon.data.trace_columns import TraceColumns
    from relyon.data.traces import Traces
    from relyon.io.json_members import listing, mapping, parse_json
    from relyon.io.plain_text import read_text

    columns = TraceColumns(source.path)
    calls = listing(parse_json(read_text(source), source.path), "the file", source.path)
    for number, one in enumerate(calls, 1):
        call = mapping(one, f"row {number}", source.path)
        columns.add(call.get("task"), call)
    return Traces.of(columns, name=name, source=source.path)


def _slowly(source: Source, name: str | None) -> Traces:
    from relyon.data.trace_columns import TraceColumns
    from relyon.data.traces import Traces
    from relyon.io.text_lines import Text
    from relyon.io.text_rows import json_objects

    columns = TraceColumns(source.path)
    for number, call in json_objects(Text(source).lines(), source.path):
        columns.add(call.get("task"), call, line=number)
    return Traces.of(columns, name=name, source=source.path)
