"""Corrections by leads: removed results count nowhere, re-opened ones are graded again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from tests.unit.clock import Clock

from relyon.core.errors import InputError, ParameterError
from relyon.judging import jobs
from relyon.judging.actions import Action
from relyon.judging.archive import pack_project
from relyon.judging.archive_import import unpack_project
from relyon.judging.archive_reader import Archive
from relyon.judging.corrections import AT_ONCE, correct, find_correction, undo_correction
from relyon.judging.exchange import export_sheet, import_sheet
from relyon.judging.progress import measure_progress
from relyon.judging.records import Item, Project, Rating, User
from relyon.judging.removal import tidy_up
from relyon.judging.result_filter import ResultFilter
from relyon.judging.result_list import list_results
from relyon.judging.result_rows import follow
from relyon.judging.schema import results, sa
from relyon.judging.status import describe_agreement, describe_work
from relyon.judging.store import Store

keys = (f"key {number}" for number in count())


@pytest.fixture
def store_clock(clock: Clock) -> Callable[[], float]:
    return clock


class House:
    """A project with two judges of everything, and two leads."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.ann, self.bo, self.cy = (store.accounts.create(name) for name in ("ann", "bo", "cy"))
        self.lee = store.accounts.create("lee", role="lead")
        self.lou = store.accounts.create("lou", role="lead")
        self.project: Project = store.projects.create("June", overlap=2, gold_share=0.2)

    def fill(self, number: int) -> dict[str, int]:
        """Adds results, and returns their ids by document."""
        self.store.items.add(
            self.project.id,
            [Item(f"q{n // 3}", f"d{n}", title=f"Title {n}") for n in range(number)],
        )
        return {one.document: one.id for one in self.store.items.all(self.project.id)}

    def grade(self, user: User, item: int, grade: float, **more) -> None:
        """Has a judge take everything that is left, and grade one result."""
        self.store.grading.take(user, self.project.id, count=1000)
        self.store.grading.record(
            user, Action("grade", next(keys), item_id=item, grade=grade, **more)
        )

    def correct(self, kind, chosen, **more) -> int:
        """Corrects as a lead, to its end."""
        made = correct(
            self.store, self.project.id, self.lee, kind, chosen, request=next(keys),
            reason="a mistake", **more,
        )  # fmt: skip
        made.run()
        return made.id

    def undo(self, number: int) -> int:
        """Takes a correction back."""
        made = undo_correction(self.store, self.project.id, self.lee, number, request=next(keys))
        made.run()
        return made.id

    def state(self, item: int) -> str:
        """Returns the state of a result in the list."""
        follow(self.store, self.project.id, seconds=60)
        with self.store.database.read() as connection:
            query = sa.select(results.c.state).where(results.c.item_id == item)
            return str(connection.execute(query).scalar_one())

    def grades(self) -> dict[int, dict[str, float]]:
        """Returns the grades that count."""
        given = self.store.grades.by_judge(self.project.id)
        return {item: dict(said) for item, said in given.items()}


@pytest.fixture
def house(store: Store) -> House:
    return House(store)


def figures(house: House) -> list:
    """Returns what a project's pages and files are made of."""
    store, june = house.store, house.project.id
    return [
        describe_work(store, june),
        describe_agreement(store, june),
        export_sheet(store, june),
        measure_progress(store, june, house.ann),
    ]


