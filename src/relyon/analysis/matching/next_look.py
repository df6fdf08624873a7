"""Which query or further measure would tell the remaining classes apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    from relyon.analysis.matching.measured import Measurements
    from relyon.analysis.matching.printed import PrintedNumber
    from relyon.analysis.matching.ways import Way
    from relyon.measures.definition import Measure

__all__ = ["NextLook", "next_look"]

#: Measures that people print besides the one that they ask about.
FURTHER = ("ndcg@10", "ap", "rr@10", "p@10", "recall@100", "ndcg", "ndcg@5", "ndcg@20", "bpref")


@dataclass(frozen=True)
class NextLook:
    """What to look at next.

    Attributes:
        kind: `query` or `measure`; `nothing` if neither tells the classes apart.
        name: The query's id, or the measure.
        measure: The measure whose value of the query differs; the same as `name` for a measure.
        values: The value under each class, in their order; NaN if the query is left out.
        groups: How many groups of classes these values tell apart.
        classes: How many classes there are.
    """

    kind: Literal["query", "measure", "nothing"]
    name: str
    measure: str
    values: tuple[float, ...]
    groups: int
    classes: int


def next_look(
    found: Measurements, ways: Sequence[Way], numbers: Sequence[PrintedNumber]
) -> NextLook | None:
    """Returns the query or further measure that separates most classes; None for one class.

    A query is preferred: the other program has already computed it. Values are told apart as they
    would be printed, with as many decimals as the numbers and at least four.

    Args:
        found: The judgments and the run.
        ways: The simplest way of each class.
        numbers: The printed numbers.
    """
    if len(ways) < 2:
        return None
    digits = max(4, *(min(one.decimals, 9) for one in numbers))
    best = NextLook("nothing", "", "", (), 1, len(ways))
    rank = 1, 0.0
    for one in numbers:
        columns = [found.values(way, one.measure) for way in ways]
        names = {query: None for column in columns for query in column}
        for query in names:
            values = tuple(column.get(query, float("nan")) for column in columns)
            mark = _told_apart(values, digits)
            if mark > rank:
                rank = mark
                best = NextLook("query", query, one.name, values, mark[0], len(ways))
    if best.groups == len(ways):
        return best
    asked = {one.measure for one in numbers}
    further: list[Measure] = [one for one in map(parse_measure, FURTHER) if one not in asked]
    table = found.numbers(ways, further)
    for place, other in enumerate(further):
        values = tuple(map(float, table[:, place]))
        mark = _told_apart(values, digits)
        if mark[0] > rank[0]:
            rank = mark
            best = NextLook("measure", str(other), str(other), values, mark[0], len(ways))
    return best


def _told_apart(values: Sequence[float], digits: int) -> tuple[int, float]:
    """Returns how many groups of values there are, and the smallest gap between them."""
    groups = sorted({round(value, digits) for value in values if not math.isnan(value)})
    absent = any(map(math.isnan, values))
    gaps = [after - before for before, after in pairwise(groups)]
    return len(groups) + absent, min(gaps, default=0.0)
