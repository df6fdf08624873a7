"""The native reader of LETOR text says what the slow reader of single lines says, or its error."""

from __future__ import annotations

import gzip
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import relyon
from relyon import io as relyon_io
from relyon.core.errors import ParseError
from relyon.data.labelled import LabelledRows
from relyon.io.byte_source import Source
from relyon.io.letor_lines import DOCUMENT, finite, no_query, row_values, rows_of

TOKENS = [
    *("1", "0", "2.5", "-1", "+3", "1e2", "1e-400", "1e400", "nan", "inf", ".5", "5.", ".", "x"),
    *("qid:1", "qid:2", "qid:查询", "qid:", "1:2", "2:-0.5", "3:0", "12:123456.789012345", "7:1e3"),
    *(
        "2:4",
        "1:nan",
        "0:1",
        "01:1",
        ":1",
        "1:",
        "1:2:3",
        "123456789:1",
        "12345678:1",
        "70000:1",
        "d1",
        "#",
    ),
    *("# docid = a", "#documentNo=b c", "# xdocid = a", "# doc_id =\u3000猫", "# 猫docid = a"),
    *("# docids = 1 DOCID = z", "1:123456789012345678901", "1:0.1234567890123456789", "3:1e39"),
]
BLANKS = [" ", "\t", "  ", "\r", "\u3000", "\x1c", "\u00a0", "\u2003", "\x0c"]
line = st.one_of(
    st.lists(st.sampled_from(TOKENS), max_size=6).flatmap(
        lambda words: st.lists(
            st.sampled_from(BLANKS), min_size=len(words) + 1, max_size=len(words) + 1
        ).map(lambda gaps: "".join(g + w for g, w in zip(gaps, [*words, ""], strict=True)))
    ),
    st.builds(
        lambda label, query, values, comment: " ".join(
            [str(label), f"qid:{query}", *(f"{n}:{v}" for n, v in values), comment]
        ),
        st.integers(0, 4),
        st.sampled_from("abb"),
        st.lists(st.tuples(st.integers(1, 9), st.floats(-1e6, 1e6, width=32)), max_size=5),
        st.sampled_from(["", "# docid = d1", "# docid = d2 inc = 1", "#docid=猫 \u00e9"]),
    ),
)


def slowly(content: bytes, grouped: bool) -> tuple[list[Any], ...]:
    """Labels, queries, documents and features, a line at a time."""
    labels, queries, documents, features = [], [], [], []
    for place, label, query, comment, texts in rows_of(content, "a.letor"):
        if query is None and not grouped:
            raise no_query("a.letor", place)
        labels.append(finite(label, "label", "a.letor", place))
        queries.append(query)
        found = DOCUMENT.search(comment)
        documents.append(found[1] if found else None)
        features.append(row_values(texts, "a.letor", place))
    return labels, queries, documents, features


