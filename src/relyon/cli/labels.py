"""`relyon labels`: labels from clicks, and click models compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from relyon.cli.engine import Engine, engine_options
from relyon.cli.group import CommandGroup
from relyon.cli.inputs import check_stdin, judgments_argument
from relyon.cli.labels_bias import bias
from relyon.cli.labels_simulate import simulate
from relyon.cli.messages import messages
from relyon.cli.option_values import chosen_convention, chosen_scale
from relyon.cli.options import (
    clicks_options,
    convention_options,
    digits_option,
    format_option,
    judgments_format_option,
    no_color_option,
    output_option,
    scale_option,
    threads_option,
)
from relyon.cli.output import emit, form_of, protect_inputs, refuse_existing, written
from relyon.cli.sessions import read_log, source_options
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.labels.actions import Actions
    from relyon.labels.model import ClickModel

__all__ = ["command"]

PAGES = ("table", "markdown", "json", "csv", "html")

HELP = """Derive labels from clicks and compare click models.

\b
Examples:
  relyon labels make clicks.csv --model pbm -o labels.parquet
  relyon labels compare clicks.csv --model pbm --model ubm --model dbn
  relyon labels bias clicks.csv -o bias.html
  relyon labels simulate bm25.run --judgments judgments.qrels -o users.csv

Clicks are biased by position, by what was shown and by misclicks. A click model
describes how users go through a list; its estimate for each document is the
label, with an interval and the number of effective impressions behind it.
"""

MAKE = """Derive labels from a log's clicks: judgments with intervals.

\b
Examples:
  relyon labels make clicks.csv -o labels.parquet
  relyon labels make clicks.csv --model ubm --min-weight 20 -o labels.csv
  relyon labels make clicks.csv --model pbm --prior data \\
      --grading quantile=4 -o grades.parquet
  relyon evaluate labels.parquet new.run -m ndcg@10

Models: sdbn, dbn, dcm, cascade and ccm (the user goes down the list), pbm and
ubm (positions are seen or not), coec and dctr (rates), ratio, ips and snips
(clicks corrected by known examination probabilities). The file has the columns
query, document, grade, low, high and weight; every command that reads judgments
accepts it. A Parquet file also records the labels' assumptions.

With --actions the value of a click depends on what followed: a long stay, a
cart, a purchase. --grading turns labels between 0 and 1 into grades 0, 1, 2 …
"""

COMPARE = """Compare click models by how well they predict clicks, and with human judgments.

\b
Examples:
  relyon labels compare clicks.csv
  relyon labels compare clicks.csv --model rctr --model pbm \\
      --model ubm --format json
  relyon labels compare clicks.csv --model dctr --model pbm --model dbn \\
      --judgments judgments.qrels
  relyon labels compare clicks.csv --model dctr --model pbm \\
      --judgments judgments.qrels -o labels.html

One session in five is held out, chosen by its id; the models are fitted on the
others. Intervals are for the difference from the first model, over queries.

With --judgments, the labels of each model rank the documents that people graded
and the log shows. A model has to beat `dctr`, the plain click rate: name it
first, as differences are from the first model. Predicting clicks better does
not mean agreeing better with people.

