"""A sample of sessions: who was drawn, with which probability, and what they were shown."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import note_dict
from relyon.core.document.model import Document, Table
from relyon.core.errors import InputError
from relyon.core.language import Language, check_language
from relyon.core.notes import Note
from relyon.core.parameters import check_path
from relyon.core.texts import catalogue, message
from relyon.io.table_files import read_table, write_table
from relyon.online.sampling.origin import COLUMNS as ORIGIN, Origin, origin_from
from relyon.online.sampling.sample_checks import check_whole

if TYPE_CHECKING:
    import polars as pl
    from polars._typing import PolarsDataType

    from relyon.data.judgments import Judgments
    from relyon.data.run import Run

__all__ = ["Design", "Sample", "Stratum", "make_stratum", "read_sample"]

Design = Literal["stratified", "pptss"]

HEADINGS = (
    "tier",
    "queries",
    "sessions",
    "traffic",
    "least",
    "most",
    "sampled",
    "inclusion",
    "k",
)


@dataclass(frozen=True)
class Stratum:
    """One tier of the log and what was drawn from it.

    Attributes:
        name: The tier's name.
        queries: Distinct queries in it.
        sessions: Sessions in it.
        share: Its share of all sessions.
        least: Sessions of its rarest query; 0 where it has none.
        most: Sessions of its most frequent query; 0 where it has none.
        sampled: Sessions drawn; under PPTSS draws, so that one may count twice.
        inclusion_probability: Of each of its sessions under a stratified design, n_h / N_h. Under
            PPTSS it differs from query to query, and this is the mean of those drawn; NaN where
            nothing was drawn.
        k: Results of a session that count.
    """

    name: str
    queries: int
    sessions: int
    share: float
    least: int
    most: int
    sampled: int
    inclusion_probability: float
    k: int

    def limits(self) -> dict[str, int]:
        """Returns the columns of a written sample that describe a tier, besides its size."""
        return {"tier_queries": self.queries, "tier_least": self.least, "tier_most": self.most}

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: NaN becomes null."""
        values = dict(vars(self))
        if values["inclusion_probability"] != values["inclusion_probability"]:
            values["inclusion_probability"] = None
        return values


