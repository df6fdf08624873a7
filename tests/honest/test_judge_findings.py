"""Judges who grade like all others are hardly ever named as those who need help."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("sqlalchemy")

from tests.honest.rows import row
from tests.unit.simulated_judges import grade

from relyon.judging.judge_checks import check_judges

CLAIM = "judge-findings"
REPEATS = 200
#: Each of two kinds of finding names a judge in at most 5% of the projects.
PROMISE = 0.10


def share(**options: Any) -> float:
    """Returns the share of projects in which somebody is named."""
    random = np.random.default_rng(9)
    return sum(bool(check_judges(grade(random, **options))) for _ in range(REPEATS)) / REPEATS


@pytest.mark.parametrize(
    ("case", "options"),
    [
        ("six judges, 60 queries of ten results", {}),
        ("six judges of very unequal activity", {"activity": [32, 16, 8, 4, 2, 1]}),
        ("six judges, 15 queries", {"queries": 15}),
        ("twelve judges", {"judges": 12}),
        ("one judge grades the whole tail, which is harder", {"tail": "j0"}),
    ],
)
def test_judges_who_are_alike(case: str, options: dict[str, Any]) -> None:
    found = share(**options)
    row(CLAIM, case, found, REPEATS, promise="at most 10%", most=PROMISE)


def test_a_judge_of_harder_queries_without_tiers() -> None:
    found = share(tail="j0", named=False)
    row(
        CLAIM,
        "one judge grades harder queries, and no tiers are known",
        found,
        REPEATS,
        promise="none",
        least=0.2,
        assumption=False,
        says="unless these queries were harder",
    )
