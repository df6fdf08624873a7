"""Sheets into a judging database and out of it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")

from relkit.core.errors import InputError
from relkit.judging.actions import record_action
from relkit.judging.agreement import measure_agreement
from relkit.judging.assignment import take_tasks
from relkit.judging.exchange import export_sheet, import_sheet
from relkit.judging.formats import Row, Sheet
from relkit.judging.formats.csv_table import read_wide
from relkit.judging.progress import measure_progress
from relkit.judging.records import Item, Rating
from relkit.judging.store import Store, open_store

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
def store(judging_database: str) -> Iterator[Store]:
    with open_store(judging_database, clock=lambda: 9.0) as opened:
        yield opened


def test_a_sheet_goes_in_and_comes_out(store: Store) -> None:
    project = store.create_project("June", overlap=2)
    assert import_sheet(store, project.id, SHEET) == (3, 3)
    assert import_sheet(store, project.id, SHEET) == (0, 0)
    found = export_sheet(store, project.id, rule="mean_gain")
    assert (found.name, found.scale) == ("June", project.scale)
    assert [row.ratings for row in found.rows] == [row.ratings for row in SHEET.rows]
    assert [row.item for row in found.rows] == [row.item for row in SHEET.rows]
    assert [row.final for row in found.rows] == [pytest.approx(0.65), None, None]


def test_final_grades_have_a_judge(store: Store) -> None:
    project = store.create_project("June")
    sheet = Sheet((Row(Item("q", "a"), final=2.0),))
    assert import_sheet(store, project.id, sheet, judge="old list") == (1, 1)
    (row,) = export_sheet(store, project.id).rows
    assert row.ratings == (Rating("old list", 2.0, at=9.0),)
    assert row.final == 2.0


def test_known_grades(store: Store) -> None:
    project = store.create_project("June")
    sheet = Sheet((Row(Item("q", "a"), final=2.0), Row(Item("q", "b"))))
    assert import_sheet(store, project.id, sheet, as_gold=True) == (1, 1)
    assert list(store.gold(project.id).values()) == [2.0]
    with pytest.raises(InputError, match="no grade"):
        import_sheet(store, project.id, Sheet((Row(Item("q", "b")),)), as_gold=True)


def test_nothing_stays_of_a_sheet_that_does_not_fit(store: Store) -> None:
    project = store.create_project("June")
    with pytest.raises(InputError, match="more than 1 grades"):
        import_sheet(store, project.id, SHEET)
    assert store.grades(project.id) == {}
    assert store.items(project.id) == []
    assert store.users() == []


@pytest.mark.parametrize("same", [True, False])
def test_imports_at_once_share_their_judges_and_count_their_own(store: Store, same: bool) -> None:
    """Eight imports, into one project or one each, all of grades of the same six judges."""
    judges = [f"judge {n}" for n in range(6)]
    projects = [store.create_project(f"project {n}", overlap=6).id for n in range(8)]

    def bring(n: int) -> tuple[int, int]:
        order = judges[n % 6 :] + judges[: n % 6]
        ratings = tuple(Rating(name, 2.0) for name in order)
        rows = [Row(Item("q", f"d{n} {m}" if same else f"d{m}"), ratings) for m in range(20)]
        return import_sheet(store, projects[0 if same else n], Sheet(tuple(rows)))

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(bring, range(8)))
    assert told == [(20, 120)] * 8
    assert [user.name for user in store.users()] == judges
    for project in projects[: 1 if same else 8]:
        found = store.grades(project)
        assert len(found) == (160 if same else 20)
        assert all(list(grades.values()) == [2.0] * 6 for grades in found.values())


def test_a_grade_from_elsewhere_takes_a_place_that_is_only_held(store: Store) -> None:
    project = store.create_project("June", overlap=2)
    store.add_items(project.id, [Item("q", "a")])
    ann, cy = store.create_user("Ann"), store.create_user("Cy")
    for judge in (ann, cy):
        assert len(take_tasks(store, judge, project.id)) == 1
    given = Row(Item("q", "a"), (Rating("Ann", 3.0), Rating("Bo", 1.0)))
    assert import_sheet(store, project.id, Sheet((given,))) == (0, 2)
    (grades,) = store.grades(project.id).values()
    assert grades == {"Ann": 3.0, "Bo": 1.0}
    assert take_tasks(store, cy, project.id) == []
    late = record_action(store, cy, "grade", key="k", item_id=1, grade=0)
    assert not late.counted
    assert measure_progress(store, project.id).filled == 2


def test_grades_of_gold_items_take_no_place(store: Store) -> None:
    project = store.create_project("June")
    store.add_items(project.id, [Item("q", "a")])
    ann = store.create_user("Ann")
    assert len(take_tasks(store, ann, project.id)) == 1
    assert store.set_gold(project.id, [(Item("q", "a"), 3)]) == (0, 1)
    given = Row(Item("q", "a"), tuple(Rating(name, 2.0) for name in ("Ann", "Bo", "Cy")))
    assert import_sheet(store, project.id, Sheet((given,))) == (0, 3)
    assert [(one.judge, one.items, one.difference) for one in store.gold_quality(project.id)] == [
        ("Ann", 1, -1.0), ("Bo", 1, -1.0), ("Cy", 1, -1.0)
    ]  # fmt: skip
    assert measure_progress(store, project.id).places == 0


def test_three_raters_of_a_shop_in_a_project(store: Store, test_data: Path) -> None:
    path = test_data / "chorus_3raters" / "Broad_Query_Set_individual_ratings.csv"
    judges = [f"agent_{n}_rating" for n in (1, 2, 3)]
    sheet = read_wide(path.read_text("utf-8"), judges, final="final_rating")
    project = store.create_project("Chorus", overlap=3)
    assert import_sheet(store, project.id, sheet) == (3188, 9564)
    found = measure_agreement(store.grades(project.id))
    assert round(found.overall.fleiss, 4) == 0.6426
    assert round(found.overall.alpha_ordinal, 4) == 0.7695
