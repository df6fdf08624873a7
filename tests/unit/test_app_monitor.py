"""The monitor in the app: who sees it, when it is read again, what it says."""

from __future__ import annotations

import json
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")
pytest.importorskip("vl_convert")

from fastapi.testclient import TestClient
from tests.unit.conftest import Command

import relyon
from relyon.app import Settings, create_app
from relyon.app.months.rounds import RoundsFolder
from relyon.core.errors import InputError
from relyon.core.language import Language
from relyon.judging.access import start_sign_in
from relyon.judging.store import Store

HOSTILE = "</td><script>broken()</script>{{7*7}}"
MONTHS = {"2026-01": "ab", "2026-02": "ab", "2026-03": "b"}


def add_round(folder: Path, month: str, docs: str) -> None:
    """A round of two queries asked a hundred times each; one in ten is shown the other order."""
    rows = [
        {"session": f"{month}-{n}", "query": (HOSTILE, "tv")[n % 2], "position": k, "doc": doc}
        for n in range(200)
        for k, doc in enumerate(docs if n % 10 else docs[::-1], 1)
    ]
    sample = relyon.draw_sample(pl.DataFrame(rows), per_tier=40, cuts=[0.5], names=["head", "tail"])
    grades = {query: {"a": 3, "b": 1} for query in (HOSTILE, "tv")}
    relyon.write_round(relyon.create_round(month, sample, grades), folder)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rounds")
    for month, docs in MONTHS.items():
        add_round(folder, month, docs)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(made, tmp_path / "rounds"))


@pytest.fixture
def store(file_store: Store) -> Store:
    file_store.accounts.create("ana")
    file_store.accounts.create("lea", role="lead")
    return file_store


def visit(store: Store, folder: Path | None, name: str = "lea") -> TestClient:
    client = TestClient(create_app(store, Settings(rounds=folder)), follow_redirects=False)
    client.cookies.set("relyon_session", start_sign_in(store, store.accounts.get(name)))
    return client


PATHS = ["/monitor", "/monitor/report", "/api/monitor"]


@pytest.mark.long
@pytest.mark.parametrize("path", PATHS)
def test_only_leads_see_it(store: Store, made: Path, path: str) -> None:
    assert visit(store, made).get(path).status_code == 200
    assert visit(store, made, "ana").get(path).status_code == 403
    stranger = TestClient(create_app(store, Settings(rounds=made)), follow_redirects=False)
    assert stranger.get(path).status_code == (401 if path.startswith("/api") else 303)


@pytest.mark.long
def test_the_bar_leads_to_it(store: Store, made: Path) -> None:
    lead, judge = visit(store, made), visit(store, made, "ana")
    assert '<a href="/monitor" aria-current="page">' in lead.get("/monitor").text
    projects = lead.get("/").text
    assert '<a href="/" aria-current="page">' in projects
    assert '<a href="/monitor">' in projects
    assert "/monitor" not in judge.get("/").text


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "alarm", "sentence"),
    [
        ("en", "2026-03: look at recall first", "good documents are missing"),
        ("zh", "2026-03 先查召回", "是好文档没有召回"),
    ],
)
def test_the_alarm_stands_first(
    store: Store, made: Path, language: str, alarm: str, sentence: str
) -> None:
    page = visit(store, made).get(f"/monitor?lang={language}").text
    assert page.index(alarm) < page.index("<h1>") < page.index(sentence) < page.index("<h2")
    assert page.count("<svg viewBox=") >= 8


@pytest.mark.long
@pytest.mark.parametrize("path", ["/monitor", "/monitor?lang=zh"])
def test_the_page_needs_no_exception_from_the_policy(store: Store, made: Path, path: str) -> None:
    answer = visit(store, made).get(path)
    assert "'unsafe-inline'" not in answer.headers["Content-Security-Policy"]
    assert not re.search(r"<style|<script|\sstyle=|\son\w+=", answer.text)


