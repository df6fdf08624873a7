"""The block `try`: a command on the learner's own files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from relyon.core.texts import message
from relyon.learn.blocks.block import Block
from relyon.learn.blocks.fields import Fields

__all__ = ["PLACES", "Try"]

#: What the learner types once, and every command of the course uses.
PLACES = ("judgments", "run", "other", "labelled", "log", "query")
PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Try(Block):
    """A command on the learner's own files.

    Attributes:
        id: Its name.
        text: What it shows about them.
        command: The command, with places in braces such as ``{judgments}``.
    """

    kind: ClassVar[str] = "try"
    id: str
    text: str
    command: str

    @classmethod
    def read(cls, fields: Fields) -> Try:
        """Reads the block."""
        found = cls(fields.text("id"), fields.text("text"), fields.text("command"))
        for name in found.places:
            if name not in PLACES:
                text = message("learn.name-cannot-be-value", name="command", value=f"{{{name}}}")
                fields.fail(text)
        return found

    @property
    def places(self) -> tuple[str, ...]:
        """The places of its command, in order."""
        return tuple(dict.fromkeys(PLACE.findall(self.command)))

    def texts(self) -> Iterator[str]:
        yield self.text

    def structure(self) -> object:
        return self.command
