"""The result of an off-policy evaluation: estimates, intervals and overlap."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

from relyon.analysis.statistics import ClusterSizes
from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number, json_values, note_dict
from relyon.core.document.model import Block, Document, Points, Prose, Table
from relyon.core.notes import Note
from relyon.core.texts import Language, Text, catalogue
from relyon.core.texts.numbers import DIGITS

if TYPE_CHECKING:
    import polars as pl

    from relyon.labels.off_policy.intervals import Interval
    from relyon.labels.off_policy.weights import Overlap

__all__ = ["OffPolicy", "PolicyValue"]

VALUES = ("estimator", "value", "interval", "seen")
OVERLAPS = ("level", "matches", "effective", "largest", "mean", "seen", "queries")

#: How many missing results are printed.
SHOWN = 5


@dataclass(frozen=True)
class PolicyValue:
    """One estimate of what a candidate earns per session.

    Attributes:
        estimator: The estimator's name.
        value: The estimate; NaN if it is undefined.
        interval: Its interval; NaN where sessions do not say how far off it is.
        seen: The share of the candidate's probability that the log has shown, as the estimator
            compares it.
        refused: Why there is no estimate.
    """

    estimator: str
    value: float
    interval: tuple[float, float]
    seen: float
    refused: Text | None = None


@dataclass(frozen=True)
class OffPolicy(Exportable):
    """The estimated reward per session of a candidate, from a log of another one.

    Attributes:
        values: One per estimator.
        overlaps: What the log has seen of the candidate: whole lists, lists down to a place, and
            single places.
        logged: What the log itself earned per session.
        logged_interval: Its interval.
        candidate: What the candidate is called.
        sessions: Sessions of queries that the candidate has.
        queries: How many queries those are.
        depth: Ignore positions after this one.
        single: Whether sessions are single decisions.
        clicks: Whether rewards are clicks.
        method: How intervals are made.
        level: Their probability.
        unit: The independent units of the intervals: `user`, `query`, or `none` for sessions.
        units: How unequal the sessions of those are; None for sessions.
        missing: What the candidate shows and the log has not: `query`, `position`, `document`,
            `probability` and `sessions`, of the query; most sessions first.
        needed: Sessions of which as many as were asked for would match, at the log's rate.
        wanted: How many matching sessions were asked for.
        source: The log.
        notes: Assumptions, and notes about the log.
    """

    values: tuple[PolicyValue, ...]
    overlaps: tuple[Overlap, ...]
    logged: float
    logged_interval: tuple[float, float]
    candidate: str
    sessions: int
    queries: int
    depth: int
    single: bool
    clicks: bool
    method: Interval
    level: float
    missing: pl.DataFrame
    needed: int
    wanted: int
    source: str
    unit: Literal["user", "query", "none"] = "none"
    units: ClusterSizes | None = None
    notes: tuple[Note, ...] = ()

    def __getitem__(self, estimator: str) -> PolicyValue:
        return next(value for value in self.values if value.estimator == estimator)

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per estimator."""
        import polars as pl

        return pl.DataFrame(
            {
                "estimator": [value.estimator for value in self.values],
                "value": [value.value for value in self.values],
                "low": [value.interval[0] for value in self.values],
                "high": [value.interval[1] for value in self.values],
                "seen": [value.seen for value in self.values],
                "refused": [value.refused and str(value.refused) for value in self.values],
            },
            schema_overrides={"refused": pl.String},
        ).fill_nan(None)

    def to_dict(self) -> dict[str, object]:
        """Returns the object that ``--format json`` prints."""
        return {
            "source": self.source,
            "candidate": self.candidate,
            "sessions": self.sessions,
            "queries": self.queries,
            "depth": self.depth,
            "reward": "clicks" if self.clicks else "reward",
            "decision": "place" if self.single else "list",
            "method": self.method,
            "level": self.level,
            "cluster": self.unit,
            "clusters": None if self.units is None else json_values(asdict(self.units)),
            "logged": {
                "value": json_number(self.logged),
                "interval": json_values(self.logged_interval),
            },
            "values": [
                {
                    "estimator": value.estimator,
                    "value": json_number(value.value),
                    "interval": json_values(value.interval),
                    "seen": json_number(value.seen),
                    "refused": value.refused and str(value.refused),
                }
                for value in self.values
            ],
            "overlaps": [json_values(asdict(overlap)) for overlap in self.overlaps],
            "missing": self.missing.height,
            "missing_first": self.missing.head(SHOWN).to_dicts(),
            "needed": self.needed,
            "wanted": self.wanted,
            "notes": [note_dict(note) for note in self.notes],
        }

    def document(self, *, digits: int = DIGITS, language: Language = "en") -> Document:
        """Returns estimates, overlap, assumptions, and what would have to be logged.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        words = catalogue("offpolicy", language)
        style = words.style
        level = words.percent(self.level)
        kind = ("clicks" if self.clicks else "reward") + (".single" if self.single else ".list")
        head = words.say(
            f"title.{kind}",
            candidate=self.candidate,
            sessions=self.sessions,
            queries=self.queries,
            depth=self.depth,
        )
        rows = [
            [
                words["log"],
                style.number(self.logged, digits),
                style.interval(self.logged_interval, digits),
                "",
            ]
        ]
        rows += [
            [
                value.estimator,
                style.number(value.value, digits),
                style.interval(value.interval, digits),
                style.part(value.seen),
            ]
            for value in self.values
        ]
        names = [words.say(f"column.{name}", level=level) for name in VALUES]
        reasons: dict[str, list[str]] = {}
        for value in self.values:
            if value.refused is not None:
                reasons.setdefault(value.refused.text(language), []).append(value.estimator)
        refused = [
            words.say("refused.line", names=named, reason=reason)
            for reason, named in reasons.items()
        ]
        blocks: list[Block] = [
            Prose([head]),
            Table(
                names, rows, notes=[*refused, words[f"method.{self.method}"], self._units(language)]
            ),
        ]
        overlaps = [
            [
                words[f"level.{one.level}.single" if self.single else f"level.{one.level}"],
                f"{one.matches:,}",
                style.number(one.effective, 1),
                style.number(one.largest, 1),
                style.number(one.mean, 3),
                style.part(one.seen),
                style.part(one.queries),
            ]
            for one in self.overlaps
        ]
        blocks.append(
            Table(
                [words[f"column.{name}"] for name in OVERLAPS],
                overlaps,
                caption=words["overlap"],
            )
        )
        blocks.append(Points([words[f"assumes.{value.estimator}"] for value in self._shown()]))
        if self.missing.height or not self.overlaps[0].matches:
            blocks.append(self._missing(language))
        return Document(blocks)

    def _shown(self) -> list[PolicyValue]:
        return [value for value in self.values if value.refused is None]

    def _units(self, language: Language) -> str:
        """Returns what is independent of what in the intervals."""
        words = catalogue("offpolicy", language)
        if self.units is None:
            return words["cluster.none"]
        return words.say(
            f"cluster.{self.unit}",
            count=self.units.count,
            effective=words.style.number(self.units.effective, 1),
            share=self.units.largest,
        )

    def _missing(self, language: Language) -> Block:
        """The results to log for an estimate."""
        words = catalogue("offpolicy", language)
        needed = words.say(
            "needed" if self.overlaps[0].matches else "needed.least",
            needed=self.needed,
            wanted=self.wanted,
        )
        if self.missing.is_empty():
            return Prose([needed])
        rows = [
            [query, document, f"{position}", f"{sessions:,}"]
            for query, position, document, sessions in self.missing.head(SHOWN)
            .select("query", "position", "document", "sessions")
            .iter_rows()
        ]
        names = [words[f"column.{name}"] for name in ("query", "document", "position", "sessions")]
        said = words.say(
            "missing", count=self.missing.height, shown=min(SHOWN, self.missing.height)
        )
        return Table(names, rows, left=2, caption=said, notes=[needed], long=(0, 1))
