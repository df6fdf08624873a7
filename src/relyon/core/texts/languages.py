"""The languages of texts for people.

A further language needs a line in each list here, and a folder of texts beside this file. English
replaces what the folder lacks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

__all__ = ["LANGUAGES", "Language", "file_name", "language_name", "language_tag"]

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

#: What each language calls itself.
NAMES: Mapping[Language, str] = {"en": "English", "zh": "中文"}
#: HTML tags that differ from the language's code.
TAGS: Mapping[str, str] = {"zh": "zh-Hans"}


def language_name(language: Language) -> str:
    """Returns what a language calls itself."""
    return NAMES[language]


def language_tag(language: str) -> str:
    """Returns the HTML tag of a language.

    Examples:
        >>> language_tag("en"), language_tag("zh")
        ('en', 'zh-Hans')
    """
    return TAGS.get(language, language)


def file_name(name: str, language: str) -> str:
    """Returns a file's name in a language; English keeps the plain name.

    Examples:
        >>> file_name("report.html", "en"), file_name("report.html", "zh")
        ('report.html', 'report.zh.html')
    """
    stem, dot, ending = name.rpartition(".")
    return name if language == "en" else f"{stem}.{language}{dot}{ending}"
