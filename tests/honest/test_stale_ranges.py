"""A collection that drifts: whether ranges contain the value of today, and what repairs them.

Fifty queries have 20 judged documents each; two runs rank all of them by grade plus noise. Of the
documents a share changes: half of these get a new grade, drawn as grades are, and half keep theirs;
three in a hundred disappear. The truth is the measure under the new grades, without what is gone.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.honest.rows import row

import relyon
from relyon.analysis.stale.bounds import StaleSet, bounds_of, figures_of, reaches
from relyon.analysis.stale.scenarios import Scenarios
from relyon.data.convention import load_convention

QUERIES, DOCUMENTS, REPEATS, REPAIRS = 50, 20, 40, 8
LEVELS, CHANCES = (0.0, 1.0, 2.0, 3.0), (0.5, 0.2, 0.2, 0.1)
NUMBERS = [(1.0, 0.0), (-1.0, 1.0)]
Grades = dict[str, dict[str, float]]


class Drift:
    """A collection of which a share has changed.

    Args:
        seed: The seed.
        share: The share of documents that change.
        hidden: The share of the changes that no compared field shows.
    """

    def __init__(self, seed: int, share: float, hidden: float = 0.0) -> None:
        draw = np.random.default_rng(seed)
        self.then: Grades = {}
        self.now: Grades = {}
        openly: dict[str, list[str]] = {}
        gone: dict[str, list[str]] = {}
        scores: list[dict[str, dict[str, float]]] = [{}, {}]
        for number in range(QUERIES):
            query = f"q{number}"
            documents = [f"d{one}" for one in range(DOCUMENTS)]
            grades = draw.choice(LEVELS, DOCUMENTS, p=CHANCES)
            self.then[query] = dict(zip(documents, grades.tolist(), strict=True))
            self.now[query] = dict(self.then[query])
            for run, quality in zip(scores, (0.7, 1.0), strict=True):
                noise = draw.normal(size=DOCUMENTS) + quality * grades
                run[query] = dict(zip(documents, noise.tolist(), strict=True))
            for one in documents:
                chance = draw.random()
                if chance < 0.03:
                    gone.setdefault(query, []).append(one)
                    del self.now[query][one]
                elif chance < 0.03 + share:
                    if draw.random() < 0.5:
                        self.now[query][one] = float(draw.choice(LEVELS, p=CHANCES))
                    if draw.random() >= hidden:
                        openly.setdefault(query, []).append(one)
        self.stale = StaleSet(openly, gone)
        self.runs = [relyon.Run.from_dict(one) for one in scores]
        self.draw = draw

    def scenarios(self, name: str, grades: Grades | None = None) -> Scenarios:
        """Returns the judgments of then, or others, with both runs."""
        chosen = self.then if grades is None else grades
        rules = load_convention("relyon")
        return Scenarios(chosen, self.runs, relyon.measure(name), rules, None)

    def truths(self, name: str) -> list[float]:
        """Returns the first run's mean under the grades of today, and the difference."""
        now = self.scenarios(name, self.now)
        figures = figures_of(now, StaleSet({}, {}), LEVELS, NUMBERS)
        return [one.value for one in figures]


@pytest.mark.parametrize("name", ["ndcg@10", "ap"])
@pytest.mark.parametrize("share", [0.05, 0.2])
def test_ranges_contain_the_value_of_today(name: str, share: float) -> None:
    held = [0, 0]
    errors, widths = [], []
    for seed in range(REPEATS):
        drift = Drift(seed, share)
        found = figures_of(drift.scenarios(name), drift.stale, LEVELS, NUMBERS)
        truths = drift.truths(name)
        for place, (one, truth) in enumerate(zip(found, truths, strict=True)):
            held[place] += one.bounds.low - 1e-12 <= truth <= one.bounds.high + 1e-12
        errors.append(abs(found[0].value - truths[0]))
        widths.append(found[0].bounds.width)
    print(f"{name}, {share:.0%} changed: error {np.mean(errors):.4f}, range {np.mean(widths):.3f}")
    for what, count in zip(("mean", "difference"), held, strict=True):
        case = f"{name}, {share:.0%} of documents changed: {what} in its range"
        row("stale-ranges", case, count / REPEATS, REPEATS, promise="100%", least=1.0)


def test_changes_that_no_compared_field_shows() -> None:
    held = 0
    for seed in range(REPEATS):
        drift = Drift(seed, 0.2, hidden=0.9)
        one = figures_of(drift.scenarios("ndcg@10"), drift.stale, LEVELS, NUMBERS[:1])[0]
        held += one.bounds.low <= drift.truths("ndcg@10")[0] <= one.bounds.high
    row(
        "stale-ranges",
        "ndcg@10, 20% changed, 9 in 10 in fields that are not compared: mean in its range",
        held / REPEATS,
        REPEATS,
        promise="none",
        most=0.99,
        assumption=False,
        says="judges also saw …, which was not compared",
    )


@pytest.mark.parametrize("share", [0.05, 0.2])
def test_what_is_named_first_narrows_the_range_most(share: float) -> None:
    """Half the width is reached with fewer new grades than in random order."""
    needed: dict[str, list[float]] = {"named": [], "random": []}
    better = 0
    for seed in range(REPAIRS):
        drift = Drift(seed, share)
        whole = drift.scenarios("ndcg@10")
        reach = reaches(whole, drift.stale, LEVELS, NUMBERS[1:])
        named = sorted(reach, key=lambda pair: -reach[pair])
        mixed = [named[place] for place in drift.draw.permutation(len(named))]
        goal = bounds_of(whole, drift.stale, LEVELS, NUMBERS[1:])[0].width / 2
        counts = [judged_again(drift, order, goal) / len(named) for order in (named, mixed)]
        needed["named"].append(counts[0])
        needed["random"].append(counts[1])
        better += counts[0] < counts[1]
    for order, most in (("named", 0.35), ("random", 0.75)):
        row(
            "stale-ranges",
            f"ndcg@10, {share:.0%} changed: judged again to halve the range of B − A, {order}",
            float(np.mean(needed[order])),
            REPAIRS,
            promise=f"at most {most:.0%}" if order == "named" else "none",
            most=most,
        )
    case = f"ndcg@10, {share:.0%} changed: fewer new grades than in random order"
    row("stale-ranges", case, better / REPAIRS, REPAIRS, promise="100%", least=1.0)


def judged_again(drift: Drift, order: list[tuple[str, str]], goal: float) -> int:
    """Returns how many pairs have to get their grade of today until the range is narrow enough."""
    least, most = 0, len(order)
    while least < most:
        middle = math.floor((least + most) / 2)
        grades = {query: dict(own) for query, own in drift.then.items()}
        for query, one in order[:middle]:
            grades[query][one] = drift.now[query][one]
        left = drift.stale.without({*order[:middle]})
        scenarios = drift.scenarios("ndcg@10", grades)
        if bounds_of(scenarios, left, LEVELS, NUMBERS[1:])[0].width > goal:
            least = middle + 1
        else:
            most = middle
    return least
