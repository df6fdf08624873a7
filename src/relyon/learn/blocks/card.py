"""The block `card`: a flashcard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from relyon.learn.blocks.block import Block
from relyon.learn.blocks.fields import Fields

__all__ = ["Card"]


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
