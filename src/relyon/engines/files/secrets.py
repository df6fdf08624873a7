"""Secrets of engines: they come from the environment, and leave this process to the engine only."""

from __future__ import annotations

import base64
import html
import json
import os
import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote, quote_plus

from relyon.core.errors import ParameterError
from relyon.core.texts import Message, message

__all__ = ["HIDDEN", "Secrets"]

HIDDEN = "***"
#: A variable of the environment, as in `ApiKey ${SEARCH_KEY}`.
VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
#: Hiding shorter values would hide half of every text.
SHORTEST = 4


class Secrets:
    """The values that an engine's file takes from the environment.

    Args:
        environment: Variables by name; by default those of this process.

    Examples:
        >>> secrets = Secrets({"SEARCH_KEY": "s3cret"})
        >>> secrets.fill("ApiKey ${SEARCH_KEY}")
        'ApiKey s3cret'
        >>> secrets.hide("the key s3cret is unknown")
        'the key *** is unknown'
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = os.environ if environment is None else environment
        self._known: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Secrets({len(self._known)})"

    def fill(self, text: str, *, path: str = "", secret: bool = True) -> str:
        """Returns a text with the values of its variables.

        Args:
            text: A text with variables, as in `ApiKey ${SEARCH_KEY}`.
            path: The engine's file, for messages.
            secret: Whether the values are hidden from now on; the host of an address is not.

        Raises:
            ParameterError: If a variable is not set, or its value has a line break or is too short
                to be hidden.
        """

        def value(found: re.Match[str]) -> str:
            name = found[1]
            known = self._environment.get(name, "").strip()
            if not known:
                raise ParameterError(
                    message("engines.variable-is-not-set", name=name, path=path),
                    hint=message("engines.set-variable", name=name),
                )
            if not known.isprintable():
                raise ParameterError(message("engines.variable-is-not-printable", name=name))
            if secret:
                self.add(known, name=name, path=path)
            return known

        return VARIABLE.sub(value, text)

    def add(self, value: str, *, name: str = "", path: str = "") -> None:
        """Hides a value from now on, as it is and as addresses, JSON, HTML and base64 write it.

        Args:
            value: The value.
            name: The environment variable, for messages.
            path: The engine's file, for messages.

        Raises:
            ParameterError: If it is too short to be hidden.
        """
        if len(value) < SHORTEST:
            raise ParameterError(
                message("engines.secret-is-too-short", name=name, path=path, least=SHORTEST)
                if not name
                else message("engines.variable-is-too-short", name=name, path=path, least=SHORTEST),
                hint=message("engines.write-short-value"),
            )
        known = {*self._known, *_forms(value)}
        self._known = tuple(sorted(known, key=lambda one: (-len(one), one)))

    def hide(self, text: str) -> str:
        """Returns a text without the secrets, nor the larger part of one at which it was cut."""
        for value in self._known:
            if value in text:
                text = text.replace(value, HIDDEN)
        for value in self._known:
            if value[:SHORTEST] in text[-len(value) - 1 :]:
                text = _without_cut(text, value)
        return text

    def hide_message(self, text: str) -> str:
        """Returns a message without the secrets: one that can be translated stays so."""
        if not isinstance(text, Message):
            return self.hide(text)
        values = {name: self._hidden(value) for name, value in text.values.items()}
        hidden = Message(self.hide(text.kind), values)
        # A value of another type, such as a list, may contain one, too.
        return hidden if self.hide(hidden) == hidden else self.hide(hidden)

    def _hidden(self, value: object) -> object:
        if isinstance(value, str):  # perhaps a message, which can be translated, too
            return self.hide_message(value)
        return self.hide(str(value)) if isinstance(value, Exception) else value

    def __bool__(self) -> bool:
        return bool(self._known)


def _without_cut(text: str, value: str) -> str:
    """Returns a text that does not end with the larger part of a value.

    Examples:
        >>> _without_cut("the key s3cr3t-va…", "s3cr3t-value")
        'the key ***…'
    """
    bare = text.rstrip("…")
    for size in range(len(value) - 1, max(SHORTEST, len(value) // 2) - 1, -1):
        if bare.endswith(value[:size]):
            return bare[:-size] + HIDDEN + text[len(bare) :]
    return text


def _forms(value: str) -> Iterator[str]:
    """Yields a value as different places write it."""
    yield value
    for quoted in (quote(value, safe=""), quote(value), quote_plus(value)):
        yield quoted
        yield re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), quoted)
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    yield html.escape(value)
    yield repr(value)[1:-1]
    yield from _encoded(value.encode())


def _encoded(value: bytes) -> Iterator[str]:
    """Yields what base64 makes of a value, wherever in the encoded text it starts.

    Examples:
        >>> import base64
        >>> header = base64.b64encode(b"elastic:changeme").decode()
        >>> any(part in header for part in _encoded(b"changeme"))
        True
    """
    for before, start in ((0, 0), (1, 2), (2, 3)):
        padded = bytes(before) + value
        # Only whole characters that nothing but the value decides.
        whole = base64.b64encode(padded).decode()[start : len(padded) * 8 // 6]
        yield whole
        yield whole.replace("+", "-").replace("/", "_")
