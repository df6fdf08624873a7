"""Off-policy estimates from simulated logs, whose click model says what the candidate earns."""

from __future__ import annotations

import math
from functools import cache

import polars as pl
import pytest

from relyon.labels import Crowd, lists_of, read_clicks, simulate
from relyon.labels.off_policy import evaluate_policy

DOCUMENTS = "abcd"
JUDGMENTS = {
    "tv": {"a": 0, "b": 1, "c": 2, "d": 3},
    "pen": {"a": 3, "b": 0, "c": 1, "d": 2},
}
RUN = {query: {doc: float(grade) for doc, grade in of.items()} for query, of in JUDGMENTS.items()}
#: The candidate shows the best last.
CANDIDATE = {query: {doc: -score for doc, score in of.items()} for query, of in RUN.items()}
LEVEL = 0.9999


@cache
def simulated(model: str) -> tuple[pl.DataFrame, float]:
    """A log in which every order is as likely, and the clicks that the candidate's lists get."""
    found = simulate(RUN, JUDGMENTS, model, sessions=8000, crowd=Crowd(shuffle=1.0))
    log = found.collect()
    places = len(DOCUMENTS)
    log = log.with_columns(
        list=pl.lit(1 / math.factorial(places)),
        place=pl.lit(1 / places),
        next=1 / (places + 1 - pl.col("position")),
    )
    rows = [
        (query, query, doc, place, 0)
        for query, of in CANDIDATE.items()
        for place, doc in enumerate(sorted(of, key=of.__getitem__, reverse=True), 1)
    ]
    columns = ["session", "query", "doc", "position", "clicked"]
    lists = lists_of(read_clicks(pl.DataFrame(rows, columns, orient="row")))
    clicks = found.truth.click_probabilities(lists).sum(axis=1)
    shares = {row[0]: row[1] for row in log.group_by("query").len().rows()}
    queries = lists.names.get_column("query").gather(lists.pairs[:, 0]).to_list()
    total = sum(shares.values())
    return log, sum(shares[query] * one for query, one in zip(queries, clicks, strict=True)) / total


#: Which estimators are right for which users.
RIGHT = {
    "pbm": ("ips", "snips", "dr", "cascade-dr", "item-position"),
    "cascade": ("ips", "snips", "dr", "cascade-dr"),
    "dbn": ("ips", "snips", "dr", "cascade-dr"),
    "dcm": ("ips", "snips", "dr", "cascade-dr"),
    "ubm": ("ips", "snips", "dr", "cascade-dr"),
}
COLUMN = {"cascade-dr": ("next", "conditional"), "item-position": ("place", "position")}


@pytest.mark.parametrize(
    ("model", "estimator"), [(model, name) for model, names in RIGHT.items() for name in names]
)
@pytest.mark.parametrize("counted", [False, True], ids=["given", "counted"])
def test_the_truth_is_found(model: str, estimator: str, counted: bool) -> None:
    log, truth = simulated(model)
    column, kind = COLUMN.get(estimator, ("list", "list"))
    found = evaluate_policy(
        log.with_columns(propensity=column),
        CANDIDATE,
        estimators=[estimator],
        propensities="none" if counted else kind,  # type: ignore[arg-type]
        interval="t",
        level=LEVEL,
    )
    low, high = found[estimator].interval
    assert low <= truth <= high
    assert high - low < truth  # it says something


def test_an_assumption_that_does_not_hold() -> None:
    """Under Cascade what stands above decides: places cannot be weighted one by one."""
    log, truth = simulated("cascade")
    found = evaluate_policy(log, CANDIDATE, estimators=["item-position"], interval="t", level=LEVEL)
    low, high = found["item-position"].interval
    assert not low <= truth <= high


@pytest.mark.parametrize("model", ["pbm", "dbn", "ubm"])
def test_the_click_model_that_users_follow(model: str) -> None:
    log, truth = simulated(model)
    found = evaluate_policy(log, CANDIDATE, estimators=["click-model"], click_model=model)
    assert found["click-model"].value == pytest.approx(truth, rel=0.05)


@pytest.mark.parametrize("model", ["pbm", "dbn", "ubm"])
def test_the_candidate_differs_from_the_log(model: str) -> None:
    """Otherwise little above would be shown. Of Cascade and DCM the order hardly changes clicks."""
    log, truth = simulated(model)
    clicks = float(log.get_column("clicked").sum()) / log.get_column("session").n_unique()
    assert abs(truth - clicks) > 0.02 * clicks
