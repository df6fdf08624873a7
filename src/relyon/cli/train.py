"""`relyon train`: trains a ranker and evaluates it on held-out queries."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import click

from relyon.cli.groups import Rules
from relyon.cli.inputs import check_stdin
from relyon.cli.judged import JudgedOptions
from relyon.cli.messages import Progress, messages
from relyon.cli.option_values import chosen_scale
from relyon.cli.options import (
    confidence_option,
    digits_option,
    format_option,
    no_color_option,
    plugin_option,
    scale_option,
    seed_option,
    threads_option,
)
from relyon.cli.output import Output, emit, protect_inputs, refuse_existing, write
from relyon.cli.request import argument, fixed, flag, group, option, request, takes
from relyon.cli.row_options import RowOptions, duplicates_option, read_rows
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.data.convention import Convention
    from relyon.data.labelled import LabelledRows
    from relyon.data.scale import Scale
    from relyon.ltr import Training
    from relyon.ltr.preparation.query_split import Duplicates
    from relyon.ltr.rankers.watched_rows import Stop
    from relyon.report import Format

__all__ = ["command"]

#: Parameters of rankers with an option of their own.
OWN = frozenset({"measure", "convention", "seed", "threads", "engine", "scorer", "stop"})

HELP = """Train a ranker and measure it on held-out queries.

\b
Examples:
  relyon train features.csv --check-only
  relyon train features.csv -o ranker.model -m ndcg@10
  relyon train features.csv -o ranker.model --ranker lambdamart \\
      -p trees=50 -p leaves=7 --folds 3 --force
  relyon train features.csv -o ranker.model --valid heldout.csv \\
      --run heldout.run --card card.md --force

DATA has one row per query and document: a label, and features in the other
columns. Formats: SVMlight/LETOR, CSV, TSV, JSON Lines and Parquet. Needs pip
install 'relyon[ltr]'.

Evaluation is by cross-validation: each query is ranked by a ranker trained on
the other folds, so the result is for unseen queries; the saved ranker is
trained on all queries. With --valid it is evaluated on those rows instead. The
same is done with a baseline, a plain regression of labels, and the difference
is tested query by query. --search tunes parameters on training queries only.
--stop finds the number of trees on a fifth of the training queries, then
retrains on all of them.

--against tests the difference from an earlier ranker on the rows of --valid, or
from the value on its card. Values with another measure, convention or query set
are not compared; a message says what differs.

--check-only looks for common training problems: an objective that is not the
measure, queries whose labels are all equal, a feature that leaks the label, a
row order that leaks labels, queries in both DATA and --valid.

