"""The C++ core: hot loops over flat data, no policy. Users reach it through `relkit`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

__version__: str

def simd() -> str:
    """The instruction set chosen at run time: "avx512", "avx2", "sse2", "neon" or "scalar"."""

@final
class JudgmentTable:
    """Grades by query and document: built once, then only read (from any number of threads)."""

    @staticmethod
    def from_text(path: str, threads: int = 0) -> JudgmentTable:
        """Reads TREC qrels (query, iteration, document, grade) from an uncompressed file."""
    @staticmethod
    def from_chunks(read: Callable[[int], bytes], name: str) -> JudgmentTable:
        """Reads TREC qrels from `read(size)`, which returns b"" at the end."""
    @staticmethod
    def from_dict(judgments: Mapping[Any, Mapping[Any, Any]]) -> JudgmentTable:
        """Takes {query: {document: grade}}; integer ids count as their decimal text."""
    @staticmethod
    def from_arrow(query: object, document: object, grade: object) -> JudgmentTable:
        """Takes three columns that export the Arrow PyCapsule interface (`__arrow_c_stream__`)."""
    @property
    def rows(self) -> int: ...
    @property
    def duplicates(self) -> int:
        """Rows that repeat a judgment with the same grade (another grade is an error)."""
    @property
    def negatives(self) -> int:
        """Rows with a grade below 0."""
    @property
    def highest(self) -> float:
        """The highest grade, or NaN where there is none."""
    @property
    def fractional(self) -> bool:
        """True where a grade is not a whole number."""
    def __len__(self) -> int:
        """The number of queries."""
    def __contains__(self, query: str) -> bool: ...
    def queries(self) -> list[str]:
        """The queries, in the order in which they first appear."""
    def grades(self, query: str) -> dict[str, float]:
        """The grades of one query by document, in input order; KeyError where it has none."""
    def columns(self) -> tuple[list[str], list[str], list[float]]:
        """Query, document and grade of every row, grouped by query."""

@final
class RunTable:
    """Ranked lists by query, kept whole: for explanations, conversions and measures in Python."""

    @staticmethod
    def from_text(path: str, threads: int = 0) -> RunTable: ...
    @staticmethod
    def from_chunks(read: Callable[[int], bytes], name: str) -> RunTable: ...
    @staticmethod
    def from_dict(run: Mapping[Any, Mapping[Any, Any]]) -> RunTable: ...
    @staticmethod
    def from_arrow(
        query: object, document: object, score: object, rank: object | None = None
    ) -> RunTable: ...
    @property
    def rows(self) -> int: ...
    @property
    def tag(self) -> str:
        """The sixth column of the first line of a TREC run, or an empty string."""
    @property
    def has_ranks(self) -> bool: ...
    def __len__(self) -> int: ...
    def __contains__(self, query: str) -> bool: ...
    def queries(self) -> list[str]: ...
    def documents(self, query: str) -> tuple[list[str], list[float], list[int] | None]:
        """Documents, scores and ranks of one query, in input order; KeyError where it has none."""
    def columns(self) -> tuple[list[str], list[str], list[float], list[int] | None]: ...

@final
class Plan:
    """Kernels and rules, compiled once.

    Args:
        kernels: One (name, parameters) a measure, as `Measure.kernel` returns them.
        ties, unjudged, negative, missing: The fields of `Convention` of the same names.
        float32: Compare scores after rounding them to float32.
    """

    def __init__(
        self,
        kernels: Sequence[tuple[str, Mapping[str, Any]]],
        *,
        ties: str = "doc-desc",
        unjudged: str = "nonrelevant",
        negative: str = "nonrelevant",
        missing: str = "zero",
        float32: bool = False,
    ) -> None: ...

@final
class Batch:
    """Per-query values of every measure of a plan."""

    @property
    def queries(self) -> list[str]:
        """Evaluated queries: those of the run in its order, then the missing ones."""
    @property
    def missing(self) -> int:
        """How many of `queries`, at the end, are judged but absent from the run."""
    @property
    def rows(self) -> int: ...
    @property
    def matched(self) -> int:
        """Retrieved documents that are judged."""
    @property
    def unjudged_queries(self) -> int: ...
    @property
    def unjudged_examples(self) -> list[str]: ...
    @property
    def regrouped(self) -> bool: ...
    def values(self, measure: int) -> list[float]:
        """The values of one measure in the order of `queries`; NaN where undefined."""
    def arrays(
        self, measure: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Values, numerators and denominators without a copy."""
    def total(self, measure: int) -> Total: ...

