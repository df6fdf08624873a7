"""Numbers for people: the same rules for terminals and pages, with different signs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

__all__ = ["DIGITS", "PAGE", "TERMINAL", "NumberStyle"]

DIGITS = 4


@dataclass(frozen=True)
class NumberStyle:
    """How numbers are written.

    Attributes:
        digits: Default number of decimals.
        minus: The sign of negative numbers.
        nothing: Placeholder for a missing number.
        infinity: The sign of an infinite number.
        thousands: The thousands separator.
        below: The sign before an upper bound of a p-value or a share.
    """

    digits: int = DIGITS
    minus: str = "-"
    nothing: str = "-"
    infinity: str = "inf"
    thousands: Literal["", ","] = ""
    below: str = "<"

    def number(self, value: float, digits: int | None = None) -> str:
        """Returns a value; a zero has no sign.

        Examples:
            >>> TERMINAL.number(-0.25), TERMINAL.number(float("nan")), TERMINAL.number(-0.00001)
            ('-0.2500', '-', '0.0000')
            >>> PAGE.number(-1234.5, 1), PAGE.number(float("-inf"))
            ('−1,234.5', '−∞')
        """
        if math.isnan(value):
            return self.nothing
        sign = self.minus if value < 0 else ""
        if math.isinf(value):
            return sign + self.infinity
        text = f"{abs(value):{self.thousands}.{self.digits if digits is None else digits}f}"
        return sign + text if _above_zero(text) else text

    def signed(self, value: float, digits: int | None = None) -> str:
        """Returns a difference with its sign; a zero has none.

        Examples:
            >>> TERMINAL.signed(0.25), TERMINAL.signed(-0.5, 1), TERMINAL.signed(0.00001)
            ('+0.2500', '-0.5', '0.0000')
            >>> PAGE.signed(-0.25, 2)
            '−0.25'
        """
        text = self.number(value, digits)
        positive = value > 0 and (math.isinf(value) or _above_zero(text))
        return f"+{text}" if positive else text

    def interval(self, bounds: tuple[float, float], digits: int | None = None) -> str:
        """Returns an interval in brackets.

        Examples:
            >>> TERMINAL.interval((-0.5, 0.25), 2), TERMINAL.interval((float("nan"), 1.0))
            ('[-0.50, 0.25]', '-')
        """
        return self._interval(*(self.number(bound, digits) for bound in bounds), bounds=bounds)

    def signed_interval(self, bounds: tuple[float, float], digits: int | None = None) -> str:
        """Returns an interval of differences in brackets.

        Examples:
            >>> TERMINAL.signed_interval((-0.5, 0.25), 2)
            '[-0.50, +0.25]'
        """
        return self._interval(*(self.signed(bound, digits) for bound in bounds), bounds=bounds)

    def _interval(self, low: str, high: str, *, bounds: tuple[float, float]) -> str:
        return self.nothing if any(map(math.isnan, bounds)) else f"[{low}, {high}]"

    def percent(self, share: float, digits: int = 0) -> str:
        """Returns a share in percent.

        Examples:
            >>> TERMINAL.percent(0.254), TERMINAL.percent(-0.1, 1)
            ('25%', '-10.0%')
        """
        return self._percent(self.number(100 * share, digits))

    def signed_percent(self, share: float, digits: int = 0) -> str:
        """Returns a relative difference in percent, with its sign.

        Examples:
            >>> PAGE.signed_percent(0.254), PAGE.signed_percent(-0.1)
            ('+25%', '−10%')
        """
        return self._percent(self.signed(100 * share, digits))

    def _percent(self, text: str) -> str:
        return text if text == self.nothing else f"{text}%"

    def short_percent(self, share: float) -> str:
        """Returns a share in percent, with one decimal below 10%.

        Examples:
            >>> TERMINAL.short_percent(0.0534), TERMINAL.short_percent(0.25)
            ('5.3%', '25%')
        """
        return self.percent(share, self._short(share))

    def short_signed_percent(self, share: float) -> str:
        """Returns a relative difference as `short_percent` does, with its sign.

        Examples:
            >>> TERMINAL.short_signed_percent(0.0534), TERMINAL.short_signed_percent(-0.1)
            ('+5.3%', '-10%')
        """
        return self.signed_percent(share, self._short(share))

    def _short(self, share: float) -> int:
        whole = abs(share) >= 0.0995 or self.number(100 * share, 1).endswith(".0")
        return 0 if whole else 1

    def part(self, share: float) -> str:
        """Returns a share in percent with one decimal, and never a rounded 0 or 100.

        Examples:
            >>> TERMINAL.part(0.00001), TERMINAL.part(0.5), TERMINAL.part(0.99999)
            ('<0.1%', '50.0%', '>99.9%')
        """
        if 0 < share < 0.0005:
            return f"{self.below}0.1%"
        if 0.9995 <= share < 1:
            return f"{self.below.replace('<', '>')}99.9%"
        return self.percent(share, 1)

    def p_value(self, value: float, digits: int | None = None) -> str:
        """Returns a p-value: never 0.

        Examples:
            >>> TERMINAL.p_value(0.0312), TERMINAL.p_value(1e-9), PAGE.p_value(1e-9)
            ('0.0312', '<0.0001', '< 0.0001')
        """
        least = self._least(digits)
        if value < least:
            return self.below + self.number(least, digits)
        return self.number(value, digits)

    def p_equation(self, value: float, digits: int | None = None) -> str:
        """Returns a p-value as an equation, for a sentence.

        Examples:
            >>> TERMINAL.p_equation(0.0312), TERMINAL.p_equation(1e-9, 3)
            ('p = 0.0312', 'p < 0.001')
        """
        if math.isnan(value):
            return f"p {self.nothing}"
        least = self._least(digits)
        if value < least:
            return f"p < {self.number(least, digits)}"
        return f"p = {self.number(value, digits)}"

    def _least(self, digits: int | None) -> float:
        return 10.0 ** -(self.digits if digits is None else digits)


def _above_zero(text: str) -> bool:
    return any(sign in "123456789" for sign in text)


TERMINAL = NumberStyle()
PAGE = NumberStyle(minus="−", nothing="–", infinity="∞", thousands=",", below="< ")
