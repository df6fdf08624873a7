"""Cutoffs of runs of chunks: chunks without a judged passage are no missing judgments."""

from __future__ import annotations

import pytest

import relyon
from relyon import Chunks, Passages


@pytest.mark.parametrize(
    ("measures", "warned"), [(["char_recall"], False), (["char_recall", "recall"], True)]
)
def test_measures_of_passages_do_not_depend_on_unjudged_chunks(
    measures: list[str], warned: bool
) -> None:
    chunks = Chunks.from_dict({f"c{n}": ("d", 10 * n, 10 * n + 10) for n in range(20)})
    judged = Passages.from_dict({f"q{n}": [("d", 10 * n, 10 * n + 9)] for n in range(6)})
    runs = {f"q{n}": {f"c{(n + place) % 20}": -place for place in range(10)} for n in range(6)}
    found = relyon.depth(judged.judgments(chunks), runs, measures=measures)
    assert ("judged-low" in [one.kind for one in found.advice]) is warned
