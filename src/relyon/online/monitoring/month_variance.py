"""The variance of monthly means: how far chance moves the mean to the next month.

The interval of a month is about the sessions of that month: a tier that was sampled whole is known
without error. A change is about the process that generated the months: nothing is sampled whole
of a process, and sessions of one query are not independent of each other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.online.sampling import Sample

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

__all__ = [
    "Cells",
    "MonthMean",
    "Moves",
    "Spread",
    "cell_means",
    "month_means",
    "moves",
    "nothing",
    "renamed",
    "spread",
]

#: A variance below this share of the values' squares is rounding noise.
NOISE = 1e-12


@dataclass(frozen=True, eq=False)
class MonthMean:
    """A weighted mean over sampled sessions, by query.

    The mean is R = Σ λ_c z_c over the cells c, the queries of a stratum: λ_c is the cell's weight
    and z_c the mean of its sessions.

    Attributes:
        value: R; NaN where no session has a value.
        queries: Ids of the cells' queries; a query is in one stratum only.
        strata: Numbers of the cells' strata.
        weights: λ, which add up to 1.
        means: z.
        counts: Sampled sessions of each cell that have a value.
        within: Sum over all cells of squared differences between sessions and their query's mean.
        known: How precisely a stratum's share of the weight is known, by stratum: 0 where the
            sample is small and the share is known from the log, 1 where all its error is that of
            the sessions that were sampled.
    """

    value: float
    queries: tuple[str, ...]
    strata: Whole
    weights: Floats
    means: Floats
    counts: Whole
    within: float
    known: Floats


@dataclass(frozen=True)
class Spread:
    """The error of a difference of two months' means.

    Attributes:
        error: The standard error; 0 where no query differs from the others, NaN where one month
            has a single query.
        degrees_of_freedom: By Satterthwaite; NaN where there is no error.
        queries: Different queries that both months rest on together.
        arrangements: Ways in which the queries' means, those of both months together, could have
            been dealt out to the two months.
    """

    error: float
    degrees_of_freedom: float
    queries: int
    arrangements: float


def month_means(
    sample: Sample, values: Mapping[str, float]
) -> tuple[MonthMean, dict[str, MonthMean]]:
    """Returns the mean over the sessions that have a value, by query, and that of every tier.

    Args:
        sample: The sampled sessions.
        values: The value of each session that has one, by its id.

    Returns:
        The mean over all tiers, and the means of the tiers that have a value.
    """
    import numpy as np

    if not values:
        return nothing(), {}
    names = [tier.name for tier in sample.tiers]
    columns = sample.sessions.select("tier", "query", "session").iter_rows()
    rows = [(names.index(tier), query, values.get(session)) for tier, query, session in columns]
    drawn = np.bincount([tier for tier, _, _ in rows], minlength=len(names))
    # In an order of their own: sums must not depend on that of the sample's rows.
    held = sorted((tier, query, value) for tier, query, value in rows if value is not None)
    strata, queries, numbers = _cells(held)
    counts = np.bincount(numbers, minlength=len(queries))
    found = np.array([value for _, _, value in held], dtype=np.float64)
    means = np.bincount(numbers, found, minlength=len(queries)) / np.maximum(counts, 1)
    apart = (found - means[numbers]) ** 2
    squares = np.bincount(numbers, apart, minlength=len(queries)).astype(np.float64)
    sizes = None
    if sample.design != "pptss":
        sizes = np.array([tier.sessions for tier in sample.tiers], dtype=np.float64)
    return cell_means(names, sizes, drawn, Cells(strata, queries, counts, means, squares))


@dataclass(frozen=True, eq=False)
class Cells:
    """The sample of every query of a stratum.

    Attributes:
        strata: Numbers of the cells' strata.
        queries: Their queries.
        counts: Sampled sessions that have a value.
        means: The mean of their values.
        squares: The sum of squared differences from it.
    """

    strata: Whole
    queries: tuple[str, ...]
    counts: Whole
    means: Floats
    squares: Floats


def cell_means(
    names: Sequence[str], sizes: Floats | None, drawn: Whole, cells: Cells
) -> tuple[MonthMean, dict[str, MonthMean]]:
    """Returns the mean over all tiers, and the means of the tiers that have a value.

    Args:
        names: The tiers.
        sizes: Sessions of each tier; None if traffic decided how many were sampled.
        drawn: Sampled sessions of each tier, with a value or without.
        cells: What was sampled.
    """
    import numpy as np

    strata, queries, counts = cells.strata, cells.queries, cells.counts
    means, squares = cells.means, cells.squares
    by_tier = {}
    for number, name in enumerate(names):
        rows_of = strata == number
        if rows_of.any():
            by_tier[name] = _mean(
                tuple(query for query, held in zip(queries, rows_of, strict=True) if held),
                np.zeros(int(rows_of.sum()), dtype=np.int64),
                counts[rows_of].astype(np.float64),
                means[rows_of],
                counts[rows_of],
                float(squares[rows_of].sum()),
                np.ones(1),
            )
    if sizes is None:
        weights, strata, known = counts.astype(np.float64), np.zeros_like(strata), np.ones(1)
    else:
        each = sizes / np.maximum(drawn, 1)
        weights = counts * each[strata]
        present = np.bincount(strata, counts, minlength=len(names)) / np.maximum(drawn, 1)
        known = 1 - present * (1 - drawn / np.maximum(sizes, 1))
    whole = _mean(queries, strata, weights, means, counts, float(squares.sum()), known)
    return whole, by_tier


def nothing() -> MonthMean:
    """Returns the mean over no sessions."""
    import numpy as np

    none, whole = np.empty(0), np.empty(0, dtype=np.int64)
    return MonthMean(math.nan, (), whole, none, none, whole, 0.0, none)


def renamed(one: MonthMean) -> MonthMean:
    """Returns the same month of a process that shares no query with it."""
    return replace(one, queries=tuple(f"{query}\0" for query in one.queries))


def _cells(held: list[tuple[int, str, float]]) -> tuple[Whole, tuple[str, ...], Whole]:
    """Numbers the pairs of stratum and query: their strata, queries, and the number of each row."""
    import numpy as np

    places: dict[tuple[int, str], int] = {}
    numbers = [places.setdefault((tier, query), len(places)) for tier, query, _ in held]
    return (
        np.array([tier for tier, _ in places], dtype=np.int64),
        tuple(query for _, query in places),
        np.array(numbers, dtype=np.int64),
    )


def _mean(
    queries: tuple[str, ...],
    strata: Whole,
    weights: Floats,
    means: Floats,
    counts: Whole,
    within: float,
    known: Floats,
) -> MonthMean:
    total = math.fsum(weights)
    shares = weights / total if total else weights
    value = math.fsum(weights * means) / total if total else math.nan
    return MonthMean(value, queries, strata, shares, means, counts, within, known)


def spread(before: MonthMean, after: MonthMean) -> Spread:
    """Returns the standard error of the difference of two months of one process.

    Queries are the independent sources: a query's sessions vary together, in one month and in both.
    Leaving a query out of both months changes the difference by d_q; with the strata's factor
    (G - 1) / G this is the jackknife over queries, without a correction for finite populations:

        d_q = u_q(after) - u_q(before),  variance = Σ d_q²,
        u_q = λ_q / (1 - ν_q) · √((G_h - 1) / G_h) · (z_q - R_h)
              + c_h λ_q / (1 - λ_q) · (R_h - R),

    where ν_q is the query's share of its tier h, G_h the tier's number of sampled queries and R_h
    its mean. The second term, for all tiers together, is the error of a month's traffic: how it is
    divided over the tiers is chance as well; c_h² = 1 - (1 - f_h) p_h with the sampled share f_h
    and the share p_h of sessions that have a value. Of a query in both months only what changed
    counts: what it always is cancels out.

    The degrees of freedom are those of Satterthwaite for Σ d_q², as a quadratic form of the cells'
    means with the variance τ² + σ² / n_c: σ² is that within queries, and τ² what queries vary from
    month to month beyond it, such that it explains Σ d_q².

    Args:
        before: The earlier month.
        after: The later month.

    References:
        Bell and McCaffrey (2002), Survey Methodology 28(2); Cameron and Miller (2015), Journal of
        Human Resources 50(2); Satterthwaite (1946), Biometrics Bulletin 2(6).
    """
    import numpy as np

    names: dict[str, int] = {}
    owners = [
        np.array([names.setdefault(query, len(names)) for query in one.queries], dtype=np.int64)
        for one in (before, after)
    ]
    arrangements = _arrangements(len(before.queries), len(after.queries))
    if min(len(before.queries), len(after.queries)) < 2:
        return Spread(math.nan, math.nan, len(names), arrangements)
    found = moves(before, after, owners, len(names))
    variance = float(np.square(found.part(0, before.means) + found.part(1, after.means)).sum())
    scale = max(float(np.abs(one.means).max()) for one in (before, after))
    if variance <= (NOISE * scale) ** 2:
        return Spread(0.0, math.nan, len(names), arrangements)
    degrees = found.degrees_of_freedom(variance, before.within + after.within)
    return Spread(math.sqrt(variance), degrees, len(names), arrangements)


@dataclass(frozen=True, eq=False)
class Moves:
    """How leaving out each query moves the difference of two months: d_q of `spread`.

    Attributes:
        parts: How each month's cell means make up d.
        owners: The query of each of their cells.
        counts: The sampled sessions of each of their cells.
        queries: How many queries there are.
    """

    parts: Sequence[_Part]
    owners: Sequence[Whole]
    counts: Sequence[Whole]
    queries: int

    def part(self, month: int, means: Floats) -> Floats:
        """Returns a month's part of d, by query: if all its values fall by a share, so does this.

        Args:
            month: 0 for the earlier month, 1 for the later one.
            means: The means of its cells, or several columns of them.
        """
        import numpy as np

        one, owner = self.parts[month], self.owners[month]
        found: Floats = one.left @ (one.right.T @ means)
        slope = one.slope if means.ndim == 1 else one.slope[:, None]
        np.add.at(found, owner, slope * means)
        return found

    @property
    def traces(self) -> tuple[float, float]:
        """The traces of d's covariance if cells have the variances 1, and 1 / n."""
        shares = [part.squares(owner) for part, owner in zip(self.parts, self.owners, strict=True)]
        counted = zip(shares, self.counts, strict=True)
        return (
            sum(float(one.sum()) for one in shares),
            sum(float((one / count).sum()) for one, count in counted),
        )

    def square(self, between: float, within: float) -> float:
        """Returns the trace of the square of d's covariance for variances between + within / n."""
        return _traces(
            self.parts, self.owners, [between + within / count for count in self.counts]
        )[1]

    def degrees_of_freedom(self, variance: float, within: float) -> float:
        """Returns those of Σ d_q², by Satterthwaite.

        Args:
            variance: Σ d_q², above 0.
            within: The sum of squared differences within queries, of both months.
        """
        free = sum(int((one - 1).sum()) for one in self.counts)
        noise = within / free if free else 0.0
        between, session = self.traces
        more = max(0.0, variance - noise * session) / between
        return (more * between + noise * session) ** 2 / self.square(more, noise)


