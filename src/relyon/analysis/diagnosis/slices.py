"""The candidate does not lose on the whole, but on the queries of one value of a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.analysis.comparison.breakdowns.sentences import hidden_parts
from relyon.analysis.diagnosis.example import Example
from relyon.analysis.diagnosis.rule import Finding, Rule, Subject, register

if TYPE_CHECKING:
    from relyon.analysis.comparison.breakdowns.breakdown import Breakdown, Part

__all__ = ["Slice"]

#: The last part of a finding's sentence: how the values compare with each other.
DIFFER = {True: "text.differ", False: "text.same"}


@register
@dataclass(frozen=True)
class Slice(Rule):
    """A measure is significantly worse on one value of a column, and not on all queries.

    Only a comparison that is broken down by columns has such values. The p-value is corrected over
    all values, measures and candidates of the breakdown. The most likely loss is reported; that
    the values differ from each other is a second test, and the finding says what it shows.
    """

    name: ClassVar[str] = "slice"

    def measures(self) -> tuple[str, ...]:
        return ()

    def apply(self, subject: Subject) -> Finding | None:
        comparison = subject.comparison
        found = [
            (breakdown, part)
            for breakdown in comparison.breakdowns
            for part in hidden_parts(breakdown, comparison)
            if part.contrast.candidate == subject.candidate
        ]
        if not found:
            return None
        breakdown, part = min(found, key=lambda one: (one[1].contrast.p_adjusted, one[1].gain))
        one = part.contrast
        whole = comparison.contrast(one.candidate, one.measure)
        spread = breakdown.spread(one.candidate, one.measure)
        better = whole.verdict == "better"
        differ = DIFFER[spread is not None and spread.significant]
        return Finding(
            self.name,
            "high" if better else "medium",
            {
                "measure": one.measure,
                "column": breakdown.column,
                "value": part.group.value or None,
                "values": part.group.values,
                "whole_difference": whole.difference,
                "whole_p": whole.p_adjusted,
                "whole_queries": whole.queries,
                "baseline": one.baseline_mean,
                "candidate": one.candidate_mean,
                "difference": one.difference,
                "interval": one.interval,
                "confidence": comparison.confidence,
                "p": one.p_adjusted,
                "queries": one.queries,
                "corrected": max(breakdown.corrected, 1),
                "shrunken": part.shrunken,
                "spread_p": float("nan") if spread is None else spread.p_adjusted,
                "further": len(found) - 1,
            },
            parts=(
                "text" if part.group.kind == "value" else f"text.{part.group.kind}",
                differ,
                *(["text.more"] if len(found) > 1 else []),
            ),
            examples=tuple(_examples(subject, part)),
            chart_data=tuple(_rows(breakdown, part)),
            heading="title" if better else "title.open",
        )


def _examples(subject: Subject, part: Part) -> list[Example]:
    """Returns the queries of the value that lose most."""
    one = part.contrast
    deltas = subject.comparison.deltas(one.candidate, one.measure)
    sign = -1 if one.difference > 0 else 1
    own = [(sign * deltas[query], query) for query in part.group.queries if query in deltas]
    return [
        Example.of(query, said=f" ({sign * change:+.4f})")
        for change, query in sorted(own)[:5]
        if change < 0
    ]


def _rows(breakdown: Breakdown, part: Part) -> list[dict[str, object]]:
    """Returns the numbers of every value of the column."""
    one = part.contrast
    return [
        {
            "value": each.group.value or f"({each.group.kind})",
            "queries": each.contrast.queries,
            "baseline": each.contrast.baseline_mean,
            "candidate": each.contrast.candidate_mean,
            "difference": each.contrast.difference,
        }
        for each in breakdown.of(one.candidate, one.measure)
    ]
