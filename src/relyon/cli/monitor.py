"""`relyon monitor`: the monthly number, its trend, its cause and its alarm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from relyon.cli.group import CommandGroup
from relyon.cli.inputs import check_stdin, judgments_argument
from relyon.cli.messages import messages
from relyon.cli.option_values import chosen_columns, chosen_convention, chosen_scale, parse_depths
from relyon.cli.options import (
    alpha_option,
    columns_option,
    confidence_option,
    convention_options,
    depth_option,
    format_option,
    judgments_format_option,
    language_option,
    no_color_option,
    output_option,
    rule_option,
    scale_option,
)
from relyon.cli.output import emit
from relyon.core.errors import CheckError, ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.data.judgments import Judgments
    from relyon.online.monitoring import Monitor

__all__ = ["command"]

HELP = """Track relevance month by month and alert on drops.

\b
Examples:
  relyon monitor add rounds --month 2026-03 --sample sample.csv \\
      --judgments judged.csv
  relyon monitor show rounds
  relyon monitor check rounds --max-drop 0.05
  relyon monitor report rounds -o monitor.html

A round is one month: the sessions that `relyon sample` drew, the grades that
people gave, and the rules. Rounds are folders of plain files that are never
overwritten; a modified round is rejected.
"""

ADD = """Store a month's sample with its grades as a round.

\b
Examples:
  relyon monitor add rounds --month 2026-03 --sample sample.csv \\
      --judgments judged.csv
  relyon monitor add rounds --month 2026-04 --sample sample.csv \\
      --judgments judged.csv -k head=10,tail=5 --common-depth 5
  relyon monitor add rounds --month 2026-05 --sample sample.csv \\
      --judgments judging.db --project Live

Sessions without any judged result have no value and are left out; sessions
without results count as 0.
"""

SHOW = """Show DCG month by month: its trend, its last change and the cause.

\b
Examples:
  relyon monitor show rounds
  relyon monitor show rounds --lang zh --format markdown

Means are over all sessions of the log, with intervals based on the sampling
design: all tiers weighted by traffic at one common k, and each tier at its own.
Changes are tested by a t test over queries, with Holm's correction for the
tiers. NDCG, whose ideal list contains only retrieved documents, is shown next
to DCG: if DCG falls and NDCG does not, recall is failing.
"""

CHECK = """Exit with code 1 if the last month is worse.

\b
Examples:
  relyon monitor check rounds
  relyon monitor check rounds --tier tail --max-drop 0.05

An alarm is a significant drop of DCG, or any drop larger than --max-drop. A
single round raises no alarm.
"""

REPORT = """Write a report on all rounds as one HTML or Markdown file.

\b
Examples:
  relyon monitor report rounds -o monitor.html
  relyon monitor report rounds -o monitor.html --lang zh

The page opens offline: the trend of each tier with intervals, DCG next to NDCG,
recall or ranking loss, worst queries, coverage, rules and notes.
"""


@click.group(
    "monitor",
    help=HELP,
    short_help="Track relevance month by month and alert on drops.",
    cls=CommandGroup,
)
def command() -> None:
    """Runs `relyon monitor`."""


@command.command("add", help=ADD, short_help="Store a month's sample with its grades as a round.")
@click.argument("rounds")
@click.option("--month", required=True, metavar="YYYY-MM", help="The month of the round.")
@click.option(
    "--sample",
    "sample_file",
    required=True,
    metavar="FILE",
    help="A sample written by `relyon sample -o FILE`.",
)
@click.option(
    "--judgments",
    required=True,
    metavar="FILE",
    help="Judgments in any format; with --project a judging database.",
)
@click.option(
    "--project", metavar="NAME", help="The project in the judging database with the grades."
)
@rule_option()
@depth_option(
    metavar="TIER=K,…",
    help="Depth by tier, such as head=40,middle=20,tail=20, or one number for all.  [default:"
    " the sample's]",
)
@click.option(
    "--common-depth",
    "common_k",
    type=click.IntRange(min=1),
    metavar="K",
    help="Common depth at which tiers are compared.  [default: the sample's]",
)
@convention_options
@scale_option
@columns_option
@judgments_format_option
@no_color_option
def add(
    rounds: str,
    month: str,
    sample_file: str,
    judgments: str,
    project: str | None,
    rule: Any,
    k: str | None,
    common_k: int | None,
    convention: str | None,
    changes: tuple[str, ...],
    scale: str | None,
    columns: tuple[str, ...],
    judgments_format: str | None,
) -> None:
    """Runs `relyon monitor add`."""
    from relyon.data.period import check_month
    from relyon.online.monitoring import create_round, write_round
    from relyon.online.sampling import read_sample

    check_month(month)
    check_stdin([sample_file, judgments])
    depths = None if k is None else parse_depths(k)
    rules = chosen_convention(convention, changes)
    grading = ""
    if project is None:
        grades = judgments_argument(
            judgments, judgments_format, chosen_columns(columns), chosen_scale(scale)
        )
    else:
        if scale is not None or columns or judgments_format is not None:
            raise ParameterError(message("cli.scale-columns-and-judgments-format"))
        grades, grading = _judged(judgments, project, rule)
    sample = read_sample(sample_file)
    made = create_round(
        month,
        sample,
        grades,
        convention=rules,
        k=depths,
        common_k=common_k,
        grading=grading,
    )
    path = write_round(made, rounds)
    left_out = int(made.results["dcg"].null_count())
    counted = message(
        "cli.path-sessions-grades",
        path=path,
        sessions=len(made.sample),
        grades=len(made.judgments),
    )
    emit(messages.translate(counted))
    messages.notes(grades.notes)
    if left_out:
        messages.warning(
            message(
                "cli.sessions-without-judged-results",
                left_out=left_out,
                count=len(made.results),
            )
        )


def _judged(database: str, project: str, rule: Any) -> tuple[Judgments, str]:
    """Returns the effective grades of a project, and reports the rule that combined them."""
    from relyon.data.aggregation import describe_rule
    from relyon.judging.exchange import final_judgments
    from relyon.judging.store import open_store

    with open_store(database) as store:
        found = final_judgments(store, store.projects.get(project).id, rule=rule)
    messages.note(describe_rule(rule))
    return found


def _reading(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the rounds and the rules for reading them."""
    for decorate in (
        alpha_option,
        click.option(
            "--common-depth",
            "common_k",
            type=click.IntRange(min=1),
            metavar="K",
            help="Common depth at which tiers are compared.  [default: the rounds']",
        ),
        depth_option(
            metavar="TIER=K,…",
            help="Depth, by tier or for all.  [default: the last round's]",
        ),
        click.argument("rounds"),
    ):
        command = decorate(command)
    return command


