"""Checks of a log: the base class, its input, and its findings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal, TypeVar

from relyon.core.language import Language, check_language
from relyon.core.lessons import lesson_of
from relyon.core.registry import Registry
from relyon.core.texts import Text, catalogue
from relyon.data.lazy import gather
from relyon.data.sessions import REQUIRED

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

    from relyon.data.lazy import LazyRows
    from relyon.data.sessions import Sessions

__all__ = ["EXAMPLES", "Check", "Finding", "Level", "Log", "Unit", "checks", "register", "total"]

Level = Literal["warning", "info"]
Unit = Literal["rows", "sessions", "queries", "users", "hours"]

EXAMPLES = 3

SLICE = 10_000_000  # rows of a log whose sessions are grouped at once


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a log.

    Attributes:
        kind: The check's name.
        level: `warning` where numbers computed from the log would be wrong, `info` where they would
            only say less.
        count: How many rows, sessions, queries or users are concerned.
        total: Rows in total.
        unit: What is counted.
        examples: A few of the rows concerned.
        evidence: What else is known, by name.
        fixable: Whether it can be repaired without a decision that only people can take.
        texts: Sentences of a check of your own by part: `title`, `text` and `fix`. They may name
            `{counted}` and the evidence.
    """

    kind: str
    level: Level
    count: int
    total: int
    unit: Unit
    examples: tuple[Mapping[str, object], ...] = ()
    evidence: Mapping[str, object] = field(default_factory=dict)
    fixable: bool = False
    texts: Mapping[str, str] = field(default_factory=dict)

    #: The area of its sentences in the catalogue of texts.
    area: ClassVar[str] = "logs"

    @property
    def lesson(self) -> str:
        """The lesson of the course that explains it; empty if none does."""
        return lesson_of(self.area, self.kind)

    @property
    def share(self) -> float:
        """The part that is concerned, between 0 and 1."""
        return self.count / self.total if self.total else 0.0

    def title(self, language: Language = "en") -> str:
        """Returns what is wrong in a few words, in English (`en`) or Chinese (`zh`)."""
        return self._say("title", language) or self.kind

    def text(self, language: Language = "en") -> str:
        """Returns how much is concerned, and what it does to the numbers."""
        return self._say("text", language)

    def fix(self, language: Language = "en") -> str:
        """Returns what to do about it."""
        return self._say("fix", language)

    def _say(self, part: str, language: Language) -> str:
        check_language(language)
        texts = catalogue(self.area, language)
        sentence = texts.get(f"{self.kind}.{part}") or self.texts.get(part, "")
        return texts.write(sentence, {**self.evidence, "counted": self.counted})

    @property
    def counted(self) -> Text:
        """The count, the total and the share."""
        values = {"count": self.count, "total": self.total, "unit": self.unit, "share": self.share}
        return Text("logs.counted", values)

    def to_dict(self, language: Language = "en") -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "kind": self.kind,
            "level": self.level,
            "count": self.count,
            "total": self.total,
            "unit": self.unit,
            "share": self.share,
            "title": self.title(language),
            "text": self.text(language),
            "fix": self.fix(language),
            "fixable": self.fixable,
            "evidence": dict(self.evidence),
            "examples": [dict(row) for row in self.examples],
            "lesson": self.lesson or None,
        }

    def __str__(self) -> str:
        return f"{self.title()}: {self.text()} {self.fix()}"


