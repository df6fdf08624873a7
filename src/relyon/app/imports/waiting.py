"""Uploaded files that wait for their lead alone to look at them: few, and not for long.

They are in a private folder of the machine, so that all processes of an app see them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import BinaryIO

from fastapi import HTTPException

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.judging.intake.files import Part
from relyon.judging.intake.upload import Upload

__all__ = ["FORGOTTEN", "MOST", "Waiting", "WaitingFiles"]

#: Seconds after which an upload is forgotten, and how many uploads of a lead wait.
FORGOTTEN, MOST = 3600.0, 3
TOKEN = re.compile(r"[0-9a-f]{32}")
PLAN = "plan.json"
#: The end of the name of an upload that is being imported.
TAKEN = ".taken"


@dataclass(frozen=True)
class Waiting:
    """An upload that waits.

    Attributes:
        token: What names it in addresses.
        folder: Where it is.
        owner: The id of the account that sent it.
        project: The id of the project that it is for.
        upload: The files, and how they are to be read.
    """

    token: str
    folder: Path
    owner: int
    project: int
    upload: Upload

    @property
    def key(self) -> str:
        """Names the way in which the files are to be read: another way has another name."""
        return hashlib.sha256(json.dumps(_plan(self), sort_keys=True).encode()).hexdigest()[:16]

    @property
    def current(self) -> bool:
        """Whether it still waits, to be read in this way."""
        try:
            return (self.folder / PLAN).read_text("utf-8") == json.dumps(_plan(self))
        except OSError:
            return False

    @property
    def size(self) -> int:
        """The bytes of the files."""
        return sum(os.path.getsize(part.path) for part in self.upload.parts)

    @property
    def name(self) -> str:
        """The names of the files."""
        return ", ".join(part.name for part in self.upload.parts)


class WaitingFiles:
    """The uploads that wait for the leads of one database.

    Args:
        folder: Where they are kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of(cls, address: str) -> WaitingFiles:
        """Returns those of a database, in a folder that other users of this machine cannot read."""
        name = hashlib.sha256(address.encode()).hexdigest()[:16]
        owner = os.getuid() if hasattr(os, "getuid") else 0
        return cls(Path(tempfile.gettempdir()) / f"relyon-uploads-{owner}-{name}")

    def add(
        self, owner: int, project: int, upload: Upload, files: Sequence[tuple[str, BinaryIO]]
    ) -> Waiting:
        """Keeps uploaded files; the oldest of their owner are forgotten if there are too many.

        Args:
            owner: The id of the account.
            project: The id of the project.
            upload: How they are to be read; its parts are in the order of the files.
            files: The names of the files, and their bytes.

        Raises:
            InputError: If they cannot be written.
        """
        self._prepare()
        self._forget(owner)
        token = secrets.token_hex(16)
        folder = self.folder / token
        parts = []
        try:
            folder.mkdir(mode=0o700)
            for number, (part, (name, file)) in enumerate(zip(upload.parts, files, strict=True)):
                path = folder / str(number)
                with path.open("xb") as copy:
                    shutil.copyfileobj(file, copy)
                parts.append(replace(part, name=name, path=str(path)))
            made = Waiting(token, folder, owner, project, replace(upload, parts=tuple(parts)))
            self.save(made)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise _cannot_write(error) from None
        return made

    def save(self, waiting: Waiting) -> None:
        """Stores how an upload is to be read."""
        _write(waiting.folder / PLAN, _plan(waiting))

    def get(self, owner: int, project: int, token: str) -> Waiting:
        """Returns an upload of its owner.

        Raises:
            HTTPException: If it does not exist, was imported, or is another lead's.
        """
        folder = self.folder / token
        if not TOKEN.fullmatch(token):
            raise HTTPException(404, "upload_gone")
        try:
            found = _read(token, folder, json.loads((folder / PLAN).read_text("utf-8")))
        except (OSError, ValueError, KeyError, TypeError):
            raise HTTPException(404, "upload_gone") from None
        if (found.owner, found.project) != (owner, project):
            raise HTTPException(404, "upload_gone")
        return found

    def take(self, waiting: Waiting) -> Waiting:
        """Takes an upload out for its import: only one request gets it.

        Raises:
            HTTPException: If another request took it.
        """
        folder = waiting.folder.with_name(waiting.token + TAKEN)
        try:
            waiting.folder.rename(folder)
        except OSError:
            raise HTTPException(404, "upload_gone") from None
        return _moved(waiting, folder)

    def give_back(self, taken: Waiting) -> None:
        """Lets an upload that could not be imported wait again."""
        folder = taken.folder.with_name(taken.token)
        taken.folder.rename(folder)
        self.save(_moved(taken, folder))

    def discard(self, waiting: Waiting) -> None:
        """Forgets an upload."""
        shutil.rmtree(waiting.folder, ignore_errors=True)

    def _prepare(self) -> None:
        """Creates the folder, or refuses one that others could read or have made."""
        try:
            self.folder.mkdir(mode=0o700, exist_ok=True)
            found = self.folder.lstat()
        except OSError as error:
            raise _cannot_write(error) from None
        mine = not hasattr(os, "getuid") or found.st_uid == os.getuid()
        private = os.name == "nt" or not found.st_mode & 0o077
        if not (stat.S_ISDIR(found.st_mode) and mine and private):
            raise InputError(message("app.folder-is-not-private"), path=str(self.folder))

    def _forget(self, owner: int) -> None:
        """Forgets old uploads, and makes room for another one of an owner."""
        now = time.time()
        own: list[tuple[float, Path]] = []
        for folder in self.folder.iterdir():
            try:
                age = now - folder.stat().st_mtime
                if age > FORGOTTEN:
                    shutil.rmtree(folder, ignore_errors=True)
                elif json.loads((folder / PLAN).read_text("utf-8"))["owner"] == owner:
                    own.append((age, folder))
            except (OSError, ValueError, KeyError, TypeError):
                continue
        waiting = [folder for _, folder in sorted(own) if not folder.name.endswith(TAKEN)]
        for folder in waiting[MOST - 1 :]:
            shutil.rmtree(folder, ignore_errors=True)


