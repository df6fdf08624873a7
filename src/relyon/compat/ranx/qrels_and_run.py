"""ranx's `Qrels` and `Run`."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Self, TypeVar

from relyon import io
from relyon.compat.ranx.files import get_file_kind, read_json, read_lz4, write_lz4
from relyon.core.errors import InputError, ParameterError
from relyon.core.packages import optional_package
from relyon.core.texts import message
from relyon.data.judgments import Judgments
from relyon.data.row_index import with_index_columns
from relyon.data.run import Run as RelyonRun

if TYPE_CHECKING:
    import numpy as np
    import pandas
    from narwhals.typing import IntoDataFrame
    from numpy.typing import NDArray

__all__ = ["Qrels", "Run"]

Number = TypeVar("Number", int, float)


class _Table(Generic[Number]):
    """Shared by `Qrels` and `Run`: {query: {document: number}}, queries ordered by id."""

    def __init__(
        self, data: Mapping[str, Mapping[str, float]] | None = None, name: str | None = None
    ) -> None:
        self.name = name
        self._data: dict[str, dict[str, Number]] = {}
        self._queries: list[str] | None = None
        self._in_order = False
        #: Whether queries and documents are in order; not after adding a score, as in ranx.
        self.sorted = data is not None
        for query, numbers in (data or {}).items():
            self._data[query] = {key: self._number(value) for key, value in numbers.items()}

    @staticmethod
    def _number(value: float) -> Number:
        raise NotImplementedError

    def _changed(self, *, sorted: bool) -> None:
        self._queries = None
        self._in_order = False
        self.sorted = sorted

    def _ordered(self) -> dict[str, dict[str, Number]]:
        """Returns the data, sorted if necessary: only now, as many callers never look."""
        if self.sorted and not self._in_order:
            self.sort()
        return self._data

    def keys(self) -> list[str]:
        """Returns the query ids in order."""
        return list(self.get_query_ids())

    def get_query_ids(self) -> list[str]:
        """Returns the query ids in order."""
        if self._queries is None:
            self._queries = sorted(self._data)
        return self._queries

    def get_doc_ids_and_scores(self) -> list[dict[str, Number]]:
        """Returns documents and numbers of every query, in the order of the query ids."""
        return [self[query] for query in self.get_query_ids()]

    def add_score(self, q_id: str, doc_id: str, score: float) -> None:
        """Adds or replaces one document's number."""
        self._data.setdefault(q_id, {})[doc_id] = self._number(score)
        self._changed(sorted=False)

    def add(self, q_id: str, doc_ids: Sequence[str], scores: Sequence[float]) -> None:
        """Adds or replaces one query with its documents.

        Raises:
            InputError: If there are not as many scores as documents.
        """
        if len(doc_ids) != len(scores):
            raise InputError(
                message(
                    "compat.query-has-documents",
                    q_id=q_id,
                    count=len(doc_ids),
                    count_2=len(scores),
                )
            )
        self._data[q_id] = {
            document: self._number(score) for document, score in zip(doc_ids, scores, strict=True)
        }
        self._changed(sorted=True)

    def add_multi(
        self,
        q_ids: Sequence[str],
        doc_ids: Sequence[Sequence[str]],
        scores: Sequence[Sequence[float]],
    ) -> None:
        """Adds several queries with their documents."""
        for query, documents, numbers in zip(q_ids, doc_ids, scores, strict=True):
            self.add(query, documents, numbers)

    def sort(self) -> None:
        """Sorts queries by id and documents by number, the highest first."""
        self._data = {query: self[query] for query in self.get_query_ids()}
        self._in_order = self.sorted = True

    def to_typed_list(self) -> list[NDArray[np.float64]]:
        """Returns an array of (document, number) rows per query, the highest first.

        Documents are hashes of their ids, as in ranx; the list is Python's own.
        """
        import numpy as np

        return [
            np.array(
                [(float(hash(key) >> 11), value) for key, value in self[query].items()]
            ).reshape(-1, 2)
            for query in self.get_query_ids()
        ]

    def to_dict(self) -> dict[str, dict[str, Number]]:
        """Returns {query: {document: number}}, the highest number first."""
        return {query: self[query] for query in self.get_query_ids()}

    def to_dataframe(self) -> pandas.DataFrame:
        """Returns a pandas frame with the columns q_id, doc_id and score.

        Raises:
            DependencyError: If pandas is not installed.
        """
        library = optional_package("pandas", purpose=message("core.pandas-frame"))

        rows = [
            (query, document, number)
            for query, numbers in self.to_dict().items()
            for document, number in numbers.items()
        ]
        frame: pandas.DataFrame = library.DataFrame(rows, columns=["q_id", "doc_id", "score"])
        return frame

    def save(self, path: str | PathLike[str], kind: str | None = None) -> None:
        """Writes a file.

        Args:
            path: The file.
            kind: `json`, `trec`, `lz4` (runs) or `parquet`; `None` takes the file's ending.

        Raises:
            DependencyError: If the kind needs a package that is not installed.
        """
        file = Path(path)
        chosen = get_file_kind(file, kind)
        if chosen == "json":
            file.write_text(json.dumps(self.to_dict(), indent=2), encoding="utf-8")
        elif chosen == "parquet":
            self.to_dataframe().to_parquet(file, index=False)
        elif chosen == "lz4":
            self._no_lz4()
            write_lz4(self.to_dict(), file)
        elif chosen == "trec":
            file.write_text("".join(f"{line}\n" for line in self._lines()), encoding="utf-8")
        else:
            raise ParameterError(
                message("compat.cannot-write", chosen=chosen),
                hint=message("compat.write-json"),
            )

    @classmethod
    def _no_lz4(cls) -> None:
        """Refuses LZ4 if ranx does not write it."""

    def _lines(self) -> Iterator[str]:
        raise NotImplementedError

    @classmethod
    def from_df(
        cls,
        df: IntoDataFrame,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        name: str | None = None,
    ) -> Self:
        """Reads a data frame (pandas, Polars, PyArrow ...).

        Raises:
            InputError: If a column is missing.
        """
        import narwhals

        frame = narwhals.from_native(with_index_columns(df)[0], eager_only=True)
        for column in (q_id_col, doc_id_col, score_col):
            if column not in frame.columns:
                raise InputError(
                    message("compat.data-frame-has-no", column=column),
                    hint=message(
                        "compat.has-columns",
                        columns=list(frame.columns),
                    ),
                )
        found: dict[str, dict[str, float]] = defaultdict(dict)
        columns = (frame[column].to_list() for column in (q_id_col, doc_id_col, score_col))
        for query, document, number in zip(*columns, strict=True):
            found[str(query)][str(document)] = number
        return cls(found, name=name)

    @classmethod
    def from_parquet(
        cls,
        path: str | PathLike[str],
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        pd_kwargs: Mapping[str, object] | None = None,
        name: str | None = None,
    ) -> Self:
        """Reads a Parquet file, with pandas if there are `pd_kwargs`.

        Raises:
            DependencyError: If there are `pd_kwargs` and pandas is not installed.
        """
        frame: IntoDataFrame
        if pd_kwargs:
            pandas = optional_package("pandas", purpose="pd_kwargs")
            frame = pandas.read_parquet(fspath(path), **pd_kwargs)
        else:
            import polars

            frame = polars.read_parquet(fspath(path))
        return cls.from_df(frame, q_id_col, doc_id_col, score_col, name)

    @property
    def size(self) -> int:
        """The number of queries."""
        return len(self._data)

    def __getitem__(self, q_id: str) -> dict[str, Number]:
        return dict(sorted(self._data[q_id].items(), key=lambda item: -item[1]))

    def __contains__(self, q_id: object) -> bool:
        return q_id in self._data

    def __iter__(self) -> Iterator[str]:
        return iter(self.get_query_ids())

    def __len__(self) -> int:
        return len(self._data)

    def __repr__(self) -> str:
        title = f" {self.name!r}" if self.name else ""
        return f"<{type(self).__name__}{title}: {len(self)} queries>"


