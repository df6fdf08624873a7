"""Plain grading sheets: a workbook for one person, with a list of grades in each row.

Hidden columns name the query, the document and the judge, so that what comes back is attributed to
whom it was sent to, however the file is named.
"""

from __future__ import annotations

from collections.abc import Iterable

from relyon.core.language import Language
from relyon.core.texts import LANGUAGES, catalogue
from relyon.data.scale import Scale
from relyon.data.sheets import Row
from relyon.io.workbook_writer import Column, SheetText, Table, workbook_bytes

__all__ = ["grading_sheet", "roles_of_headings"]

#: The hidden columns, by what they contain.
HIDDEN = {"query": "query_id", "document": "document", "judge": "judge"}
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
    language: Language = "en",
    guideline: str = "",
    path: str = "",
) -> bytes:
    """Returns a workbook in which one person grades.

    Args:
        rows: The items, in the order in which they are shown; their grades are left out.
        judge: The person's name.
        scale: The grades.
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
    columns += [Column(name, hidden=True) for name in HIDDEN.values()]
    table = []
    for item in items:
        values = {
            "query": item.query_text or item.query, "title": item.title or item.document,
            "snippet": item.snippet, "url": item.url,
        }  # fmt: skip
        seen = [values.get(key) for key in shown]
        table.append([*seen, item.query, item.document, judge])
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