def _moved(waiting: Waiting, folder: Path) -> Waiting:
    parts = tuple(
        replace(part, path=str(folder / Path(part.path).name)) for part in waiting.upload.parts
    )
    return replace(waiting, folder=folder, upload=replace(waiting.upload, parts=parts))


def _plan(waiting: Waiting) -> dict[str, object]:
    upload = asdict(waiting.upload)
    for part in upload["parts"]:
        part["path"] = Path(part["path"]).name
        if part["choices"] is not None:  # in order, which JSON objects keep
            part["choices"] = list(part["choices"].items())
    return {"owner": waiting.owner, "project": waiting.project, "upload": upload}


def _read(token: str, folder: Path, values: dict[str, object]) -> Waiting:
    upload = values["upload"]
    if not isinstance(upload, dict):
        raise TypeError(upload)
    parts = []
    for part in upload.pop("parts"):
        path = str(folder / Path(part.pop("path")).name)
        choices = part.pop("choices")
        parts.append(Part(**part, path=path, choices=None if choices is None else dict(choices)))
    owner, project = int(str(values["owner"])), int(str(values["project"]))
    return Waiting(token, folder, owner, project, Upload(**upload, parts=tuple(parts)))


def _write(path: Path, values: dict[str, object]) -> None:
    """Writes a file that others see complete or not at all."""
    partial = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        partial.write_text(json.dumps(values), "utf-8")
        partial.replace(path)
    except OSError as error:
        raise _cannot_write(error) from None


def _cannot_write(error: OSError) -> InputError:
    return InputError(
        message("app.upload-cannot-be-kept", strerror=error.strerror or error),
        hint=message("app.tell-operator"),
    )
