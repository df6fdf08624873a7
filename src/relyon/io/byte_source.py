"""Bytes from files, pipes and standard input, decompressed, with clear errors.

Compression is recognised by the first bytes, not by the file's name.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from relyon.core.errors import DependencyError, InputError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.io.compression import COMPRESSED_SUFFIXES, Reader, compression_of, decompressor
from relyon.io.declared_encoding import UTF8, check_declared, declared_for
from relyon.io.encoding import check_line_ends, check_wide
from relyon.io.part_folders import PartFolder, is_part_folder, way_into
from relyon.io.sheet_names import ZIP, file_and_sheet, is_workbook
from relyon.io.streams import Bounded, Prompt, Pushed, filled
from relyon.io.transcoding import Encoding, Transcoded, certain_encoding

__all__ = ["HEAD", "Source", "is_sqlite", "split_suffix"]

HEAD = 1 << 16  # enough of a file to recognise it
#: The first bytes of databases and of older Excel files, and members of spreadsheets.
SQLITE = b"SQLite format 3\x00"
OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
SHEETS = (b"[Content_Types].xml", b"xl/", b"opendocument.spreadsheet")


class Source:
    """A source of data: a file, standard input, or an open binary file.

    Files are opened as often as needed; streams can be read once.

    Args:
        where: A path, a folder of parts that Spark wrote, "-" for standard input, or an object with
            `read(size)` that returns bytes.
        limit: Most bytes to return, decompressed, for untrusted data. None for no limit.
        name: Its name in messages, instead of the stream's own.
        encoding: The encoding of its text; None for the one of `text_encoding`, or a certain one.

    Attributes:
        path: The path, or the name of a stream.
        compression: "gzip", "zstd", "lz4", "bzip2", "xz", or "" for none.
        head: The first bytes, decompressed.
        limit: Most bytes to return, or None.
        plain: Whether native code may read `path` directly: an uncompressed regular file.
        format: The name of its format, set on recognition.
        encoding: The encoding that it is read in, as UTF-8; None if it is UTF-8.
        workbook: Whether it is a sheet of an Excel workbook, whose bytes are CSV.
        synonyms: The columns that are read by another name than their role's, by role.

    Raises:
        InputError: If there is no such file, if it is a folder, empty or binary, or cannot be read;
            while reading, if it exceeds the limit, or is not in the encoding.
        ParameterError: If it has an encoding, but is not text.
        UnknownNameError: If there is no encoding of that name.
    """

    __slots__ = (
        "_current", "_kept", "_parts", "_rest", "_stream", "_suffix", "compression", "encoding",
        "format", "head", "limit", "path", "plain", "synonyms", "workbook",
    )  # fmt: skip

    def __init__(
        self,
        where: str | os.PathLike[str] | BinaryIO,
        *,
        limit: int | None = None,
        name: str | None = None,
        encoding: str | None = None,
    ) -> None:
        self.format = ""
        self.limit = limit
        self._current: Reader | None = None
        self._kept: bytes | None = None
        self._rest: Reader | None = None
        self._stream: BinaryIO | None = None
        self._parts: PartFolder | None = None
        self._suffix = ""
        self.workbook = False
        self.encoding: Encoding | None = None
        self.synonyms: dict[str, str] = {}
        file = sheet = ""
        given = os.fspath(where) if isinstance(where, str | os.PathLike) else None
        declared = declared_for(given, encoding)
        if isinstance(where, str | os.PathLike):
            self.path = os.fspath(where)
            file, sheet = file_and_sheet(self.path)
            if self.path == "-":
                self.path = "<stdin>"
                self._stream = sys.stdin.buffer
            elif is_part_folder(file):
                self.path = file = file.rstrip("/" + os.sep)
                self._parts = PartFolder(file)
                self._suffix = self._parts.suffix
            elif not _is_regular(file):
                self._stream = open(file, "rb")  # noqa: SIM115  a pipe: read once
        else:
            self._stream = where
            name = name or getattr(where, "name", None)
            self.path = name if isinstance(name, str) else "<stream>"
        with _readable(self.path):
            self._look(file)
            if declared is not None:
                check_declared(self.head, self.path)
                if declared.codec != UTF8:
                    self._transcode(declared)
            elif is_workbook(self.head):
                self._read_sheet(file, sheet)
            elif found := certain_encoding(self.head):
                self._transcode(found)
        _refuse_binary(self.head, self.path)

    def _look(self, file: str) -> None:
        if self._stream is not None:
            start = filled(Prompt(self._stream), HEAD)
            self.compression = compression_of(start)
            whole: Reader = Pushed(start, Prompt(self._stream))
            reader = self._bounded(whole)
            self.head = filled(reader, HEAD)
            self._rest = Pushed(self.head, reader)
            self.plain = False
            return
        if self._parts is not None:
            self._look_into_parts(self._parts)
            return
        with open(file, "rb") as start_of_file:
            self.head = start_of_file.read(HEAD)
        self.compression = compression_of(self.head)
        self.plain = not self.compression
        if self.compression:
            self._read_head()

    def _look_into_parts(self, parts: PartFolder) -> None:
        """Takes the parts of a table as one file; those of Parquet are joined once."""
        self.compression, self.plain = "", False
        if self._suffix == ".parquet":
            self._kept = self._bounded(parts.open()).read()
            self.head = self._kept[:HEAD]
        else:
            self._read_head()

    def _read_head(self) -> None:
        reader = self._decompressed()
        try:
            self.head = filled(reader, HEAD)
        finally:
            reader.close()

    def _read_sheet(self, file: str, sheet: str) -> None:
        """Makes a sheet of a workbook, as CSV, the bytes of this source."""
        from relyon.io.workbook import sheet_csv

        packed = self._stream is not None or self.compression
        data = self.read_all() if packed else file
        self._kept = sheet_csv(data, self.path, sheet, limit=self.limit)
        self.head = self._kept[:HEAD]
        self.compression, self.plain, self.workbook, self._suffix = "", False, True, ".csv"

    def _transcode(self, encoding: Encoding) -> None:
        """Makes the text as UTF-8 the bytes of this source."""
        self.encoding, self.plain = encoding, False
        if self._rest is not None:
            stream = Transcoded(self._rest, encoding, self.path)
            self.head = filled(stream, HEAD)
            self._rest = Pushed(self.head, stream)
            return
        self._read_head()

    def _decompressed(self) -> Reader:
        parts = self._parts
        raw: Reader = open(self.path, "rb") if parts is None else parts.open()  # noqa: SIM115
        try:
            return self._bounded(raw)
        except DependencyError:
            raw.close()
            raise

    def _bounded(self, raw: Reader) -> Reader:
        reader = decompressor(raw, self.compression, self.path)
        if self.limit is not None:
            reader = Bounded(reader, self.limit, self.path)
        return reader if self.encoding is None else Transcoded(reader, self.encoding, self.path)

    def open(self) -> Reader:
        """Opens the decompressed bytes from the start.

        Raises:
            InputError: If it is a stream that was already opened.
        """
        if self._kept is not None:
            return io.BytesIO(self._kept)
        if self._stream is None:
            with _readable(self.path):
                return self._decompressed()
        if self._rest is None:
            raise InputError(
                message("io.can-be-read-only"),
                path=self.path,
                hint=message("io.save-to-file-first"),
            )
        reader, self._rest = self._rest, None
        return reader

    def read(self, size: int = -1, /) -> bytes:
        """Continues where the last `read` stopped, decompressed; b"" at the end."""
        if self._current is None:
            self._current = self.open()
        with _readable(self.path):
            return self._current.read(size)

    def read_all(self) -> bytes:
        """Reads all bytes, decompressed."""
        reader = self.open()
        try:
            with _readable(self.path):
                whole = io.BytesIO()
                while part := reader.read(1 << 20):
                    whole.write(part)
                return whole.getvalue()
        finally:
            reader.close()

    def keep(self) -> None:
        """Buffers a stream, so that it can be opened again."""
        if self._rest is not None:
            self._kept = self.read_all()

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on how it is read: not as UTF-8, or columns by synonyms of their roles."""
        found = self.encoding
        notes: tuple[Note, ...] = ()
        if found is not None and not found.declared:
            notes = (found.note(self.path),)
        if self._parts is not None:
            notes += self._parts.notes
        if not self.synonyms:
            return notes
        columns = [f"{role} = {name}" for role, name in self.synonyms.items()]
        return (*notes, Note("columns-read-as", values={"path": self.path, "columns": columns}))

    @property
    def name(self) -> str:
        """The path, under the name that streams use."""
        return self.path

    @property
    def waiting(self) -> bool:
        """Whether this is an unread stream."""
        return self._rest is not None

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        if self._current is not None:
            self._current.close()
            self._current = None

    @property
    def suffix(self) -> str:
        """The suffix of the format, in lower case: ".csv" for "a.CSV.gz"."""
        return self._suffix or split_suffix(self.path)[1]

    def __repr__(self) -> str:
        return f"Source({self.path!r}, format={self.format!r}, compression={self.compression!r})"


