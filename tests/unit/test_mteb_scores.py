"""MTEB's results of models as values of tasks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

import relyon
from relyon.compat.mteb import scores


def write(
    folder: Path, model: str, task: str, *rows: Mapping[str, object], split: str = "test"
) -> None:
    place = folder / model / "rev"
    place.mkdir(parents=True, exist_ok=True)
    content = {"task_name": task, "scores": {split: list(rows)}}
    (place / f"{task}.json").write_text(json.dumps(content))
    (place / "model_meta.json").write_text('{"name": "x"}')


def test_models_are_ranked_over_tasks(tmp_path: Path) -> None:
    for number in range(12):
        for model, shift in (("a__big", 0.1), ("small", 0.0)):
            value = 0.4 + number / 100 + shift + number % 3 / 200
            rows = [{"hf_subset": name, "main_score": value} for name in ("en", "de")]
            write(tmp_path, model, f"Task{number}", *rows)
    found = relyon.leaderboard_values(scores(tmp_path), tasks="sampled")
    board = found["main_score"]
    assert board.runs == ("a/big", "small")
    assert (board.unit, board.units) == ("tasks", 12)
    assert [one.ranks for one in board.standings] == [(1, 1), (2, 2)]


def test_tasks_of_some_models_are_left_out_and_said(tmp_path: Path) -> None:
    for model in ("one", "two"):
        write(tmp_path, model, "Both", {"main_score": 0.5, "ndcg_at_10": 0.4}, split="dev")
    write(tmp_path, "one", "Alone", {"main_score": 0.5, "ndcg_at_10": 0.4})
    with pytest.warns(relyon.RelyonWarning, match="1 task left out"):
        found = scores(tmp_path, measure="ndcg_at_10")
    assert found == {"Both": {name: {"ndcg_at_10": {"default": 0.4}} for name in ("one", "two")}}


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(relyon.InputError, match="no task has results of all models"):
        scores(tmp_path)
    write(tmp_path, "one", "T", {"main_score": 0.5})
    with pytest.raises(relyon.InputError, match="no score `map`"):
        scores(tmp_path, measure="map")
    with pytest.raises(relyon.UnknownNameError, match="train"):
        scores(tmp_path, split="train")
    (tmp_path / "one" / "other").mkdir()
    (tmp_path / "one" / "other" / "T.json").write_text(
        (tmp_path / "one" / "rev" / "T.json").read_text()
    )
    with pytest.raises(relyon.InputError, match="two results of this task"):
        scores(tmp_path)
