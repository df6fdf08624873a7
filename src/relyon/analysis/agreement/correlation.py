"""Rank correlation between measures, or between two sets of judgments."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from relyon.analysis.agreement.views import View
from relyon.analysis.comparison.runs import Progress, evaluate_runs, run_titles
from relyon.analysis.statistics.correlation import coefficients
from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number, json_values, note_dict
from relyon.core.document.model import Block, Document, Lines, Prose, Table
from relyon.core.errors import ParameterError
from relyon.core.notes import Note
from relyon.core.parameters import check_choice, check_fraction, check_whole
from relyon.core.texts import Catalogue, Language, catalogue, message, translate
from relyon.core.texts.numbers import DIGITS, TERMINAL
from relyon.evaluation import DEFAULT_MEASURES, Average, Evaluator, MeasureNames
from relyon.measures.parser import measures as parse_measures

if TYPE_CHECKING:
    import numpy as np
    import polars
    from numpy.typing import NDArray

    from relyon.data.convention import Convention
    from relyon.data.scale import Scale
    from relyon.evaluation.results import Results

__all__ = ["CoefficientName", "Correlation", "Correlations", "rank_correlation"]

NUMBERS = ("value", "interval_low", "interval_high")
#: With more measures than this, pairs are shown as a matrix.
MOST_LISTED = 6
#: With fewer queries there is no interval: they are too few to generalise from.
FEWEST = 10

CoefficientName = Literal["kendall", "tau_ap", "spearman", "pearson"]


@dataclass(frozen=True)
class Correlation:
    """Rank correlation of two measures, or of one measure on two sets of judgments.

    Attributes:
        first: The first measure.
        second: The second measure; the same if two sets of judgments are compared.
        value: The coefficient, from -1 to 1; NaN if a measure gives all runs the same value.
        interval: Confidence interval over queries; NaN if there is none, as for fewer than ten
            queries.
    """

    first: str
    second: str
    value: float
    interval: tuple[float, float]

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values; missing numbers are null."""
        return {
            "first": self.first,
            "second": self.second,
            "value": json_number(self.value),
            "interval": [json_number(bound) for bound in self.interval],
        }


