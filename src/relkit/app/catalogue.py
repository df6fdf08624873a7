"""The app's texts, one file a language, and which language a reader wants."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Literal

__all__ = ["LANGUAGES", "Language", "preferred_language", "say", "texts"]

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")


@cache
def texts(language: Language) -> Mapping[str, str]:
    """Returns all texts of a language by their keys, such as `judge.undo`."""
    file = resources.files("relkit.app").joinpath("messages", f"{language}.toml")
    return {
        f"{section}.{key}": text
        for section, found in tomllib.loads(file.read_text("utf-8")).items()
        for key, text in found.items()
    }


def say(language: Language, key: str, **values: Any) -> str:
    """Returns a text with values put in."""
    text = texts(language)[key]
    return text.format(**values) if values else text


def preferred_language(header: str) -> Language:
    """Returns the language that an Accept-Language header likes best, English without one.

    Examples:
        >>> preferred_language("fr, zh-CN;q=0.8, en;q=0.5")
        'zh'
        >>> preferred_language("zh;q=0.1, en-GB")
        'en'
    """
    best: Language = "en"
    highest = 0.0
    for part in header.split(","):
        tag, _, weight = part.strip().lower().partition(";q=")
        try:
            value = float(weight) if weight else 1.0
        except ValueError:
            continue
        for language in LANGUAGES:
            if tag.partition("-")[0] == language and value > highest:
                best, highest = language, value
    return best
