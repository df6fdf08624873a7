"""The gate as a whole: pull requests of pure noise, and with planted losses."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.honest.rows import row

import relyon
from relyon.analysis.statistics import queries_needed
from relyon.cli.gate import check_gates
from relyon.core.errors import CheckError

Values = NDArray[np.float64]

MEASURES = ("ndcg@10", "rr", "recall@10")
MARGIN = 0.05
PULLS = 1000


def fails(comparison: relyon.Comparison, *, unless: bool) -> bool:
    """Whether a gate on all measures fails."""
    gates: tuple[str, ...] = () if unless else MEASURES
    try:
        check_gates(comparison, gates, lambda *_: "", MEASURES if unless else ())
    except CheckError:
        return True
    return False


def columns(
    random: np.random.Generator, queries: int, loss: float, share: Values | float
) -> Values:
    """Differences of three measures that are alike, of standard deviation 0.1.

    Args:
        random: The generator.
        queries: Their number.
        loss: The true loss of each measure.
        share: What the queries of a cluster have in common; 0 without clusters.
    """
    common = random.normal(0, 1, (1, queries))
    noise = np.sqrt(0.5) * common + np.sqrt(0.5) * random.normal(0, 1, (3, queries))
    found: Values = 0.1 * (np.sqrt(1 - np.square(share)) * noise + share) - loss
    return found


def pull(differences: Values, margin: float = MARGIN, **options: object) -> relyon.Comparison:
    names = [f"q{n:04}" for n in range(differences.shape[1])]
    old = {name: dict.fromkeys(names, 0.5) for name in MEASURES}
    new = {
        name: dict(zip(names, (0.5 + one).tolist(), strict=True))
        for name, one in zip(MEASURES, differences, strict=True)
    }
    margins = dict.fromkeys(MEASURES, margin) if margin else {}
    return relyon.compare_values({"old": old, "new": new}, margins=margins, **options)  # type: ignore[arg-type]


def rates(
    queries: int, loss: float, pulls: int, seed: int = 0, gates: tuple[bool, ...] = (False, True)
) -> dict[bool, float]:
    """Returns how often each gate fails: that on a loss, and (True) that on a missing proof."""
    random = np.random.default_rng([21, queries, seed])
    found = dict.fromkeys(gates, 0)
    for _ in range(pulls):
        comparison = pull(columns(random, queries, loss, 0.0))
        for unless in gates:
            found[unless] += fails(comparison, unless=unless)
    return {unless: count / pulls for unless, count in found.items()}


@pytest.mark.parametrize("queries", [20, 50, 200])
def test_pull_requests_of_pure_noise(queries: int) -> None:
    """A harmless change fails one gate as often as it says, the other if queries are few."""
    usual = {20: 0.72, 50: 0.18, 200: 0.0}[queries]
    found = rates(queries, 0.0, PULLS)
    row("gate", f"--fail-if-worse, noise, {queries} queries", found[False], PULLS,
        promise="at most 2.5%", most=0.04)  # fmt: skip
    row("gate", f"--fail-unless-not-worse, noise, {queries} queries", found[True], PULLS,
        promise="none", least=usual - 0.06, most=usual + 0.06, assumption=False,
        says="the page: a harmless change fails if queries are too few")  # fmt: skip


@pytest.mark.parametrize("queries", [20, 50, 200])
def test_pull_requests_that_lose_the_margin(queries: int) -> None:
    """97.5 of 100 losses of the margin fail the gate that asks for proof."""
    found = rates(queries, MARGIN, 400, 1, (True,))
    row("gate", f"--fail-unless-not-worse, loss of the margin, {queries} queries", found[True],
        400, promise="at least 97.5%", least=0.95)  # fmt: skip


def test_noise_without_a_margin() -> None:
    """As most use it: any significant loss of three measures fails."""
    random = np.random.default_rng(22)
    found = sum(fails(pull(columns(random, 50, 0.0, 0.0), 0.0), unless=False) for _ in range(PULLS))
    row("gate", "--fail-if-worse without a margin, noise, 50 queries", found / PULLS, PULLS,
        promise="at most 2.5%", most=0.04)  # fmt: skip


def test_planted_losses_are_found_as_planned() -> None:
    """A loss of two margins in all measures, with the queries that one test at α / 3 needs."""
    queries = queries_needed(2 * MARGIN, 0.1, 0.05 / 3, 0.8)
    found = rates(queries, 2 * MARGIN, 400, 2, (False,))
    row("gate", f"--fail-if-worse, loss of 2 margins, {queries} queries planned for 0.8",
        found[False], 400, promise="at least 0.8", least=0.77)  # fmt: skip


def test_noise_in_clusters() -> None:
    """Four queries each share half of their variance: clusters keep the rate, queries do not."""
    random = np.random.default_rng(23)
    names = [f"q{n:04}" for n in range(120)]
    groups = {name: f"c{n // 4}" for n, name in enumerate(names)}
    found = {False: 0, True: 0}
    for _ in range(300):
        share = np.sqrt(0.5) * np.repeat(random.normal(0, 1, 30), 4)
        common = columns(random, 120, 0.0, 0.0) * np.sqrt(0.5) + 0.1 * share
        for clustered in found:
            cluster = {"cluster": groups} if clustered else {}
            found[clustered] += fails(pull(common, 0.0, **cluster), unless=False)
    row("gate", "--fail-if-worse, noise in 30 clusters of 4, --cluster", found[True] / 300, 300,
        promise="at most 2.5%", most=0.05)  # fmt: skip
    row("gate", "--fail-if-worse, noise in 30 clusters of 4, without --cluster", found[False] / 300,
        300, promise="none", least=0.03, assumption=False,
        says="docs: queries that are alike need --cluster")  # fmt: skip


def test_losses_of_the_margin_in_clusters() -> None:
    random = np.random.default_rng(24)
    groups = {f"q{n:04}": f"c{n // 4}" for n in range(120)}
    found = 0
    for _ in range(300):
        share = np.sqrt(0.5) * np.repeat(random.normal(0, 1, 30), 4)
        common = columns(random, 120, 0.0, 0.0) * np.sqrt(0.5) + 0.1 * share - MARGIN
        found += fails(pull(common, cluster=groups), unless=True)
    row("gate", "--fail-unless-not-worse, loss of the margin in 30 clusters of 4, --cluster",
        found / 300, 300, promise="at least 97.5%", least=0.95)  # fmt: skip


@pytest.mark.parametrize("loss", [0.0, MARGIN])
def test_repeated_runs(loss: float) -> None:
    """Three runs of each system, which differ by a shift of the whole run and by query."""
    random = np.random.default_rng(25)
    names = [f"q{n:04}" for n in range(60)]
    found = 0
    for _ in range(300):
        own = random.normal(0, 0.05, 60)
        systems: dict[str, list[dict[str, dict[str, float]]]] = {"old": [], "new": []}
        for system, runs in systems.items():
            for _ in range(3):
                shift = random.normal(0, 0.02)
                base = 0.5 + (own - loss if system == "new" else 0.0) + shift
                values = base + random.normal(0, 0.03, 60)
                runs.append({"ndcg@10": dict(zip(names, values.tolist(), strict=True))})
        margins = {"ndcg@10": MARGIN} if loss else {}
        comparison = relyon.compare_values(systems=systems, margins=margins)
        try:
            gates = ((), ("ndcg@10",)) if loss else (("ndcg@10",), ())
            check_gates(comparison, gates[0], lambda *_: "", gates[1])
        except CheckError:
            found += 1
    if loss:
        row("gate", "--fail-unless-not-worse, loss of the margin, 3 runs each, --system",
            found / 300, 300, promise="at least 97.5%", least=0.95)  # fmt: skip
    else:
        row("gate", "--fail-if-worse, noise, 3 runs each, --system", found / 300, 300,
            promise="at most 2.5%", most=0.05)  # fmt: skip
