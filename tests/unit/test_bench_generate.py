"""The benchmark's data: shapes, and the same bytes from the same seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from bench import generate

SCALE = 0.003


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generate.ensure(tmp_path_factory.mktemp("bench"), list(generate.MAKERS), SCALE)


def read(path: Path) -> pl.DataFrame:
    names = ["query", "constant", "document", "grade"]
    if path.suffix == ".run":
        names = ["query", "constant", "document", "rank", "score", "tag"]
    return pl.read_csv(path, separator=" ", has_header=False, new_columns=names)


@pytest.mark.parametrize(
    ("name", "queries"), [("msdev", 21), ("msdev.half", 10), ("deep", 3), ("small", 50)]
)
def test_run_files_hold_1000_distinct_documents_a_query_best_first(
    data: Path, name: str, queries: int
) -> None:
    run = read(data / f"{name}.run")
    assert run.shape == (1000 * queries, 6)
    by_query = run.group_by("query").agg(
        pl.col("document").n_unique(),
        (pl.col("rank").diff() > 0).all().alias("ranked"),
        pl.col("score").diff().max().alias("rise"),
    )
    assert by_query.height == queries
    assert by_query["document"].unique().to_list() == [1000]
    assert by_query["ranked"].all()
    assert by_query["rise"].max() == 0


@pytest.mark.long
def test_about_one_score_in_100_is_tied(data: Path) -> None:
    run = read(data / "small.run")
    tied = run.select((pl.col("score").diff() == 0).sum()).item() / run.height
    assert 0.007 < tied < 0.014


def test_msdev_judges_one_to_three_documents_of_every_query(data: Path) -> None:
    run, judgments = read(data / "small.run"), read(data / "small.qrels")
    assert judgments["grade"].unique().to_list() == [1]
    sizes = judgments.group_by("query").len()["len"]
    assert len(sizes) == 50
    assert sizes.is_between(1, 3).all()
    found = judgments.join(run, on=["query", "document"])
    assert 0.8 * judgments.height < found.height <= judgments.height


def test_deep_judges_about_200_documents_a_query_on_four_grades(data: Path) -> None:
    run, judgments = read(data / "deep.run"), read(data / "deep.qrels")
    assert set(judgments["grade"]) == {0, 1, 2, 3}
    assert judgments.select("query", "document").is_unique().all()
    assert judgments.group_by("query").len()["len"].is_between(150, 250).all()
    assert judgments["document"].str.contains(r"^msmarco_passage_\d\d_\d+$").all()
    found = judgments.join(run, on=["query", "document"])
    assert found.height / judgments.height == pytest.approx(0.8, abs=0.01)
    # Relevant documents are nearer to the top than the others.
    relevant = pl.col("grade") > 0
    top, rest = (
        found.filter(test).select(pl.median("rank")).item() for test in (relevant, ~relevant)
    )
    assert top < rest


def test_tables_hold_the_rows_of_the_run(data: Path) -> None:
    rows = read(data / "tables.run").select("query", "document", "score", "rank").rows()
    assert pl.read_csv(data / "tables.csv").rows() == rows
    quoted = (data / "tables.quoted.csv").read_text("utf-8").splitlines()
    plain = (data / "tables.csv").read_text("utf-8").splitlines()
    assert quoted == [",".join(f'"{field}"' for field in line.split(",")) for line in plain]
    assert pl.read_csv(data / "tables.tsv", separator="\t").rows() == rows
    lines = pl.read_ndjson(data / "tables.jsonl")
    assert lines.schema["query"] == pl.String
    assert lines["score"].to_list() == [score for _, _, score, _ in rows]


def test_shuffled_run_has_the_same_lines_in_another_order(data: Path) -> None:
    ordered = (data / "msdev.run").read_bytes().splitlines()
    shuffled = (data / "msdev.shuffled.run").read_bytes().splitlines()
    assert shuffled != ordered
    assert sorted(shuffled) == sorted(ordered)


def test_half_is_the_first_queries_with_their_judgments(data: Path) -> None:
    for ending in ("run", "qrels"):
        half = (data / f"msdev.half.{ending}").read_bytes()
        assert (data / f"msdev.{ending}").read_bytes().startswith(half)
    queries = [set(read(data / f"msdev.half.{ending}")["query"]) for ending in ("run", "qrels")]
    assert queries[0] == queries[1]


def test_arrays_have_the_described_shapes(data: Path) -> None:
    labels, scores = np.load(data / "dense.labels.npy"), np.load(data / "dense.scores.npy")
    assert labels.shape == scores.shape == (300, 100)
    assert set(np.unique(labels)) == {0, 1, 2, 3, 4}
    assert np.array_equal(scores, np.round(scores, 4))
    assert 0 < (labels.max(axis=1) == 0).mean() < 0.06

    flat = {name: np.load(data / f"flat.{name}.npy") for name in ("labels", "scores", "groups")}
    assert {len(column) for column in flat.values()} == {30_000}
    assert flat["labels"].mean() == pytest.approx(0.05, abs=0.01)
    assert np.array_equal(flat["scores"], flat["scores"].astype(np.float32))
    assert (np.diff(flat["groups"]) >= 0).all()
    assert len(np.unique(flat["groups"])) == 300

    assert len(np.load(data / "single.scores.npy")) == 6000
    assert set(np.load(data / "single.grades.npy")) == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("name", list(generate.MAKERS))
def test_a_seed_decides_every_byte(data: Path, tmp_path: Path, name: str) -> None:
    again = generate.ensure(tmp_path, [name], SCALE)
    other = generate.ensure(tmp_path, [name], SCALE, seed=generate.SEED + 1)
    made = [path.name for path in again.iterdir() if path.suffix != ".done"]
    assert made
    for file in made:
        assert (again / file).read_bytes() == (data / file).read_bytes()
        same = (other / file).read_bytes() == (data / file).read_bytes()
        assert same == file.endswith(".query")  # all queries are of one size


def test_what_is_there_is_not_made_again(tmp_path: Path) -> None:
    home = generate.ensure(tmp_path, ["small"])
    (home / "small.run").write_text("kept", encoding="utf-8")
    assert generate.ensure(tmp_path, ["small"]) == home
    assert (home / "small.run").read_text(encoding="utf-8") == "kept"


def test_clicks_are_a_log_whose_half_is_its_beginning(data: Path) -> None:
    log, half = (pl.read_parquet(data / f"{name}.parquet") for name in ("clicks", "clicks.half"))
    assert log["session"].n_unique() == 10_000_000 * SCALE
    assert log.height == 10 * log["session"].n_unique() == 2 * half.height
    assert half.equals(log.head(half.height))
    places = log.group_by("query", "doc").agg(pl.col("position").n_unique())["position"]
    assert places.mean() > 1.5  # type: ignore[operator]
