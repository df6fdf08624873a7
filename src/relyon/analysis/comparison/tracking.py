"""What an experiment tracker shows of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from relyon.io.tracked import TrackedContent, tracked_rules
from relyon.measures.fingerprint import definition_fingerprint

if TYPE_CHECKING:
    from relyon.analysis.comparison.paired_runs import PairedRuns
    from relyon.evaluation import Results

__all__ = ["tracked_comparison"]

#: Columns of a contrast's row that are logged as numbers.
NUMBERS = (
    *("baseline_mean", "candidate_mean", "difference", "interval_low", "interval_high"),
    *("p", "p_adjusted", "queries", "wins", "ties", "losses"),
)


def tracked_comparison(comparison: PairedRuns, results: Sequence[Results]) -> TrackedContent:
    """Returns what `log` logs of a comparison.

    Names are those of the measure, the candidate and the number, joined by dots.

    Args:
        comparison: The comparison.
        results: The evaluations of its runs, in their order; empty if there are none.
    """
    numbers: dict[str, float | None] = {}
    facts: dict[str, str | None] = {
        "baseline": comparison.baseline,
        "candidates": ", ".join(comparison.candidates),
    }
    rules = comparison.convention
    for one in comparison.contrasts:
        name, row = f"{one.measure}.{one.candidate}", one.to_row()
        for column in NUMBERS:
            value = row[column]
            numbers[f"{name}.{column}"] = value if isinstance(value, int | float) else None
        facts[f"measure.{one.measure}"] = one.definition
        if rules is not None and one.definition:
            print_ = definition_fingerprint(one.definition, rules, one.average)
            facts[f"measure.{one.measure}"] = f"{one.definition} {print_}"
        facts[f"verdict.{name}"] = one.verdict
    for run, evaluated in zip(comparison.runs, results, strict=False):
        inputs = {} if evaluated.inputs is None else evaluated.inputs.to_dict()
        facts |= {f"inputs.{run}.{key}": one for key, one in inputs.items() if isinstance(one, str)}
    return TrackedContent(numbers, comparison.settings.to_dict() | tracked_rules(rules), facts)
