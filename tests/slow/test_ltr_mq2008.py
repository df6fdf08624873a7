"""On MQ2008, five folds: our LambdaMART beside LightGBM's own, and every model above chance."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import pytest

import relyon
import relyon.ltr
from relyon.data.features import Features
from relyon.data.labelled import LabelledRows
from relyon.ltr.rankers.models import MODELS

pytestmark = pytest.mark.slow

SETTINGS: dict[str, Any] = {"leaves": 15, "learning_rate": 0.05, "trees": 300, "threads": 1}
#: What LightGBM calls lambdarank: its truncation level is 30.
THEIRS = "lambdarank(measure=ndcg(gain=exp)@30,beyond=discount,ties=input)"


def together(parts: list[LabelledRows]) -> LabelledRows:
    sizes = np.concatenate([np.diff(one.groups) for one in parts])
    first = parts[0]
    assert first.features is not None
    values = [one.features.values for one in parts if one.features is not None]
    return replace(
        first,
        labels=np.concatenate([one.labels for one in parts]),
        groups=np.concatenate([[0], np.cumsum(sizes)]),
        queries=[query for one in parts for query in one.queries],
        documents=None,
        features=Features(first.features.names, np.concatenate(values)),
    )


@pytest.fixture(scope="module")
def folds(test_data: Path) -> list[tuple[LabelledRows, LabelledRows, LabelledRows]]:
    parts = [
        relyon.read_features(str(test_data / "mq2008" / f"S{number}.txt.gz"))
        for number in range(1, 6)
    ]
    return [
        (
            together([parts[(first + step) % 5] for step in range(3)]),
            parts[(first + 3) % 5],
            parts[(first + 4) % 5],
        )
        for first in range(5)
    ]


def by_query(rows: LabelledRows, scores: Any) -> list[float]:
    return relyon.evaluate_scores(rows, scores, measures=["ndcg@10"]).column("ndcg@10")


def test_our_lambdamart_is_within_the_interval_of_lightgbms(folds: Any) -> None:
    ours: list[float] = []
    theirs: list[float] = []
    for train, valid, test in folds:
        made = relyon.ltr.TreeRanker(THEIRS, stop=30, **SETTINGS).fit(train, eval_set=valid)
        ours += by_query(test, made.predict(test))
        data = lightgbm.Dataset(
            train.features.values, label=train.labels, group=np.diff(train.groups)
        )
        watched = lightgbm.Dataset(
            valid.features.values, label=valid.labels, group=np.diff(valid.groups), reference=data
        )
        booster = lightgbm.train(
            {
                "objective": "lambdarank",
                "metric": "None",
                "num_leaves": 15,
                "learning_rate": 0.05,
                "num_threads": 1,
                "verbosity": -1,
                "deterministic": True,
                "force_row_wise": True,
            },
            data,
            300,
            valid_sets=[watched],
            feval=relyon.ltr.feval("ndcg@10", valid),
            callbacks=[lightgbm.early_stopping(30, verbose=False)],
        )
        theirs += by_query(test, booster.predict(test.features.values))
    known = np.isfinite(ours) & np.isfinite(theirs)
    difference = (np.array(ours) - np.array(theirs))[known]
    half = 1.96 * difference.std(ddof=1) / np.sqrt(len(difference))
    assert len(difference) > 500
    assert abs(difference.mean()) <= half


@pytest.mark.parametrize("scorer", ["trees", "linear"])
def test_every_model_ranks_above_chance(folds: Any, scorer: Any) -> None:
    train, _, test = folds[0]
    drawn = [np.random.default_rng(seed).random(len(test)) for seed in range(10)]
    chance = max(float(np.nanmean(by_query(test, one))) for one in drawn)
    settings = SETTINGS | {"trees": 60} if scorer == "trees" else {"threads": 1}
    for model in MODELS:
        if model == "lambdamart" and scorer != "trees":
            continue
        made = relyon.ltr.ranker(model, scorer=scorer, **settings).fit(train)
        assert made.score(test) > chance + 0.1, model
