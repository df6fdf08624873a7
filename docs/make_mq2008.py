"""Trains every ranker on MQ2008's five folds, and writes what each reaches under three conventions.

python docs/make_mq2008.py FOLDER           writes both pages from S1.txt.gz … S5.txt.gz
python docs/make_mq2008.py FOLDER --print   prints the tables
python docs/make_mq2008.py FOLDER --only lambdamart --fold 1 --print

Scores are kept in build/mq2008, so that a run that was ended goes on where it was.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from marks import replaced
from numpy.typing import NDArray

import relyon
import relyon.ltr
from relyon.analysis.statistics import interval
from relyon.data.labelled import LabelledRows

PAGES = (Path(__file__).with_name("mq2008.md"), Path(__file__).parent / "zh" / "mq2008.md")
KEPT = Path(__file__).parents[1] / "build" / "mq2008"
MARKS = {
    name: (f"<!-- {name}:start -->\n\n", f"\n<!-- {name}:end -->")
    for name in ("conventions", "cutoffs", "differences")
}
FOLDS = 5
CUTOFFS = (1, 3, 5, 10)
#: What a query without relevant documents counts.
EMPTY: Mapping[str, float] = {"one": 1.0, "skip": math.nan, "zero": 0.0}
MEASURE = "ndcg(gain=exp)@10"
#: The trees of every ranker of trees; how many of them is chosen on the validation part.
TREES = {"trees": 500, "learning_rate": 0.05, "leaves": 31}
PATIENCE = 50
SEED = 0
LIGHTGBM = {
    "num_leaves": TREES["leaves"],
    "learning_rate": TREES["learning_rate"],
    "min_data_in_leaf": 20,
    "num_threads": 1,
    "deterministic": True,
    "seed": SEED,
    "verbose": -1,
}


@dataclass(frozen=True)
class Entry:
    """A row of the table.

    Attributes:
        key: What its scores are kept as.
        name: By language.
        train: From training and validation rows to what scores rows.
    """

    key: str
    names: Mapping[str, str]
    train: Callable[[LabelledRows, LabelledRows], Callable[[LabelledRows], NDArray[np.float64]]]


def ours(loss: str) -> Callable[..., Any]:
    """Returns what trains LightGBM's trees on one of relyon's losses, and stops on its NDCG."""

    def train(rows: LabelledRows, valid: LabelledRows) -> Callable[..., Any]:
        import lightgbm as lgb

        settings = LIGHTGBM | {"objective": relyon.ltr.objective(loss, rows), "metric": "none"}
        data = lgb.Dataset(values(rows), rows.labels, group=np.diff(rows.groups))
        watched = lgb.Dataset(
            values(valid), valid.labels, group=np.diff(valid.groups), reference=data
        )
        booster = lgb.train(
            settings,
            data,
            int(TREES["trees"]),
            [watched],
            feval=relyon.ltr.feval(MEASURE),
            callbacks=[lgb.early_stopping(PATIENCE, verbose=False)],
        )
        return lambda of: booster.predict(values(of), num_iteration=booster.best_iteration)

    return train


def ranker(name: str, **parameters: Any) -> Callable[..., Any]:
    """Returns what trains a ranker without trees."""

    def train(rows: LabelledRows, valid: LabelledRows) -> Callable[..., Any]:
        model = relyon.ltr.ranker(name, measure=MEASURE, seed=SEED, threads=1, **parameters)
        # A linear ranker has nothing to stop: it goes to the lowest point.
        model.fit(rows, eval_set=None if parameters["scorer"] == "linear" else valid)
        return model.predict

    return train


def lightgbm(objective: str) -> Callable[..., Any]:
    """Returns what trains LightGBM with an objective of its own."""

    def train(rows: LabelledRows, valid: LabelledRows) -> Callable[..., Any]:
        import lightgbm as lgb

        def dataset(of: LabelledRows, reference: Any = None) -> Any:
            return lgb.Dataset(values(of), of.labels, group=np.diff(of.groups), reference=reference)

        settings = LIGHTGBM | {"objective": objective, "metric": "ndcg", "eval_at": [10]}
        data = dataset(rows)
        stopping = lgb.early_stopping(PATIENCE, verbose=False)
        booster = lgb.train(
            settings, data, int(TREES["trees"]), [dataset(valid, data)], callbacks=[stopping]
        )
        return lambda of: booster.predict(values(of), num_iteration=booster.best_iteration)

    return train


def xgboost(objective: str, own: bool = False) -> Callable[..., Any]:
    """Returns what trains XGBoost with an objective of its own, or with a loss of relyon's."""

    def train(rows: LabelledRows, valid: LabelledRows) -> Callable[..., Any]:
        import xgboost as xgb

        def matrix(of: LabelledRows) -> Any:
            queries = np.repeat(np.arange(len(of.queries)), np.diff(of.groups))
            return xgb.DMatrix(values(of), of.labels, qid=queries)

        settings = {
            "grow_policy": "lossguide",
            "max_leaves": TREES["leaves"],
            "max_depth": 0,
            "learning_rate": TREES["learning_rate"],
            "nthread": 1,
            "seed": SEED,
        }
        more: dict[str, Any] = {}
        if own:
            settings["disable_default_eval_metric"] = 1
            more["obj"] = relyon.ltr.objective(objective, rows, engine="xgboost")
            more["custom_metric"] = relyon.ltr.feval(MEASURE, valid, engine="xgboost")
        else:
            settings |= {"objective": objective, "eval_metric": "ndcg@10"}
        booster = xgb.train(
            settings,
            matrix(rows),
            int(TREES["trees"]),
            evals=[(matrix(valid), "valid")],
            callbacks=[xgb.callback.EarlyStopping(rounds=PATIENCE, maximize=True)],
            verbose_eval=False,
            **more,
        )
        best = (0, booster.best_iteration + 1)
        return lambda of: booster.predict(matrix(of), iteration_range=best, output_margin=True)

    return train


