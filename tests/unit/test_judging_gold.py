"""Gold items: nothing that a judge can read tells them from others."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.clock import Clock

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from fastapi.testclient import TestClient

from relyon.app import create_app
from relyon.data.scale import SEARCH
from relyon.judging.access import create_token, start_sign_in
from relyon.judging.actions import Action
from relyon.judging.gold_turns import count_turns, is_gold_turn, mask_item, unmask_item
from relyon.judging.progress import measure_progress
from relyon.judging.records import ActionKind, Item, Project, Role, User
from relyon.judging.store import Store

DAY = 86_400.0
#: What a judge does with one item.
PLANS = [
    ("grade",),
    ("grade", "undo", "grade"),
    ("skip",),
    ("later", "grade"),
    ("skip", "undo", "cannot"),
    ("grade", "undo", "later", "undo", "grade"),
    ("note", "grade"),
    ("grade", "undo", "skip"),
]


@pytest.fixture
def store_clock(clock: Clock) -> Clock:
    return clock


def make_project(store: Store, ordinary: int, gold: int, share: float = 0.25) -> Project:
    """A project whose gold items have titles that begin with g, the others with o."""
    project = store.projects.create("June", gold_share=share, seed=5)
    numbers = list(range(ordinary + gold))
    random.Random(1).shuffle(numbers)
    every = [Item(f"q{n % 9}", f"d{n}", title=f"{n}", fields={"shop": "a"}) for n in numbers]
    store.items.add(project.id, [replace(one, title=f"o{one.title}") for one in every[:ordinary]])
    known = [(replace(one, title=f"g{one.title}"), 3.0) for one in every[ordinary:]]
    store.gold.add(project.id, known)
    return project


def is_gold(title: str) -> bool:
    return title.startswith("g")


def give(store: Store, user: User, item: int, grade: float | None = None) -> None:
    """Grades an item, or skips it without a grade."""
    kind: ActionKind = "skip" if grade is None else "grade"
    store.grading.record(user, Action(kind, key=f"{kind} {item}", item_id=item, grade=grade))


def grade_all(store: Store, user: User, project: Project) -> None:
    while tasks := store.grading.take(user, project.id, count=50):
        for task in tasks:
            give(store, user, task.item.id, None if is_gold(task.item.title) else 1)


class Judge:
    """A judge whose program reads every answer."""

    def __init__(self, store: Store, name: str) -> None:
        self.client = TestClient(create_app(store))
        secret = create_token(store, store.accounts.create(name), "t")
        self.client.headers["Authorization"] = f"Bearer {secret}"
        self.keys = 0

    def take(self, count: int) -> dict[str, Any]:
        return dict(self.client.post(f"/api/projects/1/tasks?count={count}").json())

    def read(self, path: str) -> Any:
        return self.client.get(f"/api/projects{path}").json()

    def act(self, kind: str, **values: Any) -> dict[str, Any]:
        self.keys += 1
        wish = {"kind": kind, "key": f"k{self.keys}", **values}
        answer = self.client.post("/api/actions", json=wish)
        return {"status": answer.status_code, **answer.json()}


def change(before: dict[str, Any], after: dict[str, Any]) -> tuple[Any, ...]:
    """What a step changes of every number but times."""
    return tuple((name, after[name] - before[name]) for name in sorted(before) if name != "seconds")


def shape(found: dict[str, Any]) -> tuple[Any, ...]:
    return tuple((name, type(value).__name__) for name, value in sorted(found.items()))


@pytest.mark.long
def test_no_answer_differs(store: Store) -> None:
    """What each step of each plan answers and changes is the same for gold items and others."""
    make_project(store, 90, 60, share=0.5)
    judge = Judge(store, "ana")
    seen: dict[bool, dict[tuple[str, ...], set[tuple[Any, ...]]]] = {True: {}, False: {}}
    for turn in range(64):
        before = judge.read("/1/progress")
        found = judge.take(1)
        (task,) = found["tasks"]
        number, plan = task["id"], PLANS[turn // 8]
        told = seen[is_gold(task["title"])].setdefault(plan, set())
        told.add(("task", shape(task), task["later"], change(before, found["progress"])))
        for place, kind in enumerate(plan):
            more: dict[str, Any] = {"project_id": 1} if kind == "undo" else {"item_id": number}
            said: dict[str, dict[str, Any]] = {
                "grade": {"grade": 1},
                "cannot": {"reason": "r"},
                "note": {"note": "n"},
            }
            before = judge.read("/1/progress")
            receipt = judge.act(kind, **more, **said.get(kind, {}))
            after = judge.read("/1/progress")
            assert receipt["item_id"] == number
            told.add((place, kind, shape(receipt), receipt["status"], change(before, after)))
            if kind == "undo":
                told.add((place, "again", judge.take(1)["tasks"][0]["id"] == number))
        again = judge.act("grade", item_id=number, grade=2)
        told.add(("twice", again["status"], again["error"]["message"]))
        entries = [one for one in judge.read("/1/history") if one["item_id"] == number]
        told.update(("history", shape(one)) for one in entries)
        assert before.keys() == {"done", "open", "later", "available", "seconds"}
    both = seen[True].keys() & seen[False].keys()
    assert len(both) >= 7
    for plan in both:
        assert seen[True][plan] == seen[False][plan], plan


@pytest.mark.long
def test_what_is_left_and_what_is_done_add_up(store: Store) -> None:
    project = make_project(store, 40, 15)
    ana = store.accounts.create("ana")
    start = measure_progress(store, project.id, ana)
    golden = 0
    for step in range(1, start.available + 1):
        (task,) = store.grading.take(ana, project.id, count=1)
        golden += is_gold(task.item.title)
        give(store, ana, task.item.id, 1)
        found = measure_progress(store, project.id, ana)
        assert (found.done, found.available, found.open) == (step, start.available - step, 0)
    assert golden == start.available - 40
    assert golden > 5
    assert store.grading.take(ana, project.id) == []
    # Leads read how far the results are that count.
    assert (found.items, found.finished, found.filled) == (40, 40, 40)


@pytest.mark.long
def test_numbers_and_order_say_nothing(store: Store) -> None:
    make_project(store, 240, 120, share=0.3)
    judge = Judge(store, "ana")
    places: dict[bool, list[float]] = {True: [], False: []}
    numbers: dict[bool, list[float]] = {True: [], False: []}
    while tasks := judge.take(20)["tasks"]:
        for place, task in enumerate(tasks):
            places[is_gold(task["title"])].append(place)
            numbers[is_gold(task["title"])].append(task["id"])
            judge.act("grade", item_id=task["id"], grade=1)
    assert len(places[True]) > 60
    for found in (places, numbers):
        every = sorted([*found[True], *found[False]])
        ranks = [every.index(one) / len(every) for one in found[True]]
        # The mean of n numbers between 0 and 1 deviates by .29 / sqrt(n).
        assert abs(sum(ranks) / len(ranks) - 0.49) < 3 * 0.29 / len(ranks) ** 0.5
    assert min(numbers[True]) > 2**32


@pytest.mark.long
def test_items_that_stay_are_not_the_gold_ones(store: Store, clock: Clock) -> None:
    """After a long absence ordinary items are somebody else's: gold items are lost as often."""
    project = make_project(store, 60, 30, share=0.4)
    ana, bo = (store.accounts.create(name) for name in ("ana", "bo"))
    first = store.grading.take(ana, project.id, count=30)
    assert 5 < sum(is_gold(one.item.title) for one in first) < 25
    clock.now += DAY
    again = store.grading.take(ana, project.id, count=30)
    assert [one.item.id for one in again] == [one.item.id for one in first]
    clock.now += DAY
    grade_all(store, bo, project)
    assert store.grading.take(ana, project.id, count=30) == []
    # A grade of what was lost is no error.
    for task in first[:10]:
        give(store, ana, task.item.id, 2)
    assert measure_progress(store, project.id, ana).done == 10
    assert store.grading.take(ana, project.id, count=30) == []


