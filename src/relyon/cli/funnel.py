"""`relyon funnel`: how much of the possible gain each retrieval stage loses."""

from __future__ import annotations

from collections.abc import Sequence

import click

from relyon.cli.inputs import Given, input_options, run_names, stage_runs
from relyon.cli.messages import messages
from relyon.cli.options import format_option, no_color_option, output_option
from relyon.cli.output import Output, emit, protect_inputs
from relyon.cli.request import argument, fixed, group, option, request, takes
from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = ["command"]

HELP = """Attribute lost gain to retrieval stages and ranking.

\b
Examples:
  relyon funnel judgments.qrels bm25.run
  relyon funnel judgments.qrels --stage retrieval=bm25.run \\
      --stage re-rank=tfidf.run -k 5
  relyon funnel --scored test.csv --score old --score new --candidates 50

Every document that a stage returns is a candidate of the next one. A stage's
recall loss is the drop in the best possible DCG@k of its candidates from that
of the stage before; the ranking loss is what the last stage's order falls short
of that best. Together they add up to all that is missing from the ideal DCG@k
over the judged documents.
"""


@request
class Request:
    """The request of `relyon funnel`."""

    files: tuple[str, ...] = argument(metavar="JUDGMENTS [RUN…]", nargs=-1)
    stages: tuple[str, ...] = option(
        "--stage",
        metavar="NAME=RUN",
        multiple=True,
        help="A stage and its run, in retrieval order; once per stage.",
    )
    k: int = option(
        "-k",
        "--depth",
        type=click.IntRange(min=1),
        default=10,
        show_default=True,
        help="Ranks that count.",
    )
    candidates: int | None = option(
        "--candidates",
        metavar="N",
        type=click.IntRange(min=1),
        help="Use only the first N documents of each stage as candidates.  [default: all]",
    )
    cutoffs: tuple[int, ...] = option(
        "--cutoff",
        metavar="N",
        type=click.IntRange(min=1),
        multiple=True,
        help="Also show Recall@N.  [default: 10, 50, 100, 200, 500, 1000]",
    )
    output: Output = group(
        Output,
        forms=fixed(("table", "json", "markdown", "csv")),
        asked=format_option(
            "table",
            "json",
            "markdown",
            "csv",
            default=None,
            help="Output format; json also contains per-query losses.",
        ),
        path=output_option(),
    )
    given: Given = input_options("query", "label", "document")


@click.command(
    "funnel", help=HELP, short_help="Attribute lost gain to retrieval stages and ranking."
)
@takes(Request)
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon funnel`."""
    from relyon.analysis.funnel import DEFAULT_CUTOFFS, cascaded_runs, funnel
    from relyon.data.run import Run

    files: Sequence[str] = request.files
    if request.given.scored:
        _check_scored(request.stages, request.candidates)
    else:
        named = _stages(request.files, request.stages)
        files = (request.files[0], *(path for _, path in named))
    protect_inputs(request.output.path, request.given.paths(files))
    lists = request.given.lists(files, () if request.given.scored else [name for name, _ in named])
    runs = lists.runs
    if request.given.scored and request.candidates is not None:
        # Every model scored every row: a stage reranks the results of the previous one.
        runs = cascaded_runs(
            [run for run in runs if isinstance(run, Run)], request.candidates, lists.convention
        )
    with request.given.naming(files):
        found = funnel(
            lists.judgments,
            runs,
            request.k,
            convention=lists.convention,
            scale=request.given.scale,
            cutoffs=request.cutoffs or DEFAULT_CUTOFFS,
            names=lists.names,
            candidates=request.candidates,
        )
    emit(found, request.output, own={"json": {"per_query": True}})
    messages.notes(found.notes)


def _check_scored(stages: Sequence[str], candidates: int | None) -> None:
    """Rejects a funnel in which nothing can be lost.

    Raises:
        ParameterError: If every scored row is a candidate, or runs are stages.
    """
    if stages:
        raise ParameterError(
            message("cli.stage-names-runs-but-scored"),
            hint=message("cli.name-stages-columns"),
        )
    if candidates is None:
        raise ParameterError(
            message("cli.every-scored-row"),
            hint=message("cli.candidates-n-keeps-first"),
        )


def _stages(files: Sequence[str], stages: Sequence[str]) -> list[tuple[str, str]]:
    """Returns the stages' names and paths.

    Raises:
        ParameterError: If there are no stages, both forms are mixed, or a text is not NAME=RUN.
    """
    if not files:
        raise ParameterError(
            message("cli.judgments-are-missing"), hint="relyon funnel judgments.qrels bm25.run"
        )
    runs = files[1:]
    if runs and stages:
        raise ParameterError(
            message("cli.runs-are-given-both"), hint=message("cli.write-stage-name-run")
        )
    if not runs and not stages:
        raise ParameterError(message("core.no-run-is-given"), hint=message("cli.name-one-or-write"))
    return list(zip(run_names(runs), runs, strict=True)) if runs else stage_runs(stages)
