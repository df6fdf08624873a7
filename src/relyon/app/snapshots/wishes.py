"""What a lead asks for when a snapshot is taken: the form, and the job that it leads to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, Form, Request

from relyon.app.engines.allowed import AllowedEngines
from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.engines.asked import Variant
from relyon.engines.files.configuration import Configuration, alike
from relyon.engines.files.template import Scalar, write_scalar
from relyon.judging.records import Project, User
from relyon.judging.snapshots.kept import Snapshot
from relyon.judging.snapshots.queries import project_queries, with_more
from relyon.judging.snapshots.taking import SnapshotRun, continue_snapshot, start_snapshot
from relyon.judging.store import Store

__all__ = [
    "DEFAULT_K",
    "Wish",
    "WishForm",
    "allowed_engines",
    "begin",
    "go_on",
]

#: Results per query unless the form says otherwise, and at most.
DEFAULT_K, MOST_K = 20, 1000
LONGEST_LINES = 500_000
#: Characters of a changed value in the name of a variant.
SHOWN = 100
Text = Annotated[str, Form(max_length=200)]
Texts = Annotated[list[str], Form()]


@dataclass(frozen=True)
class Wish:
    """A filled-in form.

    Attributes:
        engine: The name of the engine.
        variant: The name of one of its variants.
        k: How many results each query asks for.
        name: The name of the snapshot; empty for one that says what and when.
        changes: Values of parameters in place of the variant's.
        more: Further queries, one per line.
    """

    engine: str = ""
    variant: str = ""
    k: int = DEFAULT_K
    name: str = ""
    changes: Mapping[str, str] = field(default_factory=dict)
    more: str = ""


def _wish(
    engine: Text = "",
    variant: Text = "",
    k: Annotated[int, Form(ge=1, le=MOST_K)] = DEFAULT_K,
    name: Text = "",
    parameter: Texts = [],  # noqa: B006  FastAPI copies it
    value: Texts = [],  # noqa: B006
    more: Annotated[str, Form(max_length=LONGEST_LINES)] = "",
) -> Wish:
    pairs = zip(parameter, value, strict=False)
    changes = {name: text.strip() for name, text in pairs if text.strip()}
    return Wish(engine, variant, k, name.strip(), changes, more)


WishForm = Annotated[Wish, Depends(_wish)]


def allowed_engines(request: Request) -> AllowedEngines:
    """Returns the engines that the operator allows."""
    found: AllowedEngines = request.app.state.settings.engines
    return found


def begin(
    store: Store, project: Project, wish: Wish, engines: AllowedEngines, *, by: User
) -> SnapshotRun:
    """Creates the snapshot that a form asks for, and its job.

    Raises:
        UnknownNameError: If leads of the project may not use the engine.
        InputError: If the project has no queries.
        ParameterError: If a parameter cannot be changed, or the snapshot cannot be taken.
    """
    configuration = engines.get(wish.engine, project.id)
    variant = _variant(configuration, wish)
    queries = with_more(project_queries(store, project.id), wish.more)
    moment = datetime.fromtimestamp(store.clock(), UTC)
    return start_snapshot(
        store,
        project,
        configuration,
        variant,
        queries,
        k=wish.k,
        name=wish.name or f"{wish.engine}, {variant.name}, {moment:%Y-%m-%d %H:%M:%S}"[:200],
        by=by,
        reach=configuration.app.reach,
    )


def go_on(
    store: Store, project: Project, snapshot: Snapshot, engines: AllowedEngines, *, by: User
) -> SnapshotRun:
    """Creates the job that asks for what an open snapshot lacks.

    Raises:
        UnknownNameError: If leads of the project may not use its engine.
        ParameterError: If it cannot go on.
    """
    configuration = engines.get(snapshot.engine, project.id)
    return continue_snapshot(
        store, project, snapshot, configuration, by=by, reach=configuration.app.reach
    )


def _variant(configuration: Configuration, wish: Wish) -> Variant:
    """Returns the chosen variant with the changed parameters, which its name shows."""
    names = [wish.variant] if wish.variant else [configuration.variants[0].name]
    (chosen,) = configuration.chosen(names)
    changes: dict[str, Scalar] = {}
    for name, text in wish.changes.items():
        if "parameters" not in configuration.app.editable:
            raise ParameterError(message("app.parameters-are-fixed", name=configuration.name))
        found = alike(name, text, chosen.parameters, configuration.name)
        if found != chosen.parameters[name]:
            changes[name] = found
    if not changes:
        return chosen
    named = (f"{key}={write_scalar(new)[:SHOWN]}" for key, new in changes.items())
    return Variant(",".join([chosen.name, *named]), {**chosen.parameters, **changes})


def describe(parameters: Mapping[str, Scalar], shown: Sequence[str] = ()) -> str:
    """Returns parameters in one line, such as `boost = 2, field = title`."""
    names = shown or list(parameters)
    return ", ".join(f"{name} = {write_scalar(parameters[name])}" for name in names)
