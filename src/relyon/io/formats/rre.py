"""Ratings of the Rated Ranking Evaluator (RRE), as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from relyon.core.errors import InputError
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
from relyon.io.numbers import number_text
from relyon.io.sheets import SheetFormat

__all__ = ["RreRatings"]


class RreRatings(SheetFormat):
    """Query groups with the documents of each gain."""

    name: ClassVar[str] = "rre"
    title: ClassVar[str] = "an RRE ratings file"
    suffix: ClassVar[str] = ".json"
    keeps: ClassVar[frozenset[str]] = frozenset({"query_text", "query_id", "final", "name"})

    def recognises(self, head: bytes) -> bool:
        """Whether there are groups of queries, or their documents."""
        return is_json(head, "{") and (
            has_member(head, "query_groups", "[") or has_member(head, "relevant_documents", "{")
        )

    def parse(self, text: str, *, path: str, scale: Scale | None) -> Sheet:
        """Reads topics, query groups and queries, with both forms of relevant documents.

        Each query of a group gets the group's documents. The name of a group with one query is the
        query's id.
        """
        content = mapping(parse_json(text, path), "the file", path)
        rows: dict[tuple[str, str], Row] = {}
        for name, queries, documents in _groups(content, path):
            texts = [_text(query, path) for query in queries]
            for shown in texts:
                query = name if name and len(texts) == 1 else shown
                for document, grade in _documents(documents, path, scale):
                    item = Item(query, document, query_text="" if shown == query else shown)
                    rows.setdefault((query, document), Row(item, final=grade))
        return Sheet(tuple(rows.values()), name=str(content.get("index") or ""))

    def parts(self, sheet: Sheet) -> Iterator[str]:
        """Yields one group per query, with its documents by gain, the highest first."""
        groups = []
        for query, rows in by_query(sheet).items():
            gains: dict[float, list[str]] = {}
            for row, grade in sorted(rows, key=lambda one: -one[1]):
                gains.setdefault(grade, []).append(row.item.document)
            groups.append(
                {
                    "name": query,
                    "queries": [
                        {
                            "template": "template.json",
                            "placeholders": {"$query": shown_query(rows[0][0].item)},
                        }
                    ],
                    "relevant_documents": {
                        number_text(gain): found for gain, found in gains.items()
                    },
                }
            )
        yield dump({"id_field": "id", "index": sheet.name, "query_groups": groups})


def _groups(content: Mapping[str, object], path: str) -> Iterator[tuple[str, list[object], object]]:
    """Yields name, queries and documents of every group, including unnamed ones."""
    for topic in listing(content.get("topics", []), "`topics`", path):
        yield from _groups(mapping(topic, "a topic", path), path)
    for group in listing(content.get("query_groups", []), "`query_groups`", path):
        found = mapping(group, "a query group", path)
        queries = listing(found.get("queries"), "`queries`", path)
        yield str(found.get("name") or ""), queries, found.get("relevant_documents")
    for query in listing(content.get("queries", []), "`queries`", path):
        found = mapping(query, "a query", path)
        yield "", [found], found.get("relevant_documents")


def _text(query: object, path: str) -> str:
    places = mapping(mapping(query, "a query", path).get("placeholders"), "`placeholders`", path)
    chosen = places.get("$query", next(iter(places.values()), None))
    return identifier(chosen, "the placeholder of the query", path)


def _documents(found: object, path: str, scale: Scale | None) -> Iterator[tuple[str, float]]:
    for key, value in mapping(found, "`relevant_documents`", path).items():
        if isinstance(value, list):
            grade = parse_grade(key, "io.the-gain", path, scale)
            for document in value:
                yield identifier(document, "a document", path), grade
        elif isinstance(value, dict) and "gain" in value:
            yield key, parse_grade(value["gain"], f"the gain of `{key}`", path, scale)
        else:
            raise InputError(
                message(
                    "io.relevant-documents-neither-list-nor-gain",
                    key=key,
                ),
                path=path,
                hint=message("io.write-3"),
            )


formats.register(RreRatings())
