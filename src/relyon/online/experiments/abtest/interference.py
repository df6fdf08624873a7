"""Did something else than the ranker decide what users saw or did?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.analysis.statistics import RatioEstimate, adjust, difference_of, jackknife_ratio
from relyon.online.experiments.abtest.experiment_check import (
    ExperimentCheck,
    Skipped,
    Threat,
    register_check,
)
from relyon.online.experiments.abtest.metrics import METRICS, Metric, lacks
from relyon.online.experiments.abtest.traffic import Traffic

if TYPE_CHECKING:
    import polars as pl

    from relyon.online.logs.log_check import Level

__all__ = ["CarryOver", "Overridden", "SameAssignment"]


@register_check
@dataclass(frozen=True)
class Overridden(ExperimentCheck):
    """Results that a rule decided about, not the ranker: pins, advertisements, blacklists.

    Attributes:
        share: From this share of the results on it is a warning.
        level: So it is where shares differ between arms with a p-value, by user and after Holm's
            correction, up to this.
    """

    name: ClassVar[str] = "overridden"
    share: float = 0.1
    level: float = 0.01

    def apply(self, traffic: Traffic) -> Threat | Skipped | None:
        """Counts the results, and compares their shares between arms."""
        if "overridden" not in traffic.columns:
            return Skipped(self.name, "no-overridden")
        users = traffic.users
        count, rows = int(users["overridden"].sum()), int(users["results"].sum())
        if not count:
            return None
        metric = Metric("overridden", "overridden", "results", "overridden")
        parts = [metric.estimate(traffic.of(arm)) for arm in traffic.arms]
        differences = [difference_of(parts[0], other) for other in parts[1:]]
        known = [one.p for one in differences if one.error > 0]
        p = min(adjust(known, "holm"), default=1.0)
        far = max(range(len(differences)), key=lambda place: abs(differences[place].value))
        warns = count >= self.share * rows or p <= self.level
        level: Level = "warning" if warns else "info"
        evidence: dict[str, object] = {
            "baseline": traffic.arms[0],
            "arm": traffic.arms[far + 1],
            "other": parts[0].value,
            "own": parts[far + 1].value,
            "p": p,
        }
        return Threat(self.name, level, count, rows, "rows", evidence=evidence)


def _returned(traffic: Traffic) -> pl.DataFrame:
    """Returns the users who were in the test before its restart, too, in one arm."""
    return traffic.users.drop_nulls("earlier")


@register_check
@dataclass(frozen=True)
class SameAssignment(ExperimentCheck):
    """A restart that left users in their arms, so that what came before goes on in the numbers.

    Attributes:
        share: From this share of users in their old arm on; by chance it is about 1 / arms.
    """

    name: ClassVar[str] = "same-assignment"
    share: float = 0.9

    def apply(self, traffic: Traffic) -> Threat | Skipped | None:
        """Counts the users who came back to their arm."""
        if not traffic.restarted:
            return Skipped(self.name, "no-restart")
        back = _returned(traffic)
        if not back.height:
            return Skipped(self.name, "nobody-returned")
        same = int((back["earlier"] == back["arm"]).sum())
        if same < self.share * back.height:
            return None
        unit = traffic.unit
        return Threat(self.name, "warning", same, back.height, unit)


@register_check
@dataclass(frozen=True)
class CarryOver(ExperimentCheck):
    """After a restart with new arms, the arm that users were in before still shows.

    Attributes:
        level: A p-value up to this, after Holm's correction for metrics and arms, is a warning.
    """

    name: ClassVar[str] = "carry-over"
    level: float = 0.01

    def apply(self, traffic: Traffic) -> Threat | Skipped | None:
        """Compares users by their earlier arm, among those who are in the same arm now."""
        if not traffic.restarted:
            return Skipped(self.name, "no-restart")
        back = _returned(traffic)
        found = []
        for metric in METRICS:
            if lacks(metric, traffic):
                continue
            for arm in traffic.arms[1:]:
                difference = self._difference(metric, back, traffic.arms, arm)
                if difference is not None:
                    found.append((metric.name, arm, difference))
        if not found:
            return Skipped(self.name, "nobody-moved")
        corrected = adjust([one[-1].p for one in found], "holm")
        p, place = min((p, place) for place, p in enumerate(corrected))
        if p > self.level:
            return None
        name, arm, difference = found[place]
        evidence: dict[str, object] = {
            "metric": name,
            "arm": arm,
            "baseline": traffic.arms[0],
            "difference": difference.value,
            "p": p,
        }
        unit = traffic.unit
        return Threat(
            self.name, "warning", back.height, traffic.users.height, unit, evidence=evidence
        )

    def _difference(
        self, metric: Metric, back: pl.DataFrame, arms: tuple[str, ...], earlier: str
    ) -> RatioEstimate | None:
        """Returns the effect of an earlier arm, over the present arms, weighted by 1 / variance."""
        parts = []
        for now in arms:
            there = back.filter(back["arm"] == now)
            pair = [
                jackknife_ratio(*metric.sums(there.filter(there["earlier"] == one)))
                for one in (arms[0], earlier)
            ]
            difference = difference_of(*pair)
            if difference.error > 0:
                parts.append(difference)
        weight = sum(1 / one.error**2 for one in parts)
        if not weight:
            return None
        return RatioEstimate(
            sum(one.value / one.error**2 for one in parts) / weight,
            weight**-0.5,
            sum(one.clusters for one in parts),
            sum(one.degrees for one in parts),
        )
