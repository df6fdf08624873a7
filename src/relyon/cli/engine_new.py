"""`relyon engine new`: writes a commented engine's file of a kind."""

from __future__ import annotations

import click

from relyon.cli.messages import messages
from relyon.cli.options import language_option, no_color_option
from relyon.cli.output import refuse_existing, write
from relyon.cli.request import argument, flag, option, request, takes
from relyon.core.texts import message

__all__ = ["new"]

HELP = """Write an engine's file of a kind, with comments.

\b
Examples:
  relyon engine new sqlite -o shop.toml
  relyon engine new elasticsearch

KIND is sqlite, postgresql, elasticsearch, opensearch, solr, http or python.
Change the address, the names of fields and the parameters, then run `relyon
engine check`. Keys and passwords come from the environment: the file only names
their variables, as ${NAME}.
"""


@request
class Request:
    """The request of `relyon engine new`."""

    kind: str = argument(metavar="KIND")
    output: str | None = option(
        "-o", "--output", metavar="FILE", help="The file to write.  [default: stdout]"
    )
    force: bool = flag("--force", help="Replace the file if it exists.")
    language: str = language_option("Language of the comments.")


@click.command("new", help=HELP, short_help="Write an engine's file of a kind, with comments.")
@takes(Request)
@no_color_option
def new(request: Request) -> None:
    """Runs `relyon engine new`."""
    from relyon.engines.files.starting import starting_file

    text = starting_file(request.kind, messages.language)
    path = request.output or "-"
    refuse_existing(path, request.force)
    write(text.rstrip("\n"), request.output)
    if path != "-":
        messages.say(messages.translate(message("cli.engine-file-written", path=path)))
