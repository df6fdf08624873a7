"""Judgments of passages for the tools: passages, chunks and texts from files of the folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from relyon.compat.mcp.folder import MOST_TOGETHER, Folder
from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.io.byte_source import Source

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.judgments import Judgments

__all__ = ["chunk_judgments"]

#: Copies a file of the folder into the current one.
Copy = Callable[[str], Source]


def chunk_judgments(
    name: str | None,
    chunks: Sequence[str],
    texts: str | None,
    *,
    copy: Copy,
    folder: Folder,
    scale: str | None,
) -> Judgments:
    """Returns the judgments of the chunks of a run.

    Args:
        name: The file of the judged passages.
        chunks: The tables of the chunks.
        texts: The texts of the documents, a table or a folder of files; `None` without quotes.
        copy: Copies a file of the folder into the current one, to be read there.
        folder: The folder.
        scale: The grade scale.

    Raises:
        InputError: If the data cannot be used.
        ParameterError: If there are no chunks or passages.
    """
    from relyon.data.chunks import Chunks
    from relyon.data.passage_rows import Faults
    from relyon.data.passages import Passages
    from relyon.io.passages import joined_chunks

    if not chunks:
        raise ParameterError(message("compat.mcp-texts-need-chunks"))
    if name is None:
        raise ParameterError(message("compat.mcp-name-judgments"))
    held = None if texts is None else _texts(texts, copy, folder)
    tables = []
    for one in chunks:
        path, rows = _table(one, copy)
        tables.append(Chunks.from_frame(rows, texts=held, source=path, faults=Faults(path)))
    path, rows = _table(name, copy)
    passages = Passages.from_frame(rows, scale=scale, source=path, faults=Faults(path))
    if held is not None:
        passages = passages.resolve(held)
    return passages.judgments(joined_chunks(tables))


def _table(name: str, copy: Copy) -> tuple[str, pl.DataFrame]:
    from relyon.io.table_files import read_table

    path = copy(name).path
    return path, read_table(path, limit=MOST_TOGETHER)


def _texts(name: str, copy: Copy, folder: Folder) -> Mapping[str, str]:
    from relyon.io.document_texts import document_texts

    parts = folder.real(name)
    if not os.path.isdir(os.path.join(folder.root, *parts)):
        return document_texts(_table(name, copy)[1])
    plain = folder.plain(name)
    for file, _ in folder.files():
        if file.startswith(plain + "/"):
            copy(file)
    os.makedirs(plain, exist_ok=True)
    return document_texts(plain)
