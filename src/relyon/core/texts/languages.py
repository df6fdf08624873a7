"""The languages of texts for people: the folders next to this file that have a `language.toml`.

To add a language, add such a folder. English replaces missing texts.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache

from relyon.core.texts.sentences import FOLDER

__all__ = ["LANGUAGES", "Language", "file_name", "language_name", "language_tag", "languages"]

#: The code of a language, such as `en`; `relyon.core.language.check_language` refuses others.
Language = str


def languages(folder: str) -> tuple[Language, ...]:
    """Returns the languages of a folder of texts, English first.

    Args:
        folder: A folder with one folder per language.
    """
    found = sorted(
        one for one in os.listdir(folder) if os.path.exists(os.path.join(folder, one, FILE))
    )
    return tuple(sorted(found, key="en".__ne__))


#: The file that marks a folder as a language.
FILE = "language.toml"
LANGUAGES: tuple[Language, ...] = languages(FOLDER)


def language_name(language: Language) -> str:
    """Returns the name of a language in that language."""
    return _described(language)["name"]


def language_tag(language: Language) -> str:
    """Returns the HTML tag of a language.

    Examples:
        >>> language_tag("en"), language_tag("zh")
        ('en', 'zh-Hans')
    """
    return _described(language)["tag"]


def file_name(name: str, language: Language) -> str:
    """Returns a file's name in a language; English keeps the plain name.

    Examples:
        >>> file_name("report.html", "en"), file_name("report.html", "zh")
        ('report.html', 'report.zh.html')
    """
    stem, dot, ending = name.rpartition(".")
    return name if language == "en" else f"{stem}.{language}{dot}{ending}"


@cache
def _described(language: Language) -> Mapping[str, str]:
    import tomllib

    with open(os.path.join(FOLDER, language, FILE), "rb") as file:
        return tomllib.load(file)
