"""Labels and several models' scores in the columns of one table."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import relyon

FRAME = pd.DataFrame({
    "搜索词": ["q1", "q1", "q1", "q2", "q2", "q2"],
    "标注": [2, 0, 1, 0, 1, 2],
    "old": [0.1, 0.3, 0.2, 0.6, 0.5, 0.4],
    "new": [0.3, 0.1, 0.2, 0.6, 0.4, 0.5],
})  # fmt: skip
FRAMES = {
    "pandas": FRAME,
    "pandas with the queries in the index": FRAME.set_index("搜索词"),
    "polars": pl.from_pandas(FRAME),
    "lazy": pl.from_pandas(FRAME).lazy(),
    "pyarrow": pa.Table.from_pandas(FRAME),
}


@pytest.fixture(params=[*FRAMES, "duckdb", "csv"])
def table(request, tmp_path):
    if request.param == "duckdb":
        return duckdb.sql("select * from FRAME")
    if request.param == "csv":
        FRAME.to_csv(tmp_path / "rows.csv", index=False)
        return tmp_path / "rows.csv"
    return FRAMES[request.param]


def test_columns_of_one_table_are_compared(table):
    found = relyon.compare_scores(table, "ndcg@3", scores=["old", "new"])
    one = {name: relyon.read_scored(FRAME, score=name) for name in ("old", "new")}
    want = relyon.compare_scores(one, "ndcg@3")
    assert [row.to_dict() for row in found.contrasts] == [row.to_dict() for row in want.contrasts]
    assert found.deltas("new", "ndcg@3") == want.deltas("new", "ndcg@3")
    assert list(found.runs) == ["old", "new"]
    assert found.contrasts[0].difference > 0


def test_a_table_is_evaluated_by_the_name_of_its_scores(table):
    arrays = (FRAME["标注"], FRAME["new"], FRAME["搜索词"])
    want = relyon.evaluate_scores(*arrays, measures=["ndcg@3", "pnr"])
    for found in (
        relyon.evaluate_scores(table, "new", measures=["ndcg@3", "pnr"]),
        relyon.evaluate_scores(table, columns={"score": "new"}, measures=["ndcg@3", "pnr"]),
    ):
        assert found.to_dict()["measures"] == want.to_dict()["measures"]
        assert found.queries == ["q1", "q2"]


def test_columns_and_models_are_given_by_name():
    frame = FRAME.rename(columns={"搜索词": "who", "标注": "what"}).assign(w=[1, 2, 1, 1, 1, 3])
    columns = {"query": "who", "label": "what", "weight": "w"}
    found = relyon.compare_scores(
        frame, ["auc"], scores={"BM25": "old", "模型": "new"}, columns=columns
    )
    assert list(found.runs) == ["BM25", "模型"]
    want = relyon.evaluate_scores(
        frame["what"], frame["new"], frame["who"], ["auc"], weights=frame["w"]
    )
    assert found.results[1]["auc"] == want["auc"]


def test_arrays_are_no_table():
    labels, scores = np.array([[1, 0], [0, 1]]), np.array([[2, 1], [2, 1]])
    arrays = relyon.evaluate_scores(labels, scores, measures=["auc"])
    frames = relyon.evaluate_scores(pd.DataFrame(labels), pd.DataFrame(scores), measures=["auc"])
    assert arrays["auc"] == frames["auc"]
    for lone in (FRAME["old"], pl.Series([1, 0]), [1, 0], labels):
        with pytest.raises(relyon.ParameterError, match="scores are missing"):
            relyon.evaluate_scores(lone)


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        (lambda: relyon.compare_scores(FRAME), r"scores=\["),
        (lambda: relyon.compare_scores(FRAME, scores="old"), r"scores=\["),
        (lambda: relyon.compare_scores([FRAME["old"], FRAME["new"]]), r"scores=\["),
        (lambda: relyon.compare_scores({"a": FRAME}, scores=["old"]), "read_scored"),
        (lambda: relyon.compare_scores({"a": FRAME}, columns={"label": "标注"}), "read_scored"),
        (lambda: relyon.evaluate_scores(FRAME, "old", FRAME["搜索词"]), '"query"'),
        (lambda: relyon.evaluate_scores(FRAME, weights=[1] * 6), '"weight"'),
        (lambda: relyon.evaluate_scores("rows.csv", [1, 2]), '"score"'),
        (lambda: relyon.evaluate_scores([1], [1], columns={"score": "a"}), "array"),
    ],
)
def test_other_calls_are_refused_with_the_right_one(call, advice):
    with pytest.raises(relyon.ParameterError, match=advice):
        call()


def test_a_column_that_is_missing_is_named():
    with pytest.raises(relyon.InputError, match="no column `newer`"):
        relyon.compare_scores(FRAME, scores=["old", "newer"])


def test_a_missing_value_is_refused_with_its_row():
    frame = FRAME.assign(new=[0.3, None, 0.2, 0.6, 0.4, 0.5])
    with pytest.raises(relyon.InputError, match=r"row 2 \(index label `1`\): the score is empty"):
        relyon.compare_scores(frame, scores=["old", "new"])
