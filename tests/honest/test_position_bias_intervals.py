"""Intervals of position bias cover the truth, and doubts stay silent, in logs of the model."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from tests.honest.rows import row

from relyon.labels import PositionBias, estimate_bias

CLAIM = "position-bias-intervals"
EXAMINATION = 1 / np.arange(1, 7) ** 0.7
SESSIONS, REPEATS = 3_000, 60
HARVEST = ("all-pairs", "pivot", "chain")
IF = "95% if documents moved for reasons unrelated to relevance"
#: Sessions, queries and users of logs in which documents move with relevance.
BROKEN = {"time": (30, 300), "user": (10, 50), "session": (30, 300)}


def draw(
    queries: int, generator: np.random.Generator, moves: str = "", users: int = 300
) -> pl.DataFrame:
    """A log in which better documents mostly stand further up; few queries have most sessions.

    Args:
        queries: How many queries.
        generator: Where to draw from.
        moves: With what relevance changes, and the ranking with it: `time`, `user`, `session`.
        users: How many users.
    """
    depth, documents = len(EXAMINATION), len(EXAMINATION) + 2
    share = 1 / np.arange(1, queries + 1) ** 0.5
    query = generator.choice(queries, SESSIONS, p=share / share.sum())
    user = generator.choice(users, SESSIONS)
    time = np.sort(generator.random(SESSIONS))
    likes = 1.2 * generator.normal(size=(queries, documents))[query]
    score = 0.4 * likes
    if moves:
        taste = {
            "time": 3 * (time[:, None] - 0.5) * generator.normal(size=(queries, documents))[query],
            "user": 1.2 * generator.normal(size=(users, documents))[user],
            "session": generator.normal(size=(SESSIONS, documents)),
        }[moves]
        likes, score = likes + taste, score + taste
    attracts = 1 / (1 + np.exp(1.5 - likes))
    order = np.argsort(-score - generator.gumbel(size=(SESSIONS, documents)), axis=1)[:, :depth]
    chances = EXAMINATION * np.take_along_axis(attracts, order, axis=1)
    day = pl.Series(np.repeat(time * 1e7, depth).astype(np.int64))
    return pl.DataFrame(
        {
            "session": np.repeat(np.arange(SESSIONS), depth),
            "query": np.repeat(query, depth),
            "doc": order.ravel(),
            "position": np.tile(np.arange(1, depth + 1), SESSIONS),
            "clicked": (generator.random(order.shape) < chances).ravel(),
            "user": np.repeat(user, depth),
            "timestamp": day,
        }
    ).with_columns(pl.from_epoch("timestamp", time_unit="s"))


def covered(found: PositionBias, name: str) -> NDArray[np.bool_]:
    return np.array(
        [one.low <= theta <= one.high for one, theta in zip(found[name], EXAMINATION, strict=True)][
            1:
        ]
    )


@pytest.mark.parametrize("queries", [10, 30, 1_000])
def test_coverage(queries: int) -> None:
    generator = np.random.default_rng(7)
    inside = dict.fromkeys((*HARVEST, "em"), 0.0)
    alarms, doubts = 0, 0
    for _ in range(REPEATS):
        found = estimate_bias(draw(queries, generator), [*HARVEST, "em"])
        for name in inside:
            inside[name] += covered(found, name).mean()
        alarms += any(one.second != "em" for one in found.doubts)
        doubts += any(one.doubtful for one in found.movements)
    case = f"documents move by chance, {queries:,} queries"
    for name in HARVEST:
        share = inside[name] / REPEATS
        row(CLAIM, f"{name}, {case}", share, REPEATS, promise=IF, least=0.92, most=0.985)
    row(CLAIM, f"doubts, {case}", alarms / REPEATS, REPEATS, promise="at most 5%", most=0.09)
    row(CLAIM, f"movement, {case}", doubts / REPEATS, REPEATS, promise="at most 5%", most=0.09)
    # Every attraction of em has a prior: it decides where there are a thousand queries.
    if queries == 1_000:
        assert inside["em"] / REPEATS < 0.5


@pytest.mark.parametrize("moves", BROKEN)
def test_documents_that_move_with_relevance(moves: str) -> None:
    queries, users = BROKEN[moves]
    generator = np.random.default_rng(7)
    inside, doubts, said = 0.0, 0, 0
    for _ in range(REPEATS):
        found = estimate_bias(draw(queries, generator, moves, users), ["all-pairs"])
        inside += covered(found, "all-pairs").mean()
        doubts += any(one.kind == moves and one.doubtful for one in found.movements)
        said += any("cannot show why documents moved" in one for one in found.verdict())
    assert inside / REPEATS < 0.5  # this is what the doubts are for
    case = f"documents move with relevance, by {moves}"
    if moves == "session":  # no log shows it
        says = "a log alone cannot show why documents moved"
        row(CLAIM, case, said / REPEATS, REPEATS, promise=IF, least=1, assumption=False, says=says)
        return
    share = doubts / REPEATS
    says = "documents may have moved with relevance: the estimates are then wrong"
    row(CLAIM, case, share, REPEATS, promise=IF, least=0.9, assumption=False, says=says)
