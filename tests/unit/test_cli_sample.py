"""relyon sample: sessions of a log on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from tests.unit.conftest import Command

from relyon.online.sampling import draw_sample, read_sample

TABLE = """\
tier    queries  sessions  traffic  least  most  sampled  inclusion   k
──────  ───────  ────────  ───────  ─────  ────  ───────  ─────────  ──
head          1         6    37.5%      6     6        2      0.333  40
middle        2         7    43.8%      3     4        2      0.286  20
tail          3         3    18.8%      1     1        2      0.667  20
all           6        16   100.0%                     6

to judge: 10 pairs of query and document (10 new, 0 expired); used again: 0
"""


def test_the_summary_by_tier(command: Command) -> None:
    outcome = command("sample", "log.csv", "--per-tier", "2", "--seed", "7")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == TABLE


def test_sample_and_pool_are_written(files: Path, command: Command) -> None:
    outcome = command(
        "sample", "log.csv", "--per-tier", "3", "--seed", "7", "-o", "s.parquet", "--pool", "p.csv"
    )
    assert outcome.code == 0
    sample = read_sample(files / "s.parquet")
    expected = draw_sample(pl.read_csv(files / "log.csv"), per_tier=3, seed=7)
    assert sample.to_frame().equals(expected.to_frame())
    pool = pl.read_csv(files / "p.csv")
    assert pool.columns == ["query", "doc", "tier", "position", "sessions", "reason"]
    assert len(pool) == expected.results.select("query", "doc").n_unique()


def test_json_holds_tiers_pool_and_notes(command: Command) -> None:
    outcome = command("sample", "log.csv", "--format", "json", "-k", "5", "--common-depth", "3")
    found = json.loads(outcome.out)
    assert outcome.err == ""
    assert [tier["sampled"] for tier in found["tiers"]] == [6, 7, 3]
    assert [tier["k"] for tier in found["tiers"]] == [5, 5, 5]
    assert found["common_k"] == 3
    assert found["pool"]["to_judge"] == 12
    assert [note["kind"] for note in found["notes"]] == ["small-tier"] * 3


def test_markdown_in_chinese_with_notes_on_stderr(command: Command) -> None:
    outcome = command("sample", "log.csv", "--format", "markdown", "--lang", "zh")
    assert "| 高频 | 1 | 6 | 37.5% |" in outcome.out
    assert "待标注 12 对" in outcome.out
    assert "警告：低频层只有 3 个会话，不足 100 个，已全部抽取" in outcome.err
    english = command("sample", "log.csv", "--format", "markdown")
    assert "warning: the tier tail has only 3 sessions (100 requested): all are used" in english.err


def test_earlier_judgments_with_an_age_limit(command: Command) -> None:
    again = command("sample", "log.csv", "--judgments", "judged.csv")
    assert "to judge: 11 pairs" in again.out
    assert "used again: 1" in again.out
    for day, expired in (("2020-06-28", 0), ("2020-06-30T12:00:00+00:00", 1)):
        aged = command(
            "sample", "log.csv", "--judgments", "judged.csv", "--max-age", "180d", "--as-of", day
        )
        assert f"{expired} expired" in aged.out


def test_neyman_from_a_pilot_of_values(files: Path, command: Command) -> None:
    (files / "values.csv").write_text(
        "tier,value\nhead,1\nhead,9\nmiddle,2\nmiddle,3\ntail,5\ntail,5\n"
    )
    found = json.loads(
        command(
            "sample", "log.csv", "--per-tier", "3", "--allocation", "neyman", "--pilot",
            "values.csv", "--format", "json",
        ).out
    )  # fmt: skip
    # W s: 6 x 5.66, 7 x 0.71, 3 x 0: middle and tail get the least number, 2.
    assert [tier["sampled"] for tier in found["tiers"]] == [5, 2, 2]


def test_columns_by_name(files: Path, command: Command) -> None:
    text = (files / "log.csv").read_text().replace("session,query,position,doc", "a,b,c,d")
    (files / "other.csv").write_text(text)
    named = command(
        "sample", "other.csv", "--per-tier", "2", "--seed", "7",
        "--columns", "session=a,query=b,position=c,doc=d",
    )  # fmt: skip
    assert named.out == TABLE


@pytest.mark.parametrize("depths", ["3,2,1", "head=3,middle=2,tail=1", " tail=1, head=3,middle=2"])
def test_depths_by_tier(depths: str, command: Command) -> None:
    outcome = command("sample", "log.csv", "--format", "json", "-k", depths)
    assert [tier["k"] for tier in json.loads(outcome.out)["tiers"]] == [3, 2, 1]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "missing argument"),
        (["missing.csv"], 3, "missing.csv"),
        (["log.csv", "--tiers", "shares"], 2, "tiers by `shares` do not exist\nhint: did you mean"),
        (["log.csv", "--tiers", "share:a,b"], 2, "boundaries that are not numbers"),
        (["log.csv", "--tiers", "count"], 2, "need the least number"),
        (["log.csv", "-k", "1,2"], 2, "neither one number nor TIER=K"),
        (["log.csv", "--allocation", "neyman"], 2, "needs --pilot FILE"),
        (["log.csv", "--pilot", "pilot.csv"], 2, "for the allocation `neyman`"),
        (["log.csv", "--max-age", "180d"], 2, "none are given"),
        (["log.csv", "--judgments", "judged.csv", "--max-age", "old"], 2, "`old` is not an age"),
        (["log.csv", "--as-of", "soon"], 2, "is not a date"),
        (["log.csv", "-o", "sample.txt"], 2, "has no suffix of a table"),
        (["log.csv", "-o", "log.csv"], 2, "is one of the inputs"),
        (["log.csv", "-o", "a.csv", "--pool", "./a.csv"], 2, "name the same file"),
        (["log.csv", "--allocation", "neyman", "--pilot", "log.csv"], 3, "a pilot has the columns"),
        (["log.csv", "--columns", "sesion=a"], 2, "did you mean `session`"),
    ],
)
def test_what_cannot_be(arguments: list[str], code: int, message: str, command: Command) -> None:
    outcome = command("sample", *arguments)
    assert outcome.code == code
    assert message in outcome.err
    assert outcome.out == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tier,standard_deviation\nhead,high\n", "contains values that are not numbers"),
        ("tier,sd\nhead,1\nhead,2\n", "contains a tier twice"),
    ],
)
def test_pilots_that_cannot_be(text: str, message: str, files: Path, command: Command) -> None:
    (files / "bad.csv").write_text(text)
    outcome = command("sample", "log.csv", "--allocation", "neyman", "--pilot", "bad.csv")
    assert outcome.code == 3
    assert message in outcome.err


def test_a_log_in_several_files(files: Path, command: Command) -> None:
    head, *rows = (files / "log.csv").read_text().splitlines(keepends=True)
    (files / "one.csv").write_text(head + "".join(rows[1::2]))
    (files / "two.csv").write_text(head + "".join(rows[0::2]))
    outcome = command(
        "sample", "one.csv", "two.csv", "--per-tier", "2", "--seed", "7", "-o", "a.csv"
    )
    assert outcome.out == TABLE
    command("sample", "log.csv", "--per-tier", "2", "--seed", "7", "-o", "b.csv")
    assert (files / "a.csv").read_bytes() == (files / "b.csv").read_bytes()


@pytest.fixture
def crawled(files: Path) -> Path:
    """A log whose ids are numbers, in which a user clicks on everything."""
    rows = [(1000 + i, "tv", 1, "d1", 1, 7) for i in range(70)]
    rows += [(2000 + i, f"q{i % 9}", 1, "d1", 0, 100 + i) for i in range(30)]
    path = files / "crawled.csv"
    columns = ["session", "query", "position", "doc", "clicked", "user"]
    pl.DataFrame(rows, columns, orient="row").write_csv(path)
    return path


def test_bots_in_the_log_are_named_with_the_way_out(crawled: Path, command: Command) -> None:
    outcome = command("sample", str(crawled), "--per-tier", "5", "-o", "s.csv")
    assert outcome.err.startswith(
        "warning: 1 user searches or clicks faster than people do: 70 sessions, which the tiers and"
        " the sample include; `--drop-bots`, in Python `relyon.online.logs.without_bots`, leaves"
        " them out (7)\n"
    )
    assert pl.read_csv("s.csv")["total_sessions"].unique().to_list() == [100]


def test_a_sample_without_bots_counts_people_alone(crawled: Path, command: Command) -> None:
    arguments = ["sample", str(crawled), "--per-tier", "5", "--drop-bots"]
    outcome = command(*arguments, "-o", "s.csv", "--format", "json")
    found = json.loads(outcome.out)
    assert sum(tier["sessions"] for tier in found["tiers"]) == 30
    assert [(note["kind"], note["count"]) for note in found["notes"]] == [("bots-left-out", 1)]
    drawn = pl.read_csv("s.csv")
    assert drawn["total_sessions"].unique().to_list() == [30]
    assert "tv" not in drawn["query"].to_list()
    assert command(*arguments).err == (
        "note: left out 1 user with rates that no person can reach: 70 sessions, 70 rows\n"
    )


def test_a_plan_names_bots_or_leaves_them_out(crawled: Path, command: Command) -> None:
    assert "`--drop-bots`" in command("sample", str(crawled), "--plan").err
    assert "left out 1 user" in command("sample", str(crawled), "--plan", "--drop-bots").err