@dataclass(frozen=True)
class Sample(Exportable):
    """Sessions drawn from a log, each with the probability with which it was.

    Attributes:
        sessions: One row a drawn session (a draw under PPTSS, where one may come twice): `draw`
            from 1, `tier`, `query`, `session`, `query_sessions` (how often the query is asked),
            `tier_sessions`, `inclusion_probability`, `k`, and `draw_probability` under PPTSS.
            Under PPTSS both probabilities are the query's.
        results: What they were shown: `session`, `query`, `position`, `doc`, down to the tier's k.
        tiers: One per tier.
        design: `stratified` (without replacement) or `pptss` (with replacement).
        seed: What chose the sessions.
        common_k: The depth at which all tiers may be compared.
        notes: What was noticed.
        origin: The part of the log that it was drawn from, as far as is known.

    Examples:
        >>> import polars as pl
        >>> from relyon.online.sampling import draw_sample
        >>> log = pl.DataFrame({
        ...     "session": [f"s{i}" for i in range(12)],
        ...     "query": ["a"] * 6 + ["b"] * 3 + ["c", "d", "e"],
        ...     "position": [1] * 12,
        ...     "doc": [f"d{i % 3}" for i in range(12)],
        ... })
        >>> sample = draw_sample(log, per_tier=2, seed=7)
        >>> sample.sessions.group_by("tier").len().sort("tier").rows()
        [('head', 2), ('middle', 2), ('tail', 2)]
    """

    sessions: pl.DataFrame
    results: pl.DataFrame
    tiers: tuple[Stratum, ...]
    design: Design
    seed: int
    common_k: int
    notes: tuple[Note, ...] = field(default=())
    origin: Origin = field(default=Origin())

    def __len__(self) -> int:
        """The number of draws."""
        return len(self.sessions)

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per draw and result, as in the file."""
        return self.sessions.join(
            self.results, on=["session", "query"], how="left", maintain_order="left"
        ).sort("draw", "position")

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes one row per draw and result to a Parquet, CSV, TSV or JSON Lines file.

        `read_sample` reads it again.

        Raises:
            ParameterError: If the name ends in none of theirs.
            InputError: If it cannot be written.
        """
        import polars as pl

        tiers = pl.DataFrame(
            [
                {"tier": tier.name, "tier_number": number, **tier.limits()}
                for number, tier in enumerate(self.tiers, 1)
            ]
        )
        whole = {
            "design": self.design,
            "seed": self.seed,
            "common_k": self.common_k,
            "total_sessions": sum(tier.sessions for tier in self.tiers),
            **self.origin.columns(),
        }
        frame = self.to_frame().join(tiers, on="tier", how="left", maintain_order="left")
        constants = [pl.lit(value, _kinds()[name]).alias(name) for name, value in whole.items()]
        write_table(frame.with_columns(constants), path)

    def to_run(self) -> Run:
        """Returns the results as a run whose queries are the sampled sessions.

        Raises:
            InputError: If a session id belongs to several queries.
        """
        from relyon.data.run import Run

        queries = self._query_of()
        run: dict[str, dict[str, float]] = {session: {} for session in queries}
        for session, position, doc in self.results.select("session", "position", "doc").iter_rows():
            run[session][doc] = float(-position)
        return Run.from_dict(run, name="sample")

    def to_judgments(self, judgments: Judgments) -> Judgments:
        """Returns judgments of queries as judgments of the sampled sessions.

        With `to_run`, `relyon.evaluate` then gives the value of every session.

        Raises:
            InputError: If a session id belongs to several queries.

        Examples:
            >>> import polars as pl, relyon
            >>> log = pl.DataFrame({
            ...     "session": ["s1", "s1"], "query": ["tv", "tv"], "position": [1, 2],
            ...     "doc": ["a", "b"],
            ... })
            >>> sample = relyon.draw_sample(log)
            >>> grades = sample.to_judgments(relyon.Judgments.from_dict({"tv": {"b": 1}}))
            >>> relyon.evaluate(grades, sample.to_run(), ["rr@20"]).values_by_query("rr@20")
            {'s1': 0.5}
        """
        from relyon.data.judgments import Judgments

        found = {
            session: judgments[query]
            for session, query in self._query_of().items()
            if query in judgments
        }
        return Judgments.from_dict(found, scale=judgments.scale, source=judgments.source)

    def _query_of(self) -> dict[str, str]:
        pairs = self.sessions.select("session", "query").unique().sort("session")
        twice = pairs.filter(pairs["session"].is_duplicated())
        if not twice.is_empty():
            raise InputError(
                message("online.session-stands-for-several", twice=twice["session"][0]),
                hint=message("online.join-columns-into-id"),
            )
        return dict(pairs.iter_rows())

    def to_dict(self) -> dict[str, object]:
        """Returns the summary as JSON-ready values."""
        return {
            "design": self.design,
            "seed": self.seed,
            "common_k": self.common_k,
            "sampled": len(self),
            "tiers": [tier.to_dict() for tier in self.tiers],
            "notes": [note_dict(note) for note in self.notes],
        }

    def document(self, language: Language = "en") -> Document:
        """Returns the summary by tier.

        Args:
            language: `en` or `zh`.
        """
        return Document([Table(*self._cells(language))])

    def _cells(self, language: Language) -> tuple[tuple[str, ...], list[list[str]]]:
        check_language(language)
        texts = catalogue("sampling", language)
        rows = [
            [
                texts.name("tier", tier.name),
                f"{tier.queries:,}",
                f"{tier.sessions:,}",
                f"{tier.share:.1%}",
                f"{tier.least:,}",
                f"{tier.most:,}",
                f"{tier.sampled:,}",
                f"{tier.inclusion_probability:.3g}" if tier.sampled else "-",
                str(tier.k),
            ]
            for tier in self.tiers
        ]
        rows.append(
            [
                texts["all"],
                f"{sum(tier.queries for tier in self.tiers):,}",
                f"{sum(tier.sessions for tier in self.tiers):,}",
                "100.0%",
                "",
                "",
                f"{len(self):,}",
                "",
                "",
            ]
        )
        return tuple(texts[f"heading.{name}"] for name in HEADINGS), rows


