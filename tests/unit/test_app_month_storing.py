"""The month of a project: its gate, and notes on it."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")
pytest.importorskip("vl_convert")

from tests.month_leads import Lead, make_log

import relyon
from relyon.judging.records import Item, Rating
from relyon.judging.store import Store

pytestmark = pytest.mark.long


@pytest.fixture
def store(file_store: Store) -> Store:
    file_store.accounts.create("ana")
    file_store.accounts.create("lea", role="lead")
    file_store.accounts.create("max", role="lead")
    return file_store


@pytest.fixture
def lead(store: Store, tmp_path: Path) -> Lead:
    return Lead(store, rounds=tmp_path / "rounds")


class TestStoring:
    @pytest.fixture
    def graded(self, store: Store, lead: Lead) -> int:
        """A project of a month, graded whole by one judge."""
        project = lead.create(lead.to_plan(make_log().encode()), overlap="1")
        for item in store.items.all(project):
            grade = int(item.document[-1]) - 1
            store.grades.add(project, [(item, [Rating("ana", grade)])])
        return project

    def test_the_gate_has_to_be_accepted(
        self, store: Store, lead: Lead, graded: int, tmp_path: Path
    ) -> None:
        assert f"/projects/{graded}/month" in lead.client.get(f"/projects/{graded}").text
        page = lead.client.get(f"/projects/{graded}/month").text
        assert "Store the month only if you accept: no guideline." in page
        assert "Each result has one judge" in page
        answer = lead.send(f"/projects/{graded}/month")
        assert answer.status_code == 400
        assert not list((tmp_path / "rounds").glob("2*"))
        values = {"accept": "true", "reason": "the guideline is on paper"}
        answer = lead.send(f"/projects/{graded}/month", **values)
        assert answer.headers["location"] == "/monitor?added=2026-11"
        found = relyon.monitor(tmp_path / "rounds")
        assert found.months == ("2026-11",)
        assert [one.text for one in found.month_notes] == ["the guideline is on paper"]
        assert lead.send(f"/projects/{graded}/month", **values).status_code == 400
        assert "2026-11 is stored." in lead.client.get(f"/projects/{graded}/month").text
        page = lead.client.get("/monitor").text
        for word in ("no alarm", "recall is failing", "Compare two months"):
            assert word not in page
        assert "takes a second month" in page

    def test_a_good_month_needs_no_reason(self, store: Store, lead: Lead, graded: int) -> None:
        store.projects.set_guideline(graded, {"en": "Read."})
        assert "The month may be stored." in lead.client.get(f"/projects/{graded}/month").text
        assert lead.send(f"/projects/{graded}/month").status_code == 303

    def test_the_target_is_a_setting(self, store: Store, lead: Lead, graded: int) -> None:
        lead.send(f"/projects/{graded}/settings", name="2026-11", target="0.75")
        assert store.projects.get(graded).target_agreement == 0.75
        assert 'value="0.75"' in lead.client.get(f"/projects/{graded}/settings").text
        for text in ("2", "x", "nan", "-inf"):
            answer = lead.send(f"/projects/{graded}/settings", name="2026-11", target=text)
            assert answer.status_code == 400
        lead.send(f"/projects/{graded}/settings", name="2026-11", target="")
        assert store.projects.get(graded).target_agreement is None

    def test_projects_without_a_sample_have_no_month(self, store: Store, lead: Lead) -> None:
        other = store.projects.create("Other")
        store.grades.add(other.id, [(Item("tv", "a"), [Rating("ana", 1)])])
        assert lead.client.get(f"/projects/{other.id}/month").status_code == 404
        assert lead.send(f"/projects/{other.id}/month").status_code == 404
        judge = Lead(store, "ana", app=lead.app)
        assert judge.client.get(f"/projects/{other.id}/month").status_code == 403

    def test_notes_are_on_stored_months(
        self, store: Store, lead: Lead, graded: int, tmp_path: Path
    ) -> None:
        store.projects.set_guideline(graded, {"en": "Read."})
        lead.send(f"/projects/{graded}/month")
        assert lead.send("/monitor/notes", month="2026-11", text="release <4.2>").status_code == 303
        assert "release &lt;4.2&gt;" in lead.client.get("/monitor").text
        assert lead.send("/monitor/notes", month="2026-12", text="x").status_code == 404
        assert lead.send("/monitor/notes", month="../../x", text="x").status_code == 404
        assert lead.send("/monitor/notes", month="2026-11", text=" ").status_code == 400
        assert (
            Lead(store, "ana", app=lead.app).send("/monitor/notes", month="2026-11").status_code
            == 403
        )
