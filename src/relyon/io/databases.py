"""Judging databases named where a file is: `judging.db#June`, `postgresql://USER@HOST/NAME#June`.

What they contain is read by the room that defines them, which is imported when one is named.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

from relyon.core.errors import InputError
from relyon.core.registry import Registry
from relyon.core.texts import message
from relyon.io.byte_source import Source, is_sqlite
from relyon.io.sheet_names import file_and_sheet

if TYPE_CHECKING:
    from relyon.data.judgments import Judgments
    from relyon.data.scale import Scale
    from relyon.data.sheets import Sheet
    from relyon.io.compression import Reader

__all__ = [
    "NAME",
    "Database",
    "DatabaseReader",
    "database_at",
    "file_of",
    "hide_password",
    "hide_passwords",
    "readers",
]

#: The name of the format and of its reader.
NAME = "judging-database"
#: The schemes of URLs of databases, also of those that cannot be judging databases;
#: `postgresql+psycopg` names the driver, too.
SCHEMES = ("postgresql", "postgres", "sqlite", "mysql", "mariadb", "mssql", "oracle")
HIDDEN = "***"


class DatabaseReader(Protocol):
    """Reads the project of a judging database."""

    @property
    def name(self) -> str:
        """The name of the kind of database."""

    def read_judgments(self, source: Database, *, scale: Scale | None = None) -> Judgments:
        """Returns the final grades of a project."""

    def read_sheet(self, source: Database) -> Sheet:
        """Returns the items of a project, with every rating."""


#: The readers of databases by name.
readers: Registry[DatabaseReader] = Registry(
    "format", modules={"relyon.judging.project_reader": NAME}
)


class Database(Source):
    """A project of a judging database, as a source of judgments; nothing is opened yet.

    Args:
        address: The file, or the URL.
        project: The name of the project; empty if the database has only one.

    Attributes:
        address: The address, with its password.
        project: The name of the project, or an empty string.
    """

    __slots__ = ("address", "project")

    def __init__(self, address: str, project: str = "") -> None:
        self.address = address
        self.project = project.strip()
        shown = hide_password(address)
        self.path = f"{shown}#{self.project}" if self.project else shown
        self.format = NAME
        self.head = b""
        self.compression = ""
        self.plain = False
        self.limit = None
        self.workbook = False
        self.synonyms = {}
        self.encoding = None
        self._current = self._kept = self._rest = self._stream = None
        self._parts = None
        self._suffix = ""

    def open(self) -> Reader:
        """Raises the error that a database is not a sequence of bytes."""
        raise InputError(
            message("io.is-database"), path=self.path, hint=message("io.relyon-judge-export-writes")
        )


def database_at(path: str) -> Database | None:
    """Returns the judging database that a path names, or None if it names none.

    The project follows a `#`. A file whose own name contains one takes precedence.

    Raises:
        InputError: If there is a file before the `#`, but it is not a database.

    Examples:
        >>> found = database_at("postgresql://ann:secret@host/judging#June #2")
        >>> found.path, found.project
        ('postgresql://ann:***@host/judging#June #2', 'June #2')
        >>> database_at("judgments.qrels")
    """
    if path.partition("://")[0].partition("+")[0] in SCHEMES and "://" in path:
        return _at_url(path)
    if os.path.isfile(path):
        return Database(path) if is_sqlite(path) else None
    if file_and_sheet(path)[1]:
        return None
    place = path.rfind("#")
    while place > 0:
        file = path[:place]
        if os.path.isfile(file):
            if is_sqlite(file):
                return Database(file, path[place + 1 :])
            raise InputError(
                message("core.there-is-no"),
                path=path,
                hint=message("io.project-belongs-to-database", file=file),
            )
        place = path.rfind("#", 0, place)
    return None


def _at_url(url: str) -> Database:
    scheme, mark, rest = url.partition("://")
    if scheme.startswith("sqlite"):
        found = database_at(rest.removeprefix("/"))
        if found is not None:
            return found
    place = rest.find("#", _end_of_user(rest))
    if place < 0:
        return Database(url)
    return Database(f"{scheme}{mark}{rest[:place]}", rest[place + 1 :])


def _end_of_user(rest: str) -> int:
    """Returns where the user and the password end, which may contain a # and a slash, too."""
    user, at, after = rest.partition("@")
    name, colon, _ = user.partition(":")
    host, slash, _ = after.partition("/")
    plain = not {*"/#"} & {*user}
    odd = colon and slash and not {*"/#"} & {*name} and not {*"#? "} & {*host}
    return len(user) if at and (plain or odd) else 0


def file_of(path: str) -> str:
    """Returns the file of a judging database or workbook that a path names; others as they are.

    Examples:
        >>> file_of("judgments.qrels"), file_of("log.xlsx#June")
        ('judgments.qrels', 'log.xlsx')
    """
    found = None if os.path.isfile(path) else database_at(path)
    return file_and_sheet(path)[0] if found is None else found.address


def hide_password(address: str) -> str:
    """Returns an address with three stars in place of its password.

    Examples:
        >>> hide_password("postgresql://ann:secret@host/judging?sslpassword=secret&port=1")
        'postgresql://ann:***@host/judging?sslpassword=***&port=1'
        >>> hide_password("judging.db")
        'judging.db'
    """
    scheme, mark, rest = address.partition("://")
    if not mark:
        return address
    user, at, host = rest.rpartition("@")
    name, colon, _ = user.partition(":")
    if colon:
        user = f"{name}:{HIDDEN}"
    start, query, settings = host.partition("?")
    shown = "&".join(
        f"{one.partition('=')[0]}={HIDDEN}" if "password" in one.partition("=")[0].lower() else one
        for one in settings.split("&")
    )
    return f"{scheme}{mark}{user}{at}{start}{query}{shown}"


def hide_passwords(text: str) -> str:
    """Returns a text in which no URL shows its password.

    Examples:
        >>> hide_passwords("relyon agree `postgresql://ann:secret@host/judging` a.run")
        'relyon agree `postgresql://ann:***@host/judging` a.run'
    """
    if "://" not in text:
        return text
    import re

    # The colon after a path belongs to the sentence.
    urls = r"\S+://\S+?(?=[`:;,.)]*(?:\s|$))"
    return re.sub(urls, lambda found: hide_password(found[0]), text)
