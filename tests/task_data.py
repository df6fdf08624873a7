"""Small tasks with calls, as rankings and as arrays, built without relyon's readers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from relyon.data.convention import Convention
from relyon.data.judged_calls import JudgedCalls
from relyon.data.ranking import Ranking
from relyon.data.task_ranking import Call, TaskRanking

__all__ = ["Asked", "Task", "judged_calls", "task_ranking"]


@dataclass(frozen=True)
class Asked:
    """One call: its results, best first, what was read, and its tokens."""

    results: list[str]
    read: list[str] | None = None
    tokens: float = math.nan


@dataclass(frozen=True)
class Task:
    """A task: grades by document and subtopic, and calls."""

    judged: dict[str, dict[str, float]]
    calls: list[Asked] = field(default_factory=list)
    subtopics: bool = False

    @property
    def grades(self) -> dict[str, float]:
        return {document: max(grades.values()) for document, grades in self.judged.items()}


def task_ranking(task: Task, convention: Convention | None = None) -> TaskRanking:
    """Returns a task as a ranking."""
    rules = convention or Convention()
    graded = task.judged if task.subtopics else {}

    def ranking(results: list[str]) -> Ranking:
        scores = [float(-place) for place in range(len(results))]
        return Ranking.build(task.grades, results, scores, rules, query="t", graded=graded)

    calls = tuple(
        Call(ranking(one.results), "", None if one.read is None else tuple(one.read), one.tokens)
        for one in task.calls
    )
    return TaskRanking.of_calls(calls, ranking([]))


def judged_calls(tasks: list[Task]) -> JudgedCalls:
    """Returns all tasks as arrays."""
    codes: dict[str, int] = {}

    def code(document: str) -> int:
        return codes.setdefault(document, len(codes))

    calls, rows, judged, reads = [0], [0], [0], [0]
    documents: list[int] = []
    grades: list[float] = []
    judged_documents: list[int] = []
    judged_grades: list[float] = []
    judged_sets: list[int] = []
    read_documents: list[int] = []
    read_grades: list[float] = []
    recorded = any(call.read is not None for task in tasks for call in task.calls)
    for task in tasks:
        numbers: dict[str, int] = {}
        for document, by_subtopic in task.judged.items():
            for subtopic, grade in by_subtopic.items():
                judged_documents.append(code(document))
                judged_grades.append(grade)
                judged_sets.append(numbers.setdefault(subtopic, len(numbers)))
        judged.append(len(judged_documents))
        for call in task.calls:
            documents += map(code, call.results)
            grades += [task.grades.get(one, math.nan) for one in call.results]
            rows.append(len(documents))
            read_documents += map(code, call.read or [])
            read_grades += [task.grades.get(one, math.nan) for one in call.read or []]
            reads.append(len(read_documents))
        calls.append(calls[-1] + len(task.calls))
    every = [call for task in tasks for call in task.calls]
    return JudgedCalls(
        tasks=[f"t{place}" for place in range(len(tasks))],
        calls=np.array(calls),
        rows=np.array(rows),
        documents=np.array(documents, dtype=np.int64),
        grades=np.array(grades, dtype=np.float64),
        judged=np.array(judged),
        judged_documents=np.array(judged_documents, dtype=np.int64),
        judged_grades=np.array(judged_grades, dtype=np.float64),
        judged_sets=np.array(judged_sets, dtype=np.int64)
        if any(task.subtopics for task in tasks)
        else None,
        reads=np.array(reads) if recorded else None,
        read_documents=np.array(read_documents, dtype=np.int64) if recorded else None,
        read_grades=np.array(read_grades, dtype=np.float64) if recorded else None,
        tokens=np.array([call.tokens for call in every], dtype=np.float64),
        seconds=np.full(len(every), math.nan),
    )
