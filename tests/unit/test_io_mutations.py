"""Damaged files: whatever the bytes, the answer is data or an error that names the file."""

from __future__ import annotations

import gzip
import io as streams
from collections.abc import Callable
from contextlib import suppress

import polars as pl
import pytest
import zstandard
from hypothesis import given, strategies as st

from relyon import io
from relyon.core.errors import RelyonError

ROWS = [("q1", "d1", 2), ("q1", "d2", 0), ("007", "文", 1)]


def _parquet() -> bytes:
    buffer = streams.BytesIO()
    pl.DataFrame(ROWS, schema=["query", "document", "grade"], orient="row").write_parquet(buffer)
    return buffer.getvalue()


QRELS = "".join(f"{query} 0 {document} {grade}\n" for query, document, grade in ROWS).encode()
FILES: dict[str, bytes] = {
    "trec": QRELS,
    "csv": b"query,document,grade\n" + QRELS.replace(b" 0 ", b',"').replace(b" ", b'",'),
    "tsv": b"query\tdocument\tgrade\n" + QRELS.replace(b" 0 ", b"\t").replace(b" ", b"\t"),
    "jsonl": "".join(
        f'{{"query": "{query}", "document": "{document}", "grade": {grade}}}\n'
        for query, document, grade in ROWS
    ).encode(),
    "json": '{"q1": {"d1": 2, "d2": 0}, "007": {"文": 1}}'.encode(),
    "letor": b"2 qid:1 1:0.5 # docid = d1\n0 qid:1 2:1 # docid = d2\n1 qid:7 # d3\n",
    "parquet": _parquet(),
    "gzip": gzip.compress(QRELS * 50),
    "zstd": zstandard.ZstdCompressor().compress(QRELS * 50),
}
FORMATS = {"gzip": "trec", "zstd": "trec"}
READERS: list[Callable[..., object]] = [io.read_judgments, io.read_run, io.read_scored]

damage = st.lists(
    st.tuples(
        st.integers(0, 2000),
        st.integers(0, 12),
        st.one_of(
            st.binary(max_size=6),
            st.sampled_from(
                [b"\n", b"\r", b"\x00", b'"', b",", b"\t", b"#", b"nan", b"1e999", b"{", b"[",
                 b"\xef\xbb\xbf", b"\xff\xfe", b"\xe2\x80\xa8", b"null", b"\\u0000", b"\\ud800"]
            ),
        ),
    ),
    max_size=6,
)  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_the_undamaged_file_is_read(name: str) -> None:
    judgments = io.read_judgments(streams.BytesIO(FILES[name]), format=FORMATS.get(name, name))
    assert len(judgments) == 3


@pytest.mark.parametrize("name", FILES)
@given(changes=damage, named=st.booleans())
def test_damage(name: str, changes: list[tuple[int, int, bytes]], named: bool) -> None:
    content = bytearray(FILES[name])
    for place, length, replacement in changes:
        start = place % (len(content) + 1)
        content[start : start + length] = replacement
    for read in READERS:
        with suppress(RelyonError):  # anything else fails the test
            read(
                streams.BytesIO(bytes(content)),
                format=FORMATS.get(name, name) if named else None,
            )
