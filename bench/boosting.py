"""LightGBM with its own objective and metrics, and with relkit's: a round of each.

    python -m bench.run --only boosting

Both grow trees of 31 leaves on the same rows with two threads; what differs is who computes λ. The
metrics are taken of the same scores, which are those of 23 trees: fewer trees tie more of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import relkit.ltr
from bench.timing import Contender, Workload

THREADS = 2
CUTOFFS = (1, 3, 5, 10)
#: relkit's names of LightGBM's measures.
NAMES = {
    f"{theirs}@{k}": f"{ours}@{k}"
    for theirs, ours in (("ndcg", "ndcg"), ("map", "ap"))
    for k in CUTOFFS
}
SETTINGS = {
    "num_threads": THREADS,
    "verbosity": -1,
    "num_leaves": 31,
    "force_row_wise": True,
}
BEFORE, ROUNDS = 3, 2


def boosting(home: Path) -> Workload:
    """Two rounds of boosting, and eight metrics, of rows in the shape of MSLR-WEB30K."""
    import lightgbm

    with np.load(home / "ranked.npz") as held:
        features, labels, sizes = held["features"], held["labels"], held["sizes"]
    data = lightgbm.Dataset(features, labels, group=sizes, params=SETTINGS).construct()
    objective = relkit.ltr.objective(
        "lambdarank(measure=ndcg(gain=exp)@30,beyond=discount)", labels, sizes, threads=THREADS
    )
    metric = relkit.ltr.feval(list(NAMES.values()), sizes, convention="lightgbm", threads=THREADS)

    def booster(rounds: int, function: Any = None, **more: Any) -> Any:
        own = "lambdarank" if function is None else "none"
        made = lightgbm.Booster({**SETTINGS, "objective": own, "metric": "none", **more}, data)
        for _ in range(rounds):
            made.update(fobj=function)
        return made

    theirs, ours = booster(BEFORE), booster(BEFORE, objective)

    def grow(made: Any, function: Any = None) -> Mapping[str, float]:
        for _ in range(ROUNDS):
            made.update(fobj=function)
        return {}

    evaluated = booster(23, metric=["ndcg", "map"], eval_at=list(CUTOFFS))
    scored = booster(23)

    def their_metrics() -> Mapping[str, float]:
        return {NAMES[name]: value for _, name, value, _ in evaluated.eval_train()}

    def our_metrics() -> Mapping[str, float]:
        return {name: value for _, name, value, _ in scored.eval_train(metric)}

    @cache
    def expected(rules: str) -> Mapping[str, tuple[float, float]]:
        return {name: (value, value) for name, value in our_metrics().items()}

    return Workload(
        [
            Contender("LightGBM, its lambdarank", lambda: grow(theirs)),
            Contender("LightGBM, relkit's lambdarank", lambda: grow(ours, objective)),
            Contender("LightGBM, its 8 metrics", their_metrics, agrees="lightgbm", tolerance=1e-12),
            Contender("LightGBM, relkit's 8 metrics", our_metrics, agrees="lightgbm"),
        ],
        expected,
    )
