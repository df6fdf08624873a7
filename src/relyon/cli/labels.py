"""`relyon labels`: labels from clicks, and click models compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from relyon.cli.group import CommandGroup
from relyon.cli.groups import Clicks, Rules
from relyon.cli.inputs import check_stdin
from relyon.cli.judged import graded_by
from relyon.cli.labels_bias import bias
from relyon.cli.labels_simulate import simulate
from relyon.cli.messages import messages
from relyon.cli.option_values import chosen_scale
from relyon.cli.options import (
    digits_option,
    format_option,
    judgments_format_option,
    no_color_option,
    output_option,
    own_columns_option,
    scale_option,
    seed_option,
    threads_option,
)
from relyon.cli.output import Charted, Output, emit, protect_inputs, refuse_existing
from relyon.cli.request import fixed, flag, group, option, request, takes
from relyon.cli.sessions import LogSource
from relyon.cli.spark_engine import Engine
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.labels import ModelComparison
    from relyon.labels.actions import Actions
    from relyon.labels.model import ClickModel

__all__ = ["command"]

PAGES = ("table", "markdown", "json", "csv", "html")

HELP = """Derive labels from clicks and compare click models.

\b
Examples:
  relyon labels make clicks.csv -o labels.parquet
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

By default the log decides: the plain click rate where there are few impressions
per label or positions cannot be compared, otherwise the model that users follow
and that predicts held-out clicks best. The output says why, and whether users
follow the model.

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


@request
class Make:
    """The request of `relyon labels make`."""

    source: LogSource = group(LogSource)
    model: str = option(
        "--model",
        metavar="MODEL",
        default="auto",
        show_default=True,
        help="The click model; auto chooses what the log supports.",
    )
    clickless: Literal["seen", "left-out"] | None = option(
        "--clickless",
        type=click.Choice(["seen", "left-out"]),
        help="For sdbn and dcm: count sessions without a click as wholly seen, or leave them out."
        "  [default: seen]",
    )
    output: str = option(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help="Output file for the labels: .parquet, .csv, .tsv or .jsonl.",
    )
    force: bool = flag("--force", help="Replace the file if it exists.")
    top: int = option(
        "--limit",
        type=click.IntRange(min=0),
        default=5,
        show_default=True,
        help="How many of the best documents to print, by the lower bounds of their labels.",
    )
    actions: str | None = option(
        "--actions",
        metavar="NAME=VALUE,…",
        help="The value of a click by what followed: click, dwell, cart, purchase, such as"
        " click=1,dwell=2,cart=3,purchase=4. With click=0 only conversions count.",
    )
    long_dwell: float = option(
        "--long-dwell",
        type=click.FloatRange(min=0),
        metavar="SECONDS",
        default=30,
        show_default=True,
        help="With --actions: minimum number of seconds of a dwell.",
    )
    per_click: bool = flag(
        "--per-click", help="With --actions: the value per click, whatever the click rate."
    )
    prior: str | None = option(
        "--prior",
        metavar="CLICKS,IMPRESSIONS|data",
        help="The prior of every probability; 1,2 by default, and data estimates it from the log.",
    )
    grading: str | None = option(
        "--grading",
        metavar="NAME=NUMBERS",
        help="Turn labels into grades: threshold=0.1,0.3,0.6, posterior=0.1,0.3,0.6 (exceeded with"
        " a probability of 90%) or quantile=4.",
    )
    bias: str | None = option(
        "--bias",
        metavar="FILE",
        help="For ratio, ips and snips: a file written by `relyon labels bias -o bias.json`."
        "  [default: estimated from the log]",
    )
    drop_bots: bool = flag(
        "--drop-bots", help="Leave out users with non-human rates of searches or clicks."
    )
    need_dwell: bool = flag("--need-dwell", help="Ignore clicks without a dwell time.")
    min_weight: float = option(
        "--min-weight",
        type=click.FloatRange(min=0),
        default=0,
        show_default=True,
        help="Minimum number of effective impressions behind a label.",
    )
    clicks: Clicks = group(Clicks)
    summary: Output = group(
        Output,
        forms=fixed(("table", "json", "markdown")),
        asked=format_option("table", "json", "markdown", help="Output format of the results."),
        digits=digits_option(),
    )
    seed: int = seed_option("The same seed chooses and checks the model on the same sessions.")
    threads: int = threads_option()
    engine: Engine = group(Engine)


@command.command("make", help=MAKE, short_help="Derive labels from a log's clicks.")
@takes(Make)
@no_color_option
def make(request: Make) -> None:
    """Runs `relyon labels make`."""

    from relyon import io
    from relyon.core.packages import scipy_part
    from relyon.labels.derivation import make_labels

    scipy_part("special")  # before Spark starts
    chosen = _model(request)
    refuse_existing(request.output, request.force)
    valued = _actions(request.actions, request.long_dwell, request.per_click)
    sessions = request.source.sessions(request.output, kind="clicks", engine=request.engine)
    labels = make_labels(
        sessions,
        chosen,
        depth=request.clicks.depth,
        min_dwell=request.clicks.min_dwell,
        need_dwell=request.need_dwell,
        drop_bots=request.drop_bots,
        actions=valued,
        prior=_prior(request.prior),
        grading=request.grading,
        min_weight=request.min_weight,
        level=request.clicks.confidence,
        seed=request.seed,
        threads=request.threads,
    )
    messages.notes(labels.notes)
    judgments = labels.judgments
    io.write_judgments(judgments, request.output, overwrite=request.force)
    messages.notes(io.unwritten_notes(judgments, request.output))
    emit(labels, request.summary, shown=request.top)


