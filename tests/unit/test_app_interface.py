"""The REST interface of judging: who may what, and what is stored."""

from __future__ import annotations

import dataclasses
import json
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from fastapi.testclient import TestClient

from relyon.app import create_app
from relyon.app.protection import csrf_token
from relyon.app.rest import SentAction
from relyon.io import read_sheet
from relyon.judging.access import create_token, start_sign_in
from relyon.judging.actions import Action
from relyon.judging.exchange import import_sheet
from relyon.judging.keys import count_confirmed, is_notice_due
from relyon.judging.records import Comparison, Item, Rating
from relyon.judging.schema import projects, sa
from relyon.judging.store import Store


@pytest.fixture
def store(store: Store) -> Store:
    for name in ("ana", "bo", "cy"):
        store.accounts.create(name)
    store.accounts.create("lea", role="lead")
    project = store.projects.create("June", overlap=2)
    store.items.add(
        project.id,
        [Item("q", f"d{n}", tier="head", session="s", rank=n, title="T") for n in (1, 2, 3)],
    )
    return store


class Caller:
    """Somebody who calls with a token."""

    def __init__(self, store: Store, name: str) -> None:
        self.client = TestClient(create_app(store))
        self.client.headers["Authorization"] = (
            f"Bearer {create_token(store, store.accounts.get(name), 't')}"
        )

    def take(self, count: int = 10) -> list[dict]:
        tasks: list[dict] = self.client.post(f"/api/projects/1/tasks?count={count}").json()["tasks"]
        return tasks

    def act(self, kind: str, key: str, **values):
        return self.client.post("/api/actions", json={"kind": kind, "key": key, **values})


def test_grades_are_stored_once(store: Store) -> None:
    ana = Caller(store, "ana")
    tasks = ana.take()
    assert {task["document"] for task in tasks} == {"d1", "d2", "d3"}
    assert not {"rank", "tier", "session", "inclusion_probability"} & set(tasks[0])
    for repeated in (False, True):
        answer = ana.act("grade", "one", item_id=tasks[0]["id"], grade=3, seconds=1.5, note="=n")
        assert answer.status_code == 200
        assert answer.json()["repeated"] is repeated
    assert ana.act("grade", "one", item_id=tasks[0]["id"], grade=2).status_code == 400
    assert ana.act("undo", "two", project_id=1, undoes="one").status_code == 200
    assert ana.client.get("/api/projects/1/progress").json()["done"] == 0
    assert [one["kind"] for one in store.grades.history(1)] == ["grade", "undo"]


def test_nobody_grades_what_was_not_given(store: Store) -> None:
    ana, bo, cy = (Caller(store, name) for name in ("ana", "bo", "cy"))
    tasks = ana.take()
    bo.take()
    assert cy.take() == []
    answer = cy.act("grade", "one", item_id=tasks[0]["id"], grade=3)
    assert answer.status_code == 400
    assert "was not given" in answer.json()["error"]["message"]
    assert store.grades.history(1) == []


def test_a_judge_sees_own_grades_only(store: Store) -> None:
    ana, bo, lea = (Caller(store, name) for name in ("ana", "bo", "lea"))
    for judge, key in ((ana, "one"), (bo, "two")):
        judge.act("grade", key, item_id=judge.take()[0]["id"], grade=3, note=f"of {key}")
    path = "/api/projects/1/history"
    assert [one["note"] for one in ana.client.get(path).json()] == ["of one"]
    assert [one["note"] for one in bo.client.get(path).json()] == ["of two"]
    assert [one["judge"] for one in lea.client.get(path).json()] == ["ana", "bo"]
    # A key is the judge's own: using another's takes nothing back.
    assert bo.act("undo", "three", project_id=1, undoes="one").status_code == 400
    assert store.grades.by_judge(1)


def test_without_an_account_there_is_nothing(store: Store) -> None:
    client = TestClient(create_app(store))
    for headers in ({}, {"Authorization": "Bearer relyon_wrong"}, {"Authorization": "Basic YTph"}):
        answer = client.get("/api/projects", headers=headers)
        assert answer.status_code == 401
        assert answer.json()["error"]["message"]
    ana = Caller(store, "ana")
    assert ana.client.get("/api/session").json()["name"] == "ana"
    store.accounts.change("ana", active=False)
    assert ana.client.get("/api/session").status_code == 401


