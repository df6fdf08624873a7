"""A grade of an earlier month is not used again if the document has another title now."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from tests.month_leads import Lead, make_log

from relyon.judging.records import Rating
from relyon.judging.store import Store

pytestmark = pytest.mark.long


def test_a_changed_title_is_graded_again(file_store: Store, tmp_path: Path) -> None:
    store = file_store
    store.accounts.create("ana")
    store.accounts.create("lea", role="lead")
    lead = Lead(store, rounds=tmp_path / "rounds")
    first = make_log("2026-10").encode()
    last = store.projects.get(lead.create(lead.to_plan(first, month="2026-10")))
    graded = store.items.all(last.id)[:5]
    for item in graded:
        store.grades.add(last.id, [(item, [Rating("ana", 2, at=time.time())])])
    old, spaced = graded[0], graded[1]
    log = make_log().replace(f",{old.title},", ",Another title,")
    assert "Another title" in log
    log = log.replace(f",{spaced.title},", f",{spaced.title.replace(' ', '  ')},")
    address = lead.to_plan(log.encode())
    changed = sum(one.title == old.title for one in graded)
    page = lead.client.get(address).text
    assert f"{5 - changed} grades of an earlier project will be used again" in page
    assert "another title now" in page
    project = lead.create(address, copied=str(last.id))
    said = store.grades.ratings(project)
    items = {one.id: one for one in store.items.all(project)}
    assert len(said) == 5 - changed
    assert all(items[one].title != "Another title" for one in said)
