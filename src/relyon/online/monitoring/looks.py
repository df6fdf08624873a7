"""A month looked at every day while it is graded: its mean so far, and its change, always valid."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING

from relyon.analysis.statistics import PER_UNIT, adjust, mixture_half, mixture_p
from relyon.core.document.exportable import Exportable
from relyon.core.errors import ParameterError
from relyon.core.language import Language
from relyon.core.parameters import check_fraction, check_whole
from relyon.core.texts import message
from relyon.data.convention import Convention, load_convention
from relyon.online.monitoring.graded_month import GradedMonth
from relyon.online.monitoring.look_document import look_document
from relyon.online.monitoring.looked_month import LookedMonth, LookVerdict, TierLook
from relyon.online.monitoring.month_variance import nothing, renamed, spread
from relyon.online.monitoring.points import ALL, Depth
from relyon.online.monitoring.rounds import Round, ranks_that_count
from relyon.online.monitoring.timeline import listed_rounds

if TYPE_CHECKING:
    import polars as pl

    from relyon.core.document.model import Document

__all__ = ["MonthLook", "look_at_month", "look_at_tier", "with_verdicts"]


@dataclass(frozen=True, eq=False)
class MonthLook(LookedMonth, Exportable):
    """One look at a month.

    Attributes:
        month: The month, finished or not.
        before: The month it is compared with; empty without one.
        tiers: All tiers together at the common k, then each tier at its own.
        watched_months: The months over which all looks together raise a false alarm with
            probability alpha at most.
        alpha: That probability.
        confidence: Of the intervals.
        convention: The rules.

    Examples:
        >>> import polars as pl, relyon
        >>> log = pl.DataFrame({
        ...     "session": [f"s{i}" for i in range(80)], "query": [f"q{i % 40}" for i in range(80)],
        ...     "position": [1] * 80, "doc": ["a", "b"] * 40,
        ... })
        >>> sample = relyon.draw_sample(log, per_tier=80, cuts=[], names=["every"])
        >>> grades = {f"q{i}": {"a": 2 + i % 3, "b": 1} for i in range(40)}
        >>> first = relyon.create_round("2026-03", sample, grades)
        >>> some = {f"q{i}": {"a": i % 3, "b": 0} for i in range(30)}
        >>> found = relyon.look_at_month([first, relyon.create_round("2026-04", sample, some)])
        >>> [(one.tier, one.graded, one.verdict) for one in found.tiers]
        [('all', 30, 'fell'), ('every', 30, 'fell')]
    """

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "month": self.month,
            "before": self.before or None,
            "tiers": [one.to_dict() for one in self.tiers],
            "watched_months": self.watched_months,
            "alpha": self.alpha,
            "confidence": self.confidence,
            "convention": self.convention.to_dict(),
        }

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per tier."""
        import polars as pl

        rows = []
        for one in self.tiers:
            row = {name: value for name, value in vars(one).items() if "interval" not in name}
            row["low"], row["high"] = one.interval
            row["change_low"], row["change_high"] = one.change_interval
            rows.append(row)
        frame = pl.DataFrame(rows, infer_schema_length=None)
        return frame.with_columns(pl.col(pl.Float64).fill_nan(None))

    def document(self, language: Language = "en") -> Document:
        """Returns the look for people.

        Args:
            language: `en` or `zh`.

        Raises:
            ParameterError: If the language is neither.
        """
        return look_document(self, language)


