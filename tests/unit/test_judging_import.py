"""Imports in batches, and projects that are closed or removed: all, or nothing of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest.importorskip("sqlalchemy")

from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.judging import imports, jobs
from relyon.judging.actions import Action
from relyon.judging.imports import bring_in
from relyon.judging.incoming_items import Incoming
from relyon.judging.jobs import StoppedError, list_jobs, stop_job
from relyon.judging.progress import measure_progress
from relyon.judging.records import Item, Rating
from relyon.judging.removal import remove_project, start_removal, tidy_up
from relyon.judging.schema import metadata, sa
from relyon.judging.store import Store

MANY = [Item(f"q{n % 7}", f"d{n}") for n in range(120)]


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a hundred items be many."""
    monkeypatch.setattr(imports, "AT_ONCE", 10)
    monkeypatch.setattr(jobs, "FIRST", 20)
    monkeypatch.setattr(jobs, "FIRST_REMOVAL", 15)
    monkeypatch.setattr(jobs, "LEAST", 20)
    monkeypatch.setattr(jobs, "MOST", 20)


def counts(store: Store) -> dict[str, int]:
    """How many rows each table has, but for what tells of the work itself."""
    with store.database.read() as connection:
        return {
            name: connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
            for name, table in metadata.tables.items()
            if name not in ("jobs", "projects", "users")
        }


def test_judges_get_nothing_of_an_import_before_all_is_in(store: Store) -> None:
    project = store.projects.create("June", overlap=2, gold_share=0.5)
    ann = store.accounts.create("Ann")
    seen: list[tuple[int, int, int]] = []

    def look(done: int, total: int) -> None:
        if done:
            seen.append((done, total, len(store.grading.take(ann, project.id))))

    store.items.add(project.id, MANY[:2])
    assert store.items.add(project.id, MANY, report=look) == 118
    assert [done for done, *_ in seen[:7]] == [20, 40, 60, 80, 100, 120, 120]
    assert {(total, got) for _, total, got in seen[:-1]} == {(120, 2)}
    assert len(store.grading.take(ann, project.id, count=50)) == 50
    store.gold.add(project.id, [(Item("gold", str(n)), 1) for n in range(30)], report=look)
    assert seen[7][2] == 10
    (gold, first) = list_jobs(store, project.id)
    assert (first.state, first.items, first.done, first.total) == ("done", 118, 120, 120)
    assert (gold.state, gold.items, gold.grades) == ("done", 30, 30)
    assert not first.alive
    # The same once more adds nothing.
    assert store.items.add(project.id, MANY) == 0


def test_an_import_in_batches_is_what_it_is_at_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = [
        (one, [Rating(f"judge {k}", (n + k) % 4, note=str(n), at=n) for k in range(n % 3)])
        for n, one in enumerate(MANY)
    ]
    found = []
    for name, at_once in (("June", 10), ("July", 1000)):
        monkeypatch.setattr(imports, "AT_ONCE", at_once)
        project = store.projects.create(name, overlap=2)
        told = store.grades.add(project.id, given), store.grades.add(project.id, given)
        items = store.items.all(project.id)
        ratings = store.grades.ratings(project.id)
        found.append((told, [(one.document, ratings.get(one.id)) for one in items]))
        assert measure_progress(store, project.id).places == 240
    assert found[0] == found[1]
    assert found[0][0] == ((120, 120), (0, 0))


def failing(store: Store, what: str) -> Callable[[int, int], None]:
    def report(done: int, total: int) -> None:
        if done < 60:
            return
        if what == "stop":
            (job,) = [one for one in every_job(store) if one.state == "running"]
            assert job.alive
            assert stop_job(store, job.id)
            assert not stop_job(store, job.id)
        elif what == "interrupt":
            raise KeyboardInterrupt
        else:
            raise InputError("the disk is full")

    return report


def every_job(store: Store) -> list[jobs.Job]:
    return [job for project in store.projects.all() for job in list_jobs(store, project.id)]