def test_what_was_skipped_comes_back_as_long_as_others_would_have_left_it(
    store: Store, clock: Clock
) -> None:
    project = make_project(store, 30, 20, share=0.5)
    ana, bo = (store.accounts.create(name) for name in ("ana", "bo"))
    skipped: dict[bool, list[int]] = {True: [], False: []}
    for task in store.grading.take(ana, project.id, count=20):
        skipped[is_gold(task.item.title)].append(task.item.id)
        give(store, ana, task.item.id)

    def undo(item: int) -> bool:
        store.grading.record(
            ana, Action("undo", key=f"u{item}", project_id=1, undoes=f"skip {item}")
        )
        return item in [one.item.id for one in store.grading.take(ana, project.id, count=50)]

    assert [undo(found.pop()) for found in skipped.values()] == [True, True]
    clock.now += 60
    grade_all(store, bo, project)
    clock.now += DAY
    grade_all(store, bo, project)
    assert [undo(found.pop()) for found in skipped.values()] == [False, False]


def test_a_closed_account_keeps_no_gold(store: Store) -> None:
    project = make_project(store, 20, 10, share=0.5)
    ana, bo = (store.accounts.create(name) for name in ("ana", "bo"))
    assert any(is_gold(one.item.title) for one in store.grading.take(ana, project.id, count=20))
    store.accounts.change("ana", active=False)
    grade_all(store, bo, project)
    assert store.grading.take(store.accounts.change("ana", active=True), project.id) == []


