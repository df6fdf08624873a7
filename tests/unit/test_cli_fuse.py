"""`relyon fuse`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.conftest import Command

import relyon


@pytest.mark.parametrize("ending", ["run", "run.gz", "csv", "parquet"])
def test_a_file(ending: str, command: Command, files: Path) -> None:
    outcome = command("fuse", "bm25.run", "new.run", "-o", f"x.{ending}")
    assert outcome.code == 0, outcome.err
    assert outcome.err.splitlines()[-1].startswith(f"x.{ending}: ")
    found = relyon.read_run(f"x.{ending}").to_dict()
    expected = relyon.fuse(["bm25.run", "new.run"]).to_dict()
    assert found == expected


def test_stdout_is_trec(command: Command) -> None:
    outcome = command(
        "fuse", "bm25.run", "tfidf.run", "--method", "wsum", "--weights", "1,3", "-k", "1"
    )
    assert outcome.code == 0
    assert outcome.out == ("q1 Q0 d1 1 3.5 wsum\nq2 Q0 d9 1 3.0 wsum\nq3 Q0 d5 1 0.0 wsum\n")
    assert "1 of 3 queries is not in all 2 runs" in outcome.err


def test_learning_and_searching(command: Command) -> None:
    learnt = command(
        "fuse", "bm25.run", "tfidf.run", "--method", "posfuse", "--judgments", "judgments.qrels"
    )
    assert learnt.code == 0, learnt.err
    searched = command(
        "fuse", "bm25.run", "tfidf.run", "--method", "wsum", "--judgments", "judgments.qrels",
        "--optimize", "ndcg@10", "--folds", "3",
    )  # fmt: skip
    assert searched.code == 0, searched.err
    assert "held-out queries  ndcg@10 " in searched.err
    assert "(11 settings tried)" in searched.err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["bm25.run"], 2, "at least two runs"),
        (["bm25.run", "new.run", "--method", "rff"], 2, "did you mean `rrf`?"),
        (["bm25.run", "new.run", "-p", "k"], 2, "write --parameter k=60"),
        (["bm25.run", "new.run", "-p", "k=x"], 2, "must be a number"),
        (["bm25.run", "new.run", "--weights", "a,b"], 2, "write --weights 0.3,0.7"),
        (["bm25.run", "new.run", "--optimize", "ap"], 2, "needs --judgments"),
        (["bm25.run", "new.run", "--method", "posfuse"], 2, "--judgments on the command line"),
        (["bm25.run", "new.run", "-o", "tfidf.run"], 3, "--force replaces it"),
        (["bm25.run", "new.run", "-o", "new.run", "--force"], 2, "one of the inputs"),
        (["bm25.run", "new.run", "-o", "x.what"], 2, "is not a known format"),
        (["bm25.run", "missing.run"], 3, "missing.run"),
        (
            [
                "bm25.run",
                "new.run",
                "--optimize",
                "ap",
                "--judgments",
                "judgments.qrels",
                "-p",
                "k=1",
            ],
            2,
            "--optimize chooses",
        ),
    ],
)
def test_refused(
    arguments: list[str], code: int, message: str, command: Command, files: Path
) -> None:
    outcome = command("fuse", *arguments)
    assert outcome.code == code
    assert message in outcome.err
    assert outcome.out == ""
