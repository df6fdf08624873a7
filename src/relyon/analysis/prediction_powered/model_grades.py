"""A model's grades beside people's: the same scale, by statement or by mapping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.data.judgments import Judgments

__all__ = ["in_grades_of_people", "own_grades_note"]

#: Pairs with both grades from which on it is suspicious that all are equal.
SUSPICIOUS = 20
NAMED = 5


def in_grades_of_people(
    model: Judgments, people: Judgments, grades: Mapping[float, float]
) -> Judgments:
    """Returns the model's judgments in the grades of people.

    Args:
        model: The model's judgments.
        people: People's judgments.
        grades: The human grade of each grade of the model; empty if they have the same scale.

    Raises:
        InputError: If the model's grades look like those of another scale and are not mapped: one
            is below or above all human grades, or all are between 0 and 1 and human ones are not.
        ParameterError: If a grade of the model is not mapped.
    """
    given = model.to_frame()["grade"].unique().sort().to_list()
    if grades:
        left = [grade for grade in given if grade not in grades and grade >= 0]
        if left:
            raise ParameterError(
                message("analysis.powered-grade-not-mapped", grades=_shown(left)),
                hint=message("analysis.powered-map-every-grade"),
            )
        return _mapped(model, grades)
    if people.scale is not None and people.scale.levels:
        known = [level.grade for level in people.scale.levels]
    else:
        known = people.to_frame()["grade"].unique().sort().to_list()
    counted = [grade for grade in given if grade >= 0]
    ours = [grade for grade in known if grade >= 0]
    if not counted or not ours:
        return model
    least, most = min(0.0, *ours), max(ours)
    outside = [grade for grade in counted if not least <= grade <= most]
    smaller = most > 1 and max(counted) <= 1 and len(counted) > 1
    if outside or smaller:
        raise InputError(
            message("analysis.powered-other-scale", model=_shown(counted), people=_shown(ours)),
            path=model.path,
            hint=message("analysis.powered-map-grades", first=f"{counted[-1]:g}", most=f"{most:g}"),
        )
    return model


def _shown(grades: list[float]) -> str:
    """Returns grades as text, the middle ones left out if there are many."""
    texts = [f"{grade:g}" for grade in grades]
    if len(texts) > NAMED:
        texts = [*texts[:2], "…", *texts[-2:]]
    return ", ".join(texts)


def _mapped(model: Judgments, grades: Mapping[float, float]) -> Judgments:
    from relyon.data.judgments import Judgments as Rebuilt

    frame = model.to_frame()
    grade = frame["grade"].replace(list(grades), list(grades.values()))
    return Rebuilt.from_frame(frame.with_columns(grade), scale=model.scale, source=model.source)


def own_grades_note(model: Judgments, people: Judgments) -> tuple[int, list[Note]]:
    """Returns how many pairs have both grades, and a warning if all of those are equal.

    Args:
        model: The model's judgments, in the grades of people.
        people: People's judgments.
    """
    import polars as pl

    keys = ["query", "document"]
    highest = pl.col("grade").max()
    ours, theirs = (one.to_frame().group_by(keys).agg(highest) for one in (people, model))
    both = ours.join(theirs, on=keys, suffix="_model")
    equal = int((both["grade"] == both["grade_model"]).sum())
    if len(both) >= SUSPICIOUS and equal == len(both):
        return len(both), [Note("model-grades-equal-human", len(both), "warning")]
    return len(both), []
