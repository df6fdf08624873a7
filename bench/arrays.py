"""Scores and grades in memory: lists of a hundred, pooled and grouped AUC, PNR of a long query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import relyon
from bench import limits, peers
from bench.contenders import RULES, expected_values
from bench.timing import Contender, Workload


def arrays(home: Path) -> Workload:
    """100,000 x 100 arrays: five measures and PNR, or what the other has."""
    labels, scores = np.load(home / "dense.labels.npy"), np.load(home / "dense.scores.npy")
    six = (*peers.FIVE, "pnr")
    sorted_pairs = peers.ranx_arrays(labels, scores)
    booster = cache(lambda: peers.lightgbm_booster(labels, scores))

    def ours(measures: Sequence[str], threads: int = 0, convention: Any = None) -> relyon.Results:
        return relyon.evaluate_scores(
            labels, scores, measures=measures, threads=threads, convention=convention
        )

    contenders = []
    for said, threads in (("", 0), (", one thread", 1)):
        contenders += [
            Contender(f"relyon{said}", partial(ours, six, threads)),
            Contender(f"relyon, NDCG@10{said}", partial(ours, ["ndcg@10"], threads)),
            Contender(
                f"relyon, LightGBM's NDCG{said}",
                partial(ours, ["ndcg@10", "ndcg"], threads, RULES["lightgbm, linear gain"][0]),
                agrees="lightgbm, linear gain",
            ),
            Contender(
                f"LightGBM, NDCG{said}",
                partial(lambda count: peers.lightgbm_ndcg(booster(), count), threads),
                agrees="lightgbm, linear gain",
            ),
        ]
    return Workload(
        [
            *contenders,
            Contender("np.argsort", partial(np.argsort, scores, axis=1)),
            limits.sort(scores),
            Contender("ranx, sorted before", lambda: peers.ranx(*sorted_pairs), agrees="ranx"),
            Contender(
                "ranx", lambda: peers.ranx(*peers.ranx_arrays(labels, scores)), agrees="ranx"
            ),
            Contender(
                "scikit-learn, NDCG@10",
                lambda: peers.sklearn_ndcg(labels, scores),
                agrees="sklearn",
            ),
        ],
        expected_values(
            lambda rules: relyon.evaluate_scores(
                labels, scores, measures=peers.FIVE, convention=rules
            )
        ),
    )


def auc(home: Path) -> Workload:
    """Pooled AUC of 10 million rows."""
    labels, scores = np.load(home / "flat.labels.npy"), np.load(home / "flat.scores.npy")

    def ours(convention: Any = None) -> relyon.Results:
        return relyon.evaluate_scores(labels, scores, measures=["auc"], convention=convention)

    return Workload(
        [
            Contender("relyon", ours, agrees="relyon"),
            Contender("Polars", lambda: peers.polars_auc(labels, scores), agrees="relyon"),
            Contender("scikit-learn", lambda: peers.sklearn_auc(labels, scores), agrees="relyon"),
            limits.sort(scores),
        ],
        expected_values(ours),
    )


def gauc(home: Path) -> Workload:
    """GAUC of 10 million rows in 100,000 groups; scikit-learn's loop does 2% of the groups."""
    labels, scores = np.load(home / "flat.labels.npy"), np.load(home / "flat.scores.npy")
    groups = np.load(home / "flat.groups.npy")
    sizes = np.bincount(groups)
    rows = int(sizes[: len(sizes) // 50].sum())
    each = np.split(scores, np.cumsum(sizes)[:-1])
    few = (labels[:rows], scores[:rows], groups[:rows])

    def ours(convention: Any = None) -> relyon.Results:
        return relyon.evaluate_scores(labels, scores, sizes, ["gauc"], convention=convention)

    def expected(rules: str) -> Mapping[str, tuple[float, float]]:
        part = relyon.evaluate_scores(*few, measures=["gauc"]) if rules == "2%" else ours()
        return {"gauc": (part["gauc"], part["gauc"])}

    return Workload(
        [
            Contender("relyon", ours, agrees="relyon"),
            Contender(
                "relyon, group ids",
                lambda: relyon.evaluate_scores(labels, scores, groups, ["gauc"]),
                agrees="relyon",
            ),
            Contender("Polars", lambda: peers.polars_gauc(labels, scores, groups), agrees="relyon"),
            Contender(
                "scikit-learn loop (2%, scaled)",
                lambda: peers.sklearn_gauc(*few),
                agrees="2%",
                share=rows / len(labels),
            ),
            Contender("np.sort of the groups", lambda: [np.sort(group) for group in each]),
        ],
        expected,
    )


def pnr(home: Path) -> Workload:
    """PNR of one long query; grades 0 to 4, and labels that are all different."""
    scores = np.load(home / "single.scores.npy")
    sizes = (("500 k", 4), ("1 M", 2), ("2 M", 1))
    contenders = [
        limits.sort(scores[: len(scores) // share], f"np.sort, {size}") for size, share in sizes
    ]
    for title, name in (("grades", "grades"), ("real labels", "labels")):
        labels = np.load(home / f"single.{name}.npy")
        for size, share in sizes:
            rows = len(scores) // share
            work = partial(relyon.evaluate_scores, labels[:rows], scores[:rows], measures=["pnr"])
            contenders.append(Contender(f"{title}, {size}", work))
    return Workload(contenders)
