"""Months as chance draws them from one process: what a plan rests on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.analysis.statistics import spread_certainty
from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.online.monitoring.month_variance import Cells, MonthMean, cell_means
from relyon.online.monitoring.rounds import Round
from relyon.online.sampling import Tiers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "DrawnMonth",
    "Frames",
    "Moments",
    "draw_always",
    "draw_month",
    "draw_months",
    "moments_of",
]


@dataclass(frozen=True)
class Moments:
    """The distribution of the values of a tier's sessions.

    Attributes:
        mean: Their mean.
        between: Variance between queries: what a query always is.
        within: Variance within a query: between its sessions, and from month to month.
        sessions: Graded sessions per query behind the variances, as the analysis of variance counts
            them.
        known: Degrees of freedom of the variance between queries; infinite if it is assumed.
        known_within: Those of the variance within queries.
    """

    mean: float
    between: float
    within: float
    sessions: float = 1.0
    known: float = math.inf
    known_within: float = math.inf

    def drawn(self, generator: np.random.Generator) -> Moments:
        """Returns moments that the graded sessions could as well have had: σ² ν / χ²_ν.

        Args:
            generator: Draws them.
        """
        if math.isinf(self.known):
            return self
        outside = self.within + self.sessions * self.between
        outside *= self.known / max(generator.chisquare(self.known), 1e-9)
        if math.isinf(self.known_within):
            share = self.within / ((self.within + self.between) or 1.0)
            return replace(self, between=outside * (1 - share), within=outside * share)
        inside = self.within * self.known_within / max(generator.chisquare(self.known_within), 1e-9)
        between = max(0.0, (outside - inside) / self.sessions)
        return replace(self, between=between, within=inside)


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
        known = spread_certainty(means)
        if total == groups:
            spread = float(values.var(ddof=1))
            found[tier] = Moments(mean, spread * (1 - within), spread * within, known=known)
            continue
        inside = float(((values - means[owner]) ** 2).sum()) / (total - groups)
        outside = float((counts * (means - mean) ** 2).sum()) / (groups - 1)
        size = (total - float((counts**2).sum()) / total) / (groups - 1)
        between = max(0.0, (outside - inside) / size)
        found[tier] = Moments(mean, between, inside, size, known, total - groups)
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


@dataclass(frozen=True, eq=False)
class DrawnMonth:
    """The sample of one month.

    Attributes:
        whole: The mean over all tiers.
        tiers: The mean of each tier.
        strata: The number of each cell's tier; a cell is a sampled query.
        places: The number of each cell's query in its tier.
    """

    whole: MonthMean
    tiers: dict[str, MonthMean]
    strata: NDArray[np.int64]
    places: NDArray[np.int64]


def draw_always(
    frames: Frames, moments: Mapping[str, Moments], generator: np.random.Generator
) -> list[NDArray[np.float64]]:
    """Returns what each query always is, beyond its tier's mean, by tier."""
    return [
        generator.normal(0, math.sqrt(moments[name].between), len(ends))
        for name, ends in zip(frames.names, frames.ends, strict=True)
    ]


def draw_month(
    frames: Frames,
    sizes: Sequence[int],
    moments: Mapping[str, Moments],
    always: Sequence[NDArray[np.float64]],
    generator: np.random.Generator,
    drop: float = 0.0,
) -> DrawnMonth:
    """Draws the sample of a month, all of whose values fell by a share.

    Args:
        frames: The sessions that there are.
        sizes: How many are drawn of each tier.
        moments: What their values are like.
        always: What each query always is.
        generator: Chooses.
        drop: The share.
    """
    import numpy as np

    parts: list[tuple[NDArray[np.generic], ...]] = []
    for number, name in enumerate(frames.names):
        chosen = generator.choice(frames.sizes[number], sizes[number], replace=False, shuffle=False)
        owner = np.searchsorted(frames.ends[number], chosen, side="right")
        places, counts = np.unique(owner, return_counts=True)
        noise = generator.normal(0, 1, len(places)) * np.sqrt(moments[name].within / counts)
        means = (1 - drop) * (moments[name].mean + always[number][places] + noise)
        free = generator.chisquare(np.maximum(counts - 1, 1)) * (counts > 1)
        squares = (1 - drop) ** 2 * moments[name].within * free
        parts.append((np.full(len(places), number), places, counts, means, squares))
    strata, places, counts, means, squares = (
        np.concatenate([part[place] for part in parts]) for place in range(5)
    )
    whole, tiers = cell_means(
        frames.names,
        np.array(frames.sizes, dtype=np.float64),
        np.array(sizes, dtype=np.int64),
        Cells(strata, ("",) * len(strata), counts, means, squares),
    )
    return DrawnMonth(whole, tiers, strata, places)


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
    always = draw_always(frames, moments, generator)
    first, second = (
        _named(draw_month(frames, sizes, moments, always, generator, fall), frames.names)
        for fall in (0.0, drop)
    )
    return first, second


def _named(one: DrawnMonth, names: Sequence[str]) -> tuple[MonthMean, dict[str, MonthMean]]:
    """Returns the means of a month with ids of its queries."""
    ids = [f"{tier}:{place}" for tier, place in zip(one.strata, one.places, strict=True)]
    tiers = {
        name: replace(
            found,
            queries=tuple(id for id, tier in zip(ids, one.strata, strict=True) if tier == number),
        )
        for number, name in enumerate(names)
        if (found := one.tiers.get(name)) is not None
    }
    return replace(one.whole, queries=tuple(ids)), tiers
