"""Reads a Parquet file a few row groups at a time, so that it is never in memory whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from relyon.io.parquet_footer import row_groups

if TYPE_CHECKING:
    import polars as pl

__all__ = ["RowGroups"]

#: Row groups are read together up to this many rows.
FEW_ROWS = 2**19
#: Larger ones are read in parts of about this many rows, each of which decompresses the group
#: again.
MANY_ROWS = 3 * 2**17


class RowGroups:
    """The rows of a Parquet file, one part at a time.

    Args:
        path: The file.

    Attributes:
        columns: The names of its columns.
    """

    def __init__(self, path: str) -> None:
        import polars as pl

        self._frame = pl.scan_parquet(path, glob=False, use_statistics=False, low_memory=True)
        self._schema = self._frame.collect_schema()
        self._groups = row_groups(path)
        self.columns = self._schema.names()

    def has_whole_numbers(self, column: str) -> bool:
        """Whether a column contains whole numbers."""
        return self._schema[column].is_integer()

    def first(self, columns: Iterable[str], rows: int) -> pl.DataFrame:
        """Returns some columns of the first rows."""
        return self._frame.select(list(dict.fromkeys(columns))).head(rows).collect()

    def parts(self, columns: Iterable[str]) -> Iterator[pl.DataFrame]:
        """Yields some columns, a few row groups at a time."""
        frame = self._frame.select(list(dict.fromkeys(columns)))
        start = 0
        for rows in self._sizes():
            yield frame.slice(start, rows).collect()
            start += rows

    def _sizes(self) -> Iterator[int]:
        """Yields the number of rows of each part."""
        waiting = 0
        for rows in self._groups or [self._height()]:
            if waiting and waiting + rows > FEW_ROWS:
                yield waiting
                waiting = 0
            waiting += rows
            for left in range(round(waiting / MANY_ROWS), 1, -1):
                part = waiting // left
                yield part
                waiting -= part
        if waiting:
            yield waiting

    def _height(self) -> int:
        import polars as pl

        return int(self._frame.select(pl.len()).collect().item())
