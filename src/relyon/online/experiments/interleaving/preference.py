"""The users behind clicks on mixed lists, and the uncertainty of their preference."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from relyon.analysis.statistics import ClusterSizes
from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number, json_values, note_dict
from relyon.core.document.model import Block, Document, Prose, Table
from relyon.core.notes import Note
from relyon.core.texts import Language, catalogue
from relyon.core.texts.numbers import DIGITS

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Look", "Preference", "Preferences"]

COUNTS = ("wins", "ties", "losses")
FIRST = ("candidate", *COUNTS, "preference", "interval", "p")
SECOND = ("candidate", "used", "always", "always-p", "sign", "smallest", "needed")


@dataclass(frozen=True)
class Look:
    """The state of the always-valid test at the end of a day.

    Attributes:
        day: The day, in the log's time zone; empty if the log has no times: then there is one look.
        sessions: Sessions that it used so far.
        preference: The mean preference of those.
        interval: Its interval, valid at all looks together.
        p: The smallest p-value so far.
        users: Users so far, each of whom counts once; 0 if the log has no users.
    """

    day: str
    sessions: int
    preference: float
    interval: tuple[float, float]
    p: float
    users: int = 0


@dataclass(frozen=True)
class Preference:
    """The preference of users for a run over the baseline.

    Attributes:
        candidate: The run.
        wins: Sessions that prefer it.
        ties: Sessions with a click that prefer none.
        losses: Sessions that prefer the baseline.
        value: The mean outcome over all sessions, from −1 to 1; sessions without a click count 0.
        interval: Its interval over queries, and over users where the log has them (jackknife); NaN
            if one query or user decides, or if all are alike, which does not say how they differ.
        p: Two-sided p-value of the same: valid for one look, planned before.
        p_corrected: Holm's correction where several runs are compared with the baseline.
        sign_p: The sign test over queries, by whose sessions each prefers; NaN where users come
            back: what they prefer shows in several queries.
        looks: The always-valid test, at the end of each day.
        smallest: The smallest preference that so many sessions show with a power of 0.8; NaN
            where the queries are too few to say.
        needed: Sessions that show the preference that was seen, with a power of 0.8; 0 where there
            is no such number.
    """

    candidate: str
    wins: int
    ties: int
    losses: int
    value: float
    interval: tuple[float, float]
    p: float
    p_corrected: float
    sign_p: float
    looks: tuple[Look, ...]
    smallest: float
    needed: int

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        values["looks"] = [
            {name: getattr(look, name) for name in look.__dataclass_fields__} for look in self.looks
        ]
        found: dict[str, object] = json_values(values)
        return found


@dataclass(frozen=True)
class Preferences(Exportable):
    """The preferences of users between mixed runs, by their clicks.

    Attributes:
        method: The method that mixed the lists.
        baseline: The first run.
        preferences: One per other run.
        sessions: Sessions that were shown a mixed list.
        clicked: Those with a click on it.
        queries: Queries with such a session.
        level: Confidence level of the intervals.
        source: The log.
        by_query: How unequal the queries' shares of sessions are.
        by_user: The same of users; None if the log has none.
        notes: What was left out, and why.
    """

    method: str
    baseline: str
    preferences: tuple[Preference, ...]
    sessions: int
    clicked: int
    queries: int
    level: float
    source: str
    by_query: ClusterSizes
    by_user: ClusterSizes | None = None
    notes: tuple[Note, ...] = ()

    def __getitem__(self, candidate: str) -> Preference:
        return next(one for one in self.preferences if one.candidate == candidate)

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per run that is compared with the baseline."""
        import polars as pl

        names = ("candidate", *COUNTS, "value", "p", "p_corrected", "sign_p", "smallest", "needed")
        columns = {name: [getattr(one, name) for one in self.preferences] for name in names}
        columns["low"], columns["high"] = _bounds([one.interval for one in self.preferences])
        last = [one.looks[-1] for one in self.preferences]
        columns["always_low"], columns["always_high"] = _bounds([one.interval for one in last])
        columns["always_p"] = [one.p for one in last]
        columns["always_sessions"] = [one.sessions for one in last]
        columns["always_users"] = [one.users for one in last]
        return pl.DataFrame(columns).fill_nan(None)

    def to_dict(self) -> dict[str, object]:
        """Returns the object that ``--format json`` prints."""
        return {
            "source": self.source,
            "method": self.method,
            "baseline": self.baseline,
            "sessions": self.sessions,
            "clicked": self.clicked,
            "queries": self.queries,
            "by_query": json_values(asdict(self.by_query)),
            "by_user": None if self.by_user is None else json_values(asdict(self.by_user)),
            "level": json_number(self.level),
            "preferences": [one.to_dict() for one in self.preferences],
            "notes": [note_dict(note) for note in self.notes],
        }

    def document(self, *, digits: int = DIGITS, language: Language = "en") -> Document:
        """Returns the preferences, and below how many sessions they need.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        words = catalogue("experiments", language)
        style = words.style
        several = len(self.preferences) > 1
        first, second = [], []
        for one in self.preferences:
            counts = [f"{getattr(one, name):,}" for name in COUNTS]
            first.append(
                [
                    one.candidate,
                    *counts,
                    style.signed(one.value, digits),
                    style.signed_interval(one.interval, digits),
                    style.p_value(one.p_corrected if several else one.p, digits),
                ]
            )
            last = one.looks[-1]
            second.append(
                [
                    one.candidate,
                    f"{last.users or last.sessions:,}",
                    style.signed_interval(last.interval, digits),
                    style.p_value(last.p, digits),
                    style.p_value(one.sign_p, digits),
                    style.number(one.smallest, digits),
                    f"{one.needed:,}" if one.needed else style.nothing,
                ]
            )
        level = words.percent(self.level)
        units = {"used": "users"} if self.by_user else {}
        lines = [
            words.say(
                "scored",
                method=self.method,
                sessions=self.sessions,
                clicked=self.clicked,
                queries=self.queries,
            ),
            *self._counted(language),
        ]
        people = "people.users" if self.by_user else "people.sessions"
        said = [
            *(self._verdict(one, language) for one in self.preferences),
            words.say("preference", baseline=self.baseline),
            words.say(people),
            *([words.say("corrected")] if several else []),
            *self._missing(language),
        ]
        blocks: list[Block] = [
            Prose(lines),
            Table([words.say(f"column.{name}", level=level) for name in FIRST], first, long=(0,)),
            Table(
                [words.say(f"column.{units.get(name, name)}", level=level) for name in SECOND],
                second,
                long=(0,),
            ),
            Prose(said),
        ]
        return Document(blocks)

    def _counted(self, language: Language) -> list[str]:
        """Returns the numbers of effective queries and users, and the largest shares."""
        words = catalogue("experiments", language)
        pairs = (("counted.queries", self.by_query), ("counted.users", self.by_user))
        return [
            words.say(
                key,
                count=sizes.count,
                effective=words.style.number(sizes.effective, 1),
                share=sizes.largest,
            )
            for key, sizes in pairs
            if sizes is not None
        ]

    def _missing(self, language: Language) -> list[str]:
        """Returns why there is no interval, where there is none."""
        words = catalogue("experiments", language)
        if self.queries < 2:
            return [words.say("one-query")]
        found = []
        if self.by_query.decided:
            found.append(words.say("decided.query", share=self.by_query.largest))
        if self.by_user is not None and self.by_user.decided:
            found.append(words.say("decided.user", share=self.by_user.largest))
        if not found and any(math.isnan(one.interval[0]) for one in self.preferences):
            found.append(words.say("alike"))
        return found

    def _verdict(self, one: Preference, language: Language) -> str:
        """Returns a sentence on the always-valid test of a candidate."""
        words = catalogue("experiments", language)
        sure = next((look for look in one.looks if look.p <= 1 - self.level), None)
        if sure is None:
            return words.say("verdict.open", candidate=one.candidate, baseline=self.baseline)
        names = (one.candidate, self.baseline)
        better, worse = names if sure.preference > 0 else reversed(names)
        return words.say(
            f"verdict.{'day' if sure.day else 'end'}{'.users' if sure.users else ''}",
            better=better,
            worse=worse,
            day=sure.day,
            sessions=sure.sessions,
            users=sure.users,
            level=words.percent(self.level),
        )


def _bounds(intervals: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [one[0] for one in intervals], [one[1] for one in intervals]
