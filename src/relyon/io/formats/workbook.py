"""Excel workbooks: a sheet is read as the CSV that its `Source` returns."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO, ClassVar

from relyon.io.feature_rows import feature_frames
from relyon.io.format import formats
from relyon.io.formats.delimited import Delimited
from relyon.io.workbook_writer import frame_table, workbook_bytes

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.labelled import LabelledRows

__all__ = ["Excel"]


class Excel(Delimited):
    """A sheet of an Excel workbook."""

    name: ClassVar[str] = "xlsx"
    title: ClassVar[str] = "Excel"
    aliases: ClassVar[tuple[str, ...]] = ("excel",)
    suffixes: ClassVar[tuple[str, ...]] = (".xlsx",)

    def write_features(self, rows: LabelledRows, stream: BinaryIO) -> None:
        """Writes the columns query, document, label, weight and position, and those of features."""
        frames = feature_frames(rows)
        first = frame_table(next(frames))
        rest = chain.from_iterable(frame_table(frame).rows for frame in frames)
        stream.write(workbook_bytes([replace(first, rows=chain(first.rows, rest))]))

    def _write(self, frame: pl.DataFrame, stream: BinaryIO) -> None:
        stream.write(workbook_bytes([frame_table(frame)]))


formats.register(Excel())
