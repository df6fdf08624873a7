"""Formulas with numbers filled in, as text that can be translated."""

import math
from collections.abc import Sequence

from relyon.core.texts.message import Message, message

__all__ = ["equation", "format_number", "format_sum", "quotient"]

#: The most terms that a written sum shows.
MOST_TERMS = 6


def format_number(value: float) -> str:
    """Returns a number for a formula: up to 4 decimals, or 4 digits if it is small.

    Examples:
        >>> format_number(6.5), format_number(13.0), format_number(2 / 3), format_number(0.0001234)
        ('6.5', '13', '0.6667', '0.0001234')
    """
    if not math.isfinite(value):
        return str(value)
    text = f"{value:.4f}" if value == 0 or abs(value) >= 0.001 else f"{value:.4g}"
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def format_sum(terms: Sequence[str]) -> str:
    """Returns a sum as text; a long one is cut and gives its number of terms.

    Examples:
        >>> format_sum(["1", "0.5"]), format_sum([])
        ('1 + 0.5', '0')
    """
    if len(terms) > MOST_TERMS:
        first = " + ".join(terms[: MOST_TERMS - 1])
        return message("measures.first-count-terms", first=first, count=len(terms))
    return " + ".join(terms) or "0"


def quotient(terms: Sequence[str], divisor: object) -> str:
    """Returns a sum over a divisor as text.

    Examples:
        >>> quotient(["1/1", "2/3"], 2)
        '(1/1 + 2/3) / 2'
    """
    return Message("({terms}) / {divisor}", {"terms": format_sum(terms), "divisor": divisor})


def equation(left: str, value: float) -> str:
    """Returns `left = value`, or only the value if both are equal.

    Examples:
        >>> equation("1 / 4", 0.25), equation("0.25", 0.25)
        ('1 / 4 = 0.25', '0.25')
    """
    right = format_number(value)
    return right if left == right else Message("{left} = {right}", {"left": left, "right": right})
