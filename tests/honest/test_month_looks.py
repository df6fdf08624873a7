"""Months looked at while they are graded: how often a change is found where there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.honest.rows import row

from relyon.online.monitoring.graded_month import GradedMonth
from relyon.online.monitoring.looks import look_at_tier, with_verdicts
from relyon.online.monitoring.month_variance import Cells, cell_means

NAMES = ("head", "middle", "tail")
#: Queries of a tier, and how flat their traffic is.
QUERIES, FLAT = (12, 60, 1500), (1, 12, 100)
DRAWN, LOOKS, MONTHS, ALPHA, K = 100, 14, 120, 0.05, 5
KEYS = (("all", "common"), *((name, "tier") for name in NAMES))

Order = list[tuple[int, int]]


@dataclass(frozen=True)
class Case:
    """A process, and how it is graded.

    Attributes:
        tiers_first: Whether the head tier is graded first, then the middle one.
        zeros: The share of sessions without anything relevant.
        shock: The standard deviation of an effect common to a month.
        drop: By how much DCG is lower in every second month.
    """

    tiers_first: bool = False
    zeros: float = 0.0
    shock: float = 0.0
    drop: float = 0.0


def drawn(draws: np.random.Generator) -> list[NDArray[np.int64]]:
    """Returns the queries of a month's sampled sessions, by tier."""
    found = []
    for count, flat in zip(QUERIES, FLAT, strict=True):
        weights = 1 / (np.arange(count) + flat)
        found.append(draws.choice(count, DRAWN, p=weights / weights.sum()))
    return found


def month(
    queries: list[NDArray[np.int64]], values: list[NDArray[np.float64]], graded: Order
) -> GradedMonth:
    """Returns a month of which some queries are graded."""
    known = set(graded)
    cells: list[tuple[int, str, int, float, float]] = []
    counts = dict.fromkeys(NAMES, 0)
    sampled = {name: len(np.unique(queries[tier])) for tier, name in enumerate(NAMES)}
    sessions = np.zeros(len(NAMES), dtype=np.int64)
    for tier, name in enumerate(NAMES):
        for query in np.unique(queries[tier]).tolist():
            if (tier, query) in known:
                held = values[tier][queries[tier] == query]
                apart = float(((held - held.mean()) ** 2).sum())
                cells.append((tier, f"{tier}-{query}", len(held), float(held.mean()), apart))
                counts[name] += 1
                sessions[tier] += len(held)
    strata, names, sizes, means, squares = zip(*cells, strict=True)
    whole, by_tier = cell_means(
        NAMES, np.full(len(NAMES), 1000.0), sessions,
        Cells(np.array(strata), names, np.array(sizes), np.array(means), np.array(squares)),
    )  # fmt: skip
    ranks = dict.fromkeys(KEYS, K)
    every: dict[tuple[str, str], int] = {}
    of_sample: dict[tuple[str, str], int] = {}
    for depth in ("tier", "common"):
        every |= {(name, depth): count for name, count in counts.items()}
        of_sample |= {(name, depth): count for name, count in sampled.items()}
    every["all", "common"] = sum(counts.values())
    of_sample["all", "common"] = sum(sampled.values())
    tiers = {(name, "tier"): mean for name, mean in by_tier.items()}
    found = {("all", "common"): whole, **tiers}
    return GradedMonth(found, ranks, every, of_sample, frozenset(), NAMES)  # type: ignore[arg-type]


