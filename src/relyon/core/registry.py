"""Registries of measures, formats, scales and presets by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Generic, Protocol, TypeVar, cast

from relyon.core.errors import ParameterError, UnknownNameError
from relyon.core.texts import message

__all__ = ["Registry", "nearest", "suggestion"]

#: A hint does not list more names than this.
MANY = 40
#: The least similarity of a suggestion if there is other advice.
NEAR = 0.6

T = TypeVar("T")
C = TypeVar("C", bound="Named")


class Named(Protocol):
    """An object or class that can be registered; `aliases` are optional."""

    @property
    def name(self) -> str: ...


def nearest(name: str, choices: list[str], cutoff: float = 0.5) -> str:
    """Returns the choice nearest to a name, or an empty string if none is near.

    Args:
        name: The name as written.
        choices: The known names.
        cutoff: The similarity from which a choice is near; 1 is identical.
    """
    from difflib import get_close_matches

    lower = [choice.lower() for choice in choices]
    near = get_close_matches(name.lower(), lower, n=1, cutoff=cutoff)
    return near[0] if near else ""


def suggestion(name: str, choices: list[str], advice: str = "") -> str:
    """Returns a hint that names the nearest choice, or all choices if none is near.

    Args:
        name: The name as written.
        choices: The known names.
        advice: Further advice; it replaces the list if there are many choices.
    """
    near = nearest(name, choices)
    # Transposed letters lower the similarity.
    likely = not advice or len(near) == len(name) or nearest(name, choices, cutoff=NEAR)
    if near and likely:
        return message("core.did-you-mean", name=near)
    if advice and len(choices) > MANY:
        return advice
    names = [f"`{choice}`" for choice in sorted(choices)]
    if advice:
        return message("core.choose-one-of-names-advice", names=names, advice=message(advice))
    return message("core.choose-one-of-names", names=names)


class Registry(Generic[T]):
    """A case-insensitive mapping from names and aliases to objects of one kind.

    Args:
        kind: The kind of the objects, for messages: "measure", "format" …
        modules: The modules that register them, imported when an unknown name is looked up. A
            mapping gives the names, separated by spaces, that each module registers; looking one up
            then imports only that module.
        advice: Advice after the names if none is near; it replaces them if there are many.
        extend: Called once, after all modules, before a name counts as unknown; registers the
            objects of installed packages.

    Attributes:
        additions: How often something was registered: what a name means stays while this does.
    """

    def __init__(
        self,
        kind: str,
        *,
        modules: Sequence[str] | Mapping[str, str] = (),
        advice: str = "",
        extend: Callable[[], None] | None = None,
    ) -> None:
        self.kind = kind
        self._modules = modules
        self._advice = advice
        self._extend = extend
        self._things: dict[str, T] = {}
        self._aliases: dict[str, str] = {}
        self.additions = 0

    def register(self, thing: C) -> C:
        """Registers an object by its `name` and `aliases`; also a class decorator.

        Raises:
            ParameterError: If one of the names is already registered.
        """
        self.add(thing.name, cast("T", thing), getattr(thing, "aliases", ()))
        return thing

    def add(self, name: str, thing: T, aliases: tuple[str, ...] = ()) -> T:
        """Registers an object under a name and aliases, and returns it.

        Raises:
            ParameterError: If one of the names is already registered.
        """
        for key in (name, *aliases):
            owner = self._aliases.get(key.lower())
            if owner is not None and owner != name:
                raise ParameterError(
                    message(
                        "core.name-is-taken",
                        kind=self.kind,
                        name=key,
                        owner=owner,
                    )
                )
        self._things[name] = thing
        self.additions += 1
        for key in (name, *aliases):
            self._aliases[key.lower()] = name
        return thing

    def get(self, name: str) -> T:
        """Returns the object with that name or alias.

        Raises:
            UnknownNameError: If the name is unknown; the hint names the nearest.
        """
        if not isinstance(name, str):
            raise ParameterError(
                message(
                    "core.name-of-must-be-text",
                    kind=self.kind,
                    name=type(name).__name__,
                )
            )
        if name in self:
            return self._things[self._aliases[name.lower()]]
        self._ensure(None)
        raise UnknownNameError(
            message("core.unknown-kind", kind=message(self.kind), name=name),
            hint=suggestion(name, list(self._aliases), self._advice),
        )

    def _ensure(self, name: str | None) -> None:
        """Imports the modules that register a name, or all of them."""
        if isinstance(self._modules, Mapping):
            found = [one for one, names in self._modules.items() if name in names.split()]
        else:
            found = []
        for module in found or self._modules:
            import_module(module)
        if not found and self._extend is not None:
            # Searching installed packages takes time, and built-in names do not need it.
            extend, self._extend = self._extend, None
            extend()

    def __contains__(self, name: str) -> bool:
        key = name.lower()
        if key not in self._aliases:
            self._ensure(key)
        return key in self._aliases

    def __iter__(self) -> Iterator[str]:
        self._ensure(None)
        return iter(sorted(self._things))

    def __len__(self) -> int:
        self._ensure(None)
        return len(self._things)

    def registered(self) -> tuple[T, ...]:
        """Returns the objects in the order in which they were registered."""
        self._ensure(None)
        return tuple(self._things.values())
