"""Estimates from thousands of samples: unbiased, and as uncertain as they say."""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest

from relyon.online.sampling import build_tiers, draw_sample, estimate

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "make_sampling.py"
SAMPLES = 400


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_sampling", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_sampling"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_designs_are_unbiased_and_their_intervals_cover(script: ModuleType) -> None:
    low, high = script.bounds(SAMPLES, 0.9999)
    found: dict[str, dict[str, Any]] = script.simulate(SAMPLES, first=100_000)
    assert len(found) == 5
    for name, records in found.items():
        for key, record in records.items():
            where = f"{name}, {key}"
            assert abs(record.bias) < 4, where
            assert low <= record.coverage <= high, where
            assert record.standard_error == pytest.approx(record.deviation, rel=0.15), where


@pytest.mark.slow
def test_a_mean_without_weights_would_be_found_out(script: ModuleType) -> None:
    population = script.make_population()
    tiers = build_tiers(population.log, "share", [0.1, 0.2])
    plain, weighted = script.Record(population.truth["all"]), script.Record(population.truth["all"])
    for seed in range(SAMPLES):
        sample = draw_sample(population.log, tiers=tiers, per_tier=30, seed=seed)
        found = estimate(sample, population.values)
        weighted.add(found)
        plain.values.append(
            float(np.mean([population.values[one] for one in sample.sessions["session"]]))
        )
    assert abs(weighted.bias) < 4
    assert abs(plain.bias) > 20


def test_the_pages_hold_figures_of_every_design() -> None:
    for page in ("sampling.md", "zh/sampling.md"):
        text = (SCRIPT.parent / page).read_text("utf-8")
        table = text.partition("<!-- simulation:start -->")[2].partition("<!-- simulation:end -->")[
            0
        ]
        rows = [line.split("|")[1:-1] for line in table.splitlines() if line.startswith("|")][2:]
        assert len(rows) == 5
        samples = int(table.rpartition("(")[2].partition(" ")[0].replace(",", ""))
        assert samples >= 1000
        for row in rows:
            truth, mean, bias = (float(cell) for cell in row[1:4])
            assert abs(bias) < 4
            assert mean == pytest.approx(truth, rel=0.01)
            for cell in row[6:]:
                share = float(cell.strip().rstrip("%")) / 100
                spread = math.sqrt(0.95 * 0.05 / samples)
                assert abs(share - 0.95) < 4 * spread


def test_coordinated_samples_of_two_months_share_queries() -> None:
    random = np.random.default_rng(5)

    def month(number: int) -> pl.DataFrame:
        queries = np.floor(np.exp(random.random(2000) * np.log(500))).astype(int)
        return pl.DataFrame(
            {
                "session": [f"{number}-{one}" for one in range(2000)],
                "query": [f"q{query}" for query in queries],
                "position": [1] * 2000,
                "doc": ["d"] * 2000,
            }
        )

    first, second = month(1), month(2)
    drawn = set(draw_sample(first, per_tier=40, seed=3).sessions["query"])
    same = set(draw_sample(second, per_tier=40, seed=3).sessions["query"])
    other = set(draw_sample(second, per_tier=40, seed=4).sessions["query"])
    assert len(drawn & same) > 1.3 * len(drawn & other)
