"""Logs whose columns mean something else: refused or named by every command in the same words."""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest
from tests.unit.conftest import Command

import relyon
from relyon.core.errors import InputError, ParseError
from relyon.io.log_checks import read_log
from relyon.online.logs import examine


def searches(count: int = 60, seed: int = 1) -> pl.DataFrame:
    """Lists of six results, clicked from the top, with times and arms."""
    draw = random.Random(seed)
    rows = [
        (
            f"s{number}",
            f"u{number // 3}",
            f"query {number % 7}",
            f"2026-03-{1 + number % 27:02}T10:{number % 60:02}:00",
            position,
            f"d{(position * 7 + number) % 11}",
            int(draw.random() < 0.5 / position),
            "ab"[number % 2],
        )
        for number in range(count)
        for position in range(1, 7)
    ]
    names = ["session", "user", "query", "timestamp", "position", "doc", "clicked", "bucket"]
    return pl.DataFrame(rows, names, orient="row")


COMMANDS = {
    "labels make": ("labels", "make", "LOG", "-o", "labels.csv"),
    "labels bias": ("labels", "bias", "LOG"),
    "labels compare": ("labels", "compare", "LOG"),
    "abtest check": ("abtest", "check", "LOG"),
    "sample": ("sample", "LOG"),
}


