"""What a contrast of pooled numbers shows beside them: the bounded share, and who decides it."""

from __future__ import annotations

from dataclasses import dataclass

from relyon.core.document.json import json_number

__all__ = ["Dominance", "ShareContrast"]


@dataclass(frozen=True)
class ShareContrast:
    """The share of positive pairs beside a ratio of pairs, from 0 to 1.

    Attributes:
        baseline: The baseline's share.
        candidate: The candidate's.
        difference: candidate - baseline.
        interval: Its confidence interval; NaN if there is none.
        p: By Fisher's randomisation test of whole queries, not corrected.
    """

    baseline: float
    candidate: float
    difference: float
    interval: tuple[float, float]
    p: float

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "baseline": json_number(self.baseline),
            "candidate": json_number(self.candidate),
            "difference": json_number(self.difference),
            "interval": [json_number(bound) for bound in self.interval],
            "p": json_number(self.p),
        }


@dataclass(frozen=True)
class Dominance:
    """A query without which a pooled difference would be another.

    Attributes:
        query: Its id.
        share: Its share of all pairs, or of the denominator.
        difference: candidate - baseline without it.
        interval: The confidence interval without it, which does not contain the difference of all
            queries.
    """

    query: str
    share: float
    difference: float
    interval: tuple[float, float]

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "query": self.query,
            "share": json_number(self.share),
            "difference": json_number(self.difference),
            "interval": [json_number(bound) for bound in self.interval],
        }
