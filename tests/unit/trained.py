"""A small training whose numbers are known: what tests of tables, cards and pages show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import relyon.ltr
from relyon.data.convention import load_convention
from relyon.data.labelled import LabelledRows
from relyon.ltr.training.card import ModelCard, data_facts
from relyon.ltr.training.contributions import linear_contributions
from relyon.ltr.training.curve import CurvePoint
from relyon.ltr.training.held_out import held_out
from relyon.ltr.training.importance import contribution_importance
from relyon.ltr.training.outcome import SearchTrial, Training
from relyon.ltr.training.placement import label_placements
from relyon.ltr.training.segments import relevant_counts, segment_table, sizes_of
from relyon.measures.fingerprint import measure_fingerprint

__all__ = ["FEATURES", "rows_of", "training_of", "write_features"]

FEATURES = ("bm25", "title_match", "age", "query_length")


def rows_of(queries: int = 40, size: int = 10, seed: int = 1) -> LabelledRows:
    """Returns rows whose labels follow from bm25 and title_match; query_length is the query's."""
    random = np.random.default_rng(seed)
    count = queries * size
    values = random.normal(size=(count, 4))
    values[:, 3] = np.repeat(random.normal(size=queries), size)
    wanted = values[:, 0] + 0.5 * values[:, 1] + 0.8 * random.normal(size=count)
    frame = pl.DataFrame(
        {
            "query": np.repeat([f"q{place:02}" for place in range(queries)], size),
            "document": [f"d{place % size}" for place in range(count)],
            "label": np.clip(np.round(wanted), 0, 3),
            **{name: values[:, place] for place, name in enumerate(FEATURES)},
        }
    )
    return relyon.read_features(frame)


def write_features(rows: LabelledRows, path: Path) -> None:
    """Writes rows as a table."""
    assert rows.features is not None
    columns: dict[str, Any] = {
        "query": np.repeat(rows.queries, np.diff(rows.groups)),
        "document": rows.documents,
        "label": rows.labels.astype(int),
    }
    for place, name in enumerate(rows.features.names):
        columns[name] = rows.features.values[:, place].round(3)
    pl.DataFrame(columns).write_csv(path)


def training_of(rows: LabelledRows | None = None, **changes: Any) -> Training:
    """Returns what came of training a linear ranker of bm25 and title_match, against bm25."""
    known = rows or rows_of()
    assert known.features is not None
    values = np.asarray(known.features.values)
    scores, plain = values[:, 0] + 0.5 * values[:, 1], values[:, 0]
    own = relyon.evaluate_scores(known, scores, measures="ndcg@10").column("ndcg@10")
    before = relyon.evaluate_scores(known, plain, measures="ndcg@10").column("ndcg@10")
    rules = load_convention("relyon").replace(gain="exp")
    parts = linear_contributions(np.array([1, 0.5, 0.01, 3]), values.mean(axis=0), values)
    names, order = sizes_of(relevant_counts(known))
    card = ModelCard(
        "lambdamart",
        "lambdarank(measure=ndcg@10)",
        "lightgbm",
        {"trees": 100, "leaves": 31},
        0,
        data_facts(known),
        "ndcg@10",
        rules,
        measure_fingerprint(relyon.measure("ndcg@10"), rules),
        "folds=5",
        held_out(own, before),
        "pointwise",
        versions={"relyon": "1.0", "lightgbm": "4.7.0"},
    )
    found: dict[str, Any] = {
        "card": card,
        "queries": tuple(known.queries),
        "values": tuple(own),
        "baseline": tuple(before),
        "curve": tuple(CurvePoint(at, 0.5 + at / 200, 0.5 + at / 400) for at in range(1, 101)),
        "importance": contribution_importance(parts, known.groups, known.features.names),
        "placements": label_placements(known, scores),
        "segments": segment_table(names, own, before, order=order),
        "trials": (SearchTrial({"learning_rate": 0.123456}, 0.71),),
        "ranker": relyon.ltr.LinearRanker(),
    }
    return Training(**found | changes)
