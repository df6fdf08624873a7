"""The memory that a Parquet file takes, from its metadata, before anything is decoded.

A megabyte of Parquet can expand to gigabytes: pages are compressed, values are run-length encoded,
and rows need space even if they are all equal. The footer gives the number of values, each page its
unpacked size; readers allocate accordingly.
"""

from __future__ import annotations

from collections.abc import Iterator

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.io.parquet_footer import MAGIC, Struct, Thrift

__all__ = ["measure_parquet"]

#: Most bytes of a footer that are read: a hundred columns in a hundred parts take a tenth of it.
LARGEST_FOOTER = 2**23
#: Most bytes of a page's header.
LARGEST_HEADER = 2**16
#: Bytes per value besides its text: texts are views of 16 bytes.
VALUE = 16
#: The encoding that repeats the start of the previous text: a page does not give its real size.
REPEATING = 7


def measure_parquet(data: bytes, path: str) -> int:
    """Returns a lower bound of the bytes that a file takes when read.

    Args:
        data: The file.
        path: Its name, for messages.

    Raises:
        InputError: If it is not Parquet, or its size is unknown.
    """
    try:
        return _measure(data, path)
    except InputError:
        raise
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError):
        raise InputError(
            message("io.cannot-be-read-as-parquet"),
            path=path,
            hint=message("io.write-or-download-again"),
        ) from None


def _measure(data: bytes, path: str) -> int:
    length = int.from_bytes(data[-8:-4], "little")
    if data[:4] != MAGIC or data[-4:] != MAGIC or not 0 < length <= len(data) - 12:
        raise ValueError
    if length > LARGEST_FOOTER:
        raise InputError(message("io.has-footer-of-more-than-8"), path=path)
    footer = Thrift(data, len(data) - 8 - length, len(data) - 8).struct()
    size = 0
    for group in footer.get(4, []):
        for column in group[1]:
            about = column[3]
            values, unpacked = 0, 0
            for header in _pages(data, about):
                unpacked += header[2]
                page = header.get(5) or header.get(8) or {}
                if REPEATING in (header.get(5, {}).get(2), header.get(8, {}).get(4)):
                    raise InputError(
                        message("io.has-encoding-that-hides"),
                        path=path,
                        hint=message("io.write-with-usual-encodings"),
                    )
                values += page.get(1, 0)
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
        reader = Thrift(data, start, min(end, start + LARGEST_HEADER))
        header = reader.struct()
        if header[2] < 0 or header[3] < 0:
            raise ValueError
        yield header
        start = reader.place + header[3]
