"""Quality against latency: the measure of each run, how long its answers took, and both."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from relyon.analysis.comparison import Comparison
from relyon.analysis.comparison.contrast import gain_sign
from relyon.analysis.statistics import quantile_interval
from relyon.analysis.uncertainty import query_interval
from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number, note_dict
from relyon.core.document.model import Document, Lines, Table
from relyon.core.errors import ParameterError
from relyon.core.notes import Note
from relyon.core.parameters import check_type
from relyon.core.texts import Catalogue, Language, catalogue, message
from relyon.core.texts.numbers import DIGITS, NumberStyle
from relyon.engines.found import Found
from relyon.engines.latency import Latency, quantile
from relyon.engines.tapes.beside import Recorded, read_beside
from relyon.engines.tapes.entry import Entry
from relyon.engines.tapes.tape import Tape
from relyon.measures.display_names import measure_label

if TYPE_CHECKING:
    import polars

__all__ = ["LatencyContrast", "QualityAgainstLatency", "RunPoint", "quality_against_latency"]

#: Two runs were asked at the same time if this share of the shorter one's time is the other's, too.
TOGETHER = 0.5
#: Runs that a sentence names.
NAMED = 5


@dataclass(frozen=True)
class RunPoint:
    """One run: its quality and its latency.

    Attributes:
        run: Its name.
        value: The measure.
        interval: The interval of the measure over queries; NaN if there is none.
        latency: How long its answers took, in milliseconds.
        p95_interval: The interval of the 95th percentile; an end is NaN if there are too few
            answers for it.
        dominated_by: A run that is at least as good and at least as fast, and one of both more;
            empty if there is none.
    """

    run: str
    value: float
    interval: tuple[float, float]
    latency: Latency
    p95_interval: tuple[float, float]
    dominated_by: str = ""

    def to_dict(self) -> dict[str, object]:
        """Returns all numbers by name; times are in milliseconds."""
        return {
            "run": self.run,
            "value": json_number(self.value),
            "interval": [json_number(one) for one in self.interval],
            **self.latency.to_dict(),
            "p95_ms_interval": [json_number(one) for one in self.p95_interval],
            "dominated_by": self.dominated_by or None,
        }


@dataclass(frozen=True)
class LatencyContrast:
    """How much longer a candidate's answers took than the baseline's to the same queries.

    Attributes:
        candidate: The candidate.
        queries: The number of queries that both answered.
        difference: The median over queries of candidate - baseline, in milliseconds.
        interval: Its interval, from the order of the differences; NaN with fewer than six.
        slower: In how many queries the candidate took longer.
        faster: In how many it took less.
        together: The share of the shorter search's time in which both ran.
    """

    candidate: str
    queries: int
    difference: float
    interval: tuple[float, float]
    slower: int
    faster: int
    together: float

    def to_dict(self) -> dict[str, object]:
        """Returns all numbers by name."""
        return {
            "candidate": self.candidate,
            "queries": self.queries,
            "median_difference_ms": json_number(self.difference),
            "interval_ms": [json_number(one) for one in self.interval],
            "slower": self.slower,
            "faster": self.faster,
            "together": json_number(self.together),
        }


@dataclass(frozen=True)
class QualityAgainstLatency(Exportable):
    """The runs of a comparison, each with its quality and latency.

    Attributes:
        baseline: The name of the baseline.
        measure: The measure.
        confidence: The level of the intervals.
        runs: Every run whose answers have times, in the order of the comparison.
        contrasts: Every candidate against the baseline.
        notes: What was noticed.
    """

    baseline: str
    measure: str
    confidence: float
    runs: tuple[RunPoint, ...]
    contrasts: tuple[LatencyContrast, ...]
    notes: tuple[Note, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Returns all numbers, and the notes."""
        return {
            "baseline": self.baseline,
            "measure": self.measure,
            "confidence": self.confidence,
            "runs": [one.to_dict() for one in self.runs],
            "differences": [one.to_dict() for one in self.contrasts],
            "notes": [note_dict(one) for one in self.notes],
        }

    def to_frame(self) -> polars.DataFrame:
        """Returns one row per run."""
        import polars

        rows = [
            {
                "run": one.run,
                "value": one.value,
                "low": one.interval[0],
                "high": one.interval[1],
                **one.latency.to_dict(),
                "p95_ms_low": one.p95_interval[0],
                "p95_ms_high": one.p95_interval[1],
                "dominated_by": one.dominated_by or None,
            }
            for one in self.runs
        ]
        return polars.DataFrame(rows, infer_schema_length=None)

    def document(self, *, digits: int = DIGITS, language: Language = "en") -> Document:
        """Returns the runs, the differences, and how to read them.

        Args:
            digits: Decimals of the measure.
            language: `en` or `zh`.
        """
        words = catalogue("latency", language)
        measure = measure_label(self.measure)
        blocks = [run_table(self, words, measure, digits)]
        if self.contrasts:
            blocks.append(contrast_table(self, words))
        blocks.append(answer_table(self, words))
        return Document([*blocks, Lines(reading(self, words, measure))])


