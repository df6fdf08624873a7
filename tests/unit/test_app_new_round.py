"""A month added in the app: from a sample and a project, once and for all."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")
pytest.importorskip("altair")

from fastapi.testclient import TestClient

import relkit
from relkit.app import Settings, create_app
from relkit.app.protection import csrf_token
from relkit.judging.access import start_sign_in
from relkit.judging.records import Item, Rating
from relkit.judging.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "judging.db", create=True) as opened:
        opened.create_user("ana")
        opened.create_user("lea", role="lead")
        project = opened.create_project("Live", overlap=2)
        opened.create_project("SBS", kind="side_by_side")
        opened.create_project("Empty")
        opened.import_ratings(
            project.id,
            [
                (Item("tv", "a"), [Rating("ana", 3), Rating("bo", 2)]),
                (Item("tv", "b"), [Rating("ana", 1)]),
            ],
        )
        yield opened


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
    relkit.draw_sample(log, k=2).write(tmp_path / "drawn.csv")
    return (tmp_path / "drawn.csv").read_bytes()


class Lead:
    """Somebody signed in, and the folder of rounds."""

    def __init__(self, store: Store, folder: Path | None, name: str = "lea") -> None:
        settings = Settings(rounds=folder)
        self.client = TestClient(create_app(store, settings), follow_redirects=False)
        self.secret = start_sign_in(store, store.user(name))
        self.client.cookies.set("relkit_session", self.secret)

    def add(self, sample: bytes, name: str = "march.csv", **values: str):
        data = {
            "csrf": csrf_token(self.secret), "month": "2026-03", "project": "1", **values,
        }  # fmt: skip
        return self.client.post("/monitor/new", data=data, files={"sample": (name, sample)})


def test_a_month_is_stored_and_shown(store: Store, sample: bytes, tmp_path: Path) -> None:
    lead = Lead(store, tmp_path / "rounds")
    form = lead.client.get("/monitor/new").text
    assert ">Live</option>" in form
    assert ">SBS</option>" not in form
    assert 'href="/monitor/new"' in lead.client.get("/monitor").text
    answer = lead.add(sample, rule="majority")
    assert (answer.status_code, answer.headers["location"]) == (303, "/monitor")
    (made,) = relkit.read_rounds(tmp_path / "rounds")
    assert (made.month, made.grading) == ("2026-03", "majority")
    assert made.judgments["tv"] == {"a": 2.0, "b": 1.0}
    assert "2026-03" in lead.client.get("/monitor").text


def test_a_month_is_never_replaced(store: Store, sample: bytes, tmp_path: Path) -> None:
    lead = Lead(store, tmp_path / "rounds")
    assert lead.add(sample).status_code == 303
    before = (tmp_path / "rounds" / "2026-03" / "round.json").read_bytes()
    answer = lead.add(sample, rule="mean_gain")
    assert answer.status_code == 400
    assert "exists already" in answer.text
    assert (tmp_path / "rounds" / "2026-03" / "round.json").read_bytes() == before


def test_a_sample_that_unpacks_to_gigabytes_is_refused(
    store: Store, sample: bytes, tmp_path: Path
) -> None:
    lead = Lead(store, tmp_path / "rounds")
    bomb = gzip.compress(sample + b"0,0\n" * 2**20) * 400
    assert len(bomb) < 5 * 2**20
    answer = lead.add(bomb)
    assert answer.status_code == 400
    assert "march.csv: is too large: unpacked and read it takes more than 256 MiB" in answer.text
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
    assert not folder.exists()


@pytest.mark.parametrize(
    ("values", "status", "message"),
    [
        ({"month": "2026-13"}, 400, "`2026-13` is no month"),
        ({"month": "../../2026-03"}, 400, "is no month"),
        ({"project": "99"}, 404, "unknown project"),
        ({"project": "2"}, 400, "no grades"),
        ({"project": "3"}, 400, "nothing is graded in `Empty`"),
        ({"rule": "best"}, 422, "rule"),
        ({"name": "march.exe"}, 400, "march.exe: is no sample"),
        ({"name": "../../march.json"}, 400, "march.json: is no sample"),
        ({"name": "march.csv.gz"}, 400, "is no sample"),
        ({"name": "march.parquet"}, 400, "march.parquet: cannot be read"),
        ({"name": "<b>.csv", "sample": "query,doc\ntv,a\n"}, 400, "&lt;b&gt;.csv: is no sample"),
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
