"""Tools and their arguments: one definition gives the JSON schema and the check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from relyon.core.errors import ParameterError
from relyon.core.registry import suggestion
from relyon.core.texts import message

__all__ = ["Field", "Kind", "Tool", "Values"]

Kind = Literal["text", "texts", "whole", "flag", "table"]
#: Checked arguments by name.
Values = Mapping[str, object]

TYPES: Mapping[Kind, Mapping[str, object]] = {
    "text": {"type": "string"},
    "texts": {"type": "array", "items": {"type": "string"}},
    "whole": {"type": "integer"},
    "flag": {"type": "boolean"},
    "table": {"type": "object", "additionalProperties": {"type": "string"}},
}
#: Items of a list or table that are accepted, and characters of a text.
MOST_ITEMS, MOST_CHARACTERS = 200, 4000


@dataclass(frozen=True)
class Field:
    """One argument of a tool.

    Attributes:
        name: Its name.
        kind: What it is: a text, a list of texts, a whole number, a flag, or texts by name.
        description: What it means, for an agent.
        required: Whether it must be given.
        least: The smallest whole number.
        most: The largest whole number.
        choices: The texts that it can be; empty for any.
    """

    name: str
    kind: Kind
    description: str
    required: bool = False
    least: int = 0
    most: int = 1_000_000
    choices: tuple[str, ...] = ()

    def schema(self) -> dict[str, object]:
        """Returns its JSON schema."""
        found: dict[str, object] = {**TYPES[self.kind], "description": self.description}
        if self.kind == "whole":
            found |= {"minimum": self.least, "maximum": self.most}
        if self.choices:
            found["enum"] = list(self.choices)
        return found

    def check(self, value: object) -> object:
        """Returns a value if it fits.

        Raises:
            ParameterError: If it does not.
        """
        if self.kind == "whole" and isinstance(value, float) and value.is_integer():
            value = int(value)
        if not self._fits(value):
            raise ParameterError(
                message("compat.mcp-bad-argument", name=self.name, value=repr(value)[:80]),
                hint=message("compat.mcp-argument-kind", name=self.name, kind=self.description),
            )
        return value

    def _fits(self, value: object) -> bool:
        if self.kind == "flag":
            return isinstance(value, bool)
        if self.kind == "whole":
            whole = isinstance(value, int) and not isinstance(value, bool)
            return whole and self.least <= value <= self.most  # type: ignore[operator]
        if self.kind == "text":
            return _is_text(value) and (not self.choices or value in self.choices)
        if self.kind == "texts":
            return (
                isinstance(value, list)
                and 0 < len(value) <= MOST_ITEMS
                and all(map(_is_text, value))
            )
        if not isinstance(value, dict) or not 0 < len(value) <= MOST_ITEMS:
            return False
        return all(_is_text(one) for pair in value.items() for one in pair)


def _is_text(value: object) -> bool:
    if not isinstance(value, str) or not 0 < len(value) <= MOST_CHARACTERS:
        return False
    return not any("\ud800" <= one <= "\udfff" for one in value)  # half a character


@dataclass(frozen=True)
class Tool:
    """One tool.

    Attributes:
        name: Its name.
        title: Its name for people.
        description: What it is for, and when to use which, for an agent.
        fields: Its arguments.
        writes: Whether it may change anything but the looks.
        open_world: Whether it asks anything outside the folder.
    """

    name: str
    title: str
    description: str
    fields: tuple[Field, ...] = ()
    writes: bool = False
    open_world: bool = False

    def schema(self) -> dict[str, object]:
        """Returns the JSON schema of its arguments."""
        return {
            "type": "object",
            "properties": {one.name: one.schema() for one in self.fields},
            "required": [one.name for one in self.fields if one.required],
            "additionalProperties": False,
        }

    def check(self, given: Values) -> dict[str, object]:
        """Returns the arguments that were given, if they fit.

        Raises:
            ParameterError: If one is unknown, missing or does not fit.
        """
        known = {one.name: one for one in self.fields}
        for name in given:
            if name not in known:
                raise ParameterError(
                    message("compat.mcp-unknown-argument", tool=self.name, name=name[:80]),
                    hint=suggestion(name, list(known)),
                )
        for one in self.fields:
            if one.required and given.get(one.name) is None:
                raise ParameterError(
                    message("compat.mcp-missing-argument", tool=self.name, name=one.name),
                    hint=message("compat.mcp-argument-kind", name=one.name, kind=one.description),
                )
        return {
            name: known[name].check(value) for name, value in given.items() if value is not None
        }