def quality_against_latency(
    comparison: Comparison,
    recorded: Found | Mapping[str, object],
    *,
    measure: str | None = None,
) -> QualityAgainstLatency:
    """Returns the quality and latency of the runs of a comparison.

    Latencies are skewed, and their means belong to a few answers. Runs are compared query by query:
    the median of the differences, with the interval that follows from their order alone (exact for
    independent queries and any tails). It holds for the search as it was: what changed
    between two searches, such as caches and load, is part of the difference, and a note says if
    the runs were not asked together.

    Args:
        comparison: What `relyon.compare` returned.
        recorded: What `relyon.search` returned, with the names of the runs as its variants; or
            by run: a tape, the path of a run with its tape beside it, or None.
        measure: The measure; by default the first that is tested.

    Raises:
        InputError: If a run cannot be read.
        ParameterError: If the comparison has values only, none of its runs is named, or something
            else is given.
        UnknownNameError: If the measure was not compared.

    Examples:
        >>> import relyon
        >>> from relyon.engines import Configuration, Variant, quality_against_latency
        >>> from relyon.engines.kinds.python import Python
        >>> def answer(query, k, best="d2"):
        ...     return [best, "d3"]
        >>> variants = (Variant("old", {"best": "d2"}), Variant("new", {"best": "d1"}))
        >>> engine = Configuration("mine", Python(answer), variants)
        >>> queries = {f"q{n}": f"query {n}" for n in range(20)}
        >>> found = relyon.search(engine, queries, k=2)
        >>> judgments = {query: {"d1": 1} for query in queries}
        >>> comparison = relyon.compare(judgments, *found.runs.values(), measures="rr")
        >>> both = quality_against_latency(comparison, found)
        >>> [(one.run, one.value, one.latency.queries) for one in both.runs]
        [('old', 0.0, 20), ('new', 1.0, 20)]
    """
    check_type("comparison", comparison, Comparison, "what relyon.compare returned")
    results = {one.run: one for one in comparison.results}
    if not results:
        raise ParameterError(
            message("analysis.only-values-were-compared"),
            hint=message("analysis.compare-judgments-and-runs"),
        )
    name = comparison.contrast(comparison.candidates[0], measure or comparison.focus).measure
    if isinstance(recorded, Found):
        known: Mapping[str, object] = {
            run: Recorded.of(recorded.tape, run) for run in recorded.runs
        }
    else:
        known = recorded
    if not any(run in known for run in comparison.runs):
        raise ParameterError(
            message("engines.no-run-is-recorded", names=list(known)),
            hint=message("engines.name-runs", names=list(comparison.runs)),
        )
    notes: list[Note] = []
    kept: dict[str, Recorded] = {}
    for run in comparison.runs:
        one, found = _recorded(known.get(run), comparison, run)
        notes += found
        if one is not None and one.entries:
            kept[run] = one
    confidence = comparison.confidence
    points = [
        RunPoint(
            run,
            results[run].entries[name].value,
            query_interval(results[run], name, confidence).bounds,
            Latency.of(one.entries.values()),
            quantile_interval(_times(one), 0.95, confidence),
        )
        for run, one in kept.items()
    ]
    contrasts = tuple(
        _contrast(run, kept[comparison.baseline], kept[run], confidence)
        for run in comparison.candidates
        if run in kept and comparison.baseline in kept
    )
    apart = [one.candidate for one in contrasts if one.together < TOGETHER]
    if apart:
        values = {"baseline": comparison.baseline}
        notes.append(Note("latency-not-together", len(apart), examples=tuple(apart), values=values))
    return QualityAgainstLatency(
        comparison.baseline,
        name,
        confidence,
        _dominated(points, gain_sign(name)),
        contrasts,
        tuple(notes),
    )


def _recorded(
    given: object, comparison: Comparison, run: str
) -> tuple[Recorded | None, tuple[Note, ...]]:
    if given is None or isinstance(given, Recorded):
        return given, ()
    if isinstance(given, Tape):
        return Recorded.of(given), ()
    if isinstance(given, str | os.PathLike):
        return read_beside(given, comparison.run(run))
    raise ParameterError(
        message("engines.recorded-must-be", name=type(given).__name__),
        hint=message("engines.give-recorded"),
    )


def _times(recorded: Recorded) -> list[float]:
    return [one.ms for one in recorded.entries.values() if not one.failed]


def _contrast(
    candidate: str, baseline: Recorded, other: Recorded, confidence: float
) -> LatencyContrast:
    first, second = baseline.entries, other.entries
    differences = sorted(
        entry.ms - first[query].ms
        for query, entry in second.items()
        if query in first and not entry.failed and not first[query].failed
    )
    middle = quantile(differences, 0.5)
    return LatencyContrast(
        candidate,
        len(differences),
        math.nan if middle is None else middle,
        _closed(quantile_interval(differences, 0.5, confidence)) if differences else _NONE,
        sum(one > 0 for one in differences),
        sum(one < 0 for one in differences),
        _together(first.values(), second.values()),
    )


