"""Traces whose results have places in documents: each result is a chunk."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.chunks import Chunks
from relyon.data.parts import Part
from relyon.data.passage_rows import Faults, part_of_row, text_of
from relyon.data.trace_columns import TraceColumns
from relyon.data.traces import Traces

__all__ = ["read_traced_chunks"]

#: More lines than any file has.
MOST = 1 << 62


def read_traced_chunks(
    source: str | os.PathLike[str] | Mapping[str, Sequence[Mapping[str, object]]],
    *,
    name: str | None = None,
) -> tuple[Traces, Chunks]:
    """Reads traces in which results have a document, start and end, as traces of chunks.

    Each result becomes a chunk, whose id is its document and place, such as `d1:700-1500`; a call
    can return several chunks of a document. With the table of these chunks, judgments of passages
    measure the traces. A document that was read counts as read in all its chunks of that call.

    Args:
        source: A JSON Lines file of traces, or {task: [call, …]} as for `Traces.from_dict`.
        name: The name in results.

    Raises:
        InputError: If a result has no place, or the traces cannot be used; the message names the
            file and the line.

    Examples:
        >>> import relyon
        >>> places = ((0, 20), (20, 60))
        >>> results = [{"document": "d", "start": start, "end": end} for start, end in places]
        >>> traces, chunks = read_traced_chunks({"t": [{"results": results}]})
        >>> traces.calls("t")[0].documents
        ('d:0-20', 'd:20-60')
        >>> judgments = relyon.Passages.from_dict({"t": [("d", 30, 40)]}).judgments(chunks)
        >>> relyon.evaluate(judgments, traces, "span_recall@2")["span_recall@2"]
        1.0
    """
    path = "" if isinstance(source, Mapping) else os.fspath(source)
    columns = TraceColumns(path)
    parts: dict[str, Part] = {}
    faults = Faults(path, range(1, MOST) if path else ())
    for number, task, call in _calls(source, path):
        found = _with_chunks(call, number - 1, faults, parts)
        columns.add(task, found, line=number if path else 0)
    traces = Traces.of(columns, name=name, source=path or "memory")
    return traces, Chunks(parts, source=path or "memory")


def _calls(
    source: str | os.PathLike[str] | Mapping[str, Sequence[Mapping[str, object]]], path: str
) -> Iterator[tuple[int, object, Mapping[str, object]]]:
    if isinstance(source, Mapping):
        pairs = ((task, call) for task, calls in source.items() for call in calls)
        for number, (task, call) in enumerate(pairs, 1):
            yield number, task, call
        return
    from relyon.io.byte_source import Source
    from relyon.io.text_lines import Text
    from relyon.io.text_rows import json_objects

    for number, call in json_objects(Text(Source(path)).lines(), path):
        yield number, call.get("task"), call


def _with_chunks(
    call: Mapping[str, object], number: int, faults: Faults, parts: dict[str, Part]
) -> dict[str, object]:
    """Returns a call whose results are chunks."""
    results = call.get("results")
    if not isinstance(results, list | tuple):
        return dict(call)  # it is refused where calls are read
    changed: list[dict[str, object]] = []
    own: dict[str, list[str]] = {}
    for one in results:
        if not isinstance(one, Mapping):
            raise _no_place(number, faults)
        document = text_of(one, "document", number, faults)
        part = part_of_row(one, document, number, faults)
        if part is None:
            raise _no_place(number, faults)
        chunk = f"{document}:{part.start}-{part.end}"
        if parts.setdefault(chunk, part) != part:  # `a:0-5` may be a document, too
            raise faults.error(number, message("data.chunk-has-two-places", chunk=chunk))
        own.setdefault(document, []).append(chunk)
        changed.append({"document": chunk, "score": one.get("score")})
    read = call.get("read")
    if isinstance(read, list | tuple):
        read = [chunk for one in read for chunk in own.get(str(one), [one])]
    return {**call, "results": changed, "read": read}


def _no_place(number: int, faults: Faults) -> InputError:
    problem = message("io.result-has-no-place")
    return faults.error(number, problem, message("io.give-results-places"))
