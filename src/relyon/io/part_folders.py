"""Folders that Spark, Dask or Hadoop write: one table in many parts, read as one file.

Parts are read in the order of their numbers. Text parts follow each other, each decompressed by
itself; the header that every part of CSV has is read once.
"""

from __future__ import annotations

import os
import re
from io import BytesIO
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.io.compression import COMPRESSED_SUFFIXES, Reader, compression_of, decompressor

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PartFolder", "is_part_folder", "way_into"]

#: Names of Spark and Hadoop, of Dask, and of Hive.
PART = re.compile(r"part[-.]?\d+.*|part-[mr]-\d+.*|\d+\.part|\d{6}_\d+.*")
#: The number of a part of Spark, and the job that wrote it.
SPARK = re.compile(r"part-(\d{5,})(?:-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))?\b.*")
PARTITION = re.compile(r"\w+=.*")
#: What tells that a folder is the store of a table format, whose parts may be of older versions.
STORES = {"_delta_log": "Delta Lake", ".hoodie": "Apache Hudi", "metadata": "Apache Iceberg"}
UNFINISHED, FINISHED = "_temporary", "_SUCCESS"
#: Missing numbers that a note names.
NAMED = 5
#: Spark writes JSON Lines under this suffix.
LINES = {".json": ".jsonl"}
CHUNK = 1 << 16


def is_part_folder(path: str) -> bool:
    """Whether a path is a folder that a job wrote, with parts of a table such as `part-00000`."""
    try:
        names = os.listdir(path)
    except (OSError, ValueError):
        return False
    return _store(names) != "" or any(
        name in (UNFINISHED, FINISHED) or PART.fullmatch(name) for name in names
    )


def _store(names: list[str]) -> str:
    """Returns the table format whose store has files of these names; "" for none."""
    found = [store for mark, store in STORES.items() if mark in names]
    # Other folders have metadata, too.
    return found[0] if found and ("metadata" not in names or "data" in names) else ""


def way_into(folder: str) -> str:
    """Returns what to name instead of a folder that is not one table."""
    partitions = sorted(name for name in os.listdir(folder) if PARTITION.fullmatch(name))
    if partitions:
        return message("io.name-folder-of-partition", name=partitions[0])
    return message("io.name-file")


class PartFolder:
    """A folder of parts, in the order of their numbers.

    Args:
        path: The folder.

    Attributes:
        path: The folder.
        parts: The paths of its parts.
        suffix: The suffix of their format, such as ".csv"; "" for none.
        notes: What suggests that parts of Spark are not one whole table.

    Raises:
        InputError: If it is still being written, if it is the store of a table format, whose
            files are not all of its last version, or if it has no parts, or parts of several
            formats.
    """

    def __init__(self, path: str) -> None:
        names = os.listdir(path)
        if store := _store(names):
            raise InputError(
                message("io.is-store-of-table", store=store),
                path=path,
                hint=message("io.read-table-with-spark"),
            )
        if UNFINISHED in names:
            raise InputError(
                message("io.is-not-written-whole"),
                path=path,
                hint=message("io.wait-for-job-or-write-again"),
            )
        parts = sorted(filter(PART.fullmatch, names), key=_number)
        if not parts:
            raise InputError(message("io.is-empty"), path=path, hint=way_into(path))
        kinds = {_format_of(name): name for name in reversed(parts)}
        if len(kinds) > 1:
            first, second = sorted(kinds.values(), key=_number)[:2]
            raise InputError(
                message("io.has-parts-of-formats", first=first, second=second),
                path=path,
                hint=message("io.keep-one-table-per-folder"),
            )
        kind = next(iter(kinds))
        self.path = path
        self.parts = [os.path.join(path, name) for name in parts]
        self.suffix = LINES.get(kind, kind)
        self.notes = _notes(path, names)

    def open(self) -> Reader:
        """Returns the bytes of the table, as one file of its format, decompressed.

        Raises:
            InputError: If it has no rows; while reading, if a part of CSV has another header than
                the first.
        """
        parts = [path for path in self.parts if os.path.getsize(path)]
        if not parts:
            raise InputError(message("io.is-empty"), path=self.path)
        if self.suffix == ".parquet":
            return _joined_parquet(parts, self.path)
        return _Joined(parts, headed=self.suffix in (".csv", ".tsv"))


