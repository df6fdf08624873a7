"""Click models against each other: fitted on one part of a log, looked at on another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from relyon.analysis.statistics import ratio_of_sums
from relyon.core.errors import ParameterError
from relyon.core.notes import warn
from relyon.core.parameters import check_fraction, check_whole
from relyon.core.texts import message
from relyon.data.convention import load_convention
from relyon.io import read_judgments
from relyon.labels.comparison import ModelComparison, ModelFit
from relyon.labels.derivation import model_of
from relyon.labels.human_grades import MEASURES, compare_with_people, pool_of
from relyon.labels.lists import Lists, lists_of
from relyon.labels.log import Fold, read_folds
from relyon.labels.perplexity import (
    by_position,
    log_likelihood,
    perplexity,
    reliability,
    sums_by_query,
)
from relyon.labels.position_bias.log_estimate import estimate_bias
from relyon.labels.rules import Rules
from relyon.measures.parser import measures as parse_measures

if TYPE_CHECKING:
    from relyon.data.convention import Convention
    from relyon.data.scale import Scale
    from relyon.evaluation import MeasureNames
    from relyon.labels.model import ClickModel, FittedModel, Values
    from relyon.labels.position_bias.estimator import Estimator

__all__ = ["compare_models"]


def compare_models(
    sessions: object,
    models: Sequence[str | ClickModel] = ("pbm", "ubm", "dbn"),
    *,
    depth: int = 10,
    min_dwell: float | None = None,
    parts: int = 5,
    judgments: Any = None,
    measures: MeasureNames = MEASURES,
    convention: Convention | str | Mapping[str, Any] | None = None,
    scale: Scale | str | None = None,
    examples: int = 10,
    estimators: Sequence[str | Estimator] = (),
    level: float = 0.95,
    threads: int = 0,
) -> ModelComparison:
    """Fits click models on most sessions of a log and lets them foresee the clicks of the rest.

    Held-out sessions are chosen by their ids: the same ones every time. Intervals are of the mean
    difference per session, its variance that of a ratio over queries, so that the many sessions of
    one query count as one observation.

    With the grades of people, the labels that each model finds in those sessions are compared with
    them, too: a model's labels are the scores of a run that returns what people graded and the log
    shows, so ties, intervals and tests are those of `relyon.compare`. Queries all of whose
    documents have one grade say nothing of an order, and are left out.

    Args:
        sessions: What `relyon.read_sessions` takes.
        models: Click models or their names; differences are to the first.
        depth: Ignore positions after this one.
        min_dwell: Clicks after which the user stayed for fewer seconds do not count.
        parts: Hold out one session in N.
        judgments: What people graded, as for `relyon.evaluate`; `None` leaves people out.
        measures: By which labels are compared with the grades: names such as `ndcg@10`, or
            `auc(rel=2)` where a document is good from grade 2.
        convention: As for `relyon.evaluate`: ties, gains and the like.
        scale: The scale of the grades.
        examples: The most examples per model of documents that people order otherwise.
        estimators: Estimators of position bias to set beside what the models hold of it, as for
            `estimate_bias`: they look at the sessions that the models are fitted on.
        level: Confidence level of the intervals.
        threads: Threads to use; 0 uses all cores.

    Raises:
        InputError: If the log has no clicks, has too few sessions, or shows nothing that people
            graded.
        ParameterError: If no model is named, or one twice.
        UnknownNameError: If no model, measure or preset has that name.

    Examples:
        >>> import polars as pl
        >>> rows = [
        ...     (n, f"q{n % 3}", doc, at, doc == "good" and n % 4 > 0)
        ...     for n in range(300)
        ...     for at, doc in enumerate(("poor", "good") if n % 2 else ("good", "poor"), 1)
        ... ]
        >>> names = ["session", "query", "doc", "position", "clicked"]
        >>> log = pl.DataFrame(rows, names, orient="row")
        >>> grades = {f"q{n}": {"good": 2, "poor": 0} for n in range(3)}
        >>> found = compare_models(log, ["dctr", "pbm"], judgments=grades, measures="gauc")
        >>> found.people["pbm", "gauc"].value, found.people.decided
        (1.0, ())
    """
    import numpy as np

    chosen = [model_of(model) for model in models]
    names = [model.name for model in chosen]
    if not chosen or len(set(names)) < len(names):
        raise ParameterError(message("name each click model once"), hint="such as pbm, ubm, dbn")
    check_whole("parts", parts, least=2)
    check_whole("examples", examples, least=0)
    check_fraction("level", level)
    graded = None if judgments is None else read_judgments(judgments, scale=scale)
    asked, rules = parse_measures(measures), load_convention(convention)
    folds = [Fold(0, parts), Fold(0, parts, inside=False)]
    held, train = read_folds(sessions, folds, rules=Rules(depth, min_dwell), threads=threads)
    pool = None if graded is None else pool_of(graded, train)
    lists = lists_of(held)
    fitted = [model.fit(train) for model in chosen]
    people = None
    if pool is not None:
        people = compare_with_people(
            pool,
            fitted,
            measures=asked,
            convention=rules,
            level=level,
            examples=examples,
            threads=threads,
        )
    notes = (*train.notes, *(people.notes if people else ()))
    warn(train.notes)
    return ModelComparison(
        fits=tuple(_fits(lists, fitted, level)),
        trained=train.sessions,
        tested=held.sessions,
        level=level,
        source=train.source,
        notes=notes,
        clicks=tuple(by_position(lists, lists.clicked.astype(np.float64)).tolist()),
        people=people,
        bias=estimate_bias(train, estimators, level=level) if estimators else None,
    )


def _fits(lists: Lists, fitted: Sequence[FittedModel], level: float) -> Iterator[ModelFit]:
    """Lets models foresee the clicks of lists."""
    import numpy as np

    counts = lists.counts
    sessions = sums_by_query(lists, np.ones(len(lists)))
    first: Values | None = None
    for one in fitted:
        alone = one.click_probabilities(lists)
        given = one.click_probabilities(lists, conditional=True)
        likelihood = log_likelihood(lists, given)
        first = likelihood if first is None else first
        gains = sums_by_query(lists, likelihood - first)
        difference = ratio_of_sums(gains, sessions)
        positions = perplexity(lists, alone)
        yield ModelFit(
            model=one.model.name,
            log_likelihood=float(likelihood @ counts / counts.sum()),
            difference=difference.value,
            interval=difference.interval(level),
            perplexity=_mean(positions),
            conditional_perplexity=_mean(perplexity(lists, given)),
            by_position=tuple(positions.tolist()),
            examination=tuple(one.examination(lists, alone).tolist()),
            reliability=reliability(lists, alone, level),
        )


def _mean(values: Values) -> float:
    known = [float(value) for value in values if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan
