"""Losses as PyTorch modules, with gradients of the native core."""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd.function import once_differentiable

from relyon import _native
from relyon.core.errors import InputError
from relyon.core.parameters import check_choice, check_whole
from relyon.core.texts import message
from relyon.ltr.losses import Loss, loss as parse_loss
from relyon.ltr.torch.lists import TensorLists

__all__ = ["RankingLoss"]

Reduction = Literal["mean", "sum", "none"]


class _Context(Protocol):
    """PyTorch's context of a function, with the sizes of the lists."""

    sizes: NDArray[np.int64]

    @property
    def saved_tensors(self) -> tuple[Tensor, ...]: ...
    def save_for_backward(self, *tensors: Tensor) -> None: ...


class _NativeLoss(torch.autograd.Function):
    """The loss of each list; its gradient is computed with it and saved for the backward pass."""

    @staticmethod
    def forward(
        ctx: _Context,
        scores: Tensor,
        lists: TensorLists,
        loss: _native.Loss,
        seed: int,
        threads: int,
    ) -> Tensor:
        values, gradient, _ = loss.evaluate(
            lists.labels, lists.scores, lists.offsets, lists.weights, False, seed, threads
        )
        slopes = torch.from_numpy(gradient).to(dtype=scores.dtype, device=scores.device)
        if lists.mask is not None:
            padded = torch.zeros_like(scores)
            padded[lists.mask] = slopes
            slopes = padded
        ctx.save_for_backward(slopes.reshape(scores.shape))
        ctx.sizes = lists.sizes
        return torch.from_numpy(values).to(dtype=scores.dtype, device=scores.device)

    @staticmethod
    @once_differentiable
    def backward(ctx: _Context, by_value: Tensor) -> tuple[Tensor | None, ...]:
        (slopes,) = ctx.saved_tensors
        if slopes.dim() == 2:
            by_row = by_value[:, None]
        else:
            sizes = torch.from_numpy(np.asarray(ctx.sizes)).to(by_value.device)
            by_row = torch.repeat_interleave(by_value, sizes, output_size=slopes.numel())
        return slopes * by_row, None, None, None, None


class RankingLoss(torch.nn.Module):
    """A loss of ranked lists that trains a PyTorch model.

    Scores are copied to the CPU, the native core computes each list's loss and gradient in double
    precision, and the gradient is copied back to the device and type of the scores. It can be
    differentiated once.

    Args:
        loss: A loss, or its name, such as `listnet` or `softrank(sigma=0.5)`.
        reduction: The `mean` over the lists that have a document, with equal weights, the `sum`, or
            one loss per list (`none`).
        seed: The seed of losses with random draws, such as `listmle`. Each call draws anew, and the
            same sequence of calls draws the same.
        threads: The number of threads; 0: that of PyTorch.

    Examples:
        >>> import torch
        >>> from relyon.ltr.torch import RankingLoss
        >>> scores = torch.tensor([[0.5, 1.0, 0.0], [0.0, 1.0, 9.0]], requires_grad=True)
        >>> labels = torch.tensor([[2, 1, 0], [1, 0, 0]])
        >>> mask = torch.tensor([[True, True, True], [True, True, False]])
        >>> loss = RankingLoss("ranknet")(scores, labels, mask=mask)
        >>> loss.backward()
        >>> round(loss.item(), 6), scores.grad[1].tolist()[2]
        (1.537339, 0.0)
    """

    def __init__(
        self,
        loss: str | Loss,
        *,
        reduction: Reduction = "mean",
        seed: int = 0,
        threads: int = 0,
    ) -> None:
        super().__init__()
        check_choice("reduction", reduction, ("mean", "sum", "none"))
        self.loss = parse_loss(loss)
        self.reduction = reduction
        self.seed = check_whole("seed", seed, least=0)
        self.threads = check_whole("threads", threads, least=0)
        self._native = self.loss.native()
        self._calls = 0

    def forward(
        self,
        scores: Tensor,
        labels: Tensor,
        *,
        mask: Tensor | None = None,
        offsets: Tensor | None = None,
        weights: Tensor | None = None,
    ) -> Tensor:
        """Returns the loss of a batch.

        Args:
            scores: Padded, [batch, n], or flat, [rows].
            labels: In the same shape.
            mask: For padded scores: true for documents. Other entries are ignored, and their
                gradient is 0. None: all are documents.
            offsets: For flat scores: the first row of each list, and the number of rows at the end.
                None: all rows are one list.
            weights: One per document, in the shape of the scores, or one per padded list.

        Raises:
            InputError: If shapes do not fit, a number is NaN or infinite, or a weight is below 0.
        """
        if not scores.is_floating_point():
            raise InputError(message("ltr.scores-are-not-floating-point"))
        lists = TensorLists.of(scores, labels, mask, offsets, weights)
        seed = self.seed + self._calls
        self._calls += 1
        threads = self.threads or torch.get_num_threads()
        values: Tensor = _NativeLoss.apply(  # type: ignore[no-untyped-call]
            scores, lists, self._native, seed, threads
        )
        if self.reduction == "none":
            return values
        if self.reduction == "sum":
            return values.sum()
        return values.sum() / max(1, int(np.count_nonzero(lists.sizes)))

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_native"}

    def __setstate__(self, state: dict[str, object]) -> None:
        super().__setstate__(state)  # type: ignore[no-untyped-call]
        self._native = self.loss.native()

    def extra_repr(self) -> str:
        """Returns the text between the parentheses of the module's repr."""
        return f"{str(self.loss)!r}, reduction={self.reduction!r}"
