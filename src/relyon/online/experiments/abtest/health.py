"""All checks of an A/B test."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.statistics import difference_of
from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_values, note_dict
from relyon.core.document.model import Document, Lines, Prose, Table
from relyon.core.errors import ParameterError
from relyon.core.findings import Findings
from relyon.core.language import Language, check_language
from relyon.core.notes import Note, warn
from relyon.core.texts import catalogue, message
from relyon.online.experiments.abtest.experiment_check import (
    MODULES,
    ExperimentCheck,
    Skipped,
    Threat,
    experiment_checks,
)
from relyon.online.experiments.abtest.metrics import METRICS, lacks
from relyon.online.experiments.abtest.traffic import Moment, Traffic, read_traffic
from relyon.online.logs.finding_text import shown_finding

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Health", "check_experiment"]


@dataclass(frozen=True)
class Health(Findings[Threat], Exportable):
    """Findings that make an A/B test invalid, the warnings first.

    Attributes:
        findings: The findings; none where nothing is wrong.
        skipped: Checks that the log or the options do not allow, and why.
        made: How many checks were made.
        arms: The users of each arm, the baseline first.
        planned: The planned share of each arm; empty for equal shares.
        cold: The share of users without a history in each arm; empty without a start.
        clicks: Of each arm, results with a click and results; empty without clicks.
        ctr_p: The p-value of the difference in CTR between the first two arms, by user.
        unit: `users` or `sessions`.
        source: The log.
        notes: Notes about the log.
    """

    findings: tuple[Threat, ...]
    skipped: tuple[Skipped, ...]
    made: int
    arms: Mapping[str, int]
    planned: Mapping[str, float]
    cold: Mapping[str, float]
    clicks: Mapping[str, tuple[int, int]]
    ctr_p: float
    unit: str
    source: str
    notes: tuple[Note, ...] = ()

    def online(self) -> dict[str, object]:
        """Returns what `relyon diagnose --online` reads: the first two arms of the test."""
        pair = dict(zip(("baseline", "candidate"), self.arms, strict=False))
        values: dict[str, object] = {"metric": "CTR", "buckets": dict(self.arms)}
        if self.planned:
            values["planned"] = dict(self.planned)
        if self.cold:
            values["cold_start"] = {side: self.cold[arm] for side, arm in pair.items()}
        if self.clicks and all(self.clicks[arm][1] for arm in pair.values()):
            for side, arm in pair.items():
                clicks, results = self.clicks[arm]
                values[side] = {"events": clicks, "trials": results}
            if not math.isnan(self.ctr_p):
                values["p"] = self.ctr_p
        return values

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per finding: kind, level, count, total, unit, share."""
        import polars as pl

        names = ("kind", "level", "count", "total", "unit", "share")
        return pl.DataFrame({name: [getattr(one, name) for one in self.findings] for name in names})

    def to_dict(self, language: Language = "en") -> dict[str, object]:
        """Returns the object that ``--format json`` prints, texts in English or Chinese."""
        check_language(language)
        words = catalogue("experiments", language)
        values = {
            "source": self.source,
            "unit": self.unit,
            "arms": dict(self.arms),
            "checks": self.made,
            "findings": [one.to_dict(language) for one in self.findings],
            "skipped": [
                {"kind": one.kind, "reason": words.say(f"skipped.{one.reason}")}
                for one in self.skipped
            ],
        }
        return {**json_values(values), "notes": [note_dict(note) for note in self.notes]}

    def document(self, language: Language = "en") -> Document:
        """Returns the arms, then each finding, then what could not be looked for.

        Args:
            language: `en` or `zh`.
        """
        check_language(language)
        words = catalogue("experiments", language)
        users = sum(self.arms.values())
        rows = [
            [arm, f"{count:,}", words.style.part(count / users if users else 0.0)]
            for arm, count in self.arms.items()
        ]
        summary = words.say(
            "abtest.summary" if self.findings else "abtest.clean",
            checks=self.made,
            warnings=len(self.warnings),
            hints=len(self.findings) - len(self.warnings),
        )
        headings = [words.say(f"column.{name}") for name in ("arm", self.unit, "share")]
        by_reason: dict[str, list[str]] = {}
        for one in self.skipped:
            by_reason.setdefault(one.reason, []).append(one.kind)
        left = [
            words.say("abtest.skipped", kinds=kinds, reason=words.say(f"skipped.{reason}"))
            for reason, kinds in by_reason.items()
        ]
        return Document(
            [
                Lines([summary, *([words["abtest.mend"]] if self.warnings else [])]),
                Table(headings, rows, long=(0,)),
                *(shown_finding(one, language) for one in self.findings),
                *([Prose(left)] if left else []),
            ]
        )


