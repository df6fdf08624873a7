"""The status of a project, its progress and its judges' agreement: as values, and as text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypedDict

from relyon.core.document.json import json_number
from relyon.core.document.model import Block, Document, Lines, Table
from relyon.core.document.terminal import render_text
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.judging.agreement import AgreementValues, measure_agreement
from relyon.judging.llm.descriptions import MachineValues, describe_machine, describe_machines
from relyon.judging.progress import measure_judges
from relyon.judging.sbs import SideBySideValues, read_preferences, summarize_preferences

if TYPE_CHECKING:
    from relyon.judging.store import Store

__all__ = [
    "AgreementStatus",
    "ProjectStatus",
    "WorkStatus",
    "describe_agreement",
    "describe_project",
    "describe_work",
    "render_status",
    "status_document",
]


class JudgeStatus(TypedDict):
    """A judge's progress in a project."""

    judge: str
    done: int
    open: int
    later: int
    available: int
    seconds: float | None


class WorkStatus(TypedDict):
    """The progress of a project, as JSON."""

    project: str
    kind: str
    overlap: int
    items: int
    finished: int
    places: int
    filled: int
    gold: int
    queue: int
    judges: list[JudgeStatus]


class QualityStatus(TypedDict):
    """How a judge grades the gold items: `GoldQuality`."""

    judge: str
    items: int
    equal: float
    difference: float


class AgreementStatus(TypedDict):
    """The agreement and quality of a project's judges, as JSON; None if there is nothing yet."""

    agreement: AgreementValues | None
    gold_quality: list[QualityStatus]
    preferences: SideBySideValues | None
    machines: list[MachineValues]


class ProjectStatus(WorkStatus, AgreementStatus):
    """The status of a project, as JSON."""


def describe_work(store: Store, project_id: int) -> WorkStatus:
    """Returns the progress of a project and its judges as JSON-ready values.

    Raises:
        UnknownNameError: If the project does not exist.
    """
    project = store.projects.get(project_id)
    overall, by_judge = measure_judges(store, project.id)
    judges: list[JudgeStatus] = []
    for user in store.accounts.all():
        mine = by_judge.get(user.id)
        if mine is not None and (mine.done or mine.open or mine.later):
            judges.append(
                {
                    "judge": user.name,
                    "done": mine.done,
                    "open": mine.open,
                    "later": mine.later,
                    "available": mine.available,
                    "seconds": json_number(mine.seconds),
                }
            )
    return {
        "project": project.name,
        "kind": project.kind,
        "overlap": project.overlap,
        "items": overall.items,
        "finished": overall.finished,
        "places": overall.places,
        "filled": overall.filled,
        "gold": store.gold.count(project.id),
        "queue": store.decisions.count_queue(project.id),
        "judges": judges,
    }


def describe_project(store: Store, project_id: int) -> ProjectStatus:
    """Returns a project's progress, judges, agreement and quality as JSON-ready values.

    Raises:
        UnknownNameError: If the project does not exist.
    """
    return {**describe_work(store, project_id), **describe_agreement(store, project_id)}


def describe_agreement(store: Store, project_id: int) -> AgreementStatus:
    """Returns the agreement and quality of a project's judges as JSON-ready values.

    Gold items are not part of the agreement, as judges share more of them than of others. Nor are
    language models, which `machines` lists.

    Raises:
        UnknownNameError: If the project does not exist.
    """
    project = store.projects.get(project_id)
    known = store.gold.all(project.id)
    grades = {
        item: found
        for item, found in store.grades.by_judge(project.id).items()
        if item not in known
    }
    tiers = {item: tier for item, tier in store.items.tiers(project.id).items() if item in grades}
    agreement: AgreementValues | None = None
    if grades:
        given = tiers if any(tiers.values()) else None
        agreement = measure_agreement(grades, tiers=given).to_dict()
    preferences = read_preferences(store, project.id) if project.kind == "side_by_side" else []
    return {
        "agreement": agreement,
        "gold_quality": [
            {
                "judge": one.judge,
                "items": one.items,
                "equal": one.equal,
                "difference": one.difference,
            }
            for one in store.gold.quality(project.id)
        ],
        "preferences": summarize_preferences(preferences).to_dict() if preferences else None,
        "machines": describe_machines(store, project.id),
    }


def render_status(found: ProjectStatus, language: Language = "en") -> str:
    """Returns the result of `describe_project` as text for the terminal."""
    return render_text(status_document(found, language))


