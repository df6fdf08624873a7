"""Real files: the same collection in several formats gives the same data."""

from __future__ import annotations

from pathlib import Path

import pytest

from relyon import io
from relyon.core.errors import InputError, ParseError


def test_one_collection_in_four_formats(test_data: Path) -> None:
    folder = test_data / "ranx_fixtures" / "unit"
    names = ("qrels.trec", "qrels.trec.gz", "qrels.json", "qrels.parquet")
    qrels = [io.read_judgments(folder / name).to_dict() for name in names]
    assert qrels[0]["q1"] == {"d1": 1.0, "d2": 2.0, "d3": 3.0}
    assert all(found == qrels[0] for found in qrels)
    names = ("run.trec", "run.trec.gz", "run.json", "run.parquet")
    runs = [io.read_run(folder / name).to_dict() for name in names]
    assert runs[0]["q1"] == {"d3": 0.3, "d2": 0.2, "d1": 0.1}
    assert all(found == runs[0] for found in runs)


def test_trec_and_json_lines(test_data: Path) -> None:
    ours = test_data / "elinor_fixtures" / "trec-eval"
    theirs = test_data / "trec_eval_test" / "v10.0-rc3"
    lines = io.read_judgments(ours / "qrels.test.jsonl")
    assert [note.kind for note in lines.notes] == ["columns-read-as", "grades-from-score"]
    trec = io.read_judgments(theirs / "qrels.test")
    for query, grades in lines.to_dict().items():
        assert grades == trec[query]
    run = io.read_run(theirs / "results.test")
    assert io.read_run(ours / "results.test.jsonl").to_dict() == run.to_dict()
    assert run.tag == "STANDARD"


def test_ranklib_and_csv(test_data: Path) -> None:
    folder = test_data / "hello_ltr"
    judgments = io.read_judgments(folder / "title_judgments.txt")
    assert len(judgments) == 1390
    assert judgments.to_dict() == io.read_judgments(folder / "title_features.csv").to_dict()


def test_comments_and_ids_with_number_signs(test_data: Path) -> None:
    folder = test_data / "trec_eval_test" / "v10.0-rc3"
    assert io.read_judgments(folder / "qrels.test.with-comments")["301"]["CR#93E-1860"] == 0.0
    assert len(io.read_judgments(folder / "qrels.comment.test").queries) == 31


def test_raters_who_agree_and_rows_without_a_rating(test_data: Path) -> None:
    judgments = io.read_judgments(test_data / "quepid_haystack" / "judgements.csv")
    counts = {note.kind: note.count for note in judgments.notes}
    assert counts == {"columns-read-as": 1, "missing-grades": 22, "duplicate-judgments": 562}
    assert len(judgments) == 1942 - 562 - 22


def test_quoted_fields_and_a_column_by_name(test_data: Path) -> None:
    path = test_data / "chorus_3raters" / "Broad_Query_Set_individual_ratings.csv"
    with pytest.raises(InputError, match="no column for the grade"):
        io.read_judgments(path)
    judgments = io.read_judgments(path, columns={"grade": "final_rating"})
    assert (len(judgments), len(judgments.queries)) == (3188, 135)
    grades = list(judgments.to_frame()["grade"])
    assert [grades.count(grade) for grade in (0, 1, 2, 3)] == [1471, 198, 93, 1426]


def test_queries_that_are_two_words_long(test_data: Path) -> None:
    judgments = io.read_judgments(test_data / "quepid_haystack" / "case_ratings.csv")
    assert "120v power supply" in judgments


def test_letor_rows(test_data: Path, tmp_path: Path) -> None:
    rows = test_data / "fastrank_trecnews2018" / "trec_news_2018.train"
    scores = tmp_path / "scores"
    scores.write_text("0.5\n" * 782)
    scored = io.read_scored(rows, scores=scores)
    assert (len(scored), len(scored.queries)) == (782, 45)
    rows = test_data / "lightgbm_lambdarank" / "rank.test.gz"
    sizes = test_data / "lightgbm_lambdarank" / "rank.test.query"
    scores.write_text("0.5\n" * 768)
    scored = io.read_scored(rows, scores=scores, groups=sizes)
    assert (len(scored), len(scored.queries)) == (768, 50)
    assert [int((scored.labels == grade).sum()) for grade in range(5)] == [206, 256, 252, 44, 10]


def test_features_of_published_sets(test_data: Path) -> None:
    rows = io.read_features(test_data / "lightgbm_lambdarank" / "rank.train.gz")
    assert (len(rows), len(rows.queries)) == (3005, 201)
    assert "rank.train.query" in str(rows.notes[0])
    assert rows.known_features().values.shape == (3005, 300)
    rows = io.read_features(test_data / "mq2008" / "S1.txt.gz")
    assert (len(rows), len(rows.queries)) == (2933, 157)
    assert (rows.documents or [""])[0].startswith("GX")
    assert rows.known_features().values.shape == (2933, 46)


def test_judgments_and_run_exchanged(test_data: Path) -> None:
    folder = test_data / "dl_hard_passage"
    with pytest.raises(ParseError, match=r"bm25\.run\.gz:1: expected judgments"):
        io.read_judgments(folder / "bm25.run.gz")
    with pytest.raises(ParseError, match=r"qrels\.passage\.txt:1: expected a run"):
        io.read_run(folder / "qrels.passage.txt")


def test_ranks_from_zero_and_a_format_nobody_knows(test_data: Path) -> None:
    run = io.read_run(test_data / "vaswani" / "pyterrier_two_queries_result")
    assert run.to_frame()["rank"].min() == 0
    with pytest.raises(InputError, match="the format is not recognised"):
        io.read_run(test_data / "vaswani" / "pyterrier_light_results")
