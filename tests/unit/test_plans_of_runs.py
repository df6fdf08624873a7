"""Plans of margins say if what runs share is known from few runs."""

from __future__ import annotations

import numpy as np
import pytest

import relyon
from relyon.analysis.comparison.plans.query_plan import QueryPlan
from relyon.core.document.model import Table


def plan(runs: int, lift: float) -> QueryPlan:
    """The plan of a margin, from 80 queries and so many runs of each system."""
    chance = np.random.default_rng(2)
    hard = chance.normal(0.5, 0.1, 80)

    def values() -> dict[str, dict[str, float]]:
        moved = hard + chance.normal(0, lift) + chance.normal(0, 0.05, 80)
        return {"m": {f"q{place}": one for place, one in enumerate(moved.tolist())}}

    systems = {name: [values() for _ in range(runs)] for name in "AB"}
    return relyon.compare_values(systems=systems, margins={"m": 0.1}).plan()


@pytest.mark.parametrize(("runs", "lift", "told"), [(3, 0.05, 3), (6, 0.05, 6), (3, 0.0, 0)])
def test_few_runs_are_said_in_the_plan(runs: int, lift: float, told: int) -> None:
    found = plan(runs, lift)
    (margin,) = found.margins
    assert margin.runs == told
    assert margin.to_dict().get("runs", 0) == told
    table = found.document("en").blocks[0]
    assert isinstance(table, Table)
    assert any("only 3 runs of a system" in str(one) for one in table.notes) == (0 < told < 5)
