"""Parts of a pull request's summary that only some comparisons have: columns, repeats, margins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.comparison.breakdowns.sentences import hidden_losses, where
from relyon.analysis.comparison.breakdowns.tables import breakdown_blocks
from relyon.analysis.comparison.contrast import Contrast
from relyon.analysis.comparison.contrast_parts import contrast_label, decimals
from relyon.analysis.comparison.decision import Decision, decide
from relyon.analysis.comparison.margins.texts import margin_lines
from relyon.analysis.comparison.repeats.texts import repeat_tables
from relyon.core.document.github import Folded
from relyon.core.document.model import Block, Cell, Lines, Points, Table
from relyon.core.document.terminal import cut
from relyon.core.texts import PAGE, Language, catalogue

if TYPE_CHECKING:
    from relyon.analysis.comparison.paired_runs import PairedRuns

__all__ = ["SIGNS", "Gate", "broken_down", "decision_blocks", "margin_points", "noise_floors"]

#: The sign of each verdict.
SIGNS = {
    **{"better": "✅", "not-worse": "✅", "equal": "✅", "worse": "❌"},
    **{"undecided": "➖", "described": ""},
}
#: The most losses on values of columns, and the most columns of a name.
SHOWN, NAME = 10, 60


@dataclass(frozen=True)
class Gate:
    """What a gate checked, and why it fails.

    Attributes:
        measures: The measures that it checks.
        reasons: Why it fails; empty if it passes.
        advice: What to do about it.
    """

    measures: Sequence[str] = ()
    reasons: Sequence[str] = ()
    advice: Sequence[str] = ()


def decision_blocks(
    comparison: PairedRuns, gate: Gate | None, candidates: Sequence[str], language: Language
) -> Iterator[Block]:
    """Yields the decision about each candidate; a gate that fails never says `ship`.

    Args:
        comparison: The comparison.
        gate: What was checked: only its measures decide.
        candidates: Those that are shown.
        language: `en` or `zh`.
    """
    several = len(comparison.candidates) > 1
    lines = []
    for candidate in candidates:
        found = decide(comparison, candidate, () if gate is None else gate.measures)
        if gate is not None and gate.reasons and found.choice == "ship":
            found = Decision(candidate, "do-not-ship", "failed")
        lines.append(found.line(language, style=PAGE, several=several))
    yield Lines(lines)


def broken_down(
    comparison: PairedRuns, candidates: Sequence[str], language: Language
) -> Iterator[Block]:
    """Yields the values of columns on which candidates lose, and all values behind a click.

    Args:
        comparison: The comparison.
        candidates: Those whose values are shown.
        language: `en` or `zh`.
    """
    if not comparison.breakdowns:
        return
    texts = catalogue("breakdowns", language, PAGE)
    words = catalogue("summary", language, PAGE)
    hidden = hidden_losses(comparison, texts)
    if hidden:
        yield Points([f"{SIGNS['worse']} {line}" for line in hidden])
    several = len(comparison.candidates) > 1
    rows: list[list[Cell | str]] = []
    for breakdown in comparison.breakdowns:
        for part in breakdown.losses():
            one = part.contrast
            places = decimals(one)
            rows.append(
                [
                    cut(where(breakdown.column, part.group, texts), NAME),
                    *([cut(one.candidate, NAME)] if several else []),
                    contrast_label(one),
                    f"{one.queries:,}",
                    PAGE.number(one.baseline_mean, places),
                    PAGE.number(one.candidate_mean, places),
                    difference(one),
                ]
            )
    if rows:
        run = ["run"] if several else []
        keys = ["where", *run, "measure", "queries", "before", "after", "difference"]
        headings = words.names("column", keys)
        yield Table(headings, rows[:SHOWN], words["lost_on"], keys.index("queries"))
    for candidate in candidates:
        title = words.say("columns_of", candidate=candidate) if several else words["columns"]
        blocks = breakdown_blocks(comparison, candidate, SIGNS, language=language)
        yield Folded(title, list(blocks))


def noise_floors(
    comparison: PairedRuns, candidates: Sequence[str], language: Language
) -> Iterator[Block]:
    """Yields how far repeated runs of one system are apart.

    Args:
        comparison: The comparison.
        candidates: Those that are shown.
        language: `en` or `zh`.
    """
    words = catalogue("summary", language, PAGE)
    for candidate in candidates:
        tables = repeat_tables(comparison, candidate, language, style=PAGE)
        if tables:
            yield tables[0]
        if tables[1:]:
            yield Folded(words["variance"], tables[1:])


def margin_points(
    contrasts: Sequence[Contrast], comparison: PairedRuns, language: Language
) -> Iterator[Block]:
    """Yields what is ruled out about margins.

    Args:
        contrasts: The contrasts of the gate.
        comparison: The comparison.
        language: `en` or `zh`.
    """
    tables = catalogue("tables", language, PAGE)
    several = len(comparison.candidates) > 1
    found = [
        f"{one.candidate}: {line}" if several else line
        for one in contrasts
        for line in margin_lines([one], tables, comparison.settings.alpha)
    ]
    if found:
        yield Points(found)


def difference(one: Contrast) -> str:
    """Returns the difference of a contrast, with its interval if there is one."""
    shown = PAGE.signed(one.difference, decimals(one))
    interval = PAGE.signed_interval(one.interval) if one.tested else PAGE.nothing
    return shown if interval == PAGE.nothing else f"{shown} {interval}"
