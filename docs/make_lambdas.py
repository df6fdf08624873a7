"""Trains LambdaMART with several forms of λ, and writes what each reaches beside the default.

python docs/make_lambdas.py FOLDER           writes both pages; FOLDER holds mq2008 (S1.txt.gz …)
                                             and lightgbm_lambdarank (rank.train.gz, rank.test.gz)
python docs/make_lambdas.py FOLDER --print   prints the tables

Scores are kept in build/lambdas, so that a run that was ended goes on where it was. All of it takes
about ten minutes of one processor.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Mapping, Sequence
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

PAGES = (Path(__file__).with_name("objectives.md"), Path(__file__).parent / "zh" / "objectives.md")
KEPT = Path(__file__).parents[1] / "build" / "lambdas"
DEMO = Path(__file__).parents[1] / "examples" / "docs-search" / "features.parquet"
FOLDS = 5
MEASURE = "ndcg@10"
#: The loss of each form, the default first.
FORMS = {
    "exact": "lambdarank",
    "disc@10": "lambdarank(beyond=discount)",
    "cut@13": "lambdarank(measure=ndcg@13)",
    "disc@13": "lambdarank(measure=ndcg@13,beyond=discount)",
    "disc@30": "lambdarank(measure=ndcg@30,beyond=discount)",
    "full": "lambdarank(measure=ndcg)",
    "exact-nonorm": "lambdarank(normalize=false)",
    "regression": "squared_error",
}
HEADS = {
    "en": {
        "collection": "collection",
        "queries": "queries",
        "exact": "default: NDCG@10",
        "disc@10": "`beyond=discount`",
        "cut@13": "NDCG@13",
        "disc@13": "NDCG@13, `beyond=discount`",
        "disc@30": "LightGBM's: NDCG@30, `beyond=discount`",
        "full": "NDCG",
        "exact-nonorm": "`normalize=false`",
        "regression": "regression",
        "mean": "mean of the collections",
    },
    "zh": {
        "collection": "数据集",
        "queries": "查询数",
        "exact": "默认：NDCG@10",
        "disc@10": "`beyond=discount`",
        "cut@13": "NDCG@13",
        "disc@13": "NDCG@13、`beyond=discount`",
        "disc@30": "LightGBM 的：NDCG@30、`beyond=discount`",
        "full": "NDCG",
        "exact-nonorm": "`normalize=false`",
        "regression": "逐点回归",
        "mean": "各数据集的平均",
    },
}


@dataclass(frozen=True)
class Collection:
    """A kind of data.

    Attributes:
        names: By language.
        plain: Its sets, each with how many seeds it is trained with, for a fixed number of trees.
        stop: The same for early stopping.
    """

    names: Mapping[str, str]
    plain: Mapping[str, int]
    stop: Mapping[str, int]


def once(kind: str, *seeds: int) -> dict[str, int]:
    """Returns simulated sets of one kind, each trained with one seed."""
    return {f"{kind}-{seed}": 1 for seed in seeds}


COLLECTIONS = (
    Collection({"en": "MQ2008", "zh": "MQ2008"}, {"mq2008": 8}, {"mq2008": 6}),
    Collection({"en": "LightGBM's example", "zh": "LightGBM 的示例"}, {"lgb": 4}, {"lgb": 3}),
    Collection({"en": "the demo's questions", "zh": "演示的问题"}, {"demo": 10}, {"demo": 8}),
    Collection(
        {"en": "simulated: six grades", "zh": "模拟：六个等级"},
        once("grades", 1, 3, 4),
        once("grades", 2, 5),
    ),
    Collection(
        {"en": "simulated: 8 documents", "zh": "模拟：每条查询 8 篇文档"},
        once("few", 1, 3),
        once("few", 2, 4),
    ),
    Collection(
        {"en": "simulated: 150 documents", "zh": "模拟：每条查询 150 篇文档"},
        once("long", 1, 3, 4, 5, 6, 9, 10),
        once("long", 2, 7, 8),
    ),
    Collection(
        {"en": "simulated: 30,000 rows", "zh": "模拟：30,000 行"},
        once("large", 1),
        once("large", 2),
    ),
)
#: Of simulated sets: queries, documents of each, grades and the share of relevant documents.
SHAPES = {
    "grades": (250, 30, 6, 0.5),
    "few": (600, 8, 2, 0.2),
    "long": (80, 150, 4, 0.06),
    "large": (1500, 20, 4, 0.3),
}
#: The demo has few rows, and small trees for them.
TREES: Mapping[str, Mapping[str, Any]] = {
    "demo": {"trees": 100, "leaves": 7, "learning_rate": 0.05}
}


@dataclass(frozen=True)
class Data:
    """Rows, each with its label, its query and the fold of its query."""

    features: NDArray[Any]
    labels: NDArray[np.float64]
    query: NDArray[np.int64]
    fold: NDArray[np.int64]


def simulated(kind: str, seed: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Returns rows whose labels follow from eight of twelve features, and from chance."""
    queries, documents, grades, share = SHAPES[kind]
    random, count = np.random.default_rng(seed), queries * documents
    features = random.normal(size=(count, 12)).astype(np.float32)
    features[:, :3] += np.repeat(random.normal(size=(queries, 3)), documents, axis=0)
    first = features[:, 0]
    worth = (
        first
        - np.repeat(first.reshape(queries, documents).mean(1), documents)
        + np.abs(features[:, 3]) * (features[:, 4] > 0)
        + 0.7 * features[:, 5] * features[:, 6]
        + 0.5 * np.sin(2 * features[:, 7])
        + np.repeat(0.7 * random.normal(size=queries), documents)
        + random.normal(size=count)
    )
    shares = share * np.linspace(1, 0.1, grades - 1) if grades > 2 else np.array([share])
    labels = np.digitize(worth, np.quantile(worth, 1 - shares)).astype(float)
    return features, labels, np.repeat(np.arange(queries), documents)


