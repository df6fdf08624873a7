"""Events that were logged twice, and actions without an impression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.data.lazy import gather
from relyon.data.log_types import FLAGS
from relyon.online.logs.log_check import Check, Finding, Log, register, total

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

    from relyon.data.lazy import LazyRows

__all__ = ["ActionsWithoutImpression", "ClicksOnly", "DuplicateRows", "RepeatedDocuments"]

# So many sessions may contain several queries before the column counts as one of visits.
VISITS = 0.01

KEY = ("session", "query", "position", "doc")


@register
class DuplicateRows(Check):
    """The same document at the same position of the same session, more than once."""

    name = "duplicate-rows"

    def apply(self, log: Log) -> Finding | None:
        """Counts the rows beyond the first, in the lists with more rows than they can have."""
        import narwhals as nw

        if not log.counts["suspicious"]:
            return None
        rows, places, docs = nw.col("rows"), nw.col("places"), nw.col("docs")
        lists = log.lists.filter((rows > places) & (rows > docs)).select("session")
        copies = (
            log.impressions.join(lists, on="session", how="semi")
            .group_by(*KEY)
            .agg(nw.len().alias("copies"))
            .filter(nw.col("copies") > 1)
        )
        found = gather(
            copies.select(nw.len().alias("groups"), nw.col("copies").sum().alias("copies"))
        ).row(0, named=True)
        if not found["groups"]:
            return None
        return Finding(
            self.name,
            "warning",
            int(found["copies"]) - int(found["groups"]),
            log.rows,
            "rows",
            log.examples(copies, *KEY, "copies"),
            # In a visit of several searches a result that comes back is no copy.
            fixable=log.counts["several_queries"] <= VISITS * log.counts["sessions"],
        )

    def repair(self, frame: pl.LazyFrame, log: Log) -> tuple[pl.LazyFrame, pl.LazyFrame]:
        """Keeps one row of each: the first time, and the actions on all of them."""
        import polars as pl

        shown = pl.col("shown") if log.has("shown") else pl.lit(True)
        keys = frame.filter(shown).group_by(KEY).len().filter(pl.col("len") > 1).drop("len")
        copies = frame.filter(shown).join(keys, on=KEY, how="semi")
        rest = pl.concat([frame.filter(shown).join(keys, on=KEY, how="anti"), frame.filter(~shown)])
        columns = frame.collect_schema().names()
        names = [name for name in columns if name not in KEY]
        merged = copies.group_by(KEY).agg(_merged(name) for name in names)
        return pl.concat([rest, merged.select(columns)]), copies


def _merged(name: str) -> pl.Expr:
    import polars as pl

    column = pl.col(name)
    if name in FLAGS:
        return column.any()
    return column.max() if name == "dwell_seconds" else column.min()


@register
class RepeatedDocuments(Check):
    """Lists that show a document at several positions: more positions than documents."""

    name = "repeated-documents"

    def apply(self, log: Log) -> Finding | None:
        """Counts the lists."""
        import narwhals as nw

        if not log.counts["repeated"]:
            return None
        bad = log.lists.filter(nw.col("places") > nw.col("docs"))
        return Finding(
            self.name,
            "warning",
            log.counts["repeated"],
            log.counts["sessions"],
            "sessions",
            log.examples(bad, "session", "query", "places", "docs"),
        )


@register
class ActionsWithoutImpression(Check):
    """Clicks, carts and purchases of documents that were not logged as shown."""

    name = "actions-without-impression"

    def apply(self, log: Log) -> Finding | None:
        """Counts them among all rows with an action."""
        import narwhals as nw

        if not log.has("shown"):
            return None
        lost = log.everything.filter(~nw.col("shown"))
        flags = [nw.col(name) for name in ("clicked", "add_to_cart", "purchase") if log.has(name)]
        done: nw.Expr = nw.any_horizontal(~nw.col("shown"), *flags, ignore_nulls=True)
        counts = gather(
            log.everything.select(
                total(~nw.col("shown")).alias("lost"), total(done).alias("actions")
            )
        ).row(0, named=True)
        if not counts["lost"]:
            return None
        return Finding(
            self.name,
            "warning",
            int(counts["lost"]),
            int(counts["actions"]),
            "rows",
            log.examples(lost),
            fixable=True,
        )

    def repair(self, frame: pl.LazyFrame, log: Log) -> tuple[pl.LazyFrame, pl.LazyFrame]:
        """Puts a document where it was clicked if that position is free, and drops it otherwise."""
        import polars as pl

        place = ["session", "position"]
        lost = frame.filter(~pl.col("shown"))
        shown = frame.filter(pl.col("shown"))
        alone = lost.filter(pl.col("position") >= 1).group_by(place).len()
        alone = alone.filter(pl.col("len") == 1)
        restored = (
            lost.join(alone, on=place, how="semi")
            .join(shown, on=place, how="anti")
            .join(shown, on=["session", "doc"], how="anti")
            .with_columns(shown=pl.lit(True))
        )
        return pl.concat([shown, restored]), lost


@register
class ClicksOnly(Check):
    """A log of clicks, without the documents that were shown and not clicked.

    Attributes:
        share: At least this share of the lists contains only clicked documents.
        lists: With fewer lists there is no finding.
    """

    name = "clicks-only"
    share: float = 0.95
    lists: int = 20

    def apply(self, log: Log) -> Finding | None:
        """Counts the lists of which every document was clicked."""
        import narwhals as nw

        if not log.has("clicked"):
            return None
        count, sessions = log.counts["all_clicked"], log.counts["sessions"]
        if sessions < self.lists or count < self.share * sessions:
            return None
        bad: LazyRows = log.lists.filter(nw.col("clicks") == nw.col("rows"))
        return Finding(
            self.name,
            "warning",
            count,
            sessions,
            "sessions",
            log.examples(bad, "session", "query", "rows", "clicks"),
        )
