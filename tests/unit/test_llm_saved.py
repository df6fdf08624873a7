"""How many human grades a model's grades save."""

from __future__ import annotations

import numpy as np
import pytest

from relyon import ParameterError
from relyon.judging.llm.saved import saved_of

Grades = dict[str, dict[str, float]]


def collection(noise: float) -> tuple[Grades, Grades, Grades, Grades]:
    """Grades of people and of a model for 100 queries, and two runs."""
    random = np.random.default_rng(3)
    people: Grades = {}
    machine: Grades = {}
    runs: list[Grades] = [{}, {}]
    for number in range(100):
        grades = random.integers(0, 4, 5).astype(float)
        moved = np.clip(np.round(grades + random.normal(0, noise, 5)), 0, 3)
        people[f"q{number}"] = {str(n): float(grade) for n, grade in enumerate(grades)}
        machine[f"q{number}"] = {str(n): float(grade) for n, grade in enumerate(moved)}
        for run, share in zip(runs, (0.2, 0.5), strict=True):
            scores = share * grades + random.normal(0, 1, 5)
            run[f"q{number}"] = {str(n): float(score) for n, score in enumerate(scores)}
    return people, machine, runs[0], runs[1]


def test_a_better_model_saves_more() -> None:
    worth = []
    for noise in (0.3, 1.0, 30.0):
        people, machine, old, new = collection(noise)
        few = {query: people[query] for query in list(people)[:40]}
        found = saved_of(few, machine, {"old": old, "new": new}, ["dcg@3"])
        assert [(one.system, one.baseline) for one in found] == [
            ("old", ""),
            ("new", ""),
            ("new", "old"),
        ]
        assert {(one.labelled, one.total, one.halved) for one in found} == {(40, 100, False)}
        worth.append(found[0].worth)
    assert worth[0] > worth[1] > worth[2] >= 40


def test_of_queries_that_people_graded_all_halves_are_taken() -> None:
    people, machine, old, _ = collection(0.5)
    (found,) = saved_of(people, machine, {"old": old}, ["dcg@3"])
    assert (found.labelled, found.total, found.halved) == (50, 100, True)
    assert 50 < found.worth < 100
    assert saved_of(people, machine, {"old": old}, ["dcg@3"]) == (found,)


def test_without_a_labelled_query_there_is_nothing_to_say() -> None:
    people, machine, old, _ = collection(0.5)
    assert saved_of({"q0": {"other": 1.0}}, machine, {"old": old}, ["dcg@3"]) == ()
    assert saved_of(people, {}, {"old": old}, ["dcg@3"]) == ()
    with pytest.raises(ParameterError, match="not a mean over queries"):
        saved_of(people, machine, {"old": old}, ["pnr"])
