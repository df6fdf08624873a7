"""Early stopping in training: the rows that decide it, and the number of steps."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import Catalogue, message
from relyon.ltr.preparation.query_split import Duplicates, split

if TYPE_CHECKING:
    from relyon.data.labelled import LabelledRows
    from relyon.ltr.rankers.ranker import Ranker

__all__ = [
    "Stopping",
    "chosen_steps",
    "refuse_shared",
    "shared_queries",
    "stop_of",
    "stopped",
    "with_steps",
]

#: The share of the training queries for early stopping, if no rows are given.
SHARE = 0.2


@dataclass(frozen=True)
class Stopping:
    """When training stopped.

    Attributes:
        rule: `significance`, or the number of steps without a better one.
        watched: The share of the training queries that decided, or the file.
        unit: The unit of steps: `trees`, `epochs` or `iterations`.
        most: The maximum number of steps.
        counts: The number chosen in each fold, or on the training rows.
        steps: The number of steps of the final ranker.
    """

    rule: str
    watched: str
    unit: str
    most: int
    counts: tuple[int, ...]
    steps: int

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "rule": self.rule,
            "watched": self.watched,
            "unit": self.unit,
            "most": self.most,
            "counts": list(self.counts),
            "steps": self.steps,
        }

    def text(self, words: Catalogue, measure: str) -> str:
        """Returns a sentence on when training stopped.

        Args:
            words: The texts of training.
            measure: The measure.
        """
        share = self.watched.removeprefix("share=")
        watched = self.watched
        if share != self.watched:
            watched = words.say("stop_share", percent=words.percent(float(share)))
        rule = (
            words["stop_significance"]
            if self.rule == "significance"
            else words.say("stop_rounds", rounds=int(self.rule))
        )
        key = "stopped_folds" if len(self.counts) > 1 else "stopped_once"
        return words.say(
            key,
            rule=rule,
            measure=measure,
            watched=watched,
            counts=", ".join(map(str, self.counts)),
            unit=words[f"unit.{self.unit}"],
            most=self.most,
            steps=self.steps,
        )


def stop_of(ranker: Ranker, given: int | str | None) -> Ranker:
    """Returns a ranker with a rule for early stopping.

    Args:
        ranker: An unfitted ranker.
        given: The rule; None keeps that of the ranker.

    Raises:
        ParameterError: If the ranker has no early stopping.
    """
    known = ranker.get_params(deep=False)
    if given is None:
        return ranker
    if "stop" not in known or getattr(ranker, "steps", None) is None:
        raise ParameterError(message("ltr.cannot-stop-early", name=type(ranker).__name__))
    found: Ranker = ranker.set_params(stop=given)
    return found


def stopped(
    ranker: Ranker,
    rows: LabelledRows,
    watch: LabelledRows | None,
    *,
    seed: int,
    duplicates: Duplicates,
) -> tuple[Ranker, int, str]:
    """Returns a trained ranker with the number of steps that is best on other rows.

    If those are a share of the training queries, the ranker is then trained on all training
    queries with that number of steps.

    Args:
        ranker: An unfitted ranker, with `stop`.
        rows: Training rows, without held-out ones.
        watch: The rows for early stopping; None uses a share of the training queries.
        seed: The seed of the choice of that share.
        duplicates: Keep queries that share a row in the same part.

    Returns:
        The ranker, its number of steps, and a sentence on the measure on the rows for stopping.

    Raises:
        InputError: If there are too few queries.
    """
    from sklearn.base import clone

    if watch is None:
        parts = split(rows, test=SHARE, valid=0, seed=seed, duplicates=duplicates)
        learnt, seen = parts.train, parts.test
    else:
        learnt, seen = rows, watch
    first = clone(ranker).fit(learnt, eval_set=replace(seen, weights=None, positions=None))
    steps = int(first.n_iter_)
    best = first.history_[steps - 1]
    value = best[first.measure_] if isinstance(best, Mapping) else best
    reached = message(
        "ltr.name-steps",
        name=first.steps,
        steps=steps,
        measure=first.measure_,
        value=value,
    )
    if watch is not None:
        return first, steps, reached
    return with_steps(ranker, steps).fit(rows), steps, reached


def with_steps(ranker: Ranker, steps: int) -> Ranker:
    """Returns an unfitted copy of a ranker with a fixed number of steps.

    Args:
        ranker: A ranker.
        steps: The number of steps.
    """
    from sklearn.base import clone

    found: Ranker = clone(ranker).set_params(**{ranker.steps: steps, "stop": None})
    return found


def chosen_steps(counts: tuple[int, ...]) -> int:
    """Returns the number of steps of the ranker that is trained on the queries of all folds.

    It is the median over the folds, which a single fold that stopped too early or late does not
    change.

    Examples:
        >>> chosen_steps((20, 31, 24, 300, 26)), chosen_steps((20, 31))
        (26, 26)
    """
    return round(statistics.median(counts))


def shared_queries(first: LabelledRows, other: LabelledRows) -> list[str]:
    """Returns the queries that two sets of rows share.

    Queries of two files without names for them are never shared.
    """
    if first.numbered and other.numbered and first.source != other.source:
        return []
    return sorted(set(first.queries) & set(other.queries))


def refuse_shared(watch: LabelledRows, held: LabelledRows) -> None:
    """Refuses rows for early stopping whose queries are held out.

    Args:
        watch: The rows for early stopping.
        held: Held-out rows.

    Raises:
        InputError: If they share a query.
    """
    shared = shared_queries(watch, held)
    if shared:
        raise InputError(
            message(
                "ltr.both-watched-and-held",
                count=len(shared),
                query=shared[0],
            ),
            path=watch.path,
            hint=message("ltr.what-decides-when"),
        )
