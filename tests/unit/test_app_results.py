"""Pages of results: the list, one result, corrections, and who may see them."""

from __future__ import annotations

import html
import re

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from fastapi.testclient import TestClient

from relyon.app import create_app
from relyon.app.protection import csrf_token
from relyon.judging.access import create_token, start_sign_in
from relyon.judging.records import Item, Rating
from relyon.judging.store import Store

HOSTILE = "<script>broken()</script>"


class Somebody:
    """Somebody signed in, who follows links and fills in forms."""

    def __init__(self, store: Store, name: str) -> None:
        self.client = TestClient(create_app(store), follow_redirects=False)
        self.secret = start_sign_in(store, store.accounts.get(name))
        self.client.cookies.set("relyon_session", self.secret)

    def get(self, path: str, **more):
        return self.client.get(path, **more)

    def post(self, path: str, values: dict, **more):
        return self.client.post(path, data={"csrf": csrf_token(self.secret), **values}, **more)


@pytest.fixture
def store(store: Store) -> Store:
    store.accounts.create("lea", role="lead")
    project = store.projects.create("June", overlap=2)
    store.grades.add(
        project.id,
        [
            (
                Item("red shoes", "d1", title="Red runner", tier="head"),
                [Rating("ana", 3, note=HOSTILE), Rating("bo", 0)],
            ),
            (
                Item("red shoes", "d2", title=HOSTILE, tier="head"),
                [Rating("ana", 3), Rating("bo", 3)],
            ),
            (
                Item("红色 运动鞋", "d3", title="跑鞋", tier="tail"),
                [Rating("ana", None, "language")],
            ),
        ],
    )
    store.items.add(project.id, [Item("tv", "d4", title="Fernseher")])
    other = store.projects.create("July")
    store.items.add(other.id, [Item("tv", "d4", title="Other")])
    return store


@pytest.fixture
def lea(store: Store) -> Somebody:
    return Somebody(store, "lea")


def shown(answer) -> list[str]:
    """Returns the titles in the list."""
    assert answer.status_code == 200, answer.text
    found = re.findall(r'<td class="text"><a href="[^"]*">(.*?)</a>', answer.text, re.DOTALL)
    return [html.unescape(one) for one in found]


FILTERS = [
    ("", {"Red runner", HOSTILE, "跑鞋", "Fernseher"}),
    ("query=SHOES", {"Red runner", HOSTILE}),
    ("query=运动", {"跑鞋"}),
    ("query=red&exact=true", set()),
    ("query=red+shoes&exact=true", {"Red runner", HOSTILE}),
    ("query=runner", set()),
    ("text=RUNNER", {"Red runner"}),
    ("text=d4", {"Fernseher"}),
    ("text=%25", set()),
    ("text=_", set()),
    ("state=disagreement", {"Red runner"}),
    ("state=done", {HOSTILE}),
    ("state=cannot", {"跑鞋"}),
    ("state=open", {"Fernseher"}),
    ("state=removed", set()),
    ("lowest=3", {"Red runner", HOSTILE}),
    ("highest=0", {"Red runner"}),
    ("lowest=1&highest=2", set()),
    ("tier=tail", {"跑鞋"}),
    ("noted=true", {"Red runner"}),
    ("imported=true", {"Red runner", HOSTILE, "跑鞋"}),
    ("since=2000-01-01", {"Red runner", HOSTILE, "跑鞋", "Fernseher"}),
    ("until=2000-01-01", set()),
    ("query=&state=&judge=&lowest=&since=", {"Red runner", HOSTILE, "跑鞋", "Fernseher"}),
]


def test_the_list_is_filtered(lea: Somebody) -> None:
    for address, titles in FILTERS:
        assert set(shown(lea.get(f"/projects/1/results?{address}"))) == titles, address


def test_the_list_is_filtered_by_judge_and_grade(lea: Somebody, store: Store) -> None:
    bo = store.accounts.get("bo").id
    ana = store.accounts.get("ana").id
    assert set(shown(lea.get(f"/projects/1/results?judge={bo}"))) == {"Red runner", HOSTILE}
    assert shown(lea.get(f"/projects/1/results?judge={bo}&highest=1")) == ["Red runner"]
    assert shown(lea.get(f"/projects/1/results?judge={ana}&highest=1")) == []


def test_the_list_is_sorted(lea: Somebody) -> None:
    assert shown(lea.get("/projects/1/results?order=spread"))[0] == "Red runner"
    assert shown(lea.get("/projects/1/results?order=added"))[-1] == "Fernseher"
    assert shown(lea.get("/projects/1/results?order=query"))[2:] == ["Fernseher", "跑鞋"]
    assert lea.get("/projects/1/results?order=worst").status_code == 422


