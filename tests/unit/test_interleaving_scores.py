"""Clicks on mixed lists read back: what is counted, and what is left out."""

from __future__ import annotations

import json
import math

import polars as pl
import pytest

from relyon.analysis.statistics import student, student_quantile
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
            "mixture": ["q#1", "q#1", "q#2", "q#2", "r#1", "r#1", "s#1", "s#1"],
            "query": ["q", "q", "q", "q", "r", "r", "s", "s"],
            "position": [1, 2] * 4,
            "document": ["a", "b", "b", "a", "c", "d", "e", "f"],
            "owner": ["old", "new", "new", "old", "old", "new", "old", "new"],
            "method": "team-draft",
            "credit old": [1.0, 0, 0, 1, 1, 0, 1, 0],
            "credit new": [0.0, 1, 1, 0, 0, 1, 0, 1],
        }
    )
    log = shown(lists, {"q#1": ["b"], "q#2": ["a", "b"], "r#1": ["d", "elsewhere"]})
    found = score_clicks(lists, log)
    one = found["new"]
    assert (found.sessions, found.clicked, found.queries) == (4, 3, 3)
    assert (one.wins, one.ties, one.losses) == (2, 1, 0)
    assert one.value == pytest.approx(1 / 2)
    # By query: 1 of 2, 1 of 1 and 0 of 1, so s - r n is 0, 1/2 and -1/2, each over 1 - w = 3/4 but
    # the first: error² = (2/3) 2 (2/3)² / 4². The shares are 1/2, 1/4 and 1/4: 8/3 effective.
    error = math.sqrt(2 / 3 * 2 * (2 / 3) ** 2 / 16)
    assert one.p == pytest.approx(2 * student(5 / 3, -0.5 / error))
    half = -student_quantile(5 / 3, 0.025) * error
    assert one.interval == pytest.approx((max(-1, 1 / 2 - half), min(1, 1 / 2 + half)))
    assert (found.by_query.count, found.by_user) == (3, None)
    assert found.by_query.effective == pytest.approx(8 / 3)
    assert one.sign_p == pytest.approx(0.5, abs=1e-15)
    assert one.looks[-1].sessions == 4
    assert "The log has no users" in found.to_text().replace("\n", " ")


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


def crowd(users: list[str], outcomes: list[int], **more: object) -> pl.DataFrame:
    """Mixed lists of four queries and a log: each session prefers new (1), old (−1) or none."""
    mixed = mix_runs(
        {
            "old": {f"q{n}": OLD["tv"] for n in range(4)},
            "new": {f"q{n}": NEW["tv"] for n in range(4)},
        },
        depth=3,
        draws=-(-len(users) // 4),
    )
    lists = mixed.lists.with_columns(
        number=pl.col("mixture").rank("dense").cast(pl.Int64) - 1
    ).filter(pl.col("number") < len(users))
    plan = pl.DataFrame({"number": range(len(users)), "user": users, "outcome": outcomes, **more})
    wanted = (
        pl.when(pl.col("outcome") > 0)
        .then(pl.lit("new"))
        .when(pl.col("outcome") < 0)
        .then(pl.lit("old"))
    )
    return lists.join(plan, on="number").with_columns(
        session="mixture",
        bucket="mixture",
        doc="document",
        clicked=(pl.col("owner") == wanted).fill_null(False),
        timestamp=pl.datetime(2026, 1, 1) + pl.duration(minutes=pl.col("number") * 10),
    )


def test_one_user_does_not_decide() -> None:
    """Half of the sessions are one person's, who prefers new; 340 others prefer neither."""
    users = ["fan" if n % 2 else f"u{n}" for n in range(680)]
    outcomes = [1 if n % 2 else (-1) ** (n // 2) for n in range(680)]
    log = crowd(users, outcomes)
    lists = log.select(pl.exclude("session", "bucket", "doc", "clicked", "timestamp", "user"))
    found = score_clicks(lists.drop("number", "outcome"), log)
    one = found["new"]
    assert found.by_user is not None
    assert (found.by_user.count, found.by_user.largest) == (341, 0.5)
    assert not one.p <= 0.05
    assert one.looks[-1].p > 0.05
    assert one.looks[-1].users == 341
    assert math.isnan(one.sign_p)
    text = " ".join(found.to_text().split())
    assert "341 users count as 4.0 equally active ones; the most active has 50.0%" in text
    assert "has not decided" in text
    # Without the column the same log says so with certainty, and under which assumption.
    alone = score_clicks(lists.drop("number", "outcome"), log.drop("user"))
    assert alone["new"].looks[-1].p < 1e-6
    assert "taken to be independent" in " ".join(alone.to_text().split())


def test_no_interval_where_one_user_decides() -> None:
    users = ["fan" if n % 5 else f"u{n}" for n in range(80)]
    log = crowd(users, [1] * 80)
    lists = log.select(pl.exclude("session", "bucket", "doc", "clicked", "timestamp", "user"))
    found = score_clicks(lists.drop("number", "outcome"), log)
    assert math.isnan(found["new"].p)
    assert all(math.isnan(bound) for bound in found["new"].interval)
    assert "One user has 80.0% of the sessions and decides alone" in found.to_text().replace(
        "\n", " "
    )
    words = found.to_text(language="zh")
    assert "一个用户占会话的 80.0%" in words.replace("\n", "")
    assert found.to_dict()["by_user"]["count"] == 17  # type: ignore[index]


def test_users_count_once_by_their_first_day() -> None:
    """Two users per day, who come back on every later day, and half of whose sessions are ties."""
    users = [f"u{day}" for now in range(10) for day in range(now + 1) for _ in range(2)]
    when = [now * 1440 for now in range(10) for _ in range(2 * (now + 1))]
    outcomes = [1, 0] * (len(users) // 2)
    log = crowd(users, outcomes, minutes=when).with_columns(
        timestamp=pl.datetime(2026, 1, 1) + pl.duration(minutes=pl.col("minutes"))
    )
    lists = log.select(pl.exclude("session", "bucket", "doc", "clicked", "timestamp", "user"))
    looks = score_clicks(lists.drop("number", "outcome", "minutes"), log)["new"].looks
    assert [look.users for look in looks] == list(range(1, 11))
    assert [look.sessions for look in looks] == list(range(2, 21, 2))
    assert looks[-1].preference == pytest.approx(0.5)


def test_sessions_without_a_user_are_counted() -> None:
    log = crowd(["a", "b", "a", "b"], [1, -1, 0, 0])
    lists = log.select(pl.exclude("session", "bucket", "doc", "clicked", "timestamp", "user"))
    gone = pl.when(pl.col("number") < 2).then(pl.col("user"))
    with pytest.warns():
        found = score_clicks(lists.drop("number", "outcome"), log.with_columns(user=gone))
    assert {note.kind: note.count for note in found.notes} == {"mixed-anonymous": 2}
    assert found.by_user is not None
    assert found.by_user.count == 4