def catboost(objective: str) -> Callable[..., Any]:
    """Returns what trains CatBoost with an objective of its own."""

    def train(rows: LabelledRows, valid: LabelledRows) -> Callable[..., Any]:
        import catboost as cat

        def pool(of: LabelledRows) -> Any:
            queries = np.repeat(np.arange(len(of.queries)), np.diff(of.groups))
            return cat.Pool(values(of), of.labels, group_id=queries)

        model = cat.CatBoost(
            {
                "loss_function": objective,
                "eval_metric": "NDCG:top=10;type=Exp",
                "iterations": int(TREES["trees"]),
                "learning_rate": TREES["learning_rate"],
                "depth": 6,
                "od_type": "Iter",
                "od_wait": PATIENCE,
                "random_seed": SEED,
                "thread_count": 1,
                "verbose": False,
                "allow_writing_files": False,
            }
        )
        model.fit(pool(rows), eval_set=pool(valid), use_best_model=True)
        return lambda of: model.predict(pool(of))

    return train


def values(rows: LabelledRows) -> NDArray[Any]:
    """Returns the features."""
    if rows.features is None:
        raise SystemExit("the rows have no features")
    return np.asarray(rows.features.values)


#: Every ranker, the pointwise baseline first. LightGBM's own objective is what others are compared
#: with.
OWN = "lightgbm-lambdarank"
ENTRIES = (
    Entry("regression", {"en": "regression", "zh": "逐点回归"}, ours("squared_error")),
    Entry("classification", {"en": "classification", "zh": "逐点分类"}, ours("logistic")),
    Entry("ordinal", {"en": "ordinal", "zh": "有序回归"}, ours("ordinal")),
    Entry("ranknet", {"en": "RankNet", "zh": "RankNet"}, ours("ranknet")),
    Entry(
        "lambdamart",
        {"en": "LambdaMART", "zh": "LambdaMART"},
        ours("lambdarank(measure=ndcg(gain=exp)@10)"),
    ),
    Entry("listnet", {"en": "ListNet", "zh": "ListNet"}, ours("listnet")),
    Entry("listmle", {"en": "ListMLE", "zh": "ListMLE"}, ours("listmle")),
    Entry("softrank", {"en": "SoftRank", "zh": "SoftRank"}, ours("softrank")),
    Entry("approxndcg", {"en": "ApproxNDCG", "zh": "ApproxNDCG"}, ours("approx_ndcg")),
    Entry("neuralndcg", {"en": "NeuralNDCG", "zh": "NeuralNDCG"}, ours("neural_ndcg")),
    Entry("lambdaloss", {"en": "LambdaLoss", "zh": "LambdaLoss"}, ours("ndcg_loss2pp")),
    Entry(
        "linear-ranknet",
        {"en": "RankNet, linear", "zh": "RankNet，线性"},
        ranker("ranknet", scorer="linear"),
    ),
    Entry(
        "neural-ranknet",
        {"en": "RankNet, network", "zh": "RankNet，神经网络"},
        ranker("ranknet", scorer="neural", stop=5),
    ),
    Entry(
        "neural-listnet",
        {"en": "ListNet, network", "zh": "ListNet，神经网络"},
        ranker("listnet", scorer="neural", stop=5),
    ),
    Entry(
        "xgboost-lambdamart",
        {"en": "LambdaMART, XGBoost's trees", "zh": "LambdaMART，XGBoost 的树"},
        xgboost("lambdarank(measure=ndcg(gain=exp)@10)", own=True),
    ),
    Entry(
        "lightgbm-regression",
        {"en": "LightGBM `regression`", "zh": "LightGBM `regression`"},
        lightgbm("regression"),
    ),
    Entry(
        OWN, {"en": "LightGBM `lambdarank`", "zh": "LightGBM `lambdarank`"}, lightgbm("lambdarank")
    ),
    Entry(
        "lightgbm-xendcg",
        {"en": "LightGBM `rank_xendcg`", "zh": "LightGBM `rank_xendcg`"},
        lightgbm("rank_xendcg"),
    ),
    Entry(
        "xgboost-ndcg",
        {"en": "XGBoost `rank:ndcg`", "zh": "XGBoost `rank:ndcg`"},
        xgboost("rank:ndcg"),
    ),
    Entry("catboost-rmse", {"en": "CatBoost `RMSE`", "zh": "CatBoost `RMSE`"}, catboost("RMSE")),
    Entry(
        "catboost-yetirank",
        {"en": "CatBoost `YetiRank`", "zh": "CatBoost `YetiRank`"},
        catboost("YetiRank"),
    ),
)


