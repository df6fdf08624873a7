"""The journal of a search: every answer is on disk before the next counts, and one process writes.

It is a tape without an end. A search that was cut off goes on from it, and asks nothing twice.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import TracebackType
from typing import BinaryIO

from filelock import FileLock, Timeout

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.engines.entry import Entry
from relyon.engines.tape import Head, Tape, document_line, entry_line, head_line, read_lines

__all__ = ["Journal"]


class Journal:
    """The answers of a search that runs.

    Args:
        path: The file, which is removed once the search is complete; an empty string keeps the
            answers in memory.
        head: What is asked.
        restart: Whether an older journal is thrown away.

    Raises:
        InputError: If another process writes it, it belongs to another search, or cannot be
            written.
    """

    def __init__(self, path: str, head: Head, *, restart: bool = False) -> None:
        self.path = path
        self.tape = Tape(head, path=path)
        self.changed: set[str] = set()
        self._file: BinaryIO | None = None
        self._lock: FileLock | None = None
        if path:
            try:
                self._open(head, restart)
            except OSError as error:
                self.close()
                raise InputError(
                    message("core.cannot-be-written", strerror=error.strerror or error), path=path
                ) from None
            except BaseException:
                self.close()
                raise
        self.resumed = len(self.tape.entries)

    def _open(self, head: Head, restart: bool) -> None:
        self._lock = FileLock(f"{self.path}.lock")
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            self._lock = None
            raise InputError(
                message("engines.another-search-runs"),
                path=self.path,
                hint=message("engines.wait-for-other-search"),
            ) from None
        there = os.path.exists(self.path) and os.path.getsize(self.path)
        if there and not restart:
            there = self._resume(head)
        if not there or restart:
            with open(self.path, "wb") as file:
                file.write(head_line(head))
        self._file = open(self.path, "ab")  # noqa: SIM115  # noqa: SIM115

    def _resume(self, head: Head) -> bool:
        """Reads an older journal; returns whether it has at least its first line."""
        with open(self.path, "rb") as file:
            if not file.readline().endswith(b"\n"):
                return False
        older = read_lines(self.path)
        if not older.head.same(head):
            raise InputError(
                message("engines.journal-of-another-search"),
                path=self.path,
                hint=message("engines.restart-search"),
            )
        self.tape = older
        # A line that a crash cut off would run into the next one.
        with open(self.path, "rb+") as file:
            content = file.read()
            file.truncate(content.rfind(b"\n") + 1)
        return True

    def add(self, entry: Entry, fields: Mapping[str, Mapping[str, str]]) -> None:
        """Adds an entry and the documents that it is the first to have.

        Raises:
            InputError: If it cannot be written.
        """
        lines = []
        for id, found in fields.items():
            known = self.tape.documents.get(id)
            if known is None and found:
                self.tape.documents[id] = dict(found)
                lines.append(document_line(id, found))
            elif known is not None and _lasting(known) != _lasting(found):
                self.changed.add(id)
        lines.append(entry_line(entry))
        self.tape.entries[entry.key] = entry
        if self._file is not None:
            try:
                self._file.write(b"".join(lines))
                self._file.flush()
            except OSError as error:
                raise InputError(
                    message("core.cannot-be-written", strerror=error.strerror or error),
                    path=self.path,
                ) from None

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file, which stays where it is."""
        if self._file is not None:
            self._file.close()
            self._file = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def remove(self) -> None:
        """Removes the file: the search is complete, and its results are written."""
        self.close()
        for path in (self.path, f"{self.path}.lock"):
            if path and os.path.exists(path):
                os.unlink(path)


def _lasting(fields: Mapping[str, str]) -> dict[str, str]:
    """Returns the fields that are the same for every query: passages that match are not."""
    return {name: text for name, text in fields.items() if name not in ("snippet", "text")}
