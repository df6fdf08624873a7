"""Neural rankers: a network on PyTorch that minimises a loss of ranked lists."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_items, check_least, check_whole
from relyon.core.texts import message
from relyon.data.convention import Convention
from relyon.ltr.losses import Loss
from relyon.ltr.rankers.exporting.exported import Candidate, ExportFormat
from relyon.ltr.rankers.query_rows import list_order
from relyon.ltr.rankers.ranker import Ranker
from relyon.ltr.rankers.scaling import Scaling
from relyon.ltr.rankers.training_loss import checked_loss, plain, refuse_positions
from relyon.ltr.rankers.watched_rows import Stop, Watched, checked_stop
from relyon.measures.definition import Measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
    from torch import Tensor

    from relyon.data.matrices import FeatureMatrix
    from relyon.ltr.rankers.network import ListNetwork
    from relyon.ltr.rankers.query_rows import TrainingRows

__all__ = ["NeuralRanker"]

#: The number of rows scored at once.
BLOCK = 65_536


class NeuralRanker(Ranker):
    """A network that scores documents: linear, hidden layers, or with self-attention over the list.

    Trained by Adam on minibatches of whole lists; the loss of a batch is the mean of its lists.
    Features are scaled to mean 0 and standard deviation 1. The native core computes the loss and
    its gradient by the scores, on the CPU.

    Args:
        loss: The loss: `softrank(sigma=0.5)`, `listnet`, `lambdarank`, …
        hidden: The width of each hidden layer; `()` makes the scores linear.
        attention: The number of layers of self-attention over the list: a document's score depends
            on the others, so `predict` needs `qid`. `True` is 1.
        heads: The number of heads of each of those layers; must divide the width of the last hidden
            layer.
        measure: The measure to optimise: the ranker is scored by it.
        convention: The measure's rules.
        epochs: The number of passes over all lists.
        batch: The number of lists in a minibatch.
        learning_rate: The learning rate of Adam.
        l2: Weight decay.
        dropout: The share of hidden values that a step leaves out.
        stop: With an `eval_set`: training stops after so many epochs without a better measure on
            it, and the best epoch is used; `significance`: as soon as the measure is significantly
            worse than at its best; None: never.
        seed: The seed of random numbers: the same data, seed and machine give the same network.
        threads: Threads of the loss; 0 uses as many as PyTorch, whose own setting is
            `torch.set_num_threads`.

    Attributes:
        network_: The network, a `torch.nn.Module`.
        history_: The mean loss of each epoch, and the measure on `eval_set` if there is one.
        n_iter_: The number of epochs used.

    References:
        Pobrotyn et al. (2020), Context-aware learning to rank with self-attention.
    """

    kind: ClassVar[str] = "neural"
    steps: ClassVar[str] = "epochs"

    def __init__(
        self,
        loss: str | Loss = "listnet",
        *,
        hidden: Sequence[int] = (64, 32),
        attention: int | bool = False,
        heads: int = 2,
        measure: str | Measure = "ndcg@10",
        convention: Convention | str | Mapping[str, object] | None = None,
        epochs: int = 30,
        batch: int = 32,
        learning_rate: float = 0.003,
        l2: float = 0.0001,
        dropout: float = 0.0,
        stop: Stop = None,
        seed: int = 0,
        threads: int = 0,
    ) -> None:
        self.loss = loss
        self.hidden = hidden
        self.attention = attention
        self.heads = heads
        self.measure = measure
        self.convention = convention
        self.epochs = epochs
        self.batch = batch
        self.learning_rate = learning_rate
        self.l2 = l2
        self.dropout = dropout
        self.stop = stop
        self.seed = seed
        self.threads = threads

    def _train(self, rows: TrainingRows, valid: TrainingRows | None) -> None:
        import numpy as np

        self._check()
        stop = checked_stop(self.stop, valid)
        refuse_positions(rows, "a network")
        loss = checked_loss(self.loss, self.measure_, self.convention_, rows)
        self.scaling_ = Scaling.of(rows.values)
        from relyon.ltr.rankers.network import torch
        from relyon.ltr.torch import RankingLoss

        random = np.random.default_rng(self.seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            self.network_ = self._network()
            descent = torch.optim.AdamW(
                self.network_.parameters(), lr=self.learning_rate, weight_decay=self.l2
            )
            criterion = RankingLoss(loss, seed=int(self.seed), threads=int(self.threads))
            lists = np.flatnonzero(rows.sizes > 0)
            self.history_: list[dict[str, float]] = []
            state: dict[str, Tensor] | None = None
            watched = None
            if valid is not None:
                threads = int(self.threads)
                watched = Watched(valid, self.measure_, self.convention_, stop, threads)
            for _ in range(self.epochs):
                self.network_.train()
                total, order = 0.0, random.permutation(lists)
                for first in range(0, len(order), self.batch):
                    picked = order[first : first + self.batch]
                    features, offsets, known = self._batch(rows, picked)
                    value = criterion(self.network_(features, offsets), **known)
                    descent.zero_grad()
                    value.backward()
                    descent.step()
                    total += float(value.detach()) * len(picked)
                said = {"loss": total / len(lists)}
                self.history_.append(said)
                if watched is None or valid is None:
                    continue
                ends = watched.look(self._scored(valid.values, valid.rows.groups))
                said[self.measure_] = watched.history[-1]
                if stop is not None and watched.best == len(self.history_):
                    state = {name: one.clone() for name, one in self.network_.state_dict().items()}
                if ends:
                    break
        self.n_iter_ = len(self.history_)
        if watched is not None and state is not None:
            self.network_.load_state_dict(state)
            self.n_iter_ = watched.best

    def _batch(
        self, rows: TrainingRows, picked: NDArray[np.int64]
    ) -> tuple[Tensor, NDArray[np.int64], dict[str, Tensor]]:
        """Returns features and offsets of some lists, and arguments of the loss."""
        import numpy as np

        from relyon.ltr.rankers.network import torch

        groups = rows.rows.groups
        places = np.concatenate([np.arange(groups[one], groups[one + 1]) for one in picked])
        offsets = np.concatenate([[0], np.cumsum(rows.sizes[picked])])
        known = {"offsets": offsets, "labels": rows.rows.labels[places]}
        if rows.rows.weights is not None:
            known["weights"] = rows.rows.weights[places]
        scaled = self.scaling_.apply(rows.values[places]).astype(np.float32)
        tensors = {name: torch.from_numpy(values) for name, values in known.items()}
        return torch.from_numpy(scaled), offsets, tensors

    def _scored(self, values: FeatureMatrix, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
        """Scores rows whose lists are together, some lists at a time."""
        import numpy as np

        from relyon.ltr.rankers.network import torch

        self.network_.eval()
        found = np.empty(values.shape[0])
        first = 0
        with torch.no_grad():
            while first < len(offsets) - 1:
                last = max(
                    int(np.searchsorted(offsets, offsets[first] + BLOCK, "right")) - 1, first + 1
                )
                rows = slice(int(offsets[first]), int(offsets[last]))
                if rows.stop > rows.start:
                    scaled = self.scaling_.apply(values[rows]).astype(np.float32)
                    places = offsets[first : last + 1] - offsets[first]
                    places = places[np.r_[True, np.diff(places) > 0]]
                    found[rows] = self.network_(torch.from_numpy(scaled), places).numpy()
                first = last
        return found

    def _scores(self, values: FeatureMatrix, qid: ArrayLike | None) -> NDArray[np.float64]:
        import numpy as np

        height = values.shape[0]
        if not self.attention:
            return self._scored(values, np.r_[np.arange(0, height, BLOCK), height])
        if qid is None:
            raise InputError(
                message("ltr.ranker-with-attention-looks"),
                hint=message("ltr.predict-x"),
            )
        order, offsets = list_order(qid, height)
        found = np.empty(height)
        found[order] = self._scored(values[order], offsets)
        return found

    def _network(self) -> ListNetwork:
        from relyon.ltr.rankers.network import ListNetwork

        hidden = [int(one) for one in self.hidden]
        return ListNetwork(
            self.n_features_in_, hidden, int(self.attention), int(self.heads), float(self.dropout)
        )

    def _check(self) -> None:
        """Checks the parameters.

        Raises:
            ParameterError: If one has an invalid value.
        """
        for name in ("epochs", "batch", "heads"):
            check_whole(name, plain(getattr(self, name)))
        for name in ("seed", "threads"):
            check_whole(name, plain(getattr(self, name)), least=0)
        check_whole("attention", int(self.attention), least=0)
        for wide in check_items("hidden", self.hidden, "a list of whole numbers"):
            check_whole("hidden", plain(wide))
        check_least("l2", self.l2)
        if not 0 <= self.dropout < 1:
            raise ParameterError(
                message(
                    "ltr.parameter-must-be-0",
                    name="dropout",
                    value=self.dropout,
                )
            )
        if not self.learning_rate > 0:
            raise ParameterError(
                message(
                    "core.parameter-must-be-above-0",
                    name="learning_rate",
                    value=self.learning_rate,
                )
            )
        width = list(self.hidden)[-1] if len(self.hidden) else 0
        if self.attention and (not width or width % self.heads):
            raise ParameterError(
                message(
                    "ltr.attention-with-heads-needs",
                    heads=self.heads,
                ),
                hint=message("ltr.hidden-64"),
            )

    @classmethod
    def _files(cls, parameters: Mapping[str, object]) -> tuple[str, ...]:
        return ("weights.npz",)

    def _parts(self) -> dict[str, bytes]:
        import numpy as np

        file = io.BytesIO()
        arrays = {f"network.{key}": one.numpy() for key, one in self.network_.state_dict().items()}
        arrays |= {"centre": self.scaling_.centre, "scale": self.scaling_.scale}
        np.savez(file, allow_pickle=False, **arrays)
        return {"weights.npz": file.getvalue()}

    def _restore(self, parts: Mapping[str, bytes]) -> None:
        import numpy as np

        from relyon.ltr.rankers.network import torch

        self._check()
        try:
            with np.load(io.BytesIO(parts["weights.npz"]), allow_pickle=False) as found:
                arrays = {name: found[name] for name in found.files}
            self.scaling_ = Scaling(arrays.pop("centre"), arrays.pop("scale"))
            with torch.random.fork_rng(devices=[]):
                self.network_ = self._network()
            self.network_.load_state_dict(
                {
                    name.removeprefix("network."): torch.from_numpy(one)
                    for name, one in arrays.items()
                }
            )
            fits = self.scaling_.centre.shape == self.scaling_.scale.shape == (self.n_features_in_,)
        except (OSError, ValueError, KeyError, EOFError, RuntimeError, TypeError):
            fits = False
        if not fits:
            raise InputError(message("ltr.weights-of-ranker-cannot"))

    def _formats(self) -> dict[ExportFormat, tuple[str, ...]]:
        return {"onnx": (".onnx",), "engine": (".pt2",)}

    def _candidate(self, format: ExportFormat, ending: str) -> Candidate:
        from relyon.ltr.rankers.exporting.networks import network_candidate

        return network_candidate(self, format)

    def _versions(self) -> dict[str, str]:
        from relyon.ltr.rankers.network import torch

        return {"torch": str(torch.__version__)}
