"""How often intervals of off-policy estimates hold the truth, in logs whose truth is known."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from tests.honest.rows import row

from relyon.analysis.statistics import Resampling
from relyon.labels import models
from relyon.labels.off_policy import Evidence, Terms, estimators, read_candidate, read_feedback
from relyon.labels.off_policy.choices import align
from relyon.labels.off_policy.intervals import EXACT, interval_of

REPEATS = 200
CLAIM = "off-policy-intervals"
METHODS = ("betting", "bernstein", "anytime", "bootstrap", "t")
LEVEL = 0.95


@dataclass(frozen=True)
class Case:
    """Logs of one kind.

    Attributes:
        sessions: Sessions of each log.
        propensities: What the log says of its propensities.
        names: The estimators.
        queries: How many queries there are.
    """

    sessions: int
    propensities: Any
    names: tuple[str, ...]
    queries: int = 1


ORDERS = np.array(list(itertools.permutations(range(3))))
ATTRACTS = np.array([0.5, 0.3, 0.1])
SEEN = np.array([1.0, 0.6, 0.4])

LISTS = {
    "ample": Case(2000, "list", ("ips", "snips", "dr")),
    "conditional": Case(2000, "conditional", ("ips", "dr", "cascade-dr")),
    "position": Case(2000, "position", ("item-position",)),
    "few": Case(400, "list", ("ips", "snips", "dr")),
    "counted": Case(1000, "none", ("ips", "snips", "dr", "item-position", "cascade-dr"), 100),
}
#: How likely each document is to be shown, to be shown by the candidate, and to be clicked.
DECISIONS = {
    "even": (1000, [0.4, 0.3, 0.3], [0.2, 0.3, 0.5], [0.2, 0.3, 0.4]),
    "heavy": (500, [0.96, 0.02, 0.02], [0.1, 0.4, 0.5], [0.1, 0.3, 0.5]),
    "rare clicks": (1000, [0.1] * 10, [0.01] * 9 + [0.91], [0.01] * 10),
    "heavy, rare": (1000, [0.98, 0.01, 0.01], [0.1, 0.4, 0.5], [0.02, 0.02, 0.05]),
}


def likely(name: str) -> NDArray[np.float64]:
    """How likely a log is to show each of the lists; the candidate's is the last."""
    if name == "few":
        return np.array([0.5, 0.2, 0.1, 0.1, 0.09, 0.01])
    return np.array([0.3, 0.2, 0.2, 0.1, 0.1, 0.1])


def draw_lists(name: str, generator: np.random.Generator) -> pl.DataFrame:
    """A log of lists whose clicks depend on the document and the position alone."""
    case, shares = LISTS[name], likely(name)
    number = generator.choice(len(ORDERS), case.sessions, p=shares)
    shown = ORDERS[number]
    clicked = generator.random(shown.shape) < ATTRACTS[shown] * SEEN
    if case.propensities == "list":
        given = np.repeat(shares[number][:, None], 3, axis=1)
    elif case.propensities == "position":
        places = np.array([[shares[ORDERS[:, k] == d].sum() for d in range(3)] for k in range(3)])
        given = places[np.arange(3)[None, :], shown]
    else:
        same = [(ORDERS[:, None, : k + 1] == ORDERS[None, :, : k + 1]).all(2) for k in range(3)]
        prefix = np.stack([rows @ shares for rows in same], axis=1)[number]
        given = prefix / np.concatenate([np.ones((len(prefix), 1)), prefix[:, :-1]], axis=1)
    return pl.DataFrame(
        {
            "session": np.repeat(np.arange(case.sessions), 3),
            "query": np.repeat(generator.integers(0, case.queries, case.sessions), 3),
            "doc": shown.ravel(),
            "position": np.tile([1, 2, 3], case.sessions),
            "clicked": clicked.ravel(),
            "propensity": given.ravel(),
        }
    )


