"""Values in the files of other programs: members of JSON, ids, grades and numbers."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import Message, message
from relyon.io.plain_text import unusable

if TYPE_CHECKING:
    from relyon.data.scale import Scale
    from relyon.data.sheets import Item, Row, Sheet

__all__ = [
    "by_query",
    "dump",
    "grade_of",
    "has_member",
    "identifier",
    "is_array",
    "is_json",
    "listing",
    "mapping",
    "parse_grade",
    "parse_json",
    "parse_number",
    "shown_query",
    "write_json",
]

#: Matches one JSON escape; a surrogate pair is one escape.
ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<unusable>u(?:[dD][89a-fA-F][0-9a-fA-F]{2}|0000))|.)"
)
SUSPECT = re.compile(r"\\u(?:[dD][89a-fA-F]|0000)")
#: The maximum nesting depth.
DEEPEST = 100


def parse_json(text: str, path: str) -> object:
    """Parses JSON text.

    Raises:
        InputError: If it is not JSON, contains NaN or a character that cannot be stored, or is
            nested too deeply.
    """

    def refuse(name: str) -> float:
        raise InputError(message("io.is-not-number", name=name), path=path)

    if SUSPECT.search(text):
        for escape in ESCAPE.finditer(text):
            if escape["unusable"]:
                raise unusable(text, escape.start(), escape[0], path)
    try:
        found = json.loads(text, parse_constant=refuse)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(message("core.not-json", error=error), path=path) from None
    _check_depth(found, path)
    return found


def _check_depth(value: object, path: str) -> None:
    level: list[object] = [value]
    for _ in range(DEEPEST):
        inner: list[object] = []
        for one in level:
            if isinstance(one, dict):
                inner += [part for part in one.values() if isinstance(part, dict | list)]
            elif isinstance(one, list):
                inner += [part for part in one if isinstance(part, dict | list)]
        if not inner:
            return
        level = inner
    raise InputError(
        message("io.cannot-be-used", deepest=DEEPEST),
        path=path,
    )


def is_json(head: bytes, signs: str = "{[") -> bool:
    """Whether a file with this beginning may be JSON that starts with one of some characters."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in [sign.encode() for sign in signs]


def is_array(head: bytes) -> bool:
    """Whether a file with this beginning is one list of JSON objects."""
    return re.match(rb"(\xef\xbb\xbf)?\s*\[\s*\{", head) is not None


def has_member(head: bytes, name: str, opening: str) -> bool:
    """Whether JSON with this beginning has a member of that name anywhere.

    Args:
        head: The first bytes.
        name: The member's name.
        opening: How its value begins: `[` is a list, `{` an object, `"` a text.

    Examples:
        >>> has_member(b'{"requests": []}', "requests", "[")
        True
        >>> has_member(b'{"requests": {"d1": 3}}', "requests", "[")
        False
    """
    return re.search(rf'(?<!\\)"{name}"\s*:\s*{re.escape(opening)}'.encode(), head) is not None


def mapping(value: object, where: str, path: str) -> Mapping[str, object]:
    """Returns a value that must be a JSON object."""
    if not isinstance(value, dict):
        raise InputError(message("io.is-not-object", where=where), path=path)
    return value


def listing(value: object, where: str, path: str) -> list[object]:
    """Returns a value that must be a JSON list."""
    if not isinstance(value, list):
        raise InputError(message("io.is-not-list", where=where), path=path)
    return value


def identifier(value: object, where: str, path: str) -> str:
    """Returns an id: a text or a whole number."""
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise InputError(
            message("io.is-not-id", where=where, value=str(value)[:60]),
            path=path,
        )
    return str(value)


@lru_cache(maxsize=1000)
def grade_of(judge: str) -> Message:
    """Returns the name of a judge's grade in messages; created once, as there may be many.

    Examples:
        >>> grade_of("Ann")
        'the grade of Ann'
    """
    return message("io.grade-of-judge", judge=judge)


def parse_grade(value: object, where: str, path: str, scale: Scale | None) -> float:
    """Returns a grade.

    Args:
        value: A number, or the name of a level.
        where: What is read: a kind of text, or a text.
        path: The file, for messages.
        scale: Names that grades may have.

    Raises:
        InputError: If it is not a grade, or not one of the scale.
    """
    from relyon.data import columns

    try:
        found = None if isinstance(value, bool) else columns.parse_grade(value, scale)
    except InputError as error:
        text = message("io.where-problem", where=message(where), problem=error.message)
        raise InputError(text, path=path, hint=error.hint) from None
    if found is None or not math.isfinite(found):
        raise InputError(
            message("io.not-grade", where=message(where), value=str(value)[:60]),
            path=path,
        )
    return found


def parse_number(value: object, where: str, path: str) -> float:
    """Returns a finite JSON number.

    Raises:
        InputError: If it is not one.
    """
    from relyon.data import columns

    found = None if isinstance(value, str) else columns.number(value)
    if found is None or not math.isfinite(found):
        raise InputError(
            message("io.where-is-not-number", where=where, value=str(value)[:60]),
            path=path,
        )
    return found


def shown_query(item: Item) -> str:
    """Returns the query as the user wrote it, for programs without query ids."""
    return item.query_text or item.query


def by_query(sheet: Sheet, *, shown: bool = False) -> dict[str, list[tuple[Row, float]]]:
    """Returns the rows with a final grade, and the grade, by query in order.

    Args:
        sheet: Graded items.
        shown: Group by the query's text instead of its id.
    """
    found: dict[str, list[tuple[Row, float]]] = {}
    for row in sheet.rows:
        if row.final is not None:
            query = shown_query(row.item) if shown else row.item.query
            found.setdefault(query, []).append((row, row.final))
    return found


#: Returns JSON on one line; created once, as there may be a million lines.
write_json = json.JSONEncoder(ensure_ascii=False).encode


def dump(value: object) -> str:
    """Returns JSON for people, with a line end."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
