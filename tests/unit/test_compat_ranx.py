"""The drop-in interface of ranx, without ranx."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relyon.compat.ranx import Qrels, Run, evaluate
from relyon.core.errors import InputError

JUDGED = {"q2": {"a": 1, "b": 0, "c": 3}, "q1": {"a": 2}}
RETRIEVED = {"q2": {"a": 1.0, "b": 2.0, "x": 3.0, "c": 0.5}, "q1": {"a": 1.0}}


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("hits", 1.5),
        ("hit_rate@2", 0.5),
        ("precision@2", 0.25),
        ("recall@3", 0.75),
        ("f1@3", (0.4 + 0.5) / 2),
        ("r-precision", 0.5),
        ("mrr", (1 / 3 + 1) / 2),
        ("map@3", (1 / 3 / 2 + 1) / 2),
        ("rbp.8", (0.2 * (1 * 0.8**2 + 3 * 0.8**3) + 0.2 * 2) / 2),
        ("dcg@3", (1 / 2 + 2) / 2),
        ("dcg_burges@3", (1 / 2 + 3) / 2),
        ("hits-l2", 1.0),
    ],
)
def test_values_by_hand(metric: str, value: float) -> None:
    assert evaluate(JUDGED, RETRIEVED, metric) == pytest.approx(value, rel=1e-12)
    assert evaluate(Qrels(JUDGED), Run(RETRIEVED), metric) == pytest.approx(value, rel=1e-12)


def test_arrays_are_in_the_order_of_the_query_ids() -> None:
    values = evaluate(Qrels(JUDGED), Run(RETRIEVED), "mrr", return_mean=False)
    np.testing.assert_allclose(values, [1.0, 1 / 3])
    values = evaluate(JUDGED, RETRIEVED, "mrr", return_mean=False)
    np.testing.assert_allclose(values, [1 / 3, 1.0])


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("foo", "`foo` is not supported"),
        ("rbp", "needs a persistence"),
        ("ndcg.5", "name@k"),
        ("ndcg@x", "not supported"),
        ("ndcg@-1", "not supported"),
    ],
)
def test_unknown_metrics(metric: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        evaluate(JUDGED, RETRIEVED, metric)


def test_queries_must_be_the_same() -> None:
    with pytest.raises(InputError, match="make_comparable"):
        evaluate(JUDGED, {"q1": {"a": 1.0}}, "map")
    value = evaluate(JUDGED, {"q1": {"a": 1.0}, "q9": {"a": 1.0}}, "map", make_comparable=True)
    assert value == 0.5


def test_empty_lists_count_zero() -> None:
    assert evaluate({"q": {"a": 1}}, {"q": {}}, "map") == 0.0
    assert evaluate({"q": {"a": 1}, "p": {"a": 1}}, {"q": {"a": 1.0}, "p": {}}, "ndcg") == 0.5


def test_nothing_is_changed_without_being_asked() -> None:
    run = Run(RETRIEVED)
    evaluate(Qrels(JUDGED), run, ["map", "mrr"], save_results_in_run=False)
    assert run.mean_scores == {}
    evaluate(Qrels(JUDGED), run, ["map", "mrr"])
    assert set(run.mean_scores) == {"map", "mrr"}
    assert run.scores["mrr"]["q1"] == 1.0


@pytest.mark.parametrize("kind", ["json", "trec", "parquet"])
def test_files_come_back_as_they_were(kind: str, tmp_path: Path) -> None:
    qrels, run = Qrels(JUDGED), Run(RETRIEVED, name="mine")
    qrels.save(tmp_path / f"qrels.{kind}")
    run.save(tmp_path / f"run.{kind}")
    assert Qrels.from_file(tmp_path / f"qrels.{kind}").to_dict() == qrels.to_dict()
    again = Run.from_file(tmp_path / f"run.{kind}")
    assert again.to_dict() == run.to_dict()
    if kind == "trec":
        assert again.name == "mine"


def test_unknown_file_kinds(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no known kind"):
        Qrels.from_file(tmp_path / "qrels.xyz")
    broken = tmp_path / "run.json"
    broken.write_text("[1]")
    with pytest.raises(InputError, match=r"run\.json"):
        Run.from_file(broken)


def test_tables_grow() -> None:
    qrels = Qrels()
    qrels.add_score("q", "a", 2)
    qrels.add_multi(["p"], [["a", "b"]], [[1, 3]])
    assert qrels.to_dict() == {"p": {"b": 3, "a": 1}, "q": {"a": 2}}
    run = Run()
    run.add("q", ["b", "a"], [2, 1])
    run.add_score("p", "a", 1)
    assert evaluate(qrels, run, "mrr") == pytest.approx((1 / 2 + 1) / 2)
    qrels.set_relevance_level(3)
    assert qrels["p"] == {"b": 1, "a": -1}
    assert evaluate(qrels, run, "mrr") == 0.0


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames(library: str) -> None:
    module: Any = pytest.importorskip(library)
    frame = module.DataFrame({"query": ["q", "q"], "doc_id": ["a", "b"], "score": [1, 2]})
    qrels = Qrels.from_df(frame, q_id_col="query")
    assert qrels.to_dict() == {"q": {"b": 2, "a": 1}}
    with pytest.raises(InputError, match="no column `q_id`"):
        Run.from_df(frame)


def test_plot_says_what_to_use_instead() -> None:
    from relyon.compat.ranx import plot
    from relyon.core.errors import ParameterError

    with pytest.raises(ParameterError, match="draws no curves") as caught:
        plot([], run=None)
    assert "iprec@0.0" in caught.value.hint
