"""TREC qrels and runs: columns separated by white space, read by native code.

Qrels have four columns (query, iteration or subtopic, document, grade), runs six (query, Q0,
document, rank, score, tag). Lines that begin with `#` are comments. The second column of qrels
names subtopics where it differs within a query; `Q0` means the same as `0`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, BinaryIO, ClassVar

from relyon import _native
from relyon.core.errors import InputError, ParameterError, ParseError
from relyon.core.texts import Language, message
from relyon.data.rank_order import rank_notes
from relyon.io.byte_source import Source
from relyon.io.compression import Reader
from relyon.io.format import Format, first_lines, formats
from relyon.io.line_numbers import encoding_named
from relyon.io.numbers import number_text
from relyon.io.sheets import SheetFormat

if TYPE_CHECKING:
    from relyon.core.notes import Note
    from relyon.data.judgments import Judgments
    from relyon.data.run import Run
    from relyon.data.scale import Scale
    from relyon.data.sheets import Sheet
    from relyon.io.spaced_ids import Naming

__all__ = ["Trec", "check_kind"]

#: The columns of a run that say how its results are ordered.
PLACES = {"query": 0, "rank": 3, "score": 4}

_QUERIES_AT_ONCE = 16  # at most a few megabytes of text, for lists of usual length


class Trec(SheetFormat):
    """Qrels and runs in trec_eval's format."""

    name: ClassVar[str] = "trec"
    title: ClassVar[str] = "a TREC qrels file"
    suffix: ClassVar[str] = ".qrels"
    steady: ClassVar[bool] = True
    names_ids: ClassVar[bool] = True
    keeps: ClassVar[frozenset[str]] = frozenset({"query_id", "final"})
    aliases: ClassVar[tuple[str, ...]] = ("qrels", "qrel")
    suffixes: ClassVar[tuple[str, ...]] = (".qrels", ".qrel", ".run", ".trec")
    weak_suffixes: ClassVar[tuple[str, ...]] = (".txt",)

    def recognises(self, head: bytes) -> bool:
        """Whether there are four columns with a number last, or more with a number fifth."""
        lines = first_lines(head)
        if not lines:
            return False
        fields = lines[0].split()
        if len(fields) < 4 or fields[1].startswith(b"qid:") or fields[0].startswith((b"{", b"[")):
            return False
        if fields[0] == b"query" and b"label" in fields[1:3]:
            return False  # headings of features, whose names may be numbers
        value = fields[3] if len(fields) == 4 else fields[4]
        return _is_number(value)

    def run_tag(self, head: bytes) -> str:
        fields = b"".join(first_lines(head)).split(None, 5)
        return fields[5].decode("utf-8", "replace").rstrip() if len(fields) == 6 else ""

    def read_judgments(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
    ) -> Judgments:
        """Reads qrels; with a scale, grades may be the names of its levels."""
        from relyon.data.judgments import Judgments

        _no_columns(columns)
        check_kind(source, "judgments")
        with encoding_named(source):
            if scale is None:
                return Judgments(_judgment_table(source), source=source.path)
            table, names_in = _scaled_table(source, scale)
        return Judgments(table, scale=scale, source=source.path, names_in=names_in)

    def read_sheet(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
    ) -> Sheet:
        """Reads qrels as items; the grades are final, the highest over subtopics."""
        return Format.read_sheet(self, source, columns=columns, scale=scale)

    def parts(self, sheet: Sheet) -> Iterator[str]:
        """Yields one line per item with a final grade."""
        names = _naming(sheet)
        for row in sheet.rows:
            if row.final is not None:
                query, document = names.queries[row.item.query], names.documents[row.item.document]
                yield f"{query} 0 {document} {number_text(row.final)}\n"

    def tables(self, sheet: Sheet, *, made: Iterable[str] = ()) -> dict[str, str]:
        """Returns the tables of new ids of queries and documents."""
        return _naming(sheet).tables(sheet, made=made)

    def read_run(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        name: str | None = None,
    ) -> Run:
        """Reads a run."""
        from relyon.data.run import Run

        _no_columns(columns)
        check_kind(source, "run")
        with encoding_named(source):
            if source.plain:
                table = _native.RunTable.from_text(source.path)
            else:
                reader = source.open()
                try:
                    table = _native.RunTable.from_chunks(reader.read, source.path)
                finally:
                    reader.close()
        notes = rank_notes(source.head, PLACES)
        return Run(table, name=name, source=source.path, notes=notes)

    def stream_run(
        self,
        source: Source,
        judgments: _native.JudgmentTable,
        plan: _native.Plan,
        threads: int = 0,
    ) -> tuple[_native.Batch, tuple[Note, ...]]:
        """Streams a run; if its queries are not grouped, native code reads it whole."""
        check_kind(source, "run")
        if source.plain:
            with encoding_named(source):
                batch = _native.evaluate_text(judgments, plan, source.path, threads)
            return batch, rank_notes(source.head, PLACES)
        with encoding_named(source), source, ExitStack() as readers:

            def again() -> Callable[[int], bytes]:
                reader = source.open()
                readers.callback(reader.close)
                return reader.read

            once = source.waiting
            batch = _native.evaluate_chunks(
                judgments, plan, source.read, source.path, None if once else again, threads
            )
        return batch, rank_notes(source.head, PLACES)

    def write_judgments(self, judgments: Judgments, stream: BinaryIO) -> None:
        """Writes qrels; whole grades have no fraction.

        Raises:
            InputError: If an id cannot be written because it contains white space.
        """
        for query in judgments.queries:
            lines = []
            _check_id(query, "query")
            for document, grades in judgments.subtopics(query).items():
                _check_id(document, "document")
                for subtopic, grade in grades.items():
                    _check_id(subtopic, "subtopic")
                    lines.append(f"{query} {subtopic} {document} {number_text(grade)}\n")
            stream.write("".join(lines).encode())

    def write_run(self, run: Run, stream: BinaryIO) -> None:
        """Writes a run: rows as they are if it has ranks, else by decreasing score from rank 1.

        Raises:
            InputError: If an id cannot be written because it contains white space.
        """
        tag = "_".join((run.tag or run.name).split()) or "relyon"
        for first in range(0, len(run.table), _QUERIES_AT_ONCE):
            stream.write(run.table.to_text(first=first, count=_QUERIES_AT_ONCE, tag=tag))


