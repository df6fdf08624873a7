"""What judgments and a run leave open: which rules can change a number on these files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from relyon import _native
from relyon.core.rules import POSITIVE
from relyon.data.convention import Convention
from relyon.data.native_rules import native_rules

if TYPE_CHECKING:
    from relyon.data.judgments import Judgments
    from relyon.data.run import Run
    from relyon.data.scale import Scale

__all__ = ["Effects", "effects_of"]

#: Thresholds tried: the grades that occur, at most so many.
MOST_LEVELS = 8


@dataclass(frozen=True)
class Effects:
    """What the files leave open.

    Attributes:
        tied: Queries in which a judged document shares its score with another one, before or after
            rounding scores to float32.
        merged: Queries in which scores differ that are equal as float32.
        missing: Judged queries that the run lacks.
        judged: Retrieved documents with a grade.
        unjudged: Retrieved documents without a grade.
        unretrieved: Judged documents that the run lacks.
        negatives: Grades below 0.
        ranked: Whether the run has a rank column.
        unjudged_queries: Queries of the run without judgments.
        queries: Judged queries.
        levels: Thresholds of relevance other than the usual one.
        usual_level: The usual threshold.
        scale_gain: `scale` if a scale gives gains.
    """

    tied: int
    merged: int
    missing: int
    judged: int
    unjudged: int
    unretrieved: int
    negatives: int
    ranked: bool
    unjudged_queries: int
    queries: int
    levels: tuple[float, ...]
    usual_level: float
    scale_gain: tuple[str, ...]

    def matters(self, name: str) -> bool:
        """Returns whether a rule that all measures share can change a number."""
        if name == "unjudged":
            return bool(self.unjudged or self.negatives)
        counts = {
            "ties": self.tied,
            "scores": self.merged,
            "missing": self.missing,
            "unretrieved": self.unretrieved,
            "negative": self.negatives,
        }
        return bool(counts.get(name, 1))

    def refused(self, rules: Convention | Mapping[str, object]) -> bool:
        """Returns whether a program with these rules would refuse the files."""
        if isinstance(rules, Convention):
            rules = {"negative": rules.negative, "missing": rules.missing}
        return (rules["negative"] == "error" and bool(self.negatives)) or (
            rules["missing"] == "error" and bool(self.missing)
        )


def effects_of(judgments: Judgments, run: Run, scale: Scale | None, threads: int = 0) -> Effects:
    """Returns what the files leave open.

    Args:
        judgments: The judgments.
        run: The run.
        scale: The grade scale.
        threads: Threads to use; 0 uses all cores.
    """
    table = judgments.table
    batches = []
    for scores in ("float64", "float32"):
        rules = Convention().replace(scores=scores)
        plan = _native.Plan([("rr", {"rel": 1.0})], native_rules(rules, spans=False))
        batches.append(_native.evaluate_run(table, plan, run.table, threads))
    first = batches[0]
    usual = scale.relevant_from if scale is not None else 1.0
    grades = sorted({grade for grade in table.columns()[2] if grade > 0})
    levels = [grade for grade in grades if grade != usual][:MOST_LEVELS]
    if any(grade < usual for grade in grades):
        levels.insert(0, POSITIVE)
    return Effects(
        tied=batches[1].tied,
        merged=_merged(run) if batches[1].tied else 0,
        missing=first.missing,
        judged=first.matched,
        unjudged=first.rows - first.matched,
        unretrieved=table.rows - first.matched,
        negatives=table.negatives,
        ranked=run.table.has_ranks,
        unjudged_queries=first.unjudged_queries,
        queries=len(table),
        levels=tuple(levels),
        usual_level=usual,
        scale_gain=("scale",) if scale is not None and scale.gains else (),
    )


def _merged(run: Run) -> int:
    """Returns the queries in which rounding to float32 makes scores equal."""
    count = 0
    for query in run.queries:
        scores = np.unique(np.asarray(run.table.documents(query)[1], dtype=float))
        count += len(np.unique(scores.astype(np.float32))) < len(scores)
    return count
