"""Health check: whether the app could store a grade now."""

from __future__ import annotations

import logging
import os
import threading
import time

from relyon.core.errors import InputError
from relyon.judging.database import Database
from relyon.judging.files import PRIVATE

__all__ = ["Health"]

log = logging.getLogger("relyon.judging")

#: Bytes that must be free on disk: about ten grades in a write-ahead log.
ROOM = 2**16

FULL, LOCKED, SEALED, SILENT = (
    "the disk is full",
    "the database is locked",
    "the database cannot be written",
    "the database does not answer",
)
#: The problem, by the prefix of SQLite's error name or PostgreSQL's error code.
PROBLEMS = {
    "SQLITE_FULL": FULL,
    "SQLITE_IOERR_WRITE": FULL,
    "SQLITE_BUSY": LOCKED,
    "SQLITE_READONLY": SEALED,
    "SQLITE_CANTOPEN": SEALED,
    "53100": FULL,
    "55P03": LOCKED,
    "57014": LOCKED,
    "25006": SEALED,
}


class Health:
    """Checks by storing something, at most every few seconds.

    Args:
        database: The database of the app.
        keep: Seconds for which a result is cached.
        patience: Seconds to wait for other writers.
    """

    def __init__(self, database: Database, *, keep: float = 2.0, patience: float = 5.0) -> None:
        self._database = database
        self._keep = keep
        self._patience = patience
        self._turn = threading.Lock()
        self._known: str | None = None
        self._until = 0.0

    def problem(self) -> str:
        """Returns the current problem in words safe for the public; empty if there is none."""
        if self._known is not None and time.monotonic() < self._until:
            return self._known
        # While one request checks, others get the previous result.
        if not self._turn.acquire(blocking=self._known is None):
            return self._known or ""
        try:
            if self._known is None or time.monotonic() >= self._until:
                self._check()
            return self._known or ""
        finally:
            self._turn.release()

    def _check(self) -> None:
        found, details = self._find()
        if found and found != self._known:
            log.error("not healthy: %s (%s)", found, details)
        elif self._known and not found:
            log.warning("healthy again")
        self._known = found
        self._until = time.monotonic() + self._keep

    def _find(self) -> tuple[str, str]:
        try:
            if self._database.file:
                _take_room(f"{self._database.file}.room")
            self._database.probe(self._patience)
        except InputError as error:
            cause = getattr(error.__cause__, "orig", None)
            code = getattr(cause, "sqlite_errorname", "") or getattr(cause, "sqlstate", "") or ""
            known = (said for start, said in PROBLEMS.items() if code.startswith(start))
            return next(known, LOCKED if cause is None else SILENT), error.message
        except OSError as error:
            return (SEALED if isinstance(error, PermissionError) else FULL), str(error)
        return "", ""


def _take_room(path: str) -> None:
    """Creates a small file on the database's disk, and removes it."""
    try:
        handle = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, PRIVATE)
        try:
            if os.write(handle, bytes(ROOM)) < ROOM:
                raise OSError("the disk accepted only part of it")
            os.fsync(handle)
        finally:
            os.close(handle)
    finally:
        if os.path.exists(path):
            os.unlink(path)
