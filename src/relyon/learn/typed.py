"""Numbers as people type them: `0,913`, `81.7 %`, `3/4.26`, `log2(3)`, in full-width signs or not.

`static/numbers.js` reads the same; `tests/unit/typed_numbers.json` has the cases that both pass.

- Digits with a decimal point or comma; commas between groups of three are left out where there are
  several, or a point follows: `0,913` is 0.913, `1,234.5` is 1234.5.
- `+ - * / ^ ( )`, also `×`, `÷`, `:` and `**`, the functions `log2`, `ln`, `log10`, `exp` and
  `sqrt`, and `%` after a number, which divides it by 100. `-2^2` is −4.
- Full-width signs are read as the others. `≈`, `=`, `~` and `约` in front mean nothing.

What has no finite value, such as `1/0`, is not understood; neither are `2²` and `½`.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from relyon.learn.quantities import FUNCTIONS

__all__ = ["Reading", "read_number", "typed_number"]

#: A text of more characters is not a number that people type.
LONGEST = 100
SIGNS = str.maketrans({"−": "-", "–": "-", "×": "*", "·": "*", "÷": "/", ":": "/"})
#: Digits below the line, as in `log₂(8)`.
BASES = "₀₁₂₃₄₅₆₇₈₉"
BEFORE = re.compile(r"^(?:[≈=~]|约)\s*")
TOKEN = re.compile(r"\s*(?:([0-9.,]+(?:e[+-]?[0-9]+)?)|([a-z]+[0-9]*)|(\*\*|[-+*/^()%]))")
PLAIN = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?")
COMMA = re.compile(r"[0-9]*,[0-9]+")
GROUPS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")


@dataclass(frozen=True)
class Reading:
    """A number that was typed, as it fits the question.

    Attributes:
        value: The number.
        shown: How it was read, such as `81.7%`, where that is not what was typed; else empty.
    """

    value: float
    shown: str = ""


def typed_number(text: str) -> float | None:
    """Returns a number as people type it, `None` if it is not understood.

    Examples:
        >>> typed_number("0,913"), typed_number("75 %"), typed_number("１/２")
        (0.913, 0.75, 0.5)
        >>> typed_number("3/log2(4)"), typed_number("1/0"), typed_number("abc")
        (1.5, None, None)
    """
    if any(unicodedata.category(one) == "No" for one in text if one not in BASES):
        return None  # NFKC would read 2² as 22
    plain = unicodedata.normalize("NFKC", text).strip().lower().translate(SIGNS)
    plain = BEFORE.sub("", plain)
    if not plain or len(plain) > LONGEST:
        return None
    try:
        value = _Reader(plain).all()
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def read_number(
    text: str, answer: float, tolerance: float, others: Sequence[float] = ()
) -> Reading | None:
    """Returns a typed number as it fits a question, `None` if it is not understood.

    `81.7` is read as 81.7% where a share is asked for (the answer is at most 1) and only the
    hundredth of it is an answer, right or wrong, that the question knows; `17%` is read as 17 where
    the answer is in percent.

    Args:
        text: What was typed.
        answer: The right number.
        tolerance: How far off it may be.
        others: Wrong numbers that the question knows.

    Examples:
        >>> read_number("75", 0.75, 0.005)
        Reading(value=0.75, shown='75%')
        >>> read_number("17%", 17.2, 0.5)
        Reading(value=17.0, shown='17')
        >>> read_number("2", 0.817, 0.005)
        Reading(value=2.0, shown='')
    """
    value = typed_number(text)
    if value is None:
        return None

    def known(number: float) -> bool:
        return any(abs(number - one) <= tolerance for one in (answer, *others))

    if known(value):
        return Reading(value)
    percent = "%" in unicodedata.normalize("NFKC", text)
    if not percent and abs(answer) <= 1 < abs(value) and known(value / 100):
        return Reading(value / 100, f"{value:.10g}%")
    if percent and abs(answer) > 1 and known(value * 100):
        return Reading(value * 100, f"{value * 100:.10g}")
    return Reading(value)


def _digits(text: str) -> float:
    if PLAIN.fullmatch(text):
        return float(text)
    if COMMA.fullmatch(text):
        return float(text.replace(",", "."))
    if GROUPS.fullmatch(text):
        return float(text.replace(",", ""))
    raise ValueError


class _Reader:
    """Reads arithmetic by descent: sums of products of powers.

    Args:
        text: The arithmetic.
    """

    def __init__(self, text: str) -> None:
        self._tokens: list[str] = []
        place = 0
        while place < len(text):
            found = TOKEN.match(text, place)
            if found is None:
                raise ValueError
            self._tokens.append(next(part for part in found.groups() if part))
            place = found.end()
        self._place = 0

    def all(self) -> float:
        """Returns the value of the whole text."""
        value = self._sum()
        if self._place < len(self._tokens):
            raise ValueError
        return value

    def _next(self, *signs: str) -> str:
        """Takes the next token if it is one of these signs, else returns nothing."""
        if self._place < len(self._tokens) and self._tokens[self._place] in signs:
            self._place += 1
            return self._tokens[self._place - 1]
        return ""

    def _sum(self) -> float:
        value = self._product()
        while sign := self._next("+", "-"):
            other = self._product()
            value = value + other if sign == "+" else value - other
        return value

    def _product(self) -> float:
        value = self._signed()
        while sign := self._next("*", "/"):
            other = self._signed()
            value = value * other if sign == "*" else value / other
        return value

    def _signed(self) -> float:
        sign = self._next("-", "+")
        if sign:
            return -self._signed() if sign == "-" else self._signed()
        value = self._atom()
        while self._next("%"):
            value /= 100
        return math.pow(value, self._signed()) if self._next("^", "**") else value

    def _atom(self) -> float:
        if self._place >= len(self._tokens):
            raise ValueError
        token = self._tokens[self._place]
        self._place += 1
        if token[0].isdigit() or token[0] in ".,":
            return _digits(token)
        function = FUNCTIONS.get(token)
        if function is not None and not self._next("("):
            raise ValueError
        if function is None and token != "(":
            raise ValueError
        value = self._sum()
        if not self._next(")"):
            raise ValueError
        return value if function is None else function(value)
