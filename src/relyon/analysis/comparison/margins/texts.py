"""Margins and the verdicts about them, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from relyon.analysis.comparison.contrast import Contrast, gain_sign
from relyon.analysis.comparison.contrast_parts import contrast_label
from relyon.analysis.comparison.margins.facts import Margin
from relyon.core.texts import Catalogue
from relyon.core.texts.numbers import TERMINAL

__all__ = ["MARGIN_SIGNS", "lost_within", "margin_lines", "margin_size", "with_margin"]

#: The signs of the verdicts that only margins have.
MARGIN_SIGNS = {"not-worse": "≥", "equal": "≈"}


def with_margin(contrasts: Iterable[Contrast]) -> list[tuple[Contrast, Margin]]:
    """Returns the contrasts that have a margin, with it."""
    return [(one, one.margin) for one in contrasts if one.margin is not None]


def lost_within(one: Contrast, alpha: float) -> bool:
    """Whether a difference within the margin is a significant loss nevertheless."""
    lost = gain_sign(one.measure) * one.difference < 0
    return one.verdict == "equal" and lost and one.p_adjusted <= alpha


def margin_size(margin: Margin, words: Catalogue) -> str:
    """Returns a margin as a number, and the share that it was given as."""
    size = f"{margin.size:.4g}"
    if not margin.share > 0:
        return size
    return words.say("margin.share", size=size, share=f"{100 * margin.share:.3g}%")


def margin_lines(
    contrasts: Sequence[Contrast], words: Catalogue, alpha: float, *, by_run: bool = False
) -> list[str]:
    """Returns a sentence for each contrast with a margin: the verdict, and what is ruled out.

    Args:
        contrasts: The contrasts of a table.
        words: The catalogue of tables.
        alpha: The significance level.
        by_run: Whether they differ by their candidates, not by their measures.
    """
    return [_line(one, margin, words, alpha, by_run) for one, margin in with_margin(contrasts)]


def _line(one: Contrast, margin: Margin, words: Catalogue, alpha: float, by_run: bool) -> str:
    key = "equal_loss" if lost_within(one, alpha) else str(one.verdict)
    shared = {
        "name": one.candidate if by_run else contrast_label(one),
        "margin": margin_size(margin, words),
        "verdict": words[f"margin.{key}"],
    }
    if margin.unknown:
        clusters = ".clusters" if one.few and one.clusters is not None else ""
        return words.say(f"margin.{margin.unknown}{clusters}", **shared, changed=one.changed)
    line = words.say(
        "margin.line",
        **shared,
        loss=TERMINAL.p_equation(margin.p_not_worse_adjusted),
        gain=TERMINAL.p_equation(margin.p_not_better_adjusted),
    )
    if not margin.few:
        return line
    more = "margin.few" if one.changed else "margin.unchanged"
    return words.say(more, line=line, changed=one.changed)
