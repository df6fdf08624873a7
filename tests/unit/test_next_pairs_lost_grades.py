"""Grades of drawn pairs that do not count, or that look like a slip: nothing is lost in silence."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tests.unit.test_next_pairs import NEW, OLD, QUERIES, TRUTH, batches, graded

import relyon
from relyon.core.errors import ParseError

JUDGED = {query: {"d0": TRUTH[query]["d0"]} for query in QUERIES}


def stopped_at(whole: pl.DataFrame, count: int) -> pl.DataFrame:
    return whole.with_columns(
        grade=pl.when(pl.col("draw_order") <= count).then("grade").otherwise(pl.lit(""))
    )


def notes(found: relyon.NextPairs | relyon.PairsEstimate) -> dict[str, int | None]:
    return {note.kind: note.count for note in found.notes}


def test_drawing_says_how_many_drawn_pairs_go_back() -> None:
    (whole,) = batches(1, 30)
    later = relyon.next_pairs({}, OLD, NEW, drawn=stopped_at(whole, 17), budget=5)
    assert notes(later) == {"drawn-returned": 13}
    assert "13 drawn pairs of the last batch go back" in later.notes[0].text()
    assert notes(relyon.next_pairs({}, OLD, NEW, drawn=whole, budget=5)) == {}
    assert notes(relyon.next_pairs({}, OLD, NEW, drawn=stopped_at(whole, 0), budget=5)) == {
        "drawn-returned": 30
    }


def test_grades_that_came_after_the_next_draw_are_counted() -> None:
    (whole,) = batches(1, 30)
    later = relyon.next_pairs({}, OLD, NEW, drawn=stopped_at(whole, 17), budget=5)
    known = {(one.query, one.document) for one in later.drawn}
    late = [pair for pair in whole.select("query", "document").rows()[17:] if pair not in known]
    found = relyon.estimate_pairs({}, OLD, NEW, drawn=[whole, graded(later)])
    assert found.drawn == 22
    assert notes(found) == {"drawn-graded-late": len(late)}
    assert len(late) > 0


@pytest.mark.parametrize(("grade", "text"), [("9", "the grade 9"), ("-1", "the grade -1")])
def test_a_grade_outside_those_of_the_judgments_is_named(grade: str, text: str) -> None:
    (whole,) = batches(1, 30, JUDGED)
    slip = whole.with_columns(
        grade=pl.when(pl.col("draw_order") == 8).then(pl.lit(grade)).otherwise("grade")
    )
    assert notes(relyon.estimate_pairs(JUDGED, OLD, NEW, drawn=whole)) == {}
    found = relyon.estimate_pairs(JUDGED, OLD, NEW, drawn=slip)
    assert notes(found) == {"drawn-grades-outside": 1}
    assert text in found.notes[0].text()
    # Without a grade before the draw there is nothing to compare with.
    (first,) = batches(1, 30)
    assert notes(relyon.estimate_pairs({}, OLD, NEW, drawn=first)) == {}


def test_a_grade_that_cannot_be_read_names_its_line(tmp_path: Path) -> None:
    (whole,) = batches(1, 30)
    path = tmp_path / "graded.csv"
    whole.with_columns(
        grade=pl.when(pl.col("draw_order") == 8).then(pl.lit("good")).otherwise("grade")
    ).write_csv(path)
    with pytest.raises(ParseError, match="the grade `good`") as caught:
        relyon.estimate_pairs({}, OLD, NEW, drawn=str(path))
    assert (caught.value.path, caught.value.line) == (str(path), 9)


def test_what_skipped_pairs_add_stays_in_the_width_that_is_expected() -> None:
    (whole,) = batches(1, 30)
    skipped = whole.with_columns(
        grade=pl.when(pl.col("draw_order") % 6 == 5).then(pl.lit("skip")).otherwise("grade")
    )
    found = relyon.estimate_pairs({}, OLD, NEW, drawn=skipped, next_budget=1)
    assert found.skipped == 5
    assert 0.9 * found.half < found.next_half < found.half