def test_removed_results_count_in_no_figure(house: House) -> None:
    store, june = house.store, house.project.id
    ids = house.fill(3)
    for judge in (house.ann, house.bo):
        for item, grade in zip(ids.values(), (3, 1, 0), strict=True):
            house.grade(judge, item, grade if judge is house.ann else 3 - grade)
    store.gold.add(june, [(Item("q0", "d2"), 2)])
    before = figures(house)
    store.decisions.decide(ids["d1"], house.lee, 1, key="d")
    number = house.correct("remove", [*ids.values()])
    assert store.items.all(june) == [] == list(store.items.by_id(june))
    assert store.items.tiers(june) == {} == store.gold.all(june) == store.decisions.all(june)
    assert store.grades.ratings(june) == {} == store.decisions.final_values(june)
    assert store.gold.count(june) == 0 == store.decisions.count_queue(june)
    assert store.gold.quality(june) == []
    found = measure_progress(store, june, house.ann)
    assert (found.items, found.places, found.filled, found.done, found.available) == (0,) * 5
    assert store.grading.take(house.cy, june) == []
    assert describe_agreement(store, june)["agreement"] is None
    assert not export_sheet(store, june).rows
    assert {house.state(item) for item in ids.values()} == {"removed"}
    house.undo(number)
    assert store.decisions.all(june) == {ids["d1"]: 1}
    assert house.state(ids["d1"]) == "decided"
    after = figures(house)
    # The decision was made in between: it takes one from the queue, and is exported.
    before[0]["queue"] -= 1
    assert (after[0], after[1], after[3]) == (before[0], before[1], before[3])
    assert [row.ratings for row in after[2].rows] == [row.ratings for row in before[2].rows]


def test_a_judge_who_holds_a_removed_result_gets_no_error(house: House) -> None:
    ids = house.fill(2)
    held = [task.item.id for task in house.store.grading.take(house.ann, house.project.id)]
    assert set(held) == set(ids.values())
    number = house.correct("remove", [ids["d0"]])
    action = Action("grade", "late", item_id=ids["d0"], grade=3, again="refuse")
    receipt = house.store.grading.record(house.ann, action)
    assert house.store.grading.record(house.ann, action).id == receipt.id
    assert house.grades() == {}
    assert [task.item.id for task in house.store.grading.take(house.ann, house.project.id)] == [
        ids["d1"]
    ]
    house.undo(number)
    assert house.grades() == {ids["d0"]: {"ann": 3}}
    assert house.state(ids["d0"]) == "open"


def test_undoing_and_skipping_a_removed_result_lasts(house: House) -> None:
    store = house.store
    ids = house.fill(2)
    house.grade(house.ann, ids["d0"], 3)
    house.grade(house.bo, ids["d0"], 2)
    number = house.correct("remove", [ids["d0"]])
    store.grading.record(house.ann, Action("undo", "u", project_id=house.project.id))
    store.grading.record(house.bo, Action("skip", "s", item_id=ids["d0"], again="replace"))
    assert measure_progress(store, house.project.id).places == 2
    house.undo(number)
    assert house.grades() == {}
    assert [task.item.id for task in store.grading.take(house.ann, house.project.id, count=1)] == [
        ids["d0"]
    ]
    assert ids["d0"] not in {
        task.item.id for task in store.grading.take(house.bo, house.project.id)
    }
    assert ids["d0"] in {task.item.id for task in store.grading.take(house.cy, house.project.id)}


@pytest.mark.parametrize("kind", ["reopen", "reopen_others"])
def test_reopened_results_are_graded_again(house: House, kind: str) -> None:
    store, june = house.store, house.project.id
    item = house.fill(1)["d0"]
    house.grade(house.ann, item, 3, note="really")
    house.grade(house.bo, item, 0)
    store.decisions.decide(item, house.lee, 1, key="first")
    assert house.state(item) == "decided"
    number = house.correct(kind, [item])
    assert house.state(item) == "open"
    assert (house.grades(), store.decisions.all(june)) == ({}, {})
    assert len(store.grades.history(june)) == (4 if kind == "reopen" else 6)
    again = store.grading.take(house.ann, june)
    assert [task.item.id for task in again] == ([item] if kind == "reopen" else [])
    assert [task.item.id for task in store.grading.take(house.cy, june)] == [item]
    # The history of judges does not let them undo what a lead did.
    with pytest.raises(InputError):
        store.grading.record(house.bo, Action("undo", "u", project_id=june))
    house.undo(number)
    assert house.grades() == {item: {"ann": 3, "bo": 0}}
    assert store.decisions.all(june) == {item: 1}
    assert store.grades.ratings(june)[item][0].note == "really"


