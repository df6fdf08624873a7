"""The pairs of query and document that people have to grade for a sample."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import note_dict
from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note, warn
from relyon.core.parameters import check_type
from relyon.core.texts import message
from relyon.data.age import parse_age
from relyon.data.row_index import with_index_columns
from relyon.data.sheets import Sheet
from relyon.io import Source, opened, read_judgments, read_sheet
from relyon.io.format import formats
from relyon.io.graded_items import sheet_of
from relyon.io.numbers import number_text
from relyon.io.table_files import has_table, read_table
from relyon.online.sampling.sample import Sample

if TYPE_CHECKING:
    import polars as pl
    from polars._typing import PolarsDataType

__all__ = ["Pool", "build_pool", "parse_age"]


@dataclass(frozen=True)
class Pool(Exportable):
    """Distinct pairs of query and document that a sample shows down to its k.

    Attributes:
        pairs: Those to grade: `query`, `doc`, `tier`, `position` (the best one), `sessions` (how
            many of the sampled ones show it) and `reason`: `new`, `expired` where the grade that
            there is is too old, or `changed` where it is of another text.
        reused: Those that were graded before: the same, and `grade` and `judged_at` in place of the
            reason.
        notes: What was noticed.

    Examples:
        >>> import polars as pl
        >>> from relyon.online.sampling import draw_sample
        >>> log = pl.DataFrame({"session": ["s"], "query": ["q"], "position": [1], "doc": ["d"]})
        >>> build_pool(draw_sample(log)).to_dict()["to_judge"]
        1
    """

    pairs: pl.DataFrame
    reused: pl.DataFrame
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        """The number of pairs to grade."""
        return len(self.pairs)

    def without(self, stale: Collection[tuple[str, str]]) -> Pool:
        """Returns the pool in which the grades of some pairs are not used again.

        Args:
            stale: Pairs of query and document whose grades are of another text.

        Examples:
            >>> import polars as pl
            >>> from relyon.online.sampling import build_pool, draw_sample
            >>> log = pl.DataFrame({"session": "s", "query": "q", "position": [1, 2],
            ...                     "doc": ["a", "b"]})
            >>> pool = build_pool(draw_sample(log), {"q": {"a": 3, "b": 1}})
            >>> pool.without({("q", "b")}).pairs.select("doc", "reason").rows()
            [('b', 'changed')]
        """
        import polars as pl

        pairs = self.reused.select("query", "doc").iter_rows()
        out = pl.Series([pair in stale for pair in pairs], dtype=pl.Boolean)
        again = self.reused.filter(out).drop("grade", "judged_at")
        again = again.with_columns(pl.lit("changed").alias("reason"))
        return Pool(pl.concat([self.pairs, again]), self.reused.filter(~out), self.notes)

    def to_dict(self) -> dict[str, object]:
        """Returns the counts as JSON-ready values."""
        expired = int((self.pairs["reason"] == "expired").sum())
        changed = int((self.pairs["reason"] == "changed").sum())
        return {
            "pairs": len(self.pairs) + len(self.reused),
            "to_judge": len(self.pairs),
            "new": len(self.pairs) - expired - changed,
            "expired": expired,
            **({"changed": changed} if changed else {}),
            "reused": len(self.reused),
            "notes": [note_dict(note) for note in self.notes],
        }

    def to_frame(self) -> pl.DataFrame:
        """Returns the pairs to grade."""
        return self.pairs


def build_pool(
    sample: Sample,
    judged: object = None,
    *,
    max_age: timedelta | str | None = None,
    now: datetime | None = None,
    columns: Mapping[str, str] | None = None,
) -> Pool:
    """Returns the pairs to grade for a sample, without those graded before.

    Args:
        sample: What `draw_sample` returned.
        judged: Earlier judgments: `relyon.Judgments`, a frame, a file, or other data with grades.
            With `max_age`, a frame or a CSV, TSV, JSON Lines or Parquet file with a column of
            dates. Of a pair that was judged several times, the latest grade counts.
        max_age: Older grades are not used again: a time, or text such as `180d`, `26w`, `6m`
            (months of 30 days) or `1y`. `None` uses them all.
        now: What age is counted from; `None` is this moment.
        columns: Column names of a table of judgments, by role (query, document, grade).

    Raises:
        InputError: If the judgments cannot be read, or have no dates where an age is asked for.
        ParameterError: If `max_age` is no age.

    Examples:
        >>> import polars as pl
        >>> from relyon.online.sampling import draw_sample
        >>> log = pl.DataFrame({
        ...     "session": ["s1", "s1", "s2"], "query": ["tv", "tv", "pen"],
        ...     "position": [1, 2, 1], "doc": ["a", "b", "c"],
        ... })
        >>> pool = build_pool(draw_sample(log), {"tv": {"a": 3}})
        >>> pool.pairs.select("query", "doc").rows()
        [('pen', 'c'), ('tv', 'b')]
    """
    import polars as pl

    check_type("sample", sample, Sample, "what relyon.draw_sample returned")
    age = parse_age(max_age) if isinstance(max_age, str) else max_age
    if age is not None and age <= timedelta(0):
        raise ParameterError(message("online.parameter-max-age", max_age=max_age))
    if age is not None and judged is None:
        raise ParameterError(message("online.max-age-is-age"))
    pairs = _pairs(sample)
    notes: list[Note] = []
    if judged is None:
        earlier = pl.DataFrame(schema=_schema())
    else:
        earlier, told = _earlier(judged, columns, dated=age is not None)
        notes += told
    joined = pairs.join(earlier, on=["query", "doc"], how="left", maintain_order="left")
    known = joined["grade"].is_not_null()
    fresh = known
    if age is not None:
        moment = (now or datetime.now(UTC)).astimezone(UTC)
        fresh = known & (joined["judged_at"] >= moment - age).fill_null(False)
        undated = int((known & joined["judged_at"].is_null()).sum())
        if undated:
            notes.append(Note("undated-judgments", undated, "warning"))
    warn(notes)
    reason = pl.Series("reason", ["expired" if one else "new" for one in known], dtype=pl.String)
    return Pool(
        joined.drop("grade", "judged_at").with_columns(reason).filter(~fresh),
        joined.filter(fresh),
        tuple(notes),
    )


def _schema() -> dict[str, PolarsDataType]:
    """The columns of earlier judgments."""
    import polars as pl

    return {
        "query": pl.String,
        "doc": pl.String,
        "grade": pl.String,
        "judged_at": pl.Datetime("us", "UTC"),
    }


def _pairs(sample: Sample) -> pl.DataFrame:
    import polars as pl

    return (
        sample.to_frame()
        .filter(pl.col("doc").is_not_null())
        .group_by("query", "doc")
        .agg(
            pl.col("tier").first(),
            pl.col("position").min(),
            pl.col("session").n_unique().cast(pl.Int64).alias("sessions"),
        )
        .join(
            pl.DataFrame(
                {"tier": [one.name for one in sample.tiers], "order": range(len(sample.tiers))}
            ),
            on="tier",
        )
        .sort("order", "query", "position", "doc")
        .drop("order")
    )


def _earlier(
    judged: object, roles: Mapping[str, str] | None, *, dated: bool
) -> tuple[pl.DataFrame, tuple[Note, ...]]:
    """The latest grade of every pair, and notes on how the file is read."""
    import polars as pl

    from relyon.data.lazy import utc

    path = ""
    source = opened(judged, "judgments", columns=roles)
    is_sheet = False
    if source is not None:
        path, judged = source.path, source
        chosen = formats.get(source.format)
        is_sheet = chosen.is_sheet(source.head)
        if has_table(path) and chosen.tabular and not is_sheet:
            judged = read_table(path)
    if isinstance(judged, Source):
        columns, when = _graded(read_sheet(judged, columns=roles))
    elif isinstance(judged, pl.DataFrame | pl.LazyFrame) or hasattr(judged, "columns"):
        columns, when = _columns(judged, path, roles)
        if source is not None:
            from relyon.data.columns import synonyms_of

            names = {role: series.name for role, series in columns.items()}
            source.synonyms = synonyms_of(names, roles)
    else:
        columns, when = _graded(sheet_of(read_judgments(judged, columns=roles)))
    if when is None:
        if dated and is_sheet:
            raise InputError(
                message("online.no-earlier-grade"),
                path=path,
                hint=message("online.without-max-age-all"),
            )
        if dated:
            raise InputError(
                message("online.earlier-judgments-have-no"),
                path=path,
                hint=message("online.call-judged-at"),
            )
        when = pl.Series("judged_at", [None] * len(columns["grade"]), dtype=pl.String)
    grade = columns["grade"].cast(pl.String).str.strip_chars()
    found = pl.DataFrame(
        {
            "query": columns["query"].cast(pl.String),
            "doc": columns["document"].cast(pl.String),
            "grade": grade,
            "judged_at": when,
        }
    ).filter(pl.col("grade") != "")
    if when.dtype == pl.Date:
        found = found.with_columns(pl.col("judged_at").cast(pl.Datetime("us")))
    if found["judged_at"].dtype == pl.Datetime:
        zone = found["judged_at"].dtype.time_zone  # type: ignore[attr-defined]
        moment = pl.col("judged_at").cast(pl.Datetime("us", zone))
        found = found.with_columns(
            moment.dt.replace_time_zone("UTC")
            if zone is None
            else moment.dt.convert_time_zone("UTC")
        )
    else:
        found = found.with_columns(utc("judged_at"))
    found = found.sort("judged_at", "grade", nulls_last=False)
    latest = found.unique(["query", "doc"], keep="last", maintain_order=True)
    return latest, () if source is None else source.notes


def _graded(sheet: Sheet) -> tuple[dict[str, pl.Series], pl.Series | None]:
    """The grades that count of items, and when the last judge gave one, where that is known.

    A sheet without any grade lacks no dates: none of its pairs is used again.
    """
    import polars as pl

    rows = [row for row in sheet.finals().rows if row.final is not None]
    times = [
        max((one.at for one in row.ratings if one.at is not None), default=None) for row in rows
    ]
    columns = {
        "query": pl.Series([row.item.query for row in rows], dtype=pl.String),
        "document": pl.Series([row.item.document for row in rows], dtype=pl.String),
        "grade": pl.Series([number_text(row.final or 0.0) for row in rows], dtype=pl.String),
    }
    when = pl.Series("judged_at", times, dtype=pl.Float64)
    if rows and when.null_count() == len(when):
        return columns, None
    return columns, pl.from_epoch(when * 1e6, time_unit="us")


def _columns(
    frame: object, path: str, roles: Mapping[str, str] | None
) -> tuple[dict[str, pl.Series], pl.Series | None]:
    import narwhals as nw
    import polars as pl

    from relyon.data.columns import plain_name, polars_columns
    from relyon.data.columns.synonyms import JUDGED_AT

    found = frame
    if not isinstance(found, pl.DataFrame):
        wrapped = nw.from_native(with_index_columns(found)[0], pass_through=True)
        if not isinstance(wrapped, nw.DataFrame | nw.LazyFrame):
            raise InputError(message("data.is-not-data-frame", name=type(found).__name__))
        found = wrapped.lazy().collect("polars").to_native()
    columns = polars_columns(found, "judgments", columns=roles, path=path)
    used = {series.name for series in columns.values()}
    plain = {plain_name(name): name for name in found.columns if name not in used}
    when = next((plain[name] for name in JUDGED_AT if name in plain), None)
    return columns, None if when is None else found[when]
