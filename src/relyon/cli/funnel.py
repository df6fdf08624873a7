"""`relyon funnel`: how much of the possible gain each retrieval stage loses."""

from __future__ import annotations

from collections.abc import Sequence

import click

from relyon.cli.inputs import Given, run_names, stage_runs
from relyon.cli.messages import messages
from relyon.cli.options import (
    depth_option,
    format_option,
    input_options,
    no_color_option,
    output_option,
)
from relyon.cli.output import emit, protect_inputs
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


@click.command(
    "funnel", help=HELP, short_help="Attribute lost gain to retrieval stages and ranking."
)
@click.argument("files", metavar="JUDGMENTS [RUN…]", nargs=-1)
@click.option(
    "--stage",
    "stages",
    metavar="NAME=RUN",
    multiple=True,
    help="A stage and its run, in retrieval order; once per stage.",
)
@depth_option(
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Ranks that count.",
)
@click.option(
    "--candidates",
    metavar="N",
    type=click.IntRange(min=1),
    help="Use only the first N documents of each stage as candidates.  [default: all]",
)
@click.option(
    "--cutoff",
    "cutoffs",
    metavar="N",
    type=click.IntRange(min=1),
    multiple=True,
    help="Also show Recall@N.  [default: 10, 50, 100, 200, 500, 1000]",
)
@format_option(
    "table",
    "json",
    "markdown",
    "csv",
    help="Output format; json also contains per-query losses.",
)
@output_option
@input_options("query", "label", "document")
@no_color_option
def command(
    files: tuple[str, ...],
    stages: tuple[str, ...],
    k: int,
    candidates: int | None,
    cutoffs: tuple[int, ...],
    form: str,
    output: str | None,
    given: Given,
) -> None:
    """Runs `relyon funnel`."""
    from relyon.analysis.funnel import DEFAULT_CUTOFFS, cascaded_runs, funnel

    if given.scored:
        _check_scored(stages, candidates)
    else:
        named = _stages(files, stages)
        files = (files[0], *(path for _, path in named))
    protect_inputs(output, given.paths(files))
    lists = given.lists(files, () if given.scored else [name for name, _ in named])
    runs = lists.runs
    if given.scored and candidates is not None:
        # Every model scored every row: a stage reranks what the previous one kept.
        runs = cascaded_runs(runs, candidates, lists.convention)
    with given.naming():
        found = funnel(
            lists.judgments,
            runs,
            k,
            convention=lists.convention,
            scale=given.scale,
            cutoffs=cutoffs or DEFAULT_CUTOFFS,
            names=lists.names,
            candidates=candidates,
        )
    if form == "json":
        import json

        text = json.dumps(found.to_dict(per_query=True), ensure_ascii=False, indent=2)
    elif form == "csv":
        text = found.to_csv()
    else:
        write = found.to_markdown if form == "markdown" else found.to_text
        text = write(messages.language)
    emit(text, output)
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
        ParameterError: If there are none, both forms are mixed, or a text is not NAME=RUN.
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
