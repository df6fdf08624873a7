"""The footer of a Parquet file, read without decoding anything else.

The footer and the page headers use Thrift's compact protocol, of which this module reads a part:
https://parquet.apache.org/docs/file-format/metadata/
"""

from __future__ import annotations

from typing import Any

__all__ = ["MAGIC", "Struct", "Thrift", "row_groups"]

MAGIC = b"PAR1"
#: Most bytes of a footer that are read for the sizes of its row groups.
LONGEST_FOOTER = 2**20

Struct = dict[int, Any]


def row_groups(path: str) -> list[int] | None:
    """Returns the rows per row group; None if the footer is damaged or very long."""
    with open(path, "rb") as file:
        end = file.seek(0, 2)
        file.seek(max(end - 8, 0))
        tail = file.read(8)
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != MAGIC or not 0 < length <= min(end - 12, LONGEST_FOOTER):
            return None
        file.seek(end - 8 - length)
        data = file.read(length)
    try:
        return [group[3] for group in Thrift(data, 0, length).struct()[4]]
    except (IndexError, KeyError, TypeError, ValueError, RecursionError):
        return None


class Thrift:
    """Reads Thrift's compact protocol: structs as dicts by field number."""

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
        if kind == 8:  # text fields do not matter for sizes
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