def split_suffix(path: str) -> tuple[str, str, str]:
    """Splits a path into the file's stem, its format's suffix and its compression's suffix.

    Examples:
        >>> split_suffix("runs/bm25.v2.Run.gz")
        ('bm25.v2', '.run', '.gz')
    """
    stem, suffix = os.path.splitext(os.path.basename(path))
    packed = ""
    if suffix.lower() in COMPRESSED_SUFFIXES:
        packed = suffix.lower()
        stem, suffix = os.path.splitext(stem)
    return stem, suffix.lower(), packed


def is_sqlite(path: str) -> bool:
    """Returns whether a path is a file that begins as a database of SQLite does."""
    if path == "-" or not os.path.isfile(path):
        return False
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError:
        return False


def _is_regular(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        raise InputError(message("core.there-is-no"), path=path, hint=_similar(path)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(message("core.cannot-be-read-reason", reason=reason), path=path) from None
    if stat.S_ISDIR(mode):
        raise InputError(message("io.is-folder"), path=path, hint=way_into(path))
    return stat.S_ISREG(mode)


def _similar(path: str) -> str:
    """Suggests files in the same folder that may have been meant."""
    from difflib import get_close_matches

    folder, name = os.path.split(path)
    try:
        there = os.listdir(folder or ".")
    except OSError:
        return message("io.there-is-no-folder", folder=folder) if folder else ""
    near = get_close_matches(name, there, n=3, cutoff=0.6)
    if not near:
        return ""
    return message("io.did-you-mean", names=[f"`{one}`" for one in near])


def _refuse_binary(head: bytes, path: str) -> None:
    if not head:
        raise InputError(message("io.is-empty"), path=path)
    check_wide(head, path)
    if head.startswith(OLD_OFFICE) or (head.startswith(ZIP) and any(map(head.count, SHEETS))):
        raise InputError(
            message("io.is-spreadsheet"),
            path=path,
            hint=message("io.save-as-xlsx-or-csv"),
        )
    if head.startswith(ZIP):
        raise InputError(message("io.is-zip-archive"), path=path, hint=message("io.unpack-it"))
    if head.startswith(SQLITE):
        raise InputError(
            message("io.is-database"),
            path=path,
            hint=message("io.relyon-judge-export-writes"),
        )
    if b"\x00" in head and not head.startswith(b"PAR1"):
        raise InputError(
            message("io.is-binary-file", value=head.index(0) + 1),
            path=path,
            hint=message("io.relyon-reads-text"),
        )
    check_line_ends(head, path)


@contextmanager
def _readable(path: str) -> Iterator[None]:
    """Turns the operating system's errors into `InputError`."""
    try:
        yield
    except OSError as error:
        raise InputError(
            message("core.cannot-be-read-strerror", strerror=error.strerror or error), path=path
        ) from None
