"""Options for judgments of passages: the chunks of runs, and the texts of documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from relyon.cli.file_columns import check_columns_for, columns_for
from relyon.cli.option_values import format_named_by
from relyon.cli.request import option, request
from relyon.cli.shares import SHARE_ABOVE_0
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.data.chunks import Chunks
    from relyon.data.judgments import Judgments
    from relyon.data.passage_rows import Offsets
    from relyon.data.passages import Passages
    from relyon.data.scale import Scale

__all__ = ["PASSAGE_ROLES", "PassageFiles"]

#: The names that `--judgments-columns` accepts if the judgments are of passages.
PASSAGE_ROLES = ("query", "document", "start", "end", "quote", "grade", "passage")
#: The names that `--chunks-columns` accepts.
CHUNK_ROLES = ("chunk", "document", "start", "end", "text")
#: Their option.
CHUNKS_COLUMNS = "--chunks-columns"


@request
class PassageFiles:
    """The options for judgments of passages; false without a table of chunks."""

    chunks: tuple[str, ...] = option(
        "--chunks",
        metavar="FILE",
        multiple=True,
        help="The judgments are of passages, and runs rank chunks: the table of these chunks, with"
        " the columns chunk, document, start and end, or text. Repeat it if runs rank different"
        " chunks.",
    )
    chunks_columns: tuple[str, ...] = option(
        CHUNKS_COLUMNS,
        metavar="[FILE=]NAME=COLUMN,…",
        multiple=True,
        help="The columns of the tables of --chunks, such as chunk=id,text=content; NAME is chunk,"
        " document, start, end or text.",
    )
    document_texts: str | None = option(
        "--texts",
        "document_texts",
        metavar="FILE|FOLDER",
        help="The texts of the documents, to find quotes and texts of chunks in: a table with the"
        " columns document and text, or a folder of text files named after the documents.",
    )
    similarity: float = option(
        "--similarity",
        type=SHARE_ABOVE_0,
        default=0.9,
        show_default=True,
        help="With --texts: the lowest similarity of a quote and its place; 1 allows only other"
        " white space and width.",
    )
    offsets: Offsets = option(
        "--offsets",
        type=click.Choice(["characters", "lf", "utf8", "utf16"]),
        default="characters",
        show_default=True,
        help="What start and end count: characters (Unicode code points); lf: the same with each"
        " Windows line end as one, as in texts that Python reads; bytes of UTF-8, or units of"
        " UTF-16. All but characters need --texts.",
    )
    chunk_share: float = option(
        "--chunk-share",
        type=SHARE_ABOVE_0,
        default=0.5,
        show_default=True,
        help="With --chunks: a chunk has the grade of a passage if it contains at least this share"
        " of it. Measures of passages have a share of their own: span_recall(share=0.8)@10.",
    )

    def __bool__(self) -> bool:
        return bool(self.chunks)

    @property
    def paths(self) -> list[str]:
        """The files."""
        return [*self.chunks, *([] if self.document_texts is None else [self.document_texts])]

    def check(self, judgments_format: str | None, *, scored: bool) -> None:
        """Refuses options that have no effect.

        Raises:
            ParameterError: If there are any.
        """
        if self.document_texts is not None and not self.chunks:
            raise ParameterError(
                message("cli.texts-need-chunks"), hint=message("cli.add-chunks-or-resolve")
            )
        if self.chunks and (scored or judgments_format is not None):
            other = "--scored" if scored else "--judgments-format"
            raise ParameterError(
                message("cli.chunks-exclude", other=other), hint=message("cli.passages-are-table")
            )
        if self.chunks_columns and not self.chunks:
            raise ParameterError(
                message("cli.columns-need-chunks"), hint=message("cli.add-chunks-or-resolve")
            )

    def judgments(
        self, path: str, columns: Mapping[str, str] | None, scale: Scale | None
    ) -> Judgments:
        """Reads judgments of passages, and returns those of the chunks."""
        texts = self.known_texts()
        return self.read(path, columns, scale, texts).judgments(
            self.joined(texts), share=self.chunk_share
        )

    def joined(self, texts: Mapping[str, str] | None) -> Chunks:
        """Reads the chunks of all tables."""
        from relyon.io.passages import joined_chunks, read_chunks

        check_columns_for(self.chunks, self.chunks_columns, CHUNK_ROLES, CHUNKS_COLUMNS)
        tables = []
        for path in self.chunks:
            columns = columns_for(path, self.chunks_columns, CHUNK_ROLES, CHUNKS_COLUMNS)
            with format_named_by("--chunks-format", CHUNKS_COLUMNS, per_file=len(self.chunks) > 1):
                tables.append(
                    read_chunks(
                        path,
                        texts=texts,
                        columns=columns or None,
                        similarity=self.similarity,
                        offsets=self.offsets,
                    )
                )
        return joined_chunks(tables)

    def known_texts(self) -> Mapping[str, str] | None:
        """Returns the texts of the documents, if they are given."""
        from relyon.io.document_texts import document_texts

        return None if self.document_texts is None else document_texts(self.document_texts)

    def read(
        self,
        path: str,
        columns: Mapping[str, str] | None,
        scale: Scale | None,
        texts: Mapping[str, str] | None,
    ) -> Passages:
        """Reads judgments of passages, with their places."""
        from relyon.io.passages import read_passages

        with format_named_by("--judgments-format", "--judgments-columns"):
            return read_passages(
                path,
                texts=texts,
                columns=columns,
                scale=scale,
                similarity=self.similarity,
                offsets=self.offsets,
            )
