"""Every model of the table, with trees, linear and neural: what it reaches on held-out queries."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.unit.lists import lists

import relyon
import relyon.ltr
from relyon.ltr import LinearRanker, NeuralRanker, TreeRanker
from relyon.ltr.rankers.models import MODELS

pytest.importorskip("torch")

DATA, HELD = lists(40), lists(40, seed=1)
TREES: dict[str, Any] = {"trees": 15, "leaves": 6, "min_rows": 5, "threads": 1}
NEURAL: dict[str, Any] = {"epochs": 15, "hidden": (8,), "threads": 1, "learning_rate": 0.02}
SETTINGS = {"trees": TREES, "linear": {"threads": 1}, "neural": NEURAL}


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    import torch

    torch.set_num_threads(1)


def reached(ranker: Any) -> float:
    return float(ranker.score(HELD.X, HELD.labels, HELD.qid))


def trained(model: str, scorer: Any, **parameters: Any) -> Any:
    made = relyon.ltr.ranker(model, scorer=scorer, **SETTINGS[scorer] | parameters)
    return made.fit(DATA.X, DATA.labels, qid=DATA.qid)


@cache
def chance() -> float:
    """Returns what random orders reach at most, of 20."""
    drawn = [np.random.default_rng(seed).random(len(HELD.X)) for seed in range(20)]
    found = [relyon.evaluate_scores(HELD.labels, one, HELD.qid, ["ndcg@10"]) for one in drawn]
    return max(one["ndcg@10"] for one in found)


@cache
def base(scorer: str) -> float:
    """Returns what plain regression reaches."""
    return reached(trained("regression", scorer))


@pytest.mark.parametrize("scorer", ["trees", "linear", "neural"])
@pytest.mark.parametrize("model", [name for name in MODELS if name != "lambdamart"])
def test_every_model_learns(model: str, scorer: str) -> None:
    found = reached(trained(model, scorer))
    assert found > chance() + 0.15
    assert found > base(scorer) - 0.06  # after a few steps only


def test_lambdamart_is_lambdarank_with_trees() -> None:
    one, other = trained("lambdamart", "trees"), trained("lambdarank", "trees")
    assert (one.predict(HELD.X) == other.predict(HELD.X)).all()
    with pytest.raises(relyon.ParameterError, match="lambdamart is made of trees"):
        relyon.ltr.ranker("lambdamart", scorer="neural")


@pytest.mark.parametrize("scorer", ["trees", "linear"])
def test_lambdarank_follows_the_convention_of_its_measure(scorer: Any) -> None:
    """LightGBM's convention has exponential gains: they are trained for, not only reported."""
    said = trained("lambdarank", scorer, convention="lightgbm")
    named = trained("lambdarank", scorer, measure="ndcg(gain=exp)@10")
    plain = trained("lambdarank", scorer, measure="ndcg(gain=linear)@10")
    assert (said.predict(HELD.X) == named.predict(HELD.X)).all()
    assert (said.predict(HELD.X) != plain.predict(HELD.X)).any()


def test_names_and_parameters() -> None:
    assert relyon.ltr.ranker("SoftRank(sigma=0.5)").loss == "softrank(sigma=0.5)"
    assert isinstance(relyon.ltr.ranker("listnet", scorer="linear"), LinearRanker)
    with pytest.raises(relyon.UnknownNameError, match="unknown model: `lambdmart`") as caught:
        relyon.ltr.ranker("lambdmart")
    assert "lambdamart" in caught.value.hint
    with pytest.raises(relyon.ParameterError, match="LinearRanker has no parameter `trees`"):
        relyon.ltr.ranker("listnet", scorer="linear", trees=3)
    with pytest.raises(relyon.ParameterError, match="not a model's name"):
        relyon.ltr.ranker("3")
    with pytest.raises(relyon.ParameterError, match="`scorer` must be one of"):
        relyon.ltr.ranker("listnet", scorer="forest")  # type: ignore[arg-type]


@pytest.mark.parametrize("measure", ["ap", "rr", "err@10", "p@3", "auc", "ndcg(gain=exp)@5"])
def test_any_measure_is_trained(measure: str) -> None:
    ranker = trained("lambdamart", "trees", measure=measure)
    other = trained("lambdamart", "trees", measure=measure)
    assert (ranker.predict(HELD.X) == other.predict(HELD.X)).all()
    shuffled = np.random.default_rng(0).random(len(HELD.X))
    base = relyon.evaluate_scores(HELD.labels, shuffled, HELD.qid, [measure])[measure]
    assert reached(ranker) > base + 0.1


