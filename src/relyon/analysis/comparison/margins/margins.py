"""The smallest difference that matters: whether a loss or a gain of it is ruled out.

With D the difference, signed so that a gain is positive, and a margin M > 0: "not worse" is D > -M,
by the deciding test of the comparison applied to the differences + M, and "not better" is D < M.
Both together are equivalence: two one-sided tests, each at α / 2.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.analysis.comparison.anytime import moved_p
from relyon.analysis.comparison.contrast import UNTESTED, gain_sign
from relyon.analysis.comparison.margins.amounts import Amount
from relyon.analysis.comparison.margins.facts import Margin, NoMargin
from relyon.analysis.comparison.outcomes import Bootstraps, outcomes
from relyon.analysis.comparison.pooled.ratio import is_pooled_ratio, shifted_ratio_p
from relyon.core.errors import ParameterError, UnknownNameError
from relyon.core.texts import message
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    from relyon.analysis.comparison.contrast import Contrast
    from relyon.analysis.comparison.pairing import Pairing
    from relyon.analysis.comparison.settings import Settings

__all__ = ["check_reachable", "margin_amounts", "margins", "unseen_change"]


def margin_amounts(
    given: Mapping[str, float | str], measures: Sequence[str], described: Collection[str] = ()
) -> dict[str, Amount]:
    """Returns the margins by the names of the compared measures.

    Args:
        given: By measure, as numbers or shares of the baseline's number such as "2%".
        measures: The names of all measures.
        described: Those that are not tested.

    Raises:
        UnknownNameError: If a measure was not compared.
        ParameterError: If a margin is not a number from 0 up, or a measure is not tested.

    Examples:
        >>> margin_amounts({"NDCG@10": 0.01}, ["ndcg@10"])["ndcg@10"].number
        0.01
    """
    measures, found = list(dict.fromkeys(measures)), {}
    for name, value in given.items():
        key = name if name in measures else str(parse_measure(name))
        if key not in measures:
            raise UnknownNameError(
                message("analysis.margin-was-not-compared", key=key),
                hint=message("analysis.there-are-measures", measures=measures),
            )
        if key in described:
            raise ParameterError(
                message("analysis.margin-of-data", key=key, untested=message(UNTESTED)),
                hint=message("cli.name-measure-of-quality"),
            )
        amount = Amount.of(value, zero=True)
        if amount is None:
            raise ParameterError(
                message("analysis.is-not-margin", measure=key, value=str(value)),
                hint=message("analysis.write-number-above-0"),
            )
        found[key] = amount
    return found


def margins(
    contrasts: Sequence[Contrast],
    pairings: Sequence[Pairing],
    amounts: Mapping[str, Amount],
    settings: Settings,
) -> list[Margin | None]:
    """Returns what each contrast shows about its margin; None without one.

    The p-values of one side are corrected over the contrasts with a margin. A margin of 0 is the
    comparison's own test, with its own correction.

    Args:
        contrasts: The contrasts, with corrected p-values.
        pairings: The two runs of each.
        amounts: The margins by measure.
        settings: The settings of the tests.
    """
    from relyon.analysis.statistics import adjust, is_significant

    tried = {
        place: _Tried.of(one, pairing, amounts[one.measure], settings)
        for place, (one, pairing) in enumerate(zip(contrasts, pairings, strict=True))
        if one.tested and one.measure in amounts
    }
    drawn = Bootstraps([each for one in tried.values() for each in one.moved], settings.draws)
    p_values = {place: one.p_values(drawn) for place, one in tried.items()}
    family = [place for place, one in tried.items() if one.size > 0]
    sides = [
        adjust([p_values[place][side] for place in family], settings.correction) for side in (0, 1)
    ]
    adjusted = dict(zip(family, zip(*sides, strict=True), strict=True))
    found: list[Margin | None] = [None] * len(contrasts)
    for place, one in tried.items():
        corrected = adjusted.get(place) or one.own(one.contrast.p_adjusted)
        shown = [is_significant(one.contrast.units, p, settings.alpha) for p in corrected]
        found[place] = one.told(p_values[place], corrected, shown)
    return found


def unseen_change(pairing: Pairing, units: int, alpha: float) -> float:
    """Returns what queries that were not seen to change may move a mean by; NaN if unlimited.

    If none of n queries changed, at most the share 1 - (α / 2)^(1 / n) of such queries does, with
    confidence 1 - α / 2; each moves by the measure's range at most.

    Args:
        pairing: The two runs.
        units: n, the independent differences: queries, or their clusters.
        alpha: α.
    """
    try:
        low, high = parse_measure(pairing.measure).bounds
    except (LookupError, ValueError):
        return math.nan
    if not units or not math.isfinite(high - low):
        return math.nan
    scale = len(pairing.queries) if pairing.average == "sum" else 1
    return float((high - low) * scale * -math.expm1(math.log(alpha / 2) / units))


@dataclass(frozen=True)
class _Tried:
    """The tests of one contrast's margin.

    Attributes:
        contrast: The contrast.
        pairing: The two runs.
        size: The margin.
        share: The margin as a share of the baseline's number, if it was given as one.
        settings: The settings of the tests.
        unseen: What unseen changes may move the mean by, if fewer than six queries changed.
        unknown: Why neither side can be tested.
        moved: The pairing with the differences + M, and with the differences - M.
    """

    contrast: Contrast
    pairing: Pairing
    size: float
    share: float
    settings: Settings
    unseen: float = 0.0
    unknown: NoMargin = ""
    moved: tuple[Pairing, ...] = ()

    @classmethod
    def of(cls, one: Contrast, pairing: Pairing, amount: Amount, settings: Settings) -> _Tried:
        from relyon.analysis.statistics import ENOUGH_QUERIES

        size = amount.value(one)
        made = cls(one, pairing, size, amount.number if amount.relative else math.nan, settings)
        if one.few:
            return replace(made, unknown="few-queries")
        if settings.always_valid:
            return made
        if one.changed_units < ENOUGH_QUERIES and size > 0:
            unseen = unseen_change(pairing, one.units, settings.alpha)
            unseen = math.nan if made.pooled else unseen
            if math.isnan(unseen):
                return replace(made, unseen=unseen, unknown="few-changed")
            made = replace(made, unseen=unseen)
        if size > made.unseen and one.changed and not made.pooled:
            return replace(made, moved=tuple(_moved(pairing, move) for move in made.moves))
        return made

    @property
    def gain(self) -> float:
        """D: the difference, signed so that a gain is positive."""
        return gain_sign(self.contrast.measure) * self.contrast.difference

    @property
    def pooled(self) -> bool:
        """Whether the number is pooled over queries, so that there are no differences to shift."""
        return self.pairing.pools is not None or is_pooled_ratio(self.pairing)

    @property
    def test(self) -> str:
        """The name of the test."""
        if self.settings.always_valid:
            return self.contrast.test
        if self.size > 0 and self.pooled:
            return "draws" if self.pairing.pools is not None else "jackknife"
        return "t" if self.settings.test == "tukey" else self.contrast.test

    @property
    def moves(self) -> tuple[float, float]:
        """What is added to D on each side: M, then -M, less what may be unseen."""
        return self.size - self.unseen, self.unseen - self.size

    def own(self, p: float) -> tuple[float, float]:
        """Returns the p-value of the difference itself, for each of its two directions."""
        return (p if self.gain > 0 else 1.0), (p if self.gain < 0 else 1.0)

    def p_values(self, drawn: Bootstraps) -> tuple[float, float]:
        """Returns the p-values of D + M and of D - M; NaN if unknown."""
        if self.unknown:
            return math.nan, math.nan
        if not self.size > 0:
            return self.own(self.contrast.p)
        if self.settings.always_valid:
            return self._looked()
        if not self.contrast.changed:
            return self._unchanged()
        if self.pooled:
            return self._pooled()
        if not self.size > self.unseen:
            return 1.0, 1.0
        found = []
        for pairing, move in zip(self.moved, self.moves, strict=True):
            p = outcomes(pairing, self.settings.draws, drawn)[0][self.test]
            held = (self.gain + move) * move > 0
            found.append(p if held or math.isnan(p) else 1.0)
        return found[0], found[1]

    def _looked(self) -> tuple[float, float]:
        """Returns the always-valid p-values of D + M and of D - M."""
        sign, found = gain_sign(self.contrast.measure), []
        for move in self.moves:
            p = moved_p(self.pairing, self.settings, -sign * move)
            found.append(p if (self.gain + move) * move > 0 else 1.0)
        return found[0], found[1]

    def _unchanged(self) -> tuple[float, float]:
        """Returns 2 (1 - M / R)^n: the chance that no query changed, though a mean of M is lost.

        R is the range of the measure: the fewer queries lose M on average, the more each loses.
        """
        count = self.contrast.units
        whole = unseen_change(self.pairing, count, self.settings.alpha)
        span = whole / -math.expm1(math.log(self.settings.alpha / 2) / count)
        p = min(2 * max(1 - self.size / span, 0.0) ** count, 1.0)
        return p, p

    def _pooled(self) -> tuple[float, float]:
        sign = gain_sign(self.contrast.measure)
        found = []
        for side in (1, -1):
            move = -sign * side * self.size
            if self.pairing.pools is not None:
                statistic, p = _drawn_p(self.pairing, move, self.settings)
            else:
                statistic, p = shifted_ratio_p(self.pairing, move)
            held = sign * side * statistic > 0
            found.append(p if held or math.isnan(p) else 1.0)
        return found[0], found[1]

    def told(
        self, p: tuple[float, float], adjusted: tuple[float, float], shown: Sequence[bool]
    ) -> Margin:
        """Returns the statement."""
        low, high = self.contrast.interval
        if gain_sign(self.contrast.measure) < 0:
            low, high = -high, -low
        unseen = self.unseen
        if unseen:
            level = 1 - self.settings.confidence
            unseen = unseen_change(self.pairing, self.contrast.units, level)
            if not self.contrast.changed:
                low = high = 0.0
        unknown: NoMargin = self.unknown or ("no-error" if math.isnan(p[0]) else "")
        return Margin(
            size=self.size,
            share=self.share,
            test=self.test,
            p_not_worse=p[0],
            p_not_better=p[1],
            p_not_worse_adjusted=adjusted[0],
            p_not_better_adjusted=adjusted[1],
            not_worse=shown[0],
            not_better=shown[1],
            loss=unseen - low,
            gain=high + unseen,
            few=bool(self.unseen),
            unknown=unknown,
        )


def _moved(pairing: Pairing, move: float) -> Pairing:
    """Returns a pairing whose differences are moved, and are those of a plain mean."""
    from relyon.analysis.statistics.paired import tidy

    sign = gain_sign(pairing.measure)
    moved = tidy(pairing.differences + sign * move)
    return replace(pairing, differences=moved, ratio=None, parts=(), without=())


def _drawn_p(pairing: Pairing, shift: float, settings: Settings) -> tuple[float, float]:
    """Returns t and its two-sided p for a pooled AUC's difference, less a shift.

    The standard error is that of draws of whole queries, with n - 1 degrees of freedom, as in the
    interval `t` of the difference.
    """
    from relyon.analysis import statistics

    if pairing.pools is None:
        return math.nan, math.nan
    freedom = len(pairing.queries) - 1
    low, high = statistics.pooled_interval("t", *pairing.pools, 0.95, settings.draws)
    error = (high - low) / 2 / statistics.student_quantile(freedom, 0.975)
    if not error > 0:
        return math.nan, math.nan
    statistic = (pairing.difference - shift) / error
    return statistic, max(2 * statistics.student(freedom, -abs(statistic)), math.ulp(0.0))


def check_reachable(one: Contrast) -> None:
    """Refuses a margin that no loss could reach, given the limits of the measure.

    Raises:
        ParameterError: If it is.
    """
    if one.margin is None:
        return
    size = one.margin.size
    base = one.baseline_mean
    try:
        least, most = parse_measure(one.measure).bounds
    except (LookupError, ValueError):
        return
    room = base - least if gain_sign(one.measure) > 0 else most - base
    if one.average == "sum" or not math.isfinite(room) or not 0 < room <= size:
        return
    percent = size if 1 <= size < 100 else 2
    raise ParameterError(
        message(
            "analysis.margin-is-too-large",
            value=f"{size:g}",
            measure=one.measure,
            before=base,
        ),
        hint=message(
            "analysis.write-percent-or-number",
            percent=f"{percent:g}%",
            number=f"{percent * abs(base) / 100:.2g}",
        ),
    )
