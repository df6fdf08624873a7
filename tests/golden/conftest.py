"""Two ways to evaluate, so that every golden value checks the kernels and the reference."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from relkit.convention import load_convention
from relkit.measures import measure
from relkit.ranking import Ranking

Values = dict[str, dict[str, float]]
Engine = Callable[[Mapping[str, Any], Mapping[str, Any], list[str], Any], Values]

FILLED = {"zero": 0.0, "one": 1.0, "skip": math.nan}


def kernels(
    judgments: Mapping[str, Any], run: Mapping[str, Any], names: list[str], convention: Any
) -> Values:
    """Values by query as `relkit.evaluate` finds them; `all` holds the summary."""
    import relkit

    results = relkit.evaluate(judgments, run, names, convention=convention)
    filled = FILLED[results.convention.undefined]
    values = {
        query: {
            name: filled if math.isnan(value) else value
            for name, value in zip(names, row, strict=True)
        }
        for query, row in results.rows()
    }
    values["all"] = dict(zip(names, results.values(), strict=True))
    return values


def reference(
    judgments: Mapping[str, Any], run: Mapping[str, Any], names: list[str], convention: Any
) -> Values:
    """Values by query as the readable definitions find them, summed up plainly."""
    rules = load_convention(convention)
    highest = max(grade for grades in judgments.values() for grade in grades.values())
    measures = {name: measure(name).resolve(rules, highest=highest) for name in names}
    values: Values = {}
    for query, grades in judgments.items():
        if query not in run and rules.missing == "skip":
            continue
        scores = run.get(query, {})
        ranking = Ranking.build(grades, list(scores), list(scores.values()), rules, query=query)
        expected = rules.ties == "expected"
        values[query] = {}
        for name, one in measures.items():
            value = one.expected(ranking) if expected else one.value(ranking)
            values[query][name] = FILLED[rules.undefined] if math.isnan(value) else value
    summary = {}
    for name, one in measures.items():
        column = [row[name] for row in values.values() if not math.isnan(row[name])]
        divisor = 1 if one.combine == "sum" else len(column)
        summary[name] = math.fsum(column) / divisor if column else math.nan
    values["all"] = summary
    return values


@pytest.fixture(params=[kernels, reference], ids=["kernels", "reference"])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Evaluates judgments, run, measure names and a convention."""
    chosen: Engine = request.param
    return chosen


def load_golden(name: str) -> Any:
    """Returns one file of tests/golden/data."""
    return json.loads((Path(__file__).parent / "data" / f"{name}.json").read_text("utf-8"))


@pytest.fixture(scope="session")
def golden() -> Callable[[str], Any]:
    """Loads a file of tests/golden/data."""
    return load_golden
