"""`relyon offpolicy`: a candidate's reward, estimated from the log of another ranking or policy."""

from __future__ import annotations

import os
from typing import Literal

import click

from relyon.cli.messages import messages
from relyon.cli.option_values import chosen_columns, format_named_by
from relyon.cli.options import (
    digits_option,
    format_option,
    no_color_option,
    output_option,
    own_columns_option,
    resamples_option,
    seed_option,
    threads_option,
)
from relyon.cli.output import Output, emit, protect_inputs, refuse_existing
from relyon.cli.request import argument, fixed, flag, group, option, request, takes
from relyon.cli.sessions import LogSource
from relyon.cli.shares import SHARE_BETWEEN
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


@request
class Request:
    """The request of `relyon offpolicy`."""

    source: LogSource = group(LogSource)
    candidate: str = argument()
    estimators: tuple[str, ...] = option(
        "-e",
        "--estimator",
        metavar="ESTIMATOR",
        multiple=True,
        help="An estimator; repeat it for several.  [default: all that apply]",
    )
    depth: int = option(
        "-k",
        "--depth",
        type=click.IntRange(1, 1000),
        default=10,
        show_default=True,
        help="Ignore positions after this one.",
    )
    propensities: Literal["auto", "list", "position", "conditional", "none"] = option(
        "--propensities",
        type=click.Choice(["auto", "list", "position", "conditional", "none"]),
        default="auto",
        show_default=True,
        help="What the log's propensities refer to: the list, each document at its position, or"
        " each document given those above it; none estimates them from counts.",
    )
    reward: Literal["auto", "clicked", "reward"] = option(
        "--reward",
        type=click.Choice(["auto", "clicked", "reward"]),
        default="auto",
        show_default=True,
        help="The reward column; auto uses the clicks if there are any.",
    )
    click_model: str = option(
        "--model", metavar="MODEL", default="pbm", show_default=True, help="The click model."
    )
    candidate_log: bool = flag(
        "--candidate-log",
        help="CANDIDATE is the log of another policy; its mean reward is the estimate.",
    )
    candidate_columns: tuple[str, ...] = own_columns_option("candidate", "the candidate")
    interval: Literal["betting", "bernstein", "anytime", "bootstrap", "t"] = option(
        "--interval",
        type=click.Choice(["betting", "bernstein", "anytime", "bootstrap", "t"]),
        default="betting",
        show_default=True,
        help="Method for intervals; bootstrap and t are too narrow if few sessions match.",
    )
    cluster: Literal["auto", "user", "query", "none"] = option(
        "--cluster",
        type=click.Choice(["auto", "user", "query", "none"]),
        default="auto",
        show_default=True,
        help="The unit of independence: all sessions of a user, all of a query, or each session"
        " (none); auto takes users if the log has them.",
    )
    level: float = option(
        "--confidence",
        type=SHARE_BETWEEN,
        default=0.95,
        show_default=True,
        help="Confidence level of the intervals.",
    )
    resamples: int = resamples_option()
    seed: int = seed_option()
    missing: str | None = option(
        "--to-log",
        metavar="FILE",
        help="Write what would have to be logged to a file: .csv, .tsv, .jsonl or .parquet.",
    )
    force: bool = flag("--force", help="Replace the file of --to-log if it exists.")
    output: Output = group(
        Output,
        forms=fixed(FORMATS),
        asked=format_option(*FORMATS, default=None),
        digits=digits_option(),
        path=output_option(),
    )
    threads: int = threads_option()


@click.command(
    "offpolicy",
    help=HELP,
    short_help="Estimate the reward of another ranking from a log (off-policy).",
)
@takes(Request)
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon offpolicy`."""
    from relyon.core.errors import ParameterError
    from relyon.labels.off_policy import evaluate_policy, policy_of, read_candidate

    inputs = [*request.source.log, request.candidate]
    for name in (request.output.path, request.missing):
        protect_inputs(name, inputs)
    if request.missing is not None:
        from relyon.io.table_files import check_name

        check_name(request.missing)
        if request.output.path is not None and os.path.abspath(
            request.output.path
        ) == os.path.abspath(request.missing):
            raise ParameterError(message("cli.o-and-to-log-name"))
        refuse_existing(request.missing, request.force)
    sessions = request.source.sessions(kind="decisions")
    name = os.path.basename(request.candidate)
    if request.candidate_log:
        chosen = policy_of(request.candidate, depth=request.depth, name=name)
    else:
        option = "--candidate-columns"
        known = ("query", "document", "score", "rank", "probability")
        columns = chosen_columns(request.candidate_columns, known, option=option)
        with format_named_by("format=", option):
            chosen = read_candidate(request.candidate, name=name, columns=columns)
    found = evaluate_policy(
        sessions,
        chosen,
        estimators=request.estimators or None,
        depth=request.depth,
        propensities=request.propensities,
        reward=request.reward,
        click_model=request.click_model,
        interval=request.interval,
        cluster=request.cluster,
        level=request.level,
        resamples=request.resamples,
        seed=request.seed,
        threads=request.threads,
    )
    messages.notes(found.notes[len(sessions.notes) :])
    if request.missing is not None:
        from relyon.io.table_files import write_table

        write_table(found.missing, request.missing)
    emit(found, request.output)
