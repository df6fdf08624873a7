"""Judging sheets: items (a query and a document) and their ratings."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Flag, auto
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.aggregation import Rule, aggregate

if TYPE_CHECKING:
    from relyon.data.scale import Scale

__all__ = [
    "ITEM_PARTS",
    "ITEM_TEXTS",
    "Item",
    "Rating",
    "Row",
    "SentSheet",
    "Sheet",
    "Trait",
    "described",
    "item_parts",
    "join_rows",
]

_NO_FIELDS: Mapping[str, object] = {}


class Trait(Flag):
    """The uses of a part of an item in the program."""

    #: Text, in a column of its own.
    TEXT = auto()
    #: Judges see it. The rank, the tier and the session could sway a grade.
    SHOWN = auto()
    #: Every result of a ranking has it, too.
    RESULT = auto()
    #: A table can fill it in later if an item lacks it.
    FILLED = auto()
    #: A language model reads it.
    PROMPT = auto()


def _traits(traits: Trait) -> dict[str, Trait]:
    return {"traits": traits}


_KEY = Trait.TEXT | Trait.SHOWN
_DESCRIPTION = _KEY | Trait.RESULT | Trait.FILLED


@dataclass(frozen=True, slots=True)
class Item:
    """One document of one query, as shown to a judge.

    Attributes:
        query: The id of the query, or its text.
        document: The id of the document.
        query_text: The query as the user wrote it; empty if `query` is the text.
        rank: The rank at which the search showed it, from 1.
        title: The document's title.
        snippet: The document's snippet.
        url: The document's URL.
        image: The URL of a picture.
        fields: Further fields to show.
        tier: `head`, `middle` or `tail`.
        session: The session it was sampled from.
        inclusion_probability: The probability that the session was sampled.
        id: Its id in the database; 0 elsewhere.
    """

    query: str = field(metadata=_traits(_KEY))
    document: str = field(metadata=_traits(_KEY | Trait.RESULT))
    query_text: str = field(default="", metadata=_traits(_KEY | Trait.FILLED))
    rank: int | None = None
    title: str = field(default="", metadata=_traits(_DESCRIPTION | Trait.PROMPT))
    snippet: str = field(default="", metadata=_traits(_DESCRIPTION | Trait.PROMPT))
    url: str = field(default="", metadata=_traits(_DESCRIPTION | Trait.PROMPT))
    image: str = field(default="", metadata=_traits(_DESCRIPTION))
    fields: Mapping[str, object] = field(
        default_factory=dict, metadata=_traits(Trait.SHOWN | Trait.RESULT | Trait.FILLED)
    )
    tier: str = field(default="", metadata=_traits(Trait.TEXT))
    session: str = field(default="", metadata=_traits(Trait.TEXT))
    inclusion_probability: float | None = None
    id: int = field(default=0, metadata=_traits(Trait.SHOWN))

    def __post_init__(self) -> None:
        # There may be a million items, but far fewer queries, and most items have no further
        # fields.
        if type(self.query) is str:
            object.__setattr__(self, "query", sys.intern(self.query))
        if not self.fields:
            object.__setattr__(self, "fields", _NO_FIELDS)


def item_parts(traits: Trait) -> tuple[str, ...]:
    """Returns the parts of an item that have all the given traits, in order.

    Examples:
        >>> item_parts(Trait.PROMPT)
        ('title', 'snippet', 'url')
        >>> item_parts(Trait.TEXT | Trait.RESULT)
        ('document', 'title', 'snippet', 'url', 'image')
    """
    return tuple(one.name for one in fields(Item) if traits in one.metadata.get("traits", Trait(0)))


#: The texts of an item, without its identifiers.
ITEM_TEXTS = item_parts(Trait.TEXT)[2:]


def described(
    query: str,
    document: str,
    texts: Mapping[str, str],
    *,
    rank: int | None = None,
    fields: Mapping[str, object],
    inclusion_probability: float | None = None,
) -> Item:
    """Returns an item with texts by their names.

    Args:
        query: The id of the query.
        document: The id of the document.
        texts: Some of `ITEM_TEXTS`.
        rank: The rank at which the search showed it, from 1.
        fields: Further fields to show.
        inclusion_probability: The probability that its session was sampled.

    Examples:
        >>> described("tv", "d1", {"title": "A television"}, fields={}).title
        'A television'
    """
    return Item(
        query,
        document,
        texts.get("query_text", ""),
        rank,
        texts.get("title", ""),
        texts.get("snippet", ""),
        texts.get("url", ""),
        texts.get("image", ""),
        fields,
        texts.get("tier", ""),
        texts.get("session", ""),
        inclusion_probability,
    )


#: The optional parts of an item, in order.
ITEM_PARTS = tuple(one.name for one in fields(Item) if one.name not in {"query", "document", "id"})


@dataclass(frozen=True, slots=True)
class Rating:
    """One judge's rating of one item.

    Attributes:
        judge: The judge's name.
        grade: None if the judge could not grade it.
        reason: Why the item was not graded: one of `REASONS`, or the judge's own words.
        note: The judge's remark.
        seconds: How long it took.
        at: Time of the rating, in seconds since 1970.
    """

    judge: str
    grade: float | None
    reason: str = ""
    note: str = ""
    seconds: float | None = None
    at: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One item with its ratings.

    Attributes:
        item: One document of one query.
        ratings: Each judge's rating.
        final: The grade that counts, if it is known.
        final_source: The language model that gave the final grade; empty if people did.
    """

    item: Item
    ratings: tuple[Rating, ...] = ()
    final: float | None = None
    final_source: str = ""


