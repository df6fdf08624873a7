"""Positions that do not begin at 1, lists with holes, lists that were cut off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.data.lazy import gather
from relyon.online.logs.log_check import Check, Finding, Log, register

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.lazy import LazyRows

__all__ = [
    "CutOffLists",
    "IncompleteLists",
    "InvalidPositions",
    "MixedPositions",
    "SharedPositions",
    "ZeroBasedPositions",
]

# A log that counts from 0 loses a first impression now and then: so many lists may begin at 1.
STRAY = 0.05


def _from_zero(log: Log) -> LazyRows:
    import narwhals as nw

    return log.lists.filter(nw.col("first") == 0).select("session")


def _is_mixed(log: Log) -> bool:
    zero, one = log.counts["from_zero"], log.counts["from_one"]
    return zero > 0 and one > STRAY * (zero + one)


@register
class InvalidPositions(Check):
    """Positions below 0."""

    name = "invalid-positions"

    def apply(self, log: Log) -> Finding | None:
        """Counts the rows."""
        import narwhals as nw

        if not log.counts["below_zero"]:
            return None
        bad = log.complete.filter(nw.col("position") < 0)
        return Finding(
            self.name, "warning", log.count(bad), log.rows, "rows", log.examples(bad), fixable=True
        )

    def repair(self, frame: pl.LazyFrame, log: Log) -> tuple[pl.LazyFrame, pl.LazyFrame]:
        """Leaves the rows out."""
        import polars as pl

        bad = (pl.col("position") < 0).fill_null(False)
        return frame.filter(~bad), frame.filter(bad)


@register
class ZeroBasedPositions(Check):
    """A log that counts positions from 0."""

    name = "zero-based-positions"

    def apply(self, log: Log) -> Finding | None:
        """Counts the lists that begin at 0; hardly any begin at 1."""
        zero = log.counts["from_zero"]
        if not zero or _is_mixed(log):
            return None
        rows = log.impressions.join(_from_zero(log), on="session", how="semi")
        return Finding(
            self.name,
            "warning",
            zero,
            log.counts["sessions"],
            "sessions",
            log.examples(rows, "session", "query", "position", "doc"),
            fixable=True,
        )

    def repair(self, frame: pl.LazyFrame, log: Log) -> tuple[pl.LazyFrame, pl.LazyFrame]:
        """Adds 1 to every position."""
        import polars as pl

        there = pl.col("position").is_not_null()
        return frame.with_columns(pl.col("position") + 1), frame.filter(there)


@register
class MixedPositions(Check):
    """Some lists count from 0, others from 1."""

    name = "mixed-positions"

    def apply(self, log: Log) -> Finding | None:
        """Counts the lists that begin at 0, next to those that begin at 1."""
        if not _is_mixed(log):
            return None
        rows = log.impressions.join(_from_zero(log), on="session", how="semi")
        return Finding(
            self.name,
            "warning",
            log.counts["from_zero"],
            log.counts["sessions"],
            "sessions",
            log.examples(rows, "session", "query", "position", "doc"),
            {"from_one": log.counts["from_one"]},
            fixable=True,
        )

    def repair(self, frame: pl.LazyFrame, log: Log) -> tuple[pl.LazyFrame, pl.LazyFrame]:
        """Adds 1 to the positions of the lists that have a position 0."""
        import polars as pl

        zero = frame.filter(pl.col("position") == 0).select("session").unique()
        marked = frame.join(
            zero.with_columns(_zero=True), on="session", how="left", maintain_order="left"
        )
        moved = marked.with_columns(
            pl.col("position") + pl.col("_zero").fill_null(False).cast(pl.Int64)
        ).drop("_zero")
        return moved, frame.join(zero, on="session", how="semi")


@register
class IncompleteLists(Check):
    """Lists of which some positions are missing.

    Attributes:
        share: At least so many of the lists.
    """

    name = "incomplete-lists"
    share: float = 0.01

    def apply(self, log: Log) -> Finding | None:
        """Counts the lists that begin after 1 or have a hole."""
        import narwhals as nw

        holes, sessions = log.counts["with_holes"], log.counts["sessions"]
        if not holes or holes < self.share * sessions:
            return None
        first, last, places = nw.col("first"), nw.col("last"), nw.col("places")
        bad = log.lists.filter((first > 1) | (last - first + 1 > places))
        return Finding(
            self.name,
            "warning",
            holes,
            sessions,
            "sessions",
            log.examples(bad, "session", "query", "first", "last", "places"),
        )


@register
class CutOffLists(Check):
    """Lists that end at the same depth.

    Attributes:
        share: At least so many of the lists.
        lists: With fewer lists there is no finding.
    """

    name = "cut-off-lists"
    share: float = 0.5
    lists: int = 20

    def apply(self, log: Log) -> Finding | None:
        """Finds the most frequent depth; it is a warning where measures look deeper."""
        import narwhals as nw

        sessions = log.counts["sessions"]
        if sessions < self.lists:
            return None
        depth = nw.when(nw.col("first") == 0).then(nw.col("last") + 1).otherwise(nw.col("last"))
        deep = log.lists.with_columns(depth=depth)
        depths = gather(deep.group_by("depth").agg(nw.len().alias("lists")))
        most = depths.sort(["lists", "depth"], descending=True).row(0, named=True)
        if most["lists"] < self.share * sessions or most["depth"] < 1:
            return None
        cut = deep.filter(nw.col("depth") == most["depth"])
        return Finding(
            self.name,
            "warning" if most["depth"] < log.depth else "info",
            int(most["lists"]),
            sessions,
            "sessions",
            log.examples(cut, "session", "query", "depth"),
            {"depth": int(most["depth"]), "measured": log.depth},
        )


@register
class SharedPositions(Check):
    """Lists with several documents at one position: more documents than positions."""

    name = "shared-positions"

    def apply(self, log: Log) -> Finding | None:
        """Counts the lists."""
        import narwhals as nw

        if not log.counts["shared"]:
            return None
        bad = log.lists.filter(nw.col("docs") > nw.col("places"))
        return Finding(
            self.name,
            "warning",
            log.counts["shared"],
            log.counts["sessions"],
            "sessions",
            log.examples(bad, "session", "query", "places", "docs"),
        )
