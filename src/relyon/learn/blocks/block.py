"""The base of the blocks of a lesson."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

__all__ = ["Block"]


class Block:
    """A part of a lesson that the learner does something with.

    Attributes:
        kind: What the fence of the block says.
        id: Its name, unique in the lesson, the same in all languages.
    """

    kind: ClassVar[str]
    id: str

    def texts(self) -> Iterator[str]:
        """Yields what people read of it: Markdown of one paragraph each."""
        raise NotImplementedError

    def structure(self) -> object:
        """Returns the parts that must be the same in all languages."""
        raise NotImplementedError
