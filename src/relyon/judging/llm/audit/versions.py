"""Drift between two versions of a judge: the same items, graded under other settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.analysis.statistics.paired import Resampling
from relyon.core.document.json import json_values
from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.aggregation import aggregate
from relyon.data.scale import Scale
from relyon.judging.llm.audit.measurement import MARGIN, Verdict, verdict_of
from relyon.judging.llm.audit.shifts import Estimate, Shift, ends_of, measure_shift
from relyon.judging.llm.audit.system_bias import measure_system_bias
from relyon.judging.llm.figures import Figure, Unit, measure_figures
from relyon.judging.records import Item

if TYPE_CHECKING:
    from relyon.judging.llm.models import Configuration
    from relyon.judging.store import Store

__all__ = ["VersionDrift", "compare_versions", "measure_drift"]


@dataclass(frozen=True)
class DifferenceDrift:
    """How the difference between two systems changes from one version of a judge to another.

    Attributes:
        baseline: The baseline's name.
        candidate: The candidate's name.
        measure: The measure.
        queries: Queries of which the earlier version graded every document that the later one did.
        change: The mean difference by the later grades minus that by the earlier ones, on these.
    """

    baseline: str
    candidate: str
    measure: str
    queries: int
    change: Estimate

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "baseline": self.baseline,
            "candidate": self.candidate,
            "measure": self.measure,
            "queries": self.queries,
            "change": self.change.to_dict(),
        }


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
        systems: What the change does to differences of systems; empty without runs.
    """

    earlier: str
    later: str
    shift: Shift
    weighted_kappa: Figure
    verdict: Verdict
    systems: tuple[DifferenceDrift, ...] = ()

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
            "systems": [one.to_dict() for one in self.systems],
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
    runs: Mapping[str, object] | None = None,
    measure: str = "ndcg@10",
    margin: float = MARGIN,
    confidence: float = 0.95,
) -> VersionDrift:
    """Measures how the grades of two versions, or of two judges, in a database differ.

    Args:
        store: The database.
        earlier: The version to compare with.
        later: The audited version, of the same project.
        runs: The run of each system, the baseline first, to show what the change does to their
            differences.
        measure: The measure of the systems.
        margin: Shifts up to this share of the scale's range do not matter.
        confidence: Confidence level of the intervals.

    Raises:
        InputError: If no item was graded by both.
    """
    first, second = (
        {item: aggregate(given).value for item, given in store.replies.samples(one).items()}
        for one in (earlier, later)
    )
    items = store.items.all(later.project_id)
    scale = store.projects.get(later.project_id).scale
    found = measure_drift(
        first,
        second,
        items,
        scale,
        names=(earlier.title, later.title),
        margin=margin,
        confidence=confidence,
    )
    if not runs:
        return found
    # The later version takes the model's place, and the earlier one that of people.
    old, new = (
        {
            query: {one.document: grades[one.id] for one in own if one.id in grades}
            for query, own in _by_query(items, grades).items()
        }
        for grades in (first, second)
    )
    pairs = measure_system_bias(old, new, runs, scale, measure=measure, confidence=confidence).pairs
    drifts = tuple(
        DifferenceDrift(one.baseline, one.candidate, measure, one.labelled, one.bias)
        for one in pairs
    )
    return replace(found, systems=drifts)


def _by_query(items: Sequence[Item], grades: Mapping[int, float]) -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for one in items:
        if one.id in grades:
            found.setdefault(one.query, []).append(one)
    return found