def found_in(case: Case, months: int, seed: int, watched: int = 1) -> list[float]:
    """Returns the share of its queries that were graded when a month's change was found."""
    draws = np.random.default_rng(seed)
    quality = [draws.normal(3, 0.8, count) for count in QUERIES]
    before, found = None, []
    for number in range(months + 1):
        queries, values = drawn(draws), []
        common = draws.normal(0, 1) * case.shock - case.drop * (number % 2)
        for tier, held in enumerate(queries):
            moved = draws.normal(0, 0.3, QUERIES[tier])
            each = quality[tier][held] + moved[held] + draws.normal(0, 0.4, DRAWN)
            each = np.where((draws.random(QUERIES[tier]) < case.zeros)[held], 0.0, each)
            values.append(each + common)
        order = [(tier, query) for tier in range(3) for query in np.unique(queries[tier]).tolist()]
        order = [order[place] for place in draws.permutation(len(order))]
        if case.tiers_first:
            order.sort(key=lambda one: one[0])
        if before is not None and (number % 2 or not case.drop):
            found.append(math.inf)
            for look in range(1, LOOKS + 1):
                last = month(queries, values, order[: math.ceil(len(order) * look / LOOKS)])
                looks = [look_at_tier(*key, [before, last], 0.95, 0.95) for key in KEYS]  # type: ignore[arg-type]
                if any(one.verdict != "undecided" for one in with_verdicts(looks, ALPHA, watched)):
                    found[-1] = look / LOOKS
                    break
        before = month(queries, values, order)
    return found


CASES = {
    "graded in random order": Case(),
    "head tier graded first, then middle, then tail": Case(tiers_first=True),
    "6% of queries find nothing": Case(zeros=0.06),
}


@pytest.mark.parametrize("name", CASES)
def test_quiet_months_are_quiet(name: str) -> None:
    found = found_in(CASES[name], MONTHS, seed=7)
    row(
        "anytime", f"monitor, a month's 14 looks, one watched month: {name}",
        float(np.mean(np.isfinite(found))), len(found), promise="at most 5%", most=0.05,
    )  # fmt: skip


def test_effects_common_to_a_month_lie_outside() -> None:
    found = found_in(Case(shock=0.3), MONTHS, seed=8)
    row(
        "anytime", "monitor, a month's 14 looks, one watched month: an effect of 10% common to a"
        " month", float(np.mean(np.isfinite(found))), len(found), promise="", assumption=False,
        most=0.6, says="effects common to a month lie outside every error",
    )  # fmt: skip


@pytest.mark.parametrize(("drop", "least"), [(0.6, 0.1), (0.9, 0.5)])
def test_a_drop_is_found_within_the_month(drop: float, least: float) -> None:
    found = found_in(Case(drop=drop), MONTHS, seed=9, watched=12)
    row(
        "anytime", f"monitor, twelve watched months: a drop of {drop / 3:.0%} found within the"
        " month", float(np.mean(np.isfinite(found))), len(found), promise="power", least=least,
    )  # fmt: skip


def test_the_mean_so_far_is_in_its_interval_at_every_look() -> None:
    draws, months = np.random.default_rng(10), 60
    missed = 0
    for _ in range(months):
        quality = [draws.normal(3, 0.8, count) for count in QUERIES]
        truth = []
        for count, flat, good in zip(QUERIES, FLAT, quality, strict=True):
            weights = 1 / (np.arange(count) + flat)
            truth.append(float((weights * good).sum() / weights.sum()))
        made = []
        for _ in range(2):
            queries = drawn(draws)
            values = [quality[tier][held] + draws.normal(0, 0.4, DRAWN)
                      for tier, held in enumerate(queries)]  # fmt: skip
            made.append((queries, values))
        orders = [[(tier, query) for tier in range(3) for query in np.unique(one[0][tier]).tolist()]
                  for one in made]  # fmt: skip
        before = month(*made[0], orders[0])
        order = [orders[1][place] for place in draws.permutation(len(orders[1]))]
        for look in range(1, LOOKS + 1):
            last = month(*made[1], order[: math.ceil(len(order) * look / LOOKS)])
            low, high = look_at_tier("all", "common", [before, last], 0.95, 0.95).interval
            if not math.isnan(low) and not low <= np.mean(truth) <= high:
                missed += 1
                break
    row(
        "anytime", "monitor: months whose mean was outside the interval at some look",
        missed / months, months, promise="at most 5%", most=0.05,
    )  # fmt: skip
