"""All rounds together: the trend, the last change, its causes and its alarms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number, note_dict
from relyon.core.errors import InputError
from relyon.core.language import Language
from relyon.core.notes import warn
from relyon.core.parameters import check_fraction, check_items, check_type
from relyon.core.texts import message
from relyon.data.convention import Convention, load_convention
from relyon.online.monitoring.archive import read_rounds
from relyon.online.monitoring.change_attribution import Losses, attribute_change, pool_judgments
from relyon.online.monitoring.changes import (
    compare_points,
)
from relyon.online.monitoring.monitor_document import monitor_document
from relyon.online.monitoring.month_notes import read_month_notes
from relyon.online.monitoring.points import month_points
from relyon.online.monitoring.powered_months import powered_month, powered_notes
from relyon.online.monitoring.query_values import query_values
from relyon.online.monitoring.round_notes import observe
from relyon.online.monitoring.rounds import Round, ranks_that_count
from relyon.online.monitoring.trend import Trend

if TYPE_CHECKING:
    import polars as pl

    from relyon.core.document.model import Document

__all__ = ["Monitor", "listed_rounds", "monitor"]


@dataclass(frozen=True, eq=False)
class Monitor(Trend, Exportable):
    """Monthly quality of the results users saw.

    Attributes:
        months: The months, the earliest first.
        tiers: The tiers of the last month, the most frequent queries first.
        depths: Ranks that count, by tier: those of the last month, for all months.
        common_k: Ranks that count where tiers are compared and put together.
        points: One per month, tier and depth.
        changes: One for each two months that follow each other, tier and depth.
        losses: Where the changes to the last month come from: for all tiers together at the common
            k, and for each tier at its own.
        queries: Every sampled query of the last month, the worst first: `query`, `tier`,
            `sessions`, `sampled`, `dcg` and `ndcg` at the common k, `before`, `change`.
        convention: The rules.
        confidence: Confidence level of the intervals.
        alpha: The level of the tests.
        notes: What was noticed about the rounds.
        month_notes: What people noted on the months, the earliest first.
        powered: The mean DCG of months with a model's grades beside people's, at the common k.

    Examples:
        >>> import polars as pl, relyon
        >>> log = pl.DataFrame({
        ...     "session": [f"s{i}" for i in range(40)],
        ...     "query": [f"q{i % 20}" for i in range(40)],
        ...     "position": [1] * 40, "doc": ["good", "bad"] * 20,
        ... })
        >>> rounds = []
        >>> for month, good in [("2026-03", 3), ("2026-04", 1)]:
        ...     sample = relyon.draw_sample(log, per_tier=40, cuts=[], names=["every"])
        ...     grades = {f"q{i}": {"good": good + i % 3, "bad": 1} for i in range(20)}
        ...     rounds.append(relyon.create_round(month, sample, grades))
        >>> found = relyon.monitor(rounds)
        >>> [(alarm.kind, alarm.tier) for alarm in found.alarms()]
        [('fell', 'all'), ('recall', 'all'), ('fell', 'every'), ('recall', 'every')]
    """

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per month, tier and depth, with the change to the month before."""
        import polars as pl

        rows = []
        for point in self.points:
            change = self.change(point.tier, point.depth, point.month)
            rows.append(
                {
                    "month": point.month,
                    "tier": point.tier,
                    "depth": point.depth,
                    "k": point.k,
                    "dcg": point.dcg.value,
                    "dcg_low": point.dcg.interval[0],
                    "dcg_high": point.dcg.interval[1],
                    "dcg_error": point.dcg.standard_error,
                    "ndcg": point.ndcg.value,
                    "ndcg_low": point.ndcg.interval[0],
                    "ndcg_high": point.ndcg.interval[1],
                    "judged": point.judged,
                    "sessions": point.sessions,
                    "share": point.share,
                    "sampled": point.sampled,
                    "left_out": point.left_out,
                    "empty": point.empty,
                    "change": change.dcg.value if change else math.nan,
                    "change_low": change.dcg.interval[0] if change else math.nan,
                    "change_high": change.dcg.interval[1] if change else math.nan,
                    "p": change.dcg.p if change else math.nan,
                    "p_adjusted": change.p_adjusted if change else math.nan,
                    "detectable": change.dcg.detectable if change else math.nan,
                    "verdict": change.verdict if change else None,
                }
            )
        frame = pl.DataFrame(rows, infer_schema_length=None)
        return frame.with_columns(pl.col(pl.Float64).fill_nan(None))

    def to_dict(self, *, queries: int = 10) -> dict[str, object]:
        """Returns JSON-ready values.

        Args:
            queries: How many of the worst, and of those that fell most.
        """
        return {
            "months": list(self.months),
            "tiers": list(self.tiers),
            "k": dict(self.depths),
            "common_k": self.common_k,
            "confidence": self.confidence,
            "alpha": self.alpha,
            "points": [point.to_dict() for point in self.points],
            "changes": [change.to_dict() for change in self.changes],
            "losses": [one.to_dict() for one in self.losses],
            "alarms": [alarm.to_dict() for alarm in self.alarms()],
            "detectable": {
                "all": json_number(self.detectable("all", "common")),
                **{tier: json_number(self.detectable(tier)) for tier in self.tiers},
            },
            "since_first": {
                tier: one.to_dict()
                for tier, depth in self.alert_series
                if (one := self.since_first(tier, depth)) is not None
            },
            "past_changes": {
                tier: past.to_dict()
                for tier, depth in self.alert_series
                if (past := self.past_changes(tier, depth)) is not None
            },
            "worst": self.worst(queries).to_dicts(),
            "largest_drops": self.largest_drops(queries).to_dicts(),
            "convention": self.convention.to_dict(),
            "notes": [note_dict(note) for note in self.notes],
            "month_notes": [note.to_dict() for note in self.month_notes],
            "powered": [one.to_dict() for one in self.powered],
        }

    def document(self, language: Language = "en", *, queries: int = 5) -> Document:
        """Returns the monitor for people.

        Args:
            language: `en` or `zh`.
            queries: How many of the worst, and of those that fell most.

        Raises:
            ParameterError: If the language is neither.
        """
        return monitor_document(self, language, queries)

    def to_markdown(self, language: Language = "en", *, queries: int = 10) -> str:
        """Returns the monitor as Markdown.

        Args:
            language: `en` or `zh`.
            queries: How many of the worst, and of those that fell most.

        Raises:
            ParameterError: If the language is neither.
        """
        return super().to_markdown(language, queries=queries)

    def __repr__(self) -> str:
        return f"Monitor({self.months[0]!r} to {self.months[-1]!r}, alarms={len(self.alarms())})"


