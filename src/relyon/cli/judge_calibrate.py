"""`relyon judge calibrate` and `accept`: compares a language model with people, and accepts it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from relyon.cli.messages import messages
from relyon.cli.options import (
    format_option,
    no_color_option,
    output_option,
    project_option,
    rule_option,
)
from relyon.cli.output import emit, protect_inputs
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.judging.llm.calibration import Calibration
    from relyon.judging.llm.differences import Difference
    from relyon.judging.llm.models import Configuration
    from relyon.judging.llm.systems import SystemOrder
    from relyon.judging.records import Project

__all__ = ["accept", "calibrate"]

CALIBRATE = """Calibrate a language model against human judgments.

\b
Examples:
  relyon judge calibrate judging.db --project June
  relyon judge calibrate judging.db --project June --judge llm:gpt-5-mini \\
      --format markdown -o calibration.md

Prints the confusion matrix, Cohen's and weighted kappa, Krippendorff's alpha,
the mean difference and the agreement on relevance, each with an interval from
resampled queries, overall and by tier; the same between people; and how far the
model agrees with itself. With two or more --run, also shows whether the model's
grades rank these systems in the same order as people's.
"""

ACCEPT = """Use a language model's grades for items without a human grade.

\b
Examples:
  relyon judge accept judging.db --project June --by Lee
  relyon judge accept judging.db --project June --by Lee --withdraw

Prints the calibration and records it with the name and the time. It needs 50
items that people graded too, or --least-items. From then on items without a
human grade get the model's, and every export says so. Changed settings or
guidelines must be accepted again.
"""


def _judge_options(command: Any) -> Any:
    for decorate in (
        click.option("--version", type=click.IntRange(min=1), metavar="N",
                     help="Version of its settings.  [default: the newest]"),
        click.option("--judge", metavar="NAME",
                     help="The language model, such as llm:gpt-5-mini.  [default: the only one]"),
    ):  # fmt: skip
        command = decorate(command)
    return command


@click.command(
    "calibrate", help=CALIBRATE, short_help="Calibrate a language model against human judgments."
)
@click.argument("database")
@project_option()
@_judge_options
@rule_option("majority", "median")
@click.option(
    "--resamples",
    type=click.IntRange(min=100),
    default=2000,
    show_default=True,
    help="Number of bootstrap resamples.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Random seed.  [default: 0]")
@click.option(
    "--run",
    "runs",
    metavar="FILE",
    multiple=True,
    help="A system's run; two or more are ranked by people's grades and by the model's.",
)
@click.option(
    "-m",
    "--measure",
    metavar="MEASURE",
    default="ndcg@10",
    show_default=True,
    help="The measure that ranks the systems.",
)
@click.option(
    "--limit",
    "examples",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="How many of the largest differences to list, with the model's reason.",
)
@format_option("table", "json", "markdown")
@output_option
@no_color_option
def calibrate(
    database: str,
    project: str,
    judge: str | None,
    version: int | None,
    rule: Any,
    resamples: int,
    seed: int,
    runs: Sequence[str],
    measure: str,
    examples: int,
    form: str,
    output: str | None,
) -> None:
    """Runs `relyon judge calibrate`."""
    from relyon.analysis.statistics import Resampling
    from relyon.judging.llm.calibration import calibrate as hold
    from relyon.judging.llm.differences import find_differences
    from relyon.judging.llm.systems import compare_systems
    from relyon.judging.store import open_store

    protect_inputs(output, [database, *runs])
    order = None
    with open_store(database) as store:
        found = store.projects.get(project)
        chosen = store.models.get(found.id, judge, version)
        measured = hold(store, chosen, rule=rule, resampling=Resampling(resamples, seed))
        if runs:
            order = compare_systems(store, chosen, {run: run for run in runs}, measure=measure)
        apart = find_differences(store, chosen, count=examples, rule=rule)
    emit(_rendered(measured, chosen, found, form, order, apart), output)


def _rendered(
    measured: Calibration,
    chosen: Configuration,
    project: Project,
    form: str,
    order: SystemOrder | None = None,
    differences: Sequence[Difference] = (),
) -> str:
    from relyon.judging.llm.descriptions import configuration_dict, render_calibration

    if form == "json":
        import json

        content = {
            "project": project.name,
            "configuration": configuration_dict(chosen),
            **measured.to_dict(),
            "systems": None if order is None else order.to_dict(),
            "examples": [one.to_dict() for one in differences],
        }
        return json.dumps(content, ensure_ascii=False, indent=2)
    return render_calibration(
        measured,
        chosen,
        project.scale,
        order=order,
        differences=differences,
        markdown=form == "markdown",
    )


@click.command(
    "accept",
    help=ACCEPT,
    short_help="Use a language model's grades for items without a human grade.",
)
@click.argument("database")
@project_option()
@_judge_options
@click.option("--by", required=True, metavar="NAME", help="The account of the lead who accepts it.")
@click.option(
    "--least-items",
    "least",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="How many items people must have graded too.",
)
@click.option("--note", default="", metavar="TEXT", help="Why.")
@click.option(
    "--withdraw", is_flag=True, help="Withdraw the acceptance: its grades no longer count."
)
@no_color_option
def accept(
    database: str,
    project: str,
    judge: str | None,
    version: int | None,
    by: str,
    least: int,
    note: str,
    withdraw: bool,
) -> None:
    """Runs `relyon judge accept`."""
    from relyon.judging.llm.calibration import accept_judge
    from relyon.judging.llm.descriptions import note_machines
    from relyon.judging.store import open_store

    with open_store(database) as store:
        found = store.projects.get(project)
        lead = store.accounts.get(by)
        if withdraw:
            accepted = store.models.accepted(found.id)
            if accepted is None:
                raise ParameterError(message("cli.no-language-model", found_name=found.name))
            if judge not in (None, accepted.configuration.judge):
                raise ParameterError(
                    message(
                        "cli.is-not-accepted",
                        judge=judge,
                        found_name=found.name,
                    ),
                    hint=message(
                        "cli.configuration-title", configuration_title=accepted.configuration.title
                    ),
                )
            store.models.record_acceptance(accepted.configuration, lead, accepted=False, note=note)
            messages.note(
                message(
                    "cli.no-longer-counts",
                    configuration_title=accepted.configuration.title,
                    found_name=found.name,
                )
            )
            return
        chosen = store.models.get(found.id, judge, version)
        measured = accept_judge(store, chosen, lead, least=least, note=note)
        emit(_rendered(measured, chosen, found, "table"))
        if measured.outlook is not None and not measured.outlook.within:
            messages.warning(
                message(
                    "cli.agrees-with-people-less",
                    chosen_title=chosen.title,
                )
            )
        messages.note(
            message(
                "cli.chosen-title-is-accepted",
                chosen_title=chosen.title,
                lead_name=lead.name,
                found_name=found.name,
            )
        )
        sources = [one.source for one in store.decisions.final_grades(found.id)]
        machines = note_machines(store, found.id, sources)
        messages.note(
            message("cli.people-graded-every-item") if machines is None else str(machines)
        )
