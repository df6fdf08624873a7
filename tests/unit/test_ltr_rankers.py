"""Rankers: what they learn, whatever form the data has, and what they say about bad data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from tests.unit.lists import lists

import relyon
from relyon.data.features import Features
from relyon.data.labelled import LabelledRows
from relyon.ltr import TreeRanker, grades

DATA, HELD = lists(), lists(seed=1)
NAMES = ("bm25", "age", "noise", "length")


def small(**parameters: Any) -> TreeRanker:
    return TreeRanker(**{"trees": 10, "leaves": 6, "min_rows": 5, "threads": 1, **parameters})


def rows(data: Any, names: tuple[str, ...] = NAMES) -> LabelledRows:
    sizes = np.unique(data.qid, return_counts=True)[1]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return LabelledRows(
        data.labels,
        None,
        offsets,
        [f"q{number}" for number in range(len(sizes))],
        [f"d{number}" for number in range(len(data.X))],
        features=Features(names, data.X),
    )


@pytest.mark.parametrize("loss", ["lambdarank", "regression"])
def test_trees_learn(loss: str) -> None:
    ranker = small(loss=loss).fit(DATA.X, DATA.labels, qid=DATA.qid)
    reached = ranker.score(HELD.X, HELD.labels, HELD.qid)
    chance = [
        relyon.evaluate_scores(
            HELD.labels, np.random.default_rng(seed).random(len(HELD.X)), HELD.qid, ["ndcg@10"]
        )["ndcg@10"]
        for seed in range(20)
    ]
    assert reached > max(chance) + 0.1
    assert ranker.feature_importances_.argmax() == 0
    assert ranker.feature_importances_.sum() == pytest.approx(1)


def test_the_same_data_in_every_form() -> None:
    expected = small().fit(DATA.X, DATA.labels, qid=DATA.qid).predict(HELD.X)
    forms: dict[str, Any] = {
        "sparse": sparse.csr_array(DATA.X),
        "columns": sparse.csc_matrix(DATA.X),
        "fortran": np.asfortranarray(DATA.X),
    }
    for name, X in forms.items():
        found = small().fit(X, DATA.labels, qid=DATA.qid).predict(HELD.X)
        assert (found == expected).all(), name
    frames: dict[str, Any] = {
        "polars": pl.DataFrame(DATA.X, schema=NAMES),
        "pandas": pd.DataFrame(DATA.X, columns=NAMES),
    }
    for name, X in frames.items():
        ranker = small().fit(X, list(DATA.labels), qid=[str(one) for one in DATA.qid])
        assert ranker.feature_names_ == NAMES
        assert (ranker.predict(type(X)(HELD.X, NAMES)) == expected).all() if name == "polars" else 1
    ranker = small().fit(rows(DATA))
    assert ranker.feature_names_ == NAMES
    assert (ranker.predict(rows(HELD)) == expected).all()
    assert (ranker.predict(HELD.X) == expected).all()
    assert ranker.score(rows(HELD)) == ranker.score(HELD.X, HELD.labels, HELD.qid)


def test_rows_of_a_query_need_not_be_adjacent() -> None:
    order = np.argsort(np.arange(len(DATA.X)) % 12, kind="stable")
    assert (DATA.qid[order][:30] == np.arange(30)).all()
    ranker = small().fit(DATA.X[order], DATA.labels[order], qid=DATA.qid[order])
    straight = small().fit(DATA.X, DATA.labels, qid=DATA.qid)
    assert (ranker.predict(HELD.X) == straight.predict(HELD.X)).all()
    assert ranker.data_["queries"] == 30
    score = ranker.score(DATA.X[order], DATA.labels[order], DATA.qid[order])
    assert score == ranker.score(DATA.X, DATA.labels, DATA.qid)


def test_the_same_seed_gives_the_same_trees() -> None:
    drawn: dict[str, Any] = {"row_fraction": 0.5, "feature_fraction": 0.5}
    made = [
        small(seed=seed, threads=threads, **drawn)
        .fit(DATA.X, DATA.labels, qid=DATA.qid)
        .predict(HELD.X)
        for seed, threads in ((4, 1), (4, 2), (5, 1))
    ]
    assert (made[0] == made[1]).all()
    assert (made[0] != made[2]).any()


def test_missing_features_are_taken() -> None:
    X = DATA.X.copy()
    X[::7, 0] = np.nan
    ranker = small().fit(X, DATA.labels, qid=DATA.qid)
    assert np.isfinite(ranker.predict(X)).all()


def test_rank_is_a_run() -> None:
    ranker = small().fit(rows(DATA))
    run = ranker.rank(rows(HELD), name="trees")
    assert run.name == "trees"
    scores = ranker.predict(HELD.X)
    assert run["q0"] == {f"d{row}": scores[row] for row in range(12)}
    documents = [f"d{row}" for row in range(len(HELD.X))]
    queries = [f"q{number}" for number in HELD.qid]
    assert ranker.rank(HELD.X, queries, documents).to_dict() == run.to_dict()
    judgments = {
        query: {f"d{row}": HELD.labels[row] for row in np.flatnonzero(HELD.qid == int(query[1:]))}
        for query in run.queries
    }
    rules = {"ties": "expected"}  # rows have no ids by which to order equal scores
    measured = relyon.evaluate(judgments, run, ["ndcg@10"], convention=rules)["ndcg@10"]
    assert measured == pytest.approx(ranker.score(rows(HELD)), abs=1e-12)
    with pytest.raises(relyon.InputError, match="a run needs the document of each row"):
        ranker.rank(HELD.X, queries)
    with pytest.raises(relyon.InputError, match="a run needs the query of each row"):
        ranker.rank(HELD.X)


def test_names_of_features_are_matched() -> None:
    ranker = small().fit(rows(DATA))
    turned = LabelledRows(
        HELD.labels, None, rows(HELD).groups, rows(HELD).queries,
        features=Features(NAMES[::-1], HELD.X[:, ::-1]),
    )  # fmt: skip
    assert (ranker.predict(turned) == ranker.predict(HELD.X)).all()
    with pytest.raises(relyon.InputError, match="lack features of the ranker: bm25"):
        ranker.predict(rows(HELD, ("tfidf", *NAMES[1:])))
    with pytest.raises(relyon.InputError, match=r"X has 3 features, but TreeRanker is expecting 4"):
        ranker.predict(HELD.X[:, :3])


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"qid": [100, 200]}, "groups fit neither as sizes nor as ids"),
        ({"qid": [[1], [2]]}, "groups must have one dimension"),
        ({"y": np.full(360, 2)}, "every query's labels are equal"),
        ({"y": DATA.qid % 3}, "every query's labels are equal"),
        ({"qid": np.arange(360)}, "every query's labels are equal"),
        ({"y": None}, "requires y to be passed"),
        ({"y": np.r_[np.nan, np.ones(359)]}, "y contains NaN"),
        ({"y": ["good"] * 360}, "labels are not numbers"),
        ({"y": DATA.labels[:7]}, "X has 360 rows, but y has 7 values"),
        ({"y": grades(DATA.labels, DATA.qid)}, "qid must not be given, too"),
        ({"X": DATA.X[:0], "y": [], "qid": []}, "0 sample"),
        ({"X": np.full_like(DATA.X, np.inf)}, "X contains infinity"),
        ({"sample_weight": -DATA.labels}, "a weight in sample_weight is below 0"),
        ({"sample_weight": 0 * DATA.labels}, "all weights in sample_weight are zero"),
        ({"sample_weight": [1, 2]}, "sample_weight has 2 values"),
        ({"positions": DATA.labels}, "a position is not a whole number of 1 or more"),
        ({"positions": [1, 2]}, "positions has 2 values"),
        ({"eval_set": 3}, "eval_set must be labelled rows"),
        ({"eval_set": (DATA.X[:, :2], DATA.labels, DATA.qid)}, "X has 2 features"),
    ],
)
def test_bad_data_is_refused(changes: dict[str, Any], expected: str) -> None:
    given = {"X": DATA.X, "y": DATA.labels, "qid": DATA.qid} | changes
    with pytest.raises(relyon.RelyonError, match=expected):
        small().fit(**given)


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"trees": 0}, "`trees` must be a whole number of 1 or more"),
        ({"leaves": 1}, "`leaves` must be a whole number of 2 or more"),
        ({"learning_rate": 0}, "`learning_rate` must be above 0"),
        ({"row_fraction": 1.5}, "`row_fraction` must be above 0"),
        ({"l2": -1}, "`l2` must be 0 or more"),
        ({"seed": -1}, "`seed` must be a whole number"),
        ({"engine": "lightgmb"}, "unknown tree engine"),
        ({"measure": "ndgc@10"}, "unknown measure"),
        ({"convention": "lightgmb"}, "unknown convention preset"),
        ({"loss": "lambdarnk"}, "unknown loss"),
    ],
)
def test_bad_parameters_are_refused(parameters: dict[str, Any], expected: str) -> None:
    with pytest.raises(relyon.RelyonError, match=expected):
        small(**parameters).fit(DATA.X, DATA.labels, qid=DATA.qid)


@pytest.mark.parametrize("change", [lambda y: y - 1, lambda y: 100 * y, lambda y: y / 2])
def test_negative_huge_and_broken_labels_are_learnt_from(change: Any) -> None:
    ranker = small().fit(DATA.X, change(DATA.labels), qid=DATA.qid)
    assert ranker.score(HELD.X, HELD.labels, HELD.qid) > 0.8


KINDS: list[dict[str, Any]] = [
    {"name": "lambdamart"},
    {"name": "regression"},
    {"name": "lambdamart", "engine": "xgboost"},
    {"name": "regression", "engine": "catboost"},
    {"name": "ranknet", "scorer": "linear"},
]


@pytest.mark.parametrize("kind", KINDS)
def test_what_no_ranker_can_learn_from_is_refused_by_all(kind: dict[str, Any]) -> None:
    pytest.importorskip(kind.get("engine", "lightgbm"))
    ranker = relyon.ltr.ranker(**kind, threads=1)
    with pytest.raises(relyon.InputError, match="all features are constant"):
        ranker.fit(np.full_like(DATA.X, np.nan if "scorer" not in kind else 1), DATA.labels)
    with pytest.raises(relyon.InputError, match="all features are constant"):
        ranker.fit(sparse.csr_array(np.ones_like(DATA.X)), DATA.labels, qid=DATA.qid)
    huge = np.where(DATA.labels > 1, 1e300, DATA.labels)
    with pytest.raises(relyon.InputError, match=r"label 1e\+300 is too large for training"):
        ranker.fit(DATA.X, huge, qid=DATA.qid)


@pytest.mark.parametrize("loss", ["lambdarank", "regression", "logistic"])
def test_too_few_rows_for_a_split_are_refused(loss: str, capfd: Any) -> None:
    """LightGBM itself fails for some objectives, and gives all documents one score for others."""
    with pytest.raises(relyon.InputError, match="can split the rows: there are too few rows"):
        TreeRanker(loss, threads=1).fit(DATA.X[:24], DATA.labels[:24], qid=DATA.qid[:24])
    assert capfd.readouterr() == ("", "")
    TreeRanker(loss, threads=1, min_rows=5).fit(DATA.X[:24], DATA.labels[:24], qid=DATA.qid[:24])


def test_labels_beyond_what_a_gain_can_say() -> None:
    ranker = small(measure="ndcg(gain=exp)@10")
    with pytest.raises(relyon.InputError, match="gain"):
        ranker.fit(DATA.X, DATA.labels * 500, qid=DATA.qid)


def test_one_document_queries_are_no_fault() -> None:
    qid = np.r_[DATA.qid[:-12], 100 + np.arange(12)]
    ranker = small().fit(DATA.X, DATA.labels, qid=qid)
    assert ranker.data_["queries"] == 41
    assert ranker.data_["varied"] == 29


def test_no_query_with_a_value() -> None:
    ranker = small().fit(DATA.X, DATA.labels, qid=DATA.qid)
    with pytest.raises(relyon.InputError, match="ndcg@10 has no value"):
        ranker.score(HELD.X, 0 * HELD.labels, HELD.qid)


def test_fingerprints_tell_measures_and_conventions_apart() -> None:
    made = {
        relyon.ltr.fingerprint(measure, convention)
        for measure in ("ndcg@10", "ndcg@5", "ndcg(gain=exp)@10", "ap")
        for convention in (None, "lightgbm", {"ties": "worst"})
    }
    assert len(made) == 11  # LightGBM's gain is exp already
    assert relyon.ltr.fingerprint("ndcg@10", "relyon") == relyon.ltr.fingerprint("nDCG@10")
