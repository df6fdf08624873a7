"""Predicates on queries: a value of a feature, a range of its numbers, or that it is missing."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Literal

from relyon.core.texts import Catalogue

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Feature", "Origin", "Predicate", "binned", "predicates"]

#: A feature of numbers or dates with more values has bins: those of its quartiles.
MOST_NUMBERS = 8
BINS = 4
#: Values of a feature that can be predicates: those of most queries.
MOST_VALUES = 50

Kind = Literal["value", "range", "missing", "contains"]
Origin = Literal["given", "text", "judgments", "word"]


@dataclass(frozen=True)
class Feature:
    """A property of queries.

    Attributes:
        name: Its name: that of a column, or of a derived feature such as `words`.
        values: The value of each query, as text; queries without one have no entry.
        origin: Where it is from: `given`, `text`, `judgments`, or `word` if its queries contain a
            word, which is then its name.
    """

    name: str
    values: Mapping[str, str]
    origin: Origin = "given"


@dataclass(frozen=True)
class Predicate:
    """A condition on a query.

    Attributes:
        feature: The name of the feature; of `contains` the word.
        kind: `value`, `range`, `missing` or `contains`.
        value: The value; of `range` its ends as they were written, joined by an en dash; empty for
            `missing` and `contains`.
        given: Whether the feature is a column that was given, by which `--by` can break down.
    """

    feature: str
    kind: Kind
    value: str = ""
    given: bool = True

    def text(self, words: Catalogue) -> str:
        """Returns it as a condition, such as `tier = tail`.

        Args:
            words: The texts of the area `slices`.
        """
        name = self.feature
        if not self.given and self.kind != "contains":
            name = words.name("feature", self.feature)
        value = self.value
        if not self.given and self.kind == "value" and value in ("yes", "no", "mixed", "none"):
            value = words[f"value.{value}"]
        return words.say(f"predicate.{self.kind}", feature=name, value=value)

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "feature": self.feature,
            "kind": self.kind,
            "value": self.value or None,
            "given": self.given,
        }


def predicates(
    feature: Feature, queries: Sequence[str], least: int
) -> list[tuple[Predicate, NDArray[np.bool_]]]:
    """Returns the predicates of a feature that are true of enough queries, and not of all.

    Numbers and dates (YYYY-MM-DD) with more than eight values are cut at their quartiles; equal
    values are never separated. Other values are predicates as they are, those of most queries
    first. Of a given column, that a query has no value is a predicate, too.

    Args:
        feature: The feature.
        queries: The ids of the queries.
        least: The least number of queries of which a predicate is true, and of which it is not.

    Examples:
        >>> feature = Feature("tier", {"a": "head", "b": "tail", "c": "tail", "d": "head"})
        >>> [(one.value, held.tolist()) for one, held in predicates(feature, "abcd", 2)]
        [('head', [True, False, False, True]), ('tail', [False, True, True, False])]
    """
    import numpy as np

    given = feature.origin == "given"
    values = [feature.values.get(query) for query in queries]
    counts = Counter(value for value in values if value is not None)
    found: list[tuple[Predicate, NDArray[np.bool_]]] = []

    def add(kind: Kind, value: str, held: Sequence[bool]) -> None:
        holds = np.array(held, dtype=np.bool_)
        if least <= int(holds.sum()) <= len(queries) - least:
            found.append((Predicate(feature.name, kind, value, given), holds))

    if feature.origin == "word":
        add("contains", "", [value is not None for value in values])
        return found
    bins = _bins(counts)
    if bins is None:
        often = sorted(counts, key=lambda one: (-counts[one], one))[:MOST_VALUES]
        for value in often:
            add("value", value, [one == value for one in values])
    else:
        for value, members in bins.items():
            add("range", value, [one in members for one in values])
    if given:
        add("missing", "", [value is None for value in values])
    return found


def _bins(counts: Mapping[str, int]) -> dict[str, set[str]] | None:
    """Returns the values of each bin of numbers or dates by its text; None of other values."""
    if len(counts) <= MOST_NUMBERS:
        return None
    if not binned(counts):
        return None
    sizes = {value: _size(value) for value in counts}
    total, reached = sum(counts.values()), 0
    bins: list[list[str]] = [[] for _ in range(BINS)]
    by_size: dict[float, list[str]] = {}
    for value, size in sizes.items():
        by_size.setdefault(size, []).append(value)
    for size in sorted(by_size):
        count = sum(counts[value] for value in by_size[size])
        # Equal numbers are in the bin of the middle one of them.
        place = min(BINS - 1, int((reached + count / 2) * BINS / total))
        bins[place] += sorted(by_size[size])
        reached += count
    held = [one for one in bins if one]
    return {one[0] if one[0] == one[-1] else f"{one[0]}–{one[-1]}": set(one) for one in held}


def binned(values: Iterable[str]) -> bool:
    """Returns whether values have bins if they are many: all are numbers, or all dates."""
    return all(math.isfinite(_size(value)) for value in values)


def _size(value: str) -> float:
    """Returns what orders a number or a date; NaN of other texts."""
    try:
        return float(value)
    except ValueError:
        pass
    try:
        return float(date.fromisoformat(value[:10]).toordinal())
    except ValueError:
        return math.nan
