"""A model is wrongly called like people, or worse, as rarely as promised."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from tests.honest.rows import row

from relyon.judging import Item
from relyon.judging.llm.outlook import compare_with_people

pytestmark = pytest.mark.slow

CLAIM = "judge-calibration"
RUNS = 400
#: The error of people, whose κ with each other is then 0.75; that of models whose κ with people
#: is lower by 0.1, and is 0.45.
PEOPLE, AT_MARGIN, MUCH_WORSE = 0.55, 0.88, 1.6
MARGIN = 0.1


def verdicts(
    judges: int,
    items: int,
    error: float,
    *,
    each: int = 5,
    biased: float = 0.0,
    copied: int = 1,
    runs: int = RUNS,
) -> Counter[str]:
    """Counts the verdicts on a model; two people grade each item.

    Args:
        judges: How many people there are.
        items: How many items.
        error: The standard deviation of the model's grades around the truth.
        each: Items per query, whose truths are alike.
        biased: The standard deviation between people in how generous they are.
        copied: How many queries are copies of one.
    """
    chance = np.random.default_rng([judges, items, round(100 * error), copied])
    found: Counter[str] = Counter()
    queries = items // each
    known = [Item(f"q{number // each}", f"d{number}", id=number) for number in range(items)]
    for _ in range(runs):
        sources = -(-queries // copied) * each
        level = np.repeat(chance.normal(1.5, 0.7, -(-queries // copied)), each)
        truth = level + chance.normal(0, 0.9, sources)
        chosen = np.argsort(chance.random((sources, judges)), axis=1)[:, :2]
        mild = chance.normal(0, biased, judges)
        given = np.rint(truth[:, None] + mild[chosen] + chance.normal(0, PEOPLE, (sources, 2)))
        own = np.rint(truth + chance.normal(0, error, sources))
        given, own = np.clip(given, 0, 3), np.clip(own, 0, 3)
        place = np.arange(items) % sources
        people = {
            number: {
                f"p{name}": float(grade) for name, grade in zip(chosen[at], given[at], strict=True)
            }
            for number, at in enumerate(place)
        }
        graded = {number: float(own[at]) for number, at in enumerate(place)}
        outlook = compare_with_people(known, graded, people, MARGIN, 0.95)
        assert outlook is not None
        found[outlook.verdict] += 1
    return found


SIZES = [(judges, items) for judges in (2, 3, 5, 20) for items in (30, 100, 300)]


@pytest.mark.parametrize(("judges", "items"), SIZES)
def test_an_equal_model_is_rarely_called_worse(judges: int, items: int) -> None:
    found = verdicts(judges, items, PEOPLE)
    row(
        CLAIM, f"a model equal to people, {judges} people, {items} items: called worse",
        found["below"] / RUNS, RUNS, promise="at most 5%", most=0.05,
    )  # fmt: skip
    if items == 300:
        row(
            CLAIM, f"a model equal to people, {judges} people, {items} items: called as good",
            found["within"] / RUNS, RUNS, promise="at least 80%", least=0.8,
        )  # fmt: skip


@pytest.mark.parametrize(("judges", "items"), SIZES)
def test_a_model_worse_by_the_margin_is_rarely_called_as_good(judges: int, items: int) -> None:
    found = verdicts(judges, items, AT_MARGIN)
    row(
        CLAIM, f"a model worse by the margin, {judges} people, {items} items: called as good",
        found["within"] / RUNS, RUNS, promise="at most 5%", most=0.07,
    )  # fmt: skip


@pytest.mark.parametrize(("judges", "items"), [(2, 100), (20, 100), (20, 300)])
def test_a_much_worse_model_is_called_so(judges: int, items: int) -> None:
    """Whose κ with people is about 0.45."""
    found = verdicts(judges, items, MUCH_WORSE)
    row(
        CLAIM, f"a model of κ 0.45, {judges} people, {items} items: called as good",
        found["within"] / RUNS, RUNS, promise="at most 5%", most=0.02,
    )  # fmt: skip
    if items == 300:
        row(
            CLAIM, f"a model of κ 0.45, {judges} people, {items} items: called worse",
            found["below"] / RUNS, RUNS, promise="at least 80%", least=0.8,
        )  # fmt: skip


def test_thirty_items_cannot_tell() -> None:
    found = verdicts(3, 30, PEOPLE)
    row(
        CLAIM, "a model equal to people, 3 people, 30 items: called as good",
        found["within"] / RUNS, RUNS, promise="none", most=0.4,
        says="“cannot be told” in the other cases",
    )  # fmt: skip


def test_copies_of_queries_are_outside() -> None:
    found = verdicts(3, 300, AT_MARGIN, copied=5)
    row(
        CLAIM, "a model worse by the margin, each query under five ids: called as good",
        found["within"] / RUNS, RUNS, promise="none", most=0.5, assumption=False,
        says="the page says that copies of a query count as independent",
    )  # fmt: skip
