"""What commands unpack is gone when they end, however they end."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

RELYON = [sys.executable, "-m", "relyon"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A compressed log, a UBI log, judgments, and an empty folder for temporary files."""
    rows = ["session,query,position,doc"]
    ubi = []
    for number in range(40):
        shown = [f"d{place}" for place in range(3)]
        rows += [f"s{number},q{number % 7},{place},{doc}" for place, doc in enumerate(shown, 1)]
        ubi.append(
            json.dumps(
                {
                    "query_id": f"s{number}",
                    "user_query": f"q{number % 7}",
                    "timestamp": f"2026-01-{number % 28 + 1:02}T00:00:00Z",
                    "query_response_hit_ids": shown,
                }
            )
        )
    (tmp_path / "log.csv.gz").write_bytes(gzip.compress(("\n".join(rows) + "\n").encode()))
    (tmp_path / "log.ndjson").write_text("\n".join(ubi) + "\n")
    (tmp_path / "bad.csv.gz").write_bytes(gzip.compress(b"session,query\ns1,q1\n"))
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(b"session,query\n" * 999)[:-9])
    (tmp_path / "temporary").mkdir()
    return tmp_path


def environment(folder: Path) -> dict[str, str]:
    return os.environ | {"TMPDIR": str(folder / "temporary")}


def left(folder: Path) -> list[str]:
    return sorted(str(path) for path in (folder / "temporary").rglob("*"))


@pytest.mark.parametrize(
    "command",
    [
        ["sample", "log.csv.gz", "--per-tier", "5", "-o", "sample.csv", "--pool", "pool.csv"],
        ["sample", "log.ndjson", "--per-tier", "5", "-o", "sample.csv"],
        ["logs", "inspect", "log.csv.gz"],
        ["logs", "inspect", "log.ndjson"],
        ["logs", "doctor", "log.csv.gz"],
        ["logs", "doctor", "log.ndjson", "--fix", "-o", "fixed.csv"],
    ],
    ids=" ".join,
)
def test_nothing_is_left_after_success(folder: Path, command: list[str]) -> None:
    done = subprocess.run(
        [*RELYON, *command],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    assert "error: log" not in done.stderr
    assert left(folder) == []


@pytest.mark.parametrize("log", ["bad.csv.gz", "cut.csv.gz"])
@pytest.mark.parametrize("command", [["sample", "-o", "sample.csv"], ["logs", "inspect"]])
def test_nothing_is_left_after_an_error(folder: Path, log: str, command: list[str]) -> None:
    done = subprocess.run(
        [*RELYON, *command, log],
        check=False,
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
    )
    assert done.returncode > 1
    assert done.stderr.startswith("error: ")
    assert left(folder) == []


def test_nothing_is_left_after_a_closed_pipe(folder: Path) -> None:
    with subprocess.Popen(
        [*RELYON, "logs", "inspect", "log.csv.gz"],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as running:
        assert running.stdout is not None
        running.stdout.close()
        assert running.wait(60) == 141
    assert left(folder) == []


@pytest.mark.long
def test_nothing_is_left_after_an_interrupt(folder: Path) -> None:
    # The end of the log never comes: the command is interrupted while it unpacks.
    os.mkfifo(folder / "endless.csv.gz")
    rows = [f"s{number},q1,1,{number * 2654435761 % 2**32:x}" for number in range(300_000)]
    packed = gzip.compress("\n".join(["session,query,position,doc", *rows]).encode(), 1)
    with subprocess.Popen(
        [*RELYON, "logs", "inspect", "endless.csv.gz"],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        with (folder / "endless.csv.gz").open("wb") as pipe:
            pipe.write(packed[: len(packed) // 2])
            pipe.flush()
            until = time.monotonic() + 60
            while not left(folder) and time.monotonic() < until:
                time.sleep(0.05)
            assert left(folder)
            time.sleep(0.5)  # until it waits for the rest
            running.send_signal(signal.SIGINT)
            _, said = running.communicate(timeout=60)
        assert running.returncode == 130, said
    assert left(folder) == []
