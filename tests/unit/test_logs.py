"""The log doctor: each check where it fires and where it must not, repairs, engines."""

from __future__ import annotations

import random
from collections.abc import Collection
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given, strategies as st
from tests.unit.clean_logs import START, clean_log, kinds, mixed_in, only, robot

from relyon.core.errors import InputError
from relyon.online.logs import checks, examine, summarise
from relyon.online.logs.searches import fold_query
from relyon.online.logs.times import Gaps

# -- clean logs ------------------------------------------------------------------------------------


@pytest.mark.long
@given(
    searches=st.integers(1, 80),
    seed=st.integers(0, 10_000),
    days=st.floats(0.01, 400),
    columns=st.sets(st.sampled_from(["timestamp", "clicked", "bucket", "user"])),
    order=st.randoms(use_true_random=False),
)
def test_clean_logs_are_silent(
    searches: int, seed: int, days: float, columns: set[str], order: random.Random
) -> None:
    log = clean_log(searches, seed, days).drop(columns)
    places = list(range(log.height))
    order.shuffle(places)
    checkup = examine(log[places])
    assert kinds(checkup) == []
    assert (checkup.rows, len(checkup)) == (log.height, 0)


def test_clean_text_says_so(clean: pl.DataFrame) -> None:
    checkup = examine(clean)
    assert str(checkup).endswith("; nothing is wrong.")
    assert "没有发现问题" in checkup.to_text("zh")
    assert checkup.made == len(checks)
    repair = checkup.repair()
    assert (repair.changes, repair.remaining) == ((), ())
    assert repair.to_dict()["rows_after"] == clean.height


def test_an_empty_log_is_not_a_healthy_one(clean: pl.DataFrame) -> None:
    with pytest.raises(InputError, match="contains no rows"):
        examine(clean.head(0))
    assert summarise(clean.head(0)).sessions == 0


# -- values ----------------------------------------------------------------------------------------


def test_missing_values(clean: pl.DataFrame) -> None:
    doc = pl.when(pl.col("session") == "s3").then(None).otherwise("doc")
    broken = clean.with_columns(doc=doc.cast(pl.String))
    lost = clean.filter(pl.col("session") == "s3").height
    finding = only(broken, "missing-values")
    assert (finding.count, finding.total) == (lost, clean.height)
    assert "doc" in finding.text()
    repair = examine(broken).repair()
    assert repair.changes[0].rows == lost
    assert repair.sessions.collect().height == clean.height - lost


# -- positions -------------------------------------------------------------------------------------


def test_zero_based_positions(clean: pl.DataFrame) -> None:
    shifted = clean.with_columns(pl.col("position") - 1)
    finding = only(shifted, "zero-based-positions")
    assert (finding.count, finding.share, finding.level) == (60, 1.0, "warning")
    assert finding.examples[0]["position"] == 0
    repair = examine(shifted).repair()
    assert (
        repair.sessions.collect()
        .sort("session", "position")
        .equals(clean.select(repair.sessions.columns).sort("session", "position"))
    )
    assert repair.changes[0].rows == clean.height
    assert kinds(examine(repair.sessions)) == []


def test_a_zero_based_log_that_lost_a_first_result(clean: pl.DataFrame) -> None:
    lost = (pl.col("session") == "s1") & (pl.col("position") == 0)
    shifted = clean.with_columns(pl.col("position") - 1).filter(~lost)
    checkup = examine(shifted)
    assert "mixed-positions" not in checkup
    fixed = checkup.repair().sessions.collect()
    assert fixed.filter(pl.col("session") == "s1")["position"].min() == 2


def test_mixed_positions(clean: pl.DataFrame) -> None:
    zero = pl.col("bucket") == "a"
    mixed = clean.with_columns(pl.col("position") - zero.cast(pl.Int64))
    finding = only(mixed, "mixed-positions")
    assert (finding.count, finding.evidence["from_one"]) == (30, 30)
    repair = examine(mixed).repair()
    assert repair.changes[0].rows == clean.filter(zero).height
    assert (
        repair.sessions.collect()
        .sort("session", "position")
        .equals(clean.select(repair.sessions.columns).sort("session", "position"))
    )


def test_positions_below_zero(clean: pl.DataFrame) -> None:
    extra = clean.head(1).with_columns(position=pl.lit(-1, pl.Int64), doc=pl.lit("x"))
    checkup = examine(pl.concat([clean, extra]))
    assert checkup["invalid-positions"].count == 1
    assert kinds(examine(checkup.repair().sessions)) == []