def test_rows_sorted_by_label_teach_the_same() -> None:
    order = np.lexsort((-DATA.labels, DATA.qid))
    made = TreeRanker(**TREES).fit(DATA.X[order], DATA.labels[order], qid=DATA.qid[order])
    straight = TreeRanker(**TREES).fit(DATA.X, DATA.labels, qid=DATA.qid)
    assert reached(made) == pytest.approx(reached(straight), abs=0.02)
    first = TreeRanker(**TREES | {"trees": 1})
    first.fit(DATA.X[order], DATA.labels[order], qid=DATA.qid[order])
    assert reached(first) > chance() + 0.1


@pytest.mark.parametrize("model", ["regression", "ranknet", "lambdamart"])
@pytest.mark.parametrize("engine", ["xgboost", "catboost"])
def test_other_engines(engine: str, model: str, tmp_path: Any) -> None:
    made = trained(model, "trees", engine=engine, min_rows=None)
    assert reached(made) > chance() + 0.15
    assert (trained(model, "trees", engine=engine, min_rows=None).predict(HELD.X)
            == made.predict(HELD.X)).all()  # fmt: skip
    made.save(tmp_path / "made")
    again = relyon.ltr.load(tmp_path / "made")
    assert (again.predict(HELD.X) == made.predict(HELD.X)).all()
    assert made.feature_importances_.argmax() == 0
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "made").read_bytes()


