"""The demonstration's features: each by hand, none from the labels, and read by relyon."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl
import pytest

import relyon
from relyon.demo import Document
from relyon.demo.corpus import Question
from relyon.demo.features import DENSE_FEATURES, DEPTH, FEATURES, build_features, write_features
from relyon.demo.rankers import Ranking

DOCUMENTS = [
    Document("json", "json", "JSON encoder and decoder.\nUse loads to parse a string."),
    Document("json.loads", "json.loads(s, cls)", "Parse a JSON string."),
    Document("builtins.str", "builtins.str(object)", "Create a string object. loads of them."),
    Document("shlex.Quoted", "shlex.Quoted", "shlex Quoted"),
]
QUESTIONS = [
    Question("q1", "en", "how to parse a JSON string"),
    Question("q2", "zh", "不存在"),
    Question("q3", "en", "to the"),
]
ENGINES: dict[str, Ranking] = {
    "bm25": {"q1": [("json.loads", 4.0), ("json", 1.0)], "q2": [], "q3": []},
    "tfidf": {"q1": [("json", 0.5), ("builtins.str", 0.1)], "q3": [("json", 0.2)]},
}
GRADES = {"q1": {"json.loads": 3, "json": 1, "shlex.Quoted": 3}}


@pytest.fixture(scope="module")
def made() -> pl.DataFrame:
    return build_features(DOCUMENTS, QUESTIONS, ENGINES, GRADES)


def row(made: pl.DataFrame, document: str, query: str = "q1") -> dict[str, float]:
    return made.filter(query=query, document=document).row(0, named=True)


def test_candidates_are_what_the_engines_found(made: pl.DataFrame) -> None:
    # `shlex.Quoted` answers q1, say people, but no engine found it: it is no candidate.
    assert made.select("query", "document", "label").rows() == [
        ("q1", "builtins.str", 0),
        ("q1", "json", 1),
        ("q1", "json.loads", 3),
        ("q3", "json", 0),
    ]
    assert made.columns == ["query", "document", "label", *FEATURES]
    assert made.null_count().sum_horizontal().item() == 0


def test_features_by_hand(made: pl.DataFrame) -> None:
    idf = {
        term: math.log1p((4 - often + 0.5) / (often + 0.5))
        for term, often in {"parse": 2, "json": 2, "string": 3}.items()
    }
    weights = sum(idf.values())
    found = row(made, "json.loads")
    expected = {
        "bm25": 4,
        "bm25_share": 1,
        "bm25_inverse_rank": 1,
        "tfidf": 0,
        "tfidf_share": 0,
        "tfidf_inverse_rank": 0,
        "fused": 1 / 61,
        "title_coverage": idf["json"] / weights,
        "name_coverage": 0,
        "summary_coverage": 1,
        "text_coverage": 1,
        "matched_terms": 3,
        "matched_idf": weights,
        "rarest_idf": idf["json"],
        "name_precision": 0,
        "name_asked": 0,
        "module_asked": 1,
        "longest_phrase": 3,
        "first_match": 1,
        "question_terms": 3,
        "question_chinese": 0,
        "title_terms": 3,  # `s` is a stop word
        "text_terms": 3,
        "depth": 2,
        "parameters": 2,
        "members": 0,
        "is_class": 0,
        "is_builtin": 0,
        "mentions": 2,
    }
    assert list(expected) == list(FEATURES)
    assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-6)
    module = row(made, "json")
    assert module["bm25_share"] == 0.25
    assert module["fused"] == pytest.approx(1 / 61 + 1 / 62)
    assert (module["name_asked"], module["name_precision"], module["members"]) == (1, 1, 1)
    assert (module["parameters"], module["first_match"], module["longest_phrase"]) == (-1, 1, 1)
    string = row(made, "builtins.str")
    assert (string["is_builtin"], string["depth"], string["parameters"]) == (1, 2, 1)
    assert string["first_match"] == 0.5
    empty = row(made, "json", "q3")
    assert (empty["question_terms"], empty["title_coverage"], empty["rarest_idf"]) == (0, 0, 0)


def test_labels_are_in_no_feature(made: pl.DataFrame) -> None:
    other = {query: {one: 3 - grade for one, grade in of.items()} for query, of in GRADES.items()}
    again = build_features(DOCUMENTS, QUESTIONS, ENGINES, other)
    assert again.drop("label").equals(made.drop("label"))
    assert not again.equals(made)


def test_only_the_first_documents_are_candidates() -> None:
    many = [Document(f"m.d{place:02}", "t", "parse") for place in range(DEPTH + 5)]
    ranked = [(one.id, 30.0 - place) for place, one in enumerate(many)]
    found = build_features(many, QUESTIONS[:1], {"bm25": {"q1": ranked}, "tfidf": {}}, {})
    assert found["document"].to_list() == [one.id for one in many[:DEPTH]]
    assert found["label"].sum() == 0


def test_the_dense_ranker_adds_features_and_no_candidates(made: pl.DataFrame) -> None:
    dense: Ranking = {"q1": [("shlex.Quoted", 0.8), ("json", 0.4)]}
    found = build_features(DOCUMENTS, QUESTIONS, {**ENGINES, "dense": dense}, GRADES)
    assert found.drop(*DENSE_FEATURES).equals(made)
    assert found.columns[-3:] == list(DENSE_FEATURES)
    cells = found.select("query", "document", *DENSE_FEATURES).rows()
    assert [one[:2] for one in cells if any(one[2:])] == [("q1", "json")]
    assert row(found, "json")["dense"] == pytest.approx(0.4)
    assert (row(found, "json")["dense_share"], row(found, "json")["dense_inverse_rank"]) == (
        0.5,
    ) * 2


def test_relyon_reads_them(made: pl.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "features.parquet"
    write_features(path, DOCUMENTS, QUESTIONS, ENGINES, GRADES)
    rows = relyon.read_features(path)
    assert rows.queries == ["q1", "q3"]
    assert rows.features is not None
    assert rows.features.names == tuple(FEATURES)
    assert rows.features.values.shape == (made.height, len(FEATURES))
    assert rows.labels.tolist() == [0, 1, 3, 0]
