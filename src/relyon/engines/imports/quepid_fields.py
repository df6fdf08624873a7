"""The field specification of a Quepid case: the document's id, and the fields that are shown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

__all__ = ["field_table"]

#: Names of fields here by the types of Quepid.
TYPES = {"title": "title", "thumb": "image", "image": "image"}


def field_table(text: str, nested: bool) -> tuple[str, dict[str, str]]:
    """Returns the path of the id, and the paths of fields by their names.

    Args:
        text: Such as `id:_id, title:name, thumb:picture, brand`.
        nested: Whether fields are within `_source`, as in Elasticsearch.

    Examples:
        >>> field_table("id:_id, title:name, thumb:picture, brand", True)
        ('_id', {'title': '_source.name', 'image': '_source.picture', 'brand': '_source.brand'})
        >>> field_table('["id", {"name": "cast", "type": "title"}]', False)
        ('id', {'title': 'cast'})
    """
    id = ""
    found: dict[str, str] = {}
    for kind, field in _parts(text.strip()):
        if kind == "id" or (not kind and not id and field in ("id", "_id")):
            id = field
            continue
        place = f"_source.{field}" if nested and not field.startswith("_") else field
        name = TYPES.get(kind, field.replace(".", "_"))
        found.setdefault(name, _quoted(place))
    return id, found


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Yields types and names: of a list with commas or spaces, or of JSON."""
    if text.startswith(("[", "{")):
        try:
            content = json.loads(text)
        except (ValueError, RecursionError):
            return
        for one in content if isinstance(content, list) else content.get("fields", [content]):
            if isinstance(one, str):
                yield from _parts(one)
            elif isinstance(one, dict) and isinstance(one.get("name"), str):
                yield str(one.get("type") or ""), one["name"]
        return
    for part in re.split(r"[,\s]+", text):
        kinds, _, field = part.rpartition(":")
        if field and field != "*":
            yield kinds.split(":")[0], field


def _quoted(path: str) -> str:
    """Returns a path in JMESPath: names with other signs are in quotation marks."""
    return ".".join(
        one if re.fullmatch(r"[A-Za-z_]\w*", one, re.ASCII) else json.dumps(one, ensure_ascii=False)
        for one in path.split(".")
    )
