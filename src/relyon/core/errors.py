"""Every error relyon raises on purpose.

    RelyonError
    ├── InputError (ValueError)          the data cannot be used
    │   └── ParseError                   … at a known line
    ├── ParameterError (ValueError)      an option or parameter has an invalid value
    ├── UnknownNameError (LookupError)   no measure, preset, format or scale has this name
    ├── CheckError                       a requested check failed
    │   └── StrictError                  … a warning that ``--strict`` turned into an error
    └── DependencyError (ImportError)    an optional package is not installed

Each message says what is wrong, where, and what was given; ``hint`` says what to do about it. Both
are in English; a `relyon.core.texts.Message` has a kind and can be translated.
"""

from __future__ import annotations

from collections.abc import Callable

from relyon.core.lessons import lesson_of, with_lesson
from relyon.core.row_numbers import row_at
from relyon.core.texts.message import message as say

__all__ = [
    "CheckError",
    "DependencyError",
    "InputError",
    "ParameterError",
    "ParseError",
    "RelyonError",
    "StrictError",
    "UnknownNameError",
]


class RelyonError(Exception):
    """Base of all errors that relyon raises on purpose.

    Attributes:
        message: What is wrong, in one sentence.
        hint: What to do about it, or an empty string.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self._advice = getattr(hint, "kind", "")

    @property
    def lesson(self) -> str:
        """The lesson of the course that explains it, such as `13-conventions`, or empty."""
        return lesson_of("errors", self._advice) if self._advice else ""

    def __reduce__(self) -> tuple[Callable[..., RelyonError], tuple[object, ...]]:
        return _restored, (type(self), self.args, self.__dict__)

    def __str__(self) -> str:
        hint = with_lesson(self.hint, self.lesson, "en")
        return f"{self.message}\n\nhint: {hint}" if hint else self.message


class InputError(RelyonError, ValueError):
    """The data cannot be used.

    Attributes:
        path: The file, or an empty string if the data came from memory.
    """

    def __init__(self, message: str, *, path: str = "", hint: str = "") -> None:
        if path:
            message = say("core.path-message", path=path, message=say(message))
        super().__init__(message, hint=hint)
        self.path = path


class ParseError(InputError):
    """One line of a file cannot be read.

    Attributes:
        line: Its number, counted from 1; in a spreadsheet that of the row.
    """

    def __init__(self, message: str, *, path: str, line: int, hint: str = "") -> None:
        line = row_at(path, line)
        super().__init__(message, path=f"{path}:{line}", hint=hint)
        self.path = path
        self.line = line


class ParameterError(RelyonError, ValueError):
    """An option or a parameter has an invalid value."""


class UnknownNameError(RelyonError, LookupError):
    """No measure, preset, format or scale has this name."""


class CheckError(RelyonError):
    """A requested check failed, such as a gate in continuous integration."""


class StrictError(CheckError):
    """A warning about the data that ``strict`` turned into an error."""

    @property
    def lesson(self) -> str:
        """The lesson that explains the first of the warnings that has one, or empty."""
        notes = getattr(self.message, "values", {}).get("notes", ())
        return next((note.lesson for note in notes if note.lesson), "")


class DependencyError(RelyonError, ImportError):
    """A required optional package is not installed."""


def _restored(
    kind: type[RelyonError], args: tuple[object, ...], state: dict[str, object]
) -> RelyonError:
    """Returns a pickled error as it was: `__init__` would write the path into the message again."""
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


for _name in __all__:  # users catch `relyon.InputError`, so tracebacks show that name
    globals()[_name].__module__ = "relyon"
