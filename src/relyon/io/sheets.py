"""Formats of judging sheets: parsing, writing, and what each cannot contain."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, BinaryIO, ClassVar

from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.io.format import Format, formats

if TYPE_CHECKING:
    from relyon.data.judgments import Judgments
    from relyon.data.scale import Scale
    from relyon.data.sheets import Row, Sheet
    from relyon.io.byte_source import Source

__all__ = [
    "BYTE_ORDER_MARK",
    "PARTS",
    "SheetFormat",
    "left_out",
    "sheet_format",
    "sheet_formats",
    "write_sheet",
]

#: Tells Excel on Windows that a CSV file is UTF-8; without it Chinese text is garbled.
BYTE_ORDER_MARK = "\ufeff"

#: What a format may contain besides queries and documents.
PARTS = (
    "query_text",
    "query_id",
    "rank",
    "title",
    "snippet",
    "url",
    "image",
    "fields",
    "tier",
    "session",
    "inclusion_probability",
    "ratings",
    "cannot",
    "reason",
    "note",
    "seconds",
    "at",
    "final",
    "final_source",
    "ungraded",
    "name",
)


class SheetFormat(Format):
    """A file format for items with their ratings.

    Attributes:
        suffix: The suffix of its files.
        keeps: The parts of a sheet that it can contain: keys of `PARTS`.
        steady: Whether everything in a database can be written, line by line.
        names_ids: Whether queries and documents that it cannot contain get ids, listed in tables.
    """

    suffix: ClassVar[str]
    keeps: ClassVar[frozenset[str]]
    steady: ClassVar[bool] = False
    names_ids: ClassVar[bool] = False

    def parse(self, text: str, *, path: str, scale: Scale | None) -> Sheet:
        """Reads a file's text.

        Args:
            text: All of it, without characters that cannot be stored.
            path: The file, for messages.
            scale: Names that grades may have.

        Raises:
            InputError: If it is not of this format, or cannot be used.
        """
        raise self._cannot("sheet", path)

    @abstractmethod
    def parts(self, sheet: Sheet) -> Iterator[str]:
        """Yields a file's text in parts: lines, or the whole text.

        Raises:
            InputError: If the format cannot write an id.
        """

    def read_sheet(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
    ) -> Sheet:
        """Reads items, each once, with all their ratings."""
        from relyon.data.sheets import join_rows
        from relyon.io.plain_text import read_text

        self._refuse_columns(columns)
        path = source.path
        return join_rows(self.parse(read_text(source), path=path, scale=scale), path=path)

    def read_judgments(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
    ) -> Judgments:
        """Reads the final grades, aggregating judges' grades if an item has no final one."""
        self._refuse_columns(columns)
        from relyon.io.graded_items import judgments_of

        return judgments_of(self.read_sheet(source, scale=scale), scale, source.path)

    def _refuse_columns(self, columns: Mapping[str, str] | None) -> None:
        if columns:
            raise ParameterError(
                message("io.format-has-columns", name=self.name),
                hint=message("io.leave-columns-out-or-name"),
            )

    def write(self, sheet: Sheet) -> str:
        """Returns a file's text.

        Raises:
            InputError: If the format cannot write an id.
        """
        return "".join(self.parts(sheet))

    def write_judgments(self, judgments: Judgments, stream: BinaryIO) -> None:
        """Writes judgments as items with final grades."""
        from relyon.io.graded_items import sheet_of

        sheet = sheet_of(judgments)
        tables = self.tables(sheet)
        if tables:
            raise InputError(
                message(
                    "io.cannot-contain-all",
                    title=message(self.title),
                    tables=min(tables),
                ),
                hint=message("io.write-csv"),
            )
        for part in self.parts(sheet):
            stream.write(part.encode())

    def tables(self, sheet: Sheet, *, made: Iterable[str] = ()) -> dict[str, str]:
        """Returns the tables that must accompany a file, as TSV, by name.

        Args:
            sheet: Graded items.
            made: Names of tables to write even if not needed.
        """
        return {}

    @property
    def lacks(self) -> tuple[str, ...]:
        """The parts of a sheet that it cannot contain, in the order of `PARTS`."""
        return tuple(part for part in PARTS if part not in self.keeps)

    def losses(self, sheet: Sheet) -> tuple[Note, ...]:
        """Returns notes that count the parts of a sheet that this format omits."""
        counts = dict.fromkeys(PARTS, 0)
        counts["name"] = bool(sheet.name)
        for row in sheet.rows if {*self.lacks} - {"name"} else ():
            for part in _used(row):
                counts[part] += 1
        return tuple(
            Note(
                f"not-exported-{part.replace('_', '-')}",
                count,
                "info" if part == "name" else "warning",
                values={"format": message(self.title), "part": part},
                key="not-exported-name" if part == "name" else "not-exported",
            )
            for part, count in counts.items()
            if count and part not in self.keeps
        )


def _used(row: Row) -> Iterable[str]:
    for part in (
        "query_text", "rank", "title", "snippet", "url", "image", "fields", "tier", "session",
        "inclusion_probability",
    ):  # fmt: skip
        if getattr(row.item, part) not in ("", None, {}):
            yield part
    if row.item.query_text not in ("", row.item.query):
        yield "query_id"
    if any(one.grade is not None for one in row.ratings):
        yield "ratings"
    if any(one.grade is None for one in row.ratings):
        yield "cannot"
    for part in ("reason", "note", "seconds", "at"):
        if any(getattr(one, part) not in ("", None) for one in row.ratings):
            yield part
    if row.final_source:
        yield "final_source"
    if row.final is not None:
        yield "final"
    elif not row.ratings:
        yield "ungraded"


def sheet_formats() -> list[str]:
    """Returns the names of the formats for items and grades."""
    return [name for name in formats if isinstance(formats.get(name), SheetFormat)]


def sheet_format(name: str) -> SheetFormat:
    """Returns a format for items and grades.

    Raises:
        UnknownNameError: If there is no format of that name.
        ParameterError: If the format contains grades without items.
    """
    found = formats.get(name)
    if not isinstance(found, SheetFormat):
        raise ParameterError(
            message("io.items-and-grades-cannot", name=name),
            hint=message(
                "io.choose-one-of-sheet-formats",
                sheet_formats=[f"`{one}`" for one in sheet_formats()],
            ),
        )
    return found


def write_sheet(sheet: Sheet, *, format: str) -> tuple[str, tuple[Note, ...]]:
    """Returns a file's text, and notes on parts of the sheet that it omits.

    Args:
        sheet: Graded items.
        format: The name of a format.

    Raises:
        UnknownNameError: If there is no such format.
        InputError: If the format cannot write an id or a grade.

    Examples:
        >>> from relyon.data.sheets import Item, Row, Sheet
        >>> sheet = Sheet((Row(Item("q1", "d1", title="Red"), final=3.0),))
        >>> text, notes = write_sheet(sheet, format="trec")
        >>> text, [note.kind for note in notes]
        ('q1 0 d1 3\\n', ['not-exported-title'])
    """
    chosen = sheet_format(format)
    return chosen.write(sheet), chosen.losses(sheet)


def left_out(chosen: SheetFormat, sheet: Sheet, tables: Collection[str]) -> tuple[Note, ...]:
    """Returns notes on parts of a sheet that a file and its accompanying tables omit."""
    held = {"not-exported-query-text"} if "queries" in tables else set()
    return tuple(note for note in chosen.losses(sheet) if note.kind not in held)
