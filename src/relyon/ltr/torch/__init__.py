"""Losses and measures on PyTorch's tensors. Importing this imports PyTorch."""

from typing import TYPE_CHECKING

from relyon.core.packages import optional_package

optional_package("torch", purpose="relyon.ltr.torch", install="relyon[torch]")

from relyon.ltr.torch.evaluation import evaluate_tensors  # noqa: E402
from relyon.ltr.torch.loss import RankingLoss  # noqa: E402

if TYPE_CHECKING:
    from relyon.ltr.torch.relevance import Relevance

__all__ = ["RankingLoss", "Relevance", "evaluate_tensors"]


def __getattr__(name: str) -> object:
    """Imports `Relevance` when it is first used: it imports torchmetrics if that is installed."""
    if name != "Relevance":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from relyon.ltr.torch import relevance

    return relevance.Relevance
