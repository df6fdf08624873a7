"""Sessions of a month or between two times: what belongs, what is left out, what is read."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.unit.conftest import Command

import relyon
from relyon.core.errors import InputError, ParameterError
from relyon.data.period import parse_moment, parse_period
from relyon.online.experiments.abtest.traffic import read_traffic

ROWS = [
    ("a", "q", datetime(2026, 2, 28, 23, 50)),
    ("a", "q", datetime(2026, 3, 1, 0, 10)),
    ("b", "q", datetime(2026, 3, 5)),
    ("b", "q", datetime(2026, 3, 31, 23, 59)),
    ("c", "q", datetime(2026, 3, 31, 23, 59)),
    ("c", "q", datetime(2026, 4, 1, 0, 1)),
    ("c", "r", datetime(2026, 4, 1, 0, 2)),
    ("a", "q", datetime(2026, 4, 2)),
]
MONTHS = ("2026-02", "2026-03", "2026-04")


def log() -> pl.DataFrame:
    frame = pl.DataFrame(ROWS, schema=["session", "query", "timestamp"], orient="row")
    return frame.with_columns(position=pl.lit(1), doc=pl.int_range(len(ROWS)).cast(pl.String))


def docs(sessions: relyon.Sessions) -> list[str]:
    return sorted(sessions.collect()["doc"].to_list())


def test_months_share_no_row_and_leave_none_out() -> None:
    sessions = relyon.read_sessions(log())
    found = [docs(sessions.between(month=month)) for month in MONTHS]
    assert found == [["0", "1"], ["2", "3", "4", "5"], ["6", "7"]]


@pytest.mark.parametrize("hours", [3, 24, 36])
def test_a_session_belongs_where_its_first_row_does(hours: int) -> None:
    start = datetime(2026, 3, 1, tzinfo=UTC)
    rows = [
        (f"s{number}", start + timedelta(hours=number * 0.7 + step))
        for number in range(100)
        for step in (0, 1, 2)
    ]
    frame = pl.DataFrame(rows, schema=["session", "timestamp"], orient="row").with_columns(
        query=pl.lit("q"), position=pl.lit(1), doc=pl.lit("d")
    )
    sessions = relyon.read_sessions(frame)
    seen: list[str] = []
    for step in range(0, 71, hours):
        since, until = (start + timedelta(hours=step + more) for more in (0, hours))
        part = sessions.between(since, until).collect()
        assert set(part.group_by("session").len()["len"]) == {3}
        first = part.group_by("session").agg(pl.col("timestamp").min())["timestamp"]
        assert first.is_between(since, until, closed="left").all()
        seen += part["session"].unique().to_list()
    assert len(seen) == len(set(seen))
    assert len(seen) >= 99


@pytest.mark.parametrize("kind", ["parquet", "csv", "zoned", "epoch", "duckdb", "text"])
def test_every_form_of_a_log_is_cut_alike(kind: str, tmp_path: Path) -> None:
    source: object = tmp_path / f"log.{kind}"
    frame = log()
    if kind == "parquet":
        frame.write_parquet(tmp_path / "log.parquet")
    elif kind == "csv":
        frame.write_csv(tmp_path / "log.csv")
    elif kind == "zoned":
        zoned = pl.col("timestamp").dt.replace_time_zone("UTC")
        source = frame.with_columns(zoned.dt.convert_time_zone("Asia/Shanghai"))
    elif kind == "epoch":
        source = frame.with_columns(pl.col("timestamp").dt.epoch("s"))
    elif kind == "duckdb":
        duckdb = pytest.importorskip("duckdb")
        source = duckdb.from_arrow(frame.to_arrow())
    else:
        source = frame.with_columns(pl.col("timestamp").dt.to_string("%Y-%m-%d %H:%M:%S"))
    cut = relyon.read_sessions(source).between(month="2026-03")
    assert docs(cut) == ["2", "3", "4", "5"]
    assert docs(relyon.read_sessions(source).between(until="2026-03-01T08:00+08:00")) == ["0", "1"]


def test_parquet_reads_only_what_the_times_allow(tmp_path: Path) -> None:
    log().write_parquet(tmp_path / "log.parquet")
    cut = relyon.read_sessions(tmp_path / "log.parquet").between(month="2026-03")
    scans = cut.frame.to_native().explain().split("Parquet SCAN")[1:]
    assert len(scans) >= 3
    assert all("SELECTION" in scan for scan in scans)


def test_rows_without_a_time_are_left_out_and_counted() -> None:
    frame = log().with_columns(pl.col("timestamp").dt.to_string("%F %T"))
    soon = pl.when(pl.col("doc") == "2").then(pl.lit("soon")).otherwise("timestamp")
    broken = frame.with_columns(timestamp=soon)
    cut = relyon.read_sessions(broken).between(month="2026-03")
    assert docs(cut) == ["3", "4", "5"]
    (note,) = cut.notes
    assert (note.kind, note.count, note.level) == ("without-time", 1, "warning")


def test_the_log_says_what_it_covers_where_a_period_is_empty() -> None:
    with pytest.raises(InputError, match="no session of the log begins in") as caught:
        relyon.read_sessions(log()).between(month="2027-01")
    assert "2026-02-28 23:50:00 to 2026-04-02 00:00:00" in str(caught.value.hint)
    with pytest.raises(InputError, match="no timestamp column"):
        relyon.read_sessions(log().drop("timestamp")).between(month="2026-03")


def test_moments() -> None:
    china = timezone(timedelta(hours=8))
    assert parse_moment("since", "2026-03-05T08:30+08:00") == datetime(
        2026, 3, 5, 8, 30, tzinfo=china
    )
    assert parse_moment("since", datetime(2026, 3, 5)) == datetime(2026, 3, 5, tzinfo=UTC)
    assert parse_period() is None
    december = parse_period(month="2026-12")
    assert december is not None
    assert december.until == datetime(2027, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"since": "March"}, "`since`: `March` is not a date or time"),
        ({"until": "2026-13"}, "`until`: `2026-13` is not"),
        ({"month": "2026-3"}, "`2026-3` is not a month"),
        ({"month": "2026-03", "since": "2026-01"}, "give either"),
        ({"since": "2026-03", "until": "2026-03"}, "is empty"),
    ],
)
def test_what_is_no_period_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        parse_period(**given)


def test_the_command_line_cuts_logs(files: Path, command: Command) -> None:
    log().write_csv(files / "times.csv")
    shown = command("logs", "inspect", "times.csv", "--month", "2026-03", "--format", "json")
    assert json.loads(shown.out)["rows"] == 4
    drawn = command("sample", "times.csv", "--since", "2026-04-01", "--format", "json")
    assert json.loads(drawn.out)["sampled"] == 2
    wrong = command("labels", "make", "times.csv", "-o", "l.csv", "--month", "2030-01")
    assert wrong.code == 3
    assert "no session of the log begins in [2030-01-01" in wrong.err
    assert command("logs", "inspect", "times.csv", "--since", "March").code == 2


#: Half an hour around the ends of March in Shanghai.
LOCAL = [
    ("s0", "2026-02-28T23:30:00"),
    ("s1", "2026-03-01T00:30:00"),
    ("s2", "2026-03-31T23:30:00"),
    ("s3", "2026-04-01T00:30:00"),
]


def local_log(written: str) -> pl.DataFrame:
    """Returns a log whose times are text or times, with or without their zone."""
    frame = pl.DataFrame(LOCAL, ["session", "timestamp"], orient="row")
    frame = frame.with_columns(query=pl.lit("q"), position=pl.lit(1), doc=pl.lit("d"))
    if written == "text with an offset":
        return frame.with_columns(pl.col("timestamp") + "+08:00")
    if written == "text":
        return frame
    times = pl.col("timestamp").str.to_datetime()
    zone = "Asia/Shanghai" if written == "times with a zone" else None
    return frame.with_columns(times.dt.replace_time_zone(zone))


@pytest.mark.parametrize("written", ["text", "text with an offset", "times", "times with a zone"])
@pytest.mark.parametrize("zone", ["Asia/Shanghai", "+08:00", "+8", "UTC+08"])
def test_a_month_of_a_time_zone(written: str, zone: str) -> None:
    sessions = relyon.read_sessions(local_log(written))
    march = sessions.between(month="2026-03", timezone=zone)
    rows = march.collect().sort("session").select("session", "timestamp").rows()
    first, last = (
        datetime(2026, 2, 28, 16, 30, tzinfo=UTC),
        datetime(2026, 3, 31, 15, 30, tzinfo=UTC),
    )
    assert rows == [("s1", first), ("s2", last)]
    assert march.notes == ()
    assert march.between(until="2026-03-02").collect()["session"].to_list() == ["s1"]
    zoned = sessions.between(timezone=zone)
    assert zoned.collect().height == len(LOCAL)
    assert first in zoned.collect()["timestamp"]


@pytest.mark.parametrize("written", ["text with an offset", "times with a zone"])
def test_a_month_in_utc_of_times_of_another_zone_is_noted(written: str) -> None:
    march = relyon.read_sessions(local_log(written)).between(month="2026-03")
    assert sorted(march.collect()["session"]) == ["s2", "s3"]
    assert [note.kind for note in march.notes] == ["times-in-another-zone"]
    assert "times are written at +08:00" in march.notes[0].text()


def test_an_unknown_time_zone(tmp_path: Path, command: Command) -> None:
    with pytest.raises(ParameterError, match="`Mars` is not a time zone"):
        relyon.read_sessions(local_log("text")).between(timezone="Mars")
    path = tmp_path / "log.csv"
    local_log("text").write_csv(path)
    outcome = command("logs", "inspect", str(path), "--month", "2026-03", "--timezone", "+08:00")
    assert "2026-03-01T00:30:00+08:00" in outcome.out
    assert command("logs", "inspect", str(path), "--timezone", "Mars").code == 2


def test_clocks_that_are_set(tmp_path: Path) -> None:
    """The hour that comes twice is the earlier one; that which never was is missing."""
    rows = [("a", "2026-10-25T02:30:00"), ("b", "2026-03-29T02:30:00")]
    log = pl.DataFrame(rows, ["session", "timestamp"], orient="row")
    log = log.with_columns(query=pl.lit("q"), position=pl.lit(1), doc=pl.lit("d"))
    found = relyon.read_sessions(log).between(timezone="Europe/Berlin").collect()
    assert found["timestamp"].to_list() == [datetime(2026, 10, 25, 0, 30, tzinfo=UTC), None]


def test_another_engine_has_its_own_zone() -> None:
    duckdb = pytest.importorskip("duckdb")
    frame = local_log("times")
    sessions = relyon.read_sessions(duckdb.sql("select * from frame"))
    with pytest.raises(InputError, match="has one of its own"):
        sessions.between(month="2026-03", timezone="+08:00")
    assert frame.height


def test_an_experiment_begins_in_the_time_zone_of_its_log() -> None:
    arms = [
        local_log("text").with_columns(
            session=arm + pl.col("session"), bucket=pl.lit(arm), clicked=pl.lit(False)
        )
        for arm in "AB"
    ]
    log = pl.concat(arms).with_columns(user=pl.col("session"))
    local = relyon.read_sessions(log).between(timezone="+08:00")
    # Only 23:30 on the last of February is before the first of March, in both arms.
    assert read_traffic(local, start="2026-03-01").before == 2
    # In UTC, half past midnight is still in February.
    in_utc = relyon.read_sessions(local.collect())
    assert read_traffic(in_utc, start="2026-03-01").before == 4
    assert read_traffic(in_utc, start="2026-03-01T00:00+08:00").before == 2
