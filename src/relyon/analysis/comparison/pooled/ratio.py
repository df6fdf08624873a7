"""Two runs on a ratio of sums, such as PNR: its interval, its bounded share, and who decides it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from relyon.analysis.comparison.pooled.facts import Dominance, ShareContrast
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.analysis.comparison.pairing import Pairing
    from relyon.analysis.comparison.settings import Settings
    from relyon.analysis.statistics.jackknife import Jackknife

__all__ = [
    "decided_by_one",
    "dominance",
    "is_pooled_ratio",
    "largest_query",
    "on_scale_of",
    "pooled_ratio_interval",
    "share_contrast",
    "shifted_ratio_p",
    "spread",
]


def is_pooled_ratio(pairing: Pairing) -> bool:
    """Whether a number is a ratio of sums over all queries."""
    return pairing.ratio is not None and pairing.average == "micro"


def _unlimited(pairing: Pairing) -> bool:
    """Whether the ratio has no upper limit, so that its logarithm is used."""
    try:
        return math.isinf(parse_measure(pairing.measure).bounds[1])
    except (LookupError, ValueError):
        return True


def _sizes(pairing: Pairing) -> NDArray[np.float64]:
    """Returns each query's pairs of both runs, or its denominators."""
    above, below, other_above, other_below = pairing.parts
    if _unlimited(pairing):
        return above + below + other_above + other_below
    return below + other_below


def decided_by_one(pairing: Pairing) -> bool:
    """Whether the sizes of the queries leave fewer than two effective ones: (Σ w²)² / Σ w⁴ < 2."""
    from relyon.analysis.statistics.jackknife import FEWEST, effective_count

    return effective_count(_sizes(pairing)) < FEWEST


def largest_query(pairing: Pairing) -> tuple[str, float]:
    """Returns the query with the most pairs, and its share of them."""
    sizes = _sizes(pairing)
    place = int(sizes.argmax())
    return pairing.queries[place], float(sizes[place] / math.fsum(sizes.tolist()))


def _jackknife(pairing: Pairing) -> Jackknife:
    """Returns the difference of two ratios, or of their logarithms if they have no limit."""
    import numpy as np

    from relyon.analysis.statistics.jackknife import Jackknife

    first, second = pairing.without
    values = pairing.baseline_value, pairing.candidate_value
    if _unlimited(pairing):
        with np.errstate(divide="ignore", invalid="ignore"):
            without = np.log(second) - np.log(first)
        logs = [math.log(one) if one > 0 else math.nan for one in values]
        return Jackknife.of(logs[1] - logs[0], without, _sizes(pairing))
    return Jackknife.of(values[1] - values[0], second - first, _sizes(pairing))


