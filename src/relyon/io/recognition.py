"""Recognises the format of a file by its suffix, then by its content, opening it once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import BinaryIO

from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.io.byte_source import Source, is_sqlite
from relyon.io.declared_encoding import declared_for, no_text
from relyon.io.encoding import check_encoding
from relyon.io.format import MODULES, Format, Kind, first_lines, formats

__all__ = ["open_source", "possible_formats"]


def open_source(
    where: str | os.PathLike[str] | BinaryIO | Source,
    *,
    format: str | None = None,
    kind: Kind | None = None,
    named: bool = False,
    encoding: str | None = None,
) -> Source:
    """Opens a file and recognises its format, reading only its beginning.

    Imports none of NumPy, Polars and narwhals.

    Args:
        where: A path, "-" for standard input, an open binary file, or a source, which is returned.
            A judging database is named by its file or URL, and its project after `#`.
        format: The name of its format; None recognises it by suffix, then by content.
        kind: The kind of data to look for, if a file may have several formats.
        named: Whether the caller gives column names.
        encoding: The encoding of its text, such as "gbk"; None for UTF-8, or the one that
            `text_encoding` declares or that is certain.

    Returns:
        The source, with `format`, `compression`, and `plain` if native code can read it directly.

    Raises:
        InputError: If it cannot be read or its format is not recognised.
        ParameterError: If the format is ambiguous, or the file has an encoding, but is not text.
        UnknownNameError: If there is no format or encoding of that name.
    """
    chosen = formats.get(format) if format is not None else None
    database = None if isinstance(where, Source) else _database(where, encoding)
    if database is not None:
        if chosen is not None and chosen.name != database.format:
            raise ParameterError(
                message("io.is-judging-database-not", path=database.path, format=chosen.name),
                hint=message("io.leave-format-out"),
            )
        return database
    source = where if isinstance(where, Source) else Source(where, encoding=encoding)
    check_encoding(source.head, source.path)
    if chosen is not None:
        source.format = chosen.name
    elif not source.format:
        source.format = _recognise(source, kind, named=named).name
    return source


def _database(
    where: str | os.PathLike[str] | BinaryIO, encoding: str | None = None
) -> Source | None:
    """Returns a judging database if the path names one."""
    if not isinstance(where, str | os.PathLike):
        return None
    path = os.fspath(where)
    if "#" not in path and "://" not in path and not is_sqlite(path):
        return None
    from relyon.io.databases import database_at

    found = database_at(path)
    if found is not None and declared_for(path, encoding) is not None:
        raise no_text(found.path, message("io.judging-database"))
    return found


def _recognise(source: Source, kind: Kind | None, *, named: bool) -> Format:
    found = possible_formats(source.suffix, source.head, kind, named=named)
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(one.name for one in found)
        raise ParameterError(
            message(
                "core.source-path-format-could",
                source_path=source.path,
                names=names,
            ),
            hint=message("core.name-with-format"),
        )
    line = b"".join(first_lines(source.head, comment=b""))[:60].decode("utf-8", "replace")
    raise InputError(
        message("io.format-is-not-recognised", line=line),
        path=source.path,
        hint=message(
            "core.name-with-format-one-of-formats", formats=[f"`{name}`" for name in formats]
        ),
    )


def possible_formats(
    suffix: str, head: bytes, kind: Kind | None = None, *, named: bool = False
) -> list[Format]:
    """Returns the formats that a file may have: one, several if it is ambiguous, or none.

    Args:
        suffix: The suffix of its name, such as ".csv".
        head: Its first bytes.
        kind: The kind of data to look for: formats that support it take precedence.
        named: Whether the caller gives column names, so that it is a table.

    Examples:
        >>> [one.name for one in possible_formats("", b'{"query_doc_pairs": []}')]
        ['quepid-book']
        >>> [one.name for one in possible_formats(".csv", b"query,docid,Ann,Bo", "sheet")]
        ['csv', 'quepid-book-csv']
    """
    if head.startswith(b"PAR1"):
        return [formats.get("parquet")]
    trec = formats.get("trec")
    fits = kind is None or kind in trec.kinds
    if suffix in trec.suffixes or (
        fits and suffix in ("", *trec.weak_suffixes) and trec.recognises(head)
    ):
        return [trec]  # the others are not even imported
    every = _in_order()
    found = [one for one in every if suffix in one.suffixes]
    if found:
        found = [one for one in found if one.may_be(head)] or found
    else:
        found = [one for one in every if one.recognises(head)]
        # A general format is taken if nothing more specific is recognised.
        found = [one for one in found if not one.general] or found[:1]
    if not found:
        found = [one for one in every if suffix in one.weak_suffixes][:1]
    if kind is not None:
        found = [one for one in found if kind in one.kinds] or found
    if named:
        found = [one for one in found if one.tabular] or found
    return sorted(found, key=lambda one: one.name)


def _in_order() -> Sequence[Format]:
    """Returns the user's formats, then those of this package."""
    ours = [name for names in MODULES.values() for name in names.split() if name in [*formats]]
    added = [name for name in formats if name not in ours]
    return [formats.get(name) for name in (*added, *ours)]
