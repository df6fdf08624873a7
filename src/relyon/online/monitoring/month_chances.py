"""The probability that a pair of months shows a drop, over months as chance draws them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from relyon.analysis.statistics import student_quantile
from relyon.online.monitoring.month_variance import MonthMean, Moves, moves
from relyon.online.monitoring.points import ALL
from relyon.online.monitoring.simulated_months import (
    DrawnMonth,
    Frames,
    Moments,
    draw_always,
    draw_month,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["Chance", "Queries", "draw_chances", "smallest_drop"]

Queries = Literal["same", "other"]
#: Draws of the values of a pair of months: at least, at most, and numbers that one may cost.
LEAST, MOST, NUMBERS = 24, 480, 48_000


@dataclass(frozen=True, eq=False)
class Chance:
    """Whether a pair of drawn months shows a drop by a share x, for several draws of its values.

    Attributes:
        before: The earlier month's mean, by draw.
        after: The later month's mean, without the drop.
        error: The squared standard error that the test estimates, quadratic in the later month's
            factor f = 1 - x: its constant, the half of its coefficient of f, and that of f².
        within: The sums of squared differences within the queries of the two months.
        moved: How leaving out a query moves their difference.
        level: The level of the two-sided test.
    """

    before: Floats
    after: Floats
    error: tuple[Floats, Floats, Floats]
    within: tuple[Floats, Floats]
    moved: Moves
    level: float

    @property
    def freedom(self) -> tuple[float, ...]:
        """What degrees of freedom follow from.

        Those within queries; the two traces of d's covariance; the traces of its square for
        variances between queries only, within them only, and both.
        """
        free = sum(int((one - 1).sum()) for one in self.moved.counts)
        squares = self.moved.square(1, 0), self.moved.square(0, 1), self.moved.square(1, 1)
        return (free, *self.moved.traces, *squares)


class _Draws:
    """The draws of several pairs of months, side by side.

    Args:
        chances: One per pair of months.
    """

    def __init__(self, chances: Sequence[Chance]) -> None:
        import numpy as np

        sizes = [len(one.before) for one in chances]
        self.sizes = np.array(sizes)
        self.starts = np.cumsum([0, *sizes[:-1]])
        self.before, self.after, *rest = (
            np.concatenate(part)
            for part in zip(
                *((one.before, one.after, *one.error, *one.within) for one in chances), strict=True
            )
        )
        self.error, self.within = rest[:3], rest[3:]
        self.freedom = np.repeat(np.array([one.freedom for one in chances]).T, sizes, axis=1)
        self.level = chances[0].level

    def shown(self, drop: float) -> list[float]:
        """Returns, for each pair of months, the share of draws in which the test shows the drop."""
        import numpy as np

        factor = 1 - drop
        first, mixed, last = self.error
        variance = np.maximum(first + 2 * factor * mixed + factor**2 * last, 1e-300)
        degrees = self._degrees(variance, self.within[0] + factor**2 * self.within[1])
        critical = np.interp(np.log(degrees), *_quantiles(self.level))
        found = self.before - factor * self.after > critical * np.sqrt(variance)
        counts = np.add.reduceat(found.astype(np.int64), self.starts)
        return list((counts / self.sizes).tolist())

    def _degrees(self, variance: Floats, within: Floats) -> Floats:
        """Returns `Moves.degrees_of_freedom` of the draws."""
        import numpy as np

        free, between, session, own, sessions, both = self.freedom
        noise = np.divide(within, free, out=np.zeros(len(within)), where=free > 0)
        more = np.maximum(0.0, variance - noise * session) / between
        # The trace of the square is quadratic in the two variances.
        square = more**2 * own + noise**2 * sessions + more * noise * (both - own - sessions)
        return np.asarray((more * between + noise * session) ** 2 / square)


def smallest_drop(chances: Sequence[Chance | None], power: float) -> float:
    """Returns the smallest drop that months such as these show with the power, as a share.

    Args:
        chances: One per pair of months; None if a month has a single query, which shows nothing.
        power: The probability, over the pairs.

    Returns:
        Infinity if no drop is shown so often; NaN if no pair shows any.
    """
    held = [one for one in chances if one is not None]
    if not held:
        return math.nan
    draws = _Draws(held)

    def shown(drop: float) -> float:
        return math.fsum(draws.shown(drop)) / len(chances)

    low, high = 0.0, 1.0
    if shown(high) < power:
        return math.inf
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if shown(middle) < power else (low, middle)
    return high


def draw_chances(
    frames: Frames,
    sizes: Sequence[int],
    moments: Mapping[str, Moments],
    tiers: Sequence[str],
    generator: np.random.Generator,
    level: float,
) -> dict[tuple[str, Queries], Chance | None]:
    """Draws two months of one process, and returns how surely they show drops, by tier.

    The months are asked the `same` queries, or `other` ones: as many, searched as often.

    Args:
        frames: The sessions that there are.
        sizes: How many are drawn of each tier.
        moments: What their values are like; where they are those of a graded month, other moments
            that it could as well have had are drawn.
        tiers: The tiers, or `all`.
        generator: Draws.
        level: The level of each two-sided test.
    """

    known = {name: one.drawn(generator) for name, one in moments.items()}
    always = draw_always(frames, known, generator)
    first, second = (draw_month(frames, sizes, known, always, generator) for _ in range(2))
    total = sum(len(ends) for ends in frames.ends)
    values = _Values.draw(frames, known, (first, second), generator)
    found: dict[tuple[str, Queries], Chance | None] = {}
    for tier in tiers:
        before, after = (
            month.whole if tier == ALL else month.tiers.get(tier) for month in (first, second)
        )
        if before is None or after is None or min(len(before.means), len(after.means)) < 2:
            found[tier, "same"] = found[tier, "other"] = None
            continue
        held = values.of(None if tier == ALL else frames.names.index(tier))
        for kind in ("same", "other"):
            owners = (held.owners[0], held.owners[1] + (0 if kind == "same" else total))
            means = (held.means[0], held.means[1 if kind == "same" else 2])
            found[tier, kind] = _chance((before, after), owners, means, held.within, level)
    return found


@dataclass(frozen=True, eq=False)
class _Values:
    """Draws of the values of two months, by cell: the later month also with other queries.

    Attributes:
        strata: The tier of each cell of the two months.
        owners: The query of each cell of the two months.
        means: The cells' means, several columns of them: of the earlier month, of the later one,
            and of the later one if it is asked other queries.
        within: The sums of squared differences within the queries of each month, by tier and draw.
    """

    strata: tuple[NDArray[np.int64], ...]
    owners: tuple[NDArray[np.int64], ...]
    means: tuple[Floats, ...]
    within: tuple[Floats, ...]

    @classmethod
    def draw(
        cls,
        frames: Frames,
        known: Mapping[str, Moments],
        months: Sequence[DrawnMonth],
        generator: np.random.Generator,
    ) -> _Values:
        import numpy as np

        starts = np.cumsum([0, *(len(ends) for ends in frames.ends)])
        mean, between, within = (
            np.array([getattr(known[name], part) for name in frames.names])
            for part in ("mean", "between", "within")
        )
        owners = tuple(starts[one.strata] + one.places for one in months)
        names, places = np.unique(np.concatenate(owners), return_inverse=True)
        cells = sum(len(one.strata) for one in months)
        repeats = min(MOST, max(LEAST, NUMBERS // cells))
        spread = np.sqrt(between)[np.searchsorted(starts, names, side="right") - 1]
        always, others = (
            spread[:, None] * generator.standard_normal((len(names), repeats)) for _ in range(2)
        )
        means, split = [], len(owners[0])
        for one, at in zip(months, (places[:split], places[split:]), strict=True):
            noise = np.sqrt(within[one.strata] / one.whole.counts)
            drawn = noise[:, None] * generator.standard_normal((len(at), repeats))
            drawn += mean[one.strata][:, None]
            means.append(drawn + always[at])
        means.append(drawn + others[at])
        squares = []
        for one in months:
            free = np.bincount(one.strata, one.whole.counts - 1, len(mean))
            drawn = generator.chisquare(np.maximum(free, 1)[:, None], (len(mean), repeats))
            squares.append(drawn * (within * (free > 0))[:, None])
        strata = tuple(one.strata for one in months)
        return cls(strata, owners, tuple(means), tuple(squares))

    def of(self, tier: int | None) -> _Values:
        """Returns the cells of a tier; None is all tiers together."""
        if tier is None:
            return self
        cells = [one == tier for one in self.strata]
        return _Values(
            tuple(one[held] for one, held in zip(self.strata, cells, strict=True)),
            tuple(one[held] for one, held in zip(self.owners, cells, strict=True)),
            tuple(one[held] for one, held in zip(self.means, (*cells, cells[1]), strict=True)),
            tuple(one[tier : tier + 1] for one in self.within),
        )


def _chance(
    months: tuple[MonthMean, MonthMean],
    owners: tuple[NDArray[np.int64], NDArray[np.int64]],
    means: tuple[Floats, Floats],
    within: tuple[Floats, ...],
    level: float,
) -> Chance | None:
    import numpy as np

    names, places = np.unique(np.concatenate(owners), return_inverse=True)
    split = len(owners[0])
    moved = moves(*months, (places[:split], places[split:]), len(names))
    first, last = (moved.part(place, one) for place, one in enumerate(means))
    error = ((first**2).sum(axis=0), (first * last).sum(axis=0), (last**2).sum(axis=0))
    if not (error[0] + 2 * error[1] + error[2]).min() > 0:
        return None
    before, after = (month.weights @ one for month, one in zip(months, means, strict=True))
    earlier, later = (one.sum(axis=0) for one in within)
    return Chance(before, after, error, (earlier, later), moved, level)


@cache
def _quantiles(level: float) -> tuple[Floats, Floats]:
    """Returns quantiles of t that decide, at logarithms of degrees of freedom."""
    import numpy as np

    logs = np.linspace(math.log(0.5), math.log(1e6), 400)
    found = [student_quantile(math.exp(one), 1 - level / 2) for one in logs]
    return logs, np.array(found)