def _actions(values: str | None, long_dwell: float, per_click: bool) -> Actions | None:
    """Returns the values of the actions after a click."""
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


def _prior(text: str | None) -> tuple[float, float] | str | None:
    """Returns two numbers, or the text, which `make_labels` checks."""
    if text is None:
        return None
    try:
        clicks, shown = map(float, text.split(","))
    except ValueError:
        return text
    return clicks, shown


def _model(request: Make) -> str | ClickModel:
    """Returns the model with what was given for it, or `auto`."""
    from dataclasses import replace

    from relyon.labels.click_models.dcm import DCM
    from relyon.labels.click_models.sdbn import SDBN
    from relyon.labels.correction import Corrected
    from relyon.labels.derivation import model_of
    from relyon.labels.model_choice import AUTO
    from relyon.labels.position_bias.bias_file import read_bias

    model = AUTO if request.model == AUTO else model_of(request.model)
    if request.bias is not None:
        if not isinstance(model, Corrected):
            raise ParameterError(
                message("cli.click-model-does", name=request.model),
                hint=message("cli.use-ratio"),
            )
        model = replace(model, examination=read_bias(request.bias))
    if request.clickless is not None:
        if not isinstance(model, SDBN | DCM):
            raise ParameterError(
                message("cli.clickless-needs-model", name=request.model),
                hint=message("cli.use-sdbn"),
            )
        model = replace(model, clickless=request.clickless)
    return model


@request
class Compare:
    """The request of `relyon labels compare`."""

    source: LogSource = group(LogSource)
    models: tuple[str, ...] = option(
        "--model",
        metavar="MODEL",
        multiple=True,
        default=("pbm", "ubm", "dbn"),
        help="A click model; repeat it for several.  [default: pbm, ubm, dbn]",
    )
    parts: int = option(
        "--parts",
        type=click.IntRange(min=2),
        default=5,
        show_default=True,
        help="Hold out one session in N.",
    )
    judgments: str | None = option(
        "--judgments",
        metavar="FILE",
        help="Human judgments, in any format, to compare the labels with.",
    )
    measures: tuple[str, ...] = option(
        "-m",
        "--measure",
        metavar="MEASURE",
        multiple=True,
        help="A measure of the labels against the grades, such as auc(rel=2); repeat it for"
        " several.  [default: ndcg@10, auc, gauc, tau]",
    )
    rules: Rules = group(Rules)
    scale: str | None = scale_option()
    judgments_format: str | None = judgments_format_option()
    judgments_columns: tuple[str, ...] = own_columns_option("judgments", "the judgments")
    clicks: Clicks = group(Clicks)
    output: Output = group(
        Output,
        forms=fixed(PAGES),
        asked=format_option(*PAGES, default=None),
        digits=digits_option(),
        path=output_option(),
    )
    threads: int = threads_option()


@command.command(
    "compare", help=COMPARE, short_help="Compare click models, and with human judgments."
)
@takes(Compare)
@no_color_option
def compare(request: Compare) -> None:
    """Runs `relyon labels compare`."""
    from relyon.labels.derivation import model_of
    from relyon.labels.human_grades import MEASURES
    from relyon.labels.model_comparison import compare_models

    chosen = [model_of(model) for model in request.models]
    protect_inputs(request.output.path, (*request.source.log, request.judgments))
    check_stdin([*request.source.log, *([request.judgments] if request.judgments else [])])
    rules = request.rules.chosen()
    grades = None
    if request.judgments is not None:
        grades = graded_by(
            request.judgments,
            request.judgments_format,
            request.judgments_columns,
            chosen_scale(request.scale),
        )
        messages.notes(grades.notes)
    elif request.measures or request.rules or request.scale or request.judgments_format:
        raise ParameterError(message("cli.measure-scale-and-similar"))
    sessions = request.source.sessions(request.output.path)
    found = compare_models(
        sessions,
        chosen,
        judgments=grades,
        measures=request.measures or MEASURES,
        convention=rules,
        estimators=["all-pairs"] if request.output.form == "html" else [],
        depth=request.clicks.depth,
        min_dwell=request.clicks.min_dwell,
        parts=request.parts,
        level=request.clicks.confidence,
        threads=request.threads,
    )
    messages.notes(found.notes)
    emit(Charted(found, lambda: _page(found)), request.output)


def _page(found: ModelComparison) -> str:
    from relyon.report import render_labels_report

    return render_labels_report(found, language=messages.language)


command.add_command(bias)
command.add_command(simulate)