def said(command: Command, name: str, log: str) -> tuple[int, str]:
    arguments = [log if one == "LOG" else one for one in COMMANDS[name]]
    outcome = command(*arguments)
    return outcome.code, outcome.err


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("value", [0.37, 5])
def test_rates_and_counts_are_not_clicks(
    name: str, value: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    log = searches().with_columns(clicked=pl.col("clicked") * value)
    log.write_csv("log.csv")
    first = log["clicked"].arg_max()
    assert first is not None
    code, text = said(command, name, "log.csv")
    assert code == 3
    assert f"log.csv:{first + 2}: the column clicked contains `{value}`" in text
    assert "which is neither 0 nor 1" in text
    assert "impressions=COLUMN,clicks=COLUMN" in text


def test_a_frame_with_rates_is_refused_too() -> None:
    log = searches().with_columns(clicked=pl.col("clicked") * 0.37)
    with pytest.raises(InputError, match=r"clicked contains `0\.37`"):
        relyon.draw_sample(log)
    with pytest.raises(InputError, match="clicked contains `2`"):
        read_log(searches().with_columns(clicked=pl.col("clicked") * 2))


@pytest.mark.parametrize("name", COMMANDS)
def test_query_and_document_swapped(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    searches().rename({"query": "doc", "doc": "query"}).write_csv("log.csv")
    code, text = said(command, name, "log.csv")
    assert code == 3
    assert "the columns of query and document are swapped" in text


@pytest.mark.parametrize("name", COMMANDS)
def test_clicks_alone(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    searches(200).filter(pl.col("clicked") == 1).write_csv("log.csv")
    code, text = said(command, name, "log.csv")
    assert "the log contains only clicks, so click rates and what users saw cannot be known" in text
    if name in ("labels make", "sample"):
        assert code == 3


def test_times_of_two_orders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    time = pl.col("timestamp").str.to_datetime()
    half = pl.col("session").str.slice(1).cast(int) % 2 == 0
    written = pl.when(half).then("timestamp").otherwise(time.dt.strftime("%d/%m/%Y %H:%M:%S"))
    log = searches().with_columns(timestamp=written)
    log.write_csv("log.csv")
    code, text = said(command, "abtest check", "log.csv")
    assert code == 3
    assert "180 of 360 times begin with a day or a month, such as `02/03/2026 10:01:00`" in text
    code, text = said(command, "labels make", "log.csv")
    assert code == 0
    assert "can only be day first" in text
    finding = examine(log)["day-first-timestamps"]
    assert (finding.count, finding.total) == (180, 360)
    assert finding.evidence["months"] == 0
    assert (
        finding.evidence["days"]
        == log.filter(
            ~half, pl.col("timestamp").str.slice(0, 2).cast(int, strict=False) > 12
        ).height
    )


def test_a_sound_log_is_only_read() -> None:
    log = read_log(searches(), uses=("clicks", "times"))
    assert log.notes == ()
    assert read_log(log) is log


def test_the_doctor_names_what_commands_refuse() -> None:
    log = searches()
    rates = examine(log.with_columns(clicked=pl.col("clicked") * 0.37))
    assert rates["click-values"].evidence == {"column": "clicked", "value": "0.37"}
    assert not rates["click-values"].fixable
    counts = examine(log.with_columns(clicked=pl.col("clicked") * 3))
    assert counts["click-values"].fixable
    repaired = counts.repair().sessions
    assert repaired.collect()["clicked"].sum() == log["clicked"].sum()
    swapped = examine(log.rename({"query": "doc", "doc": "query"}))["swapped-columns"]
    assert (swapped.count, swapped.total) == (60, 60)


def test_a_repair_keeps_every_column(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    log = searches().with_columns(价格=pl.lit("9.50"), 点击次数=pl.lit(3))
    log.with_columns(position=pl.col("position") - 1).write_csv("log.csv")
    arguments = ("logs", "doctor", "log.csv", "--columns", "clicked=clicked,document=doc", "--fix")
    assert command(*arguments, "-o", "fixed.csv").code == 0
    fixed = pl.read_csv("fixed.csv")
    assert set(log.columns) == set(fixed.columns)
    assert fixed["价格"].to_list() == [9.5] * log.height
    assert fixed["position"].min() == 1
    again = command(*arguments, "-o", "fixed.csv")
    assert again.code == 3
    assert "already exists" in again.err
    assert command(*arguments, "-o", "fixed.csv", "--force").code == 0


def test_bots_are_left_out_of_a_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    log = searches()
    robot = log.head(60).with_columns(
        user=pl.lit("robot"), session="r" + pl.col("session"), clicked=pl.lit(1, pl.Int64)
    )
    pl.concat([log, robot]).write_csv("log.csv")
    found = command("logs", "doctor", "log.csv", "--fix", "--drop-bots", "-o", "people.csv")
    assert found.code == 0, found.err
    assert "relyon logs doctor LOG --fix --drop-bots -o FILE" in found.out.replace("\n  ", " ")
    assert "robot" not in Path("people.csv").read_text("utf-8")
    assert pl.read_csv("people.csv").height == log.height
    assert command("sample", "people.csv", "-o", "drawn.csv").code == 0
    again = command("sample", "people.csv", "-o", "drawn.csv")
    assert (again.code, "already exists" in again.err) == (3, True)
    assert command("sample", "people.csv", "-o", "drawn.csv", "--force").code == 0


def test_counts_in_the_place_of_impressions_are_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("session,query,position,doc,曝光,点击\ns,q,1,a,1,1\ns,q,2,b,100,7\n", "utf-8")
    with pytest.raises(ParseError, match="clicked contains `7`") as caught:
        read_log(path)
    assert caught.value.line == 3


def half_day_first() -> pl.DataFrame:
    """Every second row of each list writes its time day first."""
    time = pl.col("timestamp").str.to_datetime()
    odd = pl.int_range(pl.len()) % 2 == 1
    day_first = time.dt.strftime("%d/%m/%Y %H:%M:%S")
    return searches().with_columns(timestamp=pl.when(odd).then(day_first).otherwise("timestamp"))


def test_a_month_of_times_that_begin_with_a_day_is_refused() -> None:
    wrong = "180 of 360 times begin with a day or a month, such as `01/03/2026 10:00:00`"
    with pytest.raises(InputError, match=wrong) as caught:
        relyon.read_sessions(half_day_first()).between(month="2026-03")
    assert "write all times as ISO 8601" in str(caught.value.hint)


def test_a_part_of_a_log_is_judged_by_its_own_times() -> None:
    log = relyon.read_sessions(half_day_first())
    there = read_log(log)
    assert [note.kind for note in there.notes] == ["day-first-times"]
    assert there.notes[0].values["times"] == 360
    import narwhals as nw

    def good(rows: nw.LazyFrame[pl.LazyFrame]) -> nw.LazyFrame[pl.LazyFrame]:
        return rows.filter(nw.col("timestamp").str.starts_with("2026"))

    part = log.derived(log.frame, good(log.raw), source=log.source, notes=log.notes)
    part.facts = there.facts
    assert read_log(part).notes == ()


def test_the_overview_counts_rows_without_a_readable_time(tmp_path: Path, command: Command) -> None:
    path = tmp_path / "log.csv"
    half_day_first().write_csv(path)
    outcome = command("logs", "inspect", str(path))
    assert "no readable time     180 rows (50.0%)" in outcome.out
    assert '"untimed": 180' in command("logs", "inspect", str(path), "--format", "json").out
    searches().write_csv(path)
    assert "no readable time" not in command("logs", "inspect", str(path)).out


def counts(shared: bool = True) -> pl.DataFrame:
    """Counts of 30 queries at positions 1 to 5; documents come at several positions."""
    rows = [
        (f"q{query}", f"d{document if shared else f'{query}-{document}'}", position, 20, 3)
        for query in range(30)
        for document in range(5)
        for position in (document + 1, (document + 1) % 5 + 1)
    ]
    names = ["query", "doc", "position", "impressions", "clicks"]
    return pl.DataFrame(rows, schema=names, orient="row")


@pytest.mark.parametrize("name", ["labels make", "labels bias"])
def test_query_and_document_swapped_in_counts(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    counts(shared=False).rename({"query": "doc", "doc": "query"}).write_csv("counts.csv")
    code, text = said(command, name, "counts.csv")
    assert code == 3
    assert "150 of 150 queries shown below position 1 have a single document" in text


def test_counts_of_one_document_per_query_are_read() -> None:
    """The first result alone, clicked rows alone, and documents of many queries are no swap."""
    first = counts().filter(pl.col("position") == 1)
    for frame in (counts(), counts(shared=False), first, counts().unique("query")):
        assert read_log(frame, kind="clicks").counted
