"""The language of messages: asked for once, heard everywhere."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from tests.unit.conftest import Command

from relyon.cli.application import COMMANDS, main
from relyon.cli.messages import language_of


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    judged, run = tmp_path / "a.qrels", tmp_path / "a.run"
    judged.write_text("q1 0 a 1\nq2 0 b 1\n")
    run.write_text("q1 Q0 a 1 2.0 t\n")
    return str(judged), str(run)


def test_notes_are_said_in_the_language(
    files: tuple[str, str], command: Command, monkeypatch
) -> None:
    told = "警告：1 条有标注的查询不在结果文件中（q2）（课程：relyon learn 13 --lang zh）\n"
    assert command("evaluate", *files, "-m", "rr", "--lang", "zh").err == told
    assert command("evaluate", *files, "-m", "rr").err.startswith("warning: 1 query is in")
    monkeypatch.setenv("RELYON_LANG", "zh")
    assert command("evaluate", *files, "-m", "rr").err == told
    assert command("evaluate", *files, "-m", "rr", "--lang=en").err.startswith("warning: ")


def test_errors_and_hints_are_said_in_the_language(
    files: tuple[str, str], command: Command
) -> None:
    outcome = command("evaluate", *files, "-m", "ndgc", "--lang", "zh")
    assert (outcome.code, outcome.err) == (2, "错误：没有这个指标：`ndgc`\n建议：是不是 `ndcg`？\n")
    outcome = command("evaluate", *files, "--measur", "rr", "--lang", "zh")
    assert outcome.err.startswith("错误：没有这个选项：`--measur`")


def test_what_the_native_core_says_is_translated(tmp_path: Path, files, command: Command) -> None:
    empty = tmp_path / "empty.run"
    empty.write_text("")
    outcome = command("evaluate", files[0], str(empty), "--lang", "zh")
    assert (outcome.code, outcome.err) == (3, f"错误：{empty}：是空文件\n")
    outcome = command("evaluate", files[0], str(tmp_path / "none.run"), "--lang", "zh")
    assert outcome.err.startswith(f"错误：{tmp_path / 'none.run'}：文件不存在\n")


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "trec_eval"])
def test_every_command_knows_the_option(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    every = command.commands.values() if isinstance(command, click.Group) else [command]
    for one in every:
        assert one is not None
        assert sum("--lang" in parameter.opts for parameter in one.params) == 1, one.name


def test_an_unknown_language_is_refused(
    files: tuple[str, str], command: Command, monkeypatch
) -> None:
    assert command("evaluate", *files, "--lang", "de").code == 2
    monkeypatch.setenv("RELYON_LANG", "de")
    outcome = command("evaluate", *files)
    assert outcome.code == 2
    assert language_of(["--lang"]) == "en"


@pytest.mark.parametrize(
    ("run", "options", "message"),
    [
        ("q1 Q0 a 1 x t\n", (), "{run}:1：得分不是数字：`x`"),
        (
            "q1 Q0 a 1 2 t\nq1 Q0 a 1 1 t\n",
            (),
            "{run}:2：查询 `q1` 中文档 `a` 出现两次：另一处在第 1 行\n建议：两行只留一行",
        ),
        ("q1 Q0 a 1 2\nq1 a\n", (), "{run}:2：应为 6 列（查询、Q0、文档、名次、得分、运行标识）"),
        (
            "q1 Q0 a 1 2 t\n",
            ("-m", "err(max=0)"),
            "{run}：查询 `q1`：`err(max=0)` 遇到等级 1\n建议：请调高：err(max=1)",
        ),
        (
            "q1 Q0 a 1 2 t\n",
            ("--set", "missing=error"),
            "1 条有标注的查询不在结果文件中：`q2`",
        ),
    ],
)
def test_values_of_native_errors_are_put_into_the_translation(
    run: str, options: tuple[str, ...], message: str, files: tuple[str, str], command: Command
) -> None:
    Path(files[1]).write_text(run)
    outcome = command("evaluate", *files, *options, "--lang", "zh")
    assert outcome.code == 3
    assert f"错误：{message.format(run=files[1])}" in outcome.err
    assert "error: " in command("evaluate", *files, *options).err


def test_the_hint_of_explain_is_in_the_language(files: tuple[str, str], command: Command) -> None:
    hint = "建议：请指定一条查询；2 条中 rr 最低的是 `q2` (0.0000)、`q1` (1.0000)\n"
    assert command("explain", *files, "-m", "rr", "--lang", "zh").err.endswith(hint)
    hint = "hint: name a query; of 2, these have the lowest rr: `q2` (0.0000), `q1` (1.0000)\n"
    assert command("explain", *files, "-m", "rr").err.endswith(hint)
