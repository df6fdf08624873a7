"""Texts for people: every sentence by key and language, numbers in each style."""

from relkit.core.texts.catalogue import Catalogue, Sayable, Text, catalogue, translate
from relkit.core.texts.languages import LANGUAGES, Language
from relkit.core.texts.message import Message, message
from relkit.core.texts.numbers import DIGITS, PAGE, TERMINAL, NumberStyle

__all__ = [
    "DIGITS",
    "LANGUAGES",
    "PAGE",
    "TERMINAL",
    "Catalogue",
    "Language",
    "Message",
    "NumberStyle",
    "Sayable",
    "Text",
    "catalogue",
    "message",
    "translate",
]
