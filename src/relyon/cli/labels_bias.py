"""`relyon labels bias`: how often each position is seen, and whether the log identifies it."""

from __future__ import annotations

from typing import Literal

import click

from relyon.cli.groups import Clicks
from relyon.cli.messages import messages
from relyon.cli.options import (
    digits_option,
    format_option,
    no_color_option,
    output_option,
    threads_option,
)
from relyon.cli.output import Charted, Output, emit, protect_inputs
from relyon.cli.request import fixed, group, option, request, takes
from relyon.cli.sessions import LogSource

__all__ = ["bias"]

FORMATS = ("table", "markdown", "json", "csv", "html", "svg", "png")

HELP = """Estimate how often each position is seen, and whether the log identifies it.

\b
Examples:
  relyon labels bias clicks.csv
  relyon labels bias clicks.csv -o bias.json
  relyon labels bias clicks.csv -e all-pairs -e chain --reference 2
  relyon labels bias experiment.csv --moved bucket

A click needs examination and attraction. They can be separated if the same
document was shown at several positions, for reasons unrelated to its relevance.
Estimators: all-pairs, pivot and chain compare the clicks of such documents; em
fits the model pbm. Labels use the first one.
"""


@request
class Bias:
    """The request of `relyon labels bias`."""

    source: LogSource = group(LogSource)
    estimators: tuple[str, ...] = option(
        "-e",
        "--estimator",
        metavar="NAME",
        multiple=True,
        default=("all-pairs", "pivot", "em"),
        help="An estimator; repeat it for several.  [default: all-pairs, pivot, em]",
    )
    reference: int | None = option(
        "--reference",
        type=click.IntRange(min=1),
        metavar="POSITION",
        help="The position whose examination is set to 1.  [default: the first position shown]",
    )
    weighting: Literal["harmonic", "equal"] = option(
        "--weighting",
        type=click.Choice(["harmonic", "equal"]),
        default="harmonic",
        show_default=True,
        help="Weight of documents: by their effective swaps, or uniform.",
    )
    min_swaps: float = option(
        "--min-swaps",
        type=click.FloatRange(min=0),
        default=100,
        show_default=True,
        help="A connection with fewer effective swaps is reported as weak.",
    )
    moved: Literal["unknown", "random", "bucket"] = option(
        "--moved",
        type=click.Choice(["unknown", "random", "bucket"]),
        default="unknown",
        show_default=True,
        help="Why documents moved: swaps drawn at random, or sessions assigned at random to the "
        "arms in the column bucket.",
    )
    clicks: Clicks = group(Clicks)
    output: Output = group(
        Output,
        forms=fixed(FORMATS),
        asked=format_option(*FORMATS, default=None),
        digits=digits_option(3),
        path=output_option(),
    )
    threads: int = threads_option()


@click.command("bias", help=HELP, short_help="Estimate how often each position is seen.")
@takes(Bias)
@no_color_option
def bias(request: Bias) -> None:
    """Runs `relyon labels bias`."""
    from relyon import report
    from relyon.labels.position_bias.log_estimate import estimate_bias, estimator_of

    chosen = [estimator_of(one) for one in request.estimators]
    protect_inputs(request.output.path, request.source.log)
    sessions = request.source.sessions(request.output.path, kind="clicks")
    found = estimate_bias(
        sessions,
        chosen,
        depth=request.clicks.depth,
        min_dwell=request.clicks.min_dwell,
        reference=request.reference,
        weighting=request.weighting,
        min_swaps=request.min_swaps,
        level=request.clicks.confidence,
        threads=request.threads,
    ).declare(request.moved)
    messages.notes(found.notes)
    language = messages.language
    charted = Charted(
        found,
        page=lambda: report.render_bias_report(found, language=language),
        picture=lambda: report.bias_picture(found, language),
    )
    emit(charted, request.output)
