"""Notes on months: what happened, and what was accepted when a month was stored."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, get_args

from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_choice, check_path
from relyon.core.texts import message
from relyon.data.period import check_month

__all__ = ["LONGEST_NOTE", "NOTES", "MonthNote", "NoteKind", "add_month_note", "read_month_notes"]

NOTES = "notes.jsonl"
#: Most characters of a note.
LONGEST_NOTE = 2000

NoteKind = Literal["note", "accepted"]


@dataclass(frozen=True)
class MonthNote:
    """A note on a month.

    Attributes:
        month: Such as `2026-03`.
        text: What is noted.
        by: Who wrote it; empty if unknown.
        at: When, in UTC, as ISO 8601.
        kind: `note`; or `accepted`: why the month was stored in spite of what spoke against it.
    """

    month: str
    text: str
    by: str = ""
    at: str = ""
    kind: NoteKind = "note"

    def to_dict(self) -> dict[str, str]:
        """Returns JSON-ready values."""
        return asdict(self)


def add_month_note(
    folder: str | os.PathLike[str],
    month: str,
    text: str,
    *,
    by: str = "",
    kind: NoteKind = "note",
) -> MonthNote:
    """Adds a note on a month to `notes.jsonl` in a folder of rounds.

    The file is beside the rounds, which never change, and only grows: a line is one note.

    Args:
        folder: The rounds; created if missing.
        month: Such as `2026-03`; its round may come later.
        text: The note, in at most 2000 characters.
        by: Who writes it.
        kind: What it is.

    Returns:
        The note.

    Raises:
        ParameterError: If it is empty or too long, or the month is invalid.
        InputError: If it cannot be written.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     made = add_month_note(folder, "2026-03", "release 4.2 went live", by="lea")
        ...     [(one.month, one.text) for one in read_month_notes(folder)]
        [('2026-03', 'release 4.2 went live')]
    """
    check_month(month)
    check_choice("kind", kind, get_args(NoteKind))
    words = " ".join(text.split())
    if not words or len(words) > LONGEST_NOTE:
        raise ParameterError(
            message("online.note-must-have-text", count=len(words), most=LONGEST_NOTE)
        )
    made = MonthNote(month, words, by, datetime.now(UTC).isoformat(timespec="seconds"), kind)
    line = json.dumps(made.to_dict(), ensure_ascii=False) + "\n"
    path = Path(check_path("folder", folder)) / NOTES
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "a+b") as file:
            # A line that a full disk cut off stays alone.
            if file.tell() and not _ends_with_newline(path):
                line = "\n" + line
            file.write(line.encode("utf-8", "replace"))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise InputError(
            message("core.cannot-be-written", strerror=error.strerror or error), path=str(path)
        ) from None
    return made


def _ends_with_newline(path: Path) -> bool:
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def read_month_notes(
    folder: str | os.PathLike[str], months: Iterable[str] | None = None
) -> list[MonthNote]:
    """Returns the notes in a folder of rounds, by month and time. Damaged lines are left out.

    Args:
        folder: The rounds.
        months: Only notes on these months; None for all.

    Raises:
        InputError: If the file cannot be read.

    Examples:
        >>> read_month_notes("no such folder")
        []
    """
    path = Path(check_path("folder", folder)) / NOTES
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError(
            message("core.cannot-be-read", error=error.strerror or error), path=str(path)
        ) from None
    wanted = None if months is None else set(months)
    found = [one for line in lines if (one := _read(line)) is not None]
    chosen = [one for one in found if wanted is None or one.month in wanted]
    return sorted(chosen, key=lambda one: (one.month, one.at))


def _read(line: bytes) -> MonthNote | None:
    """Returns the note of a line; None if it is damaged."""
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, dict) or not all(
        isinstance(values.get(name), str) for name in ("month", "text")
    ):
        return None
    by, at = (value if isinstance(value, str) else "" for value in map(values.get, ("by", "at")))
    kind: NoteKind = "accepted" if values.get("kind") == "accepted" else "note"
    return MonthNote(values["month"], values["text"], by, at, kind)
