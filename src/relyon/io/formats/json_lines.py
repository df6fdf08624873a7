"""JSON Lines: one object per line, one line per judgment or retrieved document.

Ids may be numbers: their text counts. Polars reads the file; if it fails, Python's own parser takes
over, which knows the line and reads integers of any length.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, ClassVar

from relyon import _native
from relyon.core.errors import InputError, ParseError
from relyon.core.texts import message
from relyon.data.columns import (
    NAMES,
    SAMPLE,
    Record,
    choose,
    plain_name,
    query_candidates,
    score_notes,
    synonyms_of,
)
from relyon.data.rank_order import ROWS, order_notes
from relyon.data.sheets import Sheet, join_rows
from relyon.io.byte_source import Source
from relyon.io.feature_rows import feature_frames
from relyon.io.format import Format, first_lines, formats
from relyon.io.formats.traces import is_calls, is_spans
from relyon.io.plain_text import read_text
from relyon.io.sheet_lines import is_judged, named_members, read_lines, write_lines
from relyon.io.sheets import PARTS, SheetFormat
from relyon.io.table_columns import Table, short_grades
from relyon.io.tabular import TabularFormat
from relyon.io.text_lines import Text
from relyon.io.text_rows import json_keys, json_objects

if TYPE_CHECKING:
    import polars as pl

    from relyon.core.notes import Note
    from relyon.data.judgments import Judgments
    from relyon.data.labelled import LabelledRows
    from relyon.data.run import Run
    from relyon.data.scale import Scale

__all__ = ["Jsonl"]


class Jsonl(TabularFormat, SheetFormat):
    """JSON Lines (also called NDJSON): one judgment, retrieved document or item per line."""

    name: ClassVar[str] = "jsonl"
    title: ClassVar[str] = "JSON Lines"
    suffix: ClassVar[str] = ".jsonl"
    general: ClassVar[bool] = True
    steady: ClassVar[bool] = True
    keeps: ClassVar[frozenset[str]] = frozenset(PARTS) - {"name"}
    aliases: ClassVar[tuple[str, ...]] = ("ndjson",)
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")

    def recognises(self, head: bytes) -> bool:
        """Whether the first line is an object with values that are not all objects."""
        row = _first(head)
        return bool(row) and not all(isinstance(value, dict) for value in row.values())

    def may_be(self, head: bytes) -> bool:
        """Whether the lines are not the calls of traces."""
        return not is_calls(head) and not is_spans(head)

    def is_sheet(self, head: bytes) -> bool:
        """Whether there are lists of ratings, or members for judges and grades."""
        return b'"ratings"' in head or is_judged(_first(head))

    def table(self, source: Source, kind: str, columns: Mapping[str, str] | None) -> Table:
        """Reads some keys of every object."""
        data = Text(source)
        chosen = _keys(data, kind, columns)

        def records() -> Iterator[Record]:
            for line, row in json_objects(data.lines(), data.path, numbers=str):
                fields = {role: row.get(name) for role, name in chosen.items()}
                for role, value in fields.items():
                    if fault := _fault(value):
                        raise ParseError(
                            message("io.role-fault", role=role, fault=fault),
                            path=source.path,
                            line=line,
                        )
                yield line, fields

        series = _fast(data, chosen)
        if series is None:
            series = _slow(records(), chosen)
        candidates: tuple[str, ...] = ()
        if kind == "scored" and "query" not in chosen:
            first = [
                row for _, row in islice(json_objects(data.lines(), data.path, numbers=str), SAMPLE)
            ]
            rest = [name for name in first[0] if name not in chosen.values()]
            candidates = query_candidates({name: [row.get(name) for row in first] for name in rest})
        return Table(series, source.path, records, candidates=candidates)

    def read_judgments(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
    ) -> Judgments:
        """Reads objects with query, document and grade; aggregates grades of several judges.

        If lines contain judges' ratings, items are read as `relyon judge export` writes them.
        """
        if not columns and self.is_sheet(source.head):
            return super().read_judgments(source, scale=scale)
        return self.table(source, "judgments", columns).judgments(scale)

    def stream_run(
        self,
        source: Source,
        judgments: _native.JudgmentTable,
        plan: _native.Plan,
        threads: int = 0,
    ) -> tuple[_native.Batch, tuple[Note, ...]] | None:
        """Streams a run whose lines have the usual form and are grouped by query."""
        if source.waiting:
            return None
        keys = _keys(Text(source), "run", None)
        notes = (*score_notes(keys), *_order(source, keys))
        with source:
            batch = _native.evaluate_json_lines(
                judgments,
                plan,
                source.path,
                None if source.plain else source.read,
                columns=keys,
                threads=threads,
            )
        return None if batch is None else (batch, notes)

    def read_sheet(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
    ) -> Sheet:
        """Reads items with all their members; judgments of subtopics, as their highest grades."""
        if {plain_name(name) for name in _first(source.head)} & {*NAMES["subtopic"]}:
            return Format.read_sheet(self, source, columns=columns, scale=scale)
        rows = read_lines(read_text(source), source.path, scale, columns)
        first = named_members(_first(source.head), columns)
        source.synonyms = synonyms_of(first, columns)
        return join_rows(Sheet(tuple(rows)), source.path)

    def parse(self, text: str, *, path: str, scale: Scale | None) -> Sheet:
        """Reads objects of an item's members, `ratings` and `final` (or `grade`)."""
        return Sheet(tuple(read_lines(text, path, scale)))

    def parts(self, sheet: Sheet) -> Iterator[str]:
        """Yields one line per item, without empty members."""
        return write_lines(sheet)

    def write_judgments(self, judgments: Judgments, stream: BinaryIO) -> None:
        """Writes objects with query, document and grade."""
        stream.write(short_grades(judgments).write_ndjson().encode())

    def write_run(self, run: Run, stream: BinaryIO) -> None:
        """Writes objects with query, document and score, and rank if the run has ranks."""
        stream.write(run.to_frame().write_ndjson().encode())

    def write_features(self, rows: LabelledRows, stream: BinaryIO) -> None:
        """Writes objects with query, document, label, weight, position, and the features."""
        for frame in feature_frames(rows):
            stream.write(frame.write_ndjson().encode())


