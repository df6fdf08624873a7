"""The game: its levels are queries of the demo, each can be won and lost, values are relyon's."""

from __future__ import annotations

import csv
import json
import math
from collections import defaultdict
from itertools import pairwise, product
from pathlib import Path

import pytest

import relyon
from relyon.core.texts import LANGUAGES, catalogue
from relyon.core.texts.languages import Language
from relyon.learn.game import ENOUGH, MOST_MOVES, Level, fight, game, game_data
from relyon.learn.pages.recorded import State, key, reachable

DEMO = Path(__file__).parents[2] / "examples" / "demo"
LEVELS = pytest.mark.parametrize("level", game().levels, ids=[one.id for one in game().levels])


def run_of(query: str) -> list[str]:
    found = []
    for line in (DEMO / "bm25.run").read_text("utf-8").splitlines():
        name, _, document, rank, *_ = line.split()
        if name == query:
            found.append((int(rank), document))
    return [document for _, document in sorted(found)]


def grades_of(query: str) -> dict[str, float]:
    rows = [line.split() for line in (DEMO / "judgments.qrels").read_text("utf-8").splitlines()]
    return {document: float(grade) for name, _, document, grade in rows if name == query}


def worth(state: State, measure: str) -> float:
    """Returns what `relyon.evaluate` says of a list of grades, without the help of the course."""
    retrieved, missing = state
    documents = {f"d{n}": float(grade) for n, grade in enumerate((*retrieved, *missing))}
    run = {f"d{n}": float(-n) for n in range(len(retrieved))}
    return float(relyon.evaluate({"q": documents}, {"q": run}, [measure])[measure])


@LEVELS
def test_a_level_is_a_query_of_the_demo(level: Level) -> None:
    with (DEMO / "questions.tsv").open(encoding="utf-8") as file:
        questions = {row["id"]: row for row in csv.DictReader(file, delimiter="\t")}
    question = questions[level.id]
    assert level.query[question["language"]] == question["text"]
    assert set(level.query) == set(LANGUAGES)
    titles = [one.title for one in level.documents]
    assert titles == run_of(level.id)[: len(titles)]
    grades = grades_of(level.id)
    for one in (*level.documents, *level.bench):
        assert one.grade == grades[one.title]
    assert not {one.title for one in level.bench} & set(run_of(level.id))


@LEVELS
def test_a_level_can_be_won_and_lost(level: Level) -> None:
    found = fight(level)
    wins = [
        any(found.values[key(state)][0] >= ENOUGH * found.ideal - 1e-9 for state in states)
        for states in reachable(level.start, bool(level.bench), found.moves)
    ]
    assert not wins[0]
    assert wins.index(True) == found.par
    assert 1 <= found.par <= found.moves <= MOST_MOVES
    best = max(value for value, _ in found.values.values())
    assert best == pytest.approx(found.ideal)
    losing = sum(value < ENOUGH * found.ideal for value, _ in found.values.values())
    assert losing > len(found.values) / 2, "nearly every list wins"


@LEVELS
def test_values_of_a_level_are_what_evaluate_says(level: Level) -> None:
    found = fight(level)
    assert found.ideal == pytest.approx(worth(level.ideal, level.measure))
    assert found.ideal_sum == pytest.approx(worth(level.ideal, level.sum))
    within = [
        state
        for states in reachable(level.start, bool(level.bench), found.moves)
        for state in states
    ]
    assert {key(state) for state in within} == set(found.values)
    for state in within[:: max(1, len(within) // 60)]:
        value, total = found.values[key(state)]
        assert value == pytest.approx(worth(state, level.measure), abs=1e-9)
        assert total == pytest.approx(worth(state, level.sum), abs=1e-9)


@LEVELS
def test_what_the_documents_add_makes_up_the_hit(level: Level) -> None:
    found = fight(level)
    for state in next(iter(reachable(level.start, bool(level.bench), 0))):
        parts = sum(found.parts[grade][rank] for rank, grade in enumerate(state[0]))
        value, total = found.values[key(state)]
        assert total == pytest.approx(parts)
        shared = found.ideal_sum if level.measure != level.sum else 1.0
        assert value == pytest.approx(parts / shared)


def test_the_discount_grows() -> None:
    second = [fight(level).parts["1"][1] for level in game().levels]
    assert second == sorted(second, reverse=True)
    assert second[0] == 1.0 > second[-1]


def test_what_is_said_of_the_monsters_is_so() -> None:
    levels = {level.id: fight(level) for level in game().levels}
    # The two threes on top are enough to win.
    assert levels["zh18"].values["3 3 1 1 2 2 2 2"][0] >= ENOUGH * levels["zh18"].ideal
    weights = levels["zh18"].parts["1"]
    assert weights[0] > weights[1] + weights[2]
    gaps = [a - b for a, b in pairwise(levels["en01"].parts["1"])]
    assert gaps[0] == max(gaps)
    # No order of what was retrieved wins where documents must be fetched.
    for level in game().levels:
        if level.bench:
            retrieved, missing = level.start
            best = tuple(sorted(retrieved, reverse=True)), missing
            assert worth(best, level.measure) < ENOUGH * fight(level).ideal
    assert levels["en48"].parts["3"][0] == 7.0
    assert levels["en48"].parts["2"][0] == 3.0


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_has_its_words_and_its_numbers(language: Language) -> None:
    words = catalogue("learn", language)
    data = json.loads(json.dumps(game_data(language), allow_nan=False))
    for level in data["levels"]:
        for name in ("name", "says", "rule", "hint", "won"):
            assert words[f"game.monsters.{level['id']}.{name}"]
    assert float(data["weight"]) == pytest.approx(1 / math.log2(3), abs=5e-4)
    assert len(json.dumps(data).encode()) < 300_000


def test_each_recommender_can_be_the_better_one() -> None:
    data = json.loads(json.dumps(game_data("en")["taste"]))
    winners: dict[int, int] = defaultdict(int)
    for grades in product("0123", repeat=len(data["candies"])):
        a, b = (
            data["record"][" ".join(grades[place] for place in order)]
            for order in data["recommenders"]
        )
        if a is None:
            assert set(grades) == {"0"}
            assert b is None
            continue
        winners[0 if math.isclose(a, b) else 1 if a > b else 2] += 1
    assert sum(winners.values()) == 4 ** len(data["candies"]) - 1
    assert min(winners[1], winners[2]) > 300
    grades = ("3", "0", "2", "0", "1")
    order = data["recommenders"][1]
    shown = tuple(grades[place] for place in order)
    assert data["record"][" ".join(shown)] == pytest.approx(worth((shown, ()), data["measure"]))
