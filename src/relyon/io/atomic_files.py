"""Atomic writes: whole files or nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from relyon.core.errors import InputError
from relyon.core.texts import message

__all__ = ["open_replaced", "replaced_file"]


@contextmanager
def replaced_file(path: str) -> Iterator[str]:
    """Yields a temporary name to write to; the complete file then replaces the path.

    A link stays a link, and a replaced file keeps its permissions.

    Raises:
        InputError: If it cannot be written.
    """
    target = os.path.realpath(path)
    partial = f"{target}.{os.getpid()}.partial"
    try:
        yield partial
        if os.path.exists(target):
            os.chmod(partial, os.stat(target).st_mode & 0o7777)
        os.replace(partial, target)
    except OSError as error:
        raise InputError(
            message("core.cannot-be-written", strerror=error.strerror or error), path=path
        ) from None
    finally:
        if os.path.exists(partial):
            os.unlink(partial)


@contextmanager
def open_replaced(path: str) -> Iterator[BinaryIO]:
    """Opens a file for an atomic write; a device or a pipe is written directly.

    Raises:
        InputError: If it cannot be written.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        # A device or a pipe cannot be replaced; a folder fails here, under its own name.
        try:
            with open(path, "wb") as file:
                yield file
        except OSError as error:
            raise InputError(
                message("core.cannot-be-written", strerror=error.strerror or error),
                path=path,
            ) from None
        return
    with replaced_file(path) as partial, open(partial, "xb") as file:
        yield file
