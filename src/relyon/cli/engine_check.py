"""`relyon engine check`: asks one query, and shows what was sent and what came back."""

from __future__ import annotations

import click

from relyon.cli.messages import messages
from relyon.cli.option_values import named_values
from relyon.cli.options import (
    format_option,
    language_option,
    no_color_option,
    parameter_option,
    variant_option,
)
from relyon.cli.output import Output, emit
from relyon.cli.request import argument, fixed, group, option, request, takes

__all__ = ["check"]

HELP = """Read an engine's file, ask one query, and show what comes back.

\b
Examples:
  relyon engine check engine.toml
  relyon engine check engine.toml "red shoes"
  relyon engine check engine.toml "red shoes" --variant strong --format json

Shows the address, what is sent (without secrets), and the first results with
id, score, fields and times, and says what they lack. Without QUERY only the
file is checked.
"""


@request
class Request:
    """The request of `relyon engine check`."""

    engine: str = argument(metavar="ENGINE")
    query: str | None = argument(metavar="[QUERY]", required=False)
    variant: str | None = variant_option()
    parameters: tuple[str, ...] = parameter_option()
    depth: int = option(
        "-k",
        "--depth",
        type=click.IntRange(1, 1000),
        default=5,
        show_default=True,
        help="Number of results to ask for.",
    )
    output: Output = group(
        Output,
        forms=fixed(("table", "json", "markdown")),
        asked=format_option("table", "json", "markdown"),
        language=language_option(),
    )


@click.command("check", help=HELP, short_help="Ask one query, and show what comes back.")
@takes(Request)
@no_color_option
def check(request: Request) -> None:
    """Runs `relyon engine check`."""
    from relyon.engines import read_configuration
    from relyon.engines.checking import check_engine

    changes = named_values(request.parameters, "--parameter", "boost=2")
    configuration = read_configuration(request.engine, parameters=changes)
    found = check_engine(configuration, request.query, request.depth, variant=request.variant)
    emit(found, request.output)
    if request.output.form != "json":
        messages.notes(found.notes)
