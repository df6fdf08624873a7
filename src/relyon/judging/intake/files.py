"""Uploaded files: opened within their bounds, as tables if they have columns."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.io.format import formats
from relyon.io.formats.delimited import Delimited
from relyon.io.formats.json_lines import Jsonl
from relyon.io.formats.parquet import Parquet
from relyon.io.plain_text import sent_source
from relyon.io.recognition import open_source
from relyon.io.row_tables import Columns, RowTable, open_rows
from relyon.judging.intake.columns import Guess, IntakeKind, check_choices, guess_choices

if TYPE_CHECKING:
    from relyon.data.scale import Scale
    from relyon.io.byte_source import Source
    from relyon.io.format import Kind

__all__ = ["Part", "Seen", "open_part", "upload_formats"]

#: Formats that read something else than the bytes of the file.
ELSEWHERE = frozenset({"judging-database"})
#: Rows by which columns are guessed, and of which a page shows the first.
FIRST = 200


@dataclass(frozen=True)
class Part:
    """An uploaded file, and how it is to be read.

    Attributes:
        name: Its name, which may tell its format.
        path: Where it is.
        format: The name of its format; None recognises it.
        encoding: The encoding of its text; None for UTF-8, or the one that is certain.
        choices: What its columns are, by name; None guesses.
        system: The system whose run it is, in a side-by-side project.
    """

    name: str
    path: str | os.PathLike[str]
    format: str | None = None
    encoding: str | None = None
    choices: Mapping[str, str] | None = None
    system: str = ""


@dataclass(frozen=True)
class Seen:
    """An opened file.

    Attributes:
        source: Its bytes, with the recognised format.
        table: Its rows; None if its format has no columns.
        first: The first rows of a table.
        guess: What the columns of a table seem to be.
        choices: What they are taken for.
    """

    source: Source
    table: RowTable | None
    first: tuple[Mapping[str, object], ...] = ()
    guess: Guess = field(default_factory=lambda: Guess({}))
    choices: Mapping[str, str] = field(default_factory=dict)

    def columns(self, kind: IntakeKind) -> Columns:
        """Returns the columns of the table.

        Raises:
            InputError: If two columns have one role, or none has a required one.
            ParameterError: If a column is not there, or cannot be what it was chosen for.
        """
        return check_choices(kind, self.choices, () if self.table is None else self.table.names)


def upload_formats(kind: IntakeKind) -> list[str]:
    """Returns the names of the formats in which something can be brought in.

    Examples:
        >>> upload_formats("queries")
        ['csv', 'jsonl', 'parquet', 'tsv', 'xlsx']
    """
    wanted: Kind = "run" if kind in ("run", "sides") else "sheet"
    found = [name for name in formats if wanted in formats.get(name).kinds]
    if kind in ("documents", "queries"):
        found = [
            name for name in found if isinstance(formats.get(name), Delimited | Jsonl | Parquet)
        ]
    return [name for name in found if name not in ELSEWHERE]


def open_part(part: Part, kind: IntakeKind, scale: Scale, limit: int) -> Seen:
    """Opens an uploaded file and looks at its beginning.

    Args:
        part: The file.
        kind: What is brought in.
        scale: The project's scale.
        limit: Approximate bytes of memory that reading it may take.

    Raises:
        InputError: If it cannot be read, or has no columns where some are needed.
        ParameterError: If its format is ambiguous.
        UnknownNameError: If there is no format or encoding of that name.
    """
    with open(part.path, "rb") as file:
        data = file.read()
    source = sent_source(data, part.name, limit, part.encoding)
    del data
    wanted: Kind = "run" if kind in ("run", "sides") else "sheet"
    allowed = upload_formats(kind)
    named = kind in ("documents", "queries")
    if part.format is None or part.format in allowed:
        source = open_source(source, format=part.format, kind=wanted, named=named)
    if source.format not in allowed:
        raise InputError(
            message("judging.format-is-not-for-this", format=part.format or source.format),
            path=part.name,
            hint=message("judging.choose-other-format"),
        )
    table = open_rows(source)
    if table is None:
        if kind in ("documents", "queries"):
            raise InputError(
                message("judging.file-has-no-columns"),
                path=part.name,
                hint=message("judging.upload-table"),
            )
        return Seen(source, None)
    first = tuple(
        found for _, found in islice(table.rows(), FIRST) if not isinstance(found, InputError)
    )
    guess = guess_choices(kind, table, first, scale)
    choices = guess.choices if part.choices is None else part.choices
    return Seen(source, table, first, guess, choices)
