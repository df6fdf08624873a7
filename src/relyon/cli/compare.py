"""`relyon compare`: differences between runs, and their significance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from relyon.cli.comparing import compare_given
from relyon.cli.described import Described, described_options
from relyon.cli.gate import check_gate_names, check_gates, explain_command
from relyon.cli.groups import QueryDesign, Statistics
from relyon.cli.inputs import Given, check_stdin, input_options, run_names
from relyon.cli.messages import Progress, messages
from relyon.cli.option_values import split_measures
from relyon.cli.options import (
    average_option,
    digits_option,
    format_option,
    measure_option,
    names_option,
    no_color_option,
    output_option,
    plugin_option,
    threads_option,
)
from relyon.cli.output import Output, emit, protect_inputs
from relyon.cli.request import argument, fixed, flag, group, option, request, takes
from relyon.cli.spark_engine import Engine
from relyon.cli.tapes import Tapes, Timed
from relyon.core.errors import ParameterError, StrictError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison
    from relyon.analysis.comparison.settings import Options
    from relyon.evaluation.program import Average

__all__ = ["command"]

FORMATS = ("table", "markdown", "latex", "json", "csv", "xlsx")

HELP = """Compare runs with significance tests.

\b
Examples:
  relyon compare judgments.qrels bm25.run new.run -m ndcg@10 -m recall@100
  relyon compare judgments.qrels bm25.run tfidf.run new.run --test tukey
  relyon compare judgments.qrels bm25.run new.run --fail-if-worse ndcg@10
  relyon compare --scored test.csv --query query --label label \\
      --score old --score new -m gauc
  relyon compare --values old.csv new.csv
  relyon compare judgments.qrels bm25.run new.run --plan --difference 2%

Each candidate is compared with BASELINE query by query: the difference with its
confidence interval, the p-value of a paired test before and after correction
for multiple comparisons, how many queries it wins, ties and loses, the effect
size d_z, the smallest difference that this many queries can detect (power 0.8),
and the queries needed to detect the observed difference.
"""


@request
class Request:
    """The request of `relyon compare`."""

    judgments: str | None = argument(required=False)
    runs: tuple[str, ...] = argument(metavar="BASELINE CANDIDATE…", nargs=-1)
    measures: tuple[str, ...] = measure_option()
    names: tuple[str, ...] = names_option()
    statistics: Statistics = group(Statistics)
    gates: tuple[str, ...] = option(
        "--fail-if-worse",
        metavar="MEASURE",
        multiple=True,
        help="Exit with code 1 if a candidate is worse on this measure: its difference is a loss,"
        " and p (of --test, two-sided, after --correction) is at most --alpha, on six queries or"
        " more. Repeat it for several.",
    )
    strict: bool = flag(
        "--strict",
        help="Treat warnings about the data, and a check that cannot fail, as errors: exit code 1,"
        " no output.",
    )
    per_query: bool = flag("-q", "--per-query", help="Print every query's difference (table, csv).")
    plan: bool = flag(
        "--plan",
        help="Print how many queries to grade to detect a difference, given the spread of these"
        " runs.",
    )
    differences: tuple[str, ...] = option(
        "--difference",
        metavar="NUMBER|PERCENT",
        multiple=True,
        help="With --plan: a difference to detect, such as 0.01, or 2% of the baseline's value;"
        " repeat it for several. Without it: 1, 2, 5 and 10%.",
    )
    described: Described = described_options(documents=False)
    average: Average | None = average_option()
    output: Output = group(
        Output,
        forms=fixed(FORMATS),
        wide=fixed(True),
        asked=format_option(*FORMATS, default=None),
        digits=digits_option(),
        path=output_option(),
    )
    design: QueryDesign = group(QueryDesign)
    given: Given = input_options("query", "label", "document")
    values: bool = flag(
        "--values", help="The files contain per-query values; no judgments are needed."
    )
    threads: int = threads_option()
    engine: Engine = group(Engine)


@click.command("compare", help=HELP, short_help="Compare runs with significance tests.")
@takes(Request)
@plugin_option
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon compare`."""
    if request.differences and not request.plan:
        raise ParameterError(message("cli.difference-is-for-plan"), hint=message("cli.add-plan"))
    files = [name for name in (request.judgments, *request.runs) if name is not None]
    protect_inputs(request.output.path, [*request.given.paths(files), *request.described.paths])
    asked = split_measures(request.measures)
    gates = split_measures(request.gates)
    check_gate_names(gates)
    if request.values and request.given.scored:
        raise ParameterError(message("cli.values-and-scored-exclude"))
    measured = [] if request.values else _with_gates(asked, gates, bool(request.given.scored))
    comparison = _compared(request, files, measured)
    if request.strict:
        _refuse_warnings(comparison)
    if request.described.queries is not None:
        comparison = comparison.described(request.described.queries)
    if request.plan:
        _check_plan_form(request.output.form)
        plan = comparison.plan(request.differences or None)
        emit(plan, replace(request.output, digits=None))
    else:
        rows = {"per_query": request.per_query}
        own = dict.fromkeys(("json", "csv", "table"), rows)
        runs = [] if _is_apart(request) else files[1:]
        tapes = Tapes(dict(zip(comparison.runs, runs, strict=False)), comparison.run)
        latency = tapes.latency(comparison)
        shown = comparison if latency is None else Timed(comparison, latency, tapes.notes)
        emit(shown, request.output, own=own)
        if latency is None or request.output.form != "json":
            messages.notes((*tapes.notes, *(() if latency is None else latency.notes)))
    if request.output.form != "json":
        messages.notes(comparison.notes)
    request.described.notes()
    check_gates(comparison, gates, explain_command(files))


