"""ranx's interface: the same names, the same numbers, without a compiler to wait for.

Change ``from ranx import Qrels, Run, evaluate`` to ``from relkit.compat.ranx import ...``.
Differences:

- Documents of equal score keep the order in which they are given; ranx sorts them unstably.
- Queries are matched by id; ranx matches two dicts by position.
- `bpref` of a query without relevant documents is 0 and leaves the other queries alone.
- Bad input raises a `ValueError` that says what to do; ranx asserts.
- Fusion, significance tests and plots are not here.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from relkit import io
from relkit.convention import load_convention
from relkit.errors import InputError, ParameterError
from relkit.evaluation import Evaluator
from relkit.io import as_judgments, as_run
from relkit.judgments import Judgments
from relkit.packages import optional_package
from relkit.registry import suggestion

if TYPE_CHECKING:
    import numpy as np
    import pandas
    from numpy.typing import NDArray

__all__ = ["Qrels", "Run", "evaluate"]

Number = TypeVar("Number", int, float)
Self = TypeVar("Self", bound="_Table[Any]")

#: ranx's names and ours.
METRICS = {
    "hits": "num_rel_ret",
    "hit_rate": "success",
    "precision": "p",
    "recall": "recall",
    "f1": "f1",
    "r-precision": "rprec",
    "mrr": "rr",
    "map": "ap",
    "dcg": "dcg",
    "dcg_burges": "dcg",
    "ndcg": "ndcg",
    "ndcg_burges": "ndcg",
    "bpref": "bpref",
    "rbp": "rbp",
}
GRADED = {"dcg": "linear", "dcg_burges": "exp", "ndcg": "linear", "ndcg_burges": "exp"}
WITHOUT_CUTOFF = {"r-precision", "bpref"}

NAME = re.compile(
    r"(?P<name>[a-z][a-z_1\-]*?)(?:(?P<mark>[@.])(?P<number>\d+))?(?:-l(?P<level>\d+))?"
)


class _Table(Generic[Number]):
    """Shared by `Qrels` and `Run`: {query: {document: number}}, queries ordered by id."""

    def __init__(
        self, data: Mapping[str, Mapping[str, Any]] | None = None, name: str | None = None
    ) -> None:
        self.name = name
        self._data: dict[str, dict[str, Number]] = {}
        self._queries: list[str] | None = None
        for query, numbers in (data or {}).items():
            self._data[query] = {key: self._number(value) for key, value in numbers.items()}

    @staticmethod
    def _number(value: Any) -> Any:
        raise NotImplementedError

    def _changed(self) -> None:
        self._queries = None

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
        self._changed()

    def add(self, q_id: str, doc_ids: Sequence[str], scores: Sequence[float]) -> None:
        """Adds one query with its documents, in place of what it had.

        Raises:
            InputError: If there are not as many scores as documents.
        """
        if len(doc_ids) != len(scores):
            raise InputError(
                f"query `{q_id}` has {len(doc_ids)} documents and {len(scores)} scores"
            )
        self._data[q_id] = {
            document: self._number(score) for document, score in zip(doc_ids, scores, strict=True)
        }
        self._changed()

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

    def to_dict(self) -> dict[str, dict[str, Number]]:
        """Returns {query: {document: number}}, the highest number first."""
        return {query: self[query] for query in self.get_query_ids()}

    def to_dataframe(self) -> pandas.DataFrame:
        """Returns a pandas frame with the columns q_id, doc_id and score.

        Raises:
            DependencyError: If pandas is not installed.
        """
        library = optional_package("pandas", purpose="a pandas frame")

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
            path: Where to.
            kind: `json`, `trec` or `parquet`; `None` takes the file's ending.
        """
        file = Path(path)
        chosen = _kind(file, kind)
        if chosen == "json":
            file.write_text(json.dumps(self.to_dict(), indent=2), encoding="utf-8")
        elif chosen == "parquet":
            self.to_dataframe().to_parquet(file, index=False)
        elif chosen == "trec":
            file.write_text("".join(f"{line}\n" for line in self._lines()), encoding="utf-8")
        else:
            raise ParameterError(f"cannot write `{chosen}`", hint="write json, trec or parquet")

    def _lines(self) -> Iterator[str]:
        raise NotImplementedError

    @classmethod
    def from_df(
        cls: type[Self],
        df: Any,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        name: str | None = None,
    ) -> Self:
        """Takes a data frame (pandas, Polars, PyArrow ...).

        Raises:
            InputError: If it has no such column.
        """
        import narwhals

        frame = narwhals.from_native(df, eager_only=True)
        for column in (q_id_col, doc_id_col, score_col):
            if column not in frame.columns:
                raise InputError(
                    f"the data frame has no column `{column}`",
                    hint=f"it has {', '.join(frame.columns)}: name them with q_id_col,"
                    " doc_id_col and score_col",
                )
        found: dict[str, dict[str, Any]] = defaultdict(dict)
        columns = (frame[column].to_list() for column in (q_id_col, doc_id_col, score_col))
        for query, document, number in zip(*columns, strict=True):
            found[str(query)][str(document)] = number
        return cls(found, name=name)

    @classmethod
    def from_parquet(
        cls: type[Self],
        path: str | PathLike[str],
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        name: str | None = None,
    ) -> Self:
        """Reads a Parquet file."""
        import polars

        return cls.from_df(polars.read_parquet(fspath(path)), q_id_col, doc_id_col, score_col, name)

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
        self, qrels: Mapping[str, Mapping[str, Any]] | None = None, name: str | None = None
    ) -> None:
        super().__init__(qrels, name)
        self._judgments: Judgments | None = None

    @staticmethod
    def _number(value: Any) -> int:
        return int(value)

    def _changed(self) -> None:
        super()._changed()
        self._judgments = None

    @property
    def qrels(self) -> dict[str, dict[str, int]]:
        """The grades by query and document."""
        return self._data

    def set_relevance_level(self, rel_lvl: int = 1) -> None:
        """Lowers all grades, so that `rel_lvl` becomes the lowest relevant one."""
        for grades in self._data.values():
            for document in grades:
                grades[document] -= rel_lvl - 1
        self._changed()

    def judgments(self) -> Judgments:
        """Returns relkit's judgments; they are kept for the next run."""
        if self._judgments is None:
            self._judgments = Judgments.from_dict(self._data)
        return self._judgments

    def _lines(self) -> Iterator[str]:
        for query, grades in self.to_dict().items():
            for document, grade in grades.items():
                yield f"{query} 0 {document} {grade}"

    @classmethod
    def from_dict(cls, d: Mapping[str, Mapping[str, Any]], name: str | None = None) -> Qrels:
        """Takes {query: {document: grade}}."""
        return cls(d, name)

    @classmethod
    def from_file(cls, path: str | PathLike[str], kind: str | None = None) -> Qrels:
        """Reads a file.

        Args:
            path: Where from.
            kind: `json`, `trec`, `gz` or `parquet`; `None` takes the file's ending.
        """
        chosen = _kind(Path(path), kind)
        if chosen == "parquet":
            return cls.from_parquet(path)
        if chosen == "json":
            return cls(_read_json(path))
        table = as_judgments(io.read_judgments(fspath(path))).table
        return cls({query: table.grades(query) for query in table.queries()})


