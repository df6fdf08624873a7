"""What a lead sees of an upload before it is imported."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, RelyonError
from relyon.io import read_run, read_sheet
from relyon.io.byte_source import Source
from relyon.judging.intake.columns import FIELD, KINDS, LEFT_OUT, NAMED
from relyon.judging.pooling import top_documents
from relyon.judging.shown import choose_fields

if TYPE_CHECKING:
    from relyon.data.sheets import Item
    from relyon.judging.intake.files import Seen
    from relyon.judging.intake.upload import Upload
    from relyon.judging.records import Project

__all__ = ["ColumnView", "FileView", "ItemView", "view_file"]

#: Rows, results, and characters of a cell and of an address that a page shows.
ROWS, RESULTS, LONGEST, ADDRESS = 6, 3, 140, 40
#: Bytes of a file's beginning from which the first rows of formats without columns are read.
BEGINNING = 1 << 16


@dataclass(frozen=True)
class ColumnView:
    """A column of an uploaded table.

    Attributes:
        name: Its heading.
        choice: What it is taken for.
        options: What it can be.
        doubt: `behaviour` or `grades` if judges should not see it; else empty.
    """

    name: str
    choice: str
    options: tuple[str, ...]
    doubt: str


@dataclass(frozen=True)
class ItemView:
    """A result as judges will see it.

    Attributes:
        item: The result.
        fields: Its further fields.
    """

    item: Item
    fields: Mapping[str, object]


@dataclass(frozen=True)
class FileView:
    """The beginning of an uploaded file.

    Attributes:
        format: The name of its format.
        encoding: The name of its encoding, if it is not UTF-8.
        columns: Its columns; none if its format has none.
        rows: The first rows, as they are written.
        results: The first results, as judges will see them.
        lists: The first documents of the first queries, of a run.
    """

    format: str
    encoding: str
    columns: tuple[ColumnView, ...]
    rows: tuple[tuple[str, ...], ...]
    results: tuple[ItemView, ...]
    lists: tuple[tuple[str, Sequence[str]], ...]


def view_file(seen: Seen, upload: Upload, project: Project) -> FileView:
    """Returns the beginning of a file of an upload."""
    source = seen.source
    items: list[Item] = []
    lists: dict[str, list[str]] = {}
    try:
        if upload.kind in ("run", "sides"):
            lists = _lists(seen, upload.depth(project)) if seen.table is None else {}
        elif upload.kind != "queries":
            items = _items(seen, upload, project)
    except RelyonError:  # the check says so
        pass
    columns: tuple[ColumnView, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    if seen.table is not None:
        names = seen.table.names
        columns = tuple(_column(seen, upload, name) for name in names)
        first = seen.first[:ROWS]
        rows = tuple(tuple(_cell(row.get(name)) for name in names) for row in first)
    return FileView(
        source.format,
        "" if source.encoding is None else source.encoding.name,
        columns,
        rows,
        tuple(ItemView(one, choose_fields(one)) for one in items),
        tuple(islice(lists.items(), RESULTS)),
    )


def _column(seen: Seen, upload: Upload, name: str) -> ColumnView:
    required, optional = KINDS[upload.kind]
    choice = seen.choices.get(name, FIELD)
    options = [*required, *optional, LEFT_OUT]
    if upload.kind in ("results", "documents"):
        options.insert(-1, FIELD)
    if choice == NAMED or seen.guess.choices.get(name) == NAMED:
        options.append(NAMED)
    doubt = ""
    if choice in (FIELD, LEFT_OUT):
        doubt = "behaviour" if name in seen.guess.behaviour else ""
        doubt = "grades" if name in seen.guess.grades else doubt
    return ColumnView(name, choice, tuple(options), doubt)


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    longest = ADDRESS if text.startswith("data:") else LONGEST
    return text if len(text) <= longest else f"{text[:longest]}…"


def _items(seen: Seen, upload: Upload, project: Project) -> list[Item]:
    """Returns the first results as judges will see them."""
    if seen.table is None:
        sheet = read_sheet(_beginning(seen.source), format=seen.source.format, scale=project.scale)
        return [row.item for row in sheet.rows[:RESULTS]]
    columns = seen.columns(upload.kind)
    if upload.kind == "documents":
        columns = type(columns)(
            {"query": columns.roles["document"], **columns.roles}, columns.hidden
        )
    found = []
    for values in seen.first:
        try:
            found.append(seen.table.item(values, columns, project.scale).item)
        except InputError:
            continue
        if len(found) == RESULTS:
            break
    return found


def _lists(seen: Seen, k: int) -> dict[str, list[str]]:
    """Returns the first documents of the first queries of a run without columns."""
    run = read_run(_beginning(seen.source), format=seen.source.format, name="run")
    return top_documents(run, k)


def _beginning(source: Source) -> Source:
    """Returns the first whole lines of a file."""
    head = source.head[:BEGINNING]
    if len(head) == BEGINNING:
        head = head[: head.rfind(b"\n") + 1] or head
    return Source(io.BytesIO(head), name=source.path, limit=source.limit)
