"""Texts that a spreadsheet takes for formulas, in every file that relyon writes and reads again."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import polars as pl
import pytest
from tests.unit.conftest import Command

import relyon
from relyon import write_run
from relyon.core.errors import InputError
from relyon.data.judgments import Judgments
from relyon.data.run import Run
from relyon.data.sessions import Sessions
from relyon.evaluation.side_by_side import SideBySide
from relyon.io.per_query_values import read_values
from relyon.io.session_readers import read_sessions
from relyon.io.session_writers import write_sessions
from relyon.io.table_files import read_table, write_table

FORMULA = re.compile(r"(^|[\r\n;\t])[=+\-@＝＋－＠]|^[\t\r\n]")
QUERIES = [
    "=1+1",
    "ok\r=1+1",
    "a;=cmd|'/C calc'!A0",
    '"@x',
    "-5 °C",
    "\t=1",
    " red ",
    "it's",
    "''=1",
]
GRADES = {query: {f"+{query}": 2.0, "d": 0.0} for query in QUERIES}


def cells(text: str, separator: str = ",") -> list[str]:
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    return [cell for row in rows for cell in row]


def is_number(cell: str) -> bool:
    return bool(re.fullmatch(r"-?[\d.]+(e-?\d+)?", cell))


def assert_safe(text: str, separator: str = ",") -> None:
    found = cells(text, separator)
    assert [cell for cell in found if "=1" in cell]
    assert not [cell for cell in found if FORMULA.search(cell) and not is_number(cell)]


@pytest.mark.parametrize(("ending", "separator"), [(".csv", ","), (".tsv", "\t")])
def test_judgments_and_runs(tmp_path: Path, ending: str, separator: str) -> None:
    grades, run = tmp_path / f"grades{ending}", tmp_path / f"run{ending}"
    relyon.write_judgments(Judgments.from_dict(GRADES), grades)
    relyon.write_run(Run.from_dict(GRADES), run)
    for path in (grades, run):
        assert_safe(path.read_bytes().decode(), separator)
    assert relyon.read_judgments(grades).to_dict() == GRADES
    assert relyon.read_run(run).to_dict() == GRADES
    found = relyon.evaluate(grades, run, ["rr"])
    assert found.values_by_query("rr") == dict.fromkeys(QUERIES, 1.0)


def test_a_row_that_python_reads_is_read_alike(tmp_path: Path) -> None:
    """The second reader, for files in which something is wrong or looks so."""
    path = tmp_path / "grades.csv"
    path.write_bytes(b"query,document,grade,more\n'=q,'-d,1\n")
    with pytest.raises(InputError, match=r":2: expected 4 columns"):
        relyon.read_judgments(path)
    path.write_bytes(b"query,document,'=more,grade\n'=q,'-d,,1\n")
    assert relyon.read_judgments(path).to_dict() == {"=q": {"-d": 1.0}}


def test_values_of_queries(tmp_path: Path) -> None:
    found = relyon.evaluate(GRADES, GRADES, ["rr", "ndcg@10"])
    path = tmp_path / "values.csv"
    path.write_text(found.to_csv(per_query=True), "utf-8", newline="")
    assert_safe(path.read_bytes().decode())
    assert [*read_values(path)["rr"]] == QUERIES
    with pytest.raises(InputError, match="cannot contain the query `\\t=1`"):
        SideBySide([found]).to_trec(per_query=True)


def test_logs_and_samples(tmp_path: Path) -> None:
    log = pl.DataFrame(
        {
            "session": [f"@{n}" for n, _ in enumerate(QUERIES)],
            "query": QUERIES,
            "position": 1,
            "doc": [f"+{query}" for query in QUERIES],
        }
    )
    path = tmp_path / "log.csv"
    write_sessions(Sessions.from_frame(log), path)
    assert_safe(path.read_bytes().decode())
    back = read_sessions(path)
    assert back.collect().select(log.columns).sort("session").equals(log.sort("session"))
    sample = relyon.draw_sample(back, k=5)
    for ending in (".csv", ".tsv"):
        target = tmp_path / f"sample{ending}"
        sample.write(target)
        assert_safe(target.read_bytes().decode(), "\t" if ending == ".tsv" else ",")
        assert relyon.read_sample(target).to_frame().equals(sample.to_frame())


def test_a_log_with_a_character_of_code_0_is_no_csv(tmp_path: Path) -> None:
    log = pl.DataFrame({"session": ["s"], "query": ["a\0b"], "position": 1, "doc": ["d"]})
    with pytest.raises(
        InputError, match=r"CSV cannot contain a character of code 0: `a\\0b`"
    ) as caught:
        write_sessions(Sessions.from_frame(log), tmp_path / "log.csv")
    assert caught.value.message == "CSV cannot contain a character of code 0: `a\\0b`"
    assert not [*tmp_path.iterdir()]
    write_sessions(Sessions.from_frame(log), tmp_path / "log.parquet")


def test_rounds_and_the_monitor(tmp_path: Path) -> None:
    log = pl.DataFrame(
        {
            "session": [f"={n}" for n in range(len(QUERIES))],
            "query": QUERIES,
            "position": 1,
            "doc": [f"+{query}" for query in QUERIES],
        }
    )
    made = relyon.create_round("2026-03", relyon.draw_sample(log, k=5), GRADES)
    folder = relyon.write_round(made, tmp_path)
    for file in ("sample.csv", "judgments.csv", "results.csv"):
        assert_safe((folder / file).read_bytes().decode())
    (back,) = relyon.read_rounds(tmp_path)
    assert back.judgments.to_dict() == made.judgments.to_dict()
    assert back.results.equals(made.results)


def test_tables_of_any_kind(tmp_path: Path) -> None:
    frame = pl.DataFrame({"=a": QUERIES, "b": ["", None, *QUERIES[2:]]})
    for ending in (".csv", ".tsv"):
        path = tmp_path / f"table{ending}"
        write_table(frame, path)
        assert read_table(path).equals(frame)


def test_names_of_runs_and_stages() -> None:
    compared = relyon.compare(
        GRADES, GRADES, [{query: {"d": 1.0} for query in QUERIES}], ["rr"], names=["=1+1", "@b"]
    )
    assert_safe(compared.to_csv())
    assert_safe(compared.to_csv(per_query=True))


@pytest.mark.long
def test_an_export_of_grades_is_read_everywhere(command: Command, files: Path) -> None:
    """By evaluate, judge import, sample --judgments and monitor add --judgments."""
    pytest.importorskip("sqlalchemy")
    from relyon.data.sheets import Row, Sheet
    from relyon.io.sheets import write_sheet
    from relyon.judging.records import Item, Rating

    rows = [
        Row(Item(query, document, title=query), (Rating("@ann", grade, note="ok\r=1+1", at=5.0),))
        for query, documents in GRADES.items()
        for document, grade in documents.items()
    ]
    given = write_sheet(Sheet(tuple(rows)), format="csv")[0]
    (files / "given.csv").write_text(given, "utf-8", newline="")
    for name in ("June", "csv", "jsonl"):
        command("judge", "init", "judging.db", "--project", name)
    command("judge", "import", "judging.db", "given.csv", "--project", "June")
    project = ("judging.db", "--project")
    for form, ending in (("csv", "csv"), ("jsonl", "jsonl")):
        arguments = ("--format", form, "-o", f"june.{ending}")
        assert command("judge", "export", *project, "June", *arguments).code == 0
        told = command("judge", "import", *project, form, f"june.{ending}")
        assert told.code == 0, told.err
        arguments = ("--format", form, "-o", f"july.{ending}")
        assert command("judge", "export", *project, form, *arguments).code == 0
        assert (files / f"june.{ending}").read_bytes() == (files / f"july.{ending}").read_bytes()
    exported = (files / "june.csv").read_bytes().decode()
    assert_safe(exported)
    write_run(Run.from_dict(GRADES), files / "run.csv")
    told = command("evaluate", "june.csv", "run.csv", "-m", "rr", "--format", "json")
    assert '"rr": 1.0' in told.out.replace('"value": 1.0', '"rr": 1.0'), told.err
    log = pl.DataFrame(
        {
            "session": [f"s{n}" for n in range(len(QUERIES))],
            "query": QUERIES,
            "position": 1,
            "doc": [f"+{query}" for query in QUERIES],
        }
    )
    write_sessions(Sessions.from_frame(log), files / "hostile.csv")
    told = command(
        "sample", "hostile.csv", "--per-tier", "9", "-o", "drawn.csv", "--judgments", "june.csv",
        "--pool", "left.csv",
    )  # fmt: skip
    assert told.code == 0, told.err
    assert cells((files / "left.csv").read_text("utf-8"))[6:] == []  # all of them are judged
    assert_safe((files / "drawn.csv").read_bytes().decode())
    told = command(
        "monitor", "add", "rounds", "--month", "2026-03", "--sample", "drawn.csv",
        "--judgments", "june.csv",
    )  # fmt: skip
    assert told.code == 0, told.err
    assert (files / "rounds" / "2026-03" / "results.csv").read_text().count(",1,1,") == len(QUERIES)
