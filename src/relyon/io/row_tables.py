"""Tables of items row by row: every row has its place, and a faulty one is an error among others.

Readers of whole files refuse them at the first faulty row. Here the caller sees all rows, and can
leave some out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from relyon.core.cells import APOSTROPHE
from relyon.core.errors import InputError, ParseError
from relyon.core.texts import message
from relyon.data.columns import NAMES, plain_name
from relyon.data.columns.repeated import refuse_repeated
from relyon.io.format import first_lines, formats
from relyon.io.formats.delimited import Delimited
from relyon.io.formats.json_lines import Jsonl
from relyon.io.formats.parquet import Parquet, row_texts
from relyon.io.grading_sheets import refuse_cut_sheet, roles_of_headings
from relyon.io.json_members import mapping, parse_json
from relyon.io.sheet_lines import KNOWN, RATING, line_row
from relyon.io.sheet_tables import sheet_row
from relyon.io.streams import too_large
from relyon.io.text_lines import Text
from relyon.io.text_rows import csv_rows

if TYPE_CHECKING:
    from relyon.data.scale import Scale
    from relyon.data.sheets import Row
    from relyon.io.byte_source import Source

__all__ = ["MOST_COLUMNS", "OWN", "Columns", "RowTable", "open_rows"]

#: More columns are not shown on a page, nor does anyone need them.
MOST_COLUMNS = 200
#: Objects of JSON Lines whose members are the columns.
FIRST = 50
#: Approximate bytes of a row, and of a cell, besides their texts.
ROW, CELL = 250, 60
#: Columns with a meaning under their own names only.
OWN = frozenset({
    "session", "inclusion_probability", "fields", "cannot", "reason", "note", "seconds", "at",
    "final", "final_source", "unrateable", "judge_later",
})  # fmt: skip
#: Texts of an item that a column of their name has unless another one is chosen.
TEXTS = ("query_text", "title", "snippet", "url", "image", "tier")
#: Roles that a column of their name does not have unless somebody chose so.
UNLESS_CHOSEN = (*TEXTS, "grade", "judge", "rank")

Values: TypeAlias = Mapping[str, object]
#: A row, or what is wrong with it.
Read: TypeAlias = Values | InputError


@dataclass(frozen=True)
class Columns:
    """What the columns of a table are.

    Attributes:
        roles: The columns by role: query, document, title, grade, judge …
        hidden: The columns that are left out. All others are further fields.
    """

    roles: Mapping[str, str]
    hidden: frozenset[str] = frozenset()

    @cached_property
    def chosen(self) -> dict[str, str]:
        """Returns the columns by role, as `sheet_row` takes them."""
        left_out = {f"left out: {name}": name for name in self.hidden}
        return {**dict.fromkeys(UNLESS_CHOSEN, ""), **self.roles, **left_out}

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """Returns the roles of each column that has any."""
        found: dict[str, list[str]] = {}
        for role, name in self.roles.items():
            found.setdefault(name, []).append(role)
        return found


@dataclass(frozen=True)
class RowTable:
    """A table, to be read row by row, as often as needed.

    Attributes:
        names: The headings.
        unit: Whether the places of rows are lines or rows.
        path: The file, for messages.
    """

    names: tuple[str, ...]
    unit: Literal["line", "row"]
    path: str
    _rows: Callable[[], Iterator[tuple[int, Read]]] = field(repr=False)
    _item: Callable[[Values, Columns, Scale | None], Row] = field(repr=False)

    def rows(self) -> Iterator[tuple[int, Read]]:
        """Yields every row with its place; what is wrong with it, if it cannot be read.

        Raises:
            InputError: If nothing below a row can be read.
        """
        return self._rows()

    def item(self, values: Values, columns: Columns, scale: Scale | None = None) -> Row:
        """Returns a row as an item with its rating.

        Args:
            values: The row.
            columns: What its columns are; one of the query and one of the document.
            scale: Names that grades may have.

        Raises:
            InputError: If something in it is missing or faulty.
        """
        return self._item(values, columns, scale)


def open_rows(source: Source) -> RowTable | None:
    """Returns a file as a table; None if its format has no columns, or a meaning of its own.

    Grading sheets, judgments of subtopics, and JSON with lists of ratings have one.

    Args:
        source: A file of a recognised format, whose text was checked.

    Raises:
        InputError: If its first row cannot be read, two columns have the same heading, or there are
            too many.

    Examples:
        >>> from io import BytesIO
        >>> from relyon.io import Source, open_source
        >>> text = b"Search term,sku,Bild\\nshoes,7,\\nshoes\\n"
        >>> source = open_source(Source(BytesIO(text), name="a.csv"))
        >>> source.keep()
        >>> table = open_rows(source)
        >>> table.names
        ('Search term', 'sku', 'Bild')
        >>> (place, values), (wrong, error) = table.rows()
        >>> table.item(values, Columns({"query": "Search term", "document": "sku"})).item.document
        '7'
        >>> wrong, error.message
        (3, 'expected 3 columns, got 1')
    """
    chosen = formats.get(source.format)
    found: RowTable | None
    if isinstance(chosen, Delimited):
        found = _of_text(source, chosen)
    elif isinstance(chosen, Jsonl):
        found = None if b'"ratings"' in source.head else _of_objects(source)
    elif isinstance(chosen, Parquet):
        found = _of_frame(source, chosen)
    else:
        found = None
    if found is None:
        return None
    if len(found.names) > MOST_COLUMNS:
        raise InputError(
            message("io.has-more-than-columns", most_columns=MOST_COLUMNS),
            path=source.path,
            hint=message("io.drop-columns"),
        )
    refuse_repeated(found.names, source.path, lambda _: True)
    refuse_cut_sheet(found.names, source.path)
    plain = {plain_name(name) for name in found.names}
    if roles_of_headings(found.names) or plain & {*NAMES["subtopic"]}:
        return None
    return found


def _of_text(source: Source, chosen: Delimited) -> RowTable:
    head = b"".join(first_lines(source.head, comment=b""))
    separator = chosen.separator(head.decode("utf-8", "replace"))

    def lines() -> Iterator[tuple[int, list[str]]]:
        texts = (line.decode() for line in Text(source).lines())
        return csv_rows(texts, source.path, separator)

    if head.count(separator.encode()) > MOST_COLUMNS:  # before they are split
        names: tuple[str, ...] = ("",) * (MOST_COLUMNS + 1)
    else:
        first = next(lines(), (1, []))[1]
        names = tuple(APOSTROPHE.show(name.strip()) for name in first)
    if not names:
        raise InputError(message("io.there-are-no-columns"), path=source.path)

    def rows() -> Iterator[tuple[int, Read]]:
        every = lines()
        next(every, None)
        for place, cells in every:
            if len(cells) == len(names):
                shown = map(APOSTROPHE.show, cells)
                yield place, dict(zip(names, shown, strict=True))
            elif any(cell.strip() for cell in cells):
                told = message("io.expected-count-columns", count=len(names), count_2=len(cells))
                yield place, InputError(told)

    unit: Literal["line", "row"] = "row" if source.workbook else "line"
    return RowTable(names, unit, source.path, rows, _text_item)


def _text_item(values: Values, columns: Columns, scale: Scale | None) -> Row:
    return sheet_row(cast("Mapping[str, str]", values), columns.chosen, scale)


def _of_objects(source: Source) -> RowTable:
    def rows() -> Iterator[tuple[int, Read]]:
        for place, line in enumerate(Text(source).lines(), 1):
            if not line.strip():
                continue
            try:
                yield place, mapping(parse_json(line.decode(), ""), "the line", "")
            except InputError as error:
                yield place, InputError(error.message, hint=error.hint)

    names: dict[str, None] = {}
    for at, (place, found) in enumerate(rows()):
        if isinstance(found, InputError):
            if at == 0:
                raise ParseError(found.message, path=source.path, line=place, hint=found.hint)
            continue
        names.update(dict.fromkeys(found))
        if at == FIRST:
            break
    return RowTable(tuple(names), "line", source.path, rows, _object_item)


def _object_item(values: Values, columns: Columns, scale: Scale | None) -> Row:
    content: dict[str, object] = {}
    given = values.get("fields")
    fields: dict[str, object] = dict(given) if isinstance(given, Mapping) else {}
    for name, value in values.items():
        if name in columns.by_name:
            for role in columns.by_name[name]:
                content[role] = _plain(value) if role in TEXTS else value
        elif name in OWN and name in KNOWN.union(RATING):
            content.setdefault(name, value)
        elif name not in columns.hidden:
            fields[name] = value
    content.pop("need", None)
    content["fields"] = fields
    return line_row(content, scale)


def _plain(value: object) -> object:
    """Returns a number as its text, and nothing as an empty one."""
    if value is None:
        return ""
    return str(value) if isinstance(value, int | float) else value


def _of_frame(source: Source, chosen: Parquet) -> RowTable:
    frame = chosen.frame(source)
    limit = source.limit
    if limit is not None and frame.height * (ROW + CELL * frame.width) > limit:
        raise too_large(limit, source.path)
    names = tuple(frame.columns)
    return RowTable(names, "row", source.path, partial(row_texts, frame), _text_item)
