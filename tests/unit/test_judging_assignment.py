"""Who grades what: fair, exactly once, whatever happens on the way; on SQLite and PostgreSQL."""

from __future__ import annotations

import math
import random
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from tests.unit.clock import Clock

pytest.importorskip("sqlalchemy")

from tests.unit.grading import act, documents, one, project_of

from relyon.core.errors import InputError, ParameterError
from relyon.judging.actions import Action
from relyon.judging.progress import measure_judges, measure_progress
from relyon.judging.records import Comparison, Item, Project, User
from relyon.judging.store import Store


@pytest.fixture
def store_clock(clock: Clock) -> Clock:
    return clock


def replayed(store: Store, project: Project) -> dict[tuple[int, str], float | None]:
    """What the history says every judge says: independent of the assignments."""
    said: dict[tuple[int, str], list[tuple[int, str, float | None]]] = {}
    for action in store.grades.history(project.id):
        stack = said.setdefault((action["item_id"], action["judge"]), [])
        if action["kind"] == "undo":
            stack[:] = [entry for entry in stack if entry[0] != action["undoes"]]
        elif action["kind"] != "note":
            stack.append((action["id"], action["kind"], action["grade"]))
    return {
        key: stack[-1][2]
        for key, stack in said.items()
        if stack and stack[-1][1] in ("grade", "cannot")
    }


def counted(store: Store, project: Project) -> dict[tuple[int, str], float | None]:
    return {
        (item, rating.judge): rating.grade
        for item, ratings in store.grades.ratings(project.id).items()
        for rating in ratings
    }


def test_every_judge_has_an_order_of_their_own(store: Store, ann: User, bo: User) -> None:
    project = project_of(store, 40, overlap=2)
    first, second = documents(store, ann, project), documents(store, bo, project)
    assert sorted(first) == sorted(second) == sorted(f"d{n}" for n in range(40))
    assert first != second
    assert first != sorted(first, key=lambda name: int(name[1:]))
    assert documents(store, ann, project) == first


def test_the_seed_makes_the_order(store: Store, ann: User) -> None:
    orders = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        project = store.projects.create(name, seed=seed)
        store.items.add(project.id, [Item("q", f"d{n}") for n in range(20)])
        orders.append(documents(store, ann, project))
    assert orders[0] == orders[1] != orders[2]


@pytest.mark.long
def test_orders_are_uniform(store: Store) -> None:
    """Every item comes first about equally often."""
    project = store.projects.create("June", overlap=60)
    store.items.add(project.id, [Item("q", f"d{n}") for n in range(4)])
    first = Counter(
        documents(store, store.accounts.create(f"judge {n}"), project)[0] for n in range(60)
    )
    assert set(first) == {"d0", "d1", "d2", "d3"}
    assert max(first.values()) <= 30  # 15 expected, standard deviation 3.4


def test_no_item_goes_to_more_judges_than_wanted(store: Store, ann: User, bo: User) -> None:
    project = project_of(store, 5)
    mine = documents(store, ann, project, 3)
    others = documents(store, bo, project, 10)
    assert len(mine) == 3
    assert len(others) == 2
    assert not {*mine} & {*others}
    assert documents(store, store.accounts.create("Cy"), project) == []


def test_a_skipped_item_goes_to_someone_else(store: Store, ann: User, bo: User) -> None:
    project = project_of(store, 1)
    item = one(store, ann, project)
    assert documents(store, bo, project) == []
    act(store, ann, "skip", item, "k1")
    assert documents(store, ann, project) == []
    assert documents(store, bo, project) == ["d0"]
    store.grading.record(ann, Action("undo", project_id=project.id, key="u1"))
    assert documents(store, ann, project) == []  # Bo has it now
    act(store, bo, "skip", item, "k2")
    assert documents(store, ann, project) == ["d0"]


def test_what_is_put_off_comes_last(store: Store, ann: User, bo: User, clock: Clock) -> None:
    project = project_of(store, 3)
    item = one(store, ann, project)
    act(store, ann, "later", item, "k1")
    clock.now += 2 * project.lease_seconds
    rest = store.grading.take(ann, project.id)
    assert item not in [task.item.id for task in rest]
    assert len(rest) == 2
    assert documents(store, bo, project) == []
    for task in rest:
        act(store, ann, "grade", task.item.id, f"g{task.item.id}", grade=0)
    (put_off,) = store.grading.take(ann, project.id)
    assert (put_off.item.id, put_off.later) == (item, True)
    act(store, ann, "grade", item, "k2", grade=2)
    assert store.grading.take(ann, project.id) == []


