"""The check of `relyon compare --fail-unless-not-worse`: what is not shown, and what would be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from relyon.cli.messages import messages
from relyon.core.errors import UnknownNameError
from relyon.core.texts import message
from relyon.core.texts.numbers import TERMINAL

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison, Contrast
    from relyon.analysis.comparison.margins.facts import Margin

__all__ = ["NotShown", "not_shown"]

#: The power of the plan in the message.
POWER = 0.8


@dataclass
class NotShown:
    """Why a check fails.

    Attributes:
        worse: The contrasts that are worse.
        lines: One sentence for each that nothing can be concluded about.
        hints: What to do about them.
    """

    worse: list[Contrast] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)


def not_shown(comparison: Comparison, measures: Sequence[str]) -> NotShown:
    """Returns what is not shown to be better, not worse, or equal within the margin.

    A measure that changed on no query passes with a warning: there is nothing that could be worse
    on these queries.

    Args:
        comparison: The comparison, with margins.
        measures: The measures of the check.

    Raises:
        UnknownNameError: If a measure was not computed.
    """
    from relyon.analysis.comparison.plans.margins import plan_margins

    found = NotShown()
    planned = {(one.candidate, one.measure): one for one in plan_margins(comparison, (POWER,))}
    for name in dict.fromkeys(measures):
        for candidate in comparison.candidates:
            try:
                one = comparison.contrast(candidate, name)
            except UnknownNameError as error:
                error.hint = error.hint or "name it with -m too"
                raise
            margin = one.margin
            if one.verdict == "worse":
                found.worse.append(one)
            if one.verdict != "undecided" or margin is None:
                continue
            if not one.changed and not one.few:
                most = min(3 / one.units, 1.0)
                shown = {"measure": one.measure, "candidate": one.candidate, "most": most}
                messages.warning(message("cli.gate-nothing-changed", **shown))
                continue
            plan = planned.get((one.candidate, one.measure))
            needed = plan.not_worse[0] if plan is not None else 0
            found.lines.append(_cannot_tell(one, margin, comparison))
            found.hints.append(_hint(one, margin, needed))
    return found


def _cannot_tell(one: Contrast, margin: Margin, comparison: Comparison) -> str:
    """Returns why it is not shown, and the loss that is still possible."""
    shared = {
        "candidate": one.candidate,
        "baseline": one.baseline,
        "measure": one.measure,
        "difference": TERMINAL.signed(one.difference),
        "margin": f"{margin.size:.4g}",
    }
    if one.few:
        few = "cli.not-worse-few-clusters" if one.in_clusters else "cli.not-worse-few"
        return message(few, **shared, units=one.units)
    if not margin.loss > 0:
        key = (
            "cli.not-worse-few-changed" if margin.unknown == "few-changed" else "cli.not-worse-open"
        )
        return message(key, **shared, changed=one.changed, count=one.queries)
    key = "cli.not-worse-loss"
    if margin.loss < margin.size and not margin.few:
        key = "cli.not-worse-corrected"
    elif margin.few:
        key = "cli.not-worse-unseen"
    return message(
        key,
        **shared,
        loss=TERMINAL.number(margin.loss),
        confidence=comparison.confidence,
        changed=one.changed,
        count=one.queries,
        margins=sum(each.margin is not None for each in comparison.contrasts),
    )


def _hint(one: Contrast, margin: Margin, needed: int) -> str:
    """Returns how many queries would show it, or what else to do."""
    if needed > one.queries:
        values = {"needed": needed, "queries": one.queries, "measure": one.measure}
        return message("cli.grade-for-margin", **values, power=POWER)
    if one.few:
        more = "cli.grade-more-clusters" if one.in_clusters else "cli.grade-more-queries"
        return message(more, measure=one.measure)
    return message("cli.choose-other-margin", measure=one.measure, margin=f"{margin.size:.4g}")
