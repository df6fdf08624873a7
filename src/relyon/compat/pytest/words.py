"""What the plugin says, in the language that RELYON_LANG names."""

from __future__ import annotations

from typing import NoReturn

import pytest

from relyon.core.errors import RelyonError
from relyon.core.language import environment_language
from relyon.core.texts import Catalogue, catalogue, translate

__all__ = ["fail", "plain_errors", "said", "words"]


def words() -> Catalogue:
    """Returns the texts of the plugin."""
    return catalogue("pytest", environment_language())


def said(key: str, **values: object) -> str:
    """Returns one text with its values."""
    return words().say(key, **values)


def fail(text: str, cause: BaseException | None = None, *, at_line: bool = True) -> NoReturn:
    """Fails the test at the line that called the fixture.

    Args:
        text: What is wrong, and what to do.
        cause: What the user's own code raised.
        at_line: Whether that line is shown: there is none while the fixture is made.

    Raises:
        pytest.fail.Exception: Always.
    """
    __tracebackhide__ = True
    raise pytest.fail.Exception(text, pytrace=at_line) from cause


class plain_errors:  # noqa: N801 - used like a function
    """Turns errors about data and parameters into failures without this package's traceback.

    Args:
        at_line: Whether the line of the test is shown: there is none while the fixture is made.
    """

    def __init__(self, *, at_line: bool = True) -> None:
        self._at_line = at_line

    def __enter__(self) -> None:
        """Begins."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> None:
        """Fails the test if there was such an error."""
        __tracebackhide__ = True
        if isinstance(error, RelyonError):
            fail(describe(error), at_line=self._at_line)


def describe(error: RelyonError) -> str:
    """Returns an error and its hint."""
    language = environment_language()
    text = translate(error.message, language)
    if not error.hint:
        return text
    hint = f"{translate('hint', language)}{translate(': ', language)}"
    return f"{text}\n{hint}{translate(error.hint, language)}"
