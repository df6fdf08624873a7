"""Judgments and two runs that differ in depth, for reports."""

from __future__ import annotations

import random
from typing import Any


def collection(seed: int = 3, queries: int = 12) -> tuple[Any, Any, Any]:
    """Judgments and two runs of different depth, with ties and unjudged documents."""
    numbers = random.Random(seed)
    documents = [f"d{number}" for number in range(60)]
    judgments = {
        f"q{query}": {document: numbers.choice([0, 0, 1, 2, 3]) for document in documents[:25]}
        for query in range(queries)
    }

    def run(strength: float, count: int) -> dict[str, dict[str, float]]:
        return {
            query: {
                document: round(strength * grades.get(document, 0) + numbers.gauss(0, 1), 1)
                for document in numbers.sample(documents, count)
            }
            for query, grades in judgments.items()
        }

    return judgments, run(0.1, 30), run(1.2, 45)
