"""What measures say of their values, on a Chinese page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

import relyon
from relyon.core.texts import translate
from relyon.data.convention import load_convention
from relyon.data.ranking import Ranking
from relyon.measures import measure, registry
from relyon.measures.definition import Measure

JUDGMENTS: dict[str, float] = {f"d{n}": n % 4 for n in range(12)}
SCORES = {f"d{n}": float(n) for n in range(2, 14)}


def ranking(grades: dict[str, float], scores: dict[str, float]) -> Ranking:
    return Ranking.build(grades, list(scores), list(scores.values()), load_convention(None))


def measures() -> Iterator[Measure]:
    for name in registry:
        for variant in (name, f"{name}@3"):
            try:
                one = measure(variant)
            except (relyon.ParameterError, relyon.UnknownNameError):
                continue
            yield one.resolve(load_convention(None), None, 3.0)


def test_every_reason_is_said_in_chinese() -> None:
    grades = [{"a": 0.0}, {"a": 3.0}, {"a": 1.0, "b": 1.0}, {"a": 0.0, "b": 2.0}, {}]
    runs = [{}, {"a": 1.0}, {"a": 1.0, "b": 1.0}, {"a": 2.0, "b": 1.0}, {"x": 1.0}]
    lists = [
        replace(ranking(judged, scores), reference=reference)
        for judged, scores in product(grades, runs)
        for reference in ((), tuple(scores), ("y",))
    ]
    found = {one.undefined(made) for one, made in product(measures(), lists)}
    reasons = found - {None}
    assert len(reasons) > 10
    assert [one for one in reasons if translate(one or "", "zh") == one] == []


def test_a_reason_of_ones_own_stays() -> None:
    assert translate("it rains", "zh") == "it rains"
    assert translate("nothing was retrieved", "en") == "nothing was retrieved"


@pytest.mark.parametrize(
    "scores", [SCORES, {"x": 1.0, "y": 0.5}, {"d1": 1.0}], ids=["many", "unjudged", "one"]
)
def test_formulas_hold_no_english_words(scores: dict[str, float]) -> None:
    for one in measures():
        made = ranking(JUDGMENTS, scores)
        if one.needs == "reference" or one.undefined(made):
            continue
        text = translate(one.expanded_formula(made), "zh").replace("DCG", "")
        assert not re.search(r"[a-z]{3,}", text), f"{one}: {text}"
