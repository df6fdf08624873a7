"""Notes as JSON values, and back, in every language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from relyon.core.document.json import json_number
from relyon.core.notes import Note
from relyon.core.texts import Message, Text, message

__all__ = ["note_of", "note_values"]


def note_values(note: Note) -> dict[str, object]:
    """Returns a note as JSON-ready values.

    Examples:
        >>> note = Note("missing-grades", 2, "warning", ("d1", "d7"), run="a.run")
        >>> note_of(note_values(note)) == note
        True
    """
    return {
        "kind": note.kind,
        "count": note.count,
        "level": note.level,
        "examples": list(note.examples),
        "values": {key: _plain(one) for key, one in note.values.items()},
        "run": note.run,
        "key": note.key,
        "own": dict(note.own),
    }


def note_of(values: object) -> Note:
    """Returns the note of `note_values`, or of the `notes` of an evaluation as JSON.

    Raises:
        ValueError: If the values are something else.
    """
    if not isinstance(values, dict):
        raise ValueError(f"not a note: {values!r}"[:80])
    level: Literal["info", "warning"] = "warning" if values["level"] == "warning" else "info"
    own = values["own"] if "own" in values else {"en": values["message"]}
    return Note(
        str(values["kind"]),
        int(values["count"]),
        level,
        tuple(map(str, values["examples"])),
        {key: _value(one) for key, one in values.get("values", {}).items()},
        str(values.get("run", "")),
        str(values.get("key", "")),
        own,
    )


def _plain(value: object) -> object:
    if isinstance(value, Message | Text):
        kind = "message" if isinstance(value, Message) else "text"
        key = value.kind if isinstance(value, Message) else value.key
        return {kind: key, "values": {name: _plain(one) for name, one in value.values.items()}}
    if isinstance(value, Mapping):
        return {"mapping": {str(key): _plain(one) for key, one in value.items()}}
    if isinstance(value, tuple):
        return {"tuple": [_plain(one) for one in value]}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, float):
        return json_number(value)
    return value if value is None or isinstance(value, str | int) else str(value)


def _value(value: object) -> object:
    if isinstance(value, list):
        return [_value(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "tuple" in value:
        return tuple(_value(one) for one in value["tuple"])
    if "mapping" in value:
        return {key: _value(one) for key, one in value["mapping"].items()}
    values = {name: _value(one) for name, one in value["values"].items()}
    if "text" in value:
        return Text(str(value["text"]), values)
    return message(str(value["message"]), **values)
