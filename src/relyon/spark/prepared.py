"""Evaluating one frame after the other with the same measures: of runs, or of labelled rows."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.core.notes import RelyonWarning
from relyon.data.columns.spark_settings import tuned
from relyon.spark.frames import collected, kept_results, named_error

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from relyon.evaluation.program import Program
    from relyon.evaluation.results import Results
    from relyon.spark.results import SparkResults
    from relyon.spark.tasks import Arrays, EvaluateTask, State, Values

__all__ = ["Plan", "Prepared"]


@dataclass(frozen=True)
class Plan:
    """How Spark evaluates a frame; nothing has run yet.

    Attributes:
        given: The user's frame.
        names: Its columns by role.
        program: The resolved measures.
        task: Evaluates whole queries.
        frame: The values, and the states of the tasks.
        whole: Whether all rows are one query.
    """

    given: DataFrame
    names: Mapping[str, str]
    program: Program
    task: EvaluateTask
    frame: DataFrame
    whole: bool = False


class Prepared(ABC):
    """Measures, rules and judgments, ready for one frame or several."""

    def evaluate(
        self, given: DataFrame, *, name: str, strict: bool, partitions: int | None
    ) -> SparkResults:
        """Evaluates a frame; the values of its queries stay in the cluster.

        Args:
            given: The rows.
            name: The title of the results.
            strict: Whether a warning is an error.
            partitions: The number of tasks; `None` leaves it to Spark.

        Raises:
            InputError: If the data cannot be used.
            StrictError: If `strict` and there is a warning.
        """
        plan = self._planned(given, "queries", partitions)

        def found(state: State) -> Results:
            self._refuse(state, plan)
            return self.assembled(state, plan, name, strict)

        with tuned(given.sparkSession):
            return kept_results(plan.frame, plan.task, found, whole=plan.whole)

    def collect(
        self,
        given: DataFrame,
        *,
        name: str,
        partitions: int | None,
        programs: Sequence[Program] = (),
    ) -> tuple[list[Results], list[Arrays]]:
        """Evaluates a frame, and collects the values of its queries; see `evaluate`.

        Args:
            given: The rows.
            name: The title of the results.
            partitions: The number of tasks; `None` leaves it to Spark.
            programs: Some of the measures each, for results of their own; else there is one of all.
        """
        plan = self._planned(given, "arrays", partitions)
        with tuned(given.sparkSession):
            state, arrays = collected(plan.frame)
        self._refuse(state, plan)
        first, *others = [replace(plan, program=one) for one in programs] or [plan]
        results = [self.assembled(state, first, name, False, arrays)]
        with warnings.catch_warnings():  # the first has issued them
            warnings.simplefilter("ignore", RelyonWarning)
            results += [self.assembled(state, one, name, False, arrays) for one in others]
        return results, arrays

    @abstractmethod
    def assembled(
        self,
        state: State,
        plan: Plan,
        title: str,
        strict: bool,
        arrays: Sequence[Arrays] | None = None,
    ) -> Results:
        """Creates results from the states of the tasks.

        Args:
            state: The merged state.
            plan: The plan that was run.
            title: The title of the results.
            strict: Whether a warning is an error.
            arrays: The values of the queries, if they were collected.

        Raises:
            InputError: If the data cannot be used.
            StrictError: If `strict` and there is a warning.
        """

    @abstractmethod
    def _planned(self, given: DataFrame, values: Values, partitions: int | None) -> Plan:
        """Returns how a frame is evaluated."""

    def _refuse(self, state: State, plan: Plan) -> None:
        if state.error is not None:
            raise named_error(state.error, *self._rows_of(state.error.kind, plan))

    def _rows_of(self, kind: int, plan: Plan) -> tuple[DataFrame, str]:
        """Returns the frame that has rows of a kind, and its column of queries."""
        return plan.given, plan.names.get("query", "")
