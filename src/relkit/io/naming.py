"""Ids for queries and documents that cannot stand between spaces, and tables of what they mean.

A file of words can hold `q1`, not `red running shoes`. Such queries get ids in the order in which a
project has them, so that the next export gives them the same ones, and a table that stands beside
the file says which text an id is of. `relkit judge import` takes both and puts the texts back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import count

from relkit.core.cells import Cell, csv_text
from relkit.data.sheets import Sheet

__all__ = [
    "DOCUMENTS",
    "ORIGINAL",
    "QUERIES",
    "Naming",
    "is_word",
    "name_sheet",
    "name_values",
    "starts_line",
]

#: What the tables are called, before the ending.
QUERIES, DOCUMENTS = "queries", "documents"
#: The column that holds what an id stands for, where it was made here.
ORIGINAL = "original"


def is_word(value: str) -> bool:
    """Says whether a value may stand between spaces.

    Examples:
        >>> is_word("q1"), is_word("red shoes"), is_word("")
        (True, False, False)
    """
    return value.split() == [value] and "\0" not in value


def starts_line(value: str) -> bool:
    """Says whether a value may be the first word of a line that is no comment."""
    return is_word(value) and not value.startswith(("#", "\ufeff"))


def name_values(
    values: Iterable[str], letter: str, stands: Callable[[str], bool]
) -> dict[str, str]:
    """Returns what is written for each value: itself where it can stand, or a new id.

    Args:
        values: In their order; one may come again.
        letter: With which new ids begin.
        stands: Says whether a value may be written as it is.

    Examples:
        >>> name_values(["red shoes", "q1", "boots", "tv set"], "q", is_word)
        {'red shoes': 'q2', 'q1': 'q1', 'boots': 'boots', 'tv set': 'q3'}
    """
    found = dict.fromkeys(values, "")
    taken = {value for value in found if stands(value)}
    free = (name for number in count(1) if (name := f"{letter}{number}") not in taken)
    return {value: value if value in taken else next(free) for value in found}


@dataclass(frozen=True)
class Naming:
    """What a file writes for queries and documents.

    Attributes:
        queries: What stands for each query of the project.
        documents: What stands for each document.
    """

    queries: Mapping[str, str]
    documents: Mapping[str, str]

    def tables(self, sheet: Sheet, *, made: Iterable[str] = ()) -> dict[str, str]:
        """Returns the tables that say what ids stand for, by name, as TSV.

        Args:
            sheet: The items.
            made: Names of tables to make even where no id is new.
        """
        rows = [row.item for row in sheet.rows if row.final is not None]
        texts: dict[str, str] = {}
        for item in rows:
            texts[item.query] = texts.get(item.query) or item.query_text
        queries: list[list[Cell]] = [
            [self.queries[query], text or query, _original(query, self.queries)]
            for query, text in texts.items()
        ]
        documents: list[list[Cell]] = [
            [self.documents[one], _original(one, self.documents)]
            for one in dict.fromkeys(item.document for item in rows)
        ]
        found: dict[str, list[list[Cell]]] = {
            QUERIES: [["id", "text", ORIGINAL], *queries],
            DOCUMENTS: [["id", ORIGINAL], *documents],
        }
        return {
            name: csv_text(table, separator="\t")
            for name, table in found.items()
            if name in made or any(row[-1] is not None and row[0] != row[1] for row in table[1:])
        }


def _original(value: str, names: Mapping[str, str]) -> str | None:
    return None if names[value] == value else value


def name_sheet(sheet: Sheet, *, stands: Callable[[str], bool], letter: str = "q") -> Naming:
    """Returns what is written for the queries and documents of a sheet, graded or not.

    Args:
        sheet: The items.
        stands: Says whether a query may be written as it is.
        letter: With which new ids of queries begin.
    """
    items = [row.item for row in sheet.rows]
    return Naming(
        name_values((item.query for item in items), letter, stands),
        name_values((item.document for item in items), "d", is_word),
    )
