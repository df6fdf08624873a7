"""The block `derive`: a derivation, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from relyon.learn.blocks.block import Block
from relyon.learn.blocks.fields import Fields

__all__ = ["Derive"]


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
