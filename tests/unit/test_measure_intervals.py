"""How sure a measure is: over queries and over its labels, in the corners where users stand."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import relyon
from relyon.analysis.statistics.bounded import clopper_pearson
from relyon.analysis.statistics.clusters.ratios import ratio_of_sums
from relyon.analysis.statistics.intervals import t_interval
from relyon.analysis.uncertainty import measure_intervals
from relyon.core.document.terminal import width
from relyon.core.errors import ParameterError


def labels(weight: float | None = 40.0, grades: tuple[float, ...] = (0.7, 0.3, 0.1)) -> Any:
    queries = [f"q{one}" for one in range(6) for _ in grades]
    documents = [f"d{one}" for _ in range(6) for one in range(len(grades))]
    weights = None if weight is None else [weight] * len(queries)
    return relyon.Judgments.from_arrays(queries, documents, list(grades) * 6, weights=weights)


RUN = {f"q{one}": {f"d{doc}": float((doc + one) % 3) for doc in range(3)} for one in range(6)}


def test_the_interval_over_queries_is_students() -> None:
    judgments, run = many()
    for name in ("ndcg@3", "dcg@3"):
        found = measure_intervals(judgments, run, name)[name]
        evaluated = relyon.evaluate(judgments, run, name)
        assert found.queries == t_interval(np.sort(evaluated.column(name)), 0.95)
        assert (found.value, found.method) == (evaluated[name], "t")


def many(queries: int = 40) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgments and a run whose measures take many values."""
    random = np.random.default_rng(4)
    judgments, run = {}, {}
    for one in range(queries):
        grades = random.permutation([3, 2, 1, 1, 0, 0, 0, 0])[: random.integers(4, 9)]
        judgments[f"q{one}"] = {f"d{place}": int(grade) for place, grade in enumerate(grades)}
        judgments[f"q{one}"]["d0"] = 1
        scores = random.normal(0, 1, len(grades))
        run[f"q{one}"] = {f"d{place}": float(score) for place, score in enumerate(scores)}
    return judgments, run


def test_six_queries_that_are_all_right_are_no_certainty() -> None:
    judgments = {f"q{one}": {"a": 2, "b": 1} for one in range(6)}
    run = {query: {"a": 2.0, "b": 1.0} for query in judgments}
    names = ["success@10", "ndcg@10", "rr@1", "dcg@10", "pnr", "p@10", "auc"]
    found = measure_intervals(judgments, run, names)
    for name in ("success@10", "ndcg@10", "rr@1"):
        assert found[name].queries == pytest.approx((0.540742, 1.0), abs=1e-6)
        assert found[name].method == "exact"
    low, high = found["p@10"].queries  # all are 0.2
    assert found["p@10"].method == "betting"
    assert low < 0.15
    assert high > 0.3
    reasons = {"dcg@10": "equal-values", "pnr": "few-differ", "auc": "no-formula"}
    for name, reason in reasons.items():
        assert math.isnan(found[name].queries[0])
        assert found[name].no_interval == reason
    for language in ("en", "zh"):
        shown = found.to_text(language=language)
        assert "[1.0000, 1.0000]" not in shown
        for name in names:
            assert shown.count(name) >= 2  # in the table, and how its interval came about
    values = json.loads(found.to_json())["measures"]
    assert values["dcg@10"]["queries"] == [None, None]
    assert values["dcg@10"]["no_interval"] == "equal-values"
    assert found.to_frame().get_column("no_interval").to_list()[3] == "equal-values"


def test_the_interval_over_queries_does_not_depend_on_their_order() -> None:
    judgments = {f"q{one}": {"a": 1, "b": 0} for one in range(12)}
    right, wrong = {"a": 2.0, "b": 1.0}, {"b": 2.0, "a": 1.0}
    run = {query: wrong if query in {"q3", "q7"} else right for query in judgments}
    other = {query: run[query] for query in reversed(run)}
    flipped = dict(reversed(judgments.items()))
    first, second = measure_intervals(judgments, run, "rr"), measure_intervals(flipped, other, "rr")
    assert first["rr"].method == "betting"
    assert first["rr"].queries == second["rr"].queries


