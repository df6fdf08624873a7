"""Grades of simulated judges, some of whom differ from the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from relyon.judging.given_grades import GivenGrades

__all__ = ["grade"]

TIERS = ("head", "middle", "tail")


def grade(
    random: np.random.Generator,
    *,
    judges: int = 6,
    queries: int = 60,
    noise: dict[str, float] | None = None,
    shift: dict[str, float] | None = None,
    seconds: float = 5.0,
    tail: str = "",
    named: bool = True,
    activity: Sequence[float] = (),
) -> GivenGrades:
    """Returns grades of two random judges for each of ten results of each query.

    Args:
        random: The generator.
        judges: Number of judges, `j0`, `j1` and so on.
        queries: Number of queries; results of a query are alike, and the tail is harder to grade.
        noise: How many times as much as the others some judges err.
        shift: How much higher some judges grade.
        seconds: How long a grade takes.
        tail: The judge who grades the whole tail and nothing else.
        named: Whether the tiers are known.
        activity: The share of the work of each judge; all alike by default.
    """
    noise, shift = noise or {}, shift or {}
    names = [f"j{n}" for n in range(judges)]
    rows = []
    for query in range(queries):
        tier = TIERS[query % 3]
        level, error = random.normal(1.5, 0.5), 0.5 * (1.5 if tier == "tail" else 1)
        for item in range(query * 10, query * 10 + 10):
            truth = level + random.normal(0, 0.8)
            able = [name for name in names if name != tail]
            weights = np.array(activity) / sum(activity) if activity else None
            two = list(random.choice(able, 2, replace=False, p=weights))
            if tail and tier == "tail":
                two[0] = tail
            for name in map(str, two):
                error_now = error * noise.get(name, 1)
                given = truth + shift.get(name, 0) + random.normal(0, error_now)
                value = float(np.clip(np.round(given), 0, 3))
                rows.append(
                    (item, f"q{query}", tier if named else "", name, value, 60.0 * item, seconds)
                )
    names_of = ["item", "query", "tier", "judge", "grade", "at", "seconds"]
    return GivenGrades(pl.DataFrame(rows, schema=names_of, orient="row"), len(rows))
