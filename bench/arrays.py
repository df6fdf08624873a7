"""Scores and grades in memory: lists of a hundred, pooled and grouped AUC, PNR of a long query."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import relyon
from bench import peers
from bench.contenders import expected_values
from bench.timing import Contender, Workload


def arrays(home: Path) -> Workload:
    """100,000 x 100 arrays: relyon does five measures and PNR, the others what they have."""
    labels, scores = np.load(home / "dense.labels.npy"), np.load(home / "dense.scores.npy")
    six = (*peers.FIVE, "pnr")
    sorted_pairs = peers.ranx_arrays(labels, scores)
    booster = cache(lambda: peers.lightgbm_booster(labels, scores))
    return Workload(
        [
            Contender("relyon", lambda: relyon.evaluate_scores(labels, scores, measures=six)),
            Contender(
                "LightGBM, NDCG",
                lambda: peers.lightgbm_ndcg(booster()),
                agrees="lightgbm, linear gain",
            ),
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
        ],
        expected_values(ours),
    )


def gauc(home: Path) -> Workload:
    """GAUC of 10 million rows in 100,000 groups; scikit-learn's loop does 2% of the groups."""
    labels, scores = np.load(home / "flat.labels.npy"), np.load(home / "flat.scores.npy")
    groups = np.load(home / "flat.groups.npy")
    sizes = np.bincount(groups)
    rows = int(sizes[: len(sizes) // 50].sum())
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
        ],
        expected,
    )


def pnr(home: Path) -> Workload:
    """PNR of one long query; grades 0 to 4, and labels that are all different."""
    scores = np.load(home / "single.scores.npy")
    contenders = []
    for title, name in (("grades", "grades"), ("real labels", "labels")):
        labels = np.load(home / f"single.{name}.npy")
        for size, share in (("500 k", 4), ("1 M", 2), ("2 M", 1)):
            rows = len(scores) // share
            work = partial(relyon.evaluate_scores, labels[:rows], scores[:rows], measures=["pnr"])
            contenders.append(Contender(f"{title}, {size}", work))
    return Workload(contenders)
