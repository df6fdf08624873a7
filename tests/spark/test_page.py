"""What the pages on Spark tell a reader to paste."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import relyon
from relyon.io import read_run

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?ms)^```py\n(.*?)^```$")


@pytest.mark.parametrize(
    "page", ["docs/spark.md", pytest.param("docs/zh/spark.md", marks=pytest.mark.slow)]
)
def test_a_reader_can_paste_every_block_into_a_shell(
    page: str, spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = ROOT / "examples"
    judgments = relyon.read_judgments(examples / "judgments.qrels").to_frame()
    judgments.write_parquet(tmp_path / "judgments.parquet")
    for name, file in (("run", "run.trec"), ("new", "new.trec")):
        read_run(examples / file).to_frame().write_parquet(tmp_path / f"{name}.parquet")
    rows = [(f"q{n % 9}", n % 3, n * 37 % 11 / 7) for n in range(90)]
    scored = pl.DataFrame(rows, schema=["query", "label", "score"], orient="row")
    scored.write_parquet(tmp_path / "scored.parquet")
    log = [
        (f"s{n}", f"q{n % 7}", position, f"d{position}", int((n * 7 + position) % 5 == 0))
        for n in range(210)
        for position in (1, 2, 3)
    ]
    names_of_log = ["session", "query", "position", "doc", "clicked"]
    pl.DataFrame(log, schema=names_of_log, orient="row").write_parquet(tmp_path / "log.parquet")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"spark": _Here(spark, tmp_path)}
    blocks = BLOCK.findall((ROOT / page).read_text("utf-8"))
    assert len(blocks) == 4
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    assert dict(names["results"]) == dict(
        relyon.evaluate_scores(tmp_path / "scored.parquet", measures=["auc", "gauc", "pnr"])
    )


class _Here:
    """A session that reads from the reader's folder: a cluster has no current one."""

    def __init__(self, session: Any, folder: Path) -> None:
        self.session = session
        self.folder = folder

    @property
    def read(self) -> _Here:
        return self

    def parquet(self, name: str) -> Any:
        return self.session.read.parquet(str(self.folder / name))
