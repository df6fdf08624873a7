"""Series of pandas are paired by their index, and named levels of an index are columns."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import relyon
import relyon.ltr
from relyon.judging import cohen_kappa

FRAME = pd.DataFrame(
    {
        "qid": ["a", "a", "b", "b"],
        "doc": list("wxyz"),
        "label": [1, 0, 1, 0],
        "score": [0.9, 0.8, 0.1, 0.7],
        "f1": [1.0, 2.0, 3.0, 4.0],
    },
    index=["i", "j", "k", "l"],
)
MOVED = FRAME.iloc[[2, 0, 3, 1]]

#: Entries that take several arrays, as functions of two frames whose rows are the same.
ENTRIES: dict[str, Callable[[Any, Any], object]] = {
    "evaluate_scores": lambda one, other: relyon.evaluate_scores(
        one.label, other.score, other.qid, ["auc", "gauc"], weights=other.f1
    ).to_dict()["measures"],
    "roc_curve": lambda one, other: relyon.roc_curve(one.label, other.score).area,
    "precision_recall_curve": lambda one, other: (
        relyon.precision_recall_curve(one.label, other.score, weights=other.f1).area
    ),
    "classify": lambda one, other: relyon.classify(one.label, other.score, 0.5).accuracy,
    "objective": lambda one, other: (
        relyon.ltr.objective("ranknet", one.label, other.qid).derivatives([0.0] * 4)[0].tolist()
    ),
    "loss": lambda one, other: (
        relyon.ltr.loss("ranknet").evaluate(one.label, other.score).values.tolist()
    ),
    "grades": lambda one, other: relyon.ltr.grades(one.label, other.qid)["label"].tolist(),
    "run": lambda one, other: relyon.Run.from_arrays(one.qid, other.doc, other.score).to_dict(),
    "judgments": lambda one, other: relyon.Judgments.from_arrays(
        one.qid, other.doc, other.label
    ).to_dict(),
    "kappa": lambda one, other: cohen_kappa(one.label, other.label),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_rows_in_another_order_are_paired_by_the_index(name: str) -> None:
    expected = ENTRIES[name](FRAME, FRAME)
    with pytest.warns(relyon.RelyonWarning, match="put into the order of"):
        assert ENTRIES[name](FRAME, MOVED) == expected


@pytest.mark.parametrize("name", ENTRIES)
def test_indexes_that_do_not_fit_are_refused(name: str) -> None:
    other = FRAME.set_axis(list("ijkm"))
    with pytest.raises(relyon.InputError, match="have different labels") as raised:
        ENTRIES[name](FRAME, other)
    assert ".to_numpy()" in raised.value.hint
    with pytest.raises(relyon.InputError, match="labels repeat"):
        ENTRIES[name](FRAME, FRAME.set_axis(list("iijk")))


@pytest.mark.filterwarnings("error::relyon.RelyonWarning")
def test_arrays_beside_a_series_are_paired_by_position() -> None:
    by_place = relyon.evaluate_scores(FRAME.label, MOVED.score.to_numpy(), measures="auc")
    assert (
        by_place["auc"]
        == relyon.evaluate_scores(FRAME.label.tolist(), MOVED.score.tolist(), measures="auc")["auc"]
    )
    sizes = FRAME.groupby("qid").size()  # its index is of queries
    assert relyon.evaluate_scores(FRAME.label, FRAME.score, sizes, "gauc")["gauc"] == 0.5


def test_the_note_is_in_the_results() -> None:
    with pytest.warns(relyon.RelyonWarning):
        results = relyon.evaluate_scores(FRAME.label, MOVED.score, measures="auc")
    (note,) = [note for note in results.notes if note.kind == "aligned-by-index"]
    assert note.values["moved"] == ["`scores`"]
    assert "`scores`" in note.text("zh")


def test_labelled_rows_follow_their_features() -> None:
    rows = relyon.ltr.labelled_rows(FRAME[["f1"]], MOVED.label, MOVED.qid, documents=MOVED["doc"])
    assert rows.labels.tolist() == [1, 0, 1, 0]
    assert rows.documents == list("wxyz")
    assert [note.kind for note in rows.notes] == ["aligned-by-index", "aligned-by-index"]


def test_a_ranker_pairs_labels_queries_and_weights_with_its_features() -> None:
    random = np.random.default_rng(1)
    X = pd.DataFrame(random.normal(size=(100, 2)), columns=["a", "b"])
    y, qid = (X.a > 0.5).astype(int), pd.Series(np.arange(100) // 10)
    order = random.permutation(100)
    ranker = relyon.ltr.LinearRanker(threads=1).fit(X, y, qid=qid)
    with pytest.warns(relyon.RelyonWarning, match="`y` was put into the order of `X`"):
        moved = relyon.ltr.LinearRanker(threads=1).fit(X, y.iloc[order], qid=qid.iloc[order])
    assert moved.predict(X).tolist() == ranker.predict(X).tolist()
    with pytest.warns(relyon.RelyonWarning, match="put into the order"):
        assert ranker.score(X, y.iloc[order], qid) == ranker.score(X, y, qid)
    with pytest.warns(relyon.RelyonWarning, match="`groups` was put into the order"):
        folds = list(relyon.ltr.QueryFold().split(X, y, qid.iloc[order]))
    assert all(not {*qid.iloc[train]} & {*qid.iloc[test]} for train, test in folds)


def test_named_levels_of_an_index_are_columns() -> None:
    indexed = FRAME.set_index(["qid", "doc"])
    assert relyon.read_scored(FRAME.set_index("qid")).queries == ["a", "b"]
    assert relyon.read_run(indexed[["score"]]).to_dict()["b"] == {"y": 0.1, "z": 0.7}
    assert relyon.read_judgments(indexed[["label"]]).to_dict()["a"] == {"w": 1.0, "x": 0.0}
    assert list(indexed.columns) == ["label", "score", "f1"]  # the frame is not changed


def test_an_index_is_never_a_feature() -> None:
    named = FRAME.drop(columns=["score", "doc"]).rename_axis("row")
    assert relyon.read_features(named).known_features().names == ("f1",)
    assert relyon.read_features(named.rename_axis(None)).known_features().names == ("f1",)
    twice = FRAME.set_index("qid", drop=False)
    assert relyon.read_scored(twice).queries == ["a", "b"]


MISSING: dict[str, Any] = {
    "float": [1, np.nan, 1, 0],
    "Int64": pd.array([1, None, 1, 0], dtype="Int64"),
    "Float64": pd.array([1, None, 1, 0], dtype="Float64"),
    "boolean": pd.array([True, None, True, False], dtype="boolean"),
    "None": np.array([1, None, 1, 0], dtype=object),
    "NA": np.array([1, pd.NA, 1, 0], dtype=object),
    "NaT": np.array([1, pd.NaT, 1, 0], dtype=object),
    "category": pd.Categorical([1, None, 1, 0]),
    "string": pd.array(["1", None, "1", "0"], dtype="string"),
    "arrow": pd.array([1, None, 1, 0], dtype="int64[pyarrow]"),
    "arrow bool": pd.array([True, None, True, False], dtype="bool[pyarrow]"),
}


@pytest.mark.parametrize("role", ["labels", "scores", "groups", "weights"])
@pytest.mark.parametrize("name", MISSING)
def test_a_missing_value_is_named_by_row_and_index(name: str, role: str) -> None:
    given: dict[str, Any] = {
        "labels": FRAME.label,
        "scores": FRAME.score,
        "groups": FRAME.qid,
        "weights": FRAME.f1,
    }
    given[role] = pd.Series(MISSING[name], index=FRAME.index)
    where = re.escape("the first is row 1 (index label `j`)")
    with pytest.raises(relyon.InputError, match=f"{role} lack the .* of 1 row, {where}"):
        relyon.evaluate_scores(**given, measures="auc")


@pytest.mark.parametrize(
    "dtype", ["Int64", "Float64", "category", "string", "int64[pyarrow]", "object"]
)
def test_every_dtype_of_whole_numbers_gives_the_same_value(dtype: str) -> None:
    labels = FRAME.label.astype("str").astype(dtype) if dtype == "string" else FRAME.label
    labels = labels.astype(dtype)
    assert relyon.evaluate_scores(labels, FRAME.score, FRAME.qid, "gauc")["gauc"] == 0.5
