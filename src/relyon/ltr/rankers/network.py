"""Networks that score the documents of lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from relyon.core.packages import optional_package

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

__all__ = ["ListNetwork", "torch"]

torch: Any = optional_package("torch", purpose="a neural ranker", install="relyon[torch]")


class ListNetwork(torch.nn.Module):  # type: ignore[misc]
    """Scores documents one by one, or with attention to the others of their list.

    Args:
        features: The number of features of a document.
        hidden: The width of each hidden layer; without hidden layers the scores are linear.
        attention: The number of layers of self-attention over the list; 0 for none.
        heads: The number of heads of each of those layers.
        dropout: The share of hidden values that a step of training leaves out.
    """

    def __init__(
        self, features: int, hidden: Sequence[int], attention: int, heads: int, dropout: float
    ) -> None:
        super().__init__()
        layers: list[object] = []
        width = features
        for wide in hidden:
            layers += [torch.nn.Linear(width, wide), torch.nn.ReLU()]
            layers += [torch.nn.Dropout(dropout)] if dropout else []
            width = wide
        self.body = torch.nn.Sequential(*layers)
        self.attention = torch.nn.ModuleList(
            torch.nn.TransformerEncoderLayer(
                width, heads, dim_feedforward=2 * width, dropout=dropout, batch_first=True
            )
            for _ in range(attention)
        )
        self.head = torch.nn.Linear(width, 1)

    def forward(self, values: Tensor, offsets: NDArray[np.int64]) -> Tensor:
        """Returns one score per row.

        Args:
            values: Features, shape (rows, features), the rows of one list together.
            offsets: List i has the rows `offsets[i]` to `offsets[i + 1]`.
        """
        found = self.body(values)
        if self.attention:
            found = self._attend(found, offsets)
        scores: Tensor = self.head(found)[:, 0]
        return scores

    def _attend(self, values: Tensor, offsets: NDArray[np.int64]) -> Tensor:
        """Applies self-attention to the rows of each list: padded, with the padding masked."""
        import numpy as np

        sizes = np.diff(offsets)
        place = torch.from_numpy(
            np.arange(offsets[-1]) - np.repeat(offsets[:-1], sizes)
            + np.repeat(np.arange(len(sizes)), sizes) * sizes.max()
        )  # fmt: skip
        shape = (len(sizes), int(sizes.max()), values.shape[1])
        padded = values.new_zeros(shape[0] * shape[1], shape[2]).index_copy(0, place, values)
        empty = torch.ones(shape[0] * shape[1], dtype=torch.bool)
        empty[place] = False
        padded, empty = padded.view(shape), empty.view(shape[:2])
        for layer in self.attention:
            padded = layer(padded, src_key_padding_mask=empty)
        return padded.reshape(-1, shape[2])[place]
