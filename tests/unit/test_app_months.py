"""A month from its log to its project, in the app."""

from __future__ import annotations

import gzip
import io
import random
import re
import threading
import time
from pathlib import Path

import polars as pl
import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from tests.month_leads import Lead, make_log

from relyon.app.months import new_month
from relyon.app.months.drafts import FORGOTTEN, OWN, Drafts
from relyon.app.months.log_folder import find_log, list_logs
from relyon.core.errors import InputError
from relyon.judging.month_projects import create_month_project
from relyon.judging.records import EARLIER_PREFIX, Rating
from relyon.judging.samples import find_sample
from relyon.judging.store import Store

pytestmark = pytest.mark.long

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def store(file_store: Store) -> Store:
    file_store.accounts.create("ana")
    file_store.accounts.create("lea", role="lead")
    file_store.accounts.create("max", role="lead")
    return file_store


@pytest.fixture
def lead(store: Store, tmp_path: Path) -> Lead:
    return Lead(store, rounds=tmp_path / "rounds")


FORM = {
    "head": "33.3", "middle": "66.7", "sizes": ["5", "4", "3"], "depths": ["2", "2", "1"],
    "seed": "7",
}  # fmt: skip


class TestMonth:
    def test_a_log_becomes_a_project(self, store: Store, lead: Lead) -> None:
        address = lead.to_plan(make_log().encode())
        assert lead.send(f"{address}/plan", **FORM).status_code == 303
        page = lead.wait(address).text
        assert "12 searches sampled" in page
        assert 'value="7"' in page
        project = store.projects.get(lead.create(address, overlap="1"))
        assert (project.name, project.overlap) == ("2026-11", 1)
        kept = find_sample(store, project.id)
        assert kept is not None
        assert [tier.sampled for tier in kept.sample.tiers] == [5, 4, 3]
        assert [tier.k for tier in kept.sample.tiers] == [2, 2, 1]
        shown = {(one.query, one.document) for one in store.items.all(project.id)}
        assert shown == set(kept.sample.results.select("query", "doc").unique().iter_rows())
        assert {one.title for one in store.items.all(project.id)} == {
            f"Title {one.document[1:].replace('-', ' ')}" for one in store.items.all(project.id)
        }
        assert "2026-11" in lead.client.get("/monitor").text

    def test_the_same_plan_draws_the_same_sample(self, store: Store, lead: Lead) -> None:
        samples = []
        for month in ("2026-11", "2026-12"):
            address = lead.to_plan(make_log().encode(), month=month)
            lead.send(f"{address}/plan", **FORM)
            kept = find_sample(store, lead.create(address))
            assert kept is not None
            samples.append(kept.sample)
        assert samples[0].sessions.equals(samples[1].sessions)

    def test_the_examples_log_with_eight_per_tier(self, store: Store, lead: Lead) -> None:
        address = lead.to_plan((EXAMPLES / "log.csv").read_bytes(), month="2026-10")
        lead.send(f"{address}/plan", **{**FORM, "sizes": ["8", "8", "8"]})
        assert "24 searches sampled" in lead.wait(address).text
        assert lead.create(address)

    def test_without_repairs_the_reason_is_a_sentence(self, lead: Lead) -> None:
        address = lead.upload((EXAMPLES / "log.csv").read_bytes()).headers["location"]
        page = lead.wait(address).text
        assert "Some lists count positions from 0, others from 1" in page
        assert "relyon " not in re.sub(r"<[^>]*>", "", page.partition("<main")[2])
        lead.send(f"{address}/checks")
        page = lead.wait(address).text
        assert "position 0" in page
        assert "Switch more repairs on" in page
        assert "relyon logs" not in page

    def test_a_chinese_workbook(self, store: Store, lead: Lead) -> None:
        names = {
            "session": "会话", "query": "搜索词", "position": "位置", "doc": "商品编号",
            "timestamp": "时间", "title": "标题",
        }  # fmt: skip
        table = pl.read_csv(io.StringIO(make_log()), infer_schema=False).rename(names)
        sent = io.BytesIO()
        table.write_excel(sent)
        address = lead.upload(sent.getvalue(), "十一月.xlsx").headers["location"]
        page = lead.wait(f"{address}?lang=zh").text
        assert "document = 商品编号" in page
        assert "9 条查询" in page
        lead.send(f"{address}/checks")
        assert "Draw again" in lead.wait(f"{address}?lang=en").text
        assert store.items.all(lead.create(address))[0].title.startswith("Title")

    def test_columns_that_are_not_recognised(self, store: Store, lead: Lead) -> None:
        names = {"session": "a", "query": "b", "position": "c", "doc": "d", "timestamp": "e"}
        table = pl.read_csv(io.StringIO(make_log()), infer_schema=False).rename(names)
        address = lead.upload(table.write_csv().encode()).headers["location"]
        page = lead.wait(address).text
        assert "Which column is what?" in page
        wrong = lead.send(f"{address}/columns", columns=["a", "b", "d", "../x", ""])
        assert wrong.status_code == 303
        assert "Which column is what?" in lead.wait(address).text
        assert lead.send(f"{address}/columns", columns=["a", "b", "c", "d", "e"]).status_code == 303
        assert "270 rows: 90 searches for 9 queries. From 1 November" in lead.wait(address).text
        lead.send(f"{address}/checks")
        assert store.items.all(lead.create(address))[0].title.startswith("Title")

    def test_only_the_month(self, store: Store, lead: Lead) -> None:
        both = make_log("2026-11") + make_log("2026-12").partition("\n")[2]
        address = lead.upload(both.encode()).headers["location"]
        assert "Only the searches of 2026-11" in lead.wait(address).text
        lead.send(f"{address}/checks", only_month="true")
        kept = find_sample(store, lead.create(address))
        assert kept is not None
        assert all(one.startswith("2026-11") for one in kept.sample.sessions["session"])
        assert (
            "No search of this log is of 2027-01"
            in lead.wait(lead.upload(both.encode(), month="2027-01").headers["location"]).text
        )

    def test_last_months_project_is_copied_and_its_grades_used(
        self, store: Store, lead: Lead
    ) -> None:
        last = store.projects.get(
            lead.create(lead.to_plan(make_log("2026-10").encode(), month="2026-10"))
        )
        store.projects.set_guideline(last.id, {"en": "Read the title."})
        for item in store.items.all(last.id)[:5]:
            store.grades.add(last.id, [(item, [Rating("ana", 2, at=time.time())])])
        address = lead.to_plan(make_log().encode())
        page = lead.client.get(address).text
        assert "5 grades of an earlier project will be used again" in page
        assert f'<option value="{last.id}" selected>2026-10</option>' in page
        project = store.projects.get(lead.create(address, copied=str(last.id)))
        assert project.guideline == {"en": "Read the title."}
        said = store.grades.ratings(project.id)
        assert len(said) == 5
        assert {one.judge for found in said.values() for one in found} == {
            EARLIER_PREFIX + "2026-10"
        }
        lead.send(f"{address}/plan", **FORM)

    def test_operators_logs(self, store: Store, tmp_path: Path) -> None:
        folder = tmp_path / "logs"
        folder.mkdir()
        (folder / "november.csv.gz").write_bytes(gzip.compress(make_log().encode()))
        lead = Lead(store, log_folder=folder)
        assert "november.csv.gz" in lead.client.get("/monitor/months/new").text
        answer = lead.send("/monitor/months/new", month="2026-11", log="november.csv.gz")
        assert "270 rows: 90 searches for 9 queries." in lead.wait(answer.headers["location"]).text
        lead.send(f"{answer.headers['location']}/checks")
        assert lead.create(answer.headers["location"])
        assert [one.name for one in folder.iterdir()] == ["november.csv.gz"]


