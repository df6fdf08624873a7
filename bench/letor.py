"""LETOR text in the shape of MSLR-WEB30K to a matrix, by three readers.

    python -m bench.run --only letor

LightGBM's reader keeps bins in place of values, so a second line has relyon read and LightGBM make
its bins of the matrix.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import relyon
from bench import limits
from bench.timing import Contender, Workload

THREADS = 2


def letor(home: Path) -> Workload:
    """A text of labels, queries and 136 features, in single precision."""
    import lightgbm
    from sklearn.datasets import load_svmlight_file

    path, plain = home / "letor.txt", home / "letor-lightgbm.txt"
    settings = {"num_threads": THREADS, "verbosity": -1}

    def ours(threads: int = THREADS) -> Any:
        os.environ["RELYON_THREADS"] = str(threads)
        try:
            return relyon.read_features(path)
        finally:
            del os.environ["RELYON_THREADS"]

    def sums(rows: Any) -> Mapping[str, float]:
        values = rows.known_features().dense()
        return {"labels": float(rows.labels.sum()), "features": _mean(values)}

    def their_sums(loaded: Any) -> Mapping[str, float]:
        values, labels, _ = loaded
        return {"labels": float(labels.sum()), "features": _mean(values.toarray())}

    def bins_of_ours() -> Any:
        rows = ours()
        sizes = np.diff(rows.groups)
        matrix = rows.known_features().dense()
        return lightgbm.Dataset(matrix, rows.labels, group=sizes, params=settings).construct()

    @cache
    def expected(rules: str) -> Mapping[str, tuple[float, float]]:
        return {name: (value, value) for name, value in sums(ours()).items()}

    return Workload(
        [
            Contender("relyon", ours, sums, agrees="relyon"),
            Contender("relyon, one thread", lambda: ours(1), sums, agrees="relyon"),
            Contender(
                "scikit-learn",
                lambda: load_svmlight_file(str(path), query_id=True, dtype=np.float32),
                their_sums,
                agrees="relyon",
            ),
            Contender(
                "LightGBM, to its bins",
                lambda: lightgbm.Dataset(str(plain), params=settings).construct(),
            ),
            Contender("relyon, then LightGBM's bins", bins_of_ours),
            limits.copied(path),
        ],
        expected,
        path.stat().st_size,
    )


def _mean(values: Any) -> float:
    return float(np.asarray(values).mean(dtype=np.float64))