def pooled_ratio_interval(
    pairing: Pairing, settings: Settings
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Returns intervals of the difference of two ratios, and of their quotient.

    Of a ratio without a limit, log B - log A gets the interval l … u, by the jackknife over queries
    with degrees of freedom that follow the queries' sizes. The quotient B / A is then within
    e^l … e^u, and the difference within A (e^l - 1) … A (e^u - 1) if the baseline's ratio is A. A
    ratio of at most 1 needs no logarithm: its quotient has none.

    Args:
        pairing: The two runs.
        settings: Kind and level of the interval, and the bootstrap's draws.

    Returns:
        The interval of the difference, and that of the quotient; NaN if there is none, or if the
        queries' sizes leave fewer than two effective ones: a single query does not represent
        others.
    """
    import numpy as np

    nothing = math.nan, math.nan
    if decided_by_one(pairing):
        return nothing, nothing
    found = _jackknife(pairing)
    if settings.interval == "t" or not np.isfinite(found.moved).all():
        ends = found.interval(settings.confidence)
    else:
        ends = settings.interval_of(found.pseudo_values)
    if not ends[0] < ends[1]:
        return nothing, nothing
    if not _unlimited(pairing):
        return ends, nothing
    quotient = _exponential(ends[0]), _exponential(ends[1])
    base = pairing.baseline_value
    return (base * (quotient[0] - 1), base * (quotient[1] - 1)), quotient


def spread(pairing: Pairing) -> tuple[float, float]:
    """Returns a pooled difference and its standard deviation per query.

    Of a ratio without a limit both are of its logarithm; NaN if a single query decides, or keeps
    the ratio finite.
    """
    import numpy as np

    from relyon.analysis import statistics

    found = _jackknife(pairing)
    if decided_by_one(pairing) or not np.isfinite(found.moved).all():
        return math.nan, math.nan
    return found.value, statistics.standard_deviation(found.pseudo_values) or math.nan


def shifted_ratio_p(pairing: Pairing, shift: float) -> tuple[float, float]:
    """Returns t and its two-sided p for the difference of two ratios, less a shift.

    As the interval: of a ratio without a limit, log B - log A is compared with log((A + shift) / A)
    for the baseline's ratio A.

    Args:
        pairing: The two runs.
        shift: The difference under the null hypothesis.

    Returns:
        NaN if the error is unknown, as where one query decides; infinity if no ratio is as low.
    """
    from relyon.analysis import statistics

    found = _jackknife(pairing)
    error = math.nan if decided_by_one(pairing) else found.error
    if not error > 1e-12 * max(abs(found.value), 1e-3):
        return math.nan, math.nan
    null, base = shift, pairing.baseline_value
    if _unlimited(pairing):
        null = math.log1p(shift / base) if base + shift > 0 else -math.inf
    statistic = (found.value - null) / error
    return statistic, max(2 * statistics.student(found.freedom, -abs(statistic)), math.ulp(0.0))


def on_scale_of(pairing: Pairing, difference: float) -> float:
    """Returns a difference of logarithms as one of ratios, at the baseline's ratio."""
    if not _unlimited(pairing) or math.isnan(difference):
        return difference
    return pairing.baseline_value * (_exponential(difference) - 1)


def _exponential(value: float) -> float:
    return math.exp(value) if value < 700 else math.inf


def share_contrast(
    pairing: Pairing, settings: Settings, p_values: Mapping[str, float]
) -> ShareContrast | None:
    """Returns the share of positive pairs beside a ratio of pairs; None for other measures.

    Args:
        pairing: The two runs.
        settings: Level of the interval, and the draws of the test.
        p_values: Of the ratio: if both runs have as many pairs on each query, the test of the ratio
            is that of the share.
    """
    import numpy as np

    from relyon.analysis import statistics
    from relyon.analysis.statistics.jackknife import Jackknife

    if not (is_pooled_ratio(pairing) and all("share" in one for one in pairing.details)):
        return None
    positive, negative, other_positive, other_negative = pairing.parts
    sides = []
    for above, below in ((positive, negative), (other_positive, other_negative)):
        up, down = math.fsum(above.tolist()), math.fsum(below.tolist())
        left = (up - above) + (down - below)
        sides.append((up / (up + down), _divided(up - above, left)))
    (first, first_without), (second, second_without) = sides
    found = Jackknife.of(second - first, second_without - first_without, _sizes(pairing))
    if np.array_equal(positive + negative, other_positive + other_negative):
        p = p_values["permutation"]
    else:
        p = statistics.ratio_p(pairing.parts, _share, settings.draws, _shares)
    alone = decided_by_one(pairing)
    interval = (math.nan, math.nan) if alone else found.interval(settings.confidence)
    return ShareContrast(first, second, second - first, interval, p)


def _divided(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns quotients, NaN over 0."""
    import numpy as np

    found = np.full(len(above), math.nan)
    np.divide(above, below, out=found, where=below > 0)
    return found


def _share(positive: float, negative: float) -> float:
    pairs = positive + negative
    return positive / pairs if pairs else math.nan


def _shares(positive: NDArray[np.float64], negative: NDArray[np.float64]) -> NDArray[np.float64]:
    return _divided(positive, positive + negative)


def dominance(pairing: Pairing, settings: Settings) -> Dominance | None:
    """Returns the query that decides a pooled difference, if one does.

    That is the query that moves it most, if the difference of all queries is outside the interval
    of the difference without it: it moves the number by more than the others allow.

    Args:
        pairing: The two runs.
        settings: Level of the interval.
    """
    import numpy as np

    from relyon.analysis.statistics import ENOUGH_QUERIES

    if not is_pooled_ratio(pairing) or len(pairing.queries) <= ENOUGH_QUERIES:
        return None
    found = _jackknife(pairing)
    known = np.isfinite(found.moved)
    if not math.isfinite(found.value) or not known.any():
        return None
    sizes = np.abs(np.where(known, found.moved, 0.0))
    place = int(sizes.argmax())
    rest = np.delete(found.moved, place)
    others = replace(found, moved=rest, freedom=len(rest) - 1)
    # Without the query, the others weigh more: this is the least that their error can be.
    if not sizes[place] > 1.9 * others.error:
        return None
    less = _left_out(pairing, place)
    difference, _ = pooled_ratio_interval(less, replace(settings, interval="t"))
    if (
        not math.isfinite(difference[0])
        or difference[0] <= _on_scale(pairing, less) <= (difference[1])
    ):
        return None
    pairs = _sizes(pairing)
    share = float(pairs[place] / math.fsum(pairs.tolist()))
    return Dominance(pairing.queries[place], share, less.difference, difference)


def _on_scale(pairing: Pairing, less: Pairing) -> float:
    """Returns the difference of all queries, on the scale of the interval of some of them."""
    if not _unlimited(pairing):
        return pairing.difference
    quotient = pairing.candidate_value / pairing.baseline_value
    return less.baseline_value * (quotient - 1)


def _left_out(pairing: Pairing, place: int) -> Pairing:
    """Returns a ratio without one of its queries."""
    import numpy as np

    from relyon.analysis.statistics.left_out import left_out_ratios

    parts = tuple(np.delete(part, place) for part in pairing.parts)
    first, second = (left_out_ratios(parts[at], parts[at + 1], pairing.ratio) for at in (0, 2))
    return replace(
        pairing,
        queries=(*pairing.queries[:place], *pairing.queries[place + 1 :]),
        parts=parts,
        baseline_value=first[0],
        candidate_value=second[0],
        without=(first[1], second[1]),
    )
