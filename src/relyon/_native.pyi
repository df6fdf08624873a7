"""The C++ core: hot loops over flat data, no policy. Users reach it through `relyon`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict, TypeVar, final

import numpy as np
from numpy.typing import NDArray

__version__: str

QueryId = TypeVar("QueryId")
DocumentId = TypeVar("DocumentId")

def simd() -> str:
    """The instruction set chosen at run time: "avx512", "avx2", "sse2", "neon" or "scalar"."""

def thread_count(threads: int = 0) -> int:
    """How many threads a call with this number uses at most.

    For 0, `RELYON_THREADS` or all cores that the process may use (its affinity, and what its
    control group grants). At most 256.
    """

@final
class JudgmentTable:
    """Grades by query and document: built once, then only read (from any number of threads)."""

    def __getstate__(self) -> bytes: ...
    def __setstate__(self, state: bytes, /) -> None: ...
    @staticmethod
    def from_text(path: str, threads: int = 0) -> JudgmentTable:
        """Reads TREC qrels (query, iteration, document, grade) from an uncompressed file."""
    @staticmethod
    def from_chunks(read: Callable[[int], bytes], name: str) -> JudgmentTable:
        """Reads TREC qrels from `read(size)`, which returns b"" at the end."""
    @staticmethod
    def from_dict(judgments: Mapping[QueryId, Mapping[DocumentId, object]]) -> JudgmentTable:
        """Reads {query: {document: grade}}; integer ids count as their decimal text.

        A grade may be a mapping from subtopics to grades.
        """
    @staticmethod
    def from_arrow(
        query: object, document: object, grade: object, subtopic: object | None = None
    ) -> JudgmentTable:
        """Reads columns that export the Arrow PyCapsule interface (`__arrow_c_stream__`)."""
    @property
    def rows(self) -> int: ...
    @property
    def has_subtopics(self) -> bool:
        """Whether a query has more than one subtopic; otherwise subtopics are dropped."""
    @property
    def overlapping(self) -> int:
        """Documents that are judged on more than one subtopic of a query."""
    @property
    def duplicates(self) -> int:
        """Rows that repeat a judgment with the same grade (another grade is an error)."""
    @property
    def negatives(self) -> int:
        """Rows with a grade below 0."""
    @property
    def highest(self) -> float:
        """The highest grade, or NaN without grades."""
    @property
    def fractions(self) -> int:
        """Grades between 0 and 1."""
    @property
    def fractional(self) -> bool:
        """Whether a grade is not a whole number."""
    def __len__(self) -> int:
        """The number of queries."""
    def __contains__(self, query: str) -> bool: ...
    def queries(self) -> list[str]:
        """The queries, in the order in which they first appear."""
    def grades(self, query: str) -> dict[str, float]:
        """The grades of one query by document, in input order; KeyError if it has none."""
    def subtopics(self, query: str) -> dict[str, dict[str, float]]:
        """The grades of one query by document and subtopic, in the subtopics' order.

        Empty if the table has no subtopics; KeyError for an unknown query.
        """
    def columns(self) -> tuple[list[str], list[str], list[float]]:
        """Query, document and grade of every document, grouped by query."""

@final
class RunTable:
    """Ranked lists by query, kept whole: for explanations, conversions and measures in Python."""

    def __getstate__(self) -> bytes: ...
    def __setstate__(self, state: bytes, /) -> None: ...
    @staticmethod
    def from_text(path: str, threads: int = 0) -> RunTable: ...
    @staticmethod
    def from_chunks(read: Callable[[int], bytes], name: str) -> RunTable: ...
    @staticmethod
    def from_dict(run: Mapping[QueryId, Mapping[DocumentId, object]]) -> RunTable: ...
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
        """Documents, scores and ranks of one query, in input order; KeyError if it has none."""
    def columns(self) -> tuple[list[str], list[str], list[float], list[int] | None]: ...
    def to_text(self, *, first: int, count: int, tag: str) -> bytes:
        """The lines of some queries in TREC's form; InputError for ids with white space."""

