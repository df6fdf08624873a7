"""Off-policy estimators have no bias: every log that there can be, with its probability."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import polars as pl
import pytest

from relyon.labels import models
from relyon.labels.off_policy import Evidence, estimators, read_candidate, read_feedback
from relyon.labels.off_policy.choices import align
from relyon.labels.off_policy.intervals import estimate_of

pytestmark = pytest.mark.long

# Two sessions of the same query: their ids are in different parts of the log, so that each one's
# rewards are foreseen from the other.
IDS = ("s0", "s1")
LISTS: dict[tuple[str, ...], float] = {("a", "b"): 0.5, ("b", "c"): 0.3, ("a", "c"): 0.2}
CANDIDATE = ("a", "c")
POLICY = {"a": 0.2, "b": 0.5, "c": 0.3}
ATTRACTS = {"a": 0.3, "b": 0.6, "c": 0.8}

#: The probability of a click at a place, given the list.
Clicks = Callable[[tuple[str, ...], int], float]


def by_position(shown: tuple[str, ...], place: int) -> float:
    """Clicks as item-position IPS takes them: of the document and its position alone."""
    return ATTRACTS[shown[place]] / (place + 1)


def downwards(shown: tuple[str, ...], place: int) -> float:
    """Clicks as cascade DR takes them: what is above matters, too."""
    return ATTRACTS[shown[place]] * math.prod(1 - 0.5 * ATTRACTS[doc] for doc in shown[:place])


def any_way(shown: tuple[str, ...], place: int) -> float:
    """Clicks that depend on the whole list."""
    return ATTRACTS[shown[place]] * (0.4 if shown[-1] == "c" else 1.0)


def sessions(clicks: Clicks) -> Iterator[tuple[float, tuple[str, ...], tuple[int, ...]]]:
    """Yields every list with every pattern of clicks, and its probability."""
    for shown, likely in LISTS.items():
        for pattern in itertools.product((0, 1), repeat=len(shown)):
            chances = [
                clicks(shown, place) if clicked else 1 - clicks(shown, place)
                for place, clicked in enumerate(pattern)
            ]
            yield likely * math.prod(chances), shown, pattern


def propensity(shown: tuple[str, ...], place: int, kind: str) -> float:
    """The propensity that a log gives at a place."""
    if kind == "list":
        return LISTS[shown]
    if kind == "position":
        return sum(p for other, p in LISTS.items() if other[place] == shown[place])
    above = sum(p for other, p in LISTS.items() if other[:place] == shown[:place])
    here = sum(p for other, p in LISTS.items() if other[: place + 1] == shown[: place + 1])
    return here / above


def expected(estimator: str, kind: str, clicks: Clicks) -> float:
    """The mean of an estimate over every log of two sessions."""
    found = []
    candidate = read_candidate({"q": dict(zip(CANDIDATE, (2, 1), strict=True))})
    for drawn in itertools.product(sessions(clicks), repeat=len(IDS)):
        rows = [
            (name, "q", doc, place + 1, pattern[place], propensity(shown, place, kind))
            for name, (_, shown, pattern) in zip(IDS, drawn, strict=True)
            for place, doc in enumerate(shown)
        ]
        log = pl.DataFrame(
            rows,
            schema=["session", "query", "doc", "position", "clicked", "propensity"],
            orient="row",
        )
        feedback = read_feedback(log, propensities=kind)  # type: ignore[arg-type]
        evidence = Evidence(align(feedback, candidate), models.get("pbm")())
        value = estimate_of(estimators.get(estimator)().terms(evidence))
        found.append(value * math.prod(likely for likely, _, _ in drawn))
    return math.fsum(found)


def truth(clicks: Clicks) -> float:
    return sum(clicks(CANDIDATE, place) for place in range(len(CANDIDATE)))


def test_the_sessions_are_in_different_parts_of_the_log() -> None:
    from relyon import _native
    from relyon.labels.off_policy.reward_model import FOLDS

    hashes = _native.hash_ids(pl.Series(list(IDS)))
    assert len({int(one) % FOLDS for one in hashes}) == len(IDS)


@pytest.mark.parametrize(
    ("estimator", "kind", "clicks"),
    [
        ("ips", "list", any_way),
        ("ips", "conditional", any_way),
        ("dr", "list", any_way),
        ("dr", "conditional", any_way),
        ("cascade-dr", "conditional", downwards),
        ("item-position", "position", by_position),
    ],
)
def test_no_bias(estimator: str, kind: str, clicks: Clicks) -> None:
    assert expected(estimator, kind, clicks) == pytest.approx(truth(clicks), abs=1e-12)


@pytest.mark.parametrize(
    ("estimator", "kind", "clicks"),
    [
        ("cascade-dr", "conditional", any_way),
        ("item-position", "position", downwards),
        ("dm", "list", by_position),
    ],
)
def test_bias_where_the_assumption_is_wrong(estimator: str, kind: str, clicks: Clicks) -> None:
    assert abs(expected(estimator, kind, clicks) - truth(clicks)) > 1e-3


@pytest.mark.parametrize("estimator", ["ips", "dr"])
def test_no_bias_of_single_decisions(estimator: str) -> None:
    logged = {"a": 0.6, "b": 0.3, "c": 0.1}
    candidate = read_candidate(
        pl.DataFrame({"document": list(POLICY), "probability": list(POLICY.values())})
    )
    found = []
    for drawn in itertools.product(itertools.product(logged, (0, 1)), repeat=len(IDS)):
        log = pl.DataFrame(
            [
                (name, doc, clicked, logged[doc])
                for name, (doc, clicked) in zip(IDS, drawn, strict=True)
            ],
            schema=["session", "doc", "clicked", "propensity"],
            orient="row",
        )
        evidence = Evidence(align(read_feedback(log), candidate), models.get("pbm")())
        value = estimate_of(estimators.get(estimator)().terms(evidence))
        chances = [
            logged[doc] * (ATTRACTS[doc] if clicked else 1 - ATTRACTS[doc])
            for doc, clicked in drawn
        ]
        found.append(value * math.prod(chances))
    wanted = sum(POLICY[doc] * ATTRACTS[doc] for doc in POLICY)
    assert math.fsum(found) == pytest.approx(wanted, abs=1e-12)
