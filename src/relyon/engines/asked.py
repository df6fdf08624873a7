"""What is asked and what comes back: queries, variants, requests and answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from relyon.engines.files.template import Scalar

__all__ = ["Answer", "Query", "Request", "Variant"]


@dataclass(frozen=True)
class Query:
    """A query to send.

    Attributes:
        id: Its id in judgments and runs.
        text: What a user typed.
        values: Further columns of the file of queries, for templates.
    """

    id: str
    text: str
    values: Mapping[str, Scalar] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Variant:
    """One setting of an engine's parameters, which gives one run.

    Attributes:
        name: Its name: that of its run.
        parameters: All parameters, those of the engine's file included.
    """

    name: str
    parameters: Mapping[str, Scalar] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Request:
    """One query for one variant.

    Attributes:
        query: The query.
        variant: The variant.
        k: How many results are asked for.
        explain: Whether the engine's explanation of scores is asked for.
    """

    query: Query
    variant: Variant
    k: int
    explain: bool = False

    @property
    def values(self) -> dict[str, Scalar]:
        """The values of a template: columns of the query, parameters, `query`, `query_id`, `k`."""
        return {
            **self.query.values,
            **self.variant.parameters,
            "query": self.query.text,
            "query_id": self.query.id,
            "k": self.k,
        }


@dataclass(frozen=True)
class Answer:
    """The results of one request, in the engine's order, at most k, every document once.

    Attributes:
        ids: The documents.
        scores: The engine's scores; None for a result without one.
        fields: What is known of each document: `title`, `text`, `url`, `image` and others.
        explanations: The engine's explanation of each score; empty if none was asked for.
        took: Milliseconds by the engine's own clock; None if it does not say.
        duplicates: How many results were left out because their document came before.
        total: How many documents match, as the engine says; None if it does not.
    """

    ids: Sequence[str]
    scores: Sequence[float | None]
    fields: Sequence[Mapping[str, str]] = ()
    explanations: Sequence[str] = ()
    took: float | None = None
    duplicates: int = 0
    total: int | None = None
