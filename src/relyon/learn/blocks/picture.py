"""The block `picture`: a drawing without controls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from relyon.learn.blocks.block import Block
from relyon.learn.blocks.fields import Fields

__all__ = ["DRAWINGS", "Picture"]

#: Every drawing, also of lists to play with and of dials.
DRAWINGS = ("candies", "compare", "interval", "lambdas", "pairs", "roc")


@dataclass(frozen=True)
class Picture(Block):
    """A drawing.

    Attributes:
        id: Its name.
        drawing: What is drawn, one of `DRAWINGS`.
        text: What it shows, for whoever cannot see it.
        lists: The lists that it shows, as in expressions: ``3,3,2,0``.
        measures: The measures that are shown with each list.
        names: What its parts are called, by their names.
    """

    kind: ClassVar[str] = "picture"
    id: str
    drawing: str
    text: str
    lists: tuple[str, ...]
    measures: tuple[str, ...]
    names: Mapping[str, str]

    @classmethod
    def read(cls, fields: Fields) -> Picture:
        """Reads the block."""
        return cls(
            fields.text("id"),
            fields.choice("drawing", DRAWINGS),
            fields.text("text"),
            fields.texts("lists"),
            fields.texts("measures"),
            fields.mapping("names"),
        )

    def texts(self) -> Iterator[str]:
        yield self.text
        yield from self.names.values()

    def structure(self) -> object:
        return self.drawing, self.lists, self.measures, sorted(self.names)
