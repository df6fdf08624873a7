"""Background work, and files that are streamed while they are written."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import IO, cast

__all__ = ["in_background", "stream"]

log = logging.getLogger("relyon.judging")

#: Chunks of a file that are queued for a slow reader.
WAITING = 16


def in_background(work: Callable[[], object], what: str) -> None:
    """Runs work in its own thread, which ends with the program.

    Unfinished work is cleaned up when the program starts again.
    """

    def run() -> None:
        try:
            work()
        except Exception as error:
            log.warning("%s: %s", what, error)

    threading.Thread(target=run, name=what, daemon=True).start()


class _LeftError(Exception):
    """The reader has disconnected."""


class _Pipe:
    """A pipe: a file is written on one side and read on the other."""

    def __init__(self) -> None:
        self._parts: queue.Queue[bytes | None] = queue.Queue(WAITING)
        self._left = threading.Event()
        self.error: BaseException | None = None

    def write(self, data: bytes) -> int:
        """Hands over a chunk; waits if the reader is slow."""
        self._put(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Does nothing: chunks are handed over at once."""

    def _put(self, part: bytes | None) -> None:
        while not self._left.is_set():
            try:
                self._parts.put(part, timeout=1)
            except queue.Full:
                continue
            return
        raise _LeftError

    def end(self) -> None:
        """Signals the end."""
        with suppress(_LeftError):
            self._put(None)

    def parts(self) -> Iterator[bytes]:
        """Yields the written chunks."""
        try:
            while (part := self._parts.get()) is not None:
                yield part
            if self.error is not None:
                raise self.error  # cuts off the response, so that it does not look complete
        finally:
            self._left.set()


def stream(write: Callable[[IO[bytes]], object]) -> Iterator[bytes]:
    """Yields a file while it is written, without keeping it."""
    pipe = _Pipe()

    def run() -> None:
        try:
            with suppress(_LeftError):
                write(cast("IO[bytes]", pipe))
        except BaseException as error:
            pipe.error = error
        finally:
            pipe.end()

    threading.Thread(target=run, name="stream", daemon=True).start()
    return pipe.parts()
