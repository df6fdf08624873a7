"""`relyon evaluate`: measures of runs or labelled scores."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import click

from relyon.cli.inputs import Given, check_files, input_options, run_names
from relyon.cli.messages import Progress, messages
from relyon.cli.model_judgments import ModelJudgments, WithFewerGrades
from relyon.cli.no_answer import NoAnswer, WithAbstention
from relyon.cli.option_values import split_measures
from relyon.cli.options import (
    average_option,
    confidence_option,
    digits_option,
    format_option,
    measure_option,
    names_option,
    no_color_option,
    output_option,
    plugin_option,
    threads_option,
)
from relyon.cli.output import Output, emit, is_folder, protect_inputs
from relyon.cli.request import argument, fixed, flag, group, option, request, takes
from relyon.cli.spark_engine import Engine
from relyon.core.errors import ParameterError
from relyon.core.notes import shared_notes
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.analysis.uncertainty import MeasureIntervals
    from relyon.data.run import Run
    from relyon.data.traces import Traces
    from relyon.evaluation import Evaluator
    from relyon.evaluation.program import Average
    from relyon.evaluation.results import Results
    from relyon.io import Source
    from relyon.measures import Measure

__all__ = ["command"]

Found = TypeVar("Found")

FORMATS = ("table", "json", "jsonl", "csv", "markdown", "latex", "trec", "xlsx")

HELP = """Measure one or several runs against judgments.

\b
Examples:
  relyon evaluate judgments.qrels bm25.run
  relyon evaluate judgments.qrels bm25.run tfidf.run -m ndcg@10 -m recall@100
  relyon evaluate judgments.qrels bm25.run --intervals
  relyon evaluate judgments.qrels bm25.run --format json -o results.json
  relyon evaluate --scored scores.csv --query query --label label \\
      --score score -m auc -m pnr -m gauc

JUDGMENTS contains query, document and grade; each RUN query, document and
score. Both are TREC files, CSV, TSV, JSONL, Parquet or ranx JSON, optionally
compressed; - is stdin. A project of a judging database can also be judgments:
judging.db#June or postgresql://USER@HOST/NAME#June. Measures that compare two
rankings (rbo, overlap@k, tau_ap) take a run in place of the judgments.

A RUN can also be a trace of an agent: calls in JSON Lines, or spans of
OpenTelemetry in JSON. A task takes the place of a query. A measure of one list,
such as ndcg@10, is the mean over the calls of a task; first(ndcg@10),
last(ndcg@10) and best(ndcg@10) take one of them. In spans, each trace is a
task; --run-columns query=session.id names another attribute.