def check_kind(source: Source, kind: str) -> None:
    """Refuses a run where judgments are expected, and vice versa.

    Args:
        source: A TREC file.
        kind: "judgments" or "run".

    Raises:
        ParseError: If the first line has the columns of the other kind, or ids have white space.
    """
    lines = first_lines(source.head)
    if not lines:
        return
    if kind == "run":
        _refuse_spaced_ids(source)
    fields = lines[0].split()
    runlike = len(fields) >= 5 and _is_number(fields[4])
    judgmentlike = len(fields) == 4 and _is_number(fields[3])
    if (kind == "judgments" and runlike) or (kind == "run" and judgmentlike):
        shown = lines[0].decode("utf-8", "replace").strip()[:80]
        wanted, found = (
            ("judgments (query, iteration, document, grade)", "a run")
            if kind == "judgments"
            else ("a run (query, Q0, document, rank, score, tag)", "judgments")
        )
        raise ParseError(
            message(
                "io.expected-wanted",
                wanted=wanted,
                count=len(fields),
                shown=shown,
            ),
            path=source.path,
            line=_line_of(source.head, lines[0]),
            hint=message("io.this-looks-like", found=found),
        )


def _refuse_spaced_ids(source: Source) -> None:
    """Refuses a run with white space in ids: the rank would be taken for the score.

    Only the start of the file is looked at. A tag may have white space.

    Raises:
        ParseError: At a line whose fourth column is not a number, and whose next two are.
    """
    head = source.head.removeprefix(b"\xef\xbb\xbf")
    for number, line in enumerate(head.splitlines(), 1):
        fields = line.split(None, 6)
        if len(fields) < 6 or fields[3] == b"-" or line.startswith(b"#") or _is_number(fields[3]):
            continue
        if fields[4].isdigit() and _is_number(fields[5]):
            document = b" ".join(fields[2:4]).decode("utf-8", "replace")
            raise ParseError(
                message("io.id-has-spaces", document=document),
                path=source.path,
                line=number,
                hint=message("io.write-ids-with-spaces-otherwise"),
            )


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return b"_" not in text


