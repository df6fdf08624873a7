"""Evaluating labelled scores in a cluster."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.columns import group_notes
from relyon.data.convention import Convention, load_convention
from relyon.evaluation.assembly import assemble
from relyon.evaluation.defaults import DEFAULT_SCORE_MEASURES
from relyon.evaluation.facts import merged_labels
from relyon.evaluation.labelled_batches import Settings, needs_highest
from relyon.evaluation.notes import label_notes
from relyon.evaluation.program import Average, MeasureNames
from relyon.evaluation.results import Results
from relyon.evaluation.scores import array_rules, without_formula
from relyon.measures.parser import measures as parse_measures
from relyon.spark.columns import joined_columns, joined_queries
from relyon.spark.faults import plain_errors
from relyon.spark.frames import (
    buckets_of,
    check_frame,
    check_order,
    evaluated,
    functions,
    pack,
    select_roles,
)
from relyon.spark.packed_rows import Layout
from relyon.spark.pooled import counted_apart
from relyon.spark.prepared import Plan, Prepared
from relyon.spark.queries import LabelledQueries, RowFacts
from relyon.spark.results import SparkResults
from relyon.spark.row_blocks import LabelledBlock
from relyon.spark.tasks import ROWS, Arrays, EvaluateTask, PackTask, State, UngroupedTask, Values

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from relyon.data.scale import Scale
    from relyon.measures.definition import Measure

__all__ = ["PreparedScores", "evaluate_scores"]

LAYOUT = Layout(("document",), ("score", "label", "weight"))


@plain_errors()
def evaluate_scores(
    rows: DataFrame,
    measures: MeasureNames = DEFAULT_SCORE_MEASURES,
    *,
    columns: Mapping[str, str] | None = None,
    convention: Convention | str | Mapping[str, object] | None = None,
    average: Average | None = None,
    scale: Scale | str | None = None,
    name: str | None = None,
    strict: bool = False,
    partitions: int | None = None,
) -> SparkResults:
    """Evaluates labelled scores in a cluster, with the digits of `relyon.evaluate_scores`.

    Args:
        rows: A frame of Spark with the columns label and score, and perhaps query and document.
            Without queries all rows are one query. AUC is then counted by ranges of scores; with
            any other measure one task has all rows.
        measures: One or more names such as `auc`, `pnr`, `ndcg@10`.
        columns: Column names by role (query, label, score, document, weight); other roles are found
            by the usual names, except weights.
        convention: See `relyon.evaluate_scores`. Rows have no order here, so ``ties="input"`` is
            refused.
        average: See `relyon.evaluate`.
        scale: See `relyon.evaluate`; required if labels are names.
        name: The name of the scores.
        strict: See `relyon.evaluate`.
        partitions: The number of tasks that evaluate; `None` leaves it to Spark.

    Returns:
        A mapping from measure names to numbers, with `.frame`, the values by query.

    Raises:
        InputError: If the data cannot be used; the message names the query and its files.
        ParameterError: If `rows` is not a frame of Spark, or a parameter has an invalid value.
        StrictError: If `strict` and there is a warning.
    """
    prepared = PreparedScores.of(
        measures, columns=columns, convention=convention, average=average, scale=scale
    )
    return prepared.evaluate(rows, name=name or "scores", strict=strict, partitions=partitions)


@dataclass(frozen=True)
class PreparedScores(Prepared):
    """How scores are evaluated, for one model or several.

    Attributes:
        measures: The measures.
        settings: The options.
        columns: Column names by role.
    """

    measures: tuple[Measure, ...]
    settings: Settings
    columns: Mapping[str, str] | None

    @classmethod
    def of(
        cls,
        measures: MeasureNames,
        *,
        columns: Mapping[str, str] | None,
        convention: Convention | str | Mapping[str, object] | None,
        average: Average | None,
        scale: Scale | str | None,
    ) -> PreparedScores:
        """Resolves names.

        Raises:
            ParameterError: If a parameter has an invalid value.
        """
        from relyon.data.scale import load_scale

        given = load_convention(convention)
        check_order(given, message("spark.choose-another"))
        settings = Settings(
            array_rules(given), average, load_scale(scale), 1, without_formula(given)
        )
        return cls(tuple(parse_measures(measures)), settings, columns)

    def _planned(self, given: DataFrame, values: Values, partitions: int | None) -> Plan:
        check_frame(given, "rows", partitions)
        chosen, names = select_roles(given, "scored", self.columns)
        highest = math.nan
        if needs_highest(self.measures) and self.settings.scale is None:
            sql = functions()
            # Labels that are not numbers are refused with their rows, not here.
            found = chosen.agg(sql.expr("max(try_cast(label AS double))")).head(1)[0][0]
            highest = math.nan if found is None else found
        buckets = buckets_of(given.sparkSession, partitions)
        packing = PackTask(LAYOUT, ROWS, LabelledBlock(names, self.settings.scale), buckets)
        queries = LabelledQueries(
            self.measures, self.settings, "weight" in names, highest, values == "arrays"
        )
        apart: tuple[str, ...] = ()
        if values == "queries":
            apart = counted_apart(queries.program, "weight" in names)
        task = EvaluateTask(LAYOUT, queries, tuple(map(str, self.measures)), values, apart)
        whole = "query" not in names
        if whole and set(apart) == set(task.measures):
            frame = chosen.mapInArrow(UngroupedTask(packing, task), task.schema)
        else:
            frame = evaluated([pack(chosen, packing)], task, partitions)
        return Plan(given, names, queries.program, task, frame, whole)

    def assembled(
        self,
        state: State,
        plan: Plan,
        title: str,
        strict: bool,
        arrays: Sequence[Arrays] | None = None,
    ) -> Results:
        parts = [part for part in state.facts if isinstance(part, RowFacts)]
        if not parts:
            raise InputError(message("core.there-are-no-rows"))
        columns = joined_columns(state, arrays)
        facts = merged_labels([part.labels for part in parts])
        notes = [*group_notes(plan.names)]
        repeated = sum(part.repeated for part in parts)
        if repeated:
            examples = sorted(one for part in parts for one in part.examples)[:3]
            notes.append(Note("repeated-rows", repeated, "warning", tuple(examples)))
        notes += label_notes(plan.program, facts, columns)
        queries = joined_queries(state, arrays)
        return assemble(title, plan.program, queries, columns, notes, strict)
