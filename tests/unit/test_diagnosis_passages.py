"""Diagnoses of runs of chunks with judged passages."""

from __future__ import annotations

import relyon
from relyon import Chunks, Passages


def test_chunks_without_a_passage_are_unjudged_by_definition() -> None:
    chunks = Chunks.from_dict({f"c{n}": ("d", 10 * n, 10 * n + 10) for n in range(40)})
    judged = Passages.from_dict({f"q{n}": [("d", 10 * n, 10 * n + 9)] for n in range(9)})
    runs = [
        {f"q{n}": {f"c{(n + step * place) % 40}": -place for place in range(10)} for n in range(9)}
        for step in (1, 3)
    ]
    found = {}
    for name, judgments in (
        ("passages", judged.judgments(chunks)),
        ("documents", relyon.read_judgments({f"q{n}": {f"c{n}": 1} for n in range(9)})),
    ):
        comparison = relyon.compare(judgments, runs[0], runs[1], "ndcg@10")
        (found[name],) = relyon.diagnose(comparison, rules=["unjudged"])
    assert found["documents"].severity in {"high", "medium"}
    assert found["passages"].severity == "low"
    assert "judgments are of passages" in found["passages"].text("en")
    assert "Judge the listed pairs" not in str(found["passages"].to_dict())
