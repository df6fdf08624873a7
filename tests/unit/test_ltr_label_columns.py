"""Columns that know the label, the evidence of labels in training, and a ranker's own rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.unit.conftest import Command

import relyon
import relyon.ltr


def labelled(count: int = 400) -> pl.DataFrame:
    """Click rates of documents with their intervals, and two features."""
    random = np.random.default_rng(4)
    truth = random.beta(2, 4, count)
    shown = random.integers(5, 300, count).astype(float)
    rate = random.binomial(shown.astype(int), truth) / shown
    half = 1.96 * np.sqrt((rate + 0.05) * (1.05 - rate) / shown)
    return pl.DataFrame(
        {
            "query": [f"q{place // 10}" for place in range(count)],
            "document": [f"d{place % 10}" for place in range(count)],
            "grade": rate,
            "weight": shown,
            "low": np.clip(rate - half, 0, 1),
            "high": np.clip(rate + half, 0, 1),
            "bm25": truth + random.normal(size=count) * 0.3,
            "age": random.normal(size=count),
        }
    )


def test_the_interval_of_the_label_is_no_feature() -> None:
    rows = relyon.read_features(labelled())
    assert rows.known_features().names == ("bm25", "age")
    note = next(note for note in rows.notes if note.kind == "interval-columns")
    assert "--features" in str(note)
    assert "--features" in note.text("zh")
    asked = relyon.read_features(labelled(), features=["low", "bm25"])
    assert asked.known_features().names == ("low", "bm25")


def test_low_and_high_of_something_else_stay_features() -> None:
    prices = labelled().with_columns(low=pl.col("age") * 10, high=pl.col("age") * 10 + 5)
    assert relyon.read_features(prices).known_features().names == ("low", "high", "bm25", "age")


@pytest.mark.parametrize(
    "names", [("low",), ("high",), ("low_y",), ("grade_low",), ("label.high",)]
)
def test_one_end_of_the_interval_is_no_feature_either(names: tuple[str, ...]) -> None:
    ends = {name: pl.col("low" if "low" in name else "high").alias(name) for name in names}
    frame = labelled().select("query", "document", "grade", "bm25", "age", *ends.values())
    rows = relyon.read_features(frame)
    assert rows.known_features().names == ("bm25", "age")
    note = next(note for note in rows.notes if note.kind == "interval-columns")
    assert (note.count, note.values["names"]) == (1, names)
    assert "1 column" in str(note)
    judged = relyon.read_features(frame.drop("grade"), judgments=labelled())
    assert "high" not in names or "high" in judged.known_features().names


@pytest.mark.parametrize("name", ["low", "high", "high_x"])
def test_one_bound_on_another_scale_stays_a_feature(name: str) -> None:
    prices = labelled().drop("low", "high").with_columns((100 + pl.col("age")).alias(name))
    rows = relyon.read_features(prices)
    assert name in rows.known_features().names
    assert not any(note.kind in {"interval-columns", "outcome-features"} for note in rows.notes)


def test_columns_of_a_click_model_are_labels() -> None:
    frame = labelled().rename({"low": "low_pbm", "high": "high_pbm"})
    frame = frame.with_columns(grade_pbm=pl.col("grade"), other_dbn=pl.col("age"))
    rows = relyon.read_features(frame)
    assert rows.known_features().names == ("bm25", "age", "grade_pbm", "other_dbn")
    notes = {note.kind: note.values.get("names") for note in rows.notes}
    assert notes["interval-columns"] == ("low_pbm", "high_pbm")
    assert notes["outcome-features"] == ("grade_pbm",)
    # The interval of another model's label does not contain every label: it is warned of.
    shifted = relyon.read_features(frame.with_columns(pl.col("low_pbm") + 0.2))
    names = next(n.values["names"] for n in shifted.notes if n.kind == "outcome-features")
    assert names == ("low_pbm", "grade_pbm")


def test_names_of_click_models_are_those_of_the_registry() -> None:
    from relyon.data.columns.synonyms import CLICK_MODELS
    from relyon.labels import models

    assert set(models) == CLICK_MODELS


@pytest.mark.parametrize("name", ["商品ID", "doc", "session", "user_id"])
def test_second_ids_are_no_features(name: str) -> None:
    frame = labelled().drop("low", "high").with_columns(pl.Series(name, range(400)))
    rows = relyon.read_features(frame)
    assert rows.known_features().names == ("bm25", "age")
    note = next(note for note in rows.notes if note.kind == "id-columns")
    assert note.values["names"] == (name,)
    assert name in note.text("zh")
    asked = relyon.read_features(frame, features=["bm25", name])
    assert asked.known_features().names == ("bm25", name)
    parts = frame.with_columns(pl.col(name) / 3)
    assert name in relyon.read_features(parts).known_features().names


@pytest.mark.parametrize(
    "name",
    ["clicks", "clicked", "relevance", "dwell_time", "是否点击", "ctr", "点击率", "click_rate",
     "购买率", "CTR_y", "clicks_x"],
)  # fmt: skip
def test_names_of_outcomes_are_warned_of_unless_they_are_asked_for(name: str) -> None:
    frame = labelled().drop("weight", "low", "high").with_columns(pl.col("age").alias(name))
    rows = relyon.read_features(frame)
    note = next(note for note in rows.notes if note.kind == "outcome-features")
    assert (note.level, note.values["names"]) == ("warning", (name,))
    found = relyon.ltr.train(rows, trees=3, threads=1, baseline=None)
    assert note in found.notes
    asked = relyon.read_features(frame, features=["bm25", name])
    assert not any(note.kind == "outcome-features" for note in asked.notes)


def test_a_feature_that_orders_as_the_labels_do_is_warned_of_in_training() -> None:
    frame = labelled().select("query", "document", "bm25", "age", label=pl.col("grade") > 0.3)
    frame = frame.with_columns(pl.col("label").cast(pl.Int64))
    plain = relyon.ltr.train(frame, trees=3, threads=1, baseline=None)
    assert not any(note.kind == "features-like-labels" for note in plain.notes)
    leak = frame.with_columns(echo=pl.col("label") * 3.0 + pl.col("age") / 100)
    found = relyon.ltr.train(leak, trees=3, threads=1, baseline=None)
    note = next(note for note in found.notes if note.kind == "features-like-labels")
    assert (note.level, note.values["names"]) == ("warning", ["echo"])


def test_a_feature_that_carries_nearly_all_of_the_order_is_warned_of() -> None:
    random = np.random.default_rng(3)
    frame = labelled().select("query", "document", "grade", "bm25", "age")
    for noise, warned in ((0.03, True), (0.1, False)):
        echo = frame["grade"] + random.normal(0, noise, len(frame))
        found = relyon.ltr.check(frame.with_columns(echo.alias("quality")))
        kinds = [(one.kind, one.evidence["name"]) for one in found if one.kind == "leaking-feature"]
        assert kinds == [("leaking-feature", "quality")] * warned
    few = frame.with_columns(frame["grade"].alias("quality") + pl.col("age") * 0.05)[:100]
    assert not [one for one in relyon.ltr.check(few) if one.kind == "leaking-feature"]


def test_weights_of_labels_change_the_fit_and_can_be_turned_off() -> None:
    def scores(frame: pl.DataFrame, **options: object) -> np.ndarray:
        rows = relyon.read_features(frame, **options)  # type: ignore[arg-type]
        return relyon.ltr.TreeRanker(trees=5, threads=1).fit(rows).predict(rows)

    weighted = scores(labelled())
    assert not np.array_equal(weighted, scores(labelled(), weight=False))
    ones = scores(labelled().drop("weight").with_columns(weight=1.0))
    assert np.array_equal(ones, scores(labelled(), weight=False))


def test_intervals_without_weights_become_weights() -> None:
    frame = labelled().drop("weight")
    rows = relyon.read_features(frame)
    assert any(note.kind == "weights-interval" for note in rows.notes)
    assert rows.weights is not None
    shown = labelled().get_column("weight").to_numpy()
    assert np.corrcoef(np.log(rows.weights), np.log(shown))[0, 1] > 0.9
    off = relyon.read_features(frame, weight=False)
    assert off.weights is None
    judged = relyon.read_features(
        frame.select("query", "document", "bm25", "age"),
        judgments=frame.select("query", "document", "grade", "low", "high"),
    )
    assert judged.weights is not None
    np.testing.assert_allclose(judged.weights, rows.weights)


def test_trees_of_lambdarank_vary_by_seed_because_ties_are_drawn() -> None:
    rows = relyon.read_features(labelled())

    def scores(loss: str, seed: int) -> np.ndarray:
        made = relyon.ltr.TreeRanker(loss, trees=5, threads=1, seed=seed)
        return made.fit(rows).predict(rows)

    assert not np.array_equal(scores("lambdarank", 0), scores("lambdarank", 1))
    same = "lambdarank(ties=input)"
    assert np.array_equal(scores(same, 0), scores(same, 1))
    card = relyon.ltr.train(rows, trees=3, threads=1, baseline=None).card
    assert "another seed gives another ranker" in card.to_markdown()
    plain = relyon.ltr.train(rows, "regression", trees=3, threads=1, baseline=None).card
    assert "another seed gives another ranker" not in plain.to_markdown()


def test_a_ranker_knows_the_rows_that_it_was_trained_on(tmp_path: Path) -> None:
    rows = relyon.read_features(labelled())
    path = str(tmp_path / "own.ranker")
    relyon.ltr.TreeRanker(trees=3, threads=1).fit(rows).save(path)
    ranker = relyon.ltr.load(path)
    told = ranker.recognised(rows)
    assert told is not None
    assert (told.level, told.values["share"]) == ("warning", 1.0)
    backwards = rows.select(range(len(rows.queries) - 1, -1, -1))
    assert ranker.recognised(backwards) == told
    values = rows.known_features().values
    assert ranker.recognised(np.asarray(values) + 1e-6) is None
    some = ranker.recognised(np.concatenate([np.asarray(values)[:100], values + 0.5]))
    assert some is not None
    assert some.values["share"] == 0.2
    with pytest.warns(relyon.RelyonWarning, match="was trained on about 100%"):
        run = ranker.rank(rows)
    assert told in run.notes


def test_large_training_sets_are_recognised_by_a_sample() -> None:
    random = np.random.default_rng(6)
    values = random.normal(size=(20_000, 3))
    labels, qid = (values[:, 0] > 1).astype(int), np.arange(20_000) // 20
    ranker = relyon.ltr.LinearRanker(threads=1).fit(values, labels, qid=qid)
    told = ranker.recognised(values)
    assert told is not None
    assert told.values["share"] == pytest.approx(1, abs=0.01)
    half = ranker.recognised(np.concatenate([values[:5_000], random.normal(size=(5_000, 3))]))
    assert half is not None
    assert half.values["share"] == pytest.approx(0.5, abs=0.06)


def test_the_run_of_own_rows_says_so(tmp_path: Path, command: Command) -> None:
    table, new, model = tmp_path / "rows.csv", tmp_path / "new.csv", tmp_path / "r.model"
    labelled().write_csv(table)
    labelled().with_columns(bm25=pl.col("bm25") + 0.1, age=pl.col("age") * 2).write_csv(new)
    done = command("train", str(table), "-o", str(model), "-p", "trees=3", "--baseline", "none")
    assert done.code == 0, done.err
    own, other = str(tmp_path / "own.run"), str(tmp_path / "other.run")
    ranked = command("rank", str(model), str(table), "-o", own)
    assert "was trained on about 100% of these rows" in ranked.err
    assert Path(own).read_text().splitlines()[0].endswith(" r-on-training-rows")
    measured = command("evaluate", str(table), own, "--columns", "grade=grade", "-m", "ndcg@10")
    assert "says that a ranker ranked its own training rows" in measured.err
    ranked = command("rank", str(model), str(new), "-o", other)
    assert "was trained on" not in ranked.err
    assert Path(other).read_text().splitlines()[0].endswith(" r")


@pytest.mark.parametrize(
    "values", ["s0,手机壳,231,1,否,9.9", "s0,手机壳,231,1,0,9.9", "4,手机壳,231,1,0"]
)
def test_a_click_log_is_no_table_of_features(values: str, tmp_path: Path, command: Command) -> None:
    log = tmp_path / "log.csv"
    names = ["会话", "关键词", "商品编号", "位置", "是否点击", "价格"][: values.count(",") + 1]
    log.write_text(f"{','.join(names)}\n{values}\n")
    done = command("train", str(log), "-o", str(tmp_path / "r.model"))
    assert done.code == 3
    assert "this is a click log" in done.err
    assert f"relyon labels make {log}" in done.err
    assert "这是点击日志" in command("train", str(log), "-o", "r.model", "--lang", "zh").err
