"""A metric of the shape of torchmetrics, for any measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from relyon.core.errors import InputError
from relyon.core.rules import tie_rule
from relyon.core.texts import message
from relyon.data.convention import Convention, load_convention
from relyon.evaluation import evaluate, evaluate_scores
from relyon.evaluation.results import Results
from relyon.evaluation.scores import array_rules
from relyon.ltr.torch.states import KINDS, Rows
from relyon.measures.parser import measures as parse_measures

if TYPE_CHECKING:
    from relyon.data.scale import Scale
    from relyon.measures.definition import Measure

__all__ = ["Relevance"]


class Relevance(Rows):
    """Measures of all rows seen, over batches and processes, as a metric of torchmetrics.

    If torchmetrics is installed this is a `torchmetrics.Metric`, so it works in a
    `MetricCollection` and in Lightning; otherwise it has the same methods. Rows are kept until
    `reset`, in double precision, and evaluated as by `relyon.evaluate_scores`: documents have no
    ids, so tied scores have the mean over their orders unless the convention says otherwise.

    **Processes.** `compute` merges the rows of all processes first, so a query may be split over
    them and over batches, and the result has the bits of one process. It holds for every tie rule
    but `input` and `input-desc`, where rows count in the order of ranks, then of updates. A sampler
    that repeats rows so that all ranks get as many (`DistributedSampler` without `drop_last`) adds
    documents: rows have no ids by which to drop them.

    **Documents that were not retrieved.** A row with the score -inf is judged but not ranked: it
    counts in ideal lists and in recall. Without these rows NDCG knows only what was retrieved, and
    is too high. With them, measures without a formula for the mean over orders, such as bpref, need
    `convention={"ties": "worst"}`.

    Args:
        measures: A name, for a metric whose value is a number; or several, for a dict.
        ignore_index: Rows with this target are left out, such as padding.
        convention: See `relyon.evaluate`.
        scale: See `relyon.evaluate`.
        settings: Those of `torchmetrics.Metric`.

    Raises:
        UnknownNameError: If a measure has no such name.

    Examples:
        >>> import torch
        >>> from relyon.ltr.torch import Relevance
        >>> metric = Relevance("ndcg@10")
        >>> metric.update(torch.tensor([0.1, 0.9]), torch.tensor([1, 0]), torch.tensor([0, 0]))
        >>> metric.update(torch.tensor([0.3, 0.2]), torch.tensor([3, 1]), torch.tensor([1, 1]))
        >>> round(float(metric.compute()), 6)
        0.815465
        >>> metric.results().values_by_query("ndcg@10")["1"]
        1.0
    """

    def __init__(
        self,
        measures: str | Measure | Sequence[str | Measure] = "ndcg@10",
        *,
        ignore_index: int | None = None,
        convention: Convention | str | Mapping[str, object] | None = None,
        scale: Scale | str | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        self.measures = parse_measures(measures)
        self.single = not isinstance(measures, (list, tuple)) and len(self.measures) == 1
        self.ignore_index = ignore_index
        self.convention = load_convention(convention)
        self.scale = scale

    @property
    def higher_is_better(self) -> bool | None:
        """Whether a higher value is better; None if the measures differ."""
        found = {one.better != "lower" for one in self.measures}
        return found.pop() if len(found) == 1 else None

    def update(self, preds: Tensor, target: Tensor, indexes: Tensor) -> None:
        """Keeps the rows of a batch.

        Args:
            preds: Scores, of any shape; -inf for a judged document that was not retrieved.
            target: Grades, in the same shape.
            indexes: The number of each row's query, whole numbers in the same shape.

        Raises:
            InputError: If shapes differ, a score is NaN or +inf, or numbers of queries are not
                whole.
        """
        given = {"target": target, "indexes": indexes}
        for name, other in given.items():
            if tuple(other.shape) != tuple(preds.shape):
                shapes = {"shape": str(tuple(other.shape)), "shape_2": str(tuple(preds.shape))}
                raise InputError(message("ltr.and-scores-differ", name=f"`{name}`", **shapes))
        if indexes.is_floating_point() or indexes.dtype == torch.bool:
            raise InputError(message("ltr.indexes-are-not-whole", kind=str(indexes.dtype)))
        rows = {name: one.detach().reshape(-1) for name, one in {"preds": preds, **given}.items()}
        if preds.device.type == "mps":  # which has no double precision
            rows = {name: one.cpu() for name, one in rows.items()}
        kept = {name: rows[name].to(kind) for name, kind in KINDS.items()}
        if self.ignore_index is not None:
            known = kept["target"] != self.ignore_index
            kept = {name: one[known] for name, one in kept.items()}
        scores = kept["preds"]
        if bool((scores.isnan() | scores.isposinf()).any()):
            raise InputError(
                message("ltr.preds-are-not-numbers"), hint=message("ltr.preds-may-be-minus-inf")
            )
        for name, one in kept.items():
            getattr(self, name).append(one)

    def compute(self) -> Any:
        """Returns a tensor, or a dict of one per measure, over the rows of all processes.

        Raises:
            InputError: If there are no rows.
        """
        with self._merged_in_compute():
            return self._value()

    def results(self) -> Results:
        """Returns everything on the rows of all processes: values by query, notes, the rules.

        Raises:
            InputError: If there are no rows.
        """
        with self._merged():
            return self._evaluated()

    def _value(self) -> Any:
        found = self._evaluated()
        values = {str(one): torch.tensor(found[one], dtype=torch.float64) for one in self.measures}
        return values[str(self.measures[0])] if self.single else values

    def _evaluated(self) -> Results:
        rows = {name: one.numpy() for name, one in self._rows().items()}
        scores, grades, queries = rows["preds"], rows["target"], rows["indexes"]
        if not len(scores):
            raise InputError(message("ltr.metric-has-no-rows"))
        if tie_rule(self.convention.ties).key == "input":
            order = np.argsort(queries, kind="stable")
        else:
            order = np.lexsort((grades, -scores, queries))
        scores, grades, queries = scores[order], grades[order], queries[order]
        rules = array_rules(self.convention)
        ranked = np.isfinite(scores)
        if ranked.all():
            return evaluate_scores(
                grades, scores, queries, self.measures, convention=self.convention, scale=self.scale
            )
        ids = np.arange(len(scores))
        from relyon.data.judgments import Judgments
        from relyon.data.run import Run

        judged = Judgments.from_arrays(queries, ids, grades)
        run = Run.from_arrays(queries[ranked], ids[ranked], scores[ranked], name="scores")
        return evaluate(judged, run, self.measures, convention=rules, scale=self.scale)
