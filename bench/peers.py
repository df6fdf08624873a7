"""The same work done with each peer, as its own documentation does it.

Every function returns the mean values by relyon's names of the measures.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = dict[str, float]
Pairs = Mapping[str, Mapping[str, Any]]
Array = NDArray[Any]

FIVE = ("ndcg@10", "ndcg", "ap", "recall@100", "rr@10")
#: trec_eval has no cutoff for the reciprocal rank.
TREC_NAMES = {
    "ndcg_cut_10": "ndcg@10",
    "ndcg": "ndcg",
    "map": "ap",
    "recall_100": "recall@100",
    "recip_rank": "rr",
}
RANX_NAMES = {
    "ndcg@10": "ndcg@10",
    "ndcg": "ndcg",
    "map": "ap",
    "recall@100": "recall@100",
    "mrr@10": "rr@10",
}


def trec_eval_program() -> str | None:
    """The trec_eval binary: environment variable TREC_EVAL, or the one on the path."""
    return shutil.which(os.environ.get("TREC_EVAL", "trec_eval"))


def trec_eval_command(judgments: Path, run: Path) -> list[str]:
    """The command for the five measures."""
    measures = ("ndcg_cut.10", "ndcg", "map", "recall.100", "recip_rank")
    options = [part for name in measures for part in ("-m", name)]
    return [trec_eval_program() or "trec_eval", *options, str(judgments), str(run)]


def read_trec_eval(printed: str) -> Values:
    """Values of trec_eval's output, which has four decimals."""
    rows = [line.split() for line in printed.splitlines()]
    return {TREC_NAMES[name]: float(value) for name, _, value in rows}


def pytrec_eval(judgments: Pairs, run: Pairs) -> Values:
    import pytrec_eval as program

    names = {"ndcg_cut.10", "ndcg", "map", "recall.100", "recip_rank"}
    queries = program.RelevanceEvaluator(judgments, names).evaluate(run).values()
    return {ours: fmean(query[theirs] for query in queries) for theirs, ours in TREC_NAMES.items()}


#: A user's whole script, for the time of the whole process.
PYTREC_EVAL_SCRIPT = """
import sys
import pytrec_eval
with open(sys.argv[1]) as file:
    judgments = pytrec_eval.parse_qrel(file)
with open(sys.argv[2]) as file:
    run = pytrec_eval.parse_run(file)
names = ["ndcg_cut_10", "ndcg", "map", "recall_100", "recip_rank"]
evaluator = pytrec_eval.RelevanceEvaluator(
    judgments, {"ndcg_cut.10", "ndcg", "map", "recall.100", "recip_rank"}
)
queries = evaluator.evaluate(run).values()
for name in names:
    print(name, "all", sum(query[name] for query in queries) / len(queries))
"""


def ir_measures(judgments: Path, run: Path) -> Values:
    import ir_measures as program
    from ir_measures import AP, RR, R, nDCG

    names = dict(zip((nDCG @ 10, nDCG, AP, R @ 100, RR @ 10), FIVE, strict=True))
    read_judgments: Any = program.read_trec_qrels
    read_run: Any = program.read_trec_run
    values = program.calc_aggregate(list(names), read_judgments(str(judgments)), read_run(str(run)))
    return {names[measure]: value for measure, value in values.items()}


DIVERSITY = ("alpha_ndcg@10", "err_ia@10", "p_ia@10", "strecall@10", "ap_ia", "nrbp")
NDEVAL_NAMES = dict(
    zip(
        ("alpha-nDCG@10", "ERR-IA@10", "P-IA@10", "strec@10", "MAP-IA", "NRBP"),
        DIVERSITY,
        strict=True,
    )
)


def ndeval_program() -> str | None:
    """The ndeval binary: environment variable NDEVAL, or the one on the path."""
    return shutil.which(os.environ.get("NDEVAL", "ndeval"))


def ndeval_command(judgments: Path, run: Path) -> list[str]:
    """The command; it always computes all of its measures."""
    return [ndeval_program() or "ndeval", "-traditional", str(judgments), str(run)]


def read_ndeval(printed: str) -> Values:
    """Means of ndeval's output, which has six decimals."""
    lines = printed.splitlines()
    row = dict(zip(lines[0].split(","), lines[-1].split(","), strict=True))
    return {ours: float(row[theirs]) for theirs, ours in NDEVAL_NAMES.items()}


def pyndeval(judgments: Path, run: Path) -> Values:
    import pyndeval as program

    rows = (line.split() for line in judgments.read_text().splitlines())
    listed = (line.split() for line in run.read_text().splitlines())
    queries = program.ndeval(
        [program.SubtopicQrel(row[0], row[1], row[2], int(row[3])) for row in rows],
        [program.ScoredDoc(row[0], row[2], float(row[4])) for row in listed],
        measures=list(NDEVAL_NAMES),
    ).values()
    return {
        ours: fmean(query[theirs] for query in queries) for theirs, ours in NDEVAL_NAMES.items()
    }


