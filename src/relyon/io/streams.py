"""Streams of bytes around others: prompt, put back at the start, bounded."""

from __future__ import annotations

import io
import os
import sys
from typing import BinaryIO

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.io.compression import Reader

__all__ = ["Bounded", "Prompt", "Pushed", "filled", "too_large"]


def filled(stream: Reader, size: int) -> bytes:
    """Reads `size` bytes, or all there are: a read from a pipe may return fewer."""
    parts = []
    while size and (part := stream.read(size)):
        if not isinstance(part, bytes):
            raise InputError(
                message("io.is-open-as-text"),
                path=str(getattr(stream, "name", "")),
                hint=message("io.open-with-rb"),
            )
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


class Prompt:
    """A stream that returns what a pipe contains, without waiting for more.

    Ctrl-C ends the wait: Python's own buffer would continue reading after a signal, and so does the
    operating system if Polars has installed its handler before Python's. Closing it leaves standard
    input open.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self.name = getattr(stream, "name", "")
        self._stream = stream
        self._some = stream.read1 if isinstance(stream, io.BufferedReader) else stream.read

    def read(self, size: int = -1, /) -> bytes:
        if "polars" in sys.modules and os.name == "posix":
            import signal

            signal.siginterrupt(signal.SIGINT, True)
        return self._stream.read() if size < 0 else self._some(size)

    def close(self) -> None:
        if self._stream is not getattr(sys.stdin, "buffer", None):
            self._stream.close()


class Pushed:
    """A stream with bytes put back at its start."""

    def __init__(self, start: bytes, stream: Reader) -> None:
        self._start = start
        self._stream = stream

    def read(self, size: int = -1, /) -> bytes:
        if not self._start:
            return self._stream.read(size)
        if size < 0:
            start, self._start = self._start, b""
            return start + self._stream.read(-1)
        start, self._start = self._start[:size], self._start[size:]
        return start

    def close(self) -> None:
        self._stream.close()


class Bounded:
    """A stream that raises an error beyond a limit."""

    def __init__(self, stream: Reader, limit: int, path: str) -> None:
        self._stream = stream
        self._left = limit
        self._limit = limit
        self._path = path

    def read(self, size: int = -1, /) -> bytes:
        wanted = self._left + 1 if size < 0 else min(size, self._left + 1)
        part = self._stream.read(wanted)
        self._left -= len(part)
        if self._left < 0:
            raise too_large(self._limit, self._path)
        return part

    def close(self) -> None:
        self._stream.close()


def too_large(limit: int, path: str) -> InputError:
    """Returns the error for a file that exceeds its reader's limit."""
    return InputError(
        message(
            "io.is-too-large",
            limit=limit / 2**20,
        ),
        path=path,
        hint=message("io.send-only-rows"),
    )
