"""A small simulation: three queries, graded 0 to 3, with short lists."""

from __future__ import annotations

from typing import Any

from relyon.labels import Simulation, UserBehaviour, models, simulate

__all__ = ["ALL", "DEPTH", "JUDGMENTS", "RUN", "simulated"]

DEPTH = 5
#: Three queries, graded 0 to 3; q2 has fewer results.
RUN = {
    "q1": {"a": 9, "b": 8, "c": 7, "d": 6, "e": 5},
    "q2": {"a": 3, "c": 2},
    "电视": {"b": 5, "a": 4, "d": 3, "c": 2, "f": 1},
}
JUDGMENTS = {
    "q1": {"a": 3, "b": 0, "c": 2, "d": 1},
    "q2": {"a": 1, "c": 3},
    "电视": {"b": 2, "a": 3, "d": 0, "c": 1, "f": 2},
}
ALL = sorted(models)


def simulated(model: Any = "pbm", sessions: int = 2000, **options: Any) -> Simulation:
    if isinstance(model, str):
        options.setdefault("behaviour", UserBehaviour(depth=DEPTH))
    return simulate(RUN, JUDGMENTS, model, sessions=sessions, **options)
