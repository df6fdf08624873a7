"""`relyon judge calibrate` and `accept`: compares a language model with people, and accepts it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import click

from relyon.cli.encoding import TextEncoding, encoding_options
from relyon.cli.messages import messages
from relyon.cli.option_values import run_names
from relyon.cli.options import (
    format_option,
    no_color_option,
    output_option,
    project_option,
    resamples_option,
    rule_option,
    seed_option,
)
from relyon.cli.output import Answer, Output, emit, protect_inputs
from relyon.cli.request import Declared, argument, fixed, flag, group, option, request, takes
from relyon.cli.shares import SHARE_BETWEEN
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.core.document.model import Document
    from relyon.core.language import Language
    from relyon.judging.llm.calibration import Calibration
    from relyon.judging.llm.differences import Difference
    from relyon.judging.llm.models import Configuration
    from relyon.judging.llm.saved import SavedGrades
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
model agrees with itself. Tests whether the model agrees with people as well as
they do with each other, within --margin, or says that this cannot be told. With
two or more --run, also shows whether the model's grades rank these systems in
the same order as people's, and how many human grades the model's have saved.
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


@request
class Machine:
    """A language model that judges, and the version of its settings."""

    judge: str | None = option(
        "--judge",
        metavar="NAME",
        help="The language model, such as llm:gpt-5-mini.  [default: the only one]",
    )
    version: int | None = option(
        "--version",
        type=click.IntRange(min=1),
        metavar="N",
        help="Version of its settings.  [default: the newest]",
    )


def margin_option() -> Declared:
    """Declares ``--margin``."""
    return option(
        "--margin",
        type=SHARE_BETWEEN,
        default=0.1,
        show_default=True,
        help="How far the model's weighted kappa with people may be below that of people with each"
        " other.",
    )


def runs_option(purpose: str) -> Declared:
    """Declares ``--run``.

    Args:
        purpose: What two or more are for.
    """
    return option(
        "--run",
        metavar="FILE",
        multiple=True,
        help=f"A system's run, the baseline first; {purpose}",
    )


@request
class Systems:
    """The runs of systems that a model's grades compare, and by which measure."""

    runs: tuple[str, ...] = runs_option("two or more are compared.")
    encoding: TextEncoding = encoding_options()
    measure: str = option(
        "-m",
        "--measure",
        metavar="MEASURE",
        default="ndcg@10",
        show_default=True,
        help="The measure of the systems.",
    )

    @property
    def named(self) -> dict[str, str]:
        """The path of each run by its name."""
        return dict(zip(run_names(self.runs), self.runs, strict=True))


@request
class Calibrate:
    """The request of `relyon judge calibrate`."""

    database: str = argument()
    project: str = project_option()
    machine: Machine = group(Machine)
    rule: Literal["majority", "median"] = rule_option("majority", "median")
    resamples: int = resamples_option(least=100)
    seed: int = seed_option("")
    margin: float = margin_option()
    systems: Systems = group(
        Systems,
        runs=runs_option("two or more are ranked by people's grades and by the model's."),
    )
    examples: int = option(
        "--limit",
        type=click.IntRange(min=0),
        default=5,
        show_default=True,
        help="How many of the largest differences to list, with the model's reason.",
    )
    output: Output = group(
        Output,
        forms=fixed(("table", "json", "markdown")),
        asked=format_option("table", "json", "markdown", default=None),
        path=output_option(),
    )


@click.command(
    "calibrate", help=CALIBRATE, short_help="Calibrate a language model against human judgments."
)
@takes(Calibrate)
@no_color_option
def calibrate(request: Calibrate) -> None:
    """Runs `relyon judge calibrate`."""
    from relyon.analysis.prediction_powered import is_mean
    from relyon.analysis.statistics import Resampling
    from relyon.judging.llm import calibration
    from relyon.judging.llm.differences import find_differences
    from relyon.judging.llm.saved import saved_grades
    from relyon.judging.llm.systems import compare_systems
    from relyon.judging.store import open_store
    from relyon.measures.parser import measure as parse_measure

    protect_inputs(request.output.path, [request.database, *request.systems.runs])
    order = None
    saved: tuple[SavedGrades, ...] = ()
    with open_store(request.database) as store:
        found = store.projects.get(request.project)
        chosen = store.models.get(found.id, request.machine.judge, request.machine.version)
        measured = calibration.calibrate(
            store,
            chosen,
            rule=request.rule,
            resampling=Resampling(request.resamples, request.seed),
            margin=request.margin,
        )
        if request.systems.runs:
            runs = request.systems.named
            order = compare_systems(store, chosen, runs, measure=request.systems.measure)
            if is_mean(parse_measure(request.systems.measure)):
                saved = saved_grades(store, chosen, runs, measures=[request.systems.measure])
        apart = find_differences(store, chosen, count=request.examples, rule=request.rule)
    emit(_answer(measured, chosen, found, order, apart, saved), request.output)


