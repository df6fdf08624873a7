"""The kinds of blocks: what a fence says, and the class that reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from relyon.learn.blocks.attempt import Try
from relyon.learn.blocks.block import Block
from relyon.learn.blocks.card import Card
from relyon.learn.blocks.derive import Derive
from relyon.learn.blocks.dial import Dial
from relyon.learn.blocks.fields import Fields
from relyon.learn.blocks.picture import Picture
from relyon.learn.blocks.play import Play
from relyon.learn.blocks.predict import Predict
from relyon.learn.blocks.quiz import Quiz
from relyon.learn.blocks.recap import Recap

__all__ = ["BLOCKS", "read_block"]

BLOCKS: Mapping[str, Callable[[Fields], Block]] = {
    "predict": Predict.read,
    "derive": Derive.read,
    "play": lambda fields: (Dial if "figure" in fields.values else Play).read(fields),
    "picture": Picture.read,
    "card": Card.read,
    "quiz": Quiz.read,
    "recap": Recap.read,
    "try": Try.read,
}


def read_block(kind: str, fields: Fields) -> Block:
    """Returns a block from its fields.

    Raises:
        ParseError: If a field is missing, unknown, or not what it should be.
    """
    block = BLOCKS[kind](fields)
    fields.end()
    return block
