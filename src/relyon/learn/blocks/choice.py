"""An answer to choose, of a guess or of a question."""

from __future__ import annotations

from dataclasses import dataclass

from relyon.core.texts import message
from relyon.learn.blocks.fields import Fields

__all__ = ["Choice"]


@dataclass(frozen=True)
class Choice:
    """One answer to choose.

    Attributes:
        text: What it says.
        right: Whether it is right.
        reply: The reply to this choice: for a wrong one, the misconception that it shows.
        also: Whether it is right under another convention than the one that was asked for.
    """

    text: str
    right: bool
    reply: str
    also: bool = False

    @classmethod
    def read(cls, fields: Fields) -> Choice:
        """Reads one table ``[[choices]]``."""
        found = cls(
            fields.text("text"), fields.flag("right"), fields.text("reply"), fields.flag("also")
        )
        if found.right and found.also:
            fields.fail(message("learn.choice-is-right-twice"))
        fields.end()
        return found
