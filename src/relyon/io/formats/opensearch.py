"""Judgment lists of OpenSearch Search Relevance, as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from relyon.data.scale import Scale
from relyon.data.sheets import Item, Row, Sheet
from relyon.io.format import formats
from relyon.io.json_members import (
    by_query,
    dump,
    has_member,
    identifier,
    is_json,
    listing,
    mapping,
    parse_grade,
    parse_json,
)
from relyon.io.numbers import number_text
from relyon.io.sheets import SheetFormat

__all__ = ["OpenSearchJudgments"]


class OpenSearchJudgments(SheetFormat):
    """Queries with rated documents: the request that imports a list, or only the list."""

    name: ClassVar[str] = "opensearch"
    title: ClassVar[str] = "an OpenSearch judgment list"
    suffix: ClassVar[str] = ".json"
    keeps: ClassVar[frozenset[str]] = frozenset({"query_text", "final", "name"})

    def recognises(self, head: bytes) -> bool:
        """Whether there is a list of ratings, or ratings of documents."""
        return is_json(head) and (
            has_member(head, "judgmentRatings", "[")
            or (has_member(head, "ratings", "[") and has_member(head, "docId", '"'))
        )

    def parse(self, text: str, *, path: str, scale: Scale | None) -> Sheet:
        """Reads ratings, given as numbers or as text."""
        content = parse_json(text, path)
        name = ""
        if isinstance(content, dict):
            name = str(content.get("name") or "")
            content = content.get("judgmentRatings")
        rows: list[Row] = []
        for one in listing(content, "the list of ratings", path):
            found = mapping(one, "an entry", path)
            query = identifier(found.get("query"), "`query`", path)
            for rating in listing(found.get("ratings"), "`ratings`", path):
                said = mapping(rating, "a rating", path)
                document = identifier(said.get("docId"), "`docId`", path)
                where = f"query `{query}`, document `{document}`"
                grade = parse_grade(said.get("rating"), where, path, scale)
                rows.append(Row(Item(query, document), final=grade))
        return Sheet(tuple(rows), name=name)

    def parts(self, sheet: Sheet) -> Iterator[str]:
        """Yields the request that imports the list."""
        entries: list[dict[str, object]] = [
            {
                "query": query,
                "ratings": [
                    {"docId": row.item.document, "rating": _rating(grade)} for row, grade in rows
                ],
            }
            for query, rows in by_query(sheet, shown=True).items()
        ]
        yield dump(
            {
                "name": sheet.name or "relyon",
                "description": "Judgments from relyon",
                "type": "IMPORT_JUDGMENT",
                "judgmentRatings": entries,
            }
        )


def _rating(grade: float) -> str:
    """Returns a rating as OpenSearch writes it, with more digits only if needed."""
    text = f"{grade:.3f}"
    return text if float(text) == grade else number_text(grade)


formats.register(OpenSearchJudgments())
