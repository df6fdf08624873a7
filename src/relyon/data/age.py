"""Ages as text, such as `180d`."""

from __future__ import annotations

from datetime import timedelta

from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = ["parse_age"]

UNITS = {"d": 1, "w": 7, "m": 30, "y": 365}


def parse_age(text: str) -> timedelta:
    """Returns the time that a text such as `180d` or `6m` means.

    Raises:
        ParameterError: If it means none.

    Examples:
        >>> parse_age("2w")
        datetime.timedelta(days=14)
    """
    number, unit = text.strip()[:-1].strip(), text.strip()[-1:].lower()
    if unit not in UNITS or not number.isascii() or not number.isdigit():
        raise ParameterError(
            message("online.is-not-age", text=text),
            hint=message("online.write-180d"),
        )
    try:
        return timedelta(days=int(number) * UNITS[unit])
    except OverflowError:
        raise ParameterError(message("online.age-is-too-long", text=text)) from None
