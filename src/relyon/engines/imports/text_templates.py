"""Templates of other programs as JSON with `{name}`: text with placeholders first, JSON second."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import cast

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.engines.files.engine_toml import escape_braces
from relyon.engines.files.template import Json

__all__ = ["json_template", "placeholder_name", "text_template"]

#: Private signs around a name while JSON is read.
START, END = "\ue000", "\ue001"
MARKED = re.compile(f"{START}([^{END}]*){END}")


def json_template(
    text: str, placeholder: re.Pattern[str], name: Callable[[re.Match[str]], str], path: str
) -> Json:
    """Returns a template of JSON; a placeholder outside quotation marks is a value of its own.

    Args:
        text: JSON with placeholders.
        placeholder: What placeholders look like.
        name: Returns a placeholder's name here.
        path: The file, for messages.

    Raises:
        InputError: If it is not JSON once placeholders are names.

    Examples:
        >>> mustache = re.compile(r"{{(\\w+)}}")
        >>> json_template('{"q": "a {{x}}", "n": {{k}}}', mustache, lambda one: one[1], "")
        {'q': 'a {x}', 'n': '{k}'}
    """
    parts: list[str] = []
    place, quoted = 0, False
    for found in placeholder.finditer(text):
        between = text[place : found.start()]
        quoted = _quoted(between, quoted)
        marked = f"{START}{name(found)}{END}"
        parts += [between, marked if quoted else f'"{marked}"']
        place = found.end()
    parts.append(text[place:])
    try:
        value = json.loads("".join(parts), strict=False)
    except (ValueError, RecursionError) as error:
        raise InputError(
            message("engines.template-is-not-json", problem=error), path=path
        ) from None
    return _named(cast("Json", value))


def text_template(
    text: str, placeholder: re.Pattern[str], name: Callable[[re.Match[str]], str]
) -> str:
    """Returns a template of plain text.

    Examples:
        >>> text_template("a {b} ##c##", re.compile("##([^#]*)##"), lambda one: one[1])
        'a {{b}} {c}'
    """
    marked = placeholder.sub(lambda found: f"{START}{name(found)}{END}", text)
    return MARKED.sub(r"{\1}", escape_braces(marked))


def placeholder_name(name: str, taken: set[str]) -> str:
    """Returns a name that a placeholder can have and that is not taken.

    Examples:
        >>> placeholder_name("title.boost", set()), placeholder_name("k", {"k"})
        ('title_boost', 'k_2')
    """
    plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "value"
    plain = plain if plain[0].isalpha() else f"value_{plain}"
    found, n = plain, 1
    while found in taken:
        n += 1
        found = f"{plain}_{n}"
    taken.add(found)
    return found


def _quoted(text: str, quoted: bool) -> bool:
    """Returns whether the end of a part of JSON is within quotation marks."""
    escaped = False
    for sign in text:
        if escaped:
            escaped = False
        elif sign == "\\" and quoted:
            escaped = True
        elif sign == '"':
            quoted = not quoted
    return quoted


def _named(value: Json) -> Json:
    if isinstance(value, str):
        return MARKED.sub(r"{\1}", escape_braces(value))
    if isinstance(value, list):
        return [_named(one) for one in value]
    if isinstance(value, dict):
        return {
            MARKED.sub(r"{\1}", escape_braces(name)): _named(one) for name, one in value.items()
        }
    return value
