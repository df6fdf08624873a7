"""`relyon engine import`: a `_rank_eval` request or a Quepid case as an engine's file."""

from __future__ import annotations

import os
import shlex

import click

from relyon.cli.inputs import check_stdin
from relyon.cli.messages import messages
from relyon.cli.options import no_color_option
from relyon.cli.output import write
from relyon.cli.request import argument, flag, option, request, takes
from relyon.core.texts import message

__all__ = ["import_"]

HELP = """Take a _rank_eval request or a Quepid case apart into files for relyon.

\b
Examples:
  relyon engine import request.json -o shop --address http://localhost:9200
  relyon engine import case.json -o shop

FILE is the body of a request to _rank_eval of Elasticsearch or OpenSearch, or
the JSON export of a Quepid case. FOLDER gets engine.toml, queries.csv and
judgments.qrels (judgments.csv if an id has white space), and the commands that
search and evaluate are printed. What is not carried over is named; keys and
passwords are never copied: engine.toml names variables of the environment.
"""


@request
class Request:
    """The request of `relyon engine import`."""

    file: str = argument()
    output: str = option(
        "-o", "--output", metavar="FOLDER", required=True, help="The folder to write into."
    )
    address: str = option(
        "--address",
        metavar="URL",
        default="http://localhost:9200",
        show_default=True,
        help="Where the engine of a _rank_eval request is.",
    )
    index: str = option(
        "--index",
        metavar="NAME",
        default="",
        help="The index of a _rank_eval request.  [default: those of its ratings]",
    )
    force: bool = flag("--force", help="Replace files that exist.")


@click.command("import", help=HELP, short_help="Take a _rank_eval request or a Quepid case apart.")
@takes(Request)
@no_color_option
def import_(request: Request) -> None:
    """Runs `relyon engine import`."""
    from relyon.engines import read_case

    check_stdin([request.file])
    found = read_case(request.file, address=request.address, index=request.index)
    paths = found.write(request.output, overwrite=request.force)
    written = [os.path.basename(one) for one in paths.values()]
    messages.say(
        messages.translate(message("cli.case-written", files=written, folder=request.output))
    )
    lines = []
    named = {name: shlex.quote(path) for name, path in paths.items()}
    runs = shlex.quote(os.path.join(request.output, "base.run"))
    if "engine" in paths:
        lines.append(
            f"relyon search {named['engine']} --queries {named['queries']} -k {found.k} -o {runs}"
        )
    if "judgments" in paths:
        measure = f" -m {shlex.quote(found.measure)}" if found.measure else ""
        lines.append(
            f"relyon evaluate {named['judgments']} {runs}{measure} --convention {found.convention}"
        )
    write("\n".join(lines))
    messages.notes(found.notes)
