"""Sheets into a judging database and out of it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")

from relyon.core.errors import InputError
from relyon.data.sheets import Row, Sheet
from relyon.io.sheet_tables import read_wide
from relyon.judging import imports
from relyon.judging.actions import Action
from relyon.judging.agreement import measure_agreement
from relyon.judging.exchange import export_sheet, import_sheet
from relyon.judging.progress import measure_progress
from relyon.judging.records import Item, Rating
from relyon.judging.store import Store

SHEET = Sheet(
    (
        Row(
            Item("q", "a", title="A", tier="head"),
            (Rating("Ann", 3.0, at=1.0), Rating("Bo", 1.0, at=2.0)),
        ),
        Row(Item("q", "b", fields={"price": 1}), (Rating("Bo", None, "gone", at=3.0),)),
        Row(Item("q", "c")),
    )
)


@pytest.fixture
def store_clock() -> Callable[[], float]:
    return lambda: 9.0


def test_a_sheet_goes_in_and_comes_out(store: Store) -> None:
    project = store.projects.create("June", overlap=2)
    assert import_sheet(store, project.id, SHEET) == (3, 3)
    assert import_sheet(store, project.id, SHEET) == (0, 0)
    found = export_sheet(store, project.id, rule="mean_gain")
    assert (found.name, found.scale) == ("June", project.scale)
    assert [row.ratings for row in found.rows] == [row.ratings for row in SHEET.rows]
    assert [row.item for row in found.rows] == [row.item for row in SHEET.rows]
    assert [row.final for row in found.rows] == [pytest.approx(0.65), None, None]


def test_final_grades_have_a_judge(store: Store) -> None:
    project = store.projects.create("June")
    sheet = Sheet((Row(Item("q", "a"), final=2.0),))
    assert import_sheet(store, project.id, sheet, judge="old list") == (1, 1)
    (row,) = export_sheet(store, project.id).rows
    assert row.ratings == (Rating("old list", 2.0, at=9.0),)
    assert row.final == 2.0


def test_known_grades(store: Store) -> None:
    project = store.projects.create("June")
    sheet = Sheet((Row(Item("q", "a"), final=2.0), Row(Item("q", "b"))))
    assert import_sheet(store, project.id, sheet, mode="gold") == (1, 1)
    assert list(store.gold.all(project.id).values()) == [2.0]
    with pytest.raises(InputError, match="no final grades"):
        import_sheet(store, project.id, Sheet((Row(Item("q", "b")),)), mode="gold")


def test_nothing_stays_of_a_sheet_that_does_not_fit(store: Store) -> None:
    project = store.projects.create("June")
    with pytest.raises(InputError, match="more than 1 grades"):
        import_sheet(store, project.id, SHEET)
    assert store.grades.by_judge(project.id) == {}
    assert store.items.all(project.id) == []
    assert store.accounts.all() == []


@pytest.mark.parametrize("same", [True, False])
def test_imports_at_once_share_their_judges_and_count_their_own(store: Store, same: bool) -> None:
    """Eight imports, into one project or one each, all of grades of the same six judges."""
    judges = [f"judge {n}" for n in range(6)]
    projects = [store.projects.create(f"project {n}", overlap=6).id for n in range(8)]

    def bring(n: int) -> tuple[int, int]:
        order = judges[n % 6 :] + judges[: n % 6]
        ratings = tuple(Rating(name, 2.0) for name in order)
        rows = [Row(Item("q", f"d{n} {m}" if same else f"d{m}"), ratings) for m in range(20)]
        return import_sheet(store, projects[0 if same else n], Sheet(tuple(rows)))

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(bring, range(8)))
    assert told == [(20, 120)] * 8
    assert [user.name for user in store.accounts.all()] == judges
    for project in projects[: 1 if same else 8]:
        found = store.grades.by_judge(project)
        assert len(found) == (160 if same else 20)
        assert all(list(grades.values()) == [2.0] * 6 for grades in found.values())


def test_a_grade_from_elsewhere_takes_a_place_that_is_only_held(store: Store) -> None:
    project = store.projects.create("June", overlap=2)
    store.items.add(project.id, [Item("q", "a")])
    ann, cy = store.accounts.create("Ann"), store.accounts.create("Cy")
    for judge in (ann, cy):
        assert len(store.grading.take(judge, project.id)) == 1
    given = Row(Item("q", "a"), (Rating("Ann", 3.0), Rating("Bo", 1.0)))
    assert import_sheet(store, project.id, Sheet((given,))) == (0, 2)
    (grades,) = store.grades.by_judge(project.id).values()
    assert grades == {"Ann": 3.0, "Bo": 1.0}
    assert store.grading.take(cy, project.id) == []
    late = store.grading.record(cy, Action("grade", key="k", item_id=1, grade=0))
    assert not late.counted
    assert measure_progress(store, project.id).filled == 2


def test_grades_of_gold_items_take_no_place(store: Store) -> None:
    project = store.projects.create("June")
    store.items.add(project.id, [Item("q", "a")])
    ann = store.accounts.create("Ann")
    assert len(store.grading.take(ann, project.id)) == 1
    assert store.gold.add(project.id, [(Item("q", "a"), 3)]) == (0, 1)
    given = Row(Item("q", "a"), tuple(Rating(name, 2.0) for name in ("Ann", "Bo", "Cy")))
    assert import_sheet(store, project.id, Sheet((given,))) == (0, 3)
    assert [(one.judge, one.items, one.difference) for one in store.gold.quality(project.id)] == [
        ("Ann", 1, -1.0), ("Bo", 1, -1.0), ("Cy", 1, -1.0)
    ]  # fmt: skip
    assert measure_progress(store, project.id).places == 0


@pytest.mark.long
def test_three_raters_of_a_shop_in_a_project(store: Store, test_data: Path) -> None:
    path = test_data / "chorus_3raters" / "Broad_Query_Set_individual_ratings.csv"
    judges = [f"agent_{n}_rating" for n in (1, 2, 3)]
    sheet = read_wide(path.read_text("utf-8"), judges, final="final_rating")
    project = store.projects.create("Chorus", overlap=3)
    assert import_sheet(store, project.id, sheet) == (3188, 9564)
    found = measure_agreement(store.grades.by_judge(project.id))
    assert round(found.overall.fleiss, 4) == 0.6426
    assert round(found.overall.alpha_ordinal, 4) == 0.7695


@pytest.mark.parametrize("at_once", [2000, 2])
def test_a_corrected_sheet_is_refused_or_replaces_grades(
    store: Store, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    """At once, and in batches."""
    monkeypatch.setattr(imports, "AT_ONCE", at_once)

    def sheet(grade: float) -> Sheet:
        return Sheet(
            tuple(Row(Item("q", f"d{n}"), final=grade if n < 3 else 1.0) for n in range(6))
        )

    project = store.projects.create("June")
    assert import_sheet(store, project.id, sheet(3.0)) == (6, 6)
    before = store.grades.history(project.id)
    with pytest.raises(InputError, match="3 grades differ from what the same judge gave before"):
        import_sheet(store, project.id, sheet(2.0))
    assert store.grades.history(project.id) == before
    assert import_sheet(store, project.id, sheet(2.0), mode="update") == (0, 3)
    assert import_sheet(store, project.id, sheet(2.0), mode="update") == (0, 0)
    assert import_sheet(store, project.id, sheet(2.0)) == (0, 0)
    grades = [next(iter(one.values())) for one in store.grades.by_judge(project.id).values()]
    assert sorted(grades) == [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]
    assert store.grades.history(project.id)[:6] == before
    judge = store.accounts.get("import")
    store.grading.record(judge, Action("undo", key="back", project_id=project.id))
    grades = [next(iter(one.values())) for one in store.grades.by_judge(project.id).values()]
    assert sorted(grades) == [1.0, 1.0, 1.0, 2.0, 2.0, 3.0]
