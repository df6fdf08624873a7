"""What has to be graded for a sample; samples as files, runs and judgments."""

from __future__ import annotations

import gzip
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

import relyon
from relyon.core.errors import InputError, ParameterError
from relyon.online.sampling import Pool, build_pool, draw_sample, estimate, parse_age, read_sample

LOG = pl.DataFrame(
    {
        "session": ["s1", "s1", "s2", "s2", "s3", "s4"],
        "query": ["tv", "tv", "tv", "tv", "pen", "pen"],
        "position": [1, 2, 1, 2, 1, 30],
        "doc": ["a", "b", "b", "c", "d", "e"],
    }
)
TIERS = {"cuts": [0.9], "names": ["head", "tail"], "k": 20}
SAMPLE = draw_sample(LOG, **TIERS)  # type: ignore[arg-type]
NOW = datetime(2025, 6, 30, tzinfo=UTC)


def pairs(pool: Pool) -> list[tuple[str, str, str]]:
    return pool.pairs.select("query", "doc", "reason").rows()


def test_every_pair_once_with_its_best_position_and_how_often_it_is_shown() -> None:
    pool = build_pool(SAMPLE)
    assert pool.pairs.select("query", "doc", "position", "sessions").rows() == [
        ("pen", "d", 1, 1),
        ("tv", "a", 1, 1),
        ("tv", "b", 1, 2),
        ("tv", "c", 2, 1),
    ]
    assert set(pool.pairs["reason"]) == {"new"}
    assert len(pool) == 4
    assert pool.to_dict() == {
        "pairs": 4, "to_judge": 4, "new": 4, "expired": 0, "reused": 0, "notes": [],
    }  # fmt: skip


def test_results_below_the_k_of_the_tier_are_not_in_the_pool() -> None:
    assert "e" not in build_pool(SAMPLE).pairs["doc"]
    deeper = draw_sample(LOG, **{**TIERS, "k": 30})  # type: ignore[arg-type]
    assert "e" in build_pool(deeper).pairs["doc"]


@pytest.mark.parametrize(
    "judged",
    [
        {"tv": {"a": 3, "b": 0}, "other": {"c": 1}},
        relyon.Judgments.from_dict({"tv": {"a": 3, "b": 0}}),
        pl.DataFrame({"qid": ["tv", "tv"], "docid": ["a", "b"], "rel": [3, 0]}),
    ],
)
def test_what_was_judged_is_used_again(judged: object) -> None:
    pool = build_pool(SAMPLE, judged)
    assert pairs(pool) == [("pen", "d", "new"), ("tv", "c", "new")]
    assert pool.reused["doc"].to_list() == ["a", "b"]
    assert [float(grade) for grade in pool.reused["grade"]] == [3, 0]


DATED = pl.DataFrame(
    {
        "query": ["tv", "tv", "tv", "pen"],
        "doc": ["a", "b", "b", "d"],
        "grade": ["高", "低", "无", "中"],
        "judged_at": ["2025-06-01", "2024-01-01", "2025-05-01T08:00:00Z", "2024-01-01"],
    }
)


def test_old_grades_expire_and_the_latest_of_a_pair_counts() -> None:
    pool = build_pool(SAMPLE, DATED, max_age="180d", now=NOW)
    assert pairs(pool) == [("pen", "d", "expired"), ("tv", "c", "new")]
    assert pool.reused.select("doc", "grade").rows() == [("a", "高"), ("b", "无")]
    assert pool.to_dict()["expired"] == 1


@pytest.mark.parametrize("days", [29, 28])
def test_the_age_limit_itself(days: int) -> None:
    pool = build_pool(SAMPLE, DATED.head(1), max_age=timedelta(days=days), now=NOW)
    assert len(pool.reused) == (days == 29)


def test_dates_of_other_types() -> None:
    frame = DATED.head(1)
    for value in (date(2025, 6, 1), datetime(2025, 6, 1), datetime(2025, 6, 1, tzinfo=UTC)):
        dated = frame.with_columns(pl.lit(value).alias("judged_at"))
        assert len(build_pool(SAMPLE, dated, max_age="29d", now=NOW).reused) == 1
        assert len(build_pool(SAMPLE, dated, max_age="28d", now=NOW).reused) == 0


def test_a_grade_without_a_date_is_not_used_again_under_an_age_limit() -> None:
    undated = DATED.head(1).with_columns(pl.lit("someday").alias("judged_at"))
    pool = build_pool(SAMPLE, undated, max_age="1y", now=NOW)
    assert ("tv", "a", "expired") in pairs(pool)
    assert [note.kind for note in pool.notes] == ["undated-judgments"]
    assert len(build_pool(SAMPLE, undated).reused) == 1


def test_an_empty_grade_is_none() -> None:
    frame = pl.DataFrame({"query": ["tv"], "doc": ["a"], "grade": [" "]})
    assert len(build_pool(SAMPLE, frame).reused) == 0


def test_earlier_judgments_from_files(tmp_path: Path) -> None:
    for name in ("judged.csv", "judged.tsv", "judged.jsonl", "judged.parquet", "judged.csv.gz"):
        path = tmp_path / name
        if name.endswith("parquet"):
            DATED.write_parquet(path)
        elif name.endswith("jsonl"):
            DATED.write_ndjson(path)
        elif name.endswith("gz"):
            path.write_bytes(gzip.compress(DATED.write_csv().encode()))
        else:
            DATED.write_csv(path, separator="\t" if name.endswith("tsv") else ",")
        pool = build_pool(SAMPLE, path, max_age="180d", now=NOW)
        assert pool.reused["doc"].to_list() == ["a", "b"]
    qrels = tmp_path / "judged.qrels"
    qrels.write_text("tv 0 a 1\n")
    assert build_pool(SAMPLE, qrels).reused["doc"].to_list() == ["a"]
    with pytest.raises(InputError, match="no column of dates"):
        build_pool(SAMPLE, qrels, max_age="180d")


