"""The calls of a run that rules of traces look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.data.run import Run

if TYPE_CHECKING:
    from relyon.analysis.diagnosis.rule import Subject
    from relyon.data.judged_calls import JudgedCalls
    from relyon.data.traces import Traces

__all__ = ["task_calls"]


def task_calls(subject: Subject, name: str) -> tuple[Traces, JudgedCalls] | None:
    """Returns the calls of all judged tasks; `None` for a run.

    Tie rules without a single order use that of `doc-desc`.

    Args:
        subject: The comparison.
        name: The name of one of its runs.
    """
    found = subject.comparison.lists(name)
    if isinstance(found, Run):
        return None
    return found, found.judged(subject.judgments, subject.convention.one_order())
