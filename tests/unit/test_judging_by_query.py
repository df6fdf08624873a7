"""Judging query by query: the same places, leases and gold turns, in another order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from tests.unit.clock import Clock

from relyon.core.errors import ParameterError
from relyon.judging.actions import Action
from relyon.judging.gold_turns import is_gold_turn
from relyon.judging.records import Item
from relyon.judging.store import Store


@pytest.fixture
def store_clock(clock: Clock) -> Callable[[], float]:
    return clock


def grade_all(store: Store, name: str, project: int) -> list[list[str]]:
    """Has a judge grade everything query by query, and returns the queries of each page."""
    judge = store.accounts.get(name)
    pages = []
    while tasks := store.grading.take(judge, project, count=100, by="query"):
        pages.append([task.item.query for task in tasks])
        for task in tasks:
            key = f"{name} {task.item.id}"
            store.grading.record(judge, Action("grade", key, item_id=task.item.id, grade=1))
    return pages


def test_a_page_has_all_results_of_one_query(store: Store) -> None:
    project = store.projects.create("June", overlap=2)
    store.items.add(project.id, [Item(f"q{n % 5}", f"d{n}") for n in range(40)])
    for name in ("ann", "bo"):
        store.accounts.create(name)
        pages = grade_all(store, name, project.id)
        assert len(pages) == 5
        assert all(len(page) == 8 and len(set(page)) == 1 for page in pages)
    assert store.grading.take(store.accounts.create("cy"), project.id, by="query") == []
    assert Counter(map(len, store.grades.by_judge(project.id).values())) == {2: 40}


def test_a_judge_continues_at_the_same_query(store: Store) -> None:
    project = store.projects.create("June")
    store.items.add(project.id, [Item(f"q{n % 3}", f"d{n}") for n in range(12)])
    ann, bo = store.accounts.create("ann"), store.accounts.create("bo")
    (held,) = store.grading.take(ann, project.id, count=1)
    first = store.grading.take(ann, project.id, by="query")
    assert {task.item.query for task in first} == {held.item.query}
    assert len(first) == 4
    assert [one.item.id for one in store.grading.take(ann, project.id, by="query")] == [
        one.item.id for one in first
    ]
    # Nobody else gets what she has.
    others = store.grading.take(bo, project.id, by="query")
    assert {task.item.query for task in others}.isdisjoint({held.item.query})
    with pytest.raises(ParameterError):
        store.grading.take(ann, project.id, by="tier")  # type: ignore[arg-type]


def test_what_was_undone_comes_first_and_what_was_put_off_last(store: Store) -> None:
    project = store.projects.create("June")
    store.items.add(project.id, [Item(f"q{n % 2}", f"d{n}") for n in range(4)])
    ann = store.accounts.create("ann")
    first, *_ = store.grading.take(ann, project.id, by="query")
    store.grading.record(ann, Action("later", "l", item_id=first.item.id))
    pages = grade_all(store, "ann", project.id)
    assert pages[-1] == [first.item.query]
    last = store.grading.record(ann, Action("undo", "u", project_id=project.id)).item_id
    assert [one.item.id for one in store.grading.take(ann, project.id, by="query")] == [last]


def test_gold_comes_at_the_same_turns(store: Store) -> None:
    project = store.projects.create("June", gold_share=0.2, seed=7)
    store.items.add(project.id, [Item(f"q{n % 6}", f"d{n}") for n in range(60)])
    store.gold.add(project.id, [(Item(f"q{n % 6}", f"g{n}"), 1) for n in range(30)])
    ann = store.accounts.create("ann")
    given: list[int] = []
    while tasks := store.grading.take(ann, project.id, count=100, by="query"):
        assert len({task.item.query for task in tasks}) == 1
        for task in tasks:
            given.append(task.item.id)
            key = f"{task.item.id}"
            store.grading.record(ann, Action("grade", key, item_id=task.item.id, grade=1))
    known = set(store.gold.all(project.id))
    golden = sum(item in known for item in given)
    assert golden == sum(is_gold_turn(project, ann, turn) for turn in range(len(given)))
    assert len(given) == len(set(given)) == 60 + golden