def ir_measures_diversity(judgments: Path, run: Path) -> Values:
    import ir_measures as program
    from ir_measures import AP_IA, ERR_IA, NRBP, P_IA, StRecall, alpha_nDCG

    asked = (alpha_nDCG @ 10, ERR_IA @ 10, P_IA @ 10, StRecall @ 10, AP_IA, NRBP)
    names = dict(zip(asked, DIVERSITY, strict=True))
    read_judgments: Any = program.read_trec_qrels
    read_run: Any = program.read_trec_run
    values = program.calc_aggregate(list(names), read_judgments(str(judgments)), read_run(str(run)))
    return {names[measure]: value for measure, value in values.items()}


def ranx(judgments: Any, run: Any) -> Values:
    from ranx import evaluate

    values = evaluate(judgments, run, list(RANX_NAMES))
    return {RANX_NAMES[name]: float(value) for name, value in values.items()}


def ranx_files(judgments: Path, run: Path) -> Values:
    from ranx import Qrels, Run

    return ranx(Qrels.from_file(str(judgments), kind="trec"), Run.from_file(str(run), kind="trec"))


def ranx_runs(runs: Sequence[Path]) -> list[Any]:
    from ranx import Run

    return [Run.from_file(str(run), kind="trec") for run in runs]


def ranx_fuse(runs: list[Any], method: str) -> Any:
    from ranx import fuse

    return fuse(runs, norm="min-max" if method == "sum" else None, method=method)


def fused_values(fused: Any) -> Values:
    """The mean of the fused scores, and how many they are."""
    scores = [score for query in fused.to_dict().values() for score in query.values()]
    return {"mean score": fmean(scores), "rows": float(len(scores))}


def ranx_arrays(labels: Array, scores: Array) -> tuple[Array, Array]:
    """The two arrays of (document, value) pairs, best first, that ranx takes."""

    def pairs(values: Array, order: Array) -> Array:
        return np.stack([order.astype(np.float64), np.take_along_axis(values, order, 1)], axis=2)

    return (
        pairs(labels.astype(np.float64), np.argsort(-labels, axis=1, kind="stable")),
        pairs(scores, np.argsort(-scores, axis=1, kind="stable")),
    )


def polars_csv(run: Path) -> Any:
    """Reads the three columns that an evaluation needs."""
    import polars as pl

    columns = {"query": pl.String, "document": pl.String, "score": pl.Float64}
    return pl.read_csv(run, columns=list(columns), schema_overrides=columns)


def polars_json_lines(run: Path) -> Any:
    """Reads the same of JSON Lines."""
    import polars as pl

    columns = {"query": pl.String, "document": pl.String, "score": pl.Float64}
    return pl.read_ndjson(run, schema=columns)


def polars_files(judgments: Path, run: Path) -> Values:
    """One lazy query over both files; the query ids become categories, which halves its time."""
    import polars as pl

    def scan(path: Path, columns: Mapping[str, Any]) -> pl.LazyFrame:
        names = {"query": pl.Categorical, "constant": pl.String, "document": pl.String}
        return pl.scan_csv(
            path, separator=" ", has_header=False, quote_char=None, schema=names | dict(columns)
        )

    rank = pl.int_range(1, pl.len() + 1)
    discount = (pl.col("rank") + 1).log(2)
    ten = pl.col("rank") <= 10
    relevant = scan(judgments, {"grade": pl.Float64}).filter(pl.col("grade") > 0)
    ideal = (
        relevant.sort("grade", descending=True)
        .with_columns(rank.over("query").alias("rank"))
        .group_by("query")
        .agg(
            (pl.col("grade") / discount).sum().alias("ideal"),
            (pl.col("grade") / discount).filter(ten).sum().alias("ideal10"),
            pl.len().alias("relevant"),
        )
    )
    ranked = scan(run, {"position": pl.Int64, "score": pl.Float64, "tag": pl.String}).select(
        "query",
        "document",
        pl.col("score").rank("ordinal", descending=True).over("query").alias("rank"),
    )
    found = (
        ranked.join(relevant, on=["query", "document"])
        .sort("rank")
        .with_columns(rank.over("query").alias("above"))
        .group_by("query")
        .agg(
            (pl.col("grade") / discount).sum().alias("ndcg"),
            (pl.col("grade") / discount).filter(ten).sum().alias("ndcg@10"),
            (pl.col("above") / pl.col("rank")).sum().alias("ap"),
            (pl.col("rank") <= 100).sum().alias("recall@100"),
            (1 / pl.col("rank").min()).alias("rr"),
        )
    )
    values = ideal.join(found, on="query", how="left").select(
        (pl.col("ndcg@10") / pl.col("ideal10")).fill_null(0).mean(),
        (pl.col("ndcg") / pl.col("ideal")).fill_null(0).mean(),
        (pl.col("ap") / pl.col("relevant")).fill_null(0).mean(),
        (pl.col("recall@100") / pl.col("relevant")).fill_null(0).mean(),
        pl.when(pl.col("rr") >= 0.1).then(pl.col("rr")).otherwise(0).mean().alias("rr@10"),
    )
    return values.collect().row(0, named=True)


