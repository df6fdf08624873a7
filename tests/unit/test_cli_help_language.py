"""Help and the argument parser's messages in every language."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest
from tests.unit.conftest import Command

from relyon.cli.application import COMMANDS, main
from relyon.cli.help import sentences
from relyon.core.document.terminal import width
from relyon.core.texts import LANGUAGES, catalogue

OTHERS = [one for one in LANGUAGES if one != "en"]
#: Commands, options and names, which are the same in every language.
CODE = re.compile(
    r"(relyon |--?[a-z]|eval ).*|[\d.]+|[\w@-]+(, [\w@-]+){2,}"
    r"|relyon|llm:MODEL|official|qrels|OUTPUT\.\S+|RELYON_\w+"
)


def commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yields the path of every command."""
    yield path
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            yield from commands(found((*path, name)), (*path, name))


def found(path: tuple[str, ...]) -> click.Command:
    command: click.Command = main
    for name in path:
        assert isinstance(command, click.Group)
        below = command.get_command(click.Context(command), name)
        assert below is not None
        command = below
    return command


PATHS = list(commands(main))


def texts(command: click.Command) -> Iterator[str]:
    """Yields every sentence of a help page."""
    for text in (command.help, command.short_help, command.epilog):
        yield from sentences(text or "")
    for option in command.params:
        if isinstance(option, click.Option):
            yield from sentences(option.help or "", option=True)


@cache
def said_by_click() -> frozenset[str]:
    """Returns every text in click's own code."""
    return frozenset(
        node.value
        for path in Path(click.__file__).parent.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_every_help_text_is_translated(path: tuple[str, ...], language: str) -> None:
    known = catalogue("help", language)
    wanted = {*texts(found(path)), *(COMMANDS.values() if not path else ())}
    assert [one for one in wanted if one not in known.texts and not CODE.fullmatch(one)] == []


@pytest.mark.skipif(
    "No such option {name!r}." not in said_by_click(), reason="this click has older sentences"
)
@pytest.mark.parametrize("language", OTHERS)
def test_every_translation_is_of_a_text_that_is_said(language: str) -> None:
    said = {*COMMANDS.values(), "Usage:", "Options:", "Commands:", "default: ", "; "}
    said |= {"[OPTIONS]", "COMMAND", "[ARGS]..."}
    said |= {f"{kind}{more}" for kind in ("INTEGER", "FLOAT", "TEXT") for more in ("", " RANGE")}
    for path in PATHS:
        said.update(texts(found(path)))
    known = catalogue("help", language)
    assert [one for one in known.texts if one not in said | said_by_click()] == []


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_help_is_in_the_language_and_fits_80_columns(
    path: tuple[str, ...], language: str, command: Command, monkeypatch
) -> None:
    monkeypatch.setenv("RELYON_LANG", language)
    outcome = command(*path, "--help")
    assert (outcome.code, outcome.err) == (0, "")
    assert max(map(width, outcome.out.splitlines())) <= 80
    usage = catalogue("help", language)["Usage:"]
    assert outcome.out.startswith(f"{usage}{' '.join(('relyon', *path))} ")
    assert "Options:" not in outcome.out
    monkeypatch.setenv("RELYON_LANG", "en")
    assert command(*path, "--help").out.isascii() == command(*path, "-h").out.isascii()
    assert "选项" not in command(*path, "--help").out


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (("evaluate", "a", "b", "--digits", "x"), "'--digits' 的取值无效：'x' 不是有效的数值", ""),
        (
            ("evaluate", "a", "b", "--average", "x"),
            "'--average' 的取值无效：'x' 不在可选值之列：'macro', 'micro'",
            "",
        ),
        (("evaluate", "a", "b", "--digits", "99"), "99 不在 0<=x<=17 的范围内", ""),
        (("evaluate", "a", "b", "--digits"), "选项 '--digits' 需要一个值", ""),
        (
            ("judge", "status"),
            "缺少参数：`relyon judge status` 需要 DATABASE",
            "例如 `relyon judge",
        ),
        (
            ("judge", "project", "a.db"),
            "缺少参数：`relyon judge project` 需要 DATABASE PROJECT",
            "",
        ),
        (("measures", "a", "b"), "多出一个参数（b）", ""),
        (("compare", "--tes", "t"), "没有这个选项：`--tes`", "是不是 `--test`？"),
    ],
)
def test_the_argument_parser_speaks_the_language(
    arguments: tuple[str, ...], message: str, hint: str, command: Command, monkeypatch
) -> None:
    monkeypatch.setenv("RELYON_LANG", "zh")
    outcome = command(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err.splitlines()[0]
    assert hint in outcome.err
    monkeypatch.setenv("RELYON_LANG", "en")
    assert command(*arguments).err.isascii()
