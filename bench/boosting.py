"""LightGBM with its own objective and metrics, and with relyon's: a round of each.

    python -m bench.run --only boosting

Both grow trees of 31 leaves on the same rows with two threads; what differs is who computes λ. The
metrics are taken of the same scores, those of one tree, which tie nearly all, and of 23.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import relyon.ltr
from bench.timing import Contender, Workload

THREADS = 2
CUTOFFS = (1, 3, 5, 10)
#: relyon's names of LightGBM's measures.
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
#: By how many trees scores are made that are measured, and what the table says of them.
TREES = {1: "one tree", 23: "23 trees"}

Values = Mapping[str, tuple[float, float]]


def boosting(home: Path) -> Workload:
    """Two rounds of boosting, and eight metrics, of rows in the shape of MSLR-WEB30K."""
    import lightgbm

    with np.load(home / "ranked.npz") as held:
        features, labels, sizes = held["features"], held["labels"], held["sizes"]
    data = lightgbm.Dataset(features, labels, group=sizes, params=SETTINGS).construct()
    objective = relyon.ltr.objective(
        "lambdarank(measure=ndcg(gain=exp)@30,beyond=discount)", labels, sizes, threads=THREADS
    )
    metric = relyon.ltr.feval(list(NAMES.values()), sizes, convention="lightgbm", threads=THREADS)

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

    squares = booster(BEFORE, objective="regression")
    contenders = [
        Contender("LightGBM, squares", lambda: grow(squares)),
        Contender("LightGBM, its lambdarank", lambda: grow(theirs)),
        Contender("LightGBM, relyon's lambdarank", lambda: grow(ours, objective)),
    ]
    scored = {}
    for trees, rules in TREES.items():
        evaluated = booster(trees, metric=["ndcg", "map"], eval_at=list(CUTOFFS))
        scored[rules] = booster(trees)
        given = scored[rules].predict(features)
        contenders += [
            Contender(
                f"LightGBM, its 8 metrics, {rules}",
                partial(their_metrics, evaluated),
                agrees=rules,
                tolerance=1e-12,
            ),
            Contender(
                f"LightGBM, relyon's 8 metrics, {rules}",
                partial(our_metrics, scored[rules], metric),
                agrees=rules,
            ),
            Contender(f"np.sort, {rules}", partial(_sort_each, given, sizes)),
        ]

    @cache
    def expected(rules: str) -> Values:
        found = our_metrics(scored[rules], metric)
        return {name: (value, value) for name, value in found.items()}

    return Workload(contenders, expected)


def _sort_each(scores: Any, sizes: Any) -> None:
    """Sorts the scores of each query, one after the other."""
    for one in np.split(scores, np.cumsum(sizes)[:-1]):
        np.sort(one)


def their_metrics(made: Any) -> Mapping[str, float]:
    """Returns LightGBM's own metrics of its scores, by relyon's names."""
    return {NAMES[name]: value for _, name, value, _ in made.eval_train()}


def our_metrics(made: Any, metric: Any) -> Mapping[str, float]:
    """Returns relyon's."""
    return {name: value for _, name, value, _ in made.eval_train(metric)}