def test_an_undo_that_comes_after_reopening_is_no_error(house: House) -> None:
    item = house.fill(1)["d0"]
    house.store.grading.take(house.ann, house.project.id)
    house.store.grading.record(house.ann, Action("grade", "mine", item_id=item, grade=2))
    house.correct("reopen", [item])
    undo = Action("undo", "u", project_id=house.project.id, undoes="mine")
    assert house.store.grading.record(house.ann, undo).item_id == item
    assert house.grades() == {}


def test_a_new_grade_is_not_replaced_by_taking_a_reopening_back(house: House) -> None:
    item = house.fill(1)["d0"]
    house.grade(house.ann, item, 3)
    number = house.correct("reopen", [item])
    house.grade(house.ann, item, 1)
    house.undo(number)
    assert house.grades() == {item: {"ann": 1}}


def test_decisions_in_bulk_are_taken_back_at_once(house: House) -> None:
    store, june = house.store, house.project.id
    ids = list(house.fill(3).values())
    store.decisions.decide(ids[0], house.lou, 3, key="before")
    number = house.correct("decide", ids, grade=2)
    assert store.decisions.all(june) == dict.fromkeys(ids, 2)
    store.decisions.decide(ids[2], house.lou, 0, key="after")
    found = find_correction(store, june, number)
    assert (found.lead, found.reason, found.total, found.applied) == ("lee", "a mistake", 3, 3)
    house.undo(number)
    assert store.decisions.all(june) == {ids[0]: 3, ids[2]: 0}
    assert find_correction(store, june, number).undone
    with pytest.raises(InputError):
        house.undo(number)


def test_a_request_is_done_once(house: House) -> None:
    ids = list(house.fill(2).values())
    values = {"request": "same", "reason": "twice"}
    first = correct(house.store, house.project.id, house.lee, "remove", ids, **values)
    house.correct("restore", ids)
    again = correct(house.store, house.project.id, house.lee, "remove", ids, **values)
    assert (again.id, again.job_id) == (first.id, None)
    assert len(house.store.items.all(house.project.id)) == 2


def test_corrections_need_a_lead_a_reason_and_results_of_the_project(house: House) -> None:
    store, june = house.store, house.project.id
    ids = list(house.fill(1).values())
    other = store.projects.create("July")
    store.items.add(other.id, [Item("q", "d")])
    (foreign,) = (one.id for one in store.items.all(other.id))
    with pytest.raises(ParameterError):
        correct(store, june, house.ann, "remove", ids, request="a", reason="x")
    with pytest.raises(InputError):
        correct(store, june, house.lee, "remove", ids, request="a", reason=" ")
    with pytest.raises(InputError):
        correct(store, june, house.lee, "remove", [], request="a", reason="x")
    with pytest.raises(InputError):
        correct(store, june, house.lee, "decide", ids, grade=9, request="a", reason="x")
    with pytest.raises(InputError):
        find_correction(store, other.id, house.correct("remove", ids))
    house.correct("remove", [foreign, 10**6, 2**40])
    assert len(store.items.all(other.id)) == 1
    with pytest.raises(InputError):
        store.decisions.decide(ids[0], house.lee, 1, key="removed")
    store.projects.close(june)
    with pytest.raises(ParameterError):
        house.correct("restore", ids)


def test_an_import_does_not_bring_a_removed_result_back(house: House) -> None:
    store, june = house.store, house.project.id
    item = house.fill(1)["d0"]
    sheet = export_sheet(store, june)
    house.correct("remove", [item])
    (row,) = sheet.rows
    store.grades.add(june, [(row.item, [Rating("dan", 2)])])
    import_sheet(store, june, sheet)
    assert store.items.all(june) == []
    assert house.grades() == {}


