"""The languages that texts for people are written in."""

from __future__ import annotations

from typing import Literal, get_args

from relkit.core.parameters import check_choice

__all__ = ["LANGUAGES", "Language", "check_language"]

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


def check_language(language: str) -> None:
    """Refuses a language of which there are no texts.

    Raises:
        ParameterError: If it is neither `en` nor `zh`.
    """
    check_choice("language", language, LANGUAGES)
