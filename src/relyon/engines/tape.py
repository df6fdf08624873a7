"""Tapes: every request's key and answer, so that a search can be repeated without its engine.

A tape is JSON Lines: a head, then documents and entries, then an end with a checksum. While a
search runs, its tape is a journal without an end, to which every answer is added as it comes.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

import msgspec

from relyon.core.errors import InputError, ParseError
from relyon.core.texts import message
from relyon.engines.entry import Entry, sorted_json
from relyon.engines.template import Scalar
from relyon.io.atomic_files import open_replaced

__all__ = ["Head", "Tape", "parse_line", "read_tape", "write_tape"]

VERSION = 1


class Head(msgspec.Struct, kw_only=True):
    """The first line of a tape: what was asked.

    Attributes:
        tape: The version of the format.
        engine: The name of the engine.
        kind: Its kind.
        address: Where it is, without user, password or key.
        recipe: The fingerprint of its templates and paths, k and whether scores are explained.
        k: How many results each request asked for.
        explain: Whether explanations of scores were asked for.
        variants: The parameters of each variant.
        queries: The fingerprint of the queries.
        started: When the first request was sent, in seconds since 1970.
    """

    tape: int = VERSION
    engine: str
    kind: str
    address: str
    recipe: str
    k: int
    explain: bool
    variants: dict[str, dict[str, Scalar]]
    queries: str
    started: float

    def same(self, other: Head) -> bool:
        """Returns whether both ask the same engine for the same."""
        mine, theirs = msgspec.structs.asdict(self), msgspec.structs.asdict(other)
        return {**mine, "started": 0} == {**theirs, "started": 0}


class _Document(msgspec.Struct):
    document: str
    fields: dict[str, str]


class _End(msgspec.Struct):
    end: int
    sha256: str


_HEAD = msgspec.json.Decoder(Head)
_ENTRY = msgspec.json.Decoder(Entry)
_DOCUMENT = msgspec.json.Decoder(_Document)
_END = msgspec.json.Decoder(_End)


@dataclass
class Tape:
    """A tape, read.

    Attributes:
        head: What was asked.
        entries: What became of each request, by its key.
        documents: The fields of every document, as first seen.
        whole: Whether it has its end: a journal has none.
        checksum: The checksum of the answers: two tapes with the same one have the same answers.
        path: The file.
    """

    head: Head
    entries: dict[str, Entry] = field(default_factory=dict)
    documents: dict[str, dict[str, str]] = field(default_factory=dict)
    whole: bool = False
    checksum: str = ""
    path: str = ""


def document_line(id: str, fields: Mapping[str, str]) -> bytes:
    """Returns the line of a document."""
    return msgspec.json.encode({"document": id, "fields": dict(fields)}) + b"\n"


def entry_line(entry: Entry) -> bytes:
    """Returns the line of an entry."""
    return msgspec.json.encode(entry) + b"\n"


def head_line(head: Head) -> bytes:
    """Returns the first line."""
    return msgspec.json.encode(head) + b"\n"


def write_tape(path: str, tape: Tape, keys: Iterable[str] | None = None) -> None:
    """Writes a tape: the file appears once it is complete.

    The same answers give the same bytes after the head and but for times: entries are in the order
    of their requests, and every document is written before the first answer with it.

    Args:
        path: The file.
        tape: The tape.
        keys: The keys of the entries to write, in order; by default all.

    Raises:
        InputError: If it cannot be written.
    """
    with open_replaced(path) as file:
        digest = hashlib.sha256()

        def put(line: bytes) -> None:
            digest.update(line)
            file.write(line)

        put(head_line(tape.head))
        count = 0
        seen: set[str] = set()
        for key in tape.entries if keys is None else keys:
            entry = tape.entries[key]
            for id in entry.ids:
                if id not in seen:
                    seen.add(id)
                    if id in tape.documents:
                        put(document_line(id, tape.documents[id]))
            put(entry_line(entry))
            count += 1
        end = _End(count, digest.hexdigest())
        file.write(msgspec.json.encode(end) + b"\n")


def read_tape(path: str | os.PathLike[str]) -> Tape:
    """Reads a tape.

    Raises:
        InputError: If it cannot be read, has no end, or was changed.
        ParseError: If a line is not one of a tape.
    """
    tape = read_lines(path)
    if not tape.whole:
        raise InputError(
            message("engines.tape-has-no-end"),
            path=tape.path,
            hint=message("engines.finish-tape"),
        )
    return tape


def read_lines(path: str | os.PathLike[str]) -> Tape:
    """Reads a tape or journal; a last line that was cut off is left out.

    Raises:
        InputError: If it cannot be read, or was changed.
        ParseError: If a line is not one of a tape.
    """
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            return _read(file, name)
    except OSError as error:
        raise InputError(
            message("core.cannot-be-read-strerror", strerror=error.strerror or error), path=name
        ) from None


def _read(file: BinaryIO, name: str) -> Tape:
    first = file.readline()
    try:
        head = _HEAD.decode(first)
    except msgspec.DecodeError:
        raise InputError(
            message("engines.is-no-tape"), path=name, hint=message("engines.record-tape")
        ) from None
    if head.tape > VERSION:
        raise InputError(message("engines.tape-is-newer", version=head.tape), path=name)
    tape = Tape(head, path=name)
    digest = hashlib.sha256(first)
    for number, line in _whole_lines(file):
        if tape.whole:
            raise ParseError(message("engines.line-after-end"), path=name, line=number)
        found = parse_line(line, name, number)
        if isinstance(found, Entry):
            tape.entries[found.key] = found
        elif isinstance(found, _Document):
            tape.documents.setdefault(found.document, found.fields)
        else:
            if found.sha256 != digest.hexdigest() or found.end != len(tape.entries):
                raise InputError(
                    message("engines.tape-was-changed"),
                    path=name,
                    hint=message("engines.record-tape-again"),
                )
            tape.whole = True
        digest.update(line)
    tape.checksum = answers_checksum(tape.entries.values())
    return tape


def answers_checksum(entries: Iterable[Entry]) -> str:
    """Returns the fingerprint of answers: keys, documents and scores, but no times."""
    digest = hashlib.sha256()
    for entry in sorted(entries, key=lambda one: one.key):
        digest.update(sorted_json([entry.key, entry.ids, entry.scores, entry.failed]))
    return digest.hexdigest()[:32]


def _whole_lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yields lines with their numbers; one that was cut off by a crash is left out."""
    for number, line in enumerate(file, 2):
        if line.endswith(b"\n"):
            yield number, line


def parse_line(line: bytes, path: str, number: int) -> Entry | _Document | _End:
    """Returns what a line after the head contains.

    Raises:
        ParseError: If it is not one of a tape.
    """
    try:
        if line.startswith(b'{"key"'):
            return _ENTRY.decode(line)
        if line.startswith(b'{"document"'):
            return _DOCUMENT.decode(line)
        return _END.decode(line)
    except msgspec.DecodeError as error:
        raise ParseError(
            message("engines.line-is-none-of-tape", problem=error), path=path, line=number
        ) from None
