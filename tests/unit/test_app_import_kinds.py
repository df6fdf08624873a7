"""What a lead brings in besides results: catalogues, queries, runs; and imports by programs."""

from __future__ import annotations

import time

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from tests.unit.test_app_bodies import bearer
from tests.unit.test_app_imports import count, given_grades, see, send, store
from tests.unit.test_app_lead import Somebody

from relyon.judging.needs import needs_of
from relyon.judging.records import Item, Rating
from relyon.judging.store import Store

__all__ = ["store"]

RUN = "q1 Q0 d1 1 3.0 a\nq1 Q0 d2 2 2.0 a\nq1 Q0 d3 3 1.0 a\nq2 Q0 d1 1 1.0 a\n"


def test_a_catalogue_fills_in_what_is_missing(store: Store) -> None:
    store.items.add(1, [Item("q1", "d1"), Item("q2", "d1", title="own"), Item("q1", "d2")])
    lea = Somebody(store, "lea")
    table = "id,title,price\nd1,Red,30\nd9,Blue,20\n,no id,1\n"
    page = send(lea, table, "catalogue.csv", kind="documents")
    text = see(lea, page)
    assert count(text, "Results that get a title or another text they lack") == 2
    assert count(text, "Rows about documents that this project lacks") == 1
    assert count(text, "Rows that cannot be imported") == 1
    answer = lea.post(page, {"action": "without"})
    assert "Results with new texts: 2." in answer.text
    found = {(one.query, one.document): (one.title, one.fields) for one in store.items.all(1)}
    assert found == {
        ("q1", "d1"): ("Red", {"price": "30"}),
        ("q2", "d1"): ("own", {"price": "30"}),
        ("q1", "d2"): ("", {}),
    }


