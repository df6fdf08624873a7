"""A case that a finding names: a query, perhaps with a document, and a number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from relyon.core.document.quoted_ids import quoted

__all__ = ["Example"]


class Example(str):
    """The text of an example, with the ids in it.

    Attributes:
        query: The query's id.
        document: The document's id; may be empty.
        said: The text after both.

    Examples:
        >>> one = Example.of("q1", "d7", " #12")
        >>> print(one)
        q1: d7 #12
        >>> one.described({"q1": "red shoes"}, {"d7": "Sneaker"})
        'q1 “red shoes”: d7 “Sneaker” #12'
    """

    query: str = ""
    document: str = ""
    said: str = ""

    @classmethod
    def of(cls, query: str, document: str = "", said: str = "") -> Self:
        """Returns the example of a query, or of one of its documents."""
        one = cls(f"{query}: {document}{said}" if document else f"{query}{said}")
        one.query, one.document, one.said = query, document, said
        return one

    def described(self, queries: Mapping[str, str], documents: Mapping[str, str]) -> str:
        """Returns its text with the query's text and the document's title."""
        if not self.query:
            return quoted(self, queries)  # from a user's rule: may be an id
        query = quoted(self.query, queries)
        if not self.document:
            return f"{query}{self.said}"
        return f"{query}: {quoted(self.document, documents)}{self.said}"