def _order(source: Source, keys: Mapping[str, str]) -> tuple[Note, ...]:
    """Returns the note about scores that contradict the ranks, by the first lines of a run."""
    if not {"rank", "score"} <= keys.keys():
        return ()
    rows = []
    try:
        lines = Text(source).lines()
        for _, row in islice(json_objects(lines, source.path, numbers=str), ROWS):
            query, rank, score = (row.get(keys[role]) for role in ("query", "rank", "score"))
            if query is not None and rank is not None and score is not None:
                rows.append((query, float(str(rank)), float(str(score))))
    except (InputError, ValueError):  # the reader of all lines says so, with others before it
        return ()
    return order_notes(rows)


def _first(head: bytes) -> dict[str, object]:
    """Returns the first object of a file with this beginning, or an empty one."""
    lines = first_lines(head, comment=b"")
    if not lines or not lines[0].lstrip().startswith(b"{"):
        return {}
    try:
        return dict(json.loads(lines[0]))
    except (ValueError, RecursionError):
        return {}


def _keys(data: Text, kind: str, columns: Mapping[str, str] | None) -> dict[str, str]:
    """Assigns keys to roles, by the first object or as the caller says."""
    first = next(json_objects(data.lines(), data.path, numbers=str), None)
    if first is None:
        raise InputError(message("io.is-empty"), path=data.path)
    line = next(line for line in data.lines() if line.strip())
    chosen = choose(json_keys(line), kind, columns=columns, path=data.path)
    data.source.synonyms = synonyms_of(chosen, columns, kind=kind)
    return chosen


def _fault(value: object) -> str:
    """Returns the fault of a value, for a message."""
    if isinstance(value, dict | list):
        return "is not a single value"
    if isinstance(value, str) and any("\ud800" <= letter <= "\udfff" for letter in value):
        return "contains half of a surrogate pair"
    return ""


def _fast(data: Text, chosen: Mapping[str, str]) -> dict[str, pl.Series] | None:
    """Reads with Polars; None if it cannot, or if a value is missing or may be nested."""
    import io

    import polars as pl

    schema = dict.fromkeys(chosen.values(), pl.String)
    try:
        frame = pl.read_ndjson(io.BytesIO(data.whole()), schema=schema)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError):
        return None
    columns = {role: frame.get_column(name) for role, name in chosen.items()}
    # Nested values arrive as JSON text, which may also be an id, and lone surrogates as zeros:
    # check more closely.
    suspect = any(
        column.null_count() or bool(column.str.contains(r"^[\[{]|\x00").any())
        for column in columns.values()
    )
    return None if suspect else columns


def _slow(records: Iterator[Record], chosen: Mapping[str, str]) -> dict[str, pl.Series]:
    """Reads row by row."""
    import polars as pl

    values: dict[str, list[str | None]] = {role: [] for role in chosen}
    for _, fields in records:
        for role, listed in values.items():
            value = fields[role]
            listed.append(None if value is None else str(value))
    return {
        role: pl.Series(chosen[role], listed, dtype=pl.String) for role, listed in values.items()
    }


formats.register(Jsonl())
