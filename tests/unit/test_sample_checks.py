"""Samples that are not whole, of another month, or with grades of no scale."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tests.unit.test_log_checks import searches

import relyon
from relyon.core.errors import InputError
from relyon.online.sampling import Sample
from relyon.online.sampling.sample_gaps import note_gaps

JUDGMENTS = {f"query {number}": {f"d{doc}": doc % 4 for doc in range(11)} for number in range(7)}


def drawn(design: str = "stratified", seed: int = 1) -> Sample:
    log = searches(seed=seed).with_columns(session=pl.lit(f"{seed}-") + pl.col("session"))
    return relyon.draw_sample(log, per_tier=8, design=design, k=6)  # type: ignore[arg-type]


@pytest.mark.parametrize("design", ["stratified", "pptss"])
def test_a_whole_sample_is_read(tmp_path: Path, design: str) -> None:
    path = tmp_path / "sample.csv"
    drawn(design).write(path)
    assert len(relyon.read_sample(path)) == len(drawn(design))


@pytest.mark.parametrize("design", ["stratified", "pptss"])
def test_a_truncated_sample_is_refused(tmp_path: Path, design: str) -> None:
    path = tmp_path / "sample.csv"
    drawn(design).write(path)
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[: len(lines) // 2]), "utf-8")
    with pytest.raises(InputError, match="the sample is not whole"):
        relyon.read_sample(path)


def test_missing_draws_tiers_and_sessions(tmp_path: Path) -> None:
    path = tmp_path / "sample.csv"
    frame_path = tmp_path / "whole.csv"
    drawn().write(frame_path)
    whole = pl.read_csv(frame_path)
    for changed, message in (
        (whole.filter(pl.col("draw") != 3), "draws, its inclusion probabilities are those of"),
        (whole.filter(pl.col("tier") != "tail"), "its tiers .* have"),
        (
            whole.with_columns(tier_sessions=pl.lit(2)),
            "has 2 sessions, but 8 were drawn from it",
        ),
    ):
        changed.write_csv(path)
        with pytest.raises(InputError, match=message):
            relyon.read_sample(path)


def test_the_sample_of_any_earlier_month_is_refused(tmp_path: Path) -> None:
    for month, seed in (("2026-01", 1), ("2026-02", 2)):
        made = relyon.create_round(month, drawn(seed=seed), JUDGMENTS)
        relyon.write_round(made, tmp_path)
    again = relyon.create_round("2026-07", drawn(seed=1), JUDGMENTS)
    with pytest.raises(InputError, match=r"this is the sample of 2026-0[12]"):
        relyon.write_round(again, tmp_path)


@pytest.mark.parametrize(("low", "high"), [(0, 99), (-1, 3)])
def test_grades_of_no_scale_are_refused(low: float, high: float) -> None:
    grades = {"query 1": {"d1": low, "d2": high}}
    with pytest.raises(InputError, match=f"range from {low} to {high}, and no scale is named"):
        relyon.create_round("2026-01", drawn(), grades)


def test_months_of_two_scales_are_named(tmp_path: Path) -> None:
    ten = {
        query: {doc: 3 * grade for doc, grade in grades.items()}
        for query, grades in JUDGMENTS.items()
    }
    rounds = [
        relyon.create_round("2026-01", drawn(seed=1), JUDGMENTS),
        relyon.create_round("2026-02", drawn(seed=2), ten),
    ]
    notes = {note.kind: note for note in relyon.monitor(rounds).notes}
    assert notes["grade-ranges-differ"].values["later"] == 9


def test_a_row_deleted_from_a_draw_is_named(tmp_path: Path) -> None:
    path = tmp_path / "sample.csv"
    drawn().write(path)
    rows = pl.read_csv(path)
    whole = relyon.read_sample(path)
    assert note_gaps(whole) == ()
    rows.filter(~((pl.col("draw") == 3) & (pl.col("position") == 2))).write_csv(path)
    (note,) = note_gaps(relyon.read_sample(path))
    session = whole.sessions.filter(pl.col("draw") == 3)["session"][0]
    assert (note.kind, note.count) == ("positions-missing", 1)
    assert dict(note.values) | {"draw": 3, "position": 2, "session": session} == note.values