With --scored, one file contains labels and scores: a table, or an
SVMlight/LETOR file with its scores in --scores FILE. Give several models as
several columns (--score old --score new) or one file each (--scored old.csv
new.csv).
"""


@request
class Request:
    """The request of `relyon evaluate`."""

    judgments: str | None = argument(required=False)
    runs: tuple[str, ...] = argument(metavar="RUN…", nargs=-1)
    measures: tuple[str, ...] = measure_option(scored=True)
    names: tuple[str, ...] = names_option()
    per_query: bool = flag("-q", "--per-query", help="Also print the values of each query.")
    intervals: bool = flag(
        "--intervals",
        help="Print confidence intervals: over queries, and for labels derived from clicks.",
    )
    confidence: float = confidence_option()
    per_query_to: str | None = option(
        "--per-query-to",
        metavar="FOLDER",
        help="With --engine spark: have the cluster write the values of each query to a folder, as"
        " Parquet with the columns run, query and one per measure.",
    )
    average: Average | None = average_option()
    no_answer: NoAnswer = group(NoAnswer)
    model: ModelJudgments = group(ModelJudgments, "model_judgments", "model_grades", "labelled")
    output: Output = group(
        Output,
        forms=fixed(FORMATS),
        wide=fixed(True),
        asked=format_option(
            *FORMATS,
            default=None,
            help="Output format. json has full precision and one object per run; trec is"
            " trec_eval's format, with a fourth column for the run if there are several, or one"
            " file per run with -o FOLDER/.",
        ),
        digits=digits_option(),
        path=output_option(),
    )
    strict: bool = flag(
        "--strict", help="Treat warnings about the data as errors: exit code 1, no output."
    )
    given: Given = input_options("query", "label", "document", "weight")
    threads: int = threads_option()
    engine: Engine = group(Engine)

    @property
    def files(self) -> list[str]:
        """The arguments."""
        return [name for name in (self.judgments, *self.runs) if name is not None]

    @cached_property
    def asked(self) -> list[str]:
        """The names of the requested measures."""
        return split_measures(self.measures)

    def chosen_measures(self) -> list[Measure]:
        """Returns the requested measures, or the default ones of runs."""
        from relyon.evaluation import DEFAULT_MEASURES
        from relyon.measures.parser import measures

        return measures(
            self.asked or ("official" if self.output.form == "trec" else DEFAULT_MEASURES)
        )

    def check(self) -> None:
        """Rejects options that exclude each other, and files that are missing.

        Raises:
            ParameterError: If there are any.
        """
        _ = self.asked
        if self.per_query_to is not None and not self.engine:
            raise ParameterError(
                message("cli.per-query-to-is-for-engine"), hint=message("cli.add-engine-spark")
            )
        beside = {"--scored": bool(self.given.scored), "-q": self.per_query}
        excluded = [name for name, given in beside.items() if given]
        excluded += {self.output.form} & {"trec", "jsonl", "latex", "xlsx"}
        if self.intervals and excluded:
            raise ParameterError(
                message("cli.intervals-and-exclude-each", name=excluded[0]),
                hint=message("cli.intervals-prints-table"),
            )
        if self.per_query and self.output.form == "latex":
            raise ParameterError(
                message("cli.latex-has-no-queries"), hint=message("cli.leave-out-per-query")
            )
        for section in (self.no_answer, self.model):
            section.refuse(
                self.output.form,
                scored=self.given.scored,
                engine=self.engine,
                intervals=self.intervals,
            )
        if not self.given.scored:
            check_files(self.files, "evaluate")


@click.command("evaluate", help=HELP, short_help="Measure one or several runs against judgments.")
@takes(Request)
@plugin_option
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon evaluate`."""
    output, files = request.output, request.files
    beside = [*request.no_answer.paths, *request.model.paths]
    protect_inputs(output.path, [*request.given.paths(files), *beside])
    request.check()
    if request.intervals:
        from relyon.analysis.uncertainty import SeveralIntervals

        found = _intervals(request)
        emit(SeveralIntervals(found), output)
        messages.notes(shared_notes((run.run, run.notes) for run in found))
        return
    from relyon.evaluation.measure_tables import rules_line
    from relyon.evaluation.side_by_side import SideBySide

    seen: list[tuple[Evaluator, str, Run | Traces | Source]] = []
    results, tags = _results(request, seen)
    header = [[("runid", tag)] for tag in tags] if not request.asked else []
    rows = {"per_query": request.per_query}
    shown = {} if output.form == "latex" else rows
    trec = {**rows, "digits": output.digits, "header": header}
    own = dict.fromkeys(("json", "jsonl", "csv"), rows) | {"trec": trec}
    both = request.no_answer.beside(SideBySide(results), seen, request.confidence, request.strict)
    names = [*results[0].entries]
    shown_results = request.model.beside(both, request.given, seen, names, request.confidence)
    if output.form == "trec" and output.path is not None and is_folder(output.path):
        _one_file_each(request, output.path, results, header)
    else:
        emit(shown_results, output, own=own, **shown)
    if output.form in {"csv", "trec"}:
        # The data does not contain the convention.
        messages.dim(rules_line(results[0], messages.language))
    messages.notes(shared_notes((run.run, run.notes) for run in results))
    for one in dict.fromkeys((both, shown_results)):
        if isinstance(one, WithAbstention | WithFewerGrades):
            messages.notes(one.notes)


