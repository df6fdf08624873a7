"""`relyon abtest`: the validity of an A/B test, and its results by arm."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

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
)
from relyon.cli.output import emit, form_of, protect_inputs, written
from relyon.cli.sessions import read_log, source_options
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

Checks for sample-ratio mismatch (at one look, and valid at every look), users
in several arms, rows without an arm, arms that differ before the test,
different shares of new users, results placed by rules, and carry-over from an
earlier attempt. Each comes with its count, its effect on the numbers, and what
to do.
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


def _period_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options for the baseline arm and the dates of the test."""
    for decorate in (
        click.option(
            "--restart",
            metavar="DATE",
            help="When the test was restarted; earlier data is ignored.",
        ),
        click.option(
            "--start",
            metavar="DATE",
            help="When the test began, in UTC; earlier data is the users' history.",
        ),
        click.option(
            "--baseline",
            metavar="ARM",
            help="The baseline arm.  [default: the first by name]",
        ),
    ):
        command = decorate(command)
    return command


@click.group(
    "abtest",
    help=HELP,
    short_help="Check the validity of an A/B test and summarise its arms.",
    cls=CommandGroup,
)
def command() -> None:
    """Runs `relyon abtest`."""


@command.command("check", help=CHECK, short_help="Check the validity of a test.")
@source_options
@_period_options
@click.option(
    "--planned",
    metavar="ARM=SHARE",
    multiple=True,
    help="The planned share of an arm; repeat it for every arm.  [default: equal shares]",
)
@click.option(
    "--check",
    "only",
    metavar="NAME",
    multiple=True,
    help="Run this check only, such as sample-ratio; repeat it for several.",
)
@click.option(
    "--online",
    metavar="FILE",
    help="Write the first two arms as a file for `relyon diagnose --online`.",
)
@click.option("--strict", is_flag=True, help="Exit with code 1 if there is a warning.")
@language_option("Language of the texts.")
@format_option(*FORMATS, default=None)
@output_option
@no_color_option
def check(
    log: tuple[str, ...],
    columns: tuple[str, ...],
    input_format: str | None,
    planned: tuple[str, ...],
    only: tuple[str, ...],
    online: str | None,
    strict: bool,
    language: Any,
    form: str | None,
    output: str | None,
    **period: Any,
) -> None:
    """Runs `relyon abtest check`."""
    from relyon.core.document.json import json_text
    from relyon.online.experiments import check_experiment

    form = form or form_of(output, FORMATS)
    protect_inputs(online, log)
    sessions = read_log(log, columns, input_format, [output])
    health = check_experiment(sessions, planned=_shares(planned), only=only or None, **period)
    messages.notes(note for note in health.notes if note not in sessions.notes)
    if form == "json":
        emit(health.to_json(language), output)
    else:
        emit(written(health, form, language=language), output)
    if online is not None:
        emit(json_text(health.online()), online)
    if strict and health.warnings:
        kinds = ", ".join(one.kind for one in health.warnings)
        raise StrictError(message("cli.test-has-warnings", kinds=kinds))


@command.command("show", help=SHOW, short_help="Show metrics by arm.")
@source_options
@_period_options
@click.option(
    "--interval",
    type=click.Choice(["delta", "bootstrap"]),
    default="delta",
    show_default=True,
    help="Method for intervals: the delta method, or a bootstrap over users.",
)
@confidence_option
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
@format_option(*FORMATS, default=None)
@digits_option
@output_option
@no_color_option
def show(
    log: tuple[str, ...],
    columns: tuple[str, ...],
    input_format: str | None,
    confidence: float,
    form: str | None,
    output: str | None,
    digits: int,
    **options: Any,
) -> None:
    """Runs `relyon abtest show`."""
    from relyon.online.experiments import compare_arms

    form = form or form_of(output, FORMATS)
    sessions = read_log(log, columns, input_format, [output])
    report = compare_arms(sessions, level=confidence, **options)
    messages.notes(note for note in report.notes if note not in sessions.notes)
    told = {"digits": digits, "language": messages.language}
    emit(written(report, form, **told), output)


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