def test_lists_with_holes(clean: pl.DataFrame) -> None:
    long = clean.group_by("session").len().filter(pl.col("len") > 4)["session"].to_list()
    holes = clean.filter(~((pl.col("position") == 2) & pl.col("session").is_in(long)))
    finding = only(holes, "incomplete-lists")
    assert (finding.count, finding.total, finding.fixable) == (len(long), 60, False)
    one = clean.filter(~((pl.col("position") == 1) & (pl.col("session") == long[0])))
    assert examine(one)["incomplete-lists"].count == 1
    many = clean_log(200)
    few = many.filter(~((pl.col("position") == 1) & (pl.col("session") == "s0")))
    assert kinds(examine(few)) == []  # one of 200 is below the share that counts


def test_lists_that_were_cut_off(clean: pl.DataFrame) -> None:
    cut = clean.filter(pl.col("position") <= 10)
    ending = cut.filter(pl.col("position") == 10).height
    finding = only(cut, "cut-off-lists")
    assert (finding.count, finding.evidence["depth"], finding.level) == (ending, 10, "warning")
    assert "DCG@10" in finding.text()
    assert only(cut, "cut-off-lists", depth=10).level == "info"
    assert kinds(examine(cut.filter(pl.col("session").is_in(["s1", "s2", "s3"])))) == []


def test_the_depth_counts_from_zero_too(clean: pl.DataFrame) -> None:
    cut = clean.filter(pl.col("position") <= 10).with_columns(pl.col("position") - 1)
    assert examine(cut)["cut-off-lists"].evidence["depth"] == 10


def test_several_documents_at_one_position(clean: pl.DataFrame) -> None:
    page = clean.filter(pl.col("session") == "s5").with_columns(doc=pl.col("doc") + "-page-2")
    finding = only(pl.concat([clean, page]), "shared-positions")
    assert (finding.count, finding.fixable) == (1, False)
    assert finding.examples[0]["session"] == "s5"


# -- times -----------------------------------------------------------------------------------------