def test_a_lease_runs_out(store: Store, ann: User, bo: User, clock: Clock) -> None:
    project = project_of(store, 1)
    item = one(store, ann, project)
    clock.now += project.lease_seconds - 1
    assert documents(store, bo, project) == []
    clock.now += 2
    assert documents(store, bo, project) == ["d0"]
    assert documents(store, ann, project) == []
    assert act(store, ann, "grade", item, "k1", grade=1).counted  # the first grade fills the place
    late = act(store, bo, "grade", item, "k1", grade=3)
    assert not late.counted
    assert store.grades.by_judge(project.id) == {item: {"Ann": 1.0}}
    assert len(store.grades.history(project.id)) == 2
    # When the place becomes free, the grade that came late takes it.
    store.grading.record(ann, Action("undo", project_id=project.id, key="u"))
    act(store, ann, "skip", item, "s")
    assert store.grades.by_judge(project.id) == {item: {"Bo": 3.0}}


def test_asking_again_renews_the_lease(store: Store, ann: User, bo: User, clock: Clock) -> None:
    project = project_of(store, 1)
    for _ in range(5):
        clock.now += project.lease_seconds * 0.9
        assert documents(store, ann, project) == ["d0"]
    assert documents(store, bo, project) == []


@pytest.mark.long
def test_gold_items_are_mixed_in(store: Store, ann: User, bo: User) -> None:
    project = store.projects.create("June", gold_share=0.2, seed=3)
    store.items.add(project.id, [Item("q", f"d{n}") for n in range(100)])
    store.gold.add(project.id, [(Item("q", f"gold{n}"), n % 4) for n in range(30)])
    kinds: dict[str, list[str]] = {}
    for user in (ann, bo):
        for _ in range(50):
            item = store.grading.take(user, project.id, count=1)[0].item
            act(store, user, "grade", item.id, f"k{item.id}", grade=int(item.id) % 4)
            kinds.setdefault(user.name, []).append(item.document[0])
    for found in kinds.values():
        assert 4 <= found.count("g") <= 18  # 10 expected, standard deviation 2.8
    assert kinds["Ann"] != kinds["Bo"]
    quality = {one.judge: one for one in store.gold.quality(project.id)}
    assert quality["Ann"].items == kinds["Ann"].count("g")
    assert 0 <= quality["Ann"].equal <= 1
    assert measure_progress(store, project.id).places == 100


def test_a_gold_item_comes_once_a_judge(store: Store, ann: User) -> None:
    project = store.projects.create("June", gold_share=0.9)
    store.items.add(project.id, [Item("q", f"d{n}") for n in range(10)])
    store.gold.add(project.id, [(Item("q", "gold"), 3)])
    seen: list[str] = []
    while tasks := store.grading.take(ann, project.id, count=1):
        item = tasks[0].item
        seen.append(item.document)
        act(store, ann, "skip" if item.document == "gold" else "grade", item.id, f"k{item.id}",
            **({} if item.document == "gold" else {"grade": 1}))  # fmt: skip
    assert sorted(seen) == sorted([*(f"d{n}" for n in range(10)), "gold"])


def test_progress(store: Store, ann: User, bo: User) -> None:
    project = project_of(store, 4, overlap=2)
    tasks = store.grading.take(ann, project.id, count=3)
    act(store, ann, "grade", tasks[0].item.id, "1", grade=1, seconds=2)
    act(store, ann, "grade", tasks[1].item.id, "2", grade=1, seconds=4)
    act(store, ann, "later", tasks[2].item.id, "3")
    store.grading.take(bo, project.id, count=4)
    act(store, bo, "grade", tasks[0].item.id, "1", grade=1)
    mine = measure_progress(store, project.id, ann)
    assert (mine.items, mine.finished, mine.places, mine.filled) == (4, 1, 8, 3)
    assert (mine.done, mine.open, mine.later, mine.available, mine.seconds) == (2, 0, 1, 1, 3.0)
    assert math.isnan(measure_progress(store, project.id, bo).seconds)
    assert measure_progress(store, project.id).done == 0


