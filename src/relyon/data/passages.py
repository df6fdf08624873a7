"""Judgments of passages: parts of documents, by their place or by a quote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeVar

from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note
from relyon.core.parameters import check_type
from relyon.core.texts import message
from relyon.data.parts import Part
from relyon.data.passage_rows import (
    Faults,
    Passage,
    Rows,
    character_offsets,
    check_offsets,
    passage_of_row,
)
from relyon.data.quote_search import SearchedText
from relyon.data.source import Sourced, path_of

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.chunks import Chunks
    from relyon.data.judgments import Judgments
    from relyon.data.passage_rows import Offsets
    from relyon.data.scale import Scale

__all__ = ["FIELDS", "Passages", "check_similarity"]

K = TypeVar("K")
#: The fields of a passage in files and dicts.
FIELDS = ("document", "start", "end", "quote", "grade", "passage")
#: Passages that a note names.
NAMED = 3


class Passages(Sourced):
    """Judged passages: for each query, parts of documents with their grades.

    A place is in characters (Unicode code points) of the document's text, counted from 0, the end
    exclusive. In place of offsets a passage can have a quote, which `resolve` finds in the texts.
    Judgments of passages do not depend on how texts are cut: with the table of chunks behind a run,
    `judgments` makes of them what `relyon.evaluate` and all other functions take.

    `relyon.read_passages` reads them from files; the constructors here take data in memory.

    Attributes:
        passages: The passages, in their order.
        scale: The grade scale, or None if grades are plain numbers.
        source: The file they came from, or "memory".
        notes: Notes about the data.

    Examples:
        >>> passages = Passages.from_dict({"q": [{"document": "d", "quote": "within 30 days"}]})
        >>> found = passages.resolve({"d": "Returns are free within 30 days."})
        >>> found.passages[0].part
        Part(document='d', start=17, end=31, found=True)
    """

    def __init__(
        self,
        passages: Iterable[Passage],
        *,
        scale: Scale | None = None,
        source: str = "memory",
        notes: tuple[Note, ...] = (),
    ) -> None:
        self.passages = tuple(passages)
        self.scale = scale
        self.source = source
        self.notes = notes

    @classmethod
    def from_dict(
        cls,
        passages: Mapping[K, Iterable[Mapping[str, object] | Sequence[object]]],
        *,
        scale: Scale | str | None = None,
        source: str = "memory",
    ) -> Passages:
        """Takes {query: [passage, …]}.

        Args:
            passages: A passage is (document, start, end) or (document, start, end, grade), or a
                dict with `document`, `start` and `end` or `quote`, and perhaps `grade` and
                `passage`, its name within the query. Without a grade it has the grade 1. With
                offsets and a quote, `resolve` searches the quote and takes the place nearest to
                the offsets.
            scale: A grade scale or its name.
            source: The name of the data in messages.

        Raises:
            InputError: If a passage cannot be used.

        Examples:
            >>> Passages.from_dict({"q1": [("d1", 0, 120), ("d2", 40, 75, 2)]})
            Passages(queries=1, passages=2, source='memory')
        """
        path = path_of(source)
        rows: Rows = []
        for query, group in passages.items():
            if isinstance(group, str | Mapping) or not isinstance(group, Iterable):
                raise _no_passage(query, group, path)
            for one in group:
                if isinstance(one, Mapping):
                    unknown = [name for name in one if name not in FIELDS]
                    if unknown:
                        raise InputError(
                            message("data.passage-has-field", query=query, name=unknown[0]),
                            path=path,
                            hint=message("data.fields-of-passages", names=list(FIELDS)),
                        )
                    rows.append({"query": query, **one})
                elif (
                    isinstance(one, str) or not isinstance(one, Sequence) or len(one) not in (3, 4)
                ):
                    raise _no_passage(query, one, path)
                else:
                    names = ("document", "start", "end", "grade")
                    rows.append({"query": query, **dict(zip(names, one, strict=False))})
        return cls._of(rows, scale, source, Faults(path))

    @classmethod
    def from_frame(
        cls,
        frame: object,
        columns: Mapping[str, str] | None = None,
        *,
        scale: Scale | str | None = None,
        source: str = "memory",
        faults: Faults | None = None,
    ) -> Passages:
        """Takes any data frame with the columns query, document, and start and end, or quote.

        Args:
            frame: Polars, pandas, PyArrow, DuckDB, or anything that exports the Arrow PyCapsule
                interface. It is not changed.
            columns: Column names by role: query, document, start, end, quote, grade, passage. Other
                roles are found by the usual names.
            scale: A grade scale or its name.
            source: The name of the data in messages.
            faults: How errors name rows; by default by their number.

        Raises:
            InputError: If a column is missing or a row cannot be used.
        """
        from relyon.data.columns import polars_columns

        path = path_of(source)
        series = polars_columns(frame, "passages", columns=columns, path=path)
        if "quote" not in series and not {"start", "end"} <= {*series}:
            raise InputError(
                message("data.passages-have-no-place"),
                path=path,
                hint=message("data.give-place-of-passage"),
            )
        names, lists = [*series], [one.to_list() for one in series.values()]
        rows: Rows = [dict(zip(names, row, strict=True)) for row in zip(*lists, strict=True)]
        return cls._of(rows, scale, source, faults or Faults(path))

    @classmethod
    def _of(cls, rows: Rows, scale: Scale | str | None, source: str, faults: Faults) -> Passages:
        from relyon.data.scale import load_scale

        chosen = load_scale(scale)
        kept: dict[tuple[object, ...], tuple[Passage, int]] = {}
        names: dict[tuple[str, str], int] = {}
        repeated = 0
        for number, row in enumerate(rows):
            one = passage_of_row(row, chosen, number, faults)
            key = one.query, one.part, one.quote
            known, first = kept.setdefault(key, (one, number))
            if first != number:
                if known.grade != one.grade:
                    raise faults.error(
                        number,
                        message("data.passage-judged-twice", passage=one.shown, first=first + 1),
                    )
                repeated += 1
                continue
            if one.name and names.setdefault((one.query, one.name), number) != number:
                raise faults.error(
                    number,
                    message("data.passage-name-twice", query=one.query, name=one.name),
                    message("data.leave-names-out"),
                )
        found = (Note("duplicate-passages", repeated, "warning"),) if repeated else ()
        passages = [one for one, _ in kept.values()]
        return cls(passages, scale=chosen, source=source, notes=found)

    def resolve(
        self,
        texts: Mapping[str, str],
        *,
        similarity: float = 0.9,
        offsets: Offsets = "characters",
    ) -> Passages:
        """Finds quotes in the texts of documents, and checks or converts offsets.

        A quote is searched as it is; then with width and white space normalised (Unicode's NFKC,
        one blank per run of white space, none beside East Asian characters); then at the place of
        the lowest edit distance, if the similarity, 1 - edits / characters of the quote, is high
        enough. Of several equally good places the first counts, or the one nearest to `start` if
        the passage has one, too. What is not found is listed in `unresolved`, and counts as a
        passage that no chunk contains.

        Args:
            texts: The text of each document, by its id.
            similarity: The lowest similarity, above 0 and at most 1; 1 refuses near places.
            offsets: What starts and ends count: `characters`; `lf`, characters with the two of a
                Windows line end as one, as in texts that Python reads; bytes of `utf8`, or units of
                `utf16`, as in JavaScript and Java.

        Raises:
            InputError: If a place is not in its text.
            ParameterError: If the similarity is not above 0 and at most 1.

        Examples:
            >>> passages = Passages.from_dict({"q": [{"document": "d", "quote": "30 Tagen"}]})
            >>> passages.resolve({"d": "within 30 days"}).unresolved["passage"].to_list()
            ['30 Tagen']
        """
        check_similarity(similarity)
        path = path_of(self.source)
        check_offsets(offsets, texts, path)
        faults = Faults(path)
        searched: dict[str, SearchedText] = {}
        found: list[Passage] = []
        moved: list[Passage] = []
        blind: dict[str, None] = {}
        for number, one in enumerate(self.passages):
            document, text = one.part.document, texts.get(one.part.document)
            near = one.part.start if one.part.found else None
            if one.part.found and text is not None:
                part = character_offsets(one.part, texts, offsets, number, faults)
                near = part.start
                if not one.quote and offsets == "characters" and "\r\n" in text:
                    blind[document] = None
                if not one.quote or text[part.start : part.end] == one.quote:
                    found.append(replace(one, part=part))
                    continue
            elif one.part.found:
                part = character_offsets(one.part, texts, offsets, number, faults)
                found.append(replace(one, part=part))
                continue
            if text is None:
                lost = Part(document, 0, len(one.quote), False)
                found.append(replace(one, part=lost, resolution="not found", similarity=0.0))
                continue
            if document not in searched:
                searched[document] = SearchedText(text)
            found.append(_searched(one, searched[document], near, similarity))
            if near not in (None, found[-1].part.start) and found[-1].part.found:
                moved.append(found[-1])
        notes = (*self.notes, *_notes(found, similarity, texts))
        if moved:
            notes += (Note("passages-moved", len(moved), "info", _shown(moved)),)
        if blind:
            notes += (Note("windows-line-ends", len(blind), "info", tuple(blind)[:NAMED]),)
        return Passages(found, scale=self.scale, source=self.source, notes=notes)

    def judgments(self, chunks: Chunks, *, share: float = 0.5) -> Judgments:
        """Returns judgments of chunks, which keep the passages behind them.

        Measures of passages (`char_recall`, `span_ndcg` …) use the passages. For all others a chunk
        has the highest grade of the passages of which it contains at least `share`, and these are
        its subtopics. A passage of which no chunk contains enough counts as one relevant document
        that is never retrieved, named `passage:` and its name. Chunks without a passage are
        unjudged.

        Args:
            chunks: The chunks of the run.
            share: The share of a passage's characters that a chunk must contain, from above 0 to 1.

        Raises:
            InputError: If quotes have not been searched.
            ParameterError: If the share is not above 0 and at most 1.

        Examples:
            >>> from relyon import Chunks
            >>> passages = Passages.from_dict({"q": [("d", 10, 30, 2)]})
            >>> passages.judgments(Chunks.from_dict({"a": ("d", 0, 25), "b": ("d", 25, 50)}))["q"]
            {'a': 2.0}
        """
        from relyon.data.chunk_judgments import chunk_judgments

        return chunk_judgments(
            self.passages,
            chunks,
            share,
            scale=self.scale,
            source=self.source,
            notes=self.notes,
        )

    @property
    def queries(self) -> list[str]:
        """The judged queries, in the order in which they first appear."""
        return [*dict.fromkeys(one.query for one in self.passages)]

    def __len__(self) -> int:
        """The number of passages."""
        return len(self.passages)

    def __iter__(self) -> Iterator[Passage]:
        return iter(self.passages)

    @property
    def unresolved(self) -> pl.DataFrame:
        """The passages without a place, as a frame: query, document, passage, resolution."""
        import polars as pl

        rows = [
            (one.query, one.part.document, one.quote, one.resolution)
            for one in self.passages
            if not one.part.found
        ]
        names = ("query", "document", "passage", "resolution")
        return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")

    def to_frame(self) -> pl.DataFrame:
        """All passages as a Polars frame: query, document, start, end, grade, passage, quote.

        After `resolve` it also says how each place is known: resolution, similarity, places.
        """
        import polars as pl

        rows = [
            (
                one.query,
                one.part.document,
                one.part.start if one.part.found else None,
                one.part.end if one.part.found else None,
                one.grade,
                one.name,
                one.quote,
                one.resolution,
                one.similarity,
                one.places,
            )
            for one in self.passages
        ]
        kinds = {"query": pl.String, "document": pl.String, "start": pl.Int64, "end": pl.Int64}
        more = {"grade": pl.Float64, "passage": pl.String, "quote": pl.String}
        last = {"resolution": pl.String, "similarity": pl.Float64, "places": pl.Int64}
        return pl.DataFrame(rows, schema={**kinds, **more, **last}, orient="row")

    def __repr__(self) -> str:
        return (
            f"Passages(queries={len(self.queries)}, passages={len(self)}, source={self.source!r})"
        )


def check_similarity(similarity: float) -> None:
    """Refuses a similarity that is not above 0 and at most 1.

    Raises:
        ParameterError: If it is not.
    """
    check_type("similarity", similarity, (int, float), "a number")
    if not 0 < similarity <= 1:
        raise ParameterError(message("data.parameter-similarity", similarity=similarity))


def _searched(one: Passage, text: SearchedText, near: int | None, similarity: float) -> Passage:
    found = text.find(one.quote, near=near, similarity=similarity)
    if found is None:
        lost = Part(one.part.document, 0, len(one.quote), False)
        return replace(one, part=lost, resolution="not found", similarity=0.0)
    return replace(
        one,
        part=Part(one.part.document, found.start, found.end),
        resolution=found.how,
        similarity=found.similarity,
        places=1 if near is not None else found.places,
    )


def _notes(
    passages: Sequence[Passage], similarity: float, texts: Mapping[str, str]
) -> tuple[Note, ...]:
    lost = [one for one in passages if one.resolution == "not found" and one.part.document in texts]
    without = [one for one in passages if not one.part.found and one.part.document not in texts]
    near = [one for one in passages if one.resolution == "nearest"]
    several = [one for one in passages if one.places > 1]
    values: dict[str, object] = {"similarity": similarity, "of": len(passages)}
    lowest = min((one.similarity for one in near), default=1.0)
    others = [*dict.fromkeys(one.part.document for one in without)]
    kinds = (
        Note(
            "passages-without-text",
            len(without),
            "warning",
            tuple(others[:NAMED]),
            {"of": len(passages), "known": _alike(others[0], texts) if without else ""},
        ),
        Note("passages-not-found", len(lost), "warning", _shown(lost), values),
        Note("passages-found-nearly", len(near), "info", _shown(near), {"lowest": lowest}),
        Note("passages-in-several-places", len(several), "warning", _shown(several)),
    )
    return tuple(note for note in kinds if note.count)


def _alike(document: str, texts: Mapping[str, str]) -> str:
    """Returns the id of a text that could be the document's, or any."""
    last = PurePosixPath(document).stem
    return next((one for one in texts if PurePosixPath(one).stem == last), next(iter(texts), ""))


def _shown(passages: Sequence[Passage]) -> tuple[str, ...]:
    return tuple(one.shown for one in passages[:NAMED])


def _no_passage(query: object, given: object, path: str) -> InputError:
    return InputError(
        message("data.is-not-passage", query=query, name=type(given).__name__),
        path=path,
        hint=message("data.form-of-passages"),
    )
