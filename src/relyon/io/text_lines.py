"""Lines of text from a source that may be a pipe."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relyon.io.byte_source import Source

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer
from relyon.io.compression import Reader

__all__ = ["Text"]

BOM = b"\xef\xbb\xbf"


class Text:
    """A source's text, to be read once or several times, without the byte-order mark."""

    def __init__(self, source: Source) -> None:
        self.path = source.path
        self.source = source
        # A stream is buffered.
        self._kept = source.read_all() if source.waiting else None

    def whole(self) -> bytes:
        """Returns the whole text."""
        data = self.source.read_all() if self._kept is None else self._kept
        return data.removeprefix(BOM)

    def lines(self) -> Iterator[bytes]:
        """Yields lines with their ends, which are only newlines."""
        raw = self.source.open() if self._kept is None else io.BytesIO(self._kept)
        first = True
        try:
            for line in io.BufferedReader(_Raw(raw)):
                yield line.removeprefix(BOM) if first else line
                first = False
        finally:
            raw.close()


class _Raw(io.RawIOBase):
    """A reader in the form that `io.BufferedReader` needs."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer)
        data = self._reader.read(len(view))
        view[: len(data)] = data
        return len(data)