def sklearn_ndcg(labels: Array, scores: Array) -> Values:
    from sklearn.metrics import ndcg_score

    return {"ndcg@10": float(ndcg_score(labels, scores, k=10))}


def lightgbm_booster(labels: Array, scores: Array) -> Any:
    """A model without trees whose starting scores are the given ones."""
    import lightgbm

    queries, depth = labels.shape
    data = lightgbm.Dataset(
        np.zeros((labels.size, 1), dtype=np.float32),
        label=labels.ravel(),
        group=np.full(queries, depth),
        init_score=scores.ravel(),
        params={"verbosity": -1, "feature_pre_filter": False},
    )
    parameters = {
        "objective": "lambdarank",
        "metric": "ndcg",
        "eval_at": [10, depth],
        "label_gain": list(range(int(labels.max()) + 1)),
        "verbosity": -1,
    }
    return lightgbm.Booster(parameters, data)


def lightgbm_ndcg(booster: Any, threads: int = 0) -> Values:
    """NDCG at 10 and over all: the metric alone, as its data and ideal lists are made before."""
    import lightgbm

    # The booster made last says how many threads all of them have.
    few = lightgbm.Dataset(np.zeros((2, 1)), np.zeros(2), params={"verbosity": -1})
    lightgbm.Booster({"num_threads": threads, "verbosity": -1}, few)
    ten, whole = (entry[2] for entry in booster.eval_train())
    return {"ndcg@10": ten, "ndcg": whole}


def sklearn_auc(labels: Array, scores: Array) -> Values:
    from sklearn.metrics import roc_auc_score

    return {"auc": float(roc_auc_score(labels, scores))}


def polars_auc(labels: Array, scores: Array) -> Values:
    """AUC by rank sums."""
    import polars as pl

    frame = pl.LazyFrame({"label": labels, "score": scores})
    return {"auc": float(frame.select(_rank_sum_auc()).collect().item())}


def polars_gauc(labels: Array, scores: Array, groups: Array) -> Values:
    """AUC by rank sums within each group, averaged over the groups that have both classes.

    Polars is told that groups are sorted, which halves its time.
    """
    import polars as pl

    frame = pl.LazyFrame({"group": groups, "label": labels, "score": scores})
    aucs = (
        frame.with_columns(pl.col("group").set_sorted())
        .group_by("group")
        .agg(_rank_sum_auc().alias("auc"))
    )
    return {"gauc": float(aucs.select(pl.col("auc").fill_nan(None).mean()).collect().item())}


def _rank_sum_auc() -> Any:
    import polars as pl

    positive = pl.col("label") > 0
    positives = positive.sum().cast(pl.Float64)
    negatives = pl.len() - positives
    ranks = pl.col("score").rank("average").filter(positive)
    return (ranks.sum() - positives * (positives + 1) / 2) / (positives * negatives)


def sklearn_gauc(labels: Array, scores: Array, groups: Array) -> Values:
    from sklearn.metrics import roc_auc_score

    starts = np.flatnonzero(np.diff(groups, prepend=groups[0] - 1))
    aucs = [
        roc_auc_score(label, score)
        for label, score in zip(
            np.split(labels, starts[1:]), np.split(scores, starts[1:]), strict=True
        )
        if 0 < label.sum() < len(label)
    ]
    return {"gauc": fmean(aucs)}


def scipy_permutation(differences: Array, resamples: int) -> Values:
    """Random signs, for all measures at once."""
    from scipy.stats import permutation_test

    found = permutation_test(
        (differences,),
        lambda values, axis: np.mean(values, axis=axis),
        permutation_type="samples",
        vectorized=True,
        axis=1,
        n_resamples=resamples,
        batch=100,
        rng=np.random.default_rng(1),
    )
    return {f"measure {row}": float(p) for row, p in enumerate(found.pvalue, 1)}


def ranx_fisher(baseline: Array, candidate: Array, resamples: int) -> Values:
    """The function behind `ranx.compare(stat_test="fisher")`, measure by measure as there."""
    from ranx.statistical_tests.fisher_randomization_test import fisher_randomization_test

    return {
        f"measure {row}": float(fisher_randomization_test(first, second, resamples)[0])
        for row, (first, second) in enumerate(zip(baseline, candidate, strict=True), 1)
    }