class Parts:
    """The five parts of the data, and the folds that LETOR 4.0 makes of them."""

    def __init__(self, folder: Path) -> None:
        self.parts = [
            relyon.read_features(folder / f"S{number}.txt.gz") for number in range(1, FOLDS + 1)
        ]

    def fold(self, number: int) -> tuple[LabelledRows, LabelledRows, LabelledRows]:
        """Returns training, validation and test rows of a fold, counted from 1."""
        order = [self.parts[(number - 1 + place) % FOLDS] for place in range(FOLDS)]
        return _together(order[:3]), order[3], order[4]


def _together(parts: Sequence[LabelledRows]) -> LabelledRows:
    from relyon.data.features import Features

    known = parts[0].features
    if known is None:
        raise SystemExit("the rows have no features")
    groups = [np.zeros(1, dtype=np.int64)]
    for part in parts:
        groups.append(part.groups[1:] + groups[-1][-1])
    return LabelledRows(
        np.concatenate([part.labels for part in parts]),
        None,
        np.concatenate(groups),
        [query for part in parts for query in part.queries],
        features=Features(known.names, np.concatenate([values(part) for part in parts])),
    )


def scores(entry: Entry, number: int, parts: Parts) -> NDArray[np.float64]:
    """Returns a ranker's scores of a fold's test rows: kept ones, or after training."""
    path = KEPT / f"{entry.key}-{number}.npy"
    if path.exists():
        return np.asarray(np.load(path))
    train, valid, test = parts.fold(number)
    started = time.process_time()
    found = np.asarray(entry.train(train, valid)(test), dtype=np.float64)
    print(f"{entry.key} fold {number}: {time.process_time() - started:.1f} s", flush=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, found)
    return found


