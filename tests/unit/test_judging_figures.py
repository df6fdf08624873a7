"""Figures of large projects: counted in the background, exact where a project is small."""

from __future__ import annotations

import threading
import time

import pytest

pytest.importorskip("sqlalchemy")

from relyon.judging import figures, recent
from relyon.judging.actions import Action
from relyon.judging.figures import Figures, NotReadyError, is_large
from relyon.judging.progress import measure_progress
from relyon.judging.recent import recent_agreement, recent_progress, recent_queue, recent_work
from relyon.judging.records import Item, Rating
from relyon.judging.status import AgreementStatus, describe_agreement, describe_work
from relyon.judging.store import Store


@pytest.fixture
def store(store: Store) -> Store:
    project = store.projects.create("June", overlap=2)
    given = [(Item("q", f"d{n}"), [Rating("Ann", n % 4), Rating("Bo", 0)]) for n in range(20)]
    store.grades.add(project.id, [*given, *((Item("r", f"d{n}"), []) for n in range(20))])
    return store


def test_one_thread_counts_and_the_others_get_the_last_figure() -> None:
    kept = Figures()
    go, counted = threading.Event(), []

    def count() -> int:
        counted.append(1)
        assert go.wait(30)
        return len(counted)

    with pytest.raises(NotReadyError):
        kept.get("a", count, patience=0.01)
    with pytest.raises(NotReadyError):
        kept.get("a", count, patience=0)
    go.set()
    assert kept.get("a", count) == 1
    assert kept.get("b", lambda: 7) == 7
    time.sleep(0.05)
    kept.forget()
    assert kept.get("a", count) == 2
    assert kept.get("a", count, patience=0) == 2


def test_a_figure_that_is_too_old_is_counted_again_for_the_next_who_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(figures, "SHARE", 0.0)
    kept, numbers = Figures(), iter(range(100))
    assert kept.get("a", lambda: next(numbers)) == 0
    assert kept.get("a", lambda: next(numbers)) == 0
    end = time.monotonic() + 10
    while kept.get("a", lambda: next(numbers)) == 0:
        assert time.monotonic() < end
    assert kept.get("b", lambda: 1, least=100) == 1
    assert kept.get("b", lambda: 2, least=100) == 1


def test_an_error_is_told_and_not_kept() -> None:
    kept = Figures()
    with pytest.raises(ZeroDivisionError):
        kept.get("a", lambda: 1 / 0)
    assert kept.get("a", lambda: 1.5) == 1.5


@pytest.mark.parametrize("large", [0, 10_000])
def test_figures_are_those_of_the_project(
    store: Store, large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "LARGE", large)
    assert is_large(store, 1) == (large == 0)
    ann = store.accounts.get("Ann")
    assert recent_progress(store, 1, ann) == measure_progress(store, 1, ann)
    assert recent_work(store, 1) == describe_work(store, 1)
    assert recent_agreement(store, 1) == describe_agreement(store, 1)
    shown, count = recent_queue(store, 1, most=5)
    assert (shown, count) == (store.decisions.queue(1, most=5), store.decisions.count_queue(1))
    # What one does oneself is seen at once, and what is decided never comes again.
    for n, task in enumerate(store.grading.take(ann, 1, count=6)):
        if n < 4:
            store.grading.record(ann, Action("grade", key=str(n), item_id=task.item.id, grade=1))
    now, exact = recent_progress(store, 1, ann), measure_progress(store, 1, ann)
    assert (now.done, now.open, now.available) == (exact.done, exact.open, exact.available)
    lee = store.accounts.create("Lee", role="lead")
    decided = shown[0].item.id
    store.decisions.decide(decided, lee, 1, key="k")
    left, number = recent_queue(store, 1, most=5)
    assert decided not in [one.item.id for one in left]
    assert (left, number) == (store.decisions.queue(1, most=5), count - 1)
    again, _ = recent_queue(store, 1, again=decided, most=5)
    assert again[0].item.id == decided


def test_a_page_of_a_large_project_does_not_wait(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fastapi")
    pytest.importorskip("httpx2")
    from tests.unit.test_app_lead import Somebody

    from relyon.app.project import quality

    monkeypatch.setattr(figures, "LARGE", 0)
    monkeypatch.setattr(quality, "PATIENCE", 0.05)
    go = threading.Event()

    def slowly(store: Store, project: int) -> AgreementStatus:
        assert go.wait(30)
        return describe_agreement(store, project)

    monkeypatch.setattr(recent, "describe_agreement", slowly)
    store.accounts.create("lea", role="lead")
    lea = Somebody(store, "lea")
    waiting = lea.get("/projects/1/agreement")
    assert (waiting.status_code, waiting.headers["retry-after"]) == (202, "2")
    assert "wait.js" in waiting.text
    go.set()
    end = time.monotonic() + 30
    while (answer := lea.get("/projects/1/agreement")).status_code == 202:
        assert time.monotonic() < end
    assert "Krippendorff" in answer.text


def test_a_few_items_of_many_are_found_by_their_ids(store: Store) -> None:
    from relyon.judging.bulk import update_statistics
    from relyon.judging.schema import items, sa

    if not store.database.sqlite:
        pytest.skip("PostgreSQL gathers its statistics by itself as well")
    store.items.add(1, [Item(f"many {n}", "d") for n in range(1500)])
    update_statistics(store.database)
    chosen = sa.select(items).where(items.c.project_id == 1, items.c.id.in_([3, 4]))
    with store.database.read() as connection:
        text = str(chosen.compile(connection.engine, compile_kwargs={"literal_binds": True}))
        plan = [row[-1] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}")]
    assert "INTEGER PRIMARY KEY" in plan[0]
