"""Whether queries have an answer: values, columns and what is wrong with them."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl
import pytest

from relyon import InputError, ParameterError, ParseError
from relyon.io.answerable import read_answer_scores, read_answerable


@pytest.mark.parametrize("yes", ["true", "TRUE", "1", "1.0", " yes ", "是", "有", True, 1])
@pytest.mark.parametrize("no", ["false", "0", "0.0", "No", "否", "无", "無", False, 0])
def test_values(yes: object, no: object) -> None:
    found = {"a": True, "b": False}
    assert read_answerable({"a": yes, "b": no, "c": None, "d": "", "e": math.nan}, []) == found


@pytest.mark.parametrize("bad", ["maybe", "2", "-1", "0.5", "y", "不知道"])
def test_other_values_are_errors(bad: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the query `a` has the value"):
        read_answerable({"a": bad}, [])
    file = tmp_path / "queries.csv"
    file.write_text(f"query,answerable\nb,yes\na,{bad}\n", encoding="utf-8")
    with pytest.raises(ParseError, match=r"queries\.csv:3: the query `a`"):
        read_answerable(file, ["a"])
    lines = tmp_path / "queries.jsonl"
    lines.write_text(f'{{"query": "a", "answerable": "{bad}"}}\n', encoding="utf-8")
    with pytest.raises(ParseError, match=r"queries\.jsonl:1: the query `a`"):
        read_answerable(lines, ["a"])


@pytest.mark.parametrize(
    "name", ["answerable", "Has_Answer", "是否有答案", "有答案", "可回答", "有無答案"]
)
def test_columns(name: str, tmp_path: Path) -> None:
    file = tmp_path / "queries.tsv"
    file.write_text(f"qid\t{name}\n1\t是\n2\t\n退货\t否\n", encoding="utf-8")
    assert read_answerable(str(file), ["1", "退货"]) == {"1": True, "退货": False}


def test_frames_and_lines(tmp_path: Path) -> None:
    frame = pl.DataFrame({"query": [1, 2, 3], "answerable": [True, False, None]})
    assert read_answerable(frame, ["1"]) == {"1": True, "2": False}
    pandas = pytest.importorskip("pandas")
    mixed = pandas.DataFrame({"query": ["a", "b"], "answerable": [1.0, math.nan]})
    assert read_answerable(mixed, ["a"]) == {"a": True}
    lines = tmp_path / "queries.jsonl"
    lines.write_text('{"query": "a", "answerable": false}\n{"query": "b"}\n', encoding="utf-8")
    assert read_answerable(lines, ["a"]) == {"a": False}


def test_rows_must_agree(tmp_path: Path) -> None:
    rows = pl.DataFrame({"query": ["a", "a"], "answerable": ["yes", "1"]})
    assert read_answerable(rows, ["a"]) == {"a": True}
    with pytest.raises(InputError, match="a"):
        read_answerable(pl.DataFrame({"query": ["a", "a"], "answerable": ["yes", "no"]}), ["a"])


def test_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="answerable"):
        read_answerable(pl.DataFrame({"query": ["a"], "tier": ["x"]}), ["a"])
    with pytest.raises(InputError):
        read_answerable(pl.DataFrame({"query": ["a"], "answerable": ["yes"]}), ["b"])
    with pytest.raises(InputError):
        read_answerable(tmp_path / "absent.csv", ["a"])
    with pytest.raises(ParameterError):
        read_answerable(7, ["a"])


def test_scores_of_answers(tmp_path: Path) -> None:
    file = tmp_path / "queries.csv"
    file.write_text("query,answerable,new\na,yes,0.5\nb,no,\nc,no,-2e3\n", encoding="utf-8")
    assert read_answer_scores(file, "new", ["a", "b", "c"]) == {"a": 0.5, "c": -2000.0}
    assert read_answer_scores({"a": 1, "b": None}, "", []) == {"a": 1.0}
    for bad in ("high", "nan", "inf"):
        file.write_text(f"query,new\na,{bad}\n", encoding="utf-8")
        with pytest.raises(InputError, match="not a finite number"):
            read_answer_scores(file, "new", ["a"])
