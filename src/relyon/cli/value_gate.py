"""The check of `relyon compare --fail-if-worse-in`: a loss on the queries of one value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from relyon.cli.messages import messages
from relyon.cli.request import option, request
from relyon.core.texts import message
from relyon.core.texts.numbers import TERMINAL

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison
    from relyon.analysis.comparison.breakdowns.breakdown import Breakdown, Part

__all__ = ["ValueGate", "lost_values"]


@request
class ValueGate:
    """The columns on whose values a candidate must not be worse."""

    value_columns: tuple[str, ...] = option(
        "--fail-if-worse-in",
        "value_columns",
        metavar="COLUMN",
        multiple=True,
        help="Exit with code 1 if a candidate is worse on the queries of one value of this column"
        " of --queries, on any measure: p is corrected over all values, measures and candidates"
        " shown, and a value has six queries or more. The column is also one of --by. Repeat it"
        " for several.",
    )

    def with_columns(self, by: Sequence[str]) -> tuple[str, ...]:
        """Returns the columns of the check and those of a breakdown, each once."""
        return tuple(dict.fromkeys([*by, *self.value_columns]))


def lost_values(comparison: Comparison, columns: Sequence[str]) -> list[str]:
    """Returns one sentence per value of columns on which a candidate is worse.

    A column none of whose values has enough queries is warned about: it could never fail.

    Args:
        comparison: The comparison, broken down by the columns.
        columns: The columns of the check.
    """
    found = []
    for breakdown in comparison.breakdowns:
        if breakdown.column not in columns:
            continue
        if all(one.contrast.few or not one.contrast.tested for one in breakdown.parts):
            clustered = any(one.contrast.in_clusters for one in breakdown.parts)
            key = "cli.value-gate-cannot-fail"
            if clustered:
                key = "cli.value-gate-cannot-fail-clusters"
            messages.warning(message(key, column=breakdown.column))
        found += [_worse(breakdown, one) for one in breakdown.losses()]
    return found


def _worse(breakdown: Breakdown, part: Part) -> str:
    one = part.contrast
    key = {"value": "cli.candidate-is-worse-where", "none": "cli.candidate-is-worse-without"}
    return message(
        key.get(part.group.kind, "cli.candidate-is-worse-on-others"),
        candidate=one.candidate,
        baseline=one.baseline,
        measure=one.measure,
        column=breakdown.column,
        value=part.group.value,
        values=part.group.values,
        before=one.baseline_mean,
        after=one.candidate_mean,
        difference=TERMINAL.signed(one.difference),
        p=TERMINAL.p_equation(one.p_adjusted),
        losses=one.losses,
        queries=one.queries,
    )
