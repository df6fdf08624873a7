"""How far a project is, and how far its judges agree: as values, and as text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from relyon.core.document.json import json_values
from relyon.core.document.model import Block, Document, Lines, Table
from relyon.core.document.terminal import render_text
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.judging.agreement import measure_agreement
from relyon.judging.llm.descriptions import describe_machine, describe_machines
from relyon.judging.progress import measure_judges
from relyon.judging.sbs import read_preferences, summarize_preferences

if TYPE_CHECKING:
    from relyon.judging.store import Store

__all__ = [
    "describe_agreement",
    "describe_project",
    "describe_work",
    "render_status",
    "status_document",
]


def describe_work(store: Store, project_id: int) -> dict[str, Any]:
    """Returns how far a project and its judges are, as JSON-ready values.

    Raises:
        UnknownNameError: If the project does not exist.
    """
    project = store.projects.get(project_id)
    overall, by_judge = measure_judges(store, project.id)
    judges = []
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
                    "seconds": mine.seconds,
                }
            )
    found: dict[str, Any] = json_values(
        {
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
    )
    return found


def describe_project(store: Store, project_id: int) -> dict[str, Any]:
    """Returns a project's progress, judges, agreement and quality as JSON-ready values.

    Raises:
        UnknownNameError: If the project does not exist.
    """
    return describe_work(store, project_id) | describe_agreement(store, project_id)


def describe_agreement(store: Store, project_id: int) -> dict[str, Any]:
    """Returns how far a project's judges agree, and how well they judge, as JSON-ready values.

    Gold items are not part of the agreement: judges share more of them than of others. Nor are
    language models, of which `machines` tells.

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
    agreement = None
    if grades:
        given = tiers if any(tiers.values()) else None
        agreement = measure_agreement(grades, tiers=given).to_dict()
    preferences = read_preferences(store, project.id) if project.kind == "side_by_side" else []
    found: dict[str, Any] = json_values(
        {
            "agreement": agreement,
            "gold_quality": [asdict(one) for one in store.gold.quality(project.id)],
            "preferences": summarize_preferences(preferences).to_dict() if preferences else None,
            "machines": describe_machines(store, project.id),
        }
    )
    return found


def render_status(found: Mapping[str, Any], language: Language = "en") -> str:
    """Returns what `describe_project` found as text for the terminal."""
    return render_text(status_document(found, language))


def status_document(found: Mapping[str, Any], language: Language = "en") -> Document:
    """Returns what `describe_project` found: how far the project is, and how far judges agree."""
    texts = catalogue("judging", language)
    share = found["filled"] / found["places"] if found["places"] else 0.0
    names: tuple[str, ...] = ("project", "filled", "places", "finished", "items")
    progress = texts.say("progress", **{name: found[name] for name in names}, share=share)
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
        names = ("judge", "done", "open", "later", "left", "seconds")
        blocks.append(Table(texts.names("column", names), rows))
    if found["agreement"] and found["agreement"]["overall"]["units"]:
        blocks += _agreement(found["agreement"], texts)
    if found["gold_quality"]:
        rows = [
            [one["judge"], str(one["items"]), _figure(one["equal"]), _figure(one["difference"])]
            for one in found["gold_quality"]
        ]
        names = ("gold", "graded", "equal", "difference")
        blocks.append(Table(texts.names("column", names), rows))
    if found["preferences"]:
        blocks += _preferences(found["preferences"], texts)
    if found["machines"]:
        blocks.append(Lines([describe_machine(one, texts) for one in found["machines"]]))
    return Document(blocks)


def _figure(value: float | None, digits: int = 4) -> str:
    return "-" if value is None or math.isnan(value) else f"{value:.{digits}f}"


def _agreement(found: Mapping[str, Any], texts: Catalogue) -> list[Table]:
    names = ["fleiss", "alpha_nominal", "alpha_ordinal", "alpha_interval"]
    groups = {texts["all"]: found["overall"], **found["tiers"]}
    rows = [
        [name or texts["no_tier"], str(one["units"]), _figure(one["equal"]),
         *(_figure(one[key]) for key in names)]
        for name, one in groups.items()
    ]  # fmt: skip
    tables = [Table(texts.names("column", ("agreement", "items", "equal", *names)), rows)]
    if found["pairs"]:
        rows = [
            [f"{one['first']} / {one['second']}", str(one["units"]), _figure(one["equal"]),
             _figure(one["kappa"]), _figure(one["weighted_kappa"])]
            for one in found["pairs"][:20]
        ]  # fmt: skip
        more = len(found["pairs"]) - 20
        notes = [texts.say("more_pairs", count=more)] if more > 0 else []
        headings = texts.names("column", ("judges", "items", "equal", "kappa", "weighted_kappa"))
        tables.append(Table(headings, rows, notes=notes))
    return tables


def _preferences(found: Mapping[str, Any], texts: Catalogue) -> list[Table]:
    rows = []
    for tier, one in {texts["all"]: found["overall"], **found["tiers"]}.items():
        rows += [
            [tier, f"{pair['first']} / {pair['second']}", str(pair["queries"]),
             str(pair["first_wins"]), str(pair["ties"]), str(pair["second_wins"]),
             _figure(pair["mean"]), _figure(pair["p"])]
            for pair in one["pairs"]
        ]  # fmt: skip
    names: tuple[str, ...] = ("tier", "systems", "queries", "first", "ties", "second", "mean", "p")
    tables = [Table(texts.names("column", names), rows, left=2)]
    strengths = found["overall"]["strengths"]
    if strengths:
        rows = [
            [one["system"], *(_figure(one[name]) for name in ("strength", "low", "high"))]
            for one in strengths
        ]
        names = ("bradley_terry", "strength", "low", "high")
        tables.append(Table(texts.names("column", names), rows))
    return tables
