"""`relyon engine diff`: what differs between two tapes."""

from __future__ import annotations

import click

from relyon.cli.options import format_option, language_option, no_color_option
from relyon.cli.output import Output, emit
from relyon.cli.request import argument, fixed, group, request, takes

__all__ = ["diff"]

HELP = """Compare two tapes: what was asked, what was found, and what answered.

\b
Examples:
  relyon engine diff runs/base.run runs/strong.run
  relyon engine diff tape.jsonl tape.jsonl --format json

TAPE is a tape, or a run with its tape beside it. Shows which settings, queries
and documents are others, and how many answers differ: other documents, another
order, or other scores. Only tapes of the same queries and depth are comparable:
then a difference of a measure comes from the engine, its index or its settings.
"""


@request
class Request:
    """The request of `relyon engine diff`."""

    first: str = argument(metavar="TAPE")
    second: str = argument(metavar="TAPE")
    output: Output = group(
        Output,
        forms=fixed(("table", "json", "markdown")),
        asked=format_option("table", "json", "markdown"),
        language=language_option(),
    )


@click.command("diff", help=HELP, short_help="Compare two tapes.")
@takes(Request)
@no_color_option
def diff(request: Request) -> None:
    """Runs `relyon engine diff`."""
    from relyon.engines import diff_tapes

    emit(diff_tapes(_tape(request.first), _tape(request.second)), request.output)


def _tape(path: str) -> str:
    """Returns the tape beside a run, or the path itself."""
    from relyon.io.tapes import has_tape, tape_beside

    return tape_beside(path) if has_tape(path) else path
