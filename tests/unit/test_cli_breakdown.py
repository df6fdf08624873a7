"""Breakdowns on the command line: tables, the gate on values, reports and diagnoses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.conftest import Command

QUERIES = [f"q{number:02d}" for number in range(40)]
TABLE = ("--queries", "queries.csv")
RUNS = ("j.qrels", "old.run", "new.run", "-m", "ndcg@10")


def lines(best: dict[str, str]) -> str:
    return "".join(
        f"{query} Q0 {document} {rank} {-rank} x\n"
        for query, order in best.items()
        for rank, document in enumerate(order, 1)
    )


@pytest.fixture
def runs(files: Path) -> Path:
    """The second run is better on English queries, and worse on the ten Chinese ones."""
    grades = "".join(f"{q} 0 a 2\n{q} 0 b 1\n{q} 0 c 0\n" for q in QUERIES)
    (files / "j.qrels").write_text(grades, "utf-8")
    old = {q: "bac" if n % 5 else "bca" for n, q in enumerate(QUERIES)}
    new = {q: ("abc" if n % 3 else "acb") for n, q in enumerate(QUERIES)}
    for number, query in enumerate(QUERIES):
        if number % 4 == 0:
            old[query], new[query] = "abc", ("cba" if number % 8 else "cab")
    (files / "old.run").write_text(lines(old), "utf-8")
    (files / "new.run").write_text(lines(new), "utf-8")
    rows = [f"{q},{'zh' if n % 4 == 0 else 'en'},{n}" for n, q in enumerate(QUERIES)]
    (files / "queries.csv").write_text("\n".join(["query_id,language,number", *rows]), "utf-8")
    return files


def test_values_are_shown_first_where_the_whole_hides_a_loss(command: Command, runs: Path) -> None:
    done = command("compare", *RUNS, *TABLE, "--by", "language")
    assert done.code == 0
    assert done.out.split("\n\n")[1].startswith("▼ new.run loses where language = zh: ndcg@10 -")
    assert "ndcg@10 by language" in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    chinese = command("compare", *RUNS, *TABLE, "--by", "language", "--lang", "zh")
    assert "ndcg@10，按 language 拆分" in chinese.out


def test_the_gate_on_values_fails_on_a_loss_that_the_whole_hides(
    command: Command, runs: Path
) -> None:
    plain = command("compare", *RUNS, "--fail-if-worse", "ndcg@10")
    assert plain.code == 0
    done = command("compare", *RUNS, *TABLE, "--fail-if-worse-in", "language")
    assert done.code == 1
    assert "new.run is worse than old.run on ndcg@10 where language = zh" in done.err
    assert "10 of 10 queries lost" in done.err
    assert "by language" in done.out
    chinese = command("compare", *RUNS, *TABLE, "--fail-if-worse-in", "language", "--lang", "zh")
    assert "language = zh 的查询上" in chinese.err


def test_the_gate_on_values_passes_without_a_loss(command: Command, runs: Path) -> None:
    same = ("j.qrels", "old.run", "old.run", "-m", "ndcg@10", "--name", "a", "--name", "b")
    assert command("compare", *same, *TABLE, "--fail-if-worse-in", "language").code == 0


def test_a_gate_on_values_without_enough_queries_warns(command: Command, runs: Path) -> None:
    rows = [f"{q},{n % 8}" for n, q in enumerate(QUERIES)]
    (runs / "eight.csv").write_text("\n".join(["query_id,eighth", *rows]), "utf-8")
    done = command("compare", *RUNS, "--queries", "eight.csv", "--fail-if-worse-in", "eighth")
    assert done.code == 0
    assert "--fail-if-worse-in `eighth` cannot fail" in done.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--by", "number", *TABLE), "the column `number` has 40 values for 40 queries"),
        (("--by", "language"), "those of a table of queries, and none is given"),
        (("--by", "tier", *TABLE), "no column `tier`"),
        (("--by", "language", *TABLE, "--engine", "spark"), "--engine spark and --by exclude"),
    ],
    ids=["numbers", "no table", "no column", "spark"],
)
def test_what_cannot_be_broken_down_is_an_error(
    command: Command, runs: Path, options: tuple[str, ...], said: str
) -> None:
    done = command("compare", *RUNS, *options)
    assert done.code > 1
    assert said in done.err


def test_json_and_csv_have_the_values(command: Command, runs: Path) -> None:
    done = command("compare", *RUNS, *TABLE, "--by", "language", "--format", "json")
    (breakdown,) = json.loads(done.out)["breakdowns"]
    assert [(one["value"], one["queries"]) for one in breakdown["groups"]] == [
        ("en", 30),
        ("zh", 10),
    ]
    rows = command("compare", *RUNS, *TABLE, "--by", "language", "--format", "csv").out
    assert [one.split(",")[:3] for one in rows.splitlines()[1:]] == [
        ["", "whole", ""],
        ["language", "value", "en"],
        ["language", "value", "zh"],
    ]


def test_values_of_another_program_are_broken_down(command: Command, runs: Path) -> None:
    for name in ("old", "new"):
        found = command(
            "evaluate", "j.qrels", f"{name}.run", "-m", "ndcg@10", "-q", "--format", "csv"
        )
        (runs / f"{name}.csv").write_text(found.out, "utf-8")
    done = command("compare", "--values", "old.csv", "new.csv", *TABLE, "--by", "language")
    assert done.out.split("\n\n")[1].startswith("▼ new.csv loses where language = zh")


def test_columns_of_scored_rows_are_those_of_their_file(command: Command, runs: Path) -> None:
    rows = ["query,label,old,new,language"]
    for number, query in enumerate(QUERIES):
        language = "zh" if number % 4 == 0 else "en"
        good = 1 if language == "en" else -1
        for label in (0, 1, 2):
            old, new = (label + (number + label) % 3, label + good * label + (number % 2) * 0.1)
            rows.append(f"{query},{label},{old},{new},{language}")
    (runs / "scored.csv").write_text("\n".join(rows), "utf-8")
    done = command(
        "compare", "--scored", "scored.csv", "--query", "query", "--label", "label",
        "--score", "old", "--score", "new", "-m", "gauc", "--by", "language",
    )  # fmt: skip
    assert "gauc by language" in done.out
    assert "language = zh" in done.out


def test_a_report_has_a_section_of_values(command: Command, runs: Path) -> None:
    done = command(
        "report", "j.qrels", "old.run", "new.run", "-m", "ndcg@10", *TABLE, "--by", "language",
        "-o", "-", "--format", "markdown",
    )  # fmt: skip
    assert done.code == 0
    assert "## By language" in done.out
    assert "**new.run loses where language = zh" in done.out
    assert "| language | n | old.run | new.run | difference |" in done.out


def test_diagnose_finds_the_loss_on_a_value(command: Command, runs: Path) -> None:
    done = command(
        "diagnose", "j.qrels", "old.run", "new.run", *TABLE, "--by", "language",
        "--rule", "slice", "--format", "json",
    )  # fmt: skip
    (found,) = json.loads(done.out)
    assert found["rule"] == "slice"
    assert (found["evidence"]["column"], found["evidence"]["value"]) == ("language", "zh")
    assert found["evidence"]["queries"] == 10
    assert found["examples"]
    none = command("diagnose", "j.qrels", "old.run", "new.run", "--rule", "slice")
    assert none.out.startswith("Nothing was found")