def _monitor(
    rounds: str,
    k: str | None,
    common_k: int | None,
    alpha: float,
    confidence: float = 0.95,
    convention: str | None = None,
    changes: Sequence[str] = (),
) -> Monitor:
    from relyon.online.monitoring import monitor

    rules = chosen_convention(convention, changes) if convention or changes else None
    return monitor(
        rounds,
        convention=rules,
        k=None if k is None else parse_depths(k),
        common_k=common_k,
        alpha=alpha,
        confidence=confidence,
    )


@command.command("show", help=SHOW, short_help="Show DCG month by month, and what changed.")
@_reading
@confidence_option
@click.option(
    "--limit",
    "queries",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="How many of the worst queries, and of the largest drops, to show.",
)
@convention_options
@language_option()
@format_option("table", "json", "markdown", "csv", help="Output format.")
@output_option
@no_color_option
def show(
    rounds: str,
    k: str | None,
    common_k: int | None,
    alpha: float,
    confidence: float,
    queries: int,
    convention: str | None,
    changes: tuple[str, ...],
    language: Any,
    form: str,
    output: str | None,
) -> None:
    """Runs `relyon monitor show`."""
    found = _monitor(rounds, k, common_k, alpha, confidence, convention, changes)
    if form == "json":
        import json

        text = json.dumps(found.to_dict(queries=queries), ensure_ascii=False, indent=2)
    elif form == "csv":
        text = found.to_csv()
    elif form == "markdown":
        text = found.to_markdown(language, queries=queries)
    else:
        text = found.to_text(language, queries=queries)
    emit(text, output)
    if form != "json":
        messages.notes(found.notes)


@command.command("check", help=CHECK, short_help="Exit with code 1 if the last month is worse.")
@_reading
@click.option(
    "--tier",
    metavar="TIER",
    help="Check only this tier, or `all` tiers together.  [default: each tier]",
)
@click.option(
    "--max-drop",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="Also alarm on any drop larger than this fraction, such as 0.05.",
)
@language_option()
@no_color_option
def check(
    rounds: str,
    k: str | None,
    common_k: int | None,
    alpha: float,
    tier: str | None,
    max_drop: float | None,
    language: Any,
) -> None:
    """Runs `relyon monitor check`."""
    from relyon.core.texts import catalogue
    from relyon.online.monitoring.sentences import losses_sentence

    found = _monitor(rounds, k, common_k, alpha)
    alarms = found.alarms(tier, max_drop)
    messages.notes(found.notes)
    if not alarms:
        emit(catalogue("monitoring", language).say("alarm.none-in", month=found.months[-1]))
        return
    lines = [alarm.sentence(language) for alarm in alarms]
    causes = {alarm.tier: alarm.losses for alarm in alarms if alarm.losses is not None}
    lines += [losses_sentence(losses, language) for losses in causes.values()]
    emit("\n".join(lines))
    count = len(alarms)
    raise CheckError(
        message(
            "cli.alarms-of-month",
            month=found.months[-1],
            count=count,
        )
    )


@command.command(
    "report", help=REPORT, short_help="Write a report on all rounds as one HTML or Markdown file."
)
@_reading
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    help="Output file: .html or .md, written atomically at the end.",
)
@language_option("Language of the page.")
@click.option("--title", metavar="TEXT", help="Title.  [default: the months]")
@click.option(
    "--limit",
    "queries",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="How many of the worst queries, and of the largest drops, to show.",
)
@convention_options
@no_color_option
def report(
    rounds: str,
    k: str | None,
    common_k: int | None,
    alpha: float,
    output: str,
    language: Any,
    title: str | None,
    queries: int,
    convention: str | None,
    changes: tuple[str, ...],
) -> None:
    """Runs `relyon monitor report`."""
    from relyon.report import format_of, render_monitor_report

    form = format_of(output)
    found = _monitor(rounds, k, common_k, alpha, convention=convention, changes=changes)
    text = render_monitor_report(
        found, format=form, language=language, title=title, queries=queries
    )
    emit(text, output)
    messages.notes(found.notes)
