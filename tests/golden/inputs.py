"""Judgments, runs and labelled lists of our own, from a fixed seed, for the reference programs."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from typing import Any

SEED = 20090808

Grades = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]


def nearest_float32(value: float) -> float:
    """Returns the nearest number that 32 bits can hold."""
    return float(struct.unpack("f", struct.pack("f", value))[0])


def make_case(
    generator: random.Random, scores: Callable[[], float], lowest: int = 0, highest: int = 3
) -> tuple[Grades, Scores]:
    """Returns ten queries with judged, unjudged, retrieved and missed documents."""
    judgments: Grades = {}
    run: Scores = {}
    for number in range(10):
        query = f"q{number}"
        pool = [f"doc{code:03d}" for code in generator.sample(range(200), 30)]
        judged = generator.sample(pool, generator.randint(4, 18))
        retrieved = generator.sample(pool, generator.randint(3, 24))
        judgments[query] = {name: generator.randint(lowest, highest) for name in judged}
        judgments[query][judged[0]] = highest
        run[query] = {name: scores() for name in retrieved}
    return judgments, run


def make_inputs() -> dict[str, dict[str, Any]]:
    """Returns the named inputs: each one holds one trap."""
    generator = random.Random(SEED)
    cases: dict[str, tuple[Grades, Scores]] = {}
    counter = iter(range(100_000))

    def distinct() -> float:
        return round(generator.uniform(-20, 20), 3) + next(counter) * 1e-7

    # distinct as float32 too
    cases["plain"] = make_case(generator, lambda: nearest_float32(distinct()))
    cases["ties"] = make_case(generator, lambda: generator.randint(0, 4) / 2)
    cases["float32_ties"] = make_case(
        generator, lambda: 17.0 + generator.randint(0, 3) + generator.random() * 1e-8
    )
    cases["negative_grades"] = make_case(generator, lambda: nearest_float32(distinct()), lowest=-2)
    cases["binary"] = make_case(generator, lambda: nearest_float32(distinct()), highest=1)
    judgments, run = make_case(generator, lambda: nearest_float32(distinct()))
    judgments["q0"] = dict.fromkeys(judgments["q0"], 0)  # no relevant document
    run["q1"] = dict(list(run["q1"].items())[:1])  # one document
    run["q2"] = {f"new{number}": float(number) for number in range(8)}  # nothing judged
    judgments["q3"] = dict.fromkeys(judgments["q3"], 2)  # no judged non-relevant document
    del run["q4"]  # judged, not in the run
    run["q99"] = {"doc001": 1.0}  # in the run, not judged
    cases["edges"] = (judgments, run)
    return {name: {"judgments": one, "run": two} for name, (one, two) in cases.items()}


def make_lists() -> dict[str, Any]:
    """Returns labelled scores: what the learning-to-rank programs take."""
    generator = random.Random(SEED + 1)
    cases: dict[str, Any] = {}
    for name, highest, levels in (
        ("graded", 4, 10_000),
        ("graded_ties", 4, 5),
        ("binary", 1, 10_000),
        ("binary_ties", 1, 5),
    ):
        lists = []
        for number in range(12):
            length = generator.randint(2, 20)
            labels = [generator.randint(0, highest) for _ in range(length)]
            if number == 3:
                labels = [0] * length
            if number == 4:
                labels = [highest] * length
            scores = [generator.randrange(levels) / 4 for _ in range(length)]
            lists.append({"labels": labels, "scores": scores})
        cases[name] = lists
    return cases