def _line_of(head: bytes, line: bytes) -> int:
    lines = head.removeprefix(b"\xef\xbb\xbf").splitlines()
    return lines.index(line) + 1


def _naming(sheet: Sheet) -> Naming:
    from relyon.io.spaced_ids import name_sheet, starts_line

    return name_sheet(sheet, stands=starts_line)


def _judgment_table(source: Source) -> _native.JudgmentTable:
    if source.plain:
        return _native.JudgmentTable.from_text(source.path)
    reader = source.open()
    try:
        return _native.JudgmentTable.from_chunks(reader.read, source.path)
    finally:
        reader.close()


def _scaled_table(source: Source, scale: Scale) -> tuple[_native.JudgmentTable, Language | None]:
    """Reads qrels whose grades may be names: fast if they are numbers of the scale.

    Returns:
        The table, and the language of the names.
    """
    if source.plain:
        try:
            table = _native.JudgmentTable.from_text(source.path)
        except ParseError:
            table = None
        if table is not None:
            known = scale.gains
            if not known or all(grade < 0 or grade in known for grade in _grades(table)):
                return table, None
    reader = source.open()
    try:
        renamed = _Renamed(reader, scale, source)
        table = _native.JudgmentTable.from_chunks(renamed.read, source.path)
        return table, renamed.names_in
    finally:
        reader.close()


def _grades(table: _native.JudgmentTable) -> set[float]:
    if not table.has_subtopics:
        return set(table.columns()[2])
    judged = (table.subtopics(query).values() for query in table.queries())
    return {grade for documents in judged for one in documents for grade in one.values()}


class _Renamed:
    """Qrels with the names of grades replaced by their numbers, line by line."""

    def __init__(self, reader: Reader, scale: Scale, source: Source) -> None:
        self._lines = _lines(reader)
        self._scale = scale
        self._path = source.path
        self._known: dict[bytes, bytes] = {}
        self._number = 0
        self._rest = b""

    @property
    def names_in(self) -> Language | None:
        """The language of the names so far."""
        return self._scale.language_of(one.decode("utf-8", "replace") for one in self._known)

    def read(self, size: int) -> bytes:
        parts = [self._rest]
        length = len(self._rest)
        while length < size:
            line = next(self._lines, None)
            if line is None:
                break
            parts.append(self._renamed(line))
            length += len(parts[-1])
        data = b"".join(parts)
        self._rest = data[size:]
        return data[:size]

    def _renamed(self, line: bytes) -> bytes:
        self._number += 1
        fields = line.split()
        if len(fields) != 4 or fields[0].startswith(b"#"):
            return line
        text = fields[3]
        if text not in self._known:
            try:
                grade = self._scale.parse(text.decode("utf-8", "replace"))
            except InputError as error:
                raise ParseError(
                    error.message, path=self._path, line=self._number, hint=error.hint
                ) from None
            self._known[text] = number_text(grade).encode() if math.isfinite(grade) else text
        fields[3] = self._known[text]
        return b" ".join(fields) + b"\n"


def _lines(reader: Reader) -> Iterator[bytes]:
    rest = b""
    while chunk := reader.read(1 << 20):
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()
        for line in lines:
            yield line + b"\n"
    if rest:
        yield rest


def _no_columns(columns: Mapping[str, str] | None) -> None:
    if columns:
        raise ParameterError(
            message("io.trec-files-have-no"), hint=message("io.leave-columns-out-or-name")
        )


def _check_id(text: str, role: str) -> None:
    if not text or text.split() != [text] or (role == "query" and text.startswith("#")):
        raise InputError(
            message("io.id-cannot-be-written", role=role, text=text),
            hint=message("io.ids-with-white-space"),
        )


formats.register(Trec())
