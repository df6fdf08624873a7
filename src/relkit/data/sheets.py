"""Judging sheets: items of a query and a document, and what judges say of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Flag, auto
from typing import TYPE_CHECKING, Any

from relkit.core.errors import InputError
from relkit.core.texts import message
from relkit.data.aggregation import Rule, aggregate

if TYPE_CHECKING:
    from relkit.data.scale import Scale

__all__ = [
    "ITEM_PARTS",
    "ITEM_TEXTS",
    "Item",
    "Rating",
    "Row",
    "Sheet",
    "Trait",
    "item_parts",
    "join_rows",
]

_NO_FIELDS: Mapping[str, Any] = {}


class Trait(Flag):
    """What a part of an item is to the rest of the program."""

    #: A text, in a column of its own.
    TEXT = auto()
    #: Judges see it. The rank, the tier and the session could sway a grade.
    SHOWN = auto()
    #: Each result of a ranking has it, too.
    RESULT = auto()
    #: Where an item came without, a table can fill it in later.
    FILLED = auto()
    #: A language model reads it.
    PROMPT = auto()


def _part(traits: Trait, **options: Any) -> Any:
    return field(metadata={"traits": traits}, **options)


_KEY = Trait.TEXT | Trait.SHOWN
_DESCRIPTION = _KEY | Trait.RESULT | Trait.FILLED


@dataclass(frozen=True, slots=True)
class Item:
    """One document of one query, as it is shown to a judge.

    Attributes:
        query: The id of the query, or its text.
        document: The id of the document.
        query_text: The query as the user wrote it; empty where `query` is it.
        rank: The rank at which the search showed it, from 1.
        title: Of the document.
        snippet: Of the document.
        url: Of the document.
        image: The URL of a picture.
        fields: Whatever else is to be shown.
        tier: Head, middle or tail.
        session: The session it was sampled from.
        inclusion_probability: With which the session came into the sample.
        id: In the database; 0 outside.
    """

    query: str = _part(_KEY)
    document: str = _part(_KEY | Trait.RESULT)
    query_text: str = _part(_KEY | Trait.FILLED, default="")
    rank: int | None = None
    title: str = _part(_DESCRIPTION | Trait.PROMPT, default="")
    snippet: str = _part(_DESCRIPTION | Trait.PROMPT, default="")
    url: str = _part(_DESCRIPTION | Trait.PROMPT, default="")
    image: str = _part(_DESCRIPTION, default="")
    fields: Mapping[str, Any] = _part(
        Trait.SHOWN | Trait.RESULT | Trait.FILLED, default_factory=dict
    )
    tier: str = _part(Trait.TEXT, default="")
    session: str = _part(Trait.TEXT, default="")
    inclusion_probability: float | None = None
    id: int = _part(Trait.SHOWN, default=0)

    def __post_init__(self) -> None:
        # There may be a million items, of far fewer queries, and most without further fields.
        if type(self.query) is str:
            object.__setattr__(self, "query", sys.intern(self.query))
        if not self.fields:
            object.__setattr__(self, "fields", _NO_FIELDS)


def item_parts(traits: Trait) -> tuple[str, ...]:
    """Returns the parts of an item that have all of some traits, in its order.

    Examples:
        >>> item_parts(Trait.PROMPT)
        ('title', 'snippet', 'url')
        >>> item_parts(Trait.TEXT | Trait.RESULT)
        ('document', 'title', 'snippet', 'url', 'image')
    """
    return tuple(one.name for one in fields(Item) if traits in one.metadata.get("traits", Trait(0)))


#: The texts of an item besides those that say which it is.
ITEM_TEXTS = item_parts(Trait.TEXT)[2:]
#: What an item may have besides its query and document, in its order.
ITEM_PARTS = tuple(one.name for one in fields(Item) if one.name not in {"query", "document", "id"})


@dataclass(frozen=True, slots=True)
class Rating:
    """What one judge says of one item.

    Attributes:
        judge: The judge's name.
        grade: None where the judge could not grade it.
        reason: Why not: one of `REASONS`, or the judge's own words.
        note: What the judge remarked.
        seconds: How long it took.
        at: When, in seconds since 1970.
    """

    judge: str
    grade: float | None
    reason: str = ""
    note: str = ""
    seconds: float | None = None
    at: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One item with what was said of it.

    Attributes:
        item: One document of one query.
        ratings: What each judge says.
        final: The grade that counts, if it is known.
        final_source: The language model whose grade that is; empty where it is people's.
    """

    item: Item
    ratings: tuple[Rating, ...] = ()
    final: float | None = None
    final_source: str = ""


@dataclass(frozen=True)
class Sheet:
    """Graded items, as files hold them.

    Attributes:
        rows: One per item; a query and a document stand in one row only.
        name: Of the project.
        scale: The grades there are, if it is known.
    """

    rows: tuple[Row, ...]
    name: str = ""
    scale: Scale | None = field(default=None, compare=False)

    def finals(self, rule: Rule = "median") -> Sheet:
        """Returns the sheet with a final grade wherever there is one or can be made of ratings."""
        return replace(self, rows=tuple(self._with_final(row, rule) for row in self.rows))

    def _with_final(self, row: Row, rule: Rule) -> Row:
        grades = [one.grade for one in row.ratings if one.grade is not None]
        if row.final is not None or not grades:
            return row
        return replace(row, final=aggregate(grades, rule=rule, scale=self.scale).value)


def join_rows(sheet: Sheet, path: str = "") -> Sheet:
    """Returns a sheet in which every item stands once, with all its ratings.

    Raises:
        InputError: If a judge grades an item twice and differently, or two final grades differ.
    """
    if _all_different(sheet.rows):
        return sheet
    rows: dict[tuple[str, str], Row] = {}
    for row in sheet.rows:
        key = (row.item.query, row.item.document)
        if key not in rows:
            rows[key] = row
            continue
        before = rows[key]
        known = {one.judge: one for one in before.ratings}
        for one in row.ratings:
            if one.judge in known and known[one.judge].grade != one.grade:
                raise InputError(
                    message(
                        "query `{key}`, document `{key_2}`: `{judge}` grades it twice",
                        key=key[0],
                        key_2=key[1],
                        judge=one.judge,
                    ),
                    path=path,
                )
        if None not in (before.final, row.final) and before.final != row.final:
            raise InputError(
                message(
                    "query `{key}`, document `{key_2}` has the final grades"
                    " {final:g} and {final_2:g}",
                    key=key[0],
                    key_2=key[1],
                    final=before.final,
                    final_2=row.final,
                ),
                path=path,
            )
        new = tuple(one for one in row.ratings if one.judge not in known)
        final = row.final if before.final is None else before.final
        source = before.final_source or row.final_source
        rows[key] = Row(before.item, (*before.ratings, *new), final, source)
    return replace(sheet, rows=tuple(rows.values()))


def _all_different(rows: Sequence[Row]) -> bool:
    """Says, in little memory, that no item stands twice; it may say no where all differ."""
    import numpy as np

    hashes = (hash((row.item.query, row.item.document)) for row in rows)
    found = np.fromiter(hashes, np.int64, len(rows))
    found.sort()
    return not bool((found[1:] == found[:-1]).any())
