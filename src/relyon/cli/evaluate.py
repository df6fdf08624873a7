"""`relyon evaluate`: measures of runs or labelled scores."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from relyon.cli.engine import Engine, engine_options
from relyon.cli.inputs import Given, check_files, run_names
from relyon.cli.messages import Progress, messages
from relyon.cli.option_values import split_measures
from relyon.cli.options import (
    average_option,
    confidence_option,
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
from relyon.cli.output import emit, form_of, is_folder, protect_inputs, terminal_columns
from relyon.core.errors import ParameterError
from relyon.core.notes import shared_notes
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.analysis.uncertainty import MeasureIntervals
    from relyon.data.run import Run
    from relyon.evaluation.results import Results
    from relyon.io import Source
    from relyon.measures import Measure

__all__ = ["command"]

FORMATS = ("table", "json", "jsonl", "csv", "markdown", "trec")

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
compressed; - is stdin. Measures that compare two rankings (rbo, overlap@k,
tau_ap) take a run in place of the judgments.

With --scored, one file contains labels and scores: a table, or an
SVMlight/LETOR file with its scores in --scores FILE. Give several models as
several columns (--score old --score new) or one file each (--scored old.csv
new.csv).
"""


@click.command("evaluate", help=HELP, short_help="Measure one or several runs against judgments.")
@click.argument("judgments", required=False)
@click.argument("runs", metavar="RUN…", nargs=-1)
@measure_option(scored=True)
@names_option
@click.option("-q", "--per-query", is_flag=True, help="Also print the values of each query.")
@click.option(
    "--intervals",
    is_flag=True,
    help="Print confidence intervals: over queries, and for labels derived from clicks.",
)
@confidence_option
@click.option(
    "--per-query-to",
    metavar="FOLDER",
    help="With --engine spark: have the cluster write the values of each query to a folder, as"
    " Parquet with the columns run, query and one per measure.",
)
@average_option
@format_option(
    *FORMATS,
    default=None,
    help="Output format. json has full precision and one object per run; trec is trec_eval's"
    " format, with a fourth column for the run if there are several, or one file per run"
    " with -o FOLDER/.",
)
@digits_option
@output_option
@click.option(
    "--strict",
    is_flag=True,
    help="Treat warnings about the data as errors: exit code 1, no output.",
)
@input_options("query", "label", "document", "weight")
@threads_option
@engine_options
@plugin_option
@no_color_option
def command(
    judgments: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    names: tuple[str, ...],
    per_query: bool,
    intervals: bool,
    confidence: float,
    per_query_to: str | None,
    average: str | None,
    form: str | None,
    digits: int,
    output: str | None,
    strict: bool,
    given: Given,
    threads: int,
    engine: Engine,
) -> None:
    """Runs `relyon evaluate`."""
    form = form or form_of(output, FORMATS)
    asked = split_measures(measures)
    files = [name for name in (judgments, *runs) if name is not None]
    protect_inputs(output, given.paths(files))
    if per_query_to is not None and not engine:
        raise ParameterError(
            message("cli.per-query-to-is-for-engine"), hint=message("cli.add-engine-spark")
        )
    common: dict[str, Any] = {"average": average, "strict": strict}
    if intervals:
        _refuse_beside_intervals(form, {"--scored": bool(given.scored), "-q": per_query})
        common["level"] = confidence
    results: Any
    tags: list[str] = []
    if not given.scored:
        check_files(files, "evaluate")
    if engine:
        from relyon.cli.cluster import Cluster

        engine.refuse(intervals=intervals, threads=threads)
        measured = asked if given.scored else _measures(asked, form)
        results, tags = Cluster(engine, given, average).evaluate(
            files, names, measured, per_query=per_query, target=per_query_to, strict=strict
        )
    elif given.scored:
        common["threads"] = threads
        results = [
            one.evaluate(asked, given.convention, given.scale, common)
            for one in given.scored.models(files, names)
        ]
    else:
        results, tags = _runs(files, names, _measures(asked, form), given, threads, common)
    if intervals:
        emit(_intervals_text(results, form, digits, output), output)
        messages.notes(shared_notes((run.run, run.notes) for run in results))
        return
    header: list[list[tuple[str, str]]] = []
    if form == "trec" and not asked and not given.scored:
        header = [[("runid", tag)] for tag in tags]
    if form == "trec" and output is not None and is_folder(output):
        _one_file_each(results, output, per_query, digits, header, given.paths(files))
    else:
        emit(_text(results, form, per_query, digits, output, header), output)
    _say(results, form)


def _measures(names: list[str], form: str) -> list[Measure]:
    """Returns the requested measures, or the default ones."""
    from relyon.evaluation import DEFAULT_MEASURES
    from relyon.measures.parser import measures

    return measures(names or ("official" if form == "trec" else DEFAULT_MEASURES))


