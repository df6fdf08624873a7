"""Quepid: the ratings of a case as CSV; the judgements of a book as CSV or JSON.

Quepid writes a space before a value that a spreadsheet could read as a formula.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from relyon.core.cells import Cell, Mark, csv_lines
from relyon.core.errors import InputError, ParseError
from relyon.core.texts import message
from relyon.data.scale import Scale
from relyon.data.sheets import Item, Rating, Row, Sheet, described
from relyon.io.format import formats
from relyon.io.json_members import (
    dump,
    grade_of,
    has_member,
    identifier,
    is_json,
    listing,
    mapping,
    parse_grade,
    parse_json,
    shown_query,
)
from relyon.io.numbers import plain_number
from relyon.io.sheet_tables import QUEPID_DOCUMENT, headings, is_quepid_case, means_nothing, table
from relyon.io.sheets import SheetFormat

__all__ = ["QuepidBook", "QuepidBookCsv", "QuepidCase"]

#: What Quepid writes before a sign; inside text, only after line ends.
SPACE = Mark(" ", "\r\n")
#: Book members that become parts of an item.
OWN = {"title": "title", "image": "thumb", "url": "url"}


def _lines(text: str, path: str) -> list[tuple[int, dict[str, str], str, str]]:
    """Returns line, fields, query and document of each line with a document."""
    found = []
    # A query without ratings is a line with one field.
    for line, fields in table(text, path, single="pad"):
        document = next((name for name in QUEPID_DOCUMENT if name in fields), None)
        if "query" not in fields or document is None:
            raise InputError(
                message("io.columns-are-fields", fields=list(fields)),
                path=path,
            )
        if fields[document] and not fields["query"].strip():
            raise ParseError(message("io.query-is-empty"), path=path, line=line)
        if "" in fields:
            raise InputError(message("io.there-is-column-without"), path=path)
        if fields[document]:
            found.append((line, fields, SPACE.show(fields["query"]), SPACE.show(fields[document])))
    return found


class QuepidCase(SheetFormat):
    """The ratings of a case: query, docid, rating."""

    name: ClassVar[str] = "quepid-case"
    title: ClassVar[str] = "a CSV of a Quepid case"
    suffix: ClassVar[str] = ".csv"
    suffixes: ClassVar[tuple[str, ...]] = (".csv",)
    keeps: ClassVar[frozenset[str]] = frozenset({"query_text", "final"})

    def recognises(self, head: bytes) -> bool:
        """Whether the headings are those of a case, without others that have a meaning here."""
        return is_quepid_case(head)

    def may_be(self, head: bytes) -> bool:
        """Whether the headings are those of a case."""
        return is_quepid_case(head)

    def parse(self, text: str, *, path: str, scale: Scale | None) -> Sheet:
        """Reads ratings as final grades; other columns become further fields."""
        rows = []
        for line, fields, query, document in _lines(text, path):
            if "rating" not in fields:
                raise InputError(message("io.there-is-no-column"), path=path)
            extra = {
                name: value
                for name, value in fields.items()
                if name not in ("query", "rating", *QUEPID_DOCUMENT) and value
            }
            grade = None
            if fields["rating"].strip():
                grade = parse_grade(fields["rating"], "io.the-rating", f"{path}:{line}", scale)
            rows.append(Row(Item(query, document, fields=extra), final=grade))
        return Sheet(tuple(rows))

    def parts(self, sheet: Sheet) -> Iterator[str]:
        """Yields one line per item with a final grade."""
        rows = (
            [shown_query(row.item), row.item.document, plain_number(row.final)]
            for row in sheet.rows
            if row.final is not None
        )
        return csv_lines([["query", "docid", "rating"], *rows], mark=SPACE)


class QuepidBookCsv(SheetFormat):
    """The judgements of a book: query, docid, and a column per judge."""

    name: ClassVar[str] = "quepid-book-csv"
    title: ClassVar[str] = "a CSV of a Quepid book"
    suffix: ClassVar[str] = ".csv"
    suffixes: ClassVar[tuple[str, ...]] = (".csv",)
    keeps: ClassVar[frozenset[str]] = frozenset({"query_text", "ratings", "ungraded"})

    def may_be(self, head: bytes) -> bool:
        """Whether the headings besides query and document may be judges."""
        names = headings(head)
        others = names - {"query", *QUEPID_DOCUMENT}
        return len(names - others) == 2 and means_nothing(others)

    def parse(self, text: str, *, path: str, scale: Scale | None) -> Sheet:
        """Reads one judge's ratings from each column after the first two."""
        rows = []
        for line, fields, query, document in _lines(text, path):
            ratings = tuple(
                Rating(
                    SPACE.show(name),
                    parse_grade(value, grade_of(name), f"{path}:{line}", scale),
                )
                for name, value in fields.items()
                if name not in ("query", *QUEPID_DOCUMENT) and value.strip()
            )
            rows.append(Row(Item(query, document), ratings))
        return Sheet(tuple(rows))

    def parts(self, sheet: Sheet) -> Iterator[str]:
        """Yields one line per item."""
        judges = list(dict.fromkeys(one.judge for row in sheet.rows for one in row.ratings))
        taken = {"query", "docid", "doc_id"} & {*judges}
        if taken:
            raise InputError(
                message(
                    "io.cannot-contain-judge-named",
                    title=message(self.title),
                    taken=min(taken),
                )
            )
        rows: list[list[Cell]] = [["query", "docid", *judges]]
        for row in sheet.rows:
            said = {one.judge: one.grade for one in row.ratings}
            grades = (said.get(judge) for judge in judges)
            rows.append(
                [
                    shown_query(row.item),
                    row.item.document,
                    *(None if grade is None else plain_number(grade) for grade in grades),
                ]
            )
        return csv_lines(rows, mark=SPACE)


