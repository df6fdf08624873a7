"""Exported rankers: other programs score as the ranker does, or no file is written."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.unit.lists import lists

import relyon
import relyon.ltr
from relyon.core.notes import RelyonWarning

DATA = lists()
#: Features in single precision, some of them missing, and one that is a whole number.
X = DATA.X.astype(np.float32).astype(float)
X[::7, 1] = np.nan
X[:, 2] = np.abs(np.round(3 * X[:, 2]))
FULL = np.nan_to_num(X)
FORMATS = [
    ("lightgbm", ("shop.onnx", "shop.treelite", "shop.txt")),
    ("xgboost", ("shop.onnx", "shop.tl", "shop.ubj", "shop.json")),
    ("catboost", ("shop.onnx", "shop.cbm")),
]
ENDINGS = [(engine, name) for engine, names in FORMATS for name in names]


def trees(engine: str = "lightgbm", loss: str = "lambdarank", **more: Any) -> Any:
    pytest.importorskip(engine)
    settings: dict[str, Any] = {"trees": 12, "threads": 1} | more
    if engine == "catboost":
        settings |= {"depth": 4, "options": {"grow_policy": "SymmetricTree"}}
    return relyon.ltr.TreeRanker(loss, engine=engine, **settings).fit(X, DATA.labels, qid=DATA.qid)


def scored(path: Path, values: Any) -> Any:
    """Scores rows as a user of the file would, without relyon."""
    ending = path.suffix
    if ending == ".onnx":
        runtime = pytest.importorskip("onnxruntime")
        session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        return session.run(["scores"], {"features": np.asarray(values, np.float32)})[0]
    if ending in {".treelite", ".tl"}:
        treelite = pytest.importorskip("treelite")
        model = treelite.Model.deserialize(str(path))
        return treelite.gtil.predict(model, np.asarray(values, dtype=model.input_type)).ravel()
    if ending == ".txt":
        lightgbm = pytest.importorskip("lightgbm")
        return lightgbm.Booster(model_file=str(path)).predict(values, raw_score=True)
    if ending in {".ubj", ".json"}:
        xgboost = pytest.importorskip("xgboost")
        return xgboost.Booster(model_file=str(path)).predict(
            xgboost.DMatrix(values), output_margin=True
        )
    if ending == ".pt2":
        torch = pytest.importorskip("torch")
        program = torch.export.load(path).module()
        return program(torch.from_numpy(np.asarray(values, np.float32))).detach().numpy()
    catboost = pytest.importorskip("catboost")
    return catboost.CatBoost().load_model(str(path)).predict(values)


def properties(path: Path) -> dict[str, str]:
    onnx = pytest.importorskip("onnx")
    return {one.key: one.value for one in onnx.load(str(path)).metadata_props}


@pytest.mark.parametrize(("engine", "name"), ENDINGS)
def test_other_programs_score_trees_as_the_ranker(engine: str, name: str, tmp_path: Path) -> None:
    ranker = trees(engine)
    path = tmp_path / name
    found = ranker.export(path, rows=X, qid=DATA.qid)
    expected = ranker.predict(X)
    assert np.abs(scored(path, X) - expected).max() <= 1e-6 * np.abs(expected).max()
    assert (found.features, found.rows, found.queries, found.changed) == (4, 360, 30, 0)
    assert found.tested >= 2000
    assert found.difference <= 1e-6 * np.abs(expected).max()
    again = found.path
    ranker.export(tmp_path / f"again{path.suffix}")
    assert Path(again).read_bytes() == (tmp_path / f"again{path.suffix}").read_bytes()


@pytest.mark.parametrize("loss", ["regression", "classification"])
@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_sums_of_trees_are_exported_not_probabilities(
    engine: str, loss: str, tmp_path: Path
) -> None:
    ranker = trees(engine, {"regression": "squared_error", "classification": "logistic"}[loss])
    for name in ("shop.onnx", "shop.tl"):
        ranker.export(tmp_path / name)
        assert scored(tmp_path / name, X) == pytest.approx(ranker.predict(X), abs=2e-6)


def test_single_precision_sends_no_row_another_way(tmp_path: Path) -> None:
    # Each value is next to another one in single precision: thresholds lie between neighbours.
    values = np.float32(0.1) + np.arange(360, dtype=np.float32) * np.spacing(np.float32(0.1))
    column = np.random.default_rng(0).permutation(values)[:, None]
    labels = (column[:, 0] > values[180]).astype(int)
    ranker = relyon.ltr.TreeRanker("squared_error", trees=20, min_rows=1, leaves=60, threads=1)
    ranker.fit(column, labels + (column[:, 0] > values[90]), qid=np.arange(360) // 12)
    text = ranker.forest_.to_bytes().decode()
    thresholds = np.array(
        [
            one
            for line in text.split("\n")
            if line.startswith("threshold=")
            for one in line[10:].split()
        ],
        dtype=float,
    )
    assert (thresholds.astype(np.float32) > thresholds).any()  # the nearest would be wrong
    ranker.export(tmp_path / "near.onnx")
    expected = ranker.predict(column.astype(float))
    assert np.abs(scored(tmp_path / "near.onnx", column) - expected).max() < 1e-5
    assert len(np.unique(expected)) >= 3


def test_thresholds_that_single_precision_cannot_tell_apart_are_said(tmp_path: Path) -> None:
    # Seconds of one day: in single precision a clock of 128 seconds.
    times = 1.7e9 + np.arange(360.0)
    labels = (np.arange(360) // 20) % 2
    frame = pl.DataFrame({"bm25": FULL[:, 0], "created": times})
    ranker = relyon.ltr.TreeRanker("squared_error", trees=10, min_rows=1, threads=1)
    ranker.fit(frame, labels, qid=np.arange(360) // 60)
    with pytest.warns(RelyonWarning, match=r"1 feature has thresholds that .*\(created\)"):
        found = ranker.export(tmp_path / "clock.onnx", rows=frame, qid=np.arange(360) // 60)
    assert [note.kind for note in found.notes] == ["export-single"]
    assert found.changed == 6
    assert found.rows_difference > 0.5
    exact = ranker.export(tmp_path / "clock.tl", rows=frame, qid=np.arange(360) // 60)
    assert (exact.changed, exact.notes) == (0, ())
    assert exact.rows_difference < 1e-12


@pytest.mark.parametrize(
    ("options", "name", "expected"),
    [
        ({"zero_as_missing": True}, "shop.onnx", "are not those of the ranker"),
        ({"zero_as_missing": True}, "shop.tl", "are not those of the ranker"),
        ({"linear_tree": True}, "shop.onnx", "are not those of the ranker"),
        # Older Treelite reads such trees as if they had constant leaves.
        ({"linear_tree": True}, "shop.tl", "Treelite cannot convert these|not those of the ranker"),
    ],
)
def test_what_a_format_does_not_hold_is_not_written(
    options: dict[str, Any], name: str, expected: str, tmp_path: Path
) -> None:
    ranker = trees(loss="squared_error", options=options)
    (tmp_path / name).write_text("mine", "utf-8")
    with pytest.raises(relyon.InputError, match=expected) as caught:
        ranker.export(tmp_path / name)
    assert "engine" in caught.value.hint
    assert (tmp_path / name).read_text("utf-8") == "mine"
    ranker.export(tmp_path / "shop.txt")
    assert scored(tmp_path / "shop.txt", X) == pytest.approx(ranker.predict(X), abs=1e-12)


@pytest.mark.filterwarnings("ignore:.*categorical")
def test_categories_are_kept(tmp_path: Path) -> None:
    labels = np.isin(X[:, 2], [1, 3, 4]).astype(int) + (X[:, 0] > 0)
    options = {"categorical_feature": "2", "min_data_per_group": 1, "cat_smooth": 0}
    ranker = relyon.ltr.TreeRanker("squared_error", trees=8, threads=1, options=options)
    ranker.fit(X, labels, qid=DATA.qid)
    assert "num_cat=0" not in ranker.forest_.to_bytes().decode().partition("\n\n")[2].split("\n")[2]
    for name in ("shop.onnx", "shop.tl"):
        found = ranker.export(tmp_path / name, rows=X, qid=DATA.qid)
        assert found.changed == 0
        assert scored(tmp_path / name, X) == pytest.approx(ranker.predict(X), abs=1e-6)


def test_catboost_writes_symmetric_trees_alone(tmp_path: Path) -> None:
    pytest.importorskip("catboost")
    ranker = relyon.ltr.TreeRanker(engine="catboost", trees=5, leaves=7, threads=1)
    ranker.fit(X, DATA.labels, qid=DATA.qid)
    with pytest.raises(relyon.InputError, match="grown leaf by leaf") as caught:
        ranker.export(tmp_path / "shop.onnx")
    assert "SymmetricTree" in caught.value.hint
    with pytest.raises(relyon.ParameterError, match="CatBoost cannot be exported as treelite"):
        ranker.export(tmp_path / "shop", "treelite")
    ranker = trees("catboost", "logistic")
    with pytest.raises(relyon.InputError, match="CatBoost cannot convert these trees"):
        ranker.export(tmp_path / "shop.onnx")
    assert list(tmp_path.iterdir()) == []


def test_linear_rankers_take_raw_features(tmp_path: Path) -> None:
    raw = FULL * [1, 1000, 1, 1] + [0, 5e5, 0, 0]
    ranker = relyon.ltr.LinearRanker("listnet", threads=1).fit(raw, DATA.labels, qid=DATA.qid)
    found = ranker.export(tmp_path / "shop.onnx", rows=raw, qid=DATA.qid)
    assert found.changed == 0
    expected = ranker.predict(raw)
    assert np.abs(scored(tmp_path / "shop.onnx", raw) - expected).max() < 1e-5
    with pytest.raises(relyon.ParameterError, match="cannot be exported as engine") as caught:
        ranker.export(tmp_path / "shop.json", "engine")
    assert str(caught.value.hint) == "it can be exported as onnx (.onnx)"


@pytest.mark.long
def test_networks_take_raw_features(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    raw = FULL * [1, 1000, 1, 1]
    ranker = relyon.ltr.NeuralRanker(epochs=2, hidden=(8,)).fit(raw, DATA.labels, qid=DATA.qid)
    for name in ("shop.onnx", "shop.pt2"):
        found = ranker.export(tmp_path / name, rows=raw, qid=DATA.qid)
        assert found.changed == 0
        for size in (1, 2, 77):
            expected = ranker.predict(raw[:size])
            assert scored(tmp_path / name, raw[:size]) == pytest.approx(expected, abs=1e-5)
        content = (tmp_path / name).read_bytes()
        assert str(Path(relyon.__file__).parent).encode() not in content
        assert b"site-packages" not in content
    assert properties(tmp_path / "shop.onnx")["relyon.call"] == "rows"


@pytest.mark.long
def test_attention_scores_one_query_per_call(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    ranker = relyon.ltr.NeuralRanker(epochs=2, hidden=(8,), attention=1)
    ranker.fit(FULL, DATA.labels, qid=DATA.qid)
    found = ranker.export(tmp_path / "shop.onnx", rows=FULL, qid=DATA.qid)
    assert (found.queries, found.changed) == (30, 0)
    assert properties(tmp_path / "shop.onnx")["relyon.call"] == "query"
    expected = ranker.predict(FULL, qid=DATA.qid)
    for query in (0, 7):
        rows = query == DATA.qid
        ours = scored(tmp_path / "shop.onnx", FULL[rows])
        assert ours == pytest.approx(expected[rows], abs=1e-5)


def test_a_file_says_what_it_was_made_of(tmp_path: Path) -> None:
    names = ["bm25", "标题", "age", "length"]
    frame = pl.DataFrame(X, schema=names)
    ranker = relyon.ltr.TreeRanker(trees=3, threads=1, measure="ndcg@5", convention="lightgbm")
    ranker.fit(frame, DATA.labels, qid=DATA.qid)
    found = ranker.export(tmp_path / "shop.onnx", rows=frame, qid=DATA.qid)
    assert found.changed == 0
    said = properties(tmp_path / "shop.onnx")
    assert json.loads(said["relyon.features"]) == names
    assert said["relyon.measure"] == "ndcg@5"
    assert json.loads(said["relyon.convention"])["gain"] == "exp"
    assert said["relyon.fingerprint"] == ranker.fingerprint_
    assert said["relyon.data_fingerprint"] == ranker.data_["fingerprint"]
    assert said["relyon.version"] == relyon.__version__
    treelite = pytest.importorskip("treelite")
    ranker.export(tmp_path / "shop.tl")
    model = treelite.Model.deserialize(str(tmp_path / "shop.tl"))
    assert json.loads(model.get_header_accessor().get_field("attributes")) == said


def test_early_stopping_exports_the_trees_that_count(tmp_path: Path) -> None:
    for engine in ("lightgbm", "xgboost"):
        pytest.importorskip(engine)
        ranker = relyon.ltr.TreeRanker(engine=engine, trees=60, stop=3, threads=1)
        valid = lists(seed=5)
        ranker.fit(X, DATA.labels, qid=DATA.qid, eval_set=(valid.X, valid.labels, valid.qid))
        assert ranker.forest_.trees < 60
        for name in ("shop.onnx", "shop.tl"):
            ranker.export(tmp_path / name)
            assert scored(tmp_path / name, X) == pytest.approx(ranker.predict(X), abs=2e-6)


def test_saved_and_loaded_exports_the_same_file(tmp_path: Path) -> None:
    for engine in ("lightgbm", "xgboost", "catboost"):
        ranker = trees(engine)
        ranker.save(tmp_path / "shop.ranker")
        ranker.export(tmp_path / "one.onnx")
        relyon.ltr.load(tmp_path / "shop.ranker").export(tmp_path / "two.onnx")
        assert (tmp_path / "one.onnx").read_bytes() == (tmp_path / "two.onnx").read_bytes()


def test_names_that_say_no_format(tmp_path: Path) -> None:
    ranker = trees()
    for name in ("shop", "shop.pkl", "shop.cbm"):
        with pytest.raises(relyon.ParameterError, match="is not a format") as caught:
            ranker.export(tmp_path / name)
        assert "onnx (.onnx), treelite (.treelite .tl), engine (.txt)" in str(caught.value.hint)
    with pytest.raises(relyon.ParameterError, match="but the format is engine"):
        ranker.export(tmp_path / "shop.onnx", "engine")
    with pytest.raises(relyon.ParameterError, match="`format` must be"):
        ranker.export(tmp_path / "shop.onnx", "pmml")
    assert ranker.export(tmp_path / "shop.bin", "treelite").format == "treelite"


def test_missing_packages_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ranker = trees()
    linear = relyon.ltr.LinearRanker(threads=1).fit(FULL, DATA.labels, qid=DATA.qid)
    for package, name, made in (
        ("onnxmltools.convert.lightgbm", "shop.onnx", ranker),
        ("onnxruntime", "shop.onnx", ranker),
        ("onnx", "shop.onnx", linear),
        ("treelite", "shop.treelite", ranker),
    ):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, package, None)
            with pytest.raises(relyon.DependencyError, match="file needs the package") as caught:
                made.export(tmp_path / name)
        extra = "treelite" if package == "treelite" else "onnx"
        assert str(caught.value.hint) == f"pip install 'relyon[{extra}]'"
    assert list(tmp_path.iterdir()) == []


def test_rows_are_checked_as_predict_checks_them(tmp_path: Path) -> None:
    ranker = trees()
    with pytest.raises(relyon.InputError, match="features"):
        ranker.export(tmp_path / "shop.txt", rows=X[:, :3], qid=DATA.qid)
    with pytest.raises(relyon.InputError, match="cannot be written"):
        ranker.export(tmp_path / "absent" / "shop.txt")
    with pytest.raises(ValueError, match="not fitted"):
        relyon.ltr.TreeRanker().export(tmp_path / "shop.txt")
    assert list(tmp_path.iterdir()) == []
