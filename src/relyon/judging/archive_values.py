"""Which values an archive may contain: only those that a database would have stored by itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from relyon.core.errors import InputError
from relyon.judging.records import Project
from relyon.judging.schema import sa
from relyon.judging.table_rows import PLACES, RESULT_TEXTS
from relyon.judging.texts import check_grade, is_storable, plain

__all__ = ["fits"]

#: The last second of the year 9999: no page can write a later time.
LAST = 253_402_300_799.0
#: The least and the greatest value of numbers, by the names of their columns.
RANGES: dict[str, tuple[float, float]] = {
    "created_at": (0, LAST),
    "gold_share": (0, math.nextafter(1, 0)),
    "k": (1, math.inf),
    "keys_changed_at": (0, LAST),
    "lease_seconds": (math.nextafter(0, 1), LAST),
    "leased_until": (0, LAST),
    "overlap": (1, math.inf),
    "place": (0, PLACES - 1),
    "samples": (1, math.inf),
    "seconds": (0, LAST),
    "seed": (0, PLACES - 1),
    "slot": (0, math.inf),
    "target_agreement": (-1, 1),
}


def fits(column: sa.Column[object], value: object, project: Project | None) -> bool:
    """Returns whether a column accepts a value.

    Args:
        column: The column.
        value: The value, read from JSON.
        project: The project, whose scale has all grades; None before it is read.
    """
    if value is None:
        return bool(column.nullable)
    kind = column.type
    if isinstance(kind, sa.Boolean):
        return isinstance(value, bool)
    if isinstance(kind, sa.Text):
        return isinstance(value, str) and is_storable(value)
    if isinstance(kind, sa.JSON):
        return SHAPES.get(column.name, _is_object)(value) and _is_plain(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if isinstance(kind, sa.Integer):
        most = 2**63 if isinstance(kind, sa.BigInteger) else 2**31
        right = isinstance(value, int) and -most <= value < most
    else:
        right = math.isfinite(value)
    least, greatest = RANGES.get(column.name, (-math.inf, math.inf))
    return right and least <= value <= greatest and _is_grade(column, value, project)


def _is_grade(column: sa.Column[object], value: object, project: Project | None) -> bool:
    """Returns whether a grade is one of the project's scale; True for other columns."""
    if column.name != "grade" or project is None:
        return True
    try:
        check_grade(project.scale, value)
    except InputError:
        return False
    return True


def _is_plain(value: object) -> bool:
    try:
        return bool(plain(value) == value)
    except InputError:
        return False


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping)


def _is_guideline(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(text, str) for text in value.values())


def _is_ranking(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_result, value))


def _is_result(value: object) -> bool:
    """Returns whether it has the texts of a result, and `fields` that are an object."""
    if not isinstance(value, Mapping) or not value.keys() <= {*RESULT_TEXTS, "fields"}:
        return False
    texts = (value[name] for name in RESULT_TEXTS if name in value)
    return all(isinstance(one, str) for one in texts) and _is_object(value.get("fields", {}))


#: What columns of JSON contain, if not any object.
SHAPES: dict[str, Callable[[object], bool]] = {
    "first_results": _is_ranking,
    "guideline": _is_guideline,
    "second_results": _is_ranking,
}
