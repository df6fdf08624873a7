"""What a plan rests on: how many of the queries graded so far differ, and how they are shown."""

from __future__ import annotations

import math
from typing import Literal

from relyon.core.texts.numbers import TERMINAL

__all__ = ["Basis", "basis_of", "with_error", "with_share"]

#: Whether the queries graded so far carry a plan: few do, but leave out what is rare; too few do
#: not.
Basis = Literal["enough", "few", "too_few"]
#: Queries that differ, and degrees of freedom of s², from which on they are enough.
ENOUGH_DIFFER, ENOUGH_CERTAINTY = 50, 30.0


def basis_of(differing: int, certainty: float) -> Basis:
    """Returns whether the queries graded so far carry a plan.

    Args:
        differing: How many of them differ.
        certainty: Degrees of freedom of their variance.
    """
    from relyon.analysis.statistics import ENOUGH_QUERIES

    if differing < ENOUGH_QUERIES:
        return "too_few"
    enough = differing >= ENOUGH_DIFFER and certainty >= ENOUGH_CERTAINTY
    return "enough" if enough else "few"


def with_error(deviation: float, error: float) -> str:
    """Returns a standard deviation with its own relative error."""
    shown = TERMINAL.number(deviation)
    return shown if math.isnan(error) else f"{shown} ±{100 * error:.0f}%"


def with_share(difference: float, share: float) -> str:
    """Returns a difference, and what share of the baseline's number it is."""
    shown = TERMINAL.number(difference)
    return shown if math.isnan(share) else f"{shown} ({100 * share:.3g}%)"
