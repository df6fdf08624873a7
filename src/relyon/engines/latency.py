"""How long answers took, and how often there was none at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from relyon.engines.answers import Answers
from relyon.engines.tapes.entry import Entry

__all__ = ["Latency", "quantile"]


@dataclass(frozen=True)
class Latency:
    """The times of a variant's answers.

    They are the times from sending a request to its whole answer, as seen from here: network,
    waiting in the engine behind this search's other requests, and reading included.

    Attributes:
        queries: The number of answers.
        p50: The median in milliseconds; None without answers.
        p95: The 95th percentile in milliseconds; None without answers.
        longest: The longest in milliseconds; None without answers.
        retried: The number of requests that failed and were sent again.
        failed: The number of queries without an answer.

    Examples:
        >>> entries = [Entry(key=str(n), variant="base", query=str(n), ms=n) for n in range(1, 101)]
        >>> latency = Latency.of(entries)
        >>> latency.p50, latency.p95
        (50.5, 95.05)
    """

    queries: int
    p50: float | None
    p95: float | None
    longest: float | None
    retried: int
    failed: int

    @classmethod
    def of(cls, entries: Iterable[Entry] | Answers) -> Latency:
        """Returns the latency of a variant's entries."""
        answers = entries if isinstance(entries, Answers) else Answers.of(entries)
        found = answers.outlines
        times = sorted(one.ms for one in found if not one.failed)
        return cls(
            len(times),
            quantile(times, 0.5),
            quantile(times, 0.95),
            times[-1] if times else None,
            sum(one.retries for one in found),
            sum(bool(one.failed) for one in found),
        )

    def to_dict(self) -> dict[str, float | int | None]:
        """Returns the numbers by name; times are in milliseconds."""
        return {
            "queries": self.queries,
            "p50_ms": self.p50,
            "p95_ms": self.p95,
            "longest_ms": self.longest,
            "retried": self.retried,
            "failed": self.failed,
        }


def quantile(ordered: list[float], share: float) -> float | None:
    """Returns a quantile of ascending numbers, interpolated as NumPy does; None of none.

    Examples:
        >>> quantile([1.0, 2.0, 4.0], 0.5), quantile([], 0.5)
        (2.0, None)
    """
    if not ordered:
        return None
    place = (len(ordered) - 1) * share
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
