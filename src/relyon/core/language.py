"""The requested language."""

from __future__ import annotations

from relyon.core.parameters import check_choice
from relyon.core.texts.languages import LANGUAGES, Language

__all__ = ["Language", "check_language"]


def check_language(language: str) -> None:
    """Refuses a language without texts.

    Raises:
        ParameterError: If the language is not supported.
    """
    check_choice("language", language, LANGUAGES)
