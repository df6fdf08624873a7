"""`relkit funnel`: how much of the possible gain each stage of a search loses."""

from __future__ import annotations

from collections.abc import Sequence

import click

from relkit.cli.group import Renamed
from relkit.cli.inputs import check_stdin, judgments_argument, run_argument, run_names, stage_runs
from relkit.cli.messages import messages
from relkit.cli.options import (
    columns_option,
    convention_options,
    format_option,
    format_options,
    no_color_option,
    output_option,
    scale_option,
)
from relkit.cli.output import emit, protect_inputs
from relkit.cli.values import chosen_columns, chosen_convention, chosen_scale, format_named_by
from relkit.core.errors import ParameterError

__all__ = ["command"]

HELP = """Attribute lost gain to retrieval stages and ranking.

\b
Examples:
  relkit funnel judgments.qrels bm25.run
  relkit funnel judgments.qrels --stage retrieval=bm25.run \\
      --stage re-rank=tfidf.run -k 5

Every document that a stage returned is a candidate of the next one. What its
candidates could be worth at best, less than what those of the stage before
could, is the stage's recall loss; what the last stage's order falls short of
that best is the ranking loss. Together they are all that is missing from the
ideal DCG@k over the judged documents.
"""


@click.command("funnel", help=HELP, short_help="Show how much gain each stage of a search loses.")
@click.argument("judgments")
@click.argument("runs", metavar="[RUN…]", nargs=-1)
@click.option(
    "--stage",
    "stages",
    metavar="NAME=RUN",
    multiple=True,
    help="A stage and its run, in the order of the search; once per stage.",
)
@click.option(
    "-k",
    "--depth",
    "k",
    cls=Renamed,
    formerly="--k",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Ranks that count.",
)
@click.option(
    "--candidates",
    metavar="N",
    type=click.IntRange(min=1),
    help="Only the first N documents of each stage are its candidates.  [default: all]",
)
@click.option(
    "--cutoff",
    "cutoffs",
    metavar="N",
    type=click.IntRange(min=1),
    multiple=True,
    help="Show Recall at N too.  [default: 10, 50, 100, 200, 500, 1000]",
)
@convention_options
@scale_option
@format_option(
    "table",
    "json",
    "markdown",
    "csv",
    help="Output format; json also contains the losses of each query.",
)
@output_option
@columns_option
@format_options
@no_color_option
def command(
    judgments: str,
    runs: tuple[str, ...],
    stages: tuple[str, ...],
    k: int,
    candidates: int | None,
    cutoffs: tuple[int, ...],
    convention: str | None,
    changes: tuple[str, ...],
    scale: str | None,
    form: str,
    output: str | None,
    columns: tuple[str, ...],
    judgments_format: str | None,
    run_format: str | None,
) -> None:
    """Runs `relkit funnel`."""
    from relkit.analysis.funnel import DEFAULT_CUTOFFS, funnel

    named = _stages(runs, stages)
    rules = chosen_convention(convention, changes)
    levels = chosen_scale(scale)
    roles = chosen_columns(columns)
    paths = [judgments, *(path for _, path in named)]
    check_stdin(paths)
    protect_inputs(output, paths)
    grades = judgments_argument(judgments, judgments_format, roles, levels)
    with format_named_by("--run-format"):
        found = funnel(
            grades,
            [run_argument(path, run_format, roles, name) for name, path in named],
            k,
            convention=rules,
            scale=levels,
            cutoffs=cutoffs or DEFAULT_CUTOFFS,
            names=[name for name, _ in named],
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


def _stages(runs: Sequence[str], stages: Sequence[str]) -> list[tuple[str, str]]:
    """Returns the stages' names and paths.

    Raises:
        ParameterError: If there is none, both forms are mixed, or a text is not NAME=RUN.
    """
    if runs and stages:
        raise ParameterError(
            "runs are given with --stage and without", hint="write --stage NAME=RUN for each"
        )
    if not runs and not stages:
        raise ParameterError("there is no run", hint="name one, or write --stage NAME=RUN")
    return list(zip(run_names(runs), runs, strict=True)) if runs else stage_runs(stages)
