"""Charts of a project's judges, and who needs help, on its page."""

from __future__ import annotations

import html

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from tests.unit.pages import block_of, check_drawings
from tests.unit.test_app_lead import Somebody

from relyon.app.project.judges import view_judges
from relyon.data.scale import SEARCH
from relyon.judging.corrections import correct
from relyon.judging.given_grades import read_given
from relyon.judging.records import Item, Project, Rating
from relyon.judging.store import Store
from relyon.report.judges import build_agreement_page, build_progress_page
from relyon.report.page import Chart


@pytest.fixture
def june(store: Store) -> Project:
    """Three judges who all graded the same; one of them always grades one lower."""
    store.accounts.create("lea", role="lead")
    project = store.projects.create("June", overlap=3)
    rows = []
    for query in range(12):
        for number in range(4):
            grade = float((query + number) % 3 + 1)
            low = Rating("cy", grade - 1, seconds=9.0)
            others = [Rating(name, grade, seconds=6.0) for name in ("ana", "bo")]
            rows.append((Item(f"q{query}", f"d{number}"), [*others, low]))
    store.grades.add(project.id, rows)
    return project


def test_the_page_names_who_needs_help(store: Store, june: Project) -> None:
    lea = Somebody(store, "lea")
    page = html.unescape(lea.get(f"/projects/{june.id}?lang=en").text)
    assert "cy grades 1.00 lower than the others on the same 48 results." in page
    assert "144 grades of 144" in page
    assert page.count("<svg") == 4  # each of two charts is drawn wide and narrow
    assert (
        "cy 在相同的 48 条结果上比他人平均低 1.00 分"
        in lea.get(f"/projects/{june.id}?lang=zh").text
    )
    quality = lea.get(f"/projects/{june.id}/agreement?lang=en").text
    assert "Agreement over time" in quality


def test_a_view_is_drawn_again_when_somebody_graded(store: Store, june: Project) -> None:
    before = view_judges(store, june, "progress", "en")
    assert view_judges(store, june, "progress", "en") is before
    more = [(Item("q0", "new"), [Rating("ana", 2)])]
    store.grades.add(june.id, more)
    assert "145 grades" in view_judges(store, june, "progress", "en").charts
    new = [one.id for one in store.items.all(june.id) if one.document == "new"]
    lea = store.accounts.get("lea")
    correct(store, june.id, lea, "remove", new, request="one", reason="twice").run()
    assert "144 grades" in view_judges(store, june, "progress", "en").charts


def test_without_grades_there_is_nothing_to_draw(store: Store) -> None:
    empty = store.projects.create("empty")
    view = view_judges(store, empty, "progress", "en")
    assert (str(view.charts).strip(), view.findings) == ("", ())
    assert "too few shared results" in view.verdict


def test_the_drawings_are_vega_lite(store: Store, june: Project) -> None:
    given = read_given(store, june.id)
    drawn = check_drawings(build_progress_page(given, SEARCH))
    drawn |= check_drawings(build_agreement_page(given, language="zh"))
    assert drawn == {"stacked_columns", "shares", "trend"}


def test_many_judges_share_a_colour(store: Store) -> None:
    project = store.projects.create("May", overlap=9)
    ratings = [Rating(f"judge {n}", n % 4) for n in range(9)]
    store.grades.add(project.id, [(Item("q", "d"), ratings)])
    page = build_progress_page(read_given(store, project.id), SEARCH)
    chart = block_of(Chart, page.sections[0].blocks[0])
    assert [name for name, _, _ in chart.values["series"]][-1] == "others"
    assert sum(float(str(row["value"])) for row in chart.rows) == 9