def test_sides_are_hidden_and_by_chance(store: Store, ann: User) -> None:
    project = store.projects.create("SBS", kind="side_by_side")
    old = (Item("q", "a", title="from the old one"),)
    new = (Item("q", "b", title="from the new one"),)
    store.items.add_comparisons(
        project.id, [Comparison(f"q{n}", "old", "new", old, new) for n in range(60)]
    )
    left: Counter[str] = Counter()
    for task in store.grading.take(ann, project.id, count=60):
        assert task.item.document == ""
        left[task.left[0].document] += 1
        # Ann always likes the new system, wherever it stands.
        seen = 2 if task.right[0].document == "b" else -2
        receipt = act(store, ann, "grade", task.item.id, f"k{task.item.id}", grade=seen)
        again = act(store, ann, "grade", task.item.id, f"k{task.item.id}", grade=seen)
        assert receipt.grade == again.grade == seen  # the answer does not give the side away
    assert 15 <= left["a"] <= 45  # 30 expected, standard deviation 3.9
    assert {
        grade for found in store.grades.by_judge(project.id).values() for grade in found.values()
    } == {2.0}


def work(
    store: Store,
    user: User,
    project: Project,
    seen: dict[str, list[int]],
    start: Callable[[], object],
    seed: int,
) -> None:
    """Grades whatever comes until nothing is left; sends a part of its requests twice."""
    drawn = random.Random(seed)
    start()
    while tasks := store.grading.take(user, project.id, count=3):
        for task in tasks:
            key = f"grade {task.item.id}"
            receipt = act(store, user, "grade", task.item.id, key, grade=drawn.randrange(4))
            seen[user.name].append(task.item.id)
            assert receipt.counted
            if drawn.random() < 0.2:
                assert act(store, user, "grade", task.item.id, key, grade=receipt.grade).repeated


@pytest.mark.long
def test_fifty_judges_at_once(store: Store) -> None:
    project = project_of(store, 60, overlap=3, gold_share=0.1)
    store.gold.add(project.id, [(Item("gold", f"g{n}"), n % 4) for n in range(5)])
    judges = [store.accounts.create(f"judge {n}") for n in range(50)]
    seen: dict[str, list[int]] = {user.name: [] for user in judges}
    start = threading.Barrier(len(judges))
    with ThreadPoolExecutor(len(judges)) as pool:
        done = [
            pool.submit(work, store, user, project, seen, start.wait, seed)
            for seed, user in enumerate(judges)
        ]
        for future in done:
            future.result()
    known = store.gold.all(project.id)
    graded = store.grades.by_judge(project.id)
    for item in store.items.all(project.id):
        if item.id in known:
            assert len(graded.get(item.id, {})) <= len(judges)
        else:
            assert len(graded[item.id]) == 3
    assert all(len(items) == len({*items}) for items in seen.values())
    assert sum(map(len, seen.values())) == sum(map(len, graded.values()))
    assert counted(store, project) == replayed(store, project)
    progress = measure_progress(store, project.id)
    assert (progress.finished, progress.items) == (60, 60)
    assert sum(bool(items) for items in seen.values()) > 10  # nobody takes it all


@pytest.mark.long
def test_results_are_what_the_history_says(store: Store, clock: Clock) -> None:
    """Any mixture of actions leaves the assignments as a replay of the history would."""
    project = project_of(store, 8, overlap=2)
    judges = [store.accounts.create(f"judge {n}") for n in range(4)]
    drawn = random.Random(11)
    late = 0
    for step in range(120):
        user = drawn.choice(judges)
        clock.now += drawn.choice([1, 10, project.lease_seconds / 3])
        tasks = store.grading.take(user, project.id, count=4)
        if drawn.random() < 0.25 or not tasks:
            with suppress(InputError):
                store.grading.record(user, Action("undo", project_id=project.id, key=f"{step}"))
            continue
        kind = drawn.choice(["grade", "grade", "grade", "cannot", "skip", "later", "note"])
        more: dict[str, dict[str, Any]] = {
            "grade": {"grade": drawn.randrange(4)},
            "cannot": {"reason": "r"},
            "note": {"note": "n"},
        }
        item = drawn.choice(tasks).item.id
        act(store, user, kind, item, f"{step}", **more.get(kind, {}))
        found, said = counted(store, project), replayed(store, project)
        assert found.items() <= said.items()
        late += len(said) - len(found)
        for key in said.keys() - found.keys():  # left out only where all places are filled
            assert sum(item == key[0] for item, _ in found) == 2
    per_item = Counter(item for item, _ in counted(store, project))
    assert max(per_item.values()) <= 2
    assert len(per_item) > 4


