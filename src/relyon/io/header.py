"""Whether the first line of a table has column names or is already data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from relyon.core.errors import InputError, ParseError
from relyon.core.texts import message
from relyon.data.columns.roles import KINDS, NAMES, READERS, named_columns, plain_name

__all__ = ["check_header", "headerless", "is_data", "is_numbered"]

#: Number of lines below the first that are searched for its cells.
BELOW = 20
#: Roles whose columns contain numbers.
NUMBERS = ("grade", "label", "score", "rank")


def is_data(header: Sequence[str], below: Iterable[Sequence[str]]) -> bool:
    """Whether a first line is data: no cell is a usual name, and one is a number or repeated.

    Args:
        header: The cells of the first line.
        below: The cells of the lines below it.
    """
    usual = {name for names in NAMES.values() for name in names}
    if any(plain_name(cell) in usual for cell in header):
        return False
    if any(map(_is_number, header)):
        return True
    return any(
        cell and cell == other.strip()
        for row in islice(below, BELOW)
        if len(row) == len(header)
        for cell, other in zip(header, row, strict=True)
    )


def is_numbered(header: Sequence[str]) -> bool:
    """Whether a first line numbers its columns, as some programs do: 0, 1, 2 …"""
    return any(list(header) == [str(start + n) for n in range(len(header))] for start in (0, 1))


def check_header(
    header: Sequence[str],
    below: Iterable[Sequence[str]],
    chosen: Mapping[str, str],
    kind: str,
    path: str,
) -> None:
    """Refuses a numeric column named by a number if the first line is data.

    Raises:
        ParseError: If the first row would be lost.
    """
    named = [chosen[role] for role in NUMBERS if role in chosen]
    if any(map(_is_number, named)) and not is_numbered(header) and is_data(header, below):
        raise headerless(header, kind, path)


def headerless(header: Sequence[str], kind: str, path: str) -> InputError:
    """Returns the error for a table whose first line is data."""
    roles = list(KINDS[kind][0])
    if kind == "run":
        roles.append("score")
    if kind == "scored":
        roles.insert(0, "query")
    shown = ",".join(header)
    return ParseError(
        message(
            "io.this-file-seems",
            shown=shown[:60],
            ending="…" if len(shown) > 60 else "",
        ),
        path=path,
        line=1,
        hint=_numbered_hint(roles, kind),
    )


def _numbered_hint(roles: Sequence[str], kind: str) -> str:
    """Returns the hint for naming columns by number in Python; the command line has its own."""
    places = ",".join(f"{role}={place}" for place, role in enumerate(roles, 1))
    reader = READERS.get(kind)
    if reader is None:
        python = ", ".join(f'"{role}": "{place}"' for place, role in enumerate(roles, 1))
        return message(
            "io.assign-columns",
            places=places,
            python=python,
        )
    return message(
        "io.assign-columns-by-number",
        reader=f"relyon.{reader}",
        parameter=named_columns(kind, {role: str(n) for n, role in enumerate(roles, 1)}),
        places=places,
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