@dataclass(frozen=True)
class Correlations(Exportable):
    """Rank correlations of measures, or of two sets of judgments, over runs.

    Attributes:
        coefficient: `kendall`, `tau_ap`, `spearman` or `pearson`.
        between: What is compared: `measures`, or `judgments`.
        runs: The runs' names.
        measures: The measures' names.
        pairs: One per pair of measures, or one per measure for two sets of judgments.
        values: The numbers that the runs are ordered by: {label: {run: value}}.
        queries: Number of queries behind them.
        confidence: Confidence level of the intervals.
        resamples: Number of bootstrap resamples of queries.
        seed: Seed of the resampling.
        notes: Notes about the data.
    """

    coefficient: str
    between: str
    runs: tuple[str, ...]
    measures: tuple[str, ...]
    pairs: tuple[Correlation, ...]
    values: Mapping[str, Mapping[str, float]]
    queries: int
    confidence: float
    resamples: int
    seed: int
    notes: tuple[Note, ...] = ()

    @property
    def title(self) -> str:
        """The coefficient's name in prose."""
        return coefficients.get(self.coefficient).title

    def value(self, first: str, second: str | None = None) -> float:
        """Returns the coefficient of two measures, or of one on both sets of judgments.

        Raises:
            UnknownNameError: If the measure is unknown.
            ParameterError: If the pair was not compared.
        """
        names = {str(one) for one in parse_measures([first, second or first])}
        for one in self.pairs:
            if {one.first, one.second} == names:
                return one.value
        raise ParameterError(
            message("analysis.were-not-compared", names=" and ".join(sorted(names))),
            hint=message("analysis.there-are-measures", measures=list(self.measures)),
        )

    def to_dict(self) -> dict[str, object]:
        """Returns the object that ``--format json`` prints."""
        return {
            "coefficient": self.coefficient,
            "between": self.between,
            "runs": list(self.runs),
            "measures": list(self.measures),
            "pairs": [one.to_dict() for one in self.pairs],
            "values": json_values(self.values),
            "queries": self.queries,
            "confidence": self.confidence,
            "resamples": self.resamples,
            "seed": self.seed,
            "notes": [note_dict(note) for note in self.notes],
        }

    def to_frame(self) -> polars.DataFrame:
        """Returns one row per pair: coefficient, first, second, value, interval_low and _high."""
        import polars

        return polars.DataFrame(
            {
                "coefficient": [self.coefficient for _ in self.pairs],
                "first": [one.first for one in self.pairs],
                "second": [one.second for one in self.pairs],
                "value": [one.value for one in self.pairs],
                "interval_low": [one.interval[0] for one in self.pairs],
                "interval_high": [one.interval[1] for one in self.pairs],
            },
            schema_overrides=dict.fromkeys(NUMBERS, polars.Float64),
        ).fill_nan(None)

    def document(
        self, *, digits: int = DIGITS, matrix: bool | None = None, language: Language = "en"
    ) -> Document:
        """Returns the coefficients.

        Args:
            digits: Decimals of a list of pairs.
            matrix: Whether to show a matrix, which has no intervals; by default if there are many
                measures.
            language: `en` or `zh`.
        """
        words = catalogue("tables", language)
        if matrix is None:
            matrix = self.between == "measures" and len(self.measures) > MOST_LISTED
        blocks: list[Block] = [self._matrix(words) if matrix else self._list(digits, words)]
        if matrix:
            blocks.append(Lines([words["agreement.elsewhere"]]))
        if any(not math.isnan(one.interval[0]) for one in self.pairs):
            level = words.percent(self.confidence)
            draws = {"resamples": self.resamples, "seed": self.seed}
            blocks.append(Prose([words.say("agreement.intervals", level=level, **draws)]))
        title = words.say(
            "agreement.title",
            coefficient=translate(self.title, language),
            between=self.between,
            runs=len(self.runs),
            queries=self.queries,
        )
        return Document(blocks, title)

    def to_markdown(
        self, *, digits: int = DIGITS, matrix: bool | None = False, language: Language = "en"
    ) -> str:
        """Returns a Markdown table, one row per pair unless `matrix` is given."""
        return super().to_markdown(digits=digits, matrix=matrix, language=language)

    def _list(self, digits: int, words: Catalogue) -> Table:
        columns = ["measure", "with"] if self.between == "measures" else ["measure"]
        names = words.names("column", columns)
        rows = [
            [
                *(one.first, one.second)[: len(names)],
                TERMINAL.number(one.value, digits),
                TERMINAL.interval(one.interval, digits),
            ]
            for one in self.pairs
        ]
        interval = words.name("column", "interval")
        return Table([*names, self.coefficient, interval], rows, left=len(names))

    def _matrix(self, words: Catalogue) -> Table:
        values = {(one.first, one.second): one.value for one in self.pairs}
        values |= {(second, first): value for (first, second), value in values.items()}
        rows = [
            [
                f"{place:>2} {row}",
                *(
                    "1" if row == column else TERMINAL.number(values.get((row, column), 1.0), 3)
                    for column in self.measures
                ),
            ]
            for place, row in enumerate(self.measures, 1)
        ]
        first = words.name("column", "measure")
        return Table([first, *map(str, range(1, len(self.measures) + 1))], rows)


