"""Bad input has one answer, whichever way it comes in: an error that names the place, or a note."""

from __future__ import annotations

from pathlib import Path

import pytest

import relkit
from relkit._native import RunTable
from relkit.errors import InputError, ParseError

QRELS = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n"
RUN = "q1 Q0 d1 1 2.5 x\nq1 Q0 d2 2 1.5 x\nq2 Q0 d1 1 3 x\n"


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    path = tmp_path / "judged.qrels"
    path.write_text(QRELS)
    return path


def test_a_document_that_comes_back_after_another_query(qrels: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_text("q1 Q0 d1 1 2 x\n#q1 Q0 d1 1 2 3 x\nq2 Q0 d1 1 2 x\nq1 Q0 d1 2 1 x\n")
    with pytest.raises(ParseError, match=r"x\.run:4: document `d1` stands twice in query `q1`"):
        relkit.evaluate(qrels, path)


def test_repeated_documents_of_queries_that_nobody_judged(qrels: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    twice = "q3 Q0 d1 1 2 x\nq3 Q0 d1 2 1 x\n"
    for text in (RUN + twice, twice + RUN + "q1 Q0 d3 3 1 x\n"):
        path.write_text(text)
        assert relkit.evaluate(qrels, path, "rr")["rr"] == 1.0


def test_long_ids_are_cut_in_messages(qrels: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_text(f"q1 Q0 {'d' * 9999} 1 2 x\n" * 2)
    with pytest.raises(ParseError, match="stands twice") as caught:
        relkit.evaluate(qrels, path)
    assert caught.value.line == 2
    assert len(str(caught.value)) < 500
    path.write_text(f"q1 0 {'d' * 9999} 1\nq1 0 {'d' * 9999} 2\n")
    with pytest.raises(InputError, match="two grades") as caught_grade:
        relkit.evaluate(path, qrels)
    assert len(str(caught_grade.value)) < 500


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("1" + "0" * 400 + "e-300", 1e100),
        ("0." + "0" * 400 + "1e+500", 1e99),
        ("0." + "0" * 400 + "1e5", 0.0),
        ("0." + "0" * 400 + "1e+5", 0.0),
        ("1" + "0" * 400 + "e-5", None),
        ("1e-400", 0.0),
        ("-1e-99999999999999999999", 0.0),
        ("1e99999999999999999999", None),
        ("0e99999999999999999999", 0.0),
    ],
)
def test_numbers_beyond_the_range(number: str, expected: float | None, tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_text(f"q1 Q0 d1 1 {number} x\n")
    if expected is None:
        with pytest.raises(ParseError, match="the score is not a finite number"):
            relkit.io.read_run(path)
    else:
        assert relkit.io.read_run(path)["q1"] == {"d1": expected}


@pytest.mark.parametrize("text", [b"\r\n#", b"\n\n", b"#", b" \n", b"\xef\xbb\xbf", b"\n#\n"])
def test_files_of_a_few_bytes(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_bytes(text)
    with pytest.raises(InputError, match=r"x\.run: holds no document"):
        RunTable.from_text(str(path))
    path.write_bytes(text + b"x" if text[-1:] == b"\n" else text + b"\nx")
    with pytest.raises(ParseError, match="expected 6 columns"):
        RunTable.from_text(str(path))


def test_a_tag_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_bytes("q1 Q0 d1 1 2 é\n".encode("latin-1"))
    assert relkit.io.read_run(path).tag == "\udce9"
