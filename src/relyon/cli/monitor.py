"""`relyon monitor`: the monthly number, its trend, its cause and its alarm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from relyon.cli.encoding import TextEncoding, encoding_options
from relyon.cli.group import CommandGroup
from relyon.cli.groups import Rules
from relyon.cli.inputs import check_stdin, judgments_argument
from relyon.cli.judging_project import project_of
from relyon.cli.messages import messages
from relyon.cli.monitor_looks import Looks
from relyon.cli.monitor_stale import KeptContents, StaleMonth
from relyon.cli.option_values import chosen_columns, chosen_scale, parse_depths
from relyon.cli.options import (
    alpha_option,
    columns_option,
    confidence_option,
    format_option,
    judgments_format_option,
    language_option,
    no_color_option,
    output_option,
    rule_option,
    scale_option,
)
from relyon.cli.output import Output, emit, write
from relyon.cli.request import argument, fixed, group, option, request, takes
from relyon.cli.shares import SHARE_BETWEEN
from relyon.core.errors import CheckError, ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.core.language import Language
    from relyon.data.aggregation import Rule
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
      --judgments judging.db#Live

Sessions without any judged result have no value and are left out; sessions
without results count as 0.
"""

SHOW = """Show DCG month by month: its trend, its last change and the cause.

\b
Examples:
  relyon monitor show rounds
  relyon monitor show rounds --lang zh --format markdown
  relyon monitor show rounds --anytime --month 2026-06 --sample sample.csv \\
      --judgments today.csv

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
  relyon monitor check rounds --anytime --month 2026-06 --sample sample.csv \\
      --judgments today.csv

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


@request
class Add:
    """The request of `relyon monitor add`."""

    rounds: str = argument()
    month: str = option("--month", required=True, metavar="YYYY-MM", help="The month of the round.")
    sample_file: str = option(
        "--sample",
        required=True,
        metavar="FILE",
        help="A sample written by `relyon sample -o FILE`.",
    )
    judgments: str = option(
        "--judgments",
        required=True,
        metavar="FILE",
        help="Judgments in any format, or a judging database with its project, such as"
        " judging.db#June.",
    )
    model_judgments: str | None = option(
        "--model-judgments",
        metavar="FILE",
        help="A model's judgments of all sampled queries, where people graded a random choice of"
        " them in each tier: `relyon monitor show` then has an interval from both.",
    )
    project: str | None = option(
        "--project",
        metavar="NAME",
        help="The project of the judging database, in place of #NAME after it.",
    )
    rule: Rule = rule_option()
    k: str | None = option(
        "-k",
        "--depth",
        metavar="TIER=K,…",
        help="Depth by tier, such as head=40,middle=20,tail=20, or one number for all.  [default:"
        " the sample's]",
    )
    common_k: int | None = option(
        "--common-depth",
        type=click.IntRange(min=1),
        metavar="K",
        help="Common depth at which tiers are compared.  [default: the sample's]",
    )
    rules: Rules = group(Rules)
    scale: str | None = scale_option()
    columns: tuple[str, ...] = columns_option()
    encoding: TextEncoding = encoding_options()
    judgments_format: str | None = judgments_format_option()
    contents: KeptContents = group(KeptContents)


@command.command("add", help=ADD, short_help="Store a month's sample with its grades as a round.")
@takes(Add)
@no_color_option
def add(request: Add) -> None:
    """Runs `relyon monitor add`."""
    from relyon.data.period import check_month
    from relyon.online.monitoring import create_round, write_round
    from relyon.online.sampling import read_sample
    from relyon.online.sampling.sample_gaps import note_gaps

    check_month(request.month)
    check_stdin([request.sample_file, request.judgments])
    depths = None if request.k is None else parse_depths(request.k)
    rules = request.rules.chosen()
    grades, grading = _judged(request)
    sample = read_sample(request.sample_file)
    made = create_round(
        request.month,
        sample,
        grades,
        convention=rules,
        k=depths,
        common_k=request.common_k,
        grading=grading,
        model_judgments=None
        if request.model_judgments is None
        else judgments_argument(
            request.model_judgments, None, chosen_columns(request.columns), grades.scale
        ),
    )
    path = write_round(made, request.rounds)
    request.contents.keep(path, made.judgments)
    left_out = int(made.results["dcg"].null_count())
    counted = message(
        "cli.path-sessions-grades",
        path=path,
        sessions=len(made.sample),
        grades=len(made.judgments),
    )
    write(messages.translate(counted))
    messages.notes([*note_gaps(sample), *grades.notes])
    if left_out:
        messages.warning(
            message(
                "cli.sessions-without-judged-results",
                left_out=left_out,
                count=len(made.results),
            )
        )


def _judged(request: Add) -> tuple[Judgments, str]:
    """Returns the grades, and the rule that combined those of a judging database."""
    from relyon.io.databases import database_at

    source = database_at(request.judgments)
    if request.project is not None:
        source = project_of(request.judgments, request.project, source)
    if source is None:
        columns, scale = chosen_columns(request.columns), chosen_scale(request.scale)
        form = request.judgments_format
        return judgments_argument(request.judgments, form, columns, scale), ""
    if request.scale is not None or request.columns or request.judgments_format is not None:
        raise ParameterError(message("cli.scale-columns-and-judgments-format"))
    from relyon.data.aggregation import describe_rule
    from relyon.judging.project_reader import read_project

    found = read_project(source, rule=request.rule)
    messages.note(describe_rule(request.rule))
    return found


@request
class Reading:
    """The rounds and the rules for reading them."""

    rounds: str = argument()
    k: str | None = option(
        "-k",
        "--depth",
        metavar="TIER=K,…",
        help="Depth, by tier or for all.  [default: the last round's]",
    )
    common_k: int | None = option(
        "--common-depth",
        type=click.IntRange(min=1),
        metavar="K",
        help="Common depth at which tiers are compared.  [default: the rounds']",
    )
    alpha: float = alpha_option()

    def monitor(self, confidence: float = 0.95, rules: Rules | None = None) -> Monitor:
        """Reads the rounds."""
        from relyon.online.monitoring import monitor

        return monitor(self.rounds, **self.options(confidence, rules))

    def options(self, confidence: float = 0.95, rules: Rules | None = None) -> dict[str, Any]:
        """Returns the rules for reading them as arguments of functions."""
        return {
            "convention": rules.chosen() if rules else None,
            "k": None if self.k is None else parse_depths(self.k),
            "common_k": self.common_k,
            "alpha": self.alpha,
            "confidence": confidence,
        }


@request
class Show:
    """The request of `relyon monitor show`."""

    reading: Reading = group(Reading)
    looks: Looks = group(Looks)
    stale: StaleMonth = group(StaleMonth)
    confidence: float = confidence_option()
    queries: int = option(
        "--limit",
        type=click.IntRange(min=0),
        default=5,
        show_default=True,
        help="How many of the worst queries, and of the largest drops, to show.",
    )
    rules: Rules = group(Rules)
    output: Output = group(
        Output,
        language=language_option(),
        forms=fixed(("table", "json", "markdown", "csv")),
        asked=format_option(
            "table", "json", "markdown", "csv", default=None, help="Output format."
        ),
        path=output_option(),
    )


@command.command("show", help=SHOW, short_help="Show DCG month by month, and what changed.")
@takes(Show)
@no_color_option
def show(request: Show) -> None:
    """Runs `relyon monitor show`."""
    if request.looks.anytime:
        request.stale.refuse("--anytime")
        options = request.reading.options(request.confidence, request.rules)
        emit(request.looks.found(request.reading.rounds, **options), request.output)
        return
    found = request.reading.monitor(request.confidence, request.rules)
    rows = {"queries": request.queries}
    shown = request.stale.beside(found, request.reading.rounds)
    emit(shown, request.output, own={"json": rows}, **rows)
    if request.output.form != "json":
        messages.notes(found.notes)


@request
class Check:
    """The request of `relyon monitor check`."""

    reading: Reading = group(Reading)
    looks: Looks = group(Looks)
    tier: str | None = option(
        "--tier",
        metavar="TIER",
        help="Check only this tier, or `all` tiers together.  [default: each tier]",
    )
    max_drop: float | None = option(
        "--max-drop",
        type=SHARE_BETWEEN,
        help="Also alarm on any drop larger than this, such as 5% (or 0.05).",
    )
    language: Language = language_option()


@command.command("check", help=CHECK, short_help="Exit with code 1 if the last month is worse.")
@takes(Check)
@no_color_option
def check(request: Check) -> None:
    """Runs `relyon monitor check`."""
    from relyon.core.texts import catalogue
    from relyon.online.monitoring.sentences import losses_sentence

    request.looks.refuse({"--max-drop": request.max_drop is not None})
    if request.looks.anytime:
        _check_look(request)
        return
    found = request.reading.monitor()
    alarms = found.alarms(request.tier, request.max_drop)
    messages.notes(found.notes)
    if request.max_drop is not None:
        texts = catalogue("monitoring", request.language)
        write(texts.say("alarm.limit", limit=f"{100 * request.max_drop:.6g}%"))
    if not alarms:
        key = "alarm.none-in" if len(found.months) > 1 else "alarm.single"
        write(catalogue("monitoring", request.language).say(key, month=found.months[-1]))
        return
    lines = [alarm.sentence(request.language) for alarm in alarms]
    causes = {alarm.tier: alarm.losses for alarm in alarms if alarm.losses is not None}
    lines += [losses_sentence(losses, request.language) for losses in causes.values()]
    write("\n".join(lines))
    count = len(alarms)
    raise CheckError(
        message(
            "cli.alarms-of-month",
            month=found.months[-1],
            count=count,
        )
    )


def _check_look(request: Check) -> None:
    """Fails if a look at the last month shows a drop.

    Raises:
        CheckError: If it does.
    """
    from relyon.core.texts import catalogue
    from relyon.online.monitoring.look_document import look_sentences

    found = request.looks.found(request.reading.rounds, **request.reading.options())
    drops = found.drops_of(request.tier)
    write("\n".join(look_sentences(found, request.language, request.tier)))
    if drops:
        raise CheckError(message("cli.alarms-of-month", month=found.month, count=len(drops)))
    texts = catalogue("monitoring", request.language)
    write(texts.say("alarm.none-in", month=found.month))


@request
class Report:
    """The request of `relyon monitor report`."""

    reading: Reading = group(Reading)
    output: str = option(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help="Output file: .html or .md, written atomically at the end.",
    )
    language: Language = language_option("Language of the page.")
    title: str | None = option("--title", metavar="TEXT", help="Title.  [default: the months]")
    queries: int = option(
        "--limit",
        type=click.IntRange(min=0),
        default=10,
        show_default=True,
        help="How many of the worst queries, and of the largest drops, to show.",
    )
    rules: Rules = group(Rules)


@command.command(
    "report", help=REPORT, short_help="Write a report on all rounds as one HTML or Markdown file."
)
@takes(Report)
@no_color_option
def report(request: Report) -> None:
    """Runs `relyon monitor report`."""
    from relyon.report import format_of, render_monitor_report

    form = format_of(request.output)
    found = request.reading.monitor(rules=request.rules)
    text = render_monitor_report(
        found, format=form, language=request.language, title=request.title, queries=request.queries
    )
    write(text, request.output)
    messages.notes(found.notes)
