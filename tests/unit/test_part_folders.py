"""Tests of folders of parts that Spark, Dask or Hadoop write, which are read as one table."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import relyon
from relyon.io.byte_source import Source
from relyon.io.part_folders import PartFolder
from relyon.io.session_readers import read_sessions

ROWS = pl.DataFrame(
    [
        (f"q{query}", f"d{document}", float((query * 7 + document * 5) % 11))
        for query in range(6)
        for document in range(9)
    ],
    schema=["query", "document", "score"],
    orient="row",
)
JUDGMENTS = {f"q{query}": {f"d{query}": 2, f"d{query + 2}": 1} for query in range(6)}
Write = Callable[[pl.DataFrame, Path], object]


def _trec(frame: pl.DataFrame, path: Path) -> None:
    """Writes lines of a run; the last of them does not end."""
    rows = (f"{query} Q0 {document} 1 {score} t" for query, document, score in frame.rows())
    path.write_text("\n".join(rows))


WRITERS: dict[str, Write] = {
    "part-{:05d}-1f3e-c000.csv": lambda frame, path: frame.write_csv(path),
    "part-{:05d}-1f3e-c000.csv.gz": lambda frame, path: path.write_bytes(
        gzip.compress(frame.write_csv().encode())
    ),
    "part-{:05d}-1f3e-c000.json": lambda frame, path: frame.write_ndjson(path),
    "part-{:05d}-1f3e-c000.snappy.parquet": lambda frame, path: frame.write_parquet(path),
    "part.{}.parquet": lambda frame, path: frame.write_parquet(path),
    "part-{:05d}": _trec,
}


def _write(folder: Path, name: str, rows: pl.DataFrame = ROWS, each: int = 5) -> Path:
    """Writes a table in parts, of which some are in the middle of a query, and the last empty."""
    folder.mkdir()
    (folder / "_SUCCESS").touch()
    write = WRITERS[name]
    for number, start in enumerate(range(0, len(rows), each)):
        write(rows[start : start + each], folder / name.format(number))
    (folder / name.format(len(rows))).touch()
    return folder


@pytest.mark.parametrize("name", WRITERS)
def test_parts_are_one_run(tmp_path: Path, name: str) -> None:
    whole = tmp_path / "run.csv"
    ROWS.write_csv(whole)
    folder = _write(tmp_path / "run", name)
    found = relyon.read_run(folder)
    same = found.to_frame().select("query", "document", "score")
    assert same.rows() == relyon.read_run(whole).to_frame().rows()
    measures = ["ndcg@3", "ap"]
    expected = relyon.evaluate(JUDGMENTS, whole, measures)
    for path in (folder, f"{folder}/"):
        results = relyon.evaluate(JUDGMENTS, path, measures)
        assert dict(results) == dict(expected)


def test_parts_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    folder = _write(tmp_path / "run", "part.{}.parquet")
    numbers = [int(Path(path).name.split(".")[1]) for path in PartFolder(str(folder)).parts]
    assert numbers == sorted(numbers)
    assert max(numbers) > 9


def test_a_log_in_parts_is_read_as_the_log(tmp_path: Path) -> None:
    log = pl.DataFrame(
        [
            (f"s{session}", "q", position, f"d{position}", session % position == 0)
            for session in range(8)
            for position in range(1, 5)
        ],
        schema=["session", "query", "position", "document", "clicked"],
        orient="row",
    )
    whole = tmp_path / "log.csv"
    log.write_csv(whole)
    expected = read_sessions(whole).collect().rows()
    for place, name in enumerate(list(WRITERS)[:4]):
        folder = _write(tmp_path / f"log{place}", name, log, each=7)
        assert read_sessions(folder).collect().rows() == expected


def test_parts_are_read_as_often_as_needed(tmp_path: Path) -> None:
    for place, name in enumerate(WRITERS):
        source = Source(_write(tmp_path / str(place), name))
        first = source.read_all()
        assert first
        assert source.read_all() == first


def test_a_part_with_another_header_is_refused(tmp_path: Path) -> None:
    name = "part-{:05d}-1f3e-c000.csv"
    folder = _write(tmp_path / "run", name)
    other = folder / name.format(2)
    ROWS[:4].select("document", "query", "score").write_csv(other)
    with pytest.raises(
        relyon.InputError, match=r"has different columns than .*part-00000"
    ) as found:
        relyon.read_run(folder)
    assert str(other) in str(found.value)


def test_a_part_of_parquet_with_other_columns_is_refused(tmp_path: Path) -> None:
    name = "part.{}.parquet"
    folder = _write(tmp_path / "run", name)
    ROWS[:4].rename({"score": "points"}).write_parquet(folder / name.format(2))
    with pytest.raises(relyon.InputError, match=r"part\.2\.parquet: has different columns"):
        relyon.read_run(folder)


def test_a_damaged_part_is_refused(tmp_path: Path) -> None:
    folder = _write(tmp_path / "run", "part.{}.parquet")
    part = folder / "part.3.parquet"
    part.write_bytes(part.read_bytes()[:-40])
    with pytest.raises(relyon.InputError, match="cannot be read"):
        relyon.read_run(folder)


@pytest.mark.parametrize(
    ("entry", "message", "hint"),
    [
        ("_delta_log", "is a store of Delta Lake", "read the table with Spark"),
        (".hoodie", "is a store of Apache Hudi", "read the table with Spark"),
        ("_temporary", "is not written to the end", "wait until the job has ended"),
    ],
)
def test_folders_that_are_not_one_whole_table_are_refused(
    tmp_path: Path, entry: str, message: str, hint: str
) -> None:
    folder = _write(tmp_path / "run", "part-{:05d}-1f3e-c000.csv")
    (folder / entry).mkdir()
    with pytest.raises(relyon.InputError, match=message) as found:
        relyon.read_run(folder)
    assert hint in (found.value.hint or "")


def test_parts_of_several_formats_are_refused(tmp_path: Path) -> None:
    folder = _write(tmp_path / "run", "part-{:05d}-1f3e-c000.csv")
    ROWS.write_parquet(folder / "part-00099-c000.parquet")
    with pytest.raises(relyon.InputError, match="has parts of several formats"):
        relyon.read_run(folder)


def test_a_folder_of_partitions_says_what_to_name(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    _write(tmp_path / "run" / "date=2026-01-02", "part-{:05d}")
    with pytest.raises(relyon.InputError, match="is a folder") as found:
        relyon.read_run(tmp_path / "run")
    assert "`date=2026-01-02`" in (found.value.hint or "")


def test_a_folder_without_rows_is_refused(tmp_path: Path) -> None:
    (tmp_path / "part-00000").touch()
    with pytest.raises(relyon.InputError, match="is empty"):
        relyon.read_run(tmp_path)


JOB = "0b1c2d3e-0000-1111-2222-333344445555"


def _kinds(folder: Path) -> dict[str, tuple[str, ...]]:
    return {note.kind: note.examples for note in Source(folder).notes}


def test_what_suggests_that_parts_are_not_one_table_is_said(tmp_path: Path) -> None:
    folder = _write(tmp_path / "run", "part-{:05d}-1f3e-c000.csv")
    for old in folder.glob("part-*"):
        old.rename(folder / old.name.replace("1f3e", JOB))
    (folder / f"part-{len(ROWS):05d}-{JOB}-c000.csv").unlink()
    assert _kinds(folder) == {}
    (folder / "_SUCCESS").unlink()
    (folder / f"part-00001-{JOB}-c000.csv").unlink()
    assert _kinds(folder) == {"parts-unfinished": (), "parts-missing": ("1",)}
    notes = [str(note) for note in relyon.read_run(folder).notes]
    assert f"{folder} lacks 1 part of 0 to 10, which is right if it was empty (1)" in notes
    other = JOB.replace("0b1c", "ffff")
    ROWS[:1].write_csv(folder / f"part-00000-{other}-c000.csv")
    assert _kinds(folder) == {"parts-unfinished": (), "parts-of-jobs": ()}


@pytest.mark.parametrize("names", [["_SUCCESS"], ["_SUCCESS", "other.csv"]])
def test_a_job_without_rows_is_empty(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / name).write_text("x")
    with pytest.raises(relyon.InputError, match="is empty"):
        relyon.read_run(tmp_path)


@pytest.mark.parametrize(
    ("entries", "store"),
    [(["metadata", "data"], "Apache Iceberg"), ([".hoodie", "x.parquet"], "Apache Hudi")],
)
def test_stores_without_parts_of_their_own_are_refused(
    tmp_path: Path, entries: list[str], store: str
) -> None:
    for name in entries:
        (tmp_path / name).mkdir()
    with pytest.raises(relyon.InputError, match=f"is a store of {store}"):
        relyon.read_run(tmp_path)


@pytest.mark.parametrize("name", ["000000_0", "0.part", "part-r-00000", "part-00000.csv"])
def test_names_of_other_jobs_are_known(tmp_path: Path, name: str) -> None:
    if name.endswith("csv"):
        ROWS.write_csv(tmp_path / name)
    else:
        _trec(ROWS, tmp_path / name)
    assert len(relyon.read_run(tmp_path)) == len(ROWS)
