"""Judging sheets as CSV: one line per grade, or a column per judge; safe in a spreadsheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from io import BytesIO, StringIO, TextIOWrapper
from math import isfinite
from typing import TYPE_CHECKING, Literal

from relyon.core.cells import APOSTROPHE, csv_cell
from relyon.core.errors import InputError, ParseError
from relyon.core.texts import message
from relyon.data import columns
from relyon.data.columns.synonyms import QUERY_KEYS
from relyon.data.scale import Scale
from relyon.data.sheets import ITEM_PARTS, Rating, Row, Sheet, described
from relyon.io.grading_sheets import GradingRows, refuse_cut_sheet
from relyon.io.json_members import grade_of, mapping, parse_grade, parse_json, write_json
from relyon.io.numbers import plain_number
from relyon.io.plain_text import check_characters
from relyon.io.text_rows import check_width, csv_reader, csv_rows

if TYPE_CHECKING:
    from relyon.io.byte_source import Source

__all__ = [
    "ITEM_COLUMNS",
    "QUEPID_DOCUMENT",
    "RATING_COLUMNS",
    "has_judges",
    "headings",
    "is_quepid_case",
    "item_columns",
    "means_nothing",
    "names_judges",
    "read_rows",
    "read_wide",
    "sheet_row",
    "show_rows",
    "table",
    "write_rows",
]

#: Further fields come last, as they may be separate columns.
ITEM_COLUMNS = ("query", "document", *(one for one in ITEM_PARTS if one != "fields"), "fields")
RATING_COLUMNS = ("judge", "grade", "cannot", "reason", "note", "seconds", "at")
#: Headings with a meaning here; in Quepid's books the others are judges.
KNOWN = frozenset(
    map(
        columns.plain_name,
        (
            *ITEM_COLUMNS,
            *RATING_COLUMNS,
            "final_source",
            *(name for names in columns.NAMES.values() for name in names),
            *(name for names in columns.ITEM_NAMES.values() for name in names),
        ),
    )
)
#: Roles of columns that are not texts of the item as well.
KEYS = ("query", "document", "grade", "rank", "judge")
#: Names of the document column in Quepid's files, in earlier and later versions.
QUEPID_DOCUMENT = ("docid", "doc_id")
#: No real sheet has so many, and they would exhaust memory.
MOST_COLUMNS = 10_000
UNRATED = ("unrateable", "judge_later")
FALSE = {"", "0", "false", "no", "f"}


def table(
    text: str, path: str, *, separator: str = ",", single: Literal["refuse", "pad"] = "refuse"
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yields line numbers and the fields of each line by heading.

    Args:
        text: CSV.
        path: The file, for messages.
        separator: The field separator.
        single: Whether in a line with one field the others count as empty.

    Raises:
        ParseError: If the number of fields differs from the headings.
    """
    first = text[: next((at.start() for at in re.finditer("[\r\n]", text)), len(text))]
    if first.count(separator) > MOST_COLUMNS:
        raise ParseError(
            message("io.there-are-more-than-columns", most_columns=MOST_COLUMNS),
            path=path,
            line=1,
        )
    # A text stream in memory takes four bytes per character.
    lines = TextIOWrapper(
        BytesIO(text.encode("utf-8", "surrogatepass")), "utf-8", "surrogatepass", ""
    )
    headings: list[str] | None = None
    for start, fields in csv_rows(lines, path, separator):
        if headings is None:
            headings = [name.strip() for name in fields]
            columns.refuse_repeated(headings, path, lambda _: True)
            continue
        if single == "pad" and len(fields) == 1:
            fields.extend([""] * (len(headings) - 1))
        check_width(fields, len(headings), path, start)
        yield start, dict(zip(headings, fields, strict=True))
    if headings is None:
        raise InputError(message("io.there-are-no-columns"), path=path)


def headings(head: bytes, separator: str = ",") -> frozenset[str]:
    """Returns the names in the first line of CSV with this beginning."""
    text = head[:100_000].decode("utf-8-sig", "replace")
    first = next(csv_reader(StringIO(text, newline=""), delimiter=separator), [])
    return frozenset(name.strip() for name in first)


def is_quepid_case(head: bytes) -> bool:
    """Whether the first line of CSV has the headings of a Quepid case, and no others of ours.

    Examples:
        >>> is_quepid_case(b"query,docid,rating,last_rater"), is_quepid_case(b"query,doc,rating")
        (True, False)
    """
    names = headings(head)
    own = names - {"query", "rating", *QUEPID_DOCUMENT}
    return len(names - own) == 3 and means_nothing(own)


def means_nothing(names: Iterable[str]) -> bool:
    """Whether none of the headings has a meaning here."""
    return KNOWN.isdisjoint(map(columns.plain_name, names))


def has_judges(head: bytes, separator: str) -> bool:
    """Whether CSV with this beginning has one line per item and judge."""
    return names_judges(headings(head, separator))


def names_judges(names: Iterable[str]) -> bool:
    """Whether the columns include judges and grades."""
    found = {columns.plain_name(name) for name in names}
    return not found.isdisjoint(columns.NAMES["judge"]) and not found.isdisjoint(
        columns.NAMES["grade"]
    )