class Qrels(_Table[int]):
    """Judgments: {query: {document: grade}}. Grades are cut to whole numbers, as in ranx.

    Examples:
        >>> Qrels({"q1": {"d1": 0, "d2": 3}})["q1"]
        {'d2': 3, 'd1': 0}
    """

    def __init__(
        self, qrels: Mapping[str, Mapping[str, float]] | None = None, name: str | None = None
    ) -> None:
        super().__init__(qrels, name)
        self._judgments: Judgments | None = None

    @staticmethod
    def _number(value: float) -> int:
        return int(value)

    def _changed(self, *, sorted: bool) -> None:
        super()._changed(sorted=sorted)
        self._judgments = None

    @classmethod
    def _no_lz4(cls) -> None:
        raise ParameterError(
            message("compat.ranx-writes-no-qrels"), hint=message("compat.write-json")
        )

    @property
    def qrels(self) -> dict[str, dict[str, int]]:
        """The grades by query and document."""
        return self._ordered()

    def set_relevance_level(self, rel_lvl: int = 1) -> None:
        """Lowers all grades, so that `rel_lvl` becomes the lowest relevant one."""
        for grades in self._data.values():
            for document in grades:
                grades[document] -= rel_lvl - 1
        self._changed(sorted=self.sorted)

    def judgments(self) -> Judgments:
        """Returns relyon's judgments, which are cached."""
        if self._judgments is None:
            self._judgments = Judgments.from_dict(self._data)
        return self._judgments

    def _lines(self) -> Iterator[str]:
        for query, grades in self.to_dict().items():
            for document, grade in grades.items():
                yield f"{query} 0 {document} {grade}"

    @classmethod
    def from_dict(cls, d: Mapping[str, Mapping[str, float]], name: str | None = None) -> Qrels:
        """Returns the qrels of {query: {document: grade}}."""
        return cls(d, name)

    @classmethod
    def from_file(cls, path: str | PathLike[str], kind: str | None = None) -> Qrels:
        """Reads a file.

        Args:
            path: The file.
            kind: `json`, `trec`, `gz` or `parquet`; `None` takes the file's ending.
        """
        chosen = get_file_kind(path, kind)
        if chosen == "parquet":
            return cls.from_parquet(path)
        if chosen == "json":
            return cls(read_json(path))
        if chosen == "lz4":
            cls._no_lz4()
        table = io.read_judgments(fspath(path)).table
        return cls({query: table.grades(query) for query in table.queries()})

    @classmethod
    def from_ir_datasets(cls, dataset_id: str) -> Qrels:
        """Returns the judgments of a collection of ir-datasets, which may download it.

        Raises:
            DependencyError: If the package ir_datasets is not installed.
        """
        library = optional_package("ir_datasets", purpose="Qrels.from_ir_datasets")
        return cls(library.load(dataset_id).qrels_dict(), name=dataset_id)