def test_a_large_catalogue_ends_its_job(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("relyon.app.imports.pages.SMALL", 10)
    store.items.add(1, [Item("q1", "d1")])
    lea = Somebody(store, "lea")
    page = send(lea, "id,title\nd1,Red\n", "catalogue.csv", kind="documents")
    see(lea, page)
    job = lea.post(page, {"action": "import"}).headers["location"]
    end = time.monotonic() + 60
    while "Import complete." not in lea.get(job).text:
        assert time.monotonic() < end
        time.sleep(0.02)
    assert store.items.all(1)[0].title == "Red"
    assert store.items.add(1, [Item("q2", "d2")]) == 1  # nothing keeps others from importing


def test_queries_get_their_texts_and_needs(store: Store) -> None:
    store.items.add(1, [Item("q1", "d1"), Item("q1", "d2"), Item("q2", "d1")])
    lea = Somebody(store, "lea")
    table = "query id,搜索词,搜索需求,other\nq1,手机壳,摔不坏,x\nq3,tv,,y\n"
    page = send(lea, table, "queries.csv", kind="queries")
    text = see(lea, page)
    assert count(text, "Queries with a new information need") == 1
    assert count(text, "Results that get a title or another text they lack") == 2
    lea.post(page, {"action": "import"})
    assert [one.query_text for one in store.items.all(1)] == ["手机壳", "手机壳", ""]
    assert needs_of(store, 1, ["q1", "q2", "q3"]) == {"q1": "摔不坏"}
    assert "would change nothing" in see(lea, send(lea, table, "queries.csv", kind="queries"))


def test_the_first_results_of_a_run_are_graded(store: Store) -> None:
    lea = Somebody(store, "lea")
    page = send(lea, RUN, "bm25.run", kind="run")
    text = see(lea, page)
    assert count(text, "New results") == 4
    assert "<strong>q1</strong>: d1, d2, d3" in text
    lea.post(page, {"k": "2"})
    assert count(see(lea, page), "New results") == 3
    lea.post(page, {"action": "import", "k": "2"})
    assert [(one.query, one.document, one.rank) for one in store.items.all(1)] == [
        ("q1", "d1", 1), ("q1", "d2", 2), ("q2", "d1", 1),
    ]  # fmt: skip
    again = see(lea, send(lea, RUN, "bm25.run", kind="run"))
    assert (count(again, "New results"), count(again, "Results that are already here")) == (1, 3)


def test_two_runs_become_comparisons(store: Store) -> None:
    store.projects.create("Sides", kind="side_by_side")
    lea = Somebody(store, "lea")
    assert "command line" not in lea.get("/projects/2/data").text
    new = "query,product id,score\nq1,d2,2\nq1,d1,1\nq2,d1,1\nq9,d1,1\n"
    files = {"file": ("old.run", RUN.encode()), "other": ("new.csv", new.encode())}
    values = {"kind": "sides", "first": "old", "second": " "}
    page = lea.post("/projects/2/import", values, files=files).headers["location"]
    assert "The systems need different names" in see(lea, page)
    values["second"] = "new"
    page = lea.post("/projects/2/import", values, files=files).headers["location"]
    text = see(lea, page)
    assert count(text, "New comparisons") == 1
    assert (
        count(text, "Queries left out, because only one system has them or both show the same") == 2
    )
    lea.post(page, {"action": "import", "k": "10"})
    (pair,) = store.items.comparisons(2).values()
    assert (pair.query, pair.first, pair.second) == ("q1", "old", "new")
    assert [one.document for one in pair.second_results] == ["d2", "d1"]
    page = send(lea, "id,title\nd1,Red\nd3,Blue\n", kind="documents", project=2)
    assert count(see(lea, page), "Comparisons that get a title or another text they lack") == 1
    lea.post(page, {"action": "import"})
    (pair,) = store.items.comparisons(2).values()
    assert [one.title for one in pair.first_results] == ["Red", "", "Blue"]
    assert send(lea, "query,doc\nq,d\n", project=2)
    assert "cannot be imported into the project" in see(
        lea, send(lea, "query,doc\nq,d\n", project=2)
    )


def test_gold_answers_need_a_grade(store: Store) -> None:
    lea = Somebody(store, "lea")
    page = send(lea, "query,doc,grade\nq,d1,3\nq,d2,\n")
    lea.post(page, {"mode": "gold"})
    text = see(lea, page)
    assert count(text, "Gold answers") == 1
    assert count(text, "Results left out, because gold answers need a grade") == 1
    lea.post(page, {"action": "import", "mode": "gold"})
    assert list(store.gold.all(1).values()) == [3.0] or len(store.gold.all(1)) == 1


def test_a_corrected_file_replaces_grades(store: Store) -> None:
    store.grades.add(1, [(Item("q", "d"), [Rating("ana", 3)])])
    lea = Somebody(store, "lea")
    page = send(lea, "query,doc,judge,grade\nq,d,ana,1\n")
    assert count(see(lea, page), "Rows that cannot be imported") == 1
    lea.post(page, {"mode": "update"})
    assert count(see(lea, page), "New grades") == 1
    lea.post(page, {"action": "import", "mode": "update"})
    assert list(given_grades(store).values()) == [{"ana": 1.0}]


def test_programs_see_what_an_import_would_change(store: Store) -> None:
    own = {**bearer(store, "lea"), "Content-Type": "text/plain"}
    client = Somebody(store, "lea").client
    table = "words,sku,title\nq,d1,A\nq,,B\n"
    path = "/api/projects/1/import?column=query=words"
    answer = client.post(f"{path}&dry_run=true", content=table, headers=own).json()
    assert (answer["new"], answer["rows"], answer["refused_rows"]) == (1, 2, 1)
    assert answer["refused"] == [{"place": 3, "reason": "the query or the document is empty"}]
    assert store.items.all(1) == []
    assert client.post(path, content=table, headers=own).status_code == 400
    assert store.items.all(1) == []
    answer = client.post(f"{path}&without_refused=true", content=table, headers=own)
    assert answer.json() == {"items": 1, "grades": 0}
    needs = "query,need\nq,a gift\n"
    answer = client.post("/api/projects/1/import?kind=queries", content=needs, headers=own)
    assert answer.json() == {"filled": 0, "needs": 1}
    graded = "query,doc,Ann\nq,d7,3\nq,d8,0\n"
    answer = client.post("/api/projects/1/import", content=graded, headers=own)
    assert answer.status_code == 400
    assert "judges would see `Ann`" in answer.json()["error"]["message"]
    judge = {**bearer(store, "ana"), "Content-Type": "text/plain"}
    assert client.post(f"{path}&dry_run=true", content=table, headers=judge).status_code == 403
