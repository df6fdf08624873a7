"""Completion in real shells: the script that the shell evaluates, a line, and a Tab."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from tests.programs import skip_without_program

from relyon.cli.application import main
from relyon.cli.shells import Bash, Fish, Zsh

pytestmark = pytest.mark.long

#: What nothing completes: words of one's own, numbers, dates, ids.
FREE = {
    "QUERY", "NAME", "W,W,…", "NAME=VALUE", "N|significance", "DOCUMENT", "TEXT",
    "NAME=VALUE,…", "CLICKS,IMPRESSIONS|data", "NAME=NUMBERS", "P,P,…", "P|P,P,…", "GRADE=P,…",
    "COLUMN=SHARE,…", "ARM", "DATE", "ARM=SHARE", "METHOD[:CUTS]", "K|TIER=K,…", "AGE", "KIND",
    "URL", "PROJECT", "ADDRESS", "YYYY-MM", "TIER=K,…", "TIER", "NAME[.PARAMETERS]", "NUM",
    "NUM[.QUERY]", "NUMBER|PERCENT", "PERCENT", "ID", "QUERY,…", "REPORT", "DATE|TIME",
    "[LESSON]", "[QUERY]", "K,…", "ZONE", "HOST", "DOMAIN", "NAME=URL#MODEL",
    "NAME=IN,OUT[,CURRENCY]", "MEASURE=NUMBER",
}  # fmt: skip
#: Those without a `metavar`: `relyon fuse --name`, `judge account NAME`, `judge serve --host`.
OWN_WORDS = {"name", "host"}


def _parameters(command: click.Command, context: click.Context) -> Iterator[click.Parameter]:
    if not isinstance(command, click.Group):
        yield from command.params
        return
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        assert below is not None
        inside = click.Context(below, context, name, resilient_parsing=True)
        yield from _parameters(below, inside)


def test_every_parameter_that_takes_text_is_completed_or_known_to_be_free() -> None:
    context = click.Context(main, info_name="relyon", resilient_parsing=True)
    left = [
        one
        for one in _parameters(main, context)
        if type(one.type) is click.types.StringParamType
        and one.metavar not in FREE
        and (one.metavar or one.name not in OWN_WORDS)
    ]
    assert [f"{one.name} {one.metavar}" for one in left] == []


#: A line, and what it is after a Tab: the words as the shell passes them on.
LINES = [
    ("relyon eval", ["relyon", "evaluate"]),
    ("relyon evaluate judgments.qrels bm", ["relyon", "evaluate", "judgments.qrels", "bm25.run"]),
    ("relyon logs doctor lo", ["relyon", "logs", "doctor", "log.csv"]),
    ("relyon evaluate -m rr,ndcg@2", ["relyon", "evaluate", "-m", "rr,ndcg@20"]),
    ("relyon evaluate -m @meas", ["relyon", "evaluate", "-m", "@measures.txt"]),
    ("relyon evaluate -m @fol", ["relyon", "evaluate", "-m", "@folder"]),
    ("relyon evaluate --measure=@meas", ["relyon", "evaluate", "--measure=@measures.txt"]),
    ("relyon evaluate -m 'recall(re", ["relyon", "evaluate", "-m", "recall(rel="]),
    ("relyon evaluate --set tie", ["relyon", "evaluate", "--set", "ties="]),
    ("relyon evaluate --set ties=ex", ["relyon", "evaluate", "--set", "ties=expected"]),
    ("relyon evaluate --run-format par", ["relyon", "evaluate", "--run-format", "parquet"]),
    ("relyon evaluate --run-format=par", ["relyon", "evaluate", "--run-format=parquet"]),
    ("relyon evaluate --scored=lo", ["relyon", "evaluate", "--scored=log.csv"]),
    ("relyon measures ndcg_", ["relyon", "measures", "ndcg_rel"]),
    ("relyon funnel --stage a=bm", ["relyon", "funnel", "--stage", "a=bm25.run"]),
    ("relyon logs doctor --check ga", ["relyon", "logs", "doctor", "--check", "gaps"]),
    (
        "relyon evaluate --scored log.csv --label posi",
        ["relyon", "evaluate", "--scored", "log.csv", "--label", "position"],
    ),
    (
        "relyon logs doctor log.csv --columns session=quer",
        ["relyon", "logs", "doctor", "log.csv", "--columns", "session=query"],
    ),
    ("relyon evaluate my", ["relyon", "evaluate", "my run.csv"]),
    ("relyon evaluate fol", ["relyon", "evaluate", "folder"]),
]


@pytest.fixture
def home(files: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A folder with a few files, and an environment in which `relyon` is this one."""
    (files / "my run.csv").write_text("query,doc,score\n")
    (files / "folder").mkdir()
    (files / "measures.txt").write_text("ndcg@10\n")
    binaries = tmp_path_factory.mktemp("bin")
    script = binaries / "relyon"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m relyon "$@"\n')
    script.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{binaries}:{os.environ['PATH']}",
        "TERM": "dumb",
        "HOME": str(binaries),
        "LC_ALL": "C.UTF-8",
    }
    return files, environment


