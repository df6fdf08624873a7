"""The lines of a tape by key: kept as they are written, and decoded when they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

import msgspec

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.engines.tapes.entry import Entry

__all__ = ["UNREADABLE", "Documents", "Entries"]

#: What is raised by a line of another form, of other characters than UTF-8, or nested too deeply.
UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


class _Document(msgspec.Struct):
    document: str
    fields: dict[str, str]


class _Named(msgspec.Struct):
    document: str


T = TypeVar("T")

_ENTRY = msgspec.json.Decoder(Entry)
_DOCUMENT = msgspec.json.Decoder(_Document)
_NAMED = msgspec.json.Decoder(_Named)


def _decoded(decoder: msgspec.json.Decoder[T], line: bytes) -> T:
    try:
        return decoder.decode(line)
    except UNREADABLE as error:
        raise InputError(message("engines.line-is-none-of-tape", problem=error)) from None


class Entries(Mapping[str, Entry]):
    """The entries of a tape by key: a line of each in memory, not its documents and scores.

    Args:
        content: Lines.

    Examples:
        >>> entries = Entries.of([Entry(key="0" * 32, variant="base", query="q1", ids=["d1"])])
        >>> entries["0" * 32].ids
        ['d1']
    """

    #: What a line starts with; the key, of 32 letters and digits, follows.
    START = b'{"key":"'
    _KEY = slice(len(START), len(START) + 32)

    def __init__(self, content: bytes = b"") -> None:
        lines = content.split(b"\n")[:-1]
        self._lines = {line[self._KEY].decode("ascii", "replace"): line for line in lines}

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Entries:
        """Returns entries by their keys."""
        found = cls()
        for one in entries:
            found.put(one)
        return found

    def put(self, entry: Entry) -> bytes:
        """Adds an entry, and returns its line."""
        line = msgspec.json.encode(entry)
        self._lines[entry.key] = line
        return line + b"\n"

    def add(self, line: bytes) -> None:
        """Adds a line.

        Raises:
            UNREADABLE: If it is not one of an entry.
        """
        self._lines[_ENTRY.decode(line).key] = line.rstrip(b"\n")

    def lines(self, keys: Iterable[str]) -> Iterator[bytes]:
        """Yields the lines of some entries."""
        return (self._lines[key] + b"\n" for key in keys)

    def named(self, variants: Mapping[str, str]) -> Entries:
        """Returns some entries, under the names that their variants have now.

        Args:
            variants: The name of the variant of each key.
        """
        found = Entries()
        parts = {one: b'"variant":' + msgspec.json.encode(one) for one in {*variants.values()}}
        for key, name in variants.items():
            line = self._lines[key]
            if not line.startswith(parts[name], self._KEY.stop + 2):
                line = msgspec.json.encode(msgspec.structs.replace(self[key], variant=name))
            found._lines[key] = line
        return found

    def __getitem__(self, key: str) -> Entry:
        return _decoded(_ENTRY, self._lines[key])

    def __contains__(self, key: object) -> bool:
        return key in self._lines

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


class Documents(Mapping[str, Mapping[str, str]]):
    """The fields of a tape's documents by id: a line of each in memory, read when first asked for.

    Args:
        content: Lines.

    Examples:
        >>> documents = Documents()
        >>> documents.put("d1", {"title": "Red shoes"})[0]
        b'{"document":"d1","fields":{"title":"Red shoes"}}\\n'
        >>> documents["d1"]
        {'title': 'Red shoes'}
    """

    def __init__(self, content: bytes = b"") -> None:
        self._unread = content
        self._known: dict[str, bytes] = {}

    @classmethod
    def of(cls, documents: Mapping[str, Mapping[str, str]]) -> Documents:
        """Returns documents by their ids."""
        found = cls()
        for id, fields in documents.items():
            found.put(id, fields)
        return found

    def put(self, id: str, fields: Mapping[str, str]) -> tuple[bytes, Mapping[str, str] | None]:
        """Adds the fields of a document.

        Engines give fields that depend on the query, such as passages. The first form in the order
        of bytes is kept, so that a tape does not depend on which answer came first.

        Returns:
            Its line, or an empty one if it adds nothing; and its earlier fields, if they differ.
        """
        line = msgspec.json.encode(_Document(id, dict(fields)))
        known = self._read().get(id)
        if known == line:
            return b"", None
        earlier = None if known is None else _DOCUMENT.decode(known).fields
        if known is not None and known < line:
            return b"", earlier
        self._known[id] = line
        return line + b"\n", earlier

    def add(self, line: bytes) -> None:
        """Adds a line.

        Raises:
            UNREADABLE: If it is not one of a document.
        """
        one = _DOCUMENT.decode(line)
        self.put(one.document, one.fields)

    def lines(self, ids: Iterable[str]) -> Iterator[bytes]:
        """Yields the lines of some documents; those without fields have none."""
        known = self._read()
        return (known[id] + b"\n" for id in ids if id in known)

    def _read(self) -> dict[str, bytes]:
        if self._unread:
            lines = self._unread.split(b"\n")[:-1]
            self._unread = b""
            self._known = {_decoded(_NAMED, line).document: line for line in lines}
        return self._known

    def __getitem__(self, id: str) -> Mapping[str, str]:
        return _decoded(_DOCUMENT, self._read()[id]).fields

    def __contains__(self, id: object) -> bool:
        return id in self._read()

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())
