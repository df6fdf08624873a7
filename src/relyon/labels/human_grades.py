"""Labels against the grades of people: measures, pairs in another order, and where they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from relyon.analysis.comparison import compare_results
from relyon.analysis.comparison.pairing import Sample, common_values
from relyon.analysis.statistics.bounded import mean_interval
from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.convention import load_convention
from relyon.data.judgments import Judgments
from relyon.evaluation import Evaluator
from relyon.evaluation.scores import array_rules
from relyon.labels.agreement import Agreement, Disagreement, Graded, HumanComparison, PairOrder
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from relyon.data.convention import Convention
    from relyon.evaluation import MeasureNames
    from relyon.labels.log import ClickLog
    from relyon.labels.model import FittedModel

    Values = NDArray[np.float64]

__all__ = ["MEASURES", "Pool", "compare_with_people", "pool_of"]

#: Order at the top, all pairs, pairs of one query, and how alike the orders are.
MEASURES = ("ndcg@10", "auc", "gauc", "tau")
#: Draws of an interval of a pooled AUC.
RESAMPLES = 2000
#: Notes that the comparison says itself.
SAID = ("undefined-queries", "unpaired-queries")
#: Distinct sessions whose results are added up at once.
SESSIONS = 1 << 20


class Pool(NamedTuple):
    """The pairs that people graded and the log has.

    Attributes:
        rows: `query`, `document`, `grade`, the `pair` of the log, `impressions` and their mean
            `position`, sorted by query and document.
        judgments: What people graded.
        matched: Pairs that the log has, those of queries with one grade only included.
        single: Queries left out, as people gave all their documents one grade.
    """

    rows: pl.DataFrame
    judgments: Judgments
    matched: int
    single: int


def pool_of(judgments: Judgments, log: ClickLog) -> Pool:
    """Returns the pairs that people graded and the log has, in queries with different grades.

    Raises:
        InputError: If they have no pair in common.
    """
    import polars as pl

    grades = judgments.to_frame().group_by("query", "document").agg(pl.col("grade").max())
    known = log.pairs.with_row_index("pair")
    rows = grades.join(known, on=["query", "document"]).sort("query", "document")
    if rows.is_empty():
        named = (frame.get_column("query").unique().sort().head(3) for frame in (grades, known))
        theirs, ours = (", ".join(one) for one in named)
        both = grades.join(known.select("query").unique(), on="query").height
        raise InputError(
            message("labels.judgments-and-log"),
            path=judgments.path,
            hint=message("labels.both-name-same-queries")
            if both
            else message(
                "labels.look-at-queries-ids",
                theirs=theirs,
                ours=ours,
            ),
        )
    tells = rows.filter(pl.col("grade").n_unique().over("query") > 1)
    single = rows.get_column("query").n_unique() - tells.get_column("query").n_unique()
    shown, positions = _shown(log)
    pairs = tells.get_column("pair").to_numpy()
    tells = tells.with_columns(
        impressions=pl.Series(shown[pairs], dtype=pl.Float64),
        position=pl.Series(positions[pairs], dtype=pl.Float64),
    )
    return Pool(tells, judgments, rows.height, single)


def _shown(log: ClickLog) -> tuple[Values, Values]:
    """Returns how often each pair was shown, and its mean position."""
    import numpy as np

    patterns = log.patterns
    shown, positions = (np.zeros(log.pairs.height) for _ in range(2))
    for first in range(0, len(patterns.counts), SESSIONS):
        counts = patterns.counts[first : first + SESSIONS].astype(np.float64)
        starts = patterns.starts[first : first + len(counts) + 1]
        weights = np.repeat(counts, np.diff(starts))
        rows = slice(starts[0], starts[-1])
        shown += np.bincount(patterns.pairs[rows], weights, len(shown))
        positions += np.bincount(
            patterns.pairs[rows], weights * patterns.positions[rows], len(shown)
        )
    return shown, positions / shown


def compare_with_people(
    pool: Pool,
    fitted: Sequence[FittedModel],
    *,
    measures: MeasureNames = MEASURES,
    convention: Convention | str | Mapping[str, object] | None = None,
    level: float = 0.95,
    examples: int = 10,
    threads: int = 0,
) -> HumanComparison:
    """Compares the labels of fitted models with the grades of people.

    A model's labels are the scores of a run that returns the documents of the pool, so measures,
    ties, intervals and tests are those of `relyon.compare`. The ideal of NDCG is made of the same
    documents: it says how well the labels order them, and not what the log lacks.

    Args:
        pool: What `pool_of` returned.
        fitted: The models; differences are to the first.
        measures: Names such as `ndcg@10`, `auc(rel=2)`.
        convention: As for `relyon.evaluate`. If it breaks ties by document id, equal labels count
            as the mean over their orders instead, as in training.
        level: Confidence level of the intervals.
        examples: The most examples of documents in another order, per model.
        threads: Threads to use; 0 uses all cores.

    Raises:
        ParameterError: If ties are ordered by a column of ranks, which labels do not have.
        UnknownNameError: If a measure or preset has no such name.
    """
    labels = [_labelled(pool, one, level) for one in fitted]
    names = [one.model.name for one in fitted]
    evaluator = Evaluator(
        Judgments.from_frame(pool.rows.select("query", "document", "grade")),
        convention=array_rules(load_convention(convention)),
        scale=pool.judgments.scale,
        threads=threads,
    )
    found: tuple[Agreement, ...] = ()
    notes: tuple[Note, ...] = ()
    if pool.rows.height:
        found, notes = _measured(evaluator, labels, names, measures, level, threads)
    orders, disagreements = [], []
    for name, frame in zip(names, labels, strict=True):
        order, reversals = _orders(name, frame, examples)
        orders.append(order)
        disagreements += reversals
    return HumanComparison(
        agreements=found,
        orders=tuple(orders),
        disagreements=tuple(disagreements),
        judged=len(pool.judgments),
        matched=pool.matched,
        pairs=pool.rows.height,
        queries=pool.rows.get_column("query").n_unique(),
        single=pool.single,
        level=level,
        convention=evaluator.convention,
        source=pool.judgments.source,
        notes=notes,
    )


def _labelled(pool: Pool, fitted: FittedModel, level: float) -> pl.DataFrame:
    """Returns the rows of a pool with a model's labels: `relevance`, `low`, `high`, `weight`."""
    return pool.rows.join(
        fitted.relevance(level), on=["query", "document"], how="left", maintain_order="left"
    )


