"""Rankers find their features by name; rows say less, or more, where the caller wants it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.unit.conftest import Command
from tests.unit.trained import FEATURES, rows_of, write_features

import relyon
import relyon.ltr
from relyon.core.errors import InputError, ParameterError

ROWS = rows_of(queries=12, size=5)
RANKER = relyon.ltr.TreeRanker(trees=3, min_rows=3, threads=1).fit(ROWS)
VALUES = ROWS.known_features().values
SCORES = RANKER.predict(ROWS).tolist()


def frame(*, without: tuple[str, ...] = ()) -> pl.DataFrame:
    """The rows with another order of columns, and more of them."""
    columns = {name: VALUES[:, place] for place, name in enumerate(FEATURES)}
    table = pl.DataFrame({"clicks": range(len(VALUES)), **dict(reversed(columns.items()))})
    return table.with_columns(label=ROWS.labels, query=ROWS.qid).drop(without)


def test_rows_and_frames_may_have_more_columns() -> None:
    more = frame()
    assert RANKER.predict(relyon.read_features(more)).tolist() == SCORES
    assert RANKER.predict(more).tolist() == SCORES
    assert RANKER.predict(more.to_pandas(use_pyarrow_extension_array=False)).tolist() == SCORES
    framed = relyon.ltr.TreeRanker(trees=3, min_rows=3, threads=1)
    framed.fit(more.select(FEATURES), ROWS.labels, qid=ROWS.qid)
    assert framed.predict(more).tolist() == SCORES
    sparse = relyon.read_features(more, matrix="sparse")
    assert RANKER.predict(sparse).tolist() == SCORES


def test_missing_features_are_named_and_arrays_have_their_width() -> None:
    less = frame(without=("age", "bm25"))
    with pytest.raises(InputError, match="lack features of the ranker: bm25, age"):
        RANKER.predict(relyon.read_features(less))
    with pytest.raises(InputError, match="X has 5 features, but TreeRanker is expecting 4"):
        RANKER.predict(np.hstack([VALUES, VALUES[:, :1]]))


def test_the_command_takes_the_features_of_the_ranker(files: Path, command: Command) -> None:
    write_features(ROWS, files / "rows.csv")
    RANKER.save("ranker.model")
    table = pl.read_csv("rows.csv")
    table.with_columns(title=pl.lit("a red shoe")).write_csv("more.csv")
    assert command("rank", "ranker.model", "more.csv", "-o", "a.run", "--name", "a").code == 0
    assert command("rank", "ranker.model", "rows.csv", "-o", "b.run", "--name", "a").code == 0
    assert Path("a.run").read_bytes() == Path("b.run").read_bytes()
    table.drop("age", "bm25").write_csv("less.csv")
    outcome = command("rank", "ranker.model", "less.csv")
    assert outcome.code == 3
    assert "there are no columns for these features: `bm25`, `age`" in outcome.err


def test_positions_beside_a_text_can_be_left_unread(files: Path, command: Command) -> None:
    text = "".join(f"{place % 2} 1:{place % 3} 2:{place % 5}\n" for place in range(12))
    (files / "rows.train").write_text(text)
    for ending, lines in (("query", "6\n6\n"), ("position", "1\n2\n3\n" * 4)):
        (files / f"rows.train.{ending}").write_text(lines)
    assert relyon.read_features("rows.train").positions is not None
    rows = relyon.read_features("rows.train", position=False)
    assert rows.positions is None
    assert "rows.train.position" not in str(rows.notes[0])
    train = ("train", "rows.train", "-o", "m.model", "--scorer", "linear", "--ranker", "ranknet")
    refused = command(*train, "--valid", "rows.train", "--valid-groups", "rows.train.query")
    assert refused.code == 2
    assert "--position none" in refused.err
    outcome = command(*train, "--valid", "rows.train", "--position", "none")
    assert outcome.code == 0, outcome.err


def test_watched_rows_may_have_a_file_of_groups(files: Path, command: Command) -> None:
    rows = "".join(f"{place % 2} qid:a{place // 6} 1:{place % 3}\n" for place in range(36))
    (files / "rows.letor").write_text(rows)
    (files / "watch.svm").write_text("0 1:1\n1 1:2\n0 1:0\n1 1:2\n")
    (files / "sizes").write_text("2\n2\n")
    train = ("train", "rows.letor", "-o", "m.model", "-p", "trees=3", "-p", "min_rows=1")
    options = ("--folds", "3", "--stop", "2", "--watch", "watch.svm", "--watch-groups")
    assert command(*train, *options, "sizes").code == 0
    (files / "sizes").write_text("2\n3\n")
    outcome = command(*train, *options, "sizes", "--force")
    assert outcome.code == 3
    assert "sizes: the group sizes add up to 5" in outcome.err


def test_a_booster_without_trees_is_refused() -> None:
    pytest.importorskip("xgboost")
    ranker = relyon.ltr.TreeRanker(engine="xgboost", trees=2, options={"booster": "gblinear"})
    with pytest.raises(ParameterError, match='the booster "gblinear" does not grow trees'):
        ranker.fit(ROWS)


def test_features_that_may_say_what_was_shown_are_pointed_at() -> None:
    table = frame().with_columns(position=pl.int_range(pl.len()) % 5, pred=pl.lit(1.0))
    (finding,) = (
        one
        for one in relyon.ltr.check(relyon.read_features(table)).findings
        if one.kind == "shown-feature"
    )
    assert finding.examples == ("position", "pred")
    assert "2 features by their names may come from" in finding.text()
    assert "2 个特征" in finding.text("zh")