class Terminal:
    """A shell at a terminal, to which keys are sent."""

    def __init__(self, command: list[str], folder: Path, environment: dict[str, str]) -> None:
        self.main, other = pty.openpty()
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=other, stdout=other, stderr=other,
            start_new_session=True,
        )  # fmt: skip
        os.close(other)

    def send(self, keys: str) -> None:
        os.write(self.main, keys.encode())

    def until(self, mark: str, seconds: float = 20) -> str:
        """Returns what is shown until a mark."""
        shown, end = b"", time.monotonic() + seconds
        while mark.encode() not in shown:
            left = end - time.monotonic()
            assert left > 0, shown.decode("utf-8", "replace")
            if select.select([self.main], [], [], left)[0]:
                shown += os.read(self.main, 4096)
        return shown.decode("utf-8", "replace")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.main)


def _tab(terminal: Terminal, line: str, shell: str) -> list[str]:
    """Returns the words of a line after a Tab: the shell itself prints them, in place of a run."""
    # bash closes an open quote by itself.
    quote = "'" if shell == "zsh" and line.count("'") % 2 else ""
    terminal.send(f"{line}\t{quote}\x01printf '[%s]' \x05; echo; echo 'e'nd\n")
    shown = terminal.until("\nend").replace("\r", "")
    words = shown.rpartition("\nend")[0].rpartition("\n")[2]
    assert words.startswith("[relyon]"), shown
    return words[1:-1].rstrip("/").split("][")  # zsh takes a slash before a space away


SCRIPTS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "bash", "PS1='> '; "),
    "zsh": (
        ["zsh", "-f", "-i"],
        "zsh",
        "PS1='> '; bindkey -e; autoload -Uz compinit; compinit -u; ",
    ),
}


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_shell_completes(shell: str, home: tuple[Path, dict[str, str]]) -> None:
    command, name, setup = SCRIPTS[shell]
    if shutil.which(name) is None:
        skip_without_program(f"{name} is not installed")
    terminal = Terminal(command, *home)
    try:
        terminal.send(f'{setup}eval "$(_RELYON_COMPLETE={name}_source relyon)"; echo rea"dy"\n')
        terminal.until("\nready")
        found = {line: _tab(terminal, line, shell) for line, _ in LINES}
    finally:
        terminal.close()
    assert found == dict(LINES)


def test_fish_completes(home: tuple[Path, dict[str, str]]) -> None:
    if shutil.which("fish") is None:
        skip_without_program("fish is not installed")
    folder, environment = home
    asked = "\n".join(
        "complete -C " + "'" + line.replace("'", "\\'") + "'; echo ==" for line, _ in LINES
    )
    script = f'eval "$(_RELYON_COMPLETE=fish_source relyon)"\n{asked}'
    done = subprocess.run(
        ["fish", "--no-config", "-c", script],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    answers = [part.strip() for part in done.stdout.split("==\n")][: len(LINES)]
    for (line, words), answer in zip(LINES, answers, strict=True):
        offered = [one.partition("\t")[0].replace("\\ ", " ") for one in answer.splitlines()]
        assert words[-1] in [one.rstrip("/") for one in offered], (line, answer)


@pytest.mark.parametrize(
    ("line", "word"),
    [("relyon evaluate --set ties=", "expected"), ("relyon evaluate -m ndcg@1", "@1000")],
)
def test_bash_replaces_what_follows_a_sign_at_which_it_breaks_words(
    line: str, word: str, process, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_BREAKS", " \t\n\"'@><=;|&(:")
    monkeypatch.setenv("_RELYON_COMPLETE", "bash_complete")
    assert f"plain,{word}" in process().out.splitlines()


@pytest.mark.parametrize("shell", [Bash, Zsh, Fish])
@pytest.mark.parametrize(
    "line", ["relyon evaluate --label ", "relyon evaluate gone.csv --label ", "relyon nothing ",
             "relyon evaluate a.qrels --columns score=", "relyon evaluate -m 'nothing(", "relyon"]
)  # fmt: skip
def test_a_tab_never_shows_an_error(
    shell: type[Bash], line: str, files: Path, process, monkeypatch: pytest.MonkeyPatch
) -> None:
    (files / "a.qrels").write_bytes(b"\0\xff\xfe")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_WORD", "")
    monkeypatch.setenv("_RELYON_COMPLETE", f"{shell.name}_complete")
    outcome = process()
    assert outcome.err == ""
    assert "rror" not in outcome.out
