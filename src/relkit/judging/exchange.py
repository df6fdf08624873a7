"""Sheets into a judging database and out of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from relkit.core.errors import InputError
from relkit.core.texts import message
from relkit.data.aggregation import Rule
from relkit.data.judgments import Judgments
from relkit.data.sheets import Row, Sheet
from relkit.io import read_sheet
from relkit.io.sheets import write_sheet
from relkit.judging.decisions import is_machine_source
from relkit.judging.importing import bring_in, prepare_import
from relkit.judging.incoming import Incoming, Lazy
from relkit.judging.llm.wording import note_machines
from relkit.judging.records import Rating

if TYPE_CHECKING:
    from relkit.judging.incoming import Imported
    from relkit.judging.jobs import Report, Work
    from relkit.judging.records import User
    from relkit.judging.store import Store

__all__ = ["export_sheet", "final_judgments", "import_sheet", "read_sheet", "write_sheet"]


def export_sheet(store: Store, project_id: int, *, rule: Rule = "median") -> Sheet:
    """Returns a project as a sheet: every item, what each judge says, and the grade that counts.

    Args:
        store: The database.
        project_id: The project.
        rule: How several grades become one, where no lead decided.

    Raises:
        UnknownNameError: If there is no such project.
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
    store: Store, project_id: int, *, rule: Rule = "median"
) -> tuple[Judgments, str]:
    """Returns the grades that count as judgments, for `relkit.evaluate` and `relkit.create_round`.

    A note of the judgments says how many of them are a language model's.

    Args:
        store: The database.
        project_id: A project whose single results are graded.
        rule: How several grades become one, where no lead decided. Under `mean_gain` they are
            gains, and the judgments have no scale.

    Returns:
        The judgments, and how they came about: the rule, and the language model whose grades
        stand where people gave none.

    Raises:
        UnknownNameError: If there is no such project.
        InputError: If nothing is graded, or two rankings are judged side by side.
    """
    project = store.projects.get(project_id)
    if project.kind == "side_by_side":
        raise InputError(
            message(
                "`{project_name}` holds preferences between rankings, no grades",
                project_name=project.name,
            )
        )
    grades: dict[str, dict[str, float]] = {}
    finals = store.decisions.final_grades(project.id, rule=rule)
    for one in finals:
        grades.setdefault(one.item.query, {})[one.item.document] = one.value
    if not grades:
        raise InputError(
            message("nothing is graded in `{project_name}` yet", project_name=project.name)
        )
    scale = None if rule == "mean_gain" else project.scale
    found = Judgments.from_dict(grades, scale=scale)
    sources = [one.source for one in finals]
    note = note_machines(store, project.id, sources)
    if note is not None:
        found = Judgments(found.table, scale=scale, notes=(note,))
    return found, ", ".join([rule, *filter(is_machine_source, dict.fromkeys(sources))])


def import_sheet(
    store: Store,
    project_id: int,
    sheet: Sheet | Callable[[], Sheet],
    *,
    judge: str = "import",
    as_gold: bool = False,
    source: str = "",
    by: User | None = None,
    report: Report | None = None,
    work: Work | None = None,
) -> Imported:
    """Adds a sheet's items and grades to a project.

    Every judge's grades keep their name. Final grades of items without ratings become grades of
    `judge`, or known grades of gold items. Final grades beside ratings are not taken: the project
    makes its own. Nor are a language model's: they are no person's. An import that fails or is
    stopped leaves none of its items behind, and judges get none of them before it is done.

    Args:
        store: The database.
        project_id: The project.
        sheet: Graded items, or what reads them.
        judge: Whose grades final grades are.
        as_gold: Make the items with a final grade gold items.
        source: The file, for those who look at what was imported.
        by: Who asked for it.
        report: Told how many rows of how many are in, where they are many.
        work: The job, where `announce_import` made one for those who wait for it.

    Returns:
        How many items and how many grades are new.

    Raises:
        InputError: If the scale does not have a grade, an item has more grades than places, or
            `as_gold` is asked for and there is no final grade.
        ParameterError: If the project is closed, or another import is not finished.
        UnknownNameError: If there is no such project.
        StoppedError: If somebody stopped it.
    """
    project = store.projects.get(project_id)
    try:
        read = sheet if isinstance(sheet, Sheet) else sheet()
        rows = _incoming(read, judge, as_gold=as_gold)
    except BaseException as error:
        if work is not None:
            work.fail(error)
        raise
    if work is not None:
        return prepare_import(store, project, rows, work=work).run()
    return bring_in(store, project, rows, source=source, by=by, report=report)


def _incoming(sheet: Sheet, judge: str, *, as_gold: bool) -> Lazy:
    if as_gold:
        known = [
            row for row in sheet.finals().rows if row.final is not None and not row.final_source
        ]
        if not known:
            raise InputError("there is no grade that an item could be known by")
        return Lazy(known, lambda row: Incoming(row.item, known=row.final))

    def bring(row: Row) -> Incoming:
        if not row.ratings and row.final is not None and not row.final_source:
            return Incoming(row.item, (Rating(judge, row.final),))
        return Incoming(row.item, row.ratings)

    return Lazy(sheet.rows, bring)
