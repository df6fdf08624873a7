"""A month added in the app: from a sample and a project, once and for all."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import polars as pl
import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")
pytest.importorskip("vl_convert")

from fastapi.testclient import TestClient

import relyon
from relyon.app import Settings, create_app
from relyon.app.months.staging import find_last_added
from relyon.app.protection import csrf_token
from relyon.judging.access import start_sign_in
from relyon.judging.events import list_events
from relyon.judging.records import Item, Rating
from relyon.judging.store import Store
from relyon.online.monitoring.archive import find_rounds


@pytest.fixture
def store(file_store: Store) -> Store:
    file_store.accounts.create("ana")
    file_store.accounts.create("lea", role="lead")
    project = file_store.projects.create("Live", overlap=2)
    file_store.projects.create("SBS", kind="side_by_side")
    file_store.projects.create("Empty")
    file_store.grades.add(
        project.id,
        [
            (Item("tv", "a"), [Rating("ana", 3), Rating("bo", 2)]),
            (Item("tv", "b"), [Rating("ana", 1)]),
        ],
    )
    return file_store


@pytest.fixture
def sample(tmp_path: Path) -> bytes:
    """A sample of ten sessions that saw a and b."""
    log = pl.DataFrame(
        [
            {"session": f"s{n}", "query": "tv", "position": k, "doc": doc}
            for n in range(10)
            for k, doc in enumerate("ab", 1)
        ]
    )
    relyon.draw_sample(log, k=2).write(tmp_path / "drawn.csv")
    return (tmp_path / "drawn.csv").read_bytes()


class Lead:
    """Somebody signed in, and the folder of rounds."""

    def __init__(self, store: Store, folder: Path | None, name: str = "lea") -> None:
        settings = Settings(rounds=folder)
        self.client = TestClient(create_app(store, settings), follow_redirects=False)
        self.secret = start_sign_in(store, store.accounts.get(name))
        self.client.cookies.set("relyon_session", self.secret)

    def look(self, sample: bytes, name: str = "march.csv", **values: str):
        """Fills in the form and looks at what the month would be."""
        data = {
            "csrf": csrf_token(self.secret), "month": "2026-03", "project": "1", **values,
        }  # fmt: skip
        return self.client.post("/monitor/new", data=data, files={"sample": (name, sample)})

    def send(self, path: str, **values: str):
        data = {"csrf": csrf_token(self.secret), **values}
        return self.client.post(path, data=data)

    def add(self, sample: bytes, name: str = "march.csv", **values: str):
        """Looks at a month and stores it; returns the first answer that refuses something."""
        page = self.look(sample, name, **values)
        if page.status_code != 200:
            return page
        return self.store(token_of(page.text))

    def store(self, token: str, reason: str = "a first try"):
        """Stores a month that was looked at, and accepts what speaks against it."""
        return self.send("/monitor/new/store", token=token, accept="true", reason=reason)


def token_of(page: str) -> str:
    found = re.search(r'name="token" value="([0-9a-f]+)"', page)
    assert found is not None
    return found[1]


@pytest.mark.long
def test_a_month_is_stored_and_shown(store: Store, sample: bytes, tmp_path: Path) -> None:
    lead = Lead(store, tmp_path / "rounds")
    form = lead.client.get("/monitor/new").text
    assert ">Live</option>" in form
    assert ">SBS</option>" not in form
    assert 'href="/monitor/new"' in lead.client.get("/monitor").text
    answer = lead.add(sample, rule="majority")
    assert (answer.status_code, answer.headers["location"]) == (303, "/monitor?added=2026-03")
    assert "2026-03 is stored." in lead.client.get("/monitor?added=2026-03").text
    (made,) = relyon.read_rounds(tmp_path / "rounds")
    assert (made.month, made.grading) == ("2026-03", "majority")
    assert made.judgments["tv"] == {"a": 2.0, "b": 1.0}
    assert "2026-03" in lead.client.get("/monitor").text
    event = list_events(store)[0]
    assert (event.kind, event.detail) == ("month_stored", "2026-03")


def test_what_speaks_against_a_month_has_to_be_accepted(
    store: Store, sample: bytes, tmp_path: Path
) -> None:
    lead = Lead(store, tmp_path / "rounds")
    page = lead.look(sample).text
    assert "Store the month only if you accept: open grades, open disagreements" in page
    token = token_of(page)
    for values in ({}, {"accept": "true"}, {"accept": "true", "reason": "  "}, {"reason": "why"}):
        answer = lead.send("/monitor/new/store", token=token, **values)
        assert answer.status_code == 400
        assert "the month was not stored" in answer.text
        assert find_rounds(tmp_path / "rounds") == []
    assert lead.store(token, "judges <b>left</b>").status_code == 303
    (note,) = relyon.monitor(tmp_path / "rounds").month_notes
    assert (note.kind, note.by, note.text) == ("accepted", "lea", "judges <b>left</b>")
    shown = lead.client.get("/monitor").text
    assert "judges &lt;b&gt;left&lt;/b&gt;" in shown
    assert "<b>left" not in shown


def test_a_month_is_never_replaced(store: Store, sample: bytes, tmp_path: Path) -> None:
    lead = Lead(store, tmp_path / "rounds")
    assert lead.add(sample).status_code == 303
    before = (tmp_path / "rounds" / "2026-03" / "round.json").read_bytes()
    answer = lead.add(sample, rule="mean_gain")
    assert answer.status_code == 400
    assert "exists already" in answer.text
    assert (tmp_path / "rounds" / "2026-03" / "round.json").read_bytes() == before


@pytest.mark.long
def test_a_sample_that_unpacks_to_gigabytes_is_refused(
    store: Store, sample: bytes, tmp_path: Path
) -> None:
    lead = Lead(store, tmp_path / "rounds")
    bomb = gzip.compress(sample + b"0,0\n" * 2**20) * 400
    assert len(bomb) < 5 * 2**20
    answer = lead.add(bomb)
    assert answer.status_code == 400
    assert (
        "march.csv: is too large: it takes more than 256 MiB when unpacked and read" in answer.text
    )
    assert "/tmp" not in answer.text
    assert not list((tmp_path / "rounds").glob("*"))
    assert lead.add(gzip.compress(sample)).status_code == 303


def test_only_leads_add_months(store: Store, sample: bytes, tmp_path: Path) -> None:
    folder = tmp_path / "rounds"
    judge = Lead(store, folder, "ana")
    assert judge.client.get("/monitor/new").status_code == 403
    assert judge.add(sample).status_code == 403
    assert Lead(store, folder).add(sample, csrf="").status_code == 403
    without = Lead(store, None)
    assert without.client.get("/monitor/new").status_code == 400
    assert "--rounds" in without.add(sample).text
    assert judge.send("/monitor/new/store", token="0" * 32).status_code == 403
    assert not folder.exists()


@pytest.mark.parametrize(
    ("values", "status", "message"),
    [
        ({"month": "2026-13"}, 400, "`2026-13` is not a month"),
        ({"month": "../../2026-03"}, 400, "is not a month"),
        ({"project": "99"}, 404, "This page doesn’t exist"),
        ({"project": "2"}, 400, "not grades"),
        ({"project": "3"}, 400, "nothing has been graded in `Empty`"),
        ({"rule": "best"}, 422, "rule"),
        ({"name": "march.exe"}, 400, "march.exe: is not a sample"),
        ({"name": "../../march.json"}, 400, "march.json: is not a sample"),
        ({"name": "march.csv.gz"}, 400, "is not a sample"),
        ({"name": "march.parquet"}, 400, "march.parquet: cannot be read"),
        ({"name": "<b>.csv", "sample": "query,doc\ntv,a\n"}, 400, "&lt;b&gt;.csv: is not a sample"),
    ],
)
def test_what_cannot_be_added(
    store: Store, sample: bytes, tmp_path: Path, values: dict[str, str], status: int, message: str
) -> None:
    values = dict(values)
    content = values.pop("sample", None)
    name = values.pop("name", "march.csv")
    given = sample if content is None else content.encode()
    answer = Lead(store, tmp_path / "rounds").add(given, name, **values)
    assert answer.status_code == status
    assert message in answer.text.replace("&#39;", "'")
    assert "/tmp" not in answer.text
    assert not list((tmp_path / "rounds").glob("*"))


def test_a_month_is_looked_at_before_it_is_stored(
    store: Store, sample: bytes, tmp_path: Path
) -> None:
    lead = Lead(store, tmp_path / "rounds")
    page = lead.look(sample).text
    assert "2 of the 2 results that the sample shows are judged (100%)" in page
    assert "Grades: Live, Median." in page
    assert find_rounds(tmp_path / "rounds") == []
    assert lead.client.get("/monitor").status_code == 200
    # What was looked at is what is stored, even if a grade changes in between.
    store.grades.add(1, [(Item("tv", "b"), [Rating("bo", 0)])])
    assert lead.store(token_of(page)).status_code == 303
    (made,) = relyon.read_rounds(tmp_path / "rounds")
    assert made.judgments["tv"] == {"a": 2.0, "b": 1.0}
    # It is stored once.
    answer = lead.store(token_of(page))
    assert (answer.status_code, "nothing left to store" in answer.text) == (400, True)
    assert [one.name for one in (tmp_path / "rounds" / ".pending").iterdir()] == []


def test_a_month_that_is_hardly_judged_says_so(store: Store, tmp_path: Path) -> None:
    log = pl.DataFrame(
        {"session": [f"s{n}" for n in range(6)], "query": ["tv", "pen"] * 3, "position": [1] * 6,
         "doc": list("axaxbx")}
    )  # fmt: skip
    relyon.draw_sample(log, k=2).write(tmp_path / "drawn.csv")
    lead = Lead(store, tmp_path / "rounds")
    page = lead.look((tmp_path / "drawn.csv").read_bytes()).text
    assert "2 of the 3 results that the sample shows are judged (67%)" in page
    assert "Too few of the shown results are judged: " in page
    page = lead.look((tmp_path / "drawn.csv").read_bytes(), month="2026-04").text
    assert lead.send("/monitor/new/cancel", token=token_of(page)).status_code == 303
    assert lead.store(token_of(page)).status_code == 400
    assert find_rounds(tmp_path / "rounds") == []


@pytest.mark.parametrize("token", ["", "..", "../2026-03", "0" * 32, "/etc", "%2e%2e"])
def test_tokens_of_nothing(store: Store, sample: bytes, tmp_path: Path, token: str) -> None:
    lead = Lead(store, tmp_path / "rounds")
    lead.add(sample)
    for path in ("store", "cancel"):
        assert lead.send(f"/monitor/new/{path}", token=token).status_code == 400
    assert len(relyon.read_rounds(tmp_path / "rounds")) == 1


@pytest.mark.long
def test_the_month_that_was_added_last_can_be_taken_out_and_comes_back(
    store: Store, sample: bytes, tmp_path: Path
) -> None:
    folder = tmp_path / "rounds"
    lead = Lead(store, folder)
    for month in ("2026-03", "2026-02"):
        assert lead.add(sample, month=month).status_code == 303
        manifest = folder / month / "round.json"
        made = json.loads(manifest.read_text("utf-8"))["made"]
        assert made
    earlier, later = "2026-03", "2026-02"
    last = find_last_added(folder)
    assert last is not None
    if last.month == earlier:  # both were made within one second
        earlier, later = later, earlier
    before = (folder / later / "round.json").read_bytes()
    assert f"Take {later} out" in lead.client.get("/monitor").text
    assert lead.send("/monitor/remove", month=earlier).status_code == 400
    assert lead.send("/monitor/remove", month="../x").status_code == 400
    assert Lead(store, folder, "ana").send("/monitor/remove", month=later).status_code == 403
    answer = lead.send("/monitor/remove", month=later)
    assert (answer.status_code, f"{later} was taken out" in answer.text) == (200, True)
    assert [one.month for one in relyon.read_rounds(folder)] == [earlier]
    (aside,) = (folder / ".removed").iterdir()
    assert (aside / "round.json").read_bytes() == before
    assert str(aside) in answer.text
    # It can be added again, or moved back.
    aside.rename(folder / later)
    assert len(relyon.read_rounds(folder)) == 2
