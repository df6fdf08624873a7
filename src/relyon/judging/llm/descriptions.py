"""Language models as judges, in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypedDict

from relyon.core.notes import Note
from relyon.core.texts import Catalogue

if TYPE_CHECKING:
    from relyon.judging.llm.models import Configuration
    from relyon.judging.store import Store

__all__ = [
    "ConfigurationValues",
    "MachineValues",
    "configuration_dict",
    "date_of",
    "describe_machine",
    "describe_machines",
    "note_machines",
]


class ConfigurationValues(TypedDict):
    """A judge's settings as JSON, without the prompt."""

    judge: str
    version: int
    model: str
    endpoint: str
    samples: int
    parameters: dict[str, object]
    language: str


class MachineValues(ConfigurationValues):
    """A language model that graded in a project, as JSON; None if it is not accepted."""

    graded: int
    accepted: bool
    accepted_by: str | None
    accepted_at: float | None
    compared: int | None
    kappa: float | None
    weighted_kappa: float | None
    filled: int


def configuration_dict(found: Configuration) -> ConfigurationValues:
    """Returns a judge's settings as JSON-ready values, without the prompt."""
    return {
        "judge": found.judge,
        "version": found.version,
        "model": found.model,
        "endpoint": found.endpoint,
        "samples": found.samples,
        "parameters": dict(found.parameters),
        "language": found.language,
    }


def date_of(seconds: float) -> str:
    """Returns the day of a time, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def note_machines(store: Store, project_id: int, sources: Sequence[str]) -> Note | None:
    """Returns a note of how many final grades are a language model's; None if there are none.

    Every export of final grades shows it.

    Args:
        store: The database.
        project_id: The project.
        sources: The source of each final grade.
    """
    accepted = store.models.accepted(project_id)
    if accepted is None:
        return None
    judge = accepted.configuration.judge
    filled = sources.count(judge)
    if not filled:
        return None
    values = {"filled": filled, "total": len(sources), "judge": judge, "by": accepted.by}
    values["date"] = date_of(accepted.at)
    return Note("machine-grades", level="warning", values=values)


def describe_machines(store: Store, project_id: int) -> list[MachineValues]:
    """Returns the language models that graded in a project, every version, as JSON-ready values."""
    known = store.models.all(project_id)
    if not known:
        return []
    accepted = store.models.accepted(project_id)
    filled = store.decisions.count_filled(project_id)
    found: list[MachineValues] = []
    for one in known:
        graded = len(store.replies.graded_items(one))
        if not graded:
            continue
        mine = accepted if accepted is not None and accepted.configuration == one else None
        found.append(
            {
                **configuration_dict(one),
                "graded": graded,
                "accepted": mine is not None,
                "accepted_by": mine.by if mine else None,
                "accepted_at": mine.at if mine else None,
                "compared": mine.items if mine else None,
                "kappa": mine.kappa if mine else None,
                "weighted_kappa": mine.weighted_kappa if mine else None,
                "filled": filled if mine else 0,
            }
        )
    return found


def describe_machine(one: MachineValues, texts: Catalogue) -> str:
    """Returns a result of `describe_machines` as a sentence."""
    values: dict[str, object] = {
        "judge": one["judge"],
        "version": one["version"],
        "graded": one["graded"],
    }
    if one["accepted_at"] is None:
        return texts.say("machine_open", **values)
    values |= {"by": one["accepted_by"], "date": date_of(one["accepted_at"])}
    values |= {"compared": one["compared"], "filled": one["filled"]}
    if one["kappa"] is None:
        return texts.say("machine", **values)
    return texts.say("machine_kappa", **values, kappa=one["kappa"])
