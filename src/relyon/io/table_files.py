"""Small tables from files: earlier judgments with their dates, pilots, samples."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, BinaryIO

from relyon.core.cells import csv_frame
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.io.atomic_files import replaced_file
from relyon.io.bounded import check_csv, read_bounded_jsonl, read_bounded_parquet
from relyon.io.byte_source import Source, split_suffix
from relyon.io.encoding import not_utf8
from relyon.io.format import first_lines
from relyon.io.sheet_names import SUFFIXES as WORKBOOKS, file_and_sheet
from relyon.io.text_rows import check_width, csv_rows, json_object, read_cells, separator_of

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SUFFIXES", "check_name", "has_table", "read_table", "table_of", "write_table"]

SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
WORKBOOK = WORKBOOKS[0]


def has_table(path: str | os.PathLike[str]) -> bool:
    """Whether a file's name is that of a table that can be read here."""
    file = file_and_sheet(os.fspath(path))[0]
    return split_suffix(file)[1] in (*SUFFIXES, *WORKBOOKS)


def read_table(path: str | os.PathLike[str], *, limit: int | None = None) -> pl.DataFrame:
    """Reads CSV, TSV, a sheet of Excel (all three as text), JSON Lines or Parquet.

    Args:
        path: The file.
        limit: Approximate bytes that it may take, unpacked and read, for untrusted data. JSON Lines
            are then all text, with the members of their first line. None for no limit.

    Raises:
        InputError: If it cannot be read, or takes more.
    """
    return table_of(Source(os.fspath(path), limit=limit))


def table_of(source: Source) -> pl.DataFrame:
    """Reads the table of an opened file, within its limit: see `read_table`.

    Raises:
        InputError: If it cannot be read, or takes more.
    """
    import polars as pl

    limit, data = source.limit, source.read_all()
    separator = ""
    try:
        if source.suffix == ".parquet":
            if limit is None:
                return pl.read_parquet(io.BytesIO(data))
            return read_bounded_parquet(data, limit, source.path)
        if source.suffix in (".jsonl", ".ndjson"):
            if limit is None:
                return pl.read_ndjson(io.BytesIO(data), infer_schema_length=None)
            return read_bounded_jsonl(data, limit, source.path)
        line = b"".join(first_lines(source.head, comment=b"")).decode("utf-8", "replace")
        marks = "," if source.workbook else "\t" if source.suffix == ".tsv" else ",;\t|"
        separator = separator_of(line, marks)
        if limit is not None:
            check_csv(data, separator, limit, source.path)
        return read_cells(data, separator=separator, path=source.path)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        if source.suffix != ".parquet":
            _refuse_line(data, separator, source.path)
        reason = (str(error).splitlines() or ["damaged"])[0]
        raise InputError(
            message("core.cannot-be-read-reason", reason=reason), path=source.path
        ) from None


def _refuse_line(data: bytes, separator: str, path: str) -> None:
    """Refuses the first line that is not JSON, or of too many fields: Polars names none.

    Raises:
        ParseError: If there is one.
    """
    lines = data.split(b"\n")
    if not separator:
        for number, line in enumerate(lines, 1):
            if line.strip():
                json_object(line, path, number)
        return
    texts = []
    for number, line in enumerate(lines, 1):
        try:
            texts.append(line.decode() + "\n")
        except UnicodeDecodeError as error:
            raise not_utf8(line, path, number, error.reason) from None
    width = 0
    for number, fields in csv_rows(texts, path, separator):
        width = width or len(fields)
        if len(fields) > width:
            check_width(fields, width, path, number)


def write_table(frame: pl.DataFrame, path: str | os.PathLike[str]) -> None:
    """Writes CSV, TSV, Excel, JSON Lines or Parquet, by the file's name, atomically.

    Raises:
        ParameterError: If the suffix is unknown.
        InputError: If it cannot be written.
    """
    target = os.fspath(path)
    suffix = check_name(target)
    with replaced_file(target) as partial, open(partial, "xb") as file:
        _write(frame, file, suffix)


def check_name(path: str) -> str:
    """Returns the suffix of a file that can be written.

    Raises:
        ParameterError: If the suffix is unknown.
    """
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in (*SUFFIXES, WORKBOOK):
        raise ParameterError(
            message("io.has-no-suffix", path=path),
            hint=message("io.end-in-parquet"),
        )
    return suffix


def _write(frame: pl.DataFrame, file: BinaryIO, suffix: str) -> None:
    if suffix == ".parquet":
        frame.write_parquet(file)
    elif suffix in (".jsonl", ".ndjson"):
        frame.write_ndjson(file)
    elif suffix == WORKBOOK:
        from relyon.io.workbook_writer import frame_table, workbook_bytes

        file.write(workbook_bytes([frame_table(frame)]))
    else:
        file.write(csv_frame(frame, separator="\t" if suffix == ".tsv" else ",").encode())
