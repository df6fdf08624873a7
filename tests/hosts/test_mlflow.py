"""Results in MLflow, and what MLflow's own metrics return."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from tests.hosts.packages import host
from tests.hosts.pages import run_examples

import relyon
from relyon.compat.ranked_lists import ListMeasure

mlflow = host("mlflow")
metrics = host("mlflow.metrics", package="mlflow")
pandas = host("pandas")

JUDGMENTS = {f"q{n}": {"a": 2, "b": 1, "c": 0} for n in range(12)}
OLD = {query: {"a": float(n % 3), "b": 1.0, "c": 0.5} for n, query in enumerate(JUDGMENTS)}
NEW = {query: {"a": 2.0, "b": 1.0, "c": 0.5} for query in JUDGMENTS}


#: Lists without repeats, of which all programs say the same.
IDS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8, unique=True)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A local store, made once: its tables take seconds."""
    folder = tmp_path_factory.mktemp("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{folder / 'mlflow.db'}")
    artifacts = mlflow.create_experiment("search", artifact_location=(folder / "files").as_uri())
    mlflow.set_experiment(experiment_id=artifacts)
    yield folder
    mlflow.set_tracking_uri(None)


def theirs(kind: str, k: int, found: list[str], expected: list[str]) -> float:
    metric = getattr(metrics, kind)(k)
    return float(metric.eval_fn(pandas.Series([found]), pandas.Series([expected])).scores[0])


def ours(measure: str, found: list[str], expected: list[str]) -> float:
    return ListMeasure(measure)(dict.fromkeys(expected, 1), found)


def test_one_of_five_is_not_all() -> None:
    """mlflow#24541, open in 3.17.2: NDCG@5 is 1.0 where one of five documents was found."""
    found, expected = ["1"], ["1", "2", "3", "4", "5"]
    right = 1 / sum(1 / math.log2(rank + 1) for rank in range(1, 6))
    assert right == pytest.approx(0.339, abs=5e-4)
    assert theirs("ndcg_at_k", 5, found, expected) == 1.0
    assert ours("ndcg@5", found, expected) == pytest.approx(right)


def test_a_repeat_is_not_a_second_document() -> None:
    """Theirs adds the copy to what was expected: one of two documents, twice, is 1.0."""
    found, expected = ["a", "a"], ["a", "b"]
    assert theirs("ndcg_at_k", 2, found, expected) == 1.0
    assert ours("ndcg@2", found, expected) == pytest.approx(1 / (1 + 1 / math.log2(3)))


def test_what_repeats_gets_no_relevance() -> None:
    """mlflow#25965: a copy was renamed to `a_bc574ae_2`, and found. It is mended in 3.17.2."""
    found, expected = ["a", "a", "z"], ["a_bc574ae_2"]
    assert theirs("ndcg_at_k", 3, found, expected) == 0.0
    assert ours("ndcg@3", found, expected) == 0.0


def test_nothing_for_nothing_is_not_perfect() -> None:
    assert theirs("ndcg_at_k", 3, [], []) == 1.0
    assert math.isnan(ours("ndcg@3", [], []))


def test_their_precision_at_k_divides_by_what_was_found() -> None:
    assert theirs("precision_at_k", 3, ["a"], ["a"]) == 1.0
    assert ours("p@3", ["a"], ["a"]) == pytest.approx(1 / 3)
    as_theirs = ListMeasure("p@3", convention={"p_denominator": "retrieved"})
    assert as_theirs({"a": 1}, ["a"]) == 1.0


def test_the_same_numbers_where_both_are_right() -> None:
    found, expected = ["x", "a", "y", "b"], ["a", "b"]
    for kind, measure in (("ndcg_at_k", "ndcg@4"), ("recall_at_k", "recall@4")):
        assert ours(measure, found, expected) == pytest.approx(theirs(kind, 4, found, expected))


@settings(max_examples=20)
@given(IDS, IDS)
def test_the_same_ndcg_of_any_list_that_is_long_enough(
    expected: list[str], found: list[str]
) -> None:
    k = len(found)  # shorter lists are mlflow#24541
    value = theirs("ndcg_at_k", k, found, expected)
    assert ours(f"ndcg@{k}", found, expected) == pytest.approx(value)


