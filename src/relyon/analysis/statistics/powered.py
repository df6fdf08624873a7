"""Prediction-powered intervals: a mean from a few human values and a model's values of all."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from relyon.analysis.statistics.bounded import mean_interval
from relyon.analysis.statistics.distributions import student_quantile
from relyon.analysis.statistics.labelled_design import LabelledDesign
from relyon.core.notes import Note
from relyon.core.parameters import check_choice, check_fraction

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from relyon.analysis.statistics.labelled_design import Floats

__all__ = ["FEWEST_LABELLED", "Alone", "Population", "PredictionPowered", "prediction_powered"]

Population = Literal["superpopulation", "finite"]
#: Why the human values are used alone.
Alone = Literal["", "few-labelled", "few-differ", "no-help", "census"]
#: With fewer labelled queries the model's values are not used.
FEWEST_LABELLED = 10
#: The share of queries on which the model can be wrong although none of n labelled ones shows it,
#: times n.
UNSEEN = 3.0
#: Queries with the value of either end that 0/1 values must have for an approximate interval.
LEAST_OF_BOTH = 10
STEPS = 60


@dataclass(frozen=True)
class PredictionPowered:
    """A mean with its interval, from human values of n queries and a model's of all N.

    Attributes:
        estimate: The mean.
        low: Lower end of the interval; NaN if there is none.
        high: Upper end.
        standard_error: The standard error of the estimate; NaN if unknown.
        weight: λ, from 0 (the model's values are not used) to 1 (its errors alone are estimated).
        labelled: n, queries with human values.
        total: N, queries with the model's values, those n included.
        worth: How many queries with human values an interval as narrow needs without the model;
            n if the model does not help, NaN without an interval.
        classical: The interval from the n human values alone, under the same design.
        classical_estimate: The mean of the human values alone.
        model_mean: The mean of the model's values over all N: its bias is not corrected.
        model_labelled: The same over the labelled queries, by their weights.
        shift_p: The p-value of the test that the model's mean over the labelled queries differs
            from that over all N by no more than a random sample of this design would; NaN if all
            are labelled or the model's values do not differ.
        alone: Why the human values are used alone: fewer than ten (`few-labelled`), fewer than six
            differ from the rest (`few-differ`), the interval would not be narrower (`no-help`), or
            all are labelled (`census`); empty if the model's values are used.
        confidence: The level of the intervals.
        notes: What was noticed.
    """

    estimate: float
    low: float
    high: float
    standard_error: float
    weight: float
    labelled: int
    total: int
    worth: float
    classical: tuple[float, float]
    classical_estimate: float
    model_mean: float
    model_labelled: float = math.nan
    shift_p: float = math.nan
    alone: Alone = ""
    confidence: float = 0.95
    notes: tuple[Note, ...] = ()


def prediction_powered(
    human: ArrayLike,
    model: ArrayLike,
    model_all: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    strata: tuple[Iterable[Hashable], Iterable[Hashable]] | None = None,
    clusters: tuple[Iterable[Hashable], Iterable[Hashable]] | None = None,
    shares: Mapping[Hashable, float] | None = None,
    confidence: float = 0.95,
    bounds: tuple[float, float] = (-math.inf, math.inf),
    population: Population = "superpopulation",
) -> PredictionPowered:
    """Estimates a mean from human values of n queries and a model's values of all N.

    With y the human and f the model's values, W the share of each stratum among the N, and means
    over the labelled queries (L) and all queries (N) of each stratum,

        estimate = Σ W (ȳ_L + λ (f̄_N − f̄_L)),

    λ = Σ k x y / Σ k x², the slope of y on x = f − f̄_L, cut to 0 … 1: the λ with the least
    variance (k is the square of a query's weight). A model that is wrong everywhere by the same
    amount, or by chance, moves nothing: its error is estimated from the n queries and subtracted.

    The n queries must be a random sample of the N, or one whose weights are given. Unlike the
    unlabelled queries of `ppi_py`, the N contain the n.

    Standard error: with the residuals e = y − λ f, centred in their strata, the leverage h of a
    query, and g = w + (f̄_N − f̄_L) k x / Σ k x², the derivative of the estimate by its y,

        error² = max(Σ (1 − w) (1 − n/N) (g e / (1 − h))², 3/n v) + Var(y) / N,

    the jackknife's (HC3): λ is estimated from the same queries, and the usual error does not know
    it. v is the same sum if the model were wrong: without the model, plus λ² times the mean square
    of x over the 3/n of all queries with the largest. It stands for errors of the model that n
    queries can fail to show, since none seen of n leaves 3 of n possible. Var(y)/N is the error of
    the N queries as a sample of all similar ones, absent if the population is finite. The interval
    is Student's, with n − 2 degrees of freedom (n − 1 if λ is 0 or 1); of clusters, unequal weights
    and strata, Satterthwaite's less one: of strata the fewer of those by what their values show and
    those of equally varying strata. A stratum of n values of which m < 6, less than half, differ
    from the most frequent one hides its variance: it counts at least as that of a share of
    (m + 1) / (n + 2) at the farther end of the range. If the addends c of error² are skewed, its
    end towards the longer tail lies Σ c³ / error² (1 + 2 t²) / 6 further out (Edgeworth).

    The human values are used alone, with the interval of `relyon evaluate --intervals`, if n < 10
    (of clusters or unequal weights, the number of equal ones that say as much, 1 / Σ w²), if fewer
    than six human values differ from the rest or they are near an end of their range (of values
    that are all 0 or 1: if fewer than ten are either), or if the interval would not be narrower.
    Thus it is never wider than that interval.

    Args:
        human: y, the values by people's grades of the n labelled queries.
        model: f of the same queries, in the same order: by the model's grades alone.
        model_all: f of all N queries, the n included.
        weights: One per labelled query, above 0, such as 1 / (its inclusion probability); by
            default all are equal within their stratum.
        strata: The strata of the n and of the N queries; each of the latter needs labelled ones.
        clusters: The clusters of the n and of the N queries, such as a query's group of
            paraphrases: values within a cluster may depend on each other.
        shares: The share of each stratum in the population, if the N are themselves a sample that
            was not drawn in proportion; by default that among the N.
        confidence: The level of the intervals.
        bounds: The range of the values; of a difference of two measures, its own.
        population: `superpopulation`, an interval of the mean over all similar queries, or
            `finite`, of the mean over these N, which has no error if all are labelled.

    Raises:
        ParameterError: If lengths differ, a value is not finite, a weight is not above 0, a
            stratum has no labelled query or no share, or `model_all` lacks a value of `model`.

    Examples:
        >>> import numpy as np
        >>> rng = np.random.default_rng(1)
        >>> truth = rng.beta(2, 2, 400)
        >>> model = np.clip(truth + rng.normal(0.1, 0.1, 400), 0, 1)
        >>> found = prediction_powered(truth[:40], model[:40], model, bounds=(0, 1))
        >>> round(found.estimate, 2), round(found.low, 2), round(found.high, 2)
        (0.52, 0.48, 0.56)
        >>> round(found.weight, 1), round(found.worth)
        (0.8, 107)

    References:
        Angelopoulos, Duchi and Zrnic (2023), PPI++, arXiv:2311.01453; Särndal, Swensson and
        Wretman (1992), Model Assisted Survey Sampling, 6.4–6.6, for g; MacKinnon and White (1985),
        Journal of Econometrics 29, for HC3; Hall (1992), Journal of the Royal Statistical Society B
        54(1), for skewness; Hanley and Lippman-Hand (1983), JAMA 249, for 3 of n.
    """
    check_fraction("confidence", confidence)
    check_choice("population", population, get_args(Population))
    finite = population == "finite"
    design = LabelledDesign.of(human, model, model_all, weights, strata, clusters, finite, shares)
    alone = _alone(design, confidence, bounds)
    found = _powered(design, confidence, bounds, alone)
    return found if found is not None else alone


def _alone(
    design: LabelledDesign, confidence: float, bounds: tuple[float, float]
) -> PredictionPowered:
    """Returns what the human values show without the model's."""
    import numpy as np

    nothing = np.zeros(design.count)
    estimate = float((design.weights * design.y).sum())
    variance = design.sampling(0.0, nothing) + design.beyond() + design.hidden(bounds)
    error = math.sqrt(variance)
    alone: Alone = "no-help"
    known = mean_interval(design.values_of_spread(), *bounds, confidence)
    usable = known.method == "t" or (known.method == "exact" and _both_often(design.y))
    if design.census and design.finite:
        interval, error, alone = (estimate, estimate), 0.0, "census"
    elif known.method != "t" and design.simple:
        interval, alone = known.bounds, "no-help" if usable else "few-differ"
    elif not usable or design.lone():
        interval, alone = (math.nan, math.nan), "few-differ"
    else:
        half = student_quantile(design.degrees(False), 0.5 + confidence / 2) * error
        interval = _cut(estimate - half, estimate + half, bounds)
        alone = "census" if design.census else "no-help"
    if design.effective < FEWEST_LABELLED - 1e-6 and not design.census:
        alone = "few-labelled"
    return PredictionPowered(
        estimate,
        *interval,
        error if not math.isnan(interval[0]) else math.nan,
        0.0,
        design.count,
        len(design.every),
        math.nan if math.isnan(interval[0]) else float(design.count),
        interval,
        estimate,
        design.model_mean,
        float((design.weights * design.f).sum()),
        design.shift_p(),
        alone,
        confidence,
        _notes(alone, design),
    )


def _powered(
    design: LabelledDesign, confidence: float, bounds: tuple[float, float], alone: PredictionPowered
) -> PredictionPowered | None:
    """Returns what both show together; None if the human values are used alone."""
    import numpy as np

    nothing = np.zeros(design.count)
    if alone.alone != "no-help":
        return None
    free, pull = design.slope()
    slope = min(max(free, 0.0), 1.0)
    if slope == 0:
        return None
    fitted = slope == free
    moved = design.contributions(slope, pull if fitted else nothing)
    variance = max(float((moved**2).sum()), design.unseen(slope, UNSEEN))
    variance += design.beyond() + design.hidden(bounds)
    quantile = student_quantile(design.degrees(fitted), 0.5 + confidence / 2)
    error = math.sqrt(variance)
    # Skewed contributions: the end towards the long tail moves out, the other one stays.
    lean = float((moved**3).sum()) / variance * (1 + 2 * quantile**2) / 6
    below, above = quantile * error - min(lean, 0.0), quantile * error + max(lean, 0.0)
    estimate = alone.estimate + slope * design.distance()
    interval = _cut(estimate - below, estimate + above, bounds)
    if interval[1] - interval[0] >= alone.high - alone.low:
        return None
    return PredictionPowered(
        estimate,
        *interval,
        error,
        slope,
        design.count,
        len(design.every),
        _worth(design, (below + above) / 2, alone.standard_error, confidence),
        alone.classical,
        alone.estimate,
        alone.model_mean,
        alone.model_labelled,
        alone.shift_p,
        "",
        confidence,
    )


def _worth(design: LabelledDesign, half: float, error: float, confidence: float) -> float:
    """Returns the labelled queries with which the human values alone have that half-width."""
    count, total = design.count, len(design.every)
    lost = design.degrees(False) - (count - 1)

    def wide(queries: float) -> float:
        ratio = count / queries
        if design.finite and total > count:
            ratio = (1 / queries - 1 / total) / (1 / count - 1 / total)
        degrees = max(queries - 1 + lost, 1.0)
        return student_quantile(degrees, 0.5 + confidence / 2) * error * math.sqrt(max(ratio, 0))

    low, high = float(count), float(total)
    if wide(high) >= half:
        return high
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if wide(middle) > half else (low, middle)
    return low


def _both_often(values: Floats) -> bool:
    """Whether values of two kinds have enough of both."""
    share = int((values == values.max()).sum())
    return min(share, len(values) - share) >= LEAST_OF_BOTH


def _notes(alone: Alone, design: LabelledDesign) -> tuple[Note, ...]:
    if not alone:
        return ()
    counted = math.floor(design.effective + 1e-6) if alone == "few-labelled" else design.count
    values = {"labelled": counted, "total": len(design.every), "least": FEWEST_LABELLED}
    key = "" if alone == "no-help" else f"human-grades-alone.{alone}"
    return (Note("human-grades-alone", key=key, values=values),)


def _cut(low: float, high: float, bounds: tuple[float, float]) -> tuple[float, float]:
    """Returns an interval within the range of the values."""
    return max(low, bounds[0]), min(high, bounds[1])
