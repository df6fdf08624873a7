"""The presets `lightgbm`, `xgboost` and `catboost` against the programs."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import relyon

Peer = Callable[[str], ModuleType]
Make = Callable[..., Any]

pytestmark = pytest.mark.filterwarnings("ignore")  # the programs warn of their own settings


def lightgbm_values(
    module: ModuleType, labels: Any, scores: Any, groups: list[int], **settings: Any
) -> dict[str, float]:
    """Returns LightGBM's NDCG and MAP of scores given as initial scores of an empty model."""
    everything = {
        "objective": "lambdarank",
        "metric": ["ndcg", "map"],
        "eval_at": [1, 3, 5, 10],
        "verbose": -1,
        "min_data_in_leaf": 1,
        "feature_pre_filter": False,
        **settings,
    }
    data = module.Dataset(
        np.zeros((len(labels), 1)),
        label=np.asarray(labels, dtype=float),
        group=groups,
        init_score=np.asarray(scores, dtype=float),
        params=everything,
    )
    return {entry[1]: float(entry[2]) for entry in module.Booster(everything, data).eval_train()}


def xgboost_values(
    module: ModuleType,
    labels: Any,
    scores: Any,
    groups: list[int],
    metrics: list[str],
    **settings: Any,
) -> dict[str, float]:
    """Returns XGBoost's measures of scores given as base margin of a model without trees."""
    data = module.DMatrix(np.zeros((len(labels), 1)), label=labels)
    data.set_group(groups)
    data.set_base_margin(np.asarray(scores, dtype=float))
    everything = {"objective": "rank:pairwise", "eval_metric": metrics, "base_score": 0.0}
    printed = module.train(everything | settings, data, 0).eval_set([(data, "d")])
    items = [item.rsplit(":", 1) for item in printed.split("\t")[1:]]
    return {name[2:]: float(value) for name, value in items}


AT = ("@1", "@3", "@5", "@10")
KINDS = {"plain": {}, "ties": {"ties": True}, "edges": {"edges": True, "ties": True}}


@pytest.mark.parametrize("kind", KINDS)
def test_lightgbm(kind: str, peer: Peer, inputs: Make, labelled: Make) -> None:
    module = peer("lightgbm")
    labels, scores, groups = labelled(inputs(31, highest=4, **KINDS[kind]))
    expected = lightgbm_values(module, labels, scores, groups)
    names = list(expected)
    results = relyon.evaluate_scores(labels, scores, groups, names, convention="lightgbm")
    assert dict(zip(names, results.values(), strict=True)) == pytest.approx(expected, rel=1e-12)


def test_lightgbm_label_gain(peer: Peer, inputs: Make, labelled: Make) -> None:
    module = peer("lightgbm")
    labels, scores, groups = labelled(inputs(32))
    expected = lightgbm_values(module, labels, scores, groups, label_gain=[0, 1, 5, 6])
    names = [f"ndcg(gain={{0:0,1:1,2:5,3:6}}){cut}" for cut in AT]
    results = relyon.evaluate_scores(labels, scores, groups, names, convention="lightgbm")
    assert list(results.values()) == pytest.approx(
        [expected[f"ndcg{cut}"] for cut in AT], rel=1e-12
    )


def test_lightgbm_keeps_input_order_and_64_bits(peer: Peer) -> None:
    module = peer("lightgbm")
    for labels, scores in (([0, 1], [1, 1]), ([1, 0], [1, 1]), ([0, 1], [1, 1 + 1e-9])):
        expected = lightgbm_values(module, labels, scores, [2])["ndcg@1"]
        results = relyon.evaluate_scores(labels, scores, measures=["ndcg@1"], convention="lightgbm")
        assert results["ndcg@1"] == expected


def test_lightgbm_counts_one_without_relevant_documents(peer: Peer) -> None:
    expected = lightgbm_values(peer("lightgbm"), [0, 0, 1, 0], [2, 1, 1, 2], [2, 2])
    names = ["ndcg@1", "map@3"]
    results = relyon.evaluate_scores(
        [0, 0, 1, 0], [2, 1, 1, 2], [2, 2], names, convention="lightgbm"
    )
    assert [expected[name] for name in names] == [0.5, 0.75]
    assert list(results.values()) == [0.5, 0.75]


# XGBoost keeps discounts and sums with less precision
CLOSE = 1e-6


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("suffix", ["", "-"])
def test_xgboost_ndcg(kind: str, suffix: str, peer: Peer, inputs: Make, labelled: Make) -> None:
    module = peer("xgboost")
    labels, scores, groups = labelled(inputs(33, highest=4, **KINDS[kind]))
    metrics = [f"ndcg{cut}{suffix}" for cut in AT]
    rules = {"preset": "xgboost", "undefined": "zero" if suffix else "one"}
    for exponential in (True, False):
        expected = xgboost_values(
            module, labels, scores, groups, metrics, ndcg_exp_gain=exponential
        )
        gain = "exp" if exponential else "linear"
        names = [f"ndcg(gain={gain}){cut}" for cut in AT]
        results = relyon.evaluate_scores(labels, scores, groups, names, convention=rules)
        assert list(results.values()) == pytest.approx(list(expected.values()), rel=CLOSE)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("suffix", ["", "-"])
