"""Random inputs with the traps of real files, and the programs to compare with."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType

import pytest
from tests.values import values_by_query

Grades = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]


@dataclass
class Inputs:
    """Judgments and a run.

    Attributes:
        judgments: Grade by query and document.
        run: Score by query and document.
    """

    judgments: Grades = field(default_factory=dict)
    run: Scores = field(default_factory=dict)


def make_inputs(
    seed: int,
    *,
    queries: int = 40,
    lowest: int = 0,
    highest: int = 3,
    ties: bool = False,
    edges: bool = False,
) -> Inputs:
    """Returns random judgments and a random run.

    Args:
        seed: The same seed makes the same inputs.
        queries: How many.
        lowest: The lowest grade.
        highest: The highest grade; each query has a document of it.
        ties: Draws the scores from six values.
        edges: Adds queries without relevant documents, missing and unjudged queries, single
            documents and lists of which nothing is judged.
    """
    generator = random.Random(seed)
    inputs = Inputs()
    for number in range(queries):
        query = f"q{number}"
        pool = [f"d{code}" for code in generator.sample(range(1000), 60)]
        judged = generator.sample(pool, generator.randint(3, 40))
        retrieved = generator.sample(pool, generator.randint(2, 50))
        inputs.judgments[query] = {name: generator.randint(lowest, highest) for name in judged}
        inputs.judgments[query][judged[0]] = highest
        inputs.judgments[query][judged[1]] = max(lowest, 0)
        places = generator.sample(range(100_000), len(retrieved))  # distinct as float32 too
        inputs.run[query] = {
            name: float(generator.randint(0, 5)) if ties else place / 64 - 700
            for name, place in zip(retrieved, places, strict=True)
        }
    if edges:
        inputs.judgments["q0"] = dict.fromkeys(inputs.judgments["q0"], 0)
        del inputs.run["q1"]
        inputs.run["q2"] = dict(list(inputs.run["q2"].items())[:1])
        inputs.run["q3"] = {f"new{place}": float(place) for place in range(5)}
        inputs.run["unjudged"] = {"d1": 1.0}
    return inputs


@pytest.fixture(scope="session")
def inputs() -> Callable[..., Inputs]:
    """Makes random inputs."""
    return make_inputs


@pytest.fixture(scope="session")
def values() -> Callable[..., dict[str, dict[str, float]]]:
    """Evaluates with relyon, query by query."""
    return values_by_query


@pytest.fixture(scope="session")
def peer() -> Callable[[str], ModuleType]:
    """Imports a program, or skips: they are in the dependency group `peers`."""

    def load(name: str) -> ModuleType:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module: ModuleType = pytest.importorskip(
                name, reason=f"{name} is not installed (dependency group peers)"
            )
        return module

    return load


def as_labels(inputs: Inputs) -> tuple[list[int], list[float], list[int]]:
    """Returns the judged retrieved documents as labels, scores and group sizes."""
    labels: list[int] = []
    scores: list[float] = []
    sizes: list[int] = []
    for query, documents in inputs.run.items():
        grades = inputs.judgments.get(query, {})
        known = [(grades[name], score) for name, score in documents.items() if name in grades]
        if known:
            labels += [grade for grade, _ in known]
            scores += [score for _, score in known]
            sizes.append(len(known))
    return labels, scores, sizes


@pytest.fixture(scope="session")
def labelled() -> Callable[[Inputs], tuple[list[int], list[float], list[int]]]:
    """Turns inputs into labels, scores and group sizes."""
    return as_labels
