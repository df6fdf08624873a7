"""Judgments and runs in any of ir_measures' forms, and TREC files."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from os import PathLike, fspath
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from relyon.compat.ir_measures.records import Qrel, ScoredDoc
from relyon.core.errors import InputError, ParseError
from relyon.core.packages import optional_package
from relyon.core.texts import message

if TYPE_CHECKING:
    import pandas

__all__ = ["QrelsConverter", "RunConverter", "read_trec_qrels", "read_trec_run"]

Source = str | PathLike[str] | IO[str]
Record = TypeVar("Record", Qrel, ScoredDoc)


def read_trec_qrels(file: Source) -> Iterator[Qrel]:
    """Yields the judgments of a TREC file.

    Args:
        file: A path (`.gz` too), an open file, or the text itself if it contains a line break.

    Raises:
        ParseError: If a line does not have four columns, or its grade is not a whole number.

    Examples:
        >>> list(read_trec_qrels("q1 0 d1 2\\n"))
        [Qrel(query_id='q1', doc_id='d1', relevance=2, iteration='0')]
    """
    for number, columns in _rows(file, 4, "query, iteration, document, grade"):
        try:
            grade = int(columns[3])
        except ValueError:
            raise ParseError(
                message("compat.not-whole-number", columns=columns[3]),
                path=_title(file),
                line=number,
            ) from None
        yield Qrel(columns[0], columns[2], grade, columns[1])


def read_trec_run(file: Source) -> Iterator[ScoredDoc]:
    """Yields the documents of a TREC run.

    Args:
        file: A path (`.gz` too), an open file, or the text itself if it contains a line break.

    Raises:
        ParseError: If a line does not have six columns, or its score is not a number.

    Examples:
        >>> list(read_trec_run("q1 Q0 d1 1 2.5 mine\\n"))
        [ScoredDoc(query_id='q1', doc_id='d1', score=2.5)]
    """
    for number, columns in _rows(file, 6, "query, Q0, document, rank, score, run"):
        try:
            score = float(columns[4])
        except ValueError:
            raise ParseError(
                message("compat.not-number", columns=columns[4]),
                path=_title(file),
                line=number,
            ) from None
        yield ScoredDoc(columns[0], columns[2], score)


def _title(file: Source) -> str:
    if isinstance(file, str) and "\n" in file:
        return "text"
    if isinstance(file, str | PathLike):
        return fspath(file)
    return str(getattr(file, "name", "text"))


def _rows(file: Source, count: int, names: str) -> Iterator[tuple[int, list[str]]]:
    with _opened(file) as lines:
        for number, line in enumerate(lines, 1):
            columns = line.split()
            if not columns:
                continue
            if len(columns) != count:
                raise ParseError(
                    message(
                        "compat.expected-columns",
                        count=count,
                        names=names,
                        count_2=len(columns),
                        line=line.strip()[:80],
                    ),
                    path=_title(file),
                    line=number,
                )
            yield number, columns


@contextmanager
def _opened(file: Source) -> Iterator[Iterable[str]]:
    if not isinstance(file, str | PathLike):
        yield file
    elif isinstance(file, str) and "\n" in file:
        yield io.StringIO(file)
    elif fspath(file).endswith(".gz"):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            yield lines
    else:
        with open(file, encoding="utf-8") as lines:
            yield lines


class _Converter(Generic[Record]):
    """Converts a source into every form; iterables are read once, on demand.

    Args:
        source: {query: {document: number}}, a data frame, or named tuples.
        strict: Whether a data frame must have all columns.
    """

    kind: ClassVar[str]
    record: type[Record]
    fields: ClassVar[tuple[str, ...]]

    def __init__(self, source: object, strict: bool = True) -> None:
        self._source: Any = source
        self.strict = strict

    def predict_type(self) -> tuple[str, str | None]:
        """Returns the form of the source, and the reason if it is unknown."""
        source = self._source
        if isinstance(source, dict):
            return "dict_of_dict", None
        if hasattr(source, "itertuples"):
            columns = list(source.columns)
            missing = [name for name in self.fields if name not in columns]
            if missing and self.strict:
                return "UNKNOWN", f"DataFrame missing columns: {missing} (found {columns})"
            return "pd_dataframe", None
        if not hasattr(source, "__iter__"):
            return "UNKNOWN", (
                "unexpected format; please provide either: (1) an iterable of namedtuples (fields"
                f" {self.fields}, e.g., from ir_measures.{self.record.__name__}); (2) a pandas"
                f" DataFrame with columns {self.fields}; or (3) a dict-of-dict"
            )
        rows = iter(source)
        first = next(rows, None)
        if first is not None and rows is source:
            self._source = chain([first], rows)
        if first is None:
            return "namedtuple_iter", None
        found = getattr(first, "_fields", None)
        if not isinstance(first, tuple) or found is None:
            return "UNKNOWN", "iterable not a namedtuple iterator"
        missing = [name for name in self.fields if name not in found]
        if missing:
            return "UNKNOWN", f"namedtuple iter missing fields: {missing} (found {list(found)})"
        return "namedtuple_iter", None

    def _checked(self) -> str:
        kind, error = self.predict_type()
        if error is not None:
            raise InputError(message("compat.unknown-format", kind=self.kind, error=error))
        return kind

    def as_dict_of_dict(self) -> dict[str, dict[str, Any]]:
        """Returns {query: {document: number}}; the last one of a repeated document counts.

        Raises:
            InputError: If the source is in none of the forms.
        """
        nested: dict[str, dict[str, Any]] = {}
        if self._checked() == "dict_of_dict":
            nested.update(self._source)
            return nested
        for query, document, number in self._triples():
            nested.setdefault(query, {})[document] = number
        return nested

    def _triples(self) -> Iterable[tuple[str, str, float]]:
        if self._checked() == "pd_dataframe":
            return zip(*(self._source[name] for name in self.fields), strict=True)
        return ((row[0], row[1], row[2]) for row in self.as_namedtuple_iter())

    def as_namedtuple_iter(self) -> Iterator[Record]:
        """Yields named tuples.

        Raises:
            InputError: If the source is in none of the forms.
        """
        kind = self._checked()
        if kind == "namedtuple_iter":
            yield from self._source
        elif kind == "dict_of_dict":
            for query, documents in self._source.items():
                for document, number in documents.items():
                    yield self.record(query, document, number)
        else:
            columns = list(self.fields)
            if "iteration" in self.record._fields and "iteration" in self._source.columns:
                columns.append("iteration")
            for row in zip(*(self._source[name] for name in columns), strict=True):
                yield self.record(*row)

    def as_pd_dataframe(self) -> pandas.DataFrame:
        """Returns a pandas data frame.

        Raises:
            DependencyError: If pandas is not installed.
            InputError: If the source is in none of the forms.
        """
        if self._checked() == "pd_dataframe":
            frame: pandas.DataFrame = self._source
            if "iteration" in self.record._fields and "iteration" not in frame.columns:
                frame = frame.assign(iteration=["0"] * len(frame))
            return frame
        pandas = optional_package("pandas", purpose=message("compat.data-frame"))
        return pandas.DataFrame(list(self.as_namedtuple_iter()), columns=list(self.record._fields))

    @contextmanager
    def as_tmp_file(self) -> Iterator[IO[str]]:
        """Writes the source into a temporary TREC file, and yields it."""
        with NamedTemporaryFile(mode="w+t", encoding="utf-8") as file:
            file.writelines(self._lines())
            file.flush()
            file.seek(0)
            yield file

    def _lines(self) -> Iterator[str]:
        raise NotImplementedError


class QrelsConverter(_Converter[Qrel]):
    """Judgments in every form.

    Examples:
        >>> QrelsConverter([Qrel("q", "d", 1)]).as_dict_of_dict()
        {'q': {'d': 1}}
    """

    kind = "qrels"
    record = Qrel
    fields = ("query_id", "doc_id", "relevance")

    def __init__(self, qrels: object, strict: bool = True) -> None:
        super().__init__(qrels, strict)

    @property
    def qrels(self) -> object:
        """The source."""
        return self._source

    def tee(self, count: int) -> list[QrelsConverter]:
        """Returns converters that can each be read once."""
        if self.predict_type()[0] == "namedtuple_iter":
            self._source = list(self._source)
        return [QrelsConverter(self._source, self.strict) for _ in range(count)]

    def _lines(self) -> Iterator[str]:
        for row in self.as_namedtuple_iter():
            yield f"{row.query_id} 0 {row.doc_id} {row.relevance}\n"


class RunConverter(_Converter[ScoredDoc]):
    """A run in every form.

    Examples:
        >>> RunConverter([ScoredDoc("q", "d", 0.5)]).as_dict_of_dict()
        {'q': {'d': 0.5}}
    """

    kind = "run"
    record = ScoredDoc
    fields = ScoredDoc._fields

    def __init__(self, run: object, strict: bool = True) -> None:
        super().__init__(run, strict)

    @property
    def run(self) -> object:
        """The source."""
        return self._source

    def tee(self, count: int) -> list[RunConverter]:
        """Returns converters that can each be read once."""
        if self.predict_type()[0] == "namedtuple_iter":
            self._source = list(self._source)
        return [RunConverter(self._source, self.strict) for _ in range(count)]

    def as_sorteddict(self) -> dict[str, list[ScoredDoc]]:
        """Returns {query: documents, best score first}."""
        found: dict[str, list[ScoredDoc]] = {}
        for row in self.as_namedtuple_iter():
            found.setdefault(row.query_id, []).append(row)
        for rows in found.values():
            rows.sort(key=lambda row: row.score, reverse=True)
        return found

    def as_sorted_namedtuple_iter(self) -> Iterator[ScoredDoc]:
        """Yields the documents query by query, best score first."""
        for rows in self.as_sorteddict().values():
            yield from rows

    def _lines(self) -> Iterator[str]:
        ranks: dict[str, int] = {}
        for row in self.as_namedtuple_iter():
            rank = ranks[row.query_id] = ranks.get(row.query_id, -1) + 1
            yield f"{row.query_id} Q0 {row.doc_id} {rank} {row.score} run\n"
