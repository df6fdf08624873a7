"""Figures about clicks: simulated users, whose attention is known, and what their clicks tell."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl

from relyon.evaluation import evaluate
from relyon.labels import Crowd, UserBehaviour, estimate_bias, make_labels, simulate
from relyon.labels.simulation.simulation import Simulation
from relyon.learn.figures import Figure, figure

__all__ = ["attention", "examined", "labelled", "swapped"]

DEPTH = 6
QUERIES = 30
#: The share of pairs in the right order, among documents that are not equally attractive. Labels
#: that leave a pair open count half: a model is not better for saying nothing of the hard pairs.
PAIRS = "concordance(label_ties=ignore,score_ties=half)"
Graded = dict[str, dict[str, float]]


@figure("attention")
def attention(setting: float) -> Figure:
    """Click rates by rank where attention falls as 1 / rank^setting, and what is really there."""
    users = _users(20_000, setting, Crowd(frequencies=0.0))
    rows = users.collect().join(
        users.pairs, left_on=["query", "doc"], right_on=["query", "document"]
    )
    columns = pl.col("attraction", "clicked").mean()
    means = rows.group_by("position").agg(columns).sort("position")
    attracts = means["attraction"].to_list()
    clicks = means["clicked"].to_list()
    ranks = [float(rank) for rank in range(1, DEPTH + 1)]
    return Figure(
        {
            "clicks_first": clicks[0],
            "clicks_last": clicks[-1],
            "clicks_ratio": clicks[0] / clicks[-1],
            "attraction_ratio": attracts[0] / attracts[-1],
        },
        {
            "attraction": list(zip(ranks, attracts, strict=True)),
            "clicks": list(zip(ranks, clicks, strict=True)),
        },
    )


@figure("examined")
def examined(setting: float) -> Figure:
    """Attention estimated from so many sessions with one swap each, and the truth: 1 / rank."""
    users = _users(int(setting), 1.0, Crowd(frequencies=0.0, swap=1.0))
    found = estimate_bias(users.log, ["all-pairs"], depth=DEPTH)
    estimates = found["all-pairs"]
    means = users.collect().group_by("position").agg(pl.col("clicked").mean())
    rates = means.sort("position")["clicked"].to_list()
    fifth = estimates[4]
    return Figure(
        {
            "estimate": fifth.examination,
            "low": fifth.low,
            "high": fifth.high,
            "naive": rates[4] / rates[0],
        },
        {
            "truth": [(float(rank), 1 / rank) for rank in range(1, DEPTH + 1)],
            "estimated": [(float(one.position), one.examination) for one in estimates],
            "rates": [(float(n), rate / rates[0]) for n, rate in enumerate(rates, 1)],
        },
    )


@figure("swapped")
def swapped(setting: float) -> Figure:
    """The precision of attention if so many percent of 20,000 sessions have a swap."""
    users = _users(20_000, 1.0, Crowd(frequencies=0.0, swap=setting / 100))
    found = estimate_bias(users.log, ["all-pairs"], depth=DEPTH)
    fifth = found["all-pairs"][4]
    return Figure(
        {
            "estimate": fifth.examination,
            "low": fifth.low,
            "high": fifth.high,
        }
    )


@figure("labelled")
def labelled(setting: float) -> Figure:
    """The agreement of labels from so many sessions per query with the order of documents."""
    users = _users(int(setting) * QUERIES, 1.0, Crowd(frequencies=0.0, shuffle=0.3))
    truth: Graded = {}
    for query, document, attracts in users.pairs.select(
        "query", "document", "attraction"
    ).iter_rows():
        truth.setdefault(query, {})[document] = attracts
    values = {}
    for model in ("dctr", "pbm"):
        labels = make_labels(users.log, model, depth=DEPTH).labels
        run: Graded = {}
        for query, document, relevance in labels.select("query", "document", "grade").iter_rows():
            run.setdefault(query, {})[document] = relevance
        values[model] = float(evaluate(truth, run, [PAIRS])[PAIRS])
    return Figure(values)


@cache
def _collection() -> tuple[Graded, Graded]:
    """Grades of some queries, and a ranker that knows them roughly."""
    chance = np.random.default_rng(3)
    grades: Graded = {}
    for query in range(QUERIES):
        drawn = chance.choice(4, DEPTH, p=[0.4, 0.3, 0.2, 0.1])
        grades[f"q{query}"] = {f"d{place}": float(one) for place, one in enumerate(drawn)}
    run = {
        query: {document: grade + chance.normal(0, 0.8) for document, grade in row.items()}
        for query, row in grades.items()
    }
    return grades, run


def _users(sessions: int, eta: float, crowd: Crowd) -> Simulation:
    grades, run = _collection()
    behaviour = UserBehaviour(depth=DEPTH, eta=eta)
    return simulate(run, grades, "pbm", sessions=sessions, seed=1, behaviour=behaviour, crowd=crowd)
