"""The examples for Dask and Ray, and the files that they evaluate."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import relyon

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
COLLECTION = EXAMPLES / "docs-search"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is here needs Dask or Ray, whose own code warns."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.cluster)
            item.add_marker(pytest.mark.filterwarnings("ignore"))


@pytest.fixture(scope="session", autouse=True)
def workers_import_the_examples() -> Iterator[None]:
    """Workers import relyon, the examples and the tests as this process does."""
    paths = [str(EXAMPLES), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(paths))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setattr(sys, "path", [*paths[:2], *sys.path])
        yield


@pytest.fixture(scope="session")
def judgments() -> relyon.Judgments:
    return relyon.read_judgments(COLLECTION / "judgments.qrels")


@pytest.fixture(scope="session")
def split_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of Parquet files; queries lie across their borders."""
    folder = tmp_path_factory.mktemp("split")
    rows = relyon.read_run(COLLECTION / "bm25.run").to_frame()
    for number, start in enumerate(range(0, len(rows), 2001)):
        rows[start : start + 2001].write_parquet(folder / f"part-{number}.parquet")
    return folder


@pytest.fixture(scope="session")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of Parquet files, each with all rows of its queries."""
    folder = tmp_path_factory.mktemp("whole")
    rows = relyon.read_run(COLLECTION / "bm25.run").to_frame()
    for part in rows.with_columns(part=rows["query"].str.slice(0, 3)).partition_by("part"):
        part.drop("part").write_parquet(folder / f"{part['part'][0]}.parquet")
    return folder


def printed(*words: str) -> list[str]:
    """Runs a command as a user does and returns the lines of its table."""
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, timeout=300, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n\n")[0].rstrip("\n").split("\n")
