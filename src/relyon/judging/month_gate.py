"""The gate of a month: whether the grades of a project may become a month's number, and why not."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Literal

from relyon.core.document.json import json_number
from relyon.core.language import Language, check_language
from relyon.core.texts import LANGUAGES, PAGE, Text, catalogue
from relyon.judging.agreement import measure_agreement
from relyon.judging.agreement_interval import AGREEMENT_FEW, alpha_interval
from relyon.judging.month_projects import EARLIER_PREFIX
from relyon.judging.progress import measure_progress
from relyon.judging.schema import actions, gold, sa, users

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
#: Gold items that a judge must have graded, and the share that should be as known.
GOLD_ITEMS, GOLD_EQUAL = 5, 0.7
#: Timed grades of a judge, and the least median of seconds.
TIMED, FASTEST = 20, 1.0
#: Grades of a judge, and the probability of so long a run of one grade, by chance.
GRADED, UNLIKELY = 30, 0.001


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
        *_gold(store, project),
        *_pace(store, project),
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
    low, high = alpha_interval(grades)
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


def _gold(store: Store, project: Project) -> list[GateFinding]:
    wrong = [
        one
        for one in store.gold.quality(project.id)
        if one.items >= GOLD_ITEMS and one.equal < GOLD_EQUAL
    ]
    return [
        GateFinding(
            "gold",
            "accept",
            "quality",
            {"judge": one.judge, "equal": one.equal, "items": one.items, "least": GOLD_EQUAL},
        )
        for one in wrong
    ]


def _pace(store: Store, project: Project) -> list[GateFinding]:
    """Returns the judges who grade faster than they can read, or the same over and over."""
    found = []
    for judge, given in _grades_in_order(store, project).items():
        timed = [seconds for _, seconds in given if seconds is not None]
        if len(timed) >= TIMED and median(timed) < FASTEST:
            pace = {"judge": judge, "seconds": median(timed), "grades": len(timed)}
            found.append(GateFinding("speed", "accept", "progress", pace))
        grade, length = longest_run([one for one, _ in given])
        if len(given) >= GRADED and is_unlikely_run([one for one, _ in given], length):
            names = {one: project.scale.label(grade, one) for one in LANGUAGES}
            values = {"judge": judge, "run": length, "grades": len(given), "grade": names}
            found.append(GateFinding("run", "accept", "progress", values))
    return found


def _grades_in_order(store: Store, project: Project) -> dict[str, list[tuple[float, float | None]]]:
    """Returns people's first grades and their seconds, in order, by judge; without gold items."""
    known = sa.select(gold.c.item_id)
    query = (
        sa.select(users.c.name, actions.c.item_id, actions.c.grade, actions.c.seconds)
        .select_from(actions.join(users))
        .where(
            actions.c.project_id == project.id,
            actions.c.kind == "grade",
            ~users.c.machine,
            actions.c.item_id.not_in(known),
        )
        .order_by(actions.c.id)
    )
    found: dict[str, dict[int, tuple[float, float | None]]] = {}
    with store.database.read() as connection:
        for name, item, grade, seconds in connection.execute(query):
            if not name.startswith(EARLIER_PREFIX):
                found.setdefault(name, {}).setdefault(item, (grade, seconds))
    return {name: list(given.values()) for name, given in sorted(found.items())}


def longest_run(grades: Sequence[float]) -> tuple[float, int]:
    """Returns the grade of the longest run of one grade, and its length.

    Examples:
        >>> longest_run([1, 3, 3, 3, 2])
        (3, 3)
    """
    best: tuple[float, int] = (math.nan, 0)
    length, before = 0, math.nan
    for grade in grades:
        length = length + 1 if grade == before else 1
        before = grade
        if length > best[1]:
            best = (grade, length)
    return best


def is_unlikely_run(grades: Sequence[float], length: int) -> bool:
    """Returns whether grades in a random order hardly ever have so long a run of one grade.

    The expected number of runs of a grade of at least this length is at most
    (n - length + 1) p^length, with p the grade's share of the n grades.

    Args:
        grades: The grades of one judge.
        length: The length of the longest run.

    Examples:
        >>> is_unlikely_run([3, 0, 1, 2] * 10 + [3] * 20, 20), is_unlikely_run([3] * 60, 60)
        (True, True)
        >>> is_unlikely_run([0, 0, 1, 0, 2, 0, 0, 3] * 10, 2)
        False
    """
    total = len(grades)
    if not total:
        return False
    counts = Counter(grades)
    if len(counts) == 1:
        return True
    return _expected(counts.values(), total, length) < UNLIKELY


def _expected(counts: Iterable[int], total: int, length: int) -> float:
    places = max(total - length + 1, 0)
    return math.fsum(places * (count / total) ** length for count in counts)


def _guideline(project: Project) -> list[GateFinding]:
    if project.guideline_in("en"):
        return []
    return [GateFinding("guideline", "accept", "settings")]