class Run(_Table[float]):
    """A run: {query: {document: score}}.

    Attributes:
        scores: Values by measure and query of the evaluations so far.
        mean_scores: Means by measure.
        std_scores: Standard deviations by measure.
        metadata: Anything you want to keep with it.

    Examples:
        >>> Run({"q1": {"d1": 0.5, "d2": 2.0}})["q1"]
        {'d2': 2.0, 'd1': 0.5}
    """

    def __init__(
        self, run: Mapping[str, Mapping[str, Any]] | None = None, name: str | None = None
    ) -> None:
        super().__init__(run, name)
        self.scores: dict[str, dict[str, float]] = defaultdict(dict)
        self.mean_scores: dict[str, float] = {}
        self.std_scores: dict[str, float] = {}
        self.metadata: dict[str, Any] = {}

    @staticmethod
    def _number(value: Any) -> float:
        return float(value)

    @property
    def run(self) -> dict[str, dict[str, float]]:
        """The scores by query and document."""
        return self._data

    def make_comparable(self, qrels: Qrels) -> Run:
        """Adds an empty list for every judged query that is missing, and drops the others."""
        self._data = {query: self._data.get(query, {}) for query in qrels.get_query_ids()}
        self._changed()
        return self

    def _lines(self) -> Iterator[str]:
        for query, scores in self.to_dict().items():
            for rank, (document, score) in enumerate(scores.items(), 1):
                yield f"{query} Q0 {document} {rank} {score} {self.name}"

    @classmethod
    def from_dict(cls, d: Mapping[str, Mapping[str, Any]], name: str | None = None) -> Run:
        """Takes {query: {document: score}}."""
        return cls(d, name)

    @classmethod
    def from_file(
        cls, path: str | PathLike[str], kind: str | None = None, name: str | None = None
    ) -> Run:
        """Reads a file.

        Args:
            path: Where from.
            kind: `json`, `trec`, `gz` or `parquet`; `None` takes the file's ending.
            name: What to call the run; `None` takes the tag of a TREC run.
        """
        chosen = _kind(Path(path), kind)
        if chosen == "parquet":
            return cls.from_parquet(path, name=name)
        if chosen == "json":
            return cls(_read_json(path), name)
        table = as_run(io.read_run(fspath(path))).table
        found = {}
        for query in table.queries():
            documents, scores, _ = table.documents(query)
            found[query] = dict(zip(documents, scores, strict=True))
        return cls(found, name or table.tag or None)


