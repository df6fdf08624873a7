"""Were the arms alike before the test?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from relyon.analysis.statistics import adjust, difference_of
from relyon.online.experiments.abtest.experiment_check import (
    ExperimentCheck,
    Skipped,
    Threat,
    register_check,
)
from relyon.online.experiments.abtest.metrics import METRICS, lacks
from relyon.online.experiments.abtest.traffic import Traffic

__all__ = ["ColdStart", "UnequalBefore"]


def _no_history(traffic: Traffic) -> str:
    """Returns why there is no history to compare, as a key of texts; empty if there is one."""
    if traffic.before is None:
        return "no-start"
    return "" if traffic.before else "no-history"


@register_check
@dataclass(frozen=True)
class UnequalBefore(ExperimentCheck):
    """Arms that differed before the test began: a failed A/A period.

    Attributes:
        level: A p-value up to this, after Holm's correction for metrics and arms, is a warning.
    """

    name: ClassVar[str] = "differ-before"
    level: float = 0.01

    def apply(self, traffic: Traffic) -> Threat | Skipped | None:
        """Compares every metric of every arm with the baseline's, before the test."""
        reason = _no_history(traffic)
        if reason:
            return Skipped(self.name, reason)
        baseline = traffic.of(traffic.arms[0])
        found = []
        for metric in METRICS:
            if lacks(metric, traffic):
                continue
            first = metric.estimate(baseline, "pre_")
            for arm in traffic.arms[1:]:
                second = metric.estimate(traffic.of(arm), "pre_")
                difference = difference_of(first, second)
                if difference.error > 0:
                    found.append((metric.name, arm, first.value, second.value, difference))
        if not found:
            return Skipped(self.name, "no-metric")
        corrected = adjust([one[-1].p for one in found], "holm")
        p, place = min((p, place) for place, p in enumerate(corrected))
        if p > self.level:
            return None
        metric_name, arm, before, other, difference = found[place]
        known = int((traffic.users["pre_sessions"] > 0).sum())
        evidence: dict[str, object] = {
            "metric": metric_name,
            "arm": arm,
            "baseline": traffic.arms[0],
            "value": other,
            "other": before,
            "difference": difference.value,
            "p": p,
        }
        unit = traffic.unit
        return Threat(self.name, "warning", known, traffic.users.height, unit, evidence=evidence)


@register_check
@dataclass(frozen=True)
class ColdStart(ExperimentCheck):
    """Arms of which different shares of users have no history: new users behave otherwise.

    Attributes:
        level: A p-value of χ² up to this is a warning.
    """

    name: ClassVar[str] = "cold-start"
    level: float = 0.001

    def apply(self, traffic: Traffic) -> Threat | Skipped | None:
        """Compares the shares of new users."""
        reason = _no_history(traffic)
        if reason:
            return Skipped(self.name, reason)
        from relyon.analysis.statistics import independence_p

        table = []
        for arm in traffic.arms:
            past = traffic.of(arm)["pre_sessions"]
            table.append([int((past == 0).sum()), int((past > 0).sum())])
        kept = [row for row in table if sum(row)]
        new, known = (sum(column) for column in zip(*table, strict=True))
        if len(kept) < 2 or not new or not known:
            return None
        p = independence_p(kept)
        if p > self.level:
            return None
        shares = [row[0] / sum(row) if sum(row) else math.nan for row in table]
        far = max(range(1, len(shares)), key=lambda place: abs(shares[place] - shares[0]))
        evidence: dict[str, object] = {
            "baseline": traffic.arms[0],
            "arm": traffic.arms[far],
            "other": shares[0],
            "share": shares[far],
            "p": p,
        }
        unit = traffic.unit
        return Threat(self.name, "warning", new, new + known, unit, evidence=evidence)