def test_a_ratio_of_pairs_has_the_interval_of_its_logarithm() -> None:
    judgments, run = many()
    found = measure_intervals(judgments, run, "pnr")["pnr"]
    assert found.method == "log-ratio"
    assert 0 < found.queries[0] < found.value < found.queries[1]
    large = {f"d{place}": int(place % 4) for place in range(90)}
    alone = measure_intervals(
        judgments | {"q0": large},
        run | {"q0": {name: float(int(name[1:]) * 37 % 97) for name in large}},
        "pnr",
    )["pnr"]
    assert (alone.no_interval, math.isnan(alone.queries[0])) == ("one-decides", True)


def test_an_interval_ends_where_the_measure_does() -> None:
    judgments = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}}
    run = {"q1": {"a": 1.0, "b": 0.0}, "q2": {"b": 1.0, "c": 0.5}}
    found = measure_intervals(judgments, run, "rr")["rr"]
    assert found.queries == clopper_pearson(1, 2, 0.95)
    assert found.method == "exact"


def test_queries_without_a_value_count_as_the_convention_says() -> None:
    judgments, run = many()
    judgments |= {f"q{one}": {"d0": 0} for one in range(6)}
    values = np.array(relyon.evaluate(judgments, run, "ndcg@3").column("ndcg@3"))
    assert np.isnan(values).sum() == 6
    for rule, counted in (("skip", values[~np.isnan(values)]), ("zero", np.nan_to_num(values))):
        found = measure_intervals(judgments, run, "ndcg@3", convention={"undefined": rule})
        low, high = t_interval(np.sort(counted), 0.95)
        assert found["ndcg@3"].queries == (max(low, 0.0), min(high, 1.0))


def test_labels_that_rest_on_more_are_surer() -> None:
    widths = []
    for weight in (5.0, 50.0, 5000.0):
        low, high = measure_intervals(labels(weight), RUN, "dcg@3")["dcg@3"].labels
        widths.append(high - low)
    assert widths[0] > 2 * widths[1] > 4 * widths[2] > 0


@pytest.mark.long
def test_the_variance_of_dcg_is_that_of_its_labels() -> None:
    # DCG@3 is linear in the labels, so the spread of its mean is known.
    found = measure_intervals(labels(), RUN, "dcg@3", draws=4000)
    discounts = 1 / np.log2(np.arange(2, 5))
    variance = 0.0
    for scores in RUN.values():
        for rank, document in enumerate(sorted(scores, key=lambda one: -scores[one])):
            mean = (0.7, 0.3, 0.1)[int(document[1])]
            variance += (discounts[rank] / 6) ** 2 * mean * (1 - mean) / 41
    low, high = found["dcg@3"].labels
    assert (high - low) / (2 * 1.96) == pytest.approx(math.sqrt(variance), rel=0.06)
    assert found["dcg@3"].mean == pytest.approx(found["dcg@3"].value, abs=0.003)


def test_what_has_no_uncertainty_has_no_interval_and_says_why() -> None:
    plain = measure_intervals(labels(None), RUN, "ndcg@3")
    assert plain.draws == 0
    assert math.isnan(plain["ndcg@3"].labels[0])
    assert plain.notes == ()
    graded = measure_intervals(labels(40, (3, 1, 0)), RUN, "ndcg@3")
    assert [note.kind for note in graded.notes] == ["labels-graded"]
    lows = relyon.Judgments.from_arrays(["q0"], ["d0"], [0.5], lows=[0.1])
    found = measure_intervals(lows, {"q0": {"d0": 1.0}}, "ndcg@3")
    assert [note.kind for note in found.notes] == ["labels-without-weight"]
    assert math.isnan(found["ndcg@3"].queries[0])  # one query


