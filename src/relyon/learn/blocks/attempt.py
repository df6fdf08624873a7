"""The block `try`: a command on the learner's own files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from relyon.core.registry import suggestion
from relyon.core.texts import message
from relyon.learn.blocks.block import Block
from relyon.learn.blocks.fields import Fields

__all__ = ["PLACES", "Try"]

#: What the learner types once for every command of the course, and what is shown until then.
PLACES = {
    "judgments": "judgments.qrels",
    "run": "run.trec",
    "other": "new.trec",
    "labelled": "scored.csv",
    "log": "log.csv",
    "query": "q1",
}
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
        for name in PLACE.findall(found.command):
            if name not in PLACES:
                text = message("learn.name-cannot-be-value", name="command", value=f"{{{name}}}")
                fields.fail(text, suggestion(name, list(PLACES)))
        return found

    @property
    def places(self) -> dict[str, str]:
        """The places of its command, in order, and what is shown until one is typed."""
        return {name: PLACES[name] for name in PLACE.findall(self.command)}

    @property
    def example(self) -> str:
        """The command before anything is typed."""
        return PLACE.sub(lambda found: PLACES[found[1]], self.command)

    def texts(self) -> Iterator[str]:
        yield self.text

    def structure(self) -> object:
        return self.command
