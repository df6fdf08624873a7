"""How much memory a Parquet file takes, from its own tables, before anything of it is decoded.

A megabyte of Parquet can stand for gigabytes: pages are compressed, values repeat as runs, and rows
need space even where they are all alike. The footer says how many values there are, each page how
long it is unpacked; readers allocate what these say. They are written in Thrift's compact protocol,
of which this reads as much as is needed: https://parquet.apache.org/docs/file-format/metadata/
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from relkit.core.errors import InputError

__all__ = ["measure_parquet"]

MAGIC = b"PAR1"
#: Bytes of a footer that are read: a hundred columns in a hundred parts take a tenth of it.
LARGEST_FOOTER = 2**23
#: Bytes of a page's header.
LARGEST_HEADER = 2**16
#: Bytes that a value takes besides its text: texts are views of 16 bytes.
VALUE = 16
#: The encoding that repeats the start of the text before: a page says nothing of its real size.
REPEATING = 7

Struct = dict[int, Any]


def measure_parquet(data: bytes, path: str) -> int:
    """Returns how many bytes a file takes at least when it is read.

    Args:
        data: The file.
        path: Its name, for messages.

    Raises:
        InputError: If it is no Parquet, or does not say how large it is.
    """
    try:
        return _measure(data, path)
    except InputError:
        raise
    except (IndexError, KeyError, TypeError, ValueError, RecursionError):
        raise InputError(
            "cannot be read as Parquet: damaged", path=path, hint="write or download it again"
        ) from None


def _measure(data: bytes, path: str) -> int:
    length = int.from_bytes(data[-8:-4], "little")
    if data[:4] != MAGIC or data[-4:] != MAGIC or not 0 < length <= len(data) - 12:
        raise ValueError
    if length > LARGEST_FOOTER:
        raise InputError("describes itself in more than 8 MiB", path=path)
    footer = _Thrift(data, len(data) - 8 - length, len(data) - 8).struct()
    size = 0
    for group in footer.get(4, []):
        for column in group[1]:
            about = column[3]
            values, unpacked = 0, 0
            for header in _pages(data, about):
                unpacked += header[2]
                told = header.get(5) or header.get(8) or {}
                if REPEATING in (header.get(5, {}).get(2), header.get(8, {}).get(4)):
                    raise InputError(
                        "is encoded so that its size cannot be told (DELTA_BYTE_ARRAY)",
                        path=path,
                        hint="write it with the usual encodings, or as CSV",
                    )
                values += told.get(1, 0)
            size += max(unpacked, 0) + VALUE * max(values, about[5], group[3])
    return size


def _pages(data: bytes, about: Struct) -> Iterator[Struct]:
    """Yields the headers of a column's pages."""
    start = about[9]
    if 0 < about.get(11, 0) < start:
        start = about[11]
    end = start + about[7]
    if not 4 <= start <= end <= len(data):
        raise ValueError
    while start < end:
        reader = _Thrift(data, start, min(end, start + LARGEST_HEADER))
        header = reader.struct()
        if header[2] < 0 or header[3] < 0:
            raise ValueError
        yield header
        start = reader.place + header[3]


class _Thrift:
    """Reads Thrift's compact protocol: structs as dicts by the numbers of their fields."""

    def __init__(self, data: bytes, place: int, end: int) -> None:
        self.data = data
        self.place = place
        self.end = end

    def byte(self) -> int:
        if self.place >= self.end:
            raise ValueError
        self.place += 1
        return self.data[self.place - 1]

    def varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise ValueError

    def whole(self) -> int:
        found = self.varint()
        return (found >> 1) ^ -(found & 1)

    def skip(self, count: int) -> None:
        if not 0 <= count <= self.end - self.place:
            raise ValueError
        self.place += count

    def struct(self) -> Struct:
        fields: Struct = {}
        number = 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.whole()
            kind = head & 15
            fields[number] = kind == 1 if kind in (1, 2) else self.value(kind)
        return fields

    def value(self, kind: int) -> Any:
        if kind in (1, 2, 3):
            return self.byte()
        if kind in (4, 5, 6):
            return self.whole()
        if kind == 7:
            return self.skip(8)
        if kind == 8:  # texts say nothing of sizes
            return self.skip(self.varint())
        if kind in (9, 10):
            head = self.byte()
            count = head >> 4 if head >> 4 < 15 else self.varint()
            if count > self.end - self.place:
                raise ValueError
            return [self.value(head & 15) for _ in range(count)]
        if kind == 12:
            return self.struct()
        raise ValueError