def draw_decisions(name: str, generator: np.random.Generator) -> pl.DataFrame:
    sessions, shown, _, clicks = DECISIONS[name]
    doc = generator.choice(len(shown), sessions, p=shown)
    return pl.DataFrame(
        {
            "doc": doc,
            "clicked": generator.random(sessions) < np.array(clicks)[doc],
            "propensity": np.array(shown)[doc],
        }
    )


def evidences(name: str) -> Iterator[tuple[Evidence, float]]:
    """Logs of one kind, each with what the candidate earns."""
    generator = np.random.default_rng(7)
    if name in LISTS:
        case, last = LISTS[name], ORDERS[-1]
        truth = float((ATTRACTS[last] * SEEN).sum())
        order = {str(doc): 3.0 - place for place, doc in enumerate(last)}
        candidate = read_candidate({str(query): order for query in range(case.queries)})
    else:
        _, _, shares, clicks = DECISIONS[name]
        truth = float(np.dot(shares, clicks))
        candidate = read_candidate(
            pl.DataFrame({"document": [str(d) for d in range(len(shares))], "probability": shares})
        )
    for _ in range(REPEATS):
        log = draw_lists(name, generator) if name in LISTS else draw_decisions(name, generator)
        kind: Any = LISTS[name].propensities if name in LISTS else "auto"
        feedback = read_feedback(log, propensities=kind)
        yield Evidence(align(feedback, candidate), models.get("pbm")()), truth


def measure(name: str) -> dict[str, dict[str, float]]:
    """Returns the share of intervals that hold the truth."""
    names = LISTS[name].names if name in LISTS else ("ips", "snips", "dr")
    held: dict[tuple[str, str], list[bool]] = {}
    for evidence, whole in evidences(name):
        places = evidence.feedback.places
        for estimator in names:
            one = estimators.get(estimator)()
            if one.refusal(evidence) is not None:
                continue
            terms = one.terms(evidence)
            truth = whole
            if one.unseen == "zero":  # what was never shown counts as if it earned nothing
                truth *= evidence.weights(one.level or "list").overlap.seen
            for method in METHODS if name in NARROW else EXACT:
                low, high = interval_of(
                    terms,
                    method,  # type: ignore[arg-type]
                    LEVEL,
                    most=(0.0, float(places)),
                    resampling=Resampling(400),
                )
                if not math.isnan(low):
                    inside = low - 1e-12 <= truth <= high + 1e-12
                    held.setdefault((estimator, method), []).append(inside)
    found: dict[str, dict[str, float]] = {}
    for (estimator, method), outcomes in held.items():
        found.setdefault(estimator, {})[method] = float(np.mean(outcomes))
    return found


#: Three standard errors of a share of 0.95.
LEAST = LEVEL - 3 * math.sqrt(LEVEL * (1 - LEVEL) / REPEATS)
CASES = {
    "ample": "2,000 lists of 3, the candidate's with p = 0.1",
    "conditional": "the same, with conditional propensities",
    "position": "the same, with propensities of positions",
    "few": "few matches: 400 lists, p = 0.01, where not refused",
    "counted": "1,000 lists of 100 queries, counted propensities",
    "even": "1,000 decisions, p from 0.3",
    "heavy": "heavy weights: 500 decisions, w up to 25",
    "rare clicks": "rare clicks: 1,000 decisions, 1 in 100",
    "heavy, rare": "both: 1,000 decisions, w up to 50",
}
#: Where the bootstrap and t are too narrow, as their notes say.
NARROW = {"rare clicks": "ips", "heavy, rare": "ips"}


@pytest.mark.parametrize("name", [*LISTS, *DECISIONS])
def test_the_default_holds_everywhere(name: str) -> None:
    found = measure(name)
    for estimator, by_method in found.items():
        for method in EXACT:
            if method in by_method:
                case = f"{CASES[name]}: {estimator}, {method}"
                share = by_method[method]
                row(CLAIM, case, share, REPEATS, promise="at least 95%", least=LEAST)
    if name in NARROW:
        for method in ("bootstrap", "t"):
            row(
                CLAIM,
                f"{CASES[name]}: {NARROW[name]}, {method}",
                found[NARROW[name]][method],
                REPEATS,
                promise="none",
                most=0.9,
                assumption=False,
                says="too narrow where few sessions match or weights are heavy",
            )


