"""A plain installation has neither SciPy nor the packages of the extras: a first hour works."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"scipy", "sklearn", "zstandard", "pandas", "pyarrow", "altair"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
"""


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT + code],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    qrels, old, new = [], [], []
    for query in range(12):
        for document in range(6):
            grade = (query + document) % 3
            qrels.append(f"q{query} 0 d{document} {grade}\n")
            old.append(f"q{query} Q0 d{document} 0 {-document} old\n")
            new.append(f"q{query} Q0 d{document} 0 {grade * (query % 4 != 0) - document / 9} new\n")
    for name, lines in (("qrels", qrels), ("old", old), ("new", new)):
        (tmp_path / f"{name}.txt").write_text("".join(lines))
    rows = ["query,label,score\n", *(f"q{i % 4},{i % 2},{i % 7}\n" for i in range(40))]
    (tmp_path / "scored.csv").write_text("".join(rows))
    (tmp_path / "rows.txt").write_text(
        "".join(f"{i % 3} qid:{i % 4} 1:{i % 5} 7:{i % 7}\n" for i in range(40))
    )
    lines = [
        f"s{i},2024-05-0{1 + i % 9} 10:00:00,q{i % 5},d{i % 3},{rank},{int(i % 4 == rank)}\n"
        for i in range(60)
        for rank in (1, 2)
    ]
    (tmp_path / "log.csv").write_text(
        "session,time,query,document,position,click\n" + "".join(lines)
    )
    return tmp_path


RUNS = ["qrels.txt", "old.txt", "new.txt"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "qrels.txt", "new.txt", "--intervals"],
        ["compare", *RUNS, "--test", "t"],
        ["compare", *RUNS, "--test", "wilcoxon"],
        ["compare", *RUNS, "--test", "sign"],
        ["compare", *RUNS, "--interval", "bca"],
        ["diagnose", *RUNS],
        ["explain", "qrels.txt", "new.txt", "--query-id", "q1"],
        ["depth", *RUNS, "--log", "log.csv"],
        ["funnel", *RUNS],
        ["evaluate", "--scored", "scored.csv", "-m", "auc", "-m", "pnr"],
        ["agree", *RUNS],
        ["logs", "inspect", "log.csv"],
        ["sample", "log.csv", "--per-tier", "5", "-o", "sample.csv"],
    ],
    ids=" ".join,
)
def test_a_first_hour_needs_no_extra(folder: Path, arguments: list[str]) -> None:
    code = f"from relyon.cli.application import main\nmain({arguments!r}, prog_name='relyon')"
    found = run(code, folder)
    assert "relyon[" not in found.stderr, found.stderr
    assert "Traceback" not in found.stderr, found.stderr
    assert found.returncode == 0, found.stderr


def test_what_needs_scipy_names_the_extra(folder: Path) -> None:
    code = "import relyon\nprint(relyon.read_features('rows.txt', matrix='sparse'))"
    found = run(code, folder)
    assert "pip install 'relyon[stats]'" in found.stderr
    assert "this calculation needs the package scipy" in found.stderr


def test_labels_miss_scipy_before_a_log_is_read_or_spark_starts(folder: Path) -> None:
    arguments = ["labels", "make", "absent.csv", "-o", "labels.qrels", "--engine", "spark"]
    code = f"from relyon.cli.application import main\nmain({arguments!r}, prog_name='relyon')"
    found = run(code, folder)
    assert "this calculation needs the package scipy" in found.stderr
    assert "pip install 'relyon[stats]'" in found.stderr