--run writes the held-out rankings as a run for evaluate, compare and report.
Tied scores count as the mean over their orders.
"""


@request
class Request:
    """The request of `relyon train`."""

    data: str = argument()
    output: str | None = option(
        "-o", "--output", metavar="FILE", help="Output file for the trained ranker."
    )
    check: bool = flag(
        "--check-only", help="Check rows and settings for problems without training."
    )
    force: bool = flag("--force", help="Replace existing files.")
    measure: str = option(
        "-m",
        "--measure",
        metavar="MEASURE",
        default="ndcg@10",
        show_default=True,
        help="The measure to optimise and report.",
    )
    ranker: str = option(
        "--ranker",
        metavar="NAME",
        default="lambdamart",
        show_default=True,
        help="The ranker, such as lambdamart, ranknet, listnet or regression.",
    )
    scorer: Literal["trees", "linear", "neural"] | None = option(
        "--scorer",
        type=click.Choice(["trees", "linear", "neural"]),
        help="The kind of scoring model.  [default: trees]",
    )
    engine: str | None = option(
        "--engine",
        metavar="NAME",
        help="The library that grows trees: lightgbm, xgboost or catboost.",
    )
    parameters: tuple[str, ...] = option(
        "-p",
        "--parameter",
        metavar="NAME=VALUE",
        multiple=True,
        help="A parameter of the ranker, such as trees=200 or learning_rate=0.05.",
    )
    valid: str | None = option("--valid", metavar="DATA", help="Held-out rows, instead of folds.")
    valid_groups: str | None = option(
        "--valid-groups", metavar="FILE", help="The --groups file of --valid."
    )
    folds: int = option(
        "--folds", type=click.IntRange(min=3), default=5, show_default=True, help="Number of folds."
    )
    duplicates: Duplicates = duplicates_option()
    stop: str | None = option(
        "--stop",
        metavar="N|significance",
        help="Early stopping: after N trees (epochs, iterations) without improvement on the --watch"
        " rows, or when they are significantly worse than at the best.  [default: none]",
    )
    watch: str | None = option(
        "--watch",
        metavar="DATA",
        help="Validation rows for --stop.  [default: a fifth of the training queries]",
    )
    watch_groups: str | None = option(
        "--watch-groups", metavar="FILE", help="The --groups file of --watch."
    )
    search: int = option(
        "--search",
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        help="Try N settings with Optuna before each training.  [default: none]",
    )
    baseline: str = option(
        "--baseline",
        metavar="NAME",
        default="regression",
        show_default=True,
        help="The ranker to compare with; none disables the comparison.",
    )
    against: str | None = option(
        "--against", metavar="FILE", help="An earlier ranker, or its card as JSON, to compare with."
    )
    segments: str | None = option(
        "--segments",
        metavar="FILE",
        help="A table with the columns query and segment.  [default: by the number of relevant"
        " documents]",
    )
    run: str | None = option(
        "--run", metavar="FILE", help="Output file for the rankings of held-out queries."
    )
    card: str | None = option(
        "--card", metavar="FILE", help="Output file for the model card: .md, .json or .csv."
    )
    report: str | None = option(
        "--report", metavar="FILE", help="Output file for a report on the training: .html or .md."
    )
    seed: int = seed_option("The same seed and data give the same ranker.")
    rows: RowOptions = group(RowOptions)
    judged: JudgedOptions = group(JudgedOptions)
    scale: str | None = scale_option()
    rules: Rules = group(Rules)
    confidence: float = confidence_option()
    summary: Output = group(
        Output,
        forms=fixed(("table", "json", "markdown", "csv")),
        asked=format_option(
            "table", "json", "markdown", "csv", help="Output format of the results."
        ),
        digits=digits_option(),
    )
    threads: int = threads_option()


@click.command("train", help=HELP, short_help="Train a ranker and measure it on held-out queries.")
@takes(Request)
@plugin_option
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon train`."""
    from relyon.ltr import train

    if request.check:
        _check(request)
        return
    if request.output is None:
        raise ParameterError(message("cli.o-is-missing"), hint=message("cli.name-file-for-ranker"))
    targets = [request.output, *filter(None, (request.run, request.card, request.report))]
    inputs = [
        request.data,
        request.valid,
        request.watch,
        request.segments,
        request.judged.judgments,
        request.against,
    ]
    check_stdin([name for name in inputs if name])
    for target in targets:
        protect_inputs(target, inputs)
        refuse_existing(target, request.force)
    if len({os.path.abspath(name) for name in targets}) < len(targets):
        raise ParameterError(
            message("cli.two-outputs-have-same"), hint=message("cli.name-each-file-once")
        )
    if request.output == "-":
        raise ParameterError(message("cli.ranker-cannot-be-written"), hint=message("cli.name-file"))
    card = Output(
        forms=("markdown", "json", "csv"), path=request.card, digits=request.summary.digits
    )
    page_form = _page_form(request.report)
    known = chosen_scale(request.scale)
    stop = _stop(request.stop, request.watch)
    rows, held = _both(request, known)
    watch = None
    if request.watch:
        watch = _read(request, request.watch, known, request.watch_groups)
    given = named_parameters(request.parameters)
    own = {"engine": request.engine, "scorer": request.scorer}
    given |= {name: value for name, value in own.items() if value}
    with Progress("cli.training", after=0.2) as progress:
        found = train(
            rows,
            request.ranker,
            request.measure,
            convention=_rules(request.rules.chosen(), known, request.measure),
            valid=held,
            folds=request.folds,
            search=request.search,
            stop=stop,
            watch=watch,
            baseline=None if request.baseline == "none" else request.baseline,
            against=request.against,
            segments=_segments(request.segments),
            level=request.confidence,
            seed=request.seed,
            threads=request.threads,
            duplicates=request.duplicates,
            progress=progress,
            **given,
        )
    messages.notes(found.notes)
    found.ranker.save(request.output)
    _write_run(found, request.run, request.force)
    if request.card:
        emit(found.card, card)
    if request.report:
        from relyon.report import render_training_report

        page = render_training_report(found, format=page_form, language=messages.language)
        write(page, request.report)
    emit(found, request.summary)


