"""What a judge does is stored once, can be undone, and is refused where it makes no sense."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("sqlalchemy")

from tests.unit.grading import act, documents, one, project_of

from relyon.core.errors import InputError, ParameterError
from relyon.judging.actions import Action
from relyon.judging.progress import measure_progress
from relyon.judging.records import User
from relyon.judging.store import Store


def test_a_grade_is_stored_once(store: Store, ann: User) -> None:
    project = project_of(store, 3)
    item = one(store, ann, project)
    first = act(store, ann, "grade", item, "k1", grade="高", seconds=2.5, note="fine")
    again = act(store, ann, "grade", item, "k1", grade=3, seconds=2.5, note="fine")
    assert (first.grade, first.repeated, first.counted) == (3.0, False, True)
    assert (again.id, again.repeated, again.counted) == (first.id, True, True)
    assert len(store.grades.history(project.id)) == 1
    rating = store.grades.ratings(project.id)[item][0]
    assert (rating.judge, rating.grade, rating.seconds, rating.note) == ("Ann", 3.0, 2.5, "fine")
    assert item not in [task.item.id for task in store.grading.take(ann, project.id)]


def test_the_same_request_at_the_same_time_is_stored_once(store: Store, ann: User) -> None:
    project = project_of(store, 1)
    item = one(store, ann, project)
    with ThreadPoolExecutor(8) as pool:
        sent = [pool.submit(act, store, ann, "grade", item, "k", grade=2) for _ in range(16)]
        receipts = [future.result() for future in sent]
    assert len({receipt.id for receipt in receipts}) == 1
    assert sum(not receipt.repeated for receipt in receipts) == 1
    assert len(store.grades.history(project.id)) == 1


def test_a_key_means_one_action(store: Store, ann: User, bo: User) -> None:
    project = project_of(store, 3, overlap=2)
    tasks = store.grading.take(ann, project.id)
    act(store, ann, "grade", tasks[0].item.id, "k", grade=2)
    for kind, item, more in (
        ("grade", tasks[0].item.id, {"grade": 1}),
        ("grade", tasks[1].item.id, {"grade": 2}),
        ("skip", tasks[0].item.id, {}),
    ):
        with pytest.raises(ParameterError, match="another action"):
            act(store, ann, kind, item, "k", **more)
    store.grading.take(bo, project.id)
    assert not act(store, bo, "grade", tasks[0].item.id, "k", grade=1).repeated


def test_a_new_grade_replaces_the_old_one(store: Store, ann: User) -> None:
    project = project_of(store, 1)
    item = one(store, ann, project)
    act(store, ann, "grade", item, "k1", grade=1)
    act(store, ann, "grade", item, "k2", grade=3)
    assert store.grades.by_judge(project.id) == {item: {"Ann": 3.0}}
    assert [action["grade"] for action in store.grades.history(project.id)] == [1.0, 3.0]


def test_undo_goes_back_step_by_step(store: Store, ann: User) -> None:
    project = project_of(store, 2)
    first, second = (task.item.id for task in store.grading.take(ann, project.id))
    act(store, ann, "grade", first, "k1", grade=1)
    act(store, ann, "grade", first, "k2", grade=3)
    act(store, ann, "cannot", second, "k3", reason="no picture")
    undone = store.grading.record(ann, Action("undo", project_id=project.id, key="u1"))
    again = store.grading.record(ann, Action("undo", project_id=project.id, key="u1"))
    assert (undone.item_id, undone.repeated, again.repeated) == (second, False, True)
    assert [task.item.id for task in store.grading.take(ann, project.id)] == [second]
    store.grading.record(ann, Action("undo", project_id=project.id, key="u2"))
    assert store.grades.by_judge(project.id) == {first: {"Ann": 1.0}}
    store.grading.record(ann, Action("undo", project_id=project.id, key="u3"))
    assert store.grades.by_judge(project.id) == {}
    assert {task.item.id for task in store.grading.take(ann, project.id)} == {first, second}
    with pytest.raises(InputError, match="nothing to undo"):
        store.grading.record(ann, Action("undo", project_id=project.id, key="u4"))


def test_undo_of_a_named_action(store: Store, ann: User, bo: User) -> None:
    project = project_of(store, 2)
    first, second = (task.item.id for task in store.grading.take(ann, project.id))
    act(store, ann, "grade", first, "k1", grade=1)
    act(store, ann, "grade", second, "k2", grade=2)
    store.grading.record(ann, Action("undo", project_id=project.id, key="u1", undoes="k1"))
    assert store.grades.by_judge(project.id) == {second: {"Ann": 2.0}}
    with pytest.raises(InputError, match="nothing to undo"):
        store.grading.record(ann, Action("undo", project_id=project.id, key="u2", undoes="k1"))
    with pytest.raises(InputError, match="nothing to undo"):
        store.grading.record(bo, Action("undo", project_id=project.id, key="u1", undoes="k2"))


def test_what_cannot_be_graded_fills_its_place(store: Store, ann: User, bo: User) -> None:
    project = project_of(store, 1)
    item = one(store, ann, project)
    act(store, ann, "cannot", item, "k1", reason="page is gone")
    assert documents(store, bo, project) == []
    assert store.grades.by_judge(project.id) == {}
    assert store.grades.ratings(project.id)[item][0].reason == "page is gone"
    assert measure_progress(store, project.id).filled == 1


def test_a_note_changes_nothing(store: Store, ann: User) -> None:
    project = project_of(store, 1)
    item = one(store, ann, project)
    act(store, ann, "note", item, "n1", note="looks odd")
    assert one(store, ann, project) == item
    act(store, ann, "grade", item, "k1", grade=3)
    act(store, ann, "note", item, "n2", note="still odd")
    assert store.grades.by_judge(project.id) == {item: {"Ann": 3.0}}
    store.grading.record(ann, Action("undo", project_id=project.id, key="u"))
    assert store.grades.by_judge(project.id) == {}


def test_a_judge_grades_only_what_was_given(store: Store, ann: User, bo: User) -> None:
    project = project_of(store, 1)
    item = one(store, ann, project)
    for kind, more in (("grade", {"grade": 3}), ("note", {"note": "x"}), ("skip", {})):
        with pytest.raises(InputError, match="`Bo` was not given this item"):
            act(store, bo, kind, item, "k", **more)
    with pytest.raises(InputError, match="there is no item 99999"):
        act(store, ann, "grade", 99999, "k", grade=3)
    with pytest.raises(InputError, match="there is no project"):
        store.grading.record(ann, Action("undo", key="k", project_id=99999))


def test_an_item_of_another_project_is_refused(store: Store, ann: User) -> None:
    project = project_of(store, 1)
    other = store.projects.create("July")
    item = one(store, ann, project)
    with pytest.raises(InputError, match="this item does not exist"):
        act(store, ann, "grade", item, "a", grade=1, project_id=other.id)
    assert store.grades.ratings(project.id) == {}
    assert act(store, ann, "grade", item, "a", grade=1, project_id=project.id).counted


@pytest.mark.parametrize(
    ("kind", "more", "error"),
    [
        ("grade", {}, ParameterError),
        ("grade", {"grade": 4}, InputError),
        ("grade", {"grade": -1}, InputError),
        ("grade", {"grade": math.nan}, InputError),
        ("grade", {"grade": "great"}, InputError),
        ("skip", {"grade": 1}, ParameterError),
        ("cannot", {}, ParameterError),
        ("note", {"note": "  "}, ParameterError),
        ("note", {"note": "x" * 10_001}, ParameterError),
        ("note", {"note": "x\0"}, InputError),
        ("grade", {"grade": 1, "seconds": -1.0}, ParameterError),
        ("grade", {"grade": 1, "seconds": math.inf}, ParameterError),
        ("peek", {}, ParameterError),
    ],
)
def test_bad_actions(store: Store, ann: User, kind: str, more: dict, error: type) -> None:
    project = project_of(store, 1)
    item = one(store, ann, project)
    with pytest.raises(error):
        act(store, ann, kind, item, "k", **more)
    assert store.grades.history(project.id) == []


@pytest.mark.parametrize("key", ["", "x" * 201, "a\nb"])
def test_bad_keys(store: Store, ann: User, key: str) -> None:
    project = project_of(store, 1)
    with pytest.raises(ParameterError, match="`key`"):
        act(store, ann, "grade", one(store, ann, project), key, grade=1)


def test_a_closed_account_does_nothing(store: Store, ann: User) -> None:
    project = project_of(store, 1)
    item = one(store, ann, project)
    closed = store.accounts.change("Ann", active=False)
    with pytest.raises(ParameterError, match="is closed"):
        store.grading.take(closed, project.id)
    with pytest.raises(ParameterError, match="is closed"):
        act(store, closed, "grade", item, "k", grade=1)
    with pytest.raises(ParameterError, match="`count`"):
        store.grading.take(ann, project.id, count=0)
