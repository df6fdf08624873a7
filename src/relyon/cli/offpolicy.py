"""`relyon offpolicy`: a candidate's reward, estimated from the log of another ranking or policy."""

from __future__ import annotations

import os
from typing import Any

import click

from relyon.cli.messages import messages
from relyon.cli.options import (
    digits_option,
    format_option,
    no_color_option,
    output_option,
    threads_option,
)
from relyon.cli.output import emit, form_of, protect_inputs, refuse_existing, written
from relyon.cli.sessions import read_log, source_options
from relyon.core.texts import message

__all__ = ["command"]

FORMATS = ("table", "markdown", "json", "csv")

HELP = """Estimate the reward of another ranking from a log (off-policy).

\b
Examples:
  relyon offpolicy clicks.csv search.run -k 3
  relyon offpolicy clicks.csv search.run -e item-position -e dm
  relyon offpolicy decisions.csv policy.csv --interval bootstrap

CANDIDATE is a run, or a table of probabilities: document, probability, and
query and position if they matter. The log's column `propensity` is the
probability of showing what was shown; without it, propensities are estimated
from counts in the log. A log with one result per session is a log of single
decisions.

Estimators: ips, snips and dr compare whole lists, cascade-dr list prefixes,
item-position single positions; dm and click-model use a model. If the log never
shows what the candidate would, there is no estimate, and the output says what
would have to be logged.
"""


@click.command(
    "offpolicy",
    help=HELP,
    short_help="Estimate the reward of another ranking from a log (off-policy).",
)
@source_options
@click.argument("candidate")
@click.option(
    "-e",
    "--estimator",
    "estimators",
    metavar="ESTIMATOR",
    multiple=True,
    help="An estimator; repeat it for several.  [default: all that apply]",
)
@click.option(
    "-k",
    "--depth",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="Ignore positions after this one.",
)
@click.option(
    "--propensities",
    type=click.Choice(["auto", "list", "position", "conditional", "none"]),
    default="auto",
    show_default=True,
    help="What the log's propensities refer to: the list, each document at its position, or"
    " each document given those above it; none estimates them from counts.",
)
@click.option(
    "--reward",
    type=click.Choice(["auto", "clicked", "reward"]),
    default="auto",
    show_default=True,
    help="The reward column; auto uses the clicks if there are any.",
)
@click.option(
    "--model",
    "click_model",
    metavar="MODEL",
    default="pbm",
    show_default=True,
    help="The click model.",
)
@click.option(
    "--candidate-log",
    is_flag=True,
    help="CANDIDATE is the log of another policy; its mean reward is the estimate.",
)
@click.option(
    "--interval",
    type=click.Choice(["betting", "bernstein", "anytime", "bootstrap", "t"]),
    default="betting",
    show_default=True,
    help="Method for intervals; bootstrap and t are too narrow if few sessions match.",
)
@click.option(
    "--cluster",
    type=click.Choice(["session", "query"]),
    default="session",
    show_default=True,
    help="The unit of independence; query is for bootstrap and t.",
)
@click.option(
    "--confidence",
    "level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Confidence level of the intervals.",
)
@click.option(
    "--resamples",
    type=click.IntRange(min=1),
    default=2000,
    show_default=True,
    help="Number of bootstrap resamples.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Random seed. The same seed gives the same digits on any machine.",
)
@click.option(
    "--to-log",
    "missing",
    metavar="FILE",
    help="Write what would have to be logged to a file: .csv, .tsv, .jsonl or .parquet.",
)
@click.option("--force", is_flag=True, help="Replace the file of --to-log if it exists.")
@format_option(*FORMATS, default=None)
@digits_option
@output_option
@threads_option
@no_color_option
def command(
    log: tuple[str, ...],
    columns: tuple[str, ...],
    input_format: str | None,
    candidate: str,
    estimators: tuple[str, ...],
    candidate_log: bool,
    missing: str | None,
    force: bool,
    form: str | None,
    output: str | None,
    digits: int,
    **options: Any,
) -> None:
    """Runs `relyon offpolicy`."""
    from relyon.core.errors import ParameterError
    from relyon.labels.off_policy import evaluate_policy, policy_of, read_candidate

    form = form or form_of(output, FORMATS)
    inputs = [*log, candidate]
    for name in (output, missing):
        protect_inputs(name, inputs)
    if missing is not None:
        from relyon.io.table_files import check_name

        check_name(missing)
        if output is not None and os.path.abspath(output) == os.path.abspath(missing):
            raise ParameterError(message("cli.o-and-to-log-name"))
        refuse_existing(missing, force)
    sessions = read_log(log, columns, input_format, kind="decisions")
    name = os.path.basename(candidate)
    if candidate_log:
        chosen = policy_of(candidate, depth=options["depth"], name=name)
    else:
        chosen = read_candidate(candidate, name=name)
    found = evaluate_policy(sessions, chosen, estimators=estimators or None, **options)
    messages.notes(found.notes[len(sessions.notes) :])
    if missing is not None:
        from relyon.io.table_files import write_table

        write_table(found.missing, missing)
    told = {"digits": digits, "language": messages.language}
    emit(written(found, form, **told), output)
