"""Clicks on mixed lists read back: what is counted, and what is left out."""

from __future__ import annotations

import json
import math

import polars as pl
import pytest

from relyon.core.errors import InputError
from relyon.online.experiments import mix_runs, read_mixed, score_clicks

OLD = {"tv": {"a": 3.0, "b": 2.0, "c": 1.0}, "pen": {"x": 2.0, "y": 1.0}, "hat": {"h": 1.0}}
NEW = {"tv": {"b": 3.0, "c": 2.0, "a": 1.0}, "pen": {"y": 2.0, "x": 1.0}}


def shown(mixed: pl.DataFrame, clicks: dict[str, list[str]], **more: object) -> pl.DataFrame:
    """A log in which each list was shown once, with clicks on documents by list."""
    return mixed.select(
        "query", "position", doc="document", session="mixture", bucket="mixture"
    ).with_columns(
        clicked=pl.struct("bucket", "doc").map_elements(
            lambda row: row["doc"] in clicks.get(row["bucket"], []), pl.Boolean
        ),
        **more,  # type: ignore[arg-type]
    )


def test_sessions_are_counted() -> None:
    lists = pl.DataFrame(
        {
            "mixture": ["q#1", "q#1", "q#2", "q#2", "r#1", "r#1"],
            "query": ["q", "q", "q", "q", "r", "r"],
            "position": [1, 2] * 3,
            "document": ["a", "b", "b", "a", "c", "d"],
            "owner": ["old", "new", "new", "old", "old", "new"],
            "method": "team-draft",
            "credit old": [1.0, 0, 0, 1, 1, 0],
            "credit new": [0.0, 1, 1, 0, 0, 1],
        }
    )
    log = shown(lists, {"q#1": ["b"], "q#2": ["a", "b"], "r#1": ["d", "elsewhere"]})
    found = score_clicks(lists, log)
    one = found["new"]
    assert (found.sessions, found.clicked, found.queries) == (3, 3, 2)
    assert (one.wins, one.ties, one.losses) == (2, 1, 0)
    assert one.value == pytest.approx(2 / 3)
    # By query: 1 of 2 and 1 of 1: s - r n is -1/3 and 1/3, so error² = 2 (2/9) / 9.
    half = 12.706204736 * math.sqrt(4 / 81)
    assert one.interval == pytest.approx((max(-1, 2 / 3 - half), 1.0))
    assert one.sign_p == pytest.approx(0.5, abs=1e-15)
    assert one.looks[-1].sessions == 3


def test_what_cannot_be_used_is_counted() -> None:
    mixed = mix_runs({"old": {"tv": OLD["tv"]}, "new": {"tv": NEW["tv"]}}, depth=3, draws=2)
    log = shown(mixed.lists, {"tv#1": ["a"]})
    other = log.with_columns(session=pl.lit("s9"), bucket=pl.lit("tv#9"))
    wrong = log.filter(session="tv#1").with_columns(session=pl.lit("s8"), query=pl.lit("radio"))
    torn = log.with_columns(session=pl.lit("s7"))
    strange = log.head(1).with_columns(
        session=pl.lit("tv#2"), bucket=pl.lit("tv#2"), doc=pl.lit("ad"), clicked=pl.lit(True)
    )
    moved = log.with_columns(position=pl.col("position") - 1)
    whole = pl.concat([moved, other, wrong, torn, strange])
    with pytest.warns():
        found = score_clicks(mixed, whole)
    assert {note.kind: note.count for note in found.notes} == {
        "mixed-several": 1,
        "mixed-unknown": 2,
        "mixed-outside": 1,
        "mixed-moved": 1,
        "mixed-untimed": 2,
    }
    assert found.sessions == 2


def test_no_clicks_at_all() -> None:
    mixed = mix_runs({"old": {"tv": OLD["tv"]}, "new": {"tv": NEW["tv"]}}, depth=3, draws=2)
    found = score_clicks(mixed, shown(mixed.lists, {}))
    one = found["new"]
    assert (found.clicked, one.wins, one.ties, one.losses, one.value) == (0, 0, 0, 0, 0)
    assert one.looks[-1].p == 1
    assert "nan" not in found.to_text().lower()
    assert "All sessions are of one query" in found.to_text()
    assert json.loads(found.to_json())["preferences"][0]["interval"] == [None, None]


