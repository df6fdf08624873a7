"""`relkit diagnose`: what is the matter with a comparison, with its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from relkit.cli.inputs import check_stdin, judgments_argument, run_argument, run_names, stage_runs
from relkit.cli.messages import Progress, messages
from relkit.cli.options import (
    alpha_option,
    columns_option,
    convention_options,
    format_option,
    format_options,
    language_option,
    names_option,
    no_color_option,
    output_option,
    scale_option,
)
from relkit.cli.output import emit, protect_inputs
from relkit.cli.values import chosen_columns, chosen_convention, chosen_scale, format_named_by

if TYPE_CHECKING:
    from relkit.analysis.diagnosis import Findings
    from relkit.core.language import Language

__all__ = ["command"]

HELP = """Diagnose a comparison and suggest next steps.

\b
Examples:
  relkit diagnose judgments.qrels bm25.run new.run
  relkit diagnose judgments.qrels bm25.run new.run --lang zh
  relkit diagnose judgments.qrels bm25.run new.run --online online.json

Nine rules compute what they need and fire only where they apply:
recall up and NDCG flat; NDCG up and the online metric flat; AUC up and DCG
down; NDCG high and DCG low; Recall@K that behaves like Hit@K; unjudged
documents; ties; micro against macro averages; queries, grades and ids that do
not fit. The exit code is 0 whether they fire or not.
"""


@click.command(
    "diagnose",
    help=HELP,
    short_help="Diagnose a comparison and suggest next steps.",
)
@click.argument("judgments")
@click.argument("baseline")
@click.argument("candidates", metavar="CANDIDATE…", nargs=-1, required=True)
@names_option
@click.option(
    "--rule",
    "rules",
    metavar="RULE",
    multiple=True,
    help="Apply this rule only, such as ties or unjudged; repeat it for several.",
)
@click.option(
    "--online",
    metavar="FILE",
    help="What is known from production: a JSON, TOML or YAML file with any of metric, baseline,"
    " candidate, p, labels, buckets, planned, cold_start, tiers, shown.",
)
@click.option(
    "--stage",
    "stages",
    metavar="NAME=RUN",
    multiple=True,
    help="A stage of the candidate and its run, in the order of the search, to name the stage that"
    " loses.",
)
@alpha_option
@convention_options
@scale_option
@language_option()
@format_option(
    "table", "json", "markdown", help="Output format; json contains every number and row."
)
@output_option
@columns_option
@format_options
@no_color_option
def command(
    judgments: str,
    baseline: str,
    candidates: tuple[str, ...],
    names: tuple[str, ...],
    rules: tuple[str, ...],
    online: str | None,
    stages: tuple[str, ...],
    alpha: float,
    convention: str | None,
    changes: tuple[str, ...],
    scale: str | None,
    language: Language,
    form: str,
    output: str | None,
    columns: tuple[str, ...],
    judgments_format: str | None,
    run_format: str | None,
) -> None:
    """Runs `relkit diagnose`."""
    from relkit.analysis.comparison import compare
    from relkit.analysis.diagnosis import diagnose

    rules_of_measures = chosen_convention(convention, changes)
    levels = chosen_scale(scale)
    roles = chosen_columns(columns)
    runs = [baseline, *candidates]
    titles = run_names(runs, names)
    named = stage_runs(stages)
    paths = [judgments, *runs, *(path for _, path in named)]
    check_stdin(paths)
    protect_inputs(output, [*paths, online])
    grades = judgments_argument(judgments, judgments_format, roles, levels)
    with format_named_by("--run-format"), Progress("comparing") as progress:
        comparison = compare(
            grades,
            run_argument(baseline, run_format, roles, titles[0]),
            [
                run_argument(path, run_format, roles, name)
                for path, name in zip(candidates, titles[1:], strict=True)
            ],
            "ndcg@10",
            convention=rules_of_measures,
            scale=levels,
            names=titles,
            alpha=alpha,
            resamples=1,
            progress=progress,
        )
    with format_named_by("--run-format"), Progress("diagnosing") as progress:
        found = diagnose(
            comparison,
            online=online,
            stages={name: run_argument(path, run_format, roles, name) for name, path in named}
            or None,
            rules=rules or None,
            progress=progress,
        )
    emit(_text(found, form, language), output)
    messages.notes(comparison.notes)


def _text(found: Findings, form: str, language: Language) -> str:
    if form == "json":
        import json

        values: list[dict[str, Any]] = [finding.to_dict(language) for finding in found]
        return json.dumps(values, ensure_ascii=False, indent=2)
    return found.to_markdown(language) if form == "markdown" else found.to_text(language)
