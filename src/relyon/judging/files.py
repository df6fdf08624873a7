"""A judging database as a file: integrity, permissions, and creation."""

from __future__ import annotations

import glob
import os
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal

from relyon.core.errors import InputError
from relyon.core.texts import message

__all__ = [
    "COMPANIONS",
    "PRIVATE",
    "check_file",
    "is_open",
    "is_read_only",
    "make_file",
    "readable_by_others",
    "sync_folder",
]

#: Files that SQLite keeps next to an open file; all but the last contain part of the data.
COMPANIONS = ("-wal", "-journal", "-shm")

#: The mode of files with grades and password hashes: private to their owner.
PRIVATE = 0o600

_MAGIC = b"SQLite format 3\0"


def check_file(path: str) -> bool:
    """Returns whether there is an SQLite file, and rejects the remains of one.

    Otherwise SQLite would take an empty file for a new database, and discard a write-ahead log
    whose file is missing.

    Raises:
        InputError: If it is not a complete SQLite file.
    """
    log = _size(f"{path}-wal")
    if not os.path.exists(path):
        if log:
            raise _damaged(
                path,
                "the file is missing, but part of it is in the -wal file next to it",
            )
        return False
    if os.path.isdir(path):
        raise InputError(
            message("judging.this-is-folder"),
            path=path,
            hint=message("judging.name-file-in-such-as-judging"),
        )
    size = _size(path)
    if size == 0:
        raise _damaged(path, "the file is empty (0 bytes), as after a copy that failed")
    try:
        with open(path, "rb") as file:
            header = file.read(100)
    except OSError as error:
        raise InputError(
            message("core.cannot-be-read-strerror", strerror=error.strerror), path=path
        ) from None
    if not header.startswith(_MAGIC[: len(header)]):
        raise InputError(
            message("judging.this-is-not-sqlite"),
            path=path,
            hint=message("judging.name-file-that-relyon"),
        )
    whole = _whole_size(header)
    # While there is a log, the file may not have its final length yet.
    if len(header) < 100 or (not log and size < whole):
        raise _damaged(path, f"the file is cut off: it has {size:,} bytes of {whole:,}")
    return True


def _whole_size(header: bytes) -> int:
    """Returns the size of a file according to its own header, if it contains one."""
    page = int.from_bytes(header[16:18], "big")
    page = 65536 if page == 1 else page
    # Old versions do not update the number of pages, which leaves these two unequal.
    told = header[24:28] == header[92:96]
    return max(100, page * int.from_bytes(header[28:32], "big") if told else 0)


def _damaged(path: str, what: str) -> InputError:
    return InputError(
        what,
        path=path,
        hint=message(
            "judging.restore-backup",
            path=path,
        ),
    )


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def is_read_only(path: str) -> bool:
    """Returns whether a file can be read but not written, as on a read-only medium."""
    if not os.access(path, os.W_OK):
        return True
    beside = [f"{path}-wal", f"{path}-shm"]
    # Without permission to create files here, writing still works if another program has created
    # them.
    return not os.access(os.path.dirname(path) or ".", os.W_OK) and not all(
        os.access(name, os.W_OK) for name in beside
    )


def readable_by_others(path: str) -> list[str]:
    """Returns the files of a database that other users of this machine may read or write."""
    if os.name == "nt":
        return []
    found = [f"{path}{end}" for end in ("", *COMPANIONS)]
    return [name for name in found if os.path.exists(name) and os.stat(name).st_mode & 0o077]


def is_open(path: str) -> bool:
    """Returns whether another process has an SQLite file open, as far as that can be detected.

    A process that has it open itself must not ask: it would release its own locks.
    """
    try:
        import fcntl
    except ImportError:  # Windows cannot rename an open file
        return False
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        # With a write-ahead log each open connection locks one of these bytes.
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


def make_file(
    path: str, fill: Callable[[str], None], *, existing: Literal["keep", "replace"] = "keep"
) -> bool:
    """Creates a private file that gets its name only once it is complete and on disk.

    Args:
        path: Its name.
        fill: Fills the file; called with a temporary name in the same folder.
        existing: What to do with an existing file of that name.

    Returns:
        Whether it was created; False if an existing file was kept.

    Raises:
        InputError: If the folder does not exist, or cannot be written.
    """
    path = os.path.realpath(path)
    temporary = f"{path}.{secrets.token_hex(4)}.tmp"
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR, PRIVATE))
        _forget_leftovers(path)
    except OSError as error:
        raise InputError(
            message("judging.cannot-be-created", strerror=error.strerror), path=path
        ) from None
    try:
        fill(temporary)
        _sync(temporary, os.O_RDWR)
        return _place(temporary, path, existing=existing)
    finally:
        for end in ("", *COMPANIONS):
            Path(f"{temporary}{end}").unlink(missing_ok=True)


def _forget_leftovers(path: str) -> None:
    """Removes leftovers of a program that was killed while creating this file, after a day."""
    for found in Path(path).parent.glob(f"{glob.escape(Path(path).name)}.????????.tmp*"):
        if found.stat().st_mtime < time.time() - 86400:
            found.unlink(missing_ok=True)


def _place(temporary: str, path: str, *, existing: Literal["keep", "replace"]) -> bool:
    """Gives a complete file its name atomically and durably."""
    if existing == "replace":
        os.replace(temporary, path)
    else:
        try:
            os.link(temporary, path)
        except FileExistsError:
            return False
        except OSError:  # a file system without links
            if os.path.exists(path):
                return False
            os.rename(temporary, path)
    sync_folder(path)
    return True


def sync_folder(path: str) -> None:
    """Waits until the name of a file is on disk."""
    if os.name != "nt":
        with suppress(OSError):  # some file systems cannot
            _sync(os.path.dirname(path) or ".", os.O_RDONLY)


def _sync(path: str, how: int) -> None:
    handle = os.open(path, how)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
