"""Templates of requests: `{name}` in the texts of a body, a path or a parameter.

A body is JSON first and a template second: a value can never end a string or add a field.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

__all__ = ["Json", "Scalar", "fill", "fill_text", "is_finite", "names_in", "write_scalar"]

Scalar: TypeAlias = str | int | float | bool
Json: TypeAlias = "Scalar | list[Json] | dict[str, Json] | None"

#: A placeholder, or a doubled brace, which is only a brace.
PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*)\}")


def fill(template: Json, values: Mapping[str, Scalar]) -> Json:
    """Returns a template with its placeholders replaced.

    A text that is one placeholder becomes the value itself, so that a number stays a number; within
    a longer text values are written as text. `{{` and `}}` are braces; other braces stay.

    Args:
        template: Any JSON.
        values: By name; every placeholder must have one, see `names_in`.

    Examples:
        >>> fill({"size": "{k}", "fields": ["title^{boost}"]}, {"k": 10, "boost": 2.5})
        {'size': 10, 'fields': ['title^2.5']}
        >>> fill("{{query}}", {})
        '{query}'
    """
    if isinstance(template, str):
        whole = PLACEHOLDER.fullmatch(template)
        if whole is not None and whole[1]:
            return values[whole[1]]
        return fill_text(template, values)
    if isinstance(template, list):
        return [fill(one, values) for one in template]
    if isinstance(template, dict):
        return {fill_text(name, values): fill(one, values) for name, one in template.items()}
    return template


def fill_text(
    template: str, values: Mapping[str, Scalar], write: Callable[[Scalar], str] | None = None
) -> str:
    """Returns a text with its placeholders replaced.

    Args:
        template: The text.
        values: By name.
        write: Writes a value; by default as `write_scalar` does. A path gives percent-encoding.

    Examples:
        >>> fill_text("/indexes/{index}/search", {"index": "books"})
        '/indexes/books/search'
    """
    put = write or write_scalar

    def replace(found: re.Match[str]) -> str:
        return put(values[found[1]]) if found[1] else found[0][0]

    return PLACEHOLDER.sub(replace, template) if "{" in template or "}}" in template else template


def write_scalar(value: Scalar) -> str:
    """Returns a value as text: as JSON writes it, without quotation marks.

    Examples:
        >>> write_scalar(True), write_scalar(0.5), write_scalar("a")
        ('true', '0.5', 'a')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def is_finite(value: float) -> bool:
    """Returns whether a number can be sent and computed with; whole ones may be of any size.

    Examples:
        >>> is_finite(0.5), is_finite(float("nan")), is_finite(10**400)
        (True, False, False)
    """
    return abs(value) <= sys.float_info.max


def names_in(template: Json) -> Iterator[str]:
    """Yields the names of a template's placeholders.

    Examples:
        >>> sorted(set(names_in({"{field}": ["{query}", "{{no}}"]})))
        ['field', 'query']
    """
    if isinstance(template, str):
        yield from (found[1] for found in PLACEHOLDER.finditer(template) if found[1])
    elif isinstance(template, list):
        for one in template:
            yield from names_in(one)
    elif isinstance(template, dict):
        for name, one in template.items():
            yield from names_in(name)
            yield from names_in(one)
