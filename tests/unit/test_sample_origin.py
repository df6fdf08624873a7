"""What a sample knows of the log that it was drawn from, and what rounds make of it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from tests.unit.conftest import Command

import relyon
from relyon.core.errors import InputError, ParameterError
from relyon.data.period import Period
from relyon.online.logs import without_bots
from relyon.online.sampling import Origin, Sample, read_sample

SEPTEMBER = Period(datetime(2026, 8, 31, 16, tzinfo=UTC), datetime(2026, 9, 30, 16, tzinfo=UTC))
GRADES = {"tv": {"a": 1, "b": 0}, "pen": {"a": 1}}


def log(month: int = 9, bots: bool = True) -> pl.DataFrame:
    day = f"2026-{month:02}"
    rows = [
        (f"s{number}", ("tv", "pen")[number % 2], f"{day}-{1 + number:02}T10:00", "ab"[place],
         place + 1, 0, f"u{number}")
        for number in range(20)
        for place in range(2)
    ] + [
        (f"c{number}", "tv", f"{day}-03T11:{number % 60:02}:{number // 60:02}", "a", 1, 1, "bot")
        for number in range(70)
        if bots
    ]  # fmt: skip
    names = ["session", "query", "timestamp", "doc", "position", "clicked", "user"]
    return pl.DataFrame(rows, schema=names, orient="row")


def drawn(month: int = 9, *, people: bool = False, bots: bool = True) -> Sample:
    sessions = relyon.read_sessions(log(month, bots))
    part = sessions.between(month=f"2026-{month:02}", timezone="Asia/Shanghai")
    return relyon.draw_sample(without_bots(part) if people else part, per_tier=8, seed=month)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet", "xlsx"])
def test_every_format_keeps_the_origin(suffix: str, tmp_path: Path) -> None:
    sample = drawn()
    assert sample.origin == Origin(SEPTEMBER, "Asia/Shanghai", 1)
    sample.write(tmp_path / f"sample.{suffix}")
    assert read_sample(tmp_path / f"sample.{suffix}").origin == sample.origin


def test_a_sample_of_a_whole_log_knows_its_bots_alone(tmp_path: Path) -> None:
    sample = relyon.draw_sample(log(bots=False), per_tier=2)
    sample.write(tmp_path / "sample.csv")
    assert read_sample(tmp_path / "sample.csv").origin == Origin(None, "UTC", 0)


def test_a_sample_of_an_earlier_version_has_no_origin(tmp_path: Path) -> None:
    path = tmp_path / "sample.csv"
    drawn().write(path)
    names = ["log_since", "log_until", "log_timezone", "log_bots"]
    pl.read_csv(path, infer_schema=False).drop(names).write_csv(path)
    assert read_sample(path).origin == Origin()
    assert relyon.create_round("2026-12", read_sample(path), GRADES).month == "2026-12"


def test_a_damaged_origin_is_named(tmp_path: Path) -> None:
    path = tmp_path / "sample.csv"
    drawn().write(path)
    path.write_text(path.read_text().replace("2026-08-31T16:00:00Z", "August"))
    with pytest.raises(InputError, match="is not a sample"):
        read_sample(path)


def test_a_sample_is_not_added_as_another_month(tmp_path: Path, command: Command) -> None:
    path, grades = tmp_path / "sample.csv", tmp_path / "grades.csv"
    drawn().write(path)
    grades.write_text("query,doc,grade\ntv,a,1\ntv,b,0\npen,a,1\n")
    arguments = ["monitor", "add", "rounds", "--sample", str(path), "--judgments", str(grades)]
    outcome = command(*arguments, "--month", "2026-12")
    assert outcome.code == 2
    assert "[2026-08-31 16:00:00, 2026-09-30 16:00:00) UTC: none of them begins in 2026-12" in (
        outcome.err
    )
    assert "`--month 2026-09`" in outcome.err
    assert command(*arguments, "--month", "2026-09").code == 0
    with pytest.raises(ParameterError, match="none of them begins in 2026-10"):
        relyon.create_round("2026-10", drawn(), GRADES)


def test_months_with_and_without_bots_are_noted(tmp_path: Path) -> None:
    samples = {"2026-09": drawn(9), "2026-10": drawn(10, people=True)}
    assert [one.origin.bots for one in samples.values()] == [1, 0]
    for month, sample in samples.items():
        relyon.write_round(relyon.create_round(month, sample, GRADES), tmp_path / "rounds")
    notes = {note.kind: note for note in relyon.monitor(tmp_path / "rounds").notes}
    assert "the logs of 2026-09 contain bots, those of 2026-10 do not" in str(notes["bots-differ"])
    both = [relyon.create_round(month, drawn(int(month[5:])), GRADES) for month in samples]
    assert "bots-differ" not in {note.kind for note in relyon.monitor(both).notes}
