"""How often a number from other rules matches some class by accident, and what is stated then.

50 queries, lists of 60 documents with tied scores, grades 0 to 3. A wrong number is one of a way of
counting that was tried, moved; or one of rules that are not tried: other gains, four changes.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.honest.rows import row

import relyon
from relyon.analysis.matching.chance import accident_of_any, distinct_rows, steps
from relyon.analysis.matching.effects import effects_of
from relyon.analysis.matching.measured import Measurements
from relyon.analysis.matching.ways import Way, ways

Table = NDArray[np.float64]

QUERIES, DRAWS, HALF = 50, 2000, 5e-5
TIERS = {0: "known programs", 1: "up to one change", 2: "up to two changes"}
CASES: dict[str, list[str]] = {
    "one number": ["ndcg@10"],
    "two numbers": ["ndcg@10", "ap"],
    "P@10": ["p@10"],
}


@cache
def files() -> tuple[relyon.Judgments, relyon.Run]:
    draw = np.random.default_rng(32)
    judgments: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for number in range(QUERIES):
        names = [f"d{code}" for code in draw.choice(1000, 80, replace=False)]
        grades = draw.choice([0, 0, 0, 1, 2, 3], 30)
        scores = np.round(draw.normal(0, 1, 60), 1)
        judgments[f"q{number}"] = dict(zip(names[:30], map(int, grades), strict=True))
        run[f"q{number}"] = dict(zip(draw.permutation(names)[:60], scores.tolist(), strict=True))
    return relyon.read_judgments(judgments), relyon.read_run(run)


@cache
def tried(case: str) -> tuple[list[Way], Table, list[float]]:
    """Returns the ways of counting, their numbers, and the step of each measure's mean."""
    judgments, run = files()
    measures = [relyon.measure(name) for name in CASES[case]]
    found = Measurements(judgments, run, None, 1)
    listed, _ = ways(measures, effects_of(judgments, run, None))
    values = [[*found.values(listed[0], one).values()] for one in measures]
    return listed, found.numbers(listed, measures), [steps(one, QUERIES) for one in values]


def shares(case: str, wrong: Table, tier: int) -> tuple[float, float]:
    """Returns how often a wrong number matches, and how often it is stated to."""
    listed, table, grid = tried(case)
    rows = distinct_rows(table[[way.tier <= tier for way in listed]])
    halves = [HALF] * rows.shape[1]
    matched = [bool((np.abs(rows - one) <= HALF * (1 + 1e-6)).all(axis=1).any()) for one in wrong]
    stated = [accident_of_any(rows, one.tolist(), halves, grid) for one in wrong]
    return float(np.mean(matched)), float(np.mean(stated))


def moved(case: str, draws: int = DRAWS) -> Table:
    """Returns numbers of ways that were tried, moved by up to 0.02, as printed."""
    draw = np.random.default_rng(5)
    listed, table, grid = tried(case)
    near = table[[way.tier <= 1 for way in listed]]
    start = near[draw.integers(0, len(near), draws)]
    if grid[0]:
        shift = grid[0] * draw.integers(1, 11, start.shape) * draw.choice([-1, 1], start.shape)
    else:
        shift = draw.uniform(-0.02, 0.02, start.shape)
    found: Table = np.round(start + shift, 4)
    return found


def other_rules(case: str, kind: str, draws: int = 300) -> Table:
    """Returns numbers, as printed, of rules that are not tried."""
    draw = np.random.default_rng(6)
    judgments, run = files()
    known = tried(case)[1]
    found: list[list[float]] = []
    choices: dict[str, list[Any]] = {
        "ties": ["doc-desc", "doc-asc", "input", "expected", "worst"],
        "ideal": ["judged", "retrieved", "uncut"],
        "unjudged": ["nonrelevant", "removed"],
        "discount": ["log2", "inverse", "none"],
        "gain": ["linear", "exp"],
        "unretrieved": ["counted", "removed"],
    }
    for _ in range(20 * draws):
        if len(found) == draws:
            break
        rules = {name: draw.choice(values) for name, values in choices.items()}
        if kind == "other gains":
            names = list(rules)
            rules = {name: rules[name] for name in draw.choice(names, 2, replace=False)}
            a, b, c = np.sort(draw.uniform(0.2, 8, 3)).round(2)
            rules["gain"] = {0: 0, 1: a, 2: b, 3: c}
        elif sum(rules[name] != values[0] for name, values in choices.items()) < 4:
            continue
        results = relyon.evaluate(judgments, run, CASES[case], convention=rules)
        numbers = [results[name] for name in CASES[case]]
        # Another program with fewer changes may have the same rules, or the rule may not matter.
        if not (np.abs(known - numbers) <= 1e-9).all(axis=1).any():
            found.append(numbers)
    return np.round(np.array(found), 4)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("tier", TIERS)
def test_moved_numbers_match_as_often_as_stated(case: str, tier: int) -> None:
    found, stated = shares(case, moved(case), tier)
    row("matching", f"{case}, moved by up to 0.02, {TIERS[tier]}", found, DRAWS,
        promise=f"{stated:.1%} stated", most=stated * 1.25 + 0.01)  # fmt: skip


@pytest.mark.parametrize("kind", ["other gains", "four changes"])
@pytest.mark.parametrize("tier", TIERS)
def test_numbers_of_other_rules(kind: str, tier: int) -> None:
    """Numbers of rules that were not tried lie where those of tried ones lie."""
    for case in ("one number", "two numbers"):
        wrong = other_rules(case, kind)
        found, stated = shares(case, wrong, tier)
        row("matching", f"{case}, {kind}, {TIERS[tier]}", found, len(wrong),
            assumption=False, promise=f"{stated:.1%} stated", most=max(2 * stated, 0.03),
            says="it is for numbers anywhere between those tried")  # fmt: skip
