"""Losses and measures on PyTorch's tensors. Importing this imports PyTorch."""

from relyon.core.packages import optional_package

optional_package("torch", purpose="relyon.ltr.torch", install="relyon[torch]")

from relyon.ltr.torch.evaluation import evaluate_tensors  # noqa: E402
from relyon.ltr.torch.loss import RankingLoss  # noqa: E402

__all__ = ["RankingLoss", "evaluate_tensors"]
