"""The languages that texts for people are written in.

A further language is a line of each list here, and one folder of texts beside this file. What the
folder lacks is said in English.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

__all__ = ["LANGUAGES", "Language", "file_name", "language_name", "language_tag"]

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

#: What each language calls itself.
NAMES: Mapping[Language, str] = {"en": "English", "zh": "中文"}
#: Tags in HTML, where they are not the language's code.
TAGS: Mapping[str, str] = {"zh": "zh-Hans"}


def language_name(language: Language) -> str:
    """Returns what a language calls itself."""
    return NAMES[language]


def language_tag(language: str) -> str:
    """Returns the tag of a language in HTML.

    Examples:
        >>> language_tag("en"), language_tag("zh")
        ('en', 'zh-Hans')
    """
    return TAGS.get(language, language)


def file_name(name: str, language: str) -> str:
    """Returns the name of a file in a language: English has the plain one.

    Examples:
        >>> file_name("report.html", "en"), file_name("report.html", "zh")
        ('report.html', 'report.zh.html')
    """
    stem, dot, ending = name.rpartition(".")
    return name if language == "en" else f"{stem}.{language}{dot}{ending}"
