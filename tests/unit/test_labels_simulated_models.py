"""Models and their own simulation: they keep their rules, and their parameters come back."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from tests.unit.simulated import ALL, DEPTH, JUDGMENTS, RUN, simulated

from relyon.labels import (
    Crowd,
    Fold,
    UserBehaviour,
    lists_of,
    make_labels,
    models,
    read_clicks,
    simulate,
)
from relyon.labels.simulation.session_blocks import BLOCK


def test_cascades_have_one_click_at_most() -> None:
    log = simulated("cascade", sessions=BLOCK).collect()
    clicks = log.group_by("session").agg(pl.col("clicked").sum())
    assert clicks.get_column("clicked").max() == 1


@pytest.mark.parametrize("name", ["sdbn", "dbn"])
def test_a_click_that_surely_satisfies_is_the_last(name: str) -> None:
    surely = {0: 0.0, 1: 0.0, 2: 1.0, 3: 1.0}
    users = simulated(name, satisfaction=surely, sessions=BLOCK)
    log = users.collect().join(
        users.pairs.select("query", "satisfaction", doc="document"), on=["query", "doc"]
    )
    after = log.sort("session", "position").with_columns(
        pleased=(pl.col("clicked") & (pl.col("satisfaction") == 1))
        .cum_sum()
        .shift(fill_value=0)
        .over("session")
    )
    assert after.filter((pl.col("pleased") > 0) & pl.col("clicked")).is_empty()
    assert after.filter(pl.col("pleased") > 0).height > 100


def test_dcm_whose_users_never_go_on_is_a_cascade() -> None:
    log = simulated(
        "dcm", behaviour=UserBehaviour(depth=DEPTH, going_on=0.0), sessions=BLOCK
    ).collect()
    assert log.group_by("session").agg(pl.col("clicked").sum()).get_column("clicked").max() == 1


@pytest.mark.parametrize("name", ALL)
def test_clicks_come_as_often_as_the_model_says(name: str) -> None:
    """Every result of every list, against the model's exact probability."""
    users = simulated(name, sessions=3 * BLOCK)
    log = read_clicks(users.collect(), depth=DEPTH)
    lists = lists_of(log)
    exact = users.truth.click_probabilities(lists)
    frame = pl.DataFrame(
        {
            "pair": lists.pairs[lists.shown],
            "exact": exact[lists.shown],
            "clicks": (lists.clicked * lists.counts[:, None])[lists.shown],
            "count": np.broadcast_to(lists.counts[:, None], lists.shown.shape)[lists.shown],
        }
    )
    # Without shuffling a pair has one place, and so one probability.
    found = frame.group_by("pair").agg(
        pl.col("exact").first(), pl.col("exact").n_unique().alias("several"), "clicks", "count"
    )
    assert found.get_column("several").max() == 1
    sums = found.with_columns(pl.col("clicks").list.sum(), pl.col("count").list.sum())
    for _, probability, _, clicks, count in sums.iter_rows():
        error = math.sqrt(probability * (1 - probability) / count)
        assert clicks / count == pytest.approx(probability, abs=5 * error + 1e-12)


#: What identifies each parameter: lists in many orders, and enough of them.
IDENTIFIED = ["cascade", "ccm", "dbn", "dcm", "dctr", "gctr", "pbm", "ubm"]


@pytest.mark.parametrize("name", IDENTIFIED)
def test_models_recover_what_they_simulated(name: str) -> None:
    """The relevance of every pair, within the width of its interval of 99%."""
    users = simulated(name, sessions=2 * BLOCK, crowd=Crowd(shuffle=1.0, frequencies=0.0), seed=1)
    fitted = models.get(name)().fit(read_clicks(users.log, depth=DEPTH))
    found = fitted.relevance(0.99).join(
        users.pairs.select("query", "document", truth="relevance"), on=["query", "document"]
    )
    assert found.height == users.pairs.height
    low, high, truth, value = (
        found.get_column(column).to_numpy() for column in ("low", "high", "truth", "relevance")
    )
    # DCM takes every last click for one that ended the search, those at the end of a list, too; the
    # one rate of GCTR is that of the pairs as often as they are shown.
    slack = high - low + {"dcm": 0.06, "gctr": 0.02}.get(name, 0.0)
    assert (np.abs(value - truth) <= slack).all(), np.c_[low, value, high, truth]


@pytest.mark.parametrize("name", ["coec", "rctr"])
def test_rates_of_positions_come_back(name: str) -> None:
    crowd = Crowd(shuffle=1.0, frequencies=0.0)
    users = simulate({"q1": RUN["q1"]}, JUDGMENTS, name, sessions=2 * BLOCK, crowd=crowd)
    fitted = models.get(name)().fit(read_clicks(users.log))
    truth, found = users.truth.parameters, fitted.on(users.pairs).parameters
    assert found.shared["rate"][:5] == pytest.approx(truth.shared["rate"][:5], abs=0.02)
    for known, ratio in zip(truth.pairs.values(), found.pairs.values(), strict=True):
        assert ratio == pytest.approx(known, abs=0.1)


def test_sdbn_takes_the_last_click_for_a_satisfied_one() -> None:
    """Its attraction comes back; its satisfaction is too high, as the documentation says."""
    users = simulated("sdbn", sessions=2 * BLOCK, crowd=Crowd(shuffle=1.0))
    fitted = models.get("sdbn")().fit(read_clicks(users.log, depth=DEPTH))
    found = fitted.on(users.pairs).parameters.pairs["satisfaction"]
    assert (found > users.pairs.get_column("satisfaction").to_numpy() - 0.03).all()
    assert (found - users.pairs.get_column("satisfaction").to_numpy()).mean() > 0.05


def test_examination_comes_back() -> None:
    users = simulated(
        "pbm",
        sessions=2 * BLOCK,
        behaviour=UserBehaviour(depth=DEPTH, eta=0.7),
        crowd=Crowd(swap=0.5, frequencies=0.0),
    )
    fitted = models.get("pbm")().fit(read_clicks(users.log, depth=DEPTH))
    found = fitted.parameters.shared["examination"][:DEPTH]
    truth = users.truth.parameters.shared["examination"]
    assert found / found[0] == pytest.approx(truth / truth[0], abs=0.05)


def test_naive_rates_do_not_come_back() -> None:
    """What the simulation is for: the click-through rate is biased, the click model is not."""
    users = simulated(sessions=2 * BLOCK, crowd=Crowd(swap=0.5, frequencies=0.0))
    errors = {}
    for name in ("dctr", "pbm"):
        labels = make_labels(users.log, name, depth=DEPTH).labels.join(
            users.pairs.select("query", "document", "relevance"), on=["query", "document"]
        )
        grade, truth = (labels.get_column(one).to_numpy() for one in ("grade", "relevance"))
        errors[name] = float(np.abs(grade - truth).mean())
    assert errors["pbm"] < 0.03
    assert errors["dctr"] > 0.1


def test_folds_and_other_readers_take_the_log_as_it_is() -> None:
    users = simulated(sessions=500)
    assert read_clicks(users.log).sessions == 500
    inside, outside = (read_clicks(users.log, fold=Fold(0, 5, side)) for side in (True, False))
    assert inside.sessions + outside.sessions == 500
