"""Months between the form and the folder of rounds: previewed, stored and removed.

The preview shows the round itself, in a folder that no reader of rounds sees; storing it moves it.
The last added month can be removed: it is moved aside, never deleted.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.online.monitoring import Round, read_round, write_round
from relyon.online.monitoring.archive import MANIFEST, find_rounds

__all__ = [
    "Added",
    "discard_round",
    "find_last_added",
    "read_added",
    "read_staged",
    "remove_round",
    "stage_round",
    "store_round",
]

PENDING, REMOVED = ".pending", ".removed"
#: The file beside a previewed round that names its project.
PROJECT = "project"
TOKEN = re.compile(r"[0-9a-f]{32}")
#: Seconds after which an unstored round is abandoned.
FORGOTTEN = 86_400.0


@dataclass(frozen=True)
class Added:
    """The month that was added last.

    Attributes:
        month: Such as `2026-03`.
        at: When it was created, in seconds since 1970.
    """

    month: str
    at: float


def stage_round(made: Round, folder: Path, project: int) -> str:
    """Writes a round next to the others, and returns the token for storing it.

    Args:
        made: The round.
        folder: The rounds.
        project: The project whose grades it has.

    Raises:
        InputError: If the month already exists, or nothing can be written.
    """
    _refuse_known(folder, made.month)
    _forget_old(folder / PENDING)
    token = secrets.token_hex(16)
    write_round(made, folder / PENDING / token)
    (folder / PENDING / token / PROJECT).write_text(str(project), encoding="ascii")
    return token


def store_round(folder: Path, token: str) -> str:
    """Moves a previewed round to the others, and returns its month.

    Raises:
        InputError: If it no longer exists, or the month has been added meanwhile.
    """
    staged = _staged(folder, token)
    _refuse_known(folder, staged.name)
    try:
        staged.rename(folder / staged.name)  # does not replace a folder that contains files
    except OSError as error:
        _refuse_known(folder, staged.name)
        raise InputError(
            message("core.cannot-be-written", strerror=error.strerror or error),
            path=str(folder / staged.name),
        ) from None
    shutil.rmtree(folder / PENDING / token, ignore_errors=True)
    return staged.name


def read_staged(folder: Path, token: str) -> tuple[Round, int]:
    """Returns a previewed round, and the project whose grades it has.

    Raises:
        InputError: If it no longer exists.
    """
    made = read_round(_staged(folder, token))
    return made, int((folder / PENDING / token / PROJECT).read_text(encoding="ascii"))


def discard_round(folder: Path, token: str) -> None:
    """Discards a round that was previewed but not stored."""
    shutil.rmtree(_staged(folder, token).parent, ignore_errors=True)


def find_last_added(folder: Path) -> Added | None:
    """Returns the last added month; None if there is none, or it cannot be read."""
    found = filter(None, map(read_added, find_rounds(folder)))
    return max(found, key=lambda one: (one.at, one.month), default=None)


def read_added(path: Path) -> Added | None:
    """Returns when the month in a folder was created; None if that cannot be read."""
    try:
        made = json.loads((path / MANIFEST).read_text("utf-8"))["made"]
        return Added(path.name, datetime.fromisoformat(made).timestamp())
    except (OSError, ValueError, TypeError, KeyError):
        return None


def remove_round(folder: Path, month: str) -> Path:
    """Moves the last added month aside, and returns its new location.

    Raises:
        InputError: If another month was added last, or it cannot be moved.
    """
    last = find_last_added(folder)
    if last is None or last.month != month:
        raise InputError(
            message("app.is-not-last-added", month=month),
            hint=message("app.remove-earlier-one-by-hand"),
        )
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    target = folder / REMOVED / f"{month}-{stamp}-{secrets.token_hex(2)}"
    try:
        target.parent.mkdir(exist_ok=True)
        (folder / month).rename(target)
    except OSError as error:
        raise InputError(
            message("app.cannot-be-moved", strerror=error.strerror or error),
            path=str(folder / month),
        ) from None
    return target


def _refuse_known(folder: Path, month: str) -> None:
    if (folder / month).exists():
        raise InputError(
            message("core.this-round-exists-already"),
            path=str(folder / month),
            hint=message("app.last-added-month-can"),
        )


def _staged(folder: Path, token: str) -> Path:
    found = find_rounds(folder / PENDING / token) if TOKEN.fullmatch(token) else []
    if not found:
        raise InputError(
            message("app.there-is-nothing-left"), hint=message("app.fill-in-form-again")
        )
    return found[0]


def _forget_old(pending: Path) -> None:
    for path in pending.iterdir() if pending.is_dir() else ():
        if path.stat().st_mtime < time.time() - FORGOTTEN:
            shutil.rmtree(path, ignore_errors=True)
