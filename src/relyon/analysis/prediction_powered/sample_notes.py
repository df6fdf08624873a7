"""Notes: labelled queries that are no random sample, queries left out, and useless models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Literal

from relyon.core.notes import Note

if TYPE_CHECKING:
    from relyon.analysis.prediction_powered.facts import PoweredMean
    from relyon.analysis.prediction_powered.values import QueryValues

__all__ = ["sample_notes"]

#: The level of the test that labelled queries are a random sample, over all means together.
LEVEL = 0.05
NAMED = 3
#: Kinds of notes about queries that are left out, and which those are.
LEFT_OUT = {
    "powered-incomplete": attrgetter("incomplete"),
    "powered-unpaired": attrgetter("unpaired"),
    "powered-ungraded": attrgetter("ungraded"),
    "powered-undefined": attrgetter("undefined"),
}


def sample_notes(means: Sequence[PoweredMean], values: Sequence[QueryValues]) -> list[Note]:
    """Returns what was noticed about the labelled queries.

    Args:
        means: The means of runs and their differences.
        values: The values behind them.
    """
    notes = []
    own = [one for one in means if not one.baseline and not math.isnan(one.powered.shift_p)]
    least = min(own, key=lambda one: one.powered.shift_p, default=None)
    if least is not None and least.powered.shift_p * len(own) <= LEVEL:
        notes.append(
            Note(
                "labelled-not-random",
                least.powered.labelled,
                "warning",
                values={
                    "measure": least.measure,
                    "labelled": least.powered.model_labelled,
                    "all": least.powered.model_mean,
                    "p": least.powered.shift_p * len(own),
                },
            )
        )
    for kind, of in LEFT_OUT.items():
        measure, names = max(
            ((one.measure, of(one)) for one in values), key=lambda one: len(one[1])
        )
        if names:
            level: Literal["info", "warning"] = (
                "info" if kind == "powered-incomplete" else "warning"
            )
            left = {"measure": measure}
            notes.append(Note(kind, len(names), level, tuple(names[:NAMED]), left))
    without = [one.measure for one in values if not one.human[next(iter(one.human))]]
    if without:
        notes.append(
            Note("powered-no-labelled", len(without), "warning", values={"measures": without})
        )
    alone: dict[str, tuple[Note, dict[str, None]]] = {}
    for one in means:
        for note in one.powered.notes:
            alone.setdefault(note.key, (note, {}))[1][one.measure] = None
    for note, measures in alone.values():
        examples = tuple(measures)[:NAMED]
        notes.append(replace(note, count=len(measures), examples=examples))
    return notes
