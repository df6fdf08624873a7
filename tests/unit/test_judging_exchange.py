"""Sheets into a judging database and out of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")

from relkit.errors import InputError
from relkit.judging.agreement import measure_agreement
from relkit.judging.exchange import export_sheet, import_sheet
from relkit.judging.formats import Row, Sheet
from relkit.judging.formats.csv_table import read_wide
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
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "judging.db", create=True, clock=lambda: 9.0) as opened:
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


def test_three_raters_of_a_shop_in_a_project(store: Store, test_data: Path) -> None:
    path = test_data / "chorus_3raters" / "Broad_Query_Set_individual_ratings.csv"
    judges = [f"agent_{n}_rating" for n in (1, 2, 3)]
    sheet = read_wide(path.read_text("utf-8"), judges, final="final_rating")
    project = store.create_project("Chorus", overlap=3)
    assert import_sheet(store, project.id, sheet) == (3188, 9564)
    found = measure_agreement(store.grades(project.id))
    assert round(found.overall.fleiss, 4) == 0.6426
    assert round(found.overall.alpha_ordinal, 4) == 0.7695