@pytest.fixture(autouse=True, params=["1", "1000000"])
def _stretch(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELYON_STRETCH", request.param)
    monkeypatch.setenv("RELYON_THREADS", "2")


@pytest.mark.long
@settings(max_examples=150)
@given(lines=st.lists(line, max_size=6), ends=st.booleans(), dense=st.booleans())
def test_any_text_is_read_as_by_the_slow_reader(lines: list[str], ends: bool, dense: bool) -> None:
    text = "\n".join(lines) + ("\n" if ends else "")
    content = text.encode()
    matrix: Any = "dense" if dense else "sparse"

    def native() -> LabelledRows:
        source = Source(io.BytesIO(b"1 qid:0\n" + content), name="a.letor")
        return relyon.read_features(source, format="letor", dtype="float64", matrix=matrix)

    try:
        labels, queries, documents, features = slowly(b"1 qid:0\n" + content, False)
        many = any(int(name) > 1 << 20 for row in features for name in row)
    except ParseError as error:
        with pytest.raises(ParseError) as caught:
            native()
        said, slow, place = str(caught.value), str(error), caught.value.line
        if said != slow:  # it saw a feature beyond its limit before
            large = re.search(r"the feature number (\d+) is too large", said)
            assert large is not None
            assert int(large[1]) > 1 << 20
            assert large[1] in lines[place - 2]
        return
    if many:
        with pytest.raises(ParseError, match="the feature number"):
            native()
        return
    rows = native()
    order = sorted(range(len(queries)), key=lambda row: queries.index(queries[row]))
    assert rows.labels.tolist() == [labels[row] for row in order]
    assert [rows.queries[place] for place in rows.qid] == [queries[row] for row in order]
    named = None if None in documents else [documents[row] for row in order]
    assert rows.documents == named
    assert rows.features is not None
    values = rows.features.dense()
    assert rows.features.sparse != dense
    assert values.shape == (
        len(labels),
        max((int(name) for row in features for name in row), default=0),
    )
    for place, row in enumerate(order):
        expected = np.zeros(values.shape[1])
        for name, value in features[row].items():
            expected[int(name) - 1] = value
        np.testing.assert_array_equal(values[place], expected)


class Dripping(io.RawIOBase):
    """A stream that gives a few bytes at a time."""

    def __init__(self, content: bytes, size: int) -> None:
        self._left = content
        self._size = size

    def read(self, size: int = -1, /) -> bytes:
        part, self._left = self._left[: self._size], self._left[self._size :]
        return part


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_a_stream_gives_what_a_file_gives(tmp_path: Path, size: int) -> None:
    text = "\ufeff" + "".join(
        f"{row % 3} qid:{row // 5} 1:{row}.5 4:-{row} # docid = 文{row}\r\n" for row in range(40)
    )
    path = tmp_path / "a.letor"
    path.write_text(text, newline="")
    whole = relyon.read_features(path)
    packed = tmp_path / "a.letor.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    stream: Any = Dripping(text.encode(), size)
    for other in (relyon.read_features(stream, format="letor"), relyon.read_features(packed)):
        assert other.queries == whole.queries
        assert other.documents == whole.documents == [f"文{row}" for row in range(40)]
        np.testing.assert_array_equal(other.groups, whole.groups)
        np.testing.assert_array_equal(other.known_features().values, whole.known_features().values)
    assert whole.known_features().values[39].tolist() == [39.5, 0, 0, -39]


def test_a_line_in_a_later_stretch_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.letor"
    good = "1 qid:1 1:1\n" * 50
    path.write_text(good + "1 qid:1 1:x\n" + good)
    with pytest.raises(ParseError, match=r"a\.letor:51: `1:x` is not a feature"):
        relyon.read_features(path)
    path.write_bytes(good.encode() + b"1 qid:1 1:1 # \xff\n")
    with pytest.raises(ParseError, match=r"a\.letor:51: is not UTF-8 text"):
        relyon.read_features(path)


def test_labels_may_be_names_and_the_first_wrong_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.letor"
    path.write_text("高 qid:1 1:1\n低 qid:1 1:2\n\n高 qid:2 1:3\n")
    rows = relyon.read_features(path, scale="search")
    assert rows.labels.tolist() == [3, 1, 3]
    path.write_text("高 qid:1 1:1\n# note\n怪 qid:1 1:2\n高 qid:2 1:x\n")
    with pytest.raises(ParseError, match=r"a\.letor:3: .*怪"):
        relyon.read_features(path, scale="search")
    path.write_text("高 qid:1 1:1\n高 qid:2 1:x\n怪 qid:1 1:2\n")
    with pytest.raises(ParseError, match=r"a\.letor:2: `1:x` is not a feature"):
        relyon.read_features(path, scale="search")


def test_single_precision_is_the_nearest_and_refuses_what_it_cannot_hold(tmp_path: Path) -> None:
    path = tmp_path / "a.letor"
    path.write_text("1 qid:1 1:0.1 2:16777217\n")
    values = relyon.read_features(path).known_features().values
    assert values.dtype == np.float32
    np.testing.assert_array_equal(values, np.array([[0.1, 16777217]], dtype=np.float32))
    exact = relyon.read_features(path, dtype="float64").known_features().values
    assert exact.tolist() == [[0.1, 16777217]]
    path.write_text("1 qid:1 1:1\n1 qid:1 2:1e39\n")
    with pytest.raises(ParseError, match=r"a\.letor:2: the feature `2` is"):
        relyon.read_features(path)
    assert relyon.read_features(path, dtype="float64").known_features().values[1, 1] == 1e39


def test_text_with_few_values_is_sparse(tmp_path: Path) -> None:
    path = tmp_path / "a.letor"
    path.write_text("1 qid:1 1:1 9:2\n0 qid:1 10:3 2:0\n")  # 3 of 20 values
    features = relyon.read_features(path).known_features()
    assert features.sparse
    assert repr(features).endswith("sparse)")
    assert features.values.nnz == 3
    assert features.values.has_sorted_indices
    np.testing.assert_array_equal(
        features.dense(), relyon.read_features(path, matrix="dense").known_features().values
    )
    path.write_text("1 qid:1 1:1 9:2\n0 qid:1 10:3 2:1\n")  # 4 of 20: not below 20%
    assert not relyon.read_features(path).known_features().sparse


def test_a_feature_named_twice_has_its_last_value(tmp_path: Path) -> None:
    path = tmp_path / "a.letor"
    path.write_text("1 qid:1 3:1 1:2 3:4 1:0\n")
    for matrix in ("dense", "sparse"):
        values = relyon.read_features(path, matrix=matrix).known_features().dense()
        assert values.tolist() == [[0, 0, 4]]


def test_no_feature_at_all_is_a_matrix_without_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.letor"
    path.write_text("1 qid:1\n0 qid:1\n")
    assert relyon.read_features(path).known_features().values.shape == (2, 0)
    assert relyon.read_features(path, matrix="sparse").known_features().values.shape == (2, 0)


def test_files_beside_the_text_are_found_and_named(tmp_path: Path) -> None:
    path = tmp_path / "rank.train"
    path.write_text("1 1:3.5\n0 2:2\n2 1:-1\n")
    (tmp_path / "rank.train.query").write_text("1\n2\n")
    (tmp_path / "rank.train.weight").write_text("1\n2\n0.5\n")
    (tmp_path / "rank.train.position").write_text("1\n1\n2\n")
    rows = relyon.read_features(path)
    assert rows.groups.tolist() == [0, 1, 3]
    assert rows.weights is not None
    assert rows.weights.tolist() == [1, 2, 0.5]
    assert rows.positions is not None
    assert rows.positions.tolist() == [1, 1, 2]
    (note,) = rows.notes
    assert "rank.train.query, rank.train.weight and rank.train.position" in str(note)
    (tmp_path / "sizes").write_text("3\n")
    named = relyon.read_features(path, groups=tmp_path / "sizes")
    assert (named.groups.tolist(), named.weights, named.notes) == ([0, 3], None, ())
    path.write_text("1 qid:7 1:3.5\n")
    assert relyon.read_features(path).queries == ["7"]


@pytest.mark.parametrize(
    ("ending", "text", "said"),
    [
        ("weight", "1\n", "there are 1 weights for the 2 rows of"),
        ("weight", "1\n-1\n", "2: the weight is -1"),
        ("position", "1\n1.5\n", "2: the position `1.5` is not a whole number"),
        ("position", "1\n1\n1\n", "there are 3 positions for the 2 rows of"),
    ],
)
def test_files_beside_the_text_are_checked(
    tmp_path: Path, ending: str, text: str, said: str
) -> None:
    path = tmp_path / "a.letor"
    path.write_text("1 1:3.5\n0 2:2\n")
    (tmp_path / "a.letor.group").write_text("2\n")
    (tmp_path / f"a.letor.{ending}").write_text(text)
    with pytest.raises(relyon.InputError, match=said):
        relyon.read_features(path)


def test_encoded_ids_are_the_same_in_every_reader(tmp_path: Path) -> None:
    path = tmp_path / "x.letor"
    path.write_text("# ids: percent-encoded\n2 qid:a%20b 1:0.5 # docid=GX%2F1\n")
    sheet = relyon_io.read_sheet(path)
    items = [(row.item.query, row.item.document) for row in sheet.rows]
    assert items == [("a b", "GX/1")]
    assert relyon.read_judgments(path).to_dict() == {"a b": {"GX/1": 2.0}}
