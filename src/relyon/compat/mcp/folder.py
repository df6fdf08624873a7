"""The files of one folder, and nothing else: what an agent names is checked, then copied."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass

from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message

__all__ = ["MOST_BYTES", "MOST_FILES", "MOST_TOGETHER", "Folder"]

#: The largest file that is read, in bytes.
MOST_BYTES = 1 << 30
#: What all files of one call may have together, in bytes.
MOST_TOGETHER = 4 << 30
#: Files that a listing visits at most.
MOST_FILES = 10_000
LONGEST_NAME = 1024
CHUNK = 1 << 20
#: Opening must not wait for a pipe, follow a link, or hand the file to child processes.
READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
READ |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
BELOW = os.open in os.supports_dir_fd


@dataclass(frozen=True)
class Folder:
    """One folder: names are relative to it, and no name leads out of it.

    Absolute paths, `..`, addresses (`http://…`, `postgresql://…`, `judging.db#June`), `-`, hidden
    names (`.env`, `.git/config`), devices, pipes and links out of the folder are refused. A file is
    opened part by part without following links, after links within the folder were resolved, and
    copied before it is read: what is checked is what is read, also if somebody swaps files
    meanwhile.

    Attributes:
        root: The real path of the folder.
    """

    root: str

    @classmethod
    def of(cls, path: str) -> Folder:
        """Returns the folder at a path.

        Raises:
            InputError: If it is not a folder.
        """
        root = os.path.realpath(path)
        if not os.path.isdir(root):
            raise InputError(
                message("compat.mcp-not-folder"), path=path, hint=message("compat.mcp-name-folder")
            )
        return cls(root)

    def parts(self, name: str) -> list[str]:
        """Returns the parts of a name.

        Raises:
            ParameterError: If the name could lead out of the folder.
        """
        plain = name.replace("\\", "/")
        parts = [one for one in plain.split("/") if one not in {"", "."}]
        outside = (
            not parts
            or "-" in parts  # standard input, also as ./-
            or len(name) > LONGEST_NAME
            or plain.startswith(("/", "~"))
            or any(one.startswith(".") for one in parts)  # .. and hidden ones
            or any(ord(one) < 32 or "\ud800" <= one <= "\udfff" for one in name)
            or any(sign in name for sign in (":", "#", "*", "?", "\\"))
        )
        if outside:
            raise ParameterError(
                message("compat.mcp-name-leaves-folder", name=name),
                hint=message("compat.mcp-give-relative-name"),
            )
        return parts

    def contains(self, path: str) -> bool:
        """Returns whether a path, with links resolved, is the folder or below it."""
        real = os.path.realpath(path)
        return real == self.root or real.startswith(self.root.rstrip(os.sep) + os.sep)

    def real(self, name: str) -> list[str]:
        """Returns the parts of a file's real path below the folder.

        Raises:
            ParameterError: If the name leads out of the folder, also by a link.
        """
        parts = self.parts(name)
        path = os.path.realpath(os.path.join(self.root, *parts))
        if not self.contains(path) or path == self.root:
            raise ParameterError(
                message("compat.mcp-link-leaves-folder", name=name),
                hint=message("compat.mcp-give-relative-name"),
            )
        return os.path.relpath(path, self.root).split(os.sep)

    def open(self, name: str) -> int:
        """Returns the descriptor of a regular file.

        Raises:
            ParameterError: If the name leads out of the folder.
            InputError: If it is not a regular file that can be read.
        """
        parts = self.real(name)
        try:
            found = _open_below(self.root, parts)
        except OSError as error:
            kind = "core.there-is-no" if isinstance(error, FileNotFoundError) else None
            said = message(kind or "core.cannot-be-read-strerror", strerror=error.strerror or error)
            raise InputError(said, path=name, hint=message("compat.mcp-list-files")) from None
        about = os.fstat(found)
        if not stat.S_ISREG(about.st_mode):
            os.close(found)
            raise InputError(message("compat.mcp-not-file"), path=name)
        return found

    def copy(self, name: str, to: str, most: int = MOST_BYTES) -> int:
        """Copies a file below another folder, under the same name, and returns its size.

        Args:
            name: The name of the file.
            to: The other folder.
            most: The most bytes.

        Raises:
            ParameterError: If the name leads out of the folder.
            InputError: If it is not a regular file that can be read, or it is too large.
        """
        target = os.path.join(to, *self.parts(name))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        source = self.open(name)
        size = 0
        with open(source, "rb") as read, open(target, "wb") as write:
            while chunk := read.read(CHUNK):
                size += len(chunk)
                if size > most:
                    raise InputError(
                        message("compat.mcp-file-too-large", most=max(most >> 20, 1)), path=name
                    )
                write.write(chunk)
        return size

    def plain(self, name: str) -> str:
        """Returns a name without `.` and doubled slashes."""
        return "/".join(self.parts(name))

    def write(self, name: str, data: bytes) -> None:
        """Writes a new file; the folder that it is in must exist.

        Raises:
            ParameterError: If the name leads out of the folder.
            InputError: If the file exists or cannot be written.
        """
        parts = self.real(name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | (READ & ~os.O_RDONLY)
        try:
            found = _open_below(self.root, parts, flags)
        except OSError as error:
            raise InputError(
                message("compat.mcp-not-written", reason=error.strerror or error), path=name
            ) from None
        with open(found, "wb") as file:
            file.write(data)

    def files(self) -> Iterator[tuple[str, int]]:
        """Returns names and sizes of the regular files that can be named, in order of names."""
        visited = 0
        waiting = [""]  # folders, the next one last: os.walk recurses, and folders may be very deep
        while waiting:
            place = waiting.pop()
            try:
                with os.scandir(os.path.join(self.root, place)) as found:
                    entries = sorted(found, key=lambda one: one.name)
            except OSError:  # it vanished, or may not be read
                continue
            inner = []
            for entry in entries:
                visited += 1
                if visited > MOST_FILES:
                    return
                name = f"{place}/{entry.name}" if place else entry.name
                if not self._is_name(name):
                    continue
                try:
                    about = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                if stat.S_ISDIR(about.st_mode):
                    inner.append(name)
                elif stat.S_ISREG(about.st_mode):
                    yield name, about.st_size
            waiting += reversed(inner)

    def _is_name(self, name: str) -> bool:
        try:
            return bool(self.parts(name))
        except ParameterError:
            return False


def _open_below(root: str, parts: list[str], flags: int = READ) -> int:
    """Opens a file below a folder, part by part, following no link."""
    if not BELOW:
        return os.open(os.path.join(root, *parts), flags, 0o600)
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(parts[-1], flags, 0o600, dir_fd=folder)
    finally:
        os.close(folder)
