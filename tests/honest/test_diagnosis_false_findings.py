"""Between two runs of equal quality, no rule finds a difference more often than its level."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.honest.rows import row

import relyon
from relyon.analysis.diagnosis import FlatNDCG, OnlineData, Rate
from relyon.analysis.diagnosis.difference import mean_interval

pytestmark = pytest.mark.slow

CLAIM = "diagnosis-false-findings"
RUNS = 300
#: 5% of 300 comparisons, and what chance adds in 99.9% of such simulations.
MOST = 0.095
RARE = "the page names rare changes; the interval is wider by 3/n up to five"
#: Rules that speak about a difference between the runs.
RULES = ["recall-up-ndcg-flat", "ndcg-up-online-flat", "auc-up-dcg-down", "micro-macro"]


def noise(
    queries: int, chance: np.random.Generator, copies: int = 1
) -> tuple[relyon.Judgments, relyon.Run, relyon.Run]:
    """Two runs that order the same documents by their grade and independent noise.

    A query has 3 to 60 relevant documents of 120, few queries many; a run returns about 100 of
    its best.

    Args:
        queries: How many.
        chance: What is drawn from.
        copies: How many ids share one query: above 1 the queries are not independent.
    """
    names: list[str] = []
    documents: list[str] = []
    grades: list[float] = []
    scores: tuple[list[float], list[float]] = ([], [])
    for number in range(queries // copies):
        size = 120
        relevant = min(60, int(3 * chance.pareto(1.2) + 3))
        grade = np.zeros(size)
        grade[:relevant] = chance.integers(1, 4, relevant)
        drawn = [grade + chance.normal(0, 2.5, size) for _ in range(2)]
        for copy in range(copies):
            names += [f"q{number}-{copy}"] * size
            documents += [f"d{place}" for place in range(size)]
            grades += grade.tolist()
            for own, values in zip(scores, drawn, strict=True):
                own.extend(values.tolist())
    judgments = relyon.Judgments.from_arrays(names, documents, grades)
    runs = []
    for place, own in enumerate(scores):
        kept = np.array(own) > -3.2  # what the other run returned in its place is lost
        runs.append(
            relyon.Run.from_arrays(
                np.array(names)[kept].tolist(),
                np.array(documents)[kept].tolist(),
                np.array(own)[kept].tolist(),
                name=("old", "new")[place],
            )
        )
    return judgments, runs[0], runs[1]


def found_on_noise(queries: int, copies: int = 1, runs: int = RUNS) -> Counter[str]:
    """Counts the comparisons in which each rule finds something, and those in which any does."""
    chance = np.random.default_rng([queries, copies])
    counts: Counter[str] = Counter()
    for _ in range(runs):
        judgments, old, new = noise(queries, chance, copies)
        clicks = chance.binomial(20_000, 0.05, 2)
        rates = [Rate(int(events), 20_000) for events in clicks]
        online = OnlineData(baseline=rates[0], candidate=rates[1])
        compared = relyon.compare(judgments, old, new, "ndcg@10", resamples=1)
        found = relyon.diagnose(compared, rules=RULES, online=online)
        spoke = {one.rule for one in found}
        counts.update(spoke)
        counts["any"] += bool(spoke)
    return counts


@pytest.mark.parametrize(("queries", "runs"), [(8, RUNS), (30, RUNS), (150, RUNS // 2)])
def test_noise_is_rarely_a_finding(queries: int, runs: int) -> None:
    counts = found_on_noise(queries, runs=runs)
    case = f"two runs of equal quality, {queries} queries, few of them large"
    worst = max(counts[name] for name in RULES)
    row(
        CLAIM, f"{case}: the rule that fires most", worst / runs, runs,
        promise="at most 5%", most=MOST,
    )  # fmt: skip
    row(
        CLAIM, f"{case}: any of the four rules", counts["any"] / runs, runs,
        promise="at most 20%", most=0.2,
    )  # fmt: skip


def test_copies_of_a_query_are_outside() -> None:
    runs = 100
    counts = found_on_noise(30, copies=5, runs=runs)
    row(
        CLAIM, "six queries under five ids each: any of the four rules", counts["any"] / runs, runs,
        promise="none", least=0.2, assumption=False,
        says="the page says that copies of a query count as independent",
    )  # fmt: skip


def margins(kind: str, queries: int, chance: np.random.Generator) -> NDArray[np.float64]:
    """Differences of NDCG per query whose true mean is the margin of 0.01."""
    if kind == "normal":
        return np.clip(chance.normal(0.01, 0.15, queries), -1, 1)
    if kind == "four of five tied":
        return np.where(chance.random(queries) < 0.2, chance.normal(0.05, 0.2, queries), 0)
    # A rare large gain, which a sample may not contain.
    return np.where(chance.random(queries) < 0.02, 0.5, 0)


@pytest.mark.parametrize("kind", ["normal", "four of five tied", "2% gain 0.5"])
def test_a_rise_of_the_margin_is_rarely_called_flat(kind: str) -> None:
    for queries, runs in ((30, 2000), (300, 2000), (2000, 1000)):
        chance = np.random.default_rng(queries)
        flat = 0
        for _ in range(runs):
            low, high = mean_interval(margins(kind, queries, chance), 0.05)
            flat += -FlatNDCG.flat < low and high < FlatNDCG.flat
        rare = kind.startswith("2%")
        row(
            CLAIM, f"NDCG rises by the margin, {kind}, {queries:,} queries: flat is said",
            flat / runs, runs, promise="none" if rare else "at most 5%",
            most=0.1 if rare else 0.07, assumption=not rare,
            says=RARE if rare else "",
        )  # fmt: skip


def test_equal_runs_are_called_flat_by_enough_queries() -> None:
    runs = 500
    chance = np.random.default_rng(1)
    flat = 0
    for _ in range(runs):
        low, high = mean_interval(chance.normal(0, 0.1, 2000), 0.05)
        flat += -FlatNDCG.flat < low and high < FlatNDCG.flat
    row(
        CLAIM, "NDCG does not change, 2,000 queries, standard deviation 0.1: flat is said",
        flat / runs, runs, promise="at least 90%", least=0.9,
    )  # fmt: skip
