"""Plain grading sheets: a workbook for one person, with a list of grades in each row.

Hidden columns name the query, the document, the judge and the project, so that what comes back is
attributed to whom it was sent to, however the file is named.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from relyon.core.errors import InputError
from relyon.core.language import Language
from relyon.core.texts import LANGUAGES, catalogue, message
from relyon.data.scale import Scale
from relyon.data.sheets import Row, SentSheet
from relyon.io.workbook_writer import Column, SheetText, Table, workbook_bytes

__all__ = ["GradingRows", "grading_sheet", "refuse_cut_sheet", "roles_of_headings"]

#: The hidden columns, by what they contain.
HIDDEN = {"query": "query_id", "document": "document", "judge": "judge"}
#: A hidden column that sheets of earlier versions lack.
PROJECT = "project"
#: The names of the visible columns, by their keys.
VISIBLE = {
    "query": "query_text", "title": "title", "snippet": "snippet", "url": "url",
    "grade": "grade", "note": "note",
}  # fmt: skip
WIDTHS = {"query": 24, "title": 44, "snippet": 60, "url": 36, "grade": 12, "note": 36}
#: The longest list of choices that a cell of Excel offers.
LONGEST_LIST = 255


def grading_sheet(
    rows: Iterable[Row],
    judge: str,
    scale: Scale,
    *,
    project: str = "",
    language: Language = "en",
    guideline: str = "",
    path: str = "",
) -> bytes:
    """Returns a workbook in which one person grades.

    Args:
        rows: The items, in the order in which they are shown; their grades are left out.
        judge: The person's name.
        scale: The grades.
        project: The project's name.
        language: The language of headings and grades.
        guideline: The guideline, shown on a sheet of its own.
        path: The file, for messages.

    Raises:
        InputError: If a text is longer than a cell of Excel.
        DependencyError: If the library that writes workbooks is not installed.
    """
    texts = catalogue("grading_sheet", language)
    items = [row.item for row in rows]
    shown = [
        key
        for key in VISIBLE
        if key in ("query", "title", "grade", "note")
        or any(getattr(item, VISIBLE[key]) for item in items)
    ]
    levels = sorted(scale.levels, key=lambda level: -level.grade)
    grades = [scale.label(level.grade, language) for level in levels]
    fits = "," not in "".join(grades) and len(",".join(grades)) <= LONGEST_LIST
    choices = grades if fits else [f"{level.grade:g}" for level in levels]
    columns = [
        Column(
            texts[key],
            WIDTHS[key],
            wrap=True,
            choices=choices if key == "grade" else (),
            error=texts.say("choose", grades=", ".join(choices)),
        )
        for key in shown
    ]
    columns += [Column(name, hidden=True) for name in (*HIDDEN.values(), PROJECT)]
    table = []
    for item in items:
        values = {
            "query": item.query_text or item.query, "title": item.title or item.document,
            "snippet": item.snippet, "url": item.url,
        }  # fmt: skip
        seen = [values.get(key) for key in shown]
        table.append([*seen, item.query, item.document, judge, project])
    lines = [texts.say("header", judge=judge)]
    if grades:
        lines.append(texts.say("levels", grades=", ".join(grades)))
    sheets: list[Table | SheetText] = [
        Table(texts["sheet"], columns, table),
        SheetText(texts["guideline"], "\n".join([*lines, "", guideline]).strip()),
    ]
    return workbook_bytes(sheets, path)


def roles_of_headings(names: Iterable[str]) -> dict[str, str]:
    """Returns the names of a grading sheet's columns by their headings; empty for other tables.

    Examples:
        >>> roles_of_headings(["查询", "等级", "备注", "query_id", "document", "judge"])["备注"]
        'note'
        >>> roles_of_headings(["query", "document", "grade"])
        {}
    """
    found = set(names)
    if not found.issuperset(HIDDEN.values()):
        return {}
    for language in LANGUAGES:
        texts = catalogue("grading_sheet", language)
        if found.issuperset(texts[key] for key in ("query", "grade", "note")):
            return {texts[key]: name for key, name in VISIBLE.items()}
    return {}


class GradingRows:
    """The rows of a table that may be a grading sheet, in relyon's own columns.

    In a grading sheet, a row with a note and no grade could not be graded: the note is the reason.

    Examples:
        >>> rows = GradingRows()
        >>> names = ["Query", "Grade", "Note", "query_id", "document", "judge", "project"]
        >>> values = ["tv", "", "not a query", "q1", "d1", "ann", "June"]
        >>> row = rows.read(2, dict(zip(names, values)))
        >>> row["cannot"], row["reason"], row["note"]
        ('1', 'not a query', '')
        >>> rows.sent.project, rows.sent.judges
        ('June', ('ann',))
    """

    def __init__(self) -> None:
        self._roles: dict[str, str] | None = None
        self._project = ""
        self._judges: dict[str, None] = {}
        self._places: dict[tuple[str, str], int] = {}
        self._empty = 0

    def read(self, place: int, values: Mapping[str, str]) -> Mapping[str, str]:
        """Returns a row by the columns' own names; rows of other tables are returned unchanged.

        Args:
            place: The number of the row.
            values: Its values by heading.
        """
        if self._roles is None:
            self._roles = roles_of_headings(values)
        if not self._roles:
            return values
        found = {self._roles.get(name, name): value for name, value in values.items()}
        self._project = found.pop(PROJECT, "").strip() or self._project
        self._judges[found["judge"].strip()] = None
        self._places[found[HIDDEN["query"]], found[HIDDEN["document"]]] = place
        if not found["grade"].strip():
            reason = found["note"].strip()
            if reason:
                found |= {"cannot": "1", "reason": reason, "note": ""}
            else:
                self._empty += 1
        return found

    @property
    def sent(self) -> SentSheet | None:
        """What the rows read so far say about their sheet; None if it is not a grading sheet."""
        if not self._roles:
            return None
        return SentSheet(self._project, tuple(self._judges), self._places, self._empty)


def refuse_cut_sheet(names: Collection[str], path: str) -> None:
    """Refuses a grading sheet whose hidden columns were deleted.

    Args:
        names: The headings.
        path: The file, for messages.

    Raises:
        InputError: If it is one.
    """
    found = set(names)
    lost = [name for name in HIDDEN.values() if name not in found]
    for language in LANGUAGES:
        texts = catalogue("grading_sheet", language)
        seen = {texts[key] for key in VISIBLE}
        if (
            lost
            and found <= {*seen, *HIDDEN.values(), PROJECT}
            and found.issuperset(texts[key] for key in ("query", "title", "grade", "note"))
        ):
            raise InputError(
                message("io.grading-sheet-lacks-columns", lost=[f"`{name}`" for name in lost]),
                path=path,
                hint=message("io.export-sheet-again"),
            )
