"""Chunks: which part of which document each retrieved id is."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, TypeVar

from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.parts import Part
from relyon.data.passage_rows import (
    Faults,
    Rows,
    character_offsets,
    check_offsets,
    other_length,
    part_of_row,
    text_of,
)
from relyon.data.quote_search import SearchedText
from relyon.data.source import Sourced, path_of

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.passage_rows import Offsets

__all__ = ["Chunks"]

K = TypeVar("K")
#: Ids that a note names.
NAMED = 3


class Chunks(Sourced):
    """The chunks of documents: for each id, its document and its place in the document's text.

    Places are in characters (Unicode code points) of the document's text, the end exclusive. Chunks
    may overlap, and need not cover a document.

    `relyon.read_chunks` reads them from files; the constructors here take data in memory.

    Attributes:
        parts: The place of each chunk.
        source: The file they came from, or "memory".
        notes: Notes about the data.

    Examples:
        >>> chunks = Chunks.from_dict({"d1#0": ("d1", 0, 800), "d1#1": ("d1", 700, 1500)})
        >>> chunks
        Chunks(chunks=2, documents=1, source='memory')
        >>> chunks["d1#1"]
        Part(document='d1', start=700, end=1500, found=True)
        >>> chunks.overlapping(Part("d1", 750, 760))
        ['d1#0', 'd1#1']
    """

    def __init__(
        self,
        parts: Mapping[str, Part],
        *,
        source: str = "memory",
        notes: tuple[Note, ...] = (),
    ) -> None:
        self.parts = dict(parts)
        self.source = source
        self.notes = notes

    @classmethod
    def from_dict(
        cls,
        chunks: Mapping[K, Sequence[object]],
        *,
        texts: Mapping[str, str] | None = None,
        offsets: Offsets = "characters",
        similarity: float = 0.9,
        source: str = "memory",
    ) -> Chunks:
        """Takes {chunk: (document, start, end)}, or {chunk: (document, text)} with texts.

        Args:
            chunks: Ids are text or whole numbers. A text is searched in that of its document, from
                the start of the document's chunk before it on: exactly, then with width and white
                space normalised, then nearly (see `relyon.Passages.resolve`).
            texts: The text of each document, by its id.
            offsets: What places count: `characters`; `lf`, characters with the two of a Windows
                line end as one, as in texts that Python reads; bytes of `utf8`, or units of
                `utf16`. All but characters need texts.
            similarity: The lowest similarity of a near place.
            source: The name of the data in messages.

        Raises:
            InputError: If a chunk cannot be used.

        Examples:
            >>> texts = {"d": "One. Two. One."}
            >>> chunks = {"a": ("d", "One."), "b": ("d", "Two."), "c": ("d", "One.")}
            >>> Chunks.from_dict(chunks, texts=texts)["c"]
            Part(document='d', start=10, end=14, found=True)
        """
        rows: Rows = []
        for chunk, given in chunks.items():
            if (
                isinstance(given, str)
                or not isinstance(given, Sequence)
                or len(given) not in (2, 3)
            ):
                raise InputError(
                    message("data.chunk-is-not-place", chunk=chunk),
                    path=path_of(source),
                    hint=message("data.give-place-of-chunk"),
                )
            names = ("document", "text") if len(given) == 2 else ("document", "start", "end")
            rows.append({"chunk": chunk, **dict(zip(names, given, strict=True))})
        return cls._of(rows, texts, offsets, similarity, source, Faults(path_of(source)))

    @classmethod
    def from_frame(
        cls,
        frame: object,
        columns: Mapping[str, str] | None = None,
        *,
        texts: Mapping[str, str] | None = None,
        offsets: Offsets = "characters",
        similarity: float = 0.9,
        source: str = "memory",
        faults: Faults | None = None,
    ) -> Chunks:
        """Takes any data frame with the columns chunk, document, start and end, or text.

        Args:
            frame: Polars, pandas, PyArrow, DuckDB, or anything that exports the Arrow PyCapsule
                interface. It is not changed.
            columns: Column names by role (chunk, document, start, end, text).
            texts: See `from_dict`.
            offsets: See `from_dict`.
            similarity: See `from_dict`.
            source: The name of the data in messages.
            faults: How errors name rows; by default by their number.

        Raises:
            InputError: If a column is missing or a row cannot be used.
        """
        from relyon.data.columns import polars_columns

        path = path_of(source)
        series = polars_columns(frame, "chunks", columns=columns, path=path)
        names, lists = [*series], [one.to_list() for one in series.values()]
        rows: Rows = [dict(zip(names, row, strict=True)) for row in zip(*lists, strict=True)]
        return cls._of(rows, texts, offsets, similarity, source, faults or Faults(path))

    @classmethod
    def _of(
        cls,
        rows: Rows,
        texts: Mapping[str, str] | None,
        offsets: Offsets,
        similarity: float,
        source: str,
        faults: Faults,
    ) -> Chunks:
        check_offsets(offsets, texts, faults.path)
        placing = _Placing(texts, offsets, similarity, faults)
        for number, row in enumerate(rows):
            placing.add(number, row)
        return cls(placing.parts, source=source, notes=placing.notes())

    def __getitem__(self, chunk: str | int) -> Part:
        """The place of a chunk; KeyError if there is none of that id."""
        return self.parts[str(chunk)]

    def __contains__(self, chunk: object) -> bool:
        return isinstance(chunk, str | int) and str(chunk) in self.parts

    def __iter__(self) -> Iterator[str]:
        """Iterates over the ids of the chunks."""
        return iter(self.parts)

    def __len__(self) -> int:
        """The number of chunks."""
        return len(self.parts)

    @property
    def documents(self) -> list[str]:
        """The documents, in the order in which they first appear."""
        return [*dict.fromkeys(part.document for part in self.parts.values())]

    @property
    def unresolved(self) -> list[str]:
        """The chunks whose text was not found in that of their document."""
        return [chunk for chunk, part in self.parts.items() if not part.found]

    def overlapping(self, part: Part) -> list[str]:
        """Returns the chunks that share a character with a part, by their starts."""
        held = self._by_document.get(part.document)
        if held is None or not part.found:
            return []
        found: list[str] = []
        for place in range(bisect_left(held.starts, part.end) - 1, -1, -1):
            if held.reach[place] <= part.start:
                break
            if held.ends[place] > part.start and held.ends[place] > held.starts[place]:
                found.append(held.chunks[place])
        return found[::-1]

    def to_frame(self) -> pl.DataFrame:
        """All chunks as a Polars frame: chunk, document, start, end (null if not found)."""
        import polars as pl

        rows = [
            (chunk, document, start if found else None, end if found else None)
            for chunk, (document, start, end, found) in self.parts.items()
        ]
        kinds = {"chunk": pl.String, "document": pl.String, "start": pl.Int64, "end": pl.Int64}
        return pl.DataFrame(rows, schema=kinds, orient="row")

    @cached_property
    def _by_document(self) -> dict[str, _Sorted]:
        groups: dict[str, list[tuple[int, int, str]]] = {}
        for chunk, (document, start, end, found) in self.parts.items():
            if found:
                groups.setdefault(document, []).append((start, end, chunk))
        return {document: _Sorted.of(sorted(rows)) for document, rows in groups.items()}

    def __repr__(self) -> str:
        return (
            f"Chunks(chunks={len(self)}, documents={len(self.documents)}, source={self.source!r})"
        )


@dataclass(frozen=True)
class _Sorted:
    """The chunks of a document by their starts.

    Attributes:
        starts: Their starts.
        ends: Their ends.
        reach: The highest end up to each of them.
        chunks: Their ids.
    """

    starts: list[int]
    ends: list[int]
    reach: list[int]
    chunks: list[str]

    @classmethod
    def of(cls, rows: list[tuple[int, int, str]]) -> _Sorted:
        ends = [end for _, end, _ in rows]
        return cls(
            [start for start, _, _ in rows],
            ends,
            [*accumulate(ends, max)],
            [row[2] for row in rows],
        )


class _Placing:
    """Finds the places of chunks, one after the other."""

    def __init__(
        self,
        texts: Mapping[str, str] | None,
        offsets: Offsets,
        similarity: float,
        faults: Faults,
    ) -> None:
        self.texts = texts
        self.offsets = offsets
        self.similarity = similarity
        self.faults = faults
        self.parts: dict[str, Part] = {}
        self.near: list[str] = []
        self.lost: list[str] = []
        self.moved: list[str] = []
        self.differing: list[str] = []
        self.reach: dict[str, int] = {}
        self._document, self._searched, self._before = "", SearchedText(""), 0

    def add(self, number: int, row: Mapping[str, object]) -> None:
        chunk = text_of(row, "chunk", number, self.faults)
        document = text_of(row, "document", number, self.faults)
        part = part_of_row(row, document, number, self.faults, row.get("text"))
        if part is None:
            part = self._searched_part(chunk, document, number, row)
        elif self.texts is not None:
            part = character_offsets(part, self.texts, self.offsets, number, self.faults)
            part = self._checked_part(chunk, part, row.get("text"))
        known = self.parts.setdefault(chunk, part)
        if known != part:
            raise self.faults.error(number, message("data.chunk-has-two-places", chunk=chunk))

    def _searched_part(
        self, chunk: str, document: str, number: int, row: Mapping[str, object]
    ) -> Part:
        quote = row.get("text")
        if not isinstance(quote, str):
            raise self.faults.error(
                number,
                message("data.chunk-has-no-place", chunk=chunk),
                message("data.give-place-of-chunk"),
            )
        if self.texts is None:
            raise self.faults.error(
                number,
                message("data.chunk-needs-text", chunk=chunk),
                message("data.give-texts"),
            )
        if not quote:
            return Part(document, 0, 0)
        self._open(document, self.texts.get(document, ""))
        found = self._searched.find(quote, after=self._before, similarity=self.similarity)
        if found is None:
            self.lost.append(chunk)
            return Part(document, 0, len(quote), False)
        if found.how == "nearest":
            self.near.append(chunk)
        self._before = found.start + 1
        return Part(document, found.start, found.end)

    def _checked_part(self, chunk: str, part: Part, own: object) -> Part:
        """Returns the place of a chunk, or the nearest of its own text if that is elsewhere."""
        text = (self.texts or {}).get(part.document)
        if text is None:
            return part
        if not isinstance(own, str) or not own.strip():
            reach = self.reach.get(part.document, 0)
            self.reach[part.document] = max(reach, part.end)
            return part
        held = text[part.start : part.end]
        if held == own or held.split() == own.split():
            return part
        self._open(part.document, text)
        found = self._searched.find(own, near=part.start, similarity=self.similarity)
        if found is None or found.how == "nearest":
            self.differing.append(chunk)
            return part
        if text[min(part.start, found.start) : max(part.start, found.start)].strip():
            self.moved.append(chunk)  # else its text begins without the blanks that the place has
        return Part(part.document, found.start, found.end)

    def _open(self, document: str, text: str) -> None:
        if document != self._document:
            self._document, self._before = document, 0
            self._searched = SearchedText(text)

    def _line_ends(self) -> tuple[list[str], list[str]]:
        """Returns the documents whose chunks may count, and that surely count, `\\r\\n` as one."""
        if self.texts is None or self.offsets != "characters":
            return [], []
        doubtful: list[str] = []
        sure: list[str] = []
        for document, reach in self.reach.items():
            text = self.texts[document]
            other = other_length(text)
            if other is not None and reach != len(text):
                (sure if reach == other else doubtful).append(document)
        return doubtful, sure

    def notes(self) -> tuple[Note, ...]:
        doubtful, sure = self._line_ends()
        found = (
            ("chunks-count-line-ends-once", sure, "warning"),
            ("windows-line-ends", doubtful, "info"),
            ("chunks-moved", self.moved, "warning"),
            ("chunks-differ", self.differing, "warning"),
            ("chunks-not-found", self.lost, "warning"),
            ("chunks-found-nearly", self.near, "info"),
        )
        return tuple(
            Note(
                kind,
                len(chunks),
                level,  # type: ignore[arg-type]
                tuple(chunks[:NAMED]),
                {"similarity": self.similarity, "of": len(self.parts)},
            )
            for kind, chunks, level in found
            if chunks
        )
