"""Losses and measures on PyTorch's tensors. Importing this imports PyTorch."""

from relkit.core.packages import optional_package

optional_package("torch", purpose="relkit.ltr.torch", install="relkit[torch]")

from relkit.ltr.torch.evaluation import evaluate_tensors  # noqa: E402
from relkit.ltr.torch.loss import RankingLoss  # noqa: E402

__all__ = ["RankingLoss", "evaluate_tensors"]