def test_a_log_that_does_not_name_its_lists() -> None:
    runs = {"old": {"tv": OLD["tv"]}, "new": {"tv": NEW["tv"]}}
    several = mix_runs(runs, draws=2)
    log = shown(several.lists, {}).drop("bucket")
    with pytest.raises(InputError, match="which mixed list"):
        score_clicks(several, log)
    single = mix_runs(runs)
    assert score_clicks(single, shown(single.lists, {}).drop("bucket")).sessions == 1
    with pytest.raises(InputError, match="has no clicks"):
        score_clicks(several, log.drop("clicked"))
    with pytest.raises(InputError, match="no session of the log"):
        score_clicks(several, shown(several.lists, {}).with_columns(bucket=pl.lit("x")))


def test_the_days_of_the_always_valid_test() -> None:
    mixed = mix_runs({"old": {"tv": OLD["tv"]}, "new": {"tv": NEW["tv"]}}, depth=3, draws=60)
    better = {f"tv#{draw}": [] for draw in range(1, 61)}  # type: dict[str, list[str]]
    for mixture, document in mixed.lists.filter(owner="new").select("mixture", "document").rows():
        better[mixture].append(document)
    log = shown(mixed.lists, better)
    number = pl.col("session").str.extract(r"(\d+)$").cast(pl.Int64)
    log = log.with_columns(timestamp=pl.datetime(2026, 1, 1) + pl.duration(hours=number))
    looks = score_clicks(mixed, log)["new"].looks
    assert [look.day for look in looks] == ["2026-01-01", "2026-01-02", "2026-01-03"]
    assert [look.sessions for look in looks] == [23, 47, 60]
    assert looks[0].p >= looks[1].p >= looks[2].p
    assert looks[-1].p < 0.001
    assert looks[-1].interval[0] > 0
    # Sessions on a list that was shown before tell nothing new about who stood first.
    again = log.with_columns(session=pl.col("session") + "again")
    repeated = score_clicks(mixed, pl.concat([log, again]))
    assert repeated.sessions == 120
    assert repeated["new"].looks[-1].sessions == 60


def test_multileaving_corrects_for_several_runs() -> None:
    runs = {"old": {"tv": OLD["tv"]}, "new": {"tv": NEW["tv"]}, "third": {"tv": OLD["tv"]}}
    mixed = mix_runs(runs, depth=3, draws=30)
    log = shown(mixed.lists, {f"tv#{draw}": ["b"] for draw in range(1, 31)})
    found = score_clicks(mixed, log)
    assert [one.candidate for one in found.preferences] == ["new", "third"]
    assert found.to_frame().height == 2
    alone = score_clicks(
        read_mixed(mixed.lists.drop("credit third")), log
    )["new"].looks[-1].p  # fmt: skip
    assert found["new"].looks[-1].p == pytest.approx(min(1, 2 * alone))


def test_other_engines_give_the_same() -> None:
    duckdb = pytest.importorskip("duckdb")
    mixed = mix_runs(
        {
            "旧": {"手机": OLD["tv"], "电视": NEW["tv"]},
            "新": {"手机": NEW["tv"], "电视": OLD["tv"]},
        },
        draws=9,
    )
    log = shown(mixed.lists, {"手机#1": ["a"], "手机#4": ["b", "c"], "电视#2": ["c"]})
    log = log.with_columns(
        timestamp=pl.datetime(2026, 1, 1) + pl.duration(hours=pl.col("session").str.len_bytes())
    )
    connection = duckdb.connect()
    connection.register("log", log.sample(fraction=1, shuffle=True, seed=1).to_arrow())
    there = score_clicks(mixed, connection.sql("select * from log"))
    here = score_clicks(mixed, log)
    assert there.preferences == here.preferences
    assert there.sessions == 18
