"""The five kinds of blocks of a lesson: predict, derive, play, card and quiz."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from relyon.core.texts import message
from relyon.learn.block import Block
from relyon.learn.block_fields import Fields
from relyon.learn.play import Dial, Play

__all__ = [
    "BLOCKS",
    "Card",
    "Choice",
    "Derive",
    "Predict",
    "Quiz",
    "Slider",
    "Wrong",
    "read_block",
]

QUIZZES = ("single", "multiple", "number", "order")


@dataclass(frozen=True)
class Choice:
    """One answer to choose.

    Attributes:
        text: What it says.
        right: Whether it is right.
        reply: The reply to this choice: for a wrong one, the misconception that it shows.
    """

    text: str
    right: bool
    reply: str

    @classmethod
    def read(cls, fields: Fields) -> Choice:
        """Reads one table ``[[choices]]``."""
        found = cls(fields.text("text"), fields.flag("right"), fields.text("reply"))
        fields.end()
        return found


@dataclass(frozen=True)
class Slider:
    """A guess on a scale.

    Attributes:
        low: Its left end.
        high: Its right end.
        step: From one position to the next.
        answer: The expression that the guess is compared with.
        near: How far off a guess may be to be called near.
    """

    low: float
    high: float
    step: float
    answer: str
    near: float


@dataclass(frozen=True)
class Predict(Block):
    """A guess before the number is seen.

    Attributes:
        id: Its name.
        ask: The question.
        choices: Answers to choose; empty if a number is guessed.
        slider: The scale of the guess; `None` if answers are chosen.
        reply: The reply to a guess on the scale.
    """

    kind: ClassVar[str] = "predict"
    id: str
    ask: str
    choices: tuple[Choice, ...]
    slider: Slider | None
    reply: str

    @classmethod
    def read(cls, fields: Fields) -> Predict:
        """Reads the block."""
        found = fields.tables("slider")
        slider = None
        if found:
            one = found[0]
            slider = Slider(
                one.number("from", 0.0),
                one.number("to", 1.0),
                one.number("step", 0.01),
                one.text("answer"),
                one.number("near", 0.05),
            )
            one.end()
        choices = tuple(map(Choice.read, fields.tables("choices")))
        if (slider is None) == (not choices):
            fields.fail(message("learn.prediction-has-either-choices"))
        reply = fields.text("reply", None if slider else "")
        return cls(fields.text("id"), fields.text("ask"), choices, slider, reply)

    def texts(self) -> Iterator[str]:
        yield self.ask
        for choice in self.choices:
            yield choice.text
            yield choice.reply
        yield self.reply

    def structure(self) -> object:
        return [choice.right for choice in self.choices], self.slider


@dataclass(frozen=True)
class Wrong:
    """A wrong number that learners find.

    Attributes:
        value: The expression of it.
        reply: How one comes to it, and why it is wrong.
    """

    value: str
    reply: str

    @classmethod
    def read(cls, fields: Fields) -> Wrong:
        """Reads one table ``[[wrong]]``."""
        found = cls(fields.text("value"), fields.text("reply"))
        fields.end()
        return found


@dataclass(frozen=True)
class Quiz(Block):
    """A question with an answer that can be checked.

    Attributes:
        id: Its name.
        ask: The question.
        form: `single` or `multiple` choice, a `number`, or an `order`.
        choices: Answers to choose, for `single` and `multiple`.
        answer: The expression of the right number, for `number`.
        tolerance: How far off a number may be.
        wrong: Wrong numbers and what they show, for `number`.
        items: What is put in order, in the right order, for `order`.
        reply: The reply to a right number or order.
        otherwise: The reply to any other number or order.
    """

    kind: ClassVar[str] = "quiz"
    id: str
    ask: str
    form: str
    choices: tuple[Choice, ...]
    answer: str
    tolerance: float
    wrong: tuple[Wrong, ...]
    items: tuple[str, ...]
    reply: str
    otherwise: str

    @classmethod
    def read(cls, fields: Fields) -> Quiz:
        """Reads the block."""
        form = fields.choice("form", QUIZZES)
        chosen = form in {"single", "multiple"}
        choices = tuple(map(Choice.read, fields.tables("choices"))) if chosen else ()
        right = sum(choice.right for choice in choices)
        if chosen and (len(choices) < 2 or not right or (form == "single" and right != 1)):
            fields.fail(message("learn.question-has-no-right", form=form))
        numeric = form == "number"
        items = fields.texts("items") if form == "order" else ()
        if form == "order" and len(items) < 2:
            fields.fail(message("learn.field-is-missing", name="items"))
        return cls(
            fields.text("id"),
            fields.text("ask"),
            form,
            choices,
            fields.text("answer") if numeric else "",
            fields.number("tolerance", 0.005) if numeric else 0.0,
            tuple(map(Wrong.read, fields.tables("wrong"))) if numeric else (),
            items,
            "" if chosen else fields.text("reply"),
            "" if chosen else fields.text("otherwise"),
        )

    def shuffled(self) -> list[int]:
        """Returns the places of the items in another order than the right one, always the same."""
        order = list(range(len(self.items)))
        rng = random.Random(self.id)
        while order == sorted(order) and len(order) > 1:
            rng.shuffle(order)
        return order

    def texts(self) -> Iterator[str]:
        yield self.ask
        for choice in self.choices:
            yield choice.text
            yield choice.reply
        for wrong in self.wrong:
            yield wrong.reply
        yield from self.items
        yield self.reply
        yield self.otherwise

    def structure(self) -> object:
        right = [choice.right for choice in self.choices]
        wrong = [one.value for one in self.wrong]
        return self.form, right, self.answer, self.tolerance, wrong, len(self.items)


@dataclass(frozen=True)
class Card(Block):
    """A flashcard.

    Attributes:
        id: Its name.
        front: The question.
        back: The answer; what is **bold** in it is what must be known, and occurs in the lesson.
    """

    kind: ClassVar[str] = "card"
    id: str
    front: str
    back: str

    @classmethod
    def read(cls, fields: Fields) -> Card:
        """Reads the block."""
        return cls(fields.text("id"), fields.text("front"), fields.text("back"))

    def texts(self) -> Iterator[str]:
        yield self.front
        yield self.back

    def structure(self) -> object:
        return None


@dataclass(frozen=True)
class Derive(Block):
    """A derivation, one step after the other.

    Attributes:
        id: Its name.
        of: The measure and its list, such as ``ndcg@3:2,3,0``.
        before: The text before the first step; may be empty.
        after: The text after the last step; may be empty.
    """

    kind: ClassVar[str] = "derive"
    id: str
    of: str
    before: str
    after: str

    @classmethod
    def read(cls, fields: Fields) -> Derive:
        """Reads the block."""
        return cls(
            fields.text("id"),
            fields.text("of"),
            fields.text("before", ""),
            fields.text("after", ""),
        )

    def texts(self) -> Iterator[str]:
        yield self.before
        yield self.after

    def structure(self) -> object:
        return self.of


BLOCKS: Mapping[str, Callable[[Fields], Block]] = {
    "predict": Predict.read,
    "derive": Derive.read,
    "play": lambda fields: (Dial if "figure" in fields.values else Play).read(fields),
    "card": Card.read,
    "quiz": Quiz.read,
}


def read_block(kind: str, fields: Fields) -> Block:
    """Returns a block from its fields.

    Raises:
        ParseError: If a field is missing, unknown, or not what it should be.
    """
    block = BLOCKS[kind](fields)
    fields.end()
    return block
