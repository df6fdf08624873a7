"""Evaluating a run in a cluster."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.columns import EVIDENCE_NAMES, plain_name, score_notes
from relyon.data.columns.spark_partitions import is_spark_frame
from relyon.data.columns.spark_settings import tuned
from relyon.data.convention import Convention, load_convention
from relyon.evaluation.assembly import assemble
from relyon.evaluation.data_errors import missing_queries, no_common_query
from relyon.evaluation.defaults import DEFAULT_MEASURES
from relyon.evaluation.facts import merged
from relyon.evaluation.measure_columns import unrecorded_notes
from relyon.evaluation.notes import data_notes
from relyon.evaluation.program import Average, MeasureNames, Program
from relyon.evaluation.results import Results
from relyon.io import read_judgments
from relyon.measures.parser import measures as parse_measures
from relyon.spark.buckets import Buckets
from relyon.spark.columns import joined_columns, joined_queries
from relyon.spark.faults import plain_errors
from relyon.spark.frames import (
    BROADCAST,
    buckets_of,
    check_frame,
    check_order,
    evaluated,
    highest_grade,
    judged_queries,
    local_frame,
    pack,
    select_roles,
)
from relyon.spark.packed_rows import Layout
from relyon.spark.pooled import counted_apart
from relyon.spark.prepared import Plan, Prepared
from relyon.spark.queries import RunPart, RunQueries
from relyon.spark.results import SparkResults
from relyon.spark.row_blocks import JudgmentBlock, RunBlock
from relyon.spark.tasks import JUDGMENTS, ROWS, Arrays, EvaluateTask, Names, PackTask, State, Values

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from relyon.data.scale import Scale

__all__ = ["PreparedRuns", "evaluate"]

#: Judgments and a run travel in the same columns; a grade is the score of a judgment.
LAYOUT = Layout(("document", "subtopic"), ("score", "rank"))


@plain_errors()
def evaluate(
    judgments: object,
    run: DataFrame,
    measures: MeasureNames = DEFAULT_MEASURES,
    *,
    convention: Convention | str | Mapping[str, object] | None = None,
    average: Average | None = None,
    scale: Scale | str | None = None,
    name: str | None = None,
    strict: bool = False,
    partitions: int | None = None,
) -> SparkResults:
    """Evaluates a run in a cluster, with the same digits as `relyon.evaluate` on one machine.

    Queries are evaluated whole, by the same native code, and sums are exact: the order and the
    partitions of the rows, and tasks that are retried, change nothing.

    Args:
        judgments: A frame of Spark with the columns query, document and grade; or judgments of this
            machine, see `relyon.evaluate`.
        run: A frame of Spark with the columns query, document and score.
        measures: See `relyon.evaluate`.
        convention: See `relyon.evaluate`. Rows have no order here, so ``ties="input"`` is refused.
        average: See `relyon.evaluate`.
        scale: See `relyon.evaluate`.
        name: The name of the run.
        strict: See `relyon.evaluate`.
        partitions: The number of tasks that evaluate; `None` leaves it to Spark.

    Returns:
        A mapping from measure names to numbers, with `.frame`, the values by query.

    Raises:
        InputError: If the data cannot be used; the message names the query and its files.
        ParameterError: If `run` is not a frame of Spark, or a parameter has an invalid value.
        StrictError: If `strict` and there is a warning.
    """
    prepared = PreparedRuns.of(
        judgments,
        measures,
        convention=convention,
        average=average,
        scale=scale,
        run=run,
        partitions=partitions,
    )
    try:
        return prepared.evaluate(run, name=name or "run", strict=strict, partitions=partitions)
    finally:
        prepared.release()


@dataclass(frozen=True)
class PreparedRuns(Prepared):
    """Judgments that are packed once, for one run or several.

    Attributes:
        frame: The judgments as given.
        query: The name of their column of queries.
        packed: Their packed rows, kept by Spark.
        judged: The judged queries, if they are few.
        task: Evaluates queries.
        buckets: The buckets of queries.
        evidence: Columns of evidence, which measures do not use.
        notes: Notes about the judgments.
    """

    frame: DataFrame
    query: str
    packed: DataFrame
    judged: Names | None
    task: RunQueries
    buckets: Buckets
    evidence: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(
        cls,
        judgments: object,
        measures: MeasureNames,
        *,
        run: DataFrame,
        convention: Convention | str | Mapping[str, object] | None,
        average: Average | None,
        scale: Scale | str | None,
        partitions: int | None = None,
    ) -> PreparedRuns:
        """Packs judgments and counts their queries.

        Raises:
            InputError: If they cannot be used.
            ParameterError: If `run` is not a frame of Spark, or a parameter has an invalid value.
        """
        from relyon.data.scale import load_scale

        check_frame(run, "run", partitions)
        rules = load_convention(convention)
        check_order(rules, message("spark.choose-another-tie-rule"))
        levels = load_scale(scale)
        notes: tuple[Note, ...] = ()
        if not is_spark_frame(judgments):
            local = read_judgments(judgments, scale=levels)
            levels = levels or local.scale
            notes = local.notes
            judgments = local_frame(run.sparkSession, local.to_frame().to_arrow())
        asked = tuple(parse_measures(measures))
        chosen, names = select_roles(judgments, "judgments")
        if plain_name(names["grade"]) == "score":
            notes = (*notes, Note("grades-from-score"))
        roles = [role for role in ("query", "document", "grade", "subtopic") if role in names]
        block = JudgmentBlock(names, levels)
        buckets = buckets_of(run.sparkSession, partitions)
        task = PackTask(LAYOUT, JUDGMENTS, block, buckets)
        packed = pack(chosen.select(roles), task).persist()
        try:
            with tuned(run.sparkSession):
                highest = math.nan
                if any(one.needs_highest_grade for one in asked):
                    highest = highest_grade(packed, LAYOUT)
                named = judged_queries(packed).limit(BROADCAST + 1)
                some = [row[0] for row in named.collect()]
            judged = Names(some) if len(some) <= BROADCAST else None
            queries = RunQueries(asked, rules, levels, average, highest)
            queries.program.check_inputs(False)
        except BaseException:
            packed.unpersist()
            raise
        evidence = tuple(role for role in names if role in EVIDENCE_NAMES)
        given = names["query"]
        return cls(judgments, given, packed, judged, queries, buckets, evidence, notes)

    def program_of(self, measures: Sequence[str]) -> Program:
        """Returns some of the measures, resolved alone."""
        return replace(self.task, measures=tuple(parse_measures(measures))).program

    def release(self) -> None:
        """Frees the judgments in Spark's memory."""
        self.packed.unpersist()

    def _planned(self, given: DataFrame, values: Values, partitions: int | None) -> Plan:
        check_frame(given, "run", partitions)
        chosen, names = select_roles(given, "run")
        if self.task.convention.ties != "rank" and "score" in names:
            chosen = chosen.drop("rank")
        packed = pack(chosen, PackTask(LAYOUT, ROWS, RunBlock(names), self.buckets, self.judged))
        asked = tuple(map(str, self.task.measures))
        apart = counted_apart(self.task.program, weighted=False) if values == "queries" else ()
        task = EvaluateTask(LAYOUT, self.task, asked, values, apart)
        frame = evaluated([self.packed, packed], task, partitions)
        return Plan(given, names, self.task.program, task, frame)

    def _rows_of(self, kind: int, plan: Plan) -> tuple[DataFrame, str]:
        return (self.frame, self.query) if kind == JUDGMENTS else super()._rows_of(kind, plan)

    def assembled(
        self,
        state: State,
        plan: Plan,
        title: str,
        strict: bool,
        arrays: Sequence[Arrays] | None = None,
    ) -> Results:
        parts = [part for part in state.facts if isinstance(part, RunPart)]
        facts = replace(merged([part.facts for part in parts]), evidence=self.evidence)
        judged = sum(part.judged for part in parts)
        if not judged:
            raise InputError(message("core.there-are-no-judgments"))
        if facts.missing and self.task.convention.missing == "error":
            raise missing_queries(facts.missing, facts.missing_examples)
        if facts.missing == facts.queries and facts.unjudged:
            rows = judged_queries(self.packed).orderBy("query").limit(100)
            some = [row[0] for row in rows.collect()]
            raise no_common_query(some, facts.unjudged_examples)
        columns = joined_columns(state, arrays)
        notes = [*self.notes, *_judgment_notes(parts), *score_notes(plan.names)]
        notes += unrecorded_notes(plan.program, columns)
        notes += data_notes(plan.program, facts, columns)
        queries = joined_queries(state, arrays)
        return assemble(title, plan.program, queries, columns, notes, strict)


def _judgment_notes(parts: Sequence[RunPart]) -> list[Note]:
    """Returns the notes that reading the judgments on one machine raises."""
    notes = []
    ungraded = sum(part.ungraded for part in parts)
    if ungraded:
        some = sorted(one for part in parts for one in part.ungraded_examples)[:3]
        examples = tuple(document for _, document in some)
        notes.append(Note("missing-grades", ungraded, "warning", examples))
    duplicates = sum(part.duplicates for part in parts)
    if duplicates:
        notes.append(Note("duplicate-judgments", duplicates, "warning"))
    return notes