def _results(
    request: Request, seen: list[tuple[Evaluator, str, Run | Traces | Source]]
) -> tuple[Sequence[Results], list[str]]:
    """Returns the results, and the tags of runs that have tags.

    Args:
        request: The request.
        seen: Takes each run with its evaluator and name.
    """
    if request.engine:
        return _cluster_results(request)
    if request.given.scored:
        return _scored_results(request), []

    def evaluate(
        evaluator: Evaluator, run: Run | Traces | Source, measures: list[Measure], name: str
    ) -> tuple[Results, str]:
        seen.append((evaluator, name, run))
        found = evaluator.evaluate(
            run,
            measures,
            name=name,
            average=request.average,
            # Queries without an answer explain warnings, so that these are looked at afterwards.
            strict=request.strict and not request.no_answer,
        )
        return found, _tag(run) or name

    results, tags = zip(*_of_runs(request, evaluate), strict=True)
    return results, [*tags]


def _cluster_results(request: Request) -> tuple[Sequence[Results], list[str]]:
    from relyon.cli.cluster import Cluster

    request.engine.refuse(intervals=request.intervals, threads=request.threads)
    return Cluster(request.engine, request.given, request.average).evaluate(
        request.files,
        request.names,
        request.asked if request.given.scored else request.chosen_measures(),
        per_query=request.per_query,
        target=request.per_query_to,
        strict=request.strict,
    )


def _scored_results(request: Request) -> list[Results]:
    given = request.given
    return [
        one.evaluate(
            request.asked,
            given.convention,
            given.scale,
            average=request.average,
            strict=request.strict,
            threads=request.threads,
        )
        for one in given.scored.models(request.files, request.names)
    ]


def _intervals(request: Request) -> list[MeasureIntervals]:
    from relyon.analysis.uncertainty import measure_intervals

    if request.engine:
        request.engine.refuse(intervals=request.intervals)

    def evaluate(
        evaluator: Evaluator, run: Run | Traces | Source, measures: list[Measure], name: str
    ) -> MeasureIntervals:
        return measure_intervals(
            evaluator,
            run,
            measures,
            name=name,
            level=request.confidence,
            average=request.average,
            strict=request.strict,
        )

    return _of_runs(request, evaluate)


def _of_runs(
    request: Request,
    evaluate: Callable[[Evaluator, Run | Traces | Source, list[Measure], str], Found],
) -> list[Found]:
    """Evaluates runs one by one against judgments that are read once."""
    from relyon.evaluation import Evaluator

    given, files = request.given, request.files
    measures = request.chosen_measures()
    given.check_columns(files)
    of_runs = all(one.needs == "reference" for one in measures)
    evaluator = Evaluator(
        given.run(files[0], None, whole=True) if of_runs else given.judgments(files[0]),
        convention=given.convention,
        scale=given.scale,
        threads=request.threads,
    )
    runs = files[1:]
    found: list[Found] = []
    with Progress("cli.evaluating") as progress, given.naming(files):
        for path, name in zip(runs, run_names(runs, request.names), strict=True):
            progress(len(found), len(runs), name)
            found.append(
                evaluate(
                    evaluator,
                    given.run(
                        path,
                        name,
                        whole=bool(request.no_answer or request.model),
                        per_file=len(runs) > 1,
                    ),
                    measures,
                    name,
                )
            )
    return found


def _one_file_each(
    request: Request,
    folder: str,
    results: Sequence[Results],
    header: Sequence[Sequence[tuple[str, str]]],
) -> None:
    """Writes trec_eval's output for each run to a file named after the run."""
    from relyon.evaluation.side_by_side import SideBySide

    inputs = request.given.paths(request.files)
    os.makedirs(folder, exist_ok=True)
    for place, run in enumerate(results):
        path = os.path.join(folder, re.sub(r"[/\\\0-\x1f]+", "_", run.run) + ".eval")
        protect_inputs(path, inputs)
        own = {
            "per_query": request.per_query,
            "digits": request.output.digits,
            "header": header[place : place + 1],
        }
        emit(SideBySide([run]), replace(request.output, path=path), own={"trec": own})


def _tag(run: Run | Traces | Source) -> str:
    """Returns the tag in a TREC run's first line; trec_eval prints it first."""
    from relyon.io import Source
    from relyon.io.format import formats

    if isinstance(run, Source):
        return formats.get(run.format).run_tag(run.head)
    return run.tag
