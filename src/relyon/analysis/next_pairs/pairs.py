"""The entries: which pairs to grade next, and the estimate from those that were graded."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from relyon.analysis.next_pairs.draw import draw, fall_after, fitted_curve
from relyon.analysis.next_pairs.drawn import DrawnPair, fingerprint, read_drawn
from relyon.analysis.next_pairs.estimate import (
    History,
    Interval,
    few_queries_notes,
    history_notes,
    interval_of,
    replay,
)
from relyon.analysis.next_pairs.frame import Frame, build_frame
from relyon.analysis.next_pairs.results import NextPairs, PairsEstimate
from relyon.core.errors import ParameterError
from relyon.core.notes import Note, warn
from relyon.core.parameters import check_fraction, check_whole
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.convention import Convention
    from relyon.data.run import Run
    from relyon.data.scale import Scale
    from relyon.measures.definition import Measure

__all__ = ["BUDGET", "MEASURE", "estimate_pairs", "next_pairs"]

#: The measure and the number of pairs unless a caller says otherwise.
MEASURE = "dcg@10"
BUDGET = 50


def next_pairs(
    judgments: object,
    baseline: object,
    candidate: object = None,
    measure: str | Measure | None = None,
    *,
    budget: int = BUDGET,
    drawn: object = None,
    model_judgments: object = None,
    seed: int | None = None,
    confidence: float = 0.95,
    convention: Convention | str | Mapping[str, object] | None = None,
    scale: Scale | str | None = None,
    threads: int = 0,
) -> NextPairs:
    """Draws the pairs of query and document to grade next, with known probabilities.

    The difference of two runs in a measure that is a sum is Σ w g over the documents of both top k,
    with g the gain of a document and w the difference of its two discounts. Pairs are drawn one
    after another, each with a probability in proportion to |w| σ among those that are left; σ is
    how far g is expected to be from its own expected value, given what is graded. So pairs that can
    move the difference are drawn often, none that counts is left out, and the estimate
    (`estimate_pairs`) is unbiased, however wrong the expectations are: these only make its interval
    wider.

    All queries that a run answers count, judged or not; judged queries that a run lacks count 0
    under ``missing="zero"``. Pairs at the same rank in both runs cannot move the difference and are
    never drawn.

    Args:
        judgments: What is graded, as for `relyon.evaluate`; may be empty.
        baseline: A run, as for `relyon.evaluate`.
        candidate: The run whose difference from the baseline is estimated; None estimates the
            baseline's mean.
        measure: A sum over documents: `dcg@k` (the default is `dcg@10`), `cg@k`, `p@k` or `rbp`.
        budget: How many pairs to draw.
        drawn: Batches drawn before (`NextPairs`, frames or files), with their grades in the column
            `grade` or in the judgments; `skip` there says that a pair cannot be judged. Pairs after
            the first one without either do not count, and can be drawn again. The measure is that
            of these batches.
        model_judgments: A model's grades, as for `judgments`, which say what to expect. They are
            made before the first draw, the same for all batches and for the estimate.
        seed: The seed of the draws; by default 0, or that of `drawn`.
        confidence: The level of the interval.
        convention: As for `relyon.evaluate`.
        scale: As for `relyon.evaluate`.
        threads: As for `relyon.evaluate`.

    Returns:
        The pairs in the order in which people should grade them, to be written with `to_csv`.

    Raises:
        InputError: If data cannot be used, or differ from those of the draws before.
        ParameterError: If the measure is not a sum, or another parameter is invalid.

    Examples:
        >>> import relyon
        >>> old = {"q1": {"a": 3, "b": 2}, "q2": {"c": 2, "d": 1}}
        >>> new = {"q1": {"b": 3, "e": 2}, "q2": {"c": 2, "d": 1}}
        >>> found = relyon.next_pairs({}, old, new, "dcg@2")
        >>> sorted((one.query, one.document) for one in found.drawn)
        [('q1', 'a'), ('q1', 'b'), ('q1', 'e')]

    References:
        Schnabel et al. (2016), ICTIR, arXiv 1604.07209; Li and Kanoulas (2017), CIKM, arXiv
        1709.01709; Sawade et al. (2010), ICML; Farquhar, Gal and Rainforth (2021), ICLR.
    """
    check_whole("budget", budget)
    check_fraction("confidence", confidence)
    if seed is not None:
        check_whole("seed", seed, least=0)
    earlier = [] if drawn is None else read_drawn(drawn)
    frame, model, chosen = _frame(
        judgments,
        (baseline, candidate),
        _measure(measure, earlier),
        earlier,
        model_judgments,
        convention,
        scale,
        threads,
    )
    history = replay(frame, earlier, chosen, model)
    mark = earlier[0].pairs if earlier else fingerprint(frame, history.first, model)
    return _drawn(frame, history, earlier, (mark, budget, seed), confidence)


def _drawn(
    frame: Frame,
    history: History,
    earlier: list[DrawnPair],
    wish: tuple[str, int, int | None],
    confidence: float,
) -> NextPairs:
    """Draws the next batch; a wish is the fingerprint of the pairs, the budget and the seed."""
    import numpy as np

    mark, budget, seed = wish
    left = np.zeros(len(frame.documents), dtype=bool)
    left[list(history.first)] = True
    for batch in history.batches:
        left[batch.places] = False
    sizes = np.where(left, np.abs(frame.weight) * history.prior.deviation, 0.0)
    curve = history.curve if earlier else fitted_curve(sizes[left], 4 * budget)
    own = seed if seed is not None else history.seed or 0
    number = max((one.batch for one in earlier), default=0) + 1
    found = draw(sizes, budget, (own, number))
    queries = len(frame.queries)
    pairs = tuple(
        DrawnPair(
            frame.queries[frame.query[place]],
            frame.documents[place],
            number,
            history.drawn + order,
            probability,
            float(frame.weight[place]) / queries,
            history.left - order + 1,
            curve,
            own,
            frame.linear.name,
            mark,
        )
        for order, (place, probability) in enumerate(
            zip(found.places.tolist(), found.probabilities.tolist(), strict=True), 1
        )
    )
    estimate = _estimated(frame, history, confidence, budget)
    notes = [*history_notes(history)]
    if pairs and history.waiting:
        notes.append(Note("drawn-returned", history.waiting))
    if not pairs:
        notes.append(Note("nothing-to-draw", 0, values={"graded": history.drawn}))
    elif len(pairs) < budget:
        notes.append(Note("fewer-pairs-left", len(pairs), values={"budget": budget}))
    warn(notes)
    covered = float(sizes[found.places].sum() / sizes.sum()) if pairs else math.nan
    return NextPairs(pairs, history.left, covered, estimate, tuple(notes))


def estimate_pairs(
    judgments: object,
    baseline: object,
    candidate: object = None,
    measure: str | Measure | None = None,
    *,
    drawn: object,
    model_judgments: object = None,
    next_budget: int = BUDGET,
    confidence: float = 0.95,
    convention: Convention | str | Mapping[str, object] | None = None,
    scale: Scale | str | None = None,
    threads: int = 0,
) -> PairsEstimate:
    """Estimates the difference of two runs, or the mean of one, from pairs that were drawn.

    Each draw gives an unbiased estimate of the sum over all pairs: what is known, what is expected
    of the rest, and for the pair drawn (gain - expected) / probability. They are averaged with
    weights that no grade changes. Once all pairs are graded, the estimate is the value itself.

    The interval counts the queries as a sample of all queries and the pairs as a sample of theirs.
    It has the given level for one look: to stop as soon as it excludes 0 is not covered.

    Args:
        judgments: What was graded before the first draw; may contain grades of drawn pairs, but not
            of others that were unjudged then.
        baseline: As for `next_pairs`, the same as for the draw.
        candidate: As for `next_pairs`.
        measure: That of the draw, which is the default.
        drawn: The batches with grades (`next_pairs`). The pairs before the first one without a
            grade count, which is right if people stop for another reason than the grades. A pair
            whose grade is `skip` cannot be judged: it counts as expected, and the interval spans
            all grades that it could have.
        model_judgments: As for the draw.
        next_budget: Pairs of the next batch, for the width that is expected after it.
        confidence: The level of the interval.
        convention: As for the draw.
        scale: As for the draw.
        threads: As for `relyon.evaluate`.

    Returns:
        The estimate with its interval, what it rests on, and the width that is expected next.

    Raises:
        InputError: If data cannot be used, or differ from those of the draws.
        ParameterError: If a parameter is invalid.

    Examples:
        >>> import relyon
        >>> old, new = {"q1": {"a": 3, "b": 2}}, {"q1": {"b": 3, "e": 2}}
        >>> batch = relyon.next_pairs({}, old, new, "dcg@2")
        >>> grades = {"q1": {"a": 0, "b": 1, "e": 2}}
        >>> found = relyon.estimate_pairs(grades, old, new, drawn=batch)
        >>> round(found.value, 4), found.complete
        (1.6309, True)

    References:
        Des Raj (1956), JASA 51(274); Farquhar, Gal and Rainforth (2021), ICLR.
    """
    check_fraction("confidence", confidence)
    check_whole("next_budget", next_budget)
    batches = read_drawn(drawn)
    if not batches:
        raise ParameterError(message("analysis.no-drawn-pairs"))
    frame, model, chosen = _frame(
        judgments,
        (baseline, candidate),
        _measure(measure, batches),
        batches,
        model_judgments,
        convention,
        scale,
        threads,
    )
    history = replay(frame, batches, chosen, model)
    found = _estimated(frame, history, confidence, next_budget)
    warn(found.notes)
    return found


def _measure(measure: str | Measure | None, earlier: list[DrawnPair]) -> str | Measure:
    """Returns the measure that is asked for, or that of the batches before.

    Raises:
        ParameterError: If both are given, and differ.
    """
    if not earlier:
        return MEASURE if measure is None else measure
    if measure is not None and str(measure) != earlier[0].measure:
        raise ParameterError(
            message("analysis.drawn-for-other", asked=str(measure), drawn=earlier[0].measure)
        )
    return earlier[0].measure


def _frame(
    judgments: object,
    runs: tuple[object, object],
    measure: str | Measure,
    drawn: list[DrawnPair],
    model: object,
    convention: Convention | str | Mapping[str, object] | None,
    scale: Scale | str | None,
    threads: int,
) -> tuple[Frame, NDArray[np.float64] | None, Scale | None]:
    """Returns all pairs, their gains by a model's grades, and the scale of grades."""
    import numpy as np

    from relyon.data.convention import load_convention
    from relyon.data.scale import load_scale
    from relyon.io import read_judgments, read_run
    from relyon.measures.parser import measures as parse_measures

    chosen = None if scale is None else load_scale(scale)
    found = read_judgments(judgments, scale=chosen)
    read: list[Run | None] = [None if run is None else read_run(run) for run in runs]
    baseline = read[0]
    if baseline is None:
        raise ParameterError(message("analysis.name-run-to-estimate"))
    parsed = parse_measures(measure)
    if len(parsed) != 1:
        raise ParameterError(message("analysis.one-measure-is-drawn-for", count=len(parsed)))
    rules = load_convention(convention)
    chosen = chosen or found.scale
    before = {(one.query, one.document) for one in drawn}
    frame = build_frame(found, baseline, read[1], parsed[0], rules, chosen, threads, drawn=before)
    if model is None:
        return frame, None, chosen
    theirs = read_judgments(model, scale=chosen).to_dict()
    grades = np.full(len(frame.documents), np.nan)
    for place, (query, document) in enumerate(
        zip(frame.query.tolist(), frame.documents, strict=True)
    ):
        grade = theirs.get(frame.queries[query], {}).get(document)
        if grade is not None:
            grades[place] = grade
    return frame, frame.gains_of(grades), chosen


