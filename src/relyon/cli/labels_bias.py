"""`relyon labels bias`: how often each position is seen, and whether the log identifies it."""

from __future__ import annotations

from typing import Any

import click

from relyon.cli.messages import messages
from relyon.cli.options import (
    clicks_options,
    digits_of,
    format_option,
    no_color_option,
    output_option,
    threads_option,
)
from relyon.cli.output import emit, form_of, protect_inputs, rendered
from relyon.cli.sessions import read_log, source_options

__all__ = ["bias"]

FORMATS = ("table", "markdown", "json", "csv", "html", "svg", "png")

HELP = """Estimate how often each position is seen, and whether the log identifies it.

\b
Examples:
  relyon labels bias clicks.csv
  relyon labels bias clicks.csv -o bias.json
  relyon labels bias clicks.csv -e all-pairs -e chain --reference 2

A click needs examination and attraction. They can be separated if the same
document was shown at several positions, for reasons unrelated to its relevance.
Estimators: all-pairs, pivot and chain compare the clicks of such documents; em
fits the model pbm. Labels use the first one.
"""


@click.command("bias", help=HELP, short_help="Estimate how often each position is seen.")
@source_options
@click.option(
    "-e",
    "--estimator",
    "estimators",
    metavar="NAME",
    multiple=True,
    default=("all-pairs", "pivot", "em"),
    help="An estimator; repeat it for several.  [default: all-pairs, pivot, em]",
)
@click.option(
    "--reference",
    type=click.IntRange(min=1),
    metavar="POSITION",
    help="The position whose examination is set to 1.  [default: the first position shown]",
)
@click.option(
    "--weighting",
    type=click.Choice(["harmonic", "equal"]),
    default="harmonic",
    show_default=True,
    help="Weight of documents: by their effective swaps, or uniform.",
)
@click.option(
    "--min-swaps",
    type=click.FloatRange(min=0),
    default=100,
    show_default=True,
    help="A connection with fewer effective swaps is reported as weak.",
)
@clicks_options
@format_option(*FORMATS, default=None)
@digits_of(3)
@output_option
@threads_option
@no_color_option
def bias(
    log: tuple[str, ...],
    columns: tuple[str, ...],
    input_format: str | None,
    estimators: tuple[str, ...],
    form: str | None,
    digits: int,
    output: str | None,
    confidence: float,
    **options: Any,
) -> None:
    """Runs `relyon labels bias`."""
    from relyon import report
    from relyon.labels.position_bias.log_estimate import estimate_bias, estimator_of

    form = form or form_of(output, FORMATS)
    chosen = [estimator_of(one) for one in estimators]
    protect_inputs(output, log)
    sessions = read_log(log, columns, input_format, [output])
    found = estimate_bias(sessions, chosen, level=confidence, **options)
    messages.notes(found.notes)
    language = messages.language
    data = rendered(
        found,
        form,
        page=lambda: report.render_bias_report(found, language=language),
        picture=lambda: report.bias_picture(found, language),
        digits=digits,
        language=language,
    )
    emit(data, output)
