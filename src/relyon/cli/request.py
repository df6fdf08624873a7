"""The request of a command: one frozen value whose fields declare its arguments and options.

A field is declared by `argument`, `option` or `flag`; `group` nests a request that several commands
share. `takes` turns a function of one request into the callback of a command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic, TypedDict, TypeVar, Unpack, dataclass_transform

import click

__all__ = [
    "Declared",
    "Settings",
    "argument",
    "fixed",
    "flag",
    "group",
    "option",
    "request",
    "takes",
]

#: The declaration of a field: like `dataclasses.field`, it has the type of the field.
Declared = Any

R = TypeVar("R")
Callback = Callable[..., None]
Decorator = Callable[[Callback], Callback]
_KEY = "declared"


if TYPE_CHECKING:

    class Settings(TypedDict, total=False):
        """The settings of a click option."""

        type: click.ParamType[object] | type
        default: object
        show_default: bool
        required: bool
        multiple: bool
        nargs: int
        metavar: str
        help: str
        is_flag: bool
        flag_value: object
        hidden: bool
        envvar: str
        callback: Callable[[click.Context, click.Parameter, Any], object]


def option(*names: str, **settings: Unpack[Settings]) -> Declared:
    """Declares an option; a name without dashes is its name in click, by default the field's."""
    return _declared(click.option, names, settings)


def flag(*names: str, help: str) -> Declared:
    """Declares an option without a value, which is false by default."""
    return option(*names, is_flag=True, default=False, help=help)


def argument(*names: str, **settings: Unpack[Settings]) -> Declared:
    """Declares an argument."""
    return _declared(click.argument, names, settings)


def group(kind: type, /, *names: str, **declared: Declared) -> Declared:
    """Declares a request within a request.

    Args:
        kind: Its class.
        *names: Which of its fields the command offers, in the order of the help; without any, all.
            The others have their defaults.
        **declared: Declarations of fields in place of those of the class.
    """
    return field(metadata={_KEY: _Group(kind, names, declared)})


def fixed(value: object) -> Declared:
    """Declares a field that the command sets itself."""
    return field(metadata={_KEY: _Fixed(value)})


@dataclass_transform(
    kw_only_default=True,
    frozen_default=True,
    field_specifiers=(argument, option, flag, group, fixed, field),
)
def request(kind: type[R]) -> type[R]:
    """Makes a class of declared fields a frozen dataclass, without compiling methods at start."""
    made = dataclass(init=False, repr=False, eq=False, kw_only=True)(kind)
    made.__init__ = _fill  # type: ignore[method-assign]
    made.__setattr__ = _refuse  # type: ignore[method-assign]
    return made


def _fill(self: object, **values: object) -> None:
    for one in fields(self):  # type: ignore[arg-type]
        value = values.pop(one.name, one.default)
        if value is MISSING:
            raise TypeError(f"{type(self).__name__} needs {one.name}")
        object.__setattr__(self, one.name, value)
    if values:
        raise TypeError(f"{type(self).__name__} has no {', '.join(values)}")
    check = getattr(self, "__post_init__", None)
    if check is not None:
        check()


def _refuse(self: object, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to {name}")


def takes(kind: type[R]) -> Callable[[Callable[[R], None]], Callback]:
    """Returns a decorator that gives a function its request, packed from click's values.

    Parts of the request that are contexts, such as an engine, are open while the function runs.

    Args:
        kind: The request's class.
    """
    whole = _Group(kind, (), {})

    def decorate(run: Callable[[R], None]) -> Callback:
        @wraps(run)
        def packed(**values: object) -> None:
            with ExitStack() as stack:
                run(whole.pack(values, stack))

        found: Callback = packed
        for declare in reversed(list(whole.parameters())):
            found = declare(found)
        return found

    return decorate


class _Parameter:
    """An argument or option: its decorator, settings, and name in click if not the field's."""

    def __init__(
        self, declare: Callable[..., Decorator], names: tuple[str, ...], settings: Settings
    ) -> None:
        self.declare = declare
        self.names = names
        self.settings = settings
        self.name = next((name for name in names if name.isidentifier()), "")


class _Fixed:
    """A value that the command line cannot change."""

    def __init__(self, value: object) -> None:
        self.value = value


class _Group(Generic[R]):
    """A request, and the fields of it that a command offers."""

    def __init__(
        self,
        kind: Callable[..., R],
        names: tuple[str, ...],
        declared: Mapping[str, Field[object]],
    ) -> None:
        self.kind = kind
        self.names = names
        self.declared = declared

    def members(self) -> Iterator[tuple[str, _Parameter | _Fixed | _Group[object]]]:
        """Returns the declared fields by name, in the order of the help."""
        known = {one.name: one for one in fields(self.kind) if _KEY in one.metadata}  # type: ignore[arg-type]
        known |= self.declared
        chosen = {name: known[name] for name in self.names or known}
        return ((name, one.metadata[_KEY]) for name, one in chosen.items())

    def parameters(self) -> Iterator[Decorator]:
        """Returns click's decorators in the order of the help."""
        for name, one in self.members():
            if isinstance(one, _Group):
                yield from one.parameters()
            elif isinstance(one, _Parameter):
                yield one.declare(*one.names, *(() if one.name else (name,)), **one.settings)

    def pack(self, values: Mapping[str, object], stack: ExitStack) -> R:
        """Returns the request with click's values."""
        own: dict[str, object] = {}
        for name, one in self.members():
            if isinstance(one, _Group):
                own[name] = one.pack(values, stack)
            else:
                own[name] = one.value if isinstance(one, _Fixed) else values[one.name or name]
        found = self.kind(**own)
        if isinstance(found, AbstractContextManager):
            stack.enter_context(found)
        return found


def _declared(
    declare: Callable[..., Decorator], names: tuple[str, ...], settings: Settings
) -> Declared:
    absent = () if settings.get("multiple") or settings.get("nargs") == -1 else None
    default = MISSING if settings.get("required") else settings.get("default", absent)
    return field(default=default, metadata={_KEY: _Parameter(declare, names, settings)})
