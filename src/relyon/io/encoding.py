"""Text that is not UTF-8: a guess of its encoding, and the error that reports it."""

from __future__ import annotations

import codecs
import re

from relyon.core.errors import InputError, ParseError
from relyon.core.texts import message

__all__ = [
    "NOT_UTF8",
    "carriage_returns",
    "check_encoding",
    "check_line_ends",
    "check_wide",
    "decoded",
    "guess",
    "not_utf8",
]

#: The message of native code about a line; it does not look for the encoding.
NOT_UTF8 = "is not UTF-8 text"
#: What all bytes can be.
SINGLE = "LATIN1"
#: The most frequent characters: the first level of GB 2312, by their first byte.
COMMON = range(0xB0, 0xD8)
#: What unpacks a file before it can be converted.
UNPACKERS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bzip2", ".xz": "xz", ".lz4": "lz4"}
KANA = re.compile("[\u3040-\u30ff]")


def guess(data: bytes) -> str:
    """Returns the name of the encoding that bytes seem to have, as `iconv` knows it.

    Args:
        data: The beginning of a text that is not UTF-8.

    Examples:
        >>> guess("查询,文档\\n手机壳,甲".encode("gbk")), guess("café".encode("latin-1"))
        ('GBK', 'LATIN1')
    """
    if (japanese := decoded(data, "shift_jis")) and len(KANA.findall(japanese)) > 3:
        return "SHIFT_JIS"
    if decoded(data, "gb18030") is not None:
        pairs = re.findall(rb"[\x81-\xfe][\x40-\xfe]", data)
        common = sum(pair[0] in COMMON and pair[1] >= 0xA1 for pair in pairs)
        if common * 2 > len(pairs):
            return "GBK" if decoded(data, "gbk") is not None else "GB18030"
        if decoded(data, "big5") is not None and len(pairs) > 1:
            return "BIG5"
        if decoded(data, "gbk") is None:
            return "GB18030"
    return SINGLE


def decoded(data: bytes, encoding: str) -> str | None:
    """Returns the text that bytes are in an encoding, or None; the last character may be cut."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(data)
    except UnicodeDecodeError:
        return None


def not_utf8(data: bytes, path: str, line: int, reason: str, hint: str = "") -> ParseError:
    """Returns the error for text that is not UTF-8.

    Args:
        data: Bytes to guess the encoding from: the beginning of the file, or the line.
        path: The file.
        line: The first line that is not UTF-8.
        reason: Python's error.
        hint: The hint, if not how to name the encoding or to convert the file.
    """
    found = guess(data)
    return ParseError(
        message("io.is-not-utf-8-text", reason=reason,
                encoding=found),
        path=path,
        line=line,
        hint=hint or _way_out(found, path),
    )  # fmt: skip


def _way_out(encoding: str, path: str) -> str:
    """Returns the hint to name the encoding, or to convert the file."""
    return message(
        "io.name-encoding-or-convert", encoding=encoding, convert=_conversion(encoding, path)
    )


def _conversion(encoding: str, path: str) -> str:
    import shlex

    name = shlex.quote(path) if not path.startswith("<") else "FILE"
    for suffix, program in UNPACKERS.items():
        if path.endswith(suffix):
            return message(
                "io.convert-dc-iconv-f",
                program=program,
                encoding=encoding,
                path=name,
            )
    return message("io.convert-iconv-f-t", encoding=encoding, path=name)


def check_wide(head: bytes, path: str) -> None:
    """Refuses UTF-16 without a byte-order mark; with one it is read.

    Raises:
        InputError: If it is UTF-16.
    """
    start = head[:400]
    odd, even = start[1::2].count(0), start[0::2].count(0)
    if max(odd, even) > max(2, len(start) / 10) and min(odd, even) == 0:
        found = "UTF-16LE" if odd else "UTF-16BE"
        raise InputError(
            message("io.is-text", encoding=found[:6]), path=path, hint=_way_out(found, path)
        )


def check_line_ends(head: bytes, path: str) -> None:
    """Refuses text whose lines end with carriage returns alone; JSON may be in one line.

    Raises:
        ParseError: If they do.
    """
    text = head.strip()
    if b"\r" in text and b"\n" not in text and not text.startswith((b"{", b"[", b"PAR1")):
        raise carriage_returns(path, 1)


def carriage_returns(path: str, line: int) -> ParseError:
    """Returns the error about lines that end with a carriage return alone."""
    return ParseError(
        message("io.lines-end-with-carriage"),
        path=path,
        line=line,
        hint=message("io.write-them-with-line"),
    )


def check_encoding(head: bytes, path: str) -> None:
    """Refuses text whose beginning is in a multi-byte encoding, such as GBK; Parquet passes.

    One of single bytes, such as Latin-1, is left to the formats, which know the contents of a line.

    Args:
        head: The first bytes; the last character may be cut.
        path: The file.

    Raises:
        ParseError: If it is not UTF-8, at its line.
    """
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError as error:
        if head.startswith(b"PAR1") or guess(head) == SINGLE:
            return
        line = head.count(b"\n", 0, error.start) + 1
        raise not_utf8(head, path, line, error.reason) from None
