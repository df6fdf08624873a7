"""`--margin` and `--fail-unless-not-worse` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.unit.conftest import Command

from relyon.cli.margins import parse_margins
from relyon.core.errors import ParameterError

QUERIES = 60


@pytest.fixture
def values(files: Path) -> Path:
    """A baseline, and candidates that differ by a little noise, by much, by a loss, by nothing."""
    random = np.random.default_rng(1)
    old = random.uniform(0.3, 0.7, QUERIES)
    spread = random.normal(0, 1, QUERIES)
    spread -= spread.mean()
    runs = {
        "old": old,
        "quiet": old + 0.01 * spread,
        "loud": old + 0.1 * spread,
        "lost": old + 0.05 * spread - 0.05,
        "little": old + 0.004 * spread - 0.004,
        "same": old,
    }
    for name, column in runs.items():
        rows = [f"q{n:02},{one:.6f}\n" for n, one in enumerate(column)]
        (files / f"{name}.csv").write_text("query,ndcg@10\n" + "".join(rows), "utf-8")
        (files / f"{name}-few.csv").write_text("query,ndcg@10\n" + "".join(rows[:5]), "utf-8")
    return files


def gate(command: Command, name: str, *options: str, few: bool = False):
    end = "-few.csv" if few else ".csv"
    return command("compare", "--values", f"old{end}", f"{name}{end}", *options)


MARGIN = ("--margin", "ndcg@10=.02")
UNLESS = (*MARGIN, "--fail-unless-not-worse", "ndcg@10")


@pytest.mark.parametrize(
    ("name", "verdict", "code"),
    [
        ("quiet", "equal", 0),
        ("loud", "undecided", 1),
        ("lost", "worse", 1),
        ("little", "equal", 0),
        ("same", "undecided", 0),
    ],
)
def test_what_passes(command: Command, values: Path, name: str, verdict: str, code: int) -> None:
    done = gate(command, name, *UNLESS, "--format", "json")
    assert json.loads(done.out)["contrasts"][0]["verdict"] == verdict
    assert done.code == code, done.err
    # Without proof of a loss the other gate passes; a loss within the margin is none.
    other = gate(command, name, *MARGIN, "--fail-if-worse", "ndcg@10")
    assert other.code == (verdict == "worse")


def test_a_loss_within_the_margin_fails_only_without_one(command: Command, values: Path) -> None:
    assert gate(command, "little", "--fail-if-worse", "ndcg@10").code == 1
    assert gate(command, "little", *MARGIN, "--fail-if-worse", "ndcg@10").code == 0


def test_it_says_which_loss_is_possible_and_what_would_show_it(
    command: Command, values: Path
) -> None:
    done = gate(command, "loud", *UNLESS)
    found = json.loads(gate(command, "loud", *MARGIN, "--format", "json").out)["contrasts"][0]
    assert f"a loss of up to {found['margin']['loss']:.4f} is possible (95% interval)" in done.err
    plan = gate(command, "loud", "--plan", *MARGIN, "--format", "json")
    needed = json.loads(plan.out)["margins"][0]["not_worse"][0]
    assert f"about {needed:,} queries would show it with a power of 0.8" in done.err
    assert 100 < needed < 400
    chinese = gate(command, "loud", *UNLESS, "--lang", "zh")
    assert "不能证明" in chinese.err
    assert f"约需 {needed} 条查询" in chinese.err


def test_queries_that_are_too_few_cannot_pass(command: Command, values: Path) -> None:
    for name in ("quiet", "same"):
        done = gate(command, name, *UNLESS, few=True)
        assert done.code == 1
        assert "5 queries are too few" in done.err


def test_clusters_of_one_query_each_are_called_queries(command: Command, values: Path) -> None:
    rows = "".join(f"q{n:02},c{n}\n" for n in range(QUERIES))
    (values / "queries.csv").write_text(f"query,intent\n{rows}", "utf-8")
    design = ("--queries", "queries.csv", "--cluster", "intent")
    done = gate(command, "quiet", *UNLESS, *design, few=True)
    assert done.code == 1
    assert "5 queries are too few" in done.err
    assert "clusters are too few" not in done.err


def test_nothing_changed_passes_and_says_what_that_means(command: Command, values: Path) -> None:
    done = gate(command, "same", *UNLESS)
    assert done.code == 0
    assert "has the baseline's ndcg@10 on every query" in done.err
    assert "at most about 5.0% change" in done.err


def test_both_gates_say_a_loss_once(command: Command, values: Path) -> None:
    done = gate(command, "lost", *UNLESS, "--fail-if-worse", "ndcg@10")
    assert done.code == 1
    assert done.err.count("lost.csv is worse than old.csv") == 1


def test_the_gate_needs_a_margin(command: Command, values: Path) -> None:
    done = gate(command, "quiet", "--fail-unless-not-worse", "NDCG@10", "--margin", "rr=.1")
    assert done.code == 2
    assert "--margin NDCG@10=NUMBER" in done.err
    assert "--plan --margin NDCG@10=2%" in done.err


def test_the_measure_of_a_margin_is_evaluated_too(command: Command, files: Path) -> None:
    grades = "".join(f"q{n} 0 a 1\nq{n} 0 b 0\n" for n in range(8))
    run = "".join(f"q{n} Q0 a 1 2 x\nq{n} Q0 b 2 1 x\n" for n in range(8))
    for name, text in (("j.qrels", grades), ("a.run", run), ("b.run", run)):
        (files / name).write_text(text, "utf-8")
    done = command("compare", "j.qrels", "a.run", "b.run", "-m", "rr", "--margin", "NDCG@5=.1",
                   "--format", "json")  # fmt: skip
    found = {one["measure"]: one for one in json.loads(done.out)["contrasts"]}
    assert set(found) == {"rr", "ndcg@5"}
    assert "margin" in found["ndcg@5"]
    assert "margin" not in found["rr"]


@pytest.mark.parametrize(
    "text", ["ndcg@10", "=.01", "ndcg@10=", "ndcg@10=-1", "ndcg@10=x", "a=1,a=2"]
)
def test_margins_that_are_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        parse_margins([text])


def test_strict_gates(command: Command, values: Path) -> None:
    assert gate(command, "quiet", *UNLESS, "--strict").code == 0
    assert gate(command, "quiet", *UNLESS, "--strict", few=True).code == 1
