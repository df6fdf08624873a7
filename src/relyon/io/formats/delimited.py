"""CSV and TSV: a header with column names, quoted fields, separated by `,` `;` tab or `|`.

Polars reads the file. Python's own reader reads it again only if something looks wrong, to find the
line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, ClassVar, NamedTuple

from relyon import _native
from relyon.core.cells import APOSTROPHE, csv_frame, show_texts
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
from relyon.data.rank_order import rank_notes
from relyon.data.sheets import Sheet, join_rows
from relyon.io.byte_source import HEAD, Source
from relyon.io.decimal_commas import (
    comma_columns,
    decimal_note,
    is_number_role,
    pointed,
    with_points,
)
from relyon.io.encoding import not_utf8
from relyon.io.feature_rows import feature_frames
from relyon.io.format import Format, first_lines, formats
from relyon.io.grading_sheets import GradingRows
from relyon.io.header import check_header, headerless, is_data, is_numbered
from relyon.io.plain_text import read_text
from relyon.io.sheet_tables import (
    ITEM_COLUMNS,
    RATING_COLUMNS,
    has_judges,
    headings,
    is_quepid_case,
    read_rows,
    show_rows,
    write_rows,
)
from relyon.io.sheets import SheetFormat
from relyon.io.table_columns import Table, short_grades
from relyon.io.tabular import TabularFormat
from relyon.io.text_lines import Text
from relyon.io.text_rows import csv_rows, separator_of

if TYPE_CHECKING:
    import polars as pl

    from relyon.core.notes import Note
    from relyon.data.judgments import Judgments
    from relyon.data.labelled import LabelledRows
    from relyon.data.run import Run
    from relyon.data.scale import Scale

__all__ = ["Csv", "Delimited", "Tsv"]


class Delimited(TabularFormat):
    """A table whose bytes are fields between separators: a text, or the sheet of a workbook."""

    separators: ClassVar[str] = ","

    def is_sheet(self, head: bytes) -> bool:
        """Whether there are columns of judges and of grades."""
        return has_judges(head, self._separator(head))

    def separator(self, header: str) -> str:
        """The separator that occurs most often in the header."""
        return separator_of(header, self.separators)

    def read_judgments(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
    ) -> Judgments:
        """Reads a query, a document and a grade column, and a subtopic column if there is one.

        Grades of several judges are aggregated.
        """
        if not columns and self.is_sheet(source.head):
            from relyon.io.graded_items import judgments_of

            return judgments_of(self.read_sheet(source, scale=scale), scale, source.path)
        return self.table(source, "judgments", columns).judgments(scale)

    def read_sheet(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
    ) -> Sheet:
        """Reads items with all their columns; judgments of subtopics, as their highest grades."""
        names = headings(source.head, self._separator(source.head))
        if {plain_name(name) for name in names} & {*NAMES["subtopic"]}:
            return Format.read_sheet(self, source, columns=columns, scale=scale)
        separator = self._separator(source.head)
        grading = GradingRows()
        shown = show_rows(read_text(source), source.path, separator, grading)
        rows = tuple(read_rows(shown, source.path, scale, given=columns, source=source))
        return join_rows(Sheet(rows, sent=grading.sent), source.path)

    def write_judgments(self, judgments: Judgments, stream: BinaryIO) -> None:
        """Writes the columns query, document and grade, and subtopic if there are subtopics."""
        self._write(short_grades(judgments), stream)

    def write_run(self, run: Run, stream: BinaryIO) -> None:
        """Writes the columns query, document and score, and rank if the run has ranks."""
        self._write(run.to_frame(), stream)

    def _write(self, frame: pl.DataFrame, stream: BinaryIO) -> None:
        stream.write(csv_frame(frame, separator=self.separators[0]).encode())

    def stream_run(
        self,
        source: Source,
        judgments: _native.JudgmentTable,
        plan: _native.Plan,
        threads: int = 0,
    ) -> tuple[_native.Batch, tuple[Note, ...]] | None:
        """Streams a run whose rows have the usual form and are grouped by query."""
        if source.waiting:
            return None
        layout = self._layout(source, Text(source), "run", None)
        with source:
            batch = _native.evaluate_delimited(
                judgments,
                plan,
                source.path,
                None if source.plain else source.read,
                separator=layout.separator,
                width=layout.width,
                columns=layout.position,
                threads=threads,
            )
        if batch is None:
            return None
        order = rank_notes(source.head, layout.position, layout.separator, int(layout.has_header))
        return batch, (*score_notes(layout.position), *order)

    def table(self, source: Source, kind: str, columns: Mapping[str, str] | None) -> Table:
        """Reads some columns of every row."""
        data = Text(source)
        layout = self._layout(source, data, kind, columns)

        def records() -> Iterator[Record]:
            return _records(data, layout)

        series = _fast(data, layout)
        if series is None:
            series = _slow(records(), layout.position)
        series, commas = _pointed(series, layout, data)
        named = {role: column.alias(layout.chosen[role]) for role, column in series.items()}
        candidates: tuple[str, ...] = ()
        if kind == "scored" and "query" not in layout.chosen:
            candidates = _candidates(data, layout)
        if not commas:
            return Table(named, source.path, records, candidates=candidates)
        note = decimal_note(source.path, [layout.chosen[role] for role in commas])
        return Table(
            named,
            source.path,
            lambda: ((line, pointed(fields, commas)) for line, fields in records()),
            (note,),
            candidates,
        )

    def _layout(
        self, source: Source, data: Text, kind: str, columns: Mapping[str, str] | None
    ) -> _Layout:
        """Assigns the fields of a row to roles, by the first row or as the caller says."""
        if len(source.head) >= HEAD and len(source.head.strip().splitlines()) == 1:
            # Reading on could exhaust memory, and these cannot be column names.
            raise ParseError(
                message("io.first-line-is-longer"),
                path=source.path,
                line=1,
                hint=message("io.should-contain-column-names"),
            )
        header, separator = self._header(source, data)
        names, has_header = header, True
        given = dict(columns or {})
        by_place = all(str(name).isdecimal() for name in given.values())
        if (
            given
            and by_place
            and not (
                all(name in header for name in given.values())
                and (is_numbered(header) or not is_data(header, _below(data, separator)))
            )
        ):
            names, has_header = [str(number + 1) for number in range(len(header))], False
            given = {role: str(name) for role, name in given.items()}
        try:
            chosen = choose(names, kind, columns=given, path=source.path)
        except InputError:
            if has_header and is_data(header, _below(data, separator)):
                raise headerless(header, kind, source.path) from None
            raise
        source.synonyms = synonyms_of(chosen, given, kind=kind)
        if has_header:
            check_header(header, _below(data, separator), chosen, kind, source.path)
        position = {role: names.index(name) for role, name in chosen.items()}
        return _Layout(separator, len(header), has_header, chosen, position)

    def _separator(self, head: bytes) -> str:
        line = b"".join(first_lines(head, comment=b"")).decode("utf-8", "replace")
        return self.separator(line)

    def _header(self, source: Source, data: Text) -> tuple[list[str], str]:
        separator = self._separator(source.head)
        for _, fields in _rows(data, separator):
            return [APOSTROPHE.show(field.strip()) for field in fields], separator
        raise InputError(message("io.is-empty"), path=source.path)


class _Layout(NamedTuple):
    """The roles of a row's fields.

    Attributes:
        separator: The field separator.
        width: The number of fields per row.
        has_header: Whether the first row names the columns.
        chosen: The columns' names by role.
        position: Their indices by role, from 0.
    """

    separator: str
    width: int
    has_header: bool
    chosen: dict[str, str]
    position: dict[str, int]


class Csv(Delimited, SheetFormat):
    """Comma-separated values; the header may also use semicolons, tabs or bars.

    With several lines per item, one per judge, it reads the columns that `relyon judge export`
    writes.
    """

    name: ClassVar[str] = "csv"
    title: ClassVar[str] = "CSV"
    suffix: ClassVar[str] = ".csv"
    suffixes: ClassVar[tuple[str, ...]] = (".csv",)
    separators: ClassVar[str] = ",;\t|"
    general: ClassVar[bool] = True
    steady: ClassVar[bool] = True
    keeps: ClassVar[frozenset[str]] = frozenset(
        {*ITEM_COLUMNS, *RATING_COLUMNS, "query_id", "ratings", "final", "final_source", "ungraded"}
    )

    def recognises(self, head: bytes) -> bool:
        """Whether the first line has a comma or semicolon between words."""
        lines = first_lines(head, comment=b"")
        if not lines or lines[0].lstrip()[:1] in (b"{", b"["):
            return False
        return any(mark.encode() in lines[0] for mark in self.separators if mark != "|")

    def may_be(self, head: bytes) -> bool:
        """Whether the headings differ from those of a Quepid case."""
        return not is_quepid_case(head)

    def parse(self, text: str, *, path: str, scale: Scale | None) -> Sheet:
        """Reads columns by their usual names; columns of other names become further fields."""
        separator = self._separator(text[:HEAD].encode("utf-8", "surrogatepass"))
        return Sheet(tuple(read_rows(show_rows(text, path, separator), path, scale)))

    def parts(self, sheet: Sheet) -> Iterator[str]:
        """Yields one line per rating; an item without ratings has one line, too."""
        return write_rows(sheet, self.separators[0])

    def write_features(self, rows: LabelledRows, stream: BinaryIO) -> None:
        """Writes the columns query, document, label, weight and position, and those of features."""
        head = b""
        for frame in feature_frames(rows):
            text = csv_frame(frame, separator=self.separators[0]).encode()
            stream.write(text.removeprefix(head))
            head = head or csv_frame(frame.clear(), separator=self.separators[0]).encode()


class Tsv(Csv):
    """Tab-separated values."""

    name: ClassVar[str] = "tsv"
    title: ClassVar[str] = "TSV"
    suffix: ClassVar[str] = ".tsv"
    suffixes: ClassVar[tuple[str, ...]] = ()
    weak_suffixes: ClassVar[tuple[str, ...]] = (".tsv", ".tab")
    separators: ClassVar[str] = "\t"

    def recognises(self, head: bytes) -> bool:
        """Whether the first line contains a tab."""
        lines = first_lines(head, comment=b"")
        return bool(lines) and b"\t" in lines[0] and lines[0].lstrip()[:1] not in (b"{", b"[")

    def may_be(self, head: bytes) -> bool:
        """Always true, regardless of the headings."""
        return True


def _lines(data: Text) -> Iterator[str]:
    """Yields line after line, decoded."""
    place = 0
    try:
        for line in data.lines():
            place += 1
            yield line.decode()
    except UnicodeDecodeError as error:
        raise not_utf8(error.object, data.path, place, error.reason) from None


def _rows(data: Text, separator: str) -> Iterator[tuple[int, list[str]]]:
    return csv_rows(_lines(data), data.path, separator)


def _below(data: Text, separator: str) -> Iterator[list[str]]:
    """Every row below the first."""
    return (fields for _, fields in islice(_rows(data, separator), 1, None))


def _candidates(data: Text, layout: _Layout) -> tuple[str, ...]:
    """Returns the columns without a role that could be that of queries."""
    if not layout.has_header:
        return ()
    header = next(fields for _, fields in _rows(data, layout.separator))
    first = [
        row for row in islice(_below(data, layout.separator), SAMPLE) if len(row) == layout.width
    ]
    return query_candidates(
        {
            APOSTROPHE.show(name.strip()): [APOSTROPHE.show(row[place]) for row in first]
            for place, name in enumerate(header)
            if place not in layout.position.values()
        }
    )


def _records(data: Text, layout: _Layout) -> Iterator[Record]:
    width, position = layout.width, layout.position
    rows = _rows(data, layout.separator)
    if layout.has_header:
        next(rows, None)
    for line, fields in rows:
        if len(fields) != width:
            if len(fields) == 1 and not fields[0].strip():
                continue
            shown = layout.separator.join(fields)[:80]
            raise ParseError(
                message(
                    "io.expected-columns",
                    width=width,
                    count=len(fields),
                    shown=shown,
                ),
                path=data.path,
                line=line,
            )
        yield line, {role: APOSTROPHE.show(fields[index]) for role, index in position.items()}


def _fast(data: Text, layout: _Layout) -> dict[str, pl.Series] | None:
    """Reads with Polars; None if a row looks wrong, so that the slow reader decides."""
    import polars as pl

    width, position = layout.width, layout.position
    names = [f"column_{number}" for number in range(1, width + 1)]
    try:
        # Without a header each column has the name given here, regardless of its content.
        frame = pl.read_csv(
            data.path if data.source.plain else data.whole(),
            has_header=False,
            skip_rows=0,
            schema=dict.fromkeys(names, pl.String),
            separator=layout.separator,
            glob=False,
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
        return None
    wanted = [names[index] for index in dict.fromkeys([*position.values(), width - 1])]
    if any(frame.get_column(name).null_count() for name in wanted):
        frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))  # blank lines
        # A short row ends in nulls, just like one whose last field is empty.
        if any(frame.get_column(name).null_count() for name in wanted):
            return None
    part = frame.slice(1) if layout.has_header else frame
    shown = show_texts(part.select(names[index] for index in dict.fromkeys(position.values())))
    return {role: shown.get_column(names[index]) for role, index in position.items()}


def _slow(records: Iterable[Record], position: Mapping[str, int]) -> dict[str, pl.Series]:
    """Reads row by row."""
    import polars as pl

    values: dict[str, list[object]] = {role: [] for role in position}
    for _, fields in records:
        for role, listed in values.items():
            listed.append(fields[role])
    return {role: pl.Series(role, listed, dtype=pl.String) for role, listed in values.items()}


def _pointed(
    series: dict[str, pl.Series], layout: _Layout, data: Text
) -> tuple[dict[str, pl.Series], list[str]]:
    """Returns the columns with decimal points, and the roles of those that had commas."""
    import polars as pl

    roles = [role for role in series if is_number_role(role)]
    if layout.separator == "," or not roles:
        return series, []
    table = pl.LazyFrame({role: series[role] for role in roles})

    def line_of(row: int) -> int:
        return next(line for line, _ in islice(_records(data, layout), row, None))

    commas = comma_columns(table, roles, layout.separator, data.path, line_of)
    if not commas:
        return series, []
    found = with_points(table.select(commas), commas).collect()
    return {**series, **{role: found.get_column(role) for role in commas}}, commas


formats.register(Tsv())
formats.register(Csv())
