"""Files of what ids stand for: texts of queries, titles of documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from relyon.cli.messages import messages

if TYPE_CHECKING:
    from relyon.io.descriptions import Descriptions

__all__ = ["Described", "described_options"]

HELP = {
    "queries": "A table of query ids and texts (CSV, TSV, JSON Lines, Parquet), to show"
    " texts next to ids.",
    "documents": "A table of the documents' ids and titles (CSV, TSV, JSON Lines, Parquet), to show"
    " titles next to ids.",
}


@dataclass(frozen=True)
class Described:
    """What `--queries` and `--documents` say.

    Attributes:
        queries: Texts of queries, `None` where there is no file.
        documents: Titles of documents, in the same way.
    """

    queries: Descriptions | None
    documents: Descriptions | None

    @classmethod
    def of(cls, values: dict[str, Any]) -> Described:
        """Takes its own options out of a command's."""
        from relyon.io.descriptions import Descriptions

        queries, documents = values.pop("query_texts"), values.pop("document_titles", None)
        return cls(
            None if queries is None else Descriptions(queries, "query"),
            None if documents is None else Descriptions(documents, "document"),
        )

    @property
    def paths(self) -> list[str]:
        """The files: none of them may be written to."""
        return [one.path for one in (self.queries, self.documents) if one is not None]

    @property
    def texts(self) -> dict[str, Descriptions | None]:
        """What functions take by keyword."""
        return {"query_texts": self.queries, "document_titles": self.documents}

    def notes(self) -> None:
        """Says of which ids nothing is known, after they were asked for."""
        for one in (self.queries, self.documents):
            messages.notes(() if one is None else one.notes())


def described_options(
    *, documents: bool = True
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds ``--queries`` and ``--documents``; the command gets one `Described`.

    Args:
        documents: Whether the command names documents.
    """
    options = [click.option("--queries", "query_texts", metavar="FILE", help=HELP["queries"])]
    if documents:
        options.append(
            click.option("--documents", "document_titles", metavar="FILE", help=HELP["documents"])
        )

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def packed(**values: Any) -> Any:
            described = Described.of(values)
            return command(described=described, **values)

        for option in reversed(options):
            packed = option(packed)
        return packed

    return decorate
