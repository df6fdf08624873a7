"""What a judging database holds, as the rest of the program sees it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import Flag, auto
from typing import Any, Literal, get_args

from relkit.core.language import LANGUAGES
from relkit.data.scale import Scale

__all__ = [
    "REASONS",
    "ActionKind",
    "Comparison",
    "Item",
    "Kind",
    "Project",
    "ProjectState",
    "Rating",
    "Reason",
    "Role",
    "Trait",
    "User",
    "item_parts",
]

_NO_FIELDS: Mapping[str, Any] = {}

Role = Literal["judge", "lead", "admin"]
Kind = Literal["grades", "side_by_side"]
ProjectState = Literal["open", "closed", "making", "removing", "removed"]
ActionKind = Literal["grade", "cannot", "skip", "later", "note", "undo"]
Reason = Literal["not_loading", "language", "unclear_query", "knowledge"]
REASONS: tuple[Reason, ...] = get_args(Reason)
"""Why a judge cannot grade a result, where it is not said in the judge's own words."""


@dataclass(frozen=True)
class User:
    """Someone who grades or leads.

    Attributes:
        id: In the database.
        name: The name to log in with.
        role: A `judge` grades; a `lead` sees all grades and adjudicates; an `admin` also makes
            accounts.
        active: Whether the account may be used.
        machine: Whether it is a language model, and nobody can sign in as it.
        must_change: Whether somebody else knows the password, which then only opens the page that
            changes it.
    """

    id: int
    name: str
    role: Role
    active: bool = True
    machine: bool = False
    must_change: bool = False


@dataclass(frozen=True)
class Project:
    """What is judged and how.

    Attributes:
        id: In the database.
        name: Its name.
        kind: Whether single results get `grades`, or two rankings are seen `side_by_side`.
        scale: The grades there are.
        guideline: The guideline, Markdown, by language.
        overlap: How many judges grade each item.
        gold_share: The share of gold items among those that a judge is given.
        k: How many results of each query are judged; None where it is not the same for all.
        seed: Of the random orders.
        lease_seconds: How long an item stays with a judge who does nothing.
        created_at: Seconds since 1970.
        state: `open`; or `closed`: read only, and judges do not see it. One that is `making`,
            `removing` or `removed` is seen by nobody.
        keys_changed_at: Since when a key of the page is the grade itself, where it was the grade's
            place in the scale before; None where nobody graded by places.
    """

    id: int
    name: str
    kind: Kind
    scale: Scale
    guideline: Mapping[str, str]
    overlap: int
    gold_share: float
    k: int | None
    seed: int
    lease_seconds: float
    created_at: float
    state: ProjectState = "open"
    keys_changed_at: float | None = None

    def guideline_in(self, language: str) -> str:
        """Returns the guideline in a language, or in another one where there is none.

        Examples:
            >>> from relkit.data.scale import SEARCH
            >>> guideline = {"zh": "请打分。"}
            >>> june = Project(1, "June", "grades", SEARCH, guideline, 1, 0.0, None, 7, 1800.0, 0.0)
            >>> june.guideline_in("en")
            '请打分。'
        """
        there = (self.guideline.get(one, "").strip() for one in (language, *LANGUAGES))
        return next(filter(None, there), "")


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


@dataclass(frozen=True)
class Comparison:
    """Two rankings of one query, to be seen side by side.

    Attributes:
        query: The id of the query, or its text.
        first: The system that made the first ranking.
        second: The system that made the second one.
        first_results: What the first system shows, in its order.
        second_results: What the second one shows.
        query_text: The query as the user wrote it; empty where `query` is it.
        tier: Head, middle or tail.
    """

    query: str
    first: str
    second: str
    first_results: tuple[Item, ...] = ()
    second_results: tuple[Item, ...] = ()
    query_text: str = ""
    tier: str = ""
