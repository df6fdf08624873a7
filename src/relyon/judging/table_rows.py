"""Conversion of records to rows of the tables, and back."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, NotRequired, Protocol, TypedDict

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.scale import Level, Scale
from relyon.judging.records import (
    Comparison,
    Item,
    Kind,
    Project,
    ProjectState,
    Trait,
    User,
    item_parts,
)
from relyon.judging.texts import check_text, is_storable, plain

if TYPE_CHECKING:
    from relyon.judging.schema import TableRow

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
    "storable_fields",
]

#: `place` is a number below this prime; multiplying by a judge's own number permutes the items.
PLACES = 2**31 - 1


def _place(key: str, query: str, document: str) -> int:
    text = f"{key}\n{len(query)}\n{query}\n{document}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest()) % PLACES


TEXTS = item_parts(Trait.TEXT)
RESULT_TEXTS = item_parts(Trait.TEXT | Trait.RESULT)
#: The parts of an item, except its id.
CONTENT = tuple(one.name for one in fields(Item) if one.name != "id")
_texts, _content = attrgetter(*TEXTS), attrgetter(*CONTENT)
_read_item = itemgetter(*CONTENT, "id")


def check_item(item: Item) -> None:
    """Checks that an item can be stored.

    Raises:
        InputError: If it has no query or document, or something in it cannot be stored.
    """
    if not item.query or not item.document:
        raise InputError(
            message(
                "judging.query-document-both",
                query=item.query,
                document=item.document,
            )
        )
    if item.rank is not None and not 0 <= item.rank < 2**31:
        raise InputError(message("judging.query-is-not-rank", query=item.query, rank=item.rank))
    if item.inclusion_probability is not None and not 0 < item.inclusion_probability <= 1:
        raise InputError(
            message(
                "judging.query-is-not-probability",
                query=item.query,
                inclusion_probability=item.inclusion_probability,
            )
        )
    found = _texts(item)
    if not is_storable("".join(found)):  # one check of all: there may be a million items
        for name, text in zip(TEXTS, found, strict=True):
            check_text(text, name)
    storable_fields(item)


def storable_fields(item: Item) -> dict[str, object]:
    """Returns an item's further fields as JSON.

    Raises:
        InputError: If one cannot be stored.
    """
    if not item.fields:
        return {}
    return {check_text(name, "field"): plain(value) for name, value in item.fields.items()}


def item_row(item: Item, project: Project, now: float) -> dict[str, object]:
    """Returns the row of an item that passes `check_item`."""
    return {
        **dict(zip(CONTENT, _content(item), strict=True)),
        "project_id": project.id,
        "fields": storable_fields(item),
        "place": _place(project.draw_key, item.query, item.document),
        "created_at": now,
    }


def import_key(item_id: object) -> str:
    """Returns the key of an imported action: a judge has at most one per item."""
    return f"import {item_id}"


def result_rows(found: Sequence[Item]) -> list[dict[str, object]]:
    """Returns the stored form of one ranking of a side-by-side item."""
    return [
        {name: check_text(getattr(one, name), name) for name in RESULT_TEXTS}
        | {"fields": plain(one.fields)}
        for one in found
    ]


def read_item(row: TableRow) -> Item:
    """Returns an item from its row."""
    return Item(*_read_item(row._mapping))


def read_comparison(row: TableRow) -> Comparison:
    """Returns a pair of rankings from a row of items and sides."""
    return Comparison(
        row.query,
        row.first,
        row.second,
        tuple(Item(query=row.query, **one) for one in row.first_results),
        tuple(Item(query=row.query, **one) for one in row.second_results),
        row.query_text,
        row.tier,
    )


def read_user(row: TableRow) -> User:
    """Returns an account from its row."""
    return User(
        row.id, row.name, row.role, bool(row.active), bool(row.machine), bool(row.must_change)
    )


class LevelValues(TypedDict):
    """A level of a stored scale."""

    grade: float
    name: str
    chinese: NotRequired[str]
    gain: NotRequired[float]


class ScaleValues(TypedDict):
    """A stored scale."""

    name: str
    relevant_from: float
    levels: list[LevelValues]


class ProjectRow(Protocol):
    """A row of the projects, of the database or of an archive."""

    id: int
    name: str
    kind: Kind
    scale: ScaleValues
    guideline: Mapping[object, object]
    overlap: int
    gold_share: float
    k: int | None
    seed: int
    lease_seconds: float
    created_at: float
    state: ProjectState
    keys_changed_at: float | None
    members_only: bool
    target_agreement: float | None
    random_key: str


def read_project(row: ProjectRow) -> Project:
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
        {str(language): str(text) for language, text in row.guideline.items()},
        row.overlap,
        row.gold_share,
        row.k,
        row.seed,
        row.lease_seconds,
        row.created_at,
        row.state,
        row.keys_changed_at,
        row.members_only,
        row.target_agreement,
        row.random_key,
    )
