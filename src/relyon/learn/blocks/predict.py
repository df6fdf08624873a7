"""The block `predict`: a guess before the number is seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from relyon.core.texts import message
from relyon.learn.blocks.block import Block
from relyon.learn.blocks.choice import Choice
from relyon.learn.blocks.fields import Fields

__all__ = ["Predict", "Slider"]


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
        return [(choice.right, choice.also) for choice in self.choices], self.slider
