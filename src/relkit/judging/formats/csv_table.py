"""CSV: one line a grade, or a column a judge; safe to open in a spreadsheet.

A spreadsheet takes a value that begins with = + - @ or a control sign for a formula. Such values
are written with an apostrophe before them, which reading takes away again.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO, StringIO, TextIOWrapper
from math import isfinite
from typing import Any, ClassVar

from relkit import columns
from relkit.errors import InputError, ParseError
from relkit.io.rows import csv_reader
from relkit.judging.formats.base import Format, Row, Sheet, figure, parse_grade, register
from relkit.judging.records import Item, Rating
from relkit.scale import Scale

__all__ = ["CsvTable", "protect", "read_wide", "unprotect"]

#: The full-width forms become the plain ones in some spreadsheets.
DANGEROUS = tuple("=+-@\t\r\n＝＋－＠")

ITEM_COLUMNS = (
    "query", "document", "query_text", "rank", "title", "snippet", "url", "image", "tier",
    "session", "inclusion_probability", "fields",
)  # fmt: skip
RATING_COLUMNS = ("judge", "grade", "cannot", "reason", "note", "seconds", "at")
NUMBERS = {"rank", "inclusion_probability", "grade", "seconds", "at", "final"}
JUDGES = ("judge", "rater", "annotator", "user", "assessor", "评审", "标注人")
#: Headings that mean something here; in Quepid's books others are judges.
KNOWN = frozenset(
    {
        *ITEM_COLUMNS,
        *RATING_COLUMNS,
        *JUDGES,
        "final",
        "final_source",
        "rating",
        "label",
        "relevance",
        "rel",
    }
)
#: The headings of what `relkit sample --pool` writes.
POOL = {"query", "doc", "tier", "position", "sessions", "reason"}
#: Names of the column of documents in Quepid's files, of earlier and later versions.
QUEPID_DOCUMENT = ("docid", "doc_id")
FALSE = {"", "0", "false", "no", "f"}


def protect(value: str) -> str:
    """Returns a text that no spreadsheet takes for a formula.

    Examples:
        >>> protect("=1+1"), protect("-5 °C"), protect("red")
        ("'=1+1", "'-5 °C", 'red')
    """
    doubtful = value.startswith(DANGEROUS) or value.startswith(
        ("''", *("'" + x for x in DANGEROUS))
    )
    return "'" + value if doubtful else value


def unprotect(value: str) -> str:
    """Returns what `protect` was given.

    Examples:
        >>> unprotect("'=1+1"), unprotect("'s-Hertogenbosch")
        ('=1+1', "'s-Hertogenbosch")
    """
    return value[1:] if value.startswith(("''", *("'" + sign for sign in DANGEROUS))) else value


def table(text: str, path: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yields line numbers and the fields of each line by heading.

    Raises:
        ParseError: If a line has more or fewer fields than headings.
    """
    # A stream of text in memory takes four bytes a character.
    lines = TextIOWrapper(
        BytesIO(text.encode("utf-8", "surrogatepass")), "utf-8", "surrogatepass", ""
    )
    reader = csv_reader(lines, strict=True)
    headings: list[str] | None = None
    line = 1
    try:
        for fields in reader:
            start, line = line, reader.line_num + 1
            if not fields:
                continue
            if headings is None:
                headings = [name.strip() for name in fields]
                if len(set(headings)) < len(headings):
                    raise ParseError("two columns have the same name", path=path, line=start)
                continue
            if len(fields) != len(headings):
                raise ParseError(
                    f"expected {len(headings)} columns, got {len(fields)}", path=path, line=start
                )
            yield start, dict(zip(headings, fields, strict=True))
    except csv.Error as error:
        raise ParseError(str(error), path=path, line=reader.line_num) from None
    if headings is None:
        raise InputError("there are no columns", path=path)


def headings(text: str) -> frozenset[str]:
    """Returns the names in the first line of CSV."""
    first = next(csv_reader(StringIO(text[:100_000], newline="")), [])
    return frozenset(name.strip() for name in first)


def is_quepid_case(text: str) -> bool:
    """Says whether the first line of CSV has the headings of a Quepid case, and no others of ours.

    Examples:
        >>> is_quepid_case("query,docid,rating,last_rater"), is_quepid_case("query,doc,rating")
        (True, False)
    """
    names = headings(text)
    own = names - {"query", "rating", *QUEPID_DOCUMENT}
    return len(names - own) == 3 and own.isdisjoint(KNOWN)


def lines_of(rows: Sequence[Sequence[str]]) -> str:
    """Returns lines of CSV."""
    stream = StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue()


