"""Files with the fingerprints of documents' contents."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParseError
from relyon.core.texts import message
from relyon.data.document_prints import SKETCH, ContentPrint, content_print

if TYPE_CHECKING:
    import polars as pl

    from relyon.io.document_rows import DocumentRows

__all__ = ["KnownPrints", "prints_frame", "prints_of_rows", "read_prints", "write_prints"]

COLUMNS = ("query", "document", "fields", "fingerprint", "words", "sketch")
#: Hexadecimal digits of a hash in a sketch.
HASH = 8


@dataclass(frozen=True)
class KnownPrints:
    """What documents said at some time.

    Attributes:
        fields: The fields behind the fingerprints, in their order.
        documents: Fingerprints by document.
        pairs: Fingerprints by query and document, where a judge saw a text of that query alone.
        repeated: Documents that occur several times with different contents; the first counts.
    """

    fields: tuple[str, ...]
    documents: Mapping[str, ContentPrint] = field(default_factory=dict)
    pairs: Mapping[tuple[str, str], ContentPrint] = field(default_factory=dict)
    repeated: tuple[str, ...] = ()

    def find(self, query: str, document: str) -> ContentPrint | None:
        """Returns the fingerprint of a pair; None if it is unknown or without a text."""
        found = self.pairs.get((query, document)) or self.documents.get(document)
        return found or None

    def __len__(self) -> int:
        return len(self.documents) + len(self.pairs)


def prints_of_rows(
    rows: DocumentRows, wanted: Collection[str] | None = None, *, limit: int | None = SKETCH
) -> KnownPrints:
    """Returns the fingerprints of documents.

    Args:
        rows: The documents.
        wanted: Only these ids; None for all.
        limit: How many hashes of words are kept of each; None for all.
    """
    found: dict[str, ContentPrint] = {}
    repeated: dict[str, None] = {}
    for document, parts in rows:
        if wanted is not None and document not in wanted:
            continue
        one = content_print(parts, limit=limit)
        before = found.setdefault(document, one)
        if before.fingerprint != one.fingerprint:
            repeated[document] = None
    return KnownPrints(rows.fields, found, repeated=tuple(repeated))


def prints_frame(known: KnownPrints) -> pl.DataFrame:
    """Returns fingerprints as a table: `query` (if of pairs), `document`, `fields`, `fingerprint`,
    `words` and `sketch`.
    """
    import polars as pl

    names = " ".join(known.fields)
    rows: Iterable[tuple[str, str, ContentPrint]] = [
        *(("", document, one) for document, one in known.documents.items()),
        *((query, document, one) for (query, document), one in known.pairs.items()),
    ]
    table = [
        (query, document, names, one.fingerprint, one.words, _written(one.shortened()))
        for query, document, one in rows
    ]
    schema = dict.fromkeys(COLUMNS, pl.String) | {"words": pl.Int64}
    frame = pl.DataFrame(table, schema=schema, orient="row")
    return frame if known.pairs else frame.drop("query")


def write_prints(known: KnownPrints, path: str | os.PathLike[str]) -> None:
    """Writes fingerprints as CSV, TSV, JSON Lines or Parquet, by the file's name.

    Raises:
        ParameterError: If the suffix is unknown.
        InputError: If it cannot be written.
    """
    from relyon.io.table_files import write_table

    write_table(prints_frame(known), path)


def read_prints(path: str | os.PathLike[str]) -> KnownPrints:
    """Reads what `write_prints` wrote.

    Raises:
        InputError: If it is not such a file, or has fingerprints of different fields.
    """
    from relyon.io.table_files import read_table

    table = read_table(path)
    where = os.fspath(path)
    missing = [name for name in COLUMNS[1:] if name not in table.columns]
    if missing:
        raise InputError(
            message("io.is-not-prints", name=missing[0], names=list(table.columns)),
            path=where,
            hint=message("io.write-prints-first"),
        )
    fields = table["fields"].unique(maintain_order=True).to_list()
    if len(fields) > 1:
        raise InputError(
            message("io.prints-of-different-fields", names=fields[:3]),
            path=where,
            hint=message("io.write-prints-first"),
        )
    documents: dict[str, ContentPrint] = {}
    pairs: dict[tuple[str, str], ContentPrint] = {}
    repeated: dict[str, None] = {}
    for number, (query, document, one) in enumerate(_rows(table, where), 2):
        held: dict[object, ContentPrint] = pairs if query else documents  # type: ignore[assignment]
        key: object = (query, document) if query else document
        if not document:
            raise ParseError(message("io.print-without-document"), path=where, line=number)
        if held.setdefault(key, one).fingerprint != one.fingerprint:
            repeated[document] = None
    names = tuple(str(fields[0]).split()) if fields else ()
    return KnownPrints(names, documents, pairs, tuple(repeated))


def _rows(table: pl.DataFrame, path: str) -> Iterator[tuple[str, str, ContentPrint]]:
    def texts(name: str) -> list[str]:
        if name not in table.columns:
            return [""] * len(table)
        return [one or "" for one in table[name].cast(str).to_list()]

    queries, documents = texts("query"), texts("document")
    prints = zip(texts("fingerprint"), texts("words"), texts("sketch"), strict=True)
    for number, (mark, words, sketch) in enumerate(prints):
        try:
            one = ContentPrint(mark, int(words), _read(sketch))
        except ValueError:
            raise ParseError(
                message("io.print-is-damaged", document=documents[number]),
                path=path,
                line=number + 2,
                hint=message("io.write-prints-first"),
            ) from None
        yield queries[number], documents[number], one


def _written(one: ContentPrint) -> str:
    return "".join(f"{value:0{HASH}x}" for value in one.sketch)


def _read(text: str) -> tuple[int, ...]:
    return tuple(int(text[place : place + HASH], 16) for place in range(0, len(text), HASH))
