"""`relyon explain`: the derivation as a table, Markdown and JSON."""

from __future__ import annotations

import json
import math
from pathlib import Path

from tests.unit.conftest import Command

import relyon
from relyon.core.document.terminal import width

FILES = ("judgments.qrels", "bm25.run")


def test_the_table_adds_up(command: Command) -> None:
    outcome = command("explain", *FILES, "--query-id", "q1", "-m", "ndcg@2")
    ideal = 3 + 2 / math.log2(3)
    assert outcome.code == 0
    assert outcome.out.splitlines()[1] == (
        f"ndcg of query q1 = {round((2 + 3 / math.log2(3)) / ideal, 10):.10f}".rstrip("0")
    )
    table = [line.split() for line in outcome.out.splitlines()[3:7]]
    assert table[0] == ["rank", "document", "score", "grade", "gain", "discount", "adds", "total"]
    assert table[2] == [
        "1",
        "d2",
        "2.5",
        "2",
        "2",
        "1.0000",
        f"{2 / ideal:.4f}",
        f"{2 / ideal:.4f}",
    ]
    assert table[3][-1] == f"{(2 + 3 / math.log2(3)) / ideal:.4f}"
    assert max(map(width, outcome.out.splitlines())) <= 80


def test_json_holds_the_value_in_full(command: Command) -> None:
    outcome = command("explain", *FILES, "--query-id", "q2", "-m", "ndcg@10", "--format", "json")
    found = json.loads(outcome.out)
    assert found["value"] == relyon.evaluate(*FILES, ["ndcg@10"]).values_by_query("ndcg@10")["q2"]
    assert found["steps"][-1]["total"] == found["value"]


def test_markdown(command: Command) -> None:
    outcome = command("explain", *FILES, "--query-id", "q1", "--format", "markdown")
    assert "| rank | document | score | grade | gain | discount | adds | total |" in outcome.out


def test_grades_are_named_by_the_scale(command: Command) -> None:
    outcome = command("explain", *FILES, "--query-id", "q1", "--scale", "search")
    assert "middle (2)" in outcome.out


def test_the_convention_is_followed(command: Command) -> None:
    outcome = command("explain", *FILES, "--query-id", "q1", "-m", "dcg@1", "--set", "gain=exp")
    assert "dcg of query q1 = 3\n" in outcome.out


def test_moves_between_two_runs(command: Command) -> None:
    outcome = command(
        "explain", "judgments.qrels", "bm25.run", "tfidf.run", "--query-id", "q1", "-m", "dcg@2"
    )
    second = math.log2(3)
    assert outcome.code == 0
    assert outcome.out.splitlines()[0] == (
        f"dcg@2 of query q1: {2 + 3 / second:.4f} → 3.0000 ({1 - 3 / second:+.4f})"
    )
    assert "A = bm25.run, B = tfidf.run" in outcome.out
    assert [line.split()[0] for line in outcome.out.splitlines()[5:7]] == ["d2", "d1"]
    outcome = command(
        *("explain", "judgments.qrels", "bm25.run", "tfidf.run", "--query-id", "q1", "-m", "dcg@2"),
        *("--format", "json"),
    )
    found = json.loads(outcome.out)
    assert sum(move["change"] for move in found["moves"]) == found["difference"]
    outcome = command(
        *("explain", "judgments.qrels", "bm25.run", "tfidf.run", "--query-id", "q1", "-m", "dcg@2"),
        *("--format", "markdown", "--limit", "1"),
    )
    assert "| d2 | 2 | 1 | not retrieved | 2.0000 | 0.0000 | -2.0000 |" in outcome.out
    assert "… and 1 more: +" in outcome.out


def test_without_a_query_the_largest_changes_are_named(command: Command) -> None:
    runs = ("judgments.qrels", "bm25.run", "tfidf.run")
    outcome = command("explain", *runs, "-m", "rr")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.splitlines()[1] == (
        "hint: name a query; of 3, by rr, lost most: `q2` (-0.5000); gained most: `q3` (+1.0000)"
    )
    outcome = command("explain", *runs[:2], "bm25.run", "-m", "rr")
    assert "rr is the same for all of them" in outcome.err


def test_stdin_is_read_once(command: Command) -> None:
    outcome = command("explain", "judgments.qrels", "-", "-", "--query-id", "q1")
    assert outcome.code == 2
    assert "stdin can be read only once" in outcome.err


def test_two_runs(command: Command) -> None:
    outcome = command("explain", "bm25.run", "tfidf.run", "--query-id", "q1", "-m", "overlap@2")
    assert outcome.code == 0
    assert "overlap of query q1 = 0.5\n" in outcome.out


def test_without_a_query_the_lowest_are_named(command: Command) -> None:
    outcome = command("explain", *FILES, "-m", "rr")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.splitlines() == [
        "error: --query-id is missing",
        "hint: name a query; of 3, these have the lowest rr: `q3` (0.0000), `q1` (1.0000),"
        " `q2` (1.0000)",
    ]


def test_an_unknown_query_and_expected_ties_are_refused(command: Command, files: Path) -> None:
    outcome = command("explain", *FILES, "--query-id", "q9")
    assert outcome.code == 2
    assert outcome.err.startswith("error: no query `q9`")
    expected = ("--query-id", "q1", "--convention", "sklearn")
    outcome = command("explain", *FILES, *expected)
    assert outcome.code == 0, "no scores are equal: there is one order"
    (files / "tied.run").write_text("q1 Q0 d2 1 1 t\nq1 Q0 d1 2 1 t\n")
    outcome = command("explain", FILES[0], "tied.run", *expected)
    assert outcome.code == 2
    assert "ties=expected" in outcome.err
    assert "`against` takes ties=expected" in outcome.err
    outcome = command("explain", *FILES, "--query-id", "q1", "--against", "sklearn")
    assert outcome.code == 0
    assert "Against sklearn: ndcg@10 is" in outcome.out


def test_another_program(command: Command) -> None:
    arguments = ("explain", *FILES, "--query-id", "q1", "-m", "dcg@2", "--against", "lightgbm")
    outcome = command(*arguments)
    second = math.log2(3)
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert (
        f"Against lightgbm: dcg@2 is {2 + 3 / second:.4f} here, {3 + 7 / second:.4f} there"
        f" ({1 + 4 / second:+.4f})"
    ) in lines
    assert ["gain", "linear", "exp", f"{1 + 4 / second:+.4f}"] in [line.split() for line in lines]
    found = json.loads(command(*arguments, "--format", "json").out)
    assert found["against"]["rules"][0]["rule"] == "gain"
    outcome = command(*arguments[:3], "tfidf.run", *arguments[3:])
    assert outcome.code == 2
    assert "--against explains one run" in outcome.err
    outcome = command(*arguments[:-1], "sklaern")
    assert outcome.code == 2
    assert "did you mean `sklearn`" in outcome.err
