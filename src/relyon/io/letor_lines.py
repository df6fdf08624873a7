"""One line of SVMlight or LETOR text, and its errors."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParseError
from relyon.core.texts import message
from relyon.data.columns import number
from relyon.io.byte_source import Source
from relyon.io.encoding import not_utf8

if TYPE_CHECKING:
    from relyon.data.scale import Scale

__all__ = [
    "DOCUMENT",
    "finite",
    "no_query",
    "refuse_line",
    "row_of",
    "row_values",
    "rows_of",
    "single",
    "sizes_of",
]

#: How a comment names its document.
DOCUMENT = re.compile(r"\bdoc(?:ument)?_?(?:id|no)\s*=\s*(\S+)", re.I)
_NUMBERED = re.compile(r"([1-9]\d*):(\S+)", re.ASCII)

#: The highest feature number, as in the native reader.
MOST_FEATURES = 1 << 20


def row_values(texts: str, path: str, line: int) -> dict[str, float]:
    """Returns the values of a row's features by number."""
    features = {}
    for text in texts.split():
        found = _NUMBERED.fullmatch(text)
        value = number(found[2]) if found else None
        if found is None or value is None or not math.isfinite(value):
            raise ParseError(message("io.is-not-feature", text=text[:60]), path=path, line=line)
        features[found[1]] = value
    return features


def rows_of(content: bytes, path: str) -> Iterator[tuple[int, str, str | None, str, str]]:
    """Yields line, label, query (None without `qid:`), comment and features of every row."""
    for line, text in _lines(content, path):
        found = row_of(text, path, line)
        if found is not None:
            yield (line, *found)


def row_of(text: str, path: str, line: int) -> tuple[str, str | None, str, str] | None:
    """Returns label, query, comment and features of one line; None if it is not a row."""
    data, _, comment = text.partition("#")
    fields = data.split(maxsplit=2)
    if not fields:
        return None
    query = None
    if len(fields) > 1 and fields[1].startswith("qid:"):
        query = fields[1][4:]
        if not query:
            raise ParseError(message("io.query-id-after-qid"), path=path, line=line)
    elif len(fields) > 1 and ":" not in fields[1]:
        raise ParseError(
            message("io.expected-label-qid-n", text=text.strip()[:80]),
            path=path,
            line=line,
        )
    features = data.split(maxsplit=1 if query is None else 2)
    return fields[0], query, comment, "".join(features[1 if query is None else 2 :])


def refuse_line(
    content: bytes, path: str, line: int, *, grouped: bool, scale: Scale | None, features: str
) -> None:
    """Raises the error for a line that the native reader could not use.

    Args:
        content: The line's bytes.
        path: The file.
        line: The line's number.
        grouped: Whether another file gives the sizes of queries.
        scale: Names that labels may have.
        features: The type in which features are kept; empty if they are not.

    Raises:
        ParseError: Always; it describes the error.
    """
    found = row_of(_decoded(content, path, line), path, line)
    if found is not None:
        label, query, _, texts = found
        if query is None and not grouped:
            raise no_query(path, line)
        finite(label, "label", path, line, scale)
        for name, value in (row_values(texts, path, line) if features else {}).items():
            if int(name) > MOST_FEATURES:
                raise ParseError(
                    message("io.feature-number-is-too", name=name[:60]),
                    path=path,
                    line=line,
                    hint=message("io.features-are-numbered", most=MOST_FEATURES),
                )
            if features == "float32" and abs(value) > 3.4028234663852886e38:
                raise ParseError(
                    message("core.feature-name-is-value", name=name, value=value),
                    path=path,
                    line=line,
                    hint=message("io.single-precision-cannot-represent"),
                )
    raise ParseError(message("core.is-unreadable"), path=path, line=line)


def _decoded(content: bytes, path: str, line: int) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise not_utf8(content, path, line, error.reason) from None


def _lines(content: bytes, path: str) -> Iterator[tuple[int, str]]:
    for place, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        yield place, _decoded(line, path, place)


def single(source: Source) -> Iterator[tuple[int, str]]:
    """Returns the only number in a line."""
    for line, text in _lines(source.read_all(), source.path):
        fields = text.split()
        if len(fields) > 1:
            raise ParseError(
                message("io.expected-one-number-per", text=text.strip()[:80]),
                path=source.path,
                line=line,
            )
        if fields:
            yield line, fields[0]


def finite(text: str, what: str, path: str, line: int, scale: Scale | None = None) -> float:
    """Returns the finite number in a text, or the grade that it names.

    Raises:
        ParseError: If it is neither.
    """
    try:
        found = number(text) if scale is None else scale.parse(text)
    except InputError as error:
        raise ParseError(error.message, path=path, line=line, hint=error.hint) from None
    if found is None:
        raise ParseError(
            message("core.is-not-number", what=what, text=text),
            path=path,
            line=line,
        )
    if not math.isfinite(found):
        raise ParseError(
            message("core.what-is-found", what=what, found=found),
            path=path,
            line=line,
            hint=message("io.labels-and-scores"),
        )
    return found


def sizes_of(groups: Source, rows: int, path: str) -> list[int]:
    """Returns the number of rows per query from a file with one number per line.

    Raises:
        InputError: If they do not add up to the number of rows.
    """
    sizes = []
    for line, text in single(groups):
        if not (text.isascii() and text.isdecimal()):
            raise ParseError(
                message("io.group-size-is-not-count", text=text),
                path=groups.path,
                line=line,
            )
        sizes.append(int(text))
    if sum(sizes) != rows:
        raise InputError(
            message(
                "io.group-sizes-add-up",
                sizes=sum(sizes),
                path=path,
                rows=rows,
            ),
            path=groups.path,
        )
    return sizes


def no_query(path: str, line: int) -> ParseError:
    """Returns the error for a row without a query."""
    return ParseError(
        message("io.qid-is-missing"),
        path=path,
        line=line,
        hint=message("io.name-file-with-number"),
    )