def moves(before: MonthMean, after: MonthMean, owners: Sequence[Whole], queries: int) -> Moves:
    """Returns how leaving out each query moves the difference of two months.

    Args:
        before: The earlier month, of two queries or more.
        after: The later month, of two queries or more.
        owners: The number of the query of each of their cells.
        queries: How many queries there are.
    """
    parts = [
        _part(one, owner, sign, queries)
        for one, owner, sign in ((before, owners[0], -1.0), (after, owners[1], 1.0))
    ]
    return Moves(parts, owners, (before.counts, after.counts), queries)


def _arrangements(first: int, second: int) -> float:
    """Returns the binomial coefficient of first + second over first; infinity is 1e300 and more."""
    exponent = math.lgamma(first + second + 1) - math.lgamma(first + 1) - math.lgamma(second + 1)
    return math.exp(exponent) if exponent < 690 else math.inf


@dataclass(frozen=True, eq=False)
class _Part:
    """How one month's cell means z make up d: d_q = slope_c z_c of its cell, and (left rightᵀ z)_q.

    Attributes:
        slope: One number a cell.
        left: Queries x strata and one more.
        right: Cells x strata and one more: the weights of the strata's means, and of all.
    """

    slope: Floats
    left: Floats
    right: Floats

    def squares(self, owner: Whole) -> Floats:
        """Returns Σ_q (∂d_q / ∂z_c)², by cell."""
        product = self.right @ (self.left.T @ self.left)
        found: Floats = (product * self.right).sum(axis=1)
        found += self.slope**2 + 2 * self.slope * (self.left[owner] * self.right).sum(axis=1)
        return found


