"""Slices: false discoveries over 200 null comparisons, power on planted ones, and their size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.honest.rows import row

import relyon

Values = NDArray[np.float64]
Columns = dict[str, dict[str, str]]

CLAIM = "slices"
NULLS, PLANTED = 200, 60
COUNT = 400
#: 5% of 200 comparisons, and what chance adds in 99.9% of such simulations.
MOST = 0.098
SKEWED = "the page: rare large gains or losses"
FEW = "the page: what cannot be found"
INSIDE = "the page: a slice in which few queries gain much"


def columns(chance: np.random.Generator, ids: list[str]) -> Columns:
    """Ten columns: half of them correlated, numbers, and one with missing values."""
    count = len(ids)
    common = chance.normal(size=count)
    found: Columns = {}
    for number in range(8):
        one = chance.normal(size=count) + (0.7 * common if number % 2 else 0)
        values = int(chance.integers(2, 7))
        bins = np.searchsorted(np.quantile(one, np.arange(1, values) / values), one)
        found[f"c{number}"] = {query: f"v{value}" for query, value in zip(ids, bins, strict=True)}
    counts = chance.poisson(5, count)
    found["number"] = {query: str(value) for query, value in zip(ids, counts, strict=True)}
    held = chance.random(count) > 0.3
    found["missing"] = {
        query: "ab"[int(chance.random() < 0.5)] for query, one in zip(ids, held, strict=True) if one
    }
    return found


def rare(sign: int) -> Callable[[np.random.Generator, int], Values]:
    """A change of one on 4% of the queries, and a fifth of it the other way on 20%: mean 0."""

    def drawn(chance: np.random.Generator, count: int) -> Values:
        share = chance.random(count)
        return sign * np.where(share < 0.04, 1.0, np.where(share < 0.24, -0.2, 0.0))

    return drawn


NULL: Mapping[str, Callable[[np.random.Generator, int], Values]] = {
    "normal": lambda chance, count: chance.normal(0, 0.2, count),
    "85% unchanged": lambda chance, count: (
        chance.normal(0, 0.2, count) * (chance.random(count) < 0.15)
    ),
    "heavy tails (t with 2 degrees of freedom)": lambda chance, count: (
        0.1 * chance.standard_t(2, count)
    ),
    "rare large gains": rare(1),
    "rare large losses": rare(-1),
    "the same loss everywhere": lambda chance, count: chance.normal(-0.05, 0.2, count),
}


def found_in(changes: Values, ids: list[str], given: Columns, **options: Any) -> relyon.Slices:
    return relyon.find_slices(dict(zip(ids, changes.tolist(), strict=True)), given, **options)


@pytest.mark.parametrize("name", NULL)
def test_nothing_is_found_where_nothing_differs(name: str) -> None:
    ids = [f"q{number}" for number in range(COUNT)]
    truth = -0.05 if "loss everywhere" in name else 0.0
    alarms = losses = covered = shown = 0
    for seed in range(NULLS):
        chance = np.random.default_rng([seed, len(name)])
        given = columns(chance, ids)
        found = found_in(NULL[name](chance, COUNT), ids, given, seed=seed)
        alarms += bool(found.slices)
        losses += any(one.verdict == "loses" for one in found.slices)
        shown += len(found.tested)
        covered += sum(one.interval[0] <= truth <= one.interval[1] for one in found.tested)
    skewed = name.startswith("rare")
    row(CLAIM, f"{name}: any slice is found", alarms / NULLS, NULLS,
        promise="at most 5%", most=MOST)  # fmt: skip
    row(CLAIM, f"{name}: a slice loses", losses / NULLS, NULLS,
        promise="at most 5%", most=MOST)  # fmt: skip
    row(CLAIM, f"{name}: intervals of tested slices", covered / shown, shown,
        promise="none" if skewed else "95 of 100", least=0.8 if skewed else 0.94,
        assumption=not skewed, says=SKEWED if skewed else "")  # fmt: skip


def test_a_slice_that_only_varies_more_is_not_found() -> None:
    ids = [f"q{number}" for number in range(COUNT)]
    alarms = 0
    for seed in range(NULLS):
        chance = np.random.default_rng([seed, 11])
        given = columns(chance, ids)
        wide = np.array([given["c0"][query] == "v0" for query in ids])
        changes = chance.normal(0, 0.1, COUNT) * np.where(wide, 4, 1)
        alarms += bool(found_in(changes, ids, given, seed=seed).slices)
    row(CLAIM, "one value varies four times as much: any slice is found", alarms / NULLS, NULLS,
        promise="at most 5%", most=MOST)  # fmt: skip


@pytest.mark.parametrize(
    ("share", "gains"), [(0.25, 0.3), (0.25, 0.1), (0.25, 0.05), (0.1, 0.1), (0.1, 0.05)]
)
def test_a_slice_in_which_few_queries_gain_much(share: float, gains: float) -> None:
    """All other queries of it lose a little: its mean is 0, as is that of the other queries."""
    ids = [f"q{number}" for number in range(COUNT)]
    alarms = 0
    for seed in range(NULLS):
        chance = np.random.default_rng([seed, 17, round(1000 * share), round(1000 * gains)])
        given = columns(chance, ids)
        inside = chance.random(COUNT) < share
        given["inside"] = {query: "ny"[int(one)] for query, one in zip(ids, inside, strict=True)}
        skewed = np.where(chance.random(COUNT) < gains, 1.0, -gains / (1 - gains))
        rest = chance.normal(0, 0.1, COUNT) * (chance.random(COUNT) < 0.5)
        alarms += bool(found_in(np.where(inside, skewed, rest), ids, given, seed=seed).slices)
    row(CLAIM, f"{gains:.0%} of a slice of {share:.0%} gain 1, its others lose: any slice is found",
        alarms / NULLS, NULLS, promise="none", assumption=False, most=0.6, says=INSIDE)  # fmt: skip


@pytest.mark.parametrize("loss", [0.06, 0.1])
def test_the_loss_of_slices_that_one_half_finds_or_both(loss: float) -> None:
    """A quarter of the queries loses; five columns, of which one says so."""
    ids = [f"q{number}" for number in range(COUNT)]
    means: dict[bool, list[float]] = {False: [], True: []}
    for seed in range(NULLS):
        chance = np.random.default_rng([seed, 19])
        inside = chance.random(COUNT) < 0.25
        given = {
            f"c{number}": {query: "ab"[int(chance.random() < 0.5)] for query in ids}
            for number in range(4)
        }
        given["planted"] = {query: "ny"[int(one)] for query, one in zip(ids, inside, strict=True)}
        changes = chance.normal(0, 0.25, COUNT) * (chance.random(COUNT) < 0.5) - loss * inside
        truth = {query for query, one in zip(ids, inside, strict=True) if one}
        for one in found_in(changes, ids, given, seed=seed).tested:
            if set(one.queries) == truth:
                means[one.tested == len(truth)].append(-one.difference / loss)
    for both, name in ((False, "one half finds it"), (True, "both halves find it")):
        row(CLAIM, f"a loss of {loss}, {name}: its mean over the true one",
            float(np.mean(means[both])), len(means[both]), promise="none", least=0.3, most=2.5,
            assumption=False, says="the page: too small if one half finds it")  # fmt: skip


def test_relabelled_queries_of_a_real_comparison() -> None:
    """BM25 and TF-IDF on the example collection, whose changes go to its questions at random."""
    folder = Path(__file__).resolve().parents[2] / "examples" / "docs-search"
    comparison = relyon.compare(
        folder / "judgments.qrels", folder / "tfidf.run", folder / "bm25.run", "ndcg@10"
    )
    changes = comparison.deltas("bm25.run", "ndcg@10")
    ids, values = list(changes), np.array(list(changes.values()))
    alarms = 0
    for seed in range(NULLS):
        order = np.random.default_rng(seed).permutation(len(ids))
        given = dict(zip(ids, values[order].tolist(), strict=True))
        found = relyon.find_slices(given, queries=folder / "queries.csv", seed=seed)
        alarms += bool(found.slices)
    row(CLAIM, "changes of a real comparison on random queries: any slice is found",
        alarms / NULLS, NULLS, promise="at most 5%", most=MOST)  # fmt: skip


@pytest.mark.parametrize("told", [True, False], ids=["told", "untold"])
def test_clusters_of_queries(told: bool) -> None:
    """Eighty clusters of five queries with one common effect, and columns of the cluster."""
    ids = [f"q{number}" for number in range(COUNT)]
    alarms = 0
    for seed in range(NULLS):
        chance = np.random.default_rng([seed, 13])
        of = np.arange(COUNT) // 5
        heads = [f"h{number}" for number in range(COUNT // 5)]
        lead = columns(chance, heads)
        given = {
            name: {query: one[heads[of[n]]] for n, query in enumerate(ids) if heads[of[n]] in one}
            for name, one in lead.items()
        }
        changes = chance.normal(0, 0.2, len(heads))[of] + chance.normal(0, 0.1, COUNT)
        cluster = {query: str(of[n]) for n, query in enumerate(ids)} if told else None
        alarms += bool(found_in(changes, ids, given, cluster=cluster, seed=seed).slices)
    row(CLAIM, f"clusters of five queries, {'with' if told else 'without'} --cluster: any slice",
        alarms / NULLS, NULLS, promise="at most 5%" if told else "none", assumption=told,
        most=MOST if told else 1, says="" if told else "the page: give clusters")  # fmt: skip


@pytest.mark.parametrize("loss", [0.05, 0.1, 0.2])
@pytest.mark.parametrize(("count", "share"), [(200, 0.25), (1000, 0.1), (1000, 0.25)])
def test_planted_slices(count: int, share: float, loss: float) -> None:
    """Half of the queries change, with a standard deviation of 0.25; a slice loses besides."""
    ids = [f"q{number}" for number in range(count)]
    hits = 0
    held: list[float] = []
    missed = 0
    for seed in range(PLANTED):
        chance = np.random.default_rng([seed, count])
        given = columns(chance, ids)
        inside = chance.random(count) < share
        given["planted"] = {query: "yn"[int(one)] for query, one in zip(ids, ~inside, strict=True)}
        changes = chance.normal(0, 0.25, count) * (chance.random(count) < 0.5) - loss * inside
        truth = {query for query, one in zip(ids, inside, strict=True) if one}
        found = found_in(changes, ids, given, seed=seed)
        ours = [one for one in found.slices if one.verdict == "loses" and set(one.queries) == truth]
        hits += bool(ours)
        held += [one.difference for one in ours]
        missed += any(not one.interval[0] <= -loss <= one.interval[1] for one in ours)
    case = f"{count} queries, {share:.0%} lose {loss}"
    strong = loss * np.sqrt(count * share) > 1.4
    row(CLAIM, f"{case}: the slice is found, and nothing less or more of it", hits / PLANTED,
        PLANTED, promise="at least 80%" if strong else "none", least=0.8 if strong else 0,
        assumption=bool(strong), says="" if strong else FEW)  # fmt: skip
    if len(held) >= 4:
        row(CLAIM, f"{case}: its mean loss, if found, over the true one",
            -float(np.mean(held)) / loss, len(held), promise="none", least=0.8, most=2.5,
            assumption=False, says="the page: still too large where power is low")  # fmt: skip
    row(CLAIM, f"{case}: it is found, and its interval misses the truth", missed / PLANTED, PLANTED,
        promise="at most 5%", most=0.16)  # fmt: skip
