"""Things worth knowing about the data that are not errors: counted, with examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["Note"]


@dataclass(frozen=True)
class Note:
    """One observation about the input.

    Attributes:
        kind: A stable identifier such as `missing-queries`.
        message: The sentence shown to people.
        count: How many times it was seen.
        level: `warning` becomes an error under `--strict`; `info` never does.
        examples: A few of the ids concerned.
        values: What else the message says, by name, so that it can be said in another language.
    """

    kind: str
    message: str
    count: int = 1
    level: Literal["info", "warning"] = "info"
    examples: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __str__(self) -> str:
        if not self.examples:
            return self.message
        shown = ", ".join(self.examples)
        more = ", …" if self.count > len(self.examples) else ""
        return f"{self.message} ({shown}{more})"
