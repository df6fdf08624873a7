"""An agent reads what it has read before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from relyon.analysis.diagnosis.example import Example
from relyon.analysis.diagnosis.rule import Finding, Rule, Subject, register
from relyon.analysis.diagnosis.task_calls import task_calls

__all__ = ["ReadsAgain"]


@register
@dataclass(frozen=True)
class ReadsAgain(Rule):
    """Many of the documents that an agent reads it has read before, in the same task.

    Silent on runs and if reading was not recorded. Tasks with one call count, too.

    Attributes:
        share: At least this share of the reads is of a document that the task had read.
        least: At least so many reads are.
    """

    name: ClassVar[str] = "reads-again"
    share: float = 0.2
    least: int = 10

    def measures(self) -> tuple[str, ...]:
        return ()

    def apply(self, subject: Subject) -> Finding | None:
        found = task_calls(subject, subject.candidate)
        if found is None:
            return None
        import numpy as np

        from relyon.measures.tasks import CallRows

        traces, judged = found
        rows = CallRows.of_reads(judged, None)
        again = 0 if rows is None else int((~rows.new).sum())
        if rows is None or again < max(1, self.least, self.share * len(rows.new)):
            return None
        counts = np.bincount(rows.task[~rows.new], minlength=len(judged.tasks))
        tasks = len(np.unique(rows.task))
        worst = sorted(counts.nonzero()[0].tolist(), key=lambda place: (-counts[place], place))
        shown = []
        for place in worst:
            task = judged.tasks[place]
            reads = [document for call in traces.calls(task) for document in call.read or ()]
            most = max(dict.fromkeys(reads), key=reads.count)
            shown.append(
                {
                    "query": task,
                    "again": int(counts[place]),
                    "document": most,
                    "times": reads.count(most),
                }
            )
        return Finding(
            self.name,
            "low",
            {
                "reads": len(rows.new),
                "again": again,
                "again_share": again / len(rows.new),
                "tasks": tasks,
                "tasks_again": len(worst),
            },
            examples=tuple(
                Example.of(str(row["query"]), str(row["document"]), f" ×{row['times']}")
                for row in shown[:3]
            ),
            chart_data=tuple(shown),
        )