@pytest.mark.parametrize("model", ["regression", "lambdamart"])
@pytest.mark.parametrize("engine", ["lightgbm", "xgboost", "catboost"])
def test_two_threads_give_the_same_trees_again(engine: str, model: str) -> None:
    """More rows than an engine hands to one thread, and draws of rows and features."""
    pytest.importorskip(engine)
    random = np.random.default_rng(0)
    X = random.normal(size=(6000, 10)).astype(np.float32)
    labels = np.clip(np.round(X[:, 0] + X[:, 1] * X[:, 2]), 0, 3)
    wanted: dict[str, Any] = {"row_fraction": 0.7, "feature_fraction": 0.7, "trees": 5}
    scores = [
        relyon.ltr.ranker(model, engine=engine, threads=2, **wanted)
        .fit(X, labels, qid=np.arange(6000) // 20)
        .predict(X)
        for _ in range(2)
    ]
    assert (scores[0] == scores[1]).all()


@pytest.mark.parametrize("model", ["listnet", "softrank", "lambdaloss"])
def test_xgboost_takes_our_losses(model: str) -> None:
    assert reached(trained(model, "trees", engine="xgboost", min_rows=None)) > chance() + 0.15


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost", "catboost"])
def test_sparse_features_with_long_indices(engine: str) -> None:
    from scipy.sparse import csr_array

    X = csr_array(np.where(DATA.X > 0.5, DATA.X, 0.0))
    long = csr_array((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), X.shape)
    made = [
        TreeRanker("regression", engine=engine, trees=2, threads=1)
        .fit(given, DATA.labels, qid=DATA.qid)
        .predict(given)
        for given in (X, long)
    ]
    assert (made[0] == made[1]).all()
    assert len(np.unique(made[0])) > 2


def test_what_an_engine_cannot_do_is_said() -> None:
    with pytest.raises(relyon.ParameterError, match="CatBoost cannot train listnet"):
        trained("listnet", "trees", engine="catboost")
    made = TreeRanker(engine="catboost", trees=2, threads=1)
    weights = np.linspace(1, 2, len(DATA.X))
    with pytest.raises(relyon.ParameterError, match="takes no row weights"):
        made.fit(DATA.X, DATA.labels, qid=DATA.qid, sample_weight=weights)
    with pytest.warns(relyon.RelyonWarning, match="does not count rows per leaf"):
        trained("regression", "trees", engine="xgboost", trees=1)


def clicks(seed: int = 5) -> tuple[Any, Any, Any]:
    """Returns clicks, where rows were shown, and how likely they were seen there."""
    random = np.random.default_rng(seed)
    positions = np.tile(np.arange(1, 13), 40)
    seen = 1.0 / positions
    clicked = (random.random(len(positions)) < seen * (DATA.labels + 0.1) / 3.3).astype(float)
    return clicked, positions, 1 / seen


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_positions_are_learnt_from(engine: str) -> None:
    clicked, positions, _ = clicks()
    made = TreeRanker(**TREES | {"engine": engine, "min_rows": None})
    made.fit(DATA.X, clicked, qid=DATA.qid, positions=positions)
    plain = TreeRanker(**TREES | {"engine": engine, "min_rows": None})
    plain.fit(DATA.X, clicked, qid=DATA.qid)
    assert reached(made) > chance()
    assert (made.predict(HELD.X) != plain.predict(HELD.X)).any()
    for loss in ("listnet", "lambdarank(measure=ap)"):
        with pytest.raises(relyon.ParameterError, match="learns the position bias only with"):
            TreeRanker(loss, **TREES | {"engine": engine, "min_rows": None}).fit(
                DATA.X, clicked, qid=DATA.qid, positions=positions
            )


@pytest.mark.parametrize("scorer", ["trees", "linear", "neural"])
def test_weights_are_heard(scorer: str) -> None:
    clicked, _, weights = clicks()
    made = [
        relyon.ltr.ranker("ranknet", scorer=scorer, **SETTINGS[scorer])  # type: ignore[arg-type]
        .fit(DATA.X, clicked, qid=DATA.qid, sample_weight=given)
        .predict(HELD.X)
        for given in (None, weights, np.ones(len(weights)))
    ]
    assert (made[0] != made[1]).any()
    np.testing.assert_allclose(made[0], made[2], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("attention", [False, True])
def test_neural_again_and_from_a_file(attention: bool, tmp_path: Any) -> None:
    parameters = NEURAL | {"attention": attention, "epochs": 2, "dropout": 0.1}
    made = [NeuralRanker("listmle", **parameters).fit(DATA.X, DATA.labels, qid=DATA.qid)
            for _ in range(2)]  # fmt: skip
    scores = [one.predict(HELD.X, HELD.qid) for one in made]
    assert (scores[0] == scores[1]).all()
    made[0].save(tmp_path / "made")
    again = relyon.ltr.load(tmp_path / "made")
    assert (again.predict(HELD.X, HELD.qid) == scores[0]).all()
    assert again.get_params() | {"hidden": 0} == made[0].get_params() | {"hidden": 0}
    other = NeuralRanker("listmle", **parameters, seed=1).fit(DATA.X, DATA.labels, qid=DATA.qid)
    assert (other.predict(HELD.X, HELD.qid) != scores[0]).any()


def test_attention_sees_the_list_and_nothing_else() -> None:
    made = trained("listnet", "neural", attention=True)
    whole = made.predict(HELD.X, HELD.qid)
    with pytest.raises(relyon.InputError, match="looks at whole lists: predict needs the queries"):
        made.predict(HELD.X)
    alone = made.predict(HELD.X[:12], HELD.qid[:12])
    np.testing.assert_allclose(alone, whole[:12], rtol=1e-4, atol=1e-5)
    part = made.predict(HELD.X[:6], HELD.qid[:6])
    assert np.abs(part - whole[:6]).max() > 1e-4
    order = np.random.default_rng(2).permutation(len(HELD.X))
    mixed = made.predict(HELD.X[order], HELD.qid[order])
    np.testing.assert_allclose(mixed, whole[order], rtol=1e-4, atol=1e-5)
    long = np.r_[np.zeros(24, int), HELD.qid[24:]]  # padding of the others must not leak
    padded = made.predict(HELD.X, long)
    np.testing.assert_allclose(padded[24:], whole[24:], rtol=1e-4, atol=1e-5)


def test_neural_stops_at_the_best_epoch() -> None:
    made = NeuralRanker("listnet", **NEURAL | {"epochs": 40}, stop=2)
    made.fit(DATA.X, DATA.labels, qid=DATA.qid, eval_set=(HELD.X, HELD.labels, HELD.qid))
    values = [one["ndcg@10"] for one in made.history_]
    assert made.n_iter_ == 1 + int(np.argmax(values))
    assert len(values) in {made.n_iter_ + 2, 40}
    assert reached(made) == max(values)
    with pytest.raises(relyon.ParameterError, match="`stop` needs rows"):
        NeuralRanker(stop=2).fit(DATA.X, DATA.labels, qid=DATA.qid)


def test_missing_values_are_refused_where_they_cannot_be_taken() -> None:
    X = DATA.X.copy()
    X[3, 1] = np.nan
    for kind in (LinearRanker, NeuralRanker):
        with pytest.raises(relyon.InputError, match="Input X contains NaN") as caught:
            kind().fit(X, DATA.labels, qid=DATA.qid)
        assert "SimpleImputer" in caught.value.hint


def test_linear_weights_are_those_of_the_features_as_given(tmp_path: Any) -> None:
    made = LinearRanker("squared_error", l2=0, threads=1)
    made.fit(DATA.X, DATA.labels, qid=DATA.qid)
    ones = np.c_[DATA.X, np.ones(len(DATA.X))]
    expected = np.linalg.lstsq(ones, DATA.labels, rcond=None)[0]
    np.testing.assert_allclose(np.r_[made.coef_, made.intercept_], expected, atol=1e-4)
    moved = LinearRanker("ranknet", threads=1).fit(100 * DATA.X + 7, DATA.labels, qid=DATA.qid)
    straight = LinearRanker("ranknet", threads=1).fit(DATA.X, DATA.labels, qid=DATA.qid)
    np.testing.assert_allclose(100 * moved.coef_, straight.coef_, rtol=1e-3, atol=1e-6)
    from scipy.sparse import csr_array

    sparse = LinearRanker("ranknet", threads=1)
    sparse.fit(csr_array(DATA.X), DATA.labels, qid=DATA.qid)
    np.testing.assert_allclose(sparse.coef_, straight.coef_, atol=0.01)
    moved.save(tmp_path / "made")
    again = relyon.ltr.load(tmp_path / "made")
    assert (again.predict(HELD.X) == moved.predict(HELD.X)).all()
    assert (again.loss_, again.n_iter_) == (moved.loss_, moved.n_iter_)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (LinearRanker(l2=-1), "`l2` must be 0 or more"),
        (LinearRanker(iterations=0), "`iterations` must be a whole number"),
        (NeuralRanker(hidden=(0,)), "`hidden` must be a whole number"),
        (NeuralRanker(dropout=1), "`dropout` must be 0 or more and below 1"),
        (NeuralRanker(learning_rate=0), "`learning_rate` must be above 0"),
        (NeuralRanker(hidden=(3,), attention=True), "a last hidden layer whose size is a multiple"),
        (NeuralRanker(hidden=(), attention=True), "a last hidden layer whose size is a multiple"),
        (NeuralRanker("lisnet"), "unknown loss"),
        (TreeRanker("lambdarank(measure=bpref)"), "cannot be an objective"),
    ],
)
def test_bad_parameters_are_refused(made: Any, expected: str) -> None:
    with pytest.raises(relyon.RelyonError, match=expected):
        made.fit(DATA.X, DATA.labels, qid=DATA.qid)