@pytest.mark.parametrize(
    ("what", "error", "state"),
    [
        ("stop", StoppedError, "stopped"),
        ("interrupt", KeyboardInterrupt, "stopped"),
        ("fail", InputError, "failed"),
    ],
)
def test_nothing_stays_of_an_import_that_does_not_end(
    store: Store, what: str, error: type[BaseException], state: str
) -> None:
    project = store.projects.create("June", overlap=2)
    store.grades.add(project.id, [(MANY[0], [Rating("Bo", 3)])])
    before = counts(store)
    rows = [(one, [Rating("Ann", 1)]) for one in MANY[1:]]
    with pytest.raises(error):
        store.grades.add(project.id, rows, report=failing(store, what))
    assert counts(store) == before
    (job,) = list_jobs(store, project.id)
    assert (job.state, job.alive) == (state, False)
    assert store.grades.add(project.id, rows) == (119, 119)
    assert measure_progress(store, project.id).filled == 120


def test_everything_is_checked_before_the_first_row_goes_in(store: Store) -> None:
    project = store.projects.create("June", overlap=1)
    store.grades.add(project.id, [(MANY[0], [Rating("Bo", 3)])])
    before = counts(store)
    bad = [
        (MANY[119], [Rating("Ann", 1), Rating("Cy", 1)]),
        (MANY[119], [Rating("Ann", 9)]),
        (MANY[0], [Rating("Ann", 1)]),
        (Item("q", ""), []),
        (Item("q", "d", title="\0"), []),
        (MANY[119], [Rating("Ann", 1, note="\ud800")]),
    ]
    for one in bad:
        with pytest.raises(InputError):
            store.grades.add(project.id, [*((item, []) for item in MANY[1:119]), one])
    assert counts(store) == before
    assert {(job.state, job.done) for job in list_jobs(store, project.id)} == {("failed", 0)}
    assert [user.name for user in store.accounts.all()] == ["Bo"]


def test_two_imports_into_one_project_come_one_after_the_other(store: Store) -> None:
    project = store.projects.create("June")
    refused: list[str] = []

    def add(done: int, total: int) -> None:
        if not refused:
            with pytest.raises(ParameterError, match="still running") as caught:
                store.items.add(project.id, [Item("q", "another")])
            refused.append(caught.value.hint)

    assert store.items.add(project.id, MANY, report=add) == 120
    assert refused
    assert store.items.add(project.id, [Item("q", "another")]) == 1


def die(store: Store, monkeypatch: pytest.MonkeyPatch, work: Callable[[], object]) -> None:
    """Ends a work as kill -9 does: nothing is tidied up, and the process is gone."""

    class Killed(BaseException):
        pass

    with monkeypatch.context() as patch:
        patch.setattr(imports, "discard_import", lambda work: (_ for _ in ()).throw(Killed()))
        with pytest.raises(Killed):
            work()
    with store.database.write() as connection:
        connection.execute(sa.update(metadata.tables["jobs"]).values(worker="elsewhere:1:x"))