def test_certain_labels_are_counted() -> None:
    found = measure_intervals(labels(40, (1.0, 0.3, 0.0)), RUN, "dcg@3")
    assert [(note.kind, note.count) for note in found.notes] == [("labels-certain", 12)]
    every = measure_intervals(labels(40, (1.0, 1.0, 0.0)), RUN, "dcg@3")["dcg@3"]
    assert math.isnan(every.labels[0])
    assert every.mean == every.value


def test_micro_averages_have_the_interval_of_a_ratio() -> None:
    name = "recall@2"
    found = measure_intervals(*many(), name, average="micro")
    above, below = map(np.asarray, found.results.parts(name))
    assert found[name].value == above.sum() / below.sum()
    assert found[name].queries == ratio_of_sums(above, below).interval(0.95)
    assert found[name].queries[0] < found[name].value < found[name].queries[1]


def test_the_same_seed_gives_the_same_interval() -> None:
    first, second, other = (
        measure_intervals(labels(), RUN, "ndcg@3", seed=seed)["ndcg@3"].labels for seed in (1, 1, 2)
    )
    assert first == second != other


@pytest.mark.parametrize("parameters", [{"level": 1.0}, {"draws": 1}, {"draws": 2.5}])
def test_parameters_that_cannot_be(parameters: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        measure_intervals(labels(), RUN, "ndcg@3", **parameters)


@pytest.mark.long
def test_labels_recover_the_truth_they_are_drawn_from() -> None:
    """Labels with a known posterior: the interval of DCG holds the truth as often as it says."""
    generator = np.random.default_rng(8)
    held = 0
    runs = {"q": {f"d{one}": float(-one) for one in range(8)}}
    for _ in range(120):
        truth = generator.beta(1, 1, 8)
        clicks = generator.binomial(20, truth)
        judgments = relyon.Judgments.from_arrays(
            ["q"] * 8, [f"d{one}" for one in range(8)], (clicks + 1) / 22, weights=[22] * 8
        )
        low, high = measure_intervals(judgments, runs, "dcg@8", draws=200)["dcg@8"].labels
        true = relyon.evaluate({"q": {f"d{i}": one for i, one in enumerate(truth)}}, runs, "dcg@8")
        held += low <= true["dcg@8"] <= high
    assert held >= 104  # 95% of 120 are 114; below 104 has a probability of 1 in 6,000


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    judgments, run = tmp_path / "labels.parquet", tmp_path / "new.csv"
    relyon.write_judgments(labels(), judgments)
    rows = [(query, doc, score) for query, docs in RUN.items() for doc, score in docs.items()]
    pl.DataFrame(rows, ["query", "document", "score"], orient="row").write_csv(run)
    return str(judgments), str(run)


@pytest.mark.long
def test_the_command_line(files: tuple[str, str], command: Any) -> None:
    outcome = command("evaluate", *files, "-m", "ndcg@3", "--intervals")
    assert outcome.code == 0, outcome.err
    assert "of the labels" in outcome.out
    assert "measures use the grades alone" not in outcome.err
    assert max(map(width, outcome.out.splitlines())) <= 80
    chinese = command("evaluate", *files, "-m", "ndcg@3", "--intervals", "--lang", "zh")
    assert "标签误差" in chinese.out
    found = json.loads(
        command("evaluate", *files, "-m", "ndcg@3", "--intervals", "--format", "json").out
    )
    assert found["measures"]["ndcg@3"]["labels"][0] < found["measures"]["ndcg@3"]["labels"][1]
    lines = command(
        "evaluate", *files, files[1], "-m", "ap", "--intervals", "--format", "csv"
    ).out.split()
    assert lines[0].startswith("run,measure,value,queries_low")
    assert len(lines) == 1 + 2


@pytest.mark.parametrize("beside", [["-q"], ["--format", "trec"], ["--format", "jsonl"]])
def test_what_excludes_intervals(files: tuple[str, str], command: Any, beside: list[str]) -> None:
    outcome = command("evaluate", *files, "--intervals", *beside)
    assert outcome.code == 2
    assert "exclude each other" in outcome.err
