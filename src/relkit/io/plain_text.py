"""Text of files that people send: UTF-8, of characters that can be stored, of a bounded size."""

from __future__ import annotations

import io
import re
from contextlib import suppress

from relkit.core.errors import InputError, ParseError
from relkit.core.texts import message as say
from relkit.io.encoding import not_utf8
from relkit.io.open import Source

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

#: Bytes that what begins or ends with a character takes at least, in any format: a line, a cell,
#: an object, a list, a member.
COSTS = {"\n": 250, "\r": 250, ",": 60, "{": 60, "[": 60, ":": 10}


#: No database, and no file of text, can hold these.
UNUSABLE = re.compile("[\0\ud800-\udfff]")


def read_file(path: str) -> str:
    """Returns the text of a file; `-` is stdin.

    Raises:
        InputError: If it cannot be read, or is not UTF-8.
    """
    return decode(Source(path).read_all(), path)


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


def sent_source(data: bytes, path: str, limit: int) -> Source:
    """Returns a source of what somebody sent, once it is known that reading it is safe.

    Args:
        data: The file.
        path: What it is called.
        limit: Bytes of memory that it may take when it is read, about.

    Raises:
        InputError: If it is not UTF-8, or takes more.
    """
    text = decode(data, path)
    check_size(text, limit, path)
    check_characters(text, path)
    return Source(io.BytesIO(data), name=path, limit=limit)


def check_text(source: Source) -> Source:
    """Returns a source once it is known that its text can be read and stored; it can be read again.

    Raises:
        InputError: If it is not UTF-8, or takes more than the source's limit.
        ParseError: At a line with a character that cannot be stored.
    """
    source.keep()
    read_text(source)
    return source


def decode(data: bytes, path: str) -> str:
    """Returns the text of a file.

    Raises:
        InputError: If it is not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        with suppress(UnicodeDecodeError):
            check_characters(data.decode("utf-8", "surrogatepass"), path)
        line = data.count(b"\n", 0, error.start) + 1
        raise not_utf8(data, path, line, error.reason) from None


def check_size(text: str, limit: int, path: str) -> None:
    """Refuses a text that takes more memory than a limit when it is read, about.

    Raises:
        InputError: If it does.
    """
    if len(text) + sum(cost * text.count(sign) for sign, cost in COSTS.items()) > limit:
        raise InputError(
            say(
                "holds too much to be read at once: it takes more than {limit:,.0f} MiB",
                limit=limit / 2**20,
            ),
            path=path,
            hint="send it in parts; the command line has no such limit",
        )


def check_characters(text: str, path: str) -> None:
    """Refuses a text with a character that cannot be stored.

    Raises:
        ParseError: At its line.
    """
    found = UNUSABLE.search(text)
    if found is not None:
        raise unusable(text, found.start(), f"U+{ord(found[0]):04X}", path)


def unusable(text: str, place: int, what: str, path: str) -> InputError:
    """Returns the error about a character that cannot be stored."""
    message = f"a text holds a character that cannot be stored: {what}"
    hint = "it is of code 0, or half of a pair; repair or remove it"
    if not path:  # whoever asks knows the line
        return InputError(message, hint=hint)
    return ParseError(message, path=path, line=text.count("\n", 0, place) + 1, hint=hint)
