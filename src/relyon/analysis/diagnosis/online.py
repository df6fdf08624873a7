"""Data from production: the metric, user behaviour, and how the experiment ran."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from os import PathLike, fspath
from typing import Any

from relyon.core.errors import InputError
from relyon.core.registry import suggestion
from relyon.core.texts import message
from relyon.data.scale import read_settings

__all__ = ["OnlineData", "Rate", "load_online"]


@dataclass(frozen=True)
class Rate:
    """Events out of trials, such as clicks out of impressions.

    Attributes:
        events: Number of events.
        trials: Number of trials.

    Raises:
        InputError: If the numbers are not 0 <= events <= trials, or there are no trials.

    Examples:
        >>> Rate(30, 1000).value
        0.03
    """

    events: float
    trials: float

    def __post_init__(self) -> None:
        for name in ("events", "trials"):
            _number(getattr(self, name), f"`{name}` of a rate")
        if not 0 <= self.events <= self.trials or self.trials == 0:
            raise InputError(
                message(
                    "analysis.rate-needs-0-events",
                    events=self.events,
                    trials=self.trials,
                )
            )

    @property
    def value(self) -> float:
        """The rate itself."""
        return self.events / self.trials


@dataclass(frozen=True, kw_only=True)
class OnlineData:
    """Data from production about a candidate; every part is optional.

    Attributes:
        metric: The name of the online metric.
        baseline: The metric of the baseline's bucket.
        candidate: The metric of the candidate's bucket.
        p: The p-value of their difference, if it was tested by user, as by `relyon abtest check`;
            None uses the test of two proportions, which assumes independent trials.
        labels: User actions, as {label: {query: {document: count or rate}}} with labels such as
            `click`, `cart`, `purchase`.
        buckets: Users (or sessions) of each bucket: {bucket: count}.
        planned: The planned share of each bucket; equal shares if empty.
        cold_start: Share of the traffic, or of the documents shown, without history:
            {"baseline": share, "candidate": share}.
        tiers: Traffic by tier: {tier: {"baseline": count, "candidate": count}}.
        shown: The candidate's lists as users saw them: {query: [document, …]}.

    Raises:
        InputError: If a part does not have this form.

    Examples:
        >>> data = OnlineData(baseline=Rate(300, 10_000), candidate=Rate(302, 10_000))
        >>> round(data.lift, 4)
        0.0002
    """

    metric: str = "CTR"
    baseline: Rate | None = None
    candidate: Rate | None = None
    p: float | None = None
    labels: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    buckets: Mapping[str, float] = field(default_factory=dict)
    planned: Mapping[str, float] = field(default_factory=dict)
    cold_start: Mapping[str, float] = field(default_factory=dict)
    tiers: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    shown: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.baseline is None) != (self.candidate is None):
            raise InputError(message("analysis.online-metric-needs-both"))
        for name in ("labels", "buckets", "planned", "cold_start", "tiers", "shown"):
            if not isinstance(getattr(self, name), Mapping):
                raise InputError(message("analysis.must-be-mapping", name=name))
        if self.p is not None and not 0 <= _number(self.p, "`p`") <= 1:
            raise InputError(message("analysis.p-must-be-0", p=self.p))
        if len(self.buckets) == 1:
            raise InputError(message("analysis.buckets-needs-at-least"))
        for bucket, count in self.buckets.items():
            _count(count, f"the bucket `{bucket}`")
        if self.buckets and not math.fsum(self.buckets.values()) > 0:
            raise InputError(message("analysis.buckets-are-all-empty"))
        if self.planned and self.planned.keys() != self.buckets.keys():
            raise InputError(message("analysis.planned-must-name-same"))
        for bucket, share in self.planned.items():
            if not _number(share, f"the planned share of `{bucket}`") > 0:
                raise InputError(
                    message(
                        "core.planned-share-of-must-be-above",
                        bucket=bucket,
                        share=share,
                    )
                )
        if self.cold_start:
            _sides(self.cold_start, "cold_start")
            for side, share in self.cold_start.items():
                if not 0 <= share <= 1:
                    raise InputError(
                        message(
                            "analysis.cold-start-of-must-be-0",
                            side=side,
                            share=share,
                        )
                    )
        for tier, counts in self.tiers.items():
            _sides(counts, f"the tier `{tier}`")
        for side in ("baseline", "candidate") if self.tiers else ():
            if not math.fsum(counts[side] for counts in self.tiers.values()) > 0:
                raise InputError(message("analysis.tiers-contain-no-traffic", side=side))
        for label, queries in self.labels.items():
            if not isinstance(queries, Mapping) or not all(
                isinstance(documents, Mapping) for documents in queries.values()
            ):
                raise InputError(message("analysis.label-must-be-query", label=label))
        for query, documents in self.shown.items():
            if isinstance(documents, str) or not isinstance(documents, Sequence):
                raise InputError(message("analysis.shown-of-query", query=query))

    @property
    def lift(self) -> float:
        """The candidate's metric minus the baseline's, NaN if unknown."""
        if self.baseline is None or self.candidate is None:
            return math.nan
        return self.candidate.value - self.baseline.value

    @property
    def lift_p(self) -> float:
        """Two-sided p-value of the lift: `p`, or of two proportions pooled; NaN if unknown."""
        if self.baseline is None or self.candidate is None:
            return math.nan
        if self.p is not None:
            return self.p
        one, two = self.baseline, self.candidate
        pooled = (one.events + two.events) / (one.trials + two.trials)
        variance = pooled * (1 - pooled) * (1 / one.trials + 1 / two.trials)
        if variance == 0:
            return 1.0
        return math.erfc(abs(self.lift) / math.sqrt(2 * variance))

    def lift_interval(self, confidence: float) -> tuple[float, float]:
        """Returns an interval of the lift; NaN if its error is unknown.

        The error is that of two independent proportions, or, with `p`, the one that gives this p.

        Args:
            confidence: Such as 0.9.

        Examples:
            >>> data = OnlineData(baseline=Rate(300, 10_000), candidate=Rate(302, 10_000))
            >>> low, high = data.lift_interval(0.9)
            >>> round(low, 4), round(high, 4)
            (-0.0038, 0.0042)
        """
        from relyon.analysis.statistics import normal_quantile

        if self.baseline is None or self.candidate is None:
            return math.nan, math.nan
        if self.p is None:
            error = math.sqrt(
                math.fsum(
                    one.value * (1 - one.value) / one.trials
                    for one in (self.baseline, self.candidate)
                )
            )
        elif 0 < self.p < 1 and self.lift:
            error = abs(self.lift) / normal_quantile(1 - self.p / 2)
        else:
            return math.nan, math.nan
        half = normal_quantile(0.5 + confidence / 2) * error
        return self.lift - half, self.lift + half

    @classmethod
    def from_dict(cls, values: Mapping[str, object]) -> OnlineData:
        """Converts the form of files: rates are {"events": …, "trials": …}.

        Raises:
            InputError: If a key is unknown or a part does not have its form.
        """
        known = [one.name for one in fields(cls)]
        parts: dict[str, Any] = {}  # which the constructor checks
        for name, value in values.items():
            if name not in known:
                raise InputError(
                    message("analysis.online-data-has-no", name=name),
                    hint=suggestion(str(name), known),
                )
            parts[name] = _rate(value, name) if name in {"baseline", "candidate"} else value
        return cls(**parts)


def load_online(source: str | PathLike[str] | Mapping[str, object] | OnlineData) -> OnlineData:
    """Returns online data from a TOML, JSON or YAML file, or a mapping of its parts.

    Raises:
        InputError: If the file cannot be read or does not have the form of `OnlineData`.
    """
    if isinstance(source, OnlineData):
        return source
    if isinstance(source, Mapping):
        return OnlineData.from_dict(source)
    path = fspath(source)
    try:
        return OnlineData.from_dict(read_settings(path))
    except InputError as error:
        if error.path:
            raise
        raise InputError(error.message, path=path, hint=error.hint) from None


def _rate(value: object, name: str) -> Rate:
    if isinstance(value, Rate):
        return value
    if not isinstance(value, Mapping) or set(value) != {"events", "trials"}:
        raise InputError(
            message("analysis.must-be-events", name=name),
            hint=message("analysis.clicks-and-impressions"),
        )
    return Rate(value["events"], value["trials"])


def _sides(values: object, name: str) -> None:
    if not isinstance(values, Mapping) or set(values) != {"baseline", "candidate"}:
        raise InputError(message("analysis.must-have-baseline", name=name))
    for side, value in values.items():
        _count(value, f"{name} of the {side}")


def _count(value: object, what: str) -> None:
    if _number(value, what) < 0:
        raise InputError(message("analysis.must-be-0", what=what, value=value))


def _number(value: object, what: str) -> float:
    if not isinstance(value, bool) and isinstance(value, int | float):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    raise InputError(message("analysis.must-be-number", what=what, value=str(value)[:40]))
