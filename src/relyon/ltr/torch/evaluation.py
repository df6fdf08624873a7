"""Measures of tensors."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from torch import Tensor

from relyon.data.convention import Convention
from relyon.data.labelled import LabelledRows
from relyon.evaluation import evaluate_scores
from relyon.evaluation.program import MeasureNames
from relyon.evaluation.results import Results
from relyon.ltr.torch.lists import TensorLists

__all__ = ["evaluate_tensors"]


def evaluate_tensors(
    scores: Tensor,
    labels: Tensor,
    measures: MeasureNames = "ndcg@10",
    *,
    mask: Tensor | None = None,
    offsets: Tensor | None = None,
    convention: Convention | str | Mapping[str, object] | None = None,
    threads: int = 0,
) -> Results:
    """Returns measures of a batch, as `relyon.evaluate_scores` for arrays.

    Args:
        scores: Padded, [batch, n], or flat, [rows].
        labels: In the same shape.
        measures: One or more names.
        mask: For padded scores: true for documents. A list without documents has no value.
        offsets: For flat scores: the first row of each list, and the number of rows at the end.
        convention: A preset, a file or a mapping.
        threads: The number of threads; 0: one per processor, up to 8.

    Raises:
        InputError: If shapes do not fit, or a number is NaN or infinite.
        UnknownNameError: If the measure is unknown.

    Examples:
        >>> import torch
        >>> from relyon.ltr.torch import evaluate_tensors
        >>> scores, labels = torch.tensor([[0.1, 0.9, 5.0]]), torch.tensor([[1, 0, 3]])
        >>> mask = torch.tensor([[True, True, False]])
        >>> round(evaluate_tensors(scores, labels, "ndcg@10", mask=mask)["ndcg@10"], 6)
        0.63093
    """
    lists = TensorLists.of(scores, labels, mask, offsets)
    sizes = lists.sizes
    rows = LabelledRows(
        lists.labels.ravel(),
        lists.scores.ravel(),
        np.concatenate([[0], np.cumsum(sizes)]),
        [str(number) for number in range(len(sizes))],
    )
    return evaluate_scores(rows, measures=measures, convention=convention, threads=threads)
