"""An engine's file as TOML text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from relyon.engines.files.template import Json

__all__ = ["engine_toml", "escape_braces"]

BARE = re.compile(r"[A-Za-z0-9_-]+")


def engine_toml(values: Mapping[str, Json], comments: tuple[str, ...] = ()) -> str:
    """Returns an engine's file: values first, then tables.

    Args:
        values: Keys and values; a mapping becomes a table, a text of several lines is written in
            lines of its own.
        comments: Lines at its beginning.

    Examples:
        >>> print(engine_toml({"kind": "http", "parameters": {"boost": 2.0}}, ("from a case",)))
        # from a case
        kind = "http"
        <BLANKLINE>
        [parameters]
        boost = 2.0
    """
    lines = [f"# {one}" for one in comments]
    lines += [f"{_key(name)} = {_value(one)}" for name, one in values.items() if _is_plain(one)]
    for name, table in values.items():
        if isinstance(table, dict) and table:
            lines += ["", f"[{_key(name)}]", *_lines(table)]
    return "\n".join(lines)


def escape_braces(text: str) -> str:
    """Returns a text that a template gives back as it is.

    Examples:
        >>> escape_braces("{x}")
        '{{x}}'
    """
    return text.replace("{", "{{").replace("}", "}}")


def _is_plain(value: Json) -> bool:
    return value is not None and not isinstance(value, dict)


def _lines(table: Mapping[str, Json]) -> Iterator[str]:
    return (f"{_key(name)} = {_value(one)}" for name, one in table.items() if one is not None)


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _text(name)


def _value(value: Json) -> str:
    if isinstance(value, str):
        literal = (
            "\n" in value
            and "'''" not in value
            and not re.search(r"[^\n\t -\x7e\xa0-\U0010ffff]", value)
        )
        return f"'''\n{value}\n'''" if literal else _text(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value)


def _text(value: str) -> str:
    """Returns a text in quotation marks: JSON's escapes are TOML's, too."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
