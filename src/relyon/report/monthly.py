"""Shared helpers of the report on rounds."""

from __future__ import annotations

import re
from collections.abc import Mapping

from relyon.report.page import Tone

__all__ = ["DIGITS", "TONES", "typeset"]

DIGITS = 3
TONES: Mapping[str, Tone] = {"fell": "worse", "rose": "better", "undecided": "undecided"}


def typeset(text: str) -> str:
    """Returns a sentence with real minus signs before its numbers; months keep their hyphens.

    Examples:
        >>> typeset("2026-03: -0.25 [-0.5, -0.1]")
        '2026-03: −0.25 [−0.5, −0.1]'
    """
    return re.sub(r"(?<![\w-])-(?=\d)", "−", text)
