"""Rows of CSV with quotes anywhere mean the same while they stream as when the table is whole."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

import relyon
from relyon.core.errors import RelyonError
from relyon.io.format import formats

DOCUMENTS = ["d1", '"d1"', '"d,1"', '"d""1"', 'd"1', '"', '""', '"d1', 'd1"', '"d1"x', '"""']
OTHERS = ["q1", '"q1"', '"q1', 'q1"', '"q,1"', '""']
SCORES = ["1.5", '"1.5"', '"1.5', '1.5"', '"']


def outcome(path: Path) -> object:
    judgments = {"q1": {"d1": 1, "d,1": 2, 'd"1': 3, "sure": 1}, "q,1": {"d1": 1}}
    try:
        results = relyon.evaluate(judgments, path, ("rr", "num_ret"))
    except RelyonError as error:
        return (type(error), str(error), error.hint)
    return (results.to_dict(per_query=True), results.notes)


@pytest.mark.parametrize("title", ["t", '"' + "t" * 48 + '"'])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("simd", ["avx512", "scalar"])
def test_quotes_anywhere(
    simd: str, end: str, title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RELYON_SIMD", simd)
    kind = type(formats.get("csv"))
    path = tmp_path / "x.csv"
    for query, document, score in product(OTHERS, DOCUMENTS, SCORES):
        rows = ["query,document,title,score", f"{query},{document},{title},{score}"]
        path.write_text(end.join([*rows, f"q1,sure,{title},1", ""]), newline="")
        found = outcome(path)
        with monkeypatch.context() as patch:
            patch.setattr(kind, "stream_run", lambda *_: None)
            assert found == outcome(path), rows[1]
