"""Rows of the tables, from what the rest of the program sees and back to it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

from relkit.core.errors import InputError
from relkit.data.scale import Level, Scale
from relkit.judging.records import Comparison, Item, Project, User
from relkit.judging.texts import check_text, is_storable, plain

__all__ = [
    "PLACES",
    "check_item",
    "import_key",
    "item_row",
    "read_comparison",
    "read_item",
    "read_project",
    "read_user",
    "result_rows",
]

#: `place` is a number below this prime; multiplying by a judge's own number permutes the items.
PLACES = 2**31 - 1


def _place(seed: int, query: str, document: str) -> int:
    text = f"{seed}\n{len(query)}\n{query}\n{document}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest()) % PLACES


TEXTS = (
    "query", "query_text", "document", "title", "snippet", "url", "image", "tier", "session",
)  # fmt: skip
_texts = attrgetter(*TEXTS)


def check_item(item: Item) -> None:
    """Checks that an item can be stored.

    Raises:
        InputError: If it has no query or document, or holds what cannot be stored.
    """
    if not item.query or not item.document:
        raise InputError(f"query `{item.query}`, document `{item.document}`: both are needed")
    if item.rank is not None and not 0 <= item.rank < 2**31:
        raise InputError(f"query `{item.query}`: {item.rank} is no rank")
    if item.inclusion_probability is not None and not 0 < item.inclusion_probability <= 1:
        raise InputError(
            f"query `{item.query}`: {item.inclusion_probability} is no probability above 0"
        )
    found = _texts(item)
    if not is_storable("".join(found)):  # one look at all: there may be a million items
        for name, text in zip(TEXTS, found, strict=True):
            check_text(text, name)
    _fields_of(item)


def _fields_of(item: Item) -> dict[str, Any]:
    if not item.fields:
        return {}
    return {check_text(name, "field"): plain(value) for name, value in item.fields.items()}


def item_row(item: Item, project: Project, now: float) -> dict[str, Any]:
    """Returns the row of an item that `check_item` has nothing against."""
    return {
        "project_id": project.id,
        "rank": item.rank,
        "fields": _fields_of(item),
        "inclusion_probability": item.inclusion_probability,
        "place": _place(project.seed, item.query, item.document),
        "created_at": now,
        **dict(zip(TEXTS, _texts(item), strict=True)),
    }


def import_key(item_id: int) -> str:
    """Returns the key of an action that an import made: a judge has one for each item at most."""
    return f"import {item_id}"


def result_rows(found: Sequence[Item]) -> list[dict[str, Any]]:
    """Returns what is stored of one ranking of a side-by-side item."""
    return [
        {
            "document": check_text(one.document, "document"),
            "title": check_text(one.title, "title"),
            "snippet": check_text(one.snippet, "snippet"),
            "url": check_text(one.url, "url"),
            "image": check_text(one.image, "image"),
            "fields": plain(one.fields),
        }
        for one in found
    ]


def _result_of(values: Mapping[str, Any], query: str) -> Item:
    return Item(query=query, **values)


def read_item(row: Any) -> Item:
    """Returns an item from its row."""
    return Item(
        row.query,
        row.document,
        row.query_text,
        row.rank,
        row.title,
        row.snippet,
        row.url,
        row.image,
        row._mapping["fields"],
        row.tier,
        row.session,
        row.inclusion_probability,
        row.id,
    )


def read_comparison(row: Any) -> Comparison:
    """Returns a pair of rankings from a row of items and sides."""
    return Comparison(
        row.query,
        row.first,
        row.second,
        tuple(_result_of(one, row.query) for one in row.first_results),
        tuple(_result_of(one, row.query) for one in row.second_results),
        row.query_text,
        row.tier,
    )


def read_user(row: Any) -> User:
    """Returns an account from its row."""
    return User(
        row.id, row.name, row.role, bool(row.active), bool(row.machine), bool(row.must_change)
    )


def read_project(row: Any) -> Project:
    """Returns a project from its row."""
    found = row.scale
    scale = Scale(
        found["name"],
        relevant_from=found["relevant_from"],
        levels=tuple(Level(**level) for level in found["levels"]),
    )
    return Project(
        row.id,
        row.name,
        row.kind,
        scale,
        row.guideline_en,
        row.guideline_zh,
        row.overlap,
        row.gold_share,
        row.k,
        row.seed,
        row.lease_seconds,
        row.created_at,
        row.state,
        row.keys_changed_at,
    )
