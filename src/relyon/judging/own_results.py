"""What a judge graded: the own current answers, the newest first.

The list is made of the judge's own actions alone. So it contains gold items as any other result,
and does not tell whether a grade counts, what others said, or what a lead decided.
"""

from __future__ import annotations

from dataclasses import dataclass

from relyon.judging.database_part import Base
from relyon.judging.gold_turns import mask_item
from relyon.judging.places import see_preference
from relyon.judging.records import Item, Project, User
from relyon.judging.schema import actions, items, sa
from relyon.judging.table_rows import read_item
from relyon.judging.texts import is_storable

__all__ = ["OwnAnswer", "OwnFilter", "OwnPage", "list_own"]

LATER, UNDO = actions.alias(), actions.alias()


@dataclass(frozen=True)
class OwnFilter:
    """Which of a judge's answers are listed.

    Attributes:
        text: A part of the query, the title, or the document's name.
        grade: The grade that the judge gave, as the judge sees it.
        cannot: Only results that the judge could not grade.
    """

    text: str = ""
    grade: float | None = None
    cannot: bool = False


@dataclass(frozen=True)
class OwnAnswer:
    """A judge's answer.

    Attributes:
        number: The number of the result that the judge sees.
        item: The result.
        key: The key of the action, with which it is undone.
        grade: The grade as the judge sees it; None if the result could not be graded.
        reason: Why it could not be graded.
        note: The judge's remark.
        at: When, in seconds since 1970.
    """

    number: int
    item: Item
    key: str
    grade: float | None
    reason: str
    note: str
    at: float


@dataclass(frozen=True)
class OwnPage:
    """A page of a judge's answers.

    Attributes:
        answers: The answers, the newest first.
        following: Where the next page begins; 0 after the last one.
    """

    answers: tuple[OwnAnswer, ...]
    following: int


def list_own(
    store: Base,
    project: Project,
    user: User,
    chosen: OwnFilter | None = None,
    *,
    before: int = 0,
    count: int = 25,
) -> OwnPage:
    """Returns a page of a judge's own answers in a project.

    Args:
        store: The database.
        project: The project.
        user: The judge.
        chosen: The filter.
        before: The `following` of the page before; 0 for the first one.
        count: The number of answers of a page.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from relyon.judging import Item, Rating, open_store
        >>> folder = TemporaryDirectory()
        >>> with open_store(f"{folder.name}/judging.db", create=True) as store:
        ...     june = store.projects.create("June")
        ...     _ = store.grades.add(june.id, [(Item("tv", "d1"), [Rating("Ann", 3)])])
        ...     found = list_own(store, june, store.accounts.get("Ann"))
        ...     [(one.item.document, one.grade) for one in found.answers]
        [('d1', 3.0)]
        >>> folder.cleanup()
    """
    chosen = chosen or OwnFilter()
    if not is_storable(chosen.text):
        return OwnPage((), 0)
    undone = sa.select(UNDO.c.id).where(UNDO.c.undoes == actions.c.id)
    after = sa.select(UNDO.c.id).where(UNDO.c.undoes == LATER.c.id)
    replaced = sa.select(LATER.c.id).where(
        LATER.c.item_id == actions.c.item_id,
        LATER.c.user_id == user.id,
        LATER.c.id > actions.c.id,
        LATER.c.kind.in_(("grade", "cannot", "skip", "later")),
        ~after.exists(),
    )
    query = (
        sa.select(actions.c.id.label("action"), actions.c.key, actions.c.grade, actions.c.reason,
                  actions.c.note, actions.c.created_at.label("at"), items)
        .select_from(actions.join(items, actions.c.item_id == items.c.id))
        .where(
            actions.c.project_id == project.id,
            actions.c.user_id == user.id,
            actions.c.kind.in_(("cannot",) if chosen.cannot else ("grade", "cannot")),
            ~undone.exists(),
            ~replaced.exists(),
        )
        .order_by(actions.c.id.desc())
        .limit(count + 1)
    )  # fmt: skip
    if before:
        query = query.where(actions.c.id < before)
    if chosen.grade is not None:
        sides = {chosen.grade, -chosen.grade} if project.kind == "side_by_side" else {chosen.grade}
        query = query.where(actions.c.grade.in_(sides))
    if chosen.text.strip():
        words = chosen.text.strip()
        columns = [items.c.query, items.c.query_text, items.c.title, items.c.document]
        if project.kind == "side_by_side":  # the document names the systems
            columns = columns[:2]
        query = query.where(sa.or_(*(one.icontains(words, autoescape=True) for one in columns)))
    with store.database.read() as connection:
        rows = connection.execute(query).all()
    answers = []
    for row in rows[:count]:
        grade = see_preference(project, user, row.id, row.grade)
        if chosen.grade is None or grade == chosen.grade:
            answers.append(
                OwnAnswer(mask_item(project, row.id), read_item(row), row.key, grade, row.reason,
                          row.note, row.at)
            )  # fmt: skip
    return OwnPage(tuple(answers), rows[count - 1].action if len(rows) > count else 0)
