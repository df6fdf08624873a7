"""Spark's side: frames of rows to frames of packed rows, grouped by bucket and evaluated."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParameterError, RelyonError
from relyon.core.packages import optional_package
from relyon.core.parameters import check_whole
from relyon.core.texts import message
from relyon.data.columns import choose
from relyon.data.columns.spark_partitions import is_spark_frame
from relyon.data.columns.spark_settings import setting
from relyon.data.labelled import ALL_ROWS
from relyon.spark.buckets import Buckets
from relyon.spark.packed_rows import Layout, query_names
from relyon.spark.pooled import areas, one_query
from relyon.spark.results import SparkResults
from relyon.spark.tasks import JUDGMENTS, Arrays, EvaluateTask, PackedError, PackTask, State

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from relyon.data.convention import Convention
    from relyon.evaluation.results import Results

__all__ = [
    "BROADCAST",
    "buckets_of",
    "check_frame",
    "check_order",
    "collected",
    "evaluated",
    "functions",
    "highest_grade",
    "judged_queries",
    "kept_results",
    "local_frame",
    "named_error",
    "pack",
    "quoted",
    "select_roles",
]

#: The most judged queries whose names are sent to every executor.
BROADCAST = 200_000


def check_frame(frame: object, what: str, partitions: int | None) -> None:
    """Checks the data and the number of tasks.

    Args:
        frame: The data.
        what: `run` or `rows`.
        partitions: The number of tasks.

    Raises:
        ParameterError: If the data are not a frame of Spark, or there is no task.
    """
    if not is_spark_frame(frame):
        raise ParameterError(
            message(
                "spark.is-not-data-frame",
                what=what,
                name=type(frame).__name__,
            ),
            hint=message("spark.for-files"),
        )
    if partitions is not None:
        check_whole("partitions", partitions, least=1)


def check_order(rules: Convention, hint: str) -> None:
    """Refuses a rule that needs rows in order.

    Args:
        rules: The convention.
        hint: The hint of the error.

    Raises:
        ParameterError: If ties keep the order of the input.
    """
    if rules.ties == "input":
        raise ParameterError(message("spark.ties-input-needs-rows"), hint=hint)


def functions() -> ModuleType:
    """Returns `pyspark.sql.functions`."""
    return optional_package(
        "pyspark.sql.functions", purpose="relyon.spark", package="pyspark", install="relyon[spark]"
    )


def select_roles(
    frame: DataFrame, kind: str, columns: Mapping[str, str] | None = None
) -> tuple[DataFrame, dict[str, str]]:
    """Returns the columns of judgments, a run or labelled rows under the names of their roles.

    Args:
        frame: The frame.
        kind: `judgments`, `run` or `scored`.
        columns: Column names by role; other roles are found by the usual names.

    Raises:
        InputError: If a column is missing.
    """
    col = functions().col
    chosen = choose(frame.columns, kind, columns=columns, path="")
    return frame.select([col(quoted(name)).alias(role) for role, name in chosen.items()]), chosen


def quoted(name: str) -> str:
    """Returns a column's name, quoted for Spark.

    Examples:
        >>> quoted("a.b")
        '`a.b`'
    """
    return "`" + name.replace("`", "``") + "`"


def buckets_of(session: SparkSession, partitions: int | None) -> Buckets:
    """Returns buckets for a number of tasks; `None` is the number of Spark's settings."""
    if partitions is None:
        found = setting(session, "spark.sql.shuffle.partitions") or ""
        partitions = int(found) if found.isdecimal() and int(found) else 200
    return Buckets(partitions)


def pack(frame: DataFrame, task: PackTask) -> DataFrame:
    """Returns rows packed by buckets of queries; nothing runs yet."""
    return frame.mapInArrow(task, task.layout.schema)


def evaluated(packed: Sequence[DataFrame], task: EvaluateTask, partitions: int | None) -> DataFrame:
    """Brings the rows of each query together and evaluates them; nothing runs yet.

    Args:
        packed: Packed rows of the same columns and buckets.
        task: The evaluation.
        partitions: The number of tasks; `None` leaves it to Spark.
    """
    whole = packed[0]
    for one in packed[1:]:
        whole = whole.unionByName(one)
    key = "bucket"
    grouped = whole.repartition(key) if partitions is None else whole.repartition(partitions, key)
    return grouped.sortWithinPartitions(key, "kind").mapInArrow(task, task.schema)


