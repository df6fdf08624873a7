"""Interleaving: which lists are drawn, whom clicks speak for, and that chance prefers nobody."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.online.experiments import (
    Clicks,
    Interleaving,
    Optimised,
    Placed,
    Probabilistic,
    TeamDraft,
    methods,
    mix_runs,
    read_mixed,
)

A, B = ["a", "b", "c", "d"], ["b", "d", "e", "a"]
FAIR = ("team-draft", "probabilistic", "optimised")


class Scripted(Random):
    """Chance that takes the branches it is told: a number of sixths for each draw."""

    def __init__(self, branches: Sequence[int]) -> None:
        super().__init__(0)
        self.branches = list(branches)

    def random(self) -> float:
        return (self.branches.pop(0) + 0.5) / 6


def of(name: str) -> Interleaving:
    return methods.get(name)()


def law(
    method: Interleaving, rankings: Sequence[Sequence[str]], depth: int
) -> Iterator[tuple[float, list[Placed]]]:
    """Yields every list that can be drawn with its probability, worked out apart from `draw`."""
    if isinstance(method, Optimised):
        found = method.law(rankings, depth)
        for one, chance in zip(found.lists, found.probabilities, strict=True):
            ranks = [{d: r for r, d in enumerate(run, 1)} for run in rankings]
            yield (
                float(chance),
                [Placed(d, None, tuple(1 / r[d] if d in r else 0.0 for r in ranks)) for d in one],
            )
    elif isinstance(method, Probabilistic):
        yield from _sampled(method, rankings, min(depth, *map(len, rankings)), [])
    else:
        draw = method.plan(rankings, depth)
        branches = list(product(range(6), repeat=depth))
        for branch in branches:
            yield 1 / len(branches), draw(Scripted(branch))


def _sampled(
    method: Probabilistic, rankings: Sequence[Sequence[str]], depth: int, placed: list[Placed]
) -> Iterator[tuple[float, list[Placed]]]:
    if len(placed) == depth:
        yield 1.0, placed
        return
    there = {one.document for one in placed}
    parts = []
    for run in rankings:
        weights = {d: r**-method.decay for r, d in enumerate(run, 1) if d not in there}
        parts.append({d: w / sum(weights.values()) for d, w in weights.items()})
    for document in sorted({d for part in parts for d in part}):
        chances = [part.get(document, 0.0) for part in parts]
        credits = tuple(chance / sum(chances) for chance in chances)
        for chance, rest in _sampled(
            method, rankings, depth, [*placed, Placed(document, None, credits)]
        ):
            yield chance * sum(chances) / len(rankings), rest


def outcome(method: Interleaving, placed: list[Placed], clicked: Sequence[int]) -> float:
    """The outcome of one session that clicks at places, counted from 0."""
    rows = [placed[place].credits for place in clicked]
    clicks = Clicks(1, np.zeros(len(rows), np.int64), np.array(rows, float).reshape(len(rows), -1))
    return float(method.outcomes(clicks, 0, 1)[0])


def patterns(depth: int) -> list[tuple[int, ...]]:
    return [one for count in range(1, depth + 1) for one in combinations(range(depth), count)]


# -- lists -----------------------------------------------------------------------------------------

rankings_of_two = st.tuples(
    *(st.permutations(list("abcdefg")).flatmap(
        lambda order: st.integers(1, 7).map(lambda count: order[:count])
    ) for _ in range(2))
)  # fmt: skip


@pytest.mark.parametrize("name", ["team-draft", "balanced", "probabilistic", "optimised"])
@given(rankings=rankings_of_two, depth=st.integers(1, 8), seed=st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_lists_hold_documents_of_the_runs_once(
    name: str, rankings: tuple[list[str], list[str]], depth: int, seed: int
) -> None:
    placed = of(name).plan(rankings, depth)(Random(seed))
    documents = [one.document for one in placed]
    every = set(rankings[0]) | set(rankings[1])
    assert len(set(documents)) == len(documents) == min(depth, len(every))
    assert set(documents) <= every
    if name == "probabilistic":
        return
    # Each document is the best one left of one of the runs.
    for place, document in enumerate(documents):
        left = [next((d for d in run if d not in documents[:place]), None) for run in rankings]
        assert document in left


def test_team_draft_by_hand() -> None:
    # Round 1: the second run first: b, then a of the first. Round 2: the first run: c, then d.
    placed = TeamDraft().plan([A, B], 4)(Scripted([5, 0]))
    assert [(one.document, one.owner) for one in placed] == [("b", 1), ("a", 0), ("c", 0), ("d", 1)]


def test_what_stands_below_the_shorter_run_is_owned_by_none() -> None:
    placed = TeamDraft().plan([["a", "b", "c"], ["b"]], 3)(Random(0))
    assert [one.owner is None for one in placed] == [False, True, True]


@pytest.mark.parametrize("name", methods)
def test_the_list_of_one_document(name: str) -> None:
    placed = of(name).plan([["a"], ["a"]], 5)(Random(1))
    assert [one.document for one in placed] == ["a"]
    assert outcome(of(name), placed, [0]) == 0


# -- credit ----------------------------------------------------------------------------------------


def test_balanced_by_hand() -> None:
    method = of("balanced")
    placed = method.plan([A, B], 4)(Scripted([0]))  # the first run is ahead
    assert [one.document for one in placed] == ["a", "b", "d", "c"]
    # The lowest click is on d: rank 4 and 2, so k = 2. Clicks on a and d: a is within (a, b),
    # d within (b, d): a tie. Clicks on b and d: one against two.
    assert outcome(method, placed, [0, 2]) == 0
    assert outcome(method, placed, [1, 2]) == 1


def test_balanced_is_known_to_be_unfair() -> None:
    # Chapelle et al. (2012): a click anywhere prefers the second run of (1, 2, 3) and (2, 3, 1).
    method = of("balanced")
    mean = np.mean(
        [outcome(method, method.plan([["1", "2", "3"], ["2", "3", "1"]], 3)(Scripted([one])), [at])
         for one in (0, 5) for at in range(3)]
    )  # fmt: skip
    assert mean == pytest.approx(1 / 3)


def test_probabilistic_by_hand() -> None:
    # Of (a, b) and (b, a) with decay 1: P(a) at the top is 2/3 from the first run, 1/3 from the
    # second, so that a click there is the first's with probability 2/3. Below, both have one left.
    method = Probabilistic(decay=1)
    draws = [method.plan([["a", "b"], ["b", "a"]], 2)(Random(seed)) for seed in range(20)]
    for placed in draws:
        first = [2 / 3, 1 / 3] if placed[0].document == "a" else [1 / 3, 2 / 3]
        assert placed[0].credits == pytest.approx(first)
        assert placed[1].credits == pytest.approx([0.5, 0.5])
        assert outcome(method, placed, [0]) == pytest.approx(first[1] - first[0])
        # Both clicked: the outcome is 1 with probability P2/2, -1 with P1/2, else a tie.
        assert outcome(method, placed, [0, 1]) == pytest.approx((first[1] - first[0]) / 2)
    assert len({placed[0].document for placed in draws}) == 2


def test_optimised_by_hand() -> None:
    # (1, 2, 3) and (2, 3, 1): δ is -2/3 for 1, 1/2 for 2, 1/6 for 3; lists: 123, 213, 231.
    # Position 1: -2/3 p + 1/2 (1 - p) = 0, so 123 has p = 3/7. Position 2: 3/7 · 1/2 - 2/3 q +
    # 1/6 (4/7 - q) = 0, so 213 has q = 13/35. Then position 3 is 0, too.
    found = Optimised().law([["1", "2", "3"], ["2", "3", "1"]], 3)
    chances = dict(zip(map("".join, found.lists), found.probabilities, strict=True))
    assert chances == pytest.approx({"123": 3 / 7, "213": 13 / 35, "231": 1 / 5})
    placed = [Placed(d, None, c) for d, c in [("1", (1.0, 1 / 3)), ("2", (0.5, 1.0))]]
    assert outcome(Optimised(), placed, [0, 1]) == pytest.approx((-2 / 3 + 1 / 2) / 2)


@given(rankings=rankings_of_two, depth=st.integers(1, 7))
@settings(max_examples=60, deadline=None)
def test_optimised_lists_are_fair_at_each_position(
    rankings: tuple[list[str], list[str]], depth: int
) -> None:
    for limit in (1024, 4):
        found = Optimised(limit=limit).law(rankings, depth)
        assert len(found.lists) <= limit
        assert found.probabilities.sum() == pytest.approx(1)
        deltas = [
            [(1 / (B.index(d) + 1) if d in B else 0) - (1 / (A.index(d) + 1) if d in A else 0)
             for d in one]
            for one in found.lists
            for A, B in [rankings]
        ]  # fmt: skip
        for place in zip(*deltas, strict=True):
            assert np.dot(place, found.probabilities) == pytest.approx(0, abs=1e-8)


def test_all_positions_are_credited_where_lists_are_long_enough() -> None:
    orders = list(permutations("abcde"))
    for other in orders[::7]:
        found = Optimised().law([orders[0], other], 4)
        assert {len(one) for one in found.lists} == {4}


# -- chance prefers nobody -------------------------------------------------------------------------


@pytest.mark.parametrize("name", FAIR)
@pytest.mark.parametrize(
    "rankings",
    [(A, B), ("ab", "ba"), ("abc", "bca"), ("abcd", "efgh"), ("abcd", "ab"), ("ab", "cdab"),
     ("abcd", "abdc"), ("a", "bcd")],
)  # fmt: skip
def test_a_clicker_who_does_not_read_prefers_nobody(
    name: str, rankings: tuple[Sequence[str], Sequence[str]]
) -> None:
    """Whatever positions are clicked, the expected outcome is 0: all lists are enumerated."""
    method = of(name)
    lists = list(law(method, [list(one) for one in rankings], 3))
    assert math.fsum(chance for chance, _ in lists) == pytest.approx(1)
    for clicked in patterns(min(len(one) for _, one in lists)):
        mean = math.fsum(chance * outcome(method, one, clicked) for chance, one in lists)
        assert mean == pytest.approx(0, abs=1e-9), clicked


@pytest.mark.parametrize("name", ["team-draft", "probabilistic"])
def test_nor_does_one_of_three_runs(name: str) -> None:
    method = of(name)
    lists = list(law(method, [list("abc"), list("bda"), list("ebc")], 3))
    for clicked in patterns(3):
        rows = [(chance, [one[place].credits for place in clicked]) for chance, one in lists]
        for first, second in combinations(range(3), 2):
            mean = math.fsum(
                chance
                * float(
                    method.outcomes(
                        Clicks(1, np.zeros(len(credits), np.int64), np.array(credits)),
                        first,
                        second,
                    )[0]
                )
                for chance, credits in rows
            )
            assert mean == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("name", methods)
@given(rankings=rankings_of_two, seed=st.integers(0, 99), data=st.data())
@settings(max_examples=40, deadline=None)
def test_the_other_way_round_the_outcome_is_the_opposite(
    name: str, rankings: tuple[list[str], list[str]], seed: int, data: st.DataObject
) -> None:
    method = of(name)
    placed = method.plan(rankings, 6)(Random(seed))
    clicked = data.draw(st.sets(st.integers(0, len(placed) - 1), min_size=1).map(sorted))
    rows = np.array([placed[place].credits for place in clicked])
    clicks = Clicks(2, np.ones(len(rows), np.int64), rows)
    there, back = method.outcomes(clicks, 0, 1), method.outcomes(clicks, 1, 0)
    assert there[0] == back[0] == 0  # the session without a click
    assert there[1] == pytest.approx(-back[1])
    assert -1 <= there[1] <= 1


@pytest.mark.parametrize("name", methods)
def test_identical_rankings_tie_in_every_session(name: str) -> None:
    for seed in range(10):
        placed = of(name).plan([A, A], 4)(Random(seed))
        for clicked in patterns(len(placed)):
            assert outcome(of(name), placed, clicked) == 0


# -- runs to lists ---------------------------------------------------------------------------------

OLD = {"tv": {"a": 3.0, "b": 2.0, "c": 1.0}, "pen": {"x": 2.0, "y": 1.0}, "hat": {"h": 1.0}}
NEW = {"tv": {"b": 3.0, "c": 2.0, "a": 1.0}, "pen": {"y": 2.0, "x": 1.0}}


def test_a_list_depends_on_its_query_alone() -> None:
    with pytest.warns(match="1 query that is not in all of the runs"):
        whole = mix_runs({"old": OLD, "new": NEW}, depth=3, draws=4, seed=7)
    part = mix_runs({"old": {"pen": OLD["pen"]}, "new": {"pen": NEW["pen"]}}, draws=2, seed=7)
    kept = whole.lists.filter(pl.col("mixture").is_in(["pen#1", "pen#2"]))
    assert kept.equals(part.lists)
    assert whole.lists["mixture"].n_unique() == 8
    assert [note.kind for note in whole.notes] == ["mix-queries"]


@pytest.mark.parametrize("ending", ["jsonl", "csv", "tsv", "parquet"])
@pytest.mark.parametrize("name", methods)
def test_files_hold_what_was_mixed(tmp_path: Path, ending: str, name: str) -> None:
    runs = {"old,1": {"q\t1": {"a": 2, "b": 1}}, "new": {"q\t1": {"c": 2, "b": 1}}}
    mixed = mix_runs(runs, name)
    path = tmp_path / f"mixed.{ending}"
    mixed.write(path)
    again = read_mixed(path)
    assert again.lists.equals(mixed.lists)
    assert (again.method, again.runs) == (name, ("old,1", "new"))


@pytest.mark.parametrize(
    ("runs", "method", "error"),
    [
        ({"a": NEW}, "team-draft", "mixes two or more runs. Got 1"),
        ({"a": NEW, "b": OLD, "c": NEW}, "balanced", "mixes two runs. Got 3"),
        ({"a": NEW, "b": {"other": {"a": 1}}}, "team-draft", "no query is in all"),
    ],
)
def test_runs_that_cannot_be_mixed(runs: dict[str, Any], method: str, error: str) -> None:
    with pytest.raises((InputError, ParameterError), match=error):
        mix_runs(runs, method)


def test_parameters_are_checked() -> None:
    for values in ({"depth": 0}, {"draws": 0}, {"seed": -1}, {"depth": 101}):
        with pytest.raises(ParameterError):
            mix_runs([OLD, NEW], **values)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError):
        mix_runs({"old": OLD, "new": NEW}, "team-graft")
    with pytest.raises(ParameterError):
        Probabilistic(decay=-1)
    with pytest.raises(InputError, match="lacks"):
        read_mixed(pl.DataFrame({"query": ["tv"]}))
