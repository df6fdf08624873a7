"""The game “Defeat the DCG monster”: queries of the demo whose lists are put in a better order.

A level's monster has as many hit points as the value of the ideal list; the list that the player
made is the attack. Every value on the page is recorded from `relyon.evaluate`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import product

from relyon.core.texts import LANGUAGES, Language
from relyon.learn.blocks import Fields, PlayDocument
from relyon.learn.pages.recorded import SAME, State, key, reachable, values_of

__all__ = ["ENOUGH", "HEARTS", "Fight", "Game", "Level", "Taste", "fight", "game", "game_data"]

#: The share of the ideal list's value that defeats a monster.
ENOUGH = 0.95
#: How many attacks may fail.
HEARTS = 3
#: For a move that was not needed, a heart that is left, and the right recommender.
POINTS = {"saved": 25, "heart": 50, "guess": 50}
#: Grades of the scale, from the worst to the best.
GRADES = ("0", "1", "2", "3")
#: Perfect lists are looked for up to so many moves.
MOST_MOVES = 6


@dataclass(frozen=True, eq=False)
class Level:
    """A query whose list attacks.

    Attributes:
        id: The query's id in the demo.
        query: Its text in each language.
        documents: What BM25 returned, best ranked first.
        bench: Judged documents that it did not return and the player may bring in.
        measure: The value of an attack.
        sum: The measure that the documents add to: `measure` itself, or what it divides.
    """

    id: str
    query: Mapping[str, str]
    documents: tuple[PlayDocument, ...]
    bench: tuple[PlayDocument, ...]
    measure: str
    sum: str

    @classmethod
    def read(cls, fields: Fields) -> Level:
        """Reads one table ``[[levels]]``."""
        found = cls(
            fields.text("id"),
            fields.mapping("query"),
            _documents(fields.tables("documents")),
            _documents(fields.tables("bench")),
            fields.text("measure"),
            fields.text("sum"),
        )
        fields.end()
        return found

    @property
    def start(self) -> State:
        """The list as it is at first."""
        return _names(self.documents), tuple(sorted(_names(self.bench)))

    @property
    def ideal(self) -> State:
        """All documents, the highest grade first."""
        return _names(sorted((*self.documents, *self.bench), key=lambda one: -one.grade)), ()


@dataclass(frozen=True, eq=False)
class Taste:
    """The first level: which of two recommenders knows the player better?

    Attributes:
        measure: What says it.
        candies: What is graded, in each language.
        recommenders: The order of the candies that each recommender shows.
    """

    measure: str
    candies: tuple[Mapping[str, str], ...]
    recommenders: tuple[tuple[int, ...], ...]

    @classmethod
    def read(cls, fields: Fields) -> Taste:
        """Reads the table ``[taste]``."""
        candies: list[Mapping[str, str]] = [
            {language: one.text(language) for language in LANGUAGES}
            for one in fields.tables("candies")
        ]
        orders = fields.rows("recommenders")
        return cls(fields.text("measure"), tuple(candies), orders)


@dataclass(frozen=True, eq=False)
class Game:
    """All levels, in the order in which they are played."""

    taste: Taste
    levels: tuple[Level, ...]


@dataclass(frozen=True)
class Fight:
    """The values of a level's lists.

    Attributes:
        ideal: The monster's hit points.
        ideal_sum: What the ideal list adds up to.
        par: In how few moves the monster can be defeated.
        moves: How many moves the player has: the fewest that make the list perfect.
        values: By the key of each list within those moves, its value and its sum.
        parts: By grade, what a document adds at each rank.
    """

    ideal: float
    ideal_sum: float
    par: int
    moves: int
    values: Mapping[str, tuple[float, float]]
    parts: Mapping[str, tuple[float, ...]]


@cache
def game() -> Game:
    """Returns the game that comes with relyon."""
    path = resources.files("relyon.learn").joinpath("levels.toml")
    values = tomllib.loads(path.read_text("utf-8"))
    fields = Fields(values, str(path), 1)
    taste = Fields(values["taste"], str(path), 1)
    return Game(Taste.read(taste), tuple(map(Level.read, fields.tables("levels"))))


@cache
def fight(level: Level) -> Fight:
    """Returns the values of a level's lists."""
    ((ideal, ideal_sum),) = _worth(level, [level.ideal]).values()
    values: dict[str, tuple[float, float]] = {}
    par = moves = 0
    for taken, states in enumerate(reachable(level.start, bool(level.bench), MOST_MOVES)):
        found = _worth(level, states)
        best = max(value for value, _ in found.values())
        values |= found
        moves = taken
        if best < ENOUGH * ideal - SAME:
            par = taken + 1
        if best >= ideal - SAME:
            break
    return Fight(ideal, ideal_sum, par, moves, values, _parts(level))


def game_data(language: Language) -> dict[str, object]:
    """Returns the data of the page of the game, ready for JSON."""
    found = game()
    return {
        "hearts": HEARTS,
        "percent": f"{ENOUGH:.0%}",
        "points": POINTS,
        "weight": f"{_second_rank(found.levels):.3f}",
        "taste": _taste(found.taste, language),
        "levels": [_level(level, language) for level in found.levels],
    }


def _level(level: Level, language: Language) -> dict[str, object]:
    found = fight(level)
    return {
        "id": level.id,
        "query": level.query[language],
        "measure": level.measure,
        "documents": [
            {"title": one.title, "grade": one.grade} for one in (*level.documents, *level.bench)
        ],
        "retrieved": len(level.documents),
        "ideal": found.ideal,
        "ideal_sum": found.ideal_sum,
        "enough": ENOUGH * found.ideal - SAME,
        "par": found.par,
        "moves": found.moves,
        "record": dict(found.values),
        "parts": dict(found.parts),
        "shared": level.measure != level.sum,
    }


def _second_rank(levels: Sequence[Level]) -> float:
    """Returns the weight of rank 2 in the first level with a discount."""
    return next(weight for one in levels if (weight := fight(one).parts["1"][1]) < 1)


def _taste(taste: Taste, language: Language) -> dict[str, object]:
    orders: list[State] = [(grades, ()) for grades in product(GRADES, repeat=len(taste.candies))]
    return {
        "measure": taste.measure,
        "candies": [one[language] for one in taste.candies],
        "recommenders": taste.recommenders,
        "record": {name: value for name, (value,) in values_of(orders, [taste.measure]).items()},
    }


def _parts(level: Level) -> dict[str, tuple[float, ...]]:
    """Returns the contribution of a single document at each rank, by its grade."""
    count = len(level.documents) + len(level.bench)
    parts = {}
    for grade in GRADES:
        alone: list[State] = [
            (("0",) * rank + (grade,) + ("0",) * (count - rank - 1), ()) for rank in range(count)
        ]
        values = values_of(alone, [level.sum])
        parts[grade] = tuple(values[key(state)][0] or 0.0 for state in alone)
    return parts


def _worth(level: Level, states: Sequence[State]) -> dict[str, tuple[float, float]]:
    """Returns the value and the sum of lists; an undefined one hits nothing."""
    found = values_of(states, (level.measure, level.sum))
    return {name: (value or 0.0, total or 0.0) for name, (value, total) in found.items()}


def _documents(tables: Sequence[Fields]) -> tuple[PlayDocument, ...]:
    found = []
    for one in tables:
        found.append(PlayDocument(one.text("title"), one.number("grade")))
        one.end()
    return tuple(found)


def _names(documents: Sequence[PlayDocument]) -> tuple[str, ...]:
    return tuple(f"{one.grade:g}" for one in documents)
