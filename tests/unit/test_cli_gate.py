"""The gate: candidates that lack queries, commands to paste, and strictness."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from tests.unit.conftest import Command

SKIP = ("--set", "missing=skip")
GATE = ("-m", "ndcg@10", "-m", "rr", "--fail-if-worse", "ndcg@10")
QUERIES = [f"q{number:02d}" for number in range(12)]


def lists(names: list[str], *, best: str = "first") -> str:
    order = ("a", "b", "c") if best == "first" else ("c", "b", "a")
    return "".join(
        f"{query} Q0 {document} {rank} {-rank} x\n"
        for query in names
        for rank, document in enumerate(order, 1)
    )


@pytest.fixture
def runs(files: Path) -> Path:
    grades = "".join(f"{query} 0 a 2\n{query} 0 b 1\n{query} 0 c 0\n" for query in QUERIES)
    (files / "j.qrels").write_text(grades, "utf-8")
    (files / "good.run").write_text(lists(QUERIES), "utf-8")
    (files / "bad run.txt").write_text(lists(QUERIES, best="last"), "utf-8")
    (files / "half.run").write_text(lists(QUERIES[::2]), "utf-8")
    return files


def test_a_candidate_without_half_its_queries_fails(command: Command, runs: Path) -> None:
    done = command("compare", "j.qrels", "good.run", "half.run", *GATE, *SKIP)
    assert done.code == 1
    assert "half.run lacks 6 of the 12 queries of good.run" in done.err
    assert "(q01, q03, q05, q07 and q09)" in done.err
    assert "--set missing=zero" in done.err
    assert done.err.count("left out") == 2  # judged queries, and one line for both measures
    assert "6 queries without ndcg@10, rr in one or both runs left out" in done.err
    chinese = command("compare", "j.qrels", "good.run", "half.run", *GATE, *SKIP, "--lang", "zh")
    assert "缺 6 条" in chinese.err


def test_more_queries_than_the_baseline_are_no_loss(command: Command, runs: Path) -> None:
    done = command("compare", "j.qrels", "half.run", "good.run", *GATE, *SKIP)
    assert done.code == 0
    assert "half.run: 6 judged queries are not in the run and left out (missing=skip)" in done.err


def test_strict_evaluation_refuses_skipped_queries(command: Command, runs: Path) -> None:
    skipped = command("evaluate", "j.qrels", "half.run", *SKIP)
    assert (skipped.code, skipped.err.startswith("warning: 6 judged queries")) == (0, True)
    assert command("evaluate", "j.qrels", "half.run", "--strict", *SKIP).code == 1
    assert command("evaluate", "j.qrels", "good.run", "--strict", *SKIP).code == 0


def test_the_hint_is_a_command_that_runs(command: Command, runs: Path) -> None:
    given = ("compare", "j.qrels", "good.run", "bad run.txt", "--set", "ndcg.gain=exp")
    done = command(*given, "--fail-if-worse", "ndcg@10,rr")
    assert done.code == 1
    said = [line for line in done.err.splitlines() if "relyon explain" in line]
    assert len(said) == 2
    for line, measure in zip(said, ("ndcg@10", "rr"), strict=True):
        words = shlex.split(line[line.index("relyon explain") :].replace("`", ""))
        assert words[words.index("-m") + 1] == measure
        assert words[-2:] == ["--set", "ndcg.gain=exp"]
        shown = command(*words[1:])
        assert shown.code == 0, shown.err


def test_strict_comparisons_refuse_a_gate_that_cannot_fail(command: Command, runs: Path) -> None:
    few = "".join((runs / "j.qrels").read_text("utf-8").splitlines(keepends=True)[:9])
    (runs / "few.qrels").write_text(few, "utf-8")
    for name in ("good.run", "bad run.txt"):
        (runs / name).write_text(
            lists(QUERIES[:3], best="first" if name == "good.run" else "last"), "utf-8"
        )
    given = ("compare", "few.qrels", "good.run", "bad run.txt", *GATE)
    assert command(*given).code == 0
    refused = command(*given, "--strict")
    assert (refused.code, refused.out) == (1, "")
    assert "too few" in refused.err
