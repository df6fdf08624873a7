"""Texts for people: every sentence by key and language, numbers in each style."""

from relyon.core.texts.catalogue import Catalogue, Sayable, Text, catalogue, translate
from relyon.core.texts.languages import LANGUAGES, Language
from relyon.core.texts.message import Message, message
from relyon.core.texts.numbers import DIGITS, PAGE, TERMINAL, NumberStyle
from relyon.core.texts.sentences import kinds

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
    "kinds",
    "message",
    "translate",
]
