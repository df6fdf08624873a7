"""`relyon diagnose`: the problems of a comparison, and the numbers behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from relyon.cli.comparing import compare_given
from relyon.cli.described import Described, described_options
from relyon.cli.groups import QueryDesign
from relyon.cli.inputs import Given, check_stdin, input_options, stage_runs
from relyon.cli.margins import Margins, with_measures
from relyon.cli.messages import Progress, messages
from relyon.cli.options import (
    alpha_option,
    format_option,
    language_option,
    names_option,
    no_color_option,
    output_option,
)
from relyon.cli.output import Output, emit, protect_inputs, write
from relyon.cli.request import argument, fixed, group, option, request, takes
from relyon.cli.systems import Repeated
from relyon.cli.tapes import Tapes
from relyon.core.document.json import json_text
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    pass

__all__ = ["command"]

HELP = """Diagnose a comparison and suggest next steps.

\b
Examples:
  relyon diagnose judgments.qrels bm25.run new.run
  relyon diagnose judgments.qrels bm25.run new.run --lang zh
  relyon diagnose judgments.qrels bm25.run new.run --online online.json
  relyon diagnose --scored test.csv --score old --score new

Fourteen rules fire only if they apply: the candidate is worse; its scores seem
reversed; it loses on one value of a --by column; recall up and NDCG flat; NDCG
up and the online metric flat; AUC up and DCG down; NDCG high and DCG low;
Recall@K that behaves like Hit@K; unjudged documents; ties; micro against macro
averages; queries, grades and ids that do not fit; of traces, a first query that
a later one mends, and documents read again. The exit code is 0 whether they
fire or not.
"""


@request
class Request:
    """The request of `relyon diagnose`."""

    files: tuple[str, ...] = argument(metavar="JUDGMENTS BASELINE CANDIDATE…", nargs=-1)
    names: tuple[str, ...] = names_option()
    repeated: Repeated = group(Repeated)
    rules: tuple[str, ...] = option(
        "--rule",
        metavar="RULE",
        multiple=True,
        help="Apply this rule only, such as ties or unjudged; repeat it for several.",
    )
    online: str | None = option(
        "--online",
        metavar="FILE",
        help="Results from production: a JSON, TOML or YAML file with any of metric, baseline,"
        " candidate, p, labels, buckets, planned, cold_start, tiers, shown.",
    )
    stages: tuple[str, ...] = option(
        "--stage",
        metavar="NAME=RUN",
        multiple=True,
        help="A stage of the candidate and its run, in retrieval order, to find the stage that"
        " loses gain.",
    )
    described: Described = described_options()
    alpha: float = alpha_option()
    margins: Margins = group(Margins)
    output: Output = group(
        Output,
        language=language_option(),
        forms=fixed(("table", "json", "markdown")),
        asked=format_option(
            "table",
            "json",
            "markdown",
            default=None,
            help="Output format; json contains all numbers and rows.",
        ),
        path=output_option(),
    )
    design: QueryDesign = group(QueryDesign)
    given: Given = input_options("query", "label", "document")


@click.command(
    "diagnose",
    help=HELP,
    short_help="Diagnose a comparison and suggest next steps.",
)
@takes(Request)
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon diagnose`."""
    from relyon.analysis.diagnosis import diagnose
    from relyon.analysis.diagnosis.application import rule_measures

    request.described.beside(bool(request.design))
    named = stage_runs(request.stages)
    if named and request.given.scored:
        raise ParameterError(
            message("cli.stage-names-runs"),
            hint=message("cli.leave-out"),
        )
    files, systems = request.repeated.resolve(
        request.files, request.names, "--scored" if request.given.scored else ""
    )
    repeats = [run for one in systems.values() for run in one]
    paths = [*files, *(path for _, path in named)]
    check_stdin(paths)
    protect_inputs(
        request.output.path,
        [*request.given.paths([*paths, *repeats]), request.online, *request.described.paths],
    )
    with Progress("cli.comparing") as progress:
        comparison = compare_given(
            request.given,
            files,
            with_measures(["ndcg@10"], [*request.margins.chosen]),
            request.design.options(
                request.described.query_texts,
                **request.margins.options(alpha=request.alpha, resamples=1),
            ),
            names=systems or request.names,
            progress=progress,
            further=() if request.rules else rule_measures(),
        )
    runs = () if request.given.scored else files[1:]
    tapes = Tapes(dict(zip(comparison.runs, runs, strict=False)), comparison.run)
    with request.given.naming(files), Progress("cli.diagnosing") as progress:
        found = diagnose(
            comparison,
            online=request.online,
            stages={name: request.given.run(path, name) for name, path in named} or None,
            rules=request.rules or None,
            progress=progress,
            query_texts=tapes.queries(request.described.queries),
            document_titles=tapes.titles(request.described.documents),
        )
    if request.output.form == "json":
        values = [finding.to_dict(request.output.language or "en") for finding in found]
        write(json_text(values), request.output.path)
    else:
        emit(found, request.output)
    messages.notes((*comparison.notes, *tapes.notes))
    request.described.notes()
