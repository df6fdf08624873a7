"""Training of fusion methods on judgments and runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from relyon import _native
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.data.judgments import Judgments
from relyon.data.run import Run
from relyon.evaluation import evaluate
from relyon.io import read_judgments
from relyon.ltr.fusion.inputs import Ties, named_runs
from relyon.ltr.fusion.method import Method, method_of
from relyon.ltr.fusion.trained import Hits, TrainedMethod

__all__ = ["JudgedRuns", "train_fusion", "trained_method"]


class JudgedRuns:
    """Runs on judged queries.

    Args:
        judgments: The grades.
        runs: The runs.
        ties: The order of equal scores.
        relevant: The lowest relevant grade.

    Raises:
        InputError: If no judged query is in any run.
    """

    def __init__(
        self, judgments: Judgments, runs: Sequence[Run], ties: Ties, relevant: float
    ) -> None:
        self._judgments = judgments
        self._runs = runs
        self._ties = ties
        self._relevant = relevant
        found = [_native.find_hits(judgments.table, run.table, relevant, ties) for run in runs]
        kept = [
            number
            for number in range(len(judgments.table))
            if any(lists[number][0] for lists in found)
        ]
        if not kept:
            raise InputError(
                message("ltr.none-of-runs-contains"),
                hint=message("ltr.train-on-judgments"),
            )
        self._hits = [[lists[number] for number in kept] for lists in found]

    def hits(self) -> list[list[Hits]]:
        """Returns for each run the list of each judged query."""
        return self._hits

    def average_precision(self) -> list[float]:
        """Returns the mean average precision of each run; 0 for queries without relevant ones."""
        measure = f"ap(rel={self._relevant:g})"
        rules = {"ties": self._ties, "undefined": "zero"}
        answering = [any(retrieved for retrieved, _ in lists) for lists in self._hits]
        return [
            evaluate(self._judgments, run, [measure], convention=rules)[measure] if answers else 0.0
            for run, answers in zip(self._runs, answering, strict=True)
        ]


def trained_method(
    method: Method, judgments: object, runs: Sequence[Run], ties: Ties, relevant: float = 1
) -> Method:
    """Returns the method, trained if it is a trained method."""
    if not isinstance(method, TrainedMethod):
        return method
    return method.learn(JudgedRuns(read_judgments(judgments), runs, ties, relevant))


def train_fusion(
    judgments: object,
    runs: Iterable[object] | Mapping[str, object],
    method: str | Method,
    *,
    ties: Ties = "doc-desc",
    relevant: float = 1,
    **parameters: object,
) -> Method:
    """Trains a fusion method on judged queries, for use on others.

    Args:
        judgments: Judgments of the training queries, in any form that `relyon.evaluate` takes.
        runs: Two or more runs, in the order for `relyon.fuse`.
        method: `posfuse`, `slidefuse`, `probfuse`, `segfuse`, `mapfuse` or `bayesfuse`.
        ties: The order of equal scores, as in `relyon.fuse`.
        relevant: The lowest grade that counts as relevant.
        parameters: The method's parameters, such as `segments`.

    Returns:
        The trained method, for `relyon.fuse`.

    Raises:
        ParameterError: If the method is not a trained method.
        InputError: If no judged query is in the runs.

    Examples:
        >>> import relyon
        >>> judgments = {"q1": {"a": 1}, "q2": {"b": 1}}
        >>> bm25 = {"q1": {"a": 9.1, "b": 7.5}, "q2": {"a": 3, "b": 2}, "q3": {"c": 2, "d": 1}}
        >>> dense = {"q1": {"a": 0.9, "c": 0.8}, "q2": {"b": 0.9}, "q3": {"d": 0.9}}
        >>> method = relyon.train_fusion(judgments, [bm25, dense], "posfuse")
        >>> method.probabilities
        ((0.5, 0.5), (1.0, 0.0))
        >>> relyon.fuse([bm25, dense], method).documents("q3")
        [('d', 1.5), ('c', 0.5)]
    """
    chosen = method_of(method, parameters)
    if not isinstance(chosen, TrainedMethod):
        raise ParameterError(
            message(
                "ltr.fusion-method-is-not-trained",
                chosen_name=chosen.name,
            ),
            hint=message("ltr.relyon-optimize-fusion-finds-parameters"),
        )
    found = named_runs(runs)
    return trained_method(chosen, judgments, found, ties, relevant)
