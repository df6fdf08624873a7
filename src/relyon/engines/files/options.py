"""The keys of one table of an engine's file, each read once and checked."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar, cast

from relyon.core.errors import ParameterError
from relyon.core.registry import suggestion
from relyon.core.texts import message
from relyon.engines.files.template import Json, Scalar, is_finite

__all__ = ["Options"]

T = TypeVar("T")
#: What the types of TOML are called in messages.
NAMES = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


class Options:
    """A table of an engine's file: what is taken is known, and what is left is a mistake.

    Args:
        values: The table.
        path: The file, for messages; relative paths in it start from its folder.
        table: The name of the table in messages; empty for the file itself.

    Examples:
        >>> options = Options({"index": "books", "indx": 1}, "engine.toml")
        >>> options.text("index")
        'books'
        >>> options.finish()
        Traceback (most recent call last):
        relyon.ParameterError: engine.toml: there is no key `indx`
        <BLANKLINE>
        hint: did you mean `index`?
    """

    def __init__(self, values: Mapping[str, object], path: str, table: str = "") -> None:
        self.path = path
        self._values = dict(values)
        self._table = table
        self._known: dict[str, None] = {}

    def _name(self, key: str) -> str:
        return f"{self._table}.{key}" if self._table else key

    def _take(self, key: str) -> object:
        self._known[key] = None
        return self._values.get(key)

    def _typed(self, key: str, kind: type[T], default: T) -> T:
        value = self._take(key)
        if value is None:
            return default
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise ParameterError(
                message(
                    "engines.key-must-be",
                    path=self.path,
                    key=self._name(key),
                    expected=message(NAMES[kind]),
                    value=value,
                )
            )
        return value

    def has(self, key: str) -> bool:
        """Returns whether the key is there."""
        self._known[key] = None
        return key in self._values

    def text(self, key: str, default: str = "") -> str:
        """Returns a text.

        Raises:
            ParameterError: If it is something else.
        """
        return self._typed(key, str, default)

    def required(self, key: str, example: str) -> str:
        """Returns a text that must be there.

        Raises:
            ParameterError: If it is not there, or empty.
        """
        found = self.text(key)
        if not found:
            raise ParameterError(
                message("engines.key-is-missing", path=self.path, key=self._name(key)),
                hint=message("engines.write-key", line=f"{self._name(key)} = {example}"),
            )
        return found

    def number(self, key: str, default: float, *, least: float = 0.0, above: bool = False) -> float:
        """Returns a number of at least `least`, or above it.

        Raises:
            ParameterError: If it is something else, or smaller.
        """
        found = self._typed(key, float, default)
        if not (found > least or (found == least and not above)):
            raise ParameterError(
                message(
                    "engines.key-must-be-above" if above else "engines.key-must-be-at-least",
                    path=self.path,
                    key=self._name(key),
                    value=found,
                    least=least,
                )
            )
        return found

    def whole(self, key: str, default: int, *, least: int = 0) -> int:
        """Returns a whole number of at least `least`.

        Raises:
            ParameterError: If it is something else, or smaller.
        """
        found = self._typed(key, int, default)
        self.number(key, default, least=least)
        return found

    def flag(self, key: str, default: bool = False) -> bool:
        """Returns true or false.

        Raises:
            ParameterError: If it is something else.
        """
        return self._typed(key, bool, default)

    def choice(self, key: str, choices: Collection[str], default: str) -> str:
        """Returns one of some texts.

        Raises:
            ParameterError: If it is something else.
        """
        found = self.text(key, default)
        if found not in choices:
            raise ParameterError(
                message(
                    "engines.key-has-no-such-choice",
                    path=self.path,
                    key=self._name(key),
                    value=found,
                ),
                hint=suggestion(found, list(choices)),
            )
        return found

    def table(self, key: str) -> Options:
        """Returns a table within this one; empty if it is not there.

        Raises:
            ParameterError: If it is not a table.
        """
        value = self._take(key)
        if value is None:
            value = {}
        if not isinstance(value, Mapping):
            raise ParameterError(
                message("engines.key-must-be-table", path=self.path, key=self._name(key)),
                hint=message("engines.write-table", line=f"[{self._name(key)}]"),
            )
        return Options(value, self.path, self._name(key))

    def tables(self) -> dict[str, Options]:
        """Returns every table within this one, in the file's order."""
        return {key: self.table(key) for key in self._values}

    def texts(self) -> dict[str, str]:
        """Returns all keys of this table, whose values are texts."""
        return {key: self.text(key) for key in self._values}

    def scalars(self) -> dict[str, Scalar]:
        """Returns all keys of this table: texts, numbers, true or false.

        Raises:
            ParameterError: If a value is something else.
        """
        return {key: self._scalar(self._name(key), self._take(key)) for key in self._values}

    def scalars_and_lists(self) -> dict[str, Json]:
        """Returns all keys of this table: texts, numbers, true or false, or lists of these.

        Raises:
            ParameterError: If a value is something else.
        """
        return {
            key: list(self.some(key, ()))
            if isinstance(value, list)
            else self._scalar(self._name(key), value)
            for key, value in [(key, self._take(key)) for key in self._values]
        }

    def text_list(self, key: str) -> tuple[str, ...]:
        """Returns a list of texts; empty if it is not there.

        Raises:
            ParameterError: If it is something else.
        """
        value = self._take(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            raise ParameterError(
                message("engines.key-must-be-texts", path=self.path, key=self._name(key))
            )
        return tuple(value)

    def lists(self) -> dict[str, list[Scalar]]:
        """Returns all keys of this table, whose values are lists with at least one value.

        Raises:
            ParameterError: If a value is something else.
        """
        return {key: self.some(key, ()) for key in self._values}

    def some(self, key: str, default: Iterable[Scalar], *, least: int = 1) -> list[Scalar]:
        """Returns a list with at least some texts, numbers, true or false.

        Raises:
            ParameterError: If it is something else.
        """
        value = self._take(key)
        if value is None:
            return [*default]
        if not isinstance(value, list) or len(value) < least:
            kind = "engines.key-must-be-list" if least else "engines.key-must-be-any-list"
            raise ParameterError(message(kind, path=self.path, key=self._name(key)))
        return [self._scalar(self._name(key), one) for one in value]

    def _scalar(self, name: str, value: object) -> Scalar:
        if not isinstance(value, str | int | float | bool):
            raise ParameterError(
                message("engines.key-must-be-scalar", path=self.path, key=name, value=str(value))
            )
        if not isinstance(value, str) and not is_finite(value):
            raise ParameterError(
                message(
                    "engines.key-must-be",
                    path=self.path,
                    key=name,
                    expected=message("a number"),
                    value=f"{value!s:.60}",
                )
            )
        return value

    def json(self, key: str) -> Json:
        """Returns a body: a table as it is, or a text of JSON; None if it is not there.

        Raises:
            ParameterError: If the text is not JSON.
        """
        import json

        value = self._take(key)
        if not isinstance(value, str):
            return cast("Json", value)
        try:
            return cast("Json", json.loads(value))
        except (ValueError, RecursionError) as error:
            raise ParameterError(
                message(
                    "engines.key-is-not-json", path=self.path, key=self._name(key), problem=error
                ),
                hint=message("engines.quote-placeholders"),
            ) from None

    def file(self, key: str) -> str:
        """Returns the path of a file that the table names, relative to its own folder."""
        found = self.text(key)
        return os.path.join(os.path.dirname(self.path), os.path.expanduser(found)) if found else ""

    def finish(self) -> None:
        """Checks that nothing is left.

        Raises:
            ParameterError: If there is a key that nothing reads.
        """
        for key in self._values:
            if key not in self._known:
                raise ParameterError(
                    message("engines.there-is-no-key", path=self.path, key=self._name(key)),
                    hint=suggestion(key, list(self._known)),
                )