class QuepidBook(SheetFormat):
    """A whole book: query-document pairs with fields and judgements."""

    name: ClassVar[str] = "quepid-book"
    title: ClassVar[str] = "a Quepid book"
    suffix: ClassVar[str] = ".json"
    keeps: ClassVar[frozenset[str]] = frozenset(
        {
            "query_text",
            "rank",
            "title",
            "url",
            "image",
            "fields",
            "ratings",
            "cannot",
            "note",
            "ungraded",
            "name",
        }
    )

    def recognises(self, head: bytes) -> bool:
        """Whether there are pairs of queries and documents."""
        return is_json(head, "{") and has_member(head, "query_doc_pairs", "[")

    def parse(self, text: str, *, path: str, scale: Scale | None) -> Sheet:
        """Reads pairs and judgements; postponed ones do not count."""
        book = mapping(parse_json(text, path), "the book", path)
        rows = []
        for pair in listing(book.get("query_doc_pairs"), "`query_doc_pairs`", path):
            content = mapping(pair, "a pair", path)
            query = identifier(content.get("query_text"), "`query_text`", path)
            document = identifier(content.get("doc_id"), "`doc_id`", path)
            where = f"query `{query}`, document `{document}`"
            fields = content.get("document_fields") or {}
            if isinstance(fields, str):
                fields = parse_json(fields, path)
            extra = dict(mapping(fields, f"{where}: `document_fields`", path))
            own: dict[str, str] = {}
            for name, key in OWN.items():
                text_of = extra.get(key)
                if isinstance(text_of, str):
                    own[name] = text_of
                    del extra[key]
            rank = content.get("position")
            if rank is not None and (isinstance(rank, bool) or not isinstance(rank, int)):
                raise InputError(
                    message(
                        "io.position-is-not-whole",
                        where=where,
                        rank=rank,
                    ),
                    path=path,
                )
            judged = listing(content.get("judgements") or [], f"{where}: `judgements`", path)
            ratings = [
                _judgement(mapping(one, f"{where}: a judgement", path), where, path, scale)
                for one in judged
            ]
            rows.append(
                Row(
                    described(query, document, own, rank=rank, fields=extra),
                    tuple(one for one in ratings if one is not None),
                )
            )
        return Sheet(tuple(rows), name=str(book.get("name") or ""))

    def parts(self, sheet: Sheet) -> Iterator[str]:
        """Yields the book as Quepid imports it."""
        pairs = []
        for row in sheet.rows:
            fields = dict(row.item.fields)
            fields.update(
                {
                    key: getattr(row.item, name)
                    for name, key in OWN.items()
                    if getattr(row.item, name)
                }
            )
            pairs.append(
                {
                    "query_text": shown_query(row.item),
                    "doc_id": row.item.document,
                    "position": row.item.rank,
                    "document_fields": fields,
                    "judgements": [
                        {
                            "rating": None if one.grade is None else plain_number(one.grade),
                            "unrateable": one.grade is None,
                            "judge_later": False,
                            "user_email": one.judge,
                            "explanation": one.note or None,
                        }
                        for one in row.ratings
                    ],
                }
            )
        yield dump(
            {
                "name": sheet.name or "relyon",
                "show_rank": False,
                "support_implicit_judgements": False,
                "query_doc_pairs": pairs,
            }
        )


def _judgement(
    content: Mapping[str, object], where: str, path: str, scale: Scale | None
) -> Rating | None:
    if content.get("judge_later"):
        return None
    note = content.get("explanation") or ""
    judge = identifier(content.get("user_email") or "unknown", f"{where}: `user_email`", path)
    if content.get("unrateable"):
        return Rating(judge, None, note=str(note))
    if content.get("rating") is None:
        return None
    return Rating(judge, parse_grade(content["rating"], where, path, scale), note=str(note))


formats.register(QuepidCase())
formats.register(QuepidBookCsv())
formats.register(QuepidBook())