def _measured(
    evaluator: Evaluator,
    labels: Sequence[pl.DataFrame],
    names: Sequence[str],
    measures: MeasureNames,
    level: float,
    threads: int,
) -> tuple[tuple[Agreement, ...], tuple[Note, ...]]:
    results = [
        evaluator.evaluate(
            frame.select("query", "document", score="relevance"), measures, name=name
        )
        for frame, name in zip(labels, names, strict=True)
    ]
    comparison = None
    if len(results) > 1:
        comparison = compare_results(
            results, confidence=level, resamples=RESAMPLES, threads=threads
        )
    found = []
    for result in results:
        for measure in result.entries:
            queries, rows = common_values([Sample.of(result, measure)])
            contrast = None
            if comparison is not None and result is not results[0]:
                contrast = comparison.contrast(result.run, measure)
            found.append(
                Agreement(
                    model=result.run,
                    measure=measure,
                    value=result[measure],
                    interval=mean_interval(rows[0], *parse_measure(measure).bounds, level).bounds,
                    queries=len(queries),
                    contrast=contrast,
                )
            )
    notes = results[0].notes if comparison is None else comparison.notes
    # The queries that each number rests on are shown beside it.
    return tuple(found), tuple(one for one in notes if one.kind not in SAID)


def _orders(model: str, frame: pl.DataFrame, examples: int) -> tuple[PairOrder, list[Disagreement]]:
    """Counts pairs of documents that people graded differently, by the certainty of the labels."""
    import numpy as np

    counts = np.zeros(3, np.int64)
    worst: list[tuple[float, pl.DataFrame, int, int]] = []
    for _, rows in frame.group_by("query", maintain_order=True):
        grades, low, high = (rows.get_column(name).to_numpy() for name in ("grade", "low", "high"))
        # A label at 0 or 1 has no interval: nothing is sure about it.
        bare = ~(high > low)
        low, high = np.where(bare, -np.inf, low), np.where(bare, np.inf, high)
        for gap, preferred, other in _reversals(grades, low, high, counts):
            worst.append((gap, rows, preferred, other))
    worst.sort(key=lambda one: (-one[0], one[1].item(0, "query")))
    found = [
        Disagreement(model, rows.item(0, "query"), _graded(rows, preferred), _graded(rows, other))
        for _, rows, preferred, other in worst[:examples]
    ]
    agree, reverse, pairs = map(int, counts)
    return PairOrder(model, pairs, agree, reverse), found


def _reversals(
    grades: Values, low: Values, high: Values, counts: NDArray[np.int64]
) -> Iterator[tuple[float, int, int]]:
    """Adds up one query's pairs, and yields the one whose labels are furthest apart in reverse."""
    import numpy as np

    worst = (0.0, -1, -1)
    for grade in np.unique(grades)[1:]:
        better, worse = np.flatnonzero(grades == grade), np.flatnonzero(grades < grade)
        lows, highs = np.sort(low[worse]), np.sort(high[worse])
        counts[0] += np.searchsorted(highs, low[better], "left").sum()
        counts[1] += (len(worse) - np.searchsorted(lows, high[better], "right")).sum()
        counts[2] += len(better) * len(worse)
        first, second = better[np.argmin(high[better])], worse[np.argmax(low[worse])]
        gap = float(low[second] - high[first])
        if gap > worst[0]:
            worst = (gap, int(first), int(second))
    if worst[0] > 0:
        yield worst


def _graded(rows: pl.DataFrame, place: int) -> Graded:
    row = rows.row(place, named=True)
    return Graded(
        document=row["document"],
        grade=row["grade"],
        label=row["relevance"],
        interval=(row["low"], row["high"]),
        weight=row["weight"],
        impressions=int(row["impressions"]),
        position=row["position"],
    )
