"""Texts of documents by their ids: from a mapping, a table, or a folder of files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.columns import NAMES, is_frame, named_series, plain_name

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FolderTexts", "document_texts"]

#: Names of the columns of a table of texts.
IDS, TEXTS = NAMES["document"], NAMES["text"]


class FolderTexts(Mapping[str, str]):
    """The text files of a folder, by the names of the documents; each is read when it is needed.

    A document's id is its file's path below the folder, or the same without its suffix, with `/`
    between folders. Line ends are kept as they are, since offsets count them.

    Args:
        folder: The folder.

    Raises:
        InputError: If it contains no files.
    """

    def __init__(self, folder: str) -> None:
        root = Path(folder)
        self._folder = folder
        files = sorted(
            path
            for path in root.rglob("*")
            if path.is_file()
            and not any(part.startswith(".") for part in path.relative_to(root).parts)
        )
        if not files:
            raise InputError(message("data.folder-has-no-texts"), path=folder)
        whole = {path.relative_to(root).as_posix(): path for path in files}
        short: dict[str, Path | None] = {}
        for name, path in whole.items():
            stem = name.removesuffix(path.suffix)
            short[stem] = None if stem in short else path
        # A name without its suffix that two files share means neither.
        self._files = {name: path for name, path in short.items() if path is not None} | whole
        self._names = [*whole]
        self._read: dict[str, str] = {}

    def __getitem__(self, document: str) -> str:
        path = self._files[document]
        key = os.fspath(path)
        if key not in self._read:
            from relyon.io.byte_source import Source
            from relyon.io.plain_text import decode

            hint = message("io.name-encoding-of-folder", folder=self._folder)
            self._read[key] = decode(Source(key).read_all(), key, hint)
        return self._read[key]

    def __contains__(self, document: object) -> bool:
        return document in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def document_texts(source: object) -> Mapping[str, str]:
    """Returns the texts of documents by their ids.

    Args:
        source: A mapping from ids to texts; a frame, or a CSV, TSV, JSON Lines or Parquet file,
            with a column of ids and one of texts; or a folder of text files (see `FolderTexts`).

    Raises:
        InputError: If there are no texts.

    Examples:
        >>> document_texts({1: "One."})
        {'1': 'One.'}
    """
    if isinstance(source, Mapping):
        if isinstance(source, FolderTexts):
            return source
        return {str(document): str(text) for document, text in source.items()}
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        if os.path.isdir(path):
            return FolderTexts(path)
        from relyon.io.table_files import read_table

        return _table(read_table(path), path)
    if is_frame(source):
        import polars as pl

        names = {*IDS, *TEXTS}
        return _table(pl.DataFrame(named_series(source, lambda one: plain_name(one) in names)), "")
    raise InputError(
        message("data.texts-are-not", name=type(source).__name__),
        hint=message("data.give-table-of-texts"),
    )


def _table(table: pl.DataFrame, path: str) -> dict[str, str]:
    import polars as pl

    plain = {plain_name(name): name for name in table.columns}
    texts = next((plain[name] for name in TEXTS if name in plain), None)
    ids = next((plain[name] for name in IDS if name in plain and plain[name] != texts), None)
    if texts is None or ids is None:
        raise InputError(
            message("data.texts-are-not", name=[*table.columns]),
            path=path,
            hint=message("data.give-table-of-texts"),
        )
    rows = table.select(
        pl.col(ids).cast(pl.String, strict=False), pl.col(texts).cast(pl.String, strict=False)
    )
    return {document: text for document, text in rows.drop_nulls().iter_rows() if document.strip()}
