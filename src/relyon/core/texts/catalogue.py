"""Texts by key: one file per area and language."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property

from relyon.core.texts import sentences
from relyon.core.texts.fields import put
from relyon.core.texts.languages import Language
from relyon.core.texts.message import Message
from relyon.core.texts.numbers import TERMINAL, NumberStyle

__all__ = ["Catalogue", "Sayable", "Text", "catalogue", "translate"]

#: The area that all share: list separators, names of tiers, and the like.
COMMON = "common"
#: Areas whose keys are the English words themselves; they have no English file.
WORDS = "words"
SENTENCES = (WORDS, "help")


class Sayable:
    """An object with a text in every language; its `str` is English."""

    def text(self, language: Language = "en") -> str:
        """Returns the text in a language."""
        raise NotImplementedError


@dataclass(frozen=True)
class Text(Sayable):
    """A text that is rendered once its language is known.

    Attributes:
        key: The area, a dot, and the key there.
        values: Values of its placeholders, by name.
    """

    key: str
    values: Mapping[str, object] = field(default_factory=dict, hash=False)

    def text(self, language: Language = "en") -> str:
        """Returns the text in a language."""
        area, _, key = self.key.partition(".")
        return catalogue(area, language).say(key, **self.values)

    def __str__(self) -> str:
        return self.text()


class Catalogue(Mapping[str, str]):
    """The texts of one area in one language, by key.

    Args:
        area: The area, such as `notes` or `report`.
        language: One of `LANGUAGES`.
        style: How numbers are written.

    Examples:
        >>> catalogue("notes", "zh").say("regrouped")
        '结果文件的行没有按查询排在一起，已整体读入'
    """

    def __init__(self, area: str, language: Language, style: NumberStyle = TERMINAL) -> None:
        self.area = area
        self.language = language
        self.style = style

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """All texts by key, with English if the language lacks one."""
        own = _read(self.area, self.language)
        return own if self.area in SENTENCES else {**_read(self.area, "en"), **own}

    def say(self, key: str, /, **values: object) -> str:
        """Returns a text with values filled in, or as written without values.

        Args:
            key: Its key.
            values: Values of its placeholders; `relyon.core.texts.fields` lists their formats.
        """
        return self.write(self[key], values) if values else self[key]

    def write(self, sentence: str, values: Mapping[str, object]) -> str:
        """Returns a sentence outside the catalogue, with values filled in."""
        return put(sentence, values, self)

    def count(self, key: str, value: int) -> str:
        """Returns a number with its noun in singular or plural: keys end in `.one` and `.many`."""
        return self.say(f"{key}.one" if value == 1 else f"{key}.many", count=f"{value:,}")

    def percent(self, share: float, digits: int = 0) -> str:
        """Returns a share as a percentage."""
        return self.style.percent(share, digits)

    def signed_percent(self, share: float, digits: int = 0) -> str:
        """Returns a relative difference as a signed percentage."""
        return self.style.signed_percent(share, digits)

    def join(self, texts: list[str]) -> str:
        """Returns a list as in a sentence: `a, b and c`."""
        return self.write("{texts:and}", {"texts": texts})

    def word(self, key: str, /) -> str:
        """Returns a text that all areas share."""
        known = _read(COMMON, self.language)
        return known[key] if key in known else _read(COMMON, "en")[key]

    def name(self, group: str, value: str, /) -> str:
        """Returns the name of a value in this language, or the value if it has none.

        Examples:
            >>> catalogue("common", "zh").name("tier", "tail")
            '低频'
        """
        key = f"{group}.{value}"
        return self.texts.get(key) or _read(COMMON, self.language).get(key, value)

    def names(self, group: str, values: Iterable[str], /) -> list[str]:
        """Returns the names of several values, such as the headings of a table."""
        return [self.name(group, value) for value in values]

    def said(self, value: object, /) -> str:
        """Returns a text or a message in this language, anything else as `str` does."""
        if isinstance(value, Text):
            area, _, key = value.key.partition(".")
            return catalogue(area, self.language, self.style).say(key, **value.values)
        if isinstance(value, Sayable):
            return value.text(self.language)
        return translate(value, self.language) if isinstance(value, Message) else str(value)

    def __getitem__(self, key: str) -> str:
        return self.texts[key] if key in self.texts else self.word(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)

    def __len__(self) -> int:
        return len(self.texts)


@cache
def catalogue(area: str, language: Language = "en", style: NumberStyle = TERMINAL) -> Catalogue:
    """Returns the texts of an area in a language; the file is read on first use."""
    return Catalogue(area, language, style)


def translate(text: str, language: Language, area: str = WORDS) -> str:
    """Translates a message, or returns it unchanged without a translation.

    Args:
        text: A `Message`, or words without values.
        language: One of `LANGUAGES`.
        area: The area of texts that are not messages: `words`, or `help`.

    Examples:
        >>> from relyon.core.texts import message
        >>> translate(message("cli.interrupted"), "zh"), translate("a sentence of mine", "zh")
        ('已中断', 'a sentence of mine')
    """
    if language == "en":
        return str(text)
    known = catalogue(area, language)
    if not isinstance(text, Message):
        return known.texts.get(text, text)
    sentence = sentences.sentence(text.kind, language)
    found = sentence or known.texts.get(text.kind, text.kind)
    filled = text.values or (sentence is not None and "{{" in sentence)
    return known.write(found, text.values) if filled else found


@cache
def _read(area: str, language: str) -> Mapping[str, str]:
    import tomllib

    # importlib.resources takes longer to import than a catalogue takes to read.
    path = os.path.join(sentences.FOLDER, language, f"{area}.toml")
    if not os.path.exists(path):
        return {}
    with open(path, "rb") as file:
        return _flat(tomllib.load(file))


def _flat(tree: Mapping[str, object], prefix: str = "") -> dict[str, str]:
    texts: dict[str, str] = {}
    for key, value in tree.items():
        if isinstance(value, Mapping):
            texts |= _flat(value, f"{prefix}{key}.")
        else:
            texts[f"{prefix}{key}"] = str(value)
    return texts
