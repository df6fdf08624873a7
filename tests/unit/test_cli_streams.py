"""Streams that are closed or full, and Ctrl-C while modules are imported."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

RELYON = f'"{sys.executable}" -m relyon'
EVALUATE = "evaluate judgments.qrels bm25.run -m rr"


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (f"{EVALUATE} >&-", 3, "error: stdout: Bad file descriptor\n"),
        ("--help >&-", 3, "error: stdout: Bad file descriptor\n"),
        ("convert bm25.run - --format csv >&-", 3, "error: stdout: Bad file descriptor\n"),
        (f"{EVALUATE} >/dev/full", 3, "error: stdout: No space left on device\n"),
        ("--version >/dev/full", 3, "error: stdout: No space left on device\n"),
        (
            "convert bm25.run - --format csv >/dev/full",
            3,
            "error: stdout: No space left on device\n",
        ),
        (
            f"{EVALUATE} -o /dev/full",
            3,
            "error: /dev/full: cannot be written: No space left on device\n",
        ),
        ("evaluate - bm25.run <&-", 3, "error: <stdin>: cannot be read: Bad file descriptor\n"),
        ("evaluate nothing 2>&-", 2, ""),
        ("evaluate nothing 2>/dev/full", 2, ""),
        (f"{EVALUATE} -o out.csv >&- <&- 2>&-", 0, ""),
    ],
)
def test_closed_and_full_streams(line: str, code: int, said: str, files: Path) -> None:
    if "/dev/full" in line and not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    done = subprocess.run(
        ["sh", "-c", f"{RELYON} {line}"], cwd=files, capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert [one for one in done.stderr.splitlines(True) if one.startswith("error")] == (
        [said] if said else []
    )
    assert "Traceback" not in done.stderr
    if "out.csv" in line:
        assert (files / "out.csv").read_text().startswith("run,")


def test_a_closed_stream_is_no_file_that_is_opened_later(files: Path) -> None:
    """The first file that is opened would be stderr, and hold what is said there."""
    line = f"{RELYON} evaluate judgments.qrels bm25.run -o out.json --format json 2>&- >&-"
    subprocess.run(["sh", "-c", line], cwd=files, check=True)
    assert (files / "out.json").read_text().startswith("{")
    assert "warning" not in (files / "judgments.qrels").read_text()


def test_an_interrupt_while_modules_are_imported_is_clean(files: Path) -> None:
    """At every moment from `run` on: each import is slowed, so that the signal meets one."""
    script = (
        "import sys, time\n"
        "from relyon.cli import run\n"
        "class Slow:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        print(name, flush=True)\n"
        "        time.sleep(0.02)\n"
        "sys.meta_path.insert(0, Slow())\n"
        "sys.argv = ['relyon', 'evaluate', 'judgments.qrels', 'bm25.run']\n"
        "run()\n"
    )
    for wait in (1, 3, 8, 20):
        with subprocess.Popen(
            [sys.executable, "-c", script],
            cwd=files, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as process:  # fmt: skip
            assert process.stdout is not None
            for _ in range(wait):
                assert process.stdout.readline()
            time.sleep(0.005)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=30)[1]
        assert process.returncode == 130, said
        assert said.strip() == "error: interrupted"
