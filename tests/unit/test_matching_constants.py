"""Numbers that rules give to any files are no match."""

from __future__ import annotations

import random

import relyon


def files() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    chance = random.Random(2)
    judgments, run = {}, {}
    for number in range(40):
        documents = [f"d{one}" for one in range(12)]
        judgments[f"q{number}"] = {one: int(chance.random() < 0.3) for one in documents}
        run[f"q{number}"] = {one: chance.random() for one in documents}
    return judgments, run


def test_a_one_without_any_value_behind_it_is_no_match() -> None:
    """If no document is relevant (rel=2) and such queries count 1, every run has 1."""
    found = relyon.match_convention(*files(), {"rr": "1.0000"})
    assert not any("undefined=one" in one.name and "l2" in one.name for one in found.classes)
    assert found.verdict != "found"


def test_a_known_program_that_finds_nothing_relevant_still_matches() -> None:
    found = relyon.match_convention(*files(), {"p@10": "0.0000"})
    assert found.classes[0].name == "trec_eval (-l2)"
