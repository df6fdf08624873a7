"""What a stored evaluation needs to be compared later, beside its numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from relyon.evaluation.stored_notes import note_values
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    from relyon.core.notes import Note
    from relyon.evaluation.entry import Entry

__all__ = ["FORMAT", "needs_parts", "needs_pool", "number_of", "stored_values", "text_of"]

#: The number of this form.
FORMAT = 1


class Evaluated(Protocol):
    """The parts of `Results` that are stored."""

    entries: dict[str, Entry]
    notes: tuple[Note, ...]

    @property
    def queries(self) -> list[str]:
        """The evaluated queries."""

    def column(self, name: str) -> list[float]:
        """Returns one measure's value for each query."""

    def parts(
        self, name: str
    ) -> tuple[Sequence[float] | NDArray[float64], Sequence[float] | NDArray[float64]]:
        """Returns one measure's numerators and denominators for each query."""

    def equal_pairs(self, name: str) -> list[list[float]]:
        """Returns PNR's pairs of equal labels for each query."""


def text_of(value: float) -> float | str | None:
    """Returns a number as JSON can contain it: NaN is null, infinities are text.

    Examples:
        >>> text_of(0.5), text_of(float("inf")), text_of(float("nan"))
        (0.5, 'inf', None)
    """
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return None if math.isnan(value) else value


def number_of(value: object) -> float:
    """Returns the number that `text_of` was given.

    Raises:
        ValueError: If it returned something else.

    Examples:
        >>> number_of(None), number_of("-inf"), number_of(1)
        (nan, -inf, 1.0)
    """
    if value is None:
        return math.nan
    if value in ("inf", "-inf") or (isinstance(value, int | float) and not isinstance(value, bool)):
        return float(value)
    raise ValueError(f"not a number: {value!r}")


def needs_parts(entry: Entry) -> bool:
    """Returns whether sums over queries make the number, which the queries' values do not give."""
    summed = parse_measure(entry.definition).combine
    return summed == "ratio" or (entry.average == "micro" and summed != "pooled")


def needs_pool(entry: Entry) -> bool:
    """Returns whether the number rests on the scores of all queries' documents."""
    measure = parse_measure(entry.definition)
    return measure.combine == "pooled" and entry.average == "micro" and measure.resampled()


def stored_values(results: Evaluated) -> dict[str, object]:
    """Returns what `relyon.read_results` needs beside values by query, as JSON-ready values.

    Args:
        results: The evaluation.

    Returns:
        `notes`, and for each measure with any of them `infinite` (values by query), `details`, and
        the `numerators`, `denominators` and pairs of equal labels (`equal`) of each query.
    """
    measures = {name: _stored(results, name, entry) for name, entry in results.entries.items()}
    return {
        "format": FORMAT,
        "notes": [note_values(one) for one in results.notes],
        "measures": {name: values for name, values in measures.items() if values},
    }


def _stored(results: Evaluated, name: str, entry: Entry) -> dict[str, object]:
    values = zip(results.queries, results.column(name), strict=True)
    infinite = {query: text_of(one) for query, one in values if math.isinf(one)}
    found: dict[str, object] = {"infinite": infinite} if infinite else {}
    if any(not math.isfinite(one) for one in entry.details.values()):
        found["details"] = {key: text_of(one) for key, one in entry.details.items()}
    if needs_parts(entry):
        for key, part in zip(("numerators", "denominators"), results.parts(name), strict=True):
            found[key] = [text_of(float(one)) for one in part]
        equal = results.equal_pairs(name)
        if any(map(len, equal)):
            found["equal"] = [[text_of(float(one)) for one in part] for part in equal]
    return found