def test_an_archive_keeps_corrections(house: House, tmp_path: Path) -> None:
    store = house.store
    ids = house.fill(2)
    house.grade(house.ann, ids["d0"], 2)
    house.correct("remove", [ids["d1"]])
    reopened = house.correct("reopen", [ids["d0"]])
    with (tmp_path / "first").open("w+b") as file:
        pack_project(store, house.project.id, file)
        made = unpack_project(store, Archive(file), name="Copy").project
    assert [one.document for one in store.items.all(made.id)] == ["d0"]
    follow(store, made.id, seconds=60)
    assert len(list_results(store, made.id, ResultFilter(state="removed")).results) == 1
    # A copy's re-opening can be taken back as the original's.
    undo_correction(store, made.id, house.lee, reopened + 2, request=next(keys)).run()
    assert [*store.grades.by_judge(made.id).values()] == [{"ann": 2}]
    assert house.grades() == {}


def many(house: House, number: int = 3 * AT_ONCE) -> int:
    house.fill(number)
    follow(house.store, house.project.id, seconds=60)
    return number


def test_everything_that_a_filter_lists_is_corrected_and_taken_back(house: House) -> None:
    number = many(house)
    made = house.correct("remove", ResultFilter(text="title"))
    assert find_correction(house.store, house.project.id, made).applied == number
    assert house.store.items.all(house.project.id) == []
    assert list_results(house.store, house.project.id).results == ()
    assert (
        len(list_results(house.store, house.project.id, ResultFilter(state="removed")).results)
        == 50
    )
    assert house.correct("remove", ResultFilter(state="removed")) > made
    house.undo(made)
    # Something followed, which changed nothing: the first one is still the last change.
    assert len(house.store.items.all(house.project.id)) == number


def test_a_job_that_was_killed_goes_on_or_changed_nothing(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, june = house.store, house.project.id
    number = many(house)
    ids = [one.id for one in store.items.all(june)]

    class KilledError(BaseException):
        pass

    def die(at: int) -> int:
        """Runs a correction until the transaction of some step was stored, then ends as a crash."""
        made = correct(store, june, house.lee, "remove", ids, request=next(keys), reason="x")
        steps = iter(range(at))
        real = jobs.Work.step

        def step(work, *given, **more):
            if next(steps, None) is None:
                raise KilledError
            return real(work, *given, **more)

        with monkeypatch.context() as patch:
            patch.setattr(jobs.Work, "step", step)
            patch.setattr("relyon.judging.corrections._give_up", lambda *given: None)
            with pytest.raises(KilledError):
                made.run()
        jobs._working.discard(made.job_id)
        return made.id

    planned = die(0)
    assert len(store.items.all(june)) == number
    tidy_up(store)
    assert find_correction(store, june, planned).state == "stopped"
    assert len(store.items.all(june)) == number
    running = die(3)
    assert 0 < len(store.items.all(june)) < number
    with pytest.raises(ParameterError):  # until it is finished
        house.correct("restore", ids)
    tidy_up(store)
    assert find_correction(store, june, running).state == "done"
    assert store.items.all(june) == []
    house.undo(running)
    assert len(store.items.all(june)) == number


def test_a_stopped_job_can_be_taken_back(house: House) -> None:
    store, june = house.store, house.project.id
    number = many(house)
    made = correct(store, june, house.lee, "remove", ResultFilter(), request="r", reason="x")
    assert made.job_id is not None
    jobs.stop_job(store, made.job_id)
    with pytest.raises(jobs.StoppedError):
        made.run()
    assert find_correction(store, june, made.id).state == "stopped"
    assert len(store.items.all(june)) == number
    found = jobs.find_job(store, made.job_id)
    assert found is not None
    assert found.state == "stopped"


def test_two_leads_at_once_change_each_result_once(house: House) -> None:
    store, june = house.store, house.project.id
    ids = list(house.fill(60).values())
    failed: list[BaseException] = []

    def remove(lead: User) -> None:
        for start in range(0, 60, 10):
            try:
                correct(store, june, lead, "remove", ids[start : start + 10], request=next(keys),
                        reason="both")  # fmt: skip
            except BaseException as error:
                failed.append(error)

    threads = [threading.Thread(target=remove, args=(one,)) for one in (house.lee, house.lou)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not failed
    made = [find_correction(store, june, number) for number in range(1, 13)]
    assert sum(one.applied for one in made) == 60
    assert sum(one.total for one in made) == 120
    assert store.items.all(june) == []
