"""The report's texts."""

from __future__ import annotations

from relyon.core.language import Language, check_language
from relyon.core.texts import PAGE, Catalogue, catalogue as texts_of

__all__ = ["Catalogue", "catalogue"]


def catalogue(language: Language) -> Catalogue:
    """Returns the report's texts in a language.

    Raises:
        ParameterError: If the language is unknown.

    Examples:
        >>> catalogue("zh").say("table.difference")
        '差值'
    """
    check_language(language)
    return texts_of("report", language, PAGE)
