"""Drift between two versions of a judge: the same items, graded under other settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.statistics.paired import Resampling
from relyon.core.document.json import json_values
from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.aggregation import aggregate
from relyon.data.scale import Scale
from relyon.judging.llm.audit.measurement import MARGIN, Verdict, verdict_of
from relyon.judging.llm.audit.shifts import Shift, ends_of, measure_shift
from relyon.judging.llm.figures import Figure, Unit, measure_figures
from relyon.judging.records import Item

if TYPE_CHECKING:
    from relyon.judging.llm.models import Configuration
    from relyon.judging.store import Store

__all__ = ["VersionDrift", "compare_versions", "measure_drift"]


@dataclass(frozen=True)
class VersionDrift:
    """How the grades of a judge differ between two versions of its settings.

    Attributes:
        earlier: The earlier version, or another judge.
        later: The version that is audited.
        shift: The later grade minus the earlier one.
        weighted_kappa: Quadratic weighted kappa of the two, with its interval over queries.
        verdict: `found` if p is at most 1 - confidence; `excluded` if the interval of the shift is
            within the margin; else `open`.
    """

    earlier: str
    later: str
    shift: Shift
    weighted_kappa: Figure
    verdict: Verdict

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        kappa = self.weighted_kappa
        return {
            "earlier": self.earlier,
            "later": self.later,
            **self.shift.to_dict(),
            "weighted_kappa": json_values(
                {"value": kappa.value, "low": kappa.low, "high": kappa.high}
            ),
            "verdict": self.verdict,
        }


def measure_drift(
    earlier: Mapping[int, float],
    later: Mapping[int, float],
    items: Sequence[Item],
    scale: Scale,
    *,
    names: tuple[str, str] = ("earlier", "later"),
    margin: float = MARGIN,
    confidence: float = 0.95,
    resampling: Resampling | None = None,
) -> VersionDrift:
    """Measures how two versions of a judge differ on the items that both graded.

    Args:
        earlier: Grades by item.
        later: Grades by item.
        items: The items, with their queries.
        scale: The grade scale.
        names: The names of both.
        margin: Shifts up to this share of the scale's range do not matter.
        confidence: Confidence level of the intervals.
        resampling: Number of sign patterns, or of draws of queries for kappa, and seed.

    Raises:
        InputError: If no item was graded by both, or the scale is open: it has no levels.

    Examples:
        >>> from relyon.data.scale import SEARCH
        >>> items = [Item(f"q{n}", "d", id=n) for n in range(40)]
        >>> old = {n: n % 4 for n in range(40)}
        >>> new = {n: max(n % 4 - (n % 5 == 1), 0) for n in range(40)}
        >>> found = measure_drift(old, new, items, SEARCH)
        >>> round(found.shift.mean.value, 2), found.verdict
        (-0.15, 'found')
    """
    ends = ends_of(scale)
    both = [one for one in items if one.id in earlier and one.id in later]
    if not both:
        raise InputError(
            message("judging.no-item-of-both-versions", first=names[0], second=names[1]),
            hint=message("judging.relyon-judge-llm-items"),
        )
    shift = measure_shift(
        [earlier[one.id] for one in both],
        [later[one.id] for one in both],
        [one.query for one in both],
        ends,
        confidence=confidence,
        resampling=resampling,
    )
    units = [Unit.of_two(one.query, later[one.id], earlier[one.id]) for one in both]
    figures = measure_figures(units, scale, confidence=confidence)
    limit = margin * (ends[1] - ends[0])
    verdict = verdict_of(shift.mean, shift.p, limit, confidence)
    return VersionDrift(names[0], names[1], shift, figures.weighted_kappa, verdict)


def compare_versions(
    store: Store,
    earlier: Configuration,
    later: Configuration,
    *,
    margin: float = MARGIN,
    confidence: float = 0.95,
) -> VersionDrift:
    """Measures how the grades of two versions, or of two judges, in a database differ.

    Args:
        store: The database.
        earlier: The version to compare with.
        later: The audited version, of the same project.
        margin: Shifts up to this share of the scale's range do not matter.
        confidence: Confidence level of the intervals.

    Raises:
        InputError: If no item was graded by both.
    """
    first, second = (
        {item: aggregate(given).value for item, given in store.replies.samples(one).items()}
        for one in (earlier, later)
    )
    return measure_drift(
        first,
        second,
        store.items.all(later.project_id),
        store.projects.get(later.project_id).scale,
        names=(earlier.title, later.title),
        margin=margin,
        confidence=confidence,
    )
