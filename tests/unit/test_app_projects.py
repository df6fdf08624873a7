"""The pages of projects say what there is, what is missing, and how to add it."""

from __future__ import annotations

import html
import math
import re

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from fastapi.testclient import TestClient

from relyon.app import create_app
from relyon.app.project.quality import judge_agreement
from relyon.data.scale import Level, Scale
from relyon.judging.access import start_sign_in
from relyon.judging.actions import Action
from relyon.judging.agreement import Coefficients
from relyon.judging.item_texts import fill_items, measure_bare
from relyon.judging.marks import find_marks
from relyon.judging.records import Comparison, Item, Rating
from relyon.judging.schema import projects, sa
from relyon.judging.store import Store


@pytest.fixture
def store(file_store: Store) -> Store:
    file_store.accounts.create("ana")
    file_store.accounts.create("lea", role="lead")
    return file_store


def client(store: Store, name: str) -> TestClient:
    found = TestClient(create_app(store))
    found.cookies.set("relyon_session", start_sign_in(store, store.accounts.get(name)))
    return found


def read(store: Store, name: str, path: str, language: str = "en") -> str:
    """Returns a page's text, with `[primary …]` around what its main buttons say."""
    answer = client(store, name).get(path, params={"lang": language})
    assert answer.status_code == 200
    text = re.sub(
        r'<a class="primary"[^>]*>(.*?)</a>', r"[primary \1]", answer.text, flags=re.DOTALL
    )
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


def grade(store: Store, count: int) -> None:
    ana = store.accounts.get("ana")
    for task in store.grading.take(ana, 1, count=count)[:count]:
        store.grading.record(
            ana, Action("grade", key=f"{task.item.id}", item_id=task.item.id, grade=1)
        )


@pytest.mark.long
def test_the_text_says_what_the_bar_shows(store: Store) -> None:
    project = store.projects.create("June", overlap=3)
    store.items.add(project.id, [Item("q", f"d{n}") for n in range(4)])
    grade(store, 3)
    page = read(store, "lea", "/")
    assert "3 of 12 judgments given (25%); 0 of 4 results complete." in page
    assert '<progress value="3" max="12"' in client(store, "lea").get("/").text
    assert "You have judged 3, 1 left for you." in read(store, "ana", "/")
    assert '<progress value="3" max="4"' in client(store, "ana").get("/").text
    assert "您已标注 3 条，还剩 1 条。" in read(store, "ana", "/", "zh")


def test_the_main_button_is_what_there_is_to_do(store: Store) -> None:
    project = store.projects.create("June")
    assert "[primary Manage]" in read(store, "lea", "/")
    store.items.add(project.id, [Item("q", f"d{n}") for n in range(2)])
    assert "[primary Start judging]" in read(store, "ana", "/")
    assert "[primary Start judging]" in read(store, "lea", "/projects/1")
    grade(store, 1)
    assert "[primary Continue judging]" in read(store, "ana", "/")
    grade(store, 1)
    page = read(store, "ana", "/")
    assert "[primary" not in page
    assert "Nothing is left for you at the moment. Open the judging page" in page
    assert "[primary Manage]" in read(store, "lea", "/")
    assert "judging]" not in read(store, "lea", "/projects/1")


def test_an_empty_comparison_says_what_fills_it(store: Store) -> None:
    store.projects.create("old & new", kind="side_by_side")
    page = read(store, "lea", "/projects/1/data")
    assert "Upload what each system ranks." in page
    assert 'name="other"' in client(store, "lea").get("/projects/1/data").text
    offered = re.findall(
        r'name="form" value="([^"]+)"', client(store, "lea").get("/projects/1/data").text
    )
    assert offered == ["csv", "jsonl", "archive"]
    results = (Item("q", "a"),), (Item("q", "b"),)
    store.items.add_comparisons(1, [Comparison("q", "old", "new", *results)])
    for path in ("/projects/1/export?form=", "/api/projects/1/export?format="):
        lead = client(store, "lea")
        assert lead.get(f"{path}csv").status_code == 200
        answer = lead.get(f"{path}opensearch")
        assert answer.status_code == 400
        assert "preferences between" in html.unescape(answer.text)


