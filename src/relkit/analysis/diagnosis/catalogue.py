"""Sentences with numbers put in: one catalogue a language, one way of writing numbers."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from string import Formatter
from typing import Any

from relkit.core.language import Language, check_language
from relkit.core.texts.numbers import TERMINAL

__all__ = ["catalogue", "say"]

MODULES: dict[str, str] = {"en": "english", "zh": "chinese"}


def catalogue(language: Language) -> Mapping[str, str]:
    """Returns the sentences of a language by their keys.

    Raises:
        ParameterError: If there is no such language.
    """
    check_language(language)
    module = import_module(f"relkit.analysis.diagnosis.{MODULES[language]}")
    messages: Mapping[str, str] = module.MESSAGES
    return messages


def say(
    key: str,
    values: Mapping[str, Any],
    language: Language,
    *,
    own: Mapping[str, Mapping[str, str]] | None = None,
) -> str:
    """Returns a sentence with its numbers.

    A rule that is not relkit's may bring its sentences; what it does not bring is said in general
    words, from its name and its numbers.

    Besides Python's own format specifications a sentence may use `value` (4 decimals), `delta`
    (the same with its sign), `share` (percent), `p` (a p-value) and `count` (whole, with
    thousands); `count query/queries` adds the noun in its number.

    Args:
        key: The rule's name, a dot, and the sentence's name.
        values: The numbers by name.
        language: `en` or `zh`.
        own: Sentences by language and name; English ones stand in for a language that is missing.

    Examples:
        >>> say("ties.title", {}, "en")
        'The order of ties decides more than the system'
        >>> say("empty-lists.text", {"share": 0.5}, "en")
        'share: 0.5.'
    """
    rule, _, name = key.rpartition(".")
    known = catalogue(language)
    brought = own or {}
    text = brought.get(language, {}).get(name) or brought.get("en", {}).get(name)
    if text is None and key in known:
        text = known[key]
    if text is None:
        numbers = {
            name: one for name, one in values.items() if name not in ("baseline", "candidate")
        }
        told = known["own.comma"].join(f"{name}: {one}" for name, one in numbers.items())
        text = known.get(f"own.{name}", known["own.text"])
        values = {**values, "rule": rule, "numbers": told or "-"}
    return Sentence(language).vformat(text, (), values)


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
