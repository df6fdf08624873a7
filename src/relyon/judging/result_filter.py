"""Which of a project's results are listed, or corrected together."""

from __future__ import annotations

from dataclasses import dataclass

from relyon.core.parameters import check_choice
from relyon.judging.result_rows import RESULT_STATES, ResultState, plain_search
from relyon.judging.schema import actions, assignments, results, sa

__all__ = ["ResultFilter", "filter_conditions", "happened"]


@dataclass(frozen=True)
class ResultFilter:
    """Which results are listed; those that meet all of the conditions.

    Attributes:
        query: A part of the query; the whole query if `exact`.
        exact: Whether it is the whole query.
        text: A part of the query, the title, or the document's name.
        judge: The id of a judge who has a place of it, or graded it.
        lowest: The least grade that a judge gave.
        highest: The greatest grade that a judge gave.
        tier: The tier.
        state: The state; by default all but removed ones.
        noted: Only results with a note.
        imported: Only results with an imported grade.
        since: Only results with which something happened since; seconds since 1970.
        until: Only results with which nothing happened since.

    Raises:
        ParameterError: If the state is unknown.
    """

    query: str = ""
    exact: bool = False
    text: str = ""
    judge: int | None = None
    lowest: float | None = None
    highest: float | None = None
    tier: str | None = None
    state: ResultState | None = None
    noted: bool = False
    imported: bool = False
    since: float | None = None
    until: float | None = None

    def __post_init__(self) -> None:
        if self.state is not None:
            check_choice("state", self.state, RESULT_STATES)

    @property
    def states(self) -> tuple[ResultState, ...]:
        """The states of the results that it lists."""
        if self.state is not None:
            return (self.state,)
        return tuple(one for one in RESULT_STATES if one != "removed")


def filter_conditions(
    project_id: int, chosen: ResultFilter, rows: sa.FromClause = results
) -> list[sa.ColumnElement[bool]]:
    """Returns the conditions of a filter, except that on states.

    Args:
        project_id: The project.
        chosen: The filter.
        rows: The table of results, or some of its rows.
    """
    found: list[sa.ColumnElement[bool]] = [rows.c.project_id == project_id]
    if chosen.query and chosen.exact:
        found.append(rows.c.query == chosen.query)
    elif chosen.query.strip():  # in the first line
        found.append(rows.c.text.like(f"%{_escaped(chosen.query)}%\n%", escape="/"))
    if chosen.text.strip():
        found.append(rows.c.text.like(f"%{_escaped(chosen.text)}%", escape="/"))
    if chosen.lowest is not None:
        found.append(rows.c.high >= chosen.lowest)
    if chosen.highest is not None:
        found.append(rows.c.low <= chosen.highest)
    if (chosen.judge, chosen.lowest, chosen.highest) != (None, None, None):
        found.append(_graded(chosen, rows))
    if chosen.tier is not None:
        found.append(rows.c.tier == chosen.tier)
    for name in ("noted", "imported"):
        if getattr(chosen, name):
            found.append(rows.c[name] == sa.true())
    return found + happened(chosen, rows)


def happened(chosen: ResultFilter, rows: sa.FromClause) -> list[sa.ColumnElement[bool]]:
    """Returns the conditions on the time."""
    found: list[sa.ColumnElement[bool]] = []
    if chosen.since is not None:
        found.append(rows.c.acted_at >= chosen.since)
    if chosen.until is not None:
        found.append(rows.c.acted_at < chosen.until)
    return found


def _escaped(text: str) -> str:
    """Returns a text for `LIKE` to find as it is."""
    found = plain_search(text)
    for sign in "/%_":
        found = found.replace(sign, f"/{sign}")
    return found


def _graded(chosen: ResultFilter, rows: sa.FromClause) -> sa.ColumnElement[bool]:
    """Returns the condition that the judge, or any, has a place with such a grade."""
    place = sa.select(assignments.c.id).where(assignments.c.item_id == rows.c.item_id)
    if chosen.judge is not None:
        place = place.where(assignments.c.user_id == chosen.judge)
    if (chosen.lowest, chosen.highest) != (None, None):
        place = place.join(actions, assignments.c.action_id == actions.c.id)
        if chosen.lowest is not None:
            place = place.where(actions.c.grade >= chosen.lowest)
        if chosen.highest is not None:
            place = place.where(actions.c.grade <= chosen.highest)
    return place.exists()
