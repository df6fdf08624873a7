"""Numbers as files hold them: as short as they can be without being others."""

from __future__ import annotations

__all__ = ["number_text", "plain_number"]


def number_text(value: float) -> str:
    """Returns a number as short as it can be without being another."""
    return str(plain_number(value))


def plain_number(value: float) -> float | int:
    """Returns a number that JSON writes without `.0` where it is whole."""
    return int(value) if float(value).is_integer() and abs(value) < 2**53 else value
