"""Tapes: every request's key and answer, so that a search can be repeated without its engine.

A tape is JSON Lines: a head, the queries, the documents, an entry per request, and an end with a
checksum. While a search runs, its tape is a journal without an end, to which every answer is added
as it comes.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import msgspec

from relyon.core.errors import InputError, ParseError
from relyon.core.texts import message
from relyon.engines.asked import Query
from relyon.engines.files.template import Scalar
from relyon.engines.tapes.entry import Entry, sorted_json
from relyon.engines.tapes.tape_lines import UNREADABLE, Documents, Entries
from relyon.io.atomic_files import open_replaced
from relyon.io.tapes import has_tape, tape_beside

__all__ = [
    "Head",
    "Tape",
    "answers_checksum",
    "head_lines",
    "read_journal",
    "read_tape",
    "write_tape",
]

VERSION = 1


class Head(msgspec.Struct, kw_only=True):
    """The first line of a tape: what was asked.

    Attributes:
        tape: The version of the format.
        engine: The name of the engine.
        kind: Its kind.
        address: Where it is, without user, password or key.
        recipe: The fingerprint of its templates and paths, k and whether scores are explained.
        templates: Its templates and paths.
        k: How many results each request asked for.
        explain: Whether explanations of scores were asked for.
        variants: The parameters of each variant.
        queries: The fingerprint of the queries: ids, texts and columns, in order.
        started: When the first request was sent, in seconds since 1970.
        query_ids: The fingerprint of the queries' ids, which judgments of the same queries have in
            `Results.inputs.queries`; tapes of earlier versions have none.
    """

    tape: int = VERSION
    engine: str
    kind: str
    address: str
    recipe: str
    templates: object = None
    k: int
    explain: bool
    variants: dict[str, dict[str, Scalar]]
    queries: str
    started: float
    query_ids: str = ""

    def same(self, other: Head) -> bool:
        """Returns whether both ask the same engine for the same."""
        mine, theirs = msgspec.structs.asdict(self), msgspec.structs.asdict(other)
        other_than_asked = {"started": 0, "query_ids": ""}  # `queries` covers the ids
        return {**mine, **other_than_asked} == {**theirs, **other_than_asked}


class _Query(msgspec.Struct, omit_defaults=True):
    query: str
    text: str
    values: dict[str, Scalar] = {}


class _End(msgspec.Struct):
    end: int
    sha256: str


_HEAD = msgspec.json.Decoder(Head)
_QUERY = msgspec.json.Decoder(_Query)
_END = msgspec.json.Decoder(_End)


@dataclass
class Tape:
    """A tape, read.

    Attributes:
        head: What was asked.
        queries: The queries, by id.
        entries: What became of each request, by its key.
        documents: The fields of every document, by id.
        path: The file.
    """

    head: Head
    queries: dict[str, Query] = field(default_factory=dict)
    entries: Entries = field(default_factory=Entries)
    documents: Documents = field(default_factory=Documents)
    path: str = ""

    @property
    def checksum(self) -> str:
        """The checksum of the answers: two tapes with the same one have the same answers.

        It covers keys, documents, scores and refusals, but no times, fields or names.
        """
        return answers_checksum(self.entries.values())


def answers_checksum(entries: Iterable[Entry]) -> str:
    """Returns the checksum of answers, see `Tape.checksum`."""
    digest = hashlib.sha256()
    for one in sorted(entries, key=lambda entry: entry.key):
        digest.update(sorted_json([one.key, one.ids, one.scores, one.failed]))
    return digest.hexdigest()[:32]


def head_lines(head: Head, queries: Iterable[Query]) -> bytes:
    """Returns the first lines: what was asked."""
    found = [msgspec.json.encode(head)]
    for one in queries:
        found.append(msgspec.json.encode(_Query(one.id, one.text, dict(one.values))))
    return b"\n".join(found) + b"\n"


def write_tape(path: str, tape: Tape, keys: Iterable[str] | None = None) -> None:
    """Writes a tape: the file appears once it is complete.

    The same answers give the same bytes after the head and but for times, regardless of which came
    first: entries are in the order of their requests, documents in that of the answers.

    Args:
        path: The file.
        tape: The tape.
        keys: The keys of the entries to write, in order; by default all.

    Raises:
        InputError: If it cannot be written.
    """
    chosen = list(tape.entries if keys is None else keys)
    variants: dict[str, dict[str, Scalar]] = {}
    names: dict[str, None] = {}
    documents: dict[str, None] = {}
    for key in chosen:  # one at a time: all of them would take several times a tape's memory
        entry = tape.entries[key]
        variants[entry.variant] = tape.head.variants.get(entry.variant, {})
        names[entry.query] = None
        documents.update((id, None) for id in entry.ids if id in tape.documents)
    queries = [tape.queries[id] for id in names if id in tape.queries]
    with open_replaced(path) as file:
        digest = hashlib.sha256()
        for part in (
            [head_lines(msgspec.structs.replace(tape.head, variants=variants), queries)],
            tape.documents.lines(documents),
            tape.entries.lines(chosen),
        ):
            for line in part:
                digest.update(line)
                file.write(line)
        file.write(msgspec.json.encode(_End(len(chosen), digest.hexdigest())) + b"\n")


def read_tape(path: str | os.PathLike[str]) -> Tape:
    """Reads a tape.

    Raises:
        InputError: If it cannot be read, is no tape, has no end, or was changed.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> import relyon
        >>> with TemporaryDirectory() as folder:
        ...     found = relyon.search(
        ...         lambda query, k: ["d1", "d2"], ["red"], k=2, record=f"{folder}/tape.jsonl"
        ...     )
        ...     tape = read_tape(f"{folder}/tape.jsonl")
        >>> [(entry.query, entry.ids) for entry in tape.entries.values()]
        [('red', ['d1', 'd2'])]
    """
    name = os.fspath(path)
    content = _content(name)
    start = content.rfind(b"\n", 0, len(content) - 1) + 1
    with ThreadPoolExecutor(1) as beside:
        digest = beside.submit(lambda: hashlib.sha256(memoryview(content)[:start]).hexdigest())
        return _checked(content, start, name, digest)


def _checked(content: bytes, start: int, name: str, digest: Future[str]) -> Tape:
    """Returns the tape of a file's bytes.

    Args:
        content: All bytes.
        start: Where their last line starts.
        name: The file.
        digest: The checksum of what is before it, which is computed meanwhile.

    Raises:
        InputError: If it is no tape, has no end, or was changed.
    """
    tape, rest = _start(content, name)
    if not content.startswith(b'{"end"', start) or not content.endswith(b"\n"):
        raise InputError(
            message("engines.tape-has-no-end"), path=name, hint=message("engines.finish-tape")
        )
    end = _end(content, start, name)
    # With the right checksum it is as `write_tape` made it: documents first, then entries.
    entries = content.find(b"\n" + Entries.START, rest - 1, start) + 1 or start
    whole = replace(
        tape, entries=Entries(content[entries:start]), documents=Documents(content[rest:entries])
    )
    if end.sha256 != digest.result():
        raise InputError(
            message("engines.tape-was-changed"),
            path=name,
            hint=message("engines.record-tape-again"),
        )
    return whole


def _end(content: bytes, start: int, path: str) -> _End:
    try:
        return _END.decode(content[start:])
    except UNREADABLE as error:
        raise _bad_line(error, path, content.count(b"\n")) from None


def read_journal(path: str) -> tuple[Tape | None, int]:
    """Returns the tape of a search that was cut off, and how many bytes of the file are whole.

    None if even its first line was cut off.

    Raises:
        InputError: If it cannot be read, or is no journal.
        ParseError: If a line is not one of a tape.
    """
    content = _content(path)
    whole = content.rfind(b"\n") + 1
    if not whole:
        return None, 0
    tape, start = _start(content[:whole], path)
    number = content.count(b"\n", 0, start)
    while start < whole:
        number += 1
        end = content.index(b"\n", start) + 1
        line = content[start:end]
        lines = tape.entries if line.startswith(Entries.START) else tape.documents
        try:
            lines.add(line)
        except UNREADABLE as error:
            raise _bad_line(error, path, number) from None
        start = end
    return tape, whole


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise InputError(message("core.there-is-no"), path=path) from None
    except OSError as error:
        raise InputError(
            message("core.cannot-be-read-strerror", strerror=error.strerror or error), path=path
        ) from None


def _start(content: bytes, path: str) -> tuple[Tape, int]:
    """Returns a tape with its head and queries, and where its other lines start."""
    end = content.find(b"\n") + 1
    try:
        head = _HEAD.decode(content[:end])
    except UNREADABLE:
        hint = message("engines.record-tape")
        if has_tape(path):
            hint = message("engines.tape-is-beside", tape=tape_beside(path))
        raise InputError(message("engines.is-no-tape"), path=path, hint=hint) from None
    if head.tape > VERSION:
        raise InputError(message("engines.tape-is-newer", version=head.tape), path=path)
    queries: dict[str, Query] = {}
    number = 1
    while content.startswith(b'{"query"', end):
        start, end = end, content.index(b"\n", end) + 1
        number += 1
        try:
            found = _QUERY.decode(content[start:end])
        except UNREADABLE as error:
            raise _bad_line(error, path, number) from None
        queries[found.query] = Query(found.query, found.text, found.values)
    return Tape(head, queries, path=path), end


def _bad_line(error: Exception, path: str, number: int) -> ParseError:
    return ParseError(
        message("engines.line-is-none-of-tape", problem=error), path=path, line=number
    )
