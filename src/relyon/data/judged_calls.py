"""All calls of all tasks as arrays, with grades: what measures of tasks compute from at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["JudgedCalls"]


@dataclass(frozen=True)
class JudgedCalls:
    """Calls, their results in ranked order, and the judgments of their tasks.

    Offsets have one entry more than what they divide: task i has the calls ``calls[i]`` to
    ``calls[i + 1] - 1``. Grades follow the rules of the convention, as in `Ranking`: NaN if a
    document is unjudged. A document has the same code, from 0, wherever it occurs in a task.
    `Traces.judged` gives no code to two tasks, so that rows need not be sorted.

    Attributes:
        tasks: The ids of the tasks; judged ones without a call come last.
        calls: Offsets of calls, by task.
        rows: Offsets of results, by call.
        documents: The code of each result's document, best ranked first within a call.
        grades: The grade of each result.
        judged: Offsets of judgments, by task.
        judged_documents: The code of each judged document.
        judged_grades: Its grade.
        judged_sets: The number of its subtopic within the task; `None` without subtopics. A
            document is judged once for each of its subtopics.
        reads: Offsets of documents read, by call; `None` if reading was not recorded.
        read_documents: The code of each document read, in order; `None` likewise.
        read_grades: Its grade; `None` likewise.
        tokens: The tokens of each call, NaN if unknown.
        seconds: The seconds of each call, NaN if unknown.
    """

    tasks: list[str]
    calls: NDArray[np.int64]
    rows: NDArray[np.int64]
    documents: NDArray[np.int64]
    grades: NDArray[np.float64]
    judged: NDArray[np.int64]
    judged_documents: NDArray[np.int64]
    judged_grades: NDArray[np.float64]
    judged_sets: NDArray[np.int64] | None
    reads: NDArray[np.int64] | None
    read_documents: NDArray[np.int64] | None
    read_grades: NDArray[np.float64] | None
    tokens: NDArray[np.float64]
    seconds: NDArray[np.float64]
