"""Results that are logged to an experiment tracker."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import relyon
from relyon.io.tracked import tracker_name
from relyon.measures.index import MODULES

JUDGMENTS = {"q1": {"a": 2, "b": 0}, "q2": {"c": 1}}
RUN = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 1.0}}


class Recorder:
    """A tracker that keeps what it is given."""

    def __init__(self) -> None:
        self.metrics: dict[str, float] = {}
        self.params: dict[str, Any] = {}
        self.tags: dict[str, Any] = {}
        self.files: dict[str, str] = {}

    def log_metrics(self, metrics: dict[str, float]) -> None:
        self.metrics |= metrics

    def log_params(self, params: dict[str, object]) -> None:
        self.params |= params

    def set_tags(self, tags: dict[str, object]) -> None:
        self.tags |= tags

    def log_text(self, text: str, artifact_file: str) -> None:
        self.files[artifact_file] = text


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("ndcg@10", "ndcg_at_10"),
        ("ndcg(gain=exp,discount=log2)@10", "ndcg.gain-exp.discount-log2_at_10"),
        ("iprec@0.1", "iprec_at_0.1"),
        ("新 系统/v2:β", "新_系统_v2_β"),
        ("..", "_.."),
        ("", "_"),
    ],
)
def test_names(name: str, wanted: str) -> None:
    assert tracker_name(name) == wanted


def test_every_measure_has_a_name_of_its_own() -> None:
    names = {f"{name}@{k}" for line in MODULES.values() for name in line.split() for k in (1, 10)}
    names |= {"ndcg(gain=exp)@10", "ndcg(discount=inverse)@10", "rbp(p=0.8)", "rbp(p=0.9)"}
    alike = {"α", "-", "_"}  # α_ndcg, α-ndcg: other spellings of one measure
    found = [tracker_name(one) for one in names if not alike & set(one.partition("@")[0])]
    assert len(set(found)) == len(found)


def test_results() -> None:
    results = relyon.evaluate(JUDGMENTS, RUN, ["ndcg@10", "pnr"], name="bm25")
    tracker = Recorder()
    results.log(tracker)
    assert tracker.metrics["ndcg_at_10"] == results["ndcg@10"]
    assert tracker.params["relyon.ties"] == "doc-desc"
    assert tracker.params["relyon.preset"] == "relyon"
    entry = results.entries["ndcg@10"]
    assert tracker.tags["relyon.measure.ndcg_at_10"] == (
        f"{entry.definition} {entry.fingerprint(results.convention)}"
    )
    assert results.inputs is not None
    assert tracker.tags["relyon.inputs.judgments"] == results.inputs.to_dict()["judgments"]
    assert tracker.tags["relyon.run"] == "bm25"
    assert "relyon.without_value" not in tracker.tags
    assert tracker.files["relyon/per_query.csv"] == results.to_csv(per_query=True) + "\n"
    assert "<table" in tracker.files["relyon/results.html"]


def test_the_file_is_read_again(tmp_path: Path) -> None:
    results = relyon.evaluate(JUDGMENTS, RUN, ["ndcg@10"], name="bm25")
    tracker = Recorder()
    results.log(tracker)
    path = tmp_path / "results.json"
    path.write_text(tracker.files["relyon/results.json"], "utf-8")
    found = relyon.read_results(path)
    assert found.values_by_query("ndcg@10") == results.values_by_query("ndcg@10")
    assert found["ndcg@10"] == results["ndcg@10"]


def test_what_has_no_value_is_no_metric() -> None:
    tracker = Recorder()
    perfect = relyon.evaluate({"q": {"a": 2, "b": 1}}, {"q": {"a": 2, "b": 1}}, ["pnr", "rr"])
    assert math.isinf(perfect["pnr"])
    perfect.log(tracker, prefix="new run")
    assert tracker.metrics == {"new_run.rr": 1.0}
    assert tracker.tags["new_run.relyon.without_value"] == "pnr"
    assert set(tracker.files) == {
        f"new_run/relyon/{name}"
        for name in ("results.json", "results.csv", "results.html", "per_query.csv")
    }


def test_a_comparison() -> None:
    judgments = {f"q{n}": {"a": 1, "b": 0} for n in range(12)}
    old = {query: {"a": float(n % 3), "b": 1.0} for n, query in enumerate(judgments)}
    new = {query: {"a": 2.0, "b": 1.0} for query in judgments}
    compared = relyon.compare(judgments, old, new, ["rr", "p@1"], names=["old", "new/2"])
    tracker = Recorder()
    compared.log(tracker)
    contrast = compared.contrasts[0]
    assert tracker.metrics["rr.new_2.difference"] == contrast.difference
    assert tracker.metrics["rr.new_2.p"] == contrast.p
    assert tracker.metrics["p_at_1.new_2.queries"] == 12
    low, high = contrast.interval
    assert tracker.metrics["rr.new_2.interval_low"] == low
    assert tracker.metrics["rr.new_2.interval_high"] == high
    assert tracker.tags["relyon.verdict.rr.new_2"] == contrast.verdict
    assert tracker.tags["relyon.inputs.old.judgments"]
    assert tracker.params["relyon.correction"] == "holm"
    stored = json.loads(tracker.files["relyon/results.json"])
    assert stored["per_query"]["new/2"]["rr"]


def test_without_queries() -> None:
    tracker = Recorder()
    relyon.evaluate(JUDGMENTS, RUN, ["rr"]).log(tracker, per_query=False)
    assert set(tracker.files) == {
        f"relyon/{name}" for name in ("results.json", "results.csv", "results.html")
    }
    assert "per_query" not in json.loads(tracker.files["relyon/results.json"])


def test_what_is_no_tracker_is_refused() -> None:
    results = relyon.evaluate(JUDGMENTS, RUN, ["rr"])
    broken: Any = object()
    with pytest.raises(relyon.ParameterError, match="it has no `log_metrics`"):
        results.log(broken)


def test_two_numbers_of_one_name_are_refused() -> None:
    judgments = {f"q{n}": {"a": 1, "b": 0} for n in range(4)}
    run = {query: {"a": 2.0, "b": 1.0} for query in judgments}
    runs = {"a b": run, "a/b": run}
    compared = relyon.compare(judgments, run, [*runs.values()], names=["x", *runs])
    tracker = Recorder()
    with pytest.raises(relyon.ParameterError, match="are both logged as"):
        compared.log(tracker)
    assert not tracker.metrics


def test_a_comparison_of_values_has_no_rules() -> None:
    old = {"ndcg": {f"q{n}": n / 10 for n in range(8)}}
    new = {"ndcg": {f"q{n}": n / 9 for n in range(8)}}
    compared = relyon.compare_values({"old": old, "new": new})
    tracker = Recorder()
    compared.log(tracker)
    assert compared.convention is None
    assert tracker.metrics["ndcg.new.difference"] == compared.contrasts[0].difference
    assert "relyon.ties" not in tracker.params
    assert tracker.params["relyon.test"] == "t"
    assert not any("inputs" in name for name in tracker.tags)


def test_an_accumulator_without_values_of_queries() -> None:
    accumulator = relyon.Accumulator("rr", queries="once")
    accumulator.update(JUDGMENTS, RUN)
    accumulator.finish(JUDGMENTS)
    results = accumulator.compute()
    tracker = Recorder()
    with pytest.raises(relyon.ParameterError, match="per-query values"):
        results.log(tracker)
    assert not tracker.metrics
    results.log(tracker, per_query=False)
    assert tracker.metrics == {"rr": 0.75}
