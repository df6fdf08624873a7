"""The decision on top of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.analysis.comparison.decision import decide
from relyon.core.texts import PAGE, catalogue
from relyon.report.catalogue import Catalogue
from relyon.report.page import DecisionLine

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison

__all__ = ["decision_parts"]

#: Decimals of the numbers of the line.
DIGITS = 3


def decision_parts(comparison: Comparison, texts: Catalogue) -> tuple[DecisionLine, ...]:
    """Returns the decision about each candidate, which `decide` derives from the verdicts."""
    words = catalogue("decision", texts.language, PAGE)
    several = len(comparison.candidates) > 1
    lines = []
    for candidate in comparison.candidates:
        found = decide(comparison, candidate)
        choice = words[f"choice.{found.choice}"]
        title = words.say("title_of" if several else "title", candidate=candidate, choice=choice)
        reason = found.text(texts.language, style=PAGE, digits=DIGITS)
        lines.append(DecisionLine(found.choice, title, reason + texts.say("list.stop")))
    return tuple(lines)
