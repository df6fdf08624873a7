"""An open archive of a project: its parts, and their verification against the manifest."""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterator
from types import SimpleNamespace
from typing import IO, get_args

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.io.plain_text import check_size
from relyon.io.sheet_names import is_workbook
from relyon.judging.archive_parts import (
    FORMAT,
    MANIFEST,
    VERSION,
    Manifest,
    Part,
    Values,
    archive_parts,
)
from relyon.judging.archive_values import fits
from relyon.judging.jobs import Report
from relyon.judging.projects import SEEN
from relyon.judging.records import Kind, Project
from relyon.judging.schema import projects, sa
from relyon.judging.table_rows import read_project
from relyon.judging.texts import is_storable

__all__ = ["Archive", "is_archive"]

LONGEST_MANIFEST = 1 << 20
#: What projects had before archives said it.
ADDED = {"state": "open", "random_key": "", "members_only": False, "target_agreement": None}
#: Maximum bytes per row, of which a side-by-side item contains two rankings, and approximate memory
#: that a row of an archive that somebody sent may take when it is read.
LONGEST_LINE, LARGEST_ROW = 64 << 20, 16 << 20
PEOPLE = "users.jsonl"


def is_archive(head: bytes) -> bool:
    """Returns whether the first bytes of a file are those of an archive, and of no other format.

    Args:
        head: Enough of it to tell an archive from a workbook: `HEAD`.
    """
    return head.startswith(b"PK\x03\x04") and not is_workbook(head)


