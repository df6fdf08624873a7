"""A number as another program printed it, and which values it stands for."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.measures.definition import Measure
from relyon.measures.parser import measure as parse_measure

__all__ = ["PrintedNumber", "parse_number"]

#: Programs that compute with single precision agree with others to about seven digits.
LEAST = 5e-7


@dataclass(frozen=True)
class PrintedNumber:
    """A measure's number as it was printed.

    A value matches if it is within half a unit of the last printed decimal, both ends included,
    and always if it is within 5e-7: many programs compute with single precision.

    Attributes:
        measure: The measure.
        text: The number as given.
        value: The number; a percentage divided by 100.
        half: Half a unit of its last decimal, at least 5e-7.
        decimals: The decimals of `value`.

    Examples:
        >>> one = parse_number("ndcg@10", "50.34%")
        >>> one.value, one.half, one.matches(0.50338), one.matches(0.50346)
        (0.5034, 5e-05, True, False)
        >>> parse_number("ndcg@10", 0.5).half
        0.05
    """

    measure: Measure
    text: str
    value: float
    half: float
    decimals: int

    @property
    def name(self) -> str:
        """The measure as it was asked for."""
        return str(self.measure)

    def distance(self, value: float) -> float:
        """Returns how far a value is away, in half units of the last decimal; NaN counts as inf."""
        apart = abs(value - self.value) / self.half
        return math.inf if math.isnan(apart) else apart

    def matches(self, value: float) -> bool:
        """Returns whether a value would be printed so."""
        return self.distance(value) <= 1 + 1e-6

    def cut_off(self, value: float) -> bool:
        """Returns whether a value gives the number only if its decimals are cut off."""
        unit = 10.0**-self.decimals
        return not self.matches(value) and 0 <= (value - self.value) / unit < 1 - 1e-6

    def shown(self, value: float) -> str:
        """Returns a value with one decimal more than the number has, and at least four."""
        return f"{value:.{min(max(self.decimals + 1, 4), 9)}f}"


def parse_number(measure: str | Measure, given: object) -> PrintedNumber:
    """Returns what was printed: text keeps its zeros, a float has the decimals of its `repr`.

    Args:
        measure: The measure.
        given: The number, such as `"0.5034"`, `"50.34%"` or 0.5034.

    Raises:
        ParameterError: If it is not a number, or a measure of at most 1 is above 1.
        UnknownNameError: If there is no such measure.
    """
    one = parse_measure(measure)
    # Half-width full stops and signs are what programs print; full-width ones are typed.
    text = str(given).strip().replace("％", "%").replace("．", ".").replace("−", "-")
    percent = text.endswith("%")
    if re.fullmatch(r"[+-]?0?,\d+%?|\d{1,3},\d+%", text):  # a decimal comma, never of thousands
        text = text.replace(",", ".")
    try:
        if isinstance(given, bool):
            raise InvalidOperation
        number = Decimal(text.rstrip("%").strip())
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite():
        raise ParameterError(
            message("analysis.match-is-not-number", measure=one, text=text),
            hint=message("analysis.match-write-number", measure=one),
        )
    exponent = int(number.as_tuple().exponent)
    decimals = max(0, -exponent) + 2 * percent
    value = float(number / 100 if percent else number)
    if one.bounds == (0.0, 1.0) and 1.5 < value <= 100 and not percent:
        raise ParameterError(
            message("analysis.match-is-above-1", measure=one, text=text),
            hint=message("analysis.match-write-percent", measure=one, text=text),
        )
    return PrintedNumber(one, str(given), value, max(0.5 * 10.0**-decimals, LEAST), decimals)
