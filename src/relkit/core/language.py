"""Which language is asked for."""

from __future__ import annotations

from relkit.core.parameters import check_choice
from relkit.core.texts.languages import LANGUAGES, Language

__all__ = ["LANGUAGES", "Language", "check_language"]


def check_language(language: str) -> None:
    """Refuses a language of which there are no texts.

    Raises:
        ParameterError: If there are none.
    """
    check_choice("language", language, LANGUAGES)
