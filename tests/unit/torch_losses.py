"""Losses in plain PyTorch, differentiated by it: what their derivatives are held against."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

__all__ = ["TORCH", "derivatives"]


def gains(loss: Any, labels: Tensor) -> Tensor:
    worth = torch.clamp(2**labels - 1 if loss.gain == "exp" else labels, min=0)
    best = (torch.sort(worth, descending=True).values * shares(loss, len(labels))).sum()
    return worth / best


def divide(loss: Any, ranks: Tensor) -> Tensor:
    kind = loss.discount
    return (
        torch.log2(1 + ranks) if kind == "log2" else ranks if kind == "inverse" else ranks * 0 + 1
    )


def shares(loss: Any, size: int) -> Tensor:
    ranks = torch.arange(1, size + 1, dtype=torch.float64)
    kept = ranks <= (getattr(loss, "k", None) or size)
    return kept / divide(loss, ranks)


def ordinal(loss: Any, y: Tensor, s: Tensor) -> Tensor:
    levels = torch.arange(1, loss.levels + 1, dtype=torch.float64)
    return functional.binary_cross_entropy_with_logits(
        s[:, None] - loss.step * (levels - 0.5), (y[:, None] >= levels).double(), reduction="sum"
    )


def ranknet(loss: Any, y: Tensor, s: Tensor) -> Tensor:
    return -functional.logsigmoid(loss.sigma * (s[:, None] - s))[y[:, None] > y].sum()


def listmle(loss: Any, y: Tensor, s: Tensor) -> Tensor:
    ordered = s[torch.argsort(y, descending=True)]
    return (torch.logcumsumexp(ordered.flip(0), 0).flip(0) - ordered).sum()


def softrank(loss: Any, y: Tensor, s: Tensor) -> Tensor:
    size = len(s)
    chance = (1 + torch.erf((s - s[:, None]) / (2 * loss.sigma))) / 2
    expected = []
    for j in range(size):
        p = torch.zeros(size, dtype=torch.float64)
        p[0] = 1
        for i in range(size):
            if i != j:
                up = torch.cat([torch.zeros(1, dtype=torch.float64), p[:-1]])
                p = up * chance[j, i] + p * (1 - chance[j, i])
        expected.append((p * shares(loss, size)).sum())
    return 1 - (gains(loss, y) * torch.stack(expected)).sum()


def approx_ndcg(loss: Any, y: Tensor, s: Tensor) -> Tensor:
    ranks = 0.5 + torch.sigmoid((s - s[:, None]) / loss.temperature).sum(1)
    return 1 - (gains(loss, y) / divide(loss, ranks)).sum()


def neural_ndcg(loss: Any, y: Tensor, s: Tensor) -> Tensor:
    size = len(s)
    factors = size + 1 - 2 * torch.arange(1, size + 1, dtype=torch.float64)
    apart = (s - s[:, None]).abs().sum(1)
    matrix = torch.softmax((factors[:, None] * s - apart) / loss.temperature, 1)
    for _ in range(loss.rounds):
        matrix = matrix / matrix.sum(0, keepdim=True)
        matrix = matrix / matrix.sum(1, keepdim=True)
    return 1 - (shares(loss, size) * (matrix @ gains(loss, y))).sum()


def lambda_loss(loss: Any, y: Tensor, s: Tensor) -> Tensor:
    worth, places = gains(loss, y), torch.argsort(torch.argsort(s, descending=True))
    by_rank = shares(loss, len(s))
    pair = -functional.logsigmoid(loss.sigma * (s[:, None] - s)) / math.log(2)
    if loss.name == "ndcg_loss1":
        pair = pair * (worth * by_rank[places])[:, None]
        return pair.sum() - pair.diagonal().sum()
    steps = torch.cat([torch.zeros(1), (by_rank[:-1] - by_rank[1:]).abs()])
    weight = steps[(places[:, None] - places).abs()]
    if loss.name == "ndcg_loss2pp":
        weight = loss.mu * weight + (by_rank[places][:, None] - by_rank[places]).abs()
    more = worth[:, None] - worth
    return (pair * weight * more)[more > 0].sum()


TORCH: dict[str, Callable[[Any, Tensor, Tensor], Tensor]] = {
    "squared_error": lambda loss, y, s: functional.mse_loss(s, y, reduction="sum") / 2,
    "logistic": lambda loss, y, s: functional.binary_cross_entropy_with_logits(
        s, (y >= loss.rel).double(), reduction="sum"
    ),
    "cross_entropy": lambda loss, y, s: functional.binary_cross_entropy_with_logits(
        s, y, reduction="sum"
    ),
    "ordinal": ordinal,
    "ranknet": ranknet,
    "listnet": lambda loss, y, s: functional.cross_entropy(s, torch.softmax(y, 0)),
    "softmax": lambda loss, y, s: functional.cross_entropy(s, torch.clamp(y, min=0)),
    "listmle": listmle,
    "softrank": softrank,
    "approx_ndcg": approx_ndcg,
    "neural_ndcg": neural_ndcg,
    "ndcg_loss1": lambda_loss,
    "ndcg_loss2": lambda_loss,
    "ndcg_loss2pp": lambda_loss,
}


def derivatives(loss: Any, labels: Any, scores: Any) -> tuple[float, Any, Any]:
    """Returns the value, the gradient and the diagonal of the second derivative of one list."""
    y = torch.as_tensor(labels, dtype=torch.float64)
    s = torch.as_tensor(scores, dtype=torch.float64).requires_grad_()
    value = TORCH[loss.name](loss, y, s)
    (gradient,) = torch.autograd.grad(value, s, create_graph=True)
    bend = [torch.autograd.grad(one, s, retain_graph=True)[0][i] for i, one in enumerate(gradient)]
    return value.item(), gradient.detach().numpy(), torch.stack(bend).numpy()