A FILE ending in .html is written as a page that opens offline: position bias,
calibration, perplexity by position, and where labels and people disagree.
"""


@click.group(
    "labels",
    help=HELP,
    short_help="Derive labels from clicks and compare click models.",
    cls=CommandGroup,
)
def command() -> None:
    """Runs `relyon labels`."""


@command.command("make", help=MAKE, short_help="Derive labels from a log's clicks.")
@source_options
@click.option(
    "--model",
    metavar="MODEL",
    default="pbm",
    show_default=True,
    help="The click model.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    help="Output file for the labels: .parquet, .csv, .tsv or .jsonl.",
)
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@click.option(
    "--limit",
    "top",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="How many of the best documents to print, by the lower bounds of their labels.",
)
@click.option(
    "--actions",
    metavar="NAME=VALUE,…",
    help="The value of a click by what followed: click, dwell, cart, purchase, such as"
    " click=1,dwell=2,cart=3,purchase=4. With click=0 only conversions count.",
)
@click.option(
    "--long-dwell",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    default=30,
    show_default=True,
    help="With --actions: minimum number of seconds of a dwell.",
)
@click.option(
    "--per-click",
    is_flag=True,
    help="With --actions: the value per click, whatever the click rate.",
)
@click.option(
    "--prior",
    metavar="CLICKS,IMPRESSIONS|data",
    help="The prior of every probability; 1,2 by default, and data estimates it from the log.",
)
@click.option(
    "--grading",
    metavar="NAME=NUMBERS",
    help="Turn labels into grades: threshold=0.1,0.3,0.6, posterior=0.1,0.3,0.6 (exceeded with"
    " a probability of 90%) or quantile=4.",
)
@click.option(
    "--bias",
    metavar="FILE",
    help="For ratio, ips and snips: a file written by `relyon labels bias -o bias.json`."
    "  [default: estimated from the log]",
)
@click.option(
    "--drop-bots", is_flag=True, help="Leave out users with non-human rates of searches or clicks."
)
@click.option("--need-dwell", is_flag=True, help="Ignore clicks without a dwell time.")
@click.option(
    "--min-weight",
    type=click.FloatRange(min=0),
    default=0,
    show_default=True,
    help="Minimum number of effective impressions behind a label.",
)
@clicks_options
@format_option("table", "json", "markdown", help="Output format of the results.")
@digits_option
@threads_option
@engine_options
@no_color_option
def make(
    log: tuple[str, ...],
    columns: tuple[str, ...],
    input_format: str | None,
    model: str,
    output: str,
    force: bool,
    form: str,
    digits: int,
    confidence: float,
    actions: str | None,
    long_dwell: float,
    per_click: bool,
    prior: str | None,
    bias: str | None,
    top: int,
    engine: Engine,
    **options: Any,
) -> None:
    """Runs `relyon labels make`."""

    from relyon import io
    from relyon.labels.derivation import make_labels, model_of

    chosen = model_of(model) if bias is None else _with_bias(model_of(model), bias)
    refuse_existing(output, force)
    valued = _actions(actions, long_dwell, per_click)
    sessions = read_log(log, columns, input_format, [output], engine=engine)
    labels = make_labels(
        sessions,
        chosen,
        level=confidence,
        actions=valued,
        prior=_prior(prior),
        **options,
    )
    messages.notes(labels.notes)
    judgments = labels.judgments
    io.write_judgments(judgments, output, overwrite=force)
    messages.notes(io.unwritten_notes(judgments, output))
    told = {"digits": digits, "language": messages.language, "shown": top}
    emit(written(labels, form, **told))


def _actions(values: str | None, long_dwell: float, per_click: bool) -> Actions | None:
    """Returns the value of a click by what followed it."""
    from relyon.labels.actions import Actions

    if values is None:
        if per_click:
            raise ParameterError(
                message("cli.per-click-needs-actions"), hint=message("cli.such-as-click-0")
            )
        return None
    found = {}
    for part in values.split(","):
        name, _, value = part.partition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            raise ParameterError(
                message("cli.is-not-action-value", part=part),
                hint=message("cli.such-as-click-1"),
            ) from None
    return Actions(found, long_dwell, "click" if per_click else "impression")


def _prior(text: str | None) -> Any:
    return text if text in {None, "data"} else tuple(str(text).split(","))


def _with_bias(model: ClickModel, path: str) -> ClickModel:
    """Returns the model with the given examination probabilities."""
    from dataclasses import replace

    from relyon.labels.correction import Corrected
    from relyon.labels.position_bias.bias_file import read_bias

    if not isinstance(model, Corrected):
        raise ParameterError(
            message("cli.click-model-does", name=model.name),
            hint=message("cli.use-ratio"),
        )
    return replace(model, examination=read_bias(path))


@command.command(
    "compare", help=COMPARE, short_help="Compare click models, and with human judgments."
)
@source_options
@click.option(
    "--model",
    "models",
    metavar="MODEL",
    multiple=True,
    default=("pbm", "ubm", "dbn"),
    help="A click model; repeat it for several.  [default: pbm, ubm, dbn]",
)
@click.option(
    "--parts",
    type=click.IntRange(min=2),
    default=5,
    show_default=True,
    help="Hold out one session in N.",
)
@click.option(
    "--judgments",
    metavar="FILE",
    help="Human judgments, in any format, to compare the labels with.",
)
@click.option(
    "-m",
    "--measure",
    "measures",
    metavar="MEASURE",
    multiple=True,
    help="A measure of the labels against the grades, such as auc(rel=2); repeat it for"
    " several.  [default: ndcg@10, auc, gauc, tau]",
)
@convention_options
@scale_option
@judgments_format_option
@clicks_options
@format_option(
    *PAGES,
    default=None,
)
@digits_option
@output_option
@threads_option
@no_color_option
def compare(
    log: tuple[str, ...],
    columns: tuple[str, ...],
    input_format: str | None,
    models: tuple[str, ...],
    judgments: str | None,
    measures: tuple[str, ...],
    convention: str | None,
    changes: tuple[str, ...],
    scale: str | None,
    judgments_format: str | None,
    form: str | None,
    output: str | None,
    digits: int,
    confidence: float,
    **options: Any,
) -> None:
    """Runs `relyon labels compare`."""
    from relyon.labels.derivation import model_of
    from relyon.labels.human_grades import MEASURES
    from relyon.labels.model_comparison import compare_models

    form = form or form_of(output, PAGES)
    chosen = [model_of(model) for model in models]
    protect_inputs(output, (*log, judgments))
    check_stdin([*log, *([judgments] if judgments else [])])
    rules = chosen_convention(convention, changes)
    grades = None
    if judgments is not None:
        grades = judgments_argument(judgments, judgments_format, None, chosen_scale(scale))
        messages.notes(grades.notes)
    elif measures or convention or changes or scale or judgments_format:
        raise ParameterError(message("cli.measure-scale-and-similar"))
    sessions = read_log(log, columns, input_format, [output])
    found = compare_models(
        sessions,
        chosen,
        judgments=grades,
        measures=measures or MEASURES,
        convention=rules,
        estimators=["all-pairs"] if form == "html" else [],
        level=confidence,
        **options,
    )
    messages.notes(found.notes)
    told = {"digits": digits, "language": messages.language}
    if form == "html":
        from relyon.report import render_labels_report

        text = render_labels_report(found, language=messages.language)
    else:
        text = written(found, form, **told)
    emit(text, output)


command.add_command(bias)
command.add_command(simulate)
