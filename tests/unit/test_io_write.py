"""Writing judgments and runs, and reading them back."""

from __future__ import annotations

import gzip
import io as streams
import os
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from relyon import io
from relyon.core.errors import InputError, ParameterError
from relyon.data.judgments import Judgments
from relyon.data.run import Run

SUFFIXES = [".qrels", ".csv", ".tsv", ".jsonl", ".parquet", ".json"]
JUDGMENTS = {"q2": {"d#1": 3.0, "文": 0.0}, "007": {"d#1": -1.0}}
FLOATS = {"q2": {"d1": 0.1, "d2": 1 / 3}, "q1": {"d1": 1e-300}}
SCORES = {"q2": {"a": -0.5, "文": 0.30000000000000004}, "007": {"a": 1e300, "b": 5e-324}}
PLAIN = {"": "", ".gz": "gzip", ".zst": "zstd", ".bz2": "bzip2", ".xz": "xz"}


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("packed", PLAIN)
@pytest.mark.parametrize("grades", [JUDGMENTS, FLOATS], ids=["whole", "floats"])
def test_judgments(
    tmp_path: Path, suffix: str, packed: str, grades: dict[str, dict[str, float]]
) -> None:
    path = tmp_path / f"a{suffix}{packed}"
    io.write_judgments(Judgments.from_dict(grades), path)
    back = io.read_judgments(path)
    assert back.to_dict() == grades
    assert back.queries == list(grades)
    assert io.open_source(path).compression == PLAIN[packed]
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("suffix", [".run", *SUFFIXES[1:]])
@pytest.mark.parametrize("packed", PLAIN)
def test_run(tmp_path: Path, suffix: str, packed: str) -> None:
    path = tmp_path / f"a{suffix}{packed}"
    io.write_run(Run.from_dict(SCORES, name="two words"), path)
    back = io.read_run(path)
    assert back.to_dict() == SCORES
    assert io.open_source(path).compression == PLAIN[packed]


@pytest.mark.parametrize("suffix", [".run", ".csv", ".tsv", ".jsonl", ".parquet"])
def test_ranks_are_kept(tmp_path: Path, suffix: str) -> None:
    run = Run.from_arrays(["q", "q", "q"], ["a", "b", "c"], [1.0, 3.0, 3.0], ranks=[2, 0, 1])
    io.write_run(run, tmp_path / f"a{suffix}")
    assert io.read_run(tmp_path / f"a{suffix}").to_frame().equals(run.to_frame())


def test_trec_without_ranks_is_ordered_by_score(tmp_path: Path) -> None:
    run = Run.from_dict({"q": {"a": 1.0, "b": 2.0, "c": 2.0}}, name="two words")
    io.write_run(run, tmp_path / "a.run")
    assert (tmp_path / "a.run").read_text() == (
        "q Q0 b 1 2.0 two_words\nq Q0 c 2 2.0 two_words\nq Q0 a 3 1.0 two_words\n"
    )


def test_whole_grades_are_written_without_a_fraction(tmp_path: Path) -> None:
    judgments = Judgments.from_dict({"q": {"a": 3, "b": 0}})
    for name, expected in {
        "a.qrels": "q 0 a 3\nq 0 b 0\n",
        "a.csv": "query,document,grade\nq,a,3\nq,b,0\n",
        "a.tsv": "query\tdocument\tgrade\nq\ta\t3\nq\tb\t0\n",
        "a.jsonl": '{"query":"q","document":"a","grade":3}\n'
        '{"query":"q","document":"b","grade":0}\n',
        "a.json": '{\n"q": {"a": 3, "b": 0}\n}\n',
    }.items():
        io.write_judgments(judgments, tmp_path / name)
        assert (tmp_path / name).read_text() == expected


@pytest.mark.parametrize("query", ["red shoes", "#1", "tab\there", "a\u3000b"])
def test_ids_that_trec_cannot_hold(tmp_path: Path, query: str) -> None:
    judgments = Judgments.from_dict({"q": {"d": 1}, query: {"d": 1}})
    with pytest.raises(InputError, match="cannot be written as TREC"):
        io.write_judgments(judgments, tmp_path / "a.qrels")
    assert os.listdir(tmp_path) == []
    io.write_judgments(judgments, tmp_path / "a.csv")
    assert io.read_judgments(tmp_path / "a.csv").queries == ["q", query]