def read_rows(
    rows: Iterable[tuple[int, Mapping[str, str]]],
    path: str,
    scale: Scale | None,
    unit: Literal["line", "row"] = "line",
    *,
    given: Mapping[str, str] | None = None,
    source: Source | None = None,
) -> Iterator[Row]:
    """Yields one sheet row per row of a table.

    Columns have their usual names; other columns become further fields. Without a column of
    judges the grades are final.

    Args:
        rows: Row numbers and fields by heading.
        path: The file, for messages.
        scale: Names that grades may have.
        unit: The unit of the numbers: lines or rows.
        given: The caller's own choice of columns, by role.
        source: The file, which then says which columns it has under other names.
    """
    chosen: dict[str, str] | None = None
    for place, found in rows:
        if chosen is None:
            chosen = _chosen(list(found), path, given)
            if source is not None:
                source.synonyms = columns.synonyms_of(chosen, given)
        try:
            yield sheet_row(found, chosen, scale)
        except InputError as error:
            columns.refuse(error.message, path, place, unit, error.hint)


def _chosen(names: Sequence[str], path: str, given: Mapping[str, str] | None) -> dict[str, str]:
    """Returns the columns of a sheet by role; a damaged grading sheet is named as such."""
    try:
        chosen = item_columns(names, path, given)
    except InputError:
        refuse_cut_sheet(names, path)
        raise
    if not given and "judge" not in chosen and chosen["query"] == "query_id":
        refuse_cut_sheet(names, path)
    return chosen


