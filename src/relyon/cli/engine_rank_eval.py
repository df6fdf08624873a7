"""`relyon engine rank-eval`: queries and judgments as a request to `_rank_eval`."""

from __future__ import annotations

import click

from relyon.cli.messages import messages
from relyon.cli.option_values import named_values
from relyon.cli.options import no_color_option, parameter_option, variant_option
from relyon.cli.output import protect_inputs, refuse_existing, write
from relyon.cli.request import argument, flag, option, request, takes

__all__ = ["rank_eval"]

HELP = """Write a request to _rank_eval of Elasticsearch or OpenSearch.

\b
Examples:
  relyon engine rank-eval engine.toml --queries q.csv \\
      --judgments judgments.qrels -m ndcg@10 -o request.json

The request asks the engine itself for a measure of a variant, over the queries
that have judgments. Measures are p, recall, rr, dcg, ndcg and err. The number
is the one of `relyon evaluate --convention elasticsearch`: unrated documents
count as not relevant, the gain is 2^grade - 1, NDCG's ideal list is as long as
the answer, and documents with equal scores keep the engine's order.
"""


@request
class Request:
    """The request of `relyon engine rank-eval`."""

    engine: str = argument(metavar="ENGINE")
    queries: str = option(
        "--queries", metavar="FILE", required=True, help="A table of queries: ids and texts."
    )
    judgments: str = option(
        "--judgments",
        metavar="FILE",
        required=True,
        help="Judgments whose grades are whole numbers of 0 or more.",
    )
    measure: str = option(
        "-m",
        "--measure",
        metavar="MEASURE",
        default="ndcg@10",
        show_default=True,
        help="The measure.",
    )
    depth: int | None = option(
        "-k",
        "--depth",
        type=click.IntRange(min=1),
        help="The cutoff of a measure that has none.  [default: 10]",
    )
    variant: str | None = variant_option()
    parameters: tuple[str, ...] = parameter_option()
    index: str = option(
        "--index",
        metavar="NAME",
        default="",
        help="The documents' own index, if ENGINE names an alias.  [default: that of ENGINE]",
    )
    output: str | None = option(
        "-o", "--output", metavar="FILE", help="The file to write.  [default: stdout]"
    )
    force: bool = flag("--force", help="Replace the file if it exists.")


@click.command(
    "rank-eval",
    help=HELP,
    short_help="Write a request to _rank_eval of Elasticsearch or OpenSearch.",
)
@takes(Request)
@no_color_option
def rank_eval(request: Request) -> None:
    """Runs `relyon engine rank-eval`."""
    from relyon.core.document.json import json_text
    from relyon.engines import rank_eval_request, read_configuration
    from relyon.engines.queries import read_queries
    from relyon.io import read_judgments

    protect_inputs(request.output, [request.engine, request.queries, request.judgments])
    refuse_existing(request.output or "-", request.force)
    changes = named_values(request.parameters, "--parameter", "boost=2")
    content, notes = rank_eval_request(
        read_configuration(request.engine, parameters=changes),
        read_queries(request.queries),
        read_judgments(request.judgments),
        request.measure,
        k=request.depth,
        variant=request.variant,
        index=request.index,
    )
    write(json_text(content), request.output)
    messages.notes(notes)