def test_exported_grades_of_several_judges_are_used_again(tmp_path: Path) -> None:
    path = tmp_path / "june.csv"
    now = NOW.timestamp()
    path.write_text(
        "query,document,judge,grade,at,final\n"
        f"tv,a,Ann,3,{now - 86400},1\ntv,a,Bo,0,{now - 90 * 86400},1\n"
        f"tv,b,Ann,2,{now - 90 * 86400},2\n",
        "utf-8",
    )
    pool = build_pool(SAMPLE, path, max_age="30d", now=NOW)
    assert pool.reused.select("doc", "grade").rows() == [("a", "1")]


def test_an_export_before_any_grading_has_nothing_to_use_again(tmp_path: Path) -> None:
    path = tmp_path / "june.csv"
    path.write_text("query,document,judge,grade,at,final\ntv,a,,,,\ntv,b,,,,\n", "utf-8")
    pool = build_pool(SAMPLE, path, max_age="30d", now=NOW)
    assert len(pool.reused) == 0
    assert {reason for _, _, reason in pairs(pool)} == {"new"}


def test_an_export_whose_grades_have_no_date(tmp_path: Path) -> None:
    path = tmp_path / "june.csv"
    path.write_text("query,document,judge,grade,at,final\ntv,a,Ann,3,,3\n", "utf-8")
    with pytest.raises(InputError, match="no earlier grade has a date: the column `at` is empty"):
        build_pool(SAMPLE, path, max_age="30d", now=NOW)
    assert len(build_pool(SAMPLE, path).reused) == 1


def test_a_file_that_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "judged.parquet"
    path.write_text("query,doc\n")
    with pytest.raises(InputError, match="cannot be read"):
        build_pool(SAMPLE, path)


@pytest.mark.parametrize(
    ("text", "days"), [("180d", 180), ("2w", 14), ("6m", 180), ("1Y", 365), (" 7 d ", 7)]
)
def test_ages(text: str, days: int) -> None:
    assert parse_age(text) == timedelta(days=days)


@pytest.mark.parametrize("text", ["", "d", "180", "-1d", "1.5y", "５d", "99999999999d"])
def test_texts_that_are_no_age(text: str) -> None:
    with pytest.raises(ParameterError):
        parse_age(text)


@pytest.mark.parametrize(
    "options", [{"max_age": "180d"}, {"judged": DATED, "max_age": timedelta(0)}]
)
def test_age_limits_that_cannot_be(options: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        build_pool(SAMPLE, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("design", ["stratified", "pptss"])
@pytest.mark.parametrize("suffix", ["parquet", "csv", "tsv", "jsonl"])
def test_a_sample_that_was_written_is_read_again(design: str, suffix: str, tmp_path: Path) -> None:
    options = {**TIERS, "cuts": [0.4]}
    sample = draw_sample(LOG, per_tier=3, design=design, seed=5, **options)  # type: ignore[arg-type]
    path = tmp_path / f"sample.{suffix}"
    sample.write(path)
    again = read_sample(path)
    assert again.sessions.equals(sample.sessions)
    assert again.results.equals(sample.results)
    assert {**again.to_dict(), "notes": []} == {**sample.to_dict(), "notes": []}
    values = {f"s{number}": float(number) for number in range(1, 5)}
    assert estimate(again, values) == estimate(sample, values)


def test_a_file_that_is_no_sample(tmp_path: Path) -> None:
    path = tmp_path / "sample.csv"
    LOG.write_csv(path)
    with pytest.raises(InputError, match="no column `draw`"):
        read_sample(path)
    SAMPLE.write(path)
    text = path.read_text()
    path.write_text(text.replace(",20,", ",twenty,"))
    with pytest.raises(InputError, match="is not a sample"):
        read_sample(path)
    path.write_text(text.split("\n", maxsplit=1)[0] + "\n")
    with pytest.raises(InputError, match="contains no row"):
        read_sample(path)


def test_names_and_folders_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="has no suffix of a table"):
        SAMPLE.write(tmp_path / "sample.ods")
    with pytest.raises(InputError, match="cannot be written"):
        SAMPLE.write(tmp_path / "missing" / "sample.csv")


def test_sessions_as_queries_of_a_run() -> None:
    judgments = relyon.Judgments.from_dict({"tv": {"b": 3, "c": 1}, "pen": {"d": 2}})
    results = relyon.evaluate(SAMPLE.to_judgments(judgments), SAMPLE.to_run(), ["dcg@20"])
    values = results.values_by_query("dcg@20")
    assert values["s1"] == pytest.approx(3 / 1.584962500721156)
    assert values["s3"] == 2
    assert values["s4"] == 0  # its only result stands below k
    assert estimate(SAMPLE, values).value == pytest.approx(sum(values.values()) / 4)


def test_a_session_of_several_queries_is_said_and_makes_no_run() -> None:
    log = pl.DataFrame(
        {"session": ["v", "v"], "query": ["a", "b"], "position": [1, 1], "doc": ["x", "y"]}
    )
    sample = draw_sample(log)
    assert next(note.kind for note in sample.notes) == "mixed-sessions"
    with pytest.raises(InputError, match="stands for several queries"):
        sample.to_run()


def test_documents_without_an_impression_are_no_results() -> None:
    log = LOG.with_columns((pl.col("doc") != "b").alias("shown"))
    assert set(draw_sample(log, **TIERS).results["doc"]) == {"a", "c", "d"}  # type: ignore[arg-type]
