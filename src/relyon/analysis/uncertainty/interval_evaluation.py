"""From judgments and a run to measures with their intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from relyon.analysis.statistics.clusters import ratio_of_sums
from relyon.analysis.statistics.intervals import t_interval
from relyon.analysis.uncertainty.draws import LabelDraws
from relyon.analysis.uncertainty.intervals import MeasureInterval, MeasureIntervals
from relyon.core.parameters import check_fraction, check_whole
from relyon.data.convention import Convention
from relyon.evaluation.assembly import number
from relyon.evaluation.defaults import DEFAULT_MEASURES
from relyon.evaluation.evaluator import Evaluator
from relyon.evaluation.program import Average, MeasureNames, Program
from relyon.evaluation.sources import evaluate_run
from relyon.io import read_run
from relyon.measures.definition import Measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.scale import Scale
    from relyon.evaluation.results import Results

__all__ = ["measure_intervals", "within_bounds"]


def measure_intervals(
    judgments: object,
    run: object,
    measures: MeasureNames = DEFAULT_MEASURES,
    *,
    level: float = 0.95,
    draws: int = 200,
    seed: int = 0,
    average: Average | None = None,
    name: str | None = None,
    strict: bool = False,
    threads: int = 0,
    convention: Convention | str | Mapping[str, object] | None = None,
    scale: Scale | str | None = None,
) -> MeasureIntervals:
    """Evaluates a run with intervals for each number.

    **Over queries**: how far the mean varies over samples of as many similar queries.
    Student's interval of the mean; for a ratio of sums (micro averages) the interval of a ratio by
    the delta method, queries as the units; cut to the bounds of the measure. With few queries it is
    wide. Pooled and geometric measures have none here.

    **Of the labels**: how far the labels' own uncertainty moves the number. If judgments have
    effective impressions, as from `relyon.labels.make_labels`, each label is drawn from the Beta
    distribution with its mean and weight, every measure is recomputed, and the interval is one of
    quantiles. NDCG of uncertain labels is lower on average than NDCG of their means, so the
    interval need not contain the value. Neither interval includes errors of the click model.

    Args:
        judgments: See `relyon.evaluate`; or an `Evaluator`.
        run: See `relyon.evaluate`.
        measures: See `relyon.evaluate`.
        level: Confidence level of the intervals.
        draws: Number of draws of the labels.
        seed: Seed of the draws; equal seeds give equal intervals.
        average: See `relyon.evaluate`.
        name: See `relyon.evaluate`.
        strict: See `relyon.evaluate`.
        threads: See `relyon.evaluate`.
        convention: See `relyon.evaluate`.
        scale: See `relyon.evaluate`.

    Raises:
        InputError: If the data cannot be used.
        ParameterError: If a parameter has an invalid value.

    Examples:
        >>> import relyon
        >>> clicked = relyon.Judgments.from_arrays(
        ...     ["q1", "q1", "q2", "q2"],
        ...     ["a", "b", "a", "b"],
        ...     [0.6, 0.2, 0.5, 0.4],
        ...     weights=[90, 90, 8, 8],
        ... )
        >>> run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
        >>> found = measure_intervals(clicked, run, "ndcg@10")
        >>> found["ndcg@10"].value
        1.0
        >>> low, high = found["ndcg@10"].labels
        >>> low < found["ndcg@10"].mean < high <= 1.0
        True
    """
    check_fraction("level", level)
    check_whole("draws", draws, least=2)
    evaluator = (
        judgments
        if isinstance(judgments, Evaluator)
        else Evaluator(judgments, convention=convention, scale=scale, threads=threads)
    )
    held = run if evaluator.reference is not None else read_run(run)
    results = evaluator.evaluate(held, measures, average=average, name=name, strict=strict)
    program = Program.compile(
        measures,
        evaluator.convention,
        evaluator.scale,
        average,
        evaluator.judgments.table.highest,
    )
    labels = LabelDraws(evaluator.judgments)
    drawn = _drawn(evaluator, labels, program, held, draws, seed) if labels.possible else {}
    ends = [(1 - level) / 2, (1 + level) / 2]
    found = {}
    for asked, one, form in zip(program.asked, program.resolved, program.forms, strict=True):
        key = str(asked)
        found[key] = MeasureInterval(
            value=results.entries[key].value,
            queries=_over_queries(results, key, one, form, level),
            labels=_quantiles(drawn.get(key), ends),
            mean=_mean(drawn.get(key)),
            counted=results.entries[key].queries,
        )
    evidence = evaluator.judgments.evidence
    kept = [note for note in results.notes if note.kind != "evidence-unused"]
    return MeasureIntervals(
        results=results,
        measures=found,
        level=level,
        draws=draws if labels.possible else 0,
        notes=(*kept, *labels.notes),
        about={} if evidence is None else evidence.about,
    )


def _drawn(
    evaluator: Evaluator, labels: LabelDraws, program: Program, run: object, draws: int, seed: int
) -> dict[str, NDArray[np.float64]]:
    """Returns every measure of every draw."""
    import numpy as np

    from relyon.data.judgments import Judgments

    values: dict[str, list[float]] = {str(asked): [] for asked in program.asked}
    for table in labels.draw(draws, seed):
        drawn = Judgments(table, scale=evaluator.scale)
        _, columns, _ = evaluate_run(drawn, program, run, evaluator.threads)
        for asked, one, form in zip(program.asked, program.resolved, program.forms, strict=True):
            total = columns[str(asked)].total
            values[str(asked)].append(number(one, form, total, program.convention))
    return {name: np.array(numbers) for name, numbers in values.items()}


def _quantiles(values: NDArray[np.float64] | None, ends: list[float]) -> tuple[float, float]:
    import numpy as np

    if values is None or not np.isfinite(values).all():
        return math.nan, math.nan
    low, high = np.quantile(values, ends)
    return float(low), float(high)


def _mean(values: NDArray[np.float64] | None) -> float:
    return math.nan if values is None else float(values.mean())


def _over_queries(
    results: Results, name: str, measure: Measure, form: str, level: float
) -> tuple[float, float]:
    """Returns the interval over queries, by how queries become one number."""
    import numpy as np

    if measure.combine in {"geometric", "pooled", "sum"}:
        return math.nan, math.nan
    if form == "macro" and measure.combine != "ratio":
        values = np.asarray(results.column(name), float)
        instead = measure.counted(results.convention)
        values = np.where(np.isnan(values), instead, values)
        return within_bounds(measure, t_interval(np.sort(values[~np.isnan(values)]), level))
    if type(measure).micro is not Measure.micro:
        return math.nan, math.nan
    above, below = (np.asarray(part, float) for part in results.parts(name))
    known = ~(np.isnan(above) | np.isnan(below))
    return within_bounds(measure, ratio_of_sums(above[known], below[known]).interval(level))


def within_bounds(measure: Measure, found: tuple[float, float]) -> tuple[float, float]:
    """Cuts an interval to the bounds of the measure, which keeps its coverage."""
    least, most = measure.bounds
    low, high = found
    if math.isnan(low) or low > most or high < least:
        return found
    return max(low, least), min(high, most)