def make_stratum(
    name: str,
    total: int,
    *,
    queries: int,
    sessions: int,
    least: int,
    most: int,
    chances: Sequence[float],
    k: int,
) -> Stratum:
    """Returns a tier and what was drawn from it.

    Args:
        name: The tier.
        total: Sessions of the log.
        queries: Distinct queries of the tier.
        sessions: Sessions of the tier.
        least: Sessions of its rarest query.
        most: Sessions of its most frequent one.
        chances: Inclusion probability of everything drawn from it.
        k: Results that count.
    """
    mean = math.fsum(chances) / len(chances) if chances else math.nan
    return Stratum(name, queries, sessions, sessions / total, least, most, len(chances), mean, k)


def read_sample(path: str | os.PathLike[str], *, limit: int | None = None) -> Sample:
    """Reads a sample that `Sample.write` has written.

    Tiers of which nothing was drawn are not in it.

    Args:
        path: A Parquet, CSV, TSV or JSON Lines file.
        limit: Bytes that it may take in memory, unpacked and read, about; for files that strangers
            send. None for any.

    Raises:
        InputError: If it cannot be read, is not a sample, is too large, or a part of it is missing:
            a tier, some of the draws, or sessions of a tier.

    Examples:
        >>> import polars as pl
        >>> from tempfile import TemporaryDirectory
        >>> from relyon.online.sampling import draw_sample
        >>> log = pl.DataFrame({"session": ["s"], "query": ["q"], "position": [1], "doc": ["d"]})
        >>> with TemporaryDirectory() as folder:
        ...     draw_sample(log).write(f"{folder}/sample.csv")
        ...     read_sample(f"{folder}/sample.csv").results.rows()
        [('s', 'q', 1, 'd')]
    """
    import polars as pl

    frame = read_table(check_path("path", path), limit=limit)
    missing = [name for name in WRITTEN if name not in frame.columns]
    if missing or frame.is_empty():
        raise InputError(
            (
                message("online.is-not-sample", missing=missing[0])
                if missing
                else message("online.holds-no-row")
            ),
            path=os.fspath(path),
            hint=message("online.relyon-sample-log-o"),
        )
    try:
        typed = frame.with_columns(
            pl.col(name).cast(kind) for name, kind in _kinds().items() if name in frame.columns
        )
        first = typed.row(0, named=True)
        origin = origin_from(first)
    except (pl.exceptions.PolarsError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            message("online.is-not-sample-reason", reason=reason), path=os.fspath(path)
        ) from None
    chances = [name for name in CHANCES if name in typed.columns]
    sessions = (
        typed.select(*SESSION[:-1], *chances, "k")
        .unique(["draw"], keep="first", maintain_order=True)
        .sort("draw")
    )
    check_whole(typed, sessions, os.fspath(path))
    found = []
    tiers = typed.unique(["tier"], keep="first").sort("tier_number")
    for row in tiers.iter_rows(named=True):
        drawn = sessions.filter(pl.col("tier") == row["tier"])["inclusion_probability"].to_list()
        found.append(
            make_stratum(
                row["tier"],
                row["total_sessions"],
                queries=row["tier_queries"],
                sessions=row["tier_sessions"],
                least=row["tier_least"],
                most=row["tier_most"],
                chances=drawn,
                k=row["k"],
            )
        )
    results = typed.select("session", "query", "position", "doc").drop_nulls().unique()
    order = ["session", "query", "position", "doc"]
    return Sample(
        sessions,
        results.sort(order),
        tuple(found),
        first["design"],
        first["seed"],
        first["common_k"],
        origin=origin,
    )


CHANCES = ("draw_probability", "inclusion_probability")
SESSION = ("draw", "tier", "query", "session", "query_sessions", "tier_sessions", "k")
WRITTEN = (
    *SESSION, "inclusion_probability", "position", "doc", "design", "seed", "common_k",
    "total_sessions", "tier_number", "tier_queries", "tier_least", "tier_most",
)  # fmt: skip


def _kinds() -> dict[str, PolarsDataType]:
    import polars as pl

    texts = ("tier", "query", "session", "doc", "design", *ORIGIN[:3])
    return {
        **dict.fromkeys((*WRITTEN, *ORIGIN), pl.Int64),
        **dict.fromkeys(CHANCES, pl.Float64),
        **dict.fromkeys(texts, pl.String),
    }
