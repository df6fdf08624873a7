"""Rankers within scikit-learn: what splits, clones and scores, with and without routing."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.decomposition import PCA
from sklearn.feature_selection import RFECV, SelectKBest, f_classif
from sklearn.inspection import permutation_importance
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.unit.lists import lists

import relyon
import relyon.ltr
from relyon.ltr import LinearRanker, NeuralRanker, QueryFold, TreeRanker, grades, scorer
from relyon.ltr.rankers.grades import queries_of

DATA = lists()
Y = grades(DATA.labels, DATA.qid)
FOLDS = QueryFold(GroupKFold(3))


def small(**parameters: Any) -> TreeRanker:
    return TreeRanker(**{"trees": 3, "leaves": 4, "min_rows": 5, "threads": 1, **parameters})


@pytest.fixture(params=[False, True], ids=["routing off", "routing on"])
def routing(request: pytest.FixtureRequest) -> Any:
    with sklearn.config_context(enable_metadata_routing=request.param):
        yield request.param


def test_grades_holds_both() -> None:
    assert Y.dtype.names == ("label", "qid")
    assert Y["label"].tolist() == DATA.labels.tolist()
    copied = pickle.loads(pickle.dumps(Y))
    assert queries_of(copied).tolist() == DATA.qid.tolist()
    with pytest.raises(relyon.InputError, match="differ in shape: 3 and 2"):
        grades([1, 2, 3], [10, 20])
    with pytest.raises(relyon.InputError, match="not numbers"):
        grades(["a"], [1])


def test_qid_and_grades_are_the_same_training() -> None:
    one = small().fit(DATA.X, DATA.labels, qid=DATA.qid)
    other = small().fit(DATA.X, Y)
    assert (one.predict(DATA.X) == other.predict(DATA.X)).all()
    assert one.score(DATA.X, DATA.labels, DATA.qid) == other.score(DATA.X, Y)
    scores = one.predict(DATA.X)
    expected = relyon.evaluate_scores(DATA.labels, scores, DATA.qid, ["ndcg@10"])["ndcg@10"]
    assert one.score(DATA.X, Y) == expected == scorer("ndcg@10")(one, DATA.X, Y)


def test_tools_of_selection(routing: bool) -> None:
    ranker = small()
    grid = GridSearchCV(ranker, {"leaves": [2, 4]}, cv=FOLDS, scoring=scorer("ndcg@5"))
    grid.fit(DATA.X, Y)
    assert np.isfinite(grid.cv_results_["mean_test_score"]).all()
    assert grid.predict(DATA.X).shape == (len(DATA.X),)
    assert 0.5 < grid.score(DATA.X, Y) <= 1
    nested = cross_val_score(grid, DATA.X, Y, cv=QueryFold(GroupKFold(2)), params={})
    assert (nested > 0.5).all()
    sizes, trained, tested = learning_curve(
        ranker, DATA.X, Y, cv=FOLDS, train_sizes=[0.5, 1.0], scoring=scorer("ndcg@5")
    )
    assert sizes.tolist() == [120, 240]
    assert np.isfinite([trained, tested]).all()
    shares = permutation_importance(
        ranker.fit(DATA.X, Y), DATA.X, Y, n_repeats=2, random_state=0, scoring=scorer("ndcg@5")
    )
    assert shares.importances_mean.argmax() == 0
    chosen = RFECV(ranker, cv=FOLDS, scoring=scorer("ndcg@5"), min_features_to_select=2)
    assert chosen.fit(DATA.X, Y).support_[0]


def test_pipelines(routing: bool) -> None:
    pipeline = make_pipeline(StandardScaler(), PCA(3), small())
    assert 0.5 < pipeline.fit(DATA.X, Y).score(DATA.X, Y) <= 1
    grid = GridSearchCV(pipeline, {"treeranker__leaves": [2, 4]}, cv=FOLDS)
    assert grid.fit(DATA.X, Y).best_score_ > 0.5
    scores = cross_val_score(pipeline, DATA.X, Y, cv=FOLDS, scoring=scorer("ndcg@5"), params={})
    assert (scores > 0.5).all()


def test_routing_qid() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        named = {"params": {"qid": DATA.qid}}
        splitters = [QueryFold(), GroupKFold(3).set_split_request(groups="qid")]
        for splitter in splitters:
            found = cross_validate(small(), DATA.X, DATA.labels, cv=splitter, **named)
            assert (found["test_score"] > 0.5).all()
        pipeline = make_pipeline(StandardScaler(), small())
        grid = GridSearchCV(
            pipeline, {"treeranker__leaves": [2, 4]}, cv=FOLDS, scoring=scorer("ndcg@5")
        )
        routed = grid.fit(DATA.X, DATA.labels, qid=DATA.qid).cv_results_["mean_test_score"]
    grid = GridSearchCV(
        pipeline, {"treeranker__leaves": [2, 4]}, cv=FOLDS, scoring=scorer("ndcg@5")
    )
    carried = grid.fit(DATA.X, Y).cv_results_["mean_test_score"]
    assert routed.tolist() == carried.tolist()


def test_no_query_on_two_sides() -> None:
    for splitter in (FOLDS, QueryFold(), QueryFold(GroupShuffleSplit(2, random_state=0))):
        for train, test in splitter.split(DATA.X, Y):
            assert not set(DATA.qid[train]) & set(DATA.qid[test])
    assert QueryFold(GroupShuffleSplit(2)).get_n_splits(DATA.X, Y) == 2
    with pytest.raises(relyon.InputError, match="does not know the queries"):
        next(FOLDS.split(DATA.X, DATA.labels))


@pytest.mark.parametrize("numbers", [True, False])
def test_steps_that_read_y_say_so(numbers: bool) -> None:
    qid = DATA.qid if numbers else [f"query {one}" for one in DATA.qid]
    pipeline = make_pipeline(SelectKBest(f_classif, k=2), small())
    with pytest.raises(relyon.InputError, match="reads it as labels alone") as caught:
        pipeline.fit(DATA.X, grades(DATA.labels, qid))
    assert "SelectKBest" in caught.value.hint


def test_scorer_without_queries() -> None:
    ranker = small().fit(DATA.X, Y)
    with pytest.raises(relyon.InputError, match="does not know the queries"):
        scorer("ndcg@5")(ranker, DATA.X, DATA.labels)


def test_without_queries_a_warning_says_so() -> None:
    with pytest.warns(relyon.RelyonWarning, match="all count as one query"):
        small().fit(DATA.X, DATA.labels)


#: What does not apply, and why.
WEIGHTS = "a row given twice is another document of its list, and trees count the rows of a leaf"
EXCEPTIONS = {
    f"check_sample_weight_equivalence_on_{kind}_data": WEIGHTS for kind in ("dense", "sparse")
}


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        small(loss="regression"),
        small(),
        LinearRanker(iterations=20, threads=1),
        NeuralRanker(epochs=2, hidden=(4,), threads=1),
    ],
    expected_failed_checks=lambda ranker: EXCEPTIONS,
)
def test_estimator_checks(estimator: Any, check: Any) -> None:
    if isinstance(estimator, NeuralRanker):
        pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", relyon.RelyonWarning)
        check(estimator)
