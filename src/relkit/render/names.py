"""Measures as tables name them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from relkit.render.numbers import DIGITS, NumberStyle
from relkit.render.text import count

__all__ = ["COUNTS", "detail", "detail_names", "measure_label"]

#: What stands beside a number and is a count.
COUNTS = ("positive", "negative")
#: What stands beside a number in JSON only.
JSON_ONLY = ("strict_share", "random_share")
#: How equal labels count where a name says nothing of it.
STRICT = "label_ties=ignore"


def measure_label(name: str, average: str | None = None, definition: str = "") -> str:
    """Returns a measure's name for people: its convention on equal labels, and how it is averaged.

    Args:
        name: The name as it was asked for.
        average: How queries became one number, `None` where that is said elsewhere.
        definition: The measure with every parameter filled in; a convention may have filled how
            equal labels count.

    Examples:
        >>> measure_label("pnr", "micro"), measure_label("pnr(label_ties=ignore)", "micro")
        ('pnr (micro)', 'pnr (strict, micro)')
        >>> measure_label("pnr", "micro", "pnr(label_ties=ignore,score_ties=rank)")
        'pnr (strict, micro)'
        >>> measure_label("ndcg@10"), measure_label("a measure of mine")
        ('ndcg@10', 'a measure of mine')
    """
    shown = name
    if STRICT in name:
        from relkit.measures.names import measure

        with suppress(LookupError, ValueError):
            shown = measure(name).shown
    elif STRICT in definition:
        shown = f"{name} (strict)"
    if average is None or average == "sum" or (average == "macro" and _usual(name)):
        return shown
    return f"{shown[:-1]}, {average})" if shown.endswith(" (strict)") else f"{shown} ({average})"


def _usual(name: str) -> bool:
    """Whether a mean over queries is what a measure prints where nothing else is asked for."""
    from relkit.measures.names import measure

    with suppress(LookupError, ValueError):
        return measure(name).averages[0] == "macro"
    return True


def detail_names(name: str, details: Mapping[str, float], definition: str = "") -> list[str]:
    """Returns what a table shows below a measure: not what its own row says already."""
    hidden = (*JSON_ONLY, *(("strict",) if STRICT in name or STRICT in definition else ()))
    return [key for key in details if key not in hidden]


def detail(key: str, value: float, style: NumberStyle, digits: int = DIGITS) -> str:
    """Returns one of them as text."""
    return count(value) if key in COUNTS else style.number(value, digits)
