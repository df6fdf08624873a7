"""Judgments of subtopics: where they come from, what they mean to other measures, where they go."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import relyon

NESTED: dict[str, dict[str, dict[str, float]]] = {
    "q1": {"a": {"1": 2, "2": 0}, "b": {"1": 1}, "c": {"2": -1, "10": 1}},
    "q2": {"a": {"1": 0.5}},
}
QRELS = "q1 1 a 2\nq1 2 a 0\nq1 1 b 1\nq1 2 c -1\nq1 10 c 1\nq2 1 a 0.5\n"
RUN = {"q1": {"a": 3.0, "b": 2.0, "x": 1.5, "c": 1.0}, "q2": {"a": 1.0}}


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def sources(home: Path) -> dict[str, Any]:
    rows = [line.split() for line in QRELS.splitlines()]
    head = ("topic", "intent", "docno", "rel")
    frame = pl.DataFrame(rows, schema=list(head), orient="row")
    lines = [json.dumps(dict(zip(head, row, strict=True))) for row in rows]
    table = "\n".join(",".join(row) for row in (head, *rows))
    frame.write_parquet(home / "judged.parquet")
    return {
        "dict": NESTED,
        "qrels": write(home / "judged.qrels", QRELS),
        "csv": write(home / "judged.csv", table),
        "jsonl": write(home / "judged.jsonl", "\n".join(lines)),
        "json": write(home / "judged.json", json.dumps(NESTED)),
        "parquet": home / "judged.parquet",
        "frame": frame.with_columns(pl.col("intent").cast(pl.Int64)),
        "iteration": frame.rename({"intent": "iteration"}).to_pandas(),
    }


KINDS = ["dict", "qrels", "csv", "jsonl", "json", "parquet", "frame", "iteration"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_source_tells_subtopics(kind: str, tmp_path: Path) -> None:
    judgments = relyon.read_judgments(sources(tmp_path)[kind])
    assert judgments.has_subtopics
    assert {query: judgments.subtopics(query) for query in judgments.queries} == NESTED
    assert list(judgments.subtopics("q1")["c"]) == ["2", "10"]
    assert judgments.to_dict() == {"q1": {"a": 2, "b": 1, "c": 1}, "q2": {"a": 0.5}}
    assert len(judgments) == 6
    frame = judgments.to_frame()
    assert frame.columns == ["query", "subtopic", "document", "grade"]
    assert frame.rows()[0] == ("q1", "1", "a", 2.0)


@pytest.mark.parametrize("suffix", ["qrels", "csv", "tsv", "jsonl", "json", "parquet", "csv.gz"])
def test_every_format_reads_back_what_it_writes(suffix: str, tmp_path: Path) -> None:
    judgments = relyon.Judgments.from_dict(NESTED)
    path = tmp_path / f"written.{suffix}"
    relyon.write_judgments(judgments, path)
    back = relyon.read_judgments(path)
    assert {query: back.subtopics(query) for query in back.queries} == NESTED


def test_other_measures_take_the_highest_grade_and_say_so(tmp_path: Path) -> None:
    found = relyon.evaluate(sources(tmp_path)["qrels"], RUN, ["ndcg@10", "strecall@1"])
    highest = relyon.evaluate({"q1": {"a": 2, "b": 1, "c": 1}, "q2": {"a": 0.5}}, RUN, "ndcg@10")
    assert found["ndcg@10"] == highest["ndcg@10"]
    assert [str(note) for note in found.notes if note.kind == "subtopics"] == [
        "2 documents are judged on several subtopics: the highest grade counts (ndcg@10)"
    ]
    alone = relyon.evaluate(sources(tmp_path)["qrels"], RUN, "strecall@1")
    assert not [note for note in alone.notes if note.kind == "subtopics"]


def test_a_second_column_that_never_differs_means_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "plain.qrels", "q 3 a 1\nq 3 b 0\nr 4 a 1\n")
    judgments = relyon.read_judgments(path)
    assert not judgments.has_subtopics
    assert judgments.subtopics("q") == {"a": {"0": 1.0}, "b": {"0": 0.0}}
    assert judgments.to_frame().columns == ["query", "document", "grade"]


def test_documents_judged_once_each_count_as_before(tmp_path: Path) -> None:
    path = write(tmp_path / "once.qrels", "q 1 a 1\nq 2 b 0\nq 3 c 2\n")
    found = relyon.evaluate(path, {"q": {"c": 2, "a": 1}}, "ndcg")
    assert not found.notes
    assert found["ndcg"] == 1


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (
            "q 1 d 1\nq 2 d 2\nq 1 d 2\n",
            "judged.qrels:3: two grades .*`d`, subtopic `1`: .* line 1",
        ),
        ("q 0 d 1\nq Q0 d 2\n", "judged.qrels:2: two grades .*`d`: the other is in line 1"),
        ("q 1 d 1\nq 1 d 2\nr 1 d 1\nr 2 d 1\n", "judged.qrels:2: two grades .*subtopic `1`"),
    ],
)
def test_two_grades_of_one_subtopic_are_an_error(text: str, place: str, tmp_path: Path) -> None:
    with pytest.raises(relyon.InputError, match=place):
        relyon.read_judgments(write(tmp_path / "judged.qrels", text))


def test_two_grades_in_a_table_name_the_line(tmp_path: Path) -> None:
    text = "query,subtopic,document,grade\nq,1,d,1\nq,2,d,2\nq,1,d,2\n"
    with pytest.raises(relyon.InputError, match=r"judged.csv:4: .*subtopic `1`, is judged twice"):
        relyon.read_judgments(write(tmp_path / "judged.csv", text))


def test_the_same_grade_twice_is_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "judged.qrels", "q 1 d 1\nq 2 d 1\nq 1 d 1\n")
    judgments = relyon.read_judgments(path)
    assert judgments.subtopics("q") == {"d": {"1": 1, "2": 1}}
    assert [note.kind for note in judgments.notes] == ["duplicate-judgments"]


def test_an_empty_subtopic_is_one_without_a_name() -> None:
    frame = pl.DataFrame(
        {
            "query": ["q"] * 3,
            "subtopic": [None, "", "a"],
            "document": ["x", "y", "x"],
            "rel": [1, 1, 2],
        }
    )
    assert relyon.Judgments.from_frame(frame).subtopics("q") == {
        "x": {"0": 1, "a": 2},
        "y": {"0": 1},
    }


def test_grades_with_and_without_a_subtopic_and_by_name() -> None:
    judgments = relyon.Judgments.from_dict(
        {"q": {"a": {"2": "high", 1: "none"}, "b": "middle"}}, scale="search"
    )
    assert judgments.subtopics("q") == {"a": {"1": 0, "2": 3}, "b": {"0": 2}}


@pytest.mark.parametrize("grade", ["much", None, float("nan"), {"1": {"2": 3}}])
def test_a_bad_grade_of_a_subtopic_is_refused(grade: Any) -> None:
    with pytest.raises(relyon.InputError, match=r"`d`|'d'"):
        relyon.Judgments.from_dict({"q": {"d": {"1": grade}}})


def test_names_of_grades_in_qrels(tmp_path: Path) -> None:
    path = write(tmp_path / "judged.qrels", "q 1 d 高\nq 2 d 无\n")
    judgments = relyon.read_judgments(path, scale="search")
    assert judgments.subtopics("q") == {"d": {"1": 3, "2": 0}}


def test_judgments_without_subtopics_are_warned_about() -> None:
    found = relyon.evaluate({"q": {"a": 1, "b": 1}}, {"q": {"a": 2, "b": 1}}, "alpha_ndcg@5")
    assert found["alpha_ndcg@5"] == 1
    assert [(note.kind, note.level) for note in found.notes] == [("no-subtopics", "warning")]
    with pytest.raises(relyon.StrictError, match="alpha_ndcg@5"):
        relyon.evaluate({"q": {"a": 1}}, {"q": {"a": 2}}, "alpha_ndcg@5", strict=True)


def test_explanations_show_gains_and_the_best_list() -> None:
    judgments = {"q": {"a": {"1": 1}, "b": {"1": 1}, "c": {"2": 1}}}
    one = relyon.explain(judgments, {"q": {"a": 3, "b": 2, "c": 1}}, "q", "alpha_dcg@3")
    assert [step.gain for step in one.steps] == [1, 0.5, 1]
    best = relyon.explain(judgments, {"q": {"a": 3, "b": 2, "c": 1}}, "q", "alpha_ndcg@3")
    assert [step.document for step in best.ideal] == ["c", "b", "a"]
    missed = relyon.explain(judgments, {"q": {"a": 3}}, "q", "strecall@1")
    assert [document.document for document in missed.missed] == ["c"]


def test_a_comparison_reads_subtopics() -> None:
    judgments = {f"q{n}": {"a": {"1": 1}, "b": {"1": 1}, "c": {"2": 1}} for n in range(3)}
    same = {query: {"a": 3.0, "b": 2.0} for query in judgments}
    diverse = {query: {"a": 3.0, "c": 2.0} for query in judgments}
    compared = relyon.compare(judgments, same, diverse, measures="strecall@2")
    assert [one.difference for one in compared.contrasts] == [0.5]


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("alpha_nDCG(alpha=0.3)@10", "alpha_ndcg(alpha=0.3)@10"),
        ("α_nDCG(rel=2)@5", "alpha_ndcg(rel=2)@5"),
        ("α_DCG@5", "alpha_dcg@5"),
        ("alpha-nDCG@20", "alpha_ndcg@20"),
        ("ERR_IA@10", "err_ia@10"),
        ("nERR-IA@10", "nerr_ia@10"),
        ("NRBP(beta=0.8,alpha=0.1)", "nrbp(alpha=0.1,beta=0.8)"),
        ("MAP-IA", "ap_ia"),
        ("P_IA@5", "p_ia@5"),
        ("strec@5", "strecall@5"),
        ("StRecall(cutoff=5)", "strecall@5"),
    ],
)
def test_names_of_other_programs(name: str, canonical: str) -> None:
    assert str(relyon.measure(name)) == canonical


@pytest.mark.parametrize("name", ["alpha_ndcg(alpha=1.5)", "err_ia(alpha=-1)", "nrbp(beta=1)"])
def test_parameters_out_of_range_are_refused(name: str) -> None:
    with pytest.raises(relyon.ParameterError, match="must be from 0 to"):
        relyon.measure(name)


def test_running_numbers_in_the_second_column_cost_little(tmp_path: Path) -> None:
    """A column that numbers the rows is no subtopic, but nothing breaks or grows out of hand."""
    rows = [f"q{n % 500} {n} d{n} {n % 3}\n" for n in range(20_000)]
    judgments = relyon.read_judgments(write(tmp_path / "numbered.qrels", "".join(rows)))
    run = {f"q{n}": {f"d{n}": 1.0} for n in range(500)}
    assert relyon.evaluate(judgments, run, "p@1")["p@1"] == pytest.approx(1 - 167 / 500)