def _notes(folder: str, names: list[str]) -> tuple[Note, ...]:
    """Returns what suggests that parts of Spark are not one whole table.

    No file `_SUCCESS`; parts of several jobs, which is right where rows were appended; numbers that
    are missing, which is right where a part would have been empty.
    """
    parts = [found for name in names if (found := SPARK.fullmatch(name))]
    if not parts:
        return ()
    notes = []
    if FINISHED not in names:
        notes.append(Note("parts-unfinished", values={"path": folder}))
    jobs = {found[2] for found in parts}
    if len(jobs) > 1:
        notes.append(Note("parts-of-jobs", len(jobs), values={"path": folder}))
    numbers = {int(found[1]) for found in parts}
    missing = [str(one) for one in range(max(numbers)) if one not in numbers]
    if missing and len(jobs) == 1:
        values = {"path": folder, "most": max(numbers)}
        notes.append(
            Note("parts-missing", len(missing), examples=tuple(missing[:NAMED]), values=values)
        )
    return tuple(notes)


def _number(name: str) -> tuple[list[int], str]:
    return [int(one) for one in re.findall(r"\d+", name)[:1]], name


def _format_of(name: str) -> str:
    """Returns the suffix of a part's format: ".csv" for "part-00000-1f-c000.csv.gz"."""
    stem, suffix = os.path.splitext(name)
    if suffix.lower() in COMPRESSED_SUFFIXES:
        suffix = os.path.splitext(stem)[1]
    return "" if suffix[1:].isdigit() else suffix.lower()


def _joined_parquet(parts: list[str], folder: str) -> Reader:
    import tempfile

    import polars as pl

    from relyon.io.scratch import scratch_folder

    frames = [pl.scan_parquet(path, glob=False) for path in parts]
    with tempfile.NamedTemporaryFile(suffix=".parquet", dir=scratch_folder()) as joined:
        try:
            _check_columns(frames, parts)
            pl.concat(frames).sink_parquet(joined.name)
        except pl.exceptions.PolarsError as error:
            reason = (str(error).splitlines() or ["damaged"])[0]
            raise InputError(
                message("core.cannot-be-read-reason", reason=reason), path=folder
            ) from None
        return BytesIO(joined.read())


def _check_columns(frames: list[pl.LazyFrame], parts: list[str]) -> None:
    first = frames[0].collect_schema()
    for frame, part in zip(frames, parts, strict=True):
        if frame.collect_schema() != first:
            raise _other_columns(parts[0], part)


def _other_columns(first: str, part: str) -> InputError:
    return InputError(
        message("core.has-different-columns", sources_path=first),
        path=part,
        hint=message("io.keep-one-table-per-folder"),
    )


class _Joined:
    """Text in parts: one stream, in which every part ends a line, with one header."""

    def __init__(self, parts: list[str], *, headed: bool) -> None:
        self._left = parts[::-1]
        self._first = parts[0]
        self._header: bytes | None = None if headed else b""
        self._start = b""
        self._ended = True
        self._part: Reader | None = None

    def read(self, size: int = -1, /) -> bytes:
        if size < 0:
            return b"".join(iter(lambda: self.read(CHUNK), b""))
        while True:
            if self._start:
                found, self._start = self._start[:size], self._start[size:]
            elif self._part is not None:
                found = self._part.read(size)
            elif self._left:
                self._open(self._left.pop())
                continue
            else:
                return b""
            if found or not size:
                self._ended = found.endswith(b"\n")
                return found
            self.close()
            if not self._ended:
                self._start = b"\n"

    def close(self) -> None:
        if self._part is not None:
            self._part.close()
            self._part = None

    def _open(self, path: str) -> None:
        with open(path, "rb") as file:
            compression = compression_of(file.read(8))
        self._part = decompressor(open(path, "rb"), compression, path)  # noqa: SIM115
        if self._header == b"":
            return
        found = b""
        while b"\n" not in found and (more := self._part.read(CHUNK)):
            found += more
        line, _, rest = found.partition(b"\n")
        header = line.strip()
        if self._header is None:
            self._header = header or None
            self._start = found
        elif header in (b"", self._header):
            self._start = rest
        else:
            raise _other_columns(self._first, path)
