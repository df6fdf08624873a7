"""The verdict on a measure, and what it rests on: numbers, and the queries that lost most."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.comparison.breakdowns.sentences import breakdown_sentences
from relyon.analysis.comparison.contrast_tables import extremes
from relyon.compat.pytest.words import words
from relyon.core.document.terminal import cut, printable, width
from relyon.core.texts import catalogue

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison, Contrast

__all__ = ["Losses", "contrast_line", "few_key"]

#: How many queries are listed, and the terminal columns of ids and texts.
SHOWN, ID, TEXT = 5, 24, 44
#: The least drop of the share of judged results that is shown.
DROP = 0.01


def contrast_line(one: Contrast, asked: str, level: float) -> str:
    """Returns the verdict on a measure with its numbers, in one line.

    Args:
        one: The contrast.
        asked: What a check wants: `better`, `not-worse` or `not-significantly-worse`.
        level: The level of the interval.
    """
    texts = words()
    margin = one.margin
    key: str = one.verdict
    if one.verdict == "undecided":
        kind = {"better": "better", "not-worse": "within"}.get(asked, "difference")
        key = f"undecided.{kind}"
    values = {
        "measure": one.measure,
        "baseline": one.baseline,
        "margin": "" if margin is None else f"{margin.size:.4g}",
    }
    numbers = {
        "before": one.baseline_mean,
        "after": one.candidate_mean,
        "difference": one.difference,
        "interval": one.interval,
        "level": texts.percent(level),
        "p": one.p_adjusted,
        "queries": one.queries,
        "wins": one.wins,
        "ties": one.ties,
        "losses": one.losses,
    }
    key = f"{key}.margin" if margin is not None and f"verdict.{key}.margin" in texts else key
    line = texts.say(f"verdict.{key}", **values) + texts.say("numbers", **numbers)
    if one.clusters is not None and one.in_clusters:
        line += texts.say("in-clusters", count=one.clusters.count, column=one.clusters.column)
    if one.repeats is not None:
        line += texts.say("in-runs", count=one.repeats.candidate.runs)
    return line


def few_key(key: str, one: Contrast) -> str:
    """Returns the key of a sentence on too few queries, or on too few clusters of them.

    Args:
        key: The key of that on queries.
        one: The contrast.
    """
    return f"{key}.clusters" if one.in_clusters else key


@dataclass(frozen=True)
class Losses:
    """What a reader needs to see why a check failed.

    Attributes:
        comparison: The comparison.
        contrast: The contrast that failed.
        judged: The contrast of the share of judged results.
        explain: Makes the command that explains a query; `None` without files.
    """

    comparison: Comparison
    contrast: Contrast
    judged: Contrast
    explain: Callable[[str], str] | None

    def lines(self) -> list[str]:
        """Returns the lines."""
        texts = words()
        one = self.contrast
        lines = []
        if one.few:
            lines.append(
                texts.say(few_key("few-queries", one), queries=one.queries, units=one.units)
            )
        elif one.verdict == "undecided" and one.margin is not None:
            if not math.isnan(one.margin.loss):
                key = "possible-loss.unseen" if one.margin.few else "possible-loss"
                lines.append(texts.say(key, loss=max(one.margin.loss, 0.0)))
            lines.append(texts["more-queries"])
        spoken = catalogue("breakdowns", texts.language)
        for column in self.comparison.breakdowns:
            lines += breakdown_sentences(column, self.comparison, one.candidate, spoken)
        before, after = self.judged.baseline_mean, self.judged.candidate_mean
        if before - after >= DROP:
            values = {"measure": self.judged.measure, "before": before, "after": after}
            lines.append(texts.say("unjudged", **values))
        worst = self._worst()
        if worst:
            lines.append(texts["lost-most"])
            lines += self._rows(worst)
            if self.explain is not None:
                lines.append(texts.say("explain", command=self.explain(worst[0])))
        return lines

    def _worst(self) -> list[str]:
        """Returns the queries with the largest losses."""
        one = self.contrast
        lost = extremes(self.comparison, one.candidate, one.measure, SHOWN)[1]
        return [query for query, _ in lost]

    def _rows(self, queries: list[str]) -> list[str]:
        one = self.contrast
        values = self.comparison.own_values(one.candidate, one.measure)
        known = self.comparison.query_texts or {}
        cells = [
            (cut(printable(query), ID), cut(printable(known.get(query, "")), TEXT))
            for query in queries
        ]
        widths = [max(width(row[place]) for row in cells) for place in range(2)]
        style = words().style
        rows = []
        for query, (id, text) in zip(queries, cells, strict=True):
            before, after = (style.number(value) for value in values[query])
            named = id + " " * (widths[0] - width(id))
            if widths[1]:
                named += f"  {text}{' ' * (widths[1] - width(text))}"
            rows.append(f"  {named}  {before} → {after}")
        return rows