def status_document(found: ProjectStatus, language: Language = "en") -> Document:
    """Returns the result of `describe_project` as a document."""
    texts = catalogue("judging", language)
    share = found["filled"] / found["places"] if found["places"] else 0.0
    progress = texts.say(
        "progress",
        project=found["project"],
        filled=found["filled"],
        places=found["places"],
        finished=found["finished"],
        items=found["items"],
        share=share,
    )
    if found["gold"]:
        progress = texts.say("progress_gold", progress=progress, gold=found["gold"])
    lines = [progress]
    if found["queue"]:
        lines.append(texts.say("queue", queue=found["queue"]))
    blocks: list[Block] = [Lines(lines)]
    if found["judges"]:
        rows = [
            [
                one["judge"], str(one["done"]), str(one["open"]), str(one["later"]),
                str(one["available"]), _figure(one["seconds"], 1),
            ]
            for one in found["judges"]
        ]  # fmt: skip
        names = ["judge", "done", "open", "later", "left", "seconds"]
        blocks.append(Table(texts.names("column", names), rows))
    if found["agreement"] and found["agreement"]["overall"]["units"]:
        blocks += _agreement(found["agreement"], texts)
    if found["gold_quality"]:
        rows = [
            [one["judge"], str(one["items"]), _figure(one["equal"]), _figure(one["difference"])]
            for one in found["gold_quality"]
        ]
        names = ["gold", "graded", "equal", "difference"]
        blocks.append(Table(texts.names("column", names), rows))
    if found["preferences"]:
        blocks += _preferences(found["preferences"], texts)
    if found["machines"]:
        blocks.append(Lines([describe_machine(one, texts) for one in found["machines"]]))
    return Document(blocks)


def _figure(value: object, digits: int = 4) -> str:
    if not isinstance(value, int | float) or math.isnan(value):
        return "-"
    return f"{value:.{digits}f}"


def _agreement(found: AgreementValues, texts: Catalogue) -> list[Table]:
    names = (
        "agreement", "items", "equal", "fleiss", "alpha_nominal", "alpha_ordinal", "alpha_interval",
    )  # fmt: skip
    tiers = {texts.name("tier", name): one for name, one in found["tiers"].items()}
    groups = {texts["all"]: found["overall"], **tiers}
    rows = [
        [name or texts["no_tier"], str(one["units"]), _figure(one["equal"]), _figure(one["fleiss"]),
         _figure(one["alpha_nominal"]), _figure(one["alpha_ordinal"]),
         _figure(one["alpha_interval"])]
        for name, one in groups.items()
    ]  # fmt: skip
    tables = [Table(texts.names("column", names), rows)]
    if found["pairs"]:
        rows = [
            [f"{one['first']} / {one['second']}", str(one["units"]), _figure(one["equal"]),
             _figure(one["kappa"]), _figure(one["weighted_kappa"])]
            for one in found["pairs"][:20]
        ]  # fmt: skip
        more = len(found["pairs"]) - 20
        notes = [texts.say("more_pairs", count=more)] if more > 0 else []
        notes += [texts.say("identical", **one) for one in found["pairs"] if one["identical"]]
        headings = texts.names("column", ("judges", "items", "equal", "kappa", "weighted_kappa"))
        tables.append(Table(headings, rows, notes=notes))
    return tables


def _preferences(found: SideBySideValues, texts: Catalogue) -> list[Table]:
    rows = []
    for tier, one in {texts["all"]: found["overall"], **found["tiers"]}.items():
        rows += [
            [tier, f"{pair['first']} / {pair['second']}", str(pair["queries"]),
             str(pair["first_wins"]), str(pair["ties"]), str(pair["second_wins"]),
             _figure(pair["mean"]), _figure(pair["p"])]
            for pair in one["pairs"]
        ]  # fmt: skip
    names = ["tier", "systems", "queries", "first", "ties", "second", "mean", "p"]
    tables = [Table(texts.names("column", names), rows, left=2)]
    strengths = found["overall"]["strengths"]
    if strengths:
        rows = [
            [str(one["system"]), *(_figure(one[name]) for name in ("strength", "low", "high"))]
            for one in strengths
        ]
        names = ["bradley_terry", "strength", "low", "high"]
        tables.append(Table(texts.names("column", names), rows))
    return tables
