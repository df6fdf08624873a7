"""Parts of a derivation besides its steps, and its cells: numbers, ranks, titles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from relyon.core.document.model import Cell
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.core.texts.numbers import DIGITS, TERMINAL
from relyon.measures.inversions import Inversion

__all__ = [
    "IdealStep",
    "Missed",
    "pair_values",
    "rank_in_run",
    "rows_left",
    "shown_numbers",
    "title_of",
    "with_titles",
]


@dataclass(frozen=True)
class IdealStep:
    """One rank of the ideal list.

    Attributes:
        rank: The rank in the ideal list, counted from 1.
        document: The document's id.
        grade: Its grade.
        gain: Its gain.
        discount: The divisor of its gain there.
        contribution: Its possible contribution, in the unit of the explanation's contributions.
        total: The sum up to this rank.
        ranked: Its rank in the run, or `None` if absent.
    """

    rank: int
    document: str
    grade: float | None
    gain: float
    discount: float
    contribution: float
    total: float
    ranked: int | None


@dataclass(frozen=True)
class Missed:
    """A relevant document missing from the counted ranks.

    Attributes:
        document: Its id.
        grade: Its grade.
        ranked: Its rank in the run, or `None` if absent.
    """

    document: str
    grade: float
    ranked: int | None


def with_titles(
    rows: Sequence[Sequence[str]],
    documents: Mapping[int, Sequence[str]],
    titles: Mapping[str, str],
) -> list[list[Cell | str]]:
    """Returns rows of text in which the cells of documents have their titles.

    Args:
        rows: The cells.
        documents: By column, the document of each row.
        titles: Titles by document.
    """
    found: list[list[Cell | str]] = [list(row) for row in rows]
    for place, column in documents.items():
        for row, cells, document in zip(rows, found, column, strict=True):
            if titles.get(document, document) != document:
                cells[place] = Cell(row[place], title=titles[document])
    return found


def title_of(document: str, titles: Mapping[str, str] | None) -> dict[str, str | None]:
    """Returns a document's title for JSON: empty if titles were not requested."""
    return {} if titles is None else {"title": titles.get(document)}


def pair_values(pair: Inversion, titles: Mapping[str, str] | None) -> dict[str, object]:
    """Returns an inverted pair for JSON."""
    sides = {
        side: {
            "rank": entry.rank,
            "document": entry.document,
            "grade": entry.grade,
            "score": entry.score,
            **title_of(entry.document, titles),
        }
        for side, entry in (("above", pair.above), ("below", pair.below))
    }
    return {**sides, "cost": pair.cost, "distance": pair.distance}


def shown_numbers(values: Sequence[float]) -> list[str]:
    """Returns numbers as text: without decimals if all are whole."""
    whole = all(value == int(value) for value in values)
    return [TERMINAL.number(value, 0 if whole else DIGITS) for value in values]


def rows_left(count: int, words: Catalogue) -> list[str]:
    """Returns the number of rows that a table omits."""
    return [words.say("explanation.more", count=count)] if count > 0 else []


def rank_in_run(place: int | None, language: Language) -> str:
    """Returns the rank of a document in the run, or words if it is missing."""
    absent = catalogue("tables", language)["explanation.absent"]
    return absent if place is None else str(place)
