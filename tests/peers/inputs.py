"""Judgments with subtopics, and runs for them: what the diversity measures are compared on."""

from __future__ import annotations

import random

Subtopics = dict[str, dict[str, dict[str, int]]]
Scores = dict[str, dict[str, float]]


def subtopics() -> dict[str, tuple[Subtopics, Scores]]:
    """Returns named cases: grades by query, document and subtopic, and scores.

    Topics are whole numbers, and the grades 0 and 1: ndeval knows no others.
    """
    generator = random.Random(1511)
    cases = {}
    for case in ("subtopics", "subtopics, ties"):
        judgments: Subtopics = {}
        run: Scores = {}
        for topic in range(1, 9):
            pool = [f"doc{code:03d}" for code in generator.sample(range(200), 25)]
            judgments[str(topic)] = {
                document: {
                    str(subtopic): generator.choice([0, 0, 1])
                    for subtopic in range(1, generator.randint(2, 5))
                }
                for document in pool[:18]
            }
            judgments[str(topic)][pool[0]] = {"1": 1, "2": 1}
            retrieved = generator.sample(pool, 15)
            run[str(topic)] = {
                document: float(
                    generator.randint(0, 4) if "ties" in case else place + generator.random() / 2
                )
                for place, document in enumerate(retrieved)
            }
        cases[case] = (judgments, run)
    return cases
