"""The tables of a training, for terminals and pages alike."""

from __future__ import annotations

import math
from collections.abc import Sequence

from relyon.core.document.model import Table
from relyon.core.texts import Catalogue
from relyon.ltr.training.card import ModelCard
from relyon.ltr.training.curve import CurvePoint, thinned
from relyon.ltr.training.importance import FeatureImportance
from relyon.ltr.training.placement import LabelPlacement
from relyon.ltr.training.segments import Segment

__all__ = [
    "curve_table",
    "importance_table",
    "placement_table",
    "segment_table",
    "summary_table",
]


def summary_table(card: ModelCard, words: Catalogue, digits: int) -> Table:
    """Returns the ranker and its baseline, one row each.

    Args:
        card: The model card.
        words: The texts of training.
        digits: Decimals.
    """
    style, found = words.style, card.found
    percent = words.percent(card.level)
    headings = [
        words["column.ranker"],
        card.measure,
        words.say("column.interval", percent=percent),
        words["column.queries"],
    ]
    rows = [
        [
            card.ranker,
            style.number(found.value, digits),
            style.interval(found.interval, digits),
            f"{found.queries:,}",
        ]
    ]
    if found.paired:
        before = style.number(found.baseline, digits)
        name = words.say("baseline_row", baseline=card.baseline)
        rows.append([name, before, "", f"{found.paired:,}"])
        rows.append(
            [
                words["difference_row"],
                style.signed(found.difference, digits),
                style.signed_interval(found.difference_interval, digits),
                f"{found.paired:,}",
            ]
        )
        headings.append("p")
        rows = [[*row, ""] for row in rows]
        rows[-1][-1] = style.p_value(found.p)
    return Table(headings, rows, long=(0,))


def curve_table(
    curve: Sequence[CurvePoint], measure: str, words: Catalogue, digits: int, most: int = 8
) -> Table:
    """Returns some points of the learning curve.

    Args:
        curve: The learning curve.
        measure: The measure.
        words: The texts of training.
        digits: Decimals.
        most: The maximum number of points.
    """
    style = words.style
    headings = (
        words["column.iteration"],
        words.say("column.train", measure=measure),
        words.say("column.held_out", measure=measure),
    )
    rows = [
        (f"{one.iteration:,}", style.number(one.train, digits), style.number(one.held_out, digits))
        for one in thinned(curve, most)
    ]
    return Table(headings, rows)


def importance_table(
    importance: Sequence[FeatureImportance], words: Catalogue, digits: int, limit: int
) -> Table:
    """Returns the most important features.

    Args:
        importance: The features, the most important first.
        words: The texts of training.
        digits: Decimals.
        limit: The number of features listed.
    """
    style = words.style
    shown = importance[:limit]
    if any(one.kind == "permutation" for one in shown):
        headings = (words["column.feature"], words["column.falls"], words["column.bounds"])
        rows = [
            (
                one.feature,
                style.signed(-one.value, digits),
                style.signed_interval((-one.interval[1], -one.interval[0]), digits),
            )
            for one in shown
        ]
        return Table(headings, rows, long=(0,))
    headings = (words["column.feature"], words["column.moves"], words["column.share"])
    rows = [
        (one.feature, style.number(one.value, digits), _share(one.share, words)) for one in shown
    ]
    bars = [one.share if math.isfinite(one.share) else 0.0 for one in shown]
    return Table(headings, rows, long=(0,), bars=bars)


def placement_table(
    placements: Sequence[LabelPlacement], level: float, words: Catalogue, digits: int
) -> Table:
    """Returns the mean place of the documents of each label.

    Args:
        placements: One per label.
        level: Confidence level of the intervals.
        words: The texts of training.
        digits: Decimals.
    """
    style = words.style
    headings = (
        words["column.label"],
        words["column.place"],
        words.say("column.interval", percent=words.percent(level)),
        words["column.rows"],
        words["column.queries"],
    )
    rows = [
        (
            f"{one.label:g}",
            style.number(one.place, digits),
            style.interval(one.interval, digits),
            f"{one.rows:,}",
            f"{one.queries:,}",
        )
        for one in placements
    ]
    return Table(headings, rows)


def segment_table(
    segments: Sequence[Segment], card: ModelCard, words: Catalogue, digits: int
) -> Table:
    """Returns the values on groups of queries.

    Args:
        segments: The groups.
        card: The model card.
        words: The texts of training.
        digits: Decimals.
    """
    style = words.style
    headings = [words["column.segment"], words["column.queries"], card.measure]
    compared = any(one.found.paired for one in segments)
    if compared:
        headings += [
            words["column.difference"],
            words.say("column.interval", percent=words.percent(card.level)),
            "p",
        ]
    rows = []
    for one in segments:
        found = one.found
        row = [one.name, f"{found.queries:,}", style.number(found.value, digits)]
        if compared:
            row += [
                style.signed(found.difference, digits),
                style.signed_interval(found.difference_interval, digits),
                style.p_value(found.p),
            ]
        rows.append(row)
    return Table(headings, rows, long=(0,))


def _share(share: float, words: Catalogue) -> str:
    return words.percent(share) if math.isfinite(share) else words.style.nothing
