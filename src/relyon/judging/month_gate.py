"""The gate of a month: whether the grades of a project may become a month's number, and why not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from relyon.core.document.json import json_number
from relyon.core.language import Language, check_language
from relyon.core.texts import LANGUAGES, PAGE, Text, catalogue
from relyon.judging.agreement import measure_agreement
from relyon.judging.agreement_interval import AGREEMENT_FEW, agreement_bounds
from relyon.judging.given_grades import read_given
from relyon.judging.judge_checks import check_judges
from relyon.judging.progress import measure_progress

if TYPE_CHECKING:
    from relyon.judging.records import Project
    from relyon.judging.store import Store
    from relyon.online.monitoring import Round

__all__ = ["GateFinding", "GateSide", "MonthGate", "check_month_gate"]

GateSide = Literal["progress", "quality", "queue", "settings"]
"""Where a finding is mended: a page of the project."""

#: The share of the shown results of a tier that should be judged.
JUDGED = 0.9
#: The agreement for tentative conclusions, used if the project has no target (Krippendorff 2004).
TARGET = 0.667


@dataclass(frozen=True)
class GateFinding:
    """One thing that speaks against storing a month.

    Attributes:
        kind: What it is, such as `disagreements`.
        level: `accept` if somebody has to accept it before the month is stored; else `info`.
        side: The page of the project where it is mended.
        values: The values in its sentence; a value by language has one for each.
    """

    kind: str
    level: Literal["accept", "info"]
    side: GateSide
    values: Mapping[str, object] = field(default_factory=dict)

    def text(self, language: Language = "en") -> str:
        """Returns what it is, with its numbers."""
        values = {
            name: value[language] if isinstance(value, Mapping) else value
            for name, value in self.values.items()
        }
        return catalogue("month_gate", language, PAGE).say(f"{self.kind}.text", **values)

    def reason(self, language: Language = "en") -> str:
        """Returns why it matters."""
        return catalogue("month_gate", language, PAGE)[f"{self.kind}.why"]

    def to_dict(self, language: Language = "en") -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "kind": self.kind,
            "level": self.level,
            "text": self.text(language),
            "why": self.reason(language),
            "mend": self.side,
        }


@dataclass(frozen=True)
class MonthGate:
    """What is known of a project's grades before they become a month.

    Attributes:
        findings: What speaks against it, the most important first.
        judged: The share of the shown results that is judged, by tier.
        agreement: The ordinal alpha of results with several grades; NaN if it is undefined.
        interval: Its 95% interval; NaN if there are too few results.
        units: Results with several grades.
    """

    findings: tuple[GateFinding, ...]
    judged: Mapping[str, float]
    agreement: float
    interval: tuple[float, float]
    units: int

    @property
    def open(self) -> bool:
        """Whether nothing has to be accepted."""
        return not self.to_accept

    @property
    def to_accept(self) -> tuple[GateFinding, ...]:
        """The findings that somebody has to accept."""
        return tuple(one for one in self.findings if one.level == "accept")

    def verdict(self, language: Language = "en") -> str:
        """Returns whether the month may be stored, in a sentence."""
        check_language(language)
        texts = catalogue("month_gate", language, PAGE)
        if self.open:
            return texts["verdict.open"]
        names = [texts[f"{one.kind}.name"] for one in self.to_accept]
        return texts.say("verdict.accept", names=list(dict.fromkeys(names)))

    def to_dict(self, language: Language = "en") -> dict[str, object]:
        """Returns JSON-ready values: NaN becomes null."""
        return {
            "open": self.open,
            "verdict": self.verdict(language),
            "findings": [one.to_dict(language) for one in self.findings],
            "judged": dict(self.judged),
            "agreement": {
                "alpha_ordinal": json_number(self.agreement),
                "interval": [json_number(one) for one in self.interval],
                "units": self.units,
            },
        }


def check_month_gate(store: Store, project: Project, made: Round) -> MonthGate:
    """Returns what speaks against storing a month with the grades of a project.

    Args:
        store: The database.
        project: The project whose grades the month has.
        made: The month, as `relyon.create_round` returns it.
    """
    judged = _judged(made)
    agreement, interval, units, told = _agreement(store, project)
    findings = [
        *_coverage(judged),
        *_unfinished(store, project),
        *told,
        *_judges(store, project),
        *_guideline(project),
    ]
    ordered = sorted(findings, key=lambda one: one.level != "accept")
    return MonthGate(tuple(ordered), judged, agreement, interval, units)


def _judged(made: Round) -> dict[str, float]:
    found = {}
    for tier in made.tiers:
        rows = made.results.filter(made.results["tier"] == tier)
        shown = int(rows["shown"].sum())
        found[tier] = int(rows["judged"].sum()) / shown if shown else math.nan
    return found


def _coverage(judged: Mapping[str, float]) -> list[GateFinding]:
    low = {tier: share for tier, share in judged.items() if share < JUDGED}
    if not low:
        return []
    parts = [Text("month_gate.part", {"tier": tier, "share": share}) for tier, share in low.items()]
    return [GateFinding("coverage", "accept", "progress", {"parts": parts, "least": JUDGED})]


def _unfinished(store: Store, project: Project) -> list[GateFinding]:
    found = []
    progress = measure_progress(store, project.id)
    if progress.filled < progress.places:
        values = {"open": progress.places - progress.filled, "places": progress.places}
        found.append(GateFinding("places", "accept", "progress", values))
    waiting = store.decisions.count_queue(project.id)
    if waiting:
        found.append(GateFinding("disagreements", "accept", "queue", {"count": waiting}))
    return found


def _agreement(
    store: Store, project: Project
) -> tuple[float, tuple[float, float], int, list[GateFinding]]:
    """Returns the agreement, its interval, the results behind it, and what is wrong with it."""
    nothing = (math.nan, math.nan)
    if project.overlap < 2:
        return math.nan, nothing, 0, [GateFinding("alone", "info", "quality")]
    known = store.gold.all(project.id)
    grades = {
        item: given
        for item, given in store.grades.by_judge(project.id).items()
        if item not in known
    }
    measured = measure_agreement(grades).overall if grades else None
    units = 0 if measured is None else measured.units
    if measured is None or units < AGREEMENT_FEW:
        return (
            math.nan,
            nothing,
            units,
            [GateFinding("few", "info", "quality", {"units": units, "least": AGREEMENT_FEW})],
        )
    alpha = measured.alpha_ordinal
    if math.isnan(alpha):
        return alpha, nothing, units, [GateFinding("same", "accept", "quality", {"units": units})]
    low, high = agreement_bounds(grades)
    target = TARGET if project.target_agreement is None else project.target_agreement
    values = {"alpha": alpha, "low": low, "high": high, "units": units, "target": target}
    if alpha >= target:
        kinds = ["close"] if low < target else []
        return (
            alpha,
            (low, high),
            units,
            [GateFinding(kind, "info", "quality", values) for kind in kinds],
        )
    kind = "agreement" if project.target_agreement is not None else "agreement-usual"
    return alpha, (low, high), units, [GateFinding(kind, "accept", "quality", values)]


def _judges(store: Store, project: Project) -> list[GateFinding]:
    """Returns the judges who need help, as on the page of the project."""
    found = check_judges(read_given(store, project.id), store.gold.quality(project.id))
    return [
        GateFinding(
            "judge",
            "info" if one.kind == "two_differ" else "accept",
            "quality",
            {"said": {language: one.text(language) for language in LANGUAGES}},
        )
        for one in found
    ]


def _guideline(project: Project) -> list[GateFinding]:
    if project.guideline_in("en"):
        return []
    return [GateFinding("guideline", "accept", "settings")]