@final
class Total:
    """One measure summed over queries: exact, so that merging in any order gives the same bits."""

    def __init__(self) -> None: ...
    def merge(self, other: Total) -> None: ...
    def add(
        self,
        values: Sequence[float],
        numerators: Sequence[float],
        denominators: Sequence[float],
        missing: int,
    ) -> None:
        """Adds queries that were evaluated elsewhere; the last `missing` of them are missing."""
    @property
    def queries(self) -> int: ...
    @property
    def undefined(self) -> int: ...
    @property
    def missing(self) -> int: ...
    @property
    def tie_sensitive(self) -> int: ...
    @property
    def numerator(self) -> float: ...
    @property
    def denominator(self) -> float: ...
    def mean(self, undefined: Literal["skip", "zero", "one"] = "skip") -> float:
        """Mean of the per-query values, correctly rounded; NaN where no query is left."""
    def ratio(self) -> float:
        """Sum of numerators over sum of denominators; inf for x/0 with x > 0, NaN for 0/0."""
    def auc(self) -> float:
        """ROC AUC of the pooled pairs; NaN where one class is absent."""
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(state: bytes) -> Total: ...

def evaluate_text(judgments: JudgmentTable, plan: Plan, path: str, threads: int = 0) -> Batch:
    """Evaluates an uncompressed TREC run file, streaming where its lines are grouped by query."""

def evaluate_chunks(
    judgments: JudgmentTable,
    plan: Plan,
    read: Callable[[int], bytes],
    name: str,
    again: Callable[[], Callable[[int], bytes]] | None = None,
    threads: int = 0,
) -> Batch:
    """Evaluates a TREC run read from `read(size)`.

    Streams it where `again` can open the input once more, should its lines turn out not to be
    grouped by query; without `again` the run is kept whole.
    """

def evaluate_dict(
    judgments: JudgmentTable, plan: Plan, run: Mapping[Any, Mapping[Any, Any]]
) -> Batch: ...
def evaluate_arrow(
    judgments: JudgmentTable,
    plan: Plan,
    query: object,
    document: object,
    score: object,
    rank: object | None = None,
    threads: int = 0,
) -> Batch: ...
def evaluate_run(
    judgments: JudgmentTable, plan: Plan, run: RunTable, threads: int = 0
) -> Batch: ...
def evaluate_arrays(
    plan: Plan,
    labels: NDArray[Any],
    scores: NDArray[Any],
    offsets: NDArray[np.int64] | None = None,
    threads: int = 0,
) -> Batch:
    """Evaluates labelled scores: query i holds rows offsets[i] to offsets[i + 1].

    2-D labels and scores are one query a row, and need no offsets. `queries` is empty: the caller
    knows its groups. Document ids are the row numbers, so `doc-desc` ties put the later row first
    only under `ties="doc-desc"`; callers pass "input" unless told otherwise.
    """

def pooled_auc(
    labels: NDArray[Any], scores: NDArray[Any], threshold: float, threads: int = 0
) -> float:
    """ROC AUC of all rows, ties counted half; labels >= threshold are positive."""

def group_offsets(groups: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Offsets of equal neighbouring group ids, and the stable row order to apply first.

    The order is None where every group is already contiguous.
    """

def signed_sums(
    values: NDArray[np.int64], first: int, count: int, seed: int, threads: int = 0
) -> NDArray[np.int64]:
    """Sums of columns x items under random signs, the same ones in all columns.

    Returns columns x count sums: of the resamples `first` to `first + count - 1` of the series
    `seed`. Values whose sums could reach 2^62 are refused.
    """

def resampled_sums(
    values: NDArray[np.int64], first: int, count: int, seed: int, threads: int = 0
) -> NDArray[np.int64]:
    """Sums of as many items as there are, drawn with replacement, the same ones in all columns."""

def permuted_ranges(
    values: NDArray[np.int64], first: int, count: int, seed: int, threads: int = 0
) -> NDArray[np.int64]:
    """The largest less the smallest column sum after shuffling each item's values over columns."""

def hash_ids(ids: object) -> NDArray[np.uint64]:
    """FNV-1a (64 bits) of the UTF-8 bytes of each id: the same in every version, on every machine.

    Takes a column that exports the Arrow PyCapsule interface; whole numbers count as their decimal
    text, a null is an error.
    """
