"""Early stopping in a training: on which rows it is decided, and how many steps that leaves."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import Catalogue, message
from relyon.ltr.preparation.query_split import Duplicates, split

if TYPE_CHECKING:
    from relyon.data.labelled import LabelledRows

__all__ = [
    "Stopping",
    "chosen_steps",
    "refuse_shared",
    "shared_queries",
    "stop_of",
    "stopped",
    "with_steps",
]

#: The share of the training queries that is watched, where no rows are given for that.
SHARE = 0.2


@dataclass(frozen=True)
class Stopping:
    """When trainings stopped.

    Attributes:
        rule: `significance`, or after so many steps without a better one.
        watched: The share of the training queries that was watched, or the file.
        unit: What is counted: `trees`, `epochs` or `iterations`.
        most: How many there could be.
        counts: How many were chosen in each fold, or on the training rows.
        steps: How many the ranker has that is returned.
    """

    rule: str
    watched: str
    unit: str
    most: int
    counts: tuple[int, ...]
    steps: int

    def to_dict(self) -> dict[str, Any]:
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
        """Says it in a sentence.

        Args:
            words: The texts of training.
            measure: What was watched.
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


def stop_of(ranker: Any, given: int | str | None) -> Any:
    """Returns a ranker that stops as is asked for.

    Args:
        ranker: A ranker that is not trained.
        given: When to stop; None leaves what the ranker itself says.

    Raises:
        ParameterError: If it cannot stop early.
    """
    known = ranker.get_params(deep=False)
    if given is None:
        return ranker
    if "stop" not in known or getattr(ranker, "steps", None) is None:
        raise ParameterError(message("ltr.cannot-stop-early", name=type(ranker).__name__))
    return ranker.set_params(stop=given)


def stopped(
    ranker: Any,
    rows: LabelledRows,
    watch: LabelledRows | None,
    *,
    seed: int,
    duplicates: Duplicates,
) -> tuple[Any, int, str]:
    """Returns a trained ranker with the number of steps that is best on rows it does not learn.

    Where those are a share of the training queries, the ranker is trained again on all of them,
    with that number of steps: none are lost.

    Args:
        ranker: A ranker that is not trained, with `stop`.
        rows: Training rows; nothing that is held out may be among them.
        watch: Rows to watch; None puts a share of the training queries aside.
        seed: Of the share.
        duplicates: Keep queries that share a row in the same part.

    Returns:
        The ranker, its number of steps, and the measure that was reached on the watched rows.

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
    said = message(
        "ltr.name-steps",
        name=first.steps,
        steps=steps,
        measure=first.measure_,
        value=value,
    )
    if watch is not None:
        return first, steps, said
    return with_steps(ranker, steps).fit(rows), steps, said


def with_steps(ranker: Any, steps: int) -> Any:
    """Returns a ranker, not trained, that makes so many steps.

    Args:
        ranker: A ranker.
        steps: How many.
    """
    from sklearn.base import clone

    return clone(ranker).set_params(**{ranker.steps: steps, "stop": None})


def chosen_steps(counts: tuple[int, ...]) -> int:
    """Returns the number of steps of the ranker that learns from the queries of all folds.

    The median of the folds' numbers: one fold that stopped far too early or late does not move it.

    Examples:
        >>> chosen_steps((20, 31, 24, 300, 26)), chosen_steps((20, 31))
        (26, 26)
    """
    return round(statistics.median(counts))


def shared_queries(first: LabelledRows, other: LabelledRows) -> list[str]:
    """Returns the queries that two sets of rows share.

    Queries of two files that do not name theirs share nothing but numbers.
    """
    if first.numbered and other.numbered and first.source != other.source:
        return []
    return sorted(set(first.queries) & set(other.queries))


def refuse_shared(watch: LabelledRows, held: LabelledRows) -> None:
    """Refuses rows to watch whose queries are held out: they would choose their own steps.

    Args:
        watch: Rows to watch.
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
