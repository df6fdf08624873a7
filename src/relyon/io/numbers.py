"""Numbers in files: the shortest text that reads back as the same number."""

from __future__ import annotations

__all__ = ["number_text", "plain_number"]


def number_text(value: float) -> str:
    """Returns the shortest text that reads back as the same number."""
    return str(plain_number(value))


def plain_number(value: float) -> float | int:
    """Returns a number that JSON writes without `.0` if it is whole."""
    return int(value) if float(value).is_integer() and abs(value) < 2**53 else value
