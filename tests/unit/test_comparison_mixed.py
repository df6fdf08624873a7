"""Tables of runs whose numbers rest on different queries."""

from __future__ import annotations

import pytest

import relyon
from relyon.evaluation.side_by_side import SideBySide

QUERIES = [f"q{number:02d}" for number in range(12)]
JUDGMENTS = {query: {"a": 2, "b": 1, "c": 0} for query in QUERIES}
SKIP = {"missing": "skip"}


def run(order: str, *, without: str = "") -> dict[str, dict[str, float]]:
    lists = {document: float(-place) for place, document in enumerate(order)}
    return {query: lists for query in QUERIES if query != without}


RUNS = (run("abc"), run("cba", without="q03"), run("bca", without="q05"))


def compared(**options: object) -> relyon.Comparison:
    names = ["base", "first", "second"]
    return relyon.compare(JUDGMENTS, RUNS[0], [*RUNS[1:]], "ndcg@10", names=names, **options)  # type: ignore[arg-type]


def test_different_queries_are_counted_and_nothing_is_bold() -> None:
    markdown = compared(convention=SKIP).to_markdown()
    table = markdown[: markdown.index("A = ")]
    assert "**" not in table
    assert "| queries |" in table
    assert "| base | 1.0000<sup>bc</sup> | 11 |" in table
    assert "the best" not in table
    assert "none is bold" in table
    latex = compared(convention=SKIP).to_latex()
    assert latex.count("Results on 11 queries.") == 1
    assert r"\textbf" not in latex
    assert latex.count("& 11 ") == 3
    assert "不加粗" in compared(convention=SKIP).to_latex(language="zh")


def test_one_set_of_queries_has_one_caption_and_bold_numbers() -> None:
    latex = compared().to_latex()
    assert "Results on 12 queries." in latex
    assert r"\textbf" in latex
    assert "queries \\\\" not in latex


def test_counts_that_differ_are_in_the_caption() -> None:
    judgments = {**JUDGMENTS, "q11": {"a": 0}}
    pair = [run("abc"), run("bca")]
    found = relyon.compare(judgments, pair[0], pair[1], ["ndcg@10", "p@10"], names=["a", "b"])
    assert "Results on 11 to 12 queries." in found.to_latex()
    assert "11 到 12 条查询上的结果。" in found.to_latex(language="zh")


def test_evaluations_of_different_queries_show_their_numbers() -> None:
    with pytest.warns(relyon.RelyonWarning, match="left out"):
        results = [
            relyon.evaluate(JUDGMENTS, one, "ndcg@10", name=f"r{place}", convention=SKIP)
            for place, one in enumerate(RUNS)
        ]
    shown = SideBySide(results).to_text(rules=False).splitlines()
    assert [line.split() for line in shown[-1:]] == [["queries", "12", "11", "11"]]
    assert "Results on 11 to 12 queries." in SideBySide(results).to_latex()
    assert "queries" not in SideBySide([results[1], results[2]]).to_text(rules=False)
