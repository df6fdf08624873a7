"""The first query of an agent finds nothing, and a later one does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from relyon.analysis.diagnosis.example import Example
from relyon.analysis.diagnosis.rule import Finding, Rule, Subject, register
from relyon.analysis.diagnosis.task_calls import task_calls

__all__ = ["FirstCallFails"]


@register
@dataclass(frozen=True)
class FirstCallFails(Rule):
    """In many tasks the first call finds nothing relevant and a later call does.

    Silent on runs and on traces with one call per task. Tasks without a relevant judged document do
    not count.

    Attributes:
        k: Results of each call that are looked at.
        failed: At least this share of the tasks has no relevant document in the first call's top k.
        mended: In at least this share of those, a later call has one.
        least: At least so many tasks are mended by a later call.
    """

    name: ClassVar[str] = "first-call-fails"
    k: int = 10
    failed: float = 0.2
    mended: float = 0.5
    least: int = 5

    def measures(self) -> tuple[str, ...]:
        return ()

    def apply(self, subject: Subject) -> Finding | None:
        found = task_calls(subject, subject.candidate)
        if found is None:
            return None
        from relyon.measures.task_evidence import Recovery

        traces, judged = found
        recovery = subject.resolved(f"recovery@{self.k}")
        if not isinstance(recovery, Recovery):
            return None
        known = recovery.relevant_counts(judged) > 0
        first = recovery.first_hits(judged, None)
        tasks, failed = int(known.sum()), int((known & (first != 1)).sum())
        places = (known & (first > 1)).nonzero()[0].tolist()
        if not (
            places
            and failed >= self.failed * tasks
            and len(places) >= max(self.least, self.mended * failed)
        ):
            return None
        rows = []
        for place in places:
            task, number = judged.tasks[place], int(first[place])
            calls = traces.calls(task)
            rows.append(
                {
                    "query": task,
                    "call": number,
                    "first_query": calls[0].query,
                    "later_query": calls[number - 1].query,
                }
            )
        saved = sum(int(first[place]) - 1 for place in places)
        return Finding(
            self.name,
            "medium",
            {
                "k": self.k,
                "tasks": tasks,
                "failed": failed,
                "failed_share": failed / tasks,
                "mended": len(places),
                "mended_share": len(places) / failed,
                "saved": saved,
                "calls": int(judged.calls[-1]),
            },
            examples=tuple(_example(row) for row in rows[:3]),
            chart_data=tuple(rows),
        )


def _example(row: dict[str, object]) -> Example:
    """Returns a task with its first query and the one that found something."""
    pair = [str(row[key]) for key in ("first_query", "later_query")]
    said = f": {pair[0]} → {pair[1]}" if all(pair) else ""
    return Example.of(str(row["query"]), said=f"{said} #{row['call']}")
