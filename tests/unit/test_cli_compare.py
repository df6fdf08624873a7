"""`relyon compare` as people type it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from relyon.core.document.terminal import width

Command = Callable[..., Any]

QUERIES = [f"q{n:02}" for n in range(12)]


@pytest.fixture
def runs(files: Path) -> Path:
    """Twelve queries on which `good.run` is better than `bad.run`, save one."""
    judged = "".join(f"{q} 0 a 3\n{q} 0 b 0\n{q} 0 c 1\n" for q in QUERIES)
    (files / "j.qrels").write_text(judged, "utf-8")
    orders = {"good": "acb", "bad": "bca"}
    for name, order in orders.items():
        lines = [
            f"{q} Q0 {document} {rank} {9 - rank} {name}\n"
            for q in QUERIES
            for rank, document in enumerate(order if q != "q03" else "bac", 1)
        ]
        (files / f"{name}.run").write_text("".join(lines), "utf-8")
    return files


BOTH = ("compare", "j.qrels", "bad.run", "good.run")


def test_counts_have_no_decimals(command: Command, runs: Path) -> None:
    measures = ("-m", "num_q,num_rel_ret,ndcg@2")
    (runs / "good.run").write_text("q00 Q0 a 1 2 good\nq01 Q0 a 1 2 good\n", "utf-8")
    table = command(*BOTH, *measures).out
    rows = {line.split()[0]: line.split()[1:4] for line in table.splitlines()[3:9] if line}
    assert rows["num_q"] == ["12", "12", "0"]
    assert rows["num_rel_ret"] == ["24", "2", "-22"]
    marks = command(*BOTH, *measures, "--format", "markdown").out
    assert "| num_rel_ret | 24 | 2 | -22 |" in marks
    assert "| a | bad.run | 12 | **24**" in marks
    page = command("report", *BOTH[1:], *measures, "-o", "-", "--format", "markdown").out
    assert "| num_q | 12 | 12 | 0 |" in page
    found = json.loads(command(*BOTH, *measures, "--format", "json").out)
    means = [one["baseline_mean"] for one in found["contrasts"]]
    assert means[:2] == [12.0, 24.0]


def test_a_table_fits_80_columns(command: Command, runs: Path) -> None:
    done = command(*BOTH, "-m", "ndcg@10", "-m", "rr@10")
    assert done.code == 0
    assert "A = bad.run, B = good.run" in done.out
    assert "▲" in done.out
    assert "gained most on ndcg@10: q00 " in done.out
    assert "convention relyon" in done.out
    assert max(map(width, done.out.splitlines())) <= 80
    assert done.err == ""


def test_formats_say_the_same(command: Command, runs: Path) -> None:
    found = json.loads(command(*BOTH, "-m", "ndcg@10", "--format", "json").out)
    one = found["contrasts"][0]
    assert (one["wins"], one["ties"], one["losses"]) == (11, 1, 0)
    row = next(csv.DictReader(io.StringIO(command(*BOTH, "-m", "ndcg@10", "--format", "csv").out)))
    assert float(row["difference"]) == one["difference"]
    assert float(row["p_permutation"]) == one["p_values"]["permutation"]
    shown = f"{one['candidate_mean']:.4f}"
    assert f"**{shown}**<sup>a</sup>" in command(*BOTH, "-m", "ndcg@10", "--format", "markdown").out
    latex = command(*BOTH, "-m", "ndcg@10", "--format", "latex").out
    assert rf"\textbf{{{shown}}}\textsuperscript{{a}}" in latex
    assert r"\toprule" in latex
    command(*BOTH, "-m", "ndcg@10", "-o", "out.tex")
    assert (runs / "out.tex").read_text("utf-8") == latex


def test_every_query(command: Command, runs: Path) -> None:
    rows = list(
        csv.DictReader(io.StringIO(command(*BOTH, "-m", "rr", "-q", "--format", "csv").out))
    )
    assert [row["query"] for row in rows] == QUERIES
    assert {row["query"]: float(row["difference"]) for row in rows}["q03"] == 0
    assert command(*BOTH, "-m", "rr", "-q").out.count("\nq0") == 10
    found = json.loads(command(*BOTH, "-m", "rr", "-q", "--format", "json").out)
    assert list(found["per_query"]["good.run"]["rr"]) == QUERIES


def test_the_gate_closes_on_a_real_regression(command: Command, runs: Path) -> None:
    backwards = ("compare", "j.qrels", "good.run", "bad.run")
    done = command(*backwards, "--fail-if-worse", "ndcg@10")
    assert done.code == 1
    assert "bad.run is worse than good.run on ndcg@10" in done.err
    assert "11 of 12 queries lost" in done.err
    assert "relyon explain" in done.err
    assert "▼" in done.out
    assert command(*BOTH, "--fail-if-worse", "ndcg@10").code == 0
    added = command(*backwards, "-m", "rr", "--fail-if-worse", "ap,p@1", "--format", "json")
    assert added.code == 1
    assert json.loads(added.out)["measures"] == ["rr", "ap", "p@1"]


def test_the_gate_stays_open_where_nothing_is_proven(command: Command, runs: Path) -> None:
    done = command("compare", "j.qrels", "good.run", "good.run", "--fail-if-worse", "ndcg@10")
    assert done.code == 2  # two runs of one name
    (runs / "same.run").write_bytes((runs / "good.run").read_bytes())
    assert command("compare", "j.qrels", "good.run", "same.run", "--fail-if-worse", "rr").code == 0


def test_a_gate_on_too_few_queries_says_that_it_cannot_fail(command: Command, runs: Path) -> None:
    few = [line for line in (runs / "j.qrels").read_text("utf-8").splitlines() if line < "q05"]
    (runs / "few.qrels").write_text("\n".join(few) + "\n", "utf-8")
    done = command("compare", "few.qrels", "good.run", "bad.run", "--fail-if-worse", "ndcg@10")
    assert done.code == 0
    assert "warning: --fail-if-worse `ndcg@10` cannot fail: a loss is significant on 6" in done.err
    whole = command("compare", "j.qrels", "bad.run", "good.run", "--fail-if-worse", "ndcg@10")
    assert "cannot fail" not in whole.err


def test_a_check_that_cannot_fail_is_refused(command: Command) -> None:
    done = command(*BOTH, "--fail-if-worse", "ap,judged@10")
    assert done.code == 2
    assert not done.out
    assert "--fail-if-worse `judged@10`: the measure describes the data" in done.err
    assert "hint: name a measure of quality, such as ndcg@10" in done.err


def test_scores_and_values(command: Command, runs: Path) -> None:
    rows = "".join(f"{q},{label},{2 - label},{label}\n" for q in QUERIES for label in (1, 0))
    (runs / "test.csv").write_text(f"query,label,old,new\n{rows}", "utf-8")
    scored = ("--scored", "test.csv", "--query", "query", "--label", "label")
    done = command("compare", *scored, "--score", "old", "--score", "new", "-m", "gauc")
    assert done.code == 0
    assert "A = old, B = new" in done.out
    for name in ("old", "new"):
        (runs / f"{name}.csv").write_text(
            "query,mine\n" + "".join(f"{q},{len(name) / 10 + n}\n" for n, q in enumerate(QUERIES))
        )
    assert command("compare", "--values", "old.csv", "new.csv").code == 0


WRONG = {
    "nothing": (
        (),
        "JUDGMENTS, BASELINE and CANDIDATE are missing",
        "relyon compare judgments.qrels bm25.run new.run",
    ),
    "no candidate": (
        ("j.qrels", "bad.run"),
        "CANDIDATE is missing",
        "relyon compare j.qrels bad.run new.run",
    ),
    "one file of values": (
        ("--values", "old.csv"),
        "--values needs the files of two runs",
        "relyon compare --values old.csv new.csv",
    ),
    "one score": (
        ("--scored", "scores.csv", "--score", "score"),
        "--scored needs two columns of scores, or two files",
        "name them: --score old --score new",
    ),
    "files and scores": (
        ("j.qrels", "--scored", "scores.csv"),
        "--scored replaces JUDGMENTS and RUN",
        "leave out `j.qrels`, or --scored",
    ),
    "tukey of two": (
        (*BOTH[1:], "--test", "tukey"),
        "the test `tukey` compares all pairs of three or more runs",
        "for two runs choose `t` or `permutation`",
    ),
    "unknown test": (
        (*BOTH[1:], "--test", "z"),
        "invalid value for '--test': 'z' is not one of 't', 'wilcoxon', 'sign', 'permutation',"
        " 'bootstrap', 'tukey', 'anytime', 'asymptotic'",
        "`relyon compare --help` lists the options",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_use_says_what_to_do(name: str, command: Command, runs: Path) -> None:
    arguments, error, hint = WRONG[name]
    done = command("compare", *arguments)
    assert done.code == 2
    assert done.err == f"error: {error}\nhint: {hint}\n"
