"""Labelled scores: flat tables, frames, and SVMlight/LETOR files with their score files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import relyon
from relyon import io
from relyon.core.errors import InputError, ParameterError, ParseError

LETOR = (
    "# made by hand\n"
    "2 qid:10 1:0.5 2:1 # docid = GX1 inc = 1\n"
    "0 qid:10 1:0.1 # docid = GX2 inc = 0.2\n"
    "\n"
    "1 qid:7 2:0.3 #docid=GX1\n"
)


def write(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_bytes(content.encode())
    return path


def test_letor_with_scores(tmp_path: Path) -> None:
    scored = io.read_scored(
        write(tmp_path, "a.txt", LETOR), scores=write(tmp_path, "s.txt", "0.25\n-1e-3\r\n7\n")
    )
    assert scored.labels.tolist() == [2.0, 0.0, 1.0]
    assert scored.known_scores().tolist() == [0.25, -1e-3, 7.0]
    assert scored.labels.dtype == scored.known_scores().dtype == np.float64
    assert scored.groups.tolist() == [0, 2, 3]
    assert scored.groups.dtype == np.int64
    assert scored.queries == ["10", "7"]
    assert scored.documents == ["GX1", "GX2", "GX1"]
    assert len(scored) == 3
    assert repr(scored).startswith("LabelledRows(queries=2, rows=3, source=")


def test_letor_queries_that_come_back_are_brought_together(tmp_path: Path) -> None:
    rows = write(tmp_path, "a.letor", "1 qid:a 1:1\n2 qid:b 1:1\n3 qid:a 1:1\n")
    scored = io.read_scored(rows, scores=write(tmp_path, "s", "10\n20\n30\n"))
    assert scored.queries == ["a", "b"]
    assert scored.labels.tolist() == [1.0, 3.0, 2.0]
    assert scored.known_scores().tolist() == [10.0, 30.0, 20.0]
    assert scored.documents is None


def test_group_sizes_in_a_file(tmp_path: Path) -> None:
    rows = write(tmp_path, "a.txt", "1 1:1\n0 1:1\n2 1:1\n")
    scores = write(tmp_path, "s.txt", "1\n2\n3\n")
    scored = io.read_scored(rows, scores=scores, groups=write(tmp_path, "g", "2\n1\n"))
    assert scored.groups.tolist() == [0, 2, 3]
    assert scored.queries == ["0", "1"]
    with pytest.raises(ParseError, match=r"a\.txt:1: `qid:` is missing") as caught:
        io.read_scored(rows, scores=scores)
    assert "groups=PATH" in caught.value.hint
    with pytest.raises(InputError, match=r"add up to 2, and .* has 3 rows"):
        io.read_scored(rows, scores=scores, groups=write(tmp_path, "g", "2\n"))
    with pytest.raises(ParseError, match="`-1` is not a count"):
        io.read_scored(rows, scores=scores, groups=write(tmp_path, "g", "-1\n"))


@pytest.mark.parametrize(
    ("rows", "scores", "message"),
    [
        ("1 qid:1 1:1\n", "1\n2\n", r"s: there are 2 scores for the 1 rows of"),
        ("1 qid:1 1:1\n", "x\n", "s:1: the score `x` is not a number"),
        ("1 qid:1 1:1\n", "nan\n", "s:1: the score is nan"),
        ("1 qid:1 1:1\n", "1 2\n", "s:1: expected one number per line, got `1 2`"),
        ("1 qid:1 1:1\nhigh qid:1 1:1\n", "1\n2\n", "a.letor:2: the label `high` is not a number"),
        ("1 qid:1 1:1\ninf qid:1 1:1\n", "1\n2\n", "a.letor:2: the label is inf"),
        ("1 qid: 1:1\n", "1\n", "a.letor:1: the query id after `qid:` is empty"),
        ("1 q1 d1\n", "1\n", "a.letor:1: expected `label qid:N"),
    ],
)
def test_bad_letor_lines_are_named(tmp_path: Path, rows: str, scores: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        io.read_scored(write(tmp_path, "a.letor", rows), scores=write(tmp_path, "s", scores))


def test_letor_without_scores(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="this format has no scores") as caught:
        io.read_scored(write(tmp_path, "a.letor", LETOR))
    assert "scores=PATH" in caught.value.hint


def test_letor_as_judgments(tmp_path: Path) -> None:
    judgments = io.read_judgments(write(tmp_path, "a.txt", LETOR))
    assert judgments.to_dict() == {"10": {"GX1": 2.0, "GX2": 0.0}, "7": {"GX1": 1.0}}
    ranklib = write(tmp_path, "b.txt", "# qid:1: rambo*1\n4\tqid:1\t # 7555\trambo\n")
    assert io.read_judgments(ranklib).to_dict() == {"1": {"7555": 4.0}}
    with pytest.raises(ParseError, match=r"c\.letor:2: no comment names"):
        io.read_judgments(write(tmp_path, "c.letor", "1 qid:1 1:1 # d1\n0 qid:1 1:2\n"))
    with pytest.raises(ParseError, match=r"d\.letor:2: document `x` .* judged twice"):
        io.read_judgments(write(tmp_path, "d.letor", "1 qid:1 1:1 # x\n0 qid:1 1:2 # x\n"))


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_flat_files(tmp_path: Path, suffix: str) -> None:
    frame = pl.DataFrame(
        {
            "session": [3, 1, 3],
            "clicked": [1, 0, 0],
            "ctr": [0.9, 0.8, 0.7],
            "item": ["a", "b", "c"],
        }
    )
    path = tmp_path / f"a{suffix}"
    if suffix == ".parquet":
        frame.write_parquet(path)
    elif suffix == ".jsonl":
        frame.write_ndjson(path)
    else:
        frame.write_csv(path, separator="\t" if suffix == ".tsv" else ",")
    scored = io.read_scored(path, query="session", label="clicked", score="ctr")
    assert scored.queries == ["3", "1"]
    assert scored.groups.tolist() == [0, 2, 3]
    assert scored.labels.tolist() == [1.0, 0.0, 0.0]
    assert scored.known_scores().tolist() == [0.9, 0.7, 0.8]
    assert scored.documents == ["a", "c", "b"]
    assert scored.source == str(path)


def test_frames() -> None:
    data = {"qid": ["a", "a", "b"], "label": [1, 0, 2], "prediction": [1.5, 2.5, 3.5]}
    for frame in (pl.DataFrame(data), pd.DataFrame(data), pl.LazyFrame(data)):
        scored = io.read_scored(frame)
        assert scored.queries == ["a", "b"]
        assert scored.groups.tolist() == [0, 2, 3]
        assert scored.known_scores().tolist() == [1.5, 2.5, 3.5]
        assert scored.source == "memory"


def test_without_queries_all_rows_are_one_group() -> None:
    scored = io.read_scored(pl.DataFrame({"label": [1, 0], "score": [0.5, 0.25]}))
    assert scored.groups.tolist() == [0, 2]
    assert [note.kind for note in scored.notes] == ["one-group"]


def test_names_of_labels() -> None:
    frame = pl.DataFrame({"qid": [1, 1], "label": ["高", "无"], "score": [1.0, 2.0]})
    assert io.read_scored(frame, scale="search").labels.tolist() == [3.0, 0.0]
    with pytest.raises(InputError, match="row 1"):
        io.read_scored(frame)
    with pytest.raises(InputError, match=r"row 2: .*`x`"):
        io.read_scored(frame.with_columns(label=pl.Series(["高", "x"])), scale="search")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("q,1,x", "3: the score `x` is not a number"),
        ("q,1,nan", "3: the score is nan"),
        ("q,1,", "3: the score is empty"),
        ("q,x,1", "3: the label `x` is not a number"),
        ("q,,1", "3: the label is empty"),
        (",1,1", "3: the query is empty"),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, row: str, message: str) -> None:
    path = write(tmp_path, "a.csv", f"query,label,score\nq,1,2\n{row}\n")
    with pytest.raises(ParseError, match=message):
        io.read_scored(path)


def test_missing_column() -> None:
    with pytest.raises(InputError, match="no column for the label"):
        io.read_scored(pl.DataFrame({"score": [1.0]}))
    with pytest.raises(InputError, match="no column `nope` for the score"):
        io.read_scored(pl.DataFrame({"label": [1.0]}), score="nope")


def test_nothing_in_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="contains no rows"):
        io.read_scored(write(tmp_path, "a.csv", "query,label,score\n"))


def test_a_run_is_no_table_of_scores(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the format `trec` cannot contain labels with scores"):
        io.read_scored(write(tmp_path, "a.run", "q Q0 d 1 1 t\n"))


def test_weights_are_read_where_they_are_named(tmp_path: Path) -> None:
    content = "query,label,score,weight\na,1,0.5,2\nb,0,0.25,0\na,0,0.125,0.5\n"
    path = write(tmp_path, "a.csv", content)
    assert io.read_scored(path).weights is None
    named = io.read_scored(path, weight="weight")
    assert named.weights is not None
    assert named.weights.tolist() == [2.0, 0.5, 0.0]
    frame = io.read_scored(pl.read_csv(path), weight="weight")
    assert frame.weights is not None
    assert frame.weights.tolist() == [2.0, 0.5, 0.0]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("-1", r"a\.csv:3: the weight is -1"),
        ("", r"a\.csv:3: the weight is empty"),
        ("much", r"a\.csv:3: the weight `much` is not a number"),
        ("inf", r"a\.csv:3: the weight is inf"),
    ],
)
def test_weights_that_cannot_be_used(tmp_path: Path, value: str, message: str) -> None:
    content = f"query,label,score,weight\na,1,0.5,2\nb,0,0.25,{value}\n"
    with pytest.raises(InputError, match=message):
        io.read_scored(write(tmp_path, "a.csv", content), weight="weight")


def test_letor_files_hold_no_weights(tmp_path: Path) -> None:
    rows, scores = write(tmp_path, "a.txt", LETOR), write(tmp_path, "s.txt", "1\n2\n3\n")
    with pytest.raises(ParameterError):
        io.read_scored(rows, scores=scores, weight="weight")


@pytest.mark.parametrize("place", [4, 121])
def test_repeated_documents_are_noticed_while_parquet_is_streamed(
    place: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within a part of the file, and where a query goes on in the next part."""
    monkeypatch.setattr("relyon.io.row_groups.FEW_ROWS", 100)
    rows = 300
    frame = pl.DataFrame(
        {
            "query": [row // 100 for row in range(rows)],
            "document": [f"d{row}" for row in range(rows)],
            "label": [row % 3 for row in range(rows)],
            "score": [float(row * 7 % 101) for row in range(rows)],
        }
    )
    plain, repeated = tmp_path / "plain.parquet", tmp_path / "repeated.parquet"
    frame.write_parquet(plain, row_group_size=120)
    frame.with_columns(
        document=pl.when(pl.int_range(rows) == place).then(pl.lit(f"d{place - 2}"))
        .otherwise("document")
    ).write_parquet(repeated, row_group_size=120)  # fmt: skip
    first = relyon.evaluate_scores(plain, measures="ndcg@10")
    assert first.notes == ()
    second = relyon.evaluate_scores(repeated, measures="ndcg@10")
    assert [(note.kind, note.count, note.examples) for note in second.notes] == [
        ("repeated-rows", 1, (f"{place // 100} d{place - 2}",))
    ]
    assert second["ndcg@10"] == first["ndcg@10"]
