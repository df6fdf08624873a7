"""Slices on the command line: tables, files for programs, reports, and what excludes each other."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from tests.unit.conftest import Command

QUERIES = [f"{number}" for number in range(160)]
RUNS = ("j.qrels", "old.run", "new.run", "-m", "ndcg@10")
FIND = ("--queries", "queries.csv", "--find-slices")


@pytest.fixture
def runs(files: Path) -> Path:
    """The second run is better on most queries, and worse on the Chinese ones."""

    def lines(best: dict[str, str]) -> str:
        return "".join(
            f"{query} Q0 {document} {rank} {-rank} x\n"
            for query, order in best.items()
            for rank, document in enumerate(order, 1)
        )

    grades = "".join(f"{q} 0 a 2\n{q} 0 b 1\n{q} 0 c 0\n" for q in QUERIES)
    (files / "j.qrels").write_text(grades, "utf-8")
    old = {q: "bac" if n % 5 else "bca" for n, q in enumerate(QUERIES)}
    new = {q: "abc" if n % 3 else "acb" for n, q in enumerate(QUERIES)}
    for number, query in enumerate(QUERIES):
        if number % 4 == 0:
            old[query], new[query] = "abc", ("cba" if number % 8 else "cab")
    (files / "old.run").write_text(lines(old), "utf-8")
    (files / "new.run").write_text(lines(new), "utf-8")
    rows = [
        f"{q},{'红色 鞋子' if n % 4 == 0 else 'red shoes'},{'zh' if n % 4 == 0 else 'en'}"
        for n, q in enumerate(QUERIES)
    ]
    (files / "queries.csv").write_text("\n".join(["query_id,query,market", *rows]), "utf-8")
    return files


def test_a_slice_is_shown_below_the_comparison(command: Command, runs: Path) -> None:
    done = command("compare", *RUNS, *FIND)
    assert done.code == 0
    assert "Where it loses" in done.out
    assert "1 slice of 160 queries loses (corrected p ≤ 0.05)" in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    chinese = command("compare", *RUNS, *FIND, "--lang", "zh")
    assert "160 条查询中有 1 个切片变差" in chinese.out
    assert "红色 鞋子" in chinese.out


def test_files_for_programs(command: Command, runs: Path) -> None:
    done = command("compare", *RUNS, *FIND, "--format", "json")
    (one,) = json.loads(done.out)["slices"]["slices"]
    assert one["verdict"] == "loses"
    assert one["queries"] == 40
    assert one["interval"][1] < 0 < one["rest"]
    rows = command("compare", *RUNS, *FIND, "--format", "csv").out.splitlines()
    assert "where" in rows[0]
    assert len(rows) >= 3
    assert "| slice |" in command("compare", *RUNS, *FIND, "--format", "markdown").out


@pytest.mark.long
def test_a_workbook_has_a_sheet_of_slices(command: Command, runs: Path) -> None:
    assert command("compare", *RUNS, *FIND, "-o", "out.xlsx").code == 0
    with zipfile.ZipFile(runs / "out.xlsx") as book:
        assert b'name="slices"' in book.read("xl/workbook.xml")


@pytest.mark.long
def test_a_report_names_the_slice_first(command: Command, runs: Path) -> None:
    for language, said in (("en", "loses where"), ("zh", "的查询上变差")):
        done = command("report", *RUNS, *FIND, "-o", f"{language}.md", "--lang", language)
        assert done.code == 0, done.err
        page = (runs / f"{language}.md").read_text("utf-8")
        assert said in page.split("##")[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--slice-depth", "3"), "--slice-depth is for slices"),
        (("--find-slices", "--plan"), "--find-slices and --plan exclude each other"),
        (("--find-slices", "--format", "latex"), "--find-slices and --format latex"),
        (("--find-slices", "--slice-depth", "4"), "--slice-depth"),
    ],
)
def test_what_does_not_go_together(
    command: Command, runs: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = command("compare", *RUNS, *arguments)
    assert done.code == 2
    assert said in done.err


def test_stored_values_need_columns(command: Command, runs: Path) -> None:
    for name in ("old", "new"):
        rows = [f"{q},{n % 7 / 10 if name == 'old' else n % 5 / 10}" for n, q in enumerate(QUERIES)]
        (runs / f"{name}.csv").write_text("\n".join(["query,m", *rows]), "utf-8")
    done = command("compare", "--values", "old.csv", "new.csv", "--find-slices")
    assert done.code == 2
    assert "nothing to make slices of" in done.err
    assert command("compare", "--values", "old.csv", "new.csv", *FIND).code == 0


def test_scored_rows_have_columns_themselves(command: Command, runs: Path) -> None:
    rows = ["query,label,old,new,market"]
    for place, query in enumerate(QUERIES):
        zh = place % 4 == 0
        for document in range(4):
            label = document == place // 4 % 4
            new = -label if zh else label
            rows.append(
                f"{query},{int(label)},{document / 9},{new + document / 9},{'zh' if zh else 'en'}"
            )
    (runs / "scored.csv").write_text("\n".join(rows), "utf-8")
    columns = ("--query", "query", "--label", "label", "--score", "old", "--score", "new")
    done = command("compare", "--scored", "scored.csv", *columns, "-m", "gauc", "--find-slices")
    assert done.code == 0, done.err
    assert "market = zh" in done.out
    assert "3 columns not used for slices: a query has two values (label, old, new)" in done.err


@pytest.mark.long
def test_a_run_on_stdin_is_read_once(process: Command, runs: Path) -> None:
    data = (runs / "new.run").read_bytes()
    done = process("compare", "j.qrels", "old.run", "-", "-m", "ndcg@10", *FIND, data=data)
    assert done.code == 0, done.err
    assert "1 slice of 160 queries loses" in done.out


def test_traces_are_compared_by_task(command: Command, runs: Path) -> None:
    for name, place in (("old", 0), ("new", 1)):
        lines = [
            json.dumps(
                {
                    "task": query,
                    "call": call,
                    "query": query,
                    "results": ["a", "c"][:: 1 - 2 * worse],
                }
            )
            for n, query in enumerate(QUERIES)
            for call in (1, 2)
            for worse in [bool(place and n % 4 == 0)]
        ]
        (runs / f"{name}.jsonl").write_text("\n".join(lines), "utf-8")
    done = command("compare", "j.qrels", "old.jsonl", "new.jsonl", "-m", "ndcg@10", *FIND)
    assert done.code == 0, done.err
    assert "1 slice of 160 queries loses" in done.out