def test_a_cookie_needs_the_token_of_the_page_too(store: Store) -> None:
    client = TestClient(create_app(store))
    secret = start_sign_in(store, store.accounts.get("ana"))
    client.cookies.set("relyon_session", secret)
    assert client.get("/api/projects").status_code == 200
    for token in ("", "0" * 64, csrf_token("another")):
        answer = client.post("/api/projects/1/tasks", headers={"X-CSRF-Token": token})
        assert answer.status_code == 403
    ours = client.get("/api/session").json()["csrf"]
    answer = client.post("/api/projects/1/tasks", headers={"X-CSRF-Token": ours})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/projects/2", 404),
        ("/api/projects/0", 422),
        ("/api/projects/99999999999999999999", 422),
        ("/api/projects/1 OR 1=1", 422),
        ("/api/nothing", 404),
    ],
)
def test_what_is_not_there_is_told_in_one_form(store: Store, path: str, status: int) -> None:
    answer = Caller(store, "ana").client.get(path)
    assert answer.status_code == status
    assert set(answer.json()["error"]) == {"message", "hint"}


def test_side_by_side_does_not_say_which_system_is_where(store: Store) -> None:
    project = store.projects.create("SBS", kind="side_by_side")
    results = (Item("q", "a", title="A"),), (Item("q", "b", title="B"),)
    store.items.add_comparisons(project.id, [Comparison("q", "old-system", "new-system", *results)])
    ana = Caller(store, "ana")
    answer = ana.client.post(f"/api/projects/{project.id}/tasks")
    assert "system" not in answer.text
    (task,) = answer.json()["tasks"]
    assert {task["left"][0]["title"], task["right"][0]["title"]} == {"A", "B"}
    assert ana.act("grade", "one", item_id=task["id"], grade=-2).json()["grade"] == -2
    better = task["left"][0]["title"]
    ((grade,),) = (found.values() for found in store.grades.by_judge(project.id).values())
    assert grade == (-2 if better == "A" else 2)


def test_a_lead_works_with_files_and_decides(store: Store) -> None:
    ana, bo, lea = (Caller(store, name) for name in ("ana", "bo", "lea"))
    for judge, grade in ((ana, 3), (bo, 0)):
        task = next(task for task in judge.take() if task["document"] == "d1")
        judge.act("grade", "one", item_id=task["id"], grade=grade)
    (one,) = lea.client.get("/api/projects/1/queue").json()
    assert one["spread"] == 3
    decision = {"item_id": one["item"]["id"], "grade": 2, "key": "k"}
    for repeated in (False, True):
        answer = lea.client.post("/api/adjudications", json=decision)
        assert answer.json() == {"repeated": repeated, "project_id": 1, "project": "June"}
    for wrong in ({"project_id": 2}, {"grade": -1}):
        answer = lea.client.post("/api/adjudications", json={**decision, "key": "l", **wrong})
        assert answer.status_code == 400
    answer = lea.client.get("/api/projects/1/export?format=trec")
    assert answer.text == "q 0 d1 2\n"
    assert "tier=3" in answer.headers["relyon-left-out"].split(", ")
    assert lea.client.get("/api/projects/1/status").json()["agreement"]["overall"]["units"] == 1
    added = lea.client.post(
        "/api/projects/1/import?format=csv",
        content="\ufeffquery,document,title\nq,d9,Neun\n".encode(),
        headers={"Content-Type": "text/plain"},
    )
    assert added.json() == {"items": 1, "grades": 0}
    assert [item.title for item in store.items.all(1)][-1] == "Neun"


def test_a_program_gets_ids_and_their_tables(store: Store) -> None:
    store.grades.add(1, [(Item("red shoes", "d 1"), [Rating("ana", 3)])])
    lea = Caller(store, "lea").client
    answer = lea.get("/api/projects/1/export?format=trec")
    assert (answer.text, answer.headers["relyon-tables"]) == ("q1 0 d4 3\n", "queries, documents")
    found = lea.get("/api/projects/1/export?format=trec&table=queries")
    assert found.text == "id\ttext\toriginal\nq1\tred shoes\tred shoes\n"
    assert lea.get("/api/projects/1/export?format=trec&table=documents").text.endswith("\td 1\n")
    assert lea.get("/api/projects/1/export?format=csv&table=queries").text == ""
    assert lea.get("/api/projects/1/export?format=csv").headers["relyon-tables"] == ""


