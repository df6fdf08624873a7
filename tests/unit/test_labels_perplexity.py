"""What models foresee of lists: by position, in groups, and what of it users examine."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest

from relyon.analysis.statistics import RatioEstimate
from relyon.labels import Lists, compare_models, lists_of, models, read_clicks
from relyon.labels.perplexity import by_position, perplexity, reliability

COLUMNS = ["session", "query", "doc", "position", "clicked"]


def lists(*rows: tuple[Any, ...]) -> Lists:
    return lists_of(read_clicks(pl.DataFrame(rows, COLUMNS, orient="row")))


#: Positions have holes: nothing is shown at 2.
HOLES = (
    ("s1", "tv", "a", 1, 1), ("s1", "tv", "b", 3, 0),
    ("s2", "sofa", "c", 3, 1), ("s2", "sofa", "d", 4, 0),
)  # fmt: skip


def test_positions_keep_their_holes() -> None:
    found = lists(*HOLES)
    clicked = by_position(found, found.clicked.astype(float))
    assert clicked.tolist() == pytest.approx([1.0, math.nan, 0.5, 0.0], nan_ok=True)
    # A coin is thrown for each result.
    guess = perplexity(found, np.full(found.shown.shape, 0.5))
    assert guess.tolist() == pytest.approx([2.0, math.nan, 2.0, 2.0], nan_ok=True)
    sure = perplexity(found, np.where(found.clicked, 0.25, 0.0))
    assert sure.tolist() == pytest.approx([4.0, math.nan, 2.0, 1.0], nan_ok=True)


def test_values_that_do_not_exist_do_not_count() -> None:
    found = lists(*HOLES)
    values = np.where(found.clicked, math.nan, 1.0)
    # No result at position 1 has a value.
    assert by_position(found, values).tolist() == pytest.approx(
        [math.nan, math.nan, 1.0, 1.0], nan_ok=True
    )


def test_groups_of_results_foreseen_alike() -> None:
    rows = [
        (f"s{number}", f"q{number // 4}", doc, place, doc == "a" and number % 4 < 3)
        for number in range(40)
        for place, doc in enumerate("ab", 1)
    ]
    found = lists(*rows)
    foreseen = np.where(found.positions == 1, 0.6, 0.1)
    few, many = (reliability(found, foreseen, 0.95, bins=bins) for bins in (2, 10))
    # Results of one probability stay together, however many groups there may be.
    assert few == many
    low, high = few
    assert [low.foreseen, high.foreseen] == pytest.approx([0.1, 0.6])
    assert (low.clicked, low.shown, high.clicked, high.shown) == (0.0, 40, 0.75, 40)
    # No click in 40 results does not mean that there never is one.
    assert low.interval[0] == 0.0
    assert 0.01 < low.interval[1] < 0.2
    assert high.interval[0] < 0.75 < high.interval[1]


def test_one_query_has_no_interval() -> None:
    found = lists(*HOLES[:2])
    (one,) = reliability(found, np.full(found.shown.shape, 0.3), 0.95)
    assert (one.clicked, one.shown) == (0.5, 2)
    assert all(map(math.isnan, one.interval))


def test_the_interval_of_a_share() -> None:
    # As many trials as there are, where clusters are no more alike than chance makes them.
    plain = RatioEstimate(0.5, math.sqrt(0.25 / 100), 10**6).share_interval(0.95, 100)
    assert plain == pytest.approx((0.4038, 0.5962), abs=1e-4)  # Wilson, 50 of 100
    few = RatioEstimate(0.5, math.sqrt(0.25 / 100), 10).share_interval(0.95, 100)
    # The same with Student's 2.2622 in place of 1.96.
    assert few == pytest.approx((0.3897, 0.6103), abs=1e-4)
    narrow = RatioEstimate(0.5, 0.001, 10**6).share_interval(0.95, 100)
    assert narrow == pytest.approx(plain)
    wider = RatioEstimate(0.5, 0.1, 10).share_interval(0.95, 100)
    assert wider == pytest.approx(RatioEstimate(0.5, 0.1, 10).share_interval(0.95, 25))
    assert RatioEstimate(1.0, 0.0, 3).share_interval(0.95, 10)[1] == 1.0
    assert RatioEstimate(1.0, 0.0, 3).share_interval(0.95, 10)[0] < 0.8
    assert all(map(math.isnan, RatioEstimate(0.5, math.nan, 1).share_interval(0.95, 10)))


def walk(generator: np.random.Generator, sessions: int = 600) -> pl.DataFrame:
    rows = []
    for session in range(sessions):
        docs = generator.permutation(["a", "b", "c", "d"])
        for place, doc in enumerate(docs, 1):
            clicked = generator.random() < {"a": 0.8, "b": 0.6, "c": 0.4, "d": 0.2}[doc] / place
            rows.append((session, f"q{session % 4}", str(doc), place, bool(clicked)))
    return pl.DataFrame(rows, COLUMNS, orient="row")


def test_what_is_examined() -> None:
    log = read_clicks(walk(np.random.default_rng(1)))
    found = lists_of(log)
    pbm = models.get("pbm")().fit(log)
    theta = pbm.parameters.shared["examination"]
    assert pbm.examination(found).tolist() == pytest.approx((theta / theta[0]).tolist()[:4])
    assert pbm.examination(found)[1:] == pytest.approx([1 / 2, 1 / 3, 1 / 4], abs=0.1)
    cascade = models.get("cascade")().fit(log)
    alpha = cascade.click_probabilities(found, conditional=False)
    attraction = dict(
        zip(log.pairs.rows(), cascade.parameters.pairs["attraction"].tolist(), strict=True)
    )
    # The second result is seen where the first one was not clicked.
    first = [attraction[found.names.row(pair)] for pair in found.pairs[:, 0].tolist()]
    second = float(found.counts @ (1 - np.array(first)) / found.counts.sum())
    assert cascade.examination(found)[1] == pytest.approx(second)
    assert alpha.shape == found.shown.shape
    for name in ("gctr", "rctr", "dctr", "coec"):
        assert len(models.get(name)().fit(log).examination(found)) == 0


def test_what_is_examined_where_nothing_stands_at_the_top() -> None:
    log = read_clicks(pl.DataFrame(HOLES[1:], COLUMNS, orient="row"))
    seen = models.get("pbm")().fit(log).examination(lists_of(log))
    assert np.isnan(seen[:2]).all()
    assert seen[2] == 1.0


@pytest.mark.parametrize("clicked", [0, 1])
def test_logs_without_a_choice(clicked: int) -> None:
    """No click at all, or nothing but clicks: every number is defined, or is said to be absent."""
    frame = walk(np.random.default_rng(2), 80).with_columns(clicked=pl.lit(bool(clicked)))
    names = sorted(models)
    found = compare_models(frame, names, judgments={"q0": {"a": 1, "b": 0}}, estimators=["pivot"])
    for fit in found.fits:
        assert math.isfinite(fit.log_likelihood)
        for one in fit.reliability:
            low, high = one.interval
            # Results of one query alone have no interval.
            assert math.isnan(low) or 0 <= low <= one.clicked <= high <= 1
    for text in (found.to_text(), found.to_json(), found.to_csv(), found.to_text(language="zh")):
        assert "nan" not in text.lower()
