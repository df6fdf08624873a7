"""NDCG rose but the online metric did not: a different goal, experiment, or list."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from relyon.analysis.diagnosis.difference import mean_interval
from relyon.analysis.diagnosis.online import OnlineData
from relyon.analysis.diagnosis.rule import Finding, Rule, Subject, register
from relyon.analysis.statistics import ratio_mismatch
from relyon.core.errors import InputError

__all__ = ["FlatOnline"]


@dataclass(frozen=True)
class _Check:
    """One check: its outcome, and the numbers for its sentence."""

    name: str
    what: str
    value: float
    failed: bool
    values: Mapping[str, object]
    fine: bool = True

    @property
    def part(self) -> str:
        """The sentence of its outcome: failed, fine, or open."""
        return f"text.{self.name}" + ("" if self.failed else ".fine" if self.fine else ".open")


@register
@dataclass(frozen=True)
class FlatOnline(Rule):
    """NDCG is up but the online metric is flat.

    Checks the online data: whether grades agree with user behaviour; whether the experiment was
    comparable (sample ratio, share of cold starts, mix of traffic); whether users saw the list that
    was ranked. Without an online metric it reports only failed checks. The metric fell if its
    difference is significant; it is flat if two one-sided tests exclude a change of `margin`;
    otherwise the finding is that the experiment is too small.

    Attributes:
        k: Cutoff of NDCG, and positions compared between the ranked and the shown list.
        rise: The least significant rise of NDCG.
        margin: A change of the online metric below this share of the baseline's does not count.
        agreement: Kendall's tau-b between grades and a label below this is low, by a one-sided test
            over queries.
        ratio_p: The p-value below which there is a sample-ratio mismatch or a different mix of
            traffic.
        shift: The least change of traffic shares that matters.
        overridden: The share of changed positions from which a different list was shown.

    References:
        Fabijan et al. (2019), KDD: diagnosing sample ratio mismatch in online experiments.
        Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15(6): two one-sided
        tests of equivalence.
    """

    name: ClassVar[str] = "ndcg-up-online-flat"
    of_lists: ClassVar[bool] = True
    k: int = 10
    rise: float = 0.005
    margin: float = 0.01
    agreement: float = 0.2
    ratio_p: float = 0.001
    shift: float = 0.02
    overridden: float = 0.1

    def measures(self) -> tuple[str, ...]:
        return (f"ndcg@{self.k}",)

    def apply(self, subject: Subject) -> Finding | None:
        online = subject.online
        if online is None:
            return None
        name = f"ndcg@{self.k}"
        ndcg = subject.difference(name)
        if ndcg.difference < self.rise or not subject.significant(ndcg):
            return None
        if online.lift > 0 and online.lift_p <= subject.alpha:
            return None
        checks = [
            *self._agreements(subject, online),
            *self._ratio(online),
            *self._cold_start(online),
            *self._tiers(online),
            *self._lists(subject, online),
        ]
        failing = any(check.failed for check in checks)
        if math.isnan(online.lift) and not failing:
            return None
        evidence: dict[str, object] = {
            "ndcg": name,
            "ndcg_baseline": ndcg.baseline,
            "ndcg_candidate": ndcg.candidate,
            "ndcg_difference": ndcg.difference,
            "ndcg_p": ndcg.p,
            "k": self.k,
        }
        parts = ["text"]
        outcome = "checks"
        if online.baseline is not None and online.candidate is not None:
            level = 1 - 2 * subject.alpha
            interval = online.lift_interval(level)
            outcome = self._outcome(online, interval, subject.alpha)
            evidence |= {
                "metric": online.metric,
                "online_baseline": online.baseline.value,
                "online_candidate": online.candidate.value,
                "online_difference": online.lift,
                "online_p": online.lift_p,
                "online_interval": interval,
                "margin": self.margin,
                "confidence": level,
                "outcome": outcome,
            }
            parts += ["text.metric", f"text.{outcome}"]
            if math.isnan(interval[0]) and outcome == "open":
                parts[-1] = "text.unknown"
        steps: list[str] = []
        spoken: set[str] = set()
        for check in sorted(checks, key=lambda check: not check.failed):
            if check.name in spoken:
                continue  # the label with the least agreement represents all
            spoken.add(check.name)
            evidence |= check.values
            parts.append(check.part)
            if check.failed:
                steps.append(f"step.{check.name}")
        return Finding(
            self.name,
            "high" if failing or outcome in {"fell", "flat"} else "low",
            evidence,
            tuple(parts),
            tuple(steps) or ("step.open" if outcome == "open" else "step",),
            heading={"open": "title.open", "checks": "title.checks"}.get(outcome, "title"),
            chart_data=tuple(
                {
                    "check": check.name,
                    "what": check.what,
                    "value": check.value,
                    "failed": check.failed,
                    "fine": check.fine and not check.failed,
                }
                for check in checks
            ),
        )

    def _outcome(
        self, online: OnlineData, interval: tuple[float, float], alpha: float
    ) -> Literal["fell", "flat", "open"]:
        """Returns what the experiment shows of the metric, which did not rise significantly."""
        if online.lift < 0 and online.lift_p <= alpha:
            return "fell"
        most = self.margin * (online.baseline.value if online.baseline else math.nan)
        return "flat" if -most < interval[0] and interval[1] < most else "open"

    def _agreements(self, subject: Subject, online: OnlineData) -> list[_Check]:
        """Returns tau-b between grades and each label, the lowest first."""
        import numpy as np

        found = []
        evaluator = subject.evaluator_under(subject.convention.replace(missing="skip"))
        for label, queries in online.labels.items():
            try:
                results = evaluator.evaluate(queries, ["tau"], name=label)
            except InputError as error:
                message = f"the label `{label}`: {error.message}"
                raise InputError(message, hint=error.hint) from None
            entry = results.entries["tau"]
            if not math.isnan(entry.value):
                values = np.asarray(results.column("tau"), dtype=np.float64)
                held = values[~np.isnan(values)]
                # The label that agrees least is named: each is tested at its part of the level.
                interval = mean_interval(held, subject.alpha / len(online.labels))
                found.append((entry.value, label, entry.queries, interval))
        found.sort()
        return [
            _Check(
                "agreement",
                label,
                value,
                high < self.agreement,
                {
                    "label": label,
                    "tau": value,
                    "label_queries": count,
                    "tau_interval": (low, high),
                    "least_tau": self.agreement,
                    "tau_confidence": 1 - 2 * subject.alpha / len(online.labels),
                },
                low >= self.agreement,
            )
            for value, label, count, (low, high) in found
        ]

    def _ratio(self, online: OnlineData) -> list[_Check]:
        """Tests whether buckets have the planned sizes."""
        if not online.buckets:
            return []
        observed = [float(count) for count in online.buckets.values()]
        planned = [float(online.planned.get(name, 1.0)) for name in online.buckets]
        found = ratio_mismatch(observed, planned)
        whole = math.fsum(observed)
        values = {
            "ratio_p": found.p,
            "ratio_chi2": found.statistic,
            "bucket": list(online.buckets)[found.largest],
            "bucket_share": observed[found.largest] / whole,
            "bucket_planned": found.expected[found.largest] / whole,
        }
        return [_Check("ratio", "buckets", found.p, found.p < self.ratio_p, values)]

    def _cold_start(self, online: OnlineData) -> list[_Check]:
        if not online.cold_start:
            return []
        before, after = online.cold_start["baseline"], online.cold_start["candidate"]
        values = {"cold_baseline": before, "cold_candidate": after}
        return [_Check("cold", "share", after - before, abs(after - before) >= self.shift, values)]

    def _tiers(self, online: OnlineData) -> list[_Check]:
        """Tests whether the two sides had the same mix of traffic."""
        used = {tier: counts for tier, counts in online.tiers.items() if sum(counts.values()) > 0}
        if len(used) < 2:
            return []
        from relyon.analysis.statistics import independence_p

        sides = [[float(counts[side]) for counts in used.values()] for side in SIDES]
        shares = [[count / math.fsum(row) for count in row] for row in sides]
        moves = [after - before for before, after in zip(*shares, strict=True)]
        distance = math.fsum(map(abs, moves)) / 2
        place = max(range(len(moves)), key=lambda one: abs(moves[one]))
        p = independence_p(sides, correct=True)
        values = {
            "mix_p": p,
            "mix_distance": distance,
            "tier": list(used)[place],
            "tier_baseline": shares[0][place],
            "tier_candidate": shares[1][place],
        }
        failed = p < self.ratio_p and distance >= self.shift
        return [_Check("mix", "tiers", distance, failed, values)]

    def _lists(self, subject: Subject, online: OnlineData) -> list[_Check]:
        """Counts the positions at which users saw a different document than was ranked."""
        changed = positions = 0
        for query, shown in online.shown.items():
            ranked = subject.top(subject.candidate, str(query), self.k)
            if not ranked:
                continue
            seen = [str(document) for document in shown][: self.k]
            count = min(self.k, max(len(ranked), len(seen)))
            same = sum(one == two for one, two in zip(ranked, seen, strict=False))
            positions += count
            changed += count - same
        if not positions:
            return []
        share = changed / positions
        values = {"changed": changed, "positions": positions, "changed_share": share}
        return [_Check("shown", "positions", share, share >= self.overridden, values)]


SIDES = ("baseline", "candidate")
