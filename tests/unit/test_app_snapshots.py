"""Snapshots in the app: taken by leads, listed, compared, graded, sent as files."""

from __future__ import annotations

import html
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")
pytest.importorskip("msgspec")

from fastapi.testclient import TestClient
from tests.unit.snapshotted import engine_of, hook, project_of, settle, snapshot

import relyon
from relyon.app import Settings, create_app
from relyon.app.engines.allowed import AllowedEngines
from relyon.app.protection import csrf_token
from relyon.app.snapshots.wishes import Wish, begin, go_on
from relyon.engines import Answer, read_beside
from relyon.engines.reach import Reach
from relyon.engines.tapes.tape import read_tape
from relyon.io import read_run
from relyon.judging.access import start_sign_in
from relyon.judging.events import list_events
from relyon.judging.records import Item, Project, Rating
from relyon.judging.snapshots.kept import find_snapshot, list_snapshots
from relyon.judging.snapshots.taking import last_snapshot_job
from relyon.judging.store import Store

PAGE = "/projects/1/snapshots"


@pytest.fixture
def project(store: Store) -> Project:
    store.accounts.create("lea", role="lead")
    store.accounts.create("ana")
    return project_of(store)


FILE = """
kind = "python"
name = "shop"
python = "tests.unit.snapshotted:find"
[parameters]
shift = 0
[variants.shifted]
shift = 2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the operator's engines."""
    found = tmp_path / "engines"
    found.mkdir()
    (found / "shop.toml").write_text(FILE, "utf-8")
    return found


@pytest.fixture(autouse=True)
def _no_hook() -> Iterator[None]:
    yield
    hook.clear()


class Visitor:
    """Somebody who is signed in, on a server whose operator allows an engine."""

    def __init__(
        self, store: Store, folder: Path, *, name: str = "lea", language: str = "en"
    ) -> None:
        app = create_app(store, Settings(engines=AllowedEngines.read(folder)))
        self.client = TestClient(app, follow_redirects=False)
        self.secret = start_sign_in(store, store.accounts.get(name))
        self.client.cookies.set("relyon_session", self.secret)
        self.client.cookies.set("relyon_language", language)

    def read(self, path: str = PAGE, status: int = 200) -> str:
        found = self.client.get(path)
        assert found.status_code == status, found.text[:2000]
        return text_of(found.text)

    def send(self, path: str = PAGE, **values: object):
        return self.client.post(path, data={"csrf": csrf_token(self.secret), **values})