@register
class CsvTable(Format):
    """A table of one line a grade, with the usual names of columns."""

    name: ClassVar[str] = "csv"
    title: ClassVar[str] = "CSV"
    suffix: ClassVar[str] = ".csv"
    holds: ClassVar[frozenset[str]] = frozenset(
        {*ITEM_COLUMNS, *RATING_COLUMNS, "query_id", "ratings", "final", "final_source", "ungraded"}
    )

    def may_be(self, text: str) -> bool:
        """Says whether the headings are not those of a Quepid case."""
        return not is_quepid_case(text)

    def read(self, text: str, *, path: str = "", scale: Scale | None = None) -> Sheet:
        """Reads columns by their usual names; columns of other names become further fields.

        Without a column of judges the grades are final.
        """
        rows = []
        chosen: dict[str, str] | None = None
        judge = ""
        for line, found in table(text, path):
            if chosen is None:
                chosen = columns.choose(list(found), "items", path=path)
                judge = next((name for name in JUDGES if name in found), "")
            values = {name: unprotect(value) for name, value in found.items()}
            if values.keys() == POOL:
                # How often a pair was shown could sway a judge.
                del values["sessions"], values["reason"]
            try:
                rows.append(_row(values, chosen, judge, scale))
            except InputError as error:
                raise ParseError(error.message, path=path, line=line, hint=error.hint) from None
        return Sheet(tuple(rows))

    def write(self, sheet: Sheet) -> str:
        """Returns one line a rating; items without one have a line of their own."""
        rows = [[*ITEM_COLUMNS, *RATING_COLUMNS, "final"]]
        if any(row.final_source for row in sheet.rows):
            rows[0].append("final_source")
        for row in sheet.rows:
            item: dict[str, Any] = {name: getattr(row.item, name) for name in ITEM_COLUMNS}
            item["fields"] = (
                json.dumps(dict(row.item.fields), ensure_ascii=False) if row.item.fields else ""
            )
            item["final"] = row.final
            item["final_source"] = row.final_source
            for rating in row.ratings or (None,):
                said: dict[str, Any] = {}
                if rating is not None:
                    said = {name: getattr(rating, name, "") for name in RATING_COLUMNS}
                    said["cannot"] = "" if rating.grade is not None else "1"
                rows.append([_cell(name, {**item, **said}.get(name)) for name in rows[0]])
        return lines_of(rows)


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    return figure(value) if name in NUMBERS and value != "" else protect(str(value))


def _row(
    values: Mapping[str, str], chosen: Mapping[str, str], judge: str, scale: Scale | None
) -> Row:
    query, document = values[chosen["query"]], values[chosen["document"]]
    if not query or not document:
        raise InputError("the query or the document is empty")
    used = {
        *chosen.values(),
        judge,
        "final",
        "final_source",
        "fields",
        *RATING_COLUMNS,
        "unrateable",
        "judge_later",
    }
    texts: dict[str, Any] = {
        name: values.get(name, "") for name in ITEM_COLUMNS[2:] if name not in {*used, "rank"}
    }
    used |= texts.keys()
    extra: dict[str, Any] = {
        name: value for name, value in values.items() if name not in used and value
    }
    if values.get("fields"):
        extra.update(_fields(values["fields"]))
    item = Item(
        query,
        document,
        rank=_whole(values.get(chosen.get("rank", ""), ""), "rank"),
        fields=extra,
        inclusion_probability=_number(
            texts.pop("inclusion_probability", ""), "inclusion probability"
        ),
        **texts,
    )
    content = values.get(chosen.get("grade", ""), "").strip()
    grade = parse_grade(content, "the grade", "", scale) if content else None
    final = values.get("final", "").strip()
    ended = parse_grade(final, "the final grade", "", scale) if final else None
    source = values.get("final_source", "").strip()
    who = values.get(judge, "") if judge else ""
    cannot = any(
        values.get(name, "").strip().lower() not in FALSE for name in ("cannot", "unrateable")
    )
    if not who:
        if cannot:
            raise InputError("there is no judge for what could not be graded")
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


def _fields(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        return {"fields": text}
    return found


def _number(text: str, what: str) -> float | None:
    if not text.strip():
        return None
    found = columns.number(text.strip())
    if found is None or not isfinite(found):
        raise InputError(f"the {what} `{text}` is not a number")
    return found


def _whole(text: str, what: str) -> int | None:
    found = _number(text, what)
    if found is None:
        return None
    if found != int(found):
        raise InputError(f"the {what} `{text}` is not a whole number")
    return int(found)


def read_wide(
    text: str,
    judges: Sequence[str],
    *,
    final: str | None = None,
    path: str = "",
    scale: Scale | None = None,
) -> Sheet:
    """Reads a table with one line an item and one column a judge.

    Args:
        text: The file's text.
        judges: The columns that hold a judge's grades each; an empty field is no grade.
        final: The column of the grade that counts.
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
    for line, found in table(text, path):
        wanted = [*judges, *([final] if final else [])]
        missing = [name for name in wanted if name not in found]
        if missing:
            raise InputError(
                f"there is no column `{missing[0]}`",
                path=path,
                hint=f"the columns are {', '.join(found)}",
            )
        rest = {name: value for name, value in found.items() if name not in wanted}
        chosen = columns.choose(list(rest), "items", path=path)
        chosen.pop("grade", None)
        where = f"{path}:{line}"
        row = _row({name: unprotect(value) for name, value in rest.items()}, chosen, "", scale)
        ratings = tuple(
            Rating(name, parse_grade(found[name], f"the grade of {name}", where, scale))
            for name in judges
            if found[name].strip()
        )
        ended = found[final].strip() if final else ""
        rows.append(
            Row(
                row.item,
                ratings,
                parse_grade(ended, "the final grade", where, scale) if ended else None,
            )
        )
    return Sheet(tuple(rows))
