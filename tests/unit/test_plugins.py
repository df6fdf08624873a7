"""Measures that users write reach the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from relyon.core.errors import InputError
from relyon.measures.plugins import load_plugin

CODE = '''
from dataclasses import dataclass

from relyon import Measure, Step, register


@register
@dataclass(frozen=True)
class FirstGrade(Measure):
    """Grade of the first document."""

    name = "first_grade"

    def steps(self, ranking):
        for entry in ranking.top(1):
            grade = entry.grade or 0.0
            yield Step(1, entry.document, entry.grade, grade, 1.0, grade, grade)
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(CODE, "utf-8")
    (tmp_path / "j.qrels").write_text("q 0 a 2\nq 0 b 0\n", "utf-8")
    (tmp_path / "r.run").write_text("q Q0 a 1 2.0 t\nq Q0 b 2 1.0 t\n", "utf-8")
    return tmp_path


def relyon(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "relyon", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.parametrize("plugin", ["mine.py", "mine"])
def test_evaluate_takes_a_measure_from_a_file_or_module(folder: Path, plugin: str) -> None:
    done = relyon(
        folder, "evaluate", "j.qrels", "r.run", "-m", "first_grade", "--plugin", plugin,
        "--format", "trec",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "first_grade           \tall\t2.0000" in done.stdout


def test_explain_and_measures_know_it_too(folder: Path) -> None:
    done = relyon(
        folder, "explain", "j.qrels", "r.run", "--query-id", "q", "-m", "first_grade",
        "--plugin", "mine.py",
    )  # fmt: skip
    assert "first_grade of query q = 2" in done.stdout
    done = relyon(folder, "measures", "first_grade", "--plugin", "mine.py")
    assert "Grade of the first document." in done.stdout


def test_without_it_the_measure_is_unknown(folder: Path) -> None:
    done = relyon(folder, "evaluate", "j.qrels", "r.run", "-m", "first_grade")
    assert done.returncode == 2
    assert "unknown measure: `first_grade`" in done.stderr


def test_what_cannot_be_imported_is_named(folder: Path) -> None:
    (folder / "broken.py").write_text("1 / 0\n", "utf-8")
    for plugin, reason in (("absent.py", "no such file"), ("broken.py", "ZeroDivisionError")):
        with pytest.raises(InputError, match=reason):
            load_plugin(str(folder / plugin))
    with pytest.raises(InputError, match="ModuleNotFoundError"):
        load_plugin("no_such_module_anywhere")
    done = relyon(folder, "evaluate", "j.qrels", "r.run", "--plugin", "broken.py")
    assert done.returncode == 3
    assert "Traceback" not in done.stderr


def test_a_plugin_says_of_itself_what_a_built_in_measure_does(folder: Path) -> None:
    code = CODE.replace(
        '    name = "first_grade"\n',
        '    name = "first_grade"\n'
        '    title = "First"\n'
        '    aspect = "first"\n'
        '    trec_names = {"first_grade@{k}": "first_{k}"}\n'
        "    k: int | None = None\n",
    )
    (folder / "mine.py").write_text(code, "utf-8")
    done = relyon(
        folder, "evaluate", "j.qrels", "r.run", "-m", "first_grade@5", "--plugin", "mine.py",
        "--format", "trec",
    )  # fmt: skip
    assert done.stdout.splitlines() == ["first_5               \tall\t2.0000"]
    ask = "import mine; from relyon.report.number_formats import kind_of, label;"
    done = subprocess.run(
        [sys.executable, "-c", f"{ask} print(kind_of('first_grade@5'), label('first_grade@5'))"],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "first First@5\n"