@final
class TraceTable:
    """Calls by task, kept whole: tasks as they first appear, calls by their numbers."""

    @staticmethod
    def from_columns(
        columns: Mapping[str, Any], *, path: str = "", has_ranks: bool = True
    ) -> TraceTable:
        """Takes lists.

        By call: `tasks`, `queries`, `numbers` (None: as they are written), `lines`, `rows`, `reads`
        (-1: not recorded), `tokens`, `seconds`. By result: `documents`, `scores` (NaN: none),
        `ranks`, `starts` and `ends` (each a list or None). By document read: `read`.
        """
    @staticmethod
    def from_lines(path: str, lines: bytes | None = None, threads: int = 0) -> TraceTable | None:
        """Reads JSON Lines: those given, or the uncompressed file.

        None if a line is unusual or wrong: Python must then read them, and says what is wrong.
        """
    @property
    def rows(self) -> int: ...
    @property
    def calls(self) -> int: ...
    @property
    def unscored(self) -> int:
        """How many calls have results without scores."""
    @property
    def most_calls(self) -> int:
        """The calls of the task that has the most."""
    @property
    def reading(self) -> bool:
        """Whether a call says what was read."""
    @property
    def has_ranks(self) -> bool: ...
    @property
    def has_spans(self) -> bool: ...
    def __len__(self) -> int:
        """The number of tasks."""
    def __contains__(self, task: str) -> bool: ...
    def tasks(self) -> list[str]: ...
    def place(self, task: str) -> int:
        """The number of a task; KeyError if there is none."""
    def count(self, task: int) -> int:
        """How many calls a task has, by its number."""
    def call(
        self, task: int, call: int
    ) -> tuple[
        str,
        list[str],
        list[float],
        bool,
        list[int] | None,
        list[float | None] | None,
        list[float | None] | None,
        list[str] | None,
        float,
        float,
    ]:
        """A call: query, documents, scores, whether they were given, ranks, starts, ends, read.

        Then tokens and seconds, NaN if unknown.
        """

def evaluate_calls(
    judgments: JudgmentTable, plan: Plan, traces: TraceTable, threads: int = 0
) -> Batch:
    """Evaluates each call of a judged task as a list, in the order of the tasks.

    Judged tasks without a call come last.
    """

@final
class TiedCalls:
    """Calls of tasks in which the order of tied documents can matter, in both extreme orders."""

def evaluate_tied_calls(
    judgments: JudgmentTable, worst: Plan, best: Plan, traces: TraceTable, threads: int = 0
) -> TiedCalls:
    """Evaluates the tasks of which a call has documents of equal scores and unequal labels.

    Args:
        judgments: The judgments.
        worst: The plan under ``ties="worst"``; its convention skips missing queries.
        best: The same under ``ties="best"``.
        traces: The traces.
        threads: Threads to use; 0 takes one a processor.
    """

def by_task(
    judgments: JudgmentTable,
    plan: Plan,
    traces: TraceTable,
    calls: Batch,
    forms: Sequence[tuple[str, bool, bool, bool]],
    tied: TiedCalls | None = None,
) -> Batch:
    """A row per task, from a row per call.

    Args:
        judgments: The judgments.
        plan: The plan: its decimals round the values of tasks.
        traces: The traces.
        calls: What `evaluate_calls` returned for them.
        forms: For each measure: `mean` (of the calls with a value), `sum`, `first`, `last` or
            `best`; whether the highest is the best; whether numerators are logarithms of values;
            whether numerators and denominators are the value and 1.
        tied: What `evaluate_tied_calls` returned; None if no order of ties matters.
    """

def judged_calls(
    judgments: JudgmentTable,
    plan: Plan,
    traces: TraceTable,
    *,
    tied: bool = False,
    threads: int = 0,
) -> dict[str, Any]:
    """The fields of `JudgedCalls`, under the rules of the plan.

    With `tied`, only the tasks of `evaluate_tied_calls`.
    """

