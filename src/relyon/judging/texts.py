"""Checks of values to store: texts, names, ids, grades and JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import overload

from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.core.texts import message
from relyon.data.scale import Scale

__all__ = [
    "check_grade",
    "check_name",
    "check_text",
    "is_id",
    "is_storable",
    "plain",
    "unknown_name",
]


def is_id(number: int) -> bool:
    """Returns whether a number can be the id of a row in every database."""
    return 0 < number < 2**31


def is_storable(text: str) -> bool:
    """Returns whether every database can store a text."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def check_text(text: str, what: str) -> str:
    """Returns a text that every database can store.

    Raises:
        InputError: If it has a character of code 0, or half of a surrogate pair.
    """
    if not is_storable(text):
        raise InputError(
            message("judging.holds-character-that-cannot", what=what),
            hint=message("judging.is-of-code-0"),
        )
    return text


def check_name(name: str, what: str) -> str:
    """Returns a name without the space around it.

    Raises:
        InputError: If it has a character that cannot be stored.
        ParameterError: If it is empty, longer than 200 characters, or cannot be printed.
    """
    cleaned = check_text(name, f"name of the {what}").strip()
    if not cleaned or len(cleaned) > 200 or not cleaned.isprintable():
        raise ParameterError(message("judging.cannot-be-name", name=name[:60], what=what))
    return cleaned


def check_grade(scale: Scale, grade: object) -> float:
    """Returns a grade of a scale by its number or the name of its level.

    Raises:
        InputError: If the scale has no such grade.
    """
    parsed = scale.parse(grade)
    if not math.isfinite(parsed) or (scale.levels and parsed not in scale.gains):
        raise InputError(
            message(
                "judging.not-grade-of-scale",
                scale_name=scale.name,
                grade=grade,
            )
        )
    return parsed


@overload
def plain(value: Mapping[str, object]) -> dict[str, object]: ...
@overload
def plain(value: object) -> object: ...
def plain(value: object) -> object:
    """Returns a value for JSON: non-finite numbers as None, unknown types as text.

    Raises:
        InputError: If a text cannot be stored.
    """
    if isinstance(value, str):
        return check_text(value, "field")
    if isinstance(value, Mapping):
        return {check_text(str(name), "field"): plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def unknown_name(what: str, name: str, known: Sequence[str]) -> UnknownNameError:
    """Returns the error for an unknown name, with the most similar known one as a hint."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1)
    hint = message("core.did-you-mean", name=near[0]) if near else ""
    return UnknownNameError(message("judging.unknown-what", what=what, name=name), hint=hint)