def crowd(
    users: int, tail: float, generator: np.random.Generator
) -> tuple[Terms, NDArray[np.int64], float]:
    """Decisions of users who come back, whose clicks are alike; and what the candidate earns.

    Users of more sessions click more, so that a mean per user is not one per session.
    """
    count = np.full(users, 50)
    if tail:
        count = np.minimum(np.ceil(2 * (1 + generator.pareto(tail, users))), 2000).astype(int)
    taste = generator.beta(1, 3, users)
    user = np.repeat(np.arange(users), count)
    shown = generator.random(len(user)) < 0.5
    clicked = generator.random(len(user)) < taste[user] * np.where(shown, 1.2, 0.8)
    weight = np.where(shown, 1.6, 0.4)
    return Terms(weight * clicked, None, 0.0, 1.6), user, 0.25 * (1.2 * 0.8 + 0.8 * 0.2)


@pytest.mark.parametrize(("users", "tail"), [(100, 0), (50, 1.1), (200, 1.1), (1000, 1.1)])
@pytest.mark.parametrize("method", ["betting", "bernstein", "t"])
def test_users_who_come_back(users: int, tail: float, method: Any) -> None:
    generator = np.random.default_rng(5)
    by_user = alone = 0
    for _ in range(REPEATS):
        terms, user, truth = crowd(users, tail, generator)
        for groups in (user, None):
            low, high = interval_of(
                terms, method, LEVEL, most=(0.0, 1.0), resampling=Resampling(1), groups=groups
            )
            # Where one user decides there is none.
            inside = math.isnan(low) or low - 1e-12 <= truth <= high + 1e-12
            by_user, alone = (
                by_user + (groups is not None and inside),
                alone + (groups is None and inside),
            )
    who = f"{users:,} users ({f'Pareto {tail}' if tail else '50 decisions each'}), ips, {method}"
    least = LEAST if method in EXACT else 0.92
    promise = "at least 95%" if method in EXACT else "about 95%"
    row(CLAIM, f"{who}, by user", by_user / REPEATS, REPEATS, promise=promise, least=least)
    if method != "bernstein":
        row(
            CLAIM,
            f"{who}, without a column of users",
            alone / REPEATS,
            REPEATS,
            promise="none",
            most=0.9,
            assumption=False,
            says="Sessions are taken to be independent",
        )


def ever_wrong(method: Any) -> float:
    """The share of logs in which the interval of IPS misses the truth at one of twenty looks."""
    _, shown, chosen, clicks = DECISIONS["even"]
    weights, truth = np.array(chosen) / np.array(shown), float(np.dot(chosen, clicks))
    generator = np.random.default_rng(9)
    wrong = 0
    for _ in range(REPEATS):
        doc = generator.choice(len(shown), 2000, p=shown)
        values = weights[doc] * (generator.random(2000) < np.array(clicks)[doc])
        for count in range(100, 2001, 100):
            terms = Terms(values[:count], None, 0.0, float(weights.max()))
            low, high = interval_of(terms, method, LEVEL, most=(0.0, 1.0), resampling=Resampling(1))
            if not low <= truth <= high:
                wrong += 1
                break
    return wrong / REPEATS


def test_looking_twenty_times() -> None:
    found = {method: ever_wrong(method) for method in ("anytime", "betting", "t")}
    case = "looking twenty times, every 100 decisions: ips, "
    promise = "wrong at some look in at most 5%"
    row(CLAIM, f"{case}anytime", found["anytime"], REPEATS, promise=promise, most=1 - LEAST)
    for method, least in (("betting", 0.0), ("t", 0.15)):
        row(
            CLAIM,
            case + method,
            found[method],
            REPEATS,
            promise="none: for one look",
            least=least,
            assumption=False,
            says="they hold at any number of sessions, at one look",
        )
