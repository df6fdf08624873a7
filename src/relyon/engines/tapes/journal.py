"""The journal of a search: every answer is in its file before the next counts.

It is a tape without an end, and one process writes it. A search that was cut off goes on from it,
and asks nothing twice.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from types import TracebackType

from filelock import FileLock, Timeout

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.engines.asked import Query
from relyon.engines.tapes.entry import Entry
from relyon.engines.tapes.tape import Head, Tape, head_lines, read_journal

__all__ = ["Journal", "lasting"]

#: Fields that may differ from query to query: passages that match.
PASSAGES = ("snippet", "text")


class Journal:
    """The answers of a search that runs; entering it locks its file.

    Args:
        path: The file, which is removed once the search is complete; an empty string keeps the
            answers in memory.

    Attributes:
        tape: The answers, once it has begun.
        changed: The documents whose fields, passages aside, were not always the same.
        resumed: The number of answers of an earlier search.
    """

    tape: Tape

    def __init__(self, path: str) -> None:
        self.path = path
        self.changed: set[str] = set()
        self.resumed = 0
        self._file: int | None = None
        self._end = 0
        self._lock = FileLock(f"{path}.lock") if path else None

    def __enter__(self) -> Journal:
        if self._lock is not None:
            try:
                self._lock.acquire(timeout=0)
            except Timeout:
                raise InputError(
                    message("engines.another-search-runs"),
                    path=self.path,
                    hint=message("engines.wait-for-other-search"),
                ) from None
            except OSError as error:
                raise _unwritten(error, self.path) from None
        return self

    @property
    def exists(self) -> bool:
        """Whether an earlier search left its answers."""
        return bool(self.path) and os.path.exists(self.path) and os.path.getsize(self.path) > 0

    def begin(self, head: Head, queries: Iterable[Query], *, restart: bool = False) -> None:
        """Goes on from an earlier search for the same, or begins.

        Args:
            head: What is asked.
            queries: The queries.
            restart: Whether an older journal is thrown away.

        Raises:
            InputError: If it belongs to another search, or cannot be read or written.
        """
        known = list(queries)
        self.tape = Tape(head, {one.id: one for one in known}, path=self.path)
        if self.exists and not restart:
            self._resume(head, len(known))
        try:
            if self.path:
                flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
                self._file = os.open(self.path, flags, 0o666)
                self._cut()
            if not self._end:
                self._write(head_lines(head, known))
        except OSError as error:
            raise _unwritten(error, self.path) from None

    def _resume(self, head: Head, queries: int) -> None:
        """Reads an older journal, unless it was cut off before its first answer."""
        older, end = read_journal(self.path)
        if older is None:
            return
        if not older.head.same(head):
            raise InputError(
                message("engines.journal-of-another-search"),
                path=self.path,
                hint=message("engines.restart-search"),
            )
        if len(older.queries) == queries:
            self.tape, self._end, self.resumed = older, end, len(older.entries)

    def add(self, entry: Entry, fields: Mapping[str, Mapping[str, str]]) -> None:
        """Adds an entry and the documents that it is the first to have.

        Raises:
            InputError: If it cannot be written; the file is then as it was before.
        """
        lines = []
        for id, found in fields.items():
            if found:
                line, earlier = self.tape.documents.put(id, found)
                lines.append(line)
                if earlier is not None and lasting(earlier) != lasting(found):
                    self.changed.add(id)
        lines.append(self.tape.entries.put(entry))
        try:
            self._write(b"".join(lines))
        except OSError as error:
            raise _unwritten(error, self.path) from None

    def _write(self, lines: bytes) -> None:
        """Writes lines, or nothing: a disk that fills up leaves no half of them."""
        if self._file is None:
            return
        left = memoryview(lines)
        try:
            while left:
                left = left[os.write(self._file, left) :]
        except OSError:
            self._cut()
            raise
        self._end += len(lines)

    def _cut(self) -> None:
        """Ends the file after its last whole answer."""
        if self._file is not None:
            os.ftruncate(self._file, self._end)
            os.lseek(self._file, self._end, os.SEEK_SET)

    def remove(self) -> None:
        """Removes the file: the search is complete, and its results are written."""
        self._close()
        if self.path:
            os.unlink(self.path)

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()
        if self._lock is not None:
            _remove_lock(self._lock)


def _remove_lock(lock: FileLock) -> None:
    """Releases a lock, and removes its file before, where the system can."""
    try:
        if os.name != "nt":
            os.unlink(lock.lock_file)
    except OSError:
        pass
    lock.release()


def _unwritten(error: OSError, path: str) -> InputError:
    return InputError(
        message("core.cannot-be-written", strerror=error.strerror or error), path=path
    )


def lasting(fields: Mapping[str, str]) -> dict[str, str]:
    """Returns the fields that are the same for every query."""
    return {name: text for name, text in fields.items() if name not in PASSAGES}
