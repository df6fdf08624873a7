"""The parameters of measures: their names, valid values and text form."""

from __future__ import annotations

import dataclasses
import math
from typing import SupportsFloat, SupportsIndex, get_args, get_type_hints

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_choice
from relyon.core.rules import parse_gain, parse_rel
from relyon.core.texts import message

__all__ = ["OPTIONAL", "check_parameter", "choices", "open_parameters", "parameters", "show"]

#: Parameters for which `None` has a meaning, so that no convention fills them.
OPTIONAL = frozenset({"k", "calls"})

_HINTS: dict[type, dict[str, object]] = {}


def parameters(kind: type) -> dict[str, object]:
    """Returns a measure's parameters and their types."""
    if kind not in _HINTS:
        hints = {entry.name: entry.type for entry in dataclasses.fields(kind)}
        if any(isinstance(hint, str) for hint in hints.values()):
            written = get_type_hints(kind)
            hints = {name: written[name] for name in hints}
        _HINTS[kind] = hints
    return _HINTS[kind]


def show(value: object) -> str:
    """Returns a parameter's value as written in a name."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.17g}" if float(f"{value:g}") != value else f"{value:g}"
    return str(value)


def choices(hint: object) -> tuple[object, ...]:
    """Returns the choices that a parameter's type allows; empty if it is not a list of choices."""
    found: list[object] = []
    for argument in get_args(hint):
        if isinstance(argument, str):
            found.append(argument)
        elif argument is not type(None):
            found.extend(choices(argument))
    return tuple(found)


def check_parameter(measure: str, name: str, value: object, hint: object) -> object:
    """Returns a parameter's value in its own type, parsing text if necessary."""
    optional = type(None) in get_args(hint) or hint is type(None)
    if value is None and optional:
        return None

    def refuse(wanted: str) -> ParameterError:
        return ParameterError(
            message(
                "core.parameter-name-of-measure",
                name=name,
                measure=measure,
                wanted=wanted,
                value=value,
            )
        )

    if name == "gain":
        return parse_gain(value)
    if name == "rel" and str(value).lower() == "positive":
        return parse_rel(value)
    allowed = choices(hint)
    if allowed:
        check_choice(name, value, allowed, subject=f"the parameter `{name}` of `{measure}`")
        return value
    wanted = next(
        (kind for kind in (bool, int, float) if hint is kind or kind in get_args(hint)), str
    )
    if wanted is bool:
        text = str(value).lower()
        if text not in {"true", "false"}:
            raise refuse("`true` or `false`")
        return text == "true"
    try:
        if not isinstance(value, str | SupportsFloat | SupportsIndex):
            raise refuse("a number")
        number = float(value)
    except (TypeError, ValueError):
        raise refuse("a number") from None
    except OverflowError:  # a whole number of hundreds of digits
        number = math.inf
    if wanted is int and number >= 2**63:
        raise refuse("a whole number of 1 or more, below 2^63")
    if wanted is int:
        if isinstance(value, bool) or number != int(number) or number < 1:
            raise refuse("a whole number of 1 or more")
        return int(number)
    if not math.isfinite(number):
        raise refuse("a finite number")
    return number


def open_parameters(kind: type) -> list[str]:
    """Returns the parameters that a measure's name may leave open for a convention to fill."""
    entries = dataclasses.fields(kind)
    return [one.name for one in entries if one.default is None and one.name not in OPTIONAL]
