"""`relyon abtest`: the validity of an A/B test, and its results by arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import click

from relyon.cli.group import CommandGroup
from relyon.cli.messages import messages
from relyon.cli.option_values import named_values
from relyon.cli.options import (
    confidence_option,
    digits_option,
    format_option,
    language_option,
    no_color_option,
    output_option,
    resamples_option,
    seed_option,
)
from relyon.cli.output import Output, emit, protect_inputs, write
from relyon.cli.request import fixed, flag, group, option, request, takes
from relyon.cli.sessions import LogSource
from relyon.core.errors import ParameterError, StrictError
from relyon.core.texts import message

__all__ = ["command"]

FORMATS = ("table", "markdown", "json", "csv")

HELP = """Check the validity of an A/B test and summarise its arms.

\b
Examples:
  relyon abtest check arms.csv
  relyon abtest show arms.csv --start 2026-03-08

The log has the arm in the column bucket and the user in user. Check first: the
p-value of a broken test means nothing.
"""

CHECK = """Check the validity of an A/B test, before any p-value.

\b
Examples:
  relyon abtest check arms.csv
  relyon abtest check arms.csv --planned A=0.9 --planned B=0.1 --strict
  relyon abtest check arms.csv --start 2026-03-08 --online online.json

Checks for sample-ratio mismatch (valid at every look), users in several arms,
rows without an arm, arms that differ before the test, different shares of new
users, results placed by rules, and carry-over from an earlier attempt. Each
comes with its count, its effect on the numbers, and what to do. All but the
first are for one look.
"""

SHOW = """Show metrics by arm, with intervals by user.

\b
Examples:
  relyon abtest show arms.csv
  relyon abtest show arms.csv --start 2026-03-08 --format json

CTR, abandonment, conversion and seconds to the first click, with differences
from the baseline. With --start, users' history before the test reduces the
variance of the differences (CUPED).
"""


@request
class TestPeriod:
    """The baseline arm and the dates of a test."""

    baseline: str | None = option(
        "--baseline", metavar="ARM", help="The baseline arm.  [default: the first by name]"
    )
    start: str | None = option(
        "--start",
        metavar="DATE",
        help="When the test began, in --timezone; earlier data is the users' history.",
    )
    restart: str | None = option(
        "--restart",
        metavar="DATE",
        help="When the test was restarted; earlier data is ignored.",
    )


@click.group(
    "abtest",
    help=HELP,
    short_help="Check the validity of an A/B test and summarise its arms.",
    cls=CommandGroup,
)
def command() -> None:
    """Runs `relyon abtest`."""


@request
class Check:
    """The request of `relyon abtest check`."""

    source: LogSource = group(LogSource)
    period: TestPeriod = group(TestPeriod)
    planned: tuple[str, ...] = option(
        "--planned",
        metavar="ARM=SHARE",
        multiple=True,
        help="The planned share of an arm; repeat it for every arm.  [default: equal shares]",
    )
    only: tuple[str, ...] = option(
        "--check",
        metavar="NAME",
        multiple=True,
        help="Run this check only, such as sample-ratio; repeat it for several.",
    )
    online: str | None = option(
        "--online",
        metavar="FILE",
        help="Write the first two arms as a file for `relyon diagnose --online`.",
    )
    strict: bool = flag("--strict", help="Exit with code 1 if there is a warning.")
    output: Output = group(
        Output,
        language=language_option("Language of the texts."),
        forms=fixed(FORMATS),
        asked=format_option(*FORMATS, default=None),
        path=output_option(),
    )


@command.command("check", help=CHECK, short_help="Check the validity of a test.")
@takes(Check)
@no_color_option
def check(request: Check) -> None:
    """Runs `relyon abtest check`."""
    from relyon.core.document.json import json_text
    from relyon.online.experiments import check_experiment

    protect_inputs(request.online, request.source.log)
    sessions = request.source.sessions(request.output.path)
    health = check_experiment(
        sessions,
        planned=_shares(request.planned),
        only=request.only or None,
        baseline=request.period.baseline,
        start=request.period.start,
        restart=request.period.restart,
    )
    messages.notes(health.notes)
    emit(health, request.output, own={"json": {"language": request.output.language}})
    if request.online is not None:
        write(json_text(health.online()), request.online)
    if request.strict and health.warnings:
        kinds = ", ".join(one.kind for one in health.warnings)
        raise StrictError(message("cli.test-has-warnings", kinds=kinds))


@request
class Show:
    """The request of `relyon abtest show`."""

    source: LogSource = group(LogSource)
    period: TestPeriod = group(TestPeriod)
    interval: Literal["delta", "bootstrap"] = option(
        "--interval",
        type=click.Choice(["delta", "bootstrap"]),
        default="delta",
        show_default=True,
        help="Method for intervals: the delta method, or a bootstrap over users.",
    )
    confidence: float = confidence_option()
    resamples: int = resamples_option()
    seed: int = seed_option()
    output: Output = group(
        Output,
        forms=fixed(FORMATS),
        asked=format_option(*FORMATS, default=None),
        digits=digits_option(),
        path=output_option(),
    )


@command.command("show", help=SHOW, short_help="Show metrics by arm.")
@takes(Show)
@no_color_option
def show(request: Show) -> None:
    """Runs `relyon abtest show`."""
    from relyon.online.experiments import compare_arms

    sessions = request.source.sessions(request.output.path)
    report = compare_arms(
        sessions,
        level=request.confidence,
        baseline=request.period.baseline,
        start=request.period.start,
        restart=request.period.restart,
        interval=request.interval,
        resamples=request.resamples,
        seed=request.seed,
    )
    messages.notes(report.notes)
    emit(report, request.output)


def _shares(texts: Sequence[str]) -> Mapping[str, float] | None:
    """Returns the planned shares.

    Raises:
        ParameterError: If one is not a number.
    """
    found = {}
    for arm, text in named_values(texts, "--planned", "A=0.5").items():
        try:
            found[arm] = float(text)
        except ValueError:
            raise ParameterError(
                message("cli.planned-share-is-not-number", text=text),
                hint=message("cli.write-planned-0-5"),
            ) from None
    return found or None
