"""Headings that several columns have: which of them is meant cannot be known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from relyon.core.errors import InputError
from relyon.core.texts import message

__all__ = ["refuse_repeated"]


def refuse_repeated(
    names: Sequence[str], path: str = "", matters: Callable[[str], bool] = bool
) -> None:
    """Refuses a heading that several columns have.

    Args:
        names: The headings, in the order of the columns.
        path: The file, for messages.
        matters: Whether a column of that name is or could be read; by default those with a heading.

    Raises:
        InputError: If there is one; the message has the numbers of its columns.

    Examples:
        >>> refuse_repeated(["query", "score", "score"])
        Traceback (most recent call last):
        relyon.InputError: columns 2 and 3 have the same heading, `score`
        <BLANKLINE>
        hint: rename or drop one of them: the column is found by its name
        >>> refuse_repeated(["query", "note", "note"], matters=lambda name: name == "score")
    """
    if len({*names}) == len(names):
        return
    for name in dict.fromkeys(names):
        places = [str(place) for place, other in enumerate(names, 1) if other == name]
        if len(places) > 1 and matters(name):
            raise InputError(
                message("data.columns-have-same-heading", places=places, name=name),
                path=path,
                hint=message("data.rename-or-drop"),
            )
