"""Errors in the reader's language, with what to do about them in the browser."""

from __future__ import annotations

from relyon.core.errors import RelyonError
from relyon.core.texts import Language, Message, message, translate
from relyon.core.texts.sentences import sentence

__all__ = ["tell_error"]


def tell_error(error: RelyonError, language: Language) -> tuple[str, str]:
    """Returns the message of an error, and its hint.

    A hint whose kind has a field `app` is replaced by it. One about Python, which has a field for
    the command line, is of no use here and left out.

    Args:
        error: The error.
        language: The reader's language.

    Examples:
        >>> from relyon.core.errors import InputError
        >>> hint = message("data.name-column", role="query", name="q", reader="r", parameter="p")
        >>> tell_error(InputError("no column", path="a.csv", hint=hint), "zh")
        ('a.csv：no column', '')
    """
    hint = error.hint
    if isinstance(hint, Message):
        own = f"{hint.kind}.app"
        if sentence(own) is not None:
            hint = message(own, **hint.values)
        elif sentence(f"{hint.kind}.cli") is not None:
            hint = ""
    return translate(error.message, language), translate(hint, language)
