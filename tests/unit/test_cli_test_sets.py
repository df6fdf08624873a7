"""Test sets of several models: `--scored` in every command, as columns of one file or as files."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tests.unit.conftest import Command

import relyon

BOTH = ("--scored", "both.csv", "--score", "old", "--score", "new")
FILES = ("--scored", "old.csv", "new.csv")
LETOR = ("--scored", "rows.letor", "--scores", "old.txt", "--scores", "new.txt")


@pytest.fixture
def rows(files: Path) -> list[tuple[str, str, int, float, float]]:
    """Twelve queries of nine documents, scored by two models, in every form; some scores tie."""
    draw = random.Random(4)
    found = []
    for query in range(12):
        for document in range(9):
            label = draw.choice((0, 0, 1, 2, 3))
            old, new = round(label + draw.gauss(0, 2)), round(label + draw.gauss(0, 1), 4)
            found.append((f"q{query}", f"d{document}", label, float(old), new))
    head = "query,doc,label,"
    lines = [f"{query},{document},{label}" for query, document, label, _, _ in found]
    for name, place in (("old", 3), ("new", 4)):
        scores = [str(row[place]) for row in found]
        (files / f"{name}.csv").write_text(
            "\n".join([f"{head}score", *map(",".join, zip(lines, scores, strict=True))]) + "\n"
        )
        (files / f"{name}.txt").write_text("\n".join(scores) + "\n")
    (files / "both.csv").write_text(
        "\n".join(
            [f"{head}old,new", *(f"{row[0]},{row[1]},{row[2]},{row[3]},{row[4]}" for row in found)]
        )
        + "\n"
    )
    (files / "rows.letor").write_text(
        "".join(f"{label} qid:{query[1:]} 1:{label}\n" for query, _, label, _, _ in found)
    )
    return found


def contrasts(text: str) -> list[dict[str, object]]:
    """Returns numbers of a comparison, whatever its runs are called."""
    rest = {"baseline", "candidate", "largest"}  # the query has another id without its `q`
    found: list[dict[str, object]] = json.loads(text)["contrasts"]
    return [{key: value for key, value in one.items() if key not in rest} for one in found]


@pytest.mark.usefixtures("rows")
def test_columns_files_and_predictions_are_one_comparison(command: Command) -> None:
    asked = ("-m", "ndcg@5,auc,gauc,pnr,err", "--format", "json")
    first = command("compare", *BOTH, *asked)
    assert first.code == 0, first.err
    for others in (FILES, LETOR, ("--scored", "old.csv", "--scored", "new.csv")):
        assert contrasts(command("compare", *others, *asked).out) == contrasts(first.out)


@pytest.mark.usefixtures("rows")
def test_a_comparison_has_the_numbers_of_an_evaluation(command: Command) -> None:
    asked = ("-m", "ndcg@5,auc,pnr,err@5", "--format", "json")
    alone = [
        json.loads(command("evaluate", "--scored", "both.csv", "--score", name, *asked).out)
        for name in ("old", "new")
    ]
    table = command("evaluate", *BOTH, "-m", "ndcg@5")
    assert table.out.splitlines()[0].split() == ["measure", "old", "new"]
    found = json.loads(command("compare", *FILES, *asked).out)["contrasts"]
    for one in found:
        values = [result["measures"][one["measure"]]["value"] for result in alone]
        assert values == pytest.approx([one["baseline_mean"], one["candidate_mean"]], abs=1e-12)


def test_files_match_by_query_and_document(
    command: Command, files: Path, rows: list[tuple[str, str, int, float, float]]
) -> None:
    before = command("compare", *FILES).out
    head, *lines = (files / "new.csv").read_text().splitlines()
    random.Random(1).shuffle(lines)
    (files / "new.csv").write_text("\n".join([head, *lines]) + "\n")
    assert command("compare", *FILES).out == before


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("q3,d4,", "q3,d4,7", "new.csv:33: query `q3`, document `d4`: the label is 7"),
        ("q3,d4,", None, "old.csv:33: query `q3`, document `d4`: is not in new.csv"),
    ],
)
def test_rows_that_disagree_are_named(
    command: Command, files: Path, old: str, new: str | None, message: str
) -> None:
    lines = (files / "new.csv").read_text().splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith(old))
    lines[place : place + 1] = [] if new is None else [f"{new},{lines[place].split(',')[3]}"]
    (files / "new.csv").write_text("\n".join(lines) + "\n")
    outcome = command("compare", *FILES)
    assert outcome.code == 3
    assert outcome.err.startswith(f"error: {message}")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ((20, "q0,0,1.5"), "new.csv: row 20 belongs to query `q0`, but to query `q2` in old.csv"),
        ((3, "q0,9,1.5"), "new.csv: row 3: the label is 9, but "),
        (None, "new.csv: has 107 rows, but old.csv has 108"),
    ],
)
def test_rows_without_documents_match_by_their_order(
    command: Command,
    files: Path,
    rows: list[tuple[str, str, int, float, float]],
    change: tuple[int, str] | None,
    message: str,
) -> None:
    for name, place in (("old", 3), ("new", 4)):
        lines = ["query,label,score", *(f"{row[0]},{row[2]},{row[place]}" for row in rows)]
        (files / f"{name}.csv").write_text("\n".join(lines) + "\n")
    assert command("compare", *FILES).code == 0
    lines = (files / "new.csv").read_text().splitlines()
    if change is None:
        lines.pop()
    else:
        lines[change[0]] = change[1]
    (files / "new.csv").write_text("\n".join(lines) + "\n")
    outcome = command("compare", *FILES)
    assert outcome.code == 3
    # A query that comes back is put with its rows, so that another one is met first.
    assert outcome.err.startswith("error: new.csv: ") or message in outcome.err
    if change is None or change[0] == 3:
        assert outcome.err.startswith(f"error: {message}")


@pytest.mark.long
@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("given", [BOTH, FILES, LETOR])
def test_a_report_derives_queries(command: Command, files: Path, given: tuple[str, ...]) -> None:
    named = ("--name", "A", "--name", "B")
    outcome = command("report", *given, *named, "-m", "ndcg@5,auc", "-o", "report.md")
    assert outcome.code == 0, outcome.err
    text = (files / "report.md").read_text()
    assert text.startswith("# B against A\n")
    assert "ndcg@5 =" in text
    assert command("report", *given, "-o", "report.html").code == 0


@pytest.mark.usefixtures("rows")
def test_diagnose_and_explain(command: Command, files: Path) -> None:
    outcome = command("diagnose", *FILES, "--rule", "unjudged")
    assert outcome.code == 0, outcome.err
    assert "--stage names runs" in command("diagnose", *FILES, "--stage", "a=bm25.run").err
    outcome = command("explain", *BOTH, "--query-id", "q3", "--set", "ties=input")
    assert outcome.code == 0, outcome.err
    assert "A = old, B = new" in outcome.out
    one = ("explain", "--scored", "new.csv", "--query-id", "q3", "-m", "ndcg@5", "--format", "json")
    value = json.loads(command(*one).out)["value"]
    found = command("evaluate", "--scored", "new.csv", "-m", "ndcg@5", "-q", "--format", "json")
    assert value == pytest.approx(json.loads(found.out)["per_query"]["q3"]["ndcg@5"], abs=1e-12)
    (files / "copy.csv").write_text((files / "old.csv").read_text())
    tied = command("explain", *BOTH, "--query-id", "q3")
    assert tied.code == 2
    assert "ties=input" in tied.err
    assert "explain takes one or two runs" in command("explain", *FILES, "copy.csv").err


@pytest.mark.usefixtures("rows")
def test_a_funnel_needs_what_a_stage_keeps(command: Command) -> None:
    outcome = command("funnel", *BOTH)
    assert outcome.code == 2
    assert "no stage can lose any gain" in outcome.err
    outcome = command("funnel", *BOTH, "--candidates", "4", "--format", "json")
    assert outcome.code == 0, outcome.err
    stages = json.loads(outcome.out)["stages"]
    # The second stage orders what the first one kept, and loses none of it.
    assert stages[0]["loss"] > 0
    assert stages[1]["loss"] == 0
    assert "--stage names runs" in command("funnel", *BOTH, "--stage", "a=bm25.run").err


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--scored", "both.csv", "--score", "old"), "needs two columns of scores, or two files"),
        ((*FILES, "both.csv", "--score", "old", "--score", "new"), "3 files but 2 values of"),
        (("judgments.qrels", "--scored", "old.csv"), "replaces JUDGMENTS"),
        ((*FILES, "--scores", "old.txt"), "--scores is for SVMlight/LETOR files"),
        (("judgments.qrels", "bm25.run", "new.run", "--score", "x"), "--score needs --scored"),
        (
            ("--scored", "rows.letor", "new.csv"),
            "name the file that contains one score per line: --scores",
        ),
        (FILES[:2], "needs two columns of scores, or two files"),
    ],
)
def test_refusals(command: Command, arguments: tuple[str, ...], message: str) -> None:
    outcome = command("compare", *arguments)
    assert outcome.code == 2, outcome.err
    assert message in outcome.err


def test_a_document_that_comes_again_is_told_apart() -> None:
    frame = {"query": ["a", "a", "a"], "doc": ["x", "x", "y"], "label": [1, 0, 2]}
    import polars as pl

    data = pl.DataFrame(frame)
    scored = {
        name: relyon.read_scored(data.with_columns(score=pl.Series(scores)))
        for name, scores in (("old", [3.0, 2.0, 1.0]), ("new", [1.0, 2.0, 3.0]))
    }
    found = relyon.compare_scores(scored, "ndcg")
    assert found.judgments is not None
    assert found.judgments.to_dict() == {"a": {"x": 1.0, "x (2)": 0.0, "y": 2.0}}
    assert found.run("new")["a"] == {"x": 1.0, "x (2)": 2.0, "y": 3.0}
    again = relyon.evaluate(found.judgments, found.run("new"), "ndcg")
    assert again["ndcg"] == pytest.approx(found.contrasts[0].candidate_mean)


def test_columns_of_each_file(command: Command, files: Path) -> None:
    (files / "own.csv").write_text("qid,url,stars\nq1,d1,3\nq1,d2,2\nq2,d4,2\n")
    (files / "mine.csv").write_text("topic,id,bm25\nq1,d2,2.5\nq1,d1,1.5\nq2,d4,1\n")
    asked = ("-m", "ndcg@5,p@1")
    expected = command("evaluate", "own.csv", "bm25.run", "--columns", "grade=stars", *asked)
    assert expected.code == 0, expected.err
    own = ("--judgments-columns", "grade=stars")
    assert command("evaluate", "own.csv", "bm25.run", *own, *asked).out == expected.out
    both = ("own.csv", "mine.csv", *own, "--run-columns", "score=bm25,document=id")
    assert command("evaluate", *both, *asked).code == 0
    outcome = command("evaluate", "own.csv", "mine.csv", *own)
    assert outcome.code == 3
    assert outcome.err.endswith("hint: name its column: --run-columns score=bm25\n")
    outcome = command("evaluate", "own.csv", "bm25.run", *own, "--run-columns", "score=x")
    assert outcome.code == 2
    assert "--run-columns: bm25.run has no named columns" in outcome.err
    outcome = command("evaluate", "judgments.qrels", "bm25.run", "--columns", "query=qid")
    assert outcome.code == 2
    assert "no file is a table" in outcome.err
    assert (
        "--run-columns does not accept `grade`"
        in command("evaluate", "own.csv", "mine.csv", "--run-columns", "grade=bm25").err
    )


@pytest.mark.long
def test_columns_do_not_concern_a_run_from_a_pipe(files: Path, process: Command) -> None:
    (files / "own.csv").write_text("qid,url,stars\nq1,d1,3\nq1,d2,2\nq2,d4,2\n")
    piped = (files / "bm25.run").read_bytes()
    named = ("--columns", "grade=stars", "-m", "ndcg@5")
    found = process("evaluate", "own.csv", "-", *named, data=piped)
    assert found.out == process("evaluate", "own.csv", "bm25.run", *named).out


def test_python_says_what_python_has(files: Path) -> None:
    (files / "mine.csv").write_text("topic,id,bm25\nq1,d2,2.5\n")
    with pytest.raises(relyon.InputError) as caught:
        relyon.evaluate(files / "judgments.qrels", files / "mine.csv")
    assert 'relyon.read_run(…, columns={"score": "bm25"})' in caught.value.hint
    (files / "set.csv").write_text("query,label,old\nq1,1,2.5\n")
    with pytest.raises(relyon.InputError) as caught:
        relyon.evaluate_scores(files / "set.csv")
    assert 'relyon.read_scored(…, score="old")' in caught.value.hint


@pytest.mark.parametrize(
    ("name", "text", "arguments", "message"),
    [
        (
            "null.json",
            '{"q1": {"d1": null}}',
            (),
            "query `q1`, document `d1`: the grade is missing",
        ),
        ("mac.csv", "query,doc,label\rq1,d1,2\r", (), "lines end with a carriage return alone"),
        ("a.csv", "query,doc,label\nq1,d1,2\n", ("--convention", "no.toml"), "no such file"),
        ("a.letor", "1 qid:1 1:2\n", (), "--scored FILE --scores FILE"),
    ],
)
def test_stumbles(
    command: Command, files: Path, name: str, text: str, arguments: tuple[str, ...], message: str
) -> None:
    (files / name).write_bytes(text.encode())
    outcome = command("evaluate", name, "bm25.run", *arguments)
    assert outcome.code in (2, 3)
    assert message in outcome.err
    assert "Errno" not in outcome.err


@pytest.mark.usefixtures("rows")
def test_a_row_that_comes_again_is_said(command: Command, files: Path) -> None:
    for name in ("old.csv", "new.csv"):
        lines = (files / name).read_text().splitlines()
        (files / name).write_text("\n".join([*lines, lines[10]]) + "\n")
    warning = "1 row repeats a document of a query, and every row counts (q1 d0)"
    outcome = command("evaluate", "--scored", "new.csv")
    assert f"warning: {warning}" in outcome.err
    assert command("evaluate", "--scored", "new.csv", "--strict").code == 1
    for given in (("compare", *FILES), ("diagnose", *FILES), ("report", *FILES, "-o", "a.md")):
        outcome = command(*given)
        assert outcome.code == 0
        assert warning in outcome.err
