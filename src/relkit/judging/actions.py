"""What a judge does: one object from the browser to the table.

Everything a judge does is one action with a key that the client made. A request that is sent again,
because the answer was lost, has the same key and changes nothing. Actions are never changed; what a
judge says of an item is the last action on it that was not undone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from relkit.core.errors import InputError, ParameterError
from relkit.core.parameters import check_choice
from relkit.core.texts import message
from relkit.data.scale import Scale
from relkit.judging.records import ActionKind
from relkit.judging.texts import check_grade, check_text

__all__ = ["LONGEST", "LONGEST_KEY", "SLOWEST", "Action", "Again", "AnsweredError", "Receipt"]

#: What becomes of another answer to an item that the judge has answered.
Again = Literal["replace", "refuse"]

#: Characters that a key, and a text, may have.
LONGEST_KEY, LONGEST = 200, 10_000
#: Seconds that one answer can take: a day.
SLOWEST = 86_400.0


class AnsweredError(InputError):
    """The judge has answered this item before, elsewhere, and that answer stays."""


@dataclass(frozen=True)
class Action:
    """One thing that a judge does.

    Attributes:
        kind: `grade` gives a grade. `cannot` says that the item cannot be graded, and why. `skip`
            gives it back for someone else. `later` puts it off. `note` remarks something. `undo`
            takes the last action back.
        key: Made by the client for this action, at most 200 characters. The same action, sent
            again with the same key, is stored once.
        item_id: The item; for `undo` not needed.
        project_id: For `undo`: the project whose last action is taken back. For other kinds: an
            item of another project is refused.
        grade: With `grade`: the grade, or the name of a level. In a side-by-side project the
            preference as the judge sees it: -2 left much better … 2 right much better.
        reason: With `cannot`: why.
        note: A remark; with `note` it is needed.
        seconds: How long it took, at most a day.
        undoes: With `undo`: the key of the action to take back; the last one without it.
        again: Whether an answer to an item that the judge has answered before replaces that
            answer, or is refused: it may come from a page that does not know of the other.

    Raises:
        ParameterError: If a field is missing or does not belong to this kind of action.

    Examples:
        >>> Action("grade", "tab 1, item 7", item_id=7, grade=3).again
        'replace'
    """

    kind: ActionKind
    key: str
    item_id: int | None = None
    project_id: int | None = None
    grade: float | str | None = None
    reason: str = ""
    note: str = ""
    seconds: float | None = None
    undoes: str | None = None
    again: Again = "replace"

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, get_args(ActionKind))
        check_choice("again", self.again, get_args(Again))
        if not self.key or len(self.key) > LONGEST_KEY or not self.key.isprintable():
            raise ParameterError("the parameter `key` must be a text of 1 to 200 characters.")
        needed = "project_id" if self.kind == "undo" else "item_id"
        if getattr(self, needed) is None:
            raise ParameterError(
                message("the action `{kind}` needs `{needed}`", kind=self.kind, needed=needed)
            )
        for kind, name, article in (("note", "note", "a note"), ("cannot", "reason", "a reason")):
            if self.kind == kind and not getattr(self, name).strip():
                raise ParameterError(
                    message("the action `{kind}` needs {article}", kind=kind, article=article)
                )
        for name in ("reason", "note"):
            if len(getattr(self, name)) > LONGEST:
                raise ParameterError(
                    message(
                        "the {name} is longer than {longest:,} characters",
                        name=name,
                        longest=LONGEST,
                    )
                )
        if self.seconds is not None and not 0 <= self.seconds <= SLOWEST:
            raise ParameterError(
                message(
                    "the parameter `seconds` must be 0 to {slowest:g}. Got `{seconds}` instead.",
                    slowest=SLOWEST,
                    seconds=self.seconds,
                )
            )
        if (self.grade is None) == (self.kind == "grade"):
            has = "needs a" if self.kind == "grade" else "has no"
            raise ParameterError(
                message("the action `{kind}` {has} grade", kind=self.kind, has=has)
            )

    def parse_grade(self, scale: Scale) -> float | None:
        """Returns the grade as a number of a scale; None where there is none.

        Raises:
            InputError: If the scale does not have it.
        """
        return None if self.grade is None else check_grade(scale, self.grade)

    def texts(self) -> dict[str, str]:
        """Returns the texts that are stored as they are.

        Raises:
            InputError: If one has a character that no database can hold.
        """
        return {name: check_text(getattr(self, name), name) for name in ("reason", "note", "key")}


@dataclass(frozen=True)
class Receipt:
    """What became of an action.

    Attributes:
        id: Of the action.
        kind: What it was.
        item_id: The item it was about; for `undo`, the one of the action undone.
        grade: The grade stored.
        repeated: Whether the same request was stored before; then nothing was stored now.
        counted: False for a grade that came so late that others filled all places. It stays in the
            history and in no result.
    """

    id: int
    kind: ActionKind
    item_id: int
    grade: float | None
    repeated: bool
    counted: bool
