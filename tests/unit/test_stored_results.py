"""Stored evaluations are compared like the runs they were measured on, to the bit."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from tests.values import whole_list

import relyon
from relyon.core.errors import InputError, ParameterError
from relyon.measures.lookup import registry

NAMES = [whole_list(name) for name in sorted(registry) if registry.get(name).needs == "judgments"]
POOLED = {"auc", "logloss", "brier", "calibration_error"}
CONVENTIONS = ("relyon", "trec_eval", "lightgbm")


def data(seed: int = 3, queries: int = 30, negative: bool = True) -> tuple[Any, Any, Any]:
    """Judgments with unjudged, negative and fractional grades, and runs with ties and gaps."""
    dice = random.Random(seed)
    judgments: dict[str, dict[str, float]] = {}
    runs: list[dict[str, dict[str, float]]] = [{}, {}]
    for number in range(queries):
        query = f"q{number}"
        grades = [dice.choice([-negative, 0, 0, 1, 2, 3, 0.5]) for _ in range(9)]
        if number % 7 == 0:
            grades = [0] * 9
        judgments[query] = {f"d{place}": grade for place, grade in enumerate(grades)}
        for run in runs:
            if dice.random() < 0.93:
                run[query] = {f"d{place}": dice.randint(0, 5) / 2 for place in range(12)}
        if number % 5 == 0:  # no inversions: an infinite PNR
            runs[1][query] = dict(judgments[query])
    return judgments, *runs


def stored(results: relyon.Results, path: Path) -> relyon.Results:
    path.write_text(results.to_json(per_query=True), "utf-8", "surrogateescape")
    return relyon.read_results(path)


def evaluated(names: Any, **settings: Any) -> tuple[Any, Any, Any, list[relyon.Results]]:
    judgments, old, new = data(negative=settings.get("convention") != "lightgbm")
    runs = [
        relyon.evaluate(judgments, run, names, name=name, **settings)
        for name, run in (("old", old), ("new", new))
    ]
    return judgments, old, new, runs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("average", [None, "macro", "micro"])
def test_every_measure_compares_the_same(tmp_path: Path, convention: str, average: Any) -> None:
    possible = []
    for name in NAMES:
        try:
            evaluated([name], convention=convention, average=average)
        except (InputError, ParameterError):
            continue
        possible.append(name)
    assert len(possible) > 30
    judgments, old, new, results = evaluated(possible, convention=convention, average=average)
    kept = [stored(one, tmp_path / f"{one.run}.json") for one in results]
    for one, other in zip(results, kept, strict=True):
        assert other.queries == one.queries
        assert other.to_json(per_query=True) == one.to_json(per_query=True)
        assert repr(other.entries) == repr(one.entries)
        assert other.notes == one.notes
    compared = [name for name in possible if not pooled(results[0], name)]
    judgments, old, new, results = evaluated(compared, convention=convention, average=average)
    kept = [stored(one, tmp_path / f"{one.run}.json") for one in results]
    direct = relyon.compare(
        judgments, old, new, compared, names=["old", "new"], convention=convention, average=average
    )
    found = relyon.compare_results(kept)
    assert found.to_json(per_query=True) == direct.to_json(per_query=True)
    assert repr(found.contrasts) == repr(direct.contrasts)
    assert found.to_text() == direct.to_text()
    assert found.to_text(language="zh") == direct.to_text(language="zh")


def pooled(results: relyon.Results, name: str) -> bool:
    entry = results.entries[str(relyon.measure(name))]
    return entry.average == "micro" and relyon.measure(name).combine == "pooled"
