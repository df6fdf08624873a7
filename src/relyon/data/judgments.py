"""Judgments: who graded which document of which query, and how."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from relyon import _native
from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import Language, message
from relyon.data.source import Noted, path_of

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.evidence import Evidence
    from relyon.data.judged_passages import JudgedPassages
    from relyon.data.scale import Scale

__all__ = ["Judgments"]

K = TypeVar("K")
D = TypeVar("D")


class Judgments(Noted):
    """Grades by query and document: typed, immutable, and read once.

    `relyon.read_judgments` reads them from files; the constructors here take data in memory.

    Judgments may name a subtopic of the query: one grade per document and subtopic, for measures of
    diversity. Other measures take a document's highest grade.

    Attributes:
        table: The native table.
        scale: The grade scale, or None if grades are plain numbers.
        source: The file they came from, or "memory".
        notes: Notes about the data.
        evidence: The evidence behind each grade, or None.
        passages: The passages behind each grade, if documents are chunks, or None.

    Examples:
        >>> judgments = Judgments.from_dict({"q1": {"d1": 3, "d2": 0}, "q2": {"d1": 1}})
        >>> judgments
        Judgments(queries=2, rows=3, source='memory')
        >>> judgments["q1"]
        {'d1': 3.0, 'd2': 0.0}
        >>> "q3" in judgments
        False
        >>> list(judgments)
        ['q1', 'q2']
        >>> diverse = Judgments.from_dict({"q1": {"d1": {"1": 0, "2": 2}, "d2": {"1": 1}}})
        >>> diverse["q1"], diverse.subtopics("q1")["d1"]
        ({'d1': 2.0, 'd2': 1.0}, {'1': 0.0, '2': 2.0})
    """

    __slots__ = ("_evidence", "_names_in", "_passages", "_scale", "_table")

    def __init__(
        self,
        table: _native.JudgmentTable,
        *,
        evidence: Evidence | None = None,
        scale: Scale | None = None,
        source: str = "memory",
        notes: tuple[Note, ...] = (),
        names_in: Language | None = None,
        passages: JudgedPassages | None = None,
    ) -> None:
        self._table = table
        self._passages = passages
        self._evidence = evidence
        self._scale = scale
        self._names_in = names_in
        self._source = source
        if table.duplicates:
            notes = (
                *notes,
                Note("duplicate-judgments", table.duplicates, "warning"),
            )
        self._notes = notes

    @classmethod
    def from_dict(
        cls,
        judgments: Mapping[K, Mapping[D, object]],
        *,
        scale: Scale | str | None = None,
        source: str = "memory",
    ) -> Judgments:
        """Takes {query: {document: grade}}, or {query: {document: {subtopic: grade}}}.

        Args:
            judgments: Ids are text or whole numbers (these count as their decimal text); grades are
                numbers of any kind, or names of the scale. A grade without a subtopic, among others
                with one, counts for the subtopic "0".
            scale: A grade scale or its name.
            source: The name of the data in messages.

        Raises:
            InputError: If an id or a grade cannot be used.

        Examples:
            >>> Judgments.from_dict({301: {"d1": "高"}}, scale="search")["301"]
            {'d1': 3.0}
        """
        from relyon.data.columns import missing, number, parse_grade
        from relyon.data.scale import load_scale

        found = load_scale(scale)
        path = path_of(source)
        names_in = None
        if found is not None:
            written = judgments.values()
            judgments = _named(judgments, found, path)
            names_in = found.language_of(
                grade
                for grades in written
                for one in grades.values()
                for grade in (one.values() if isinstance(one, Mapping) else (one,))
            )
        try:
            table = _native.JudgmentTable.from_dict(judgments)
        except (InputError, TypeError) as error:
            for query, grades in judgments.items():
                if not isinstance(grades, Mapping):
                    raise _not_nested(query, grades, path) from None
                for document, grade in _each_grade(grades):
                    if missing(grade) or number(grade) is None:
                        try:
                            parse_grade(grade, None)
                        except InputError as bad:
                            raise InputError(
                                message(
                                    "core.query-document",
                                    query=query,
                                    document=document,
                                    bad_message=bad.message,
                                ),
                                path=path,
                                hint=bad.hint,
                            ) from None
            if isinstance(error, InputError) and not path:
                raise
            raise InputError(_message(error), path=path) from None
        return cls(table, scale=found, source=source, names_in=names_in)

    @classmethod
    def from_frame(
        cls,
        frame: object,
        columns: Mapping[str, str] | None = None,
        *,
        scale: Scale | str | None = None,
        source: str = "memory",
    ) -> Judgments:
        """Takes any data frame with a query, a document and a grade column.

        Columns `weight`, `low` and `high` are the evidence of the grades.

        Args:
            frame: Polars, pandas, PyArrow, DuckDB, or anything that exports the Arrow PyCapsule
                interface. It is not changed.
            columns: Column names by role, such as `{"grade": "final_rating"}`. Other roles are
                found by the usual names (`qid`, `docid`, `relevance` …).
            scale: A grade scale or its name.
            source: The name of the data in messages.

        Raises:
            InputError: If a column is missing or a row cannot be used.

        Examples:
            >>> import polars as pl
            >>> frame = pl.DataFrame({"qid": [1, 1], "docid": ["a", "b"], "rel": [2, 0]})
            >>> Judgments.from_frame(frame)["1"]
            {'a': 2.0, 'b': 0.0}
        """
        from relyon.data.columns import judgment_table, polars_columns
        from relyon.data.scale import load_scale

        found = load_scale(scale)
        path = path_of(source)
        series = polars_columns(frame, "judgments", columns=columns, path=path)
        table, evidence, notes = judgment_table(series, path=path, scale=found)
        return cls(table, evidence=evidence, scale=found, source=source, notes=notes)

    @classmethod
    def from_arrays(
        cls,
        queries: Iterable[object],
        documents: Iterable[object],
        grades: Iterable[object],
        *,
        scale: Scale | str | None = None,
        weights: Iterable[object] | None = None,
        lows: Iterable[object] | None = None,
        highs: Iterable[object] | None = None,
    ) -> Judgments:
        """Takes sequences or NumPy arrays of equal length, one judgment per position.

        Args:
            queries: The query of each judgment.
            documents: The document of each judgment.
            grades: The grade of each judgment.
            scale: A grade scale or its name.
            weights: How much evidence there is for each grade, in effective impressions.
            lows: The lower bound of each grade's interval.
            highs: The upper bound of each grade's interval.

        Raises:
            InputError: If the lengths differ or a value cannot be used.

        Examples:
            >>> Judgments.from_arrays(["q1", "q1"], [7, 8], [1.0, 0.0]).to_dict()
            {'q1': {'7': 1.0, '8': 0.0}}
            >>> clicked = Judgments.from_arrays(
            ...     ["q1"], ["d1"], [0.4], weights=[120], lows=[0.3], highs=[0.5]
            ... )
            >>> clicked.evidence
            Evidence(weight, low, high)
        """
        from relyon.data.columns import judgment_table, same_length
        from relyon.data.scale import load_scale

        found = load_scale(scale)
        given = {"query": queries, "document": documents, "grade": grades}
        beside = {"weight": weights, "low": lows, "high": highs}
        series = same_length(
            given | {role: values for role, values in beside.items() if values is not None}
        )
        table, evidence, notes = judgment_table(series, scale=found)
        return cls(table, evidence=evidence, scale=found, notes=notes)

    @property
    def table(self) -> _native.JudgmentTable:
        """The native table."""
        return self._table

    @property
    def evidence(self) -> Evidence | None:
        """The evidence behind each grade, or None; measures do not use it."""
        return self._evidence

    def with_about(self, about: Mapping[str, str]) -> Judgments:
        """Returns these judgments with a description of how their grades were derived.

        Args:
            about: Text by name; it becomes `evidence.about`. Without evidence it is dropped.
        """
        from dataclasses import replace

        return Judgments(
            self._table,
            evidence=self._evidence and replace(self._evidence, about=dict(about)),
            scale=self._scale,
            source=self._source,
            notes=self._notes,
            names_in=self._names_in,
            passages=self._passages,
        )

    @property
    def passages(self) -> JudgedPassages | None:
        """The passages behind the grades of chunks, or None if documents are judged as a whole."""
        return self._passages

    @property
    def scale(self) -> Scale | None:
        """The grade scale, or None if grades are plain numbers."""
        return self._scale

    @property
    def names_in(self) -> Language | None:
        """The language of grades written as names, or None for numbers."""
        return self._names_in

    @property
    def queries(self) -> list[str]:
        """The judged queries, in the order in which they first appear."""
        return self._table.queries()

    def keys(self) -> list[str]:
        """The judged queries, as in a dict of dicts; `len` counts rows."""
        return self.queries

    def __iter__(self) -> Iterator[str]:
        """Iterates over the judged queries."""
        return iter(self.queries)

    def __len__(self) -> int:
        """The number of judgments."""
        return self._table.rows

    def __contains__(self, query: object) -> bool:
        return isinstance(query, str | int) and str(query) in self._table

    def __getitem__(self, query: str | int) -> dict[str, float]:
        """The grades of one query by document; KeyError if it has none."""
        return self._table.grades(str(query))

    def to_dict(self) -> dict[str, dict[str, float]]:
        """All grades as {query: {document: grade}}, the highest of a document's subtopics."""
        return {query: self._table.grades(query) for query in self._table.queries()}

    def to_frame(self) -> pl.DataFrame:
        """All grades as a Polars frame with the columns query, document and grade.

        Judgments of subtopics have a column subtopic after the query, and a row for each of them.
        Evidence follows the grade: weight, low and high, null if a grade has none.
        """
        from relyon.data.columns import judgment_rows

        rows = judgment_rows(self._table)
        if self._evidence is None:
            return rows
        import polars as pl

        return rows.with_columns(
            pl.Series(role, values, dtype=pl.Float64).fill_nan(None)
            for role, values in self._evidence.columns.items()
        )

    @property
    def has_subtopics(self) -> bool:
        """Whether a query is judged on more than one subtopic."""
        return self._table.has_subtopics

    def subtopics(self, query: str | int) -> dict[str, dict[str, float]]:
        """The grades of one query by document and subtopic; KeyError if it has none.

        If no query has more than one subtopic, its name is "0".
        """
        found = self._table.subtopics(str(query))
        return found or {
            document: {"0": grade} for document, grade in self._table.grades(str(query)).items()
        }

    def __repr__(self) -> str:
        scale = f", scale={self._scale.name!r}" if self._scale is not None else ""
        return (
            f"Judgments(queries={len(self._table)}, rows={self._table.rows}{scale}, "
            f"source={self._source!r})"
        )


