"""Were users put into arms as planned, each into one?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.analysis.statistics import ratio_mismatch, sequential_mismatch
from relyon.online.experiments.abtest.experiment_check import (
    ExperimentCheck,
    Threat,
    register_check,
)
from relyon.online.experiments.abtest.traffic import Traffic

if TYPE_CHECKING:
    from relyon.online.logs.log_check import Level

__all__ = ["SampleRatio", "SeveralArms", "Unassigned"]


@register_check
@dataclass(frozen=True)
class SampleRatio(ExperimentCheck):
    """Arms that do not have their planned shares of users: a sample-ratio mismatch.

    Attributes:
        level: A p-value of the sequential test up to this is a warning: it is valid at every look,
            while χ², which is shown beside it, is for a single one.
    """

    name: ClassVar[str] = "sample-ratio"
    level: float = 0.001

    def apply(self, traffic: Traffic) -> Threat | None:
        """Counts the users whom the plan would have put into another arm."""
        import polars as pl

        planned = [self.planned.get(arm, 1.0) for arm in traffic.arms]
        sizes = [traffic.of(arm).height for arm in traffic.arms]
        if not sum(sizes):
            return None
        found = ratio_mismatch(sizes, planned)
        places = {arm: place for place, arm in enumerate(traffic.arms)}
        groups = traffic.users["arm"].replace_strict(places, return_dtype=pl.Int64)
        looks = sequential_mismatch(groups.to_numpy(), planned)
        sequential = float(looks[-1])
        if sequential > self.level:
            return None
        moved = sum(abs(one - other) for one, other in zip(sizes, found.expected, strict=True)) / 2
        arm = traffic.arms[found.largest]
        evidence: dict[str, object] = {
            "arm": arm,
            "share": sizes[found.largest] / sum(sizes),
            "plan": found.expected[found.largest] / sum(sizes),
            "p": found.p,
            "chi2": found.statistic,
            "sequential": sequential,
            "sizes": dict(zip(traffic.arms, sizes, strict=True)),
        }
        unit = traffic.unit
        return Threat(self.name, "warning", round(moved), sum(sizes), unit, evidence=evidence)


@register_check
@dataclass(frozen=True)
class SeveralArms(ExperimentCheck):
    """Users who were in several arms."""

    name: ClassVar[str] = "several-arms"

    def apply(self, traffic: Traffic) -> Threat | None:
        """Counts them."""
        if not traffic.several:
            return None
        total = traffic.several + traffic.users.height
        examples = tuple({"user": user} for user in traffic.examples)
        unit = traffic.unit
        return Threat(self.name, "warning", traffic.several, total, unit, examples)


@register_check
@dataclass(frozen=True)
class Unassigned(ExperimentCheck):
    """Rows of the test without a user or an arm.

    Attributes:
        share: From this share on it is a warning.
    """

    name: ClassVar[str] = "unassigned"
    share: float = 0.01

    def apply(self, traffic: Traffic) -> Threat | None:
        """Counts the rows."""
        count, rows = traffic.unassigned, traffic.rows
        if not count:
            return None
        level: Level = "warning" if count >= self.share * rows else "info"
        return Threat(self.name, level, count, rows, "rows")
