"""What a lead asks a language model for: the form, and the plan that it leads to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Form

from relyon.app.models.settings import ModelEndpoint
from relyon.core.errors import InputError
from relyon.core.texts import Language, message
from relyon.judging.llm.judge import Plan, Which, build_plan, choose_items
from relyon.judging.llm.models import Configuration, draft_configuration
from relyon.judging.llm.prompt import Prompt, build_prompt

if TYPE_CHECKING:
    from relyon.judging.records import Project
    from relyon.judging.store import Store

__all__ = [
    "LARGEST_PROJECT",
    "MOST_ASKED",
    "Planned",
    "Wish",
    "WishForm",
    "endpoint_of",
    "find_endpoint",
    "plan_wish",
]

#: Results that a model is asked about at once: a page plans them while somebody waits.
MOST_ASKED = 50_000
#: Results of a project from which on they are not chosen in the app.
LARGEST_PROJECT = 300_000
LONGEST_TASK = 10_000


@dataclass(frozen=True)
class Wish:
    """A filled-in form.

    Attributes:
        endpoint: The name of one of the operator's models.
        language: Of the prompt.
        samples: Number of answers per result.
        temperature: Of the model.
        which: Results that people graded, ungraded ones, or all.
        limit: Only this many results, drawn at random; None takes all.
        per_minute: Maximum number of requests per minute; None for no limit.
        task: The task in the lead's words; empty for ours.
    """

    endpoint: str = ""
    language: Language = "en"
    samples: int = 3
    temperature: float = 0.7
    which: Which = "graded"
    limit: int | None = None
    per_minute: float | None = None
    task: str = ""

    def fields(self) -> dict[str, str]:
        """Returns the fields of the form."""
        return {
            name: "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
            for name, value in asdict(self).items()
        }


def _wish(
    endpoint: Annotated[str, Form(max_length=100)],
    language: Annotated[Language, Form()] = "en",
    samples: Annotated[int, Form(ge=1, le=20)] = 3,
    temperature: Annotated[float, Form(ge=0, le=2, allow_inf_nan=False)] = 0.7,
    which: Annotated[Which, Form()] = "graded",
    limit: Annotated[int | None, Form(ge=1, le=MOST_ASKED)] = None,
    per_minute: Annotated[float | None, Form(gt=0, le=100_000)] = None,
    task: Annotated[str, Form(max_length=LONGEST_TASK)] = "",
) -> Wish:
    # A text area sends its line breaks as CR LF.
    written = "\n".join(task.splitlines()).strip()
    return Wish(endpoint, language, samples, temperature, which, limit, per_minute, written)


#: A form of a route.
WishForm = Annotated[Wish, Depends(_wish)]


@dataclass(frozen=True)
class Planned:
    """What a wish leads to.

    Attributes:
        endpoint: The model.
        draft: Its settings.
        prompt: Its prompt.
        plan: The requests.
    """

    endpoint: ModelEndpoint
    draft: Configuration
    prompt: Prompt
    plan: Plan


def find_endpoint(endpoints: Sequence[ModelEndpoint], name: str) -> ModelEndpoint:
    """Returns one of the operator's models.

    Raises:
        InputError: If there is none of this name.
    """
    for one in endpoints:
        if one.name == name:
            return one
    raise InputError(
        message("app.model-is-not-offered", name=name[:60]), hint=message("app.choose-a-model")
    )


def endpoint_of(endpoints: Sequence[ModelEndpoint], configuration: Configuration) -> ModelEndpoint:
    """Returns the model of a configuration, if the operator still offers it.

    Raises:
        InputError: If it is not offered.
    """
    for one in endpoints:
        if (one.url, one.model) == (configuration.endpoint, configuration.model):
            return one
    return find_endpoint((), configuration.judge)


def plan_wish(
    store: Store, project: Project, wish: Wish, endpoints: Sequence[ModelEndpoint]
) -> Planned:
    """Returns the requests that a wish leads to; nothing is sent or stored.

    Raises:
        InputError: If the model is not offered, too many results are chosen, or the project has no
            single results to grade.
        ParameterError: If the task is invalid.
    """
    chosen = find_endpoint(endpoints, wish.endpoint)
    prompt = build_prompt(project, language=wish.language, task=wish.task or None)
    draft = draft_configuration(
        project.id,
        f"llm:{chosen.model}",
        endpoint=chosen.url,
        model=chosen.model,
        samples=wish.samples,
        parameters={"temperature": wish.temperature},
        language=wish.language,
        prompt=prompt.text,
    )
    if store.items.count(project.id) > LARGEST_PROJECT:
        raise InputError(message("app.project-too-large-for-model", most=LARGEST_PROJECT))
    items = choose_items(store, project.id, which=wish.which, limit=wish.limit)
    if len(items) > MOST_ASKED:
        raise InputError(
            message("app.too-many-for-model", count=len(items), most=MOST_ASKED),
            hint=message("app.draw-some-at-random"),
        )
    return Planned(chosen, draft, prompt, build_plan(store, draft, prompt, items))