def _named(
    judgments: Mapping[K, Mapping[D, object]], scale: Scale, path: str
) -> dict[K, dict[D, object]]:
    """The same judgments with every grade as a number of the scale."""
    from relyon.data.columns import parse_grade

    known: dict[Hashable, float] = {}

    def parsed(grade: object) -> float:
        if not isinstance(grade, Hashable):  # never the name of a grade
            return parse_grade(grade, scale)
        if grade not in known:
            known[grade] = parse_grade(grade, scale)
        return known[grade]

    result: dict[K, dict[D, object]] = {}
    for query, grades in judgments.items():
        if not isinstance(grades, Mapping):
            raise _not_nested(query, grades, path)
        converted = result[query] = {}
        for document, grade in grades.items():
            try:
                if isinstance(grade, Mapping):
                    converted[document] = {name: parsed(one) for name, one in grade.items()}
                else:
                    converted[document] = parsed(grade)
            except InputError as error:
                raise InputError(
                    message(
                        "data.query-document",
                        query=query,
                        document=document,
                        error_message=error.message,
                    ),
                    path=path,
                    hint=error.hint,
                ) from None
    return result


def _each_grade(grades: Mapping[D, object]) -> Iterator[tuple[D, object]]:
    """Every document with each of its grades."""
    for document, grade in grades.items():
        for one in grade.values() if isinstance(grade, Mapping) else (grade,):
            yield document, one


def _not_nested(query: object, grades: object, path: str) -> InputError:
    return InputError(
        message(
            "data.query-maps-to-name",
            query=query,
            name=type(grades).__name__,
        ),
        path=path,
        hint=message("data.form-is-query"),
    )


def _message(error: Exception) -> str:
    return error.message if isinstance(error, InputError) else str(error)
