"""Projects for members only: who sees them, in which role; for all others they do not exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts
from fastapi.testclient import TestClient

from relyon.app import Settings, create_app
from relyon.app.protection import csrf_token
from relyon.judging.access import create_token, start_sign_in
from relyon.judging.archive import pack_project
from relyon.judging.archive_import import unpack_project
from relyon.judging.archive_reader import Archive
from relyon.judging.gold_turns import mask_item
from relyon.judging.imports import announce_import
from relyon.judging.invitations import create_invitation, find_invitation
from relyon.judging.members import (
    find_standing,
    list_members,
    open_to_everybody,
    remove_member,
    restrict_to_members,
    set_member,
    visible_projects,
)
from relyon.judging.records import Item, Project, Rating, Role
from relyon.judging.store import Store

#: Routes that name no project, in their address or otherwise.
OF_NO_PROJECT = (
    "/account", "/accounts", "/accounts/", "/account/", "/events", "/healthz", "/invitation",
    "/monitor", "/monitor/", "/sign-in", "/sign-in/", "/sign-out", "/static/", "/api/monitor",
    "/api/openapi.json", "/api/session",
)  # fmt: skip
#: Routes that list projects, or learn of one from their body; each has a test below.
OF_SOME = {
    "/", "/projects", "/archives", "/api/projects", "/api/actions", "/api/adjudications",
    "/accounts/invitations", "/monitor/new", "/monitor/months/{token}/create", "/results",
}  # fmt: skip


@pytest.fixture
def store(store: Store) -> Store:
    accounts: tuple[tuple[str, Role], ...] = (
        ("root", "admin"), ("lea", "lead"), ("liz", "lead"), ("ana", "judge"), ("bo", "judge"),
    )  # fmt: skip
    for name, role in accounts:
        store.accounts.create(name, role=role)
    store.projects.create("Open")
    store.items.add(1, [Item("tv", "d1")])
    store.projects.create("Secret", overlap=2)
    store.items.add(2, [Item("tv", f"d{number}") for number in range(3)])
    restrict_to_members(store, store.projects.get(2), by=store.accounts.get("lea"))
    set_member(store, store.projects.get(2), store.accounts.get("ana"), "judge")
    return store


@pytest.fixture
def secret(store: Store) -> Project:
    return store.projects.get("Secret")


class Somebody:
    """Somebody signed in, who fills in forms."""

    def __init__(self, store: Store, name: str, settings: Settings | None = None) -> None:
        self.client = TestClient(create_app(store, settings), follow_redirects=False)
        cookie = start_sign_in(store, store.accounts.get(name))
        self.csrf = csrf_token(cookie)
        self.client.cookies.set("relyon_session", cookie)
        self.client.headers["X-CSRF-Token"] = self.csrf
        self.get = self.client.get

    def post(self, path: str, **values: str) -> Any:
        return self.client.post(path, data={"csrf": self.csrf, **values})

    def call(self, path: str, **values: object) -> Any:
        return self.client.post(path, json=values)


def routes(client: TestClient) -> Iterator[tuple[str, str, set[str]]]:
    """Yields the method, the path and the other parameters of every route."""
    for context in iter_route_contexts(client.app.routes):  # type: ignore[attr-defined]
        found, names = context.original_route, set[str]()
        if isinstance(found, APIRoute):
            names = parameters(found.dependant)
        for method in (context.methods or set()) - {"HEAD"}:
            yield method, str(context.path), names


def parameters(found: Dependant) -> set[str]:
    """Returns the names of what a route takes besides its address, with those of its models."""
    names = set().union(*map(parameters, found.dependencies))
    for one in (*found.body_params, *found.query_params):
        names |= {one.name, *getattr(one.field_info.annotation, "model_fields", ())}
    return names


def test_every_route_belongs_to_a_project_or_is_known_to_belong_to_none(store: Store) -> None:
    found = list(routes(TestClient(create_app(store))))
    assert len(found) > 70
    for _, path, names in found:
        if "{project}" in path or "{job}" in path or path in OF_SOME:
            continue
        assert path.startswith(OF_NO_PROJECT), path
        suspicious = {name for name in names if re.search("project|item", name)}
        assert not suspicious, (path, suspicious)


@pytest.mark.long
@pytest.mark.parametrize("name", ["bo", "liz", "nobody"])
def test_a_project_of_others_answers_as_one_that_does_not_exist(store: Store, name: str) -> None:
    if name == "nobody":
        somebody = Somebody(store, "bo")
        somebody.client.cookies.clear()
    else:
        somebody = Somebody(store, name)
    seen = 0
    for method, path, _ in routes(somebody.client):
        if "{project}" not in path:
            continue
        seen += 1
        answers = []
        for number in ("2", "99"):
            address = re.sub(r"\{(?!project)\w+\}", "1", path).replace("{project}", number)
            more: dict[str, Any] = {"data": {"csrf": somebody.csrf}} if method == "POST" else {}
            if path.startswith("/api/") and method == "POST":
                more = {"json": {}}
            answer = somebody.client.request(method, address, **more)
            answers.append((answer.status_code, answer.text.replace(address, "")))
            expected = {404} if name != "nobody" else {303, 401, 403}
            assert answer.status_code in expected, (method, path, answer.text[:200])
            assert "Secret" not in answer.text
        assert answers[0] == answers[1], path
    assert seen > 30


def test_members_see_it_in_their_role_there(store: Store) -> None:
    ana, lea = Somebody(store, "ana"), Somebody(store, "lea")
    assert ana.get("/projects/2/judge").status_code == 200
    assert ana.get("/projects/2").status_code == 403
    assert lea.get("/projects/2").status_code == 200
    # A lead who only judges here, and a judge who leads here.
    project = store.projects.get(2)
    set_member(store, project, store.accounts.get("liz"), "judge")
    set_member(store, project, store.accounts.get("bo"), "lead")
    liz, bo = Somebody(store, "liz"), Somebody(store, "bo")
    assert liz.get("/projects/2/judge").status_code == 200
    for path in (
        "/projects/2",
        "/projects/2/people",
        "/projects/2/export",
        "/api/projects/2/queue",
    ):
        assert liz.get(path).status_code == 403, path
        assert bo.get(path).status_code == 200, path
    assert set(liz.get("/api/projects/2").json()) == {"id", "name", "kind", "scale", "guideline"}
    assert "overlap" in bo.get("/api/projects/2").json()
    # Elsewhere the roles of the accounts count.
    assert liz.get("/projects/1").status_code == 200
    assert bo.get("/projects/1").status_code == 403
    assert bo.get("/monitor").status_code == 403
    assert 'href="/monitor"' not in bo.get("/projects/2").text
    assert bo.post("/projects", name="Another").status_code == 403


def test_administrators_see_every_project(store: Store) -> None:
    root = Somebody(store, "root")
    assert root.get("/projects/2").status_code == 200
    assert [one["name"] for one in root.get("/api/projects").json()] == ["Open", "Secret"]


def test_lists_name_only_what_their_reader_sees(store: Store) -> None:
    for name, known in (("bo", False), ("liz", False), ("ana", True), ("lea", True)):
        somebody = Somebody(store, name)
        assert ("Secret" in somebody.get("/").text) == known
        assert ("Secret" in somebody.get("/api/projects").text) == known
    found = visible_projects(store, store.accounts.get("ana"))
    assert [(project.name, role) for project, role in found] == [
        ("Open", "judge"),
        ("Secret", "judge"),
    ]


def test_a_query_is_found_only_in_what_its_reader_leads(store: Store) -> None:
    found = Somebody(store, "liz").get("/results?query=tv")
    assert found.headers["location"].startswith("/projects/1/results?")
    assert "Secret" in Somebody(store, "lea").get("/results?query=tv").text


def test_a_month_is_made_only_of_what_its_maker_leads(store: Store, tmp_path: Path) -> None:
    liz = Somebody(store, "liz", Settings(rounds=tmp_path))
    assert "Secret" not in liz.get("/monitor/new").text
    for project in ("2", "99"):
        answer = liz.client.post(
            "/monitor/new",
            data={"csrf": liz.csrf, "project": project, "month": "2026-10"},
            files={"sample": ("a.csv", "x")},
        )
        assert answer.status_code == 404
    set_member(store, store.projects.get("Secret"), store.accounts.get("liz"), "judge")
    answer = liz.client.post(
        "/monitor/new",
        data={"csrf": liz.csrf, "project": "2", "month": "2026-10"},
        files={"sample": ("a.csv", "x")},
    )
    assert answer.status_code == 403


def test_what_a_member_leads_is_offered_to_them(store: Store) -> None:
    set_member(store, store.projects.get(2), store.accounts.get("bo"), "lead")
    page = Somebody(store, "bo").get("/").text
    assert 'href="/projects/2"' in page
    assert 'href="/projects/1"' not in page


@pytest.mark.parametrize("name", ["bo", "liz"])
def test_items_of_others_answer_as_items_that_do_not_exist(
    store: Store, secret: Project, name: str
) -> None:
    somebody, own = Somebody(store, name), store.items.all(2)[0].id
    grade = {"kind": "grade", "grade": 3}
    for hidden, missing in (
        (own, 10_000),
        (mask_item(secret, own), (99 << 32) + 5),
        (mask_item(secret, 10_000), (99 << 32) + 6),
    ):
        answers = [
            somebody.call("/api/actions", key=str(item), item_id=item, **grade)
            for item in (hidden, missing)
        ]
        assert answers[0].status_code == answers[1].status_code >= 400
        assert answers[0].text.replace(str(hidden), "") == answers[1].text.replace(str(missing), "")
    answers = [
        somebody.call("/api/adjudications", key="k", item_id=item, grade=3)
        for item in (own, 10_000)
    ]
    assert answers[0].status_code == answers[1].status_code >= 400
    assert answers[0].text.replace(str(own), "") == answers[1].text.replace("10000", "")
    for project in (2, 99):
        answer = somebody.call("/api/actions", key="u", kind="undo", project_id=project)
        assert answer.status_code == 404
    assert not store.grades.history(2)


def test_a_job_is_seen_where_its_project_is(store: Store) -> None:
    lea, liz, bo, root = (Somebody(store, name) for name in ("lea", "liz", "bo", "root"))
    work = announce_import(
        store, store.projects.get(2), source="a.csv", by=store.accounts.get("lea")
    )
    job = f"/jobs/{work.job_id}"
    assert lea.get(job).status_code == root.get(job).status_code == 200
    for path in (job, f"/api{job}"):
        assert liz.get(path).status_code == liz.get("/jobs/99").status_code == 404
        assert bo.get(path).status_code == bo.get("/jobs/99").status_code == 403
    assert liz.post(f"{job}/stop").status_code == 404


def test_a_token_for_grading_lets_a_lead_judge_only(store: Store) -> None:
    token = create_token(store, store.accounts.get("root"), "t", scope="grade")
    client = TestClient(create_app(store), headers={"Authorization": f"Bearer {token}"})
    assert "overlap" not in client.get("/api/projects/2").json()
    assert client.get("/api/projects/2/queue").status_code == 403
    assert all("overlap" not in one for one in client.get("/api/projects").json())
    item = store.items.all(2)[0].id
    answer = client.post("/api/adjudications", json={"key": "k", "item_id": item, "grade": 3})
    assert answer.status_code == 403
    client.headers["Authorization"] = (
        f"Bearer {create_token(store, store.accounts.get('liz'), 't')}"
    )
    assert client.get("/api/projects/2").status_code == 404


def test_a_removed_member_is_out_at_once_and_their_grades_stay(store: Store) -> None:
    ana, lea = Somebody(store, "ana"), Somebody(store, "lea")
    tasks = ana.call("/api/projects/2/tasks").json()["tasks"]
    assert len(tasks) == 3
    action = {"kind": "grade", "grade": 3, "item_id": tasks[0]["id"]}
    assert ana.call("/api/actions", key="a", **action).status_code == 200
    answer = lea.post("/projects/2/people/change", name="ana", action="remove")
    assert answer.headers["location"] == "/projects/2/people?told=removed"
    for call in (
        ana.get("/projects/2/judge"),
        ana.call("/api/projects/2/tasks"),
        ana.call("/api/actions", key="b", **{**action, "item_id": tasks[1]["id"]}),
        ana.call("/api/actions", key="c", kind="undo", project_id=2),
        ana.get("/api/projects/2/history"),
    ):
        assert call.status_code == 404
    assert [one["grade"] for one in store.grades.history(2)] == [3.0]
    # Their open places are free: two others can judge all three results.
    for name in ("bo", "liz"):
        set_member(store, store.projects.get(2), store.accounts.get(name), "judge")
    taken = [
        len(store.grading.take(store.accounts.get(name), 2, count=9)) for name in ("bo", "liz")
    ]
    assert sorted(taken) == [2, 3]


def test_people_of_a_project_that_is_restricted_become_members(store: Store) -> None:
    store.grades.add(1, [(Item("tv", "d1"), [Rating("bo", 3)])])
    store.accounts.change("bo", active=True)
    liz = Somebody(store, "liz")
    assert "Everybody with an account" in liz.get("/projects/1/people").text
    liz.post("/projects/1/people/restrict")
    found = {one.name: one.role for one in list_members(store, 1)}
    assert found == {"bo": "judge", "liz": "lead"}
    assert Somebody(store, "lea").get("/projects/1").status_code == 404
    liz.post("/projects/1/people/open")
    assert Somebody(store, "lea").get("/projects/1").status_code == 200


def test_members_are_added_and_changed(store: Store) -> None:
    lea = Somebody(store, "lea")
    assert '<option value="bo">' in lea.get("/projects/2/people").text
    assert lea.post("/projects/2/people", name="bo", role="lead").status_code == 303
    assert find_standing(store, store.accounts.get("bo"), 2).role == "lead"
    assert lea.post("/projects/2/people", name="bo").status_code == 400
    assert lea.post("/projects/2/people", name="no one").status_code == 400
    assert lea.post("/projects/2/people", name="liz", role="admin").status_code == 422
    lea.post("/projects/2/people/change", name="bo", action="role", role="judge")
    assert find_standing(store, store.accounts.get("bo"), 2).role == "judge"
    assert lea.post("/projects/2/people/change", name="liz", action="remove").status_code == 404
    for values in ({"action": "remove"}, {"action": "role", "role": "judge"}):
        answer = lea.post("/projects/2/people/change", name="lea", **values)
        assert answer.status_code == 400
        assert "Another lead or an administrator" in answer.text
    assert find_standing(store, store.accounts.get("lea"), 2).role == "lead"


def test_who_leads_one_project_only_learns_no_names_and_opens_nothing(store: Store) -> None:
    set_member(store, store.projects.get(2), store.accounts.get("bo"), "lead")
    bo = Somebody(store, "bo")
    page = bo.get("/projects/2/people").text
    assert ">liz<" not in page
    assert '"liz"' not in page
    assert "/people/open" not in page
    assert bo.post("/projects/2/people/open").status_code == 403
    # What is shared by all projects is not theirs either.
    assert bo.post("/projects/2/month").status_code == 403
    assert store.projects.get(2).members_only
    assert bo.post("/projects/2/people", name="liz").status_code == 303


def test_the_state_of_a_project_counts_not_its_list_of_members(store: Store) -> None:
    open_to_everybody(store, store.projects.get(2))
    assert find_standing(store, store.accounts.get("bo"), 2).role == "judge"
    assert find_standing(store, store.accounts.get("liz"), 2).role == "lead"
    assert find_standing(store, store.accounts.get("liz"), 99).role is None
    assert not remove_member(store, store.projects.get(2), store.accounts.get("liz"))


def test_an_archive_of_a_restricted_project_belongs_to_who_unpacks_it(
    store: Store, tmp_path: Any
) -> None:
    with (tmp_path / "a.relyon-project").open("w+b") as file:
        pack_project(store, 2, file)
        file.seek(0)
        made = unpack_project(
            store, Archive(file, path="a"), name="Copy", by=store.accounts.get("liz")
        )
    assert made.project.members_only
    assert [(one.name, one.role) for one in list_members(store, made.project.id)] == [
        ("liz", "lead")
    ]
    assert find_standing(store, store.accounts.get("lea"), made.project.id).role is None


def test_a_removed_project_takes_its_members_and_invitations_along(store: Store) -> None:
    from relyon.judging.removal import remove_project

    found = store.projects.get(2)
    link = create_invitation(store, store.accounts.get("lea"), project=found)
    assert find_invitation(store, link) is not None
    remove_project(store, found)
    assert find_invitation(store, link) is None
    assert not list_members(store, 2)
