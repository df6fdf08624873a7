"""The grades that people gave in a project, with their time, query and tier, in columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.judging.grades import standing
from relyon.judging.records import EARLIER_PREFIX
from relyon.judging.schema import actions, assignments, gold, items, sa, users

if TYPE_CHECKING:
    import polars as pl

    from relyon.judging.store import Store

__all__ = ["GivenGrades", "read_given"]

#: Periods of a chart, short ones first, and how they are written.
PERIODS = (("1d", "%m-%d"), ("1w", "%m-%d"), ("1mo", "%Y-%m"))
#: Periods that fit on an axis.
MOST_PERIODS = 14
#: Rows that are read at once: a project may have a million.
CHUNK = 50_000

ROWS = sa.select(
    assignments.c.item_id,
    users.c.name,
    actions.c.grade,
    actions.c.created_at,
    actions.c.seconds,
)


@dataclass(frozen=True)
class GivenGrades:
    """Grades of a project: those that count, without gold items, and not reused from another.

    Attributes:
        frame: One row per grade: `item`, `query`, `tier`, `judge`, `grade`, `at` (seconds since
            1970), `seconds` (how long it took; null if unknown).
        places: Places of the project's items.
    """

    frame: pl.DataFrame
    places: int

    @property
    def judges(self) -> list[str]:
        """The judges by name."""
        return sorted(self.frame["judge"].unique())

    def shared(self) -> pl.DataFrame:
        """Returns each judge's grades of results that others graded, too.

        Returns:
            `item`, `query`, `tier`, `judge`, `grade`, `at`, `others` (how many others graded the
            result), `equal` (the share of them with the same grade), and `above` (the own grade
            minus the mean of theirs).
        """
        import polars as pl

        count, total = pl.len().over("item"), pl.col("grade").sum().over("item")
        alike = pl.len().over("item", "grade")
        return (
            self.frame.with_columns(
                (count.cast(pl.Int64) - 1).alias("others"),
                total.alias("total"),
                alike.alias("alike"),
            )
            .filter(pl.col("others") > 0)
            .with_columns(
                ((pl.col("alike").cast(pl.Int64) - 1) / pl.col("others")).alias("equal"),
                (pl.col("grade") - (pl.col("total") - pl.col("grade")) / pl.col("others")).alias(
                    "above"
                ),
            )
            .drop("total", "alike", "seconds")
        )

    def periods(self) -> tuple[GivenGrades, list[str]]:
        """Returns the grades with their `period`, and all periods from the first to the last.

        Periods are days, weeks (named by their Monday) or months in UTC: the shortest of which at
        most 14 cover all grades, otherwise months.
        """
        import polars as pl

        times = pl.from_epoch((pl.col("at") * 1000).cast(pl.Int64), time_unit="ms")
        if self.frame.is_empty():
            return GivenGrades(self.frame.with_columns(pl.lit("").alias("period")), self.places), []
        for length, form in PERIODS:
            written = form
            dated = self.frame.with_columns(times.dt.truncate(length).alias("period"))
            period = pl.col("period")
            every = dated.select(
                pl.datetime_range(period.min(), period.max(), length, time_unit="ms")
            ).to_series()
            if len(every) <= MOST_PERIODS or length == PERIODS[-1][0]:
                break
        if written == "%m-%d" and every.dt.year().n_unique() > 1:
            written = "%Y-%m-%d"
        frame = dated.with_columns(pl.col("period").dt.strftime(written))
        return GivenGrades(frame, self.places), every.dt.strftime(written).to_list()

    def without(self, judge: str) -> GivenGrades:
        """Returns the grades of all other judges."""
        import polars as pl

        return GivenGrades(self.frame.filter(pl.col("judge") != judge), self.places)


def read_given(store: Store, project_id: int) -> GivenGrades:
    """Returns the grades of a project's judges.

    Raises:
        UnknownNameError: If the project does not exist.
    """
    import polars as pl

    project = store.projects.get(project_id)
    query = standing(ROWS.add_columns(items.c.query, items.c.tier), project.id).where(
        assignments.c.item_id == items.c.id,
        actions.c.kind == "grade",
        assignments.c.item_id.not_in(sa.select(gold.c.item_id)),
        ~users.c.name.startswith(EARLIER_PREFIX, autoescape=True),
    )
    count = sa.select(sa.func.count()).where(
        assignments.c.project_id == project.id,
        assignments.c.slot.is_not(None),
        assignments.c.state != "removed",
    )
    types = {
        "item": pl.Int64,
        "judge": pl.String,
        "grade": pl.Float64,
        "at": pl.Float64,
        "seconds": pl.Float64,
        "query": pl.String,
        "tier": pl.String,
    }
    with store.database.read() as connection:
        found = connection.execute(query, execution_options={"yield_per": CHUNK})
        parts = [
            pl.DataFrame([tuple(row) for row in part], schema=types, orient="row")
            for part in found.partitions()
        ]
        places = int(connection.execute(count).scalar_one())
    frame = pl.concat(parts) if parts else pl.DataFrame(schema=types)
    return GivenGrades(frame, places)
