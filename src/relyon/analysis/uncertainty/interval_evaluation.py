"""From judgments and a run to measures with their intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from relyon.analysis.statistics.bounded import BoundedInterval, few_differ, mean_interval
from relyon.analysis.statistics.clusters.ratios import ratio_of_sums
from relyon.analysis.statistics.jackknife import FEWEST, Jackknife, effective_count
from relyon.analysis.statistics.left_out import left_out_ratios
from relyon.analysis.uncertainty.draws import LabelDraws
from relyon.analysis.uncertainty.intervals import MeasureInterval, MeasureIntervals
from relyon.core.parameters import check_fraction, check_whole
from relyon.data.convention import Convention
from relyon.evaluation.assembly import number
from relyon.evaluation.defaults import DEFAULT_MEASURES
from relyon.evaluation.evaluator import Evaluator
from relyon.evaluation.program import Average, MeasureNames, Program
from relyon.evaluation.sources import evaluate_run
from relyon.io.traces import read_lists
from relyon.measures.definition import Measure
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.scale import Scale
    from relyon.evaluation.results import Results

__all__ = ["measure_intervals", "query_interval"]


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
    Student's interval of the mean, cut to the bounds of the measure. Values that are all 0 or 1,
    such as success@10, have the exact interval of a share (Clopper and Pearson 1934); where fewer
    than six values differ from the rest, or all are near the end of the range, a betting interval,
    which needs only the range (Waudby-Smith and Ramdas 2024): a sample without spread does not show
    that other queries have none. Micro averages have the interval of a ratio by the delta method,
    queries as the units, PNR that of its logarithm by the jackknife. Pooled, summed and geometric
    measures have none here; `no_interval` gives the reason.

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
    held = run if evaluator.reference is not None else read_lists(run)
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
        over = _over_queries(results, key, one, form, level)
        found[key] = MeasureInterval(
            value=results.entries[key].value,
            queries=over.bounds,
            method=over.method,
            no_interval=over.missing,
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
    # A number that no draw moves has an uncertainty that draws do not show.
    return (float(low), float(high)) if low < high else (math.nan, math.nan)


def _mean(values: NDArray[np.float64] | None) -> float:
    return math.nan if values is None else float(values.mean())


def query_interval(results: Results, name: str, level: float = 0.95) -> BoundedInterval:
    """Returns the interval over queries of one measure of a run, as `measure_intervals` has it.

    Args:
        results: What `relyon.evaluate` returned.
        name: The measure.
        level: The confidence level.

    Examples:
        >>> import relyon
        >>> judgments = {f"q{n}": {"good": 1} for n in range(40)}
        >>> run = {f"q{n}": {"bad" if n % 4 else "good": 1.0} for n in range(40)}
        >>> found = query_interval(relyon.evaluate(judgments, run, "success@1"), "success@1")
        >>> [round(bound, 2) for bound in found.bounds], found.method
        ([0.13, 0.41], 'exact')
    """
    entry = results.entries[name]
    return _over_queries(results, name, parse_measure(entry.definition), entry.average, level)


def _over_queries(
    results: Results, name: str, measure: Measure, form: str, level: float
) -> BoundedInterval:
    """Returns the interval over queries, by how queries become one number."""
    import numpy as np

    if measure.combine in {"geometric", "pooled", "sum"}:
        return BoundedInterval.none("no-formula")
    if form == "macro" and measure.combine != "ratio":
        # By id: the betting interval depends slightly on the order.
        order = sorted(range(len(results.queries)), key=results.queries.__getitem__)
        values = np.asarray(results.column(name), float)[order]
        instead = measure.counted(results.convention)
        values = np.where(np.isnan(values), instead, values)
        return mean_interval(values[~np.isnan(values)], *measure.bounds, level)
    above, below = (np.asarray(part, float) for part in results.parts(name))
    known = ~(np.isnan(above) | np.isnan(below))
    if type(measure).micro is not Measure.micro:
        return _of_ratio(measure, above[known], below[known], level)
    found = ratio_of_sums(above[known], below[known])
    if not int(known.sum()) > 1 or math.isnan(found.error):
        return BoundedInterval.none("one-value")
    if effective_count(below[known]) < FEWEST:
        return BoundedInterval.none("one-decides")
    if not found.error > 0:
        return BoundedInterval.none("equal-values")
    if few_differ(_own(above[known], below[known])):
        return BoundedInterval.none("few-differ")
    return BoundedInterval(found.interval(level), "ratio").cut(*measure.bounds)


def _own(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns each query's own ratio, infinite for a denominator of 0."""
    import numpy as np

    ratios = np.full(len(above), math.inf)
    np.divide(above, below, out=ratios, where=below != 0)
    return ratios


def _of_ratio(
    measure: Measure, above: NDArray[np.float64], below: NDArray[np.float64], level: float
) -> BoundedInterval:
    """Returns the interval of a ratio of pairs, such as PNR, by the jackknife of its logarithm."""
    import numpy as np

    used = (above != 0) | (below != 0)
    above, below = above[used], below[used]
    if len(above) < 2:
        return BoundedInterval.none("one-value")
    if effective_count(above + below) < FEWEST:
        return BoundedInterval.none("one-decides")
    if few_differ(_own(above, below)):
        return BoundedInterval.none("few-differ")
    whole, without = left_out_ratios(above, below, measure.micro)
    if not (0 < whole < math.inf and np.isfinite(without).all() and without.min() > 0):
        return BoundedInterval.none("infinite")
    low, high = Jackknife.of(math.log(whole), np.log(without), above + below).interval(level)
    if math.isnan(low):
        return BoundedInterval.none("equal-values")
    return BoundedInterval((math.exp(low), math.exp(min(high, 700.0))), "log-ratio")
