"""Every error relkit raises on purpose.

    RelkitError
    ├── InputError (ValueError)          the data cannot be used
    │   └── ParseError                   … and this is the line
    ├── ParameterError (ValueError)      an option or parameter has a value it cannot have
    ├── UnknownNameError (LookupError)   no measure, preset, format or scale has this name
    ├── CheckError                       what was asked to hold does not
    │   └── StrictError                  … a note that ``--strict`` turned into an error
    └── DependencyError (ImportError)    an optional package is not installed

Each message says what is wrong, where, and what was given; ``hint`` says what to do about it. Both
are English; where they are a `relkit.core.texts.Message` they can be said in another language.
"""

from __future__ import annotations

from typing import Any

from relkit.core.texts.message import message as say

__all__ = [
    "CheckError",
    "DependencyError",
    "InputError",
    "ParameterError",
    "ParseError",
    "RelkitError",
    "StrictError",
    "UnknownNameError",
]


class RelkitError(Exception):
    """Base of all errors that relkit raises on purpose.

    Attributes:
        message: What is wrong, in one sentence.
        hint: What to do about it, or an empty string.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.args, self.__dict__)

    def __str__(self) -> str:
        return f"{self.message}\n\nhint: {self.hint}" if self.hint else self.message


class InputError(RelkitError, ValueError):
    """The data cannot be used.

    Attributes:
        path: The file, or an empty string where the data came from memory.
    """

    def __init__(self, message: str, *, path: str = "", hint: str = "") -> None:
        if path:
            message = say("{path}: {message}", path=path, message=say(message))
        super().__init__(message, hint=hint)
        self.path = path


class ParseError(InputError):
    """One line of a file cannot be read.

    Attributes:
        line: Its number, counted from 1.
    """

    def __init__(self, message: str, *, path: str, line: int, hint: str = "") -> None:
        super().__init__(message, path=f"{path}:{line}", hint=hint)
        self.path = path
        self.line = line


class ParameterError(RelkitError, ValueError):
    """An option or a parameter has a value it cannot have."""


class UnknownNameError(RelkitError, LookupError):
    """No measure, preset, format or scale has this name."""


class CheckError(RelkitError):
    """What was asked to hold does not: a gate for continuous integration closes."""


class StrictError(CheckError):
    """A note about the data that was asked to be an error."""


class DependencyError(RelkitError, ImportError):
    """An optional package is needed and not installed."""


def _restored(kind: type[RelkitError], args: tuple[Any, ...], state: dict[str, Any]) -> RelkitError:
    """Returns a pickled error as it was: `__init__` would write the path into the message again."""
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


for _name in __all__:  # users catch `relkit.InputError`, so that is what tracebacks say
    globals()[_name].__module__ = "relkit"
