"""One door for data: whoever reads judgments reads the same from every format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import pytest
from tests.databases import create_file

import relyon
from relyon import io
from relyon.core.errors import InputError, ParameterError
from relyon.data.judgments import Judgments
from relyon.data.sheets import Item, Rating, Row, Sheet
from relyon.io.format import formats
from relyon.io.sheets import sheet_format, sheet_formats, write_sheet

GRADES = {"q1": {"d1": 3.0, "d2": 0.0}, "q2": {"d1": 1.0}}
#: What each judge says: two of them disagree on the first item.
SAID = Sheet(
    (
        Row(Item("q1", "d1"), (Rating("Ann", 3.0), Rating("Bo", 3.0))),
        Row(Item("q1", "d2"), (Rating("Ann", 2.0), Rating("Bo", 0.0))),
        Row(Item("q2", "d1"), (Rating("Ann", 1.0), Rating("Bo", None))),
        Row(Item("q2", "d2")),
    )
)


def readers() -> Iterator[tuple[str, Callable[[Path], dict[str, dict[str, float]]]]]:
    """Whoever reads judgments, each by its name."""
    yield "read_judgments", lambda path: io.read_judgments(path).to_dict()
    yield "an open file", read_open
    yield "read_sheet", read_items
    yield "convert", convert
    yield "sample --judgments", reused


def read_open(path: Path) -> dict[str, dict[str, float]]:
    with open(path, "rb") as file:
        return io.read_judgments(file).to_dict()


def read_items(path: Path) -> dict[str, dict[str, float]]:
    """What `judge import` takes for grades."""
    found: dict[str, dict[str, float]] = {}
    for row in io.read_sheet(path).finals().rows:
        if row.final is not None:
            found.setdefault(row.item.query, {})[row.item.document] = row.final
    return found


def convert(path: Path) -> dict[str, dict[str, float]]:
    from click.testing import CliRunner

    from relyon.cli.convert import command

    target = path.with_suffix(".converted.parquet")
    arguments = [str(path), str(target), "--kind", "judgments", "--force"]
    assert CliRunner().invoke(command, arguments).exit_code == 0
    return io.read_judgments(target).to_dict()


def reused(path: Path) -> dict[str, dict[str, float]]:
    from relyon.online.sampling.pool import _earlier

    found: dict[str, dict[str, float]] = {}
    earlier, _ = _earlier(path, None, dated=False)
    for query, doc, grade in earlier.select("query", "doc", "grade").rows():
        found.setdefault(query, {})[doc] = float(grade)
    return found


def ordered(found: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    return {query: dict(sorted(found[query].items())) for query in sorted(found)}


def write(name: str, folder: Path) -> Path:
    """A file of final grades in a format."""
    chosen = formats.get(name)
    suffix = getattr(chosen, "suffix", "") or (*chosen.suffixes, *chosen.weak_suffixes)[0]
    path = folder / f"judgments{suffix}"
    io.write_judgments(Judgments.from_dict(GRADES), path, format=name)
    return path


#: The CSV of a book holds no final grades, and nothing tells it from a table of other columns.
JUDGED = {name for name in formats if "judgments" in formats.get(name).kinds}
HELD = sorted(JUDGED - {"quepid-book", "quepid-book-csv", "judging-database"})


@pytest.mark.parametrize("name", HELD)
@pytest.mark.parametrize(("reader", "read"), list(readers()))
def test_every_reader_reads_the_same(
    name: str,
    reader: str,
    read: Callable[[Path], dict[str, dict[str, float]]],
    tmp_path: Path,
) -> None:
    assert ordered(read(write(name, tmp_path))) == GRADES, reader


@pytest.mark.parametrize("name", ["csv", "tsv", "jsonl", "label-studio", "quepid-book"])
@pytest.mark.parametrize(("reader", "read"), list(readers()))
def test_several_judges_become_one_alike(
    name: str,
    reader: str,
    read: Callable[[Path], dict[str, dict[str, float]]],
    tmp_path: Path,
) -> None:
    path = tmp_path / f"judged{sheet_format(name).suffix}"
    path.write_text(write_sheet(SAID, format=name)[0], "utf-8", newline="")
    assert ordered(read(path)) == GRADES, reader
    kinds = {note.kind: note.count for note in io.read_judgments(path).notes}
    assert kinds["combined-grades"] == 1


@pytest.mark.parametrize(("reader", "read"), [one for one in readers() if one[0] != "an open file"])
@pytest.mark.parametrize("project", ["", "#June"])
def test_every_reader_reads_a_judging_database(
    project: str,
    reader: str,
    read: Callable[[Path], dict[str, dict[str, float]]],
    tmp_path: Path,
) -> None:
    pytest.importorskip("sqlalchemy")
    from relyon.judging.exchange import import_sheet
    from relyon.judging.store import open_store

    with open_store(create_file(tmp_path / "judging.db")) as store:
        import_sheet(store, store.projects.create("June", overlap=2).id, SAID)
    assert ordered(read(tmp_path / f"judging.db{project}")) == GRADES, reader


@pytest.mark.parametrize("name", HELD)
def test_evaluate_takes_every_format_and_open_files(name: str, tmp_path: Path) -> None:
    path, run = write(name, tmp_path), {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d1": 1.0}}
    with open(path, "rb") as file:
        opened = relyon.evaluate(file, run, "rr")
    assert opened["rr"] == relyon.evaluate(path, run, "rr")["rr"] == (1 / 2 + 1) / 2


def test_a_run_is_read_from_an_open_file() -> None:
    run = BytesIO(b"q1 Q0 d1 1 2.0 mine\nq1 Q0 d2 2 1.0 mine\n")
    assert relyon.evaluate({"q1": {"d2": 1}}, run, "rr")["rr"] == 1 / 2


def test_what_holds_no_run_says_so(tmp_path: Path) -> None:
    path = write("rre", tmp_path)
    with pytest.raises(InputError, match="the format `rre` cannot contain a run"):
        relyon.evaluate(GRADES, path, "rr")


def test_a_table_that_may_be_a_book_is_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "book.csv"
    path.write_text("query,docid,Ann,Bo\nq1,d1,3,2\n", "utf-8")
    for read in (io.read_judgments, io.read_sheet):
        with pytest.raises(ParameterError, match="could be one of csv, quepid-book-csv"):
            read(path)
    book = io.read_judgments(path, format="quepid-book-csv")
    assert book.to_dict() == {"q1": {"d1": 2.0}}
    assert io.read_judgments(path, columns={"grade": "Ann"})["q1"] == {"d1": 3.0}


def test_a_letor_file_has_one_truth(tmp_path: Path) -> None:
    path = tmp_path / "a.letor"
    path.write_text("3 qid:7 1:0.5 # d1 red shoes\n1 qid:7 1:0.1 # docid = d2\n", "utf-8")
    assert io.read_judgments(path).to_dict() == {"7": {"d1": 3.0, "d2": 1.0}}
    first, second = io.read_sheet(path).rows
    assert first.item == Item("7", "d1", query_text="red shoes", fields={"1": 0.5})
    assert (second.item.query, second.item.document) == ("7", "d2")


@pytest.mark.parametrize("name", sorted(JUDGED))
def test_a_format_says_what_it_can_hold(name: str) -> None:
    chosen = formats.get(name)
    assert {"judgments", "sheet"} <= chosen.kinds
    with_runs = ("trec", "csv", "tsv", "jsonl", "json", "parquet", "xlsx")
    assert ("run" in chosen.kinds) == (name in with_runs)
    assert name in sheet_formats() or name in ("json", "parquet", "judging-database", "xlsx")
