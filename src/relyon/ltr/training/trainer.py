"""Training of a ranker, and its evaluation on held-out queries."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from os import PathLike
from typing import TYPE_CHECKING, Any

from relyon import _native
from relyon.core.notes import Note
from relyon.core.parameters import check_fraction, check_whole
from relyon.data.convention import Convention
from relyon.data.labelled import LabelledRows
from relyon.data.run import Run
from relyon.ltr.preparation.near_copies import copied_queries
from relyon.ltr.preparation.query_split import Duplicates
from relyon.ltr.preparation.row_rules import label_features
from relyon.ltr.rankers.fingerprints import input_fingerprints, label_fingerprint
from relyon.ltr.rankers.models import ranker as make_ranker
from relyon.ltr.rankers.query_rows import known_features
from relyon.ltr.rankers.target_measure import fingerprint
from relyon.ltr.rankers.training_loss import trained_loss, weighs_pairs
from relyon.ltr.rankers.watched_rows import Stop
from relyon.ltr.training.against import earlier_of
from relyon.ltr.training.card import ModelCard, data_facts
from relyon.ltr.training.curve import mean_curve
from relyon.ltr.training.goal import Goal
from relyon.ltr.training.held_out import held_out
from relyon.ltr.training.outcome import Training
from relyon.ltr.training.parts import curves_of, importance_of
from relyon.ltr.training.placement import label_placements
from relyon.ltr.training.plan import Plan, dealt_pairs, without_positions
from relyon.ltr.training.segments import relevant_counts, segment_table, sizes_of
from relyon.ltr.training.stopping_rows import (
    SHARE as WATCHED,
    Stopping,
    chosen_steps,
    refuse_shared,
    shared_queries,
    stop_of,
)
from relyon.measures.definition import Measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.input_fingerprints import InputFingerprints
    from relyon.ltr.rankers.ranker import Ranker

__all__ = ["numbered_documents", "train"]

Progress = Callable[[int, int, str], None]
#: Parameters with fields of their own on the card.
ELSEWHERE = ("convention", "engine", "loss", "measure", "seed", "stop", "threads")


def train(
    data: object,
    ranker: str | Ranker = "lambdamart",
    measure: str | Measure = "ndcg@10",
    *,
    convention: Convention | str | Mapping[str, object] | None = None,
    valid: object = None,
    folds: int = 5,
    search: int = 0,
    stop: Stop = None,
    watch: object = None,
    baseline: str | Ranker | None = "regression",
    against: Ranker | ModelCard | str | PathLike[str] | None = None,
    segments: Mapping[str, str] | None = None,
    level: float = 0.95,
    seed: int = 0,
    threads: int = 0,
    duplicates: Duplicates = "together",
    progress: Progress | None = None,
    **parameters: object,
) -> Training:
    """Trains a ranker, and evaluates it on held-out queries.

    Without `valid`, queries are split into folds: each query is ranked by a ranker trained on the
    other folds, and the returned ranker is trained on all queries. With `valid`, the ranker is
    trained on `data` and evaluated on `valid`.

    A search tries parameters on training queries only: three in four of them train a trial, the
    others score it. With folds it runs once per fold and once for the returned ranker, so the value
    of a query never depends on a search that used it.

    Args:
        data: Rows with labels and features, or any source of `relyon.read_features`.
        ranker: The name of a model, such as `lambdamart`, or an unfitted ranker.
        measure: The measure of the evaluation, and of training if the ranker optimises one.
        convention: The measure's rules.
        valid: Held-out rows.
        folds: The number of folds, 3 or more; without `valid`.
        search: The number of settings that Optuna tries; 0 for no search.
        stop: Early stopping after this number of trees (epochs, iterations) without a better
            measure on `watch`; `significance`: as soon as the measure is significantly worse than
            at its best; None: no early stopping. The steps up to the best one are kept.
        watch: The rows for `stop`, without held-out queries. By default a fifth of the training
            queries: the ranker is trained without them to find the number of trees, and then on
            all training queries with that number. With folds, each fold does so within its own
            training queries, and the returned ranker has the median of their numbers.
        baseline: The model that it is compared with, trained on the same queries with the same
            parameters and the same search; None for no comparison.
        against: An earlier ranker, its model card, or the file of either. A ranker is evaluated on
            `valid`; a card's value is compared if it is the same measure of the same queries, and
            otherwise a note gives the reason. None for no comparison.
        segments: The segment of each query; by default its number of relevant documents.
        level: Confidence level of the intervals.
        seed: The same data and seed give the same ranker.
        threads: Threads to use; 0 uses all cores.
        duplicates: "together" keeps queries that share a row in the same part; "ignore" is for rows
            with the same features by chance.
        progress: Called with the number of rankers trained, their total, and the value so far.
        **parameters: Further parameters of the ranker, such as `trees=200`; a search does not
            change them.

    Raises:
        InputError: If the data cannot be used.
        ParameterError: If a parameter has an invalid value.
        DependencyError: If a package that the ranker or the search needs is not installed.

    Examples:
        >>> import numpy as np, polars as pl, relyon.ltr
        >>> random = np.random.default_rng(1)
        >>> bm25, age = random.normal(size=(2, 600))
        >>> frame = pl.DataFrame({"query": np.arange(600) // 10, "bm25": bm25, "age": age})
        >>> frame = frame.with_columns(label=(pl.col("bm25") > 1).cast(pl.Int64))
        >>> found = relyon.ltr.train(frame, folds=3, trees=10, threads=1)
        >>> found.importance[0].feature, found.found.value > 0.9
        ('bm25', True)
    """
    import numpy as np

    check_fraction("level", level)
    check_whole("search", search, least=0)
    rows = _rows(data)
    watched = None if watch is None else _rows(watch)
    goal = Goal.of(measure, convention, threads)
    shared = {
        "measure": str(goal.measure),
        "convention": goal.convention,
        "seed": seed,
        "threads": threads,
    }
    model = stop_of(_made(ranker, shared, parameters), stop)
    reference = _reference(baseline, model)
    held = rows if valid is None else _rows(valid)
    copies: tuple[Note, ...] = ()
    clusters: NDArray[np.int64] | None = None
    if valid is None:
        dealt = dealt_pairs(rows, check_whole("folds", folds, least=3), seed, duplicates)
        pairs, copies, clusters = dealt.pairs, dealt.notes, dealt.clusters
        # Splits within a fold keep together what these folds do, without looking for it again.
        rows, held, duplicates = dealt.rows, dealt.rows, "ignore"
    else:
        pairs = [(rows, held, np.arange(len(held)))]
    earlier = (
        None
        if against is None
        else earlier_of(against, rows, None if valid is None else held, goal)
    )
    if watched is not None:
        refuse_shared(watched, held)
    steps = len(pairs) * (1 if reference is None else 2) + (valid is None)
    plan = Plan(goal, search, seed, steps, duplicates, tuple(parameters), watched, progress)
    before = None if reference is None else plan.run(reference, without_positions(pairs), held)
    fitted = plan.run(model, pairs, held)
    final, trials = fitted.parts[0].ranker, fitted.trials
    stopping = _stopping(model, fitted.counts, watched)
    if valid is None:
        final, trials, _ = plan.fit(model, rows, None if stopping is None else stopping.steps)
    baseline_values = () if before is None else tuple(before.values)
    inputs = _inputs(rows, held, goal.convention)
    if "trained" in inputs:
        final.data_["inputs"] = inputs["trained"].to_dict()
    card = ModelCard(
        ranker=_name(ranker),
        loss=_loss(final, goal, rows),
        engine=str(getattr(final, "engine", "")) or type(final).__name__,
        parameters=_parameters(final),
        seed=seed,
        data=data_facts(rows),
        measure=str(goal.measure),
        convention=goal.convention,
        fingerprint=fingerprint(goal.measure, goal.convention),
        split=f"folds={folds}" if valid is None else os.path.basename(held.source),
        found=held_out(fitted.values, baseline_values, level=level, groups=clusters),
        baseline="" if baseline is None or reference is None else _name(baseline),
        level=level,
        stopping=stopping,
        versions=_versions(final),
        notes=_distinct(
            [*_notes(rows, held, final, reference), *copies, *goal.notes(held, fitted.scores)]
        ),
        tested=label_fingerprint(held),
        inputs=inputs,
    )
    groups, order = _segments(held, segments)
    beside = None if earlier is None else earlier.beside(card, fitted.values)
    return Training(
        card=card,
        queries=tuple(held.queries),
        values=tuple(fitted.values),
        baseline=baseline_values,
        curve=mean_curve(curves_of(fitted.parts, goal)),
        importance=importance_of(fitted.parts, held, goal, seed=seed, level=level),
        placements=label_placements(held, fitted.scores, level=level),
        segments=segment_table(
            groups, fitted.values, baseline_values, order=order, level=level, groups=clusters
        ),
        trials=trials,
        notes=card.notes if beside is None else (*card.notes, *beside.notes),
        against=beside,
        ranker=final,
        held_out_run=_run(held, fitted.scores, _name(ranker)),
    )


def _rows(data: object) -> LabelledRows:
    """Returns labelled rows with features.

    Raises:
        InputError: If they have none.
    """
    from relyon.io import read_features

    rows = data if isinstance(data, LabelledRows) else read_features(data)
    known_features(rows)
    return rows


def _made(
    ranker: str | Ranker, shared: Mapping[str, object], parameters: Mapping[str, Any]
) -> Ranker:
    """Returns an unfitted ranker.

    Args:
        ranker: A model's name, or a ranker.
        shared: Parameters that are set if the ranker has them.
        parameters: Parameters that the ranker must have.
    """
    if isinstance(ranker, str):
        found = make_ranker(ranker, **parameters)
    else:
        from sklearn.base import clone

        found = clone(ranker).set_params(**parameters)
    known = found.get_params(deep=False)
    chosen = {name: one for name, one in shared.items() if name in known}
    unfitted: Ranker = found.set_params(**chosen)
    return unfitted


def _reference(baseline: str | Ranker | None, model: Ranker) -> Ranker | None:
    """Returns the baseline with all parameters of the ranker except its loss; None if it is equal.

    So they differ in the loss, and not in the number of trees.
    """
    if baseline is None:
        return None
    from sklearn.base import clone

    if isinstance(baseline, str):
        loss = make_ranker(baseline).loss
        found = clone(model)
        if "loss" in found.get_params(deep=False):
            found.set_params(loss=loss)
    else:
        found = clone(baseline)
    same = type(found) is type(model) and found.get_params() == model.get_params()
    return None if same else found


def _loss(ranker: Ranker, goal: Goal, rows: LabelledRows) -> str:
    """Returns the loss of a ranker, with all parameters filled in."""
    given = getattr(ranker, "loss", None)
    if given is None:
        return ""
    return str(trained_loss(given, str(goal.measure), goal.convention, rows))


def _stopping(
    ranker: Ranker, counts: tuple[int, ...], watched: LabelledRows | None
) -> Stopping | None:
    """Returns when training stopped; None without early stopping."""
    if not counts:
        return None
    return Stopping(
        str(ranker.stop),
        f"share={WATCHED:g}" if watched is None else os.path.basename(watched.source),
        ranker.steps,
        int(getattr(ranker, ranker.steps)),
        counts,
        chosen_steps(counts),
    )


def _name(ranker: str | Ranker) -> str:
    return ranker if isinstance(ranker, str) else type(ranker).__name__


def _parameters(ranker: Ranker) -> dict[str, object]:
    """Returns the parameters that have no other field on the card, without those that are None."""
    known = ranker.get_params(deep=False)
    return {
        name: value for name, value in known.items() if name not in ELSEWHERE and value is not None
    }


def _versions(ranker: Ranker) -> dict[str, str]:
    import numpy as np

    return {
        "relyon": _native.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        **ranker._versions(),
    }


def _inputs(
    rows: LabelledRows, held: LabelledRows, convention: Convention
) -> dict[str, InputFingerprints]:
    """Returns the fingerprints of the rows as judgments, of those that have ids."""
    trained = input_fingerprints(rows, convention)
    tested = trained if held is rows else input_fingerprints(held, convention)
    found = {"trained": trained, "held_out": tested}
    return {name: one for name, one in found.items() if one is not None}


def _segments(
    rows: LabelledRows, given: Mapping[str, str] | None
) -> tuple[list[str], Sequence[str]]:
    """Returns the segment of each query, and the segments in order."""
    if given is None:
        return sizes_of(relevant_counts(rows))
    return [str(given.get(query, "-")) for query in rows.queries], list(
        dict.fromkeys(given.values())
    )


def _notes(
    rows: LabelledRows, held: LabelledRows, ranker: Ranker, reference: Ranker | None
) -> tuple[Note, ...]:
    """Returns notes on the rows, and on their use by the rankers."""
    notes = list(rows.notes)
    import numpy as np

    if rows.positions is not None and reference is not None:
        notes.append(Note("baseline-without-positions"))
    elif weighs_pairs(getattr(ranker, "loss", ""), rows):
        notes.append(Note("weighted-pairs", rows.varied(np.asarray(rows.weights))))
    told = label_features(rows)
    notes += [] if told is None else [told]
    if held is not rows:
        notes += [note for note in held.notes if note not in notes]
        shared = shared_queries(rows, held)
        if shared:
            notes.append(Note("shared-queries", len(shared), "warning", tuple(shared[:3])))
        copied, original = copied_queries(rows, held)
        if copied:
            values = {"total": len(held.queries), "first": copied[0], "second": original}
            key = "queries-near.sides"
            notes.append(Note("queries-near", len(copied), "warning", values=values, key=key))
    return tuple(notes)


def _distinct(notes: Sequence[Note]) -> tuple[Note, ...]:
    return tuple(note for place, note in enumerate(notes) if note not in notes[:place])


def _run(rows: LabelledRows, scores: NDArray[np.float64], name: str) -> Run:
    import numpy as np

    queries = np.repeat(np.asarray(rows.queries, dtype=object), np.diff(rows.groups))
    documents = rows.documents or numbered_documents(rows)
    return Run.from_arrays(queries.tolist(), documents, scores, name=name)


def numbered_documents(rows: LabelledRows) -> list[str]:
    """Returns `1`, `2`, … for the rows of each query, as ids of rows without them.

    Args:
        rows: Labelled rows.
    """
    return [
        str(place + 1)
        for start, end in pairwise(rows.groups.tolist())
        for place in range(end - start)
    ]
