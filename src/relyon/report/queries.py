"""The queries that cause the difference, and the derivation of those that matter most."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING

from relyon.analysis.comparison.contrast import gain_sign
from relyon.core.document.quoted_ids import asked
from relyon.report.catalogue import Catalogue
from relyon.report.drawings import BarRow
from relyon.report.drilldown import Drilldown
from relyon.report.number_formats import label, number, signed
from relyon.report.page import Block, Cell, Chart, Section, Table

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison
    from relyon.evaluation import Results
    from relyon.io.descriptions import Descriptions

__all__ = [
    "QueryDifferences",
    "difference_chart",
    "extremes",
    "gains_first",
    "query_chart",
    "query_section",
    "value_chart",
]

MOST_BARS = 120


def query_section(
    comparison: Comparison,
    measure: str,
    texts: Catalogue,
    *,
    shown: int = 10,
    query_texts: Mapping[str, str] | None = None,
    titles: Descriptions | None = None,
    drilldown: type[Drilldown] = Drilldown,
) -> Section:
    """Returns the sorted differences of one measure, and the largest losses and gains.

    Args:
        comparison: Where they come from.
        measure: Its name.
        texts: The language.
        shown: Number of queries on each side.
        query_texts: Query texts by id.
        titles: Document titles.
        drilldown: Derives the queries.
    """
    known = query_texts or {}
    blocks: list[Block] = []
    for place, candidate in enumerate(comparison.candidates, 1):
        lost, gained = extremes(comparison.deltas(candidate, measure), shown, gain_sign(measure))
        names = {query: f"query-{place}-{order}" for order, query in enumerate([*lost, *gained], 1)}
        blocks.append(query_chart(comparison, candidate, measure, texts, names, known))
        derived = drilldown(comparison, candidate, measure, texts, known, titles)
        blocks += derived.blocks(lost, gained, names)
    return Section("queries", texts.say("section.queries"), tuple(blocks))


def extremes(
    deltas: Mapping[str, float], shown: int, sign: int = 1
) -> tuple[dict[str, float], dict[str, float]]:
    """Returns the queries that lost the most and those that gained the most, largest first.

    Args:
        deltas: Differences by query.
        shown: How many of each.
        sign: The sign of a gain.

    Examples:
        >>> extremes({"a": 0.5, "b": -0.25, "c": 0.0, "d": 0.75}, 1)
        ({'b': -0.25}, {'d': 0.75})
    """
    sides = []
    for side in (sign, -sign):
        held = (item for item in deltas.items() if side * item[1] < 0)
        sides.append(dict(nsmallest(shown, held, key=lambda item: (side * item[1], item[0]))))
    return sides[0], sides[1]


def gains_first(values: Mapping[str, float], sign: int = 1) -> list[tuple[str, float]]:
    """Returns the queries with a finite value, the largest gain first, equal ones by their ids."""
    held = [one for one in values.items() if math.isfinite(one[1])]
    held.sort(key=itemgetter(0))
    held.sort(key=itemgetter(1), reverse=sign > 0)
    return held


def query_chart(
    comparison: Comparison,
    candidate: str,
    measure: str,
    texts: Catalogue,
    names: Mapping[str, str],
    known: Mapping[str, str],
) -> Chart:
    """Returns the difference of every query between a candidate and the baseline.

    Args:
        comparison: The comparison.
        candidate: Its candidate.
        measure: Its measure.
        texts: The language.
        names: The anchors that the bars link to.
        known: Query texts by query id.
    """
    contrast = comparison.contrast(candidate, measure)
    differences = QueryDifferences(
        measure,
        candidate,
        comparison.baseline,
        gains_first(comparison.deltas(candidate, measure), gain_sign(measure)),
        contrast.difference,
        (contrast.wins, contrast.ties, contrast.losses),
        contrast.average,
    )
    return difference_chart(differences, texts, names, known)


@dataclass(frozen=True)
class QueryDifferences:
    """The differences of one measure, query by query.

    Attributes:
        measure: Its name.
        candidate: The candidate.
        baseline: The run that it is compared with.
        deltas: Each query with its difference, the largest gain first.
        difference: The difference of the two numbers: the mean of the deltas, unless the measure
            sums or pools over all queries.
        counts: How many queries gain, stay the same and lose.
        average: How queries become one number: `macro`, `micro` or `sum`.
    """

    measure: str
    candidate: str
    baseline: str
    deltas: Sequence[tuple[str, float]]
    difference: float
    counts: tuple[int, int, int]
    average: str = "macro"


def difference_chart(
    found: QueryDifferences,
    texts: Catalogue,
    names: Mapping[str, str] | None = None,
    known: Mapping[str, str] | None = None,
) -> Chart:
    """Returns a bar per query, the largest gain on the left.

    Args:
        found: The differences.
        texts: The language.
        names: The anchors that the bars link to.
        known: Query texts by query id.
    """
    links, asked_for = names or {}, known or {}
    deltas = found.deltas
    groups, sign = _groups(deltas, MOST_BARS), gain_sign(found.measure)
    single = len(groups) == len(deltas)
    rows: list[BarRow] = []
    for place, group in enumerate(groups, 1):
        delta = math.fsum(value for _, value in group) / len(group)
        query = group[0][0] if single else ""
        rows.append(
            {
                "place": place,
                "delta": delta,
                "side": "gain" if sign * delta > 0 else "loss",
                "query": query,
                "text": f"{asked(query, asked_for) if single else f'{len(group)}:'}"
                f" {signed(delta)}",
                "link": f"#{links[query]}" if query in links else None,
            }
        )
    heading = texts.say("table.query") if single else texts.say("waterfall.bar")
    table = Table(
        (heading, texts.say("table.difference")),
        tuple(
            (_named(row["query"], asked_for) if single else f"{row['place']}", signed(row["delta"]))
            for row in rows
        ),
    )
    wins, ties, losses = found.counts
    line, named = _line(found, texts)
    values = {
        "line": named,
        "wins": texts.count("count.queries", wins),
        "ties": f"{ties:,}",
        "losses": f"{losses:,}",
    }
    if single:
        caption = texts.say("waterfall.caption", **values)
    else:
        size = f"{len(deltas) / len(groups):.0f}"
        caption = texts.say("waterfall.caption_binned", size=size, **values)
    return Chart(
        drawing="waterfall",
        title=texts.say(
            "waterfall.title",
            measure=label(found.measure),
            candidate=found.candidate,
            baseline=found.baseline,
        ),
        caption=caption,
        rows=tuple(rows),
        table=table,
        labels={
            "x": texts.say("waterfall.axis_x"),
            "y": texts.say("waterfall.axis_y"),
            "gain": texts.say("waterfall.gain"),
            "loss": texts.say("waterfall.loss"),
        },
        values={"mean": line},
    )


def _line(found: QueryDifferences, texts: Catalogue) -> tuple[float, str]:
    """Returns where the dashed line is, and what it is."""
    mean = math.fsum(value for _, value in found.deltas) / max(len(found.deltas), 1)
    kind = "mean"
    if found.average != "sum" and not math.isclose(
        mean, found.difference, rel_tol=1e-9, abs_tol=1e-12
    ):
        mean, kind = found.difference, "whole"
    return mean, texts.say(f"waterfall.line_{kind}", difference=signed(found.difference))


def value_chart(results: Results, measure: str, texts: Catalogue) -> Chart:
    """Returns a bar per query, the highest value on the left.

    Args:
        results: The values.
        measure: Their measure.
        texts: The language.

    Raises:
        UnknownNameError: If the measure was not evaluated.
    """
    values = results.values_by_query(measure)
    held = gains_first(values)
    groups = _groups(held, MOST_BARS)
    single = len(groups) == len(held)
    rows: list[BarRow] = []
    for place, group in enumerate(groups, 1):
        value = math.fsum(one for _, one in group) / len(group)
        query = group[0][0] if single else ""
        rows.append(
            {
                "place": place,
                "delta": value,
                "side": "gain",
                "query": query,
                "text": f"{query if single else f'{len(group)}:'} {number(value)}",
                "link": None,
            }
        )
    heading = texts.say("table.query") if single else texts.say("waterfall.bar")
    counts = {"queries": texts.count("count.queries", len(held))}
    key = "values.caption"
    if not single:
        key, counts["size"] = "values.caption_binned", f"{len(held) / len(groups):.0f}"
    caption = texts.say(key, **counts)
    if len(held) < len(values):
        left = texts.count("count.queries", len(values) - len(held))
        caption += texts.say("list.sentence") + texts.say("values.without", queries=left)
    return Chart(
        drawing="waterfall",
        title=texts.say("values.title", measure=label(measure), run=results.run),
        caption=caption,
        rows=tuple(rows),
        table=Table(
            (heading, label(measure)),
            tuple((row["query"] or f"{row['place']}", number(row["delta"])) for row in rows),
        ),
        labels={"x": texts.say("values.axis_x"), "y": label(measure)},
        values={
            "mean": math.fsum(value for _, value in held) / max(len(held), 1),
            "signed": False,
        },
    )


def _named(query: str, known: Mapping[str, str]) -> Cell | str:
    text = known.get(query, query)
    return query if text == query else Cell(query, title=text)


def _groups(deltas: Sequence[tuple[str, float]], most: int) -> list[Sequence[tuple[str, float]]]:
    """Returns neighbours in groups of nearly equal size: single queries if there are few."""
    count = min(len(deltas), most)
    edges = [place * len(deltas) // count for place in range(count + 1)] if count else [0]
    return [deltas[start:end] for start, end in pairwise(edges)]
