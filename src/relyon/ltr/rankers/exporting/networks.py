"""Networks as files: with the scaling of their features, as ONNX or as PyTorch's own program."""

from __future__ import annotations

import io
import json
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from relyon.ltr.rankers.exporting.exported import Candidate
from relyon.ltr.rankers.exporting.onnx_files import described, onnx_candidate, onnx_package
from relyon.ltr.rankers.fitted import FittedRanker
from relyon.ltr.rankers.network import ListNetwork, torch
from relyon.ltr.rankers.scaling import Scaling

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

__all__ = ["network_candidate"]

#: The probes of a feature, in standard deviations from its mean.
SPREAD = (-4, -2, -1, -0.5, 0, 0.5, 1, 2, 4)


class FittedNetwork(FittedRanker, Protocol):
    """A fitted `NeuralRanker`; its attributes are described there."""

    @property
    def attention(self) -> int: ...
    @property
    def network_(self) -> ListNetwork: ...
    @property
    def scaling_(self) -> Scaling: ...


class RawScorer(torch.nn.Module):  # type: ignore[misc]
    """Scores unscaled features of any number of documents.

    With attention the score of a document depends on the others, so a call is one query.

    Args:
        network: The trained network.
        scaling: The scaling of its features.
    """

    def __init__(self, network: ListNetwork, scaling: Scaling) -> None:
        super().__init__()
        self.network = network
        self.register_buffer("centre", torch.from_numpy(scaling.centre))
        self.register_buffer("scale", torch.from_numpy(scaling.scale))

    def forward(self, features: Tensor) -> Tensor:
        """Returns one score per row of a matrix in single precision."""
        found = self.network.body(((features.double() - self.centre) / self.scale).float())
        for layer in self.network.attention:
            found = layer(found[None])[0]
        scores: Tensor = self.network.head(found)[:, 0]
        return scores


def network_candidate(ranker: FittedNetwork, format: str) -> Candidate:
    """Returns a neural ranker as a file.

    Args:
        ranker: A fitted `NeuralRanker`.
        format: `onnx`, or `engine` for PyTorch's exported program.
    """
    import numpy as np

    module = RawScorer(ranker.network_, ranker.scaling_).eval()
    example = (torch.zeros(2, ranker.n_features_in_),)
    sizes = {"features": {0: torch.export.Dim("rows", min=1)}}
    centre, scale = ranker.scaling_.centre, ranker.scaling_.scale
    touched = {
        place: centre[place] + scale[place] * np.array(SPREAD) for place in range(len(centre))
    }
    lists = bool(ranker.attention)
    metadata = described(ranker) | {"relyon.call": "query" if ranker.attention else "rows"}
    if format == "onnx":
        onnx_package("onnxscript")
        with _quiet():
            program = torch.onnx.export(
                module,
                example,
                dynamo=True,
                dynamic_shapes=sizes,
                input_names=["features"],
                output_names=["scores"],
                verbose=False,
            )
        candidate = onnx_candidate(program.model_proto, metadata)
        return replace(candidate, touched=touched, lists=lists, rounding=1e-6)
    with _quiet():
        program = torch.export.export(module, example, dynamic_shapes=sizes)
        for node in program.graph.nodes:
            node.meta.pop("stack_trace", None)  # the path of the source code
        file = io.BytesIO()
        torch.export.save(program, file, extra_files={"relyon.json": json.dumps(metadata)})
        again = torch.export.load(io.BytesIO(file.getvalue())).module()

    def score(values: NDArray[np.float64]) -> NDArray[np.float64]:
        with torch.no_grad():
            found = again(torch.from_numpy(np.asarray(values, dtype=np.float32)))
        return np.asarray(found.numpy(), dtype=np.float64)

    return Candidate(file.getvalue(), score, touched, lists=lists, rounding=1e-6)


@contextmanager
def _quiet() -> Iterator[None]:
    """Hides the log and the warnings of PyTorch's exporters."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