def test_xgboost_map_and_precision(
    kind: str, suffix: str, peer: Peer, inputs: Make, labelled: Make
) -> None:
    module = peer("xgboost")
    labels, scores, groups = labelled(inputs(34, highest=1, **KINDS[kind]))
    metrics = [f"map{cut}{suffix}" for cut in AT] + [f"pre{cut}" for cut in (*AT, "@1000")]
    expected = xgboost_values(module, labels, scores, groups, metrics)
    names = [name.replace("pre", "p").removesuffix("-") for name in metrics]
    rules = {"preset": "xgboost", "undefined": "zero" if suffix else "one"}
    results = relyon.evaluate_scores(labels, scores, groups, names, convention=rules)
    assert list(results.values()) == pytest.approx(list(expected.values()), rel=CLOSE)


def test_xgboost_compares_float32_in_input_order(peer: Peer) -> None:
    module = peer("xgboost")
    for labels, scores in (([0, 1], [1, 1]), ([1, 0], [1, 1]), ([0, 1], [1, 1 + 1e-9])):
        expected = xgboost_values(module, labels, scores, [2], ["ndcg@1"])["ndcg@1"]
        results = relyon.evaluate_scores(labels, scores, measures=["ndcg@1"], convention="xgboost")
        assert results["ndcg@1"] == expected


def test_xgboost_ranking_auc_counts_pairs_of_equal_labels(peer: Peer) -> None:
    labels, scores = [1, 0, 1, 0], [4, 3, 2, 1]
    expected = xgboost_values(peer("xgboost"), labels, scores, [4], ["auc"])["auc"]
    # all six pairs, in the order of the labels, then of the input: (a, c) and (b, d) count as won
    assert expected == pytest.approx(5 / 6)
    assert relyon.evaluate_scores(labels, scores, measures=["gauc"])["gauc"] == 0.75
    positive = relyon.evaluate_scores(labels, scores, measures=["concordance"])["concordance"]
    assert positive == pytest.approx(5 / 6)


def test_xgboost_refuses_graded_map_and_negative_labels(peer: Peer) -> None:
    module = peer("xgboost")
    for labels, metric in (([2, 1, 0], "map"), ([-1, 1, 0], "ndcg")):
        with pytest.raises(module.core.XGBoostError):
            xgboost_values(module, labels, [3, 2, 1], [3], [metric])
    with pytest.raises(ValueError, match="negative"):
        relyon.evaluate_scores([-1, 1, 0], [3, 2, 1], measures=["ndcg"], convention="xgboost")


def as_rows(data: Any) -> tuple[list[float], list[float], list[int]]:
    """Returns judgments and a run as these programs see them: the retrieved documents alone."""
    labels: list[float] = []
    scores: list[float] = []
    groups = []
    for query, listed in data.run.items():
        if query not in data.judgments or not listed:
            continue
        labels += [float(data.judgments[query].get(document, 0)) for document in listed]
        scores += listed.values()
        groups.append(len(listed))
    return labels, scores, groups


@pytest.mark.parametrize("kind", KINDS)
def test_relevant_documents_outside_the_run_are_not_seen(
    kind: str, peer: Peer, inputs: Make
) -> None:
    data = inputs(36, highest=1, **KINDS[kind])
    labels, scores, groups = as_rows(data)
    expected = lightgbm_values(peer("lightgbm"), labels, scores, groups)
    names = list(expected)
    results = relyon.evaluate(data.judgments, data.run, names, convention="lightgbm")
    assert dict(zip(names, results.values(), strict=True)) == pytest.approx(expected, rel=1e-12)
    metrics = [f"{name}{cut}" for name in ("ndcg", "map", "pre") for cut in AT]
    expected = xgboost_values(peer("xgboost"), labels, scores, groups, metrics)
    names = [name.replace("pre", "p") for name in metrics]
    results = relyon.evaluate(data.judgments, data.run, names, convention="xgboost")
    assert list(results.values()) == pytest.approx(list(expected.values()), rel=CLOSE)


CATBOOST = {
    "NDCG": "ndcg",
    "NDCG:top=5": "ndcg@5",
    "NDCG:type=Exp": "ndcg(gain=exp)",
    "NDCG:top=5;denominator=Position": "ndcg(discount=inverse)@5",
    "RecallAt:top=5": "recall@5",
    "DCG": "dcg",
    "DCG:top=5;type=Exp": "dcg(gain=exp)@5",
    "MAP": "ap",
    "MAP:top=5": "ap@5",
    "MRR": "rr",
    "MRR:top=2": "rr@2",
    "PrecisionAt:top=5": "p@5",
    "PrecisionAt:top=1000": "p@1000",
}


@pytest.mark.parametrize("kind", KINDS)
def test_catboost(kind: str, peer: Peer, inputs: Make, labelled: Make) -> None:
    module = peer("catboost.utils")
    labels, scores, groups = labelled(inputs(35, **KINDS[kind]))
    ids = np.repeat(np.arange(len(groups)), groups)
    results = relyon.evaluate_scores(
        labels, scores, groups, list(CATBOOST.values()), convention="catboost"
    )
    for theirs, own in CATBOOST.items():
        [expected] = module.eval_metric(
            np.asarray(labels, float), np.asarray(scores), theirs, group_id=ids
        )
        assert results[own] == pytest.approx(expected, rel=1e-9), theirs
