"""Several runs on the command line: their names, many of them, and measures from a file."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from tests.unit.conftest import Command

from relyon.core.document.terminal import width
from relyon.evaluation.side_by_side import SideBySide

FILES = ("judgments.qrels", "bm25.run", "tfidf.run")
NAMES = ("--name", "old", "--name", "基线")


@pytest.mark.parametrize(
    "line",
    [
        ("evaluate", *FILES, "-m", "rr"),
        ("evaluate", *FILES, "-m", "rr", "--format", "csv"),
        ("evaluate", *FILES, "-m", "rr", "--format", "trec"),
        ("compare", *FILES, "-m", "rr"),
        ("compare", *FILES, "-m", "rr", "--format", "latex"),
        ("agree", *FILES, "-m", "rr,ap", "--resamples", "9", "--format", "json"),
        ("diagnose", *FILES, "--format", "json"),
        ("explain", *FILES, "--query-id", "q1"),
    ],
    ids=lambda line: " ".join([line[0], *line[4:]]),
)
def test_runs_have_the_names_that_they_are_given(command: Command, line: tuple[str, ...]) -> None:
    outcome = command(*line, *NAMES)
    assert outcome.code == 0
    said = outcome.out + outcome.err
    assert "old" in said or line[0] == "diagnose"
    assert "bm25.run" not in said.replace("relyon explain … bm25.run", "")


def test_every_run_needs_a_name_of_its_own(command: Command) -> None:
    outcome = command("evaluate", *FILES, "--name", "old")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        "error: there are 2 runs but 1 names\nhint: give --name once per run, in order\n"
    )
    outcome = command("compare", *FILES, "--name", "old", "--name", "old")
    assert outcome.code == 2
    assert outcome.err == "error: two runs have the name `old`\nhint: give different names\n"


def test_names_of_values_and_of_scores(command: Command, files: Path) -> None:
    for name in ("a", "b"):
        values = "".join(f"q{place},{place + len(name) / (place + 2)}\n" for place in range(5))
        (files / f"{name}.csv").write_text("query,ap\n" + values)
    outcome = command("compare", "--values", "a.csv", "b.csv", *NAMES)
    assert "A = old, B = 基线" in outcome.out.splitlines()
    rows = "".join(f"q{row // 4},{row % 2},{row % 3},{row % 5}\n" for row in range(20))
    (files / "rows.csv").write_text("query,label,s,t\n" + rows)
    scored = ("--scored", "rows.csv", "--score", "s", "--score", "t", "-m", "rr")
    outcome = command("compare", *scored, *NAMES)
    assert "A = old, B = 基线" in outcome.out.splitlines()


def many(files: Path, count: int) -> list[str]:
    """Writes runs, and returns their names."""
    names = [f"system-{place:02d}.run" for place in range(count)]
    for place, name in enumerate(names):
        text = "".join(
            f"q{query} Q0 d{document} 1 {(document * 7 + place * query) % 11} x\n"
            for query in (1, 2, 3)
            for document in range(1, 6)
        )
        (files / name).write_text(text)
    return names


def test_runs_that_do_not_fit_side_by_side_are_rows(command: Command, files: Path) -> None:
    names = many(files, 30)
    asked = "ndcg@10,ap,rr,p@1,num_ret,pnr"
    for form in ("table", "markdown"):
        outcome = command("evaluate", FILES[0], *names, "-m", asked, "--format", form)
        first, _, *rest = [line for line in outcome.out.splitlines() if line.strip()]
        assert first.strip("| ").split()[:3] in (["run", "ndcg@10", "ap"], ["run", "|", "ndcg@10"])
        assert [line.strip("| ").split()[0] for line in rest[:30]] == names
    # Two runs stay columns, and their numbers are the same ones.
    outcome = command("evaluate", FILES[0], *names[:2], "-m", "ap", "--format", "csv")
    values = [float(line.split(",")[2]) for line in outcome.out.splitlines()[1:]]
    two = command("evaluate", FILES[0], *names[:2], "-m", "ap").out.splitlines()
    assert two[0].split() == ["measure", *names[:2]]
    assert two[2].split() == ["ap", *(f"{value:.4f}" for value in values)]


def test_thirty_runs_by_twenty_measures_fit_80_columns(files: Path) -> None:
    import relyon

    measures = ["ap", "rr", "rprec", "bpref", "pnr", "err", "num_ret"]
    measures += [f"{name}@{k}" for name in ("p", "recall", "ndcg", "success") for k in (1, 5, 10)]
    evaluator = relyon.Evaluator(files / "judgments.qrels")
    results = [evaluator.evaluate(files / name, measures, name=name) for name in many(files, 30)]
    text = SideBySide(results).to_text(columns=80)
    assert max(map(width, text.splitlines())) <= 80
    assert "pnr (micro): strict" in text
    assert text.count("system-17.run") == text.count("\nrun ") + 1


def test_trec_names_the_run_in_a_fourth_column(command: Command, files: Path) -> None:
    line = ("evaluate", *FILES, "-m", "map", "-m", "P.1", "-q", "--format", "trec")
    outcome = command(*line)
    cells = [row.split("\t") for row in outcome.out.splitlines()]
    assert {len(row) for row in cells} == {4}
    assert {row[3] for row in cells} == {"bm25.run", "tfidf.run"}
    assert command(*line, "-o", "values/").code == 0
    for name in ("bm25.run", "tfidf.run"):
        alone = command("evaluate", FILES[0], name, *line[4:])
        assert (files / "values" / f"{name}.eval").read_text() == alone.out
        mine = ["\t".join(row[:3]) for row in cells if row[3] == name]
        assert mine == alone.out.splitlines()


def test_measures_are_read_from_a_file(command: Command, files: Path) -> None:
    (files / "measures.txt").write_text("# the paper's\nndcg@10, ap   # two\n\nP.5,10\n")
    outcome = command("evaluate", *FILES, "-m", "@measures.txt", "-m", "rr")
    names = [line.split()[0] for line in outcome.out.splitlines()[2:7]]
    assert names == ["ndcg@10", "ap", "p@5", "p@10", "rr"]
    assert command("compare", *FILES, "-m", "@measures.txt").code == 0


@pytest.mark.parametrize(
    ("text", "code", "error"),
    [
        ("ap\nfoo@3\n", 3, "error: measures.txt:2: unknown measure: `foo`\n"),
        ("# none\n", 3, "error: measures.txt: names no measure\n"),
        (None, 3, "error: measures.txt: there is no such file\n"),
    ],
    ids=["unknown", "empty", "missing"],
)
def test_a_file_of_measures_that_cannot_be_used(
    command: Command, files: Path, text: str | None, code: int, error: str
) -> None:
    if text is not None:
        (files / "measures.txt").write_text(text)
    outcome = command("evaluate", *FILES, "-m", "@measures.txt")
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.startswith(error)


@pytest.mark.parametrize("name", ["official", "all_trec", "set"])
def test_sets_of_trec_eval(command: Command, name: str) -> None:
    for line in (("evaluate", *FILES), ("compare", *FILES)):
        outcome = command(*line, "-m", name)
        assert outcome.code == 0
        assert "num_rel_ret" in outcome.out
    outcome = command("evaluate", *FILES, "-m", name[:-1] + "q")
    assert outcome.code == 2
    if name != "set":
        assert f"hint: did you mean `{name}`?" in outcome.err


def test_many_candidates_have_one_table_per_measure(command: Command, files: Path) -> None:
    names = many(files, 9)
    outcome = command("compare", FILES[0], *names, "-m", "ndcg@10,ap,num_ret", "--alpha", "0.9")
    lines = outcome.out.splitlines()
    # Each candidate has its decision, then each run its row.
    head = next(place for place, line in enumerate(lines) if line.startswith("run "))
    assert lines[head].split() == ["run", "ndcg@10", "ap", "num_ret"]
    for name in names[1:]:
        assert sum(name in line for line in lines[:head]) == 1
    assert [line.split()[0] for line in lines[head + 2 : head + 11]] == names
    assert max(map(width, lines)) <= 80
    for measure in ("ndcg@10", "ap", "num_ret"):
        start = lines.index(f"{measure}, A = {names[0]}")
        assert [line.split()[0] for line in lines[start + 4 : start + 12]] == names[1:]
    values = command("compare", FILES[0], *names, "-m", "ap", "--format", "csv").out
    one = list(csv.DictReader(io.StringIO(values)))[2]
    row = next(line for line in lines[lines.index(f"ap, A = {names[0]}") :] if names[3] in line)
    assert row.split()[1:3] == [
        f"{float(one[key]):.4f}" for key in ("baseline_mean", "candidate_mean")
    ]
    assert "A = system-00.run, B = " not in outcome.out
    few = command("compare", FILES[0], *names[:3], "-m", "ap").out
    assert "\n\nA = system-00.run, B = system-01.run" in few


def test_latex_can_be_printed_as_it_is(command: Command, files: Path) -> None:
    found = command("compare", *FILES, "-m", "ndcg@10,recall(rel=2)@5,num_q", "--format", "latex")
    lines = found.out.splitlines()
    assert lines[2].startswith(r"\caption{")
    assert lines[3] == r"\label{tab:comparison}"
    assert lines[6] == r"Run & NDCG@10 & Recall(rel=2)@5 & num\_q \\"
    assert [line.split(" & ")[0] for line in lines[8:10]] == ["bm25.run", "tfidf.run"]
    (files / "bm25.txt").write_text((files / "tfidf.run").read_text())
    same = command("compare", "judgments.qrels", "bm25.run", "bm25.txt", "--format", "latex").out
    assert "bm25.run &" in same
    assert "bm25.txt &" in same


def test_letters_of_runs_are_all_different() -> None:
    from relyon.analysis.comparison.matrix import _letter

    letters = [_letter(place) for place in range(120)]
    assert len(set(letters)) == 120
    assert letters[25:28] == ["z", "A", "B"]
