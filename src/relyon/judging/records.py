"""What a judging database holds, as the rest of the program sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from relyon.core.texts import LANGUAGES
from relyon.data.scale import Scale
from relyon.data.sheets import Item, Rating, Row, Sheet, Trait, item_parts

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
    "Row",
    "Sheet",
    "Trait",
    "User",
    "item_parts",
]

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
        name: The name to sign in with.
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
        scale: The grade scale.
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
            >>> from relyon.data.scale import SEARCH
            >>> guideline = {"zh": "请打分。"}
            >>> june = Project(1, "June", "grades", SEARCH, guideline, 1, 0.0, None, 7, 1800.0, 0.0)
            >>> june.guideline_in("en")
            '请打分。'
        """
        there = (self.guideline.get(one, "").strip() for one in (language, *LANGUAGES))
        return next(filter(None, there), "")


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
