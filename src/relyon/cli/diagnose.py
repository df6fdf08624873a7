"""`relyon diagnose`: what is wrong with a comparison, and the numbers behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from relyon.cli.described import Described, described_options
from relyon.cli.inputs import Given, check_stdin, stage_runs
from relyon.cli.messages import Progress, messages
from relyon.cli.options import (
    alpha_option,
    format_option,
    input_options,
    language_option,
    names_option,
    no_color_option,
    output_option,
)
from relyon.cli.output import emit, protect_inputs
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.analysis.diagnosis import Findings
    from relyon.core.language import Language

__all__ = ["command"]

HELP = """Diagnose a comparison and suggest next steps.

\b
Examples:
  relyon diagnose judgments.qrels bm25.run new.run
  relyon diagnose judgments.qrels bm25.run new.run --lang zh
  relyon diagnose judgments.qrels bm25.run new.run --online online.json
  relyon diagnose --scored test.csv --score old --score new

Nine rules fire only if they apply: recall up and NDCG flat; NDCG up and the
online metric flat; AUC up and DCG down; NDCG high and DCG low; Recall@K that
behaves like Hit@K; unjudged documents; ties; micro against macro averages;
queries, grades and ids that do not fit. The exit code is 0 whether they fire or
not.
"""


@click.command(
    "diagnose",
    help=HELP,
    short_help="Diagnose a comparison and suggest next steps.",
)
@click.argument("files", metavar="JUDGMENTS BASELINE CANDIDATE…", nargs=-1)
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
    help="Results from production: a JSON, TOML or YAML file with any of metric, baseline,"
    " candidate, p, labels, buckets, planned, cold_start, tiers, shown.",
)
@click.option(
    "--stage",
    "stages",
    metavar="NAME=RUN",
    multiple=True,
    help="A stage of the candidate and its run, in retrieval order, to find the stage that"
    " loses gain.",
)
@described_options()
@alpha_option
@language_option()
@format_option(
    "table", "json", "markdown", help="Output format; json contains all numbers and rows."
)
@output_option
@input_options("query", "label", "document")
@no_color_option
def command(
    files: tuple[str, ...],
    names: tuple[str, ...],
    rules: tuple[str, ...],
    online: str | None,
    stages: tuple[str, ...],
    described: Described,
    alpha: float,
    language: Language,
    form: str,
    output: str | None,
    given: Given,
) -> None:
    """Runs `relyon diagnose`."""
    from relyon.analysis.diagnosis import diagnose
    from relyon.analysis.diagnosis.application import rule_measures

    named = stage_runs(stages)
    if named and given.scored:
        raise ParameterError(
            message("cli.stage-names-runs"),
            hint=message("cli.leave-out"),
        )
    paths = [*files, *(path for _, path in named)]
    check_stdin(paths)
    protect_inputs(output, [*given.paths(paths), online, *described.paths])
    with Progress("cli.comparing") as progress:
        comparison = given.compare(
            files,
            ["ndcg@10"],
            {"alpha": alpha, "resamples": 1},
            names=names,
            progress=progress,
            further=() if rules else rule_measures(),
        )
    with given.naming(), Progress("cli.diagnosing") as progress:
        found = diagnose(
            comparison,
            online=online,
            stages={name: given.run(path, name) for name, path in named} or None,
            rules=rules or None,
            progress=progress,
            **described.texts,
        )
    emit(_text(found, form, language), output)
    messages.notes(comparison.notes)
    described.notes()


def _text(found: Findings, form: str, language: Language) -> str:
    if form == "json":
        import json

        values: list[dict[str, Any]] = [finding.to_dict(language) for finding in found]
        return json.dumps(values, ensure_ascii=False, indent=2)
    text: str = found.to_markdown(language) if form == "markdown" else found.to_text(language)
    return text