def texts(log: pl.DataFrame, epoch: pl.Expr, per_second: int) -> pl.DataFrame:
    """Writes times as ISO text, those that `epoch` picks as numbers since 1970."""
    time = pl.col("timestamp")
    number = (time.dt.epoch("us") // (1_000_000 // per_second)).cast(pl.String)
    iso = time.dt.strftime("%Y-%m-%dT%H:%M:%S%.6fZ")
    return log.with_columns(timestamp=pl.when(epoch).then(number).otherwise(iso))


@pytest.mark.parametrize("per_second", [1000, 1_000_000])
def test_mixed_timestamps(clean: pl.DataFrame, per_second: int) -> None:
    mixed = texts(clean, pl.col("session") == "s7", per_second)
    finding = only(mixed, "mixed-timestamps")
    some = clean.filter(pl.col("session") == "s7").height
    assert (finding.count, finding.total) == (some, clean.height)
    assert {"2025-03", "1741"} == {str(row["written"])[:7 if "-" in str(row["written"]) else 4]
                                  for row in finding.examples}  # fmt: skip
    repair = examine(mixed).repair()
    assert repair.changes[0].rows == some
    assert repair.sessions.collect()["timestamp"].dtype == pl.Datetime("us", "UTC")
    rounded = pl.col("timestamp").dt.truncate("1ms")
    assert (
        repair.sessions.collect()
        .with_columns(rounded)
        .equals(clean.select(repair.sessions.columns).with_columns(rounded))
    )
    assert kinds(examine(repair.sessions)) == []


def test_units_are_mixed_in_numbers(clean: pl.DataFrame) -> None:
    seconds = pl.col("timestamp").dt.epoch("s")
    factor = pl.when(pl.col("session") == "s7").then(1000).otherwise(1)
    finding = only(clean.with_columns(timestamp=seconds * factor), "mixed-timestamps")
    assert finding.count == clean.filter(pl.col("session") == "s7").height
    assert "epoch ms × " in finding.text()
    assert kinds(examine(clean.with_columns(timestamp=seconds))) == []


def test_times_with_and_without_a_zone(clean: pl.DataFrame) -> None:
    iso = pl.col("timestamp").dt.strftime("%Y-%m-%d %H:%M:%S")
    zone = pl.when(pl.col("session") == "s7").then(pl.lit("+00:00")).otherwise(pl.lit(""))
    finding = only(clean.with_columns(timestamp=iso + zone), "mixed-timestamps")
    assert "(no zone) × " in finding.text()
    assert kinds(examine(clean.with_columns(timestamp=iso))) == []


def test_unreadable_timestamps(clean: pl.DataFrame) -> None:
    time = pl.when(pl.col("session") == "s7").then(pl.lit("soon")).otherwise(
        pl.col("timestamp").dt.strftime("%Y-%m-%dT%H:%M:%SZ")
    )  # fmt: skip
    finding = only(clean.with_columns(timestamp=time), "unreadable-timestamps")
    assert finding.count == clean.filter(pl.col("session") == "s7").height
    assert finding.examples[0]["written"] == "soon"
    empty = clean.with_columns(timestamp=time.replace({"soon": ""}))
    assert kinds(examine(empty)) == []


def test_implausible_timestamps(clean: pl.DataFrame) -> None:
    time = pl.when(pl.col("session") == "s7").then(datetime(1970, 1, 1, 0, 5, tzinfo=UTC))
    finding = examine(clean.with_columns(timestamp=time.otherwise("timestamp")))[
        "implausible-timestamps"
    ]
    assert finding.count == clean.filter(pl.col("session") == "s7").height
    future = pl.lit(datetime.now(UTC) + timedelta(days=300)).cast(pl.Datetime("us", "UTC"))
    assert "implausible-timestamps" in examine(clean.with_columns(timestamp=future))


def hourly(days: int, searches: int, missing: Collection[int] = ()) -> pl.DataFrame:
    """A log with so many searches in each hour of the day from 8 to 22, and none at night."""
    rows = [
        {"session": f"s{hour}-{search}", "query": f"q{search}", "position": 1, "doc": "d",
         "timestamp": START + timedelta(hours=hour, minutes=search)}
        for hour in range(days * 24) if 8 <= hour % 24 < 22 and hour not in missing
        for search in range(searches)
    ]  # fmt: skip
    return pl.DataFrame(rows).with_columns(pl.col("timestamp").cast(pl.Datetime("us", "UTC")))


def test_gaps(clean: pl.DataFrame) -> None:
    gap = set(range(3 * 24 + 9, 3 * 24 + 15))
    finding = examine(hourly(7, 20, gap), only="gaps")["gaps"]
    assert (finding.count, finding.unit, finding.evidence["gaps"]) == (6, "hours", 1)
    assert finding.evidence["expected"] == round(6 * 20 * 6 / 7)
    assert finding.examples[0]["from"] == "2025-03-06T09:00Z"


@pytest.mark.parametrize("days", [1, 2, 3, 7, 20])
def test_nights_are_no_gaps(days: int) -> None:
    assert len(examine(hourly(days, 20), only="gaps")) == 0


def test_a_few_searches_say_nothing_about_gaps() -> None:
    gap = set(range(3 * 24 + 9, 3 * 24 + 15))
    assert len(examine(hourly(7, 2, gap), only="gaps")) == 0
    assert len(examine(hourly(7, 2, gap), only=[Gaps()])) == 0


def test_one_wrong_time_does_not_make_a_table_of_centuries() -> None:
    log = hourly(7, 20)
    old = log.head(1).with_columns(
        session=pl.lit("old"), timestamp=pl.lit(datetime(1800, 1, 1, tzinfo=UTC))
    )
    assert len(examine(pl.concat([log, old], how="vertical_relaxed"), only="gaps")) == 0


# -- events ----------------------------------------------------------------------------------------


def test_duplicate_rows(clean: pl.DataFrame) -> None:
    copies = clean.filter(pl.col("session") == "s4").with_columns(
        clicked=pl.lit(True), timestamp=pl.col("timestamp") + timedelta(seconds=1)
    )
    doubled = pl.concat([clean, copies, copies])
    finding = only(doubled, "duplicate-rows")
    assert (finding.count, finding.total) == (2 * copies.height, doubled.height)
    assert finding.examples[0]["copies"] == 3
    repair = examine(doubled).repair()
    assert (repair.changes[0].rows, repair.changes[0].left) == (3 * copies.height, clean.height)
    fixed = repair.sessions.collect().sort("session", "position")
    assert fixed.drop("clicked").equals(
        clean.select(fixed.columns).sort("session", "position").drop("clicked")
    )
    assert fixed.filter(pl.col("session") == "s4")["clicked"].all()
    assert kinds(examine(repair.sessions)) == []


def test_what_comes_back_in_a_visit_is_not_merged(clean: pl.DataFrame) -> None:
    visits = clean.with_columns(
        session=pl.col("user"), query=pl.when(pl.col("position") > 3).then("query").otherwise("doc")
    )
    doubled = pl.concat([visits, visits])
    assert not examine(doubled)["duplicate-rows"].fixable
    assert "duplicate-rows" in examine(doubled).repair().remaining


def test_repeated_documents(clean: pl.DataFrame) -> None:
    last = clean.filter(pl.col("session") == "s4").with_columns(
        position=pl.col("position") + pl.len()
    )
    finding = only(pl.concat([clean, last], how="vertical_relaxed"), "repeated-documents")
    assert (finding.count, finding.examples[0]["session"]) == (1, "s4")


def with_lost(clean: pl.DataFrame, *lost: tuple[str, int | None, str]) -> pl.DataFrame:
    rows = pl.DataFrame(
        [{"session": session, "query": "query 0", "position": position, "doc": doc,
          "clicked": True, "shown": False} for session, position, doc in lost]
    )  # fmt: skip
    return pl.concat([clean.with_columns(shown=pl.lit(True)), rows], how="diagonal_relaxed")


def test_actions_without_an_impression(clean: pl.DataFrame) -> None:
    length = clean.filter(pl.col("session") == "s1").height
    query = clean.filter(pl.col("session") == "s1")["query"][0]
    log = with_lost(clean, ("s1", length + 1, "free"), ("s1", 1, "taken"), ("s1", None, "nowhere"))
    finding = only(log, "actions-without-impression")
    assert finding.count == 3
    assert finding.total == 3 + clean["clicked"].sum()
    repair = examine(log).repair()
    assert repair.changes[0].rows == 3
    fixed = repair.sessions.collect()
    assert fixed.height == clean.height + 1
    assert fixed["shown"].all()
    restored = fixed.filter(pl.col("doc") == "free")
    assert restored["position"].item() == length + 1
    assert query is not None
    assert kinds(examine(with_lost(clean).filter("shown"))) == []


def test_two_documents_clicked_at_one_position_are_not_restored(clean: pl.DataFrame) -> None:
    log = with_lost(clean, ("s1", 90, "a"), ("s1", 90, "b"))
    assert examine(log, only="actions-without-impression").repair().sessions.collect().height == (
        clean.height
    )


def test_a_log_of_clicks(clean: pl.DataFrame) -> None:
    clicks = pl.concat([clean_log(200, seed) for seed in range(2)]).with_columns(
        session=pl.col("session") + pl.col("doc"), position=pl.lit(1)
    ).filter("clicked")  # fmt: skip
    assert examine(clicks)["clicks-only"].share == 1.0
    some = pl.col("session").is_in(["s1", "s2", "s3"])
    few = examine(clean.with_columns(clicked=some))
    assert "clicks-only" not in few


# -- searches --------------------------------------------------------------------------------------


def test_sessions_of_several_queries(clean: pl.DataFrame) -> None:
    query = pl.when((pl.col("session") == "s4") & (pl.col("position") > 1)).then(pl.lit("other"))
    other = clean.with_columns(query=query.otherwise("query"))
    finding = only(other, "several-queries")
    assert (finding.count, finding.fixable) == (1, False)


@pytest.mark.parametrize(
    "written", ["Query 0", "query  0", "ｑｕｅｒｙ　０", " query 0\t", "QUERY 0"]
)
def test_query_variants(clean: pl.DataFrame, written: str) -> None:
    first = clean.filter(pl.col("query") == "query 0")["session"][0]
    query = pl.when(pl.col("session") == first).then(pl.lit(written)).otherwise("query")
    finding = only(clean.with_columns(query=query), "query-variants")
    assert finding.count == 1
    assert finding.examples == ({"query": written, "kept": "query 0", "sessions": 1},)
    repair = examine(clean.with_columns(query=query)).repair()
    assert repair.changes[0].rows == clean.filter(pl.col("session") == first).height
    assert repair.sessions.collect().equals(clean.select(repair.sessions.columns))


def test_letters_and_accents_are_no_variants(clean: pl.DataFrame) -> None:
    query = pl.col("query").replace({"query 0": "cafe", "query 1": "café", "query 2": "caffè"})
    assert kinds(examine(clean.with_columns(query=query))) == []


@given(st.text())
def test_folding_a_query_twice_changes_nothing(text: str) -> None:
    assert fold_query(fold_query(text)) == fold_query(text)


@given(st.text(st.characters(max_codepoint=127)))
def test_short_cut_for_plain_text(text: str) -> None:
    assert fold_query(text) == fold_query(text + " \u3000")


# -- traffic ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "found"),
    [
        (robot(60, 1.0), 1),  # one per second
        (robot(60, 60.0), 0),
        (robot(20, 1.0), 0),  # too few to say
        (robot(1200, 60.0), 1),  # 1,440 a day
        (robot(5, 600.0, 12, clicked=True), 1),  # clicks everything
        (robot(5, 600.0, 12), 0),
    ],
)
def test_bots(clean: pl.DataFrame, part: pl.DataFrame, found: int) -> None:
    checkup = examine(mixed_in(clean, part), only="bots")
    assert len(checkup) == found
    if found:
        finding = checkup["bots"]
        assert (finding.count, finding.total, finding.fixable) == (1, 21, False)
        assert finding.examples[0]["user"] == "robot"


def test_sessions_that_click_everything(clean: pl.DataFrame) -> None:
    log = mixed_in(clean, robot(1, 1.0, 60, clicked=True)).drop("user")
    finding = examine(log, only="bots")["bots"]
    assert (finding.count, finding.unit) == (1, "sessions")
    assert len(examine(log.drop("clicked"), only="bots")) == 0


# -- together --------------------------------------------------------------------------------------
