"""Losses and measures of PyTorch's tensors.

    python -m bench.run --only tensors

allRank (https://github.com/allegro/allRank) is not on PyPI: put a folder with its package
`allrank`, and without its tests, which would hide ours, on PYTHONPATH.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from bench.peers import Values
from bench.timing import Contender, Workload

BATCH, LENGTH = 256, 200
#: How much of the batch allRank does: its rounds of scaling take seconds.
SHARES = {"neural_ndcg": 1 / 16}


def tensors(home: Path) -> Workload:
    """Losses of 256 lists of 200, forwards and backwards; NDCG of 8,000 lists of 40."""
    import torch

    torch.manual_seed(0)
    scores, labels = torch.randn(BATCH, LENGTH), torch.randint(0, 5, (BATCH, LENGTH)).float()
    contenders = []
    for name in ("ranknet", "listnet", "listmle", "approx_ndcg", "neural_ndcg", "ndcg_loss2pp"):
        share = SHARES.get(name, 1.0)
        rows = slice(round(BATCH * share))
        contenders += [
            Contender(f"relyon, {name}", partial(step, ours(name), scores, labels)),
            Contender(
                f"allRank, {name}",
                partial(step, theirs(name), scores[rows], labels[rows]),
                share=share,
            ),
        ]
    contenders.append(Contender("torch.sort", lambda: _sorted(scores)))
    many, grades = torch.randn(8000, 40), torch.randint(0, 5, (8000, 40))
    contenders += [
        Contender("relyon, NDCG", partial(ndcg, many, grades)),
        Contender("torchmetrics, NDCG", partial(torchmetrics_ndcg, many, grades), agrees="relyon"),
        Contender("torch.sort, NDCG", lambda: _sorted(many)),
    ]

    @cache
    def expected(rules: str) -> Mapping[str, tuple[float, float]]:
        return {name: (value, value) for name, value in ndcg(many, grades).items()}

    return Workload(contenders, expected)


def step(loss: Callable[[Any, Any], Any], scores: Any, labels: Any) -> Values:
    """One step of training, without a model."""
    given = scores.clone().requires_grad_()
    loss(given, labels).backward()
    return {}


def _sorted(scores: Any) -> Values:
    """Sorts each list, which most losses and every measure must."""
    scores.sort(dim=1)
    return {}


def ours(name: str) -> Any:
    """Returns our loss."""
    from relyon.ltr.torch import RankingLoss

    return RankingLoss(name)


def theirs(name: str) -> Callable[[Any, Any], Any]:
    """Returns allRank's loss, which is imported when it is called."""

    def loss(scores: Any, labels: Any) -> Any:
        from tests.golden.make_allrank import allrank_losses

        return allrank_losses()[name](scores, labels)

    return loss


def ndcg(scores: Any, labels: Any) -> Values:
    """Returns NDCG as relyon finds it, by the gains of torchmetrics."""
    from relyon.ltr.torch import evaluate_tensors

    return {"ndcg": evaluate_tensors(scores, labels, "ndcg(gain=linear)")["ndcg(gain=linear)"]}


def torchmetrics_ndcg(scores: Any, labels: Any) -> Values:
    """Returns NDCG as torchmetrics finds it."""
    import torch
    from torchmetrics.retrieval import RetrievalNormalizedDCG

    metric = RetrievalNormalizedDCG()
    lists = torch.arange(len(scores))[:, None].expand(scores.shape)
    metric.update(scores.flatten(), labels.flatten(), indexes=lists.flatten())
    return {"ndcg": float(metric.compute())}
