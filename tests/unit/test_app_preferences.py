"""What people prefer of two rankings: as a page, in both languages, for leads alone."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")
pytest.importorskip("vl_convert")

from fastapi.testclient import TestClient
from tests.unit.pages import block_of, section_of

from relyon.app import create_app
from relyon.app.side_by_side import build_page
from relyon.judging.access import start_sign_in
from relyon.judging.actions import Action
from relyon.judging.records import Comparison, Item
from relyon.judging.sbs import Preference, summarize_preferences
from relyon.judging.store import Store
from relyon.report.page import Chart, Headlines, Prose, Table

HOSTILE = "<script>broken()</script>"


@pytest.fixture
def store(file_store: Store) -> Store:
    """Ten queries of two systems; the judge likes what the second one shows."""
    file_store.accounts.create("lea", role="lead")
    judge = file_store.accounts.create("ana")
    project = file_store.projects.create("SBS", kind="side_by_side")
    file_store.projects.create("June")
    file_store.items.add_comparisons(
        project.id,
        [
            Comparison(
                f"q{n}", "old", HOSTILE, (Item(f"q{n}", "bad"),), (Item(f"q{n}", "good"),),
                tier="head" if n < 5 else "tail",
            )
            for n in range(10)
        ],
    )  # fmt: skip
    for task in file_store.grading.take(judge, project.id, count=10):
        left_is_good = task.left[0].document == "good"
        file_store.grading.record(
            judge,
            Action(
                "grade",
                key=f"{task.item.id}",
                item_id=task.item.id,
                grade=-2 if left_is_good else 1,
            ),
        )
    return file_store


def page(store: Store, name: str, path: str, language: str = "en") -> tuple[int, str]:
    client = TestClient(create_app(store))
    client.cookies.set("relyon_session", start_sign_in(store, store.accounts.get(name)))
    answer = client.get(path, params={"lang": language})
    return answer.status_code, answer.text


def test_leads_read_what_is_preferred_and_judges_do_not(store: Store) -> None:
    status, text = page(store, "lea", "/projects/1/preferences")
    assert status == 200
    assert "&lt;script&gt;broken()&lt;/script&gt; is preferred" in text
    assert "10 : 0" in text
    assert HOSTILE not in text
    assert not re.search(r"<style|<script|\sstyle=", text)
    assert ">head<" in text
    assert page(store, "ana", "/projects/1/preferences")[0] == 403
    status, text = page(store, "lea", "/projects/1/preferences", "zh")
    assert "更受偏好" in text
    assert "is preferred" not in text


def test_only_side_by_side_projects_have_preferences(store: Store) -> None:
    assert page(store, "lea", "/projects/2/preferences")[0] == 404
    assert page(store, "lea", "/projects/99/preferences")[0] == 404
    assert "/projects/1/preferences" in page(store, "lea", "/projects/1")[1]
    assert "/projects/2/preferences" not in page(store, "lea", "/projects/2")[1]


def test_a_project_without_judgments_says_so(store: Store) -> None:
    store.projects.create("Later", kind="side_by_side")
    status, text = page(store, "lea", "/projects/3/preferences")
    assert (status, "Nothing has been compared yet" in text) == (200, True)


def test_a_small_difference_is_not_called_a_preference() -> None:
    given = [Preference(f"q{n}", "a", "b", 1 if n < 6 else -1) for n in range(10)]
    found = build_page(summarize_preferences(given), "en")
    (headline,) = block_of(Headlines, found.sections[0].blocks[0]).items
    assert headline.tone == "undecided"
    assert "no difference beyond chance" in headline.meaning


def test_many_pairs_are_corrected_and_ordered() -> None:
    given = [
        Preference(f"q{n}", one, other, -1 if n < 9 else 1)
        for one, other in (("a", "b"), ("b", "c"), ("a", "c"))
        for n in range(10)
    ]
    found = build_page(summarize_preferences(given), "zh")
    headlines = block_of(Headlines, found.sections[0].blocks[0]).items
    # Nine of ten has p = 0.021, three times that after Holm's correction.
    assert {one.tone for one in headlines} == {"undecided"}
    assert all("Holm 校正" in one.evidence for one in headlines)
    (block,) = section_of(found, "order").blocks
    chart = block_of(Chart, block)
    assert [row["name"] for row in chart.rows] == ["a", "b", "c"]
    assert [row["verdict"] for row in chart.rows] == [
        "better", "undecided", "worse",
    ]  # fmt: skip
    endless = [Preference(f"q{n}", one, "c", -2) for one in "ab" for n in range(3)]
    order = section_of(build_page(summarize_preferences(endless), "en"), "order")
    assert "no finite estimate" in block_of(Prose, order.blocks[0]).texts[0]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([-2, -1, -1, 0, 0, 1, 1], "0.29 toward a"),
        ([2, 1, 0, 0], "0.75 toward b"),
        ([1, -1], "0.00"),
        ([1] + [0] * 999 + [-2], "0.00"),
    ],
)
def test_a_mean_names_the_system_that_it_is_for(values: list[int], said: str) -> None:
    given = [Preference(f"q{n}", "a", "b", value) for n, value in enumerate(values)]
    found = build_page(summarize_preferences(given), "en")
    table = block_of(Table, found.sections[0].blocks[1])
    assert table.headings[3:7] == ("a better", "Equal", "b better", "Mean preference")
    assert table.rows[0][6] == said
    several = [Preference("q", "a", "b", 1), Preference("q", "b", "c", -2)]
    found = build_page(summarize_preferences(several), "zh")
    table = block_of(Table, found.sections[0].blocks[1])
    assert table.headings[3] == "前者更好"
    assert [row[6] for row in table.rows] == ["偏向 b 1.00", "偏向 b 2.00"]