def rank_correlation(
    judgments: object,
    runs: Sequence[object],
    measures: MeasureNames = DEFAULT_MEASURES,
    *,
    other: object = None,
    coefficient: CoefficientName = "kendall",
    convention: Convention | str | Mapping[str, object] | None = None,
    average: Average | None = None,
    scale: Scale | str | None = None,
    names: Sequence[str] | None = None,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    threads: int = 0,
    progress: Progress | None = None,
) -> Correlations:
    """Correlates the orders of runs by several measures or, with `other`, by two sets of judgments.

    The interval shows how much the coefficient varies over samples of as many queries, with the
    same runs: coefficient ± t · the standard error over bootstrap samples of queries. It covers the
    coefficient expected for this number of queries, which is lower than for infinitely many: noise
    between queries hides part of any agreement.

    Args:
        judgments: See `relyon.evaluate`.
        runs: Two or more runs; see `relyon.evaluate`.
        measures: One or more names such as `ndcg@10`; two or more without `other`.
        other: A second set of judgments of the same queries.
        coefficient: `kendall` (τ-b), `tau_ap` (symmetric, with more weight at the top),
            `spearman` or `pearson`.
        convention: See `relyon.evaluate`.
        average: See `relyon.evaluate`.
        scale: See `relyon.evaluate`.
        names: The names of the runs; by default their files' names.
        confidence: Confidence level of the intervals.
        resamples: Number of bootstrap resamples of the queries; 0 omits the intervals.
        seed: The same seed gives the same intervals.
        threads: 0 uses all cores.
        progress: Called with the work done, the total, and the next step.

    Returns:
        The coefficient of every pair of measures, or of every measure on both sets of judgments.

    Raises:
        InputError: If the data cannot be used.
        UnknownNameError: If a measure, preset or scale has no such name.
        ParameterError: If a parameter has an invalid value, or there are too few runs or measures.

    Examples:
        >>> import relyon
        >>> judgments = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1}}
        >>> runs = [
        ...     {"q1": {"a": 3.0, "b": 2.0}, "q2": {"a": 1.0}},
        ...     {"q1": {"b": 3.0, "a": 2.0}, "q2": {"c": 2.0, "a": 1.0}},
        ...     {"q1": {"c": 3.0, "a": 2.0}, "q2": {"c": 2.0}},
        ... ]
        >>> relyon.rank_correlation(judgments, runs, ["ndcg@10", "rr"]).value("ndcg@10", "rr")
        1.0
    """
    check_choice("coefficient", coefficient, tuple(coefficients))
    check_fraction("confidence", confidence)
    check_whole("resamples", resamples, least=0)
    check_whole("seed", seed, least=0)
    asked = [str(one) for one in parse_measures(measures)]
    if other is None and len(asked) < 2:
        raise ParameterError(
            message("analysis.two-or-more-measures"),
            hint=message("analysis.name-another-one-or-give"),
        )
    titles = run_titles(runs, names)
    sides = [judgments] if other is None else [judgments, other]
    evaluated: list[list[Results]] = [
        evaluate_runs(
            Evaluator(side, convention=convention, scale=scale, threads=threads),
            runs,
            titles,
            asked,
            average=average,
            progress=progress,
        )
        for side in sides
    ]
    queries = sorted({query for side in evaluated for one in side for query in one.queries})
    labels = ("",) if other is None else (" (first)", " (second)")
    views = [
        View.of(name + label, side, name, queries)
        for label, side in zip(labels, evaluated, strict=True)
        for name in asked
    ]
    count = len(asked)
    if other is None:
        places = [(i, j) for i in range(count) for j in range(i + 1, count)]
    else:
        places = [(i, i + count) for i in range(count)]
    values, intervals = _correlations(
        views, places, coefficient, confidence, resamples, seed, len(queries), progress
    )
    return Correlations(
        coefficient=coefficient,
        between="measures" if other is None else "judgments",
        runs=tuple(titles),
        measures=tuple(asked),
        pairs=tuple(
            Correlation(asked[i % count], asked[j % count], value, interval)
            for (i, j), value, interval in zip(places, values, intervals, strict=True)
        ),
        values={one.label: dict(zip(titles, one.values.tolist(), strict=True)) for one in views},
        queries=len(queries),
        confidence=confidence,
        resamples=resamples,
        seed=seed,
        notes=tuple(_notes(views, len(titles))),
    )


def _correlations(
    views: Sequence[View],
    places: Sequence[tuple[int, int]],
    coefficient: str,
    confidence: float,
    resamples: int,
    seed: int,
    queries: int,
    progress: Progress | None,
) -> tuple[list[float], list[tuple[float, float]]]:
    """Returns the coefficient of each pair of views, and its interval."""
    import numpy as np

    observed = _matrix(coefficient, np.array([one.values for one in views]))
    values = [float(observed[pair]) for pair in places]
    nothing = (math.nan, math.nan)
    if resamples < 2 or queries < FEWEST:
        return values, [nothing] * len(places)
    rng = np.random.Generator(np.random.PCG64(seed))
    rows, columns = ([pair[side] for pair in places] for side in (0, 1))
    drawn = np.empty((resamples, len(places)))
    for place in range(resamples):
        if progress is not None and place % 50 == 0:
            progress(place, resamples, "resampling queries")
        weights = np.bincount(rng.integers(0, queries, queries), minlength=queries).astype(float)
        again = np.array([one.resampled(weights) for one in views])
        drawn[place] = _matrix(coefficient, again)[rows, columns]
    from relyon.analysis.statistics import student_quantile

    quantile = student_quantile(queries - 1, 0.5 + confidence / 2)
    intervals = []
    for value, column in zip(values, drawn.T, strict=True):
        held = column[np.isfinite(column)]
        # If samples give all runs one value, the remaining samples are too few.
        if not math.isfinite(value) or len(held) < 0.95 * resamples:
            intervals.append(nothing)
            continue
        half = quantile * float(held.std(ddof=1)) * math.sqrt(queries / (queries - 1))
        intervals.append((max(value - half, -1.0), min(value + half, 1.0)))
    return values, intervals


def _matrix(coefficient: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the coefficients of all pairs of rows, NaN if a row is not finite."""
    import numpy as np

    held = np.isfinite(values).all(axis=1)
    found = np.full((len(values), len(values)), math.nan)
    if held.any():
        found[np.ix_(held, held)] = coefficients.get(coefficient).matrix(values[held])
    return found


def _notes(views: Sequence[View], runs: int) -> list[Note]:
    import numpy as np

    notes = []
    unbounded = [one.label for one in views if not np.isfinite(one.values).all()]
    if unbounded:
        notes.append(Note("no-order", len(unbounded), "warning", values={"measures": unbounded}))
    if runs < 5:
        notes.append(Note("few-runs", runs, values={"orders": math.factorial(runs)}))
    return notes
