"""A run's tag may hold spaces, as trec_eval allows."""

from __future__ import annotations

from pathlib import Path

import relyon


def test_tags_with_spaces(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text("q Q0 a 1 2.5 my best run ever, no. 3 \nq Q0 b 2 1.5 other tag\nq Q0 c 3 1 x\n")
    run = relyon.read_run(path)
    assert run.tag == "my best run ever, no. 3"
    assert run["q"] == {"a": 2.5, "b": 1.5, "c": 1.0}
    assert relyon.evaluate({"q": {"b": 1}}, path, ["rr", "num_ret"])["rr"] == 0.5
