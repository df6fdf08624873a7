"""What a database may hold: texts, names, ids, grades and values of JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

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
    """Says whether a number may be the id of a row, as every database counts."""
    return 0 < number < 2**31


def is_storable(text: str) -> bool:
    """Says whether every database can hold a text."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def check_text(text: str, what: str) -> str:
    """Returns a text that every database can hold.

    Raises:
        InputError: If it has a character that is none.
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
        InputError: If it has a character that no database can hold.
        ParameterError: If it is empty, longer than 200 characters, or cannot be printed.
    """
    cleaned = check_text(name, f"name of the {what}").strip()
    if not cleaned or len(cleaned) > 200 or not cleaned.isprintable():
        raise ParameterError(message("judging.cannot-be-name", name=name[:60], what=what))
    return cleaned


def check_grade(scale: Scale, grade: object) -> float:
    """Returns a grade that a scale has, by its number or the name of its level.

    Raises:
        InputError: If it has no such grade.
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


def plain(value: Any) -> Any:
    """Returns a value that JSON has, without characters that a database cannot hold."""
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
    """Returns the error for a name that is not there, with the nearest one that is."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1)
    hint = message("core.did-you-mean", name=near[0]) if near else ""
    return UnknownNameError(message("judging.unknown-what", what=what, name=name), hint=hint)
