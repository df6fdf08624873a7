"""The form of a try: an engine, a query, and one or two variants, whose parameters can change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from fastapi import Form
from pydantic import BaseModel, ConfigDict, Field

from relyon.app.engines.allowed import AllowedEngines
from relyon.app.engines.trying import Asked
from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.engines.asked import Query, Variant
from relyon.engines.files.configuration import Configuration, alike
from relyon.engines.files.template import Scalar, write_scalar
from relyon.engines.planning import make_requests

__all__ = ["MOST", "Input", "SideForm", "Wish", "Wished", "describe_sides", "wanted"]

#: Results of a list, at most; those that are asked for unless a number is given.
MOST, USUAL = 50, 10
#: Characters of a query, of a parameter and of a body.
QUERY, VALUE, BODY = 1000, 2000, 20_000
#: The sides of a page.
SIDES: tuple[Literal["a", "b"], ...] = ("a", "b")


class Wish(BaseModel):
    """What a lead wants to try, as a form sends it.

    The parameters of a side have names such as `a.p.boost`; `a.of` is the variant whose values the
    form showed, and `of` the engine. `id` is that of the query with the text that the form showed:
    two queries may have one text.
    """

    model_config = ConfigDict(extra="allow")

    engine: str = Field("", max_length=200)
    of: str = Field("", max_length=200)
    query: str = Field("", max_length=QUERY)
    id: str = Field("", max_length=QUERY)
    k: int = Field(USUAL, ge=1, le=MOST)
    explain: bool = False
    fill: bool = False
    a: str = Field("", max_length=200)
    b: str = Field("", max_length=200)
    at: str = Field("", pattern="^([0-9a-f]{32})?$")
    csrf: str = ""

    def given(self, name: str) -> str | None:
        """Returns a further field, as it was typed; None without one."""
        found = (self.model_extra or {}).get(name)
        return found if isinstance(found, str) else None


Wished = Annotated[Wish, Form()]


@dataclass(frozen=True)
class Input:
    """A parameter on a page.

    Attributes:
        name: Its name.
        value: Its value as text.
        kind: What can be typed.
    """

    name: str
    value: str
    kind: Literal["text", "number", "choice"]


@dataclass(frozen=True)
class SideForm:
    """One side of the form.

    Attributes:
        side: `a` or `b`.
        variant: The chosen variant; empty for none.
        inputs: Its parameters.
        body: The template of the body; None if it cannot be changed.
    """

    side: str
    variant: str
    inputs: tuple[Input, ...] = ()
    body: str | None = None


@dataclass(frozen=True)
class Wanted:
    """What to ask.

    Attributes:
        text: The query.
        sides: One or two variants.
        changed: The names of the variants whose parameters or body were changed.
    """

    text: str
    sides: tuple[Asked, ...]
    changed: tuple[str, ...] = field(default=())


def describe_sides(
    engines: AllowedEngines, configuration: Configuration, project: int, wish: Wish
) -> tuple[SideForm, ...]:
    """Returns both sides of the form: with what was typed, or what their variants have."""
    body = engines.body(configuration.name, project)
    known = {one.name: one for one in configuration.variants}
    found = []
    for side in SIDES:
        name = _chosen(wish, side, configuration)
        variant = known.get(name or configuration.variants[0].name, configuration.variants[0])
        typed = _typed(wish, side, configuration)
        inputs = tuple(
            Input(key, typed.get(key, write_scalar(value)), _kind(value))
            for key, value in variant.parameters.items()
        )
        own = wish.given(f"{side}.body") if _is_same(wish, side, configuration) else None
        found.append(SideForm(side, name, inputs, None if body is None else own or body))
    return tuple(found)


def wanted(engines: AllowedEngines, project: int, wish: Wish) -> Wanted:
    """Returns what a form asks for.

    Raises:
        InputError: If there is no query.
        ParameterError: If a value has another type than the parameter, or a placeholder has none.
        UnknownNameError: If the engine is not allowed.
    """
    text = " ".join(wish.query.split())
    if not text:
        raise InputError(message("app.try-has-no-query"), hint=message("app.type-a-query"))
    sides, changed = [], []
    usual = engines.get(wish.engine, project)
    for side in SIDES:
        name = _chosen(wish, side, usual)
        if not name:
            continue
        (variant,) = usual.chosen([name])
        typed = _typed(wish, side, usual)
        values: dict[str, Scalar] = dict(variant.parameters)
        for key, value in typed.items():
            if value != write_scalar(values[key]):
                values[key] = alike(key, value[:VALUE], variant.parameters, wish.engine)
        body = _changed_body(engines, project, wish, side, usual)
        if values != variant.parameters or body is not None:
            changed.append(name)
        own = engines.get(wish.engine, project, body=body)
        changed_variant = Variant(name, values)
        make_requests(own.engine, [Query(text, text)], [changed_variant], wish.k)
        sides.append(Asked(own, changed_variant, body))
    return Wanted(text, tuple(sides), tuple(changed))


def _chosen(wish: Wish, side: Literal["a", "b"], configuration: Configuration) -> str:
    """Returns the variant of a side: the first and the second unless others are chosen."""
    name = wish.a if side == "a" else wish.b
    names = [one.name for one in configuration.variants]
    if name in names:
        return name
    if side == "a":
        return names[0]
    # Before the form was sent, both sides are shown if there are two variants.
    return names[1] if not wish.of and not wish.b and len(names) > 1 and not wish.a else ""


def _is_same(wish: Wish, side: str, configuration: Configuration) -> bool:
    """Returns whether the values of a side belong to the engine and variant that are chosen."""
    name = wish.a if side == "a" else wish.b
    return wish.of == configuration.name and wish.given(f"{side}.of") in (name, None)


def _typed(wish: Wish, side: str, configuration: Configuration) -> dict[str, str]:
    """Returns the values that were typed, of parameters that there are, if they may be changed."""
    if "parameters" not in configuration.app.editable or not _is_same(wish, side, configuration):
        return {}
    names = configuration.variants[0].parameters
    given = {name: wish.given(f"{side}.p.{name}") for name in names}
    return {name: value.strip() for name, value in given.items() if value is not None}


def _changed_body(
    engines: AllowedEngines, project: int, wish: Wish, side: str, configuration: Configuration
) -> str | None:
    """Returns the body of a side if it was changed and may be."""
    usual = engines.body(configuration.name, project)
    given = wish.given(f"{side}.body")
    if usual is None or given is None or not _is_same(wish, side, configuration):
        return None
    tidy = given.replace("\r\n", "\n").strip()[:BODY]
    return None if tidy in ("", usual.replace("\r\n", "\n").strip()) else tidy


def _kind(value: Scalar) -> Literal["text", "number", "choice"]:
    if isinstance(value, bool):
        return "choice"
    return "text" if isinstance(value, str) else "number"
