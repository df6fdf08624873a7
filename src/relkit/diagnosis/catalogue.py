"""Sentences with numbers put in: one catalogue a language, one way of writing numbers."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from string import Formatter
from typing import Any

from relkit.language import Language, check_language
from relkit.render.numbers import TERMINAL

__all__ = ["catalogue", "say"]

MODULES: dict[str, str] = {"en": "english", "zh": "chinese"}


def catalogue(language: Language) -> Mapping[str, str]:
    """Returns the sentences of a language by their keys.

    Raises:
        ParameterError: If there is no such language.
    """
    check_language(language)
    module = import_module(f"relkit.diagnosis.{MODULES[language]}")
    messages: Mapping[str, str] = module.MESSAGES
    return messages


def say(key: str, values: Mapping[str, Any], language: Language) -> str:
    """Returns a sentence with its numbers.

    Besides Python's own format specifications a sentence may use `value` (4 decimals), `delta`
    (the same with its sign), `share` (percent), `p` (a p-value) and `count` (whole, with
    thousands); `count query/queries` adds the noun in its number.

    Examples:
        >>> say("ties.title", {}, "en")
        'The order of ties decides more than the system'
    """
    return Sentence(language).vformat(catalogue(language)[key], (), values)


class Sentence(Formatter):
    """Puts numbers into a sentence in the way of its language."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def format_field(self, value: Any, format_spec: str) -> str:
        """Returns one value as its specification asks."""
        kind, _, nouns = format_spec.partition(" ")
        if kind == "value":
            return TERMINAL.number(value)
        if kind == "delta":
            return TERMINAL.signed(value)
        if kind == "share":
            return TERMINAL.percent(value, language=self.language)
        if kind == "p":
            return TERMINAL.p_equation(value)
        if kind == "count":
            one, _, many = nouns.partition("/")
            noun = one if value == 1 else many
            return f"{value:,} {noun}" if noun else f"{value:,}"
        return str(super().format_field(value, format_spec))