def item_columns(
    names: Sequence[str], path: str, given: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Assigns the columns of a sheet to roles, each to one.

    Args:
        names: The columns.
        path: The file, for messages.
        given: The caller's own choice, by role.

    Raises:
        InputError: If there are no queries or documents, or two columns could be meant.

    Examples:
        >>> item_columns(["query_id", "query", "sku", "标题"], "")
        {'query': 'query_id', 'document': 'sku', 'query_text': 'query', 'title': '标题'}
        >>> item_columns(["query", "keywords", "url", "title"], "")
        {'query': 'query', 'document': 'url', 'title': 'title'}
    """
    usual = columns.ITEM_LEVELS
    chosen = columns.choose(list(names), "items", columns=given, levels=usual, path=path)
    keys = {chosen[role] for role in KEYS if role in chosen}
    by_id = columns.plain_name(chosen["query"]) in QUERY_KEYS
    return {
        role: name
        for role, name in chosen.items()
        if role in KEYS
        or (name not in keys and (role != "query_text" or by_id or name in (given or {}).values()))
        or columns.plain_name(name) == "querytext"
    }


def show_rows(
    text: str, path: str, separator: str = ",", grading: GradingRows | None = None
) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yields the rows of CSV without the marks added for spreadsheets.

    Args:
        text: CSV.
        path: The file, for messages.
        separator: The field separator.
        grading: Notes whether it is a grading sheet, and of whom.
    """
    sheet = grading or GradingRows()
    for line, found in table(text, path, separator=separator):
        shown = {name: APOSTROPHE.show(value) for name, value in found.items()}
        yield line, sheet.read(line, shown)


def write_rows(sheet: Sheet, separator: str = ",") -> Iterator[str]:
    """Yields one line per rating; an item without ratings has one line, too."""
    with_source = any(row.final_source for row in sheet.rows)
    last = ["final", "final_source"] if with_source else ["final"]
    yield _cells([*ITEM_COLUMNS, *RATING_COLUMNS, *last], separator) + "\n"
    nobody = separator * (len(RATING_COLUMNS) - 1)
    for row in sheet.rows:
        item = row.item
        fields = write_json(dict(item.fields)) if item.fields else None
        known = [*(getattr(item, name) for name in ITEM_COLUMNS[:-1]), fields]
        about = _cells(known, separator)
        ended = _cells([getattr(row, name) for name in last], separator)
        for one in row.ratings:
            cannot = "1" if one.grade is None else None
            said = [one.judge, one.grade, cannot, one.reason, one.note, one.seconds, one.at]
            yield separator.join([about, _cells(said, separator), ended]) + "\n"
        if not row.ratings:
            yield separator.join([about, nobody, ended]) + "\n"


def _cells(values: Iterable[str | float | None], separator: str) -> str:
    """Returns cells with None for empty ones."""
    return separator.join(
        [
            csv_cell(value if isinstance(value, str) else plain_number(value))
            if value not in (None, "")
            else ""
            for value in values
        ]
    )


def _value(values: Mapping[str, str], name: str) -> str:
    """Returns a cell; a column without a heading has no role."""
    return values.get(name, "") if name else ""


@lru_cache(16)
def _parts_of(chosen: tuple[tuple[str, str], ...]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Returns the texts that rows have, and the columns that are not further fields."""
    known = dict(chosen)
    used = {*known.values(), "final", "final_source", "fields", *RATING_COLUMNS, *UNRATED}
    roles = tuple(name for name in ITEM_COLUMNS[2:] if name in known or name not in {*used, "rank"})
    used |= set(roles) - known.keys()
    unused = {role for role, name in chosen if not name} - {*known.values()}
    return roles, frozenset(used - unused)


def sheet_row(values: Mapping[str, str], chosen: Mapping[str, str], scale: Scale | None) -> Row:
    """Returns a row of a table as an item with its rating.

    Args:
        values: The cells by heading.
        chosen: The columns by role; an empty name for a role that a column of that name does not
            have. Columns of other roles are left out.
        scale: Names that grades may have.

    Raises:
        InputError: If the query, the document or a number is missing or faulty.
    """
    query, document = values[chosen["query"]], values[chosen["document"]]
    if not query or not document:
        raise InputError(message("io.query-or-document"))
    roles, used = _parts_of(tuple(chosen.items()))
    texts = {name: _value(values, chosen.get(name, name)) for name in roles}
    extra: dict[str, object] = {
        name: value for name, value in values.items() if name not in used and value
    }
    if values.get("fields"):
        extra.update(_fields(values["fields"]))
    item = described(
        query,
        document,
        texts,
        rank=_whole(_value(values, chosen.get("rank", "")), "rank"),
        fields=extra,
        inclusion_probability=_number(
            texts.get("inclusion_probability", ""), "inclusion probability"
        ),
    )
    content = _value(values, chosen.get("grade", "")).strip()
    grade = parse_grade(content, "io.the-grade", "", scale) if content else None
    final = values.get("final", "").strip()
    ended = parse_grade(final, "io.the-final-grade", "", scale) if final else None
    source = values.get("final_source", "").strip()
    who = _value(values, chosen.get("judge", ""))
    cannot = any(
        values.get(name, "").strip().lower() not in FALSE for name in ("cannot", "unrateable")
    )
    if not who:
        if cannot:
            raise InputError(message("io.item-that-could"))
        return Row(item, final=ended if grade is None else grade, final_source=source)
    if grade is None and not cannot:
        return Row(item, final=ended, final_source=source)
    rating = Rating(
        who,
        None if cannot else grade,
        values.get("reason", "") or ("unrateable" if cannot and "unrateable" in values else ""),
        values.get("note", ""),
        _number(values.get("seconds", ""), "time"),
        _number(values.get("at", ""), "point in time"),
    )
    return Row(item, (rating,), ended, source)


def _fields(text: str) -> dict[str, object]:
    if not text.lstrip().startswith("{"):
        return {"fields": text}
    try:
        return dict(mapping(parse_json(text, ""), "", ""))
    except InputError as error:
        if "not JSON:" in error.message:
            return {"fields": text}
        raise


def _number(text: str, what: str) -> float | None:
    if not text.strip():
        return None
    found = columns.number(text.strip())
    if found is None or not isfinite(found):
        raise InputError(
            message("core.is-not-number", what=what, text=text[:60]),
            hint=columns.number_hint(text),
        )
    return found


def _whole(text: str, what: str) -> int | None:
    found = _number(text, what)
    if found is None:
        return None
    if found != int(found):
        raise InputError(message("io.is-not-whole-number", what=what, text=text[:60]))
    return int(found)


def read_wide(
    text: str,
    judges: Sequence[str],
    *,
    final: str | None = None,
    given: Mapping[str, str] | None = None,
    path: str = "",
    scale: Scale | None = None,
) -> Sheet:
    """Reads a table with one line per item and one column per judge.

    Args:
        text: The file's text.
        judges: One column per judge; an empty field is not a grade.
        final: The column of the grade that counts.
        given: The caller's own choice of other columns, by role.
        path: The file, for messages.
        scale: Names that grades may have.

    Raises:
        InputError: If a column is missing, or a grade cannot be used.

    Examples:
        >>> sheet = read_wide("query,doc,Ann,Bo\\nq,d,3,2\\n", ["Ann", "Bo"])
        >>> [(one.judge, one.grade) for one in sheet.rows[0].ratings]
        [('Ann', 3.0), ('Bo', 2.0)]
    """
    rows = []
    check_characters(text, path)
    for line, found in table(text, path):
        wanted = [*judges, *([final] if final else [])]
        missing = [name for name in wanted if name not in found]
        if missing:
            raise InputError(
                message("io.there-is-no-column-missing", missing=missing[0]),
                path=path,
                hint=message("io.columns-are-found", found=list(found)),
            )
        rest = {name: value for name, value in found.items() if name not in wanted}
        chosen = item_columns(list(rest), path, given)
        for role in ("grade", "judge"):
            chosen.pop(role, None)
        where = f"{path}:{line}"
        row = sheet_row(
            {name: APOSTROPHE.show(value) for name, value in rest.items()}, chosen, scale
        )
        ratings = tuple(
            Rating(
                name,
                parse_grade(found[name], grade_of(name), where, scale),
            )
            for name in judges
            if found[name].strip()
        )
        ended = found[final].strip() if final else ""
        rows.append(
            Row(
                row.item,
                ratings,
                parse_grade(ended, "io.the-final-grade", where, scale) if ended else None,
            )
        )
    return Sheet(tuple(rows))
