"""Hooks that reach another engine than they were made for."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import polars as pl
import pytest

import relyon.ltr
from relyon.core.errors import InputError, ParameterError

rng = np.random.default_rng(4)
FEATURES = rng.normal(size=(60, 3))
LABELS = np.clip(np.round(FEATURES[:, 0] + rng.normal(size=60)), 0, 3)
SIZES, QUERIES = np.full(6, 10), np.repeat(np.arange(6), 10)
TITLES = {"lightgbm": "LightGBM", "xgboost": "XGBoost", "catboost": "CatBoost"}
PAIRS = [(made, caller) for made in TITLES for caller in TITLES if made != caller]


def with_lightgbm(metric: Any, callbacks: list[Any]) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    rows = lightgbm.Dataset(FEATURES, LABELS, group=SIZES)
    settings = {"num_threads": 1, "verbosity": -1, "metric": "none", "objective": "lambdarank"}
    lightgbm.train(settings, rows, 2, valid_sets=[rows], feval=metric, callbacks=callbacks)


def with_xgboost(metric: Any, callbacks: list[Any]) -> None:
    xgboost = pytest.importorskip("xgboost")
    rows = xgboost.DMatrix(FEATURES, LABELS, group=SIZES)
    xgboost.train(
        {"nthread": 1, "objective": "rank:ndcg"},
        rows,
        2,
        evals=[(rows, "rows")],
        custom_metric=metric,
        callbacks=callbacks,
        verbose_eval=False,
    )


def fit(model: Any, *data: Any, **options: Any) -> None:
    """CatBoost's fit, in a thread.

    CatBoost never lets go of the error of a callback, and every later error of the same thread says
    that it was raised while that one was handled.
    """
    with ThreadPoolExecutor(1) as thread:
        thread.submit(model.fit, *data, **options).result()


def with_catboost(metric: Any, callbacks: list[Any]) -> None:
    catboost = pytest.importorskip("catboost")
    rows = catboost.Pool(FEATURES, LABELS, group_id=QUERIES)
    settings = {"iterations": 2, "thread_count": 1, "allow_writing_files": False, "verbose": False}
    model = catboost.CatBoost({**settings, "eval_metric": metric})
    fit(model, rows, eval_set=rows, callbacks=callbacks)


TRAIN: dict[str, Callable[[Any, list[Any]], None]] = {
    "lightgbm": with_lightgbm,
    "xgboost": with_xgboost,
    "catboost": with_catboost,
}


@pytest.mark.parametrize("stops", [False, True])
@pytest.mark.parametrize(("made", "caller"), PAIRS)
def test_another_engine_is_named_with_the_right_call(made: str, caller: str, stops: bool) -> None:
    pytest.importorskip(made)
    pytest.importorskip(caller)
    metric = relyon.ltr.feval("ndcg@10", QUERIES, engine=made)  # type: ignore[arg-type]
    callbacks = [relyon.ltr.stopping(metric, rounds=1)] if stops else []
    with pytest.raises(Exception, match=f"made for {TITLES[made]}, but {TITLES[caller]}") as found:
        TRAIN[caller](metric, callbacks)
    assert f'engine="{caller}"' in str(found.value)


@pytest.mark.parametrize("engine", TITLES)
def test_its_own_engine_is_served(engine: str) -> None:
    pytest.importorskip(engine)
    metric = relyon.ltr.feval("ndcg@10", QUERIES, engine=engine)  # type: ignore[arg-type]
    stopping = relyon.ltr.stopping(metric, rounds=1)
    TRAIN[engine](metric, [stopping])
    assert 0.5 < stopping.decision.best_value < 1


def test_an_objective_serves_both_engines_and_refuses_catboost() -> None:
    lightgbm, xgboost = pytest.importorskip("lightgbm"), pytest.importorskip("xgboost")
    catboost = pytest.importorskip("catboost")
    scores = rng.normal(size=60)
    one = relyon.ltr.objective("lambdarank", LABELS, SIZES)
    data = [
        lightgbm.Dataset(FEATURES, LABELS, group=SIZES).construct(),
        xgboost.DMatrix(FEATURES, LABELS, group=SIZES),
    ]
    first, second = (one(scores, rows)[0] for rows in data)
    assert np.array_equal(first, second)
    assert first.any()
    model = catboost.CatBoost({
        "iterations": 2, "loss_function": one, "eval_metric": "RMSE", "verbose": False,
        "allow_writing_files": False,
    })  # fmt: skip
    with pytest.raises(Exception, match="CatBoost calls an objective with blocks of rows"):
        fit(model, FEATURES, LABELS)


def test_a_metric_of_xgboost_without_its_data_set_is_refused() -> None:
    metric = relyon.ltr.feval("ndcg@10", engine="xgboost")
    with pytest.raises(ParameterError, match="custom_metric"):
        metric(LABELS, LABELS)


def test_queries_of_several_data_sets_are_told_apart_by_their_rows() -> None:
    groups = [QUERIES.astype(str), np.array([30, 20])]
    metric = relyon.ltr.feval("ndcg@10", groups, engine="catboost")
    for count in (60, 50):
        value, _ = metric.evaluate([FEATURES[:count, 0]], LABELS[:count], None)
        want = relyon.evaluate_scores(
            LABELS[:count],
            FEATURES[:count, 0],
            QUERIES if count == 60 else [30, 20],
            ["ndcg@10"],
        )
        assert value == want["ndcg@10"]
    unclear = relyon.ltr.feval("ndcg@10", [QUERIES, QUERIES // 2], engine="catboost")
    with pytest.raises(InputError, match="unknown queries"):
        unclear.evaluate([LABELS], LABELS, None)


def test_a_number_is_no_rule_and_a_name_no_metric() -> None:
    with pytest.raises(ParameterError, match=r"stopping\(metric, rounds=30\)"):
        relyon.ltr.stopping(relyon.ltr.feval("ndcg@10"), 30)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"relyon\.ltr\.feval"):
        relyon.ltr.stopping("ndcg@10", rounds=30)  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", TITLES)
def test_rows_of_feval_are_sizes_ids_or_labelled_rows(engine: Any) -> None:
    frame = pl.DataFrame({"query": QUERIES, "label": LABELS, "f": FEATURES[:, 0]})
    for rows in ([frame, frame[:30]], frame, frame.to_dict(), FEATURES, "ndcg"):
        with pytest.raises(InputError, match="sizes or ids of queries") as found:
            relyon.ltr.feval("ndcg@10", rows, engine=engine)  # type: ignore[arg-type]
        assert 'feval(…, [train["query"], valid["query"]])' in str(found.value)
    with pytest.raises(InputError, match=r'feval\(…, engine="xgboost"\)'):
        relyon.ltr.feval("ndcg@10", "xgboost", engine=engine)
    labelled = relyon.read_features(frame)
    for good in ([labelled, labelled], labelled, [frame["query"], frame["query"]], frame["query"]):
        assert relyon.ltr.feval("ndcg@10", good, engine=engine).engine == engine
