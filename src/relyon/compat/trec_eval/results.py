"""Results as trec_eval reads them: scores by C's atof, and its exit codes for what is refused."""

from __future__ import annotations

import re
import sys

from relyon import _native
from relyon.compat.trec_eval.options import TrecEvalError
from relyon.core.errors import RelyonError
from relyon.core.texts.message import Message
from relyon.io.byte_source import Source

__all__ = ["atof", "has_text_score", "lenient_table", "unreadable"]

#: The number at the start of a text, as C's atof reads it.
NUMBER = re.compile(
    rb"[+-]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?)", re.IGNORECASE
)
#: A document that occurs twice: trec_eval fails when it computes the first measure.
TWICE = (
    "native.document-stands-twice-in-query-other", "native.document-stands-twice",
    "native.two-grades-for-query",
)  # fmt: skip


#: A score that is no finite number.
TEXTS = ("native.is-not-number", "native.what-is-not-finite")
#: A score that is kept as it is.
PLAIN = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|nan.*)", re.IGNORECASE)


def unreadable(error: Exception, path: str) -> TrecEvalError:
    """Returns trec_eval's error for a file that cannot be used, with its exit code.

    Args:
        error: The error.
        path: The file.
    """
    if _kind(error) in TWICE:
        return TrecEvalError(f"{error}\ncannot calculate measures of '{path}'", 4)
    return TrecEvalError(f"{error}\nquit in file '{path}'", 2)


def has_text_score(error: Exception) -> bool:
    """Returns whether a score is text, read as the number it begins with, or infinite."""
    return _kind(error) in TEXTS


def _kind(error: Exception) -> str:
    """Returns the kind of an error about a line."""
    said = error.message if isinstance(error, RelyonError) else ""
    inner = said.values.get("message") if isinstance(said, Message) else None
    return inner.kind if isinstance(inner, Message) else ""


def atof(text: bytes) -> float:
    """Returns the number at the start of a text, or 0, as C's atof; infinity as the largest number.

    Examples:
        >>> atof(b"5x"), atof(b"x"), atof(b"-3e2z"), atof(b".5"), atof(b"0x10")
        (5.0, 0.0, -300.0, 0.5, 16.0)
    """
    found = NUMBER.match(text)
    if found is None:
        return 0.0
    number = found[0].lower()
    if b"x" in number:
        return float(int(number, 16))
    limit = sys.float_info.max
    return max(-limit, min(limit, float(number)))


def lenient_table(path: str) -> _native.RunTable:
    """Reads results again, with scores that are text as the numbers that they begin with.

    Args:
        path: The file.
    """
    lines = []
    with Source(path) as source:
        for line in source.read_all().splitlines():
            fields = line.split(None, 5)
            scored = len(fields) >= 5 and not line.lstrip().startswith(b"#")
            if scored and PLAIN.fullmatch(fields[4]) is None:
                fields[4] = repr(atof(fields[4])).encode()
                lines.append(b" ".join(fields))
            else:
                lines.append(line)
    data = memoryview(b"\n".join(lines) + b"\n")
    place = 0

    def read(size: int) -> bytes:
        nonlocal place
        part = bytes(data[place : place + size])
        place += len(part)
        return part

    return _native.RunTable.from_chunks(read, path)