class TestAttacks:
    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("page.csv", b"<!doctype html><html><body><h1>Sign in</h1></body></html>"),
            ("page.html", b"<html>\n<p>a,b,c</p>\n</html>"),
            ("empty.csv", b""),
            ("head.csv", b"session,query,position,doc\n"),
            ("noise.bin", random.Random(1).randbytes(5000)),
            ("noise.parquet", b"PAR1" + random.Random(1).randbytes(5000)),
            ("other.csv", b"name,price\ntv,3\n"),
            ("nested.jsonl", b"[" * 100_000),
            ("columns.csv", ",".join(f"c{n}" for n in range(5000)).encode() + b"\n1\n"),
        ],
    )
    def test_what_is_no_log(self, lead: Lead, name: str, content: bytes) -> None:
        answer = lead.upload(content, name)
        assert answer.status_code == 303
        page = lead.wait(answer.headers["location"])
        assert page.status_code == 200
        assert "The log could not be read." in page.text
        assert name in page.text
        for word in ("/tmp", "relyon logs", "--", "Traceback", "python"):
            assert word not in re.sub(r"<[^>]*>", "", page.text.partition("<main")[2])

    def test_a_workbook_that_was_cut_off(self, lead: Lead) -> None:
        sent = io.BytesIO()
        pl.read_csv(io.StringIO(make_log())).write_excel(sent)
        address = lead.upload(sent.getvalue()[:3000], "log.xlsx").headers["location"]
        assert "The log could not be read." in lead.wait(address).text

    def test_a_log_that_unpacks_to_too_much(self, store: Store) -> None:
        lead = Lead(store, largest_unpacked=1_000_000)
        bomb = gzip.compress(make_log().encode() + b"s,q,2026-11-01,1,d,t,0\n" * 100_000)
        assert len(bomb) < 50_000
        address = lead.upload(bomb, "log.csv.gz").headers["location"]
        assert "too large" in lead.wait(address).text

    def test_a_log_that_is_larger_than_bodies(self, store: Store) -> None:
        lead = Lead(store, largest_body=10_000)
        assert lead.upload(make_log().encode()).status_code == 413

    @pytest.mark.parametrize(
        "name", ["../../../etc/passwd", "..\\..\\x.csv", "/etc/cron.d/x.csv", "a\0.csv", "x" * 5000]
    )
    def test_names_of_files_lead_nowhere(self, lead: Lead, name: str) -> None:
        answer = lead.upload(make_log().encode(), name)
        if answer.status_code == 303:
            page = lead.wait(answer.headers["location"])
            assert page.status_code == 200
        drafts: Drafts = lead.app.state.drafts  # type: ignore[attr-defined]
        for one in drafts.of(2):
            assert one.path.parent == one.folder
            assert re.fullmatch(r"log(\.[a-z0-9]+)*", one.path.name)

    @pytest.mark.parametrize(
        "name",
        ["../secret.csv", "sub/x.csv", ".hidden.csv", "link.csv", "notes.txt", "", "/etc/passwd"],
    )
    def test_the_folder_of_logs_is_not_left(self, tmp_path: Path, name: str) -> None:
        folder = tmp_path / "logs"
        (folder / "sub").mkdir(parents=True)
        for path in ("../secret.csv", "sub/x.csv", ".hidden.csv", "notes.txt", "log.csv"):
            (folder / path).write_text("session\n")
        (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
        assert [one.name for one in list_logs(folder)] == ["log.csv"]
        with pytest.raises(InputError):
            find_log(folder, name)
        with pytest.raises(InputError):
            find_log(None, "log.csv")

    def test_judges_see_nothing(self, store: Store, lead: Lead) -> None:
        address = lead.to_plan(make_log().encode())
        judge = Lead(store, "ana", app=lead.app)
        for path in ("/monitor/months/new", address):
            assert judge.client.get(path).status_code == 403
        for end in ("checks", "plan", "create", "cancel", "back"):
            assert judge.send(f"{address}/{end}", **FORM).status_code == 403
        assert judge.upload(b"x").status_code == 403

    def test_leads_see_their_own_drafts_alone(self, store: Store, lead: Lead) -> None:
        address = lead.to_plan(make_log().encode())
        other = Lead(store, "max", app=lead.app)
        assert other.client.get(address).status_code == 404
        for end in ("checks", "plan", "create", "cancel", "back"):
            assert other.send(f"{address}/{end}", **FORM).status_code == 404
        assert lead.client.get(address).status_code == 200
        assert store.projects.all() == []

    def test_forms_are_checked(self, store: Store, lead: Lead) -> None:
        address = lead.to_plan(make_log().encode())
        for end in ("checks", "plan", "create", "cancel", "back"):
            assert lead.send(f"{address}/{end}", csrf="x", **FORM).status_code == 403
        bad: list[dict[str, str | list[str]]] = [
            {"head": "70"}, {"head": "nan"}, {"head": "0"}, {"sizes": ["1"]}, {"seed": "-1"},
            {"depths": ["0", "1", "1"]}, {"sizes": ["9999999999", "1", "1"]}, {"earlier": "99"},
        ]  # fmt: skip
        for values in bad:
            status = lead.send(f"{address}/plan", **{**FORM, **values}).status_code
            assert status in {303, 404, 422}
            page = lead.wait(address).text
            assert status != 303 or "The sample could not be drawn." in page
            assert "Draw again" in page
        assert lead.send(f"{address}/create", copied="99").status_code == 404

    def test_projects_of_others_are_not_copied(self, store: Store, lead: Lead) -> None:
        from relyon.judging.members import restrict_to_members

        secret = store.projects.create("Secret", guideline={"en": "secret"})
        restrict_to_members(store, secret, by=store.accounts.get("max"))
        address = lead.to_plan(make_log().encode())
        assert "Secret" not in lead.client.get(address).text
        assert lead.send(f"{address}/create", copied=str(secret.id)).status_code == 404
        values = {**FORM, "earlier": str(secret.id)}
        assert lead.send(f"{address}/plan", **values).status_code == 404

    def test_a_double_submit_makes_one_project(self, store: Store, lead: Lead) -> None:
        address = lead.to_plan(make_log().encode())
        threads = [
            threading.Thread(target=lambda: lead.send(f"{address}/create")) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert lead.wait(address).status_code == 303
        assert [one.name for one in store.projects.all()] == ["2026-11"]

    def test_two_leads_at_once(self, store: Store, lead: Lead) -> None:
        other = Lead(store, "max", app=lead.app)
        one, two = lead.to_plan(make_log().encode()), other.to_plan(make_log().encode())
        lead.create(one)
        other.send(f"{two}/create")
        page = other.wait(two).text
        assert "The project was not created" in page
        assert "roject `2026-11` already exists" in page
        assert len(store.projects.all()) == 1

    def test_a_month_that_exists(self, store: Store, lead: Lead, tmp_path: Path) -> None:
        (tmp_path / "rounds" / "2026-11").mkdir(parents=True)
        answer = lead.upload(make_log().encode())
        assert (answer.status_code, "2026-11 is stored already" in answer.text) == (400, True)
        store.projects.create("2026-12")
        assert lead.upload(make_log().encode(), month="2026-12").status_code == 400
        for month in ("2026-13", "../x", ""):
            assert lead.upload(make_log().encode(), month=month).status_code in {400, 422}

    def test_cancelling_in_the_middle(
        self, store: Store, lead: Lead, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        address = lead.to_plan(make_log().encode())
        reached, going_on = threading.Event(), threading.Event()
        before = create_month_project

        def slow(store: Store, planned: object, **options: object) -> object:
            reached.set()
            going_on.wait(10)
            return before(store, planned, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(new_month, "create_month_project", slow)
        thread = threading.Thread(target=lambda: lead.send(f"{address}/create"))
        thread.start()
        assert reached.wait(10)
        folder = lead.app.state.drafts.of(2)[0].folder  # type: ignore[attr-defined]
        assert lead.send(f"{address}/cancel").status_code == 303
        going_on.set()
        thread.join()
        for _ in range(200):
            if not folder.exists():
                break
            time.sleep(0.05)
        assert not folder.exists()
        assert store.projects.all() == []
        assert lead.client.get(address).status_code == 404
        monkeypatch.undo()
        assert lead.create(lead.to_plan(make_log().encode()))

    def test_drafts_are_few_and_forgotten(
        self, store: Store, lead: Lead, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        addresses = []
        for _ in range(OWN + 1):
            addresses.append(lead.upload(make_log().encode()).headers["location"])
            lead.wait(addresses[-1])
        assert lead.client.get(addresses[0]).status_code == 404
        drafts: Drafts = lead.app.state.drafts  # type: ignore[attr-defined]
        folders = [one.folder for one in drafts.of(2)]
        assert len(folders) == OWN
        clock = time.monotonic
        monkeypatch.setattr(time, "monotonic", lambda: clock() + FORGOTTEN + 1)
        assert drafts.of(2) == []
        assert not any(one.exists() for one in folders)
