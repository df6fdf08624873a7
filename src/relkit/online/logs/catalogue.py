"""Sentences with numbers put in: one catalogue a language."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from relkit.core.language import Language, check_language
from relkit.core.texts.numbers import TERMINAL

__all__ = ["catalogue", "counted", "say", "share", "written"]

MODULES: dict[str, str] = {"en": "english", "zh": "chinese"}


def say(key: str, values: Mapping[str, Any], language: Language) -> str:
    """Returns a sentence with its numbers: whole ones are counts, others are shares.

    Raises:
        ParameterError: If there is no such language.

    Examples:
        >>> say("zero-based-positions.title", {}, "en")
        'Positions begin at 0'
    """
    return written(catalogue(language)[key], values, language)


def catalogue(language: Language) -> Mapping[str, str]:
    """Returns the sentences of a language by their keys.

    Raises:
        ParameterError: If there is no such language.
    """
    check_language(language)
    messages: Mapping[str, str] = import_module(f"relkit.online.logs.{MODULES[language]}").MESSAGES
    return messages


def written(sentence: str, values: Mapping[str, Any], language: Language) -> str:
    """Returns a sentence with its numbers: whole ones are counts, others are shares."""
    return sentence.format_map({name: _written(value, language) for name, value in values.items()})


def counted(count: int, total: int, unit: str, language: Language) -> str:
    """Returns how many of how many, with their share.

    Examples:
        >>> counted(31, 2414, "rows", "en"), counted(31, 2414, "rows", "zh")
        ('31 of 2,414 rows (1.3 %)', '2,414 行中的 31 行（1.3%）')
    """
    check_language(language)
    noun = say(f"unit.{unit}", {}, language)
    part = count / total if total else 0.0
    values = {"count": count, "total": total, "unit": noun, "share": part}
    return say("counted", values, language)


def share(value: float, language: Language = "en") -> str:
    """Returns a part as percent, with one decimal, and never a rounded 0 or 100.

    Examples:
        >>> share(0.00001), share(0.5), share(0.99999)
        ('< 0.1 %', '50.0 %', '> 99.9 %')
    """
    space = " " if language == "en" else ""
    if 0 < value < 0.0005:
        return f"<{space}0.1{space}%"
    if 0.9995 <= value < 1:
        return f">{space}99.9{space}%"
    return TERMINAL.percent(value, 1, language=language)


def _written(value: Any, language: Language) -> str:
    if isinstance(value, float):
        return share(value, language)
    return f"{value:,}" if isinstance(value, int) else str(value)
