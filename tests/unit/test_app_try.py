"""The tab Try: who may ask an engine, what is shown, and what goes wrong."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpcore2")

from tests.unit.scripted_engine import Asked, Script
from tests.unit.tries import ENGINE, SECRET, Visit, fields, fill, hits, row, token, words

import relyon
from relyon.app.engines import pages, trying
from relyon.app.engines.gate import PER_MINUTE
from relyon.app.protection import csrf_token
from relyon.judging.events import list_events
from relyon.judging.exchange import final_judgments
from relyon.judging.records import Item, Project, Rating
from relyon.judging.store import Store


@pytest.fixture
def project(store: Store) -> Project:
    return fill(store)


def test_two_variants_beside_each_other(store: Store, project: Project, tmp_path: Path) -> None:
    with Visit(store, tmp_path) as visit:
        page = visit.ask()
        assert sorted(one.body for one in visit.came) == [
            b'{"q":"red shoes","size":10,"boost":1.0}',
            b'{"q":"red shoes","size":10,"boost":3.0}',
        ]
        assert {one.path for one in visit.came} == {"/books/search"}
    first, second = words(row(page, "a1")), words(row(page, "b1"))
    assert first.startswith("1 High median · 2 judges NDCG@1 1.000 Title d1 d1 · score 9.500")
    assert "Text of <b>d1</b>" in first
    assert second.startswith("1 ↑2 2 ranks higher Low gold")
    assert "2 ↓1 1 ranks lower High" in words(row(page, "b2"))
    assert "3 new unjudged" in words(row(page, "b3"))
    assert "2 only here unjudged" in words(row(page, "a2"))
    assert "https://shop.example/d1" in row(page, "a1")
    assert "Judged 2 of 3 Latency" in words(page)
    assert "(4 ms by its own clock)" in words(page) or "4 ms by its own clock" in words(page)
    events = [one for one in list_events(store) if one.kind == "engine_asked"]
    assert [(one.actor, one.detail) for one in events] == [("lea", "June: shop, base, high")]


def test_the_values_are_those_of_an_evaluation(
    store: Store, project: Project, tmp_path: Path
) -> None:
    with Visit(store, tmp_path) as visit:
        page = visit.ask()
    judgments = final_judgments(store, project.id)[0]
    for side, ids in (("a", ["d1", "d2", "d3"]), ("b", ["d3", "d1", "d9"])):
        run = relyon.Run.from_dict({"q1": {id: 9.0 - n for n, id in enumerate(ids)}})
        only = relyon.Judgments.from_dict({"q1": judgments.to_dict()["q1"]}, scale=judgments.scale)
        names = ["NDCG@1", "NDCG@2", "NDCG@3", "NDCG@10"]
        found = relyon.evaluate(only, run, measures=names)
        for rank in (1, 2, 3):
            assert f"NDCG@{rank} {found[f'NDCG@{rank}']:.3f}" in words(row(page, f"{side}{rank}"))
        # The ideal list is longer than this one.
        assert f"NDCG@10 {found['NDCG@10']:.3f}" in words(page)


def test_reading_the_page_asks_nothing(store: Store, project: Project, tmp_path: Path) -> None:
    with Visit(store, tmp_path) as visit:
        address = "/projects/1/try?query=red+shoes&engine=shop&a=high&b=base&a.p.boost=7"
        page = visit.client.get(address).text
        assert visit.came == []
        assert 'value="red shoes"' in page
        assert re.search(r'<option value="high" selected', page)
        visit.ask()
        count = len(visit.came)
        assert "Title d1" in visit.client.get(f"/projects/1/try?at={token(visit.ask())}").text
        assert len(visit.came) == count + 2


def test_judges_and_strangers_may_not(store: Store, project: Project, tmp_path: Path) -> None:
    for name in ("ana", ""):
        with Visit(store, tmp_path, name=name) as visit:
            found = visit.client.get("/projects/1/try")
            assert (found.status_code == 403) if name else ("/sign-in" in str(found.url))
            data = {"engine": "shop", "query": "x", "csrf": csrf_token(visit.secret)}
            for path in ("", "/grade", "/undo", "/queue"):
                found = visit.client.post(f"/projects/1/try{path}", data=data)
                assert found.status_code in (403, 422) or "/sign-in" in str(found.url)
            assert visit.came == []


def test_only_our_own_form_asks(store: Store, project: Project, tmp_path: Path) -> None:
    with Visit(store, tmp_path) as visit:
        data = {"engine": "shop", "of": "shop", "query": "x", "a": "base", "csrf": "0" * 64}
        assert visit.client.post("/projects/1/try", data=data).status_code == 403
        assert visit.came == []


def test_the_operators_engines_only(store: Store, project: Project, tmp_path: Path) -> None:
    other = store.projects.create("July")
    with Visit(store, tmp_path, engine=f"{ENGINE}projects = [1]\n") as visit:
        data = {"csrf": csrf_token(visit.secret), "engine": "shop", "of": "shop", "query": "x"}
        found = visit.client.post(f"/projects/{other.id}/try", data=data)
        assert found.status_code == 400
        assert "not available here" in words(found.text)
        for name in ("../shop", "http://127.0.0.1/", ""):
            found = visit.client.post("/projects/1/try", data={**data, "engine": name})
            assert found.status_code == 400
        assert visit.came == []
        assert 'href="/projects/1/try"' in visit.client.get("/projects/1").text
        assert "/try" not in visit.client.get(f"/projects/{other.id}").text


def test_parameters_can_be_changed(store: Store, project: Project, tmp_path: Path) -> None:
    with Visit(store, tmp_path) as visit:
        page = visit.ask(a__p__boost="2", b="", b__of="")
        (asked,) = visit.came
        assert asked.json == {"q": "red shoes", "size": 10, "boost": 2}
        assert "base changed" in words(page)
        assert 'name="a.p.boost" value="2"' in page
        wrong = visit.ask(a__p__boost="much", status=400)
        assert "must be a number" in words(wrong)
        assert 'value="much"' in wrong
        # What belongs to another variant is not taken for this one's.
        visit.ask(a="high", a__p__boost="2", b="", b__of="")
        assert visit.came[-1].json == {"q": "red shoes", "size": 10, "boost": 3.0}
        count = len(visit.came)
        filled = visit.ask(a="high", a__p__boost="2", fill="true")
        assert 'name="a.p.boost" value="3.0"' in filled
        assert len(visit.came) == count


def test_parameters_and_bodies_stay_as_they_are_unless_allowed(
    store: Store, project: Project, tmp_path: Path
) -> None:
    with Visit(store, tmp_path, engine=f"{ENGINE}editable = []\n") as visit:
        page = visit.ask(a__p__boost="2", a__body='{"all": 1}')
        assert {one.json["boost"] for one in visit.came} == {1.0, 3.0}  # type: ignore[index]
        assert 'name="a.p.boost"' not in page
        assert 'name="a.body"' not in page


def test_a_body_can_be_changed_where_it_is_allowed(
    store: Store, project: Project, tmp_path: Path
) -> None:
    engine = f'{ENGINE}editable = ["parameters", "body"]\n'
    with Visit(store, tmp_path, engine=engine) as visit:
        body = '{"match": "{query}", "boost": "{boost}"}'
        page = visit.ask(a__body=body, b="", b__of="")
        (asked,) = visit.came
        assert asked.json == {"match": "red shoes", "boost": 1.0}
        assert "base changed" in words(page)
        assert body in html.unescape(page)
        assert "not a body" in words(visit.ask(a__body='{"match":', status=400))
        # A secret of the environment is filled in nowhere but where the operator wrote it.
        for name in ("nope", "SEARCH_KEY"):
            typed = f'{{"a": "${{{name}}} {{boost}}"}}'
            found = words(visit.ask(a__body=typed, status=400))
            assert f"o request has a value for the placeholder {name}" in found.replace("`", "")
        assert len(visit.came) == 1


@pytest.mark.parametrize(
    "index",
    ["../admin", "..", "a/b", "x?y=1", "x#y", "@evil.example/", "http://evil.example", "a%2e%2e",
     "x\r\nHost: evil.example", "书"],
)  # fmt: skip
def test_a_parameter_stays_within_its_part_of_the_path(
    store: Store, project: Project, tmp_path: Path, index: str
) -> None:
    with Visit(store, tmp_path) as visit:
        visit.ask(a__p__index=index, b="", b__of="")
        for one in visit.came:
            assert re.fullmatch(r"/[^/?#]+/search", one.target)
            assert one.headers["host"] == visit.address.removeprefix("http://")
            assert one.path == f"/{index}/search"
            assert one.headers["authorization"] == f"ApiKey {SECRET}"
        assert len(visit.came) == 1


def refusing(asked: Asked) -> Script:
    said = {"error": {"reason": f"cannot parse with {SECRET} at {asked.headers['host']}"}}
    return Script(said, 400)


@pytest.mark.parametrize(
    ("reply", "english", "chinese"),
    [
        (refusing, "refuses this query. Change the query or the parameters. It says: HTTP 400:"
         " cannot parse with *** at ***", "引擎拒绝了这条查询"),
        (lambda _: Script({}, 503, {"Retry-After": "1"}), "too busy", "引擎太忙"),
        (lambda _: Script({}, 429, {"Retry-After": "9999"}), "too busy", "引擎太忙"),
        (lambda _: Script(cut=True), "cannot be reached", "无法连接引擎"),
        (lambda _: Script(b'{"hits": [', length=99), "only in part", "只收到了一部分"),
        (lambda _: Script(b"<html>"), "not one of results", "不是搜索结果"),
        (lambda _: Script({"hits": [{"id": None}]}), "not one of results", "不是搜索结果"),
        (lambda _: Script({}, 401), "cannot be asked", "无法使用这个引擎"),
        (lambda _: Script({}, 404), "cannot be asked", "无法使用这个引擎"),
        (lambda _: Script({"hits": []}), "no result for this query", "没有返回结果"),
        (lambda _: Script(wait=5), "No answer in time", "没有按时返回"),
        (lambda _: Script(b"x" * 9000, trickle=0.02), "No answer in time", "没有按时返回"),
        (lambda asked: Script({}, 302, {"Location": f"http://{asked.headers['host']}/inner"}),
         "cannot be asked", "无法使用这个引擎"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_said_in_both_languages(
    file_store: Store,
    tmp_path: Path,
    reply: Callable[[Asked], Script],
    english: str,
    chinese: str,
) -> None:
    store = file_store
    store.accounts.create("lea", role="lead")
    store.projects.create("June")
    engine = ENGINE.replace("timeout = 2.0", "timeout = 0.4")
    with Visit(store, tmp_path, reply, engine=engine) as visit:
        for language, said in (("en", english), ("zh", chinese)):
            visit.client.cookies.set("relyon_language", language)
            page = words(visit.ask(b="", b__of=""))
            assert said in page
            assert "Traceback" not in page
        assert len(visit.came) == 2


def test_a_huge_answer_is_cut(
    file_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from relyon.engines.http import client

    monkeypatch.setattr(client, "MOST_BYTES", 100_000)
    file_store.accounts.create("lea", role="lead")
    file_store.projects.create("June")
    with Visit(file_store, tmp_path, lambda _: Script(b"[" + b"1," * 200_000)) as visit:
        assert "cannot be asked" in words(visit.ask(b="", b__of=""))


def test_this_network_is_out_of_reach_unless_allowed(
    store: Store, project: Project, tmp_path: Path
) -> None:
    with Visit(store, tmp_path, engine=ENGINE.replace("private = true", "")) as visit:
        assert "has not allowed" in words(visit.ask())
        assert visit.came == []


def test_how_often(file_store: Store, tmp_path: Path) -> None:
    file_store.accounts.create("lea", role="lead")
    file_store.projects.create("June")
    with Visit(file_store, tmp_path) as visit:
        for _ in range(PER_MINUTE):
            visit.ask(b="", b__of="")
        page = words(visit.ask(status=400))
        assert f"At most {PER_MINUTE} tries per minute. Try again in" in page
        assert len(visit.came) == PER_MINUTE


def test_a_character_that_no_database_stores_ends_no_turn(
    store: Store, project: Project, tmp_path: Path
) -> None:
    with Visit(store, tmp_path) as visit:
        for wrong in ({"query": "red\0shoes"}, {"query": "red", "id": "q\0"}):
            found = visit.post("", engine="shop", **wrong)
            assert found.status_code == 400
            assert "contains a character that cannot be stored" in words(found.text)
        assert visit.client.get("/projects/1/try?query=%00").status_code == 400
        assert visit.came == []
        visit.ask()


@pytest.mark.parametrize(
    "engine", [ENGINE, ENGINE.replace("timeout =", "concurrency = 1\ntimeout =")]
)
def test_an_id_that_contains_a_secret_is_not_shown_and_ends_its_turn(
    store: Store, project: Project, tmp_path: Path, caplog: pytest.LogCaptureFixture, engine: str
) -> None:
    ids = iter([SECRET, SECRET, "d1", "d2"])
    with Visit(
        store, tmp_path, lambda _: Script({"hits": hits(next(ids))}), engine=engine
    ) as visit:
        page = visit.ask()
        assert words(page).count("cannot be asked") == 2
        assert SECRET not in page + caplog.text
        assert "Title d1" in visit.ask()


def test_what_nobody_expected_is_logged_without_secrets(
    store: Store,
    project: Project,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def odd(*values: object) -> None:
        raise OverflowError(f"no place for {SECRET}")

    monkeypatch.setattr(trying, "_with", odd)
    with Visit(store, tmp_path) as visit:
        page = visit.ask()
    assert "no place for ***" in caplog.text
    assert SECRET not in page + caplog.text


def test_a_try_that_cannot_be_written_down_ends_its_turn(
    store: Store, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*values: object) -> None:
        raise OSError("disk full")

    with Visit(store, tmp_path) as visit:
        with monkeypatch.context() as patched:
            patched.setattr(pages, "note_event", full)
            with pytest.raises(OSError, match="disk full"):
                visit.post("", engine="shop", query="red")
        assert visit.came == []
        visit.ask()


def test_no_tab_for_preferences_or_without_engines(store: Store, tmp_path: Path) -> None:
    store.accounts.create("lea", role="lead")
    store.projects.create("Side", kind="side_by_side")
    with Visit(store, tmp_path) as visit:
        assert visit.client.get("/projects/1/try").status_code == 404
        assert "/projects/1/try" not in visit.client.get("/projects/1").text


def test_odd_queries_and_ids(store: Store, project: Project, tmp_path: Path) -> None:
    odd = 'a"b<c>/é 书&x=1'
    found = [{"id": odd, "score": 1, "name": "<script>alert(1)</script>", "link": "javascript:x"}]
    with Visit(store, tmp_path, lambda _: Script({"hits": found})) as visit:
        page = visit.ask(f"  {odd}\n ")
        assert visit.came[0].json["q"] == odd  # type: ignore[index]
        assert "<script>alert" not in page
        assert 'href="javascript' not in page
        sent = {name: html.unescape(one) for name, one in fields(page, "a1").items()}
        assert "Stored:" in words(visit.post("/grade", **{**sent, "grade": "1"}).text)
        assert visit.post("", engine="shop", query=" ").status_code == 400
        assert visit.post("", engine="shop", query="x" * 2000).status_code == 422
        assert visit.post("", engine="shop", query="x", k="51").status_code == 422


def test_explanations_of_scores(store: Store, project: Project, tmp_path: Path) -> None:
    found = [{**one, "why": {"value": 9.5, "of": SECRET}} for one in hits("d1")]
    engine = ENGINE.replace('took = "ms"', 'explanation = "why"')
    with Visit(store, tmp_path, lambda _: Script({"hits": found}), engine=engine) as visit:
        page = visit.ask(explain="true", b="", b__of="")
        assert "Explanation by the engine" in words(row(page, "a1"))
        assert "***" in row(page, "a1")


def test_the_results_of_a_query_lead_here(store: Store, project: Project, tmp_path: Path) -> None:
    with Visit(store, tmp_path) as visit:
        page = visit.client.get("/projects/1/results?query=q1&exact=true").text
        assert 'href="/projects/1/try?query=q1"' in page
        # A page shows what the query is in words.
        assert 'value="red shoes"' in visit.client.get("/projects/1/try?query=q1").text


def test_two_queries_of_one_text(store: Store, project: Project, tmp_path: Path) -> None:
    store.grades.add(project.id, [(Item("q7", "d1", "red shoes"), [Rating("ana", 0)])])
    with Visit(store, tmp_path) as visit:
        page = visit.client.get("/projects/1/try?query=q7").text
        assert 'name="id" value="q7"' in page
        assert "None median" in words(row(visit.ask(id="q7"), "a1"))
        assert "High median" in words(row(visit.ask(id="q1"), "a1"))
        # Another text is another query.
        assert "unjudged" in words(row(visit.ask("blue shoes", id="q7"), "a1"))
