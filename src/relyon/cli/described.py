"""Files of query texts and document titles."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal, Self

from relyon.cli.messages import messages
from relyon.cli.request import Declared, group, option, request

if TYPE_CHECKING:
    from relyon.io.descriptions import Descriptions

__all__ = ["Described", "described_options"]


@request
class Described:
    """What `--queries` and `--documents` say."""

    query_texts: str | None = option(
        "--queries",
        "query_texts",
        metavar="FILE",
        help="A table of query ids and texts (CSV, TSV, JSON Lines, Parquet), to show"
        " texts next to ids.",
    )
    document_titles: str | None = option(
        "--documents",
        "document_titles",
        metavar="FILE",
        help="A table of the documents' ids and titles (CSV, TSV, JSON Lines, Parquet), to show"
        " titles next to ids.",
    )

    @cached_property
    def queries(self) -> Descriptions | None:
        """Texts of queries, `None` if there is no file."""
        return _read(self.query_texts, "query")

    @cached_property
    def documents(self) -> Descriptions | None:
        """Titles of documents, in the same way."""
        return _read(self.document_titles, "document")

    def beside(self, columns: bool) -> Self:
        """Returns the same; a table of queries needs no texts if other columns of it are used.

        Args:
            columns: Whether columns of the table of queries are used.
        """
        if columns and self.query_texts is not None:
            self.__dict__["queries"] = _read(self.query_texts, "query", "optional")
        return self

    @property
    def paths(self) -> list[str]:
        """The files: none of them may be written to."""
        return [one.path for one in (self.queries, self.documents) if one is not None]

    def notes(self) -> None:
        """Reports requested ids without a description."""
        for one in (self.queries, self.documents):
            messages.notes(() if one is None else one.notes())


def described_options(*, documents: bool = True) -> Declared:
    """Declares ``--queries``, and ``--documents`` if the command names documents."""
    return group(Described, "query_texts", *(["document_titles"] if documents else []))


def _read(
    path: str | None,
    kind: Literal["query", "document"],
    texts: Literal["needed", "optional"] = "needed",
) -> Descriptions | None:
    from relyon.io.descriptions import Descriptions

    return None if path is None else Descriptions(path, kind, texts)