def look_at_month(
    rounds: str | PathLike[str] | Iterable[Round],
    unfinished: Round | None = None,
    *,
    convention: Convention | str | Mapping[str, object] | None = None,
    k: int | Mapping[str, int] | None = None,
    common_k: int | None = None,
    confidence: float = 0.95,
    alpha: float = 0.05,
    watched_months: int = 12,
) -> MonthLook:
    """Looks at the last month, as often as one likes while its sample is graded.

    A session counts when all results that it was shown down to k are graded, in both months; a
    session that was shown nothing counts 0, in the pace at which the others of its tier are graded.
    Each tier's mean is over its sessions that count, and tiers are weighted by their traffic, so
    that it does not matter which tier is graded first. Within a tier, queries must be graded in an
    order that has nothing to do with their quality: if the graded ones are searched for more often
    than the others, or have longer lists, nothing is tested.

    The change D from the month before has the error s of `relyon.monitor`, with queries as what
    varies. With S the error of the month before alone, known before the first look,

        p = √(1 + x) exp(-z² x / (2 (1 + x))),  x = 16 S² / s²,

    for z the normal deviate of D / s (`mixture_p`): it is at most α at any of the month's looks
    with probability α at most if nothing changed and means are nearly normal, which is why the
    first look waits for 20 graded queries. p times the watched months is below α at any look of
    all of them with probability α at most.

    Args:
        rounds: As for `relyon.monitor`.
        unfinished: The month that is being graded, if it is not among the rounds: of
            `relyon.create_round` with the whole sample and the grades so far.
        convention: As for `relyon.monitor`.
        k: As for `relyon.monitor`.
        common_k: As for `relyon.monitor`.
        confidence: Of the intervals.
        alpha: The probability of a false alarm, over all looks at all watched months.
        watched_months: Their number.

    Returns:
        A `MonthLook`: `.tiers`, `.drops`.

    Raises:
        InputError: If there is no round, two are of the same month, or one was changed.
        ParameterError: If an option has an invalid value, or `unfinished` is not the last month.

    Examples:
        >>> import polars as pl, relyon
        >>> log = pl.DataFrame({
        ...     "session": [f"s{i}" for i in range(40)], "query": [f"q{i}" for i in range(40)],
        ...     "position": [1] * 40, "doc": ["a"] * 40,
        ... })
        >>> sample = relyon.draw_sample(log, per_tier=40, cuts=[], names=["every"])
        >>> grades = {f"q{i}": {"a": i % 4} for i in range(40)}
        >>> look = relyon.look_at_month([relyon.create_round("2026-03", sample, grades)])
        >>> look.tiers[0].mean, look.tiers[0].untested
        (1.5, 'no-month-before')

    References:
        Robbins (1970), Annals of Mathematical Statistics 41(5); Waudby-Smith, Arbour, Sinha,
        Kennedy and Ramdas (2024), Annals of Statistics 52(6).
    """
    for name, value in (("confidence", confidence), ("alpha", alpha)):
        check_fraction(name, value)
    check_whole("watched_months", watched_months)
    found = listed_rounds(rounds)
    if unfinished is not None:
        if found[-1].month >= unfinished.month:
            raise ParameterError(
                message(
                    "online.unfinished-is-not-last", month=unfinished.month, last=found[-1].month
                ),
                hint=message("online.look-without-month"),
            )
        found.append(unfinished)
    last, before = found[-1], found[-2] if len(found) > 1 else None
    rules = last.convention if convention is None else load_convention(convention)
    depths, common = ranks_that_count(found, k, common_k)
    months = [] if before is None else [GradedMonth.of(before, rules, depths, common)]
    months.append(GradedMonth.of(last, rules, depths, common))
    level = 1 - (1 - confidence) / watched_months
    looks = [look_at_tier(ALL, "common", months, confidence, level)]
    looks += [look_at_tier(tier, "tier", months, confidence, level) for tier in last.tiers]
    return MonthLook(
        last.month,
        "" if before is None else before.month,
        tuple(with_verdicts(looks, alpha, watched_months)),
        watched_months,
        alpha,
        confidence,
        rules,
    )


def look_at_tier(
    tier: str, depth: Depth, months: Sequence[GradedMonth], confidence: float, level: float
) -> TierLook:
    """Returns a look at one tier, with the p-value of this month alone.

    Args:
        tier: The tier, or `all`.
        depth: Whose depth counts.
        months: The month before, if there is one, and the last one.
        confidence: Of the interval of the mean.
        level: Of the interval of the change.
    """
    last, key = months[-1], (tier, depth)
    mean = last.means.get(key, nothing())
    found = TierLook(
        tier,
        depth,
        last.ks[key],
        last.graded[key],
        last.sampled[key],
        mean.value,
        (math.nan, math.nan),
    )
    missing = last.missing(tier, depth)
    if missing:
        return replace(found, untested=missing)
    own = spread(mean, renamed(mean))
    earlier = months[0].means.get(key) if len(months) > 1 else None
    if earlier is not None and (months[0].ks.get(key) != last.ks[key]):
        earlier = None
    apart = None if earlier is None else spread(earlier, renamed(earlier))
    units = PER_UNIT * last.graded[key]
    if own.error > 0:
        # A mean has half the variance of the difference of two like it.
        known = apart is not None and apart.error > 0
        x = 8 * (apart.error / own.error) ** 2 if apart is not None and known else units
        half = mixture_half(own.error / math.sqrt(2), own.degrees_of_freedom, x, confidence)
        found = replace(found, interval=(mean.value - half, mean.value + half))
    if earlier is None or apart is None:
        return replace(found, untested="no-month-before")
    missing = months[0].missing(tier, depth)
    if missing:
        return replace(found, before=earlier.value, untested=missing)
    error = spread(earlier, mean)
    found = replace(found, before=earlier.value, change=mean.value - earlier.value)
    if not (error.error > 0 and apart.error > 0):
        return replace(found, untested="no-error")
    x = 8 * (apart.error / error.error) ** 2
    half = mixture_half(error.error, error.degrees_of_freedom, x, level)
    return replace(
        found,
        change_interval=(found.change - half, found.change + half),
        p=mixture_p(found.change, error.error, error.degrees_of_freedom, x),
    )


def with_verdicts(looks: Sequence[TierLook], alpha: float, months: int) -> list[TierLook]:
    """Returns looks with corrected p-values and verdicts.

    References:
        Holm (1979), Scandinavian Journal of Statistics 6(2).
    """
    tested = [place for place, one in enumerate(looks) if not math.isnan(one.p)]
    found = list(looks)
    adjusted = adjust([looks[one].p for one in tested], "holm")
    for place, p_value in zip(tested, adjusted, strict=True):
        one, p = found[place], min(1.0, months * p_value)
        verdict: LookVerdict = "undecided"
        if p <= alpha and one.change:
            verdict = "fell" if one.change < 0 else "rose"
        found[place] = replace(one, p_adjusted=p, verdict=verdict)
    return found