def test_pages_follow_each_other(lea: Somebody, store: Store) -> None:
    store.items.add(2, [Item(f"q{n % 7}", f"x{n}", title=f"Title {n}") for n in range(170)])
    for order in ("newest", "query", "spread", "added"):
        for more in ("", "text=title&", "text=7&"):
            address, found = f"/projects/2/results?{more}order={order}", []
            while address:
                page = lea.get(address)
                found += shown(page)
                link = re.search(r'rel="next" href="([^"]*)"', page.text)
                address = html.unescape(link[1]) if link else ""
            names = {n: f"q{n % 7} x{n}" for n in range(170)}
            wanted = [f"Title {n}" for n in names if more != "text=7&" or "7" in names[n]]
            assert sorted(found) == sorted([*wanted, *([] if more else ["Other"])])


def test_hostile_texts_are_texts(lea: Somebody) -> None:
    for path in ("/projects/1/results", "/projects/1/results/1", "/projects/1/results/2"):
        assert HOSTILE not in lea.get(path).text
    answer = lea.get("/projects/1/results", params={"query": HOSTILE, "back": "javascript:x"})
    assert HOSTILE not in answer.text
    assert "javascript:" not in answer.text


def test_an_unknown_page_is_no_failure(lea: Somebody) -> None:
    for after in ("x", "1", "1:x", "-5:1.0", "99999999999:1.0", "1:nan\x00"):
        answer = lea.get("/projects/1/results", params={"after": after})
        assert answer.status_code in (200, 400), after


def test_a_result_shows_all_that_happened(lea: Somebody, store: Store) -> None:
    page = lea.get("/projects/1/results/1").text
    for told in ("Red runner", "red shoes", "ana", "bo", "Grade imported", html.escape(HOSTILE)):
        assert told in page
    assert lea.get("/projects/2/results/1").status_code == 404
    assert lea.get("/projects/1/results/99").status_code == 404


def ask(lea: Somebody, **values):
    return lea.post("/projects/1/results/ask", {"request": "r1", "kind": "remove", **values})


def test_a_selection_is_removed_and_taken_back(lea: Somebody, store: Store) -> None:
    asked = ask(lea, item=["1", "2"])
    assert "Remove: 2 results?" in asked.text
    form = dict(re.findall(r'name="(\w+)" value="([^"]*)"', asked.text))
    done = lea.post("/projects/1/results/correct", {**form, "item": ["1", "2"], "reason": "why"})
    assert done.headers["location"] == "/projects/1/corrections/1"
    page = lea.get("/projects/1/corrections/1").text
    assert "2 of 2 results changed" in page
    assert set(shown(lea.get("/projects/1/results"))) == {"跑鞋", "Fernseher"}
    assert set(shown(lea.get("/projects/1/results?state=removed"))) == {"Red runner", HOSTILE}
    history = lea.get("/projects/1/results/1").text
    assert "Removed" in history
    assert "why" in history
    lea.post("/projects/1/corrections/1/undo", {"key": "u1"})
    assert len(store.items.all(1)) == 4
    assert "It was undone" in lea.get("/projects/1/corrections/1").text
    assert lea.get("/projects/2/corrections/1").status_code == 404


def test_all_that_a_filter_finds_is_counted_before(lea: Somebody, store: Store) -> None:
    asked = ask(lea, every="true", shown="query=red&exact=false")
    assert "Remove: 2 results?" in asked.text
    values = {"kind": "decide", "grade": "2", "reason": "all", "every": "true"}
    values |= {"shown": "query=red", "request": "r2"}
    done = lea.post("/projects/1/results/correct", values)
    for _ in range(200):
        page = lea.get(done.headers["location"])
        if "results changed" in page.text:
            break
    assert store.decisions.all(1) == {1: 2.0, 2: 2.0}
    assert "decided" in lea.get("/projects/1/results?state=decided").text


def test_a_correction_needs_a_reason_and_a_known_list(lea: Somebody, store: Store) -> None:
    values = {"kind": "remove", "item": ["1"], "request": "r3"}
    assert lea.post("/projects/1/results/correct", values).status_code == 400
    assert ask(lea, every="true", shown="state=lost").status_code == 400
    assert ask(lea, kind="undo", item=["1"]).status_code == 422
    assert len(store.items.all(1)) == 4


def test_results_of_a_query_are_found_from_a_month(lea: Somebody) -> None:
    found = lea.get("/results", params={"query": "red shoes", "back": "/monitor"})
    assert found.status_code == 303
    page = lea.get(found.headers["location"])
    assert set(shown(page)) == {"Red runner", HOSTILE}
    assert 'href="/monitor">← ' in page.text
    several = lea.get("/results", params={"query": "tv"}).text
    assert "/projects/1/results?" in several
    assert "/projects/2/results?" in several
    assert "None of your projects" in lea.get("/results", params={"query": "x\x00"}).text


READS = ["/projects/1/results", "/projects/1/results/1", "/projects/1/corrections/1"]
WRITES = [
    "/projects/1/results/ask",
    "/projects/1/results/correct",
    "/projects/1/corrections/1/undo",
]


