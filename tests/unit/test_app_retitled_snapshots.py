"""Graded results that an engine now gives another title are judged again, with that title."""

from __future__ import annotations

import html
import re

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")
pytest.importorskip("msgspec")

from fastapi.testclient import TestClient
from tests.unit.snapshotted import engine_of, snapshot

from relyon.app import Settings, create_app
from relyon.app.protection import csrf_token
from relyon.core.errors import InputError
from relyon.engines import Answer, Request
from relyon.judging.access import start_sign_in
from relyon.judging.records import Item, Rating
from relyon.judging.snapshots import retitled
from relyon.judging.snapshots.retitled import find_left_behind, find_retitled, judge_again
from relyon.judging.store import Store

TITLES = {"a": "Red shoe", "b": " Blue  shoe", "c": "Green hat", "d": "No title then"}


def reply(request: Request) -> Answer:
    """Returns four documents with the titles of today."""
    ids = [*TITLES][: request.k]
    fields = [{"title": TITLES[one], "text": "New"} for one in ids]
    return Answer(ids, [1.0 / (rank + 1) for rank in range(len(ids))], fields)


@pytest.fixture
def graded(file_store: Store) -> Store:
    """Returns a store with a project, whose snapshot has another title for one result."""
    store = file_store
    store.accounts.create("lea", role="lead")
    store.accounts.create("ana")
    project = store.projects.create("June", overlap=1)
    then = {"a": "Red shoe", "b": "Blue shoe", "c": "Green shoe", "d": ""}
    store.grades.add(
        project.id,
        [
            (Item("q", document, title=title, snippet="Old"), [Rating("ana", 3)])
            for document, title in then.items()
        ],
    )
    return store


def test_judged_again_with_the_title_of_today(graded: Store) -> None:
    project = graded.projects.get("June")
    shot = snapshot(graded, project, engine_of(reply))
    found = find_retitled(graded, project, [shot])
    assert [one.title for one in found] == ["Green hat"]
    client = TestClient(create_app(graded, Settings()), follow_redirects=False)
    secret = start_sign_in(graded, graded.accounts.get("lea"))
    client.cookies.set("relyon_session", secret)
    address = f"/projects/{project.id}/snapshots/unjudged?first={shot.id}"
    page = client.get(address).text
    shown = " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())
    assert "1 graded result has another title now than when it was judged" in shown
    key = re.findall(r'name="key" value="(\w[\w-]*)"', page)[0]
    path = f"/projects/{project.id}/snapshots/retitled"
    sent = {"csrf": csrf_token(secret), "first": shot.id, "key": key}
    assert client.post(path, data=sent).status_code == 303
    finals = graded.decisions.final_values(project.id)
    items = {one.id: one for one in graded.items.all(project.id)}
    left = [one for number, one in items.items() if number not in finals]
    assert [(one.document, one.title, one.snippet) for one in left] == [("c", "Green hat", "New")]
    assert "another title now" not in client.get(address).text
    # The earlier grade stays in the history.
    assert client.post(path, data=sent | {"key": "other"}).status_code == 400


def test_nothing_to_judge_again_is_an_error(graded: Store) -> None:
    project = graded.projects.get("June")
    shot = snapshot(graded, project)
    with pytest.raises(InputError, match="no result is selected"):
        judge_again(graded, project, [shot], graded.accounts.get("lea"), request="k", reason="r")


def test_a_grade_that_still_counts_keeps_its_title(graded: Store) -> None:
    project = graded.projects.get("June")
    graded.gold.add(project.id, [(Item("q", "c"), 2)])
    shot = snapshot(graded, project, engine_of(reply))
    lea = graded.accounts.get("lea")
    judge_again(graded, project, [shot], lea, request="k", reason="r")
    # What is known of it is known of the earlier title.
    titles = {one.document: one.title for one in graded.items.all(project.id)}
    assert titles["c"] == "Green shoe"
    assert len(find_retitled(graded, project, [shot])) == 1


def test_a_request_that_is_sent_again_renames_nothing_else(
    graded: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = graded.projects.get("June")
    lea = graded.accounts.get("lea")
    shot = snapshot(graded, project, engine_of(reply))
    judge_again(graded, project, [shot], lea, request="k", reason="r")
    monkeypatch.setitem(TITLES, "a", "Red boot")
    later = snapshot(graded, project, engine_of(reply), variant="shifted")
    assert [one.title for one in find_retitled(graded, project, [later])] == ["Red boot"]
    judge_again(graded, project, [later], lea, request="k", reason="r")
    assert [one.title for one in find_retitled(graded, project, [later])] == ["Red boot"]


def test_titles_that_a_dead_process_left_behind_are_changed_later(
    graded: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = graded.projects.get("June")
    lea = graded.accounts.get("lea")
    shot = snapshot(graded, project, engine_of(reply))

    def die(*_: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(retitled, "_rename", die)
        with pytest.raises(SystemExit):
            judge_again(graded, project, [shot], lea, request="k", reason="r")
    assert find_retitled(graded, project, [shot]) == []
    client = TestClient(create_app(graded, Settings()), follow_redirects=False)
    secret = start_sign_in(graded, lea)
    client.cookies.set("relyon_session", secret)
    page = client.get(f"/projects/{project.id}/snapshots/unjudged?first={shot.id}").text
    assert "1 result waits to be judged again and still has its earlier title" in page
    sent = {"csrf": csrf_token(secret), "first": shot.id, "key": "new"}
    path = f"/projects/{project.id}/snapshots/retitled"
    assert client.post(path, data=sent | {"key": ""}).status_code == 422
    assert client.post(path, data=sent).status_code == 200
    titles = {one.document: one.title for one in graded.items.all(project.id)}
    assert titles["c"] == "Green hat"
    assert find_left_behind(graded, project, [shot]) == []