def read(path: Path) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Returns the features, labels and queries of a file."""
    rows = relyon.read_features(path)
    return np.asarray(rows.known_features().values), rows.labels, rows.qid


def joined(parts: Sequence[tuple[NDArray[Any], ...]]) -> list[NDArray[Any]]:
    """Returns the rows of several files, their queries numbered on."""
    width = max(part[0].shape[1] for part in parts)
    found, next_query = [], 0
    for features, labels, query in parts:
        wide = np.pad(features, ((0, 0), (0, width - features.shape[1])))
        found.append((wide, labels, query + next_query))
        next_query += int(query[-1]) + 1
    return [np.concatenate(one) for one in zip(*found, strict=True)]


@cache
def data_of(name: str, folder: Path) -> Data:
    """Returns a set with its folds: those of LETOR for MQ2008, drawn ones for others."""
    if name == "mq2008":
        parts = [read(folder / "mq2008" / f"S{part}.txt.gz") for part in range(1, FOLDS + 1)]
        sizes = [int(part[2][-1]) + 1 for part in parts]
        fold = np.repeat(np.arange(FOLDS), sizes)
        features, labels, query = joined(parts)
        return Data(features, labels, query, fold[query])
    if name == "lgb":
        files = [folder / "lightgbm_lambdarank" / f"rank.{side}.gz" for side in ("train", "test")]
        features, labels, query = joined([read(path) for path in files])
    elif name == "demo":
        features, labels, query = read(DEMO)
    else:
        kind, seed = name.split("-")
        features, labels, query = simulated(kind, int(seed))
    count = int(query[-1]) + 1
    fold = np.empty(count, dtype=np.int64)
    fold[np.random.default_rng(5).permutation(count)] = np.arange(count) % FOLDS
    return Data(features, labels, query, fold[query])


def values(name: str, form: str, stop: bool, seed: int, folder: Path) -> NDArray[np.float64]:
    """Returns the measure of each query, of a ranker that was not trained on it."""
    path = KEPT / f"{name}__{'stop' if stop else 'plain'}__{seed}__{form}.npy"
    if path.exists():
        return np.asarray(np.load(path))
    data = data_of(name, folder)
    scores = np.full(len(data.labels), np.nan)
    settings = {"measure": MEASURE, "threads": 1, "seed": seed, **TREES.get(name, {})}
    if stop:
        settings |= {"trees": 300, "stop": 30}
    for fold in range(FOLDS):
        test = data.fold == fold
        held = (data.fold == (fold - 1) % FOLDS) & stop
        train = ~test & ~held
        watched = (data.features[held], data.labels[held], data.query[held]) if stop else None
        model = relyon.ltr.TreeRanker(FORMS[form], **settings)
        model.fit(data.features[train], data.labels[train], qid=data.query[train], eval_set=watched)
        scores[test] = model.predict(data.features[test])
    found = relyon.evaluate_scores(data.labels, scores, data.query, [MEASURE]).column(MEASURE)
    print(f"{path.stem}: {np.nanmean(found):.4f}", flush=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, found)
    return np.asarray(found)


def together(sets: Mapping[str, int], form: str, stop: bool, folder: Path) -> NDArray[np.float64]:
    """Returns the measure of each query of all sets, its mean over seeds; regression draws none."""
    found = []
    for name, seeds in sets.items():
        drawn = 1 if form == "regression" else seeds
        every = [values(name, form, stop, seed, folder) for seed in range(drawn)]
        found.append(np.mean(every, axis=0))
    whole = np.concatenate(found)
    return np.asarray(whole[np.isfinite(whole)])


def shown(differences: Sequence[float] | NDArray[np.float64]) -> str:
    """Returns a mean with half the width of its 95% interval."""
    known = np.asarray(differences)
    low, high = interval("t", known)
    star = "*" if low > 0 or high < 0 else ""
    return f"{known.mean():+.4f} ± {(high - low) / 2:.4f}{star}".replace("-", "−")


def table(stop: bool, language: str, folder: Path) -> str:
    """Returns the table of all collections."""
    heads = HEADS[language]
    head = [heads["collection"], heads["queries"], *(heads[form] for form in FORMS)]
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    means: dict[str, list[float]] = {}
    others = [form for form in FORMS if form != "exact"]
    for one in COLLECTIONS:
        sets = one.stop if stop else one.plain
        base = together(sets, "exact", stop, folder)
        cells = []
        for form in others:
            differences = together(sets, form, stop, folder) - base
            cells.append(shown(differences) if differences.any() else "0")
            means.setdefault(form, []).append(float(differences.mean()))
        lines.append([one.names[language], f"{len(base):,}", f"{base.mean():.4f}", *cells])
    lines.append([heads["mean"], "", "", *(shown(means[form]) for form in others)])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main() -> None:
    """Writes the pages, or prints their tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--print", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore", relyon.RelyonWarning)
    say: Callable[[str], None] = print
    for page, language in zip(PAGES, HEADS, strict=True):
        for stop in (False, True):
            text = table(stop, language, asked.folder)
            if asked.print:
                say(text)
                continue
            mark = "lambdas-stop" if stop else "lambdas"
            marks = (f"<!-- {mark}:start -->\n\n", f"\n<!-- {mark}:end -->")
            page.write_text(replaced(page, *marks, text), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
