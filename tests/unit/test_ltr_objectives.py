"""Losses as objectives and measures as metrics: the engines' own numbers, and what is refused."""

from __future__ import annotations

import copy
import gzip
import os
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relyon
import relyon.ltr
from relyon.core.errors import InputError, ParameterError
from relyon.data.labelled import LabelledRows

lightgbm = pytest.importorskip("lightgbm")
xgboost = pytest.importorskip("xgboost")
catboost = pytest.importorskip("catboost")

LIGHTGBM = "lambdarank(measure=ndcg(gain=exp)@30,beyond=discount)"
QUIET = {"num_threads": 1, "verbosity": -1, "deterministic": True, "force_row_wise": True}


def simulated(queries: int = 60, seed: int = 3) -> tuple[Any, Any, Any]:
    """Features, labels 0 to 4 and sizes, of which some are 1."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 50, queries)
    sizes[0], sizes[1] = 1, 400
    features = rng.normal(size=(sizes.sum(), 6)).astype(np.float32)
    truth = features[:, 0] + 0.5 * features[:, 1] ** 2 + rng.normal(size=len(features))
    labels = np.digitize(truth, [0.3, 1.2, 2.2, 3.2]).astype(float)
    labels[sizes[0] : sizes[0] + 5] = 4
    return features, labels, sizes


def train(objective: Any, features: Any, labels: Any, sizes: Any, rounds: int, **more: Any) -> Any:
    data = lightgbm.Dataset(features, labels, group=sizes, params=QUIET, **more)
    return lightgbm.train(
        {**QUIET, "objective": objective, "num_leaves": 8, "min_data_in_leaf": 5}, data, rounds
    )


def leaves(booster: Any, tree: int) -> Any:
    count = booster.dump_model()["tree_info"][tree]["num_leaves"]
    return np.array([booster.get_leaf_output(tree, leaf) for leaf in range(count)])


@pytest.mark.parametrize("truncation", [1, 10, 30])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_first_tree_is_lightgbms(truncation: int, weighted: bool) -> None:
    features, labels, sizes = simulated()
    weights = np.random.default_rng(1).uniform(0.5, 2, len(labels)) if weighted else None
    data = lightgbm.Dataset(features, labels, group=sizes, weight=weights, params=QUIET)
    settings = {**QUIET, "num_leaves": 8, "min_data_in_leaf": 5}
    own = {"objective": "lambdarank", "lambdarank_truncation_level": truncation}
    theirs = lightgbm.train({**settings, **own}, data, 2)
    loss = f"lambdarank(measure=ndcg(gain=exp)@{truncation},beyond=discount)"
    objective = relyon.ltr.objective(loss, labels, sizes, weights=weights, threads=1)
    ours = train(objective, features, labels, sizes, 2, weight=weights)
    np.testing.assert_allclose(leaves(ours, 0), leaves(theirs, 0), rtol=1e-6)
    # The scores of later trees go through LightGBM's table of the sigmoid, which has steps.
    np.testing.assert_allclose(leaves(ours, 1), leaves(theirs, 1), rtol=1e-4)


def test_without_normalisation_and_with_another_slope_too() -> None:
    features, labels, sizes = simulated()
    data = lightgbm.Dataset(features, labels, group=sizes, params=QUIET)
    settings = {**QUIET, "num_leaves": 8, "min_data_in_leaf": 5, "sigmoid": 2.5}
    own = {"objective": "lambdarank", "lambdarank_norm": False}
    theirs = lightgbm.train({**settings, **own}, data, 1)
    loss = LIGHTGBM.replace(")@30", ")@30,sigma=2.5,normalize=false")
    objective = relyon.ltr.objective(loss, labels, sizes, threads=1)
    ours = train(objective, features, labels, sizes, 1)
    np.testing.assert_allclose(leaves(ours, 0), leaves(theirs, 0), rtol=1e-6)


def test_a_whole_training_ends_where_lightgbms_does() -> None:
    features, labels, sizes = simulated(120)
    theirs = train("lambdarank", features, labels, sizes, 30)
    objective = relyon.ltr.objective(LIGHTGBM, labels, sizes, threads=1)
    ours = train(objective, features, labels, sizes, 30)

    def reached(booster: Any) -> float:
        scores = booster.predict(features, num_threads=1)
        results = relyon.evaluate_scores(
            labels, scores, sizes, "ndcg@10", convention="lightgbm", threads=1
        )
        return results["ndcg@10"]

    assert reached(ours) == pytest.approx(reached(theirs), abs=0.01)
    assert np.corrcoef(ours.predict(features), theirs.predict(features))[0, 1] > 0.99


@pytest.mark.filterwarnings("ignore:The argument 'eval_set'")  # LightGBM 4.5 has no other
def test_lightgbms_scikit_learn_class_takes_both() -> None:
    features, labels, sizes = simulated(40)
    settings = {"n_estimators": 5, "num_leaves": 8, "min_child_samples": 5, "n_jobs": 1}
    quiet = {"verbosity": -1, "deterministic": True, "force_row_wise": True, "learning_rate": 0.1}
    objective = relyon.ltr.objective(LIGHTGBM, labels, sizes, threads=1)
    metric = relyon.ltr.feval("ndcg@5", sizes, threads=1)
    model = lightgbm.LGBMRanker(objective=objective, **settings, **quiet)
    model.fit(
        features,
        labels,
        group=sizes,
        eval_set=[(features, labels)],
        eval_group=[sizes],
        eval_metric=metric,
    )
    plain = train(objective, features, labels, sizes, 5)
    scores = model.predict(features)
    np.testing.assert_allclose(scores, plain.predict(features), rtol=1e-12)
    expected = relyon.evaluate_scores(labels, scores, sizes, "ndcg@5", threads=1)["ndcg@5"]
    found = model.evals_result_["training"]["ndcg@5"]
    assert found[-1] == pytest.approx(expected, abs=1e-12)


def folder() -> Path:
    root = Path(os.environ.get("RELYON_TEST_DATA", "../shared/data"))
    found = root / "lightgbm_lambdarank"
    if not found.is_dir():
        pytest.skip("the collection lightgbm_lambdarank is not here")
    return found


def test_the_first_tree_is_lightgbms_on_its_own_example() -> None:
    from sklearn.datasets import load_svmlight_file

    found = folder()
    with gzip.open(found / "rank.train.gz") as file:
        features, labels = load_svmlight_file(file)
    sizes = np.loadtxt(found / "rank.train.query", dtype=int)
    theirs = train("lambdarank", features, labels, sizes, 1)
    objective = relyon.ltr.objective(LIGHTGBM, labels, sizes, threads=1)
    ours = train(objective, features, labels, sizes, 1)
    np.testing.assert_allclose(leaves(ours, 0), leaves(theirs, 0), rtol=1e-6)


def test_rows_of_a_query_may_stand_anywhere() -> None:
    _, labels, sizes = simulated(10)
    ids = np.repeat(np.arange(10), sizes)
    order = np.random.default_rng(5).permutation(len(labels))
    scores = np.random.default_rng(6).normal(size=len(labels))
    together = relyon.ltr.objective("lambdarank(measure=ap)", labels, sizes)
    apart = relyon.ltr.objective("lambdarank(measure=ap)", labels[order], ids[order])
    for whole, mixed in zip(
        together.derivatives(scores), apart.derivatives(scores[order]), strict=True
    ):
        np.testing.assert_allclose(mixed, whole[order], rtol=1e-6)


@pytest.mark.parametrize(
    "name",
    [
        "ranknet",
        "squared_error",
        "softrank(cap=400)",
        "lambdarank(measure=err(max=4))",
        "lambdarank(measure=ap,weighting=pairs)",
    ],
)
def test_every_loss_is_an_objective(name: str) -> None:
    features, labels, sizes = simulated(8)
    weights = np.random.default_rng(4).uniform(0.5, 2, len(labels))
    objective = relyon.ltr.objective(name, labels, sizes, weights=weights, threads=1)
    scores = np.random.default_rng(2).normal(size=len(labels))
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    gradient, hessian = objective.derivatives(scores)
    found = relyon.ltr.loss(name).evaluate(labels, scores, offsets, weights=weights)
    np.testing.assert_allclose(gradient, found.gradient, rtol=2e-6, atol=1e-12)
    assert found.hessian is not None
    np.testing.assert_allclose(hessian, found.hessian, rtol=2e-6, atol=1e-12)
    assert train(objective, features, labels, sizes, 2).num_trees() == 2


@pytest.mark.parametrize("name", ["ranknet", "lambdarank(measure=rr)"])
def test_an_objective_travels(name: str) -> None:
    one = relyon.ltr.objective(name, [0, 2, 1, 0], ["a", "b", "a", "b"], weights=[1, 2, 1, 3])
    other = pickle.loads(pickle.dumps(one))
    assert copy.deepcopy(one) is one
    assert repr(other) == repr(one)
    scores = [0.1, 0.4, 0.3, 0.2]
    for ours, theirs in zip(one.derivatives(scores), other.derivatives(scores), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("ties", ["input", "drawn"])
def test_threads_and_seeds_decide_nothing_but_ties(ties: str) -> None:
    _, labels, sizes = simulated(200)
    scores = np.random.default_rng(2).integers(0, 9, len(labels))

    def found(threads: int, seed: int = 0) -> Any:
        loss = f"lambdarank(ties={ties})"
        one = relyon.ltr.objective(loss, labels, sizes, threads=threads, seed=seed)
        return one.derivatives(scores)[0].tobytes()

    assert found(1) == found(2) == found(5)
    assert (found(1) == found(1, seed=1)) == (ties == "input")


def test_labelled_rows_and_conventions() -> None:
    _, labels, sizes = simulated(10)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    rows = LabelledRows(labels, None, offsets, [str(i) for i in range(10)])
    objective = relyon.ltr.objective("lambdarank(measure=ndcg@5)", rows, convention="lightgbm")
    assert "gain=exp" in str(objective.loss)
    assert "max=4" in str(relyon.ltr.objective("lambdarank(measure=err)", rows).loss)
    with pytest.raises(InputError, match="contain their own"):
        relyon.ltr.objective("ranknet", rows, sizes)


@pytest.mark.parametrize(
    ("labels", "groups", "words"),
    [
        ([1, 0, 1], [2, 2], "fit neither as sizes nor as ids"),
        ([1, 0, 1], None, "without queries"),
        ([1.0, np.nan, 0.0], [3], "labels, row 1: nan"),
        ([[1, 0], [0, 1]], [2, 2], "one dimension"),
        ([1, 1, 0], [2, 1], "nothing to learn|no query has two documents"),
        ([2, 2, 2], [3], "no query has two documents"),
        ([1], [1], "no query has two documents"),
        ([2000, 0], [2], "whose gain is not a finite number"),
    ],
)
def test_bad_labels_have_a_clear_answer(labels: Any, groups: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        relyon.ltr.objective("lambdarank(measure=ndcg(gain=exp)@10)", labels, groups)


def test_labels_below_0_are_worth_nothing_and_keep_their_order_in_pairs() -> None:
    ndcg = relyon.ltr.objective("lambdarank(measure=ndcg@5)", [-1, 0, 2], [3])
    zero = relyon.ltr.objective("lambdarank(measure=ndcg@5)", [0, 0, 2], [3])
    scores = [0.3, 0.2, 0.1]
    np.testing.assert_array_equal(ndcg.derivatives(scores)[0], zero.derivatives(scores)[0])
    pairs = relyon.ltr.objective("lambdarank(measure=pnr)", [-1, 0], [2])
    assert (pairs.derivatives([0.0, 0.0])[0] != 0).all()
    with pytest.raises(InputError, match="lowest label is -1"):
        relyon.ltr.objective("lambdarank(measure=ndcg@5)", [-1, 0, 2], [3], convention="lightgbm")


def test_scores_that_do_not_fit_are_refused() -> None:
    objective = relyon.ltr.objective("lambdarank", [1, 0], [2])
    with pytest.raises(InputError, match="scored 3 rows"):
        objective.derivatives([1.0, 2.0, 3.0])
    with pytest.raises(InputError, match="row 1: not a number"):
        objective.derivatives([1.0, np.nan])


def test_a_data_set_of_other_rows_is_refused() -> None:
    features, labels, sizes = simulated(5)
    with pytest.raises(InputError, match="row 0 of the data set has the label"):
        train(relyon.ltr.objective("ranknet", labels + 1, sizes), features, labels, sizes, 1)
    with pytest.raises(InputError, match="have different queries"):
        train(relyon.ltr.objective("ranknet", labels, sizes[::-1]), features, labels, sizes, 1)
    weights = np.linspace(0.5, 2, len(labels))
    with pytest.raises(InputError, match="has weights"):
        train(
            relyon.ltr.objective("ranknet", labels, sizes),
            features,
            labels,
            sizes,
            1,
            weight=weights,
        )


def test_catboost_cannot_take_an_objective_and_takes_one_metric() -> None:
    with pytest.raises(ParameterError, match="blocks of rows"):
        relyon.ltr.objective("ranknet", [1, 0], [2], engine="catboost")
    with pytest.raises(ParameterError, match="one metric, not 2"):
        relyon.ltr.feval(["ndcg", "rr"], [2], engine="catboost")
    with pytest.raises(ParameterError, match="engine"):
        relyon.ltr.feval("ndcg", engine="sklearn")  # type: ignore[arg-type]


def test_lightgbm_counts_the_same_in_one_training() -> None:
    features, labels, sizes = simulated()
    rest, other, few = simulated(20, seed=9)
    data = lightgbm.Dataset(features, labels, group=sizes, params=QUIET)
    valid = lightgbm.Dataset(rest, other, group=few, reference=data, params=QUIET)
    metric = relyon.ltr.feval(
        ["ndcg@1", "ndcg@5", "ndcg@10", "ap@5"], convention="lightgbm", threads=1
    )
    history: dict[str, Any] = {}
    lightgbm.train(
        {**QUIET, "objective": "lambdarank", "metric": ["ndcg", "map"], "eval_at": [1, 5, 10]},
        data,
        6,
        valid_sets=[data, valid],
        feval=metric,
        callbacks=[lightgbm.record_evaluation(history)],
    )
    for name in ("training", "valid_1"):
        found = history[name]
        for measure in ("ndcg@1", "ndcg@5", "ndcg@10"):
            # LightGBM's number and ours have one name, and come in turns.
            theirs, ours = found[measure][::2], found[measure][1::2]
            assert len(theirs) == len(ours) == 6
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)
        np.testing.assert_allclose(found["map@5"], found["ap@5"], rtol=0, atol=1e-12)
    assert len(list(metric)) == 2


def test_xgboost_counts_the_same_in_one_training() -> None:
    features, labels, sizes = simulated()
    rows = relyon.ltr.feval(["ndcg@5", "ap@5"], engine="xgboost", convention="xgboost", threads=1)
    data = xgboost.DMatrix(features, np.minimum(labels, 1))
    data.set_group(sizes)
    history: dict[str, Any] = {}
    objective = relyon.ltr.objective(
        "lambdarank(measure=ap@5)", np.minimum(labels, 1), sizes, engine="xgboost", threads=1
    )
    booster = xgboost.train(
        {"nthread": 1, "eval_metric": ["ndcg@5", "map@5"], "base_score": 0.0},
        data,
        5,
        evals=[(data, "train")],
        obj=objective,
        custom_metric=rows,
        evals_result=history,
        verbose_eval=False,
    )
    own = dict(
        part.split(":") for part in booster.eval(data, "train").split() if part.startswith("train")
    )
    numbers = rows.of(data).numbers
    assert numbers["ndcg@5"] == pytest.approx(float(own["train-ndcg@5"]), abs=1e-12)
    assert numbers["ap@5"] == pytest.approx(float(own["train-map@5"]), abs=1e-12)
    assert history["train"]["ap@5"][-1] > history["train"]["ap@5"][0]


def test_catboost_counts_the_same_in_one_training() -> None:
    features, labels, sizes = simulated()
    ids = np.repeat(np.arange(len(sizes)), sizes)
    metric = relyon.ltr.feval(
        "ndcg(gain=exp)@5", sizes, engine="catboost", convention="catboost", threads=1
    )
    pool = catboost.Pool(features, labels, group_id=ids)
    model = catboost.CatBoost(
        {
            "loss_function": "QueryRMSE",
            "custom_metric": ["NDCG:top=5;type=Exp;hints=skip_train~false"],
            "eval_metric": metric,
            "iterations": 5,
            "thread_count": 1,
            "verbose": False,
            "allow_writing_files": False,
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(pool)
    found = model.evals_result_["learn"]
    ours = next(
        values for name, values in found.items() if "NDCG" not in name and "RMSE" not in name
    )
    theirs = next(values for name, values in found.items() if "NDCG" in name)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


def test_a_metric_needs_queries() -> None:
    features, labels, _ = simulated(5)
    data = lightgbm.Dataset(features, labels, params=QUIET).construct()
    metric = relyon.ltr.feval("ndcg@5")
    with pytest.raises(InputError, match="unknown queries"):
        metric(np.zeros(len(labels)), data)


def test_a_metric_is_evaluate_scores_for_every_measure() -> None:
    _, labels, sizes = simulated(30)
    # The last one has no mean over the orders of tied rows.
    names = ["ndcg@10", "pnr", "auc", "err", "rr", "success@3", "ap(denominator=retrieved)"]
    metric = relyon.ltr.feval(names, sizes)
    scores = np.round(np.random.default_rng(8).normal(size=len(labels)), 1)
    expected = relyon.evaluate_scores(labels, scores, sizes, names)
    assert {name: value for name, value, _ in metric(labels, scores)} == {
        name: expected[name] for name in names
    }
