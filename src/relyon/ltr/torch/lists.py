"""Ranked lists in tensors: padded or flat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from relyon.core.errors import InputError
from relyon.core.texts import message

__all__ = ["TensorLists"]

#: Types that NumPy or relyon's native core lacks.
NARROW = (torch.float16, torch.bfloat16)


def to_numpy(tensor: Tensor) -> NDArray[np.float64]:
    """Returns the numbers of a tensor, without a copy if they are in main memory."""
    tensor = tensor.detach().cpu()
    return np.asarray((tensor.float() if tensor.dtype in NARROW else tensor).numpy())


@dataclass(frozen=True, eq=False)
class TensorLists:
    """Lists of a batch as arrays, without padding.

    Attributes:
        labels: One label per row, or one list per row.
        scores: In the same shape.
        offsets: The first row of each list, and the number of rows; None if lists are rows of a
            matrix, or all rows are one list.
        weights: One weight per row, or None.
        mask: Which entries of the padded tensor are documents; None if all are.
        sizes: The number of rows of each list.
    """

    labels: NDArray[np.float64]
    scores: NDArray[np.float64]
    offsets: NDArray[np.int64] | None
    weights: NDArray[np.float64] | None
    mask: Tensor | None
    sizes: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        scores: Tensor,
        labels: Tensor,
        mask: Tensor | None = None,
        offsets: Tensor | None = None,
        weights: Tensor | None = None,
    ) -> TensorLists:
        """Returns the lists of padded tensors [batch, n], or of flat ones with offsets.

        Raises:
            InputError: If shapes do not fit.
        """
        shape = tuple(scores.shape)
        if weights is not None and len(shape) == 2 and tuple(weights.shape) == shape[:1]:
            weights = weights[:, None].expand(shape)
        for name, other in (("labels", labels), ("mask", mask), ("weights", weights)):
            if other is not None and tuple(other.shape) != shape:
                raise InputError(
                    message(
                        "ltr.and-scores-differ",
                        name=f"`{name}`",
                        shape=str(tuple(other.shape)),
                        shape_2=str(shape),
                    )
                )
        if mask is not None and (len(shape) != 2 or mask.dtype != torch.bool):
            raise InputError(
                message("ltr.mask-must-be-of-type"),
                hint=message("ltr.must-be-true-where"),
            )
        kept, given = to_numpy(labels), to_numpy(scores)
        weighed = None if weights is None else to_numpy(weights)
        bounds = None if offsets is None else to_numpy(offsets).astype(np.int64)
        if mask is not None:
            # Only documents are read: padding may be anything, NaN too.
            documents = to_numpy(mask).astype(bool, copy=False)
            kept, given = kept[documents], given[documents]
            weighed = None if weighed is None else weighed[documents]
            sizes = documents.sum(1)
            bounds = np.concatenate([[0], np.cumsum(sizes)])
        elif bounds is not None:
            sizes = np.diff(bounds)
        else:
            sizes = np.full(shape[:-1] or 1, shape[-1] if shape else 1)
        return cls(kept, given, bounds, weighed, mask, sizes)
