"""Checks of parameters, with one message per kind of check."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TypeVar

from relyon.core.errors import ParameterError
from relyon.core.registry import nearest
from relyon.core.texts import message

__all__ = [
    "check_choice",
    "check_fraction",
    "check_interval",
    "check_items",
    "check_least",
    "check_path",
    "check_type",
    "check_whole",
]

T = TypeVar("T")


def check_choice(name: str, value: object, choices: Sequence[object], *, subject: str = "") -> None:
    """Refuses a value that is not one of the choices; the hint names the nearest.

    Args:
        name: The parameter's name.
        value: The value.
        choices: The allowed values.
        subject: The subject of the message; by default the parameter.

    Raises:
        ParameterError: If the value is not one of the choices.

    Examples:
        >>> check_choice("test", "sign", ["t", "sign"])
        >>> check_choice("by", "sing", ["sign"])
        Traceback (most recent call last):
        relyon.ParameterError: the parameter `by` must be one of `sign`. Got `sing` instead.
        <BLANKLINE>
        hint: did you mean `sign`?
    """
    if isinstance(value, str | int | float) and value in choices:
        return
    close = nearest(str(value), [str(choice) for choice in choices], cutoff=0.6)
    raise ParameterError(
        message(
            "core.what-must-be-one-of-choices",
            what=subject or message("core.parameter-name", name=name),
            choices=[f"`{choice}`" for choice in choices],
            value=value,
        ),
        hint=message("core.did-you-mean", name=close) if close else "",
    )


def check_whole(name: str, value: object, *, least: int = 1) -> int:
    """Returns a whole number of at least `least`, and refuses everything else.

    Raises:
        ParameterError: If it is not a whole number, or below `least`.

    Examples:
        >>> check_whole("threads", 0, least=0)
        0
    """
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < 2**63:
        raise ParameterError(
            message(
                "core.parameter-must-be-whole",
                name=name,
                least=least,
                value=value,
            )
        )
    return value


def check_fraction(name: str, value: object) -> None:
    """Refuses a number that is not strictly between 0 and 1.

    Raises:
        ParameterError: If it is not.

    Examples:
        >>> check_fraction("confidence", 0.95)
    """
    if not isinstance(value, int | float) or not 0 < value < 1:
        raise ParameterError(
            message(
                "core.parameter-must-be-between-0",
                name=name,
                value=value,
            )
        )


def check_interval(name: str, value: float, low: float, high: float) -> None:
    """Refuses a number outside an interval that includes its ends.

    Raises:
        ParameterError: If it is not.

    Examples:
        >>> check_interval("sigma", 0.5, 0, 1)
    """
    if not low <= value <= high:
        raise ParameterError(
            message(
                "core.parameter-name-must-be-between-low",
                name=name,
                low=low,
                high=high,
                value=value,
            )
        )


def check_least(name: str, value: float) -> None:
    """Refuses a number below 0, and NaN.

    Raises:
        ParameterError: If it is below 0 or NaN.

    Examples:
        >>> check_least("tolerance", 0.0)
    """
    if not value >= 0:
        raise ParameterError(
            message(
                "core.parameter-must-be-0",
                name=name,
                value=value,
            )
        )


def check_type(name: str, value: object, wanted: type | tuple[type, ...], expected: str) -> None:
    """Refuses a value of another type.

    Args:
        name: The parameter's name.
        value: The value.
        wanted: The allowed types.
        expected: The expected value, in words.

    Raises:
        ParameterError: If it has another type.

    Examples:
        >>> check_type("month", 5, str, "text such as 2026-01")
        Traceback (most recent call last):
        relyon.ParameterError: the parameter `month` must be text such as 2026-01. Got int instead.
    """
    if not isinstance(value, wanted):
        raise ParameterError(
            message(
                "core.parameter-name-must-be-expected",
                name=name,
                expected=expected,
                name_2=type(value).__name__,
            )
        )


def check_path(name: str, value: object, expected: str = "a path") -> str:
    """Returns the path of a file or folder as text.

    Args:
        name: The parameter's name.
        value: The value.
        expected: The expected value, in words.

    Raises:
        ParameterError: If it is not a path.

    Examples:
        >>> check_path("folder", "rounds")
        'rounds'
    """
    path = os.fspath(value) if isinstance(value, str | os.PathLike) else value
    check_type(name, path, str, expected)
    return str(path)


def check_items(name: str, value: Iterable[T], expected: str) -> list[T]:
    """Returns the items of something that can be iterated over.

    Raises:
        ParameterError: If it is not iterable.

    Examples:
        >>> check_items("runs", ("a.run", "b.run"), "a list of runs")
        ['a.run', 'b.run']
    """
    check_type(name, value, Iterable, expected)
    return list(value)
