"""Metrics of the arms of an A/B test and their differences, by user."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from relyon.analysis.statistics import (
    ClusterSizes,
    RatioEstimate,
    Resampling,
    difference_of,
    resampled_ratios,
)
from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_values, note_dict
from relyon.core.document.model import Block, Document, Prose, Table
from relyon.core.notes import Note, warn
from relyon.core.parameters import check_choice, check_fraction
from relyon.core.texts import Language, catalogue
from relyon.core.texts.numbers import DIGITS
from relyon.online.experiments.abtest.metrics import METRICS, Metric, adjusted_difference, lacks
from relyon.online.experiments.abtest.traffic import Moment, read_traffic

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["ArmMetric", "ArmReport", "compare_arms"]

Bounds = tuple[float, float]

NONE: Bounds = (math.nan, math.nan)

#: Below these, intervals of ratios are not to be relied on: the tests measure how far they fail.
FEWEST_USERS, FEWEST_EVENTS, FEWEST_INFLUENTIAL = 50, 10, 20


@dataclass(frozen=True)
class ArmMetric:
    """One metric of one arm.

    Attributes:
        metric: `ctr`, `abandonment`, `conversion` or `first-click`.
        arm: The arm.
        users: Users who count in it: those with a result, a search or a click.
        value: The ratio of sums over users.
        interval: Its interval, by user.
        difference: The value less the baseline's; NaN for the baseline.
        difference_interval: Its interval.
        p: Two-sided p-value of the difference.
        adjusted: The difference with the users' history taken away (CUPED); NaN without one.
        adjusted_interval: Its interval.
        adjusted_p: Its p-value.
        reduction: The part of the variance that the history took away.
        effective: Users of equal weight with the same information: (Σ b)² / Σ b², with b the sum
            below the line.
        events: Users who add to the smaller side of the ratio, such as those who bought.
        influential: Users who carry the error: (Σ d²)² / Σ d⁴, with d = s − r n; NaN if none does.
        largest: The share of the most active user.
    """

    metric: str
    arm: str
    users: int
    value: float
    interval: Bounds
    difference: float = math.nan
    difference_interval: Bounds = NONE
    p: float = math.nan
    adjusted: float = math.nan
    adjusted_interval: Bounds = NONE
    adjusted_p: float = math.nan
    reduction: float = math.nan
    effective: float = math.nan
    events: int = 0
    influential: float = math.nan
    largest: float = math.nan

    @property
    def thin(self) -> bool:
        """Whether intervals are not to be relied on: few users, heavy ones, or rare events."""
        return (
            not self.effective >= FEWEST_USERS
            or not self.influential >= FEWEST_INFLUENTIAL
            or self.events < FEWEST_EVENTS
        )


@dataclass(frozen=True)
class ArmReport(Exportable):
    """The metrics of the arms of an A/B test.

    Attributes:
        rows: One per metric and arm, the baseline first.
        missing: Metrics missing from the log, and why, as keys of texts.
        arms: The arms, the baseline first, and their users.
        interval: How intervals were made: `delta` or `bootstrap`.
        level: Confidence level of the intervals.
        history: Whether users had a history before the test.
        unit: `users` or `sessions`.
        source: The log.
        notes: Notes about the log.
    """

    rows: tuple[ArmMetric, ...]
    missing: dict[str, str]
    arms: dict[str, int]
    interval: str
    level: float
    history: bool
    unit: str
    source: str
    notes: tuple[Note, ...] = ()

    def get(self, metric: str, arm: str) -> ArmMetric:
        """Returns one metric of one arm; StopIteration if there is none."""
        return next(one for one in self.rows if (one.metric, one.arm) == (metric, arm))

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per metric and arm."""
        import polars as pl

        columns: dict[str, list[object]] = {}
        for name in ArmMetric.__dataclass_fields__:
            values = [getattr(one, name) for one in self.rows]
            if name.endswith("interval"):
                prefix = name.removesuffix("interval")
                columns[f"{prefix}low"] = [low for low, _ in values]
                columns[f"{prefix}high"] = [high for _, high in values]
            else:
                columns[name] = values
        return pl.DataFrame(columns).fill_nan(None)

    def to_dict(self) -> dict[str, object]:
        """Returns the object that ``--format json`` prints."""
        names = ArmMetric.__dataclass_fields__
        values = {
            "source": self.source,
            "arms": self.arms,
            "unit": self.unit,
            "level": self.level,
            "interval": self.interval,
            "metrics": [{name: getattr(one, name) for name in names} for one in self.rows],
            "missing": self.missing,
        }
        return {**json_values(values), "notes": [note_dict(note) for note in self.notes]}

    def document(self, *, digits: int = DIGITS, language: Language = "en") -> Document:
        """Returns the metrics by arm, then their differences to the baseline.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        words = catalogue("experiments", language)
        style = words.style
        level = words.percent(self.level)
        baseline = next(iter(self.arms))
        values, differences = [], []
        for one in self.rows:
            name = words.name("metric", one.metric)
            mark = " *" if one.thin else ""
            either = mark or (" *" if self.get(one.metric, baseline).thin else "")
            values.append(
                [
                    name,
                    one.arm,
                    f"{one.users:,}",
                    style.number(one.value, digits),
                    style.interval(one.interval, digits) + mark,
                ]
            )
            if one.arm == baseline:
                continue
            rows = [("", one.difference, one.difference_interval, one.p)]
            if self.history and not math.isnan(one.adjusted):
                rows.append(("CUPED", one.adjusted, one.adjusted_interval, one.adjusted_p))
            for how, difference, interval, p in rows:
                differences.append(
                    [
                        f"{name} {how}".strip(),
                        one.arm,
                        style.signed(difference, digits),
                        style.signed_interval(interval, digits) + either,
                        style.p_value(p, digits),
                    ]
                )

        def headings(*names: str) -> list[str]:
            return [words.say(f"column.{name}", level=level) for name in names]

        first = headings("metric", "arm", self.unit, "value", "interval")
        second = headings("metric", "arm", "difference", "interval", "p")
        said = [words.say("abtest.how", baseline=baseline, unit=words.name("unit", self.unit))]
        if any(math.isnan(one.interval[0]) for one in self.rows):
            said.append(words["abtest.none"])
        if any(one.thin for one in self.rows):
            said.append(
                words.say(
                    "abtest.thin",
                    users=FEWEST_USERS,
                    influential=FEWEST_INFLUENTIAL,
                    events=FEWEST_EVENTS,
                )
            )
        said += self._counted(language)
        said += [
            words.say(f"missing.{reason}", metric=words.name("metric", metric))
            for metric, reason in self.missing.items()
        ]
        blocks: list[Block] = []
        if values:
            blocks.append(Table(first, values, left=2, long=(1,)))
            blocks.append(Table(second, differences, left=2, long=(1,)))
        return Document([*blocks, Prose(said)])

    def _counted(self, language: Language) -> list[str]:
        """Returns the number of equally active users of each arm, by its first metric."""
        words = catalogue("experiments", language)
        first = self.rows[0].metric if self.rows else ""
        return [
            words.say(
                "abtest.counted",
                arm=one.arm,
                count=one.users,
                unit=words.name("unit", self.unit),
                effective=words.style.number(one.effective, 1),
                share=one.largest,
            )
            for one in self.rows
            if one.metric == first
        ]


def compare_arms(
    sessions: object,
    *,
    baseline: str | None = None,
    start: Moment | None = None,
    restart: Moment | None = None,
    interval: Literal["delta", "bootstrap"] = "delta",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> ArmReport:
    """Computes the metrics of each arm of an A/B test, and their differences to the baseline.

    Metrics are ratios of sums over users: CTR (results with a click / results), abandonment
    (searches without a click / searches), conversion (searches with a purchase / searches), and
    seconds to the first click (over searches with one). Users are what is randomised, so errors are
    by user: those of the jackknife, or of a bootstrap of users. Users of several arms are left
    out. With `start` the history before it sharpens the differences (CUPED).

    Args:
        sessions: What `relyon.read_sessions` takes; `bucket` is the arm. Without `user`, every
            session counts as a user of its own.
        baseline: The arm that the others are compared with; None takes the first by name.
        start: When the test began, such as 2026-03-01.
        restart: When it was begun anew: nothing before counts.
        interval: `delta`, the delta method with the jackknife's error, or `bootstrap`; p-values and
            CUPED are by the former with either.
        level: Confidence level of the intervals.
        resamples: Setting of the bootstrap.
        seed: Setting of the bootstrap.

    Raises:
        InputError: If the log does not say which arm a row is of, has fewer than two arms, or no
            times where a start or restart is given.
        ParameterError: If a parameter is invalid.

    Examples:
        >>> import polars as pl
        >>> log = pl.DataFrame(
        ...     {
        ...         "session": range(8),
        ...         "user": [1, 1, 2, 3, 4, 4, 5, 6],
        ...         "query": "tv",
        ...         "position": 1,
        ...         "doc": "a",
        ...         "arm": ["A"] * 4 + ["B"] * 4,
        ...         "clicked": [0, 1, 0, 1, 1, 1, 1, 0],
        ...     }
        ... )
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     report = compare_arms(log)
        >>> [(one.arm, one.users, one.value) for one in report.rows if one.metric == "ctr"]
        [('A', 3, 0.5), ('B', 3, 0.75)]
    """
    check_fraction("level", level)
    check_choice("interval", interval, ("delta", "bootstrap"))
    resampling = Resampling(resamples, seed)
    traffic = read_traffic(sessions, baseline=baseline, start=start, restart=restart)
    users = {arm: traffic.of(arm) for arm in traffic.arms}
    history = bool(traffic.before)
    rows, missing = [], {}
    for metric in METRICS:
        reason = lacks(metric, traffic)
        if reason:
            missing[metric.name] = reason
            continue
        first: RatioEstimate | None = None
        for arm, part in users.items():
            estimate = metric.estimate(part)
            row = _row(metric, arm, part, estimate, level)
            if first is None:
                first = estimate
            else:
                row = _compared(row, first, estimate, level)
                if history:
                    row = _adjusted(row, metric, users[traffic.arms[0]], part, level)
            rows.append(row)
        if interval == "bootstrap":
            rows[-len(users) :] = _drawn(rows[-len(users) :], metric, users, level, resampling)
    notes = list(traffic.notes)
    if traffic.several:
        notes.append(Note("abtest-several", traffic.several, "warning", traffic.examples))
    if traffic.unassigned:
        notes.append(Note("abtest-unassigned", traffic.unassigned, "warning"))
    warn(notes)
    return ArmReport(
        rows=tuple(rows),
        missing=missing,
        arms={arm: part.height for arm, part in users.items()},
        interval=interval,
        level=level,
        history=history,
        unit=traffic.unit,
        source=traffic.source,
        notes=tuple(notes),
    )


def _known(bounds: Bounds, estimate: RatioEstimate) -> Bounds:
    """Returns an interval; none if users do not vary at all, which is not certainty."""
    return NONE if estimate.error == 0 else bounds


def _row(
    metric: Metric, arm: str, users: pl.DataFrame, estimate: RatioEstimate, level: float
) -> ArmMetric:
    above, below = metric.sums(users)
    sizes = ClusterSizes.of(below)
    rest = below - above if metric.name != "first-click" else above
    return ArmMetric(
        metric=metric.name,
        arm=arm,
        users=estimate.clusters,
        value=estimate.value,
        interval=_known(metric.interval(estimate, level), estimate),
        effective=sizes.effective,
        events=min(int((above > 0).sum()), int((rest > 0).sum())),
        influential=estimate.influence,
        largest=sizes.largest,
    )


def _compared(
    row: ArmMetric, first: RatioEstimate, second: RatioEstimate, level: float
) -> ArmMetric:
    found = difference_of(first, second)
    known = found.error > 0
    return replace(
        row,
        difference=found.value,
        difference_interval=found.interval(level) if known else NONE,
        p=found.p if known or found.value == 0 else math.nan,
    )


def _adjusted(
    row: ArmMetric, metric: Metric, first: pl.DataFrame, second: pl.DataFrame, level: float
) -> ArmMetric:
    found = adjusted_difference(metric, first, second)
    if math.isnan(found.difference.error):
        return row
    return replace(
        row,
        adjusted=found.difference.value,
        adjusted_interval=_known(found.difference.interval(level), found.difference),
        adjusted_p=found.difference.p,
        reduction=found.reduction,
    )


def _drawn(
    rows: list[ArmMetric],
    metric: Metric,
    users: dict[str, pl.DataFrame],
    level: float,
    resampling: Resampling,
) -> list[ArmMetric]:
    """Returns the rows with percentile intervals of a bootstrap of users."""
    drawn: list[NDArray[np.float64]] = []
    found = []
    for number, (row, part) in enumerate(zip(rows, users.values(), strict=True)):
        above, below = metric.sums(part)
        kept = below > 0
        # Each arm is drawn from a seed of its own: arms are independent.
        own = replace(resampling, seed=resampling.seed + number)
        drawn.append(resampled_ratios(above[kept], below[kept], own))
        count = min(len(drawn[0]), len(drawn[-1]))
        moved = drawn[-1][:count] - drawn[0][:count] if number else drawn[0][:0]
        found.append(
            replace(
                row,
                interval=_percentiles(drawn[-1], level),
                difference_interval=_percentiles(moved, level),
            )
        )
    return found


def _percentiles(drawn: NDArray[np.float64], level: float) -> Bounds:
    import numpy as np

    if not len(drawn):
        return NONE
    low, high = np.quantile(drawn, (0.5 - level / 2, 0.5 + level / 2))
    return (float(low), float(high)) if low < high else NONE
