"""Months with few human grades: the mean of DCG from people's grades and a model's of all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.statistics import PredictionPowered, prediction_powered
from relyon.core.document.json import json_number
from relyon.core.document.model import Block, Lines, Section, Table
from relyon.core.notes import Note
from relyon.core.texts import Catalogue
from relyon.data.convention import Convention
from relyon.online.monitoring.session_values import session_values

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import polars as pl

    from relyon.online.monitoring.rounds import Round

__all__ = ["PoweredMonth", "powered_month", "powered_notes", "powered_section"]


@dataclass(frozen=True)
class PoweredMonth:
    """One month's mean DCG from few human grades and a model's of all sampled sessions.

    Attributes:
        month: Such as `2026-03`.
        k: Ranks that count, in all tiers.
        powered: The mean over all tiers, weighted by traffic, with its intervals. Labelled are
            sessions with a human grade for each result shown down to k.
        incomplete: Sessions with some human grades that are not labelled.
        ungraded: Sessions that the model did not grade down to k: left out.
    """

    month: str
    k: int
    powered: PredictionPowered
    incomplete: int
    ungraded: int

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: NaN becomes null."""
        one = self.powered
        return {
            "month": self.month,
            "k": self.k,
            "value": json_number(one.estimate),
            "interval": [json_number(one.low), json_number(one.high)],
            "human": json_number(one.classical_estimate),
            "human_interval": [json_number(bound) for bound in one.classical],
            "model": json_number(one.model_mean),
            "weight": one.weight,
            "labelled": one.labelled,
            "sessions": one.total,
            "worth": json_number(one.worth),
            "alone": one.alone or None,
            "shift_p": json_number(one.shift_p),
            "incomplete": self.incomplete,
            "ungraded": self.ungraded,
        }


def powered_month(
    one: Round, common_k: int, convention: Convention, confidence: float
) -> PoweredMonth | None:
    """Returns a month's mean by both kinds of grades; None without a model's grades.

    The labelled sessions must be a random sample of those sampled in each tier. Sessions of one
    query depend on each other. The interval is about sessions like those of the month, not only
    about those that came.

    Args:
        one: The round.
        common_k: Ranks that count, in all tiers.
        convention: The rules.
        confidence: The level of the intervals.

    Returns:
        None too if a tier of the sample has no labelled session.
    """
    if one.model_judgments is None:
        return None
    depths = dict.fromkeys(one.depths, common_k)
    people = session_values(one.sample, one.judgments, convention, depths)
    model = session_values(one.sample, one.model_judgments, convention, depths)
    human = _complete(people)
    every = _complete(model)
    sessions = {row[0]: (row[1], row[2]) for row in model.select(KEYS).iter_rows()}
    labelled = sorted(human.keys() & every.keys())
    order = sorted(every)
    tiers = {sessions[session][1] for session in order}
    if tiers - {sessions[session][1] for session in labelled} or not labelled:
        return None
    stratified = one.sample.design != "pptss"
    total = sum(tier.sessions for tier in one.sample.tiers if tier.name in tiers)
    shares: dict[Hashable, float] = {
        tier.name: tier.sessions / total for tier in one.sample.tiers if tier.name in tiers
    }
    found = prediction_powered(
        [human[session] for session in labelled],
        [every[session] for session in labelled],
        [every[session] for session in order],
        strata=_of(sessions, labelled, order, 1) if stratified else None,
        clusters=_of(sessions, labelled, order, 0),
        shares=shares if stratified else None,
        confidence=confidence,
    )
    judged = sum(count > 0 for count in people["judged"].to_list())
    whole = sum(count > 0 for count in _judged(people))
    return PoweredMonth(one.month, common_k, found, judged - whole, len(model) - len(every))


#: The level of the test that labelled sessions are a random sample, over all months together.
LEVEL = 0.05
KEYS = ("session", "query", "tier")


def _complete(values: pl.DataFrame) -> dict[str, float]:
    """Returns the DCG of sessions whose results down to k are all judged; of empty ones 0."""
    import polars as pl

    kept = values.filter((pl.col("judged") == pl.col("shown")) & pl.col("dcg").is_not_null())
    return dict(kept.select("session", "dcg").iter_rows())


def _judged(values: pl.DataFrame) -> list[int]:
    """Returns how many results are judged, of sessions of which all are."""
    import polars as pl

    return values.filter(pl.col("judged") == pl.col("shown"))["judged"].to_list()


def _of(
    sessions: dict[str, tuple[str, str]], labelled: list[str], order: list[str], place: int
) -> tuple[list[str], list[str]]:
    """Returns the query or tier of the labelled sessions, and of all."""
    return [sessions[one][place] for one in labelled], [sessions[one][place] for one in order]


def powered_notes(months: Sequence[PoweredMonth]) -> list[Note]:
    """Returns warnings about months whose labelled sessions are not like a random sample.

    Args:
        months: The months, whose tests are corrected for their number (Bonferroni).
    """
    notes = []
    for one in months:
        p = one.powered.shift_p * len(months)
        if p <= LEVEL:
            values = {
                "measure": f"DCG@{one.k} ({one.month})",
                "labelled": one.powered.model_labelled,
                "all": one.powered.model_mean,
                "p": p,
            }
            count = one.powered.labelled
            notes.append(Note("labelled-not-random", count, "warning", values=values))
    return notes


def powered_section(months: Sequence[PoweredMonth], words: Catalogue, confidence: float) -> Section:
    """Returns each month's mean by both kinds of grades and by each alone.

    Args:
        months: The months.
        words: The texts of the area `monitoring`.
        confidence: The level of the intervals.
    """
    style = words.style
    headings = (
        words["words.month"],
        f"DCG@{months[0].k}",
        words.say("words.interval", confidence=f"{100 * confidence:g}%"),
        words["powered.people"],
        words["powered.model"],
        words["powered.labelled"],
        words["powered.worth"],
    )
    rows = []
    for one in months:
        powered = one.powered
        worth = powered.worth
        rows.append(
            (
                one.month,
                style.number(powered.estimate),
                style.interval((powered.low, powered.high)),
                style.interval(powered.classical),
                style.number(powered.model_mean),
                words.say(
                    "powered.share", labelled=f"{powered.labelled:,}", total=f"{powered.total:,}"
                ),
                style.nothing if math.isnan(worth) else f"{math.floor(worth + 1e-9):,}",
            )
        )
    blocks: list[Block] = [Table(headings, rows), Lines([words["powered.legend"]])]
    return Section("", words["powered.title"], blocks)
