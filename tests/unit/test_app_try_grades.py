"""Grades that a lead gives in the tab Try: by the rules of all grades."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpcore2")

from tests.unit.tries import Visit, fields, fill, row, token, words

from relyon.judging.records import Project
from relyon.judging.store import Store


@pytest.fixture
def project(store: Store) -> Project:
    return fill(store)


def test_a_grade_in_place_is_an_action_of_a_judge(
    store: Store, project: Project, tmp_path: Path
) -> None:
    with Visit(store, tmp_path) as visit:
        page = visit.ask()
        asked = len(visit.came)
        sent = fields(page, "a2")
        after = visit.post("/grade", **{**sent, "grade": "2"}).text
        assert "Stored: Title d2 – Middle." in words(after)
        assert "2 only here Middle median" in words(row(after, "a2"))
        assert 'aria-pressed="true"' in row(after, "a2")
        # Resent: stored once.
        visit.post("/grade", **{**sent, "grade": "2"})
        actions = [one for one in store.grades.history(project.id) if one["judge"] == "lea"]
        assert [(one["kind"], one["grade"], one["key"]) for one in actions] == [
            ("grade", 2.0, sent["key"])
        ]
        # Changed, knowing the first; then taken back.
        again = fields(after, "a2")
        assert again["again"] == "true"
        changed = visit.post("/grade", **{**again, "grade": "0"}).text
        assert "Stored: Title d2 – None." in words(changed)
        undo = re.search(
            r'name="undoes" value="([^"]+)"><input[^>]+name="key" value="([^"]+)"', changed
        )
        assert undo is not None
        back = visit.post("/undo", at=token(changed), undoes=undo[1], key=undo[2]).text
        assert "The grade was taken back." in words(back)
        assert "Middle median" in words(row(back, "a2"))
        assert len(visit.came) == asked


def test_a_result_that_the_project_lacks_is_added(
    store: Store, project: Project, tmp_path: Path
) -> None:
    with Visit(store, tmp_path) as visit:
        page = visit.ask()
        visit.post("/grade", **{**fields(page, "b3"), "grade": "3"})
    (item,) = [one for one in store.items.all(project.id) if one.document == "d9"]
    assert (item.query, item.query_text, item.title) == ("q1", "red shoes", "Title d9")
    assert (item.snippet, item.url) == ("Text of <b>d9</b>", "https://shop.example/d9")
    assert item.tier == "head"
    assert store.decisions.final_values(project.id)[item.id][0].value == 3.0
    # The other place is still open, for a judge.
    assert item.id in [one.item.id for one in store.grading.take(store.accounts.get("ana"), 1)]


def test_gold_full_and_removed_results_cannot_be_graded_in_place(
    store: Store, project: Project, tmp_path: Path
) -> None:
    with Visit(store, tmp_path) as visit:
        page = visit.ask()
        assert "A gold item" in words(row(page, "a3"))
        assert "All places are taken" in words(row(page, "a1"))
        sent = fields(page, "a2")
        before = store.grades.history(project.id)
        for document, said in (("d3", "gold item"), ("d1", "taken by other judges")):
            found = visit.post("/grade", **{**sent, "document": document, "grade": "0"})
            assert found.status_code == 400
            assert said in words(found.text)
        assert store.grades.history(project.id) == before


def test_what_is_not_on_the_page_cannot_be_graded(
    store: Store, project: Project, tmp_path: Path
) -> None:
    with Visit(store, tmp_path) as visit:
        sent = fields(visit.ask(), "a2")
        for change in ({"document": "d8"}, {"at": "0" * 32}, {"grade": "7"}, {"grade": "nan"}):
            found = visit.post("/grade", **{**sent, "grade": "1", **change})
            assert found.status_code == 400, change
        # Another lead's try is theirs.
        with Visit(store, tmp_path, name="otto") as other:
            sent.pop("csrf")
            assert other.post("/grade", **{**sent, "grade": "1"}).status_code == 400
        assert not [one for one in store.grades.history(project.id) if one["judge"] == "lea"]


def test_an_answer_from_elsewhere_is_kept(store: Store, project: Project, tmp_path: Path) -> None:
    with Visit(store, tmp_path) as visit:
        page = visit.ask()
        first, second = fields(page, "a2"), fields(page, "a2")
        visit.post("/grade", **{**first, "grade": "2"})
        # A page that does not know of it.
        found = visit.post("/grade", **{**second, "key": "another", "grade": "0"})
        assert found.status_code == 409
        (item,) = [one for one in store.items.all(project.id) if one.document == "d2"]
        assert store.decisions.final_values(project.id)[item.id][0].value == 2.0


def test_what_the_project_lacks_goes_to_its_judges(
    store: Store, project: Project, tmp_path: Path
) -> None:
    with Visit(store, tmp_path) as visit:
        page = visit.ask("a new query")
        assert "does not have yet: 4." in words(page)
        after = visit.post("/queue", at=token(page)).text
        assert "Added to the project: 4." in words(after)
        assert "does not have yet" not in words(after)
        assert "Added to the project: 0." in words(visit.post("/queue", at=token(page)).text)
    new = [one.document for one in store.items.all(project.id) if one.query == "a new query"]
    assert sorted(new) == ["d1", "d2", "d3", "d9"]


def test_a_closed_project_can_be_tried_and_not_graded(
    store: Store, project: Project, tmp_path: Path
) -> None:
    store.projects.close(project.id)
    with Visit(store, tmp_path) as visit:
        page = visit.ask()
        assert 'class="give"' not in page
        assert "Add these" not in page
