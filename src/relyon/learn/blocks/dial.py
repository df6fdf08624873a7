"""The other form of the block `play`: a setting to turn, with a figure that follows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from relyon.learn.blocks.block import Block
from relyon.learn.blocks.fields import Fields

__all__ = ["Dial"]


@dataclass(frozen=True)
class Dial(Block):
    """A setting to turn, with a figure that follows.

    Attributes:
        id: Its name.
        ask: What there is to do.
        figure: The figure's name.
        label: What is set.
        settings: The positions of the dial.
        start: Its first position.
        names: What the figure's numbers and lines are called, by their names.
        digits: Decimals of its numbers.
        drawing: What is drawn of each setting instead of lines; may be empty.
    """

    kind: ClassVar[str] = "play"
    id: str
    ask: str
    figure: str
    label: str
    settings: tuple[float, ...]
    start: float
    names: Mapping[str, str]
    digits: int
    drawing: str = ""

    @classmethod
    def read(cls, fields: Fields) -> Dial:
        """Reads the block."""
        settings = fields.numbers("settings") or (0.0,)
        return cls(
            fields.text("id"),
            fields.text("ask"),
            fields.text("figure"),
            fields.text("label", ""),
            settings,
            fields.number("start", settings[0]),
            fields.mapping("names"),
            int(fields.number("digits", 3.0)),
            fields.choice("drawing", ("", "interval"), ""),
        )

    def texts(self) -> Iterator[str]:
        yield self.ask
        yield self.label
        yield from self.names.values()

    def structure(self) -> object:
        return self.figure, self.settings, self.start, sorted(self.names), self.digits, self.drawing
