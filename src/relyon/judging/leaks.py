"""Columns of a sheet that would show judges what others said: grades, and what users did.

A grade must not depend on another's grade, or on clicks. Fields whose names or values are those of
grades are refused, as they may be work that would be lost; what users did is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.columns import NAMES, plain_name
from relyon.data.columns.synonyms import BEHAVIOUR, SPELLINGS
from relyon.data.sheets import Item, Row, Sheet
from relyon.judging.shown import choose_fields

if TYPE_CHECKING:
    from relyon.data.scale import Scale

__all__ = ["find_leaks", "hide_behaviour"]

#: Names of grades, and of those who give them, as `plain_name` returns them.
GRADES = frozenset({*NAMES["grade"], *NAMES["judge"], "得分", "分数", "等级分", "评级"}) - {"user"}
#: Names of what users did, and parts of such names.
ACTIONS = BEHAVIOUR | {
    "orders", "impression", "曝光",
    *SPELLINGS["impressions"], *SPELLINGS["reward"],
}  # fmt: skip
PARTS = ("click", "点击")
#: Values from which on a column's values can look like grades.
ENOUGH = 2
#: The most that a whole number can be and look like a grade of a scale without levels.
HIGHEST = 4


def hide_behaviour(
    sheet: Sheet, scale: Scale, show: Collection[str] = ()
) -> tuple[Sheet, list[Note]]:
    """Returns a sheet without fields of what users did, and notes on them.

    Args:
        sheet: Graded items, or items to grade.
        scale: The project's scale, by which values are recognised as grades.
        show: Fields that judges see on purpose.

    Raises:
        InputError: If a field has a grade's name, or only a grade's values.
    """
    behaviour, grades = find_leaks((row.item for row in sheet.rows), scale, show)
    if grades:
        raise InputError(
            message("judging.fields-are-grades", fields=[f"`{name}`" for name in grades]),
            hint=message(
                _ways_out(sheet, grades),
                name=grades[0],
                read=" ".join(f"--judge-column {name}" for name in grades),
                show=" ".join(f"--show {name}" for name in grades),
            ),
        )
    if not behaviour:
        return sheet, []
    hidden = frozenset(behaviour)
    rows = tuple(_without(row, hidden) for row in sheet.rows)
    named = ", ".join(f"`{name}`" for name in behaviour)
    show_all = " ".join(f"--show {name}" for name in behaviour)
    note = Note(
        "hidden-fields", len(behaviour), "warning", values={"fields": named, "show": show_all}
    )
    return replace(sheet, rows=rows), [note]


def find_leaks(
    found: Iterable[Item], scale: Scale, show: Collection[str] = ()
) -> tuple[list[str], list[str]]:
    """Returns the fields of what users did, and those that look like grades.

    Args:
        found: Items.
        scale: The project's scale, by which values are recognised as grades.
        show: Fields that judges see on purpose.

    Examples:
        >>> from relyon.data.scale import SEARCH
        >>> fields = {"price": "30", "CTR": "0.1", "人工标注": "高"}
        >>> find_leaks([Item("q", "d", fields=fields)], SEARCH)
        (['CTR'], ['人工标注'])
    """
    names: dict[str, _Values] = {}
    for item in found:
        if item.fields:
            for name, value in choose_fields(item).items():
                if name not in show:
                    names.setdefault(name, _Values(scale)).add(value)
    behaviour = [name for name in names if _is_behaviour(name)]
    grades = [
        name
        for name, values in names.items()
        if name not in behaviour and (plain_name(name) in GRADES or values.graded)
    ]
    return behaviour, grades


class _Values:
    """Whether all values of a field are grades."""

    __slots__ = ("_count", "_holds", "_known")

    def __init__(self, scale: Scale) -> None:
        self._count = 0
        self._holds = True
        self._known = _grade_test(scale)

    def add(self, value: object) -> None:
        text = str(value).strip()
        if self._holds and text:
            self._count += 1
            self._holds = not isinstance(value, bool) and self._known(text)

    @property
    def graded(self) -> bool:
        return self._holds and self._count >= ENOUGH


def _grade_test(scale: Scale) -> Callable[[str], bool]:
    """Returns whether a text is a grade of the scale."""
    if not scale.levels:
        return lambda text: text.isdecimal() and int(text) <= HIGHEST

    known: dict[str, bool] = {}

    def is_grade(text: str) -> bool:
        if text not in known:
            if len(known) > 1000:
                return False
            try:
                known[text] = scale.parse(text) >= 0
            except InputError:
                known[text] = False
        return known[text]

    return is_grade


def _ways_out(sheet: Sheet, grades: Collection[str]) -> str:
    """Returns the hint on what to do with grades: one column may be the grade of the table."""
    graded = any(row.ratings or row.final is not None for row in sheet.rows)
    alone = len(grades) == 1 and not graded
    return "judging.read-grade-or-show-field" if alone else "judging.read-or-show-fields"


def _is_behaviour(name: str) -> bool:
    plain = plain_name(name)
    return plain in ACTIONS or any(part in plain for part in PARTS)


def _without(row: Row, hidden: Iterable[str]) -> Row:
    if not row.item.fields or row.item.fields.keys().isdisjoint(hidden):
        return row
    fields = {name: value for name, value in row.item.fields.items() if name not in hidden}
    return replace(row, item=replace(row.item, fields=fields))
