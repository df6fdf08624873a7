"""`relyon compare`: differences between runs, and their significance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from relyon.cli.comparing import compare_given
from relyon.cli.described import Described, described_options
from relyon.cli.find_slices import FindSlices, WithSlices
from relyon.cli.gate import check_gate_names, check_gates, explain_command
from relyon.cli.groups import QueryDesign, Statistics
from relyon.cli.inputs import Given, check_stdin, input_options, run_names
from relyon.cli.margins import Margins, with_measures
from relyon.cli.messages import Progress, messages
from relyon.cli.model_judgments import ModelJudgments, WithFewerGrades
from relyon.cli.no_answer import NoAnswer, WithAbstention
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
from relyon.cli.stored import StoredResults
from relyon.cli.summary import Summary
from relyon.cli.systems import Repeated, repeat_cost_option
from relyon.cli.tapes import Tapes, Timed
from relyon.cli.value_gate import ValueGate
from relyon.core.errors import CheckError, ParameterError, StrictError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison
    from relyon.analysis.comparison.query_facts import CompareOptions
    from relyon.analysis.comparison.settings import Options
    from relyon.core.notes import Note
    from relyon.evaluation.program import Average

__all__ = ["command"]

FORMATS = ("table", "markdown", "latex", "json", "csv", "xlsx")

HELP = """Compare runs with significance tests.

\b
Examples:
  relyon compare judgments.qrels bm25.run new.run -m ndcg@10 -m recall@100
  relyon compare judgments.qrels bm25.run tfidf.run new.run --test tukey
  relyon compare judgments.qrels bm25.run new.run --fail-if-worse ndcg@10
  relyon compare judgments.qrels bm25.run new.run --find-slices
  relyon compare --scored test.csv --query query --label label \\
      --score old --score new -m gauc
  relyon compare --values old.csv new.csv
  relyon compare results-old.json results-new.json
  relyon compare judgments.qrels bm25.run new.run --plan --difference 2%

Each candidate is compared with BASELINE query by query: the difference with its
confidence interval, the p-value of a paired test before and after correction
for multiple comparisons, how many queries it wins, ties and loses, the effect
size d_z, the smallest difference that this many queries can detect (power 0.8),
and the queries needed to detect the observed difference.

Traces of agents are compared task by task, as in `relyon evaluate`; the traces
of an agent that ran several times are --system A=a1.jsonl,a2.jsonl.