def text_of(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def wait_for(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def ended(store: Store, state: str = "done") -> bool:
    job = last_snapshot_job(store, 1)
    return job is not None and job.state == state


@pytest.mark.long
def test_a_lead_takes_snapshots_and_compares_them(
    store: Store, project: Project, folder: Path
) -> None:
    lea = Visitor(store, folder)
    assert "12 queries of this project will be asked" in lea.read()
    assert lea.send(engine="shop", variant="base", k="5", name="A").status_code == 303
    wait_for(lambda: ended(store))
    form = lea.client.get(f"{PAGE}?engine=shop&variant=shifted").text
    assert re.search(r'name="value"[^>]*value="2"', form)
    lea.send(engine="shop", variant="shifted", k="5", name="B")
    wait_for(lambda: ended(store) and all(one.whole for one in list_snapshots(store, 1)))
    page = lea.read()
    assert "A shop, base 1.000 (@5)" in page  # as many as it has; others have ten
    assert "Convention relyon" in page
    compared = lea.read(f"{PAGE}/compare?first=1&second=2")
    assert "B against A" in compared
    assert "The top 5 differs on 12 of 12 queries" in compared
    assert "B is better on 0, worse on 12, equal on 0" in compared
    assert "36 not in the project yet" in compared
    links = lea.client.get(f"{PAGE}/compare?first=1&second=2").text
    (address,) = set(re.findall(r'"(/projects/1/try\?query=q0&[^"]*)"', links))
    assert "a=base" in address
    assert "b=shifted" in address
    assert "red shoe 0" in lea.client.get(html.unescape(address)).text
    assert "/projects/1/results?query=q0&amp;exact=true" in links
    assert "red shoe 0" in lea.read("/projects/1/results?query=q0&exact=true")
    kinds = [one.kind for one in list_events(store)]
    assert kinds.count("snapshot_taken") == 2
    chinese = Visitor(store, folder, language="zh")
    assert "B 对比 A" in chinese.read(f"{PAGE}/compare?first=1&second=2")
    assert "前 5 名" in chinese.read(f"{PAGE}/1")


@pytest.mark.long
def test_parameters_are_changed_for_one_snapshot(
    store: Store, project: Project, folder: Path
) -> None:
    lea = Visitor(store, folder)
    lea.send(engine="shop", variant="base", k="5", name="", parameter=["shift"], value=["3"])
    wait_for(lambda: ended(store))
    (found,) = list_snapshots(store, 1)
    assert (found.variant, dict(found.parameters)) == ("base,shift=3", {"shift": 3})
    assert found.name.startswith("shop, base,shift=3, ")
    # Trying a query of it starts from these values.
    (address,) = set(
        re.findall(r'"(/projects/1/try\?query=q0&[^"]*)"', lea.client.get(f"{PAGE}/1").text)
    )
    assert "a.p.shift=3" in address
    tried = lea.client.get(html.unescape(address)).text
    assert re.search(r'name="a.p.shift"[^>]*value="3"', tried)
    wrong = lea.send(engine="shop", variant="base", parameter=["shift"], value=["many"])
    assert wrong.status_code == 400
    assert "many" in wrong.text
    unknown = lea.send(engine="shop", variant="base", parameter=["path"], value=["/etc"])
    assert unknown.status_code == 400
    (folder / "shop.toml").write_text(f"{FILE}[app]\neditable = []\n", "utf-8")
    strict = Visitor(store, folder)
    assert 'name="value"' not in strict.client.get(PAGE).text
    assert strict.send(engine="shop", parameter=["shift"], value=["3"]).status_code == 400


@pytest.mark.long
def test_only_leads_and_only_engines_that_are_allowed(
    store: Store, project: Project, folder: Path
) -> None:
    shot = snapshot(store, project)
    ana = Visitor(store, folder, name="ana")
    for path in (PAGE, f"{PAGE}/1", f"{PAGE}/1/run", f"{PAGE}/1/tape"):
        assert ana.client.get(path).status_code == 403
    for path in (PAGE, f"{PAGE}/1/delete", f"{PAGE}/1/continue", f"{PAGE}/unjudged"):
        assert ana.send(path, engine="shop", first=1).status_code == 403
    assert ana.client.get(f"/api{PAGE}").status_code == 403
    lea = Visitor(store, folder)
    assert lea.send(engine="another").status_code == 404
    assert lea.client.post(PAGE, data={"csrf": "0" * 64, "engine": "shop"}).status_code == 403
    (folder / "shop.toml").write_text(f"{FILE}[app]\nprojects = [7]\n", "utf-8")
    assert Visitor(store, folder).send(engine="shop").status_code == 404
    # Another project's numbers lead nowhere.
    store.projects.create("Other", scale="search", overlap=1)
    for path in ("", "/run", "/tape"):
        assert lea.client.get(f"/projects/2/snapshots/{shot.id}{path}").status_code == 404
    assert lea.send(f"/projects/2/snapshots/{shot.id}/delete").status_code == 404
    assert find_snapshot(store, 1, shot.id).whole


@pytest.mark.long
def test_what_the_engine_says_is_a_sentence_without_its_address(
    store: Store, project: Project, folder: Path
) -> None:
    def refuse(query: str) -> None:
        raise ValueError("tests.unit.snapshotted:find: no such index")

    hook.append(refuse)
    lea = Visitor(store, folder)
    lea.send(engine="shop", k="5", name="A")
    wait_for(lambda: ended(store, "failed"))
    page = lea.read()
    assert "The engine refused every query: ValueError: ***: no such index" in page
    assert "0 of 12 queries have their answer" in page
    assert "Not complete: 0 of 12 queries answered" in page
    assert "no numbers until every query" in lea.read(f"{PAGE}/1")
    for path in (f"{PAGE}/1/run", f"{PAGE}/1/tape", f"{PAGE}/unjudged?first=1"):
        assert lea.client.get(path).status_code == 400
    hook.clear()
    well = Visitor(store, folder)
    assert well.send(f"{PAGE}/1/continue").status_code == 303
    wait_for(lambda: ended(store))
    assert "NDCG@5 is 1.000 over 12 queries" in well.read(f"{PAGE}/1")


@pytest.mark.long
def test_one_at_a_time_with_progress_and_stop(store: Store, project: Project, folder: Path) -> None:
    hold, waited = threading.Event(), list[bool]()

    hook.append(lambda query: waited.append(hold.wait(20)))
    lea = Visitor(store, folder)
    lea.send(engine="shop", k="5", name="A")
    try:
        page = lea.client.get(PAGE).text
        job = last_snapshot_job(store, 1)
        assert job is not None
        assert f'data-job="{job.id}"' in page
        assert "0 of 12 queries asked" in page
        assert "One snapshot at a time" in page
        assert lea.send(engine="shop", k="5", name="B").status_code == 400
        assert "A snapshot is being taken" in lea.read("/projects/1")
        assert lea.send(f"{PAGE}/1/delete").status_code == 400
        lea.send(f"/jobs/{job.id}/stop")
        assert lea.client.get(f"/jobs/{job.id}").headers["location"] == PAGE
        wait_for(lambda: ended(store, "stopped"))
    finally:
        hold.set()
        settle()
    assert "Stopped. The answers so far are kept" in lea.read()
    assert lea.send(f"{PAGE}/1/delete").status_code == 303
    assert "snapshot_deleted" in [one.kind for one in list_events(store)]
    assert "Stopped" not in lea.read()


def test_the_unjudged_are_graded_once(store: Store, project: Project, folder: Path) -> None:
    snapshot(store, project, name="A")
    snapshot(store, project, variant="shifted", name="B")
    lea = Visitor(store, folder)
    address = f"{PAGE}/unjudged?first=1&second=2"
    assert "Add 36 results" in lea.read(address)
    assert store.items.count(1) == 48
    done = lea.send(f"{PAGE}/unjudged", first=1, second=2)
    assert "Added 36 results for the judges" in text_of(done.text)
    assert store.items.count(1) == 84
    again = lea.send(f"{PAGE}/unjudged", first=1, second=2)
    assert again.status_code == 400
    assert "the project has all these results" in text_of(again.text)
    assert store.items.count(1) == 84
    assert "36 waiting for a grade" in lea.read(address)


def test_files_go_on_at_the_command_line(
    store: Store, project: Project, folder: Path, tmp_path: Path
) -> None:
    shot = snapshot(store, project)
    lea = Visitor(store, folder)
    for start in ("", "/api"):
        run = lea.client.get(f"{start}{PAGE}/{shot.id}/run")
        (tmp_path / "a.run").write_bytes(run.content)
        assert next(iter(read_run(tmp_path / "a.run").to_dict()["q1"])) == "q1-0"
        tape = lea.client.get(f"{start}{PAGE}/{shot.id}/tape")
        (tmp_path / "a.tape.jsonl").write_bytes(tape.content)
        assert read_tape(tmp_path / "a.tape.jsonl").checksum == shot.checksum
        assert b"tests.unit" not in tape.content


@pytest.mark.parametrize(("query", "document"), [("red shoe", "d1"), ("红鞋", "d 1")])
def test_a_run_with_ids_of_several_words_is_a_table(
    store: Store, folder: Path, tmp_path: Path, query: str, document: str
) -> None:
    store.accounts.create("lea", role="lead")
    found = store.projects.create("Words", scale="search", overlap=1)
    graded = [("a", 1), (document, 3), ("d2", 0)]
    store.grades.add(found.id, [(Item(query, id), [Rating("cy", grade)]) for id, grade in graded])
    tied = Answer(["a", document, "d3"], [1.0, 1.0, 1.0])
    shot = snapshot(store, found, engine_of(lambda request: tied))
    lea = Visitor(store, folder)
    for start in ("", "/api"):
        sent = lea.client.get(f"{start}{PAGE}/{shot.id}/run")
        assert f'filename="snapshot-{shot.id}.csv"' in sent.headers["content-disposition"]
        (tmp_path / "a.csv").write_bytes(sent.content)
        assert read_run(tmp_path / "a.csv").to_dict() == {
            query: {"a": 5.0, document: 4.0, "d3": 3.0}
        }
        tape = lea.client.get(f"{start}{PAGE}/{shot.id}/tape")
        assert f"snapshot-{shot.id}.csv.tape.jsonl" in tape.headers["content-disposition"]
        (tmp_path / "a.csv.tape.jsonl").write_bytes(tape.content)
    assert read_beside(tmp_path / "a.csv")[1] == ()
    grades = {query: dict(graded)}
    alone = relyon.evaluate(grades, tmp_path / "a.csv", ["ndcg@5", "judged@5"], scale="search")
    told = lea.client.get(f"/api{PAGE}/{shot.id}").json()["quality"]
    assert told["value"] == pytest.approx(alone["ndcg@5"])
    assert told["judged"] == pytest.approx(alone["judged@5"])


@pytest.mark.long
def test_programs_take_and_compare_snapshots(store: Store, project: Project, folder: Path) -> None:
    lea = Visitor(store, folder)
    headers = {"X-CSRF-Token": csrf_token(lea.secret)}
    wanted = {"engine": "shop", "variant": "base", "k": 5, "name": "A", "queries": ["tv"]}
    made = lea.client.post(f"/api{PAGE}", json=wanted, headers=headers)
    assert made.status_code == 202, made.text
    assert (made.json()["queries"], made.json()["quality"]) == (13, None)
    wait_for(lambda: ended(store))
    changed = {"engine": "shop", "k": 5, "name": "B", "parameters": {"shift": "2"}}
    lea.client.post(f"/api{PAGE}", json=changed, headers=headers)
    wait_for(lambda: ended(store) and len(list_snapshots(store, 1)) == 2)
    two, one = lea.client.get(f"/api{PAGE}").json()
    assert (one["name"], one["quality"]["value"], one["state"]) == ("A", 1.0, "whole")
    assert two["parameters"] == {"shift": 2}
    versus = lea.client.get(f"/api{PAGE}/compare?first=1&second=2").json()
    assert versus["contrast"]["losses"] == 12
    assert versus["results"]["new"] == 36
    assert versus["queries"] == 12
    added = lea.client.post(
        f"/api{PAGE}/unjudged", json={"snapshots": [1, 2]}, headers=headers
    ).json()
    assert added["added"] == 36 + 5  # and what the further query found
    shown = lea.client.get(f"/api{PAGE}/1").json()
    assert shown["results"]["waiting"] == 12 + 5
    assert lea.client.post(f"/api{PAGE}/1/delete", headers=headers).json() == {"deleted": True}
    assert lea.client.get(f"/api{PAGE}/1").status_code == 404


@pytest.mark.long
def test_pages_say_what_they_cannot_know(store: Store, project: Project, folder: Path) -> None:
    bare = store.projects.create("Bare", scale="search", overlap=1)
    lea = Visitor(store, folder)
    path = f"/projects/{bare.id}/snapshots"
    answered = lea.send(path, engine="shop", k="5", name="A")
    assert answered.status_code == 400
    assert "has no queries yet" in answered.text
    lea.send(path, engine="shop", k="5", name="A", more="red shoe\n\n电视")
    wait_for(lambda: any(one.whole for one in list_snapshots(store, bare.id)))
    lea.send(path, engine="shop", k="5", name="A2", more="red shoe\n\n电视")
    wait_for(lambda: all(one.whole for one in list_snapshots(store, bare.id)))
    first, second = (one.id for one in list_snapshots(store, bare.id))
    page = lea.read(f"{path}/compare?first={first}&second={second}")
    assert "The top 5 of both are the same on all 2 queries" in page
    assert "Both asked the same engine" in page
    assert "None of its queries has a grade yet" in lea.read(f"{path}/{first}")
    assert lea.client.get(f"{path}/compare?first={first}&second={first}").status_code == 400
    assert lea.client.get(f"{path}/compare?first={first}&second=99").status_code == 404
    assert "Add 10 results" in lea.read(f"{path}/unjudged?first={first}")
    pairs = store.projects.create("Pairs", kind="side_by_side", overlap=1)
    assert "not of pairs" in lea.read(f"/projects/{pairs.id}/snapshots")
    assert "Snapshots" not in lea.read(f"/projects/{pairs.id}")


def test_a_file_that_was_broken_since_is_told_in_a_sentence(
    store: Store, project: Project, folder: Path
) -> None:
    lea = Visitor(store, folder)
    (folder / "shop.toml").write_text("kind = ", "utf-8")
    assert "cannot be used at the moment" in lea.read(status=400)
    assert lea.send(engine="shop", k="5").status_code == 400
    (folder / "shop.toml").write_text(FILE, "utf-8")
    assert "12 queries" in lea.read()


def test_a_long_value_is_cut_in_the_name_of_its_variant(
    store: Store, project: Project, folder: Path
) -> None:
    (folder / "shop.toml").write_text(FILE.replace("shift = 2", 'fields = "b"'), "utf-8")
    text = (folder / "shop.toml").read_text("utf-8").replace("shift = 0", 'fields = "a"')
    (folder / "shop.toml").write_text(text, "utf-8")
    wish = Wish("shop", changes={"fields": "标题" * 1000})
    run = begin(store, project, wish, AllowedEngines.read(folder), by=store.accounts.get("lea"))
    assert run.snapshot.parameters == {"fields": "标题" * 1000}
    assert run.snapshot.variant == "base,fields=" + "标题" * 50
    run.work.end("failed")


def test_what_may_be_reached_is_what_the_file_says_now(
    store: Store, project: Project, folder: Path
) -> None:
    lea = store.accounts.get("lea")
    (folder / "shop.toml").write_text(f"{FILE}[app]\nprivate = true\n", "utf-8")
    engines = AllowedEngines.read(folder)
    (folder / "shop.toml").write_text(FILE, "utf-8")
    run = begin(store, project, Wish("shop", k=5), engines, by=lea)
    assert run.reach == Reach(private=False)
    run.work.end("failed")
    again = go_on(store, project, run.snapshot, engines, by=lea)
    assert again.reach == Reach(private=False)


def test_without_engines_the_tab_is_there_for_what_was_taken(
    store: Store, project: Project, folder: Path
) -> None:
    lea = Visitor(store, folder)
    lea.client.app.state.settings = Settings()  # type: ignore[attr-defined]
    assert "Snapshots" not in lea.read("/projects/1")
    snapshot(store, project)
    assert "Snapshots" in lea.read("/projects/1")
    assert "allows no engine here" in lea.read()
    assert "/try?" not in lea.client.get(f"{PAGE}/1").text