def by_query(
    parts: Parts, found: Mapping[int, NDArray[np.float64]], cutoff: int, empty: str
) -> dict[str, float]:
    """Returns the measure of each test query of the folds that were run.

    Raises:
        SystemExit: If their mean is not what relyon reports under the same convention.
    """
    measure = f"ndcg(gain=exp)@{cutoff}"
    together: dict[str, float] = {}
    for number, of in found.items():
        test = parts.fold(number)[2]
        results = relyon.evaluate_scores(
            test, of, measures=measure, convention={"undefined": empty}
        )
        mine = {
            query: value if np.isfinite(value) else EMPTY[empty]
            for query, value in results.values_by_query(measure).items()
            if np.isfinite(value) or empty != "skip"
        }
        if not np.isclose(np.mean([*mine.values()]), results[measure], rtol=1e-12):
            raise SystemExit(f"fold {number}: {np.mean([*mine.values()])}, not {results[measure]}")
        together |= {f"{number} {query}": value for query, value in mine.items()}
    return together


def shown(sample: Sequence[float], sign: str = "") -> str:
    """Returns a mean with its 95% interval."""
    low, high = interval("t", np.asarray(sample))
    mean = float(np.mean(sample))
    return f"{mean:{sign}.4f} [{low:{sign}.4f}, {high:{sign}.4f}]".replace("-", "−")


WORDS = {
    "en": {
        "ranker": "ranker",
        "one": "empty = 1",
        "skip": "skipped",
        "zero": "empty = 0",
        "fold": "fold 1, empty = 1",
        "difference": "difference at 10",
        "queries": "queries",
    },
    "zh": {
        "ranker": "排序模型",
        "one": "空查询计 1",
        "skip": "不计",
        "zero": "空查询计 0",
        "fold": "第 1 折，空查询计 1",
        "difference": "@10 的差异",
        "queries": "查询数",
    },
}


def table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """Returns a table in Markdown."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *body]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def tables(
    parts: Parts, entries: Sequence[Entry], folds: Sequence[int], language: str
) -> dict[str, str]:
    """Returns the tables, by the name of their place on the page."""
    words = WORDS[language]
    found = {one.key: {number: scores(one, number, parts) for number in folds} for one in entries}

    @cache
    def values_of(key: str, cutoff: int, empty: str) -> dict[str, float]:
        return by_query(parts, found[key], cutoff, empty)

    def rows(cells: Callable[[Entry], Iterator[str]]) -> list[list[str]]:
        return [[one.names[language], *cells(one)] for one in entries]

    def conventions(one: Entry) -> Iterator[str]:
        for empty in EMPTY:
            yield shown([*values_of(one.key, 10, empty).values()])
        first = {number: of for number, of in found[one.key].items() if number == 1}
        yield f"{np.mean([*by_query(parts, first, 10, 'one').values()]):.4f}" if first else "–"

    def cutoffs(one: Entry) -> Iterator[str]:
        for cutoff in CUTOFFS:
            yield f"{np.mean([*values_of(one.key, cutoff, 'skip').values()]):.4f}"

    made = {
        "conventions": table(
            [words["ranker"], *(words[empty] for empty in EMPTY), words["fold"]], rows(conventions)
        ),
        "cutoffs": table([words["ranker"], *(f"NDCG@{k}" for k in CUTOFFS)], rows(cutoffs)),
    }
    if OWN in found:
        base = values_of(OWN, 10, "skip")

        def differences(one: Entry) -> Iterator[str]:
            mine = values_of(one.key, 10, "skip")
            yield (
                "–" if one.key == OWN else shown([mine[query] - base[query] for query in base], "+")
            )

        made["differences"] = table([words["ranker"], words["difference"]], rows(differences))
    return made


def main() -> None:
    """Writes the pages, or prints their tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--only", action="append", help="a ranker's key")
    parser.add_argument("--fold", type=int, action="append")
    asked = parser.parse_args()
    # Single folds have ties: they count the mean over their orders, as the page says.
    warnings.simplefilter("ignore", relyon.RelyonWarning)
    parts = Parts(asked.folder)
    entries = [one for one in ENTRIES if not asked.only or one.key in asked.only]
    folds = asked.fold or range(1, FOLDS + 1)
    for page, language in zip(PAGES, WORDS, strict=True):
        made = tables(parts, entries, folds, language)
        for name, text in made.items():
            if asked.print:
                print(text)
            else:
                wanted = replaced(page, *MARKS[name], text)
                page.write_text(wanted, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