@pytest.mark.parametrize("model", ["regression", "classification", "lambdamart"])
@pytest.mark.parametrize("engine", ["lightgbm", "xgboost", "catboost"])
def test_trees_stop_on_the_measure(engine: str, model: str, tmp_path: Any) -> None:
    parameters = TREES | {"engine": engine, "min_rows": None, "trees": 60, "learning_rate": 0.3}
    made = relyon.ltr.ranker(model, measure="ndcg@5", stop=3, **parameters)
    made.fit(DATA.X, DATA.labels, qid=DATA.qid, eval_set=(HELD.X, HELD.labels, HELD.qid))
    best = int(np.argmax(made.history_))
    assert made.forest_.trees == best + 1
    assert len(made.history_) in {best + 4, 60}
    assert made.score(HELD.X, HELD.labels, HELD.qid) == pytest.approx(max(made.history_), abs=2e-6)
    made.save(tmp_path / "made")
    again = relyon.ltr.load(tmp_path / "made")
    assert (again.predict(HELD.X) == made.predict(HELD.X)).all()
    assert again.forest_.trees == made.forest_.trees


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost", "catboost"])
def test_trees_stop_at_a_significantly_worse_one(engine: str) -> None:
    parameters = TREES | {"engine": engine, "min_rows": None, "trees": 30}
    made = TreeRanker(**parameters | {"stop": "significance", "measure": "ndcg@5"})
    made.fit(DATA.X, DATA.labels, qid=DATA.qid, eval_set=(HELD.X, HELD.labels, HELD.qid))
    assert made.forest_.trees == 1 + int(np.argmax(made.history_))
    assert len(made.history_) == 30  # nothing becomes significantly worse within so few trees
    turned = (HELD.X, 3 - HELD.labels, HELD.qid)  # learning makes these rows worse and worse
    made.fit(DATA.X, DATA.labels, qid=DATA.qid, eval_set=turned)
    assert len(made.history_) < 30
    auc = TreeRanker("regression", **parameters | {"stop": "significance", "measure": "pnr"})
    with pytest.raises(relyon.ParameterError, match="is not a mean over queries"):
        auc.fit(DATA.X, DATA.labels, qid=DATA.qid, eval_set=turned)


def test_stopping_needs_rows() -> None:
    with pytest.raises(relyon.ParameterError, match="`stop` needs rows to watch"):
        TreeRanker(stop=3).fit(DATA.X, DATA.labels, qid=DATA.qid)
    with pytest.raises(relyon.ParameterError, match="`stop` must be a whole number"):
        TreeRanker(stop=0).fit(DATA.X, DATA.labels, qid=DATA.qid)