class Run(_Table[float]):
    """A run: {query: {document: score}}.

    Attributes:
        scores: Values by measure and query of the evaluations so far.
        mean_scores: Means by measure.
        std_scores: Standard deviations by measure.
        metadata: Your own data.

    Examples:
        >>> Run({"q1": {"d1": 0.5, "d2": 2.0}})["q1"]
        {'d2': 2.0, 'd1': 0.5}
    """

    def __init__(
        self, run: Mapping[str, Mapping[str, float]] | None = None, name: str | None = None
    ) -> None:
        super().__init__(run, name)
        self.scores: dict[str, dict[str, float]] = defaultdict(dict)
        self.mean_scores: dict[str, float] = {}
        self.std_scores: dict[str, float] = {}
        self.metadata: dict[str, object] = {}

    @staticmethod
    def _number(value: float) -> float:
        return float(value)

    @property
    def run(self) -> dict[str, dict[str, float]]:
        """The scores by query and document."""
        return self._ordered()

    @run.setter
    def run(self, data: Mapping[str, Mapping[str, float]]) -> None:
        self._data = {
            query: {key: float(value) for key, value in numbers.items()}
            for query, numbers in data.items()
        }
        self._changed(sorted=True)

    def as_run(self) -> RelyonRun:
        """Returns relyon's run; it has no queries without documents."""
        return RelyonRun.from_dict(self._data, name=self.name)

    def make_comparable(self, qrels: Qrels) -> Run:
        """Adds an empty list for every missing judged query, and drops unjudged ones."""
        self._data = {query: self._data.get(query, {}) for query in qrels.get_query_ids()}
        self._changed(sorted=True)
        return self

    def _lines(self) -> Iterator[str]:
        for query, scores in self.to_dict().items():
            for rank, (document, score) in enumerate(scores.items(), 1):
                yield f"{query} Q0 {document} {rank} {score} {self.name}"

    @classmethod
    def from_dict(cls, d: Mapping[str, Mapping[str, float]], name: str | None = None) -> Run:
        """Returns the run of {query: {document: score}}."""
        return cls(d, name)

    @classmethod
    def from_file(
        cls, path: str | PathLike[str], kind: str | None = None, name: str | None = None
    ) -> Run:
        """Reads a file.

        Args:
            path: The file.
            kind: `json`, `trec`, `gz`, `lz4` or `parquet`; `None` takes the file's ending.
            name: The run's name; by default the tag of a TREC run.
        """
        chosen = get_file_kind(path, kind)
        if chosen == "parquet":
            return cls.from_parquet(path, name=name)
        if chosen == "json":
            return cls(read_json(path), name)
        if chosen == "lz4":
            data, metadata = read_lz4(path)
            described = metadata.get("run")
            found_name = described.get("name") if isinstance(described, dict) else None
            run = cls(data, name or found_name)
            run.metadata = metadata
            return run
        table = io.read_run(fspath(path)).table
        found = {}
        for query in table.queries():
            documents, scores, _ = table.documents(query)
            found[query] = dict(zip(documents, scores, strict=True))
        return cls(found, name or table.tag or None)

    @classmethod
    def from_ranxhub(cls, id: str) -> Run:
        """Refuses: relyon opens no connection on its own.

        Raises:
            InputError: Always; the hint says how to read a downloaded file.
        """
        raise InputError(
            message("compat.is-on-ranxhub", id=id),
            hint=message("compat.download-file"),
        )
