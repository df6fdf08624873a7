"""Repeated runs in numbers: against brute force, statsmodels and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from relyon.analysis.statistics.components import (
    Components,
    RunEffect,
    RunSpread,
    components,
    satterthwaite,
)

Values = NDArray[np.float64]


def drawn(
    random: np.random.Generator, runs: tuple[int, int], queries: int, run: float = 0.02
) -> list[Values]:
    """Draws two systems with every component."""
    query = random.normal(0.5, 0.1, queries)
    return [
        query
        + random.normal(0, 0.05, queries)
        + random.normal(0, run, (count, 1))
        + random.normal(0, 0.03, (count, queries))
        for count in runs
    ]


def brute_force(systems: list[Values]) -> dict[str, float]:
    """Computes the components from sums over all cells, one at a time."""
    queries = systems[0].shape[1]
    squares = degrees = between = 0.0
    for values in systems:
        count = len(values)
        whole = values.sum() / values.size
        for row in range(count):
            own = values[row].sum() / queries
            between += (own - whole) ** 2
            for column in range(queries):
                shared = values[:, column].sum() / count
                squares += (values[row, column] - own - shared + whole) ** 2
        degrees += count - 1
    repeat = squares / (degrees * (queries - 1))
    run = between / degrees - repeat / queries
    means = [values.sum(axis=0) / len(values) for values in systems]
    differences = means[1] - means[0]
    crossed = ((differences - differences.mean()) ** 2).sum() / (queries - 1) / 2
    added = repeat * sum(1 / len(values) for values in systems) / 2
    middle = (means[0] + means[1]) / 2
    shared = ((middle - middle.mean()) ** 2).sum() / (queries - 1)
    return {
        "query": shared - crossed / 2,
        "interaction": crossed - added,
        "run": run,
        "repeat": repeat,
    }


@pytest.mark.parametrize("runs", [(2, 2), (2, 5), (4, 1), (10, 3)])
@pytest.mark.parametrize("queries", [2, 6, 40])
def test_components_are_those_of_sums_over_all_cells(runs: tuple[int, int], queries: int) -> None:
    systems = drawn(np.random.default_rng([queries, *runs]), runs, queries)
    found = components(systems)
    assert found is not None
    for name, value in brute_force(systems).items():
        assert getattr(found, name) == pytest.approx(max(value, 0.0), abs=1e-12)
        assert (name in found.truncated) == (value < 0)


@pytest.mark.long
def test_components_are_those_of_statsmodels() -> None:
    """In a balanced design with no estimate below 0, REML and the analysis of variance agree."""
    models = pytest.importorskip("statsmodels.regression.mixed_linear_model")
    pandas = pytest.importorskip("pandas")
    systems = [100 * one for one in drawn(np.random.default_rng(5), (3, 3), 15, run=0.05)]
    rows = [
        {"y": value, "system": system, "query": query, "run": f"{system}-{run}"}
        for system, values in enumerate(systems)
        for run, row in enumerate(values.tolist())
        for query, value in enumerate(row)
    ]
    frame = pandas.DataFrame(rows)
    parts = {
        "query": "0 + C(query)",
        "interaction": "0 + C(query):C(system)",
        "run": "0 + C(run)",
    }
    model = models.MixedLM.from_formula(
        "y ~ C(system)", frame, groups=np.ones(len(frame)), vc_formula=parts, re_formula="0"
    )
    fitted = model.fit(reml=True, method=["powell", "lbfgs"])
    oracle = dict(zip(model.exog_vc.names, fitted.vcomp.tolist(), strict=True))
    found = components(systems)
    assert found is not None
    assert not found.truncated
    assert fitted.scale == pytest.approx(found.repeat, rel=1e-3)
    for name, value in oracle.items():
        assert value == pytest.approx(getattr(found, name), rel=2e-2), name


def test_components_are_unbiased() -> None:
    """Over many draws their mean is what was planted, for unequal numbers of runs."""
    random = np.random.default_rng(1)
    raw = [brute_force(drawn(random, (2, 4), 8)) for _ in range(1500)]
    for name, planted in {"query": 0.1, "interaction": 0.05, "run": 0.02, "repeat": 0.03}.items():
        values = np.array([one[name] for one in raw])
        error = values.std() / math.sqrt(len(values))
        assert abs(values.mean() - planted**2) < 4 * error, name


@pytest.mark.parametrize(
    "systems",
    [
        [np.zeros((1, 5)), np.ones((1, 5))],
        [np.zeros((2, 1)), np.ones((2, 1))],
        [np.array([[math.inf, 1.0], [0.0, 1.0]]), np.ones((2, 2))],
        [np.ones((2, 4))],
    ],
    ids=["single-runs", "one-query", "infinite", "one-system"],
)
def test_what_shows_no_components_has_none(systems: list[Values]) -> None:
    assert components(systems) is None


def test_equal_runs_have_no_noise() -> None:
    values = np.array([[0.1, 0.7, 0.3]] * 3)
    found = RunSpread.of(values)
    assert (found.between, found.within, found.limit()) == (0.0, 0.0, 0.0)
    effect = RunEffect.of(found, RunSpread.of(values + 0.1))
    assert effect is not None
    assert (effect.excess, effect.p) == (0.0, 1.0)
    parts = components([values, values])
    assert parts == Components(parts.query if parts else 0.0, 0.0, 0.0, 0.0)


def test_a_shift_of_all_queries_is_a_run_effect_without_noise() -> None:
    seen = np.linspace(0, 1, 8)
    spreads = [RunSpread.of(np.array([seen, seen + 0.25])), RunSpread.of(np.array([seen, seen]))]
    effect = RunEffect.of(*spreads)
    assert effect is not None
    assert effect.p == 0.0
    assert effect.excess == pytest.approx(0.25**2 / 2 / 2)


def test_the_order_of_runs_does_not_matter() -> None:
    systems = drawn(np.random.default_rng(3), (5, 4), 9)
    moved = [one[::-1] for one in systems]
    assert [RunSpread.of(one) for one in systems] == [RunSpread.of(one) for one in moved]
    assert components(systems) == components(moved)


@pytest.mark.parametrize("runs", [2, 3, 10])
def test_the_noise_floor_holds_95_of_100_pairs_of_runs(runs: int) -> None:
    random = np.random.default_rng(runs)
    held = 0
    for _ in range(2000):
        values = 0.5 + random.normal(0, 0.02, (runs + 2, 1)) + np.zeros((1, 3))
        found = RunSpread.of(values[:runs])
        held += abs(values[-1, 0] - values[-2, 0]) < found.limit()
    assert abs(held / 2000 - 0.95) < 0.02


def test_the_f_test_is_uniform_without_a_run_effect() -> None:
    random = np.random.default_rng(9)
    found = [
        RunEffect.of(*(RunSpread.of(one) for one in drawn(random, (2, 3), 10, run=0.0)))
        for _ in range(1500)
    ]
    p = np.array([one.p for one in found if one is not None])
    for level in (0.05, 0.5):
        assert abs((p <= level).mean() - level) < 4 * math.sqrt(level * (1 - level) / len(p))


def test_an_effect_widens_and_never_narrows() -> None:
    random = np.random.default_rng(11)
    for _ in range(200):
        effect = RunEffect.of(*(RunSpread.of(one) for one in drawn(random, (2, 4), 6)))
        assert effect is not None
        variance, freedom = effect.added_to(1e-4, 5.0)
        assert variance == pytest.approx(1e-4 + effect.excess)
        assert (variance, freedom) == (1e-4, 5.0) if not effect.excess else 0 < freedom <= 5.0


def test_a_single_run_shows_nothing() -> None:
    one = RunSpread.of(np.array([[0.1, 0.2]]))
    assert math.isnan(one.between)
    assert math.isnan(one.limit())
    assert RunEffect.of(one, one) is None
    several = RunSpread.of(np.array([[0.1, 0.2], [0.3, 0.1]]))
    effect = RunEffect.of(one, several)
    assert effect is not None
    assert effect.observed == pytest.approx(several.between / 2)


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ([(1.0, 3.0)], 3.0),
        ([(1.0, 3.0), (0.0, 1.0)], 3.0),
        ([(2e-200, 4.0), (2e-200, 4.0)], 8.0),
        ([(3.0, 9.0), (1.0, 1.0)], 16 / 2),
    ],
)
def test_degrees_of_freedom_are_those_of_satterthwaite(
    terms: list[tuple[float, float]], expected: float
) -> None:
    assert satterthwaite(*terms) == pytest.approx(expected)
    assert math.isnan(satterthwaite((0.0, 3.0)))
