"""Leads draw the next results of two snapshots; judges see nothing of it."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")
pytest.importorskip("msgspec")

from tests.unit.snapshotted import project_of, snapshot
from tests.unit.test_app_snapshots import FILE, Visitor

import relyon
from relyon.judging.next_pairs import (
    NextOfSnapshots,
    draw_next,
    estimate_drawn,
    queue,
    read_batches,
)
from relyon.judging.records import Item, Project, Rating
from relyon.judging.snapshots.kept import Snapshot
from relyon.judging.store import Store

PAGE = "/projects/1/snapshots/next"
#: What the documents of every query are worth, by their number.
TRUTH = (3, 2, 1, 0, 2, 1, 3, 0)


@pytest.fixture
def project(store: Store) -> Project:
    store.accounts.create("lea", role="lead")
    store.accounts.create("ana")
    return project_of(store, graded=1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "engines"
    found.mkdir()
    (found / "shop.toml").write_text(FILE, "utf-8")
    return found


def pair_of(store: Store, project: Project) -> NextOfSnapshots:
    shots: list[Snapshot] = [snapshot(store, project, variant=one) for one in ("base", "shifted")]
    return NextOfSnapshots(store, project, *shots)


def grade(store: Store, project: Project, *, most: int = 10_000) -> int:
    """Gives the results that wait their true grades, and returns how many there were."""
    ratings = store.grades.ratings(project.id)
    open_ones = [item for number, item in store.items.by_id(project.id) if not ratings.get(number)]
    store.grades.add(
        project.id,
        [
            (Item(one.query, one.document), [Rating("cy", TRUTH[int(one.document[-1])])])
            for one in open_ones[:most]
        ],
    )
    return len(open_ones[:most])


@pytest.mark.long
def test_batches_of_two_snapshots_lead_to_the_complete_value(
    store: Store, project: Project
) -> None:
    chosen = pair_of(store, project)
    assert chosen.steps() == []
    queued = chosen.draw(20)
    assert (len(queued.pairs), queued.added) == (20, 20)
    (step,) = chosen.steps()
    assert (step.waiting, step.estimate.drawn) == (20, 0)
    assert grade(store, project) == 20
    (step,) = chosen.steps()
    assert (step.waiting, step.estimate.drawn) == (0, 20)
    first = step.estimate
    chosen.draw(1000)
    grade(store, project)
    steps = chosen.steps()
    assert [one.batch.batch for one in steps] == [1, 2]
    # Later grades leave the estimate after the first batch as it was.
    assert steps[0].estimate.value == pytest.approx(first.value)
    assert steps[1].estimate.complete
    truth = {
        f"q{query}": {f"q{query}-{n}": float(worth) for n, worth in enumerate(TRUTH)}
        for query in range(12)
    }
    first_documents = {f"q{query}": {f"q{query}-0": 3.0} for query in range(12)}
    for query, grades in first_documents.items():
        truth[query] |= grades
    contrast = relyon.compare(truth, *chosen.runs, ["dcg@5"]).contrasts[0]
    assert steps[1].estimate.value == pytest.approx(contrast.difference)
    assert chosen.draw(10).pairs.left == 0


@pytest.mark.long
def test_grades_of_other_results_do_not_count(store: Store, project: Project) -> None:
    chosen = pair_of(store, project)
    chosen.draw(15)
    drawn = {(one.query, one.document) for one in read_batches(store, 1)[0].drawn}
    others = [
        (Item(f"q{query}", f"q{query}-{n}"), [Rating("cy", TRUTH[n])])
        for query in range(12)
        for n in range(2, 8)
        if (f"q{query}", f"q{query}-{n}") not in drawn
    ]
    store.grades.add(project.id, others)
    grade(store, project)
    (step,) = chosen.steps()
    assert step.estimate.drawn == 15
    assert step.estimate.left > 0


def test_what_nobody_can_grade_is_passed_over(store: Store, project: Project) -> None:
    old, new = (
        relyon.Run.from_dict(
            {
                f"q{query}": {f"q{query}-{(n + shift) % 8}": -float(n) for n in range(8)}
                for query in range(12)
            },
            name=name,
        )
        for name, shift in (("old", 0), ("new", 2))
    )
    runs = (old, new)
    queued = draw_next(store, project, runs, measure="dcg@5", budget=12)
    assert read_batches(store, 1)[0].title == "old → new"
    third = queued.pairs.drawn[2]
    store.grades.add(
        project.id, [(Item(third.query, third.document), [Rating("cy", None, "gone")])]
    )
    grade(store, project)
    with pytest.warns(relyon.RelyonWarning, match="1 of 12 drawn pairs was not judged"):
        found = estimate_drawn(store, project, runs, measure="dcg@5")
    assert (found.drawn, found.skipped) == (12, 1)
    with pytest.raises(relyon.InputError, match="no pairs were drawn for `dcg@10`"):
        estimate_drawn(store, project, runs)


@pytest.mark.long
def test_a_lead_draws_and_judges_see_no_difference(
    store: Store, project: Project, folder: Path
) -> None:
    pair_of(store, project)
    lea = Visitor(store, folder)
    assert "Draw the next results to grade" in lea.read(
        "/projects/1/snapshots/compare?first=1&second=2"
    )
    empty = lea.read(f"{PAGE}?first=1&second=2")
    assert "Grade next: shifted against base" in empty
    assert "Draws the unjudged results that can change the difference in DCG@5 most" in empty
    page = lea.send(PAGE, first="1", second="2", budget="20", after="0")
    assert page.status_code == 200
    assert "20 results drawn, 20 of them new" in page.text
    assert "20 results of the last batch wait" in page.text
    grade(store, project)
    after = lea.read(f"{PAGE}?first=1&second=2")
    assert "The difference in DCG@5 is estimated as" in after
    assert "After each batch" in after
    items = [item for _, item in store.items.by_id(1)]
    assert {tuple(one.fields) for one in items} == {()}
    assert {one.rank for one in items} == {None}
    chinese = Visitor(store, folder, language="zh").read(f"{PAGE}?first=1&second=2")
    assert "DCG@5 的差值估计为" in chinese
    api = lea.client.get(f"/api{PAGE}?first=1&second=2").json()
    assert [(one["batch"], one["pairs"], one["waiting"]) for one in api] == [(1, 20, 0)]
    ana = Visitor(store, folder, name="ana")
    assert ana.client.get(f"{PAGE}?first=1&second=2").status_code == 403
    assert ana.send(PAGE, first="1", second="2").status_code == 403
    assert ana.client.get(f"/api{PAGE}?first=1&second=2").status_code == 403
    assert lea.send(PAGE, first="1", second="1", after="0").status_code == 400
    assert lea.send(PAGE, first="1", second="2", budget="0").status_code in (400, 422)


def test_a_form_that_is_sent_twice_draws_once(store: Store, project: Project, folder: Path) -> None:
    pair_of(store, project)
    lea = Visitor(store, folder)
    sent = {"first": "1", "second": "2", "budget": "20", "after": "0"}
    assert lea.send(PAGE, **sent).status_code == 200
    again = lea.send(PAGE, **sent)
    assert again.status_code == 400
    assert "another batch of this series was drawn meanwhile" in again.text.lower()
    assert [one.batch for one in read_batches(store, 1)] == [1]
    assert "20 results of the last batch still wait. If you draw now" in again.text
    assert 'name="after" value="1"' in again.text
    assert lea.send(PAGE, **sent | {"after": "-1"}).status_code == 422


@pytest.mark.parametrize("page", ["next", "unjudged"])
def test_the_answer_to_a_form_can_be_read_in_the_other_language(
    page: str, store: Store, project: Project, folder: Path
) -> None:
    pair_of(store, project)
    lea = Visitor(store, folder)
    sent = {"first": "1", "second": "2", "budget": "20", "after": "0"}
    place = f"/projects/1/snapshots/{page}"
    answer = lea.send(place, **sent)
    assert answer.status_code == 200
    other = f"{place}?first=1&amp;second=2&amp;lang=zh"
    assert other in answer.text
    assert "跳到正文" in lea.read(other.replace("&amp;", "&"))
    assert lea.client.get(place).status_code == 422


def test_results_that_wait_for_a_second_person_are_counted(store: Store, folder: Path) -> None:
    store.accounts.create("lea", role="lead")
    project = store.projects.create("June", scale="search", overlap=2)
    known = Item("q0", "q0-0", query_text="red shoe 0")
    store.grades.add(project.id, [(known, [Rating("cy", 3), Rating("di", 3)])])
    chosen = pair_of(store, project)
    chosen.draw(12)
    first = read_batches(store, 1)[0].drawn
    rated = [
        (Item(one.query, one.document), [Rating("cy", TRUTH[int(one.document[-1])])])
        for one in first
    ]
    store.grades.add(project.id, rated)
    (step,) = chosen.steps()
    assert (step.waiting, step.half_graded) == (0, len(first)) == (0, 6)
    page = Visitor(store, folder).read(f"{PAGE}?first=1&second=2")
    assert "6 results of the last batch wait for a further grade, by somebody else" in page
    store.grades.add(project.id, [(item, [Rating("di", own[0].grade)]) for item, own in rated])
    (step,) = chosen.steps()
    assert (step.waiting, step.half_graded) == (0, 0)


def test_a_batch_that_never_reached_the_queue_is_drawn_again(
    store: Store, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = pair_of(store, project)
    before = store.items.count(1)

    def die(*_: object, **__: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patch:
        # As if the process had been killed between both steps.
        patch.setattr(queue, "bring_in", die)
        patch.setattr(queue, "forget_batch", die)
        with pytest.raises(SystemExit):
            chosen.draw(20)
    (lost,) = read_batches(store, 1)
    assert store.items.count(1) == before
    now = store.clock()
    monkeypatch.setattr(store, "clock", lambda: now + queue.LOST + 1)
    queued = chosen.draw(20, after=1)
    assert queued.added == 20
    (found,) = read_batches(store, 1)
    assert [(one.query, one.document) for one in found.drawn] == [
        (one.query, one.document) for one in lost.drawn
    ]
    assert grade(store, project) == 20
    (step,) = chosen.steps()
    assert (step.waiting, step.estimate.drawn) == (0, 20)