def _kind(path: Path, kind: str | None) -> str:
    chosen = kind or path.suffix[1:].lower()
    chosen = {"txt": "trec", "parq": "parquet"}.get(chosen, chosen)
    if chosen not in {"json", "trec", "gz", "parquet"}:
        raise ParameterError(
            f"`{path}` is of no known kind",
            hint="name it: kind='json', 'trec', 'gz' or 'parquet'",
        )
    return chosen


def _read_json(path: str | PathLike[str]) -> dict[str, dict[str, Any]]:
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"not JSON: {error}", path=fspath(path)) from error
    if not isinstance(content, dict) or not all(isinstance(row, dict) for row in content.values()):
        raise InputError(
            "expected {query: {document: number}}", path=fspath(path), hint="see ranx's JSON form"
        )
    return content


def evaluate(
    qrels: Qrels | Mapping[str, Mapping[str, Any]],
    run: Run | Mapping[str, Mapping[str, Any]],
    metrics: Sequence[str] | str,
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,
    save_results_in_run: bool = True,
    make_comparable: bool = False,
) -> Any:
    """Evaluates a run as ranx does.

    Args:
        qrels: Judgments.
        run: The run.
        metrics: One name or several: `hits`, `hit_rate`, `precision`, `recall`, `f1`,
            `r-precision`, `mrr`, `map`, `dcg`, `dcg_burges`, `ndcg`, `ndcg_burges`, `bpref`, each
            with `@k`, and `rbp.95` for a persistence of 0.95. `-l2` at the end sets the lowest
            relevant grade.
        return_mean: Returns means; otherwise one array a metric, in the order of the query ids
            (of the dict, if `qrels` is one).
        return_std: Returns {"mean": ..., "std": ...} for each metric.
        threads: Threads to use; 0 takes one a processor.
        save_results_in_run: Keeps the values in `run.scores`, `run.mean_scores`.
        make_comparable: Adds an empty list for judged queries that the run lacks, and leaves out
            the queries of the run that are not judged.

    Returns:
        A number (or array) for one metric, a dict by name for several.

    Raises:
        InputError: If qrels and run do not hold the same queries.
        ValueError: If a metric is unknown.

    Examples:
        >>> qrels = Qrels({"q1": {"d1": 3, "d2": 2}})
        >>> run = Run({"q1": {"d2": 1.5, "d1": 1.2, "d3": 0.3}})
        >>> round(float(evaluate(qrels, run, "ndcg@10")), 4)
        0.9134
    """
    import numpy as np

    names = [metrics] if isinstance(metrics, str) else list(metrics)
    wanted = {name: _Metric(name) for name in names}
    if make_comparable and isinstance(qrels, Qrels) and isinstance(run, Run):
        run = run.make_comparable(qrels)
    queries = qrels.get_query_ids() if isinstance(qrels, Qrels) else list(qrels)
    scores: Mapping[str, Mapping[str, Any]] = run.run if isinstance(run, Run) else run
    if make_comparable:
        scores = {query: scores.get(query, {}) for query in queries}
    _check_queries(queries, scores)
    grades = qrels.qrels if isinstance(qrels, Qrels) else qrels
    judgments = qrels.judgments() if isinstance(qrels, Qrels) else Judgments.from_dict(dict(qrels))
    found = _values(judgments, grades, scores, queries, wanted, threads=threads)
    if isinstance(run, Run) and save_results_in_run:
        for name, column in found.items():
            run.mean_scores[name] = float(np.mean(column))
            if return_mean and return_std:
                run.std_scores[name] = float(np.std(column))
            run.scores[name] = dict(zip(queries, column, strict=True))
    answers: dict[str, Any] = dict(found)
    if return_mean:
        for name, column in found.items():
            mean = np.mean(column)
            answers[name] = {"mean": mean, "std": np.std(column)} if return_std else mean
    return answers[names[0]] if len(answers) == 1 else answers


def _check_queries(queries: Sequence[str], scores: Mapping[str, Any]) -> None:
    missing = [query for query in queries if query not in scores]
    more = len(scores) - (len(queries) - len(missing))
    if missing or more:
        example = f", such as `{missing[0]}`" if missing else ""
        raise InputError(
            f"qrels and run do not hold the same queries: {len(missing)} are missing from the"
            f" run{example}, {more} are not in the qrels",
            hint="make_comparable=True adds empty lists for the missing ones and leaves the others"
            " out",
        )


