"""The block `play`: a list to re-order, with measures that follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from relyon.core.texts import message
from relyon.learn.blocks.block import Block
from relyon.learn.blocks.fields import Fields

__all__ = ["Goal", "Play", "PlayDocument"]

#: Where a measure has to go: from its first value, or among all that can be reached.
WANTS = ("higher", "lower", "same", "highest", "lowest")


@dataclass(frozen=True)
class PlayDocument:
    """A document that can be moved.

    Attributes:
        title: The title.
        grade: Its grade; NaN where unjudged.
    """

    title: str
    grade: float


@dataclass(frozen=True)
class Goal:
    """A goal of the player.

    Attributes:
        text: The goal in words.
        want: Per measure where its value must go: from the start (`higher`, `lower`, `same`) or
            among all that can be reached (`highest`, `lowest`).
        moves: In how many moves it can be done: the par.
        hint: What helps who is stuck; may be empty.
    """

    text: str
    want: Mapping[str, str]
    moves: int
    hint: str

    @classmethod
    def read(cls, fields: Fields) -> Goal:
        """Reads one table ``[[goals]]``."""
        want = fields.mapping("want")
        for measure, way in want.items():
            if way not in WANTS:
                fields.fail(message("learn.name-cannot-be-value", name=measure, value=way))
        found = cls(fields.text("text"), want, int(fields.number("moves")), fields.text("hint", ""))
        fields.end()
        return found


@dataclass(frozen=True)
class Play(Block):
    """A list to re-order, with measures that follow.

    Attributes:
        id: Its name.
        ask: What there is to do.
        documents: The documents in their first order.
        retrieved: How many of them are retrieved at first; the others lie below the line.
        line: Whether documents can be moved across the line.
        measures: What is shown, by name.
        rules: The convention's rules that follow a measure's list, such as ``preset=lightgbm``.
        goals: What to reach, one after the other; empty for free play.
        answer: What unfolds below a question that is asked before the play; may be empty.
        drawing: The drawing that follows the list; may be empty.
    """

    kind: ClassVar[str] = "play"
    id: str
    ask: str
    documents: tuple[PlayDocument, ...]
    retrieved: int
    line: bool
    measures: tuple[str, ...]
    rules: str
    goals: tuple[Goal, ...]
    answer: str = ""
    drawing: str = ""

    @classmethod
    def read(cls, fields: Fields) -> Play:
        """Reads the block."""
        documents = []
        for one in fields.tables("documents"):
            documents.append(PlayDocument(one.text("title"), one.number("grade", float("nan"))))
            one.end()
        line = "retrieved" in fields.values
        found = cls(
            fields.text("id"),
            fields.text("ask"),
            tuple(documents),
            int(fields.number("retrieved", float(len(documents)))),
            line,
            fields.texts("measures"),
            fields.text("rules", ""),
            tuple(map(Goal.read, fields.tables("goals"))),
            fields.text("answer", ""),
            fields.choice("drawing", ("", "candies", "lambdas", "pairs", "roc"), ""),
        )
        for goal in found.goals:
            for measure in goal.want:
                if measure not in found.measures:
                    fields.fail(message("learn.is-not-among-measures", name=measure))
        return found

    def texts(self) -> Iterator[str]:
        yield self.ask
        yield self.answer
        for document in self.documents:
            yield document.title
        for goal in self.goals:
            yield goal.text
            yield goal.hint

    def structure(self) -> object:
        grades = [repr(document.grade) for document in self.documents]
        goals = [(dict(goal.want), goal.moves) for goal in self.goals]
        answered = bool(self.answer)
        return (
            grades,
            self.retrieved,
            self.line,
            self.measures,
            self.rules,
            goals,
            answered,
            self.drawing,
        )
