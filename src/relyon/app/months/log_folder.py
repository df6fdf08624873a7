"""Logs that the operator keeps for leads: files of one folder, chosen by their name."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from relyon.core.errors import InputError
from relyon.core.texts import message

__all__ = ["LogFile", "find_log", "list_logs"]

#: Endings of logs, before those of compression.
ENDINGS = (
    ".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".xlsx",
    ".csv.gz", ".tsv.gz", ".jsonl.gz", ".ndjson.gz", ".csv.zst", ".jsonl.zst",
)  # fmt: skip
#: Files that are listed.
MOST = 200


@dataclass(frozen=True)
class LogFile:
    """A log in the folder.

    Attributes:
        name: Its name.
        size: In bytes.
        at: When it was changed, in seconds since 1970.
    """

    name: str
    size: int
    at: float


def list_logs(folder: str | os.PathLike[str] | None) -> list[LogFile]:
    """Returns the logs in a folder, the latest first; none without a folder.

    Hidden files, folders, and links that lead out of the folder are left out.
    """
    if folder is None or not os.path.isdir(folder):
        return []
    root = Path(folder).resolve()
    found = []
    for path in root.iterdir():
        if path.name.startswith(".") or not path.name.lower().endswith(ENDINGS):
            continue
        if path.resolve().parent != root or not path.is_file():
            continue
        state = path.stat()
        found.append(LogFile(path.name, state.st_size, state.st_mtime))
    return sorted(found, key=lambda one: (-one.at, one.name))[:MOST]


def find_log(folder: str | os.PathLike[str] | None, name: str) -> Path:
    """Returns the path of a log that `list_logs` lists.

    Raises:
        InputError: If it is not listed: names with a folder in them never are.
    """
    for one in list_logs(folder):
        if folder is not None and one.name == name:
            return Path(folder).resolve() / one.name
    raise InputError(message("app.there-is-no-log", name=name[:200]))
