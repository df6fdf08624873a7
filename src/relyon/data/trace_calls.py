"""One call of a search tool, as a trace records it."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["TraceCall"]


@dataclass(frozen=True)
class TraceCall:
    """One call of a search tool.

    Attributes:
        query: The text that was sent; empty if unknown.
        documents: The ids of its results, in the order in which they are written.
        scores: Their scores. If none were given: their number, falling to 1.
        scored: Whether scores were given.
        ranks: Their ranks: the places in the list, or the ranks of a run; `None` if the run that
            the call was made of has none.
        starts: Where each result begins in its document, in characters, or `None`; the whole is
            `None` if no result of the traces says so.
        ends: Where each result ends, likewise.
        read: The documents that were then read, in order; `None` if reading was not recorded.
        tokens: The tokens that the call cost; NaN if unknown.
        seconds: The seconds that it took; NaN if unknown.
    """

    query: str
    documents: tuple[str, ...]
    scores: tuple[float, ...]
    scored: bool
    ranks: tuple[int, ...] | None
    starts: tuple[float | None, ...] | None
    ends: tuple[float | None, ...] | None
    read: tuple[str, ...] | None
    tokens: float
    seconds: float

    def to_dict(self) -> dict[str, object]:
        """Returns the members of the call as JSON Lines have them, without unknown ones."""
        results: list[object] = []
        for place, document in enumerate(self.documents):
            one: dict[str, object] = {"document": document}
            if self.scored:
                one["score"] = self.scores[place]
            for name, values in (("start", self.starts), ("end", self.ends)):
                value = None if values is None else values[place]
                if value is not None:
                    one[name] = int(value) if value.is_integer() else value
            results.append(one)
        if not self.scored and not any(len(dict(one)) > 1 for one in results):  # type: ignore[call-overload]
            results = list(self.documents)
        found: dict[str, object] = {"query": self.query} if self.query else {}
        found["results"] = results
        if self.read is not None:
            found["read"] = list(self.read)
        for name, amount in (("tokens", self.tokens), ("seconds", self.seconds)):
            if not math.isnan(amount):
                found[name] = int(amount) if amount.is_integer() else amount
        return found