def _rules(convention: Convention, scale: Scale | None, measure: str) -> Convention:
    """Returns the convention, with the scale's threshold if the measure needs one.

    A ranker has no scale, and must be trained for what `relyon evaluate --scale` measures.
    """
    from relyon.data.convention import load_convention
    from relyon.measures.parser import measure as parse_measure

    found = load_convention(convention)
    if scale is None or found.rel is not None or scale.relevant_from == 1:
        return found
    open_threshold = getattr(parse_measure(measure), "rel", scale) is None
    return found.replace(rel=scale.relevant_from) if open_threshold else found


def _read(request: Request, path: str, scale: Scale | None, groups: str | None) -> LabelledRows:
    return read_rows(path, request.rows, scale, judged=request.judged, groups=groups)


def _both(request: Request, scale: Scale | None) -> tuple[LabelledRows, LabelledRows | None]:
    """Reads the rows, and those of --valid."""
    rows = _read(request, request.data, scale, request.rows.groups)
    if not request.valid:
        return rows, None
    return rows, _read(request, request.valid, scale, request.valid_groups)


def _check(request: Request) -> None:
    """Runs `relyon train --check-only`."""
    from relyon.ltr import check, ranker as ranker_of
    from relyon.ltr.rankers.training_loss import trained_loss

    known = chosen_scale(request.scale)
    convention = _rules(request.rules.chosen(), known, request.measure)
    rows, held = _both(request, known)
    found = check(
        rows,
        measure=request.measure,
        loss=trained_loss(ranker_of(request.ranker).loss, request.measure, convention, rows),
        engine=request.engine or "lightgbm",
        convention=convention,
        scale=known,
        sides={} if held is None else {os.path.basename(str(request.valid)): held},
    )
    emit(found, replace(request.summary, digits=None))


def named_parameters(texts: Sequence[str]) -> dict[str, object]:
    """Returns parameters of a ranker: numbers if the text is one, else text.

    Args:
        texts: NAME=VALUE each.

    Raises:
        ParameterError: If one is not NAME=VALUE, or the name has an option of its own.

    Examples:
        >>> named_parameters(["trees=200", "learning_rate=0.05", "attention=true", "depth=none"])
        {'trees': 200, 'learning_rate': 0.05, 'attention': True, 'depth': None}
    """
    words = {"true": True, "false": False, "none": None}
    found: dict[str, object] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name or not value:
            raise ParameterError(
                message("cli.p-is-not-name", text=text), hint=message("cli.such-as-p-trees")
            )
        if name in OWN:
            raise ParameterError(message("cli.has-own-option", name=name))
        found[name] = words[value.lower()] if value.lower() in words else _number(value)
    return found


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _stop(text: str | None, watch: str | None) -> Stop:
    """Returns the rule of early stopping."""
    if text is None and watch is not None:
        raise ParameterError(message("cli.watch-is-for-stop"), hint=message("cli.add-stop-20"))
    if text is None:
        return None
    if text == "significance":
        return "significance"
    found = _number(text)
    if isinstance(found, int) and found >= 1:
        return found
    raise ParameterError(
        message("cli.stop-is-neither-whole", text=text),
        hint=message("cli.stop-20"),
    )


def _page_form(path: str | None) -> Format:
    """Returns the format of the page; checked before training, which may take long."""
    if path is None:
        return "html"
    from relyon.report import format_of

    return format_of(path)


def _segments(path: str | None) -> Mapping[str, str] | None:
    """Reads the segment of each query."""
    if path is None:
        return None
    from relyon.core.errors import InputError
    from relyon.io.table_files import read_table

    table = read_table(path)
    if not {"query", "segment"} <= set(table.columns):
        raise InputError(
            message("cli.expected-columns-query", names=table.columns),
            path=path,
        )
    return {str(query): str(name) for query, name in table.select("query", "segment").iter_rows()}


def _write_run(found: Training, path: str | None, force: bool) -> None:
    if path is None:
        return
    from relyon import io

    io.write_run(found.run, path, overwrite=force)