class Log:
    """A log as checks look at it: frames to ask, and what several of them ask for, asked once.

    Everything is written against narwhals' lazy frames, so that it runs where the log is. Only
    counts, and a few rows as examples, leave the engine; of the queries and of busy users there is
    one row each.

    Attributes:
        sessions: The log.
        depth: Positions that a measure will look at.
    """

    def __init__(self, sessions: Sessions, depth: int) -> None:
        self.sessions = sessions
        self.depth = depth
        self.columns = sessions.columns
        self._known: dict[str, dict[str, int]] = {}

    def remember(self, name: str, ask: Callable[[], dict[str, int]]) -> dict[str, int]:
        """Returns counts that several checks need, and computes them once."""
        if name not in self._known:
            self._known[name] = ask()
        return self._known[name]

    def has(self, *names: str) -> bool:
        """Returns whether the log has all of these columns."""
        return set(names) <= set(self.columns)

    @property
    def everything(self) -> LazyRows:
        """All rows."""
        return self.sessions.frame

    @cached_property
    def complete(self) -> LazyRows:
        """The rows that have a session, a query, a position and a document."""
        import narwhals as nw

        return self.everything.filter(*(~nw.col(name).is_null() for name in REQUIRED))

    @cached_property
    def impressions(self) -> LazyRows:
        """The complete rows that were shown."""
        import narwhals as nw

        return self.complete.filter(nw.col("shown")) if self.has("shown") else self.complete

    @cached_property
    def lists(self) -> LazyRows:
        """One row per session: what its list looks like."""
        import narwhals as nw

        position = nw.col("position")
        parts = [
            *self._actions,
            self._query,
            position.min().alias("first"),
            position.max().alias("last"),
            position.n_unique().alias("places"),
            nw.col("doc").n_unique().alias("docs"),
            nw.col("query").max().alias("other_query"),
        ]
        lists = self.impressions.group_by("session").agg(*parts)
        return self._stored(lists, parts) if lists.implementation.is_polars() else lists

    @cached_property
    def actions(self) -> LazyRows:
        """One row per session: its rows, clicks and time, and its user or else its query.

        Cheaper than `lists`, which has the same columns and is taken once it is known.
        """
        if "lists" in vars(self):
            return self.lists
        parts = self._actions
        if not self.has("user"):
            parts.append(self._query)
        lists = self.impressions.group_by("session").agg(*parts)
        large = lists.implementation.is_polars() and self.rows > SLICE
        return self._stored(lists, parts) if large else lists

    @property
    def _query(self) -> nw.Expr:
        import narwhals as nw

        return nw.col("query").min().alias("query")

    @property
    def _actions(self) -> list[nw.Expr]:
        import narwhals as nw

        parts = [nw.len().alias("rows")]
        if self.has("clicked"):
            parts.append(nw.col("clicked").cast(nw.Int64).sum().alias("clicks"))
        if self.has("timestamp"):
            parts.append(nw.col("timestamp").min().alias("time"))
        if self.has("user"):
            parts.append(nw.col("user").min().alias("user"))
        return parts

    def _stored(self, lists: LazyRows, parts: Sequence[nw.Expr]) -> LazyRows:
        """Carries the lists out once; those of a large log in slices of sessions, on disk.

        Polars keeps every session that it groups in memory: a slice at a time bounds that.
        """
        import shutil
        import tempfile
        import weakref

        import narwhals as nw
        import polars as pl

        from relyon.io.scratch import scratch_folder

        slices = -(-self.rows // SLICE)
        if slices <= 1:
            return nw.from_native(gather(lists).lazy())
        folder = tempfile.mkdtemp(dir=scratch_folder())
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        rows: pl.LazyFrame = self.impressions.to_native()
        for number in range(slices):
            some = rows.filter(pl.col("session").hash(seed=0) % slices == number)
            part: pl.LazyFrame = nw.from_native(some).group_by("session").agg(*parts).to_native()
            part.sink_parquet(f"{folder}/{number}.parquet")
        return nw.from_native(pl.scan_parquet(f"{folder}/*.parquet"))

    @cached_property
    def counts(self) -> dict[str, int]:
        """The numbers of rows and lists, by kind."""
        import narwhals as nw

        first, last = nw.col("first"), nw.col("last")
        rows, places, docs = nw.col("rows"), nw.col("places"), nw.col("docs")
        kinds = {
            "from_zero": first == 0,
            "from_one": first == 1,
            "below_zero": first < 0,
            "with_holes": (first > 1) | (last - first + 1 > places),
            "suspicious": (rows > places) & (rows > docs),
            "shared": docs > places,
            "repeated": places > docs,
            "several_queries": nw.col("query") != nw.col("other_query"),
        }
        if self.has("clicked"):
            kinds["all_clicked"] = nw.col("clicks") == rows
        found = gather(
            self.lists.select(
                nw.len().alias("sessions"),
                rows.sum().alias("rows"),
                *(total(kind).alias(name) for name, kind in kinds.items()),
            )
        ).row(0, named=True)
        return {name: int(value or 0) for name, value in found.items()}

    @cached_property
    def queries(self) -> pl.DataFrame:
        """Every query with the number of its sessions, the most frequent first."""
        import narwhals as nw

        counts = self.lists.group_by("query").agg(nw.len().alias("sessions"))
        return gather(counts).sort(["sessions", "query"], descending=[True, False])

    @cached_property
    def rows(self) -> int:
        """The number of all rows."""
        import narwhals as nw

        return int(gather(self.everything.select(nw.len())).item())

    def count(self, frame: LazyRows) -> int:
        """Returns the number of a frame's rows."""
        import narwhals as nw

        return int(gather(frame.select(nw.len())).item())

    def examples(
        self, frame: LazyRows, *names: str, count: int = EXAMPLES
    ) -> tuple[Mapping[str, object], ...]:
        """Returns a few rows as JSON-ready values, the same ones for any order of the rows."""
        found = list(frame.collect_schema().names())
        chosen = [name for name in (names or (*REQUIRED, "timestamp")) if name in found]
        return plain(gather(frame.select(chosen).unique().sort(chosen).head(count)))


def total(condition: nw.Expr) -> nw.Expr:
    """Returns how often a condition is true, as an expression that every engine knows."""
    import narwhals as nw

    return nw.when(condition).then(1).otherwise(0).sum()


def plain(frame: pl.DataFrame) -> tuple[Mapping[str, object], ...]:
    """Returns rows as JSON-ready values."""
    import polars as pl

    times = [name for name, kind in frame.schema.items() if isinstance(kind, pl.Datetime)]
    written = frame.with_columns(pl.col(name).dt.strftime("%Y-%m-%dT%H:%M:%SZ") for name in times)
    return tuple(written.to_dicts())


class Check(ABC):
    """Looks for one thing that may be wrong with a log. Derive, give it a `name`, `@register` it.

    A check that can be repaired safely also has `repair`.

    Attributes:
        name: The name of its finding.
    """

    name: ClassVar[str]

    @abstractmethod
    def apply(self, log: Log) -> Finding | None:
        """Returns the finding, or None if nothing is wrong."""

    def repair(self, frame: pl.LazyFrame, log: Log) -> tuple[pl.LazyFrame, pl.LazyFrame] | None:
        """Returns the frame without it and the rows that were touched, as they were.

        None if only people can decide.
        """
        return None


T = TypeVar("T")
C = TypeVar("C", bound="type[Check]")

#: The modules of the checks, in the order in which they are made and repaired.
MODULES = ("meaning", "missing_values", "times", "positions", "events", "searches", "bots")

checks: Registry[type[Check]] = Registry(
    "check", modules=[f"relyon.online.logs.{name}" for name in MODULES]
)


def register(check: C) -> C:
    """Adds a class of checks to those that `examine` makes."""
    return checks.register(check)
