"""`relkit depth`: measures at every cutoff, to choose K."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from relkit.cli.inputs import Given, run_names
from relkit.cli.messages import Progress, messages
from relkit.cli.options import (
    alpha_option,
    digits_option,
    format_option,
    input_options,
    names_option,
    no_color_option,
    output_option,
    plugin_option,
    threads_option,
)
from relkit.cli.output import emit, form_of, protect_inputs, written
from relkit.cli.sessions import read_log
from relkit.cli.values import split_measures
from relkit.core.errors import ParameterError
from relkit.core.texts import message

if TYPE_CHECKING:
    from relkit.analysis.depth import LastClicks

__all__ = ["command"]

FORMATS = ("table", "markdown", "json", "csv", "html", "svg")

HELP = """Measure runs at every cutoff, to choose K.

\b
Examples:
  relkit depth judgments.qrels bm25.run
  relkit depth judgments.qrels bm25.run new.run --log clicks.csv
  relkit depth judgments.qrels bm25.run new.run --at 5,10,20 -m ndcg -m p
  relkit depth judgments.qrels bm25.run new.run -o depth.html

For each K: the mean of each measure, and the share of the first K results that
is judged. With several runs: the p-value of the paired t test against the first
one, and the difference that this many queries detect (power 0.8). With --log:
how many sessions have their last click by K. The sentences below the tables say
what follows for the choice of K.
"""


@click.command("depth", help=HELP, short_help="Measure runs at every cutoff, to choose K.")
@click.argument("files", metavar="JUDGMENTS RUN…", nargs=-1)
@click.option(
    "--at",
    metavar="K,…",
    multiple=True,
    help="The cutoffs, such as 5,10,20.  [default: 1, 2, 3, 5, 10, 20, 50, … 1000, as deep as the"
    " lists]",
)
@click.option(
    "-m",
    "--measure",
    "measures",
    metavar="MEASURE",
    multiple=True,
    help="A measure without a cutoff, such as p or 'recall(rel=2)'; repeat it, or separate several"
    " with commas.  [default: ndcg, recall]",
)
@names_option
@click.option(
    "--log",
    "logs",
    metavar="LOG",
    multiple=True,
    help="A search log with clicks, as `relkit logs` reads it, to show where users stop.",
)
@click.option(
    "--log-columns",
    metavar="NAME=COLUMN,…",
    multiple=True,
    help="Columns of the log, such as session=sid,doc=asin.",
)
@alpha_option
@format_option(
    *FORMATS,
    default=None,
    help="Output format; html and svg have charts.  [default: by the ending of FILE in -o, else"
    " table]",
)
@digits_option
@output_option
@input_options("query", "label", "document")
@threads_option
@plugin_option
@no_color_option
def command(
    files: tuple[str, ...],
    at: tuple[str, ...],
    measures: tuple[str, ...],
    names: tuple[str, ...],
    logs: tuple[str, ...],
    log_columns: tuple[str, ...],
    alpha: float,
    form: str | None,
    digits: int,
    output: str | None,
    given: Given,
    threads: int,
) -> None:
    """Runs `relkit depth`."""
    from relkit.analysis.depth import depth

    form = form or form_of(output, FORMATS)
    cutoffs = _cutoffs(at)
    if not given.scored:
        _check_files(files)
        run_names(files[1:], names)
    protect_inputs(output, [*given.paths(files), *logs])
    clicks = _last_clicks(logs, log_columns)
    lists = given.lists(files, names)
    with Progress("evaluating") as progress, given.naming():
        found = depth(
            lists.judgments,
            *lists.runs,
            at=cutoffs,
            measures=split_measures(measures) or ("ndcg", "recall"),
            names=lists.names,
            clicks=clicks,
            alpha=alpha,
            convention=lists.convention,
            scale=given.scale,
            threads=threads,
            progress=progress,
        )
    if form == "html":
        from relkit.report import render_depth_report

        text = render_depth_report(found, language=messages.language)
    elif form == "svg":
        from relkit.report import depth_picture

        text = depth_picture(found, messages.language)
    else:
        text = written(found, form, digits=digits, language=messages.language)
    emit(text, output)
    messages.notes(found.notes)


def _check_files(files: Sequence[str]) -> None:
    if not files:
        raise ParameterError(
            "JUDGMENTS and RUN are missing", hint="relkit depth judgments.qrels bm25.run"
        )
    if len(files) < 2:
        raise ParameterError(
            "RUN is missing",
            hint=message("relkit depth {judgments} bm25.run", judgments=files[0]),
        )


def _cutoffs(texts: Sequence[str]) -> list[int] | None:
    """Returns the numbers of ``--at``; None without any.

    Raises:
        ParameterError: If one is not a whole number of 1 or more.
    """
    if not texts:
        return None
    parts = [part.strip() for text in texts for part in text.split(",") if part.strip()]
    for part in parts or [""]:
        if not (part.isascii() and part.isdecimal() and 0 < int(part) < 2**31):
            raise ParameterError(
                message("`--at {text}` is not a list of cutoffs", text=",".join(texts)),
                hint="write whole numbers of 1 or more, such as --at 5,10,20",
            )
    return [int(part) for part in parts]


def _last_clicks(logs: Sequence[str], columns: Sequence[str]) -> LastClicks | None:
    if not logs:
        if columns:
            raise ParameterError("--log-columns needs --log", hint="add --log LOG")
        return None
    from relkit.online.logs import last_clicks

    return last_clicks(read_log(logs, columns, None))
