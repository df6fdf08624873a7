"""The summary of a comparison for a pull request: the verdict first."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conftest import Command

import relyon
from relyon.analysis.comparison.summaries.summary import Commands, Gate, comparison_summary

ROOT = Path(__file__).parents[2]
GOOD = {"a": 3.0, "b": 2.0, "c": 1.0}
BAD = {"a": 1.0, "b": 2.0, "c": 3.0}


def judged(count: int) -> dict[str, dict[str, int]]:
    return {f"q{number:03d}": {"a": 2, "b": 1, "c": 0} for number in range(count)}


def mixed(count: int, bad: int) -> dict[str, dict[str, float]]:
    return {query: BAD if place < bad else GOOD for place, query in enumerate(judged(count))}


def compared(bad: int, count: int = 20, **options: Any) -> relyon.Comparison:
    runs = mixed(count, 0), mixed(count, bad)
    return relyon.compare(judged(count), *runs, "ndcg@10", names=["old", "new"], **options)


def first(summary: str) -> str:
    return summary.splitlines()[0]


def test_the_verdict_is_the_first_line() -> None:
    worse = compared(12).to_summary(gate=Gate(["ndcg@10"], ["new is worse"]))
    assert first(worse).startswith("### ❌ worse: ndcg@10 1.0000 → 0.77")
    assert "> The gate fails: new is worse" in worse
    unchanged = compared(0).to_summary(gate=Gate(["ndcg@10"]))
    assert first(unchanged) == "### ✅ unchanged: ndcg@10 1.0000 → 1.0000 (0.0000)"
    assert "The gate passes. Checked: ndcg@10." in unchanged


def test_a_difference_that_is_not_significant_is_no_proof() -> None:
    passed = compared(2).to_summary(gate=Gate(["ndcg@10"]))
    assert first(passed).startswith("### ✅ no significant difference: ")
    assert "passing does not show that nothing is lost" in passed
    plain = compared(2).to_summary()
    assert first(plain).startswith("### ➖ no significant difference: ")
    assert "this comparison has no gate" in plain


def test_few_queries_say_so() -> None:
    assert first(compared(3, 5).to_summary(gate=Gate(["ndcg@10"]))).startswith(
        "### ⚠️ cannot tell, fewer than six queries: "
    )
    assert first(compared(1, 1).to_summary()).startswith("### ⚠️ cannot tell")
    unchanged = compared(0, 5).to_summary(gate=Gate(["ndcg@10"], ["too few queries"]))
    assert first(unchanged).startswith("### ❌ cannot tell, fewer than six queries: ")


def test_a_gate_that_fails_for_another_reason_says_so_first() -> None:
    summary = compared(0).to_summary(gate=Gate(["ndcg@10"], ["new loses where tier = tail"]))
    assert first(summary) == "### ❌ the gate fails, unchanged: ndcg@10 1.0000 → 1.0000 (0.0000)"


def test_the_legend_has_the_signs_of_the_table() -> None:
    for language in ("en", "zh"):
        summary = compared(1, margins={"ndcg@10": "1.2345678%"}).to_summary(language=language)
        assert not set("≥≈▲▼") & set(summary)
        assert "0.01235" in first(summary)
        assert "0.0123457" not in summary


def test_a_margin_is_told_with_its_verdict() -> None:
    margins = {"ndcg@10": 0.02}
    cannot = compared(2, margins=margins).to_summary(gate=Gate(["ndcg@10"]))
    assert first(cannot).startswith("### ⚠️ cannot tell: ndcg@10 1.0000 → ")
    assert first(cannot).endswith(", margin 0.02)")
    assert "| margin |" in cannot
    wide = compared(2, margins={"ndcg@10": 0.3}).to_summary(gate=Gate(["ndcg@10"]))
    assert first(wide).startswith("### ✅ equal within the margin: ")


def test_queries_are_those_that_lost_most_with_their_texts() -> None:
    texts = {f"q{number:03d}": f"text {number} @team" for number in range(20)}
    summary = compared(12).described(texts).to_summary()
    lost = summary.partition("the largest losses**")[2].partition("\n\n\n")[0]
    assert lost.count("text ") == 5
    assert "| q000 · text 0 @&#8288;team | 1.0000 | 0.6199 | −0.3801 |" in lost


def test_pooled_numbers_have_no_queries() -> None:
    summary = relyon.compare(judged(20), mixed(20, 0), mixed(20, 12), ["auc"]).to_summary()
    assert "the largest losses" not in summary
    assert "### ❌ worse: auc (micro)" in summary


def test_several_candidates_have_one_table_and_the_worst_comes_first() -> None:
    runs = [mixed(20, bad) for bad in (0, 0, 15, 3, 9)]
    names = ["old", "same", "bad", "slight", "worse"]
    comparison = relyon.compare(judged(20), runs[0], runs[1:], "ndcg@10", names=names)
    summary = comparison.to_summary(gate=Gate(["ndcg@10"], ["bad is worse"]))
    assert first(summary).startswith("### ❌ bad: worse: ") or "worse: worse: " in first(summary)
    assert summary.count("\n| ndcg@10 | ") == 4
    assert "1 more candidate in the table" in summary


def test_hundreds_of_candidates_fit() -> None:
    draw = random.Random(7)
    runs = [mixed(20, 0), *(mixed(20, draw.randrange(20)) for _ in range(200))]
    names = ["old", *(f"{'long name ' * 30}{number}" for number in range(200))]
    comparison = relyon.compare(judged(20), runs[0], runs[1:], "ndcg@10", names=names)
    summary = comparison.to_summary(gate=Gate(["ndcg@10"]))
    assert len(summary) <= 65_536
    assert summary.startswith("### ❌ ")


def test_a_summary_speaks_chinese() -> None:
    summary = compared(12).to_summary(gate=Gate(["ndcg@10"], ["更差"]), language="zh")
    assert first(summary).startswith("### ❌ 更差：ndcg@10 1.0000 → ")
    assert "> 门禁未通过：更差" in summary
    assert "变差最多的查询" in summary


def test_commands_are_told_once() -> None:
    commands = Commands("relyon compare a", lambda place, query, name: f"{place} {query} {name}")
    comparison = compared(12)
    summary = comparison_summary(comparison, comparison.notes, commands=commands)
    assert "```shell\nrelyon compare a\n```" in summary
    assert "```shell\n1 q000 ndcg@10\n```" in summary


# -- the command -----------------------------------------------------------------------------------


@pytest.fixture
def runs(files: Path) -> Path:
    lines = [f"{query} 0 {name} {grade}\n" for query, one in judged(12).items()
             for name, grade in one.items()]  # fmt: skip
    (files / "j.qrels").write_text("".join(lines), "utf-8")
    for name, bad in (("old", 0), ("bad", 12), ("same", 0)):
        rows = [
            f"{query} Q0 {document} 1 {score} x\n"
            for query, one in mixed(12, bad).items()
            for document, score in one.items()
        ]
        (files / f"{name}.run").write_text("".join(rows), "utf-8")
    return files


GATED = ("-m", "ndcg@10", "--fail-if-worse", "ndcg@10", "--summary", "s.md")


def test_a_failing_gate_writes_its_summary(command: Command, runs: Path) -> None:
    done = command("compare", "j.qrels", "old.run", "bad.run", *GATED, "--title", "Search")
    assert done.code == 1
    summary = Path("s.md").read_text("utf-8")
    assert first(summary).startswith("### ❌ Search — worse: ndcg@10 ")
    assert "> The gate fails: bad.run is worse than old.run on ndcg@10" in summary
    assert "\nrelyon explain j.qrels old.run bad.run --query-id q000 -m ndcg@10\n" in summary
    assert "--fail-if-worse ndcg@10\n```" in summary
    assert "--summary" not in summary


def test_a_passing_gate_writes_its_summary(command: Command, runs: Path) -> None:
    done = command("compare", "j.qrels", "old.run", "same.run", *GATED, "--lang", "zh")
    assert done.code == 0
    assert first(Path("s.md").read_text("utf-8")).startswith("### ✅ 没有变化：ndcg@10 ")


def test_an_error_writes_none(command: Command, runs: Path) -> None:
    assert command("compare", "j.qrels", "old.run", "none.run", *GATED).code > 1
    assert command("compare", "j.qrels", "old.run", "bad.run", *GATED, "-m", "x").code > 1
    assert not Path("s.md").exists()


def test_a_summary_has_its_own_file(command: Command, runs: Path) -> None:
    run = ("compare", "j.qrels", "old.run", "bad.run", "-m", "ndcg@10")
    for words in (("--summary", "-"), ("--summary", "x.md", "-o", "x.md")):
        done = command(*run, *words)
        assert done.code == 2
        assert "would both be written to" in done.err
    done = command(*run, "--summary", "old.run")
    assert done.code == 2
    assert "old.run" in done.err
    assert "--summary" in command(*run, "--title", "x").err


def test_lower_values_can_be_better(command: Command, runs: Path) -> None:
    shutil.copy(ROOT / "examples" / "bad_share.py", "own.py")
    gate = ("--plugin", "own.py", "-m", "bad_share@2", "--fail-if-worse", "bad_share@2")
    done = command("compare", "j.qrels", "old.run", "bad.run", *gate, "--summary", "s.md")
    assert done.code == 1
    summary = Path("s.md").read_text("utf-8")
    assert first(summary).startswith("### ❌ worse: bad_share@2 0.0000 → 0.5000 (+0.5000")
    assert "| q000 | 0.0000 | 0.5000 | +0.5000 |" in summary.partition("the largest losses")[2]
    assert "--plugin own.py" in summary


def test_values_of_other_programs_have_a_summary(command: Command, runs: Path) -> None:
    for name, value in (("a", 0.5), ("b", 0.25)):
        rows = [f"q{number},{value + number % 3 / 10}\n" for number in range(9)]
        (runs / f"{name}.csv").write_text("query,revenue\n" + "".join(rows), "utf-8")
    gate = ("--fail-if-worse", "revenue", "--summary", "s.md")
    done = command("compare", "--values", "a.csv", "b.csv", *gate)
    assert "### ❌ worse: revenue 0.6000 → 0.3500" in Path("s.md").read_text("utf-8"), done.err
    assert "relyon explain" not in Path("s.md").read_text("utf-8")


def test_repeated_runs_show_their_noise_floor(command: Command, runs: Path) -> None:
    for number, bad in enumerate((9, 11)):
        rows = [
            f"{query} Q0 {document} 1 {score} x\n"
            for query, one in mixed(12, bad).items()
            for document, score in one.items()
        ]
        (runs / f"new-{number}.run").write_text("".join(rows), "utf-8")
    systems = ("--system", "old=old.run,same.run", "--system", "new=new-*.run")
    done = command("compare", "j.qrels", *systems, *GATED)
    assert done.code == 1, done.err
    summary = Path("s.md").read_text("utf-8")
    assert "**Noise floor: 95% of pairs of runs" in summary
    told = summary.partition("The comparison:")[2]
    assert "relyon compare j.qrels --measure ndcg@10 --system old=old.run,same.run" in told


def test_values_of_columns_that_lose_are_named(command: Command, runs: Path) -> None:
    rows = [
        f"{query} Q0 {document} 1 {score} x\n"
        for query, one in mixed(12, 6).items()
        for document, score in one.items()
    ]
    (runs / "half.run").write_text("".join(rows), "utf-8")
    tiers = [f"q{number:03d}\t{'a|b @x' if number < 6 else 'tail'}\n" for number in range(12)]
    (runs / "q.tsv").write_text("query\ttier\n" + "".join(tiers), "utf-8")
    done = command(
        *("compare", "j.qrels", "old.run", "half.run", *GATED),
        *("--queries", "q.tsv", "--by", "tier", "--test", "permutation", "--correction", "none"),
    )
    summary = Path("s.md").read_text("utf-8")
    assert "**Values of columns on which the candidate is worse**" in summary, done.err
    assert "| tier = a&#124;b @&#8288;x | ndcg@10 | 6 | 1.0000 | " in summary
    assert "<details><summary>All values of the columns</summary>" in summary