def check_experiment(
    sessions: object,
    *,
    baseline: str | None = None,
    planned: Mapping[str, float] | None = None,
    start: Moment | None = None,
    restart: Moment | None = None,
    only: Iterable[str | ExperimentCheck] | None = None,
) -> Health:
    """Looks for what keeps an A/B test from being read: before any p-value.

    Args:
        sessions: What `relyon.read_sessions` takes; `bucket` is the arm. Without `user`, every
            session counts as a user of its own.
        baseline: The arm that the others are compared with; None takes the first by name.
        planned: The planned share of users by arm; None for equal shares.
        start: When the test began, such as 2026-03-01: what was before it is the users' history.
        restart: When it was begun anew.
        only: Names of checks, or checks with thresholds of their own; None makes all.

    Raises:
        InputError: If the log does not say which arm a row is of, has fewer than two arms, or no
            times where a start or restart is given.
        ParameterError: If `planned` does not name the arms with shares above 0, or another
            parameter is invalid.
        UnknownNameError: If a check is unknown.

    Examples:
        >>> import polars as pl
        >>> log = pl.DataFrame({"user": range(900), "session": range(900), "query": "tv"})
        >>> arm = pl.when(pl.col("user") < 400).then(pl.lit("A")).otherwise(pl.lit("B"))
        >>> log = log.with_columns(arm.alias("arm"), position=1, doc=pl.lit("a"))
        >>> found = check_experiment(log)
        >>> [finding.kind for finding in found], found.arms
        (['sample-ratio'], {'A': 400, 'B': 500})
    """
    traffic = read_traffic(sessions, baseline=baseline, start=start, restart=restart)
    shares = _shares(planned, traffic)
    made = _chosen(only, shares)
    findings: list[Threat] = []
    skipped: list[Skipped] = []
    for check in made:
        found = check.apply(traffic)
        if isinstance(found, Skipped):
            skipped.append(found)
        elif found is not None:
            findings.append(found)
    warn(traffic.notes)
    users = {arm: traffic.of(arm) for arm in traffic.arms}
    clicks = {}
    ctr_p = math.nan
    if not lacks(METRICS[0], traffic):
        clicks = {
            arm: (int(part["clicks"].sum()), int(part["results"].sum()))
            for arm, part in users.items()
        }
        first, second = (METRICS[0].estimate(users[arm]) for arm in traffic.arms[:2])
        ctr_p = difference_of(first, second).p
    return Health(
        findings=tuple(sorted(findings, key=lambda one: one.level != "warning")),
        skipped=tuple(skipped),
        made=len(made) - len(skipped),
        arms={arm: part.height for arm, part in users.items()},
        planned=shares,
        cold={
            arm: int((part["pre_sessions"] == 0).sum()) / part.height
            for arm, part in users.items()
            if traffic.before and part.height
        },
        clicks=clicks,
        ctr_p=ctr_p,
        unit=traffic.unit,
        source=traffic.source,
        notes=traffic.notes,
    )


def _shares(planned: Mapping[str, float] | None, traffic: Traffic) -> dict[str, float]:
    if not planned:
        return {}
    if set(planned) != set(traffic.arms):
        raise ParameterError(
            message(
                "online.planned-shares-are-of-given",
                given=[f"`{arm}`" for arm in planned],
                arms=[f"`{arm}`" for arm in traffic.arms],
            )
        )
    for arm, share in planned.items():
        if isinstance(share, bool) or not isinstance(share, int | float) or not share > 0:
            raise ParameterError(
                message(
                    "core.planned-share-of-must-be-above",
                    bucket=arm,
                    share=share,
                )
            )
    return dict(planned)


def _chosen(
    only: Iterable[str | ExperimentCheck] | None, planned: Mapping[str, float]
) -> list[ExperimentCheck]:
    """Returns checks in the order of their modules."""
    if only is None:
        chosen = [experiment_checks.get(name)(planned) for name in experiment_checks]
    else:
        listed = [only] if isinstance(only, str) else only
        chosen = [
            one if isinstance(one, ExperimentCheck) else experiment_checks.get(one)(planned)
            for one in listed
        ]
    order = {f"relyon.online.experiments.abtest.{name}": at for at, name in enumerate(MODULES)}
    return sorted(chosen, key=lambda one: (order.get(type(one).__module__, len(order)), one.name))
