"""Where the tape of a search lies: beside the run that was made of it."""

from __future__ import annotations

import os

__all__ = ["has_tape", "tape_beside"]


def tape_beside(run: str) -> str:
    """Returns the path of the tape beside a run's file.

    Examples:
        >>> tape_beside("runs/base.run")
        'runs/base.run.tape.jsonl'
    """
    return f"{run}.tape.jsonl"


def has_tape(run: str) -> bool:
    """Returns whether there is a tape beside a run's file.

    Examples:
        >>> has_tape("-")
        False
    """
    return os.path.isfile(tape_beside(run))