def _part(one: MonthMean, owner: Whole, sign: float, queries: int) -> _Part:
    import numpy as np

    strata, numbers = np.unique(one.strata, return_inverse=True)
    cells, tiers = len(numbers), len(strata)
    member = np.zeros((cells, tiers))
    member[np.arange(cells), numbers] = 1.0
    held = member.T @ one.weights
    inside = one.weights / held[numbers]
    sizes = member.sum(axis=0)[numbers]
    alone = sizes == 1
    # A tier of a single query does not show its own error: it is one of the month's queries.
    within = np.where(alone, 0.0, one.weights * np.sqrt(1 - 1 / sizes))
    within[~alone] /= 1 - inside[~alone]
    across = np.zeros(cells)
    if tiers > 1:
        share = np.where(alone, 1.0, np.sqrt(one.known[strata][numbers]))
        across = share * one.weights / (1 - one.weights)
    left = np.zeros((queries, tiers + 1))
    np.add.at(left, owner, sign * np.column_stack([member * (across - within)[:, None], -across]))
    right = np.column_stack([member * inside[:, None], one.weights])
    return _Part(sign * within, left, right)


def _traces(
    parts: Sequence[_Part], owners: Sequence[Whole], variances: Sequence[Floats]
) -> tuple[float, float]:
    """Returns the traces of B and of B², B being the covariance of d for variances of the cells.

    B is a diagonal matrix and one of low rank, so that it is never made.
    """
    import numpy as np

    count = len(parts[0].left)
    diagonal = np.zeros(count)
    columns, blocks = [], []
    for part, owner, variance in zip(parts, owners, variances, strict=True):
        diagonal += np.bincount(owner, part.slope**2 * variance, count)
        mixed = np.zeros_like(part.left)
        np.add.at(mixed, owner, (part.slope * variance)[:, None] * part.right)
        columns += [part.left, mixed]
        blocks.append(part.right.T @ (variance[:, None] * part.right))
    factor = np.hstack(columns)
    core = np.zeros((factor.shape[1], factor.shape[1]))
    start = 0
    for block in blocks:
        size = len(block)
        middle, end = start + size, start + 2 * size
        core[start:middle, start:middle] = block
        core[start:middle, middle:end] = core[middle:end, start:middle] = np.eye(size)
        start = end
    product = core @ (factor.T @ factor)
    along = ((factor @ core) * factor).sum(axis=1)
    whole = float(diagonal.sum() + np.trace(product))
    squares = float((diagonal**2 + 2 * diagonal * along).sum() + np.trace(product @ product))
    return whole, squares