def test_judges_see_and_change_nothing(store: Store) -> None:
    store.accounts.create("jo")
    jo = Somebody(store, "jo")
    token = {"Authorization": f"Bearer {create_token(store, store.accounts.get('jo'), 'x')}"}
    for path in READS:
        assert jo.get(path).status_code == 403
    for path in WRITES:
        values = {"kind": "remove", "item": ["1"], "reason": "x", "request": "r", "key": "k"}
        assert jo.post(path, values).status_code == 403
    for path in ("/api/projects/1/results", "/api/projects/1/results/1"):
        assert jo.get(path, headers=token).status_code == 403
    sent = {"kind": "remove", "items": [1], "reason": "x", "key": "k"}
    assert (
        jo.client.post("/api/projects/1/corrections", json=sent, headers=token).status_code == 403
    )
    assert "None of your projects" in jo.get("/results?query=tv").text
    assert len(store.items.all(1)) == 4


def test_forms_of_other_sites_change_nothing(lea: Somebody, store: Store) -> None:
    for path in WRITES:
        values = {"kind": "remove", "item": ["1"], "reason": "x", "request": "r", "key": "k"}
        assert lea.client.post(path, data=values).status_code == 403
    assert len(store.items.all(1)) == 4


def test_programs_find_and_correct_results(store: Store) -> None:
    client = TestClient(create_app(store))
    token = create_token(store, store.accounts.get("lea"), "x")
    client.headers["Authorization"] = f"Bearer {token}"
    found = client.get("/api/projects/1/results?query=red&order=added").json()
    assert [one["item"]["title"] for one in found["results"]] == ["Red runner", HOSTILE]
    assert found["results"][0]["final"] == {"grade": 0.0, "source": "median"}
    assert (found["count"]["count"], found["next"], found["complete"]) == (2, "", True)
    sent = {"kind": "decide", "items": [1], "grade": 1, "reason": "so", "key": "k1"}
    made = client.post("/api/projects/1/corrections", json=sent).json()
    assert (made["applied"], made["state"], made["lead"]) == (1, "done", "lea")
    assert client.post("/api/projects/1/corrections", json=sent).json()["id"] == made["id"]
    one = client.get("/api/projects/1/results/1").json()
    assert one["final"] == {"grade": 1.0, "source": "decision"}
    assert [event["kind"] for event in one["history"]][-1] == "decide"
    assert client.get("/api/projects/2/results/1").status_code == 404
    undone = client.post("/api/projects/1/corrections/1/undo", json={"key": "k2"}).json()
    assert (undone["kind"], undone["applied"]) == ("undo", 1)
    assert store.decisions.all(1) == {}
    assert client.get("/api/projects/1/corrections/1").json()["undone"]
    for wrong in ({}, {"items": [1], "filter": {}}, {"items": [1], "kind": "undo"}, {"x": 1}):
        sent = {"kind": "remove", "reason": "x", "key": "k3", **wrong}
        assert client.post("/api/projects/1/corrections", json=sent).status_code == 422


def test_a_judge_finds_and_changes_own_grades(store: Store) -> None:
    ana, bo = Somebody(store, "ana"), Somebody(store, "bo")
    page = ana.get("/projects/1/mine").text
    for told in ("Red runner", "跑鞋", html.escape(HOSTILE)):
        assert told in page
    assert "Fernseher" not in page
    assert HOSTILE not in page
    assert "Red runner" not in ana.get("/projects/1/mine?text=跑").text
    assert "跑鞋" in ana.get("/projects/1/mine?cannot=true").text
    assert "Red runner" not in ana.get("/projects/1/mine?grade=0").text
    forms = re.findall(r'name="number" value="(\d+)".*?name="undoes" value="([^"]*)"', page, re.S)
    number, _ = forms[-1]
    changed = ana.post("/projects/1/mine", {"number": number, "grade": "1", "key": "new"})
    assert changed.status_code == 303
    assert store.grades.by_judge(1)[1] == {"ana": 1.0, "bo": 0.0}
    # The number is of the project, and what was never given cannot be graded.
    assert (
        bo.post("/projects/2/mine", {"number": number, "grade": "1", "key": "x"}).status_code == 404
    )
    page = ana.get("/projects/1/mine?grade=1").text
    (found,) = re.findall(r'name="undoes" value="([^"]*)"', page)
    ana.post("/projects/1/mine", {"number": number, "undoes": found, "key": "back"})
    # The grade before is there again.
    assert store.grades.by_judge(1)[1] == {"ana": 3.0, "bo": 0.0}
    assert ana.client.post("/projects/1/mine", data={"number": number}).status_code in (403, 422)


def test_own_grades_do_not_tell_gold_from_others(store: Store) -> None:
    ana = Somebody(store, "ana")
    before = ana.get("/projects/1/mine").text
    store.gold.add(1, [(Item("red shoes", "d1"), 2)])
    store.decisions.decide(2, store.accounts.get("lea"), 1, key="d")
    secret = re.compile(r'name="key" value="[^"]*"')
    assert secret.sub("", ana.get("/projects/1/mine").text) == secret.sub("", before)