def test_documents_that_trec_cannot_hold(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the document id `a b` cannot"):
        io.write_run(Run.from_dict({"q": {"a b": 1}}), tmp_path / "a.run")


@pytest.mark.parametrize("space", [chr(code) for code in range(0x3100) if chr(code).isspace()])
def test_every_kind_of_white_space_is_refused(tmp_path: Path, space: str) -> None:
    for run in ({"q": {f"文{space}b": 1}}, {f"q{space}": {"b": 1}}, {"q": {"": 1}}):
        with pytest.raises(InputError, match="cannot be written as TREC"):
            io.write_run(Run.from_dict(run), tmp_path / "a.run")


def test_ids_near_white_space_are_written(tmp_path: Path) -> None:
    ids = [chr(code) for code in range(0x3100) if not chr(code).isspace()]
    run = Run.from_dict({"q": {f"a{text}b": 1.0 for text in ids if text != "\0"}})
    io.write_run(run, tmp_path / "a.run")
    assert io.read_run(tmp_path / "a.run").to_dict() == run.to_dict()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
@example([1e16, 9999999999999998.0, 1e15, 0.0001, 0.00009999999999999999, -0.0, 5e-324, 1e22])
def test_scores_are_written_as_python_writes_them(scores: list[float]) -> None:
    run = Run.from_arrays(["q"] * len(scores), range(len(scores)), scores, range(len(scores)))
    lines = run.table.to_text(first=0, count=1, tag="文").decode().splitlines()
    assert lines == [f"q Q0 {at} {at} {score!r} 文" for at, score in enumerate(scores)]


def test_a_file_is_replaced_only_on_request(tmp_path: Path) -> None:
    path = tmp_path / "a.qrels"
    path.write_text("precious")
    judgments = Judgments.from_dict({"q": {"d": 1}})
    with pytest.raises(InputError, match="already exists") as caught:
        io.write_judgments(judgments, path)
    assert "overwrite" in caught.value.hint
    assert path.read_text() == "precious"
    io.write_judgments(judgments, path, overwrite=True)
    assert path.read_text() == "q 0 d 1\n"


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.qrels"
    path.write_text("precious")
    with pytest.raises(InputError):
        io.write_judgments(Judgments.from_dict({"a b": {"d": 1}}), path, overwrite=True)
    assert path.read_text() == "precious"
    assert os.listdir(tmp_path) == ["a.qrels"]


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    judgments = Judgments.from_dict({"q": {"d": 1}})
    with pytest.raises(InputError, match="is a folder"):
        io.write_judgments(judgments, tmp_path, format="trec")
    with pytest.raises(InputError, match="cannot be written: No such file"):
        io.write_judgments(judgments, tmp_path / "no" / "a.qrels")


def test_format_by_name_or_suffix(tmp_path: Path) -> None:
    judgments = Judgments.from_dict({"q": {"d": 1}})
    io.write_judgments(judgments, tmp_path / "a.data", format="csv")
    assert (tmp_path / "a.data").read_text() == "query,document,grade\nq,d,1\n"
    io.write_judgments(judgments, tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_text() == "q 0 d 1\n"
    with pytest.raises(ParameterError, match="is not a known format") as caught:
        io.write_judgments(judgments, tmp_path / "b.data")
    assert "`parquet`" in caught.value.hint
    with pytest.raises(InputError, match="`letor` cannot contain a run"):
        io.write_run(Run.from_dict({"q": {"d": 1}}), tmp_path / "b.letor")


def test_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = streams.BytesIO()
    monkeypatch.setattr(sys, "stdout", streams.TextIOWrapper(buffer))
    io.write_judgments(Judgments.from_dict({"q": {"d": 1}}), "-")
    io.write_run(Run.from_dict({"q": {"d": 1}}), "-", format="csv")
    assert buffer.getvalue() == b"q 0 d 1\nquery,document,score\nq,d,1.0\n"


def test_the_same_data_gives_the_same_bytes(tmp_path: Path) -> None:
    judgments = Judgments.from_dict({"q": {"d": 1}})
    io.write_judgments(judgments, tmp_path / "a.qrels.gz")
    io.write_judgments(judgments, tmp_path / "b.qrels.gz")
    assert (tmp_path / "a.qrels.gz").read_bytes() == (tmp_path / "b.qrels.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.qrels.gz").read_bytes()) == b"q 0 d 1\n"
