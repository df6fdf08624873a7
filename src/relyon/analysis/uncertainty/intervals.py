"""Measures with two intervals: over queries and of labels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number, json_values, note_dict
from relyon.core.document.model import Block, Document, Prose, Table
from relyon.core.notes import Note
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.core.texts.numbers import DIGITS, NumberStyle
from relyon.evaluation.results import Results
from relyon.measures.display_names import measure_label

if TYPE_CHECKING:
    import polars as pl

    from relyon.analysis.statistics.bounded import Method, Missing

__all__ = ["MeasureInterval", "MeasureIntervals"]


@dataclass(frozen=True)
class MeasureInterval:
    """One measure with its intervals.

    Attributes:
        value: The number.
        queries: The interval over queries; NaN if there is none.
        labels: The interval from the labels' own uncertainty; NaN if labels have none, or if no
            draw moves the number.
        mean: The mean over the draws of the labels; NaN if labels have no uncertainty.
        counted: Number of queries behind the value.
        method: Of the interval over queries: `t`, `exact`, `betting`, `ratio` or `log-ratio`.
        no_interval: Why there is none: `one-value`, `equal-values`, `few-differ`, `one-decides`,
            `infinite` or `no-formula`; empty if there is one.
    """

    value: float
    queries: tuple[float, float]
    labels: tuple[float, float]
    mean: float
    counted: int
    method: Method = ""
    no_interval: Missing = ""


@dataclass(frozen=True)
class MeasureIntervals(Exportable, Mapping[str, MeasureInterval]):
    """The measures of one run, each with its intervals.

    Attributes:
        results: The measures.
        measures: Each measure by its name.
        level: Confidence level of the intervals.
        draws: Number of draws of the labels; 0 if they have no uncertainty.
        notes: Notes about the data.
        about: How the labels were derived.

    Examples:
        >>> import relyon
        >>> judgments = {"q1": {"a": 1}, "q2": {"a": 1}}
        >>> run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"b": 2.0, "a": 1.0}}
        >>> found = relyon.measure_intervals(judgments, run, "rr")
        >>> low, high = found["rr"].queries
        >>> found["rr"].value, round(low, 2), round(high, 2), found["rr"].method
        (0.75, 0.01, 1.0, 'betting')
    """

    results: Results
    measures: Mapping[str, MeasureInterval]
    level: float
    draws: int
    notes: tuple[Note, ...]
    about: Mapping[str, str]

    @property
    def run(self) -> str:
        """The run's name."""
        return self.results.run

    def __getitem__(self, name: str) -> MeasureInterval:
        return self.measures[self.results._key(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    def to_dict(self) -> dict[str, object]:
        """Returns the object that ``--format json`` prints."""
        return {
            "run": self.run,
            "level": self.level,
            "draws": self.draws,
            "measures": {
                name: {
                    "value": json_number(one.value),
                    "queries": json_values(one.queries),
                    "method": one.method or None,
                    "no_interval": one.no_interval or None,
                    "labels": json_values(one.labels),
                    "labels_mean": json_number(one.mean),
                    "counted": one.counted,
                }
                for name, one in self.measures.items()
            },
            "convention": self.results.convention.to_dict(),
            "labels": dict(self.about),
            "notes": [note_dict(note) for note in self.notes],
        }

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per measure; null without an interval."""
        import polars as pl

        rows = [
            (
                self.run,
                name,
                one.value,
                *one.queries,
                *one.labels,
                one.mean,
                one.counted,
                one.method or None,
                one.no_interval or None,
            )
            for name, one in self.measures.items()
        ]
        schema: dict[str, Any] = {"run": pl.String, "measure": pl.String, "value": pl.Float64}
        names = ("queries_low", "queries_high", "labels_low", "labels_high", "labels_mean")
        numbers = dict.fromkeys(names, pl.Float64)
        texts = {"method": pl.String, "no_interval": pl.String}
        schema |= {**numbers, "counted": pl.Int64, **texts}
        frame = pl.DataFrame(rows, schema, orient="row")
        return frame.with_columns(pl.col(pl.Float64).fill_nan(None))

    def _kinds(self, words: Catalogue) -> Iterator[str]:
        """Yields what kinds of intervals there are besides Student's, and why some are missing."""
        kinds: dict[str, list[str]] = {}
        for name, one in self.measures.items():
            key = one.method or f"none.{one.no_interval}"
            if key != "t":
                entry = self.results.entries[name]
                label = measure_label(name, entry.average, entry.definition)
                kinds.setdefault(key, []).append(label)
        for key, labels in kinds.items():
            yield words.say(f"intervals.{key}", measures=labels)

    def document(self, *, digits: int = DIGITS, language: Language = "en") -> Document:
        """Returns one row per measure, with a legend of the intervals.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        words = catalogue("tables", language)
        style = words.style
        names = [
            "measure",
            "value",
            "over_queries",
            *(["of_labels"] if self.draws else []),
            "queries",
        ]
        rows = []
        for name, one in self.measures.items():
            entry = self.results.entries[name]
            row = [measure_label(name, entry.average, entry.definition)]
            row += [style.number(one.value, digits), _written(one.queries, digits, style)]
            row += [_written(one.labels, digits, style)] if self.draws else []
            rows.append([*row, str(one.counted)])
        headings = [words.name("column", name) for name in names]
        texts = [
            words.say("intervals.queries", level=words.percent(self.level)),
            *self._kinds(words),
        ]
        if self.draws:
            texts.append(words.say("intervals.labels", draws=self.draws))
            if any(map(_unmoved, self.measures.values())):
                texts.append(words["intervals.unmoved"])
            if any(map(_outside, self.measures.values())):
                texts.append(words["intervals.outside"])
        blocks: list[Block] = [Table(headings, rows), Prose(texts)]
        return Document(blocks)


def _unmoved(one: MeasureInterval) -> bool:
    return math.isnan(one.labels[0])


def _outside(one: MeasureInterval) -> bool:
    low, high = one.labels
    return one.value < low or one.value > high


def _written(bounds: tuple[float, float], digits: int, style: NumberStyle) -> str:
    return "-" if math.isnan(bounds[0]) else str(style.interval(bounds, digits))