@pytest.mark.long
def test_what_users_searched_for_is_text(store: Store, made: Path) -> None:
    page = visit(store, made).get("/monitor").text
    assert "<script>broken" not in page
    assert "&lt;script&gt;broken()&lt;/script&gt;{{7*7}}" in page


@pytest.mark.long
def test_a_quiet_month_says_so(store: Store, folder: Path) -> None:
    shutil.rmtree(folder / "2026-03")
    page = visit(store, folder).get("/monitor").text
    assert "2026-02: no alarm" in page
    assert 'class="alarms"' not in page


@pytest.mark.long
def test_the_numbers_are_those_of_the_command_line(
    store: Store, made: Path, command: Command
) -> None:
    said = command("monitor", "show", str(made), "--format", "json")
    assert visit(store, made).get("/api/monitor").json() == json.loads(said.out)
    assert len(visit(store, made).get("/api/monitor?queries=1").json()["worst"]) == 1


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_report_is_a_file_of_its_own(store: Store, made: Path, language: Language) -> None:
    answer = visit(store, made).get(f"/monitor/report?lang={language}")
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=")
    assert answer.text == relyon.report.render_monitor_report(
        relyon.monitor(made), language=language
    )


@pytest.mark.long
def test_rounds_are_read_once(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times = []

    def read(folder: Path) -> relyon.Monitor:
        times.append(folder)
        return relyon.monitor(folder)

    monkeypatch.setattr("relyon.online.monitoring.monitor", read)
    rounds = RoundsFolder(made)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: rounds.parts(("en", "zh")[n % 2])[1], range(16)))
    assert times == [made]
    assert len(set(found)) == 2


@pytest.mark.long
def test_a_new_round_is_seen(store: Store, folder: Path) -> None:
    client = visit(store, folder)
    assert "2026-04" not in client.get("/monitor").text
    add_round(folder, "2026-04", "b")
    assert "2026-04" in client.get("/monitor").text
    assert client.get("/api/monitor").json()["months"][-1] == "2026-04"


@pytest.mark.long
@pytest.mark.parametrize(
    ("file", "language"),
    [("judgments.csv", "en"), ("sample.csv", "zh"), ("results.csv", "en"), ("round.json", "zh")],
)
def test_a_changed_round_is_told(store: Store, folder: Path, file: str, language: str) -> None:
    client = visit(store, folder)
    assert client.get("/api/monitor").status_code == 200
    changed = folder / "2026-02" / file
    before = changed.read_text("utf-8")
    changed.write_text(before.replace("1", "2", 1), "utf-8")
    answer = client.get(f"/monitor?lang={language}")
    assert answer.status_code == 400
    assert f"{changed}: the file has changed since the round was made" in answer.text
    assert "restore the file" in answer.text
    told = client.get("/api/monitor")
    assert told.status_code == 400
    assert "restore the file" in told.json()["error"]["hint"]
    # Told again, and well again once the file is what it was.
    assert client.get("/monitor").status_code == 400
    changed.write_text(before, "utf-8")
    assert client.get("/api/monitor").status_code == 200


def test_a_problem_is_raised_anew(folder: Path) -> None:
    (folder / "2026-01" / "sample.csv").unlink()
    rounds = RoundsFolder(folder)
    depths = []
    for _ in range(3):
        with pytest.raises(InputError, match="missing") as raised:
            rounds.monitor()
        depths.append(len(raised.traceback))
    assert len(set(depths[1:])) == 1


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "zh"])
def test_without_rounds_it_says_what_to_do(store: Store, tmp_path: Path, language: str) -> None:
    bare = visit(store, None).get(f"/monitor?lang={language}").text
    assert "relyon judge serve judging.db --rounds rounds" in bare
    empty = visit(store, tmp_path / "later").get(f"/monitor?lang={language}").text
    assert f"relyon monitor add {tmp_path / 'later'} --month" in empty
    assert "judge serve" not in empty
    for folder in (None, tmp_path / "later"):
        told = visit(store, folder).get("/api/monitor")
        assert told.status_code == 400
        assert told.json()["error"]["hint"]
