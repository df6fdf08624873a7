"""Line numbers for messages about data that was read before."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

from relyon.core.errors import InputError, ParseError
from relyon.io.byte_source import Source
from relyon.io.encoding import NOT_UTF8, not_utf8

__all__ = ["encoding_named", "find_line"]

#: The separators of words in all text formats.
BETWEEN = re.compile(r"[\s,;|\"'{}:\[\]]+")


def find_line(path: str, *words: str) -> int | None:
    """Returns the number of the first line with the given words; `None` if no line has them.

    It reads the file again, so use it only for errors.

    Args:
        path: The file, compressed or not.
        words: The words that the line must contain.
    """
    if not os.path.isfile(path):
        return None
    wanted = set(words)
    try:
        for number, line in enumerate(_lines(Source(path)), start=1):
            if wanted <= set(BETWEEN.split(line.decode("utf-8", "replace"))):
                return number
    except (InputError, OSError):
        return None
    return None


@contextmanager
def encoding_named(source: Source) -> Iterator[None]:
    """Adds the likely encoding of the file to native code's error about a line that is not UTF-8.

    Args:
        source: The file; of a stream, which cannot be read again, only the beginning is searched.

    Raises:
        ParseError: If a line is not UTF-8; the hint says how to convert the file.
    """
    try:
        yield
    except ParseError as error:
        if getattr(error.args[0], "values", {}).get("message") != NOT_UTF8:
            raise
        try:
            line = next(islice(_lines(source), error.line - 1, None), b"")
        except InputError:
            line = source.head
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as found:
            raise not_utf8(line, source.path, error.line, found.reason) from None
        raise


def _lines(source: Source) -> Iterator[bytes]:
    """Yields the lines of a file without their ends, from its beginning."""
    reader = source.open()
    try:
        rest = b""
        while part := reader.read(1 << 20):
            *lines, rest = (rest + part).split(b"\n")
            yield from lines
        yield rest
    finally:
        reader.close()
