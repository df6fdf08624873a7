"""Position bias: by hand, against statsmodels, in simulated logs, and where a log cannot tell."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.labels import PositionBias, estimate_bias, estimators, read_clicks
from relyon.labels.position_bias.bias import spans
from relyon.labels.position_bias.swaps import count_cells, count_swaps

EVERY = ["all-pairs", "chain", "em", "pivot"]
HARVEST = ["all-pairs", "chain", "pivot"]

#: A query, its documents by position (0 for none there), their clicks, and how often it came.
Session = tuple[str, str, Sequence[int], int]


def log_of(sessions: Iterable[Session]) -> pl.DataFrame:
    rows = []
    number = 0
    for query, documents, clicks, count in sessions:
        for _ in range(count):
            number += 1
            rows += [
                (number, query, doc, position, bool(click))
                for position, (doc, click) in enumerate(zip(documents, clicks, strict=True), 1)
                if doc != "0"
            ]
    schema = ["session", "query", "doc", "position", "clicked"]
    return pl.DataFrame(rows, schema=schema, orient="row")


def simulate(
    sessions: int,
    queries: int,
    examination: NDArray[np.float64],
    *,
    seed: int = 0,
    luck: float = 1.0,
) -> pl.DataFrame:
    """A log of the position-based model: documents are ranked by attraction and by luck."""
    generator = np.random.default_rng(seed)
    depth = len(examination)
    query = generator.integers(queries, size=sessions)
    attracts = 1 / (1 + np.exp(1.5 - generator.normal(size=(queries, depth + 2))))
    score = np.log(attracts)[query] + luck * generator.gumbel(size=(sessions, depth + 2))
    documents = np.argsort(-score, axis=1)[:, :depth]
    chances = examination * np.take_along_axis(attracts[query], documents, axis=1)
    return pl.DataFrame(
        {
            "session": np.repeat(np.arange(sessions), depth),
            "query": np.repeat(query, depth),
            "doc": documents.ravel(),
            "position": np.tile(np.arange(1, depth + 1), sessions),
            "clicked": (generator.random(documents.shape) < chances).ravel(),
        }
    )


def said(found: PositionBias) -> str:
    """The text without its line ends."""
    return " ".join(found.to_text().split())


# Document a stands 100 times at 1 (40 clicks) and 50 times at 2 (10), b 50 times at 1 (10) and
# 100 times at 2 (10).
SWAPPED: list[Session] = [
    ("q", "ab", (1, 0), 40),
    ("q", "ab", (0, 1), 10),
    ("q", "ab", (0, 0), 50),
    ("q", "ba", (1, 0), 10),
    ("q", "ba", (0, 1), 10),
    ("q", "ba", (0, 0), 30),
]


@pytest.mark.parametrize("name", HARVEST)
def test_by_hand(name: str) -> None:
    found = estimate_bias(log_of(SWAPPED), [name])
    # Both documents weigh 100 · 50 / 150. Rates: a 2/5 and 1/5, b 1/5 and 1/10.
    assert found.examination[2] == pytest.approx((1 / 5 + 1 / 10) / (2 / 5 + 1 / 5), abs=1e-6)
    assert list(found.connection.swaps) == pytest.approx([math.inf, 2 * 2 * 100 * 50 / 150])
    assert found.identified == "all"


def test_weights_by_hand() -> None:
    # Of c, seen once at each position, equal weighting makes as much as of a and b.
    log = log_of([*SWAPPED, ("r", "c", (1,), 1), ("r", "0c", (1, 1), 1)])
    cells = count_cells(read_clicks(log))
    harmonic, equal = (count_swaps(cells, one) for one in ("harmonic", "equal"))
    assert harmonic.weight.sum() == pytest.approx(2 * 100 * 50 / 150 + 0.5)
    assert equal.weight.sum() == 3
    assert equal.second_clicks.sum() == pytest.approx(1 / 5 + 1 / 10 + 1)
    found = estimate_bias(log, ["pivot"], weighting="equal")
    assert found.examination[2] == pytest.approx((0.2 + 0.1 + 1) / (0.4 + 0.2 + 1))


def test_pivot_is_the_rate_ratio_of_mantel_and_haenszel() -> None:
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    frame = simulate(400, 30, np.array([1.0, 0.5]), seed=3)
    found = estimate_bias(frame, ["pivot"]).examination[2]
    counts = frame.group_by("query", "doc", "position").agg(
        pl.col("clicked").sum().alias("clicks"), pl.len().alias("shown")
    )
    both = counts.filter(pl.col("position") == 2).join(
        counts.filter(pl.col("position") == 1), on=["query", "doc"], suffix="_top"
    )
    strata = [
        np.array([[c, n - c], [d, m - d]], float)
        for c, n, d, m in both.select("clicks", "shown", "clicks_top", "shown_top").iter_rows()
    ]
    assert found == pytest.approx(tables.StratifiedTable(strata).riskratio_pooled, rel=1e-12)


@pytest.mark.long
def test_all_pairs_maximises_its_likelihood() -> None:
    """Nothing nearby is better, and θ of a pair is its own whatever the product of positions.

    1 · 6 = 2 · 3: with attractions that were known by the product they would be mixed up.
    """
    frame = simulate(800, 10, 1 / np.arange(1, 7) ** 0.8, seed=5)
    swaps = count_swaps(count_cells(read_clicks(frame)))
    logs = np.log(list(estimate_bias(frame, ["all-pairs"]).examination.values()))

    def likelihood(theta: NDArray[np.float64]) -> float:
        """With the best attraction of every two positions: a search in one dimension each."""
        total = 0.0
        for one in range(6):
            for other in range(one + 1, 6):
                rows = swaps.keep((swaps.first == one) & (swaps.second == other))
                weight = rows.weight.sum()
                clicks = np.array([rows.first_clicks.sum(), rows.second_clicks.sum()])
                low, high = 0.0, float(1 / theta[[one, other]].max())
                grid = np.linspace(low, high, 200_002)[1:-1, None] * theta[[one, other]]
                found = clicks * np.log(grid) + (weight - clicks) * np.log1p(-grid)
                total += found.sum(axis=1).max()
        return total

    best = likelihood(np.exp(logs))
    for place in range(1, 6):
        for step in (-0.02, 0.02):
            moved = logs.copy()
            moved[place] += step
            assert likelihood(np.exp(moved)) < best


@pytest.mark.parametrize("name", EVERY)
def test_the_truth_is_found(name: str) -> None:
    truth = 1 / np.arange(1, 7) ** 0.8
    found = estimate_bias(simulate(20_000, 40, truth, seed=1), [name])
    for one, theta in zip(found[name], truth, strict=True):
        assert one.low - 0.02 <= theta <= one.high + 0.02
        assert one.high - one.low < 0.15


@pytest.mark.parametrize("name", HARVEST)
def test_click_through_rates_mix_up_what_these_tell_apart(name: str) -> None:
    truth = 1 / np.arange(1, 5) ** 0.5
    frame = simulate(20_000, 40, truth, seed=2, luck=0.3)
    rates = frame.group_by("position").agg(pl.col("clicked").mean()).sort("position")
    naive = rates["clicked"] / rates["clicked"][0]
    found = np.array(list(estimate_bias(frame, [name]).examination.values()))
    assert abs(naive.to_numpy() - truth).max() > 0.15
    assert abs(found - truth).max() < 0.05


@pytest.mark.parametrize("name", HARVEST)
def test_many_queries_with_few_sessions_each(name: str) -> None:
    truth = 1 / np.arange(1, 5) ** 0.7
    found = estimate_bias(simulate(20_000, 10_000, truth, seed=4), [name])
    for one, theta in zip(found[name], truth, strict=True):
        assert one.low - 0.03 <= theta <= one.high + 0.03


def test_the_prior_of_em_shows_where_documents_have_few_impressions() -> None:
    truth = 1 / np.arange(1, 5) ** 0.7
    found = estimate_bias(simulate(6_000, 3_000, truth, seed=4), ["all-pairs", "em"])
    assert [(one.first, one.second) for one in found.doubts] == [("all-pairs", "em")]
    assert "em follows its prior" in said(found)
    assert found["em"][3].high < truth[3]


def test_moves_that_follow_relevance_are_noticed() -> None:
    """Documents that stand at 2 or 3 are good today; those that stand at 1 or 2 always are."""
    generator = np.random.default_rng(0)
    rows = []
    for number in range(6_000):
        up = generator.random() < 0.5
        order = ["a", "b", "c"] if up else ["b", "c", "a"]
        attracts = {"a": 0.4, "b": 0.4, "c": 0.8 if up else 0.2}
        for position, doc in enumerate(order, 1):
            seen = [1, 0.7, 0.5][position - 1]
            clicked = bool(generator.random() < seen * attracts[doc])
            rows.append((number, f"q{number % 50}", doc, position, clicked))
    schema = ["session", "query", "doc", "position", "clicked"]
    log = pl.DataFrame(rows, schema=schema, orient="row")
    found = estimate_bias(log, ["all-pairs", "pivot", "chain"])
    assert found.doubts
    assert "relevance changed" in said(found)


# Positions that cannot be compared


def test_positions_without_common_documents() -> None:
    log = log_of(
        [
            ("q", "abcd", (1, 0, 1, 0), 10),
            ("q", "bacd", (1, 1, 0, 1), 10),
            ("q", "badc", (1, 0, 1, 1), 10),
        ]
    )
    found = estimate_bias(log, EVERY)
    assert found.connection.components == ((1, 2), (3, 4))
    assert found.identified == "part"
    for name in EVERY:
        assert [one.reason for one in found[name]][2:] == ["not-connected"] * 2
        assert all(math.isnan(one.examination) for one in found[name][2:])
    (experiment,) = found.connection.experiments
    assert (experiment.first, experiment.second, experiment.positions) == (2, 3, (3, 4))
    assert "Positions 3–4: no document connects them with position 1" in said(found)
    assert f"2 with 3 in {experiment.sessions:,.0f}" in said(found)
    # Relative to each other they are known.
    below = estimate_bias(log, ["all-pairs"], reference=3)
    assert set(below.examination) == {3, 4}
    assert below.connection.components == ((3, 4), (1, 2))


def test_documents_that_never_move() -> None:
    found = estimate_bias(log_of([("q", "abc", (1, 0, 1), 20), ("r", "de", (0, 1), 5)]), EVERY)
    assert found.identified == "none"
    assert found.examination == {1: 1.0}
    # One after the other, by the smallest swaps.
    swaps = [(one.first, one.second) for one in found.connection.experiments]
    assert swaps == [(1, 2), (2, 3)]
    assert "does not identify" in said(found)


def test_clicks_on_one_side_alone() -> None:
    log = log_of([("q", "ab", (1, 0), 9), ("q", "ba", (1, 0), 9), ("r", "ab", (1, 0), 9)])
    found = estimate_bias(log, EVERY)
    assert found.connection.reasons == ("", "no-clicks")
    assert found.identified == "none"
    assert "too few of those were clicked" in said(found)


def test_a_step_without_clicks() -> None:
    """Between 1 and 3 no document moves: the pivot has nothing, the others a way round."""
    log = log_of([(q, docs, (1, 1, 1), 9) for q in "pqr" for docs in ("a00", "0a0", "0b0", "00b")])
    found = estimate_bias(log, EVERY)
    assert [one.reason for one in found["pivot"]] == ["", "", "no-path"]
    assert found["chain"][2].examination == pytest.approx(1)
    assert "pivot: no estimate at 3" in said(found)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize(
    ("sessions", "positions"),
    [
        ([("q", "a", (1,), 5)], 1),
        ([("q", "a", (0,), 1)], 1),
        ([("q", "ab", (0, 0), 5), ("q", "ba", (0, 0), 5)], 2),
        ([(q, d, (1, 1), 5) for q in "pq" for d in ("ab", "ba")], 2),
        ([(q, d, (1, 1, 1), 5) for q in "pq" for d in ("abc", "bca", "cab")], 3),
        ([(q, d, (1, 0, 0, 1), 5) for q in "pq" for d in ("a00b", "b00a")], 2),
        ([("q", "0a", (0, 1), 5), ("q", "00a", (0, 0, 1), 5)], 2),
        ([("q", "ab", (1, 0), 1), ("q", "ba", (0, 1), 1)], 2),
    ],
    ids=["one", "one unclicked", "no clicks", "all", "all of three", "holes", "no top", "once"],
)
def test_corners_have_an_answer(name: str, sessions: list[Session], positions: int) -> None:
    found = estimate_bias(log_of(sessions), [name])
    assert len(found[name]) == positions
    assert found[name][0].examination == 1
    for one in found[name]:
        known = one.reason in ("", "too-little")
        assert math.isfinite(one.examination) == known
        assert math.isfinite(one.low) == math.isfinite(one.high) == (one.reason == "")
    for language in ("en", "zh"):
        assert "nan" not in found.to_text(language=language)
    assert "NaN" not in found.to_json()
    assert found.to_frame().height == positions


@pytest.mark.parametrize("name", EVERY)
def test_all_clicks_say_that_all_positions_are_seen_alike(name: str) -> None:
    log = log_of((q, d, (1, 1, 1), 50) for q in "pq" for d in ("abc", "bca", "cab"))
    found = estimate_bias(log, [name])
    assert list(found.examination.values()) == pytest.approx([1, 1, 1], abs=1e-3)


def test_one_query_has_no_interval() -> None:
    found = estimate_bias(log_of(SWAPPED), EVERY)
    for name in EVERY:
        assert found[name][1].reason == "too-little"
        assert found[name][1].queries == pytest.approx(1)
    assert "fewer than two queries" in said(found)


def test_a_query_with_most_sessions_counts_as_what_it_is() -> None:
    """A hundred queries, one with all but a few sessions: the intervals know of little more."""
    many = simulate(3_000, 1, np.array([1.0, 0.5]), seed=1)
    few = simulate(100, 100, np.array([1.0, 0.5]), seed=2).with_columns(
        pl.col("session") + 10_000, pl.col("query") + 1
    )
    one = estimate_bias(pl.concat([many, few]), ["all-pairs"])["all-pairs"][1]
    assert one.queries < 1.5
    assert one.reason == "too-little"


# What it is as a whole


def test_weak_connections() -> None:
    frame = simulate(300, 20, np.array([1.0, 0.6, 0.4]), seed=1)
    assert "hang on fewer" not in said(estimate_bias(frame, min_swaps=10))
    found = estimate_bias(frame, min_swaps=1e6)
    assert found.connection.weak(1e6) == (2, 3)
    assert "Positions 2–3 hang on fewer than 1e+06 effective swaps" in said(found)


def test_the_weakest_step_of_the_best_way() -> None:
    log = log_of(
        [
            *((q, "a00", (1,) * 3, 10) for q in "pq"),
            *((q, "0a0", (1,) * 3, 10) for q in "pq"),
            *((q, "00a", (1,) * 3, 2) for q in "pq"),
            *((q, "0b0", (1,) * 3, 4) for q in "pq"),
            *((q, "00b", (1,) * 3, 4) for q in "pq"),
        ]
    )
    # 3 is reached by a: 2 · 2 · 10 · 2 / 12 from either; from 2 b adds 2 · 4.
    swaps = estimate_bias(log).connection.swaps
    assert list(swaps) == pytest.approx([math.inf, 20, 2 * 40 / 12 + 8])


def test_the_order_of_the_rows_and_threads_change_no_bit() -> None:
    frame = simulate(500, 30, np.array([1.0, 0.6, 0.4]), seed=1)
    found = estimate_bias(frame, EVERY, threads=1)
    assert estimate_bias(frame.sample(fraction=1, shuffle=True, seed=2), EVERY) == found
    # Counted clicks have no times and no users any more.
    counted = estimate_bias(read_clicks(frame, threads=3), EVERY)
    assert counted == replace(found, movements=())


def test_forms() -> None:
    found = estimate_bias(simulate(500, 30, np.array([1.0, 0.6, 0.4]), seed=1))
    assert isinstance(found, PositionBias)
    data = json.loads(found.to_json())
    assert data["examination"] == {str(key): one for key, one in found.examination.items()}
    assert data["connection"]["swaps"][0] is None
    frame = found.to_frame()
    assert frame["estimator"].unique(maintain_order=True).to_list() == list(found.estimators)
    assert frame["component"].to_list() == [1] * 9
    assert "| position | all-pairs | pivot | em |" in found.to_markdown()
    assert "位置偏差" in found.to_text(language="zh")


def test_wrong_parameters() -> None:
    log = log_of(SWAPPED)
    with pytest.raises(ParameterError, match="nothing was shown at the position 7"):
        estimate_bias(log, reference=7)
    with pytest.raises(ParameterError, match="name each estimator once"):
        estimate_bias(log, ["em", "em"])
    with pytest.raises(ParameterError, match="weighting"):
        estimate_bias(log, weighting="best")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="unknown estimator of position bias: `pairs`"):
        estimate_bias(log, ["pairs"])
    with pytest.raises(InputError, match="has no clicks"):
        estimate_bias(log.drop("clicked"))


def test_estimators_are_registered() -> None:
    assert sorted(estimators) == EVERY


@pytest.mark.parametrize(
    ("positions", "text"), [([], ""), ([4], "4"), ([1, 2, 4], "1–2, 4"), ([9, 10], "9–10")]
)
def test_spans(positions: list[int], text: str) -> None:
    assert spans(positions) == text
