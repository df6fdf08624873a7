"""Projects as a whole in the app: archives, imports that nobody waits for, closing, deleting."""

from __future__ import annotations

import io
import re
import time

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from tests.unit.test_app_lead import Somebody, bring

from relyon.app import management
from relyon.app.imports import pages as import_pages
from relyon.judging import imports, jobs
from relyon.judging.actions import Action
from relyon.judging.archive import pack_project
from relyon.judging.archive_reader import Archive
from relyon.judging.jobs import list_jobs, start_job
from relyon.judging.records import Item, Rating
from relyon.judging.store import Store


@pytest.fixture
def store(store: Store) -> Store:
    store.accounts.create("lea", role="lead")
    store.accounts.create("adam", role="admin")
    project = store.projects.create("June", overlap=2)
    store.grades.add(project.id, [(Item("q", "d"), [Rating("ana", 3), Rating("bo", 1)])])
    store.decisions.decide(1, store.accounts.get("lea"), 2, key="k")
    return store


def ended(store: Store, project: int) -> jobs.Job:
    """The project's last job, once it has ended."""
    end = time.monotonic() + 60
    while (found := list_jobs(store, project)[0]).unfinished:
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def test_an_archive_is_downloaded_and_becomes_a_project(store: Store) -> None:
    lea = Somebody(store, "lea")
    for path in ("/projects/1/archive", "/projects/1/export?form=archive"):
        answer = lea.get(path)
        assert answer.headers["content-disposition"].endswith('project-1.relyon-project"')
        assert Archive(io.BytesIO(answer.content)).check().name == "June"
    files = {"file": ("june.relyon-project", answer.content)}
    assert lea.post("/archives", files=files).status_code == 400
    made = lea.post("/archives", {"name": "June again"}, files=files)
    assert made.status_code == 200
    assert "ana, bo, lea" in made.text
    project = store.projects.get("June again")
    assert [one.value for one in store.decisions.final_grades(project.id)] == [2.0]
    assert [one.source for one in store.decisions.final_grades(project.id)] == ["adjudicated"]
    for data in (b"query,document\n", answer.content[:-40], answer.content[:60]):
        refused = lea.post("/archives", files={"file": ("x", data)})
        assert refused.status_code == 400
        assert "archive" in refused.text
    pointed = lea.post("/projects/1/import", files=files)
    assert (pointed.status_code, "New project from an archive" in pointed.text) == (400, True)
    assert len(store.projects.all()) == 2


