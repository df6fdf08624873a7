"""`relyon search`: sends queries to a search engine, and writes runs and tapes."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import click

from relyon.cli.inputs import check_stdin
from relyon.cli.messages import Progress, messages
from relyon.cli.option_values import named_values
from relyon.cli.options import format_option, language_option, no_color_option, parameter_option
from relyon.cli.output import Answer, Output, emit, protect_inputs
from relyon.cli.request import argument, fixed, flag, group, option, request, takes
from relyon.core.errors import ParameterError
from relyon.core.texts import catalogue, message

if TYPE_CHECKING:
    from relyon.core.language import Language
    from relyon.engines import Configuration, Found, Limits

__all__ = ["command"]

#: Runs that the next command names.
NAMED = 6
#: Characters of a line of a command, besides the two that continue it.
WIDEST = 77

HELP = """Send queries to a search engine and write runs.

\b
Examples:
  relyon search engine.toml --queries queries.tsv -o first.run
  relyon search engine.toml --queries queries.tsv -k 50 -o runs/
  relyon search engine.toml --queries queries.tsv -o strong.run \\
      --variant strong -p title=4
  relyon search engine.toml --queries queries.tsv --record tape.jsonl
  relyon search engine.toml --queries queries.tsv --replay tape.jsonl -o ci/

ENGINE is a file that describes a search engine, its parameters and variants:
`relyon engine new` writes one, `relyon engine check` tests it. Each variant
gives a run, with a tape beside it (new.run.tape.jsonl): all answers with their
times, and the fields of the documents. With several variants OUTPUT is a
folder.

Every answer is on disk as it comes. After an interrupt the same command goes on
and asks nothing twice; runs are written once every query has its answer.
With --replay a tape gives the answers, and no engine is needed.
"""


@request
class Asking:
    """How an engine may be asked, where it differs from its file."""

    concurrency: int | None = option(
        "--concurrency",
        type=click.IntRange(1, 256),
        metavar="N",
        help="Requests at the same time.  [default: as in ENGINE, or 4]",
    )
    rate: float | None = option(
        "--rate",
        type=click.FloatRange(min=0),
        metavar="N",
        help="Requests per second; 0 sets no limit.  [default: as in ENGINE, or no limit]",
    )
    timeout: float | None = option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="Time until a request without an answer is given up.  [default: as in ENGINE, or 10]",
    )
    retries: int | None = option(
        "--retries",
        type=click.IntRange(min=0),
        metavar="N",
        help="How often a request that failed for the moment is sent again.  [default: as in"
        " ENGINE, or 5]",
    )

    def limits(self, file: Limits) -> Limits:
        """Returns the limits of an engine's file with the given ones in their place."""
        return replace(
            file,
            concurrency=file.concurrency if self.concurrency is None else self.concurrency,
            rate=file.rate if self.rate is None else self.rate,
            timeout=file.timeout if self.timeout is None else self.timeout,
            retries=file.retries if self.retries is None else self.retries,
        )


@request
class Request:
    """The request of `relyon search`."""

    engine: str = argument(metavar="ENGINE")
    queries: str = option(
        "--queries",
        required=True,
        metavar="FILE",
        help="The queries: a table of ids and texts (CSV, TSV, JSON Lines, Parquet, Excel), whose"
        " other columns templates can use, or a text with one query per line; - is stdin.",
    )
    depth: int = option(
        "-k",
        "--depth",
        type=click.IntRange(1, 10_000),
        default=100,
        show_default=True,
        help="Number of results to ask for.",
    )
    output: str | None = option(
        "-o",
        "--output",
        metavar="OUTPUT",
        help="The file of the run, or the folder of the runs of several variants.",
    )
    variants: tuple[str, ...] = option(
        "--variant",
        metavar="NAME",
        multiple=True,
        help="A variant of ENGINE; repeat it for several.  [default: all]",
    )
    parameters: tuple[str, ...] = parameter_option()
    record: str | None = option(
        "--record", metavar="FILE", help="Write one tape with the answers to all variants."
    )
    replay: str | None = option(
        "--replay", metavar="FILE", help="Take the answers from a tape: no engine is asked."
    )
    scores: Literal["auto", "engine", "rank"] = option(
        "--scores",
        type=click.Choice(["auto", "engine", "rank"]),
        default="auto",
        show_default=True,
        help="The scores of the run: the engine's, or k + 1 - rank; auto takes the engine's where"
        " they give its order.",
    )
    failed: Literal["stop", "empty"] = option(
        "--failed",
        type=click.Choice(["stop", "empty"]),
        default="stop",
        show_default=True,
        help="Queries that the engine refuses: an error, or queries without results.",
    )
    explain: bool = flag(
        "--explain", help="Also ask for the engine's explanation of each score, for the tape."
    )
    asking: Asking = group(Asking)
    dry_run: bool = flag(
        "--dry-run",
        help="Only show the first request, without secrets, and how many there would be.",
    )
    restart: bool = flag("--restart", help="Ask everything again after an interrupt.")
    force: bool = flag("--force", help="Replace runs and tapes that exist.")
    summary: Output = group(
        Output,
        forms=fixed(("table", "json", "markdown")),
        asked=format_option("table", "json", "markdown", help="Output format of the summary."),
        language=language_option("Language of the summary."),
    )


