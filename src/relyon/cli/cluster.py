"""Evaluation and comparison with `--engine spark`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from relyon.cli.comparing import check_two_runs
from relyon.cli.option_values import format_named_by, run_names
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from relyon.analysis.comparison import Comparison
    from relyon.analysis.comparison.settings import Options
    from relyon.cli.inputs import Given
    from relyon.cli.scored import Model
    from relyon.cli.spark_engine import Engine
    from relyon.data.convention import Convention
    from relyon.data.judgments import Judgments
    from relyon.data.scale import Scale
    from relyon.evaluation.program import Average
    from relyon.evaluation.results import Results
    from relyon.measures import Measure
    from relyon.spark.prepared import Prepared
    from relyon.spark.results import SparkResults

    class Rules(TypedDict):
        """The options of every evaluation."""

        convention: Convention
        average: Average | None
        scale: Scale | None


__all__ = ["Cluster"]


@dataclass(frozen=True)
class Cluster:
    """Spark, and the files and rules of the command line.

    Attributes:
        engine: Spark.
        given: The files and the rules.
        average: See `relyon.evaluate`.
    """

    engine: Engine
    given: Given
    average: Average | None = None

    def evaluate(
        self,
        files: Sequence[str],
        names: Sequence[str],
        measures: Sequence[str | Measure],
        *,
        per_query: bool,
        target: str | None,
        strict: bool,
    ) -> tuple[list[Results], list[str]]:
        """Evaluates runs or scores; values by query are collected if they are printed.

        Args:
            files: Judgments and runs, or further files of scored rows.
            names: Names of the runs.
            measures: The measures.
            per_query: Whether values by query are printed.
            target: A folder to which Spark writes values by query, as Parquet.
            strict: See `relyon.evaluate`.

        Returns:
            The results, and each run's tag.
        """
        if target is not None and os.path.exists(target):
            raise InputError(
                message("core.already-exists"),
                path=target,
                hint=message("core.name-another-folder"),
            )
        if self.given.scored:
            return self._evaluate_scores(files, names, measures, per_query, target, strict), []
        from relyon.spark.cluster_files import run_tag
        from relyon.spark.evaluation import PreparedRuns

        judgments, runs, titles = self._runs(files, names)
        prepared = PreparedRuns.of(
            judgments, self._measures(measures, ()), run=runs[0], **self._rules
        )
        try:
            named = zip(titles, runs, strict=True)
            results = self._evaluated(prepared, named, per_query, target, strict)
        finally:
            prepared.release()
        tags = [run_tag(self.engine.session, path, self.given.formats[1]) for path in files[1:]]
        return results, [tag or title for tag, title in zip(tags, titles, strict=True)]

    def compare(
        self,
        files: Sequence[str],
        names: Sequence[str],
        measures: Sequence[str | Measure],
        settings: Options,
    ) -> Comparison:
        """Compares runs or scores.

        Args:
            files: See `evaluate`.
            names: See `evaluate`.
            measures: The measures; the default ones if empty.
            settings: The settings of the tests.
        """
        from relyon.evaluation import DEFAULT_MEASURES, DEFAULT_SCORE_MEASURES
        from relyon.spark import compare, compare_scores

        if self.given.scored:
            models = self.given.scored.models(files, names, least=2)
            scores = {model.name: self._rows(model) for model in models}
            asked = self._measures(measures, DEFAULT_SCORE_MEASURES)
            return compare_scores(scores, asked, **self._rules, **settings)
        check_two_runs(files)
        judgments, runs, titles = self._runs(files, names)
        asked = self._measures(measures, DEFAULT_MEASURES)
        with self.given.naming():
            return compare(
                judgments, runs[0], runs[1:], asked, names=titles, **self._rules, **settings
            )

    def _measures(self, names: Sequence[str | Measure], default: Sequence[str]) -> list[Measure]:
        """Returns measures; the code of a plugin is sent to the executors, too."""
        from importlib import import_module

        from relyon.measures.parser import measures

        cloudpickle = import_module("pyspark.cloudpickle")
        found = measures(list(names) or default)
        for module in {type(one).__module__ for one in found}:
            if not module.startswith("relyon."):
                cloudpickle.register_pickle_by_value(sys.modules[module])
        return found

    @property
    def _rules(self) -> Rules:
        given = self.given
        return {
            "convention": given.convention, "average": self.average, "scale": given.scale,
        }  # fmt: skip

    def _runs(
        self, files: Sequence[str], names: Sequence[str]
    ) -> tuple[Judgments | DataFrame, list[DataFrame], list[str]]:
        """Returns judgments, read here if they are a local file, and runs."""
        from relyon.spark.cluster_files import is_local_file, read_table

        given = self.given
        titles = run_names(files[1:], names)
        given.check_columns(files)
        if given.passages:
            raise ParameterError(
                message("cli.chunks-exclude", other="--engine"),
                hint=message("cli.leave-out-engine-for-chunks"),
            )
        session = self.engine.session
        judgments: Judgments | DataFrame
        if is_local_file(files[0]):
            judgments = given.judgments(files[0])
        else:
            with format_named_by("--judgments-format ", "--judgments-columns"):
                judgments = read_table(
                    session,
                    files[0],
                    "judgments",
                    format=given.formats[0],
                    columns=given.columns_of("judgments", files[0]),
                )
        with format_named_by("--run-format ", "--run-columns"):
            runs = [
                read_table(
                    session,
                    path,
                    "run",
                    format=given.formats[1],
                    columns=given.columns_of("run", path),
                )
                for path in files[1:]
            ]
        return judgments, runs, titles

    def _rows(self, model: Model) -> DataFrame:
        """Returns the rows of one model.

        Raises:
            ParameterError: If its scores are not a column.
        """
        from relyon.spark.cluster_files import read_table

        for option in model.files:
            self.engine.refuse(**{option: True})
        with format_named_by("--run-format "):
            return read_table(
                self.engine.session,
                model.path,
                "scored",
                format=model.format,
                columns=dict(model.columns),
            )

    def _evaluate_scores(
        self,
        files: Sequence[str],
        names: Sequence[str],
        measures: Sequence[str | Measure],
        per_query: bool,
        target: str | None,
        strict: bool,
    ) -> list[Results]:
        from relyon.evaluation import DEFAULT_SCORE_MEASURES
        from relyon.spark.scores import PreparedScores

        asked = self._measures(measures, DEFAULT_SCORE_MEASURES)
        prepared = PreparedScores.of(asked, columns=None, **self._rules)
        named = (
            (model.name, self._rows(model)) for model in self.given.scored.models(files, names)
        )
        return self._evaluated(prepared, named, per_query, target, strict)

    def _evaluated(
        self,
        prepared: Prepared,
        named: Iterable[tuple[str, DataFrame]],
        per_query: bool,
        target: str | None,
        strict: bool,
    ) -> list[Results]:
        """Evaluates frames, and writes or collects their values by query."""
        results = [
            prepared.evaluate(rows, name=name, strict=strict, partitions=None)
            for name, rows in named
        ]
        self._write(results, target)
        return [one.collect() for one in results] if per_query else [*results]

    def _write(self, results: Sequence[SparkResults], target: str | None) -> None:
        """Writes the values by query of all runs to a folder, with Spark."""
        if target is None:
            return
        from pyspark.sql import functions as sql

        from relyon.spark.faults import plain_errors

        frames = [one.frame.select(sql.lit(one.run).alias("run"), "*") for one in results]
        whole = frames[0]
        for one in frames[1:]:
            whole = whole.unionByName(one)
        with plain_errors(target):
            whole.write.parquet(target)
