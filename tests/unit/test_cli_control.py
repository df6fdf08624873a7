"""Ids and names that control a terminal: shown on it, kept in data."""

from __future__ import annotations

import os
import pty
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from relyon.core.document.signs import CONTROL
from relyon.core.document.terminal import printable, width

#: Sets the title, clears the screen, one byte that begins a sequence, and text turned around.
EVIL = "q\x1b]0;owned\x07\x1b[2J\x9b31m\u202ed"
SHOWN = "q\\x1b]0;owned\\x07\\x1b[2J\\x9b31m\\u202ed"
#: What relyon itself writes on a terminal: colours, and clearing the line of its progress.
OWN = re.compile(r"\x1b\[[0-9;]*m|\r\x1b\[K")


@pytest.fixture
def hostile(files: Path) -> Path:
    ids = [EVIL, f"{EVIL}2"]
    judged = "".join(f"{query},{EVIL},{grade}\n" for grade, query in enumerate(ids, 1))
    (files / "j.csv").write_text(f"query,doc,grade\n{judged}{EVIL},other,0\n")
    for name, score in (("a.csv", 1), ("b.csv", 3)):
        rows = "".join(f"{query},{EVIL},{score}\n{query},other,2\n" for query in ids)
        (files / name).write_text(f"query,doc,score\n{rows}")
    (files / f"{EVIL.replace('/', '')}.csv").write_text("query,doc\nx,y\n")
    log = "".join(f"s{n},{EVIL},{p},{EVIL}{p},1\n" for n in range(8) for p in (1, 2))
    (files / "evil.csv").write_text(f"session,query,position,doc,clicked\n{log}")
    return files


COMMANDS = [
    ("evaluate", "j.csv", "a.csv", "-q", "-m", "ndcg@10"),
    ("evaluate", "j.csv", "a.csv", "--name", EVIL, "-m", "rr"),
    ("compare", "j.csv", "a.csv", "b.csv", "--name", EVIL, "--name", "b"),
    ("explain", "j.csv", "a.csv", "--query", EVIL),
    ("explain", "j.csv", "a.csv", "b.csv"),
    ("diagnose", "j.csv", "a.csv", "b.csv"),
    ("depth", "j.csv", "a.csv", "b.csv", "--log", "evil.csv"),
    ("funnel", "j.csv", "a.csv"),
    ("fuse", "a.csv", "b.csv", "-o", "fused.csv"),
    ("logs", "inspect", "evil.csv"),
    ("logs", "doctor", "evil.csv"),
    ("report", "j.csv", "a.csv", "b.csv", "-o", "report.md", "-m", "rr"),
    ("evaluate", "j.csv", f"{EVIL}.csv"),
    ("explain", "j.csv", "a.csv", "--query", f"{EVIL}none"),
    ("evaluate", "j.csv", "a.csv", "-m", EVIL),
    ("measures", EVIL),
    (EVIL,),
    ("evaluate", f"--{EVIL}"),
    ("convert", "j.csv", f"{EVIL}.xyz"),
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda one: "-".join(one[:2])[:16])
def test_text_output_holds_no_control_signs(
    arguments: tuple[str, ...], hostile: Path, command
) -> None:
    outcome = command(*arguments)
    assert outcome.code in (0, 2, 3), outcome.err
    said = outcome.out + outcome.err
    assert CONTROL.findall(said.replace("\n", "")) == []
    if arguments[0] == "report":
        assert CONTROL.findall((hostile / "report.md").read_text().replace("\n", "")) == []


def test_data_keeps_ids_as_they_are(hostile: Path, command) -> None:
    outcome = command("evaluate", "j.csv", "a.csv", "-q", "-m", "rr", "--format", "csv")
    assert EVIL in outcome.out
    assert command("convert", "j.csv", "out.csv").code == 0
    assert EVIL in (hostile / "out.csv").read_text()


def _on_a_terminal(folder: Path, *arguments: str, columns: int = 80) -> str:
    """Returns all that a process writes on a terminal of so many columns."""
    import fcntl
    import termios

    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(
        [sys.executable, "-m", "relyon", *arguments],
        cwd=folder, stdout=other, stderr=other, stdin=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        os.close(other)
        shown = b""
        while True:
            try:
                part = os.read(main, 4096)
            except OSError:  # the other side is closed
                break
            shown += part
            if not part:
                break
        process.wait()
    os.close(main)
    return shown.decode("utf-8", "replace").replace("\r\n", "\n")


@pytest.mark.parametrize("form", ["table", "csv", "trec"])
def test_a_terminal_is_not_controlled_by_data(form: str, hostile: Path) -> None:
    shown = _on_a_terminal(hostile, "evaluate", "j.csv", "a.csv", "-q", "--format", form)
    assert "\\x1b]0;owned\\x07" in shown
    assert CONTROL.findall(OWN.sub("", shown).replace("\n", "").replace("\t", "")) == []


@pytest.mark.long
@pytest.mark.parametrize("columns", [80, 50])
def test_notes_are_folded_at_a_terminal(columns: int, files: Path, process) -> None:
    short = ("evaluate", "judgments.qrels", "gone-nowhere-to-be-found-in-any-folder.run")
    long = ("evaluate", "judgments.qrels", "bm25.run", "-m", "ndcg@0", "--no-color")
    for arguments in (short, long):
        shown = _on_a_terminal(files, *arguments, columns=columns)
        piped = process(*arguments).err
        assert max(map(width, OWN.sub("", shown).splitlines())) <= columns
        assert OWN.sub("", shown).split() == piped.split()


def test_what_is_printable_stays_as_it_is() -> None:
    assert printable("查询 café 👩‍💻 \u00a0") == "查询 café 👩‍💻 \u00a0"
    assert printable(EVIL) == SHOWN
    assert printable(printable(EVIL)) == SHOWN
    assert printable("a\nb\tc", "\n") == "a\nb\\tc"
