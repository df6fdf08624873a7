"""The requested language."""

from __future__ import annotations

import os

from relyon.core.parameters import check_choice
from relyon.core.texts.languages import LANGUAGES, Language

__all__ = ["Language", "check_language", "environment_language"]


def check_language(language: str) -> None:
    """Refuses a language without texts.

    Raises:
        ParameterError: If the language is not supported.
    """
    check_choice("language", language, LANGUAGES)


def environment_language() -> Language:
    """Returns the language that RELYON_LANG names; English if it is unset or unknown."""
    wanted = os.environ.get("RELYON_LANG")
    return next((one for one in LANGUAGES if one == wanted), "en")
