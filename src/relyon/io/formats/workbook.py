"""Excel workbooks: a sheet is read as the CSV that its `Source` returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO, ClassVar

from relyon.io.feature_rows import feature_frames
from relyon.io.format import formats
from relyon.io.table_columns import Table, short_grades
from relyon.io.tabular import TabularFormat
from relyon.io.workbook_writer import frame_table, workbook_bytes

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.judgments import Judgments
    from relyon.data.labelled import LabelledRows
    from relyon.data.run import Run
    from relyon.data.scale import Scale
    from relyon.data.sheets import Sheet
    from relyon.io.byte_source import Source

__all__ = ["Excel"]


class Excel(TabularFormat):
    """A sheet of an Excel workbook."""

    name: ClassVar[str] = "xlsx"
    title: ClassVar[str] = "Excel"
    aliases: ClassVar[tuple[str, ...]] = ("excel",)
    suffixes: ClassVar[tuple[str, ...]] = (".xlsx",)

    def is_sheet(self, head: bytes) -> bool:
        """Whether there are columns of judges and of grades."""
        return formats.get("csv").is_sheet(head)

    def read_judgments(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
    ) -> Judgments:
        """Reads what CSV would contain."""
        return formats.get("csv").read_judgments(source, columns=columns, scale=scale)

    def read_sheet(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
    ) -> Sheet:
        """Reads what CSV would contain."""
        return formats.get("csv").read_sheet(source, columns=columns, scale=scale)

    def table(self, source: Source, kind: str, columns: Mapping[str, str] | None) -> Table:
        """Reads some columns of every row."""
        found = formats.get("csv")
        if not isinstance(found, TabularFormat):
            return super().table(source, kind, columns)
        return found.table(source, kind, columns)

    def write_judgments(self, judgments: Judgments, stream: BinaryIO) -> None:
        """Writes the columns query, document and grade, and subtopic if there are subtopics."""
        _write(short_grades(judgments), stream)

    def write_run(self, run: Run, stream: BinaryIO) -> None:
        """Writes the columns query, document and score, and rank if the run has ranks."""
        _write(run.to_frame(), stream)

    def write_features(self, rows: LabelledRows, stream: BinaryIO) -> None:
        """Writes the columns query, document, label, weight and position, and those of features."""
        frames = feature_frames(rows)
        first = frame_table(next(frames))
        rest = chain.from_iterable(frame_table(frame).rows for frame in frames)
        stream.write(workbook_bytes([replace(first, rows=chain(first.rows, rest))]))


def _write(frame: pl.DataFrame, stream: BinaryIO) -> None:
    stream.write(workbook_bytes([frame_table(frame)]))


formats.register(Excel())
