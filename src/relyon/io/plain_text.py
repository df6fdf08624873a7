"""Text of uploaded files: UTF-8, storable characters, bounded size."""

from __future__ import annotations

import io
import re
from contextlib import suppress

from relyon.core.errors import InputError, ParseError
from relyon.core.texts import message as say
from relyon.io.byte_source import Source
from relyon.io.encoding import not_utf8
from relyon.io.parquet_size import measure_parquet
from relyon.io.streams import too_large

__all__ = [
    "check_characters",
    "check_size",
    "check_text",
    "decode",
    "read_file",
    "read_text",
    "sent_source",
    "unusable",
]

#: Least memory, in any format, of an element that begins or ends with a character: a line, a cell,
#: an object, a list, a member.
COSTS = {"\n": 250, "\r": 250, ",": 60, "{": 60, "[": 60, ":": 10}


#: The first bytes of Parquet.
PARQUET = b"PAR1"
#: No database and no text file can contain these.
UNUSABLE = re.compile("[\0\ud800-\udfff]")


def read_file(path: str) -> str:
    """Returns the text of a file; `-` is stdin.

    Raises:
        InputError: If it cannot be read, or is not UTF-8.
    """
    return decode(Source(path).read_all(), path, say("io.save-as-utf-8"))


def read_text(source: Source) -> str:
    """Returns the text of a file.

    Raises:
        InputError: If it cannot be read, is not UTF-8, or takes more than the source's limit.
        ParseError: At a line with a character that cannot be stored.
    """
    text = decode(source.read_all(), source.path)
    if source.limit is not None:
        check_size(text, source.limit, source.path)
    check_characters(text, source.path)
    return text


def sent_source(data: bytes, path: str, limit: int, encoding: str | None = None) -> Source:
    """Returns a source for uploaded data after checking that reading it is safe.

    Args:
        data: The file.
        path: Its name.
        limit: Approximate bytes of memory that it may take when read.
        encoding: The encoding of its text; None for UTF-8, or the one that is certain.

    Raises:
        InputError: If it is text in another encoding, or takes more.
        ParameterError: If it has an encoding, but is not text.
        UnknownNameError: If there is no encoding of that name.
    """
    try:
        source = Source(io.BytesIO(data), name=path, limit=limit, encoding=encoding)
    except InputError:
        with suppress(UnicodeDecodeError):  # the line of a null character
            check_characters(data.decode("utf-8-sig"), path)
        raise
    if source.head.startswith(PARQUET):
        source.keep()
        if measure_parquet(source.read_all(), path) > limit:
            raise too_large(limit, path)
        return source
    return check_text(source)


def check_text(source: Source) -> Source:
    """Returns a rereadable source after checking that its text can be read and stored.

    Raises:
        InputError: If it is not UTF-8, or takes more than the source's limit.
        ParseError: At a line with a character that cannot be stored.
    """
    source.keep()
    read_text(source)
    return source


def decode(data: bytes, path: str, hint: str = "") -> str:
    """Returns the text of a file.

    Args:
        data: The file.
        path: Its name.
        hint: The hint of the error, if not the one for commands and Python.

    Raises:
        InputError: If it is not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        with suppress(UnicodeDecodeError):
            check_characters(data.decode("utf-8", "surrogatepass"), path)
        line = data.count(b"\n", 0, error.start) + 1
        raise not_utf8(data, path, line, error.reason, hint) from None


def check_size(text: str, limit: int, path: str) -> None:
    """Refuses text that takes more memory than a limit, approximately, when read.

    Raises:
        InputError: If it exceeds the limit.
    """
    if len(text) + sum(cost * text.count(sign) for sign, cost in COSTS.items()) > limit:
        raise InputError(
            say(
                "io.is-too-large-to-be-read",
                limit=limit / 2**20,
            ),
            path=path,
            hint=say("io.send-in-parts"),
        )


def check_characters(text: str, path: str) -> None:
    """Refuses text with a character that cannot be stored.

    Raises:
        ParseError: At its line.
    """
    found = UNUSABLE.search(text)
    if found is not None:
        raise unusable(text, found.start(), f"U+{ord(found[0]):04X}", path)


def unusable(text: str, place: int, what: str, path: str) -> InputError:
    """Returns the error for a character that cannot be stored."""
    message = f"a text contains a character that cannot be stored: {what}"
    hint = "it is a null character or half of a surrogate pair; repair or remove it"
    if not path:  # the caller knows the line
        return InputError(message, hint=hint)
    return ParseError(message, path=path, line=text.count("\n", 0, place) + 1, hint=hint)
