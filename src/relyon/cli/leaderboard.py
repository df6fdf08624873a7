"""`relyon leaderboard`: runs in order, with intervals of their ranks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import click

from relyon.cli.inputs import Given, check_files, input_options, run_names
from relyon.cli.messages import Progress, messages
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
    seed_option,
    threads_option,
)
from relyon.cli.output import Charted, Output, emit, protect_inputs, write
from relyon.cli.ranked_costs import Costed
from relyon.cli.request import argument, fixed, flag, group, option, request, takes
from relyon.cli.task_files import TaskFiles, check_no_table
from relyon.core.errors import ParameterError, StrictError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.analysis.leaderboard import Leaderboard
    from relyon.analysis.leaderboard.measurement import RankOptions
    from relyon.evaluation.program import Average
    from relyon.evaluation.results import Results

__all__ = ["command"]

FORMATS = ("table", "markdown", "json", "csv", "xlsx", "html")

HELP = """Rank runs, with intervals of their ranks.

\b
Examples:
  relyon leaderboard judgments.qrels bm25.run tfidf.run new.run -m ndcg@10
  relyon leaderboard judgments.qrels bm25.run new.run --costs costs.csv \\
      -o board.html
  relyon leaderboard judgments.qrels bm25.run new.run --line new.run
  relyon leaderboard --tasks tasks.csv --tasks-are sampled
  relyon leaderboard --values values.csv
  relyon leaderboard results-old.json results-new.json

All pairs of runs are tested together on the queries that all runs have. A run's
rank interval begins after the runs that are separated from it and better, and
ends before those that are separated and worse: with 95% confidence all
intervals contain the true ranks at once. Runs that share a letter are not
separated. Fewer than six queries separate nothing.

JUDGMENTS and RUN are read as by `relyon evaluate`; stored results, which
`relyon evaluate JUDGMENTS RUN -q --format json -o FILE` writes, need neither.
With --values, one file is a table with a column query and one per run; several
files are one per run, with a column per measure; a folder is MTEB's results,
whose tasks are the units (-m names a score, such as ndcg_at_10). The tapes
beside runs that `relyon search` wrote give their latency.
"""


@request
class Request:
    """The request of `relyon leaderboard`."""

    judgments: str | None = argument(required=False)
    runs: tuple[str, ...] = argument(metavar="RUN…", nargs=-1)
    measures: tuple[str, ...] = measure_option()
    names: tuple[str, ...] = names_option()
    tasks: TaskFiles = group(TaskFiles)
    values: bool = flag(
        "--values", help="The files contain per-query values; no judgments are needed."
    )
    costed: Costed = group(Costed)
    query_table: str | None = option(
        "--queries",
        "query_table",
        metavar="FILE",
        help="A table of queries with the column that --cluster names (CSV, TSV, JSON Lines,"
        " Parquet).",
    )
    cluster: str | None = option(
        "--cluster",
        metavar="COLUMN",
        help="The column of --queries with clusters of queries that are alike, such as paraphrases"
        " of one intent or the questions on one document: tests and intervals then count"
        " clusters, not queries.",
    )
    line: str | None = option(
        "--line",
        metavar="RUN",
        help="Print the ranks of one run in one line per measure, such as for a README, and nothing"
        " else.",
    )
    confidence: float = confidence_option()
    resamples: int = option(
        "--resamples",
        type=click.IntRange(min=100),
        default=1000,
        show_default=True,
        help="Number of draws of the two tests of all pairs.",
    )
    seed: int = seed_option()
    average: Average | None = average_option()
    strict: bool = flag(
        "--strict", help="Treat warnings about the data as errors: exit code 1, no output."
    )
    output: Output = group(
        Output,
        forms=fixed(FORMATS),
        wide=fixed(True),
        asked=format_option(
            *FORMATS, default=None, help="Output format; html is a page with charts."
        ),
        digits=digits_option(),
        path=output_option(),
    )
    given: Given = input_options("query", "label", "document")
    allow: bool = flag(
        "--allow-different-inputs",
        help="For stored results: if their judgments differ, rank by the queries whose judgments"
        " are the same in all of them. Without it, different judgments are an error.",
    )
    threads: int = threads_option()

    @property
    def files(self) -> list[str]:
        """The arguments."""
        return [name for name in (self.judgments, *self.runs) if name is not None]

    def options(self) -> RankOptions:
        """Returns the settings as arguments of functions."""
        return {
            "queries": self.query_table,
            "cluster": self.cluster,
            "confidence": self.confidence,
            "resamples": self.resamples,
            "seed": self.seed,
        }


@click.command("leaderboard", help=HELP, short_help="Rank runs, with intervals of their ranks.")
@takes(Request)
@plugin_option
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon leaderboard`."""
    _check(request)
    inputs = [*request.given.paths(request.files), *request.costed.paths, *request.tasks.paths]
    protect_inputs(request.output.path, [*inputs, request.query_table])
    found = _found(request)
    if request.strict:
        problems = [note for note in found.notes if note.level == "warning"]
        if problems:
            raise StrictError(
                message("cli.comparison-notes", notes=problems),
                hint=message("evaluation.without-strict"),
            )
    if request.line is not None:
        names = [one.measure for one in found.boards]
        lines = [found.line(request.line, one, language=messages.language) for one in names]
        write("\n".join(lines), request.output.path)
    elif request.output.form == "html":
        emit(Charted(found, page=lambda: _page(found)), request.output)
    else:
        emit(found, request.output)
    if request.output.form != "json":
        messages.notes(found.notes)


def _page(found: Leaderboard) -> str:
    from relyon import report

    return report.render_leaderboard_report(found, language=messages.language)


