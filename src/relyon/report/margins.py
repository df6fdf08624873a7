"""Sentences about margins on a report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relyon.analysis.comparison.margins.texts import lost_within
from relyon.report.catalogue import Catalogue
from relyon.report.number_formats import number, p_equation

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison, Contrast
    from relyon.analysis.comparison.margins.facts import Margin

__all__ = ["margin_legend", "margin_meaning"]


def margin_meaning(
    one: Contrast, margin: Margin, comparison: Comparison, texts: Catalogue, digits: int
) -> str:
    """Returns what the interval leaves possible of a loss or gain, against the margin.

    Args:
        one: The contrast.
        margin: Its margin.
        comparison: The comparison.
        texts: The catalogue of reports.
        digits: Decimals.
    """
    values = {
        "margin": f"{margin.size:.4g}",
        "confidence": texts.percent(comparison.confidence),
        "loss": number(max(margin.loss, 0.0), digits),
        "gain": number(max(margin.gain, 0.0), digits),
        "p": p_equation(margin.p_not_worse_adjusted),
    }
    if one.verdict == "equal":
        lost = lost_within(one, comparison.alpha)
        return texts.say("margin.equal_loss" if lost else "margin.equal", **values)
    if one.verdict == "not-worse":
        return texts.say("margin.not-worse", **values)
    if one.few:
        return texts.say("margin.few", **values)
    if math.isnan(margin.loss):
        return texts.say("margin.unknown", **values)
    return texts.say("margin.open" if margin.loss >= margin.size else "margin.corrected", **values)


def margin_legend(comparison: Comparison, texts: Catalogue) -> str:
    """Returns how margins are tested."""
    count = sum(one.margin is not None and one.margin.size > 0 for one in comparison.contrasts)
    corrected = comparison.correction != "none" and count > 1
    return texts.say(
        "margin.legend_corrected" if corrected else "margin.legend",
        alpha=f"{comparison.alpha:g}",
        correction=texts.say(f"correction.{comparison.correction}"),
        count=count,
    )
