"""How placeholders are formatted: numbers, counts with their nouns, lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeGuard

from relyon.core.texts.numbers import TERMINAL, NumberStyle

__all__ = ["Speaker", "put"]


class Speaker(Protocol):
    """The language and style of a sentence."""

    @property
    def style(self) -> NumberStyle:
        """How numbers are written."""

    def word(self, key: str, /) -> str:
        """Returns a shared text such as a list separator."""

    def name(self, group: str, value: str, /) -> str:
        """Returns the name of a value in the language, or the value if it has none."""

    def said(self, value: object, /) -> str:
        """Returns a text in the language, anything else as `str` does."""


class _English:
    """Plain English, for texts before any catalogue is read."""

    style = TERMINAL
    words: Mapping[str, str] = {
        "list.comma": ", ",
        "list.and": " and ",
        "list.or": " or ",
        "list.semicolon": "; ",
    }

    def word(self, key: str) -> str:
        return self.words[key]

    def name(self, group: str, value: str) -> str:
        return value

    def said(self, value: object) -> str:
        return str(value)


ENGLISH = _English()


def put(sentence: str, values: Mapping[str, object], speaker: Speaker = ENGLISH) -> str:
    """Returns a sentence with its placeholders filled in.

    A value may be a number, text, a `Text` or a `Message`, or a list of those. Besides Python's own
    format specifications there are these:

    - `value`, `delta`, `share`, `delta-share`: a number, a signed difference, a percentage, a
      relative difference; `value 3` sets the number of decimals;
    - `part`: a share with one decimal that is never rounded to 0 or 100%;
    - `percent`, `delta-percent`: one decimal below 10%, none above;
    - `interval`, `delta-interval`: two bounds in brackets;
    - `p`, `p-value`: a p-value as an equation, or alone;
    - `count`: whole, with thousands; `count query/queries` adds the noun;
    - `noun query/queries`: the noun alone, singular or plural;
    - `and`: a list as `a, b and c`; `and 8` with 8 parts at most, the last of them `…`; `or`: as
      `a or b`; `semicolon`: as `a; b; c`; without any, `a, b, c`;
    - `name tier`: the name of a value in the language, from the texts of that group; `name word`
      of an English word in an error.

    Args:
        sentence: The sentence, with placeholders in braces.
        values: The values by name.
        speaker: The language and style.

    Examples:
        >>> put("{a:value} of {b:count query/queries} in {c}", {"a": 0.5, "b": 2, "c": ["x", "y"]})
        '0.5000 of 2 queries in x, y'
    """
    return sentence.format_map({name: _Field(one, speaker) for name, one in values.items()})


class _Field:
    """A value in a sentence."""

    def __init__(self, value: object, speaker: Speaker) -> None:
        self.value = value
        self.speaker = speaker

    def __format__(self, specification: str) -> str:
        kind, _, rest = specification.partition(" ")
        write = KINDS.get(kind)
        if write is not None:
            return write(self.value, rest, self.speaker)
        if specification:
            return format(self.value, specification)
        if _listed(self.value):
            return self.speaker.word("list.comma").join(map(self.speaker.said, self.value))
        return self.speaker.said(self.value)

    def __str__(self) -> str:
        return format(self)

    def __repr__(self) -> str:
        return repr(self.value)


def _listed(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, list | tuple)


#: Chinese punctuation that has its own space.
CLOSING = ("）", "》")


def _digits(rest: str) -> int | None:
    return int(rest) if rest else None


def _count(value: object, rest: str, speaker: Speaker) -> str:
    noun = _noun(value, rest, speaker)
    return f"{value:,} {noun}" if noun else f"{value:,}"


def _noun(value: object, rest: str, speaker: Speaker) -> str:
    one, _slash, many = rest.partition("/")
    return one if value == 1 else many


def _and(value: Iterable[object], rest: str, speaker: Speaker) -> str:
    parts = list(map(speaker.said, value))
    if rest and len(parts) > int(rest):
        parts[int(rest) - 1 :] = ["…"]
    if len(parts) < 2:
        return "".join(parts)
    cut = parts[-1] == "…"
    end = speaker.word("list.left_out") if cut else speaker.word("list.and") + parts[-1]
    if parts[-2].endswith(CLOSING):
        end = end.lstrip()
    return speaker.word("list.comma").join(parts[:-1]) + end


def _name(value: object, rest: str, speaker: Speaker) -> str:
    # Compound words have no name of their own.
    return speaker.said(value) if getattr(value, "values", None) else speaker.name(rest, str(value))


KINDS: dict[str, Callable[..., str]] = {
    "value": lambda value, rest, speaker: speaker.style.number(value, _digits(rest)),
    "delta": lambda value, rest, speaker: speaker.style.signed(value, _digits(rest)),
    "share": lambda value, rest, speaker: speaker.style.percent(value, _digits(rest) or 0),
    "delta-share": lambda value, rest, speaker: speaker.style.signed_percent(
        value, _digits(rest) or 0
    ),
    "part": lambda value, _, speaker: speaker.style.part(value),
    "percent": lambda value, _, speaker: speaker.style.short_percent(value),
    "delta-percent": lambda value, _, speaker: speaker.style.short_signed_percent(value),
    "interval": lambda value, rest, speaker: speaker.style.interval(value, _digits(rest)),
    "delta-interval": lambda value, rest, speaker: speaker.style.signed_interval(
        value, _digits(rest)
    ),
    "p": lambda value, rest, speaker: speaker.style.p_equation(value, _digits(rest)),
    "p-value": lambda value, rest, speaker: speaker.style.p_value(value, _digits(rest)),
    "count": _count,
    "noun": _noun,
    "and": _and,
    "or": lambda value, _, speaker: speaker.word("list.or").join(map(speaker.said, value)),
    "semicolon": lambda value, _, speaker: speaker.word("list.semicolon").join(
        map(speaker.said, value)
    ),
    "name": _name,
}
