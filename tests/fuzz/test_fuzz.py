"""A few of the damaged files that `make fuzz` makes by the million."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

HERE = Path(__file__).resolve().parent


@pytest.mark.parametrize(
    ("reader", "count"),
    [("fuzz_text", 1500), ("fuzz_features", 500), ("fuzz_workbook", 200), ("fuzz_machines", 300)],
)
def test_the_slow_reader_agrees(reader: str, count: int) -> None:
    seed = os.environ.get("RELYON_FUZZ_SEED", "1")
    done = subprocess.run(
        [sys.executable, "-m", f"tests.fuzz.{reader}", f"--count={count}", f"--seed={seed}"],
        cwd=HERE.parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"{count} inputs" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("program", ["fuzz_native", "fuzz_tables", "fuzz_letor", "fuzz_traces"])
def test_a_native_program_finds_nothing(program: str, tmp_path: Path) -> None:
    if shutil.which(os.environ.get("CXX", "c++")) is None:
        pytest.skip("there is no C++ compiler")
    build = [str(HERE / "build.sh"), "", program]
    built = subprocess.run(build, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    done = subprocess.run(
        [built.stdout.strip(), "5000", "1", tmp_path],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
