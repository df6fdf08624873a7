"""A log's contents in a few numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.model import Document, Table
from relyon.core.texts import TERMINAL, Catalogue, Language, catalogue
from relyon.data.lazy import gather
from relyon.data.sessions import Sessions
from relyon.online.logs.log_check import Log, total

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Overview", "Tier", "summarise"]

TIERS = ("head", "middle", "tail")


@dataclass(frozen=True)
class Tier:
    """Queries of like frequency.

    Attributes:
        name: `head`, `middle` or `tail`.
        queries: How many.
        sessions: Their sessions.
        share: Of all sessions.
    """

    name: str
    queries: int
    sessions: int
    share: float


@dataclass(frozen=True)
class Overview(Exportable):
    """The contents of a log.

    Attributes:
        source: Where it came from.
        rows: Impressions, and actions without one.
        sessions: Searches.
        queries: Distinct queries.
        users: Distinct users; None without the column.
        start: The first time; None without times.
        end: The last time; None without times.
        untimed: Rows whose time is missing or cannot be read; None without the column.
        zone: The time zone in which times are shown.
        first_position: The smallest position.
        last_position: The largest position.
        results: Mean number of results per session.
        rates: Share of the rows with a click, a cart, a purchase, for the columns that are there.
        tiers: Queries by frequency: each tier has about a third of the sessions.
        columns: The columns that are there.
        missing: The optional columns that are not.
    """

    source: str
    rows: int
    sessions: int
    queries: int
    users: int | None
    start: datetime | None
    end: datetime | None
    untimed: int | None
    zone: tzinfo
    first_position: int | None
    last_position: int | None
    results: float
    rates: dict[str, float]
    tiers: tuple[Tier, ...]
    columns: tuple[str, ...]
    missing: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values; times are ISO 8601, in the zone of the log."""
        values = asdict(self)
        del values["zone"]
        for name in ("start", "end"):
            values[name] = _time(values[name], self.zone)
        return {**values, "columns": list(self.columns), "missing": list(self.missing)}

    def _facts(self, texts: Catalogue) -> list[tuple[str, str]]:
        facts = [
            ("rows", f"{self.rows:,}"),
            ("sessions", f"{self.sessions:,}"),
            ("queries", f"{self.queries:,}"),
        ]
        if self.users is not None:
            facts.append(("users", f"{self.users:,}"))
        if self.start is not None and self.end is not None:
            facts += [
                ("first_time", str(_time(self.start, self.zone))),
                ("last_time", str(_time(self.end, self.zone))),
            ]
        if self.untimed:
            share = TERMINAL.part(self.untimed / self.rows)
            facts.append(("untimed", texts.say("overview.part", count=self.untimed, share=share)))
        if self.first_position is not None:
            span = texts.say("overview.span", first=self.first_position, last=self.last_position)
            facts.append(("positions", span))
        facts.append(("results", f"{self.results:.1f}"))
        named = [(texts[f"overview.{key}"], value) for key, value in facts]
        named += [(name, TERMINAL.part(value)) for name, value in self.rates.items()]
        missing = texts.say("overview.columns", names=self.missing) if self.missing else None
        return [*named, (texts["overview.missing"], missing or texts["overview.none"])]

    def document(self, language: Language = "en") -> Document:
        """Returns the facts, and the tiers below.

        Args:
            language: `en` or `zh`.
        """
        texts = catalogue("logs", language)
        headings = [texts[f"overview.{key}"] for key in ("tier", "queries", "sessions", "share")]
        tiers = [
            [
                texts.name("tier", tier.name),
                *(f"{tier.queries:,}", f"{tier.sessions:,}", TERMINAL.part(tier.share)),
            ]
            for tier in self.tiers
        ]
        facts = Table(["", ""], self._facts(texts), left=2)
        return Document([facts, Table(headings, tiers)])

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per tier."""
        import polars as pl

        return pl.DataFrame([asdict(tier) for tier in self.tiers])


def _time(value: datetime | None, zone: tzinfo) -> str | None:
    if value is None:
        return None
    known = value if value.tzinfo else value.replace(tzinfo=UTC)
    shown = known.astimezone(zone).isoformat(timespec="seconds")
    return shown.replace("+00:00", "Z") if zone is UTC else shown


def summarise(sessions: Sessions | object) -> Overview:
    """Counts the contents of a log; only counts, and one row per query, leave the engine.

    Args:
        sessions: The log: `Sessions`, or a frame that they can be made of.

    Examples:
        >>> import polars as pl
        >>> log = {"session": ["s", "s"], "query": ["tv", "tv"], "rank": [1, 2], "doc": ["a", "b"]}
        >>> overview = summarise(pl.DataFrame(log))
        >>> overview.rows, overview.sessions, overview.last_position
        (2, 1, 2)
    """
    import narwhals as nw

    log = Log(sessions if isinstance(sessions, Sessions) else Sessions.from_frame(sessions), 1)
    position = nw.col("position")
    flags = [name for name in ("clicked", "add_to_cart", "purchase") if log.has(name)]
    parts = [
        nw.len().alias("rows"),
        position.min().alias("first"),
        position.max().alias("last"),
        *(total(nw.col(name)).alias(name) for name in flags),
    ]
    if log.has("timestamp"):
        parts += [
            nw.col("timestamp").min().alias("start"), nw.col("timestamp").max().alias("end"),
            nw.col("timestamp").count().alias("timed"),
        ]  # fmt: skip
    found = gather(log.everything.select(*parts)).row(0, named=True)
    rows = int(found["rows"])
    queries = log.queries
    searches = int(queries["sessions"].sum())
    users = None
    if log.has("user"):
        there = log.lists.filter(~nw.col("user").is_null())
        users = int(gather(there.select(nw.col("user").n_unique())).item())
    return Overview(
        source=log.sessions.source,
        rows=rows,
        sessions=searches,
        queries=queries.height,
        users=users,
        start=found.get("start"),
        end=found.get("end"),
        untimed=rows - int(found["timed"]) if "timed" in found else None,
        zone=log.sessions.zone,
        first_position=found["first"],
        last_position=found["last"],
        results=log.counts["rows"] / searches if searches else 0.0,
        rates={name: int(found[name] or 0) / rows if rows else 0.0 for name in flags},
        tiers=_tiers(queries, searches),
        columns=log.columns,
        missing=log.sessions.missing,
    )


def _tiers(queries: pl.DataFrame, searches: int) -> tuple[Tier, ...]:
    """Cuts the queries, most frequent first, where a third and two thirds of the sessions are."""
    import polars as pl

    before = pl.col("sessions").cum_sum() - pl.col("sessions")
    third = (before * len(TIERS) // max(searches, 1)).clip(0, len(TIERS) - 1)
    cut = (
        queries.with_columns(tier=third)
        .group_by("tier")
        .agg(pl.len().alias("queries"), pl.col("sessions").sum())
    )
    sizes = {place: (queries, sessions) for place, queries, sessions in cut.rows()}
    tiers = []
    for place, name in enumerate(TIERS):
        distinct, sessions = sizes.get(place, (0, 0))
        tiers.append(Tier(name, distinct, sessions, sessions / max(searches, 1)))
    return tuple(tiers)
