"""Two ways to evaluate, so that every golden value checks the kernels and the reference."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.values import values_by_query

from relyon.data.convention import load_convention
from relyon.data.ranking import Ranking
from relyon.measures import measure

Values = dict[str, dict[str, float]]
Lists = dict[str, dict[str, float]]
Source = Path | Mapping[str, Mapping[str, float]]
Engine = Callable[[Source, Source, list[str], Any], Values]


def read_lists(source: Source) -> Lists:
    """Returns {query: {document: number}} of a mapping, of qrels or of a run, read plainly."""
    if not isinstance(source, Path):
        return {query: dict(values) for query, values in source.items()}
    content = source.read_bytes()
    text = (gzip.decompress(content) if source.suffix == ".gz" else content).decode()
    found: Lists = {}
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            fields = line.split()
            number = fields[4] if len(fields) >= 6 else fields[3]  # a run's tag may hold spaces
            found.setdefault(fields[0], {})[fields[2]] = float(number)
    return found


def reference(judgments: Source, run: Source, names: list[str], convention: Any) -> Values:
    """Values by query as the readable definitions find them, summed up plainly."""
    judgments, run = read_lists(judgments), read_lists(run)
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
            values[query][name] = one.counted(rules) if math.isnan(value) else value
    summary = {}
    for name, one in measures.items():
        column = [row[name] for row in values.values() if not math.isnan(row[name])]
        divisor = 1 if one.combine == "sum" else len(column)
        summary[name] = math.fsum(column) / divisor if column else math.nan
    values["all"] = summary
    return values


@pytest.fixture(params=[values_by_query, reference], ids=["kernels", "reference"])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Evaluates judgments, run, measure names and a convention."""
    chosen: Engine = request.param
    return chosen


def load_golden(name: str) -> Any:
    """Returns one file of tests/golden/data."""
    return json.loads((Path(__file__).parent / "data" / f"{name}.json").read_text("utf-8"))


@pytest.fixture(scope="session")
def lists() -> Callable[[Source], Lists]:
    """Reads qrels or a run without relyon."""
    return read_lists


@pytest.fixture(scope="session")
def golden() -> Callable[[str], Any]:
    """Loads a file of tests/golden/data."""
    return load_golden