def monitor(
    rounds: str | PathLike[str] | Iterable[Round],
    *,
    convention: Convention | str | Mapping[str, object] | None = None,
    k: int | Mapping[str, int] | None = None,
    common_k: int | None = None,
    confidence: float = 0.95,
    alpha: float = 0.05,
) -> Monitor:
    """Evaluates all rounds under the same rules and compares each with the one before.

    Args:
        rounds: A folder of rounds, with the notes on its months; or rounds from
            `relyon.create_round`.
        convention: The rules; `None` takes the last round's.
        k: Ranks that count, for all tiers or by tier; `None` takes the last round's.
        common_k: Ranks that count where tiers are compared; `None` takes the least common k of all
            rounds.
        confidence: Confidence level of the intervals.
        alpha: The level of the tests.

    Returns:
        A `Monitor`: `.points`, `.changes`, `.losses`, `.alarms()`, `.worst()`, `.largest_drops()`.

    Raises:
        InputError: If there is no round, two are of the same month, or one was changed.
        ParameterError: If an option has an invalid value.

    Examples:
        >>> import polars as pl, relyon
        >>> log = pl.DataFrame({"session": ["s"], "query": ["tv"], "position": [1], "doc": ["a"]})
        >>> made = relyon.create_round("2026-03", relyon.draw_sample(log), {"tv": {"a": 3}})
        >>> relyon.monitor([made]).series("all", "common")[0].dcg.value
        3.0
    """
    for name, value in (("confidence", confidence), ("alpha", alpha)):
        check_fraction(name, value)
    found = listed_rounds(rounds)
    last = found[-1]
    rules = last.convention if convention is None else load_convention(convention)
    depths, common = ranks_that_count(found, k, common_k)
    by_month = [
        month_points(
            one,
            {tier: depth for tier, depth in depths.items() if one.deepest(tier) >= depth},
            common,
            rules,
            confidence,
        )
        for one in found
    ]
    changes = [
        change
        for before, after in pairwise(by_month)
        for change in compare_points(before, after, confidence=confidence, alpha=alpha)
    ]
    losses: list[Losses] = []
    if len(found) > 1:
        pooled = pool_judgments(found)
        losses = [
            attribute_change(
                found[-2], last, pooled, one.k, rules, tier=one.tier, confidence=confidence,
                alpha=alpha,
            )
            for one in changes
            if one.can_alarm and one.after.month == last.month
        ]  # fmt: skip
    before = found[-2] if len(found) > 1 else None
    points = [point for points in by_month for point in points]
    powered = tuple(
        month for one in found if (month := powered_month(one, common, rules, confidence))
    )
    notes = tuple(observe(found, points, depths, rules, explicit=convention is not None))
    notes = (*notes, *powered_notes(powered))
    warn(notes)
    return Monitor(
        months=tuple(one.month for one in found),
        tiers=last.tiers,
        depths=depths,
        common_k=common,
        points=tuple(points),
        changes=tuple(changes),
        losses=tuple(losses),
        queries=query_values(last, before, common, rules),
        convention=rules,
        confidence=confidence,
        alpha=alpha,
        notes=notes,
        month_notes=tuple(
            read_month_notes(rounds, [one.month for one in found])
            if isinstance(rounds, str | PathLike)
            else ()
        ),
        powered=powered,
    )


def listed_rounds(rounds: str | PathLike[str] | Iterable[Round]) -> list[Round]:
    """Returns rounds, or those of a folder, the earliest first.

    Raises:
        InputError: If there is none, or two are of the same month.
    """
    if isinstance(rounds, str | PathLike):
        return read_rounds(rounds)
    expected = "a folder of rounds, or rounds"
    listed = check_items("rounds", rounds, expected)
    for one in listed:
        check_type("rounds", one, Round, expected)
    found = sorted(listed, key=lambda one: one.month)
    if not found:
        raise InputError(
            message("online.there-is-no-round"), hint=message("online.relyon-create-round-makes")
        )
    for one, other in pairwise(found):
        if one.month == other.month:
            raise InputError(message("online.two-rounds-are-of-month", month=one.month))
    return found