@click.command("search", help=HELP, short_help="Send queries to a search engine and write runs.")
@takes(Request)
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon search`."""
    from relyon.engines import read_configuration

    inputs = [request.engine, request.queries, request.replay]
    check_stdin([name for name in inputs if name])
    for output in (request.output, request.record):
        protect_inputs(output, inputs)
    changes = named_values(request.parameters, "--parameter", "boost=2")
    configuration = read_configuration(request.engine, parameters=changes)
    if request.dry_run:
        emit(_planned(request, configuration), request.summary)
        return
    if not (request.output or request.record or request.replay):
        raise ParameterError(
            message("cli.search-keeps-nothing"), hint=message("cli.search-needs-output")
        )
    found = _searched(request, configuration)
    emit(found, request.summary)
    if request.summary.form != "json":
        messages.notes(found.notes)
        _say_next(found)


def _searched(request: Request, configuration: Configuration) -> Found:
    """Searches; an interrupt says what is kept."""
    from relyon.engines import search

    seen: list[tuple[float, int, int]] = []
    with Progress("cli.searching") as shown:

        def progress(done: int, total: int) -> None:
            now = time.monotonic()
            seen[1:] = [(now, done, total)]
            start, before, _ = seen[0]
            shown(done, total, _time_left(now - start, done - before, total - done))

        try:
            return search(
                configuration,
                request.queries,
                request.depth,
                variants=request.variants,
                output=request.output,
                record=request.record,
                replay=request.replay,
                scores=request.scores,
                failed=request.failed,
                explain=request.explain,
                limits=request.asking.limits(configuration.limits),
                restart=request.restart,
                overwrite=request.force,
                progress=progress,
            )
        except KeyboardInterrupt:
            pass
    if seen and (request.output or request.record):
        messages.note(message("cli.search-kept", done=seen[-1][1], total=seen[-1][2]))
    raise KeyboardInterrupt


def _time_left(seconds: float, done: int, left: int) -> str:
    """Returns how long the rest takes at the pace so far; nothing while that is unknown.

    Args:
        seconds: Since the first answer.
        done: Answers since then; those of an earlier call do not count.
        left: Requests without an answer.
    """
    if seconds < 1 or not done or not left:
        return ""
    rest = round(seconds / done * left)
    if rest < 90:
        return message("cli.seconds-left", count=max(rest, 1))
    return message("cli.minutes-left", count=round(rest / 60))


def _planned(request: Request, configuration: Configuration) -> Answer:
    """Returns what would be sent."""
    from relyon.engines.planning import make_requests
    from relyon.engines.queries import read_queries

    engine = configuration.engine
    queries = read_queries(request.queries)
    variants = configuration.chosen(request.variants)
    planned = make_requests(engine, queries, variants, request.depth, explain=request.explain)
    address = engine.secrets.hide(engine.address)
    limits = request.asking.limits(configuration.limits)
    engine.open(limits.timeout, limits.concurrency)
    sent = engine.secrets.hide(engine.show(planned[0]))
    engine.close()
    counts = {"requests": len(planned), "variants": len(variants), "queries": len(queries)}

    def text(language: Language) -> str:
        said = catalogue("search", language).say
        first = said("first", query=queries[0].id, variant=variants[0].name)
        lines = [said("planned", address=address, **counts), *(["", first, sent] if sent else [])]
        return "\n".join(lines)

    def values() -> dict[str, object]:
        names = [one.name for one in variants]
        return {"address": address, **counts, "variants": names, "first": sent}

    return Answer(values, text)


def _say_next(found: Found) -> None:
    """Writes the commands that use the runs."""
    runs = [run for run, _ in found.files.values()]
    if not runs:
        return
    more = ["…"] if len(runs) > NAMED else []
    name = "compare" if len(runs) > 1 else "evaluate"
    messages.say()
    messages.say(messages.translate(message("cli.search-next")))
    _say_command(["relyon", name, "JUDGMENTS", *map(shlex.quote, runs[:NAMED]), *more])
    messages.say(messages.translate(message("cli.search-next-grade")))
    _say_command(["relyon", "judge", "init", "judging.db", "--project", "NAME"])
    given = [f"--run {shlex.quote(run)}" for run in runs[:NAMED]]
    _say_command(
        ["relyon", "judge", "import", "judging.db", "--project NAME", *given, *more, "-k 10"]
    )


def _say_command(words: Sequence[str]) -> None:
    """Writes a command, in several lines if it is long."""
    line = " "
    for word in words:
        if len(line) + len(word) > WIDEST:
            messages.say(f"{line} \\")
            line = " " * 5
        line = f"{line} {word}"
    messages.say(line)
