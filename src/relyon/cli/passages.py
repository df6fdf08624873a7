"""`relyon passages`: judgments of passages, and where they are in the texts."""

from __future__ import annotations

import click

from relyon.cli.encoding import TextEncoding, encoding_options
from relyon.cli.file_columns import columns_for
from relyon.cli.group import CommandGroup
from relyon.cli.messages import messages
from relyon.cli.option_values import chosen_scale
from relyon.cli.options import no_color_option, own_columns_option, scale_option
from relyon.cli.output import protect_inputs, refuse_existing
from relyon.cli.passage_options import PASSAGE_ROLES, PassageFiles
from relyon.cli.request import argument, flag, group, option, request, takes
from relyon.core.errors import ParameterError, StrictError
from relyon.core.texts import message

__all__ = ["command"]

HELP = """Find judged passages in the texts of documents.

\b
Example:
  relyon passages resolve passages.jsonl --texts texts/ -o resolved.jsonl
"""

RESOLVE_HELP = """Find quotes and check places, and list what is not found.

\b
Examples:
  relyon passages resolve passages.jsonl --texts texts/ -o resolved.jsonl
  relyon passages resolve passages.csv --texts docs.parquet --strict

JUDGMENTS has one passage per row: query, document, start and end or quote, and
perhaps grade and passage. A quote is searched as it is, then with width and
white space normalised, then nearly, down to --similarity. The output has the
same rows with their places, and says how each was found; what is not found has
no place. With --chunks the chunks are placed, too, and passages that no chunk
contains are counted.
"""


@request
class Request:
    """The request of `relyon passages resolve`."""

    source: str = argument(metavar="JUDGMENTS")
    files: PassageFiles = group(PassageFiles)
    encoding: TextEncoding = encoding_options()
    columns: tuple[str, ...] = own_columns_option("judgments", "the judgments")
    scale: str | None = scale_option()
    output: str | None = option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write the passages with their places: CSV, TSV, JSON Lines, Parquet or Excel, by the"
        " name.",
    )
    force: bool = flag("--force", help="Replace the output if it exists.")
    strict: bool = flag(
        "--strict", help="Treat warnings about the data as errors: exit code 1, no output."
    )


CHUNKS_HELP = """Name the chunks in an agent's trace, and write their table.

\b
Example:
  relyon passages chunks agent.jsonl -o chunked.jsonl --table chunks.csv

SOURCE is JSON Lines whose results have document, start and end. In the output
each result has an id of its own, such as d1:700-1500, and the table says where
it is: `relyon evaluate passages.jsonl chunked.jsonl --chunks chunks.csv`.
"""


@request
class ChunksRequest:
    """The request of `relyon passages chunks`."""

    source: str = argument(metavar="SOURCE")
    output: str = option(
        "-o", "--output", metavar="FILE", required=True, help="The trace with ids of chunks."
    )
    table: str = option(
        "--table",
        metavar="FILE",
        required=True,
        help="The table of the chunks: CSV, TSV, JSON Lines, Parquet or Excel, by the name.",
    )
    force: bool = flag("--force", help="Replace the output if it exists.")


@click.group(
    "passages",
    help=HELP,
    short_help="Find judged passages in the texts of documents.",
    cls=CommandGroup,
)
def command() -> None:
    """Does what the subcommand says."""


@command.command("resolve", help=RESOLVE_HELP, short_help="Find quotes and check places.")
@takes(Request)
@no_color_option
def resolve(request: Request) -> None:
    """Runs `relyon passages resolve`."""
    from relyon.io.passages import write_passages

    files = request.files
    if files.document_texts is None:
        raise ParameterError(message("cli.resolve-needs-texts"), hint=message("data.give-texts"))
    if request.output is not None:
        protect_inputs(request.output, [request.source, *files.paths])
        refuse_existing(request.output, request.force)
    texts = files.known_texts()
    columns = columns_for(request.source, request.columns, PASSAGE_ROLES, "--judgments-columns")
    passages = files.read(request.source, columns or None, chosen_scale(request.scale), texts)
    notes = passages.notes
    if files:
        notes = passages.judgments(files.joined(texts), share=files.chunk_share).notes
    strict = [note for note in notes if note.level == "warning"]
    messages.notes(notes)
    for row in passages.unresolved.iter_rows(named=True):
        messages.say(
            messages.translate(
                message(
                    "cli.passage-not-found",
                    query=row["query"],
                    document=row["document"],
                    passage=row["passage"],
                )
            )
        )
    if request.strict and strict:
        raise StrictError(message("cli.passages-have-warnings", count=len(strict)))
    if request.output is not None:
        write_passages(passages, request.output)
    lost = len(passages.unresolved)
    messages.say(
        messages.translate(
            message("cli.passages-resolved", count=len(passages), found=len(passages) - lost)
        )
    )


@command.command("chunks", help=CHUNKS_HELP, short_help="Name the chunks in an agent's trace.")
@takes(ChunksRequest)
@no_color_option
def chunks(request: ChunksRequest) -> None:
    """Runs `relyon passages chunks`."""
    from relyon.io.table_files import check_name, write_table
    from relyon.io.traced_chunks import read_traced_chunks
    from relyon.io.traces import write_traces

    for path in (request.output, request.table):
        protect_inputs(path, [request.source])
        refuse_existing(path, request.force)
    check_name(request.table)
    traces, found = read_traced_chunks(request.source)
    write_traces(traces, request.output, overwrite=request.force)
    write_table(found.to_frame(), request.table)
    messages.say(
        messages.translate(
            message("cli.chunks-named", count=len(found), documents=len(found.documents))
        )
    )
