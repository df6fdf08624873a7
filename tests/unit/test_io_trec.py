"""TREC qrels and runs through the public readers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from relyon import evaluate, io
from relyon.core.errors import InputError, ParameterError, ParseError

QRELS = b"q1 0 d1 2\nq1\t0  d2 0\n# a comment\n\nq2 1 d#1 -1\n"
RUN = b"q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 -1e-3 tag\nq2 Q0 d#1 0 0 tag\n"
GRADES = {"q1": {"d1": 2.0, "d2": 0.0}, "q2": {"d#1": -1.0}}
SCORES = {"q1": {"d1": 2.5, "d2": -1e-3}, "q2": {"d#1": 0.0}}


def write(folder: Path, name: str, content: bytes) -> str:
    path = folder / name
    path.write_bytes(content)
    return str(path)


@pytest.mark.parametrize("name", ["a.qrels", "a.txt", "a.unknown", "noname"])
def test_judgments(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, name, QRELS)
    judgments = io.read_judgments(path)
    assert judgments.to_dict() == GRADES
    assert judgments.source == path


@pytest.mark.parametrize("name", ["a.run", "a.trec", "a.txt", "noname"])
def test_run(tmp_path: Path, name: str) -> None:
    run = io.read_run(write(tmp_path, name, RUN))
    assert run.to_dict() == SCORES
    assert run.name == name
    assert run.tag == "tag"
    assert run.to_frame()["rank"].to_list() == [1, 2, 0]


@pytest.mark.parametrize(
    "change",
    [lambda text: text.replace(b"\n", b"\r\n"), lambda text: b"\xef\xbb\xbf" + text],
    ids=["CRLF", "BOM"],
)
def test_line_ends_and_byte_order_mark(tmp_path: Path, change: Callable[[bytes], bytes]) -> None:
    assert io.read_judgments(write(tmp_path, "a.qrels", change(QRELS))).to_dict() == GRADES
    assert io.read_run(write(tmp_path, "a.run", change(RUN))).to_dict() == SCORES


def test_ids_may_be_any_text(tmp_path: Path) -> None:
    path = write(tmp_path, "a.qrels", "007 0 文档#1 1\né 0 \U0001f600 2\n".encode())
    assert io.read_judgments(path).to_dict() == {"007": {"文档#1": 1.0}, "é": {"\U0001f600": 2.0}}


def test_bad_lines_are_named(tmp_path: Path) -> None:
    path = write(tmp_path, "a.qrels", b"q1 0 d1 1\n# note\nq1 0 d2\n")
    with pytest.raises(ParseError) as caught:
        io.read_judgments(path)
    assert (caught.value.path, caught.value.line) == (path, 3)
    path = write(tmp_path, "a.run", RUN + b"q3 Q0 d1 1 nan tag\n")
    with pytest.raises(ParseError) as caught:
        io.read_run(path)
    assert caught.value.line == 4


def test_judgments_and_run_exchanged(tmp_path: Path) -> None:
    qrels, run = write(tmp_path, "a.txt", b"\n" + QRELS), write(tmp_path, "b.txt", b"#\n" + RUN)
    with pytest.raises(ParseError, match=r"b\.txt:2: expected judgments.* got 6 columns") as caught:
        io.read_judgments(run)
    assert "looks like a run: the judgments come first" in caught.value.hint
    with pytest.raises(ParseError, match=r"a\.txt:2: expected a run.* got 4 columns") as caught:
        io.read_run(qrels)
    assert "looks like judgments" in caught.value.hint
    with pytest.raises(ParseError, match="expected a run"):
        evaluate({"q1": {"d1": 1}}, qrels)


def test_a_run_is_recognised(tmp_path: Path) -> None:
    assert io.open_source(write(tmp_path, "a.txt", RUN)).format == "trec"
    table = write(tmp_path, "a.csv", b"query,document,score\nq,d,1\n")
    assert io.open_source(table).format == "csv"


@pytest.mark.parametrize("packed", [False, True])
def test_names_of_grades(tmp_path: Path, packed: bool) -> None:
    import gzip

    text = "q1 0 d1 高\r\n# 高\nq1 0 d2 low\n\nq2 0 d1 0\nq2 0 d3 无".encode()
    path = write(tmp_path, "a.qrels", gzip.compress(text) if packed else text)
    judgments = io.read_judgments(path, scale="search")
    assert judgments.to_dict() == {"q1": {"d1": 3.0, "d2": 1.0}, "q2": {"d1": 0.0, "d3": 0.0}}
    with pytest.raises(ParseError) as caught:
        io.read_judgments(path)
    assert caught.value.line == 1
    assert "search" in caught.value.hint


@pytest.mark.parametrize("bad", ["4", "1.5", "hihg", "nan"])
def test_grades_that_the_scale_does_not_have(tmp_path: Path, bad: str) -> None:
    path = write(tmp_path, "a.qrels", f"q1 0 d1 3\nq1 0 d2 {bad}\n".encode())
    with pytest.raises(ParseError) as caught:
        io.read_judgments(path, scale="search")
    assert caught.value.line == 2


def test_scale_with_numbers_only(tmp_path: Path) -> None:
    path = write(tmp_path, "a.qrels", b"q1 0 d1 3\nq1 0 d2 -2\n")
    assert io.read_judgments(path, scale="search").to_dict() == {"q1": {"d1": 3.0, "d2": -2.0}}


def test_a_long_scaled_file_in_small_pieces(tmp_path: Path) -> None:
    lines = [f"q{row // 100} 0 d{row} {'高中低无'[row % 4]}\n" for row in range(50_000)]
    judgments = io.read_judgments(
        write(tmp_path, "a.qrels", "".join(lines).encode()), scale="search"
    )
    assert len(judgments) == 50_000
    assert judgments["q499"]["d49999"] == 0.0
    assert judgments["q123"]["d12301"] == 2.0


def test_there_are_no_columns_to_name(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="no column names"):
        io.read_judgments(write(tmp_path, "a.qrels", QRELS), columns={"grade": "x"})


@pytest.mark.parametrize("content", [b"", b"\n\n", b"# only a comment\n"])
def test_nothing_in_it(tmp_path: Path, content: bytes) -> None:
    for name, read in (("a.qrels", io.read_judgments), ("a.run", io.read_run)):
        path = write(tmp_path, name, content)
        with pytest.raises(InputError, match=name):
            read(path)
