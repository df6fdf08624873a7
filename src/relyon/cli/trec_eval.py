"""`relyon trec_eval`: trec_eval's command, option for option."""

from __future__ import annotations

import sys

import click

from relyon.cli.group import HELP_NAMES, HelpContext
from relyon.cli.messages import messages
from relyon.core.document.terminal import printable

__all__ = ["command"]

HELP = """Evaluate with the options and output of trec_eval.

\b
Example:
  relyon trec_eval -c -q -m official -m ndcg_cut.10 judgments.qrels bm25.run

Takes the options of trec_eval 10 and prints the same lines: in a script,
replace trec_eval by relyon trec_eval. FILES are TREC qrels and a TREC run, also
compressed; - reads the run from stdin.

\b
Sets of measures for -m:
  official  printed without -m
  all_trec  every measure of qrels
  set       measures that ignore the order

Measures take parameters after a dot: P.5,10, iprec_at_recall.0.1,0.5,
ndcg.1=3,2=9, utility.1,-1,0,0. docs/trec_eval.md lists the differences from
trec_eval 10.

\b
Exit codes are trec_eval's:
  1  unknown option or measure, or not two files
  2  a file or a measure's parameters cannot be read
  4  a judged query is not in the results, and -c was not given
  4  a document occurs twice in a query
  7  no query has both judgments and results
"""


class TrecEvalCommand(click.Command):
    """Leaves its arguments to trec_eval's own parser."""

    context_class = HelpContext

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Takes all arguments as they are, except help."""
        if ctx.resilient_parsing or args in (["--help"], ["-h"]):
            return super().parse_args(ctx, args)
        ctx.params["arguments"] = tuple(args)
        return []


def _flag(short: str, long: str, text: str) -> click.Option:
    return click.Option(
        [short, long, long.lstrip("-")], is_flag=True, help=text, expose_value=False
    )


def _value(short: str, long: str, metavar: str, text: str) -> click.Option:
    name = long.lstrip("-")
    multiple = short == "-m"
    return click.Option(
        [short, long, name], metavar=metavar, help=text, multiple=multiple, expose_value=False
    )


OPTIONS: list[click.Parameter] = [
    click.Argument(["files"], nargs=2, metavar="QRELS RUN", expose_value=False),
    _flag("-q", "--query_eval_wanted", "Also print the values of each query."),
    _value(
        "-m",
        "--measure",
        "NAME[.PARAMETERS]",
        "A measure or a set of measures; can be repeated.  [default: official]",
    ),
    _flag(
        "-c",
        "--complete_rel_info_wanted",
        "Average over all judged queries; those missing from the run count as 0.",
    ),
    _value(
        "-l", "--level_for_rel", "NUM", "Grades of at least this value are relevant.  [default: 1]"
    ),
    _flag("-n", "--nosummary", "Print no averages."),
    _flag("-J", "--Judged_docs_only", "Remove unjudged documents from the run first."),
    _value(
        "-N", "--Number_docs_in_coll", "NUM", "Number of documents in the collection, for utility."
    ),
    _value("-M", "--Max_retrieved_per_topic", "NUM", "Maximum number of documents per query."),
    _value(
        "-R",
        "--Rel_info_format",
        "FORMAT",
        "The first file's format.  [default: qrels]",
    ),
    _value("-T", "--Results_format", "FORMAT", "The second file's format, which is trec_results."),
    _value(
        "-Z",
        "--Zscore",
        "FILE",
        "Print z-scores, from a file of query, measure, mean and deviation.",
    ),
    _value(
        "-D", "--Debug_level", "NUM[.QUERY]", "Evaluate this query only; nothing else is printed."
    ),
    _flag("-o", "--Output_old_results_format", "Ignored, as trec_eval does."),
    _flag("-v", "--version", "Show which trec_eval version is followed, and exit."),
]


def _run(arguments: tuple[str, ...] = (), **_: object) -> int:
    """Runs `relyon trec_eval`."""
    from relyon.compat.trec_eval import TrecEvalError, parse, run

    try:
        options = parse(arguments)
        if options.version:
            sys.stderr.write("relyon, as trec_eval version 10.0-rc3\n")
            return 0
        if options.help:
            click.echo(command.get_help(click.get_current_context()))
            return 0
        run(options, _write)
    except TrecEvalError as failure:
        sys.stdout.flush()
        for line in filter(None, failure.message.splitlines()):
            messages.say(f"trec_eval: {line}")
        return failure.code
    return 0


def _write(text: str) -> None:
    """Writes ids as their original bytes; on a terminal, control characters are made visible."""
    if sys.stdout.isatty():
        text = printable(text, "\n\t")
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(text)
    else:
        buffer.write(text.encode("utf-8", "surrogateescape"))


command = TrecEvalCommand(
    name="trec_eval",
    help=HELP,
    short_help="Evaluate with the options and output of trec_eval.",
    params=OPTIONS,
    callback=_run,
    context_settings={"help_option_names": HELP_NAMES},
)
