"""Whether a measure reaches a number, and the sentence about it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from relyon.compat.pytest.words import words
from relyon.core.texts import catalogue

if TYPE_CHECKING:
    from relyon.analysis.uncertainty import MeasureInterval

__all__ = ["Bound", "check_bound"]

Bound = Literal["at-least", "at-most"]


def check_bound(
    measure: str, found: MeasureInterval, bound: float, *, kind: Bound, point: bool, level: float
) -> tuple[bool, str]:
    """Returns whether a measure is at least or at most a number, and a sentence.

    Args:
        measure: The measure.
        found: Its value and interval over queries.
        bound: The number.
        kind: `at-least` or `at-most`.
        point: Whether the value itself decides, not the end of its interval.
        level: The level of the interval.

    Examples:
        >>> from relyon.analysis.uncertainty import MeasureInterval
        >>> found = MeasureInterval(0.875, (0.75, 1.0), (0, 1), 0, 40, "t")
        >>> passed, text = check_bound(
        ...     "rr", found, 0.8, kind="at-least", point=False, level=0.95
        ... )
        >>> passed, text.splitlines()[0][:44]
        (False, 'rr is not shown to be at least 0.8: the lowe')
    """
    sign = 1 if kind == "at-least" else -1
    end = found.queries[0 if kind == "at-least" else 1]
    decides = found.value if point else end
    passed = sign * (decides - bound) >= 0  # NaN does not pass
    texts = words()
    values = {
        "measure": measure,
        "bound": f"{bound:g}",
        "value": found.value,
        "interval": found.queries,
        "end": end,
        "level": texts.percent(level),
        "queries": found.counted,
    }
    if point:
        return passed, texts.say(f"point.{kind}.{'passed' if passed else 'failed'}", **values)
    if passed:
        return True, texts.say(f"{kind}.passed", **values)
    if math.isnan(end):
        why = catalogue("tables", texts.language).say(
            f"intervals.none.{found.no_interval or 'one-value'}", measures=[measure]
        )
        return False, texts.say(f"{kind}.unknown", why=why, **values)
    lines = [texts.say(f"{kind}.failed", **values)]
    room = sign * (found.value - bound)
    if room > 0:
        half = abs(found.value - end)
        needed = math.ceil(found.counted * (half / room) ** 2)
        lines.append(texts.say("queries-for-bound", needed=needed))
    else:
        lines.append(texts.say(f"{kind}.value", **values))
    return False, "\n".join(lines)
