"""Where rows have no order of their own, no order of theirs changes a bit."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.property.test_measures import JUDGED, variants

import relyon

#: Sums of these depend on the order in which they are added.
GRADES = [0, 0.1, 0.3, 1, 1.7, 2, 3]
MEASURES = [
    text
    for name in JUDGED
    for text in variants(name)
    if ("@" not in text or text.endswith(("@3", "@all", "@0")))
    and name != "kappa"
    and "gain={0:0," not in text
]
WEIGHTED = ["pnr", "pnr(score_ties=half)", "concordance", "auc", "gauc", "average_precision"]


def said(results: relyon.Results) -> dict[str, Any]:
    values = dict(results.rows())
    return {
        name: (repr(entry), {query: repr(row[place]) for query, row in values.items()})
        for place, (name, entry) in enumerate(results.entries.items())
    }


@pytest.mark.parametrize("ties", ["doc-desc", "worst", "best"])
@pytest.mark.parametrize("measures", [MEASURES, WEIGHTED], ids=["plain", "weighted"])
def test_labelled_rows(ties: str, measures: list[str]) -> None:
    draw = random.Random(1)
    rows = [
        (query, draw.choice(GRADES), draw.choice([0.1, 0.2, draw.random()]), draw.choice(GRADES))
        for query in range(8)
        for _ in range(20)
    ]

    def evaluate() -> dict[str, Any]:
        groups, labels, scores, weights = zip(*rows, strict=True)
        given = weights if measures is WEIGHTED else None
        found = relyon.evaluate_scores(
            labels, scores, groups, measures, weights=given, convention={"ties": ties}
        )
        return said(found)

    first = evaluate()
    for _ in range(3):
        draw.shuffle(rows)
        rows.sort(key=lambda row: row[0])
        assert evaluate() == first


@pytest.mark.long
@pytest.mark.parametrize("ties", ["doc-desc", "doc-asc", "worst", "best"])
def test_runs(ties: str) -> None:
    draw = random.Random(2)
    judgments = {
        f"q{query}": {f"d{document}": draw.choice(GRADES) for document in range(0, 14, 2)}
        for query in range(8)
    }
    run = {
        query: {f"d{document}": draw.choice([0.1, 0.2]) for document in range(11)}
        for query in judgments
    }
    first = said(relyon.evaluate(judgments, run, MEASURES, convention={"ties": ties}))
    for _ in range(3):
        shuffled = {
            query: dict(draw.sample(sorted(scores.items()), len(scores)))
            for query, scores in run.items()
        }
        found = relyon.evaluate(judgments, shuffled, MEASURES, convention={"ties": ties})
        assert said(found) == first