def _values(
    judgments: Judgments,
    grades: Mapping[str, Mapping[str, Any]],
    scores: Mapping[str, Mapping[str, Any]],
    queries: Sequence[str],
    wanted: Mapping[str, _Metric],
    *,
    threads: int,
) -> dict[str, NDArray[np.float64]]:
    """Returns every metric's values in the order of `queries`."""
    import numpy as np

    levels: list[float] = []
    if judgments.table.fractional or any(metric.needs_levels for metric in wanted.values()):
        levels = sorted({float(grade) for row in grades.values() for grade in row.values()})
    convention = load_convention("ranx").replace(missing="zero", name="ranx")
    evaluator = Evaluator(judgments, convention=convention, threads=threads)
    spelled = {name: metric.measure(levels) for name, metric in wanted.items()}
    asked = list(dict.fromkeys([*spelled.values(), *_extra(wanted)]))
    if any(scores[query] for query in queries) and len(judgments.table):
        results = evaluator.evaluate(dict(scores), asked)
        order = {query: place for place, query in enumerate(results.queries)}
        places = [order.get(query, -1) for query in queries]
        columns = {
            name: np.nan_to_num(np.array([*results.column(name), 0.0]), nan=0.0)[places]
            for name in asked
        }
    else:
        columns = {name: np.zeros(len(queries)) for name in asked}
    found = {}
    for name, metric in wanted.items():
        column = columns[spelled[name]] * metric.factor(levels)
        if metric.name == "bpref":
            # 0/0 there: every judged document is relevant
            retrieved = columns[metric.retrieved()]
            for place, query in enumerate(queries):
                if retrieved[place] and min(grades[query].values()) >= metric.level:
                    column[place] = math.nan
        found[name] = column
    return found


def _extra(wanted: Mapping[str, _Metric]) -> list[str]:
    return [metric.retrieved() for metric in wanted.values() if metric.name == "bpref"]


class _Metric:
    """One of ranx's metric names, taken apart."""

    def __init__(self, text: str) -> None:
        found = NAME.fullmatch(text)
        name = found["name"] if found else text
        if found is None or name not in METRICS:
            hint = suggestion(name, list(METRICS))
            raise ParameterError(
                f"metric `{text}` is not supported",
                hint=f"{hint}; " * bool(hint) + "there are " + ", ".join(METRICS),
            )
        self.name = name
        self.level = int(found["level"]) if found["level"] else 1
        number = found["number"]
        if name == "rbp" and number is None:
            raise ParameterError("`rbp` needs a persistence", hint="write rbp.95 for 0.95")
        if name != "rbp" and found["mark"] == ".":
            raise ParameterError(f"metric `{text}` is not supported", hint="write name@k")
        self.number = number

    @property
    def needs_levels(self) -> bool:
        """Whether its gains are not those of a grade's value alone."""
        return self.name == "rbp" or (self.name in GRADED and self.level != 1)

    def retrieved(self) -> str:
        """Returns the measure that counts retrieved relevant documents."""
        return f"num_rel_ret(rel={self.level})"

    def factor(self, levels: Sequence[float]) -> float:
        """Returns what to multiply our value with: ranx takes a grade itself as gain in RBP."""
        return max([1.0, *levels]) if self.name == "rbp" else 1.0

    def measure(self, levels: Sequence[float]) -> str:
        """Returns our measure; `levels` are the grades that occur."""
        arguments = [f"rel={self.level}"]
        cutoff = f"@{self.number}" if self.number and int(self.number) else ""
        if self.name in GRADED:
            arguments = [f"gain={GRADED[self.name]}"]
            if self.level != 1 or any(0 < level < 1 for level in levels):
                exponential = GRADED[self.name] == "exp"
                arguments = [self._gains(levels, exponential=exponential)]
        elif self.name == "rbp":
            arguments = [f"p=0.{self.number}", self._gains(levels, by=self.factor(levels))]
        if self.name in WITHOUT_CUTOFF or self.name == "rbp":
            cutoff = ""
        return f"{METRICS[self.name]}({','.join(arguments)}){cutoff}"

    def _gains(self, levels: Sequence[float], by: float = 1.0, exponential: bool = False) -> str:
        """Returns a map of gains in which grades below the level are worth nothing."""
        gains = []
        for level in levels:
            gain = float(level) if level >= self.level and level > 0 else 0.0
            gain = 2.0**gain - 1.0 if exponential else gain / by
            if level >= 0:
                gains.append(f"{level!r}:{gain!r}")
        return "gain={" + ",".join(gains or ["0:0"]) + "}"