def judged_scores(
    judgments: JudgmentTable, run: RunTable, threads: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Grade and score of every judged document; the score is NaN if the run lacks it."""

@final
class UnjudgedTops:
    """The unjudged documents in the top k of either of two runs.

    They are sorted by query, then by the bytes of their ids. Of the plan, the rules on ties (those
    without a single order count as `doc-desc`), on negative grades and on the precision of scores
    apply.
    """

    def __init__(
        self,
        judgments: JudgmentTable,
        before: RunTable,
        after: RunTable,
        plan: Plan,
        k: int,
        queries: list[str],
        threads: int = 0,
    ) -> None: ...
    @property
    def query(self) -> NDArray[np.uint32]:
        """The index of each one's query in `queries`."""
    @property
    def before(self) -> NDArray[np.uint32]:
        """The rank in the first run's top k, 0 if it is not there."""
    @property
    def after(self) -> NDArray[np.uint32]: ...
    def __len__(self) -> int: ...
    def document(self, place: int) -> str: ...
    def judged_as(self, grade: float) -> JudgmentTable:
        """The judgments, with each of these documents graded so; subtopics are left out."""

def tie_rules() -> dict[str, tuple[str, bool]]:
    """The rules for equal scores: by name what each compares, and whether the highest comes first.

    `document` compares ids; `input` their order in the input; `rank` the rank column; `grade`
    grades, which gives no list to show.
    """

@final
class Rules:
    """The rules that every measure of a plan shares.

    Args:
        ties, unjudged, negative, missing, unretrieved: The fields of `Convention` of the same
            names.
        float32: Compare scores after rounding them to float32.
        decimals: Round each query's value to so many decimals; -1 rounds nothing.
        spans: Measure tied documents in the worst and in the best order, too.
    """

    def __init__(
        self,
        *,
        ties: str = "doc-desc",
        unjudged: str = "nonrelevant",
        negative: str = "nonrelevant",
        missing: str = "zero",
        unretrieved: str = "counted",
        float32: bool = False,
        decimals: int = -1,
        spans: bool = True,
    ) -> None: ...

@final
class Plan:
    """Kernels and rules, compiled once.

    Args:
        kernels: One (name, parameters) per measure, as `Measure.kernel` returns them.
        rules: The rules; None for the default ones.
        without_closed_form: Under ties `expected`, refuse measures without a closed form
            (`error`), or count their worst order.
    """

    def __init__(
        self,
        kernels: Sequence[tuple[str, Mapping[str, object]]],
        rules: Rules | None = None,
        *,
        without_closed_form: Literal["error", "worst"] = "error",
    ) -> None: ...
    @property
    def needs_ranks(self) -> bool:
        """Whether a rank column orders the documents."""
    @property
    def in_worst_order(self) -> list[int]:
        """The kernels that count the worst order, as they have no closed form."""

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
    @property
    def tied(self) -> int:
        """Queries in which a judged document shares its score with another one."""
    @property
    def label_facts(self) -> tuple[float, int, int, float]:
        """Of rows with labels: the highest, how many lie between 0 and 1, how many are below 0, and
        the lowest; NaN without labels.
        """
    def values(self, measure: int) -> list[float]:
        """The values of one measure in the order of `queries`; NaN if undefined."""
    def arrays(
        self, measure: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Values, numerators and denominators without a copy."""
    def levels(self, measure: int) -> list[list[float]]:
        """Positive and negative pairs of equal labels, of `pnr` and `concordance`."""
    def pool(
        self, measure: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], list[int], list[int], list[int]]:
        """Scores of the two classes of `auc`, then by query: its row, and how many of each."""
    def total(self, measure: int) -> Total: ...

@final
class Total:
    """One measure summed over queries: exact, so that merging in any order gives the same bits.

    Threads may share a total: each call changes or reads it as a whole.
    """

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
    def tie_decided(self) -> int:
        """Queries whose value depends on the order of documents with equal scores."""
    def ordered(self, order: Literal["worst", "best"]) -> Total:
        """The same with tied documents in the worst or the best order."""
    def add_orders(
        self,
        as_is: tuple[float, float, float],
        worst: tuple[float, float, float],
        best: tuple[float, float, float],
    ) -> None:
        """Adds a query whose value, numerator and denominator depend on the order of ties."""
    @property
    def equal_pairs(self) -> tuple[float, float]:
        """Positive and negative pairs of equal labels, of `pnr` and `concordance`."""
    def mean_strict(self, undefined: Literal["skip", "zero", "one"] = "skip") -> float:
        """Mean of the values without pairs of equal labels."""
    def mean_random(self, undefined: Literal["skip", "zero", "one"] = "skip") -> float:
        """Mean of the values that random orders would have."""
    @property
    def numerator(self) -> float: ...
    @property
    def denominator(self) -> float: ...
    def mean(self, undefined: Literal["skip", "zero", "one"] = "skip") -> float:
        """Mean of the per-query values, correctly rounded; NaN if no query is left."""
    def ratio(self) -> float:
        """Sum of numerators over sum of denominators; inf for x/0 with x > 0, NaN for 0/0."""
    def auc(self, max_fpr: float = 1.0) -> float:
        """ROC AUC of the pooled pairs; NaN if one class is absent.

        Below 1, `max_fpr` ends the curve; the area is then standardised as McClish (1989) does.
        """
    def drop_scores(self) -> None:
        """Forgets the scores of pooled rows, and with them `auc` and `average_precision`."""
    def set_area(self, area: float) -> None:
        """Sets what `auc` returns for the whole curve, if its pairs were counted elsewhere."""
    def average_precision(self) -> float:
        """Average precision over the thresholds of the pooled rows; NaN without a positive."""
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(state: bytes) -> Total: ...

def evaluate_text(judgments: JudgmentTable, plan: Plan, path: str, threads: int = 0) -> Batch:
    """Evaluates an uncompressed TREC run file, streaming if its lines are grouped by query."""

def evaluate_chunks(
    judgments: JudgmentTable,
    plan: Plan,
    read: Callable[[int], bytes],
    name: str,
    again: Callable[[], Callable[[int], bytes]] | None = None,
    threads: int = 0,
) -> Batch:
    """Evaluates a TREC run read from `read(size)`.

    Streams it if `again` can reopen the input, in case its lines are not grouped by query; without
    `again` the run is kept whole.
    """

def evaluate_delimited(
    judgments: JudgmentTable,
    plan: Plan,
    name: str,
    read: Callable[[int], bytes] | None,
    *,
    separator: str,
    width: int,
    columns: Mapping[str, int],
    threads: int = 0,
) -> Batch | None:
    """Streams a run in CSV or TSV: a file, or what `read(size)` returns.

    Returns None if the rows of a query are not together, or anything is wrong or unusual: the run
    must then be read whole.

    Args:
        judgments: The judgments.
        plan: What to compute.
        name: The file.
        read: Reads the text; None if `name` can be read as it is.
        separator: The text between fields.
        width: How many fields a row has; the first row names them.
        columns: The indices of query, document, score and rank. Without scores, ranks count.
        threads: Threads to use; 0 takes one a processor.
    """

def evaluate_json_lines(
    judgments: JudgmentTable,
    plan: Plan,
    name: str,
    read: Callable[[int], bytes] | None,
    *,
    columns: Mapping[str, str],
    threads: int = 0,
) -> Batch | None:
    """Streams a run in JSON Lines, as `evaluate_delimited` does CSV.

    Args:
        judgments: The judgments.
        plan: What to compute.
        name: The file.
        read: Reads the text; None if `name` can be read as it is.
        columns: The keys of the query, document, score and rank. Without scores, ranks count.
        threads: Threads to use; 0 takes one a processor.
    """

def evaluate_dict(
    judgments: JudgmentTable, plan: Plan, run: Mapping[QueryId, Mapping[DocumentId, object]]
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

@final
class RunParts:
    """A run evaluated part by part; a query's rows may continue in the next part.

    Threads may share it: parts are added one at a time, `finish` is called once.

    Columns are as for `evaluate_arrow`.
    """

    def __init__(self, judgments: JudgmentTable, plan: Plan, threads: int = 0) -> None: ...
    def add(
        self, query: object, document: object, score: object, rank: object | None = None
    ) -> bool:
        """Evaluates a part; False once the rows of a judged query are not together.

        Rows in errors count within the part.
        """
    def finish(self) -> Batch:
        """The result, once all parts are added.

        Raises:
            InputError: If the rows of a judged query are not together.
        """

@final
class LabelledParts:
    """Labelled rows evaluated part by part; a query's rows may continue in the next part.

    Threads may share it: parts are added one at a time, `finish` is called once.

    Columns are as for `evaluate_arrow`; without queries all rows are of the query `all`.
    """

    def __init__(self, plan: Plan, threads: int = 0) -> None: ...
    def add(
        self,
        query: object | None,
        label: object,
        score: object,
        weight: object | None = None,
        document: object | None = None,
    ) -> bool:
        """Evaluates a part; False once a query is scattered or repeats.

        A query repeats if two of its rows may have the same document.
        """
    def finish(self) -> Batch:
        """The result, once all parts are added.

        Raises:
            InputError: If the rows of a query are not together, or it repeats a document.
        """

def evaluate_run(
    judgments: JudgmentTable, plan: Plan, run: RunTable, threads: int = 0
) -> Batch: ...
def evaluate_arrays(
    plan: Plan,
    labels: NDArray[np.generic],
    scores: NDArray[np.generic],
    offsets: NDArray[np.int64] | None = None,
    threads: int = 0,
    weights: NDArray[np.generic] | None = None,
) -> Batch:
    """Evaluates labelled scores: query i has rows offsets[i] to offsets[i + 1].

    `weights`, one per row, are for kernels of pairs and of two classes.

    2-D labels and scores are one query per row, and need no offsets. `queries` is empty: the caller
    knows its groups. Document ids are the row numbers, so the later row comes first only under
    `ties="doc-desc"`; callers pass "input" by default.
    """

def pooled_auc(
    labels: NDArray[np.generic], scores: NDArray[np.generic], threshold: float, threads: int = 0
) -> float:
    """ROC AUC of all rows, ties counted half; labels >= threshold are positive."""

def group_offsets(
    groups: NDArray[np.generic],
) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Offsets of equal neighbouring group ids, and the stable row order to apply first.

    The order is None if every group is already contiguous.
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

def resampled_auc(
    scores: NDArray[np.float64],
    items: NDArray[np.int64],
    positive: NDArray[np.uint8],
    queries: int,
    first: int,
    count: int,
    seed: int,
    threads: int = 0,
) -> NDArray[np.float64]:
    """AUC of all pairs, one per resample, with whole queries drawn with replacement.

    `items` is the query of each row. NaN if a draw has one class only.
    """

def swapped_auc(
    scores: NDArray[np.float64],
    items: NDArray[np.int64],
    positive: NDArray[np.uint8],
    queries: int,
    first: int,
    count: int,
    seed: int,
    threads: int = 0,
) -> NDArray[np.float64]:
    """AUC of the second run less that of the first, whole queries swapped at random.

    Item 2q is query q of the first run, 2q + 1 that of the second.
    """

class AnswerColumns(TypedDict):
    """What `read_answers` returns: a row per answer, but for the last two.

    Attributes:
        query: The id of its query.
        failed: Why it has no results, or an empty text.
        ms: Milliseconds; 0 if they are not written.
        total: How many documents match; NaN if it is not written.
        results: The number of results.
        duplicates: The number of duplicates.
        problems: The number of problems.
        ids: The documents of all answers.
        scores: Their scores; NaN for one without.
    """

    query: ArrowTexts
    failed: ArrowTexts
    ms: NDArray[np.float64]
    total: NDArray[np.float64]
    results: NDArray[np.int64]
    duplicates: NDArray[np.int64]
    problems: NDArray[np.int64]
    ids: ArrowTexts
    scores: NDArray[np.float64]

def read_answers(lines: bytes) -> AnswerColumns | None:
    """Reads the lines of a tape's entries; None if one is not written as tapes are."""

class LetorRows(TypedDict, total=False):
    """What `read_letor` returns.

    Attributes:
        labels: One per row; the place in `names` if labels may be names.
        queries: The query of each run of rows, unless grouped.
        sizes: The length of each run.
        documents: One per row; None if a row has none.
        comments: (row, comment) of comments beyond ASCII, whose documents are not known yet.
        features: A matrix, or (values, columns, offsets of rows).
        width: The number of features.
        names: The distinct labels with their first lines.
        wrong: Number and bytes of a line that cannot be used; then only `names` is there too.
    """

    labels: NDArray[np.float64]
    queries: list[str]
    sizes: NDArray[np.int64]
    documents: list[str] | None
    comments: list[tuple[int, str]]
    features: (
        NDArray[np.float32 | np.float64]
        | tuple[NDArray[np.float32 | np.float64], NDArray[np.int32], NDArray[np.int64]]
    )
    width: int
    names: list[tuple[str, int]]
    wrong: tuple[int, bytes]

def read_letor(
    name: str,
    read: Callable[[int], bytes] | None,
    *,
    grouped: bool,
    named: bool,
    features: str,
    least: float,
    threads: int = 0,
) -> LetorRows:
    """Reads SVMlight or LETOR text: a file, or what `read(size)` returns.

    `grouped`: queries are not in the text; `named`: labels may be names; `features`: "float32",
    "float64", or "" for none; `least`: the share of values that are not 0 below which they are kept
    sparse.
    """

def student(degrees: float, t: float) -> float: ...
def student_quantile(degrees: float, p: float) -> float: ...
def normal(z: float) -> float: ...
def normal_quantile(p: float) -> float: ...
def f_tail(numerator: float, denominator: float, f: float) -> float: ...
def chi_square_tail(degrees: float, x: float) -> float: ...
def binomial(k: float, n: float, p: float) -> float: ...
def binomial_tail(k: float, n: float, p: float) -> float: ...
def judgment_contents(
    table: JudgmentTable, threads: int = 0
) -> tuple[bytes, bytes, bytes, int, list[str], bytes]:
    """SHA-256 of all content, of the queries, and of the documents; the rows; the queries, and the
    SHA-256 of each one's content, one after the other.

    Queries and documents are sorted by the bytes of their ids. Of each document there are the
    length of the id and the id, and if the query has several subtopics, the length of its subtopic
    and the subtopic. A query's content is the SHA-256 of its documents, then their grades or
    scores. All content is each query's length and id, then the SHA-256 of its content. Lengths have
    4 bytes, numbers 8, the highest first; -0 counts as 0.
    """

def run_contents(
    table: RunTable, threads: int = 0
) -> tuple[bytes, bytes, bytes, int, list[str], bytes]:
    """The same of a run, without subtopics."""

def hash_ids(ids: object) -> NDArray[np.uint64]:
    """FNV-1a (64 bits) of the UTF-8 bytes of each id: the same in every version, on every machine.

    Takes a column that exports the Arrow PyCapsule interface; whole numbers count as their decimal
    text, a null is an error.
    """

@final
class FusionMethod:
    """What each run gives to a document, and how that becomes its fused score.

    The names are those of `relyon.ltr.fusion.method.Kernel`.
    """

    def __init__(
        self,
        *,
        points: str,
        tables: Sequence[Sequence[float]],
        beyond: float,
        window: int,
        absent: str,
        absent_value: float,
        combine: str,
        weigh_sum: bool,
    ) -> None: ...

def fuse_runs(
    runs: list[RunTable],
    method: FusionMethod,
    *,
    scaling: str,
    floor: float,
    factors: Sequence[float],
    weights: Sequence[float],
    ties: str,
    top: int,
    threads: int,
) -> RunTable:
    """Fuses several runs into one, with a method as `relyon.ltr.fusion` defines it."""

def longest_list(runs: list[RunTable]) -> int:
    """The most documents that one of the runs has for one query."""

def find_hits(
    judgments: JudgmentTable, run: RunTable, relevant: float, ties: str
) -> list[tuple[int, list[int]]]:
    """For each judged query how many documents were retrieved, and the places of relevant ones.

    Places count from 0.
    """

@final
class ArrowTexts:
    """A column of text that Polars and others import without a copy."""

    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...
    def __len__(self) -> int: ...

class FittedExamination(TypedDict):
    """Attraction by pair with its weight, examination by context, and how the fit ended."""

    attraction: NDArray[np.float64]
    weight: NDArray[np.float64]
    examination: NDArray[np.float64]
    shown: NDArray[np.uint64]
    log_likelihood: float
    change: float
    rounds: int

class FittedProfile(FittedExamination):
    """The same, with the error that examination adds to the logarithm of each attraction."""

    spread: NDArray[np.float64]

class FittedChain(TypedDict):
    """Attraction and satisfaction by pair with their weights, and how the fit ended."""

    attraction: NDArray[np.float64]
    satisfaction: NDArray[np.float64]
    weight: NDArray[np.float64]
    satisfaction_weight: NDArray[np.float64]
    spread: NDArray[np.float64]
    going_on: tuple[float, float, float]
    change: float
    rounds: int

@final
class ClickLog:
    """Distinct sessions of a log, and how often each occurred.

    Threads may share a log: changes run one at a time, reads beside each other.

    Args:
        depth: The last position that counts, 1 to 1000.
        remember: Whether to keep a hash of each session, so that ids need not ascend.
        threads: Threads to use; 0 uses all cores.
    """

    def __init__(self, depth: int, remember: bool = False, threads: int = 0) -> None: ...
    def add(
        self, session: object, query: object, document: object, position: object, clicked: object
    ) -> bool:
        """Adds rows; False once a session may have occurred before.

        Rows in errors count within the part.

        Raises:
            InputError: If an id is empty or a position is below 1.
        """
    def merge(
        self,
        query: object,
        count: object,
        size: object,
        document: object,
        position: object,
        clicked: object,
        faults: tuple[int, int, int],
    ) -> None:
        """Adds distinct sessions of another finished log, which has other sessions.

        Args:
            query: The query of each distinct session.
            count: How often it occurred.
            size: The number of its results.
            document: The document of each result, session after session.
            position: Its position.
            clicked: 1 if it was clicked.
            faults: Its `deep`, `repeated` and `shared`.

        Raises:
            InputError: If the results are not those of the sessions.
        """
    def finish(self) -> bool:
        """Orders what was added; False if a session occurred twice.

        Raises:
            RuntimeError: If it is called twice; so do `add` and `merge` afterwards.
        """
    @property
    def sessions(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def pairs(self) -> int: ...
    @property
    def deep(self) -> int:
        """Results below the last position."""
    @property
    def repeated(self) -> int:
        """Documents that a session showed before."""
    @property
    def shared(self) -> int:
        """Results at a position that another one has."""
    def queries(self) -> ArrowTexts:
        """The query of each pair."""
    def documents(self) -> ArrowTexts:
        """The document of each pair."""
    def patterns(self) -> dict[str, NDArray[Any]]:
        """Distinct sessions: `starts`, `counts`; by result `pairs`, `positions`, `clicked`."""
    def counts(self) -> dict[str, NDArray[Any]]:
        """What closed forms count.

        By pair `shown`, `clicks`, `expected` (clicks at the rates of the positions), `first_shown`
        and `first_clicks` (with no click above), `above` (at or above the last click, or all
        without one) and `last_clicks`; by position `position_shown`, `position_clicks` and
        `position_followed` (clicks before another one).
        """
    def cells(self) -> dict[str, NDArray[Any]]:
        """How often each pair was shown and clicked at each position.

        By cell, in the order of the pairs and then of the positions: `pairs`, `positions`, `clicks`
        and `shown`.
        """
    def examination(
        self,
        context: str,
        rounds: int,
        tolerance: float,
        prior_clicks: float,
        prior_shown: float,
        begin: float,
    ) -> FittedExamination:
        """Fits examination by `position` or `last_click`, times attraction, in so many rounds."""
    def profile(
        self,
        context: str,
        rounds: int,
        tolerance: float,
        prior_clicks: float,
        prior_shown: float,
    ) -> FittedProfile:
        """Fits the same by Newton's method; the examination of the first context is 1."""
    def chain(
        self,
        model: str,
        rounds: int,
        tolerance: float,
        prior_clicks: float,
        prior_shown: float,
        begin: float,
        going_on: float | None = None,
    ) -> FittedChain:
        """Fits `dbn` or `ccm`; `going_on` fixes every continuation probability."""

@final
class Loss:
    """A loss of ranked lists with its parameters, for many calls from any number of threads."""

    def __init__(self, name: str, parameters: Mapping[str, object]) -> None: ...
    def evaluate(
        self,
        labels: NDArray[np.generic],
        scores: NDArray[np.generic],
        offsets: NDArray[np.int64] | None = None,
        weights: NDArray[np.generic] | None = None,
        hessian: bool = True,
        seed: int = 0,
        threads: int = 0,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]:
        """The value of each list, and by row the gradient and the Hessian of their sum."""

@final
class LambdaLists:
    """LambdaRank on rows with constant labels: what depends on them alone is computed once.

    Args:
        parameters: Those of the loss `lambdarank`.
        labels: One per row.
        offsets: Where each list begins, and the number of rows.
        weights: One per row, or None.
    """

    def __init__(
        self,
        parameters: Mapping[str, object],
        labels: NDArray[np.generic],
        offsets: NDArray[np.int64],
        weights: NDArray[np.generic] | None = None,
    ) -> None: ...
    @property
    def effective(self) -> int:
        """Lists in which some order is better than another."""
    def derivatives(
        self, scores: NDArray[np.generic], seed: int = 0, threads: int = 0
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """By row, λ and Hessian of all lists."""

def swap_changes(
    parameters: Mapping[str, object], labels: NDArray[np.generic]
) -> list[NDArray[np.float64]]:
    """The change by each swap of a ranked list: row i, from column i + 1 on."""
