"""The fields of documents from tables of any size, one row after the other."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeAlias

from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.data.columns import ITEM_NAMES, NAMES, is_frame, plain_name

if TYPE_CHECKING:
    import polars as pl

    from relyon.io.byte_source import Source

__all__ = ["USUAL", "DocumentRows", "document_rows"]

#: The fields that are compared if none is named.
USUAL = ("title", "snippet")
#: Rows by which the columns are recognised.
LOOKED_AT = 1000

Cells: TypeAlias = Sequence[object]


class DocumentRows:
    """Documents with some of their fields, read once.

    Attributes:
        path: The file; empty for data in memory.
        fields: The names of the fields that the table has, of those that were asked for.
        names: The names of all columns except that of ids.

    Args:
        columns: The names of the columns.
        rows: The cells of each row.
        asked: The names of the fields.
        chosen: Columns by role: `document`, `title`, `snippet`.
        wanted: Ids by which the column of ids is recognised.
        path: The file, for messages.
    """

    def __init__(
        self,
        columns: Sequence[str],
        rows: Iterable[Cells],
        asked: Sequence[str],
        chosen: Mapping[str, str],
        wanted: Collection[str],
        path: str,
    ) -> None:
        self.path = path
        left = iter(rows)
        first = list(islice(left, LOOKED_AT))
        self._rows = chain(first, left)
        self._key = _key(columns, first, chosen, wanted, path)
        self.names = [name for place, name in enumerate(columns) if place != self._key]
        places = {
            name: place
            for name in asked
            if (place := _place(columns, name, chosen, self._key, path)) is not None
        }
        self.fields = tuple(places)
        self._places = list(places.values())

    def only(self, fields: Sequence[str]) -> DocumentRows:
        """Returns the same rows, still to be read once, with some of the fields."""
        found = copy(self)
        found._places = [self._places[self.fields.index(one)] for one in fields]
        found.fields = tuple(fields)
        return found

    def __iter__(self) -> Iterator[tuple[str, list[str]]]:
        """Yields every document with its fields; rows without an id are left out."""
        key, places = self._key, self._places
        for row in self._rows:
            identity = _text(row[key]) if key < len(row) else ""
            if identity:
                yield identity, [_text(row[one]) if one < len(row) else "" for one in places]


def document_rows(
    source: object,
    *,
    fields: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    wanted: Collection[str] = (),
) -> DocumentRows:
    """Opens a collection of documents; a large file is read a part at a time.

    Args:
        source: A mapping from ids to texts, or to mappings of fields; a frame; a CSV, TSV, JSON
            Lines, Parquet or Excel file, compressed or not; or a folder with a text file each.
        fields: The fields that are needed; `title` and `snippet` are found by their usual names
            (a text or a description is a snippet), others by their own. None are these two.
        columns: Columns by role: `document`, `title`, `snippet`.
        wanted: Ids by which the column of ids is recognised among several candidates.

    Raises:
        InputError: If it cannot be read, has no column of ids, or none of the fields.
        ParameterError: If it is something else.

    Examples:
        >>> rows = document_rows({"d1": {"title": "Red shoes", "text": "For running"}})
        >>> rows.fields, list(rows)
        (('title', 'snippet'), [('d1', ['Red shoes', 'For running'])])
    """
    chosen = dict(columns or {})
    unknown = [name for name in chosen if name not in ("document", *USUAL)]
    if unknown:
        raise ParameterError(
            message("io.documents-have-roles", name=unknown[0], names=["document", *USUAL])
        )
    headings, rows, path = _opened(source)
    asked = list(dict.fromkeys(fields)) or [*USUAL]
    found = DocumentRows(headings, rows, asked, chosen, wanted, path)
    missing = [name for name in fields if name not in found.fields]
    if missing:
        raise InputError(
            message("io.documents-lack-field", name=missing[0], names=found.names),
            path=path,
            hint=message("io.name-field-or-column"),
        )
    if not found.fields:
        raise InputError(
            message("io.documents-have-no-texts", names=found.names),
            path=path,
            hint=message("io.name-field-or-column"),
        )
    return found


def _opened(source: object) -> tuple[Sequence[str], Iterable[Cells], str]:
    """Returns the columns, the rows and the path of a collection."""
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        if os.path.isdir(path) and not _is_parts(path):
            from relyon.io.document_texts import FolderTexts

            texts = FolderTexts(path)
            return ("document", "text"), ((one, texts[one]) for one in texts), path
        return _of_file(path)
    if isinstance(source, Mapping):
        if any(isinstance(one, Mapping) for one in source.values()):
            return *_of_objects(({"document": key, **value} for key, value in source.items())), ""
        return ("document", "text"), source.items(), ""
    if is_frame(source):
        import polars as pl

        from relyon.data.columns import named_series

        frame = pl.DataFrame(named_series(source, lambda _: True))
        return frame.columns, frame.iter_rows(), ""
    raise ParameterError(
        message("io.documents-are-not", name=type(source).__name__),
        hint=message("io.give-table-of-documents"),
    )


def _is_parts(path: str) -> bool:
    from relyon.io.part_folders import is_part_folder

    return is_part_folder(path)


def _of_file(path: str) -> tuple[Sequence[str], Iterable[Cells], str]:
    from relyon.io.byte_source import Source
    from relyon.io.table_files import table_of

    source = Source(path)
    if source.suffix == ".parquet" and source.plain:
        from relyon.io.row_groups import RowGroups

        groups = RowGroups(path)
        parts = groups.parts(groups.columns)
        return groups.columns, (row for part in parts for row in part.iter_rows()), path
    if source.suffix in (".jsonl", ".ndjson"):
        from relyon.io.text_lines import Text
        from relyon.io.text_rows import json_objects

        lines = json_objects(Text(source).lines(), source.path)
        return *_of_objects(one for _, one in lines), path
    if source.suffix in (".csv", ".tsv", ".txt") and not source.workbook:
        return *_of_text(source), path
    frame: pl.DataFrame = table_of(source)
    return frame.columns, frame.iter_rows(), path


def _of_objects(
    objects: Iterable[Mapping[str, object]],
) -> tuple[Sequence[str], Iterable[Cells]]:
    """Returns objects as rows; columns are the names that occur in the first ones."""
    left = iter(objects)
    first = list(islice(left, LOOKED_AT))
    names = list(dict.fromkeys(name for one in first for name in one))
    return names, ([one.get(name) for name in names] for one in chain(first, left))


def _of_text(source: Source) -> tuple[Sequence[str], Iterable[Cells]]:
    from relyon.core.cells import APOSTROPHE
    from relyon.io.encoding import not_utf8
    from relyon.io.text_lines import Text
    from relyon.io.text_rows import check_width, csv_rows, separator_of

    def lines() -> Iterator[str]:
        for number, line in enumerate(Text(source).lines(), 1):
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                raise not_utf8(line, source.path, number, error.reason) from None

    left = lines()
    start = next(left, "")
    marks = "\t" if source.suffix == ".tsv" else ",;\t|"
    separator = separator_of(start, marks)
    rows = csv_rows(chain([start], left), source.path, separator)
    _, headings = next(rows, (1, []))
    width = len(headings)

    def cells() -> Iterator[Cells]:
        for number, row in rows:
            if len(row) > width:
                check_width(row, width, source.path, number)
            # Most cells have no such mark.
            yield [APOSTROPHE.show(cell) if "'" in cell else cell for cell in row]

    return [APOSTROPHE.show(one) for one in headings], cells()


def _key(
    columns: Sequence[str],
    first: Sequence[Cells],
    chosen: Mapping[str, str],
    wanted: Collection[str],
    path: str,
) -> int:
    """Returns the place of the column of ids.

    Raises:
        InputError: If there is none.
    """
    if "document" in chosen:
        place = _named(columns, chosen["document"])
        if place is None:
            raise InputError(
                message("io.documents-lack-field", name=chosen["document"], names=list(columns)),
                path=path,
            )
        return place
    plain = [plain_name(name) for name in columns]
    places = [plain.index(name) for name in NAMES["document"] if name in plain]
    if not places:
        raise InputError(
            message("io.documents-have-no-ids", names=list(columns)),
            path=path,
            hint=message("io.name-column-of-ids"),
        )
    known = wanted if isinstance(wanted, set | frozenset | dict) else {*wanted}
    hits = [sum(_text(row[one]) in known for row in first if one < len(row)) for one in places]
    return places[hits.index(max(hits))]


def _place(
    columns: Sequence[str], name: str, chosen: Mapping[str, str], key: int, path: str
) -> int | None:
    """Returns the place of a field's column; None if the table has none.

    Raises:
        InputError: If a column was named that does not exist.
    """
    if name in chosen:
        place = _named(columns, chosen[name])
        if place is None:
            raise InputError(
                message("io.documents-lack-field", name=chosen[name], names=list(columns)),
                path=path,
            )
        return place
    plain = [plain_name(one) for one in columns]
    for usual in ITEM_NAMES.get(name, (plain_name(name),)):
        if usual in plain and plain.index(usual) != key:
            return plain.index(usual)
    return None


def _named(columns: Sequence[str], name: str) -> int | None:
    if name in columns:
        return list(columns).index(name)
    plain = [plain_name(one) for one in columns]
    return plain.index(plain_name(name)) if plain_name(name) in plain else None


def _text(value: object) -> str:
    """Returns a cell as text; a whole number as an id is written without decimals."""
    if value is None:
        return ""
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        return str(int(value)) if value.is_integer() else repr(value)
    return value if isinstance(value, str) else str(value)