def _estimated(frame: Frame, history: History, confidence: float, budget: int) -> PairsEstimate:
    """Returns the estimate, its interval, and the width that is expected after the next batch.

    What skipped pairs add to the interval stays in the expected width.
    """
    sums = history.sums()
    interval = interval_of(sums, confidence)
    bounds = interval.low, interval.high
    if history.skipped:
        low, high = (_extreme(frame, history, sign, confidence) for sign in (-1, 1))
        bounds = low.low, high.high
    return PairsEstimate(
        frame.linear.name,
        interval.value,
        *bounds,
        confidence,
        _root(interval.variance),
        _root(interval.of_draws),
        len(frame.queries),
        history.drawn,
        history.left,
        len(history.batches),
        len(history.skipped),
        _half_after(history, interval, budget) + (bounds[1] - bounds[0]) / 2 - interval.half,
        budget,
        dict(zip(frame.queries, sums.values.tolist(), strict=True)),
        (*history_notes(history), *few_queries_notes(history, interval)),
    )


def _extreme(frame: Frame, history: History, sign: int, confidence: float) -> Interval:
    """Returns the interval if skipped pairs had the grades that move the value most."""
    import numpy as np

    gains = np.concatenate([frame.linear.gains(), history.gains[~np.isnan(history.gains)]])
    best = np.where(frame.weight * sign > 0, gains.max(), gains.min())
    return interval_of(history.with_skipped(best), confidence)


def _root(variance: float) -> float:
    return math.sqrt(variance) if variance >= 0 else math.nan


def _half_after(history: History, interval: Interval, budget: int) -> float:
    """Returns half the width that is expected after the next batch; NaN without an interval.

    The variance of the draws is taken to fall as the weights of the draws assume; that of the
    queries stays.
    """
    if math.isnan(interval.variance) or not history.left:
        return math.nan
    rest = max(interval.variance - interval.of_draws, 0.0)
    total, drawn = len(history.first), history.drawn
    after = min(drawn + budget, total)
    draws = 0.0
    if after < total and interval.of_draws > 0:
        draws = interval.of_draws * fall_after(drawn, after, total, history.curve)
    return interval.quantile * math.sqrt(rest + draws)