@pytest.mark.parametrize("body", ['"query,doc\\nq,\\ud800"', '"query,doc\\nq,\\u0000"'])
def test_half_a_character_is_refused(store: Store, body: str) -> None:
    lea = Caller(store, "lea").client
    answer = lea.post(
        "/api/projects/1/import", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 400
    assert "request:2: a text contains" in answer.json()["error"]["message"]


@pytest.mark.parametrize("path", ["status", "queue", "export"])
def test_what_leads_read_no_judge_reads(store: Store, path: str) -> None:
    assert Caller(store, "ana").client.get(f"/api/projects/1/{path}").status_code == 403


def test_what_leads_do_no_judge_does(store: Store) -> None:
    ana = Caller(store, "ana")
    decision = {"item_id": 1, "grade": 2, "key": "k"}
    assert ana.client.post("/api/adjudications", json=decision).status_code == 403
    answer = ana.client.post(
        "/api/projects/1/import", content="q", headers={"Content-Type": "text/plain"}
    )
    assert answer.status_code == 403
    assert store.decisions.all(1) == {}


@pytest.mark.parametrize("name", ["seconds", "grade"])
@pytest.mark.parametrize("value", [True, False, "2", [1], -1, 86_401, 1e300, "NaN"])
def test_numbers_are_numbers_within_reason(store: Store, name: str, value: object) -> None:
    ana = Caller(store, "ana")
    item = ana.take()[0]["id"]
    answer = ana.act("grade", "one", **{"item_id": item, "grade": 2, name: value})
    # A grade is refused by its scale as well, if it is a number.
    number = isinstance(value, float | int) and not isinstance(value, bool)
    assert answer.status_code == (400 if name == "grade" and number else 422), answer.text
    assert store.grades.history(1) == []


@pytest.mark.parametrize("value", ["Infinity", "-Infinity", "NaN", "1e999"])
def test_numbers_that_json_does_not_have(store: Store, value: str) -> None:
    ana = Caller(store, "ana")
    item = ana.take()[0]["id"]
    for name in ("seconds", "grade"):
        body = {"kind": "grade", "key": "one", "item_id": item, "grade": 2, "seconds": 1}
        text = json.dumps(body | {name: "HERE"}).replace('"HERE"', value)
        headers = {"Content-Type": "application/json"}
        assert ana.client.post("/api/actions", content=text, headers=headers).status_code == 422
    assert store.grades.history(1) == []


def test_a_second_answer_replaces_the_first_only_if_it_is_meant_to(store: Store) -> None:
    ana = Caller(store, "ana")
    first, second, third = (task["id"] for task in ana.take())
    assert ana.act("grade", "1", item_id=first, grade=3).status_code == 200
    assert ana.act("skip", "2", item_id=second).status_code == 200
    assert ana.act("later", "3", item_id=third).status_code == 200
    for number, item in ((4, first), (5, second)):
        for kind, more in (
            ("grade", {"grade": 1}), ("cannot", {"reason": "r"}), ("skip", {}), ("later", {}),
        ):  # fmt: skip
            answer = ana.act(kind, f"{number}{kind}", item_id=item, **more)
            assert answer.status_code == 409
            assert "already answered this item" in answer.json()["error"]["message"]
    # The same request again is no second answer, a note none either, and what was put off waits.
    assert ana.act("grade", "1", item_id=first, grade=3).json()["repeated"]
    assert ana.act("note", "6", item_id=first, note="n").status_code == 200
    assert ana.act("grade", "7", item_id=third, grade=2).status_code == 200
    assert ana.act("grade", "8", item_id=first, grade=0, again="replace").status_code == 200
    assert [one["kind"] for one in store.grades.history(1)] == [
        "grade", "skip", "later", "note", "grade", "grade",
    ]  # fmt: skip
    assert ana.act("undo", "9", project_id=1).status_code == 200
    assert ana.act("undo", "10", project_id=1).status_code == 200
    assert ana.act("grade", "11", item_id=third, grade=1).status_code == 200


@pytest.mark.long
def test_two_answers_at_once_are_one_and_a_refusal(store: Store) -> None:
    ana = Caller(store, "ana")
    item = ana.take()[0]["id"]
    with ThreadPoolExecutor(8) as pool:
        sent = [
            pool.submit(ana.act, "grade", f"k{n}", item_id=item, grade=n % 4) for n in range(12)
        ]
        found = sorted(one.result().status_code for one in sent)
    assert found == [200] + [409] * 11
    assert len(store.grades.history(1)) == 1


def test_what_a_sample_says_of_itself_is_not_shown(store: Store) -> None:
    project = store.projects.create("July")
    text = (
        "query,doc,title,price,sessions,Sampling Weight,weight,tier\nq,d1,Shoe,30,12,0.5,2.5,head\n"
    )
    sheet = read_sheet(BytesIO(text.encode()), format="csv", scale=project.scale)
    import_sheet(store, project.id, sheet)
    shoe = Item("q", "d2", title="Boot", fields={"weight": "300 g"})
    store.items.add(project.id, [shoe])
    ana = Caller(store, "ana")
    tasks = ana.client.post(f"/api/projects/{project.id}/tasks").json()["tasks"]
    found = {task["document"]: task["fields"] for task in tasks}
    assert found == {"d1": {"price": "30"}, "d2": {"weight": "300 g"}}
    # It is kept, and exported.
    kept = {one.document: set(one.fields) for one in store.items.all(project.id)}
    assert kept["d1"] == {"price", "sessions", "Sampling Weight", "weight"}


def test_the_history_of_a_judge_names_sides_and_not_systems(store: Store) -> None:
    project = store.projects.create("SBS", kind="side_by_side")
    store.items.add_comparisons(
        project.id,
        [
            Comparison(f"q{n}", "old", "new", (Item(f"q{n}", "a"),), (Item(f"q{n}", "b"),))
            for n in range(12)
        ],
    )
    ana = Caller(store, "ana")
    for task in ana.client.post(f"/api/projects/{project.id}/tasks?count=20").json()["tasks"]:
        ana.act("grade", f"{task['id']}", item_id=task["id"], grade=-1)
    history = ana.client.get(f"/api/projects/{project.id}/history").json()
    assert [one["grade"] for one in history] == [-1.0] * 12
    assert len({one["grade"] for one in store.grades.history(project.id)}) == 2


@pytest.mark.long
def test_changed_keys_are_told_once_a_judge_and_project(store: Store) -> None:
    project, july = store.projects.get(1), store.projects.create("July")
    ana, bo = Caller(store, "ana"), Caller(store, "bo")
    ana.act("grade", "one", item_id=ana.take()[0]["id"], grade=1)
    change = sa.update(projects).where(projects.c.id == 1)
    with store.database.write() as connection:
        connection.execute(change.values(keys_changed_at=store.clock() + 1))
    project, user = store.projects.get(1), store.accounts.get("ana")
    assert is_notice_due(store, project, user)
    # Also where only newer projects are graded in: the fingers are the same.
    assert is_notice_due(store, july, user)
    assert not is_notice_due(store, project, store.accounts.get("bo"))
    for _ in range(2):
        assert ana.client.post("/api/projects/1/keys").status_code == 204
    assert not is_notice_due(store, project, user)
    assert not is_notice_due(store, july, user)
    assert count_confirmed(store, 1) == 1
    assert bo.client.post("/api/projects/99/keys").status_code == 404


def test_what_is_sent_has_the_fields_of_an_action() -> None:
    assert set(SentAction.model_fields) == {one.name for one in dataclasses.fields(Action)}


def test_judges_do_not_see_projects_that_are_closed(store: Store) -> None:
    store.accounts.create("leader", role="lead")
    ana, lea = Caller(store, "ana"), Caller(store, "leader")
    assert ana.client.get("/api/projects/1").status_code == 200
    store.projects.close(1)
    assert ana.client.get("/api/projects/1").status_code == 404
    assert lea.client.get("/api/projects/1").status_code == 200