_NONE = (math.nan, math.nan)


def _closed(bounds: tuple[float, float]) -> tuple[float, float]:
    return _NONE if any(map(math.isnan, bounds)) else bounds


def _together(first: Iterable[Entry], second: Iterable[Entry]) -> float:
    """Returns the share of the shorter search's time in which both ran."""
    (start, end), (begin, stop) = _span(first), _span(second)
    both = min(end, stop) - max(start, begin)
    shorter = min(end - start, stop - begin)
    return min(max(both / shorter, 0.0), 1.0) if shorter > 0 else float(both >= 0)


def _span(entries: Iterable[Entry]) -> tuple[float, float]:
    found = [(one.at - one.ms / 1000, one.at) for one in entries]
    return min(one for one, _ in found), max(one for _, one in found)


def _dominated(points: Sequence[RunPoint], sign: int) -> tuple[RunPoint, ...]:
    """Returns the points with the run that dominates each, the best of them."""
    from dataclasses import replace

    found: dict[str, RunPoint] = {}
    ordered = sorted(points, key=lambda one: -sign * one.value if one.value == one.value else 0.0)
    for better, worse in combinations(ordered, 2):
        for one, other in ((better, worse), (worse, better)):
            if _dominates(one, other, sign):
                found.setdefault(other.run, one)
    return tuple(
        replace(one, dominated_by=found[one.run].run) if one.run in found else one for one in points
    )


def _dominates(one: RunPoint, other: RunPoint, sign: int) -> bool:
    first, second = one.latency.p95, other.latency.p95
    if first is None or second is None or math.isnan(one.value) or math.isnan(other.value):
        return False
    gain = sign * (one.value - other.value)
    return gain >= 0 and first <= second and (gain > 0 or first < second)


def run_table(
    found: QualityAgainstLatency, words: Catalogue, measure: str, digits: int = DIGITS
) -> Table:
    """Returns one row per run."""
    style = words.style
    names = ("run", "interval", "p50", "p95", "dominated_by")
    run, interval, *rest = words.names("column", names)
    rows = [
        [
            one.run,
            style.number(one.value, digits),
            style.interval(one.interval, digits),
            *(milliseconds(ms, style) for ms in (one.latency.p50, one.latency.p95)),
            one.dominated_by or style.nothing,
        ]
        for one in found.runs
    ]
    caption = words.say("runs", measure=measure)
    return Table([run, measure, interval, *rest], rows, caption, long=[0, len(rest) + 2])


def answer_table(found: QualityAgainstLatency, words: Catalogue) -> Table:
    """Returns how many requests of each run were answered, sent again and refused."""
    rows = [
        [one.run, f"{known.queries:,}", milliseconds(known.longest, words.style)]
        + [f"{n:,}" for n in (known.retried, known.failed)]
        for one in found.runs
        for known in (one.latency,)
    ]
    headings = words.names("column", ("run", "answers", "longest", "retried", "failed"))
    return Table(headings, rows, words["answers"], long=[0])


def contrast_table(found: QualityAgainstLatency, words: Catalogue) -> Table:
    """Returns one row per candidate."""
    style = words.style
    level = f"{100 * found.confidence:g}%"
    rows = [
        [
            one.candidate,
            milliseconds(one.difference, style, signed=True),
            style.nothing
            if math.isnan(one.interval[0])
            else " … ".join(milliseconds(end, style, signed=True) for end in one.interval),
            f"{one.slower:,}",
            f"{one.faster:,}",
            f"{one.queries:,}",
        ]
        for one in found.contrasts
    ]
    names = ("run", "difference", "slower", "faster", "queries")
    run, difference, *counts = words.names("column", names)
    headings = [run, difference, words.say("level", level=level), *counts]
    return Table(headings, rows, words.say("contrasts", baseline=found.baseline), long=[0])


def reading(found: QualityAgainstLatency, words: Catalogue, measure: str) -> list[str]:
    """Returns how to read the tables, and which runs are dominated."""
    if len(found.runs) < 2:
        return [words["times"]]
    dominated = [
        words.say("dominated.one", run=one.run, other=one.dominated_by)
        for one in found.runs
        if one.dominated_by
    ]
    if dominated:
        key = "dominated.more" if len(dominated) > NAMED else "dominated.all"
        told = words.say(key, runs=dominated[:NAMED], count=len(dominated), measure=measure)
    else:
        told = words.say("dominated.none", measure=measure)
    return [told, words["times"], *([words["paired"]] if found.contrasts else [])]


def milliseconds(value: float | None, style: NumberStyle, *, signed: bool = False) -> str:
    """Returns milliseconds with about three digits.

    Examples:
        >>> from relyon.core.texts.numbers import TERMINAL
        >>> [milliseconds(one, TERMINAL) for one in (0.1234, 12.34, 1234.5, None)]
        ['0.12', '12.3', '1234', '-']
    """
    if value is None or math.isnan(value):
        return style.nothing
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return style.signed(value, digits) if signed else style.number(value, digits)
