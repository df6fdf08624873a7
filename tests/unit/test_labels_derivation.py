"""Labels from actions, their grades, priors and what files keep of them: worked by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, strategies as st
from hypothesis.extra.numpy import arrays

import relyon
from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.labels import (
    Actions,
    Posterior,
    Quantiles,
    Thresholds,
    beta_binomial,
    make_labels,
)
from relyon.labels.beta import exceeds, interval
from relyon.labels.grading import parse_grading
from relyon.online.logs import without_bots

COLUMNS = ["session", "query", "doc", "position", "clicked", "dwell_seconds", "add_to_cart"]


def log(rows: list[tuple[Any, ...]], columns: list[str] | None = None) -> pl.DataFrame:
    return pl.DataFrame(rows, columns or COLUMNS, orient="row")


#: Document a: clicks with a short stay, a long stay, and a cart; b: a cart without a click.
ROWS = [
    (1, "tv", "a", 1, True, 3.0, False),
    (1, "tv", "b", 2, False, None, True),
    (2, "tv", "a", 1, True, 60.0, False),
    (2, "tv", "b", 2, False, None, False),
    (3, "tv", "a", 1, True, 60.0, True),
    (3, "tv", "b", 2, False, None, False),
    (4, "tv", "a", 1, False, None, False),
    (4, "tv", "b", 2, False, None, False),
]


def test_a_click_is_worth_the_best_that_followed() -> None:
    labels = make_labels(log(ROWS), "dctr", actions={"click": 1, "dwell": 2, "cart": 4})
    assert labels.actions is not None
    # a: 1 click, 1 stay, 1 cart; b: its cart is a click.
    assert labels.actions.totals == {"clicks": 4, "cart": 2, "dwell": 1}
    mean = (0.25 + 0.5 + 1 + 1) / 4
    a = (0.25 + 0.5 + 1 + 2 * mean) / (3 + 2) * (3 + 1) / (4 + 2)
    b = (1 + 2 * mean) / (1 + 2) * (1 + 1) / (4 + 2)
    assert labels.judgments["tv"] == pytest.approx({"a": a, "b": b})


def test_conversion_per_click_does_not_ask_how_often_it_is_clicked() -> None:
    actions = Actions({"click": 0, "cart": 1}, per="click")
    found = make_labels(log(ROWS), "dctr", actions=actions).judgments["tv"]
    assert found == pytest.approx({"a": (1 + 2 * 0.5) / 5, "b": (1 + 2 * 0.5) / 3})


def test_a_position_bias_does_not_reach_the_value_of_a_click() -> None:
    generator = np.random.default_rng(4)
    rows = []
    for session in range(6000):
        for position, doc in enumerate(generator.permutation(["dear", "cheap"]), 1):
            clicked = bool(generator.random() < 0.6 / position)
            bought = clicked and bool(generator.random() < {"dear": 0.2, "cheap": 0.7}[str(doc)])
            rows.append((session, "q", str(doc), position, clicked, bought))
    columns = ["session", "query", "doc", "position", "clicked", "purchase"]
    labels = make_labels(log(rows, columns), "pbm", actions={"click": 0, "purchase": 1})
    truth = {"dear": 0.6 * 0.2, "cheap": 0.6 * 0.7}
    for _, document, grade, low, high, _ in labels.labels.iter_rows():
        assert low < truth[document] < high
        assert grade == pytest.approx(truth[document], abs=0.04)


@pytest.mark.parametrize(
    ("actions", "error"),
    [
        ({"like": 1}, ParameterError),
        ({"click": -1}, ParameterError),
        ({"click": 0}, ParameterError),
        ({"purchase": 1}, InputError),
    ],
)
def test_actions_that_cannot_be(actions: dict[str, float], error: type[Exception]) -> None:
    with pytest.raises(error):
        make_labels(log(ROWS), "dctr", actions=actions)


def test_clicks_without_a_dwell_time() -> None:
    rows = [(1, "q", "a", 1, True, None, False), (2, "q", "a", 1, True, 50.0, False)]
    kept = make_labels(log(rows), "dctr", min_dwell=10)
    needed = make_labels(log(rows), "dctr", min_dwell=10, need_dwell=True)
    assert kept.judgments["q"]["a"] == 3 / 4
    assert needed.judgments["q"]["a"] == 2 / 4
    assert "clicks-short" in [note.kind for note in needed.notes]


def test_bots_are_left_out_and_counted() -> None:
    columns = ["session", "query", "doc", "position", "clicked", "user"]
    rows: list[tuple[Any, ...]] = [(f"b{i}", "q", f"d{i % 3}", 1, True, "robot") for i in range(60)]
    rows += [(f"p{i}", "q", "d0", 1, i % 2 == 0, f"u{i}") for i in range(20)]
    rows += [("none", "q", "d0", 1, True, None)]
    found = make_labels(log(rows, columns), "dctr", drop_bots=True)
    assert found.sessions == 21
    assert [(note.kind, note.count) for note in found.notes] == [("bots-left-out", 1)]
    sessions = relyon.read_sessions(log(rows[60:], columns))
    assert without_bots(sessions) is sessions


def test_grades_by_thresholds_keep_the_label() -> None:
    labels = make_labels(log(ROWS), "dctr", grading=Thresholds((0.3, 0.6)))
    assert labels.judgments["tv"] == {"a": 2.0, "b": 0.0}
    assert labels.labels.columns[-1] == "label"
    row = labels.labels.row(0, named=True)
    assert row["low"] <= row["grade"] <= row["high"]
    assert labels.bounds == (0.3, 0.6)


def test_a_cautious_grade_is_never_above_a_plain_one() -> None:
    values, weights = np.linspace(0.01, 0.99, 99), np.full(99, 8.0)
    bounds = np.array([0.2, 0.5])
    plain = Thresholds((0.2, 0.5)).grades(values, weights, bounds)
    careful = Posterior((0.2, 0.5)).grades(values, weights, bounds)
    assert (careful <= plain).all()
    assert (careful < plain).any()


@given(arrays(float, st.integers(1, 40), elements=st.sampled_from([0.1, 0.2, 0.5, 0.9])))
def test_quantiles_keep_equal_labels_together(values: np.ndarray) -> None:
    grading = Quantiles(3)
    grades = grading.grades(values, values, grading.bounds(values))
    for one in set(values):
        assert len(set(grades[values == one])) == 1
    order = np.argsort(values)
    assert (np.diff(grades[order]) >= 0).all()
    if len(set(values)) == 1:
        assert (grades == 0).all()


def test_quantiles_of_different_labels_are_equal_parts() -> None:
    values = np.random.default_rng(0).random(300)
    grading = Quantiles(3)
    assert np.bincount(grading.grades(values, values, grading.bounds(values))).tolist() == [100] * 3


@pytest.mark.parametrize(
    "text", ["threshold=0.5,0.1", "threshold=0,1", "threshold", "quantile=1", "quantile=2.5"]
)
def test_gradings_that_cannot_be(text: str) -> None:
    with pytest.raises(ParameterError):
        parse_grading(text)
    with pytest.raises(UnknownNameError):
        parse_grading("percentile=3")


def test_a_prior_from_the_data_draws_to_the_mean() -> None:
    generator = np.random.default_rng(5)
    columns = ["session", "query", "doc", "position", "clicked"]
    rates = generator.beta(2, 18, 400)
    rows = [
        (f"{doc}-{view}", "q", str(doc), 1, bool(generator.random() < rates[doc]))
        for doc in range(400)
        for view in range(1 if doc < 50 else 30)
    ]
    frame = log(rows, columns)
    plain, drawn = make_labels(frame, "dctr"), make_labels(frame, "dctr", prior="data")
    model = drawn.fitted.model
    assert model.prior_clicks / model.prior_shown == pytest.approx(0.1, abs=0.02)
    assert 8 < model.prior_shown < 60
    truth = {str(doc): rate for doc, rate in enumerate(rates)}

    def error(labels: Any) -> float:
        return float(np.mean([abs(grade - truth[doc]) for doc, grade in labels["q"].items()]))

    assert error(drawn.judgments) < 0.6 * error(plain.judgments)


def test_a_prior_without_differences_is_large_and_finite() -> None:
    clicks, shown = np.full(50, 5.0), np.full(50, 10.0)
    assert beta_binomial(clicks, shown)[1] == pytest.approx(1e4)
    for counts in (np.zeros(50), np.full(50, 10.0), np.zeros(0)):
        a, size = beta_binomial(counts, np.full(len(counts), 10.0))
        assert 0 < a < size <= 1.001e4


def test_no_prior_is_estimated_for_two_probabilities() -> None:
    with pytest.raises(ParameterError, match="more than one probability"):
        make_labels(log(ROWS), "sdbn", prior="data")
    with pytest.raises(ParameterError, match="two numbers"):
        make_labels(log(ROWS), "dctr", prior="flat")
    assert make_labels(log(ROWS), "dctr", prior=(0, 8)).judgments["tv"]["b"] == 0


def test_parquet_keeps_what_labels_assume(tmp_path: Path) -> None:
    labels = make_labels(log(ROWS), "dctr", grading="threshold=0.5")
    path = tmp_path / "labels.parquet"
    relyon.write_judgments(labels.judgments, path)
    evidence = relyon.read_judgments(path).evidence
    assert evidence is not None
    assert evidence.about == labels.about
    assert "every result was seen" in evidence.about["assumes"]
    with open(path, "rb") as file:
        again = relyon.read_judgments(file).evidence
    assert again is not None
    assert again.about == labels.about


@given(st.floats(0, 1), st.floats(0, 1e6), st.floats(0.01, 0.99))
@example(0.5, 1.5e-180, 0.5)
def test_intervals_hold_the_mean_and_probabilities_lie_between(
    mean: float, weight: float, threshold: float
) -> None:
    low, high = interval(np.array([mean]), np.array([weight]), 0.95)
    assert 0 <= low[0] <= mean <= high[0] <= 1
    assert 0 <= exceeds(np.array([mean]), np.array([weight]), threshold)[0] <= 1


def test_what_stands_at_one_position_alone_has_no_weight_there() -> None:
    rows = [
        (f"s{n}", "q", doc, position, (n + position) % 3 == 0)
        for n in range(60)
        for position, doc in enumerate(["ab", "ba"][n % 2] + "c", 1)
    ]
    frame = log(rows, ["session", "query", "doc", "position", "clicked"])
    labels = make_labels(frame, "pbm")
    (note,) = [note for note in labels.notes if note.kind == "clicks-not-comparable"]
    assert (note.count, note.values["positions"]) == (60, [3])
    weights = dict(labels.labels.select("document", "weight").iter_rows())
    assert weights["c"] == labels.fitted.model.prior_shown < weights["a"]
    assert "clicks-not-comparable" not in [one.kind for one in make_labels(frame, "dctr").notes]


@pytest.mark.parametrize("model", ["pbm", "ubm", "dbn", "sdbn", "dcm", "ccm", "cascade", "coec"])
def test_no_label_rests_on_more_than_was_shown(model: str) -> None:
    frame = log([(1, "q", "a", 1, True)], ["session", "query", "doc", "position", "clicked"])
    assert make_labels(frame, model).labels["weight"].to_list() <= [3.0]
