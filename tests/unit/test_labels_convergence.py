"""Fits of click models end where they should, say so where they do not, and know their errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from relyon.labels import Crowd, make_labels, simulate
from relyon.labels.beta import Relevance, interval
from relyon.labels.click_models.pbm import PBM
from relyon.labels.log import read_clicks
from relyon.labels.model import models

RUN = {f"q{one}": {f"d{place}": 6.0 - place for place in range(6)} for one in range(4)}


def log_of(model: str, swap: float, sessions: int = 4_000) -> pl.DataFrame:
    return simulate(RUN, None, model, sessions=sessions, seed=3, crowd=Crowd(swap=swap)).collect()


@pytest.mark.parametrize("name", ["dbn", "ccm"])
def test_acceleration_ends_where_expectation_maximisation_does(name: str) -> None:
    log = read_clicks(log_of(name, 0.3))
    fast = models.get(name)().estimate(log)
    slow = models.get(name)(rounds=30_000, tolerance=0.0).estimate(log)  # type: ignore[call-arg]
    assert fast.rounds < 1_000
    assert fast.change <= 1e-6
    for parameter, values in slow.pairs.items():
        assert np.abs(values - fast.pairs[parameter]).max() < 1e-6
    assert fast.shared["go_on"] == pytest.approx(slow.shared["go_on"], abs=1e-6)


CORNERS: dict[str, list[tuple[Any, ...]]] = {
    "one session": [("s", "q", "a", 1, 1), ("s", "q", "b", 2, 0)],
    "no click": [
        (session, "q", doc, 1 + "ab".index(doc), 0) for session in range(9) for doc in "ab"
    ],
    "all clicked": [
        (session, "q", doc, 1 + "ab".index(doc), 1) for session in range(9) for doc in "ab"
    ],
    "one document": [(session, "q", "a", 1, session % 2) for session in range(9)],
    "positions never seen": [
        (session, "q", doc, place, (session + place) % 4 == 0)
        for session in range(40)
        for doc, place in zip("ab" if session % 3 else "ba", (3, 7), strict=True)
    ],
    "queries of their own": [
        (session, f"q{session % 5}", f"d{(session + place) % 4}", place, (session + place) % 3 == 0)
        for session in range(60)
        for place in (1, 2, 3)
    ],
}


@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("name", ["dbn", "ccm"])
def test_corners_end_where_far_more_rounds_do(name: str, corner: str) -> None:
    names = ["session", "query", "doc", "position", "clicked"]
    log = read_clicks(pl.DataFrame(CORNERS[corner], names, orient="row"))
    fast = models.get(name)().estimate(log)
    slow = models.get(name)(rounds=50_000, tolerance=0.0).estimate(log)  # type: ignore[call-arg]
    assert fast.change <= 1e-6
    assert models.get(name)().notes(fast) == ()
    for parameter, values in slow.pairs.items():
        assert np.abs(values - fast.pairs[parameter]).max() < 2e-5
    for parameter, weights in slow.weights.items():
        assert weights == pytest.approx(fast.weights[parameter], rel=1e-3, abs=1e-3)


def test_the_profile_has_no_slope_where_it_ends() -> None:
    """Given the examination, the attraction balances clicks, skips and the prior."""
    log = read_clicks(log_of("pbm", 0.1))
    found = PBM().estimate(log)
    assert found.rounds < 30
    assert found.change <= 1e-6
    cells = log.native.cells()
    theta = found.shared["examination"]
    assert theta[0] == 1
    rate = found.pairs["attraction"]
    click = rate[cells["pairs"]] * theta[cells["positions"] - 1]
    skips = cells["shown"].astype(float) - cells["clicks"]
    slopes = cells["clicks"] - np.where(skips > 0, skips, 1e-3) * click / (1 - click)
    sums = np.bincount(cells["pairs"], slopes, len(rate)) + 1 - rate / (1 - rate)
    assert np.abs(sums).max() < 1e-6


@pytest.mark.parametrize("name", ["pbm", "ubm", "dbn", "ccm"])
def test_too_few_rounds_are_said(name: str) -> None:
    log = read_clicks(log_of(name, 0.1, 1_000))
    model = models.get(name)(rounds=2)  # type: ignore[call-arg]
    (note,) = model.notes(model.estimate(log))
    assert (note.kind, note.level) == ("labels-not-converged", "warning")
    assert models.get(name)().notes(models.get(name)().estimate(log)) == ()


def test_examination_taken_as_known_is_said() -> None:
    """35 positions have 630 contexts of a position and the last click above it."""
    run = {"q": {f"d{place:02}": 35.0 - place for place in range(35)}}
    log = simulate(run, None, "ubm", sessions=200, seed=1, crowd=Crowd(swap=0.3)).collect()
    deep, less = (make_labels(log, "ubm", depth=depth) for depth in (35, 34))
    (note,) = [one for one in deep.notes if one.kind == "labels-examination-known"]
    assert (note.count, note.level, note.values["most"]) == (630, "warning", 600)
    assert "630" in note.sentence("en")
    assert "630" in note.sentence("zh")
    assert "labels-examination-known" in str(deep.to_dict()["notes"])
    assert "labels-examination-known" not in {one.kind for one in less.notes}


@pytest.mark.parametrize("name", ["pbm", "ubm", "dbn", "ccm"])
def test_threads_change_no_bit(name: str) -> None:
    frame = log_of(name, 0.3, 1_000)
    one, many = (make_labels(frame, name, threads=threads).labels for threads in (1, 4))
    assert one.equals(many)


def test_fewer_swaps_are_less_certain() -> None:
    spreads = [
        np.median(PBM().estimate(read_clicks(log_of("pbm", swap))).spreads["relevance"])
        for swap in (0.3, 0.03)
    ]
    assert 2 * spreads[0] < spreads[1]


def test_an_interval_with_two_errors() -> None:
    mean, weight = np.array([0.3, 0.3, 0.9]), np.array([40.0, 40.0, 40.0])
    spread = np.array([0.0, 0.3, 0.3])
    low, high = Relevance(mean, weight, spread).interval(0.95)
    alone = interval(mean, weight, 0.95)
    assert (low[0], high[0]) == (alone[0][0], alone[1][0])
    assert low[1] < alone[0][1] < alone[1][1] < high[1]
    assert high[2] == 1.0
    evidence = Relevance(mean, weight, spread).evidence
    assert evidence[0] == 40
    assert evidence[1] == pytest.approx(1 / (0.09 * 0.3 / 0.7 + 1 / 41) - 1)
    hidden = Relevance(np.array([0.02]), np.array([30.0]), hidden=True).interval(0.95)
    assert hidden[0][0] == 0.0