def _is_apart(request: Request) -> bool:
    """Returns whether the arguments are not files of runs, beside which tapes lie."""
    return bool(request.values or request.given.scored or request.engine)


def _compared(request: Request, files: Sequence[str], measures: Sequence[str]) -> Comparison:
    settings = request.statistics.settings(request.threads)
    if request.engine:
        from relyon.cli.cluster import Cluster

        request.engine.refuse(values=request.values)
        cluster = Cluster(request.engine, request.given, request.average)
        return cluster.compare(files, request.names, measures, settings)
    if request.values:
        return _of_values(files, request.names, settings)
    with Progress("cli.comparing") as progress:
        return compare_given(
            request.given,
            files,
            measures,
            request.design.options(request.described.query_texts, **settings),
            names=request.names,
            average=request.average,
            progress=progress,
            lists=False,
        )


def _refuse_warnings(comparison: Comparison) -> None:
    """Raises warnings as one error, before anything is written.

    Raises:
        StrictError: If there is one.
    """
    warnings = [note for note in comparison.notes if note.level == "warning"]
    if warnings:
        raise StrictError(
            message("cli.comparison-notes", notes=warnings),
            hint=message("evaluation.without-strict"),
        )


def _check_plan_form(form: str) -> None:
    if form in ("latex", "xlsx"):
        raise ParameterError(
            message("cli.plan-cannot-be-written", form=form),
            hint=message("cli.choose-table"),
        )


def _with_gates(asked: list[str], gates: Sequence[str], scored: bool) -> list[str]:
    """Returns the requested or default measures, and those of the checks."""
    from relyon.evaluation import DEFAULT_MEASURES

    if not asked:
        asked = [] if scored else list(DEFAULT_MEASURES)
    return asked + [name for name in gates if not _same(name, asked)]


def _same(name: str, others: Sequence[str]) -> bool:
    from relyon.measures import measure

    return measure(name) in [measure(other) for other in others]


def _of_values(files: Sequence[str], names: Sequence[str], settings: Options) -> Comparison:
    from relyon.analysis.comparison import compare_values

    if len(files) < 2:
        raise ParameterError(
            message("cli.values-needs-files"), hint=message("cli.relyon-compare-values-old")
        )
    check_stdin(files)
    return compare_values(dict(zip(run_names(files, names), files, strict=True)), **settings)