def test_judges_read_no_settings_that_would_tell(store: Store) -> None:
    make_project(store, 10, 5)
    judge = Judge(store, "ana")
    wanted = {"id", "name", "kind", "scale", "guideline"}
    (found,) = judge.read("")
    assert found.keys() == judge.read("/1").keys() == wanted
    own = {"done", "open", "later", "available", "seconds"}
    assert judge.read("/1/progress").keys() == judge.take(1)["progress"].keys() == own
    store.accounts.create("lea", role="lead")
    client = TestClient(create_app(store))
    client.cookies.set("relyon_session", start_sign_in(store, store.accounts.get("lea")))
    assert client.get("/api/projects/1").json()["gold_share"] == 0.25
    assert client.get("/api/projects/1/progress").json()["items"] == 10


def test_the_page_of_projects_counts_gold_too(store: Store) -> None:
    project = make_project(store, 10, 10, share=0.5)
    ana = store.accounts.create("ana")
    client = TestClient(create_app(store))
    client.cookies.set("relyon_session", start_sign_in(store, ana))
    start = measure_progress(store, project.id, ana).available
    for step in range(start):
        page = client.get("/").text
        assert f'<progress value="{step}" max="{start}"' in page
        assert f"You have judged {step}" in page
        assert f"{start - step} left for you" in page or step == start
        give(store, ana, store.grading.take(ana, project.id, count=1)[0].item.id, 1)


def test_a_seed_is_drawn_unless_it_is_given(store: Store) -> None:
    seeds = {store.projects.create(f"{n}").seed for n in range(5)}
    assert len(seeds) == 5
    assert 0 not in seeds
    assert store.projects.create("chosen", seed=7).seed == 7


def test_the_first_grade_of_a_gold_item_counts(store: Store) -> None:
    project = make_project(store, 5, 5, share=0.9)
    ana = store.accounts.create("ana")
    tasks = store.grading.take(ana, project.id, count=10)
    item = next(one.item.id for one in tasks if is_gold(one.item.title))
    store.grading.record(ana, Action("grade", key="1", item_id=item, grade=0))
    store.grading.record(ana, Action("undo", key="2", project_id=project.id))
    (quality,) = store.gold.quality(project.id)
    assert (quality.items, quality.equal, quality.difference) == (1, 0.0, -3.0)
    store.grading.record(ana, Action("grade", key="3", item_id=item, grade=3))
    (quality,) = store.gold.quality(project.id)
    assert (quality.items, quality.equal, quality.difference) == (1, 0.0, -3.0)
    # What the judge says now is what counts elsewhere.
    assert store.grades.by_judge(project.id)[item] == {"ana": 3.0}


@pytest.mark.parametrize("share", [0.0, 0.01, 0.05, 0.3, 0.5, 0.97])
@pytest.mark.parametrize(("ordinary", "gold"), [(0, 5), (1, 1), (37, 4), (300, 1000), (1000, 20)])
@pytest.mark.parametrize("turn", [0, 3, 99, 100, 2345])
def test_turns_are_counted_as_they_come(share: float, ordinary: int, gold: int, turn: int) -> None:
    project = Project(1, "June", "grades", SEARCH, {}, 1, share, None, 77, 1800.0, 0.0)
    ana = User(1, "ana", "judge")
    left, known, steps = ordinary, gold, 0
    while left:
        if known and is_gold_turn(project, ana, turn + steps):
            known -= 1
        else:
            left -= 1
        steps += 1
    assert count_turns(project, ana, turn, ordinary, gold) == steps


