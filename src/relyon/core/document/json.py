"""Values and documents as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar, overload

if TYPE_CHECKING:
    from relyon.core.document.model import Document
    from relyon.core.notes import Note

__all__ = ["json_number", "json_text", "json_values", "note_dict", "render_json"]

K = TypeVar("K")
T = TypeVar("T")


def render_json(document: Document) -> str:
    """Returns a document as JSON: its blocks, each with its kind.

    Examples:
        >>> from relyon.core.document.model import Document, Prose
        >>> print(render_json(Document([Prose(["one"])], "Title")))
        {
          "blocks": [
            {
              "kind": "prose",
              "texts": [
                "one"
              ]
            }
          ],
          "title": "Title",
          "lead": []
        }
    """
    return json_text(_plain(document))


def _plain(value: object) -> object:
    from dataclasses import fields, is_dataclass

    if is_dataclass(value):
        kind = getattr(value, "kind", "")
        found = {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
        return {"kind": kind, **found} if kind else found
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return json_values(value)


def json_text(values: object) -> str:
    """Returns values as indented JSON."""
    import json

    return json.dumps(values, ensure_ascii=False, indent=2)


def json_number(value: float) -> float | None:
    """Returns a number for JSON, with null for NaN and infinity."""
    return value if math.isfinite(value) else None


@overload
def json_values(value: Mapping[K, object]) -> dict[str, object]: ...
@overload
def json_values(value: list[T] | tuple[T, ...]) -> list[object]: ...
@overload
def json_values(value: object) -> object: ...
def json_values(value: object) -> object:
    """Returns JSON-ready values, nested ones too: numbers by `json_number`, keys as text."""
    if isinstance(value, Mapping):
        return {str(key): json_values(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [json_values(one) for one in value]
    return json_number(value) if isinstance(value, float) else value


def note_dict(note: Note) -> dict[str, object]:
    """Returns a note as JSON-ready values."""
    return {
        "kind": note.kind,
        "level": note.level,
        "message": note.message,
        "count": note.count,
        "examples": list(note.examples),
        "lesson": note.lesson or None,
    }
