"""`relkit explain`: the derivation of one query's value."""

from __future__ import annotations

import math
from typing import Any

import click

from relkit.cli.options import (
    chosen_columns,
    chosen_convention,
    chosen_scale,
    columns_option,
    convention_options,
    format_option,
    no_color_option,
    output_option,
    plugin_option,
    scale_option,
)
from relkit.cli.output import emit, protect_inputs, terminal_columns
from relkit.errors import ParameterError

__all__ = ["command"]

HELP = """Show how one query's value comes about, rank by rank.

\b
Example:
  relkit explain judgments.qrels bm25.run --query en01 -m ndcg@5

Each row is a rank: the document, its grade, its gain, by what the gain is
divided, what it adds, and the value up to there. Without --query the queries
of the lowest values are named.
"""


@click.command("explain", help=HELP, short_help="Show how one query's value comes about.")
@click.argument("judgments")
@click.argument("run")
@click.option("--query", metavar="QUERY", help="The query's id.")
@click.option(
    "-m",
    "--measure",
    metavar="MEASURE",
    default="ndcg@10",
    show_default=True,
    help="The measure.",
)
@convention_options
@scale_option
@format_option("table", "json", "markdown")
@output_option
@columns_option
@click.option("--judgments-format", metavar="FORMAT", help="Format of the judgments.")
@click.option("--run-format", metavar="FORMAT", help="Format of the run.")
@plugin_option
@no_color_option
def command(
    judgments: str,
    run: str,
    query: str | None,
    measure: str,
    convention: str | None,
    changes: tuple[str, ...],
    scale: str | None,
    form: str,
    output: str | None,
    columns: tuple[str, ...],
    judgments_format: str | None,
    run_format: str | None,
) -> None:
    """Runs `relkit explain`."""
    from relkit.explanation import explain
    from relkit.io import read_judgments, read_run
    from relkit.measures import measure as parse_measure

    rules = chosen_convention(convention, changes)
    levels = chosen_scale(scale)
    one = parse_measure(measure)
    roles = chosen_columns(columns) or {}
    protect_inputs(output, [judgments, run])
    if judgments == run == "-":
        raise ParameterError("stdin can be read only once: `-` is given twice")
    run_roles = {role: name for role, name in roles.items() if role != "grade"}
    judged_roles = {role: name for role, name in roles.items() if role not in {"score", "rank"}}
    reference: Any
    if one.needs == "reference":
        reference = read_run(judgments, format=run_format, columns=run_roles or None)
    else:
        reference = read_judgments(
            judgments, format=judgments_format, columns=judged_roles or None, scale=levels
        )
    ranked = read_run(run, format=run_format, columns=run_roles or None)
    if query is None:
        raise ParameterError(
            "--query is missing", hint=_lowest(reference, ranked, one, rules, levels)
        )
    found = explain(reference, ranked, query, one, convention=rules, scale=levels)
    if form == "json":
        import json

        emit(json.dumps(found.to_dict(), ensure_ascii=False, indent=2), output)
    else:
        room = terminal_columns() if output is None else None
        emit(found.to_markdown() if form == "markdown" else found.to_text(room), output)


def _lowest(reference: Any, run: Any, measure: Any, convention: Any, scale: Any) -> str:
    """Names the queries on which a closer look pays most."""
    from relkit.evaluation import Evaluator

    results = Evaluator(reference, convention=convention, scale=scale).evaluate(run, measure)
    values = results.values_by_query(measure).items()
    known = sorted((value, query) for query, value in values if not math.isnan(value))
    if not known:
        return "name one of the run's queries"
    shown = ", ".join(f"`{query}` ({value:.4f})" for value, query in known[:3])
    return f"name a query; the lowest {measure} of {len(known):,} have {shown}"