def test_all_judges_are_counted_as_each_is(store: Store, clock: Clock) -> None:
    project = project_of(store, 30, overlap=2, lease_seconds=100)
    judges = [store.accounts.create(f"judge {n}") for n in range(5)]
    rng = random.Random(1)
    kinds = ["grade", "grade", "cannot", "skip", "later"]
    for step, judge in enumerate(rng.choices(judges[:4], k=40)):
        for task in store.grading.take(judge, project.id, count=3)[:2]:
            kind = rng.choice(kinds)
            more = {"grade": 1.0} if kind == "grade" else {}
            act(store, judge, kind, task.item.id, f"{step} {task.item.id}", reason="r", **more)
        if step % 7 == 3:
            with suppress(InputError):
                store.grading.record(
                    judge, Action("undo", key=f"undo {step}", project_id=project.id)
                )
        clock.now += 30
    for judge in judges:
        overall, found = measure_judges(store, project.id)
        assert overall == measure_progress(store, project.id)
        mine = measure_progress(store, project.id, judge)
        if judge is not judges[-1]:
            assert repr(found[judge.id]) == repr(mine)
        store.grading.take(judge, project.id, count=1000)
        after = measure_progress(store, project.id, judge)
        assert (after.open - mine.open, after.available) == (mine.available, 0)


def test_what_a_closed_account_had_goes_to_others(store: Store, ann: User, bo: User) -> None:
    project = project_of(store, 3)
    first, second, third = (task.item.id for task in store.grading.take(ann, project.id))
    act(store, ann, "grade", first, "a", grade=1)
    act(store, ann, "later", second, "b")
    assert store.grading.take(bo, project.id) == []
    store.accounts.change("Ann", active=False)
    with pytest.raises(ParameterError, match="closed"):
        store.grading.take(store.accounts.get("Ann"), project.id)
    assert {task.item.id for task in store.grading.take(bo, project.id)} == {second, third}
    assert store.grades.by_judge(project.id) == {first: {"Ann": 1.0}}
    act(store, bo, "skip", third, "c")
    act(store, bo, "grade", second, "f", grade=0)
    # A grade that her browser kept comes when the account is open again: there is a place.
    again = store.accounts.change("Ann", active=True)
    assert act(store, again, "grade", third, "d", grade=2).counted
    assert not act(store, again, "grade", second, "e", grade=2).counted


def test_a_late_grade_counts_when_an_account_is_closed(
    store: Store, ann: User, bo: User, clock: Clock
) -> None:
    project = project_of(store, 1, lease_seconds=100)
    item = one(store, ann, project)
    clock.now += 101
    assert one(store, bo, project) == item
    act(store, bo, "later", item, "a")
    receipt = act(store, ann, "grade", item, "b", grade=3)
    assert receipt.counted
    cy = store.accounts.create("Cy")
    assert store.grading.take(cy, project.id) == []
    assert not act(store, bo, "grade", item, "c", grade=0).counted
    store.accounts.change("Ann", active=False)
    assert store.grades.by_judge(project.id) == {item: {"Ann": 3.0}}


def test_what_is_taken_back_after_a_decision_changes_no_decision(
    store: Store, ann: User, bo: User
) -> None:
    project = project_of(store, 1, overlap=2)
    lead = store.accounts.create("Lee", role="lead")
    item = one(store, ann, project)
    for judge, grade in ((ann, 0), (bo, 3)):
        store.grading.take(judge, project.id)
        act(store, judge, "grade", item, judge.name, grade=grade)
    store.decisions.decide(item, lead, 1, key="k")
    store.grading.record(ann, Action("undo", key="u", project_id=project.id))
    (final,) = store.decisions.final_grades(project.id)
    assert (final.value, final.source, final.judges) == (1.0, "adjudicated", 1)
    assert store.decisions.queue(project.id) == []


def test_a_clock_that_is_set_back_loses_and_doubles_nothing(
    store: Store, ann: User, bo: User, clock: Clock
) -> None:
    project = project_of(store, 10, overlap=2, lease_seconds=100)
    for step, judge in enumerate([ann, bo] * 10):
        clock.now += -250 if step % 3 == 2 else 90
        for task in store.grading.take(judge, project.id, count=2)[:1]:
            act(store, judge, "grade", task.item.id, f"{step}", grade=step % 4)
    assert measure_progress(store, project.id).finished == 10
    assert replayed(store, project) == {
        (item, judge): grade
        for item, grades in store.grades.by_judge(project.id).items()
        for judge, grade in grades.items()
    }


@pytest.mark.long
def test_in_a_large_project_new_items_come_from_everywhere(store: Store, ann: User) -> None:
    project = project_of(store, 6000)
    order = [item.document for item in store.items.all(project.id)]
    given = [order.index(name) for name in documents(store, ann, project, count=60)]
    assert len(set(given)) == 60
    assert given != sorted(given)
    assert {place // 2000 for place in given} == {0, 1, 2}
