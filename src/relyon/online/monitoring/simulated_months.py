"""Pairs of months as chance draws them from one process: what a plan rests on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.online.monitoring.month_variance import Cells, MonthMean, cell_means
from relyon.online.monitoring.rounds import Round
from relyon.online.sampling import Tiers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Frames", "Moments", "draw_months", "moments_of"]


@dataclass(frozen=True)
class Moments:
    """The distribution of the values of a tier's sessions.

    Attributes:
        mean: Their mean.
        between: Variance between queries: what a query always is.
        within: Variance within a query: between its sessions, and from month to month.
    """

    mean: float
    between: float
    within: float


def moments_of(one: Round, *, common: bool = False, within: float = 0.5) -> dict[str, Moments]:
    """Returns mean and variances of the graded sessions of a month, by tier.

    By the analysis of variance with unequal groups: within is SSW / (N - G) of N sessions of G
    queries, between is (SSB / (G - 1) - within) / n₀, not below 0, with
    n₀ = (N - Σ n_q² / N) / (G - 1).

    Args:
        one: The month.
        common: Of DCG at the common k; else at each tier's own.
        within: The share of the variance that lies within a query, for a tier in which no query was
            sampled twice.

    Raises:
        InputError: If a tier has fewer than two queries with a value.

    References:
        Searle, Casella and McCulloch (1992), Variance Components, 3.6.
    """
    import numpy as np

    found = {}
    for tier in one.tiers:
        rows = one.results.filter(one.results["tier"] == tier)
        column = "common_dcg" if common else "dcg"
        rows = rows.filter(rows[column].is_not_null())
        values = rows[column].to_numpy()
        names, owner = np.unique(rows["query"].to_numpy(), return_inverse=True)
        total, groups = len(values), len(names)
        if groups < 2:
            raise InputError(
                message(
                    "online.has-fewer-than-two",
                    month=one.month,
                    tier=tier,
                )
            )
        counts = np.bincount(owner)
        means = np.bincount(owner, values) / counts
        mean = float(values.mean())
        if total == groups:
            spread = float(values.var(ddof=1))
            found[tier] = Moments(mean, spread * (1 - within), spread * within)
            continue
        inside = float(((values - means[owner]) ** 2).sum()) / (total - groups)
        outside = float((counts * (means - mean) ** 2).sum()) / (groups - 1)
        size = (total - float((counts**2).sum()) / total) / (groups - 1)
        found[tier] = Moments(mean, max(0.0, (outside - inside) / size), inside)
    return found


@dataclass(frozen=True, eq=False)
class Frames:
    """The tiers of a log that have sessions, and up to which session each of their queries goes."""

    names: tuple[str, ...]
    sizes: list[int]
    ends: list[NDArray[np.int64]]

    @classmethod
    def of(cls, cut: Tiers) -> Frames:
        ends = [
            cut.frame.filter(cut.frame["tier"] == number)["sessions"].cum_sum().to_numpy()
            for number in range(len(cut.names))
        ]
        held = [place for place, one in enumerate(ends) if len(one)]
        return cls(
            tuple(cut.names[place] for place in held),
            [int(ends[place][-1]) for place in held],
            [ends[place] for place in held],
        )


def draw_months(
    frames: Frames,
    sizes: Sequence[int],
    moments: Mapping[str, Moments],
    generator: np.random.Generator,
    drop: float = 0.0,
) -> tuple[tuple[MonthMean, dict[str, MonthMean]], tuple[MonthMean, dict[str, MonthMean]]]:
    """Draws samples of two months of one process, whose second fell by a share of every value.

    Args:
        frames: The sessions that there are.
        sizes: How many are drawn of each tier.
        moments: What their values are like.
        generator: Chooses.
        drop: The fall.
    """
    import numpy as np

    always = [
        generator.normal(0, math.sqrt(moments[name].between), len(ends))
        for name, ends in zip(frames.names, frames.ends, strict=True)
    ]
    months = []
    for fall in (0.0, drop):
        parts: list[tuple[NDArray[np.generic], ...]] = []
        for number, name in enumerate(frames.names):
            chosen = generator.choice(
                frames.sizes[number], sizes[number], replace=False, shuffle=False
            )
            owner = np.searchsorted(frames.ends[number], chosen, side="right")
            places, counts = np.unique(owner, return_counts=True)
            noise = generator.normal(0, 1, len(places)) * np.sqrt(moments[name].within / counts)
            means = (1 - fall) * (moments[name].mean + always[number][places] + noise)
            free = generator.chisquare(np.maximum(counts - 1, 1)) * (counts > 1)
            squares = (1 - fall) ** 2 * moments[name].within * free
            parts.append((np.full(len(places), number), places, counts, means, squares))
        strata, places, counts, means, squares = (
            np.concatenate([part[place] for part in parts]) for place in range(5)
        )
        queries = tuple(f"{stratum}:{place}" for stratum, place in zip(strata, places, strict=True))
        months.append(
            cell_means(
                frames.names,
                np.array(frames.sizes, dtype=np.float64),
                np.array(sizes, dtype=np.int64),
                Cells(strata, queries, counts, means, squares),
            )
        )
    return months[0], months[1]
