"""SQL with named parameters: `:name` is bound by the database, never written into the text."""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["names_of", "replaced"]

#: Comments and texts, within which `:name` is no parameter, and the parameters. `::type` and
#: `a[1:n]` of PostgreSQL are not parameters either.
PARTS = re.compile(
    r"""
      --[^\n]*
    | /\*.*?(?:\*/|\Z)
    | \b[eE]'(?:[^'\\]|\\.|'')*'
    | '(?:[^']|'')*'
    | "(?:[^"]|"")*"
    | `[^`]*`
    | \$(?P<tag>[A-Za-z_]\w*|)\$.*?\$(?P=tag)\$
    | ::
    | (?<![\w:]):(?P<name>[A-Za-z_]\w*)
    """,
    re.VERBOSE | re.DOTALL,
)


def names_of(sql: str) -> list[str]:
    """Returns the names of the parameters, each once.

    Examples:
        >>> names_of("SELECT id::text, ':no' FROM docs WHERE title = :query -- :no")
        ['query']
    """
    return list(dict.fromkeys(part["name"] for part in PARTS.finditer(sql) if part["name"]))


def replaced(sql: str, parameter: Callable[[str], str], other: Callable[[str], str] = str) -> str:
    """Returns SQL with its parameters written in another way.

    Args:
        sql: The statement.
        parameter: Writes a parameter's name.
        other: Writes everything else.

    Examples:
        >>> replaced("SELECT :a, '50% :b'", lambda name: f"%({name})s", lambda text: text)
        "SELECT %(a)s, '50% :b'"
    """
    found: list[str] = []
    end = 0
    for part in PARTS.finditer(sql):
        found.append(other(sql[end : part.start()]))
        found.append(parameter(part["name"]) if part["name"] else other(part[0]))
        end = part.end()
    return "".join([*found, other(sql[end:])])
