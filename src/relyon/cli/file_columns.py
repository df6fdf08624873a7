"""Columns of one of several files: `--run-columns FILE=score=COLUMN`, as in `--encoding`."""

from __future__ import annotations

import os
from collections.abc import Sequence

from relyon.cli.option_values import chosen_columns
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message

__all__ = ["check_columns_for", "columns_for"]

#: The names of the columns of judgments and runs.
SHARED = ("query", "document", "grade", "score", "rank")


def columns_for(
    path: str, texts: Sequence[str], known: Sequence[str] = SHARED, option: str = "--columns"
) -> dict[str, str]:
    """Returns the columns of one file by role: those given for it, then those for all files.

    Args:
        path: The file.
        texts: The values of the option: ROLE=COLUMN,… or FILE=ROLE=COLUMN,….
        known: The names that the option accepts.
        option: Its name.

    Raises:
        InputError: If a named file does not exist.
        ParameterError: If a value is not of that form, or two name different columns of a role.

    Examples:
        >>> texts = ["query=q,score=old", "-=score=new"]
        >>> columns_for("-", texts, ["query", "score"])
        {'query': 'q', 'score': 'new'}
        >>> columns_for("old.csv", texts, ["query", "score"])
        {'query': 'q', 'score': 'old'}
    """
    parts = [_parted(text, known) for text in texts]
    shared = [columns for file, columns in parts if file is None]
    own = [columns for file, columns in parts if file is not None and _same(file, path)]
    found = (chosen_columns(part, known, option=option) or {} for part in (shared, own))
    return {role: column for part in found for role, column in part.items()}


def check_columns_for(
    files: Sequence[str],
    texts: Sequence[str],
    known: Sequence[str] = SHARED,
    option: str = "--columns",
) -> None:
    """Checks the values of an option, and refuses columns of a file that is not read.

    Args:
        files: The files of the command.
        texts: As for `columns_for`.
        known: As for `columns_for`.
        option: As for `columns_for`.

    Raises:
        InputError: If a named file does not exist.
        ParameterError: If a value is not of the form, or names another file.
    """
    for text in texts:
        file, columns = _parted(text, known)
        chosen_columns([columns], known, option=option)
        if file is not None and not any(_same(file, path) for path in files):
            raise ParameterError(message("cli.columns-of-other-file", option=option, file=file))
    for path in files:
        columns_for(path, texts, known, option)


def _same(one: str, other: str) -> bool:
    return os.path.normpath(one) == os.path.normpath(other)


def _parted(text: str, known: Sequence[str]) -> tuple[str | None, str]:
    """Returns the file in front of ROLE=COLUMN,…, or None, and the rest."""
    from relyon.data.columns.roles import role_of
    from relyon.io.sheet_names import file_and_sheet

    parts = text.split("=")
    places = [
        place for place, part in enumerate(parts[:-1]) if role_of(part.strip(), known) in known
    ]
    place = places[0] if places else 0
    if not place:
        return None, text
    file = "=".join(parts[:place])
    if file != "-" and not os.path.exists(file_and_sheet(file)[0]):
        raise InputError(message("core.there-is-no"), path=file)
    return file, "=".join(parts[place:])
