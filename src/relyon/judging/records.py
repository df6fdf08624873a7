"""The records of a judging database: users, projects, and pairs of rankings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from relyon.core.texts import LANGUAGES
from relyon.data.scale import Scale
from relyon.data.sheets import Item, Rating, Row, Sheet, Trait, item_parts

__all__ = [
    "EARLIER_PREFIX",
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
#: The prefix of the judges in whose name grades of earlier projects are used again.
EARLIER_PREFIX = "earlier: "
REASONS: tuple[Reason, ...] = get_args(Reason)
"""Reasons why a judge cannot grade a result; a judge may also write another one."""


@dataclass(frozen=True)
class User:
    """An account.

    Attributes:
        id: In the database.
        name: The name to sign in with.
        role: A `judge` grades; a `lead` sees all grades and adjudicates; an `admin` also manages
            accounts.
        active: Whether the account may be used.
        machine: Whether it is a language model, which cannot sign in.
        must_change: Whether the owner has to replace the password before anything else.
    """

    id: int
    name: str
    role: Role
    active: bool = True
    machine: bool = False
    must_change: bool = False


@dataclass(frozen=True)
class Project:
    """A judging project and its settings.

    Attributes:
        id: In the database.
        name: Its name.
        kind: Whether single results get `grades`, or two rankings are seen `side_by_side`.
        scale: The grade scale.
        guideline: The guideline, Markdown, by language.
        overlap: How many judges grade each item.
        gold_share: The share of gold items among those that a judge is given.
        k: How many results of each query are judged; None if it differs between queries.
        seed: The seed of the random orders.
        lease_seconds: How long an item stays reserved for a judge who does nothing.
        created_at: Seconds since 1970.
        state: `open`, or `closed`: read-only and hidden from judges. A project that is `making`,
            `removing` or `removed` is hidden from everybody.
        keys_changed_at: The time since which a key of the page is the grade itself, not its
            position on the scale; None if keys never were positions.
        members_only: Whether only its members see it, or everybody.
        target_agreement: The agreement (ordinal alpha) that its grades should reach; None if no
            target was set.
        random_key: 128 random bits, as hexadecimal digits; empty if `seed` was chosen.
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
    members_only: bool = False
    target_agreement: float | None = None
    random_key: str = field(default="", repr=False)

    @property
    def draw_key(self) -> str:
        """What orders, gold turns, sides and item numbers depend on: judges must not guess it.

        A seed has 31 bits: those who see a dozen item numbers can find it by trying all.
        """
        return self.random_key or str(self.seed)

    def guideline_in(self, language: str) -> str:
        """Returns the guideline in a language, or else in another one; empty if there is none.

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
    """Two rankings of one query, for a side-by-side project.

    Attributes:
        query: The id of the query, or its text.
        first: The system of the first ranking.
        second: The system of the second ranking.
        first_results: The results of the first system, in order.
        second_results: The results of the second system.
        query_text: The query as the user wrote it; empty if `query` is the text.
        tier: Head, middle or tail.
    """

    query: str
    first: str
    second: str
    first_results: tuple[Item, ...] = ()
    second_results: tuple[Item, ...] = ()
    query_text: str = ""
    tier: str = ""