def _check(request: Request) -> None:
    """Rejects options that exclude each other."""
    ways = {
        "--tasks": bool(request.tasks),
        "--values": request.values,
        "--scored": bool(request.given.scored),
    }
    given = [name for name, used in ways.items() if used]
    if len(given) > 1:
        raise ParameterError(message("cli.options-exclude", first=given[0], second=given[1]))
    if request.tasks and request.files:
        raise ParameterError(
            message("cli.tasks-name-all-files", path=request.files[0]),
            hint=message("cli.leave-out-files"),
        )


def _found(request: Request) -> Leaderboard:
    from relyon.analysis.leaderboard import leaderboard_results

    options = request.options()
    if request.values:
        return _of_values(request, options)
    if request.tasks:
        results: Sequence[Results] | Mapping[str, Sequence[Results]]
        with Progress("cli.evaluating") as progress:
            results = request.tasks.results(
                request.given,
                split_measures(request.measures),
                average=request.average,
                threads=request.threads,
                progress=progress,
            )
        names = [one.run for one in next(iter(results.values()))]
        options["costs"] = request.costed.found(names, {})
        return leaderboard_results(results, tasks=request.tasks.way, **options)
    results = _stored(request)
    paths: dict[str, str] = {}
    if not results:
        results, paths = _evaluated(request)
    options["costs"] = request.costed.found([one.run for one in results], paths)
    different: Literal["common", "refuse"] = "common" if request.allow else "refuse"
    return leaderboard_results(results, different_inputs=different, **options)


def _stored(request: Request) -> list[Results]:
    """Returns stored results; none if the arguments are something else."""
    from relyon.cli.stored import titled_results
    from relyon.evaluation.stored import is_stored

    files = request.files
    found = [one for one in files if is_stored(one)]
    if not found:
        return []
    other = next((one for one in files if one not in found), None)
    if other is not None:
        raise ParameterError(
            message("cli.results-and-other-files", results=found[0], other=other),
            hint=message("cli.give-results-alone"),
        )
    return titled_results(files, request.names, split_measures(request.measures))


def _evaluated(request: Request) -> tuple[list[Results], dict[str, str]]:
    """Returns the evaluations, and the file of each run."""
    from relyon.analysis.comparison.runs import evaluate_runs
    from relyon.evaluation import DEFAULT_MEASURES, Evaluator

    given, files = request.given, request.files
    asked = split_measures(request.measures)
    if given.scored:
        models = given.scored.models(files, request.names, least=2)
        scored = [
            one.evaluate(
                asked,
                given.convention,
                given.scale,
                average=request.average,
                threads=request.threads,
            )
            for one in models
        ]
        return scored, {}
    check_no_table(files)
    check_files(files, "leaderboard")
    if len(files) < 3:
        raise ParameterError(
            message("core.two-or-more-runs"),
            hint=message("cli.relyon-leaderboard-another-run", judgments=files[0], run=files[1]),
        )
    names = run_names(files[1:], request.names)
    found = given.lists(files, request.names)
    evaluator = Evaluator(
        found.judgments, convention=given.convention, scale=given.scale, threads=request.threads
    )
    with Progress("cli.evaluating") as progress, given.naming(files):
        results = evaluate_runs(
            evaluator,
            found.runs,
            names,
            asked or DEFAULT_MEASURES,
            average=request.average,
            progress=progress,
        )
    return results, dict(zip(names, files[1:], strict=True))


def _of_values(request: Request, options: RankOptions) -> Leaderboard:
    """Returns the leaderboard of per-query values: a column per run, or a file per run."""
    from relyon.analysis.leaderboard import leaderboard_values
    from relyon.io.per_query_values import read_values

    files = request.files
    asked = split_measures(request.measures)
    values: dict[str, dict[str, dict[str, float]]]
    if len(files) == 1 and os.path.isdir(files[0]):
        return _of_mteb(request, asked, options)
    if len(files) == 1:
        name = asked[0] if asked else "value"
        if len(asked) > 1:
            raise ParameterError(message("cli.one-file-has-one-measure", names=asked))
        values = {run: {name: column} for run, column in read_values(files[0]).items()}
        names = request.names
        if names and len(names) != len(values):
            raise ParameterError(
                message("core.there-are-runs", count=len(values), count_2=len(names)),
                hint=message("cli.give-name-once-per"),
            )
        if names:
            values = dict(zip(names, values.values(), strict=True))
    else:
        read = map(read_values, files)
        values = dict(zip(run_names(files, request.names), read, strict=True))
        if asked:
            values = {run: _only(one, asked, run) for run, one in values.items()}
    options["costs"] = request.costed.found(list(values), {})
    return leaderboard_values(values, **options)


def _of_mteb(request: Request, asked: Sequence[str], options: RankOptions) -> Leaderboard:
    """Returns the leaderboard of a folder of MTEB's results, whose tasks are the units."""
    from relyon.analysis.leaderboard import leaderboard_values
    from relyon.compat import mteb

    if len(asked) > 1:
        raise ParameterError(message("cli.one-file-has-one-measure", names=asked))
    found = mteb.scores(request.files[0], measure=asked[0] if asked else "main_score")
    models = list(next(iter(found.values())))
    options["costs"] = request.costed.found(models, {})
    return leaderboard_values(found, tasks="sampled", **options)


def _only(
    values: Mapping[str, dict[str, float]], asked: Sequence[str], run: str
) -> dict[str, dict[str, float]]:
    lacking = [name for name in asked if name not in values]
    if lacking:
        raise ParameterError(
            message("cli.values-lack-measure", run=run, name=lacking[0], names=list(values))
        )
    return {name: values[name] for name in asked}