class Archive:
    """An open archive, whose manifest is verified before it is trusted.

    Args:
        file: The file, open for reading, with `seek`.
        path: Its name, for messages.
        largest: Maximum total size of its parts in bytes; None for no limit.

    Attributes:
        manifest: Its manifest.

    Raises:
        InputError: If it is not an archive, damaged, or of a newer version.
    """

    def __init__(self, file: IO[bytes], *, path: str = "", largest: int | None = None) -> None:
        self.path = path
        self.sent = largest is not None
        try:
            self.zip = zipfile.ZipFile(file)
            entry = self.zip.getinfo(MANIFEST)
        except (zipfile.BadZipFile, KeyError, OSError, ValueError, NotImplementedError):
            raise self._error("is not an archive of a project, or is truncated") from None
        self.manifest = self._read_manifest(entry)
        self.parts = {part.file: self._matching(part) for part in archive_parts()}
        size = sum(entry["bytes"] for entry in self.manifest.parts.values())
        if largest is not None and size > largest:
            raise self._error(
                f"holds {size:,} bytes, and {largest:,} can be taken here",
                "use `relyon judge unpack` on the server",
            )

    def _error(self, what: str, hint: str = "") -> InputError:
        return InputError(message("core.file-what", what=what), path=self.path, hint=hint)

    def _read_manifest(self, entry: zipfile.ZipInfo) -> Manifest:
        try:
            with self.zip.open(entry) as file:
                data = file.read(LONGEST_MANIFEST + 1)
            found = json.loads(data) if len(data) <= LONGEST_MANIFEST else None
        except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RecursionError, OSError,
                NotImplementedError, RuntimeError):  # fmt: skip
            found = None
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise self._error("is not an archive of a project")
        version = found.get("version")
        if not isinstance(version, int) or version > VERSION:
            raise self._error(
                f"is an archive of version {version}, made by relyon {found.get('relyon')};"
                f" this relyon reads versions up to {VERSION}",
                "install a newer relyon",
            )
        parts = found.get("parts")
        shaped = isinstance(parts, dict) and all(
            isinstance(one, dict)
            and all(isinstance(one.get(key), int) and one[key] >= 0 for key in ("rows", "bytes"))
            and isinstance(one.get("sha256"), str)
            and isinstance(one.get("columns"), list)
            for one in parts.values()
        )
        name = found.get("project")
        if not shaped or not isinstance(parts, dict) or not isinstance(name, str):
            raise self._error("has a manifest that cannot be read")
        return Manifest(name, found.get("relyon"), parts)

    def _matching(self, part: Part) -> list[int | None]:
        """Returns the index of each of a table's columns in its part; None for newer columns."""
        entry = self.manifest.parts.get(part.file)
        if entry is None:
            return [None] * len(part.columns)
        names = [column.name for column in part.columns]
        strange = [name for name in entry["columns"] if name not in names]
        if strange or len(set(entry["columns"])) < len(entry["columns"]):
            raise self._error(
                f"contains `{part.table.name}.{(strange or ['?'])[0]}`, which this relyon does not"
                " know",
                f"it was made by relyon {self.manifest.relyon}: install that or a newer one",
            )
        columns = entry["columns"]
        return [columns.index(name) if name in columns else None for name in names]

    @property
    def name(self) -> str:
        """The project's name."""
        return self.manifest.project

    def count(self, file: str) -> int:
        """The number of rows of a part."""
        entry = self.manifest.parts.get(file)
        return 0 if entry is None else entry["rows"]

    @property
    def rows(self) -> int:
        """The total number of rows."""
        return sum(self.count(file) for file in self.parts)

    def read(self, file: str) -> Iterator[Values]:
        """Yields the rows of a part, and verifies its length and checksum at the end.

        Raises:
            InputError: If they do not match the manifest.
        """
        entry = self.manifest.parts.get(file)
        if entry is None:
            return
        digest = hashlib.sha256()
        left, rows = entry["bytes"], 0
        longest = LARGEST_ROW if self.sent else LONGEST_LINE
        width = len(entry["columns"])
        try:
            with self.zip.open(file) as part:
                while line := part.readline(min(longest, left + 1)):
                    digest.update(line)
                    left -= len(line)
                    rows += 1
                    if left < 0 or rows > entry["rows"] or not line.endswith(b"\n"):
                        break
                    if self.sent:
                        check_size(line.decode(), LARGEST_ROW, self.path)
                    row = json.loads(line)
                    if not isinstance(row, list) or len(row) != width:
                        raise ValueError
                    yield row
        except InputError:
            raise
        except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, RecursionError,
                OSError, NotImplementedError, RuntimeError):  # fmt: skip
            left = -1
        if left or rows != entry["rows"] or digest.hexdigest() != entry["sha256"]:
            raise self._error(f"is damaged: `{file}` does not match the manifest")

    def rows_of(self, part: Part) -> Iterator[Values]:
        """Yields the rows of a table with a value for each of its columns that the archive has."""
        places = [place for place in self.parts[part.file] if place is not None]
        for row in self.read(part.file):
            yield [row[place] for place in places]

    def columns_of(self, part: Part) -> tuple[list[sa.Column[object]], list[str | None]]:
        """Returns a table's columns that the archive has, and the table that each refers to."""
        chosen = [
            (column, target)
            for column, target, place in zip(
                part.columns, part.references, self.parts[part.file], strict=True
            )
            if place is not None
        ]
        return [column for column, _ in chosen], [target for _, target in chosen]

    def people(self) -> list[tuple[str, bool]]:
        """Returns the names in the archive, and whether each is a language model."""
        found = []
        for number, row in enumerate(self.read(PEOPLE), 1):
            match row:
                case [int() as place, str() as name, bool() as machine] if (
                    place == number and is_storable(name)
                ):
                    found.append((name, machine))
                case _:
                    raise self._error(f"is damaged: `{PEOPLE}`")
        return found

    def check(self, report: Report | None = None) -> Project:
        """Reads all of it, and validates every value against its column.

        Returns:
            The future project, without an id.

        Raises:
            InputError: If something is damaged, missing or cannot be stored.
        """
        people = self.people()
        counts = {"users": len(people)}
        done = 0
        found: Project | None = None
        for part in archive_parts():
            columns, targets = self.columns_of(part)
            required = [one for one in part.columns if _needed(one)]
            if self.count(part.file) and not set(required) <= set(columns):
                raise self._error(f"lacks columns of `{part.table.name}`")
            own = columns.index(part.table.c.id) if part.numbered and columns else None
            counts[part.table.name] = self.count(part.file)
            for number, row in enumerate(self.rows_of(part), 1):
                right = own is None or row[own] == number
                for column, target, value in zip(columns, targets, row, strict=True):
                    right = right and fits(column, value, found)
                    if target is not None and value is not None:
                        right = right and isinstance(value, int) and 1 <= value <= counts[target]
                if not right:
                    raise self._error(
                        f"is damaged: row {number:,} of `{part.file}` cannot be stored"
                    )
                if part.table is projects:
                    found = self._project(columns, row)
                done += 1
                if report is not None and done % 1000 == 0:
                    report(done, 2 * self.rows)
        if found is None or counts["projects"] != 1:
            raise self._error("contains no project")
        return found

    def _project(self, columns: list[sa.Column[object]], row: Values) -> Project:
        values = {column.name: value for column, value in zip(columns, row, strict=True)}
        values = ADDED | values
        try:
            found = read_project(SimpleNamespace(**values))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise self._error("is damaged: its project cannot be read") from None
        if found.kind not in get_args(Kind):
            raise self._error("is damaged: its project cannot be read")
        if found.state not in SEEN:
            raise self._error(f"contains a project that is `{found.state}`")
        return found


def _needed(column: sa.Column[object]) -> bool:
    return not column.nullable and column.server_default is None