def _runs(
    files: Sequence[str],
    names: Sequence[str],
    measures: list[Measure],
    given: Given,
    threads: int,
    common: Mapping[str, Any],
) -> tuple[list[Any], list[str]]:
    """Evaluates runs one by one against judgments that are read once.

    Returns:
        The results, with intervals if `common` has a level, and each run's tag.
    """
    from relyon.evaluation import Evaluator

    given.check_columns(files)
    reference: Any
    if all(one.needs == "reference" for one in measures):
        reference = given.run(files[0], None, whole=True)
    else:
        reference = given.judgments(files[0])
    evaluator = Evaluator(
        reference, convention=given.convention, scale=given.scale, threads=threads
    )
    evaluate: Any = evaluator.evaluate
    if "level" in common:
        from relyon.analysis.uncertainty import measure_intervals

        evaluate = partial(measure_intervals, evaluator)
    results: list[Any] = []
    tags: list[str] = []
    runs = files[1:]
    with Progress("cli.evaluating") as progress, given.naming():
        for path, name in zip(runs, run_names(runs, names), strict=True):
            progress(len(results), len(runs), name)
            run = given.run(path, name)
            results.append(evaluate(run, measures, name=name, **common))
            tags.append(_tag(run) or name)
    return results, tags


def _refuse_beside_intervals(form: str, others: Mapping[str, bool]) -> None:
    for name in (*(name for name, given in others.items() if given), *({form} & {"trec", "jsonl"})):
        raise ParameterError(
            message("cli.intervals-and-exclude-each", name=name),
            hint=message("cli.intervals-prints-table"),
        )


def _intervals_text(
    results: Sequence[MeasureIntervals], form: str, digits: int, output: str | None
) -> str:
    told: dict[str, Any] = {"digits": digits, "language": messages.language}
    if form == "json":
        return "\n".join(one.to_json() for one in results)
    if form == "csv":
        rows = [one.to_csv().splitlines() for one in results]
        return "\n".join([*rows[0], *(line for one in rows[1:] for line in one[1:])])
    columns = terminal_columns() if output is None else None
    texts = [
        one.to_markdown(**told) if form == "markdown" else one.to_text(columns=columns, **told)
        for one in results
    ]
    if not results[1:]:
        return texts[0]
    return "\n\n".join(f"{one.run}\n\n{text}" for one, text in zip(results, texts, strict=True))


def _text(
    results: Sequence[Results],
    form: str,
    per_query: bool,
    digits: int,
    output: str | None,
    header: Sequence[Sequence[tuple[str, str]]],
) -> str:
    from relyon.evaluation.side_by_side import SideBySide

    found = SideBySide(results)
    if form == "table":
        columns = terminal_columns() if output is None else None
        return found.to_text(
            per_query=per_query, digits=digits, columns=columns, language=messages.language
        )
    if form == "markdown":
        return found.to_markdown(per_query=per_query, digits=digits, language=messages.language)
    if form == "trec":
        return found.to_trec(per_query=per_query, digits=digits, header=header)
    write = {"json": found.to_json, "jsonl": found.to_jsonl, "csv": found.to_csv}[form]
    return write(per_query=per_query)


def _one_file_each(
    results: Sequence[Results],
    folder: str,
    per_query: bool,
    digits: int,
    header: Sequence[Sequence[tuple[str, str]]],
    inputs: Sequence[str | None],
) -> None:
    """Writes trec_eval's output for each run to a file named after the run."""
    os.makedirs(folder, exist_ok=True)
    for place, run in enumerate(results):
        path = os.path.join(folder, re.sub(r"[/\\\0-\x1f]+", "_", run.run) + ".eval")
        protect_inputs(path, inputs)
        emit(_text([run], "trec", per_query, digits, path, header[place : place + 1]), path)


def _tag(run: Run | Source) -> str:
    """Returns the tag in a TREC run's first line; trec_eval prints it first."""
    from relyon.data.run import Run
    from relyon.io.format import first_lines

    if isinstance(run, Run):
        return run.tag
    fields = b"".join(first_lines(run.head)).split(None, 5)
    if run.format != "trec" or len(fields) < 6:
        return ""
    return fields[5].decode("utf-8", "replace").rstrip()


def _say(results: Sequence[Results], form: str) -> None:
    """Writes the notes, and the convention if the data does not contain it."""
    if form in {"csv", "trec"}:
        from relyon.evaluation.measure_tables import rules_line

        messages.dim(rules_line(results[0], messages.language))
    messages.notes(shared_notes((run.run, run.notes) for run in results))