def test_a_pool_without_titles_says_how_to_add_them(store: Store) -> None:
    project = store.projects.create("June")
    assert "mere ID" not in read(store, "lea", "/projects/1/data")
    known = Item("q", "d2", title="Boot", fields={"price": 3})
    store.items.add(project.id, [Item("q", "d1"), known])
    page = read(store, "lea", "/projects/1/data")
    assert "Results that judges see as a mere ID: 50%." in page
    told = [
        Item("q", "d1", title="Shoe", fields={"colour": "red"}),
        Item("q", "d2", title="Other", snippet="warm", fields={"price": 4, "colour": "blue"}),
        Item("q", "d3", title="Unknown"),
    ]
    assert fill_items(store, project.id, told) == 2
    assert fill_items(store, project.id, told) == 0
    found = {one.document: one for one in store.items.all(project.id)}
    assert found.keys() == {"d1", "d2"}
    assert (found["d1"].title, found["d1"].fields) == ("Shoe", {"colour": "red"})
    assert (found["d2"].title, found["d2"].snippet) == ("Boot", "warm")
    assert found["d2"].fields == {"price": 3, "colour": "blue"}
    assert measure_bare(store, project.id) == 0.0
    assert "mere ID" not in read(store, "lea", "/projects/1/data")


@pytest.mark.long
def test_leads_see_which_keys_a_project_has(store: Store) -> None:
    store.projects.create("June")
    page = read(store, "lea", "/projects/1")
    assert "Keys: 3 High · 2 Middle · 1 Low · 0 None" in page
    assert "no more its place" not in page
    store.projects.create("July", scale=Scale("f", levels=(Level(0.5, "so"), Level(-1.0, "no"))))
    assert "Keys: a So (0.5) · b No (-1)" in read(store, "lea", "/projects/2")
    with store.database.write() as connection:
        connection.execute(sa.update(projects).values(keys_changed_at=86_400.0))
    assert "Since 2 January 1970 a key is the grade itself" in read(store, "lea", "/projects/1")


@pytest.mark.parametrize(
    ("units", "alpha", "said"),
    [
        (29, 0.9, "few"), (30, 0.9, "firm"), (30, 0.7999, "tentative"), (30, 0.6669, "low"),
        (500, -0.1, "low"), (30, None, "undefined"),
    ],
)  # fmt: skip
def test_the_agreement_has_a_verdict(units: int, alpha: float | None, said: str) -> None:
    ordinal = math.nan if alpha is None else alpha
    found = Coefficients(units, 2 * units, 0.5, 0.5, 0.5, ordinal, 0.5)
    assert judge_agreement(found.to_dict()) == said
    assert judge_agreement(None) == "undefined"


def test_the_page_of_agreement_begins_with_the_verdict(store: Store) -> None:
    project = store.projects.create("June", overlap=2)
    ratings = [(Item("q", f"d{n}"), [Rating("ana", n % 4), Rating("bo", n % 4)]) for n in range(7)]
    store.grades.add(project.id, ratings)
    page = read(store, "lea", "/projects/1/agreement")
    assert "Too early to say: results judged by two people or more: 7" in page
    assert "1.0000" not in page
    more = [(Item("p", f"d{n}"), [Rating("ana", n % 4), Rating("bo", n % 4)]) for n in range(40)]
    store.grades.add(project.id, more)
    page = read(store, "lea", "/projects/1/agreement")
    assert "Judges agree well: ordinal α is 1.00 over 47 results." in page
    assert "标注员高度一致" in read(store, "lea", "/projects/1/agreement", "zh")


def test_gold_items_that_look_different_are_told_to_leads(store: Store) -> None:
    project = store.projects.create("June", gold_share=0.2)
    shown = {"price": 3, "sessions": 4}
    store.items.add(
        project.id, [Item("q", f"d{n}", title="T", url="u", fields=shown) for n in range(9)]
    )
    assert find_marks(store, project.id) == []
    store.gold.add(project.id, [(Item("q", "g1", title="T"), 3), (Item("q", "g2", title="T"), 0)])
    assert find_marks(store, project.id) == ["fields.price", "url"]
    page = read(store, "lea", "/projects/1/data")
    assert "Gold items can be recognised. Only one of the two has: price, URLs." in page
    assert "Gold items can be recognised" not in read(store, "ana", "/")
    known = [Item("q", name, url="u", fields={"price": 9}) for name in ("g1", "g2")]
    assert fill_items(store, project.id, known) == 2
    assert find_marks(store, project.id) == []
    assert "Gold items can be recognised" not in read(store, "lea", "/projects/1/data")
