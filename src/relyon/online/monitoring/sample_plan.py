"""The number of sessions to grade to detect a drop of the monthly number."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from relyon.analysis.statistics.power import POWER
from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number
from relyon.core.document.model import Block, Document, Lines, Table
from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_fraction, check_least
from relyon.core.texts import Language, catalogue, message
from relyon.online.monitoring.month_chances import Chance, Queries, draw_chances, smallest_drop
from relyon.online.monitoring.points import ALL
from relyon.online.monitoring.rounds import Round
from relyon.online.monitoring.simulated_months import Frames, Moments, moments_of
from relyon.online.sampling import Allocation, Tiers, allocate, build_tiers

if TYPE_CHECKING:
    import polars as pl

    from relyon.online.sampling.tiers import Method

__all__ = ["DROPS", "PlannedSample", "SamplePlan", "plan_sample"]

#: Falls of the monthly number, as shares of it.
DROPS = (0.02, 0.05, 0.1, 0.2)
#: The standard deviation of session values relative to the mean, and the share of variance within
#: queries, if no graded month gives them.
SPREAD, WITHIN = 0.8, 0.5
#: Pairs of months that are drawn per size.
DRAWS = 16
SIZES = (25, 50, 100, 200, 400, 800, 1600, 3200)


@dataclass(frozen=True)
class PlannedSample:
    """The detectable drops of samples of one size.

    Attributes:
        per_tier: Sessions per tier, averaged over tiers.
        sampled: Sessions of all tiers that are sampled, in each month.
        tier: The tier, or `all`.
        same: The smallest drop that is found with the plan's power between two months in which the
            same queries are asked, as a share of the mean; NaN where there is no error.
        other: The same between months that share no query.
    """

    per_tier: int
    sampled: int
    tier: str
    same: float
    other: float


@dataclass(frozen=True)
class SamplePlan(Exportable):
    """The detectable drop of the monthly number, by number of graded sessions.

    Attributes:
        rows: One per size of the sample and tier, the smallest samples first.
        drops: Falls that are asked for, as shares of the mean.
        tiers: The tiers that have sessions.
        alpha: The level at which `monitor check` raises an alarm, shared among all tests.
        power: The chance to find the fall.
        assumed: Whether the spread is assumed, and not that of a graded month.
    """

    rows: tuple[PlannedSample, ...]
    drops: tuple[float, ...]
    tiers: tuple[str, ...]
    alpha: float
    power: float
    assumed: bool

    def needed(
        self, drop: float, tier: str = ALL, queries: Queries = "same"
    ) -> tuple[int, int] | None:
        """Returns the sessions that show a drop: per tier, and of all tiers; None if none do.

        Between the sizes of the plan log(fall) is taken as linear in log(size).

        Args:
            drop: The fall, as a share of the mean.
            tier: The tier, or `all`.
            queries: Whether both months are asked the `same` queries, or `other` ones.
        """
        before: PlannedSample | None = None
        for one in self.rows:
            found = getattr(one, queries)
            if one.tier != tier or not 0 < found < math.inf:
                continue
            if found <= drop:
                if before is None:
                    return one.per_tier, one.sampled
                earlier = getattr(before, queries)
                part = math.log(earlier / drop) / math.log(earlier / found)
                sizes = [
                    math.ceil(math.exp(
                        math.log(low) + part * (math.log(high) - math.log(low))
                    ) - 1e-9)
                    for low, high in (
                        (before.per_tier, one.per_tier), (before.sampled, one.sampled),
                    )
                ]  # fmt: skip
                return sizes[0], sizes[1]
            before = one
        return None

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: NaN becomes null."""
        needed = [
            {"drop": drop, "tier": tier, "queries": queries, "per_tier": found and found[0],
             "sampled": found and found[1]}
            for drop in self.drops
            for tier in (ALL, *self.tiers)
            for queries in ("same", "other")
            for found in [self.needed(drop, tier, queries)]
        ]  # fmt: skip
        rows = [
            {**asdict(one), "same": json_number(one.same), "other": json_number(one.other)}
            for one in self.rows
        ]
        return {
            "alpha": self.alpha,
            "power": self.power,
            "assumed": self.assumed,
            "needed": needed,
            "rows": rows,
        }

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per size of the sample and tier."""
        import polars

        frame = polars.DataFrame([asdict(one) for one in self.rows], infer_schema_length=None)
        return frame.with_columns(
            polars.col("same", "other").fill_nan(None).replace(math.inf, None)
        )

    def document(self, language: Language = "en") -> Document:
        """Returns the sessions that each fall needs, and the fall that each size shows."""
        words = catalogue("planning", language)
        kinds: tuple[Queries, Queries] = ("same", "other")
        headings = [words["heading.tier"], words["heading.drop"]]
        for queries in kinds:
            headings += [words[f"heading.{queries}"], words["heading.sampled"]]
        rows = []
        for tier in (ALL, *self.tiers):
            for drop in self.drops:
                cells = [words.name("tier", tier), f"{100 * drop:g}%"]
                for queries in kinds:
                    cells += self._cells(drop, tier, queries)
                rows.append(cells)
        sizes = [
            [
                f"{one.per_tier:,}",
                f"{one.sampled:,}",
                _percent(one.same),
                _percent(one.other),
                *(_percent(each.same) for each in self._of(one.per_tier)),
            ]
            for one in self.rows
            if one.tier == ALL
        ]
        names = [words.name("tier", tier) for tier in self.tiers]
        shown = [words["heading.per_tier"], words["heading.sampled"], words["heading.same"],
                 words["heading.other"], *names]  # fmt: skip
        level = {"alpha": f"{self.alpha:g}", "power": f"{self.power:g}"}
        basis = words["sessions.assumed" if self.assumed else "sessions.graded"]
        blocks: list[Block] = [
            Lines([words["sessions.needed"]]),
            Table(headings, rows, left=1),
            Lines([words["sessions.shown"]]),
            Table(
                shown,
                sizes,
                left=0,
                notes=[words.say("sessions.level", **level), words["sessions.signs"], basis],
            ),
        ]
        return Document(blocks)

    def _cells(self, drop: float, tier: str, queries: Queries) -> list[str]:
        """Returns the sessions per tier and in all, or those that are too few."""
        found = self.needed(drop, tier, queries)
        if found is not None:
            return [f"{one:,}" for one in found]
        last = [one for one in self.rows if one.tier == tier][-1]
        if math.isnan(getattr(last, queries)):
            return ["-", "-"]
        return [f">{last.per_tier:,}", f">{last.sampled:,}"]

    def _of(self, per_tier: int) -> list[PlannedSample]:
        return [one for one in self.rows if one.per_tier == per_tier and one.tier != ALL]


def _percent(share: float) -> str:
    if share > 1:
        return ">100%"
    return "-" if math.isnan(share) else f"{100 * share:.1f}%"


def plan_sample(
    sessions: object,
    *,
    month: Round | None = None,
    spread: float = SPREAD,
    within: float = WITHIN,
    drops: Sequence[float] = DROPS,
    allocation: Allocation = "equal",
    deviations: Mapping[str, float] | None = None,
    tiers: Method | Tiers = "share",
    cuts: Sequence[float] | None = None,
    alpha: float = 0.05,
    power: float = POWER,
    seed: int = 0,
    draws: int = DRAWS,
) -> SamplePlan:
    """Returns how many sessions to grade each month to detect a drop of the mean.

    Of the log only the sessions of every query are counted. From these, pairs of months are drawn
    as `draw_sample` does, values are given to their sessions (mean, variance between and within
    queries), and the two are compared as `monitor check` compares months: by its standard error s,
    with queries as what varies, and its degrees of freedom. The smallest drop that a size detects
    is the one that the test shows, at the level a = α / (tiers + 1), in the share 1 - β of the
    pairs: the first step of Holm's correction over all tiers together and each tier. Sizes among
    which it would grow share their mean, as only chance can make it so.

    The variances of a graded month are estimates: every pair has others, σ² ν / χ²_ν with the
    degrees of freedom ν behind them, so that few graded sessions need larger samples.

    There is no correction for finite populations, even where a month is graded whole: the next
    month is another draw of the same process.

    The fall is one of all queries alike, by the same share. What a query always is cancels out
    where both months are asked the `same` queries; where they share none (`other`) it counts in
    full. Real months lie between the two.

    Args:
        sessions: What `relyon.read_sessions` takes: a log of one month.
        month: A graded month, whose mean and variances are taken; its tiers must be those of the
            log. None assumes them.
        spread: Without `month`: the standard deviation of a session's value, as a share of the
            mean.
        within: The share of the variance that lies within a query; of a graded month only where no
            query of a tier was sampled twice.
        drops: Falls that are asked for, as shares of the mean.
        allocation: As in `draw_sample`.
        deviations: For `neyman`, as in `draw_sample`.
        tiers: As in `draw_sample`.
        cuts: As in `draw_sample`.
        alpha: The level of the alarms.
        power: The chance to find the fall.
        seed: Of the draws.
        draws: Pairs of months per size.

    Raises:
        InputError: If it is no log of sessions, or the graded month has other tiers.
        ParameterError: If an option has an invalid value.

    Examples:
        >>> import polars as pl
        >>> log = pl.DataFrame({
        ...     "session": [f"s{i}" for i in range(6000)],
        ...     "query": [f"q{i % 1500}" for i in range(6000)],
        ...     "position": 1, "doc": "d",
        ... })
        >>> plan = plan_sample(log)
        >>> sizes = [plan.needed(drop)[0] for drop in (0.2, 0.1)]
        >>> sizes[0] < sizes[1]
        True

    References:
        Cochran (1977), Sampling Techniques, 3rd edition, 2.14 and 5.9.
    """

    for name, value in (("alpha", alpha), ("power", power), *(("drop", drop) for drop in drops)):
        check_fraction(name, value)
    check_least("draws", draws)
    if not (math.isfinite(spread) and spread > 0):
        raise ParameterError(message("online.parameter-spread-must-be-above", spread=spread))
    if not 0 <= within <= 1:
        raise ParameterError(
            message(
                "online.parameter-within-must-lie",
                within=within,
            )
        )
    cut = tiers if isinstance(tiers, Tiers) else build_tiers(sessions, tiers, cuts)
    frames = Frames.of(cut)
    assumed = Moments(1.0, spread**2 * (1 - within), spread**2 * within)
    own = dict.fromkeys(frames.names, assumed)
    shared = own
    if month is not None:
        _check_tiers(month, frames.names)
        own = moments_of(month, within=within)
        shared = moments_of(month, common=True, within=within)
    last: list[int] = []
    missing = [name for name in frames.names if deviations is not None and name not in deviations]
    if missing:
        raise ParameterError(
            message(
                "online.says-nothing-of-tier",
                what="deviations",
                missing=missing[0],
            )
        )
    pilot = None if deviations is None else [deviations[name] for name in frames.names]
    level = alpha / (len(frames.names) + 1)
    smallest: dict[tuple[str, Queries], list[float]] = {}
    counted: list[tuple[int, int]] = []
    for per_tier in SIZES:
        sizes = allocate(frames.sizes, per_tier * len(frames.names), allocation, deviations=pilot)
        if sizes == last:
            break
        last = sizes
        found: dict[tuple[str, Queries], list[Chance | None]] = {}
        for draw in range(draws):
            key = (seed, per_tier, draw)
            for place, chance in _chances(frames, sizes, own, shared, key, level).items():
                found.setdefault(place, []).append(chance)
        for place, chances in found.items():
            smallest.setdefault(place, []).append(smallest_drop(chances, power))
        counted.append((per_tier, sum(sizes)))
    falling = {place: _falling(drops) for place, drops in smallest.items()}
    rows = [
        PlannedSample(
            per_tier, sampled, tier, falling[tier, "same"][place], falling[tier, "other"][place]
        )
        for place, (per_tier, sampled) in enumerate(counted)
        for tier in (ALL, *frames.names)
    ]
    return SamplePlan(tuple(rows), tuple(drops), frames.names, alpha, power, assumed=month is None)


def _falling(drops: Sequence[float]) -> list[float]:
    """Returns drops that do not grow with the sample: neighbours that do share their mean log."""
    blocks: list[tuple[float, int]] = []
    for drop in drops:
        blocks.append((drop if math.isnan(drop) else math.log(drop), 1))
        while len(blocks) > 1 and blocks[-2][0] < blocks[-1][0]:
            (first, many), (second, more) = blocks[-2:]
            mean = (first * many + second * more) / (many + more)
            blocks[-2:] = [(mean, many + more)]
    return [math.exp(mean) for mean, many in blocks for _ in range(many)]


def _check_tiers(month: Round, names: Sequence[str]) -> None:
    if set(month.tiers) != set(names):
        raise InputError(
            message(
                "online.has-tiers-and-log",
                month=month.month,
                of_month=list(month.tiers),
                of_log=list(names),
            ),
            hint=message("online.plan-with-tiers"),
        )


def _chances(
    frames: Frames,
    sizes: Sequence[int],
    own: Mapping[str, Moments],
    shared: Mapping[str, Moments],
    key: Sequence[int],
    level: float,
) -> dict[tuple[str, Queries], Chance | None]:
    """Draws two months, and returns how surely they show drops in every tier."""
    import numpy as np

    groups: list[tuple[Mapping[str, Moments], tuple[str, ...]]]
    groups = [(shared, (ALL,)), (own, frames.names)]
    if own is shared:
        groups = [(own, (ALL, *frames.names))]
    found: dict[tuple[str, Queries], Chance | None] = {}
    for moments, tiers in groups:
        generator = np.random.default_rng(key)
        found |= draw_chances(frames, sizes, moments, tiers, generator, level)
    return found
