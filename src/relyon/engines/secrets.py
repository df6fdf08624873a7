"""Secrets of engines: they come from the environment, and leave this process to the engine only."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from urllib.parse import quote, quote_plus

from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = ["HIDDEN", "Secrets"]

HIDDEN = "***"
#: A variable of the environment, as in `ApiKey ${SEARCH_KEY}`.
VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
#: Shorter values would hide half of every text.
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
        self._known: set[str] = set()

    def __repr__(self) -> str:
        return f"Secrets({len(self._known)})"

    def fill(self, text: str, *, path: str = "") -> str:
        """Returns a text with the values of its variables, which are hidden from now on.

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
            self.add(known)
            return known

        return VARIABLE.sub(value, text)

    def add(self, value: str) -> None:
        """Hides a value from now on, as it is and as addresses and JSON write it."""
        if len(value) >= SHORTEST:
            self._known |= {value, quote(value, safe=""), quote_plus(value)}
            self._known.add(value.replace("\\", "\\\\").replace('"', '\\"'))

    def hide(self, text: str) -> str:
        """Returns a text without the secrets."""
        for value in sorted(self._known, key=len, reverse=True):
            if value in text:
                text = text.replace(value, HIDDEN)
        return text

    def __bool__(self) -> bool:
        return bool(self._known)