Stored results, which `relyon evaluate JUDGMENTS RUN -q --format json -o FILE`
writes, can be compared without judgments and runs. They must have been measured
with the same judgments and rules.
"""


@request
class Request:
    """The request of `relyon compare`."""

    judgments: str | None = argument(required=False)
    runs: tuple[str, ...] = argument(metavar="BASELINE CANDIDATE…", nargs=-1)
    measures: tuple[str, ...] = measure_option()
    names: tuple[str, ...] = names_option()
    repeated: Repeated = group(Repeated, repeat_cost=repeat_cost_option())
    statistics: Statistics = group(Statistics)
    gates: tuple[str, ...] = option(
        "--fail-if-worse",
        metavar="MEASURE",
        multiple=True,
        help="Exit with code 1 if a candidate is worse on this measure: its difference is a loss,"
        " and p (of --test, two-sided, after --correction) is at most --alpha, on six queries or"
        " more. Repeat it for several.",
    )
    unless: tuple[str, ...] = option(
        "--fail-unless-not-worse",
        metavar="MEASURE",
        multiple=True,
        help="Exit with code 1 unless each candidate is shown to be better, not worse or equal"
        " within the --margin of this measure; too few queries cannot show it. Repeat it for"
        " several.",
    )
    margins: Margins = group(Margins)
    value_gate: ValueGate = group(ValueGate)
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
    no_answer: NoAnswer = group(NoAnswer)
    model: ModelJudgments = group(ModelJudgments)
    output: Output = group(
        Output,
        forms=fixed(FORMATS),
        wide=fixed(True),
        asked=format_option(*FORMATS, default=None),
        digits=digits_option(),
        path=output_option(),
    )
    summary: Summary = group(Summary)
    design: QueryDesign = group(QueryDesign)
    find_slices: FindSlices = group(FindSlices)
    given: Given = input_options("query", "label", "document")
    stored: StoredResults = group(StoredResults)
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
    sampled = bool(request.model.sample_strata or request.model.sample_weight)
    own_columns = request.design or request.value_gate.value_columns or request.find_slices
    request.described.beside(bool(sampled or own_columns))
    if request.repeated.repeat_cost is not None and not request.plan:
        raise ParameterError(message("cli.repeat-cost-is-for-plan"), hint=message("cli.add-plan"))
    request.statistics.refuse_with_anytime(
        {
            "--answerable": bool(request.no_answer),
            "--model-judgments": bool(request.model),
            "--find-slices": bool(request.find_slices),
        }
    )
    if request.differences and not request.plan:
        raise ParameterError(message("cli.difference-is-for-plan"), hint=message("cli.add-plan"))
    files = [name for name in (request.judgments, *request.runs) if name is not None]
    stored = request.stored.given(files, request.repeated.texts)
    given, (files, systems) = (
        files,
        request.repeated.resolve(
            files, request.names, _refused(request), judged=not (request.values or stored)
        ),
    )
    repeats = [run for runs in systems.values() for run in runs]
    for section in (request.no_answer, request.model):
        section.refuse(
            None if request.plan else request.output.form,
            scored=request.given.scored,
            values=request.values,
            engine=request.engine,
            plan=request.plan,
            system=systems,
            stored_results=stored,
        )
    form = None if request.plan else request.output.form
    request.find_slices.refuse(form, plan=request.plan, engine=request.engine)
    inputs = [*request.given.paths([*files, *repeats]), *request.described.paths]
    inputs += [*request.no_answer.paths, *request.model.paths]
    protect_inputs(request.output.path, inputs)
    protect_inputs(request.summary.path, inputs)
    request.summary.check(request.output.path)
    asked = split_measures(request.measures)
    gates = split_measures(request.gates)
    unless = split_measures(request.unless)
    check_gate_names(gates, unless, request.margins.chosen)
    checked = [*gates, *unless]
    if request.values and request.given.scored:
        raise ParameterError(message("cli.values-and-scored-exclude"))
    needed = [*checked, *request.margins.chosen]
    if stored:
        comparison = request.stored.compare(
            files, request.names, asked, _options(request), systems=systems, checked=needed
        )
    else:
        scored = bool(request.given.scored)
        measured = [] if request.values else _with_gates(asked, needed, scored)
        comparison = _compared(request, files, measured, systems)
    if request.described.queries is not None:
        comparison = comparison.described(request.described.queries)
    abstention = request.no_answer.of_comparison(comparison)
    powered = request.model.of_comparison(
        request.given,
        comparison,
        cluster=request.design.cluster,
        queries=request.described.query_texts,
    )
    slices = request.find_slices.of_comparison(
        comparison, request.described.query_texts, request.given
    )
    found = [one for one in (abstention, powered, slices) if one is not None]
    beside = [note for one in found for note in one.notes]
    if request.strict:
        _refuse_warnings([*comparison.notes, *beside])
    if request.plan:
        _check_plan_form(request.output.form)
        plan = comparison.plan(
            request.differences or None, repeat_cost=request.repeated.repeat_cost
        )
        emit(plan, replace(request.output, digits=None))
    else:
        rows = {"per_query": request.per_query}
        own = dict.fromkeys(("json", "csv", "table"), rows)
        runs = [] if stored or _is_apart(request) else files[1:]
        tapes = Tapes(dict(zip(comparison.runs, runs, strict=False)), comparison.run)
        latency = tapes.latency(comparison)
        shown: object = comparison if latency is None else Timed(comparison, latency, tapes.notes)
        shown = shown if abstention is None else WithAbstention(shown, abstention)
        shown = shown if powered is None else WithFewerGrades(shown, powered)
        shown = shown if slices is None else WithSlices(shown, slices)
        emit(shown, request.output, own=own)
        if latency is None or request.output.form != "json":
            messages.notes((*tapes.notes, *(() if latency is None else latency.notes)))
    if request.output.form != "json":
        messages.notes(comparison.notes)
        messages.notes(beside)
    request.described.notes()
    explain = _nothing_to_explain if stored else explain_command(files)
    failure = None
    try:
        check_gates(comparison, gates, explain, unless, request.value_gate.value_columns)
    except CheckError as error:
        failure = error
    request.summary.write(comparison, given, checked, failure, explain)
    if failure is not None:
        raise failure


def _nothing_to_explain(place: int, query: str, measure: str) -> str:
    """Returns no command: stored results have no lists to explain."""
    return ""


def _options(request: Request) -> CompareOptions:
    """Returns the settings of the tests, and what is known of the queries."""
    by = request.value_gate.with_columns(request.design.by)
    design = replace(request.design, by=by)
    return design.options(request.described.query_texts, **_settings(request))


def _settings(request: Request) -> Options:
    """Returns the settings of the tests."""
    return request.margins.options(**request.statistics.settings(request.threads))


def _is_apart(request: Request) -> bool:
    """Returns whether the arguments are not files of runs, beside which tapes lie."""
    return bool(request.values or request.given.scored or request.engine)


def _refused(request: Request) -> str:
    """Returns an option that was given and does not go with systems."""
    return "--engine" if request.engine else "--scored" if request.given.scored else ""


def _compared(
    request: Request,
    files: Sequence[str],
    measures: Sequence[str],
    systems: Mapping[str, Sequence[str]],
) -> Comparison:
    settings = _settings(request)
    if request.engine:
        from relyon.cli.cluster import Cluster

        request.engine.refuse(
            values=request.values,
            cluster=request.design.cluster,
            by=request.design.by,
            fail_if_worse_in=request.value_gate.value_columns,
        )
        cluster = Cluster(request.engine, request.given, request.average)
        return cluster.compare(files, request.names, measures, settings)
    if request.values:
        return _of_values(files, request.names, _options(request), systems)
    with Progress("cli.comparing") as progress:
        return compare_given(
            request.given,
            files,
            measures,
            _options(request),
            names=systems or request.names,
            average=request.average,
            progress=progress,
            lists=False,
            further=request.find_slices.further,
        )


def _refuse_warnings(notes: Sequence[Note]) -> None:
    """Raises warnings as one error, before anything is written.

    Raises:
        StrictError: If there is one.
    """
    warnings = [note for note in notes if note.level == "warning"]
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
    return with_measures(asked, gates)


def _of_values(
    files: Sequence[str],
    names: Sequence[str],
    settings: CompareOptions,
    systems: Mapping[str, Sequence[str]],
) -> Comparison:
    from relyon.analysis.comparison import compare_values

    if systems:
        check_stdin([run for runs in systems.values() for run in runs])
        return compare_values(systems=systems, **settings)
    if len(files) < 2:
        raise ParameterError(
            message("cli.values-needs-files"), hint=message("cli.relyon-compare-values-old")
        )
    check_stdin(files)
    return compare_values(dict(zip(run_names(files, names), files, strict=True)), **settings)
