"""Near-copies of queries are found before training, kept on one side, and counted as one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_array
from tests.unit.conftest import Command

import relyon
import relyon.ltr
from relyon.data.features import Features
from relyon.data.labelled import LabelledRows
from relyon.ltr.preparation.near_copies import alike_queries, copied_queries, near_queries
from relyon.ltr.preparation.together import kept_together
from relyon.ltr.training.held_out import held_out
from relyon.ltr.training.plan import dealt_pairs

DOCUMENTS = 8


def copies(
    base: int = 12, times: int = 3, *, width: int = 4, jitter: float = 1.0, seed: int = 1
) -> pl.DataFrame:
    """Queries under several ids, of which one feature jitters; labels are random."""
    random = np.random.default_rng(seed)
    rows = []
    for query in range(base):
        values = random.normal(size=(DOCUMENTS, width))
        labels = random.integers(0, 4, DOCUMENTS)
        for time in range(times):
            copy = values.copy()
            copy[:, 1] += jitter * random.normal(size=DOCUMENTS)
            rows += [
                [f"q{query}-{time}", f"d{query}-{place}", int(labels[place]), *copy[place]]
                for place in range(DOCUMENTS)
            ]
    names = ["query", "document", "label", *(f"f{place}" for place in range(width))]
    return pl.DataFrame(rows, schema=names, orient="row")


def rows_of(frame: pl.DataFrame) -> LabelledRows:
    return relyon.read_features(frame)


def owners(rows: LabelledRows, groups: np.ndarray) -> list[set[str]]:
    found: dict[int, set[str]] = {}
    for query, group in zip(rows.queries, groups.tolist(), strict=True):
        found.setdefault(group, set()).add(query.split("-")[0])
    return list(found.values())


@pytest.mark.parametrize("width", [3, 4, 30])
def test_copies_of_a_query_are_one_group(width: int) -> None:
    rows = rows_of(copies(width=width))
    kept = kept_together(rows, "together")
    assert len(np.unique(kept.groups)) == len(np.unique(kept.clusters)) == 12
    assert all(len(one) == 1 for one in owners(rows, kept.groups))
    assert len(np.unique(kept_together(rows, "ignore").groups)) == 36


def test_sparse_features_give_the_same_pairs() -> None:
    frame = copies()
    rows = rows_of(frame)
    features = rows.known_features()
    sparse = LabelledRows(
        rows.labels, None, rows.groups, rows.queries,
        features=Features(features.names, csr_array(features.values)),
    )  # fmt: skip
    for one, other in zip(near_queries(rows), near_queries(sparse), strict=True):
        np.testing.assert_array_equal(one, other)


def test_labels_that_differ_are_no_copies() -> None:
    frame = copies()
    random = np.random.default_rng(3)
    graded = frame.with_columns(label=pl.Series(random.integers(0, 4, len(frame))))
    assert len(near_queries(rows_of(graded)).first) == 0


@pytest.mark.long
def test_folds_keep_copies_together_and_count_groups() -> None:
    leaking = relyon.ltr.train(rows_of(copies()), trees=20, duplicates="ignore", threads=1)
    found = relyon.ltr.train(rows_of(copies()), trees=20, threads=1)
    assert leaking.found.value > 0.9 > found.found.value
    note = next(note for note in found.notes if note.kind == "queries-near")
    assert (note.count, note.level, note.values["groups"]) == (36, "warning", 12)
    assert found.found.clusters == 12
    width = found.found.interval[1] - found.found.interval[0]
    plain = held_out(found.values)
    assert width > 1.2 * (plain.interval[1] - plain.interval[0])
    assert found.to_dict()["card"]["held_out"]["clusters"] == 12  # type: ignore[index]


def test_stopping_and_searching_within_folds_keep_them_together() -> None:
    rows = dealt_pairs(rows_of(copies()), 3, 0, "together").rows
    parts = relyon.ltr.split(rows, duplicates="ignore", seed=4)
    sides = [
        {query.split("-")[0] for query in parts.part(name).queries}
        for name in ("train", "valid", "test")
    ]
    assert sum(map(len, sides)) == len(set.union(*sides))


def test_too_few_groups_are_split_with_a_warning() -> None:
    found = relyon.ltr.split(rows_of(copies(base=4, times=5)), folds=5)
    note = next(note for note in found.notes if note.kind == "queries-near")
    assert note.key == "queries-near.apart"
    assert "on both sides" in str(note)
    assert "两侧都有" in note.text("zh")


def test_questions_in_other_words_are_named() -> None:
    """Their documents and labels are the same; their features are not."""
    frame = copies()
    random = np.random.default_rng(5)
    other = frame.with_columns(
        *(pl.Series(f"f{place}", random.normal(size=len(frame))) for place in range(4))
    )
    rows = rows_of(other)
    assert len(near_queries(rows).first) == 0
    assert len(alike_queries(rows).first) == 24
    found = relyon.ltr.split(rows)
    assert [note.kind for note in found.notes] == ["queries-alike"]
    assert "--group COLUMN" in str(found.notes[0])
    grouped = other.with_columns(intent=pl.col("query").str.split("-").list.first())
    kept = relyon.read_features(grouped, group="intent")
    assert "intent" not in kept.known_features().names
    named = relyon.ltr.split(kept)
    assert [note.kind for note in named.notes] == ["queries-grouped"]
    assert named.clusters is not None
    assert all(len(one) == 1 for one in owners(kept, named.clusters))


def test_numbers_of_documents_are_no_names() -> None:
    """Every query has the documents 0 to 7, and most labels are 0: that says nothing."""
    random = np.random.default_rng(2)
    frame = pl.DataFrame(
        {
            "query": [f"q{place // DOCUMENTS}" for place in range(400)],
            "document": [f"d{place % DOCUMENTS}" for place in range(400)],
            "label": (random.random(400) < 0.2).astype(int),
            "f": random.normal(size=400),
            "g": random.integers(0, 3, 400),
        }
    )
    rows = rows_of(frame)
    assert len(alike_queries(rows).first) == len(near_queries(rows).first) == 0


@pytest.mark.long
def test_copies_of_training_queries_on_the_other_side() -> None:
    frame = copies()
    first = pl.col("query").str.ends_with("-0")
    train, held = rows_of(frame.filter(first)), rows_of(frame.filter(~first))
    copied, original = copied_queries(train, held)
    assert (len(copied), original) == (24, "q0-0")
    assert copied_queries(rows_of(copies(seed=9)), held) == ([], "")
    found = relyon.ltr.train(train, valid=held, trees=5, min_rows=5, threads=1)
    note = next(note for note in found.notes if note.kind == "queries-near")
    assert (note.key, note.count) == ("queries-near.sides", 24)
    checked = relyon.ltr.check(train, sides={"held": held})
    assert checked["copy-on-two-sides"].evidence["count"] == 24


def test_the_check_reports_them() -> None:
    found = relyon.ltr.check(rows_of(copies()))
    assert found["near-copies"].level == "warning"
    assert found["near-copies"].evidence["count"] == 36


def test_split_takes_labels_of_judgments_and_groups(tmp_path: Path, command: Command) -> None:
    frame = copies(jitter=5.0)
    table, judged = tmp_path / "rows.csv", tmp_path / "grades.csv"
    frame.drop("label").with_columns(intent=pl.col("query").str.slice(0, 2)).write_csv(table)
    frame.select("query", "document", grade="label").head(100).write_csv(judged)
    missing = command("split", str(table), "-o", str(tmp_path / "no"))
    assert missing.code == 3
    assert "--judgments FILE" in missing.err
    done = command(
        "split", str(table), "--judgments", str(judged), "--group", "intent", "-o",
        str(tmp_path / "parts"),
    )  # fmt: skip
    assert done.code == 0, done.err
    parts = [pl.read_csv(tmp_path / "parts" / f"{name}.csv") for name in ("train", "valid", "test")]
    assert sum(map(len, parts)) == len(frame)
    intents = [set(part.get_column("intent")) for part in parts]
    assert sum(map(len, intents)) == len(set.union(*intents))
