"""Columns of one of several files: `--run-columns FILE=score=COLUMN`."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from relyon.cli import main

JUDGED = "查询,商品,标注\nq,a,1\nq,b,0\n"
OLD = "查询,商品,旧模型得分\nq,a,1\nq,b,2\n"
NEW = "查询,商品,新模型得分\nq,a,2\nq,b,1\n"
FILES = ("标注.csv", "旧.csv", "新.csv")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in zip(FILES, (JUDGED, OLD, NEW), strict=True):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize("option", ["--columns", "--run-columns"])
@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_each_run_has_its_own_columns(folder: Path, command: str, option: str) -> None:
    arguments = [command, *FILES, "-m", "rr", "--format", "csv"]
    first = _run(*arguments)
    assert "旧.csv: there is no column for the score" in first.stderr
    assert "--run-columns 旧.csv=score=旧模型得分" in first.stderr
    second = _run(*arguments, option, "旧.csv=score=旧模型得分")
    assert "--run-columns 新.csv=score=新模型得分" in second.stderr
    both = [option, "./旧.csv=query=查询,score=旧模型得分", option, "新.csv=score=新模型得分"]
    found = _run(*arguments, *both)
    assert found.exit_code == 0, found.stderr
    assert "0.5" in found.stdout
    assert "1.0" in found.stdout


def test_a_column_of_all_files_that_one_lacks_says_how_to_name_the_file(folder: Path) -> None:
    found = _run("compare", *FILES, "-m", "rr", "--run-columns", "score=旧模型得分")
    assert "新.csv: there is no column `旧模型得分`" in found.stderr
    assert "for this file alone: --run-columns 新.csv=NAME=COLUMN" in found.stderr
    mended = _run(
        "compare", *FILES, "-m", "rr", "--run-columns", "score=旧模型得分",
        "--run-columns", "新.csv=score=新模型得分",
    )  # fmt: skip
    assert mended.exit_code == 0, mended.stderr


def test_one_run_is_hinted_without_its_file(folder: Path) -> None:
    found = _run("evaluate", *FILES[:2], "-m", "rr")
    assert "hint: name its column: --run-columns score=旧模型得分" in found.stderr


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("none.csv=score=x", "none.csv: there is no such file"),
        ("other.csv=score=x", "other.csv is not one of the files of the command"),
        ("旧.csv=color=x", "does not accept `旧.csv`"),
        ("旧.csv=score=", "`--columns score=` is not NAME=VALUE"),
    ],
)
def test_other_files_and_roles_are_refused(folder: Path, value: str, expected: str) -> None:
    (folder / "other.csv").write_text(OLD, encoding="utf-8")
    found = _run("compare", *FILES, "-m", "rr", "--columns", value)
    assert found.exit_code != 0
    assert expected in found.stderr


def test_columns_and_files_may_contain_an_equals_sign(folder: Path) -> None:
    (folder / "a=b.csv").write_text(OLD.replace("旧模型得分", "x=y"), encoding="utf-8")
    for value in ("score=x=y", "a=b.csv=score=x=y"):
        found = _run("evaluate", FILES[0], "a=b.csv", "-m", "rr", "--columns", value)
        assert found.exit_code == 0, found.stderr


def test_scored_files_have_their_own_columns(folder: Path) -> None:
    (folder / "a.csv").write_text("q,y1,s\n1,1,1\n1,0,2\n")
    (folder / "b.csv").write_text("q,y2,t\n1,1,2\n1,0,1\n")
    found = _run(
        "compare", "--scored", "a.csv", "--scored", "b.csv", "-m", "rr", "--columns", "query=q",
        "--columns", "a.csv=label=y1,score=s", "--columns", "b.csv=label=y2,score=t",
    )  # fmt: skip
    assert found.exit_code == 0, found.stderr
    assert "0.5000  1.0000" in found.stdout


def test_fuse_and_agree_take_them_too(folder: Path) -> None:
    own = ["--columns", "旧.csv=score=旧模型得分", "--columns", "新.csv=score=新模型得分"]
    found = _run("fuse", *FILES[1:], "-o", "both.run", *own)
    assert found.exit_code == 0, found.stderr
    found = _run("agree", *FILES, *own, "-m", "rr", "-m", "ndcg@10")
    assert "no column" not in found.stderr
