"""`relkit monitor`: the monthly number, its trend, its cause and its alarm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from relkit.cli.group import CommandGroup, Renamed
from relkit.cli.inputs import check_stdin, judgments_argument
from relkit.cli.messages import messages
from relkit.cli.options import (
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
from relkit.cli.output import emit
from relkit.cli.values import chosen_columns, chosen_convention, chosen_scale, parse_depths
from relkit.core.errors import CheckError, ParameterError
from relkit.core.texts import message

if TYPE_CHECKING:
    from relkit.data.judgments import Judgments
    from relkit.online.monitoring import Monitor

__all__ = ["command"]

HELP = """Track relevance month by month and alert on drops.

\b
Examples:
  relkit monitor add rounds --month 2026-03 --sample sample.csv \\
      --judgments judged.csv
  relkit monitor show rounds
  relkit monitor check rounds --max-drop 0.05
  relkit monitor report rounds -o monitor.html

A round is one month: the sessions that `relkit sample` drew, the grades that
people gave, and the rules. Rounds are folders of plain files that are never
overwritten; one that was changed is refused.
"""

ADD = """Store a month's sample with its grades as a round.

\b
Examples:
  relkit monitor add rounds --month 2026-03 --sample sample.csv \\
      --judgments judged.csv
  relkit monitor add rounds --month 2026-04 --sample sample.csv \\
      --judgments judged.csv -k head=10,tail=5 --common-depth 5
  relkit monitor add rounds --month 2026-05 --sample sample.csv \\
      --judgments judging.db --project Live

Sessions of which no result is judged have no value and are left out; those
that were shown nothing count 0.
"""

SHOW = """Show DCG month by month: its trend, its last change and where that comes from.

\b
Examples:
  relkit monitor show rounds
  relkit monitor show rounds --lang zh --format markdown

Means are over all sessions of the log, with intervals that follow from how the
sample was drawn: all tiers weighted by their traffic at one common k, and each
tier at its own. A change is about the process behind the months: a t test in
which queries are what varies, corrected by Holm for the tiers. NDCG, whose
ideal is made of what was retrieved, stands beside DCG: where DCG falls and NDCG
does not, recall is failing.
"""

CHECK = """Exit with code 1 where the last month is worse.

\b
Examples:
  relkit monitor check rounds
  relkit monitor check rounds --tier tail --max-drop 0.05

An alarm is a fall of DCG by more than chance explains, or by more than
--max-drop, chance or not. Of one round alone nothing is alarming.
"""

REPORT = """Write a report on all rounds as one HTML or Markdown file.

\b
Examples:
  relkit monitor report rounds -o monitor.html
  relkit monitor report rounds -o monitor.html --lang zh

The page opens offline: the trend of each tier with intervals, DCG beside NDCG,
recall or ranking, worst queries, coverage, rules and notes.
"""


@click.group(
    "monitor",
    help=HELP,
    short_help="Track relevance month by month and alert on drops.",
    cls=CommandGroup,
)
def command() -> None:
    """Runs `relkit monitor`."""


@command.command("add", help=ADD, short_help="Store a month's sample with its grades as a round.")
@click.argument("rounds")
@click.option("--month", required=True, metavar="YYYY-MM", help="The month of the round.")
@click.option(
    "--sample",
    "sample_file",
    required=True,
    metavar="FILE",
    help="What `relkit sample -o FILE` wrote.",
)
@click.option(
    "--judgments",
    required=True,
    metavar="FILE",
    help="The grades, by query and document, in any format of judgments; with --project a judging"
    " database.",
)
@click.option(
    "--project", metavar="NAME", help="Of the judging database: the project with the grades."
)
@rule_option()
@depth_option(
    metavar="TIER=K,…",
    help="Ranks that count, by tier, such as head=40,middle=20,tail=20, or one number for all."
    "  [default: the sample's]",
)
@click.option(
    "--common-depth",
    "common_k",
    cls=Renamed,
    formerly="--common-k",
    type=click.IntRange(min=1),
    metavar="K",
    help="Ranks that count where tiers are compared.  [default: the sample's]",
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
    """Runs `relkit monitor add`."""
    from relkit.data.period import check_month
    from relkit.online.monitoring import create_round, write_round
    from relkit.online.sampling import read_sample

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
            raise ParameterError("--scale, --columns and --judgments-format are not for --project")
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
    emit(f"{path}: {len(made.sample):,} sessions, {len(made.judgments):,} grades")
    messages.notes(grades.notes)
    if left_out:
        messages.warning(
            message(
                "{left_out:,} of {count:,} sessions are left out: none of their results is judged",
                left_out=left_out,
                count=len(made.results),
            )
        )


def _judged(database: str, project: str, rule: Any) -> tuple[Judgments, str]:
    """Returns the grades of a project that count, and says by which rule."""
    from relkit.data.aggregation import describe_rule
    from relkit.judging.exchange import final_judgments
    from relkit.judging.store import open_store

    with open_store(database) as store:
        found = final_judgments(store, store.projects.get(project).id, rule=rule)
    messages.note(describe_rule(rule))
    return found


def _reading(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the rounds, and under which rules they are read."""
    for decorate in (
        alpha_option,
        click.option(
            "--common-depth",
            "common_k",
            cls=Renamed,
            formerly="--common-k",
            type=click.IntRange(min=1),
            metavar="K",
            help="Ranks that count where tiers are compared.  [default: the rounds']",
        ),
        depth_option(
            metavar="TIER=K,…",
            help="Ranks that count, by tier or for all.  [default: the last round's]",
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
    from relkit.online.monitoring import monitor

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
    cls=Renamed,
    formerly="--queries",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="How many of the worst queries, and of those that fell most.",
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
    """Runs `relkit monitor show`."""
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


@command.command("check", help=CHECK, short_help="Exit with code 1 where the last month is worse.")
@_reading
@click.option(
    "--tier",
    metavar="TIER",
    help="Look at this tier only, or at `all` tiers together.  [default: each of them]",
)
@click.option(
    "--max-drop",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="Also an alarm: a fall by more than this share, such as 0.05.",
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
    """Runs `relkit monitor check`."""
    from relkit.core.texts import catalogue
    from relkit.online.monitoring.wording import losses_sentence

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
            "{months}: {count} alarm{ending}",
            months=found.months[-1],
            count=count,
            ending="" if count == 1 else "s",
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
    help="Output file: .html or .md, in one step when everything is done.",
)
@language_option("Language of the page.")
@click.option("--title", metavar="TEXT", help="The heading.  [default: the months]")
@click.option(
    "--limit",
    "queries",
    cls=Renamed,
    formerly="--queries",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="How many of the worst queries, and of those that fell most.",
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
    """Runs `relkit monitor report`."""
    from relkit.report import format_of, render_monitor_report

    form = format_of(output)
    found = _monitor(rounds, k, common_k, alpha, convention=convention, changes=changes)
    text = render_monitor_report(
        found, format=form, language=language, title=title, queries=queries
    )
    emit(text, output)
    messages.notes(found.notes)
