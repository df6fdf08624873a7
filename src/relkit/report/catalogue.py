"""The report's texts, one catalogue a language."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from relkit.core.language import LANGUAGES, Language
from relkit.core.parameters import check_choice
from relkit.core.rendering.numbers import PAGE

__all__ = ["Catalogue", "catalogue"]


class Catalogue:
    """Texts of one language by their keys, such as `table.difference`.

    Examples:
        >>> catalogue("zh").say("table.difference")
        '差值'
    """

    def __init__(self, language: Language, texts: Mapping[str, str]) -> None:
        self.language = language
        self.texts = texts

    def say(self, key: str, **values: Any) -> str:
        """Returns a text with values put in."""
        return self.texts[key].format(**values) if values else self.texts[key]

    def __contains__(self, key: object) -> bool:
        return key in self.texts

    def count(self, key: str, value: int) -> str:
        """Returns a number with its noun in the right form: keys end in `.one` and `.many`."""
        return self.say(f"{key}.one" if value == 1 else f"{key}.many", count=f"{value:,}")

    def percent(self, share: float, digits: int = 0) -> str:
        """Returns a share as percent."""
        return PAGE.percent(share, digits, language=self.language)

    def signed_percent(self, share: float, digits: int = 0) -> str:
        """Returns a relative difference as percent, with its sign."""
        return PAGE.signed_percent(share, digits, language=self.language)

    def join(self, texts: list[str]) -> str:
        """Returns a list in a sentence: `a, b and c`."""
        if len(texts) < 2:
            return "".join(texts)
        return self.say("list.comma").join(texts[:-1]) + self.say("list.and") + texts[-1]


@cache
def catalogue(language: Language) -> Catalogue:
    """Returns the texts of a language.

    Raises:
        ParameterError: If there is no such language.
    """
    check_choice("language", language, LANGUAGES)
    file = resources.files("relkit.report").joinpath("messages", f"{language}.toml")
    return Catalogue(language, _flat(tomllib.loads(file.read_text("utf-8"))))


def _flat(tree: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    texts: dict[str, str] = {}
    for key, value in tree.items():
        if isinstance(value, Mapping):
            texts |= _flat(value, f"{prefix}{key}.")
        else:
            texts[f"{prefix}{key}"] = str(value)
    return texts
