"""Requests to the ranking evaluation of Elasticsearch, `_rank_eval`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import ClassVar

from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message
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
    shown_query,
)
from relyon.io.sheets import SheetFormat

__all__ = ["RankEval"]

INDEX = "_index"


class RankEval(SheetFormat):
    """Rated requests, with DCG@10 as the metric."""

    name: ClassVar[str] = "elasticsearch"
    title: ClassVar[str] = "an Elasticsearch _rank_eval request"
    suffix: ClassVar[str] = ".json"
    keeps: ClassVar[frozenset[str]] = frozenset({"query_text", "query_id", "final"})

    def recognises(self, head: bytes) -> bool:
        """Whether there is a list of requests."""
        return is_json(head, "{") and has_member(head, "requests", "[")

    def parse(self, text: str, *, path: str, scale: Scale | None) -> Sheet:
        """Reads the ratings; a document's index becomes its field `_index`."""
        content = mapping(parse_json(text, path), "the request", path)
        rows = []
        for one in listing(content.get("requests"), "`requests`", path):
            request = mapping(one, "a request", path)
            query = identifier(request.get("id"), "`id`", path)
            shown = _shown(request)
            for rating in listing(request.get("ratings"), "`ratings`", path):
                found = mapping(rating, "a rating", path)
                document = identifier(found.get("_id"), "`_id`", path)
                where = f"query `{query}`, document `{document}`"
                index = found.get(INDEX)
                item = Item(
                    query,
                    document,
                    query_text="" if shown == query else shown,
                    fields={INDEX: index} if index not in (None, "") else {},
                )
                grade = parse_grade(found.get("rating"), where, path, scale)
                rows.append(Row(item, final=grade))
        return Sheet(tuple(rows))

    def parts(self, sheet: Sheet) -> Iterator[str]:
        """Yields one request per query.

        Raises:
            InputError: If a grade is not a whole number of 0 or more: Elasticsearch accepts no
                others.
        """
        requests = []
        for query, rows in by_query(sheet).items():
            ratings = []
            for row, grade in rows:
                if grade != int(grade) or grade < 0:
                    raise InputError(
                        message(
                            "io.query-document-elasticsearch-does",
                            query=query,
                            document=row.item.document,
                            grade=grade,
                        ),
                        hint=message("io.export-grades"),
                    )
                ratings.append(
                    {
                        INDEX: str(row.item.fields.get(INDEX) or "documents"),
                        "_id": row.item.document,
                        "rating": int(grade),
                    }
                )
            match = {"multi_match": {"query": shown_query(rows[0][0].item)}}
            requests.append({"id": query, "request": {"query": match}, "ratings": ratings})
        yield dump({"requests": requests, "metric": {"dcg": {"k": 10, "normalize": False}}})

    def losses(self, sheet: Sheet) -> tuple[Note, ...]:
        """As in every format, except that the index is kept."""
        return super().losses(replace(sheet, rows=tuple(map(_without_index, sheet.rows))))


def _without_index(row: Row) -> Row:
    rest = {name: value for name, value in row.item.fields.items() if name != INDEX}
    return replace(row, item=replace(row.item, fields=rest))


def _shown(request: Mapping[str, object]) -> str:
    """Returns the query's text if the request contains it in one of the usual forms."""
    parameters = request.get("params")
    if isinstance(parameters, dict):
        texts = [value for value in parameters.values() if isinstance(value, str)]
        return texts[0] if len(texts) == 1 else ""
    body = request.get("request")
    query = body.get("query") if isinstance(body, dict) else None
    found = query.get("multi_match") if isinstance(query, dict) else None
    text = found.get("query") if isinstance(found, dict) else None
    return text if isinstance(text, str) else ""


formats.register(RankEval())
