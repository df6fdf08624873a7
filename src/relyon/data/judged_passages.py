"""The judged passages of each query, and the chunks of a run."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from relyon import _native

if TYPE_CHECKING:
    from relyon.data.chunks import Chunks
    from relyon.data.parts import JudgedPart

__all__ = ["JudgedPassages"]


class JudgedPassages:
    """The judged passages of each query, and the chunks of a run.

    Args:
        by_query: The passages of each query.
        chunks: The chunks.

    Examples:
        >>> import relyon
        >>> passages = relyon.Passages.from_dict({"q": [("d", 10, 30, 2)]})
        >>> judgments = passages.judgments(relyon.Chunks.from_dict({"a": ("d", 0, 25)}))
        >>> judgments.passages.of("q")[0].name
        'd:10-30'
    """

    def __init__(self, by_query: dict[str, tuple[JudgedPart, ...]], chunks: Chunks) -> None:
        self.by_query = by_query
        self.chunks = chunks

    def of(self, query: str) -> tuple[JudgedPart, ...]:
        """Returns the judged passages of a query."""
        return self.by_query.get(query, ())

    @cached_property
    def table(self) -> _native.JudgmentTable:
        """The passages as judgments of their places, which do not depend on the chunks.

        Fingerprints of judgments are of this table: those of two ways of cutting are equal.
        """
        return _native.JudgmentTable.from_dict(
            {
                query: {_written(passage): passage.grade for passage in passages}
                for query, passages in self.by_query.items()
            }
        )


def _written(passage: JudgedPart) -> str:
    document, start, end, found = passage.part
    return f"{document} {start}-{end}" if found else f"{document} ?{passage.name}"