def files(run: Any, folder: str) -> dict[str, str]:
    client = mlflow.MlflowClient()
    return {
        one.path: mlflow.artifacts.load_text(f"runs:/{run.info.run_id}/{one.path}")
        for one in client.list_artifacts(run.info.run_id, folder)
    }


def test_results_are_logged(store: Path) -> None:
    results = relyon.evaluate(JUDGMENTS, OLD, ["ndcg@10", "ndcg(gain=exp)@10", "pnr"], name="旧")
    with mlflow.start_run() as run:
        results.log(mlflow)
    data = mlflow.get_run(run.info.run_id).data
    assert data.metrics["ndcg_at_10"] == results["ndcg@10"]
    assert data.metrics["ndcg.gain-exp_at_10"] == results["ndcg(gain=exp)@10"]
    assert data.metrics["pnr"] == results["pnr"]
    assert data.params["relyon.ties"] == "doc-desc"
    assert data.tags["relyon.measure.ndcg_at_10"].endswith(
        results.entries["ndcg@10"].fingerprint(results.convention)
    )
    assert results.inputs is not None
    assert data.tags["relyon.inputs.judgments"] == results.inputs.to_dict()["judgments"]
    found = files(run, "relyon")
    assert set(found) == {
        f"relyon/{name}"
        for name in ("results.json", "results.csv", "results.html", "per_query.csv")
    }
    assert "ndcg(gain=exp)@10" in found["relyon/results.html"]
    assert data.tags["relyon.run"] == "旧"
    path = store / "again.json"
    path.write_text(found["relyon/results.json"], "utf-8")
    again = relyon.read_results(path)
    assert again.values_by_query("ndcg@10") == results.values_by_query("ndcg@10")


def test_what_is_infinite_is_no_metric(store: Path) -> None:
    """MLflow's database keeps the largest number that there is in its place."""
    results = relyon.evaluate(JUDGMENTS, NEW, ["pnr", "rr"])
    assert math.isinf(results["pnr"])
    with mlflow.start_run() as run:
        mlflow.log_metrics({"infinite": math.inf})
        results.log(mlflow)
    data = mlflow.get_run(run.info.run_id).data
    assert data.metrics["infinite"] == pytest.approx(1.797e308, rel=1e-3)
    assert "pnr" not in data.metrics
    assert data.metrics["rr"] == 1.0
    assert data.tags["relyon.without_value"] == "pnr"


def test_a_comparison_is_logged(store: Path) -> None:
    compared = relyon.compare(JUDGMENTS, OLD, NEW, ["ndcg@10", "rr"], names=["old", "new"])
    with mlflow.start_run() as run:
        compared.log(mlflow)
    data = mlflow.get_run(run.info.run_id).data
    contrast = compared.contrasts[0]
    assert data.metrics["ndcg_at_10.new.difference"] == contrast.difference
    assert data.metrics["ndcg_at_10.new.p"] == contrast.p
    assert data.tags["relyon.verdict.ndcg_at_10.new"] == contrast.verdict
    assert data.params["relyon.correction"] == "holm"
    found = files(run, "relyon")
    assert found["relyon/per_query.csv"] == compared.to_csv(per_query=True) + "\n"


def test_two_results_in_one_run(store: Path) -> None:
    old, new = (relyon.evaluate(JUDGMENTS, one, ["ndcg@10"]) for one in (OLD, NEW))
    loose = relyon.evaluate(JUDGMENTS, NEW, ["ndcg@10"], convention="lightgbm")
    with mlflow.start_run() as run:
        old.log(mlflow, prefix="old")
        new.log(mlflow, prefix="new/2")
        loose.log(mlflow, prefix="loose")
    data = mlflow.get_run(run.info.run_id).data
    assert data.metrics == {
        "old.ndcg_at_10": old["ndcg@10"],
        "new_2.ndcg_at_10": new["ndcg@10"],
        "loose.ndcg_at_10": loose["ndcg@10"],
    }
    assert data.params["loose.relyon.preset"] == "lightgbm"
    assert "new_2/relyon/results.html" in files(run, "new_2/relyon")


@pytest.mark.parametrize("page", ["rag-hosts.md", "zh/rag-hosts.md"])
def test_page(page: str, store: Path, tmp_path: Path) -> None:
    names = {"judgments": JUDGMENTS, "run": OLD, "baseline": OLD, "candidate": NEW}
    run_examples(page, "MLflow", names, folder=tmp_path)
