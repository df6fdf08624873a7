"""Ids for queries and documents that contain spaces, and tables of their meanings.

A file of words can contain `q1`, not `red running shoes`. Such queries get ids in the project's
order, so that the next export assigns the same ids, and an accompanying table maps ids to texts.
`relyon judge import` takes both and restores the texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import count

from relyon.core.cells import Cell, csv_text
from relyon.data.sheets import Sheet

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

#: The names of the tables, without the extension.
QUERIES, DOCUMENTS = "queries", "documents"
#: The column with the text of an id that was assigned here.
ORIGINAL = "original"


def is_word(value: str) -> bool:
    """Whether a value is a single word.

    Examples:
        >>> is_word("q1"), is_word("red shoes"), is_word("")
        (True, False, False)
    """
    return value.split() == [value] and "\0" not in value


def starts_line(value: str) -> bool:
    """Whether a value may be the first word of a line without making it a comment."""
    return is_word(value) and not value.startswith(("#", "\ufeff"))


def name_values(
    values: Iterable[str], letter: str, stands: Callable[[str], bool]
) -> dict[str, str]:
    """Returns the text to write for each value: the value if possible, or a new id.

    Args:
        values: The values in order; may repeat.
        letter: The first letter of new ids.
        stands: Whether a value may be written as it is.

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
    """The ids that a file writes for queries and documents.

    Attributes:
        queries: The id of each query of the project.
        documents: The id of each document.
    """

    queries: Mapping[str, str]
    documents: Mapping[str, str]

    def tables(self, sheet: Sheet, *, made: Iterable[str] = ()) -> dict[str, str]:
        """Returns the tables of ids, by name, as TSV.

        Args:
            sheet: The items.
            made: Names of tables to write even if no id is new.
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
    """Returns the ids for the queries and documents of a sheet, graded or not.

    Args:
        sheet: The items.
        stands: Whether a query may be written as it is.
        letter: The first letter of new query ids.
    """
    items = [row.item for row in sheet.rows]
    return Naming(
        name_values((item.query for item in items), letter, stands),
        name_values((item.document for item in items), "d", is_word),
    )
