"""The block `recap`: what was learned so far, where the learner goes on or practises."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from relyon.learn.blocks.block import Block
from relyon.learn.blocks.fields import Fields

__all__ = ["Recap"]


@dataclass(frozen=True)
class Recap(Block):
    """What was learned since the last one.

    Attributes:
        id: Its name.
        text: Markdown of a few short lines.
    """

    kind: ClassVar[str] = "recap"
    id: str
    text: str

    @classmethod
    def read(cls, fields: Fields) -> Recap:
        """Reads the block."""
        return cls(fields.text("id"), fields.text("text"))

    def texts(self) -> Iterator[str]:
        yield self.text

    def structure(self) -> object:
        return None
