"""Reading judged passages and tables of chunks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.chunks import Chunks
from relyon.data.passage_rows import Faults, Offsets
from relyon.data.passages import Passages
from relyon.io.byte_source import Source
from relyon.io.document_texts import document_texts
from relyon.io.table_files import table_of, write_table

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.scale import Scale

__all__ = ["joined_chunks", "read_chunks", "read_passages", "write_passages"]

#: Files whose rows are lines.
LINES = (".jsonl", ".ndjson")
TABLES = (".csv", ".tsv")


def read_passages(
    source: object,
    *,
    texts: object = None,
    columns: Mapping[str, str] | None = None,
    scale: Scale | str | None = None,
    similarity: float = 0.9,
    offsets: Offsets = "characters",
) -> Passages:
    """Reads judgments of passages from a file, frame or dict.

    A row is one passage: query, document, and start and end (the place in the document's text, the
    end exclusive) or quote; perhaps grade (1 if there is none) and passage, a name of its own
    within the query. With texts, quotes are searched and offsets checked: see `Passages.resolve`.

    Args:
        source: A CSV, TSV, JSON Lines, Parquet or Excel file, compressed or not; any data frame; a
            dict as for `Passages.from_dict`; or `Passages`.
        texts: The texts of the documents: a mapping from ids, a frame, a table with the columns
            document and text, or a folder of text files named after the documents.
        columns: Column names by role: query, document, start, end, quote, grade, passage. Other
            roles are found by the usual names.
        scale: The grade scale, or its name: grades may then be names of levels.
        similarity: The lowest similarity of a quote and its place; see `Passages.resolve`.
        offsets: What starts and ends count: `characters` (Unicode code points); `lf`, characters
            with the two of a Windows line end as one, as in texts that Python reads; bytes of
            `utf8`, or units of `utf16`, as in JavaScript and Java. All but characters need texts.

    Raises:
        InputError: If the data cannot be used; the message names the file and the line.

    Examples:
        >>> read_passages({"q": [("d", 10, 30)]})
        Passages(queries=1, passages=1, source='memory')
    """
    if isinstance(source, Passages):
        found = source
    elif isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        table, notes = _table(path, "passages", columns)
        found = Passages.from_frame(
            table, columns, scale=scale, source=path, faults=_faults(table, path)
        )
        found.notes = (*notes, *found.notes)
    elif isinstance(source, Mapping):
        found = Passages.from_dict(source, scale=scale)
    else:
        found = Passages.from_frame(source, columns, scale=scale)
    if texts is not None:
        return found.resolve(document_texts(texts), similarity=similarity, offsets=offsets)
    if offsets != "characters":
        from relyon.data.passage_rows import check_offsets

        check_offsets(offsets, None, found.path)
    return found


def read_chunks(
    source: object,
    *,
    texts: object = None,
    columns: Mapping[str, str] | None = None,
    similarity: float = 0.9,
    offsets: Offsets = "characters",
) -> Chunks:
    """Reads the table of the chunks that a run ranks.

    A row is one chunk: its id, its document, and start and end (the place in the document's text,
    the end exclusive) or its text, which is searched in the document's: see `Chunks.from_dict`. A
    start and a text are enough. A chunk with a place and a text has the place, if its text is
    there, or else the nearest place of its text, with a note. Members of nested JSON are columns,
    such as `metadata.source`.

    Args:
        source: A CSV, TSV, JSON Lines, Parquet or Excel file, compressed or not; any data frame; a
            dict as for `Chunks.from_dict`; or `Chunks`.
        texts: The texts of the documents; see `read_passages`.
        columns: Column names by role: chunk, document, start, end, text. Other roles are found by
            the usual names.
        similarity: The lowest similarity of a chunk's text and its place.
        offsets: What starts and ends count; see `read_passages`.

    Raises:
        InputError: If the data cannot be used; the message names the file and the line.

    Examples:
        >>> read_chunks({"a": ("d", 0, 25), "b": ("d", 20, 50)})
        Chunks(chunks=2, documents=1, source='memory')
    """
    if isinstance(source, Chunks):
        return source
    known = None if texts is None else document_texts(texts)
    if isinstance(source, Mapping):
        return Chunks.from_dict(source, texts=known, similarity=similarity, offsets=offsets)
    read = partial(
        Chunks.from_frame, columns=columns, texts=known, similarity=similarity, offsets=offsets
    )
    if not isinstance(source, str | os.PathLike):
        return read(source)
    path = os.fspath(source)
    table, notes = _table(path, "chunks", columns)
    found = read(table, source=path, faults=_faults(table, path))
    found.notes = (*notes, *found.notes)
    return found


def joined_chunks(tables: Sequence[Chunks]) -> Chunks:
    """Returns the chunks of several tables.

    Raises:
        InputError: If two tables have chunks of one id at different places.

    Examples:
        >>> one, two = read_chunks({"a": ("d", 0, 9)}), read_chunks({"b": ("d", 0, 5)})
        >>> len(joined_chunks([one, two]))
        2
    """
    first, *others = tables
    if not others:
        return first
    parts = dict(first.parts)
    for other in others:
        for chunk, part in other.parts.items():
            if parts.setdefault(chunk, part) != part:
                raise InputError(
                    message("data.chunk-has-two-places", chunk=chunk),
                    path=other.path,
                    hint=message("io.evaluate-chunkings-apart"),
                )
    notes = [note for one in tables for note in one.notes]
    notes.append(Note("several-chunk-tables", len(tables), "warning"))
    return Chunks(parts, source=first.source, notes=tuple(notes))


def write_passages(passages: Passages, path: str | os.PathLike[str]) -> None:
    """Writes passages with their places as CSV, TSV, Excel, JSON Lines or Parquet, by the name.

    Args:
        passages: The passages; their columns are those of `Passages.to_frame`.
        path: The file, which is replaced if it exists.

    Raises:
        ParameterError: If the suffix is unknown.
        InputError: If it cannot be written.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     write_passages(read_passages({"q": [("d", 10, 30)]}), f"{folder}/passages.csv")
        ...     print(read_passages(f"{folder}/passages.csv").passages[0].part.start)
        10
    """
    write_table(passages.to_frame(), path)


def _table(
    path: str, kind: str, columns: Mapping[str, str] | None
) -> tuple[pl.DataFrame, tuple[Note, ...]]:
    """Returns a table, and notes on its encoding and the columns that it is read from."""
    from relyon.data.columns import choose, synonyms_of

    source = Source(path)
    table = table_of(source)
    if not table.height:
        raise InputError(message("core.contains-no-rows"), path=path)
    table = _flat(table)
    chosen = choose(table.columns, kind, columns=columns, path=path)
    source.synonyms = synonyms_of(chosen, columns)
    return table, source.notes


def _flat(table: pl.DataFrame) -> pl.DataFrame:
    """Returns a table whose nested members are columns, such as `metadata.source`."""
    import polars as pl

    nested = [name for name, kind in table.schema.items() if isinstance(kind, pl.Struct)]
    inner = [
        pl.col(name).struct.field(field).alias(f"{name}.{field}")
        for name in nested
        for field in table[name].struct.fields
    ]
    return table.with_columns(inner).drop(nested) if nested else table


def _faults(table: pl.DataFrame, path: str) -> Faults:
    """Returns how errors name rows: by their lines, if the file has lines."""
    from relyon.io.byte_source import split_suffix

    suffix = split_suffix(path)[1]
    if suffix in LINES:
        return Faults(path, range(1, table.height + 1))
    if suffix not in TABLES:
        return Faults(path)
    import polars as pl

    text = [name for name, kind in table.schema.items() if kind == pl.String]
    breaks = table.select(
        pl.sum_horizontal(
            [pl.col(name).fill_null("").str.count_matches("\n", literal=True) for name in text]
            or [pl.lit(0)]
        ).alias("breaks")
    )["breaks"]
    before = breaks.cum_sum() - breaks
    return Faults(path, [2 + row + int(more) for row, more in enumerate(before.to_list())])