def _answer(
    measured: Calibration,
    chosen: Configuration,
    project: Project,
    order: SystemOrder | None = None,
    differences: Sequence[Difference] = (),
    saved: Sequence[SavedGrades] = (),
) -> Answer:
    from relyon.core.document.markdown import render_markdown
    from relyon.core.document.terminal import render_text
    from relyon.judging.llm.calibration_document import calibration_document
    from relyon.judging.llm.descriptions import configuration_dict

    def document(language: Language) -> Document:
        return calibration_document(
            measured,
            chosen,
            project.scale,
            order=order,
            saved=saved,
            differences=differences,
            language=language,
        )

    return Answer(
        lambda: {
            "project": project.name,
            "configuration": configuration_dict(chosen),
            **measured.to_dict(),
            "systems": None if order is None else order.to_dict(),
            "saved": [one.to_dict() for one in saved],
            "examples": [one.to_dict() for one in differences],
        },
        lambda language: render_text(document(language)),
        lambda language: render_markdown(document(language)),
    )


@request
class Accept:
    """The request of `relyon judge accept`."""

    database: str = argument()
    project: str = project_option()
    machine: Machine = group(Machine)
    by: str = option(
        "--by", required=True, metavar="NAME", help="The account of the lead who accepts it."
    )
    least: int = option(
        "--least-items",
        type=click.IntRange(min=1),
        default=50,
        show_default=True,
        help="How many items people must have graded too.",
    )
    margin: float = margin_option()
    note: str = option("--note", default="", metavar="TEXT", help="Why.")
    withdraw: bool = flag("--withdraw", help="Withdraw the acceptance: its grades no longer count.")


@click.command(
    "accept",
    help=ACCEPT,
    short_help="Use a language model's grades for items without a human grade.",
)
@takes(Accept)
@no_color_option
def accept(request: Accept) -> None:
    """Runs `relyon judge accept`."""
    from relyon.judging.llm.calibration import accept_judge
    from relyon.judging.llm.descriptions import note_machines
    from relyon.judging.store import open_store

    with open_store(request.database) as store:
        found = store.projects.get(request.project)
        lead = store.accounts.get(request.by)
        if request.withdraw:
            accepted = store.models.accepted(found.id)
            if accepted is None:
                raise ParameterError(message("cli.no-language-model", found_name=found.name))
            if request.machine.judge not in (None, accepted.configuration.judge):
                raise ParameterError(
                    message(
                        "cli.is-not-accepted",
                        judge=request.machine.judge,
                        found_name=found.name,
                    ),
                    hint=message(
                        "cli.configuration-title", configuration_title=accepted.configuration.title
                    ),
                )
            store.models.record_acceptance(
                accepted.configuration, lead, accepted=False, note=request.note
            )
            messages.note(
                message(
                    "cli.no-longer-counts",
                    configuration_title=accepted.configuration.title,
                    found_name=found.name,
                )
            )
            return
        chosen = store.models.get(found.id, request.machine.judge, request.machine.version)
        measured = accept_judge(
            store, chosen, lead, least=request.least, note=request.note, margin=request.margin
        )
        emit(_answer(measured, chosen, found), Output())
        if measured.outlook is not None and not measured.outlook.within:
            messages.warning(
                message("cli.agrees-with-people-less", chosen_title=chosen.title)
                if measured.outlook.verdict == "below"
                else message("cli.agrees-with-people-unknown", chosen_title=chosen.title)
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
            message("cli.people-graded-every-item")
            if machines is None
            else machines.text(messages.language)
        )
