"""Broken inputs that change a number: lists cut, scores rounded, judgments changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from relyon.core.errors import RelyonError
from relyon.data.judgments import Judgments
from relyon.data.run import Run

if TYPE_CHECKING:
    import polars as pl

    from relyon.analysis.matching.ways import Way
    from relyon.measures.definition import Measure

__all__ = ["Fault", "FoundFault", "broken"]

FaultKind = Literal[
    "cut",
    "rounded",
    "reversed",
    "file_order",
    "binary",
    "shifted",
    "positives",
    "first_query",
    "last_query",
    "judgments",
    "last_copy",
]

DEPTHS = (5, 10, 20, 50, 100, 1000)
DECIMALS = (0, 1, 2, 3, 4, 5, 6)
#: Thresholds and shifts of grades tried.
MOST_LEVELS = 5


@dataclass(frozen=True)
class Fault:
    """How the other program's input may differ from the files.

    Attributes:
        kind: `cut`: the run's lists end at a depth; `rounded`: scores have so many decimals;
            `reversed`: the lowest score is best; `file_order`: the order of the rows ranks, not the
            scores; `binary`: grades from a level on are 1, others 0; `shifted`: a number is added
            to grades; `positives`: only grades above 0 are kept; `first_query`, `last_query`: that
            query is lost; `judgments`: other judgments; `last_copy`: of a document that a list has
            twice the last copy counts, not the first.
        value: The depth, decimals, level, shift, query or file; empty if there is none.
    """

    kind: FaultKind
    value: str = ""


@dataclass(frozen=True)
class FoundFault:
    """A broken input under which a program gives the numbers.

    Attributes:
        fault: What is broken.
        ways: The programs that then give the numbers, the simplest first.
        values: The values under the first of them, by measure.
    """

    fault: Fault
    ways: tuple[Way, ...]
    values: dict[str, float] = field(default_factory=dict)


def broken(
    judgments: Judgments,
    run: Run,
    measures: Sequence[Measure],
    others: Sequence[tuple[str, Judgments]] = (),
) -> Iterator[tuple[Fault, Judgments, Run]]:
    """Yields the files with one thing changed each; what changes nothing is left out.

    Args:
        judgments: The judgments.
        run: The run.
        measures: The measures, whose cutoffs are depths to try.
        others: Further judgments by name.
    """
    for name, one in others:
        yield Fault("judgments", name), one, run
    for fault, changed in _runs(run, measures):
        try:
            yield fault, judgments, Run.from_frame(changed, name=run.name)
        except RelyonError:  # such as no row left
            continue
    if judgments.has_subtopics or judgments.passages is not None:
        return
    for fault, graded in _judgments(judgments):
        try:
            yield fault, Judgments.from_frame(graded, scale=judgments.scale), run
        except RelyonError:
            continue


def _runs(run: Run, measures: Sequence[Measure]) -> Iterator[tuple[Fault, pl.DataFrame]]:
    import polars as pl

    frame = run.to_frame()
    ranked = frame.select("query", "document", "score").with_row_index("row")
    place = (
        pl.struct(pl.col("score"), -pl.col("row").cast(pl.Int64))
        .rank("ordinal", descending=True)
        .over("query")
    )
    if not len(frame):
        return
    placed = ranked.with_columns(place=place)
    longest = placed["place"].max()
    own = {k for one in measures if isinstance(k := getattr(one, "k", None), int)}
    for depth in sorted({*DEPTHS, *own}):
        if isinstance(longest, int) and depth < longest:
            kept = placed.filter(pl.col("place") <= depth)
            yield Fault("cut", str(depth)), kept.select("query", "document", "score")
    plain = ranked.drop("row")
    for decimals in DECIMALS:
        rounded = plain.with_columns(pl.col("score").round(decimals))
        if not rounded.equals(plain):
            yield Fault("rounded", str(decimals)), rounded
    yield Fault("reversed"), plain.with_columns(-pl.col("score"))
    by_row = ranked.with_columns(score=-pl.col("row").cast(pl.Float64)).drop("row")
    yield Fault("file_order"), by_row
    queries = run.queries
    if len(queries) > 1:
        for kind, query in (("first_query", queries[0]), ("last_query", queries[-1])):
            lost = Fault("first_query" if kind == "first_query" else "last_query", query)
            yield lost, plain.filter(pl.col("query") != query)


def _judgments(judgments: Judgments) -> Iterator[tuple[Fault, pl.DataFrame]]:
    import polars as pl

    frame = judgments.to_frame().select("query", "document", "grade")
    grade = pl.col("grade")
    positive = sorted(one for one in frame["grade"].unique().to_list() if one > 0)
    for level in positive[:MOST_LEVELS]:
        binary = frame.with_columns((grade >= level).cast(pl.Float64))
        if not binary.equals(frame):
            yield Fault("binary", f"{level:g}"), binary
    for shift in (-1, 1):
        yield Fault("shifted", f"{shift:+d}"), frame.with_columns(grade + shift)
    kept = frame.filter(grade > 0)
    if 0 < len(kept) < len(frame):
        yield Fault("positives"), kept
