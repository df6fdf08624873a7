"""Judgments with evidence: read with their grades, written back, and left alone by measures."""

from __future__ import annotations

import copy
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import relyon as library

CLICKED = """query,document,grade,weight,low,high
q1,d1,3,120.5,2.5,3
q1,d2,0,,,
q2,d1,0.4,7,0.1,
"""


@pytest.fixture
def clicked(tmp_path: Path) -> library.Judgments:
    (tmp_path / "clicked.csv").write_text(CLICKED)
    return library.read_judgments(tmp_path / "clicked.csv")


def listed(judgments: library.Judgments) -> dict[str, list[Any]]:
    return judgments.to_frame().to_dict(as_series=False)


def test_columns_of_evidence_are_read_by_their_names(clicked: library.Judgments) -> None:
    evidence = clicked.evidence
    assert evidence is not None
    assert [*evidence.columns] == ["weight", "low", "high"]
    nan = float("nan")
    np.testing.assert_equal(evidence.weight, [120.5, nan, 7])
    np.testing.assert_equal(evidence.low, [2.5, nan, 0.1])
    np.testing.assert_equal(evidence.high, [3, nan, nan])
    assert clicked.to_dict() == {"q1": {"d1": 3, "d2": 0}, "q2": {"d1": 0.4}}


def test_ordinary_judgments_have_none() -> None:
    judgments = library.Judgments.from_dict({"q": {"d": 1}})
    assert judgments.evidence is None
    assert judgments.to_frame().columns == ["query", "document", "grade"]


def test_other_columns_are_evidence_where_the_caller_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query,document,grade,impressions\nq,d,1,40\n")
    assert library.read_judgments(tmp_path / "a.csv").evidence is None
    named = library.read_judgments(tmp_path / "a.csv", columns={"weight": "impressions"})
    assert named.evidence is not None
    assert named.evidence.columns.keys() == {"weight"}


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "csv.gz"])
def test_tables_keep_it(clicked: library.Judgments, tmp_path: Path, ending: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        library.write_judgments(clicked, tmp_path / f"back.{ending}")
    assert listed(library.read_judgments(tmp_path / f"back.{ending}")) == listed(clicked)


@pytest.mark.parametrize("ending", ["qrels", "json"])
def test_formats_without_columns_say_what_they_leave_out(
    clicked: library.Judgments, tmp_path: Path, ending: str
) -> None:
    with pytest.warns(library.RelyonWarning, match="evidence of grades: weight, low and high"):
        library.write_judgments(clicked, tmp_path / f"back.{ending}")
    assert library.read_judgments(tmp_path / f"back.{ending}").to_dict() == clicked.to_dict()


def test_frames_and_arrays_hold_it(clicked: library.Judgments) -> None:
    frame = clicked.to_frame()
    assert listed(library.Judgments.from_frame(frame)) == listed(clicked)
    assert listed(library.Judgments.from_frame(frame.to_pandas())) == listed(clicked)
    columns = frame.to_dict(as_series=False)
    same = library.Judgments.from_arrays(
        columns["query"],
        columns["document"],
        columns["grade"],
        weights=columns["weight"],
        lows=columns["low"],
        highs=columns["high"],
    )
    assert listed(same) == listed(clicked)


@pytest.mark.parametrize("travel", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_it_travels(clicked: library.Judgments, travel: Any) -> None:
    assert listed(travel(clicked)) == listed(clicked)


def test_rows_out_of_order_without_a_grade_and_given_twice(tmp_path: Path) -> None:
    lines = ["q2,d1,1,5", "q1,d1,2,6", "q2,d2,,7", "q2,d3,0,8", "q2,d1,1,5"]
    (tmp_path / "a.csv").write_text("query,document,grade,weight\n" + "\n".join(lines) + "\n")
    found = listed(library.read_judgments(tmp_path / "a.csv"))
    rows = zip(found["query"], found["document"], found["weight"], strict=True)
    assert sorted(rows) == [("q1", "d1", 6), ("q2", "d1", 5), ("q2", "d3", 8)]


def test_each_subtopic_has_its_own(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "query": ["q", "q", "r"],
            "subtopic": ["2", "1", None],
            "document": ["d", "d", "e"],
            "grade": [1.0, 0, 2],
            "weight": [20.0, 10, 30],
        }
    )
    library.write_judgments(library.Judgments.from_frame(frame), tmp_path / "a.csv")
    found = library.read_judgments(tmp_path / "a.csv").to_frame().sort("weight")
    assert found.get_column("subtopic").to_list() == ["1", "2", "0"]
    assert found.get_column("weight").to_list() == [10, 20, 30]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("q2,d1,1,-1,,", "the weight is -1"),
        ("q2,d1,1,inf,,", "the weight is inf"),
        ("q2,d1,1,many,,", "the weight `many` is not a number"),
        ("q2,d1,1,,1.5,2", "does not contain it: low is 1.5"),
        ("q2,d1,1,,,0.5", "does not contain it: high is 0.5"),
        ("q1,d1,3,4,,", "different evidence .first in line 2"),
    ],
)
@pytest.mark.parametrize("scale", [None, "search"])
def test_bad_evidence_names_its_line(
    tmp_path: Path, line: str, reason: str, scale: str | None
) -> None:
    (tmp_path / "bad.csv").write_text(
        f"query,document,grade,weight,low,high\nq1,d1,3,120.5,2.5,3\n\n{line}\n"
    )
    with pytest.raises(library.ParseError, match=f"bad.csv:4: .*{reason}"):
        library.read_judgments(tmp_path / "bad.csv", scale=scale)


def test_bad_evidence_of_a_frame_names_its_row() -> None:
    frame = pl.DataFrame({"query": ["q"], "document": ["d"], "grade": [1], "weight": [-1]})
    with pytest.raises(library.InputError, match="row 1: the weight is -1"):
        library.Judgments.from_frame(frame)


def test_measures_use_the_grades_alone_and_say_so(clicked: library.Judgments) -> None:
    run = {"q1": {"d1": 1, "d2": 2}, "q2": {"d1": 1}}
    found = library.evaluate(clicked, run, "ndcg")
    plain = library.evaluate(clicked.to_dict(), run, "ndcg")
    assert found["ndcg"] == plain["ndcg"]
    assert not plain.notes
    assert [str(note) for note in found.notes] == [
        "the judgments have weight, low and high besides grades: measures use only the grades;"
        " `relyon evaluate --intervals` shows how much that matters"
    ]


def test_convert_says_what_it_leaves_out(command: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("clicked.csv").write_text(CLICKED)
    outcome = command("convert", "clicked.csv", "clicked.jsonl")
    assert "warning" not in outcome.err
    assert '"weight":120.5,"low":2.5,"high":3.0}' in Path("clicked.jsonl").read_text()
    outcome = command("convert", "clicked.csv", "clicked.qrels")
    assert "warning: the format `trec` has no columns for the evidence of grades" in outcome.err
    assert outcome.err.count("not written") == 1