def test_gold_has_its_share_of_turns() -> None:
    project = Project(1, "June", "grades", SEARCH, {}, 1, 0.07, None, 77, 1800.0, 0.0)
    for name in ("ana", "bo"):
        turns = [is_gold_turn(project, User(1, name, "judge"), turn) for turn in range(1000)]
        assert abs(sum(turns) - 70) <= 1
        assert len({turns.index(True, 100 * block) % 100 for block in range(10)}) > 3


def test_masked_numbers_are_all_different_and_come_back() -> None:
    project = Project(9, "June", "grades", SEARCH, {}, 1, 0.1, None, 77, 1800.0, 0.0)
    numbers = [mask_item(project, item) for item in (*range(1, 3000), 2**31 - 1)]
    assert len(set(numbers)) == len(numbers)
    assert [unmask_item(project, one) for one in numbers][:3] == [1, 2, 3]
    assert unmask_item(project, numbers[-1]) == 2**31 - 1
    assert max(numbers) < 2**53
    assert numbers != sorted(numbers)


def test_what_judges_must_not_guess_depends_on_128_random_bits(store: Store) -> None:
    one, other = (store.projects.create(name, gold_share=0.1) for name in ("June", "July"))
    assert len(one.random_key) == 32
    assert one.random_key != other.random_key
    assert one.random_key not in repr(one)
    ana = User(1, "ana", "judge")
    for seed in (one.seed, 1):
        same = replace(one, seed=seed)
        assert mask_item(same, 12) == mask_item(one, 12)
        turns = [is_gold_turn(same, ana, turn) for turn in range(300)]
        assert turns == [is_gold_turn(one, ana, turn) for turn in range(300)]
    another = replace(one, random_key=other.random_key)
    assert mask_item(another, 12) != mask_item(one, 12)
    assert [is_gold_turn(another, ana, turn) for turn in range(300)] != turns


def test_projects_with_a_seed_keep_their_numbers_and_turns() -> None:
    project = Project(9, "June", "grades", SEARCH, {}, 1, 0.1, None, 77, 1800.0, 0.0)
    numbers = [mask_item(project, item) for item in (1, 2, 3, 2**31 - 1)]
    assert numbers == [41914581673, 39249791202, 40706526385, 40454312081]
    ana = User(1, "ana", "judge")
    turns = [turn for turn in range(100) if is_gold_turn(project, ana, turn)]
    assert turns == [9, 10, 18, 29, 37, 63, 67, 68, 87, 99]


@pytest.mark.parametrize("role", ["judge", "lead", "admin"])
def test_nobody_is_told_the_random_key(store: Store, role: Role) -> None:
    project = store.projects.create("June")
    somebody = store.accounts.create("ana", role=role)
    client = TestClient(create_app(store))
    client.headers["Authorization"] = f"Bearer {create_token(store, somebody, 't')}"
    for path in ("/api/projects", f"/api/projects/{project.id}"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert project.random_key not in answer.text


@pytest.mark.parametrize("number", [2**53 - 1, 2**32 + 5, 2**31, 9])
def test_numbers_of_no_item(store: Store, number: int) -> None:
    make_project(store, 3, 1)
    found = Judge(store, "ana").act("grade", item_id=number, grade=1)
    assert found["status"] in {400, 404}
    assert found["error"]["message"]


def test_a_number_of_before_is_understood(store: Store) -> None:
    """A page that was loaded before the upgrade names items by their own numbers."""
    make_project(store, 3, 1)
    judge = Judge(store, "ana")
    title = judge.take(1)["tasks"][0]["title"]
    item = next(one for one in store.items.all(1) if one.title == title)
    assert judge.act("grade", item_id=item.id, grade=1)["status"] == 200
    assert store.grades.by_judge(1) == {item.id: {"ana": 1.0}}
