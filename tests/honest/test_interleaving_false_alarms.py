"""Interleaving with nothing to find: users and queries that come back, looked at every day."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from tests.honest.rows import row

from relyon.analysis.statistics import always_valid
from relyon.online.experiments import mix_runs, score_clicks
from relyon.online.experiments.interleaving.estimate import Searches

PLANNED, ALWAYS = "interleaving-false-alarms", "interleaving-always-valid"
DAYS, RUNS = 30, 600


@dataclass(frozen=True)
class Crowd:
    """Sessions of users and queries whose own preferences average 0.

    Attributes:
        users: Number of users.
        pareto: The tail of their activity; 0 for equal users.
        queries: Number of queries.
        zipf: The exponent of their traffic.
        sessions: Number of sessions.
        tastes: The spread of the preferences of users, and of those of queries.
    """

    users: int
    pareto: float
    queries: int
    zipf: float
    sessions: int
    tastes: tuple[float, float]

    def draw(
        self, generator: np.random.Generator, named: bool
    ) -> tuple[Searches, NDArray[np.float64]]:
        """Returns the sessions of one experiment and their outcomes."""
        activity = np.ones(self.users)
        if self.pareto:
            activity = np.minimum(1 + generator.pareto(self.pareto, self.users), 5000)
        traffic = 1 / np.arange(1, self.queries + 1) ** self.zipf
        user = generator.choice(self.users, self.sessions, p=activity / activity.sum())
        query = generator.choice(self.queries, self.sessions, p=traffic / traffic.sum())
        own, asked = self.tastes
        taste = own * generator.standard_normal(self.users)[user]
        taste += asked * generator.standard_normal(self.queries)[query]
        clicked = generator.random(self.sessions) < 0.6
        chance = (1 + np.clip(taste, -1, 1)) / 2
        outcome = np.where(generator.random(self.sessions) < chance, 1.0, -1.0) * clicked
        day = np.sort(generator.integers(0, DAYS, self.sessions))
        frame = pl.DataFrame(
            {
                "mixture": np.arange(self.sessions),
                "query": query,
                "day": np.array([f"2026-01-{one + 1:02}" for one in range(DAYS)])[day],
                "user": user,
            }
        )
        return Searches(frame if named else frame.drop("user"), clicked, 0.95, 1), outcome


def alarms(crowd: Crowd, *, named: bool, seed: int = 1) -> tuple[float, float]:
    """Returns the shares of experiments with a planned p, and an always-valid one, up to 5%."""
    generator = np.random.default_rng(seed)
    planned = always = 0
    for _ in range(RUNS):
        searches, outcomes = crowd.draw(generator, named)
        found = searches.preference("new", outcomes)
        planned += found.p <= 0.05
        always += found.looks[-1].p <= 0.05
    return planned / RUNS, always / RUNS


#: The promise, and two standard errors of a share of 5%.
MOST = 0.06 + 2 * math.sqrt(0.05 * 0.95 / RUNS)


@pytest.mark.parametrize(("users", "pareto"), [(50, 0), (200, 1.1), (1000, 1.1)])
@pytest.mark.parametrize(("queries", "zipf"), [(5, 1.0), (100, 1.3), (1000, 1.0)])
def test_users_who_come_back(users: int, pareto: float, queries: int, zipf: float) -> None:
    crowd = Crowd(users, pareto, queries, zipf, 2000, (0.5, 0.0))
    planned, always = alarms(crowd, named=True)
    activity = f"Pareto {pareto}" if pareto else "equally active"
    case = (
        f"{users:,} users ({activity}) with tastes of their own, {queries:,} queries (Zipf {zipf})"
    )
    row(PLANNED, case, planned, RUNS, promise="at most 6%", most=MOST)
    row(ALWAYS, case, always, RUNS, promise="at most 5%", most=MOST)


@pytest.mark.parametrize(
    ("users", "pareto", "queries", "zipf"),
    [(50, 0, 20, 1.0), (200, 1.1, 100, 1.3), (1000, 1.1, 1000, 1.0)],
)
def test_users_and_queries_with_tastes(
    users: int, pareto: float, queries: int, zipf: float
) -> None:
    planned, _ = alarms(Crowd(users, pareto, queries, zipf, 2000, (0.5, 0.5)), named=True)
    activity = f"Pareto {pareto}" if pareto else "equally active"
    case = f"{users:,} users ({activity}) and {queries:,} queries (Zipf {zipf}), both with tastes"
    row(PLANNED, case, planned, RUNS, promise="at most 6%", most=MOST)


@pytest.mark.parametrize(
    ("queries", "zipf", "taste"),
    [
        (5, 1.0, 0.5),
        (20, 1.3, 0.0),
        (100, 1.3, 0.0),
        (100, 1.0, 0.5),
        (1000, 1.3, 0.0),
        (1000, 1.3, 0.5),
    ],
)
def test_independent_sessions(queries: int, zipf: float, taste: float) -> None:
    """Without users: sessions of one query are alike, and otherwise independent."""
    crowd = Crowd(1, 0, queries, zipf, 2000, (0.0, taste))
    planned, always = alarms(crowd, named=False)
    alike = "each with a taste" if taste else "all alike"
    case = f"independent sessions of {queries:,} queries (Zipf {zipf}), {alike}"
    row(PLANNED, case, planned, RUNS, promise="at most 6%", most=MOST)
    if taste:
        row(
            ALWAYS,
            case,
            always,
            RUNS,
            promise="of the queries that were searched, not of others",
            least=0.06,
            assumption=False,
            says="they are of independent sessions of the queries that were searched",
        )
    else:
        row(ALWAYS, case, always, RUNS, promise="at most 5%", most=MOST)


def test_users_without_a_column() -> None:
    """What the log does not say cannot be counted: the page says what is assumed instead."""
    crowd = Crowd(200, 1.1, 100, 1.0, 2000, (0.5, 0.0))
    planned, always = alarms(crowd, named=False)
    case = "200 users (Pareto 1.1) who come back, and no column that says so"
    says = "sessions are taken to be independent but for their query"
    for claim, found in ((PLANNED, planned), (ALWAYS, always)):
        row(claim, case, found, RUNS, promise="none", least=0.06, assumption=False, says=says)


@pytest.mark.parametrize("per_day", [10, 200])
@pytest.mark.parametrize("kind", ["rare", "even", "graded", "drifting"])
def test_daily_looks(kind: str, per_day: int) -> None:
    """Nothing to find: at most 5% of experiments ever raise an alarm, in 30 daily looks."""
    generator = np.random.default_rng(11)
    count = wrong = 0
    looks = np.arange(1, DAYS + 1) * per_day
    for _ in range(RUNS):
        if kind == "rare":  # most sessions prefer none
            values = generator.choice([-1.0, 0.0, 1.0], looks[-1], p=[0.01, 0.98, 0.01])
        elif kind == "even":
            values = generator.choice([-1.0, 1.0], looks[-1])
        elif kind == "graded":
            values = generator.uniform(-0.4, 0.4, looks[-1])
        else:  # users click more and more
            active = generator.random(looks[-1]) < np.linspace(0.05, 0.9, looks[-1])
            values = generator.choice([-1.0, 1.0], looks[-1]) * active
        found = always_valid(values, looks)
        count += bool(found.p[-1] <= 0.05)
        wrong += bool(((found.low > 0) | (found.high < 0)).any())
    assert wrong / RUNS <= MOST
    names = {
        "rare": "2% are not 0",
        "even": "−1 or 1",
        "graded": "between −0.4 and 0.4",
        "drifting": "more and more clicks",
    }
    case = f"{per_day} independent sessions per day, outcomes: {names[kind]}"
    row(ALWAYS, case, count / RUNS, RUNS, promise="at most 5%", most=MOST)


@pytest.mark.parametrize("method", ["team-draft", "probabilistic", "optimised"])
def test_from_lists_to_the_verdict(method: str) -> None:
    """Users who look at positions only, from runs and logs on; few come back far more often."""
    generator = np.random.default_rng(5)
    repeats, queries, draws, sessions, users = 100, 25, 40, 1000, 80
    planned = always = 0
    for seed in range(repeats):
        names = [f"d{number}" for number in range(12)]
        runs = {
            run: {
                f"q{query}": dict(zip(names, generator.random(12).tolist(), strict=True))
                for query in range(queries)
            }
            for run in ("old", "new")
        }
        mixed = mix_runs(runs, method, depth=6, draws=draws, seed=seed)
        mixtures = mixed.lists["mixture"].unique(maintain_order=True)
        activity = 1 + generator.pareto(1.1, users)
        shown = pl.DataFrame(
            {
                "bucket": mixtures.gather(generator.permutation(len(mixtures))[:sessions]),
                "session": np.arange(sessions),
                "user": generator.choice(users, sessions, p=activity / activity.sum()),
            }
        ).with_columns(
            timestamp=pl.datetime(2026, 1, 1) + pl.duration(minutes=pl.col("session") * 20)
        )
        rows = shown.join(mixed.lists, left_on="bucket", right_on="mixture").select(
            "session", "user", "bucket", "timestamp", "query", "position", doc="document"
        )
        chances = 0.5 / rows["position"].to_numpy()
        log = rows.with_columns(clicked=generator.random(rows.height) < chances)
        found = score_clicks(mixed, log)["new"]
        always += found.looks[-1].p <= 0.05
        planned += found.p <= 0.05
    bound = 0.06 + 2 * math.sqrt(0.05 * 0.95 / repeats)
    case = f"whole logs, {method}: 80 users (Pareto 1.1) who click by position alone"
    row(PLANNED, case, planned / repeats, repeats, promise="at most 6%", most=bound)
    row(ALWAYS, case, always / repeats, repeats, promise="at most 5%", most=bound)