def collected(frame: DataFrame) -> tuple[State, list[Arrays]]:
    """Runs an evaluation; returns the merged state of all partitions, and values of queries.

    Args:
        frame: The result of `evaluated`.
    """
    state, others = State(), []
    rows = frame.where(functions().col("state").isNotNull()).select("state").collect()
    for row in rows:
        found = pickle.loads(bytes(row[0]))
        if isinstance(found, State):
            state.merge(found)
        else:
            others.append(found)
    return state, others


def named_error(found: PackedError, frame: DataFrame, query: str) -> RelyonError:
    """Returns the error of some rows, with the files in which their query is.

    Args:
        found: The error.
        frame: The frame of the rows.
        query: The name of its column of queries.
    """
    error = found.error
    if not found.query or not isinstance(error, InputError) or error.path:
        return error
    sql = functions()
    column = sql.col(quoted(query)).cast("string")
    rows = frame.where(column == found.query).select(sql.input_file_name()).distinct().head(4)
    files = sorted(row[0] for row in rows if row[0])
    if not files:
        return error
    named = ", ".join(files[:3]) + (", …" if len(files) > 3 else "")
    return InputError(error.message, path=named, hint=error.hint)


def kept_results(
    frame: DataFrame,
    task: EvaluateTask,
    assembled: Callable[[State], Results],
    *,
    whole: bool = False,
) -> SparkResults:
    """Runs an evaluation, and keeps the values of its queries in the cluster.

    Args:
        frame: The result of `evaluated`.
        task: The evaluation.
        assembled: Creates results from the state of all partitions.
        whole: Whether all rows are one query.
    """
    kept = frame.persist()
    try:
        state = collected(kept)[0]
        if task.apart and state.facts and state.error is None:
            pooled = kept.where(functions().col("pool").isNotNull()).select("pool")
            for name, area in areas(pooled, task.measures, task.apart).items():
                if whole:
                    state.totals[name] = one_query(area)
                    state.undefined[name] = [ALL_ROWS] if math.isnan(area) else []
                state.totals[name].set_area(area)
        found = assembled(state)
    except BaseException:
        kept.unpersist()
        raise
    sql = functions()
    values = kept.where(sql.col("query").isNotNull())
    if whole:
        # Its parts were evaluated apart.
        numbers = [sql.lit(found[name]) for name in task.measures]
        known = [sql.when(~sql.isnan(one), one) for one in numbers]
        values = kept.sparkSession.range(1).select(
            sql.lit(ALL_ROWS).alias("query"),
            *(one.alias(f"m{place}") for place, one in enumerate(known)),
        )
    columns = [sql.col(f"m{place}").alias(name) for place, name in enumerate(task.measures)]
    return SparkResults(
        run=found.run,
        entries=found.entries,
        convention=found.convention,
        notes=found.notes,
        frame=values.select("query", *columns),
        kept=kept,
    )


class _Highest:
    """The highest grade of packed judgments."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.compute as pc

        for batch in batches:
            table = pa.Table.from_batches([batch])
            kept = table.filter(pc.equal(table.column("kind"), JUDGMENTS))
            if kept.num_rows:
                highest = float(self.layout.unpack(kept)["score"].max())
                yield pa.RecordBatch.from_pydict({"highest": [highest]})


def highest_grade(packed: DataFrame, layout: Layout) -> float:
    """Returns the highest grade of packed judgments; NaN without any."""
    found = packed.mapInArrow(_Highest(layout), "highest double")
    highest = found.agg(functions().max("highest")).head(1)[0][0]
    return math.nan if highest is None else float(highest)


def _names(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for batch in batches:
        names = query_names(pa.Table.from_batches([batch])).unique().cast(pa.string())
        yield pa.RecordBatch.from_pydict({"query": names})


def judged_queries(packed: DataFrame) -> DataFrame:
    """Returns the names of packed judgments' queries, each once."""
    rows = packed.where(functions().col("kind") == JUDGMENTS).select("query", "query_sizes")
    return rows.mapInArrow(_names, "query string").distinct()


def local_frame(session: SparkSession, table: pa.Table) -> DataFrame:
    """Returns an Arrow table of this machine as a frame of Spark."""
    try:
        return session.createDataFrame(table)
    except Exception:  # Spark 3.5 takes no Arrow table
        return session.createDataFrame(table.to_pandas())