def test_a_large_archive_is_unpacked_while_nobody_waits(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(management, "AT_ONCE", 1)
    file = io.BytesIO()
    pack_project(store, 1, file)
    lea = Somebody(store, "lea")
    files = {"file": ("june.relyon-project", file.getvalue())}
    answer = lea.post("/archives", {"name": "Copy"}, files=files)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/jobs/")
    end = time.monotonic() + 60
    while len(store.projects.all()) < 2:
        assert lea.get(answer.headers["location"]).status_code == 200
        assert time.monotonic() < end
    assert ended(store, store.projects.get("Copy").id).state == "done"
    assert "Import complete" in lea.get(answer.headers["location"]).text


def table(rows: int) -> dict[str, tuple[str, bytes]]:
    lines = "".join(f"q{n % 50},x{n},{'t' * 90}\n" for n in range(rows))
    return {"file": ("many.csv", f"query,document,title\n{lines}".encode())}


@pytest.mark.long
def test_a_large_import_is_not_waited_for(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_pages, "SMALL", 1000)
    lea = Somebody(store, "lea")
    answer = bring(lea, table(3000))
    assert answer.status_code == 303
    page = lea.get(answer.headers["location"])
    assert page.status_code == 200
    assert "many.csv" in page.text
    found = ended(store, 1)
    assert (found.state, found.items, found.source) == ("done", 3000, "many.csv")
    assert "New results: 3,000" in lea.get(answer.headers["location"]).text
    told = lea.client.get(f"/api{answer.headers['location']}").json()
    assert (told["state"], told["done"], told["total"]) == ("done", 3000, 3000)


def test_an_import_is_cancelled(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_pages, "SMALL", 1000)
    monkeypatch.setattr(imports, "AT_ONCE", 10)
    for name in ("FIRST", "LEAST", "MOST"):
        monkeypatch.setattr(jobs, name, 10)
    monkeypatch.setattr(jobs, "REST", 0.02)
    lea = Somebody(store, "lea")
    place = bring(lea, table(3000)).headers["location"]
    while len(store.items.all(1)) < 20:
        time.sleep(0.01)
    page = lea.get("/projects/1").text
    assert place in page
    assert "Importing many.csv" in page
    assert bring(lea, table(5)).status_code == 400
    assert Somebody(store, "ana").post(f"{place}/stop").status_code == 403
    assert lea.client.post(f"{place}/stop").status_code == 403
    assert lea.post(f"{place}/stop").status_code == 303
    assert ended(store, 1).state == "stopped"
    assert len(store.items.all(1)) == 1
    assert "cancelled" in lea.get(place).text


@pytest.mark.long
def test_what_a_dead_program_left_is_tidied_up_by_who_looks(store: Store) -> None:
    with store.database.write() as connection:
        work = start_job(store, connection, "import", 1, source="a.csv")
    work.leave()
    Somebody(store, "lea").get("/projects/1")
    assert ended(store, 1).state == "failed"
    assert Somebody(store, "lea").get("/jobs/1").status_code == 200
    assert Somebody(store, "lea").get("/jobs/9").status_code == 404


@pytest.mark.long
def test_a_project_is_closed_and_opened_again(store: Store) -> None:
    lea, ana = Somebody(store, "lea"), Somebody(store, "ana")
    assert ana.post("/projects/1/close").status_code == 403
    assert lea.client.post("/projects/1/close").status_code == 403
    assert lea.post("/projects/1/close").status_code == 303
    assert "June" not in ana.get("/").text
    assert ana.client.get("/api/projects").json() == []
    assert [one["state"] for one in lea.client.get("/api/projects").json()] == ["closed"]
    refused = ana.get("/projects/1/judge")
    assert (refused.status_code, "closed" in refused.text) == (409, True)
    for path in ("/", "/projects/1", "/projects/1/queue", "/projects/1/agreement"):
        assert "June" in lea.get(path).text
    assert "read-only" in lea.get("/projects/1/settings").text
    assert lea.get("/projects/1/archive").status_code == 200
    assert lea.post("/projects/1/reopen").status_code == 303
    assert "June" in ana.get("/").text


def test_settings_of_a_project(store: Store) -> None:
    lea = Somebody(store, "lea")
    store.projects.create("July")
    assert lea.post("/projects/1/settings", {"name": "July"}).status_code == 400
    assert lea.post("/projects/1/settings", {"name": "", "gold_share": "0"}).status_code == 400
    assert Somebody(store, "ana").post("/projects/1/settings", {"name": "x"}).status_code == 403
    values = {"name": "Juni", "gold_share": "0.2"}
    assert lea.post("/projects/1/settings", values).status_code == 303
    found = store.projects.get("Juni")
    assert found.gold_share == 0.2
    assert '<option value="0.2" selected>' in lea.get("/projects/1/settings").text


def test_an_admin_deletes_a_project_by_typing_its_name(store: Store) -> None:
    lea, adam = Somebody(store, "lea"), Somebody(store, "adam")
    assert "/projects/1/delete" not in lea.get("/projects/1/settings").text
    assert lea.get("/projects/1/delete").status_code == 403
    assert lea.post("/projects/1/delete", {"name": "June"}).status_code == 403
    assert "/projects/1/delete" in adam.get("/projects/1/settings").text
    page = adam.get("/projects/1/delete").text
    assert "/projects/1/archive" in page
    assert re.search(r"1 results with 2 grades", page)
    wrong = adam.post("/projects/1/delete", {"name": "july"})
    assert (wrong.status_code, "Nothing was deleted" in wrong.text) == (400, True)
    assert adam.client.post("/projects/1/delete", data={"name": "June"}).status_code == 403
    assert len(store.projects.all()) == 1
    assert adam.post("/projects/1/delete", {"name": "June"}).status_code == 303
    assert store.projects.all() == []
    assert adam.get("/projects/1").status_code == 404
    assert ended(store, 1).state == "done"
    assert store.projects.create("June").id == 2


@pytest.mark.long
def test_a_program_archives_and_closes(store: Store) -> None:
    lea, ana = Somebody(store, "lea").client, Somebody(store, "ana").client
    whole = lea.get("/api/projects/1/archive")
    assert Archive(io.BytesIO(whole.content)).name == "June"
    assert ana.get("/api/projects/1/archive").status_code == 403
    assert ana.get("/api/jobs/1").status_code == 403
    for task in store.grading.take(store.accounts.get("lea"), 1):
        store.grading.record(
            store.accounts.get("lea"), Action("skip", key="s", item_id=task.item.id)
        )
