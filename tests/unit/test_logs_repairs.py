"""Logs repaired, what is said of them, checks of one's own, and the overview."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from tests.unit.clean_logs import kinds, mixed_in, robot

from relyon import InputError, ParameterError, Sessions, UnknownNameError, read_sessions
from relyon.core.document.terminal import width
from relyon.io.session_writers import write_sessions
from relyon.online.logs import Check, Finding, Log, checks, examine, summarise


def sick(clean: pl.DataFrame) -> pl.DataFrame:
    """A log with many things wrong at once, times as times."""
    copies = clean.filter(pl.col("session") == "s4")
    query = pl.when(pl.col("session") == "s9").then(pl.lit("QUERY 3")).otherwise("query")
    zero = (pl.col("bucket") == "a").cast(pl.Int64)
    return pl.concat([clean, copies]).with_columns(query=query, position=pl.col("position") - zero)


SICK = ["mixed-positions", "duplicate-rows", "query-variants"]


@pytest.mark.long
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
    monkeypatch.setattr("relyon.online.logs.log_check.SLICE", 100)
    sliced = examine(log)
    assert sliced.to_dict() == whole
    assert "bots" in sliced
    assert summarise(log).to_dict() == numbers


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
        "column": "clicked",
        "value": "0.37",
        "example": "03/04/2026",
        "days": 1,
        "months": 0,
    }
    for kind in checks:
        finding = Finding(kind, "warning", 1, 2, "rows", (), values)
        for text in (finding.title, finding.text, finding.fix):
            assert text(language)
            assert "{" not in text(language)
    with pytest.raises(ParameterError, match="`language` must be"):
        finding.text("fr")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_text_fits_80_columns(clean: pl.DataFrame, language: Any) -> None:
    checkup = examine(sick(clean))
    lines = checkup.to_text(language).splitlines()
    assert max(map(width, lines)) <= 80
    assert all(kind in checkup.to_text(language) for kind in SICK)
    assert all(f"`{kind}`" in checkup.to_markdown(language) for kind in SICK)


def test_shares_in_words() -> None:
    counted = Finding("bots", "info", 1, 3, "sessions").counted
    assert str(counted) == "1 of 3 sessions (33.3%)"
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
    assert checkup["no-purchases"].text() == f"5 of {clean.height} rows (0.5%) have none."
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


@pytest.mark.long
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


ODD = """session,query,time,position,doc,clicked
s1,tv,03/04/2026 08:00:00,1,a,1
s1,tv,2026-04-03T08:00:00,2,b,0
s3,TV,soon,1,c,1
s2,tv,,1,a,0
s2,tv,1775203200,2,b,0
s2,tv,1775203200,2,b,0
"""
TIMES = {
    "a": ["03/04/2026 08:00:00", None], "b": ["2026-04-03T08:00:00.000000Z"] * 2, "c": ["soon"],
}  # fmt: skip


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "csv.gz"])
def test_a_copy_keeps_times_that_cannot_be_read(suffix: str, tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(ODD)
    repair = examine(read_sessions(tmp_path / "log.csv")).repair()
    assert {change.kind for change in repair.changes} >= {"duplicate-rows", "query-variants"}
    for change in repair.changes:
        assert all(name[0] != "_" for row in change.examples for name in row)
    path = tmp_path / f"copy.{suffix}"
    write_sessions(repair.sessions, path)
    copy = read_sessions(path)
    rows = copy.raw.collect("polars").to_native()
    for doc, times in TIMES.items():
        found = rows.filter(doc=doc).sort("session")["timestamp"].to_list()
        assert [time or None for time in found] == times
    assert "__relyon" not in " ".join(rows.columns)
    again = examine(copy)
    assert again["day-first-timestamps"].count == 1
    assert again["unreadable-timestamps"].count == 2


def test_parquet_has_times_as_times_if_all_can_be_read(tmp_path: Path) -> None:
    rows = [line for line in ODD.splitlines() if "soon" not in line and "03/04" not in line]
    (tmp_path / "log.csv").write_text("\n".join(rows))
    write_sessions(read_sessions(tmp_path / "log.csv"), tmp_path / "copy.parquet")
    kind = pl.read_parquet_schema(tmp_path / "copy.parquet")["timestamp"]
    assert kind == pl.Datetime("us", "UTC")


@pytest.mark.parametrize(("value", "kept"), [("0.5", ["0", "0.5"]), ("3", ["false", "true"])])
def test_a_copy_keeps_rates_of_clicks_and_repairs_counts(
    value: str, kept: list[str], tmp_path: Path
) -> None:
    text = f"session,query,position,doc,clicked\ns1,tv,1,a,{value}\ns1,tv,2,b,0\n"
    (tmp_path / "log.csv").write_text(text)
    repair = examine(read_sessions(tmp_path / "log.csv")).repair()
    assert ("click-values" in repair.remaining) == (value == "0.5")
    write_sessions(repair.sessions, tmp_path / "copy.csv")
    copy = pl.read_csv(tmp_path / "copy.csv", infer_schema=False)
    assert sorted(copy["clicked"]) == kept