@dataclass(frozen=True)
class SentSheet:
    """A grading sheet's own account of whom and what it was written for.

    Attributes:
        project: The project's name; empty if the sheet does not say.
        judges: The judges.
        places: The number of the row of each query and document.
        empty: How many rows have neither a grade nor a note.
    """

    project: str
    judges: tuple[str, ...]
    places: Mapping[tuple[str, str], int] = field(repr=False)
    empty: int


@dataclass(frozen=True)
class Sheet:
    """Graded items, as in a file.

    Attributes:
        rows: One per item; each pair of query and document occurs once.
        name: The project's name.
        scale: The grade scale, if known.
        shown: Further fields that judges see on purpose, though they tell of grades or of users.
        sent: What it says about itself if it is a grading sheet; None for other files.
    """

    rows: tuple[Row, ...]
    name: str = ""
    scale: Scale | None = field(default=None, compare=False)
    shown: frozenset[str] = field(default=frozenset(), compare=False)
    sent: SentSheet | None = field(default=None, compare=False)

    def finals(self, rule: Rule = "median") -> Sheet:
        """Returns the sheet with a final grade for every item that has one or has ratings."""
        return replace(self, rows=tuple(self._with_final(row, rule) for row in self.rows))

    def _with_final(self, row: Row, rule: Rule) -> Row:
        grades = [one.grade for one in row.ratings if one.grade is not None]
        if row.final is not None or not grades:
            return row
        return replace(row, final=aggregate(grades, rule=rule, scale=self.scale).value)


def join_rows(sheet: Sheet, path: str = "") -> Sheet:
    """Merges rows of the same item, with all their ratings.

    Raises:
        InputError: If a judge gives an item two different grades, or two final grades differ.
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
                        "data.query-document-grades-twice",
                        key=key[0],
                        key_2=key[1],
                        judge=one.judge,
                    ),
                    path=path,
                )
        if None not in (before.final, row.final) and before.final != row.final:
            raise InputError(
                message(
                    "data.query-key",
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
    """Whether no item occurs twice, in little memory; may be False although all differ."""
    import numpy as np

    hashes = (hash((row.item.query, row.item.document)) for row in rows)
    found = np.fromiter(hashes, np.int64, len(rows))
    found.sort()
    return not bool((found[1:] == found[:-1]).any())
