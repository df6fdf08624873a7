"""Names to things: the one place where measures, formats, scales and presets are looked up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from relkit.errors import ParameterError, UnknownNameError

__all__ = ["Registry", "suggestion"]

T = TypeVar("T")


def suggestion(name: str, choices: list[str]) -> str:
    """Returns a hint that names the nearest choice, or all of them where none is near."""
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), [choice.lower() for choice in choices], n=1, cutoff=0.5)
    if near:
        return f"did you mean `{near[0]}`?"
    return "choose one of " + ", ".join(f"`{choice}`" for choice in sorted(choices))


class Registry(Generic[T]):
    """A case-insensitive mapping from names and aliases to things of one kind.

    Args:
        kind: What the things are, for messages: "measure", "format" …
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._things: dict[str, T] = {}
        self._aliases: dict[str, str] = {}

    def add(self, name: str, thing: T, aliases: tuple[str, ...] = ()) -> T:
        """Registers a thing under its name and aliases, and returns it.

        Raises:
            ParameterError: If one of the names is taken by another thing.
        """
        for key in (name, *aliases):
            owner = self._aliases.get(key.lower())
            if owner is not None and owner != name:
                raise ParameterError(f"the {self.kind} name `{key}` is taken by `{owner}`")
        self._things[name] = thing
        for key in (name, *aliases):
            self._aliases[key.lower()] = name
        return thing

    def get(self, name: str) -> T:
        """Returns the thing of that name or alias.

        Raises:
            UnknownNameError: If there is none; the hint names the nearest.
        """
        try:
            return self._things[self._aliases[name.lower()]]
        except KeyError:
            raise UnknownNameError(
                f"unknown {self.kind}: `{name}`", hint=suggestion(name, list(self._aliases))
            ) from None

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._aliases

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)

    def __len__(self) -> int:
        return len(self._things)
