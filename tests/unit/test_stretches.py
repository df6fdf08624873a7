"""A run file is evaluated in stretches: none may lose or repeat a line, wherever it begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from relyon import evaluate
from relyon._native import JudgmentTable, Plan, evaluate_text

SIZES = (1, 1, 3, 1, 2, 7, 1, 1, 1, 4)


@pytest.fixture
def run_lines() -> list[str]:
    return [
        f"q{query} Q0 d{place} {place} {9 - place}.5 x\n"
        for query, size in enumerate(SIZES)
        for place in range(size)
    ]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("ending", ["\n", ""])
def test_every_border_between_stretches(
    threads: int,
    ending: str,
    run_lines: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "x.run"
    text = "".join(run_lines).rstrip("\n") + ending
    path.write_text(text)
    judgments = {f"q{query}": {"d0": 1, "d2": 2} for query in range(len(SIZES))}
    measures = ["num_ret", "ndcg", "rr"]
    whole = evaluate(judgments, path, measures, threads=threads)
    assert whole["num_ret"] == sum(SIZES)
    assert whole.notes == ()
    for size in range(1, len(text) + 2):
        monkeypatch.setenv("RELYON_STRETCH", str(size))
        parts = evaluate(judgments, path, measures, threads=threads)
        assert parts.to_dict(per_query=True) == whole.to_dict(per_query=True), size


def test_the_size_of_stretches_does_not_hide_a_repeated_query(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.run"
    path.write_text("a Q0 d1 1 2 x\nb Q0 d1 1 2 x\na Q0 d2 2 1 x\n")
    for size in range(1, 50):
        monkeypatch.setenv("RELYON_STRETCH", str(size))
        results = evaluate({"a": {"d2": 1}, "b": {"d1": 1}}, path, ["rr"])
        assert results.values_by_query("rr") == {"a": 0.5, "b": 1.0}
        assert [note.kind for note in results.notes] == ["regrouped"]


@pytest.mark.parametrize("judged", [True, False])
def test_queries_longer_than_the_window(
    judged: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.run"
    path.write_text(
        "".join(
            f"q{query} Q0 a-long-document-name-{place} {place} {9999 - place} x\n"
            for query in range(4)
            for place in range(9000)
        )
    )
    names = [f"q{query}" for query in range(4 if judged else 1)]
    table = JudgmentTable.from_dict({name: {"a-long-document-name-1": 1} for name in names})
    plan = Plan([("rr", {})])
    for size in (100_000, 437_000):
        monkeypatch.setenv("RELYON_STRETCH", str(size))
        batch = evaluate_text(table, plan, str(path), 1)
        assert batch.rows == 36000
        assert not batch.regrouped
        assert batch.queries == names
        assert set(batch.values(0)) == {0.5}
