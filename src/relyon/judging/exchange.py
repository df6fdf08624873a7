"""Sheets into a judging database and out of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from relyon.core.errors import InputError
from relyon.core.notes import Note, warn
from relyon.core.texts import message
from relyon.data.aggregation import Rule
from relyon.data.judgments import Judgments
from relyon.data.sheets import Row, Sheet
from relyon.io import read_sheet
from relyon.io.sheets import write_sheet
from relyon.judging.actions import Again
from relyon.judging.decisions import is_machine_source
from relyon.judging.imports import bring_in, prepare_import
from relyon.judging.incoming_items import Incoming, Lazy
from relyon.judging.leaks import hide_behaviour
from relyon.judging.llm.descriptions import note_machines
from relyon.judging.records import Rating
from relyon.judging.sent_sheets import check_sent_sheet

if TYPE_CHECKING:
    from relyon.data.scale import Scale
    from relyon.judging.incoming_items import Imported
    from relyon.judging.jobs import Report, Work
    from relyon.judging.records import Project, User
    from relyon.judging.store import Store

__all__ = [
    "Mode",
    "export_sheet",
    "final_judgments",
    "import_sheet",
    "incoming_rows",
    "read_sheet",
    "refuse_preferences",
    "write_sheet",
]

#: What an import does with grades.
Mode = Literal["add", "update", "gold"]


def export_sheet(store: Store, project_id: int, *, rule: Rule = "median") -> Sheet:
    """Returns a project as a sheet: every item, each judge's rating, and the final grade.

    Args:
        store: The database.
        project_id: The project.
        rule: How several grades are combined without a lead's decision.

    Raises:
        UnknownNameError: If the project does not exist.
    """
    project = store.projects.get(project_id)
    ratings = store.grades.ratings(project.id)
    grades = {
        item: {one.judge: one.grade for one in said if one.grade is not None}
        for item, said in ratings.items()
    }
    finals = store.decisions.final_values(project.id, rule=rule, grades=grades)
    rows = []
    for number, item in store.items.by_id(project.id):
        found, source = finals.get(number, (None, ""))
        rows.append(
            Row(
                item,
                tuple(ratings.get(number, ())),
                None if found is None else found.value,
                source if is_machine_source(source) else "",
            )
        )
    return Sheet(tuple(rows), project.name, project.scale)


def final_judgments(
    store: Store,
    project_id: int,
    *,
    rule: Rule = "median",
    scale: Scale | None = None,
    source: str = "memory",
) -> tuple[Judgments, str]:
    """Returns the final grades as judgments, for `relyon.evaluate` and `relyon.create_round`.

    Notes in the judgments count the items without a grade, those whose judges differ and no lead
    decided, and the grades of a language model.

    Args:
        store: The database.
        project_id: A project whose single results are graded.
        rule: How several grades are combined without a lead's decision. Under `mean_gain` they are
            gains, and the judgments have no scale.
        scale: The grade scale of the judgments; None takes the project's.
        source: The name of the judgments in messages.

    Returns:
        The judgments and their provenance: the rule, and the language model whose grades fill in
        for people's.

    Raises:
        UnknownNameError: If the project does not exist.
        InputError: If nothing is graded, or the project compares rankings side by side.
    """
    project = store.projects.get(project_id)
    refuse_preferences(project)
    given = store.grades.by_judge(project.id)
    finals = store.decisions.final_values(project.id, rule=rule, grades=given)
    grades: dict[str, dict[str, float]] = {}
    sources, missing, differing = [], [], []
    for number, item in store.items.by_id(project.id):
        if number not in finals:
            missing.append(item.document)
            continue
        final, origin = finals[number]
        grades.setdefault(item.query, {})[item.document] = final.value
        sources.append(origin)
        if origin == rule and len({*given[number].values()}) > 1:
            differing.append(item.document)
    if not grades:
        raise InputError(message("judging.nothing-has-been-graded", project_name=project.name))
    chosen = None if rule == "mean_gain" else scale or project.scale
    table = Judgments.from_dict(grades, scale=chosen, source=source).table
    notes = []
    if missing:
        total = {"total": len(missing) + len(sources)}
        shown = tuple(missing[:3])
        key = "missing-grades.items"
        notes.append(Note("missing-grades", len(missing), "warning", shown, total, key=key))
    if differing:
        key = "" if rule == "median" else f"combined-grades.{rule}"
        notes.append(
            Note("combined-grades", len(differing), examples=tuple(differing[:3]), key=key)
        )
    machines = note_machines(store, project.id, sources)
    if machines is not None:
        notes.append(machines)
    found = Judgments(table, scale=chosen, source=source, notes=tuple(notes))
    return found, ", ".join([rule, *filter(is_machine_source, dict.fromkeys(sources))])


def refuse_preferences(project: Project) -> None:
    """Refuses a project that compares rankings.

    Raises:
        InputError: If it does.
    """
    if project.kind == "side_by_side":
        raise InputError(
            message(
                "judging.contains-preferences-between-rankings",
                project_name=project.name,
            ),
            hint=message("judging.status-shows-preferences"),
        )


def import_sheet(
    store: Store,
    project_id: int,
    sheet: Sheet | Callable[[], Sheet],
    *,
    judge: str = "import",
    mode: Mode = "add",
    source: str = "",
    by: User | None = None,
    report: Report | None = None,
    work: Work | None = None,
) -> Imported:
    """Adds a sheet's items and grades to a project.

    Judges' grades keep their judge's name. Final grades of items without ratings become grades of
    `judge`, or known grades of gold items. Final grades of items with ratings are ignored: the
    project computes its own. So are a language model's, as they are not a person's. An import that
    fails or is stopped leaves no items behind, and judges get none of them before it is done.

    A grade that differs from the one that its judge already gave the item is refused, or replaces
    it: the history keeps both, and undoing the new one brings the earlier one back. Fields that
    would show judges what users did are left out, with a warning.

    A plain grading sheet adds no items, and is imported only into its own project. Its rows with a
    note and no grade are stored as `cannot`, with the note as the reason.

    Args:
        store: The database.
        project_id: The project.
        sheet: Graded items, or a reader of them.
        judge: The judge to whom final grades are attributed.
        mode: `add`: add items and grades. `update`: also replace grades that judges gave before.
            `gold`: turn items with a final grade into gold items.
        source: The file, for display.
        by: The account that requested it.
        report: Called with the number of rows done and their total, if there are many.
        work: The job, if `announce_import` created one.

    Returns:
        The numbers of new items and new grades.

    Raises:
        InputError: If a grade is not on the scale, differs from a stored one, an item has more
            grades than places, a field looks like grades, or there are no final grades for gold;
            or if a grading sheet is of another project, is empty, or contains other items.
        ParameterError: If the project is closed, or another import is not finished.
        UnknownNameError: If the project does not exist.
        StoppedError: If it was stopped.
    """
    project = store.projects.get(project_id)
    again: Again = "replace" if mode == "update" else "refuse"
    try:
        read = sheet if isinstance(sheet, Sheet) else sheet()
        check_sent_sheet(store, project, read, path=source)
        read, notes = hide_behaviour(read, project.scale, read.shown)
        warn(notes)
        rows = incoming_rows(read, judge, as_gold=mode == "gold")
    except BaseException as error:
        if work is not None:
            work.fail(error)
        raise
    if work is not None:
        return prepare_import(store, project, rows, work=work, again=again).run()
    return bring_in(store, project, rows, source=source, by=by, report=report, again=again)


def incoming_rows(sheet: Sheet, judge: str, *, as_gold: bool) -> Lazy[Row]:
    """Returns the rows of a sheet as an import stores them.

    Args:
        sheet: Items with their grades.
        judge: The judge to whom final grades are attributed.
        as_gold: Whether final grades are known grades of gold items; rows without one are left out.

    Raises:
        InputError: If there are no final grades for gold.
    """
    if as_gold:
        known = [
            row for row in sheet.finals().rows if row.final is not None and not row.final_source
        ]
        if not known:
            raise InputError(message("judging.there-are-no-final"))
        return Lazy(known, lambda row: Incoming(row.item, known=row.final))

    def bring(row: Row) -> Incoming:
        if not row.ratings and row.final is not None and not row.final_source:
            return Incoming(row.item, (Rating(judge, row.final),))
        return Incoming(row.item, row.ratings)

    return Lazy(sheet.rows, bring)
