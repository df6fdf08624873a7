"""The line that says how far a longer work is."""

from __future__ import annotations

import io
import threading
import time
from types import SimpleNamespace

import pytest

from relyon.cli import messages
from relyon.cli.messages import Progress
from relyon.core.document.terminal import width
from relyon.core.texts import message

CLEAR = "\r\x1b[K"


class Terminal(io.StringIO):
    """What is written to a terminal; `wrote` is set by the first of it."""

    def __init__(self) -> None:
        super().__init__()
        self.wrote = threading.Event()

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        self.wrote.set()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    made = Terminal()
    monkeypatch.setattr(messages, "sys", SimpleNamespace(stderr=made))
    # A command that another test ran in this process may have spoken Chinese.
    monkeypatch.setattr(messages.messages, "language", "en")
    return made


def test_a_long_work_that_says_nothing_has_a_line(terminal: Terminal) -> None:
    with Progress("cli.comparing", after=0.01):
        assert terminal.wrote.wait(30)
    assert terminal.getvalue() == f"{CLEAR}comparing …{CLEAR}"


def test_the_last_that_a_work_said_is_shown_when_the_time_is_up(terminal: Terminal) -> None:
    with Progress("cli.comparing", after=0.05) as progress:
        progress(0, 2, "bm25")
        assert terminal.wrote.wait(30)
    assert terminal.getvalue() == f"{CLEAR}comparing: 0 of 2 (bm25){CLEAR}"


def test_a_short_work_has_none_and_leaves_nothing_behind(terminal: Terminal) -> None:
    before = threading.active_count()
    with Progress("cli.comparing", after=60) as progress:
        progress(1, 2)
    assert terminal.getvalue() == ""
    assert threading.active_count() == before


def test_a_work_within_another_waits_until_it_speaks(terminal: Terminal) -> None:
    with Progress("reading", after=0), Progress("encoding", after=0) as inner:
        assert terminal.wrote.wait(30)
        time.sleep(0.02)
        inner(1, 3)
    assert terminal.getvalue() == f"{CLEAR}reading …{CLEAR}encoding: 1 of 3{CLEAR}{CLEAR}"


def test_nothing_is_written_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.StringIO()
    monkeypatch.setattr(messages, "sys", SimpleNamespace(stderr=written))
    with Progress("cli.comparing", after=0) as progress:
        progress(1, 2)
    assert written.getvalue() == ""


@pytest.mark.parametrize(
    ("detail", "shown"),
    [
        ("counting the sessions of every query", "正在抽样：0／3（统计每条查询的会话数）"),
        (
            message("cli.about-left", time=message("cli.minutes", minutes=3)),
            "正在抽样：0／3（约剩 3 分钟）",
        ),
        ("2026-03", "正在抽样：0／3（2026-03）"),
    ],
)
def test_the_line_speaks_the_language(
    detail: str, shown: str, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages.messages, "language", "zh")
    with Progress("cli.sampling", after=0) as progress:
        progress(0, 3, detail)
    assert f"{CLEAR}{shown}{CLEAR}" in terminal.getvalue()


def test_the_line_is_no_wider_than_a_terminal(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages.messages, "language", "zh")
    with Progress("cli.comparing", after=0) as progress:
        progress(0, 3, "查询" * 40)
    assert all(width(line) < 80 for line in terminal.getvalue().split(CLEAR))
