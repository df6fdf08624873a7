"""Results in LaTeX: runs by measures, in Python and on the command line."""

from __future__ import annotations

from pathlib import Path

from tests.unit.conftest import Command

import relyon

JUDGMENTS = {"q1": {"a": 1, "b": 0}, "q2": {"b": 1}}
RUN = {"q1": {"a": 1.0, "b": 2.0}, "q2": {"b": 1.0}}
FILES = ("judgments.qrels", "bm25.run")


def test_a_latex_table_has_runs_as_rows_and_the_convention_in_its_caption() -> None:
    results = relyon.evaluate(JUDGMENTS, RUN, ["rr", "recall(rel=1)@5", "num_q"], name="a_b")
    lines = results.to_latex().splitlines()
    assert lines[0] == r"\begin{table}"
    assert lines[2].startswith(
        r"\caption{Results on 2 queries. Convention relyon: ties=doc-desc, undefined=skip,"
    )
    assert lines[4:9] == [
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r"Run & RR & Recall(rel=1)@5 & num\_q \\",
        r"\midrule",
        r"a\_b & 0.7500 & 1.0000 & 2 \\",
    ]
    assert "0.75 &" in results.to_latex(digits=2)
    assert "评测口径 relyon" in results.to_latex(language="zh")


def test_details_of_pairs_have_columns_in_latex() -> None:
    results = relyon.evaluate(
        {"q": {"a": 2, "b": 1, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}, "pnr"
    )
    assert "PNR (micro): positive" in results.to_latex()


def test_latex_by_option_and_by_ending(command: Command, files: Path) -> None:
    options = (*FILES, "tfidf.run", "-m", "rr@10,p@1")
    outcome = command("evaluate", *options, "--format", "latex")
    assert outcome.code == 0
    assert [line for line in outcome.out.splitlines() if "&" in line] == [
        r"Run & RR@10 & P@1 \\",
        r"bm25.run & 0.6667 & 0.6667 \\",
        r"tfidf.run & 0.8333 & 0.6667 \\",
    ]
    assert command("evaluate", *options, "-o", "t.tex").code == 0
    assert (files / "t.tex").read_text("utf-8") == outcome.out
    for more, told in (("-q", "no rows of queries"), ("--intervals", "latex exclude each other")):
        refused = command("evaluate", *options, "--format", "latex", more)
        assert refused.code == 2
        assert told in refused.err
