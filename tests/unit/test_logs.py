"""The log doctor: each check where it fires and where it must not, repairs, engines."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import given, strategies as st

from relkit import InputError, ParameterError, Sessions, UnknownNameError, read_sessions
from relkit.core.document.terminal import width
from relkit.online.logs import Check, Checkup, Finding, Log, checks, examine, summarise
from relkit.online.logs.searches import fold_query
from relkit.online.logs.times import Gaps

START = datetime(2025, 3, 3, tzinfo=UTC)


def clean_log(searches: int = 60, seed: int = 1, days: float = 4.0) -> pl.DataFrame:
    """A log with nothing wrong: lists of many lengths, users with few searches, some clicks."""
    draw = random.Random(seed)
    rows: list[dict[str, Any]] = []
    for search in range(searches):
        query = f"query {min(int(draw.expovariate(0.3)), 30)}"
        at = START + timedelta(days=days * (search + draw.random()) / searches)
        documents = draw.sample(range(1000), 1 + draw.randrange(30))
        clicked = draw.randrange(len(documents) + 5)
        for position, document in enumerate(documents, 1):
            hit = position - 1 == clicked and len(documents) > 1
            rows.append(
                {
                    "session": f"s{search}",
                    "query": query,
                    "timestamp": at,
                    "position": position,
                    "doc": f"d{document}",
                    "clicked": hit,
                    "dwell_seconds": draw.random() * 60 if hit else None,
                    "add_to_cart": False,
                    "purchase": False,
                    "bucket": "ab"[search % 2],
                    "user": f"u{search // 3}",
                }
            )
    kinds = {"timestamp": pl.Datetime("us", "UTC"), "dwell_seconds": pl.Float64}
    return pl.DataFrame(rows, schema_overrides=kinds)


@pytest.fixture
def clean() -> pl.DataFrame:
    return clean_log()


def kinds(checkup: Checkup) -> list[str]:
    return [finding.kind for finding in checkup.findings]


def only(frame: pl.DataFrame, kind: str, **options: Any) -> Finding:
    """Returns the finding of a check where all checks together find nothing else."""
    checkup = examine(frame, **options)
    assert kinds(checkup) == [kind], str(checkup)
    return checkup[kind]


# -- clean logs ------------------------------------------------------------------------------------


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


def test_an_empty_log_is_silent(clean: pl.DataFrame) -> None:
    assert kinds(examine(clean.head(0))) == []
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
    assert {"2025-03", "1741"} == {row["written"][:7 if "-" in row["written"] else 4]
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


def hourly(days: int, searches: int, missing: set[int] = frozenset()) -> pl.DataFrame:
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


def robot(searches: int, seconds: float, rows: int = 1, **values: Any) -> pl.DataFrame:
    return pl.DataFrame(
        [{"session": f"r{search}", "query": f"query {search % 7}", "position": position + 1,
          "doc": f"d{position}", "user": "robot", "clicked": False,
          "timestamp": START + timedelta(seconds=seconds * search), **values}
         for search in range(searches) for position in range(rows)]
    )  # fmt: skip


def mixed_in(clean: pl.DataFrame, part: pl.DataFrame) -> pl.DataFrame:
    part = part.with_columns(pl.col("timestamp").cast(pl.Datetime("us", "UTC")))
    return pl.concat([clean, part], how="diagonal_relaxed")


@pytest.mark.parametrize(
    ("part", "found"),
    [
        (robot(60, 1.0), 1),  # one a second
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


def sick(clean: pl.DataFrame) -> pl.DataFrame:
    """A log with many things wrong at once, times as times."""
    copies = clean.filter(pl.col("session") == "s4")
    query = pl.when(pl.col("session") == "s9").then(pl.lit("QUERY 3")).otherwise("query")
    zero = (pl.col("bucket") == "a").cast(pl.Int64)
    return pl.concat([clean, copies]).with_columns(query=query, position=pl.col("position") - zero)


SICK = ["mixed-positions", "duplicate-rows", "query-variants"]


def test_duckdb_finds_what_polars_finds(clean: pl.DataFrame) -> None:
    log = sick(clean).with_columns(pl.col("timestamp").dt.replace_time_zone(None))
    arrow = log.to_arrow()
    there, here = examine(duckdb.from_arrow(arrow)), examine(log)
    assert kinds(here) == SICK
    assert there.to_dict() == here.to_dict()
    assert there.repair().to_dict() == here.repair().to_dict()
    assert summarise(duckdb.from_arrow(arrow)).to_dict() == (
        {**summarise(log).to_dict(), "source": "memory"}
    )


def test_slices_of_a_large_log(clean: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    log = mixed_in(sick(clean), robot(60, 1.0))
    whole, numbers = examine(log).to_dict(), summarise(log).to_dict()
    monkeypatch.setattr("relkit.online.logs.base.SLICE", 100)
    sliced = examine(log)
    assert sliced.to_dict() == whole
    assert "bots" in sliced
    assert summarise(log).to_dict() == numbers


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_spark_finds_what_polars_finds(clean: pl.DataFrame, tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed: relkit[spark]")
    from pyspark.sql import SparkSession

    log = sick(clean).with_columns(pl.col("timestamp").dt.replace_time_zone(None))
    log.write_parquet(tmp_path / "log.parquet")
    settings = {"spark.ui.enabled": "false", "spark.sql.session.timeZone": "UTC",
                "spark.sql.shuffle.partitions": "2"}  # fmt: skip
    builder = SparkSession.builder.master("local[2]").config(map=settings)
    spark = builder.getOrCreate()
    try:
        frame = spark.read.parquet(str(tmp_path / "log.parquet"))
        there, here = examine(frame), examine(log)
        assert there.to_dict() == here.to_dict()
        assert there.repair().to_dict() == here.repair().to_dict()
        assert summarise(frame).to_dict() == summarise(log).to_dict()
    finally:
        spark.stop()


def test_the_order_of_the_rows_does_not_matter(clean: pl.DataFrame) -> None:
    log = sick(clean)
    assert examine(log.sample(fraction=1.0, shuffle=True, seed=3)).to_dict() == (
        examine(log).to_dict()
    )


def test_what_is_repaired_is_not_found_again(clean: pl.DataFrame) -> None:
    repair = examine(sick(clean)).repair()
    assert [change.kind for change in repair.changes] == SICK
    assert kinds(examine(repair.sessions)) == []
    record = json.loads(repair.to_json())
    assert record["rows_before"] - record["rows_after"] == (
        clean.filter(pl.col("session") == "s4").height
    )
    assert all(change["examples"] and change["rule"] for change in record["changes"])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_check_has_its_texts(language: Any) -> None:
    values = {
        "columns": "doc",
        "forms": "x",
        "year": "1995",
        "gaps": 1,
        "expected": 40,
        "from_one": 3,
        "depth": 10,
        "measured": 20,
        "sessions": 5,
        "traffic": 0.5,
    }
    for kind in checks:
        finding = Finding(kind, "warning", 1, 2, "rows", (), values)
        for text in (finding.title, finding.text, finding.fix):
            assert text(language)
            assert "{" not in text(language)
    with pytest.raises(ParameterError, match="`language` must be"):
        finding.text("fr")  # type: ignore[arg-type]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_text_fits_80_columns(clean: pl.DataFrame, language: Any) -> None:
    checkup = examine(sick(clean))
    lines = checkup.to_text(language).splitlines()
    assert max(map(width, lines)) <= 80
    assert all(kind in checkup.to_text(language) for kind in SICK)
    assert all(f"`{kind}`" in checkup.to_markdown(language) for kind in SICK)


def test_shares_in_words() -> None:
    counted = Finding("bots", "info", 1, 3, "sessions").counted
    assert str(counted) == "1 of 3 sessions (33.3 %)"
    assert counted.text("zh") == "3 个会话中的 1 个会话（33.3%）"


def test_warnings_come_first(clean: pl.DataFrame) -> None:
    cut = clean.filter(pl.col("position") <= 10)
    checkup = examine(pl.concat([cut, cut.head(1)]), depth=10)
    assert [one.level for one in checkup] == ["warning", "info"]
    assert [one.kind for one in checkup.warnings] == ["duplicate-rows"]


def test_bad_parameters(clean: pl.DataFrame) -> None:
    with pytest.raises(ParameterError, match="`depth` must be at least 1"):
        examine(clean, depth=0)
    with pytest.raises(UnknownNameError, match="unknown check: `gap`"):
        examine(clean, only="gap")
    with pytest.raises(InputError, match="not a data frame"):
        examine("log.csv")
    with pytest.raises(KeyError):
        examine(clean)["gaps"]


class Empty(Check):
    name = "no-purchases"

    def apply(self, log: Log) -> Finding | None:
        texts = {"title": "No {what}", "text": "{counted} have none."}
        return Finding(
            self.name, "info", 5, log.rows, "rows", evidence={"what": "purchases"}, texts=texts
        )


class Silent(Check):
    name = "silent"

    def apply(self, log: Log) -> Finding | None:
        return Finding(self.name, "info", log.rows, log.rows, "rows", fixable=True)


def test_checks_of_ones_own(clean: pl.DataFrame) -> None:
    checkup = examine(clean, only=[Empty(), Silent()])
    assert kinds(checkup) == ["no-purchases", "silent"]
    assert checkup["no-purchases"].title("zh") == "No purchases"
    assert checkup["no-purchases"].text() == f"5 of {clean.height} rows (0.5 %) have none."
    lines = str(checkup).splitlines()
    assert lines[2:5] == ["info no-purchases", "  No purchases", f"  {checkup.findings[0].text()}"]
    assert lines[6:8] == ["info silent", "  silent"]
    assert checkup.repair().remaining == ("no-purchases", "silent")


# -- overview --------------------------------------------------------------------------------------


def test_overview(clean: pl.DataFrame) -> None:
    overview = summarise(clean)
    assert (overview.rows, overview.sessions, overview.users) == (clean.height, 60, 20)
    assert overview.queries == clean["query"].n_unique()
    assert (overview.start, overview.end) == (clean["timestamp"].min(), clean["timestamp"].max())
    assert overview.last_position == clean["position"].max()
    assert overview.rates["clicked"] == clean["clicked"].mean()
    assert overview.results == clean.height / 60
    assert overview.missing == ()
    assert sum(tier.sessions for tier in overview.tiers) == 60
    assert sum(tier.queries for tier in overview.tiers) == overview.queries
    head, _, tail = overview.tiers
    assert head.queries < tail.queries
    assert head.share >= 1 / 3
    assert json.loads(overview.to_json())["start"].endswith("Z")
    assert "| sessions | 60 |" in overview.to_markdown()


def test_overview_of_a_small_log(clean: pl.DataFrame) -> None:
    overview = summarise(clean.select("session", "query", "position", "doc"))
    assert (overview.users, overview.start, overview.rates) == (None, None, {})
    assert "missing columns" in str(overview)
    assert "dwell_seconds" in overview.missing


# -- public logs -----------------------------------------------------------------------------------


def test_the_messy_collections(test_data: Path) -> None:
    chorus = read_sessions(test_data / "ubi_chorus" / "ubi_queries_events.ndjson.gz")
    folder = test_data / "ubi_opensearch_dashboards"
    both = read_sessions([folder / "ubi_queries.json.gz", folder / "ubi_events.json.gz"])
    for sessions in (chorus, both):
        checkup = examine(sessions)
        assert {"mixed-positions", "mixed-timestamps", "actions-without-impression"} <= set(
            kinds(checkup)
        )
        fixable = {one.kind for one in checkup if one.fixable}
        repair = checkup.repair()
        assert {change.kind for change in repair.changes} == fixable
        assert not fixable & set(kinds(examine(repair.sessions)))
    assert examine(chorus)["mixed-positions"].count >= 200


def test_visits_and_searches(test_data: Path) -> None:
    path = test_data / "trec_session2013_part" / "session_impressions.tsv.gz"
    assert "several-queries" in examine(read_sessions(path))
    searches: Sessions = read_sessions(path, columns={"session": "session+interaction"})
    assert kinds(examine(searches)) == ["cut-off-lists"]
