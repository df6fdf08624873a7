"""Reads the fields of a block, which are TOML, and says in which file and line one is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn, TypeVar

from relyon.core.errors import ParseError
from relyon.core.registry import suggestion
from relyon.core.texts import message

__all__ = ["Fields"]

T = TypeVar("T")

NAMES: Mapping[type, str] = {
    str: "text",
    bool: "true or false",
    list: "a list",
    dict: "a table",
    float: "a number",
}


@dataclass
class Fields:
    """The fields of a block, or of a table in it.

    Attributes:
        values: What is written.
        path: The file.
        line: The line at which the block begins.
        known: Names that were asked for so far.
    """

    values: Mapping[str, object]
    path: str
    line: int
    known: list[str] = field(default_factory=list)

    def text(self, name: str, default: str | None = None) -> str:
        """Returns a field of text."""
        return str(self._get(name, str, default)).strip()

    def flag(self, name: str) -> bool:
        """Returns a field that is true or false; false where it is left out."""
        return bool(self._get(name, bool, False))

    def number(self, name: str, default: float | None = None) -> float:
        """Returns a field that is a number."""
        return float(self._get(name, float, default))

    def numbers(self, name: str) -> tuple[float, ...]:
        """Returns a list of numbers, empty if it is left out."""
        values = self._get(name, list, [])
        if not all(isinstance(one, int | float) for one in values):
            self.fail(message("learn.is-not-list", name=name))
        return tuple(map(float, values))

    def texts(self, name: str) -> tuple[str, ...]:
        """Returns a list of texts, empty if it is left out."""
        values = self._get(name, list, [])
        if not all(isinstance(one, str) for one in values):
            self.fail(message("learn.is-not-list-of-texts", name=name))
        return tuple(one.strip() for one in values)

    def rows(self, name: str) -> tuple[tuple[int, ...], ...]:
        """Returns a list of lists of whole numbers."""
        return tuple(tuple(map(int, one)) for one in self._get(name, list, None))

    def mapping(self, name: str) -> dict[str, str]:
        """Returns a table of texts, empty if it is left out."""
        values = self._get(name, dict, {})
        if not all(isinstance(one, str) for one in values.values()):
            self.fail(message("learn.is-not-table", name=name))
        return dict(values)

    def table(self, name: str) -> Fields:
        """Returns a table with fields of its own."""
        return Fields(self._get(name, dict, None), self.path, self.line)

    def tables(self, name: str) -> list[Fields]:
        """Returns the tables ``[[name]]``, an empty list if there are none."""
        values = self._get(name, list, [])
        if not all(isinstance(one, dict) for one in values):
            self.fail(message("learn.is-not-list-of-tables", name=name))
        return [Fields(one, self.path, self.line) for one in values]

    def choice(self, name: str, choices: tuple[str, ...], default: str | None = None) -> str:
        """Returns a field that is one of several names."""
        value = self.text(name, default)
        if value not in choices:
            self.fail(
                message("learn.name-cannot-be-value", name=name, value=value),
                suggestion(value, list(choices)),
            )
        return value

    def end(self) -> None:
        """Raises an error for fields that were not read."""
        for name in self.values:
            if name not in self.known:
                self.fail(message("learn.unknown-field", name=name), suggestion(name, self.known))

    def fail(self, text: str, hint: str = "") -> NoReturn:
        """Raises an error that names the file and the line."""
        raise ParseError(text, path=self.path, line=self.line, hint=hint)

    def _get(self, name: str, kind: type[T], default: T | None) -> T:
        self.known.append(name)
        if name not in self.values:
            if default is None:
                self.fail(message("learn.field-is-missing", name=name))
            return default
        value = self.values[name]
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, kind):
            self.fail(message("learn.name-is-not-kind", name=name, kind=message(NAMES[kind])))
        return value
