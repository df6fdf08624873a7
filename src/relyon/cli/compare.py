"""`relyon compare`: what changed between runs, and whether it is significant."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import click

from relyon.cli.described import Described, described_options
from relyon.cli.engine import Engine, engine_options
from relyon.cli.inputs import Given, check_stdin, run_names
from relyon.cli.messages import Progress, messages
from relyon.cli.option_values import split_measures
from relyon.cli.options import (
    average_option,
    comparison_options,
    digits_option,
    format_option,
    input_options,
    measure_option,
    names_option,
    no_color_option,
    output_option,
    plugin_option,
    threads_option,
)
from relyon.cli.output import emit, form_of, protect_inputs, terminal_columns
from relyon.cli.plan_output import written
from relyon.core.errors import CheckError, ParameterError, UnknownNameError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison, Contrast

__all__ = ["command"]

FORMATS = ("table", "markdown", "latex", "json", "csv")

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


@click.command("compare", help=HELP, short_help="Compare runs with significance tests.")
@click.argument("judgments", required=False)
@click.argument("runs", metavar="BASELINE CANDIDATE…", nargs=-1)
@measure_option()
@names_option
@comparison_options
@click.option(
    "--fail-if-worse",
    "gates",
    metavar="MEASURE",
    multiple=True,
    help="Exit with code 1 if a candidate is significantly worse on this measure: a gate for"
    " continuous integration. Repeat it for several.",
)
@click.option(
    "-q", "--per-query", is_flag=True, help="Print every query's difference (table, csv)."
)
@click.option(
    "--plan",
    is_flag=True,
    help="Print how many queries to grade to detect a difference, given the spread of these runs.",
)
@click.option(
    "--difference",
    "differences",
    metavar="NUMBER|PERCENT",
    multiple=True,
    help="With --plan: a difference to detect, such as 0.01, or 2% of the baseline's value;"
    " repeat it for several. Without it: 1, 2, 5 and 10%.",
)
@described_options(documents=False)
@average_option
@format_option(*FORMATS, default=None)
@digits_option
@output_option
@input_options("query", "label", "document")
@click.option(
    "--values", is_flag=True, help="The files contain per-query values; no judgments are needed."
)
@threads_option
@engine_options
@plugin_option
@no_color_option
def command(
    judgments: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    names: tuple[str, ...],
    settings: dict[str, Any],
    gates: tuple[str, ...],
    per_query: bool,
    plan: bool,
    differences: tuple[str, ...],
    described: Described,
    average: str | None,
    form: str | None,
    digits: int,
    output: str | None,
    given: Given,
    values: bool,
    threads: int,
    engine: Engine,
) -> None:
    """Runs `relyon compare`."""
    form = form or form_of(output, FORMATS)
    if differences and not plan:
        raise ParameterError(message("cli.difference-is-for-plan"), hint=message("cli.add-plan"))
    files = [name for name in (judgments, *runs) if name is not None]
    protect_inputs(output, [*given.paths(files), *described.paths])
    settings["threads"] = threads
    asked = split_measures(measures)
    gate_names = split_measures(gates)
    _check_gate_names(gate_names)
    if values and given.scored:
        raise ParameterError(message("cli.values-and-scored-exclude"))
    measured = [] if values else _with_gates(asked, gate_names, bool(given.scored))
    if engine:
        from relyon.cli.cluster import Cluster

        engine.refuse(values=values)
        comparison = Cluster(engine, given, average).compare(files, names, measured, settings)
    elif values:
        comparison = _of_values(files, names, settings)
    else:
        with Progress("cli.comparing") as progress:
            comparison = given.compare(
                files,
                measured,
                settings,
                names=names,
                average=average,
                progress=progress,
                lists=False,
            )
    if described.queries is not None:
        comparison = comparison.described(described.queries)
    if plan:
        text = written(comparison.plan(differences or None), form, output)
    else:
        text = _text(comparison, form, digits, output, per_query)
    emit(text, output)
    if form != "json":
        messages.notes(comparison.notes)
    described.notes()
    _check_gates(comparison, gate_names)


def _check_gate_names(gates: Sequence[str]) -> None:
    """Rejects a check that could never fail.

    Raises:
        ParameterError: If a measure is not tested, as it describes the data.
    """
    from relyon.analysis.comparison.contrast import UNTESTED, describes_data

    for name in filter(describes_data, gates):
        raise ParameterError(
            message(
                "cli.fail-if-worse-name",
                name=name,
                untested=message(UNTESTED),
            ),
            hint=message("cli.name-measure-of-quality"),
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


def _of_values(files: Sequence[str], names: Sequence[str], settings: dict[str, Any]) -> Comparison:
    from relyon.analysis.comparison import compare_values

    if len(files) < 2:
        raise ParameterError(
            message("cli.values-needs-files"), hint=message("cli.relyon-compare-values-old")
        )
    check_stdin(files)
    return compare_values(dict(zip(run_names(files, names), files, strict=True)), **settings)


def _text(
    comparison: Comparison, form: str, digits: int, output: str | None, per_query: bool
) -> str:
    if form == "json":
        import json

        found = comparison.to_dict()
        if per_query:
            found["per_query"] = {
                candidate: {
                    name: comparison.deltas(candidate, name) for name in comparison.measures
                }
                for candidate in comparison.candidates
            }
            if comparison.query_texts is not None:
                found["query_texts"] = dict(comparison.query_texts)
        return json.dumps(found, ensure_ascii=False, indent=2)
    if form == "csv":
        return comparison.to_csv(per_query=per_query)
    if form == "markdown":
        return comparison.to_markdown(digits=digits, language=messages.language)
    if form == "latex":
        return comparison.to_latex(digits=digits, language=messages.language)
    columns = terminal_columns() if output is None else None
    return comparison.to_text(
        digits=digits, per_query=per_query, columns=columns, language=messages.language
    )


def _check_gates(comparison: Comparison, gates: Sequence[str]) -> None:
    """Fails if a candidate is significantly worse on one of the measures.

    Raises:
        CheckError: If it is.
    """
    worse: list[Contrast] = []
    for name in gates:
        try:
            worse += comparison.regressions(name)
        except UnknownNameError as error:
            error.hint = error.hint or "name it with -m too"
            raise
    if not worse:
        return
    from relyon.core.texts.numbers import TERMINAL

    lines = [
        message(
            "cli.candidate-is-worse",
            candidate=one.candidate,
            baseline=one.baseline,
            measure=one.measure,
            before=one.baseline_mean,
            after=one.candidate_mean,
            difference=TERMINAL.signed(one.difference),
            p=TERMINAL.p_equation(one.p_adjusted),
            losses=one.losses,
            queries=one.queries,
        )
        for one in worse
    ]
    said = reduce(lambda above, line: message("cli.lines", above=above, line=line), lines)
    raise CheckError(said, hint=_look(worse[0], comparison))


def _look(one: Contrast, comparison: Comparison) -> str:
    from relyon.analysis.comparison.contrast import gain_sign

    deltas = comparison.deltas(one.candidate, one.measure)
    sign = gain_sign(one.measure)
    query = min(deltas, key=lambda name: sign * deltas[name])
    return message(
        "cli.look-at-query",
        query=query,
    )