def test_what_a_dead_process_left_is_tidied_up(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = store.projects.create("June", overlap=2)
    store.items.add(project.id, MANY[:1])
    before = counts(store)
    ann = store.accounts.create("Ann")
    die(store, monkeypatch,
        lambda: store.items.add(project.id, MANY, report=failing(store, "fail")))  # fmt: skip
    assert counts(store)["items"] > 50
    # Not before it was silent for a while: it may be at work on another machine.
    assert tidy_up(store) == 0
    assert list_jobs(store, project.id)[0].alive
    assert len(store.grading.take(ann, project.id)) == 1
    monkeypatch.setattr(store, "clock", lambda: 4e9)
    assert not list_jobs(store, project.id)[0].alive
    assert tidy_up(store) == 1
    assert tidy_up(store) == 0
    assert counts(store) == before
    assert "nothing of it was kept" in list_jobs(store, project.id)[0].message


@pytest.mark.long
def test_a_project_is_removed_with_all_that_was_said_in_it(store: Store) -> None:
    from tests.unit.test_judging_archive import Clock, fill

    store = Store(store.database, clock=Clock())
    other = store.projects.create("Other", overlap=2)
    store.grades.add(other.id, [(Item("q", f"o{n}"), [Rating("Eve", 1)]) for n in range(3)])
    before = counts(store)
    seen = store.grades.ratings(other.id), store.items.all(other.id)
    project = fill(store)
    largest = max(item.id for item in store.items.all(project.id))
    hidden: list[list[str]] = []
    remove_project(
        store,
        project,
        report=lambda done, total: hidden.append([p.name for p in store.projects.all()]),
    )
    assert set(map(tuple, hidden)) == {("Other", "Before")}
    remove_project(store, store.projects.get("Before"))
    assert counts(store) == before
    assert (store.grades.ratings(other.id), store.items.all(other.id)) == seen
    with pytest.raises(UnknownNameError):
        store.projects.get(project.id)
    # The name is free, and no item has the id of one that is gone.
    again = store.projects.create(project.name)
    assert again.id > project.id
    store.items.add(again.id, MANY[:5])
    assert min(item.id for item in store.items.all(again.id)) > largest


def test_a_removal_that_died_is_gone_on_with(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    project = store.projects.create("June", overlap=2)
    empty = counts(store)
    store.items.add(project.id, MANY)
    removal = start_removal(store, project)
    assert store.projects.all() == []
    with pytest.raises(InputError, match="being removed"):
        start_removal(store, project)
    removal.work.leave()
    assert tidy_up(store) == 1
    assert counts(store) == empty
    assert tidy_up(store) == 0


def test_a_closed_project_is_read_only(store: Store) -> None:
    project = store.projects.create("June", overlap=2)
    store.grades.add(project.id, [(one, [Rating("Bo", 3)]) for one in MANY[:5]])
    ann, lee = store.accounts.create("Ann"), store.accounts.create("Lee", role="lead")
    item = store.grading.take(ann, project.id)[0].item.id
    store.grading.record(ann, Action("grade", key="k", item_id=item, grade=1))
    assert store.projects.close(project.id).state == "closed"
    before = counts(store)
    for change in (
        lambda: store.grading.take(ann, project.id),
        lambda: store.grading.record(ann, Action("grade", key="new", item_id=item, grade=2)),
        lambda: store.grading.record(ann, Action("undo", key="undo", project_id=project.id)),
        lambda: store.decisions.decide(item, lee, 2, key="k"),
        lambda: store.items.add(project.id, MANY),
        lambda: store.items.add(project.id, MANY[:9]),
        lambda: store.gold.add(project.id, [(MANY[0], 1)]),
        lambda: store.projects.set_guideline(project.id, {"en": "x"}),
        lambda: store.projects.set_gold_share(project.id, 0.5),
    ):
        with pytest.raises(ParameterError, match="`June` is closed"):
            change()
    assert counts(store) == before
    # What was stored before is answered as it was.
    assert store.grading.record(ann, Action("grade", key="k", item_id=item, grade=1)).repeated
    assert len(store.decisions.final_grades(project.id)) == 5
    assert [one.name for one in store.projects.all()] == ["June"]
    assert store.projects.all("open") == []
    assert store.projects.reopen(project.id).state == "open"
    assert store.grading.take(ann, project.id)
    assert store.projects.set_gold_share(project.id, 0.5).gold_share == 0.5


def test_a_project_is_renamed(store: Store) -> None:
    project = store.projects.create("June")
    store.projects.create("July")
    assert store.projects.rename(project.id, " Juni ").name == "Juni"
    with pytest.raises(ParameterError, match="`July` already"):
        store.projects.rename(project.id, "July")
    with pytest.raises(ParameterError, match="cannot be the name"):
        store.projects.rename(project.id, "\x7f1")
    with pytest.raises(UnknownNameError):
        store.projects.rename(99, "x")


@pytest.mark.long
def test_steps_let_others_write(store: Store) -> None:
    """Somebody who waits gets the turn between two steps."""
    from threading import Event, Thread

    project = store.projects.create("June")
    ann = store.accounts.create("Ann")
    store.items.add(project.id, MANY[:3])
    began, graded = Event(), Event()
    done_at: list[int] = []

    def grade() -> None:
        began.wait(30)
        for task in store.grading.take(ann, project.id, count=1):
            store.grading.record(ann, Action("grade", key="k", item_id=task.item.id, grade=1))
        graded.set()

    def report(done: int, total: int) -> None:
        began.set()
        if graded.is_set():
            done_at.append(done)

    thread = Thread(target=grade)
    thread.start()
    rows = [Incoming(Item("q", f"x{n}")) for n in range(2000)]
    bring_in(store, project, rows, report=report)
    thread.join()
    assert done_at
    assert done_at[0] < 2000
