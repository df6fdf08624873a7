"""Labels with features: from LETOR, tables and frames, to what a ranker learns from."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import relyon as library
from relyon.io.format import formats
from relyon.labels import make_labels

ROWS = """qid,docid,label,bm25,age
7,a,1,3.5,1
8,b,0,0.25,
7,c,2,-1,4
"""
LETOR = "1 qid:7 1:3.5 2:1 # docid = a\n0 qid:8 1:0.25 # docid = b\n2 qid:7 1:-1 3:4 # docid = c\n"


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def table(folder: Path, ending: str) -> Path:
    frame = pl.read_csv(write(folder, "rows.csv", ROWS))
    path = folder / f"rows.{ending}"
    if ending == "jsonl":
        frame.write_ndjson(path)
    elif ending == "parquet":
        frame.write_parquet(path)
    elif ending == "tsv":
        frame.write_csv(path, separator="\t")
    return path


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_tables_hold_features(tmp_path: Path, ending: str) -> None:
    rows = library.read_features(table(tmp_path, ending))
    assert (rows.queries, rows.groups.tolist()) == (["7", "8"], [0, 2, 3])
    assert rows.documents == ["a", "c", "b"]
    assert rows.labels.tolist() == [1, 2, 0]
    assert rows.scores is None
    assert rows.features is not None
    assert rows.features.names == ("bm25", "age")
    np.testing.assert_equal(rows.features.values, [[3.5, 1], [-1, 4], [0.25, math.nan]])


def test_letor_files_hold_features_by_number(tmp_path: Path) -> None:
    rows = library.read_features(write(tmp_path, "rows.letor", LETOR))
    assert (rows.queries, rows.groups.tolist()) == (["7", "8"], [0, 2, 3])
    assert rows.documents == ["a", "c", "b"]
    assert rows.features is not None
    assert rows.features.names == ("1", "2", "3")
    assert rows.features.values.tolist() == [[3.5, 1, 0], [-1, 0, 4], [0.25, 0, 0]]


def test_letor_rows_are_grouped_by_a_file(tmp_path: Path) -> None:
    text = "1 1:3.5\n0 2:2\n2 1:-1\n"
    path = write(tmp_path, "rows.svmlight", text)
    rows = library.read_features(path, groups=write(tmp_path, "sizes", "1\n2\n"))
    assert rows.groups.tolist() == [0, 1, 3]
    assert rows.features is not None
    assert rows.features.values.tolist() == [[3.5, 0], [0, 2], [-1, 0]]
    with pytest.raises(library.InputError, match="`qid:` is missing"):
        library.read_features(path)


def test_features_are_the_columns_that_are_named(tmp_path: Path) -> None:
    rows = library.read_features(write(tmp_path, "rows.csv", ROWS), features=["age"])
    assert rows.features is not None
    assert rows.features.names == ("age",)
    with pytest.raises(library.InputError, match="no columns for these features: `ctr`"):
        library.read_features(tmp_path / "rows.csv", features=["ctr"])


@pytest.mark.parametrize("labels", ["own", "none"])
def test_a_column_of_scores_is_a_feature_and_one_of_weights_is_not(labels: Any) -> None:
    frame = pl.DataFrame({"label": [1, 0], "score": [2, 1], "position": [1, 2], "Weight": [3, 4]})
    rows = library.read_features(frame, labels=labels)
    assert rows.known_features().names == ("score", "position")
    assert rows.weights is not None
    assert rows.weights.tolist() == [3, 4]
    (note,) = (note for note in rows.notes if note.kind == "weights-found")
    assert "the column `Weight` is used as row weights" in str(note)
    named = library.read_features(frame, weight="Weight", labels=labels)
    assert named.weights is not None
    assert "weights-found" not in {note.kind for note in named.notes}


def test_a_column_of_weights_can_be_left_out_or_be_a_feature() -> None:
    frame = pl.DataFrame({"label": [1, 0], "bm25": [2, 1], "weight": [-3, 4]})
    rows = library.read_features(frame, weight=False)
    assert (rows.weights, rows.known_features().names) == (None, ("bm25",))
    rows = library.read_features(frame, features=["weight", "bm25"])
    assert (rows.weights, rows.known_features().names) == (None, ("weight", "bm25"))
    with pytest.raises(library.InputError, match="the weight is -3"):
        library.read_features(frame)


def test_short_columns_stay_in_single_precision() -> None:
    frame = pl.DataFrame(
        {"label": [1], "a": pl.Series([1.5], dtype=pl.Float32), "b": pl.Series([2], dtype=pl.Int8)}
    )
    rows = library.read_features(frame)
    assert rows.features is not None
    assert rows.features.values.dtype == np.float32
    wide = library.read_features(frame.with_columns(c=pl.lit(0.1)))
    assert wide.features is not None
    assert wide.features.values.dtype == np.float64


@pytest.mark.parametrize("value", ["red", "inf"])
def test_a_feature_that_is_no_number_names_its_line(tmp_path: Path, value: str) -> None:
    path = write(tmp_path, "rows.csv", f"qid,label,bm25,colour\n1,0,2,\n1,1,2,{value}\n")
    with pytest.raises(library.ParseError, match=f"rows.csv:3: the feature `colour` is `{value}`"):
        library.read_features(path)
    assert library.read_features(path, features=["bm25"]).features is not None


def test_scores_of_a_ranker_are_evaluated_in_the_order_of_the_rows() -> None:
    frame = pl.DataFrame({"q": [7, 8, 7, 8], "label": [1, 0, 0, 1], "bm25": [2.0, 1, 1, 3]})
    rows = library.read_features(frame, query="q")
    assert rows.features is not None
    found = library.evaluate_scores(rows, rows.features.values[:, 0], measures="ndcg")
    scored = library.read_scored(frame, query="q", score="bm25")
    assert found["ndcg"] == library.evaluate_scores(scored, measures="ndcg")["ndcg"]
    with pytest.raises(library.InputError, match="differ in shape"):
        library.evaluate_scores(rows, [1.0])
    with pytest.raises(library.InputError, match="the rows have no scores"):
        library.evaluate_scores(rows)


def test_formats_without_features_say_so(tmp_path: Path) -> None:
    path = write(tmp_path, "judged.qrels", "q 0 d 1\n")
    with pytest.raises(library.InputError, match="`trec` cannot contain labels with features"):
        library.read_features(path)


def test_the_registry_knows_what_contains_features() -> None:
    holding = {formats.get(name).name for name in formats if "features" in formats.get(name).kinds}
    assert holding == {"csv", "tsv", "jsonl", "parquet", "letor", "xlsx"}


CANDIDATES = pl.DataFrame(
    {"qid": [1, 1, 2, 3], "docid": ["a", "b", "a", "z"], "bm25": [3.0, 2, 1, 0], "grade": "x"}
)
JUDGED = {"1": {"a": 2, "c": 1}, "2": {"a": 0}}


def test_judgments_label_rows_and_a_label_column_is_no_feature() -> None:
    rows = library.read_features(CANDIDATES, judgments=JUDGED)
    assert (rows.queries, rows.groups.tolist()) == (["1", "2"], [0, 1, 2])
    assert rows.labels.tolist() == [2, 0]
    assert rows.documents == ["a", "a"]
    assert rows.known_features().names == ("bm25",)
    assert rows.known_features().values.tolist() == [[3], [1]]
    assert [str(note) for note in rows.notes] == [
        "2 of 4 rows are unjudged: left out",
        "1 of 3 judged documents has no feature row",
    ]


def test_rows_without_judgment_may_count_as_zero() -> None:
    rows = library.read_features(CANDIDATES, judgments=JUDGED, unjudged="zero")
    assert (rows.queries, rows.labels.tolist()) == (["1", "2", "3"], [2, 0, 0, 0])
    assert "the label is 0" in str(rows.notes[0])


def weighted_judgments(weights: list[float | None]) -> pl.DataFrame:
    """The judgments above, in their order, with weights."""
    return pl.DataFrame(
        {"query": ["1", "1", "2"], "document": ["a", "c", "a"], "grade": [2, 1, 0]}
    ).with_columns(weight=pl.Series(weights, dtype=pl.Float64))


def test_weights_of_judgments_become_those_of_rows() -> None:
    rows = library.read_features(CANDIDATES, judgments=weighted_judgments([120.5, 3, 0.25]))
    assert rows.labels.tolist() == [2, 0]
    assert rows.weights is not None
    assert rows.weights.tolist() == [120.5, 0.25]
    assert (
        "row weights are the weights of the judgments; --weight none weighs all rows equally"
        in map(str, rows.notes)
    )
    with_zeros = library.read_features(
        CANDIDATES, judgments=weighted_judgments([120.5, 3, None]), unjudged="zero"
    )
    assert with_zeros.weights is not None
    assert with_zeros.weights.tolist() == [120.5, 1, 1, 1]
    assert with_zeros.labels.tolist() == [2, 0, 0, 0]
    sentence = "1 of 4 rows has the weight of its judgment, the others the weight 1"
    assert sentence in map(str, with_zeros.notes)


def test_weights_of_rows_win_over_those_of_judgments() -> None:
    judged = weighted_judgments([120.5, 3, 0.25])
    weighted = CANDIDATES.with_columns(weight=pl.Series([5.0, 6, 7, 8]))
    rows = library.read_features(weighted, judgments=judged)
    assert rows.weights is not None
    assert rows.weights.tolist() == [5, 7]
    assert "weights-judged" not in [note.kind for note in rows.notes]
    assert library.read_features(weighted, judgments=judged, weight=False).weights is None


def test_judgments_without_weights_leave_rows_unweighted() -> None:
    bare = weighted_judgments([1, 1, 1]).drop("weight")
    low = bare.with_columns(low=pl.lit(0.0))
    for judged in (JUDGED, bare, low):
        assert library.read_features(CANDIDATES, judgments=judged).weights is None


def test_weights_of_labels_from_a_log_arrive(tmp_path: Path) -> None:
    log = pl.DataFrame(
        {
            "session": [1, 1, 2, 2, 3],
            "query": ["1"] * 5,
            "doc": ["a", "b", "a", "b", "a"],
            "position": [1, 2, 1, 2, 1],
            "clicked": [1, 0, 1, 1, 0],
        }
    )
    labels = make_labels(log, "dctr")
    evidence = labels.judgments.evidence
    assert evidence is not None
    path = tmp_path / "labels.csv"
    library.write_judgments(labels.judgments, path)
    rows = library.read_features(CANDIDATES, judgments=path)
    assert rows.documents == ["a", "b"]
    known = labels.judgments.to_frame().sort("document").get_column("weight").to_list()
    assert rows.weights is not None
    # Three and two impressions, and the prior's weight of two.
    assert rows.weights.tolist() == known == [5, 4]


def test_judgments_label_letor_rows(tmp_path: Path) -> None:
    path = write(tmp_path, "rows.letor", LETOR)
    rows = library.read_features(path, judgments={"7": {"c": 3, "a": 1}, "8": {"b": 2}})
    assert (rows.documents, rows.labels.tolist()) == (["a", "c", "b"], [1, 3, 2])
    assert rows.notes == ()
    with pytest.raises(library.InputError, match="none of the rows is judged"):
        library.read_features(path, judgments={"q7": {"c": 3}})
    with pytest.raises(library.ParameterError, match="`unjudged` must be one of"):
        library.read_features(path, judgments={"7": {"c": 3}}, unjudged="mean")  # type: ignore[arg-type]
    nameless = write(tmp_path, "nameless.letor", "1 qid:7 1:1\n")
    with pytest.raises(library.ParameterError, match="have no document ids"):
        library.read_features(nameless, judgments={"7": {"c": 3}})


def test_judgments_of_subtopics_label_no_rows() -> None:
    with pytest.raises(library.InputError, match="judgments of subtopics"):
        library.read_features(CANDIDATES, judgments={"1": {"a": {"x": 1, "y": 0}}})


def test_a_position_is_a_feature_unless_named() -> None:
    frame = pl.DataFrame({"q": [1, 2, 1], "label": [1, 0, 0], "position": [1, 1, 2], "f": 1})
    plain = library.read_features(frame, query="q")
    assert (plain.known_features().names, plain.positions) == (("position", "f"), None)
    rows = library.read_features(frame, query="q", position="position")
    assert rows.known_features().names == ("f",)
    assert rows.positions is not None
    assert rows.positions.tolist() == [1, 2, 1]
    with pytest.raises(library.InputError, match=r"row 3: the position `1\.5` is not a whole"):
        library.read_features(
            frame.with_columns(position=pl.Series([1.0, 1, 1.5])), query="q", position="position"
        )


def test_the_type_and_the_matrix_may_be_chosen() -> None:
    frame = pl.DataFrame({"label": [1, 0], "a": [0.1, 0], "b": [0, 0]})
    short = library.read_features(frame, dtype="float32", matrix="sparse").known_features()
    assert short.sparse
    assert short.values.dtype == np.float32
    assert short.values.nnz == 1
    assert library.read_features(frame).known_features().values.dtype == np.float64
    with pytest.raises(library.ParameterError, match="`dtype` must be one of"):
        library.read_features(frame, dtype="float16")  # type: ignore[arg-type]


def test_queries_are_selected_with_all_that_their_rows_have() -> None:
    frame = pl.DataFrame(
        {"q": [1, 2, 2, 3], "d": list("abcd"), "label": [0, 1, 2, 3], "w": 1.5, "p": [1, 1, 2, 1]}
    ).with_columns(f=pl.Series([0.5, 1.5, 2.5, 3.5]))
    rows = library.read_features(frame, query="q", document="d", weight="w", position="p")
    part = rows.select([2, 1])
    assert (part.queries, part.groups.tolist()) == (["3", "2"], [0, 1, 3])
    assert (part.documents, part.labels.tolist()) == (["d", "b", "c"], [3, 1, 2])
    assert part.known_features().values.tolist() == [[3.5], [1.5], [2.5]]
    assert part.positions is not None
    assert part.positions.tolist() == [1, 1, 2]
    assert part.qid.tolist() == [0, 1, 1]
    assert len(rows.select([])) == 0


def test_arrays_become_rows() -> None:
    from scipy.sparse import csr_matrix

    import relyon.ltr

    values = np.array([[1, 0], [2, 0], [3, 4]], dtype=np.float32)
    rows = relyon.ltr.labelled_rows(
        values, [0, 1, 2], [5, 6, 5], weights=[1, 2, 3], positions=[1, 1, 2], documents="abc"
    )
    assert (rows.queries, rows.groups.tolist(), rows.scattered) == (["5", "6"], [0, 2, 3], 1)
    assert (rows.labels.tolist(), rows.documents) == ([0, 2, 1], ["a", "c", "b"])
    assert rows.known_features().values.tolist() == [[1, 0], [3, 4], [2, 0]]
    assert rows.known_features().values.dtype == np.float32
    assert rows.scores is None
    assert rows.weights is not None
    assert rows.positions is not None
    assert (rows.weights.tolist(), rows.positions.tolist()) == ([1, 3, 2], [1, 2, 1])
    sparse = relyon.ltr.labelled_rows(csr_matrix(values), [0, 1, 2], [2, 1])
    assert sparse.known_features().sparse
    assert (sparse.groups.tolist(), sparse.scattered) == ([0, 2, 3], 0)
    frame = pl.DataFrame({"bm25": [1, 2], "age": [3.5, 4]})
    assert relyon.ltr.labelled_rows(frame, [0, 1]).known_features().names == ("bm25", "age")


@pytest.mark.parametrize(
    ("features", "options", "said"),
    [
        ([1.0, 2.0], {}, "features must have two dimensions, not 1"),
        ([["a"], ["b"]], {}, "features must be numbers"),
        ([[1.0]], {}, "there are 1 rows of features and 2 labels"),
        ([[1.0], [2.0]], {"positions": [1]}, "2 rows of features and 1 positions"),
        ([[1.0], [2.0]], {"positions": [1, 1.5]}, "positions are not whole numbers"),
        ([[1.0], [2.0]], {"names": ["a", "b"]}, "there are 1 features and 2 names"),
        ([[1.0], [2.0]], {"documents": ["a"]}, "2 rows of features and 1 documents"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(
    features: object, options: dict[str, object], said: str
) -> None:
    import relyon.ltr

    with pytest.raises(library.InputError, match=said):
        relyon.ltr.labelled_rows(features, [0, 1], **options)  # type: ignore[arg-type]
