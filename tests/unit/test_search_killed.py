"""Searches that end in the middle: killed, interrupted, out of disk, or two at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.faults import await_true, small_disk
from tests.unit.scripted_engine import Asked, Script, serve_script
from tests.unit.searched import reply_of, without_times, write_engine

import relyon

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(os.name == "nt", reason="there is no kill -9"),
]
pytest.importorskip("httpcore2")

COUNT = 1000

#: Searches, and says what came of it.
WORKER = """
import sys
import relyon

try:
    relyon.search(
        sys.argv[1],
        {f"q{n:04}": f"query {n} 电视" for n in range(int(sys.argv[3]))},
        10,
        output=sys.argv[2],
        limits=relyon.engines.Limits(concurrency=8),
    )
except KeyboardInterrupt:
    print("interrupted")
except relyon.RelyonError as error:
    print(error)
"""


class Server:
    """Answers after a while, and counts.

    Attributes:
        came: How often each query was asked.
        wait: Seconds until an answer.
    """

    def __init__(self, wait: float = 0.004) -> None:
        self.came: Counter[str] = Counter()
        self.wait = wait
        self._lock = threading.Lock()

    def __call__(self, asked: Asked) -> Script:
        body = asked.json
        assert isinstance(body, dict)
        with self._lock:
            self.came[body["q"]] += 1
        return Script(reply_of(body), wait=self.wait)

    @property
    def total(self) -> int:
        """The number of requests."""
        return self.came.total()


@contextmanager
def searching(engine: Path, output: Path, count: int = COUNT) -> Iterator[subprocess.Popen[str]]:
    """Runs a search in a process of its own."""
    command = [sys.executable, "-c", WORKER, str(engine), str(output), str(count)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as worker:
        try:
            yield worker
        finally:
            worker.kill()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of a search that nothing disturbs."""
    folder = tmp_path_factory.mktemp("good")
    with (
        serve_script(Server(0.0)) as (address, _),
        searching(write_engine(folder, address), folder / "a.run") as worker,
    ):
        assert worker.wait(60) == 0
    return folder / "a.run"


def same(found: Path, expected: Path) -> None:
    assert found.read_bytes() == expected.read_bytes()
    tapes = [Path(f"{one}.tape.jsonl") for one in (found, expected)]
    assert without_times(tapes[0]) == without_times(tapes[1])


def answers_in(journal: Path) -> int:
    return journal.read_bytes().count(b'\n{"key"') if journal.exists() else 0


def has_answers(journal: Path, least: int) -> Callable[[], bool]:
    return lambda: answers_in(journal) >= least


def test_kill_9_several_times_loses_no_answer(tmp_path: Path, expected: Path) -> None:
    output = tmp_path / "a.run"
    journal = tmp_path / "a.run.partial"
    server = Server()
    asked = 0
    with serve_script(server) as (address, _):
        engine = write_engine(tmp_path, address)
        for mark in (150, 320, 321, 700):
            with searching(engine, output) as worker:
                await_true(has_answers(journal, mark), f"{mark} answers")
                worker.kill()
                worker.wait()
            kept = answers_in(journal)
            # What was on its way when the process died may be asked again, and nothing else.
            assert kept <= server.total <= kept + asked + 8
            asked = server.total - kept
            assert not output.exists()
            assert not Path(f"{output}.tape.jsonl").exists()
        with searching(engine, output) as worker:
            assert worker.wait(60) == 0
    same(output, expected)
    assert server.total == COUNT + asked
    assert asked <= 4 * 8
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "a.run",
        "a.run.tape.jsonl",
        "engine.toml",
    ]


def test_an_interrupt_ends_soon_and_loses_no_answer(tmp_path: Path, expected: Path) -> None:
    output = tmp_path / "a.run"
    journal = tmp_path / "a.run.partial"
    server = Server(0.02)
    with serve_script(server) as (address, _):
        engine = write_engine(tmp_path, address)
        for mark in (40, 90, 200, 300):
            with searching(engine, output) as worker:
                before = answers_in(journal)
                least = max(mark, before + 1)
                await_true(has_answers(journal, least), f"{least} answers")
                worker.send_signal(signal.SIGINT)
                start = time.monotonic()
                said, _ = worker.communicate(timeout=10)
                assert (said, worker.returncode) == ("interrupted\n", 0)
                assert time.monotonic() - start < 3.0
            # Answers that came while it ended are kept, too: each that was asked is there.
            assert answers_in(journal) == server.total
            assert not output.exists()
        server.wait = 0.0
        with searching(engine, output) as worker:
            assert worker.wait(60) == 0
    same(output, expected)
    assert set(server.came.values()) == {1}


def test_an_interrupt_does_not_wait_for_a_slow_engine(tmp_path: Path) -> None:
    server = Server(30.0)
    with serve_script(server) as (address, _):
        engine = write_engine(tmp_path, address, "[limits]\ntimeout = 60.0")
        with searching(engine, tmp_path / "a.run") as worker:
            await_true(lambda: server.total >= 8, "eight requests")
            worker.send_signal(signal.SIGINT)
            start = time.monotonic()
            said, _ = worker.communicate(timeout=10)
    assert (said, worker.returncode) == ("interrupted\n", 0)
    assert time.monotonic() - start < 4.0


def test_an_interrupt_ends_the_wait_that_an_engine_asks_for(tmp_path: Path) -> None:
    busy = Script({}, 429, {"Retry-After": "60"})
    with serve_script(lambda asked: busy) as (address, came):
        engine = write_engine(tmp_path, address)
        with searching(engine, tmp_path / "a.run") as worker:
            await_true(lambda: len(came) >= 1, "a request")
            time.sleep(0.3)
            worker.send_signal(signal.SIGINT)
            start = time.monotonic()
            said, _ = worker.communicate(timeout=10)
        assert (said, worker.returncode) == ("interrupted\n", 0)
        assert time.monotonic() - start < 3.0
        assert len(came) <= 8


def test_two_processes_with_one_output(tmp_path: Path, expected: Path) -> None:
    output = tmp_path / "a.run"
    server = Server(0.03)
    with serve_script(server) as (address, _):
        engine = write_engine(tmp_path, address)
        with searching(engine, output) as first:
            await_true(lambda: answers_in(tmp_path / "a.run.partial") >= 100, "100 answers")
            with searching(engine, output) as second:
                said, _ = second.communicate(timeout=30)
                assert "another search is writing this" in said
            assert first.wait(60) == 0
        with searching(engine, output) as third:
            said, _ = third.communicate(timeout=30)
            assert "already exists" in said
    same(output, expected)
    assert set(server.came.values()) == {1}


@pytest.mark.skipif(sys.platform != "linux", reason="the disk is one of Linux")
def test_a_full_disk_keeps_whole_answers(tmp_path: Path) -> None:
    server = Server(0.001)
    with small_disk(4) as disk, serve_script(server) as (address, _):
        engine = write_engine(tmp_path, address)
        output = disk.folder / "a.run"
        journal = disk.folder / "a.run.partial"
        with searching(engine, output) as worker:
            await_true(lambda: answers_in(journal) >= 200, "200 answers")
            disk.fill(worker.pid)
            said, _ = worker.communicate(timeout=30)
        assert "cannot be written" in said
        assert "a.run.partial" in said
        assert journal.read_bytes().endswith(b"\n")
        kept = answers_in(journal)
        assert 200 <= kept <= server.total <= kept + 16
        disk.free()
        with searching(engine, output) as worker:
            assert worker.wait(60) == 0
        assert server.total <= COUNT + 16
        assert len(relyon.read_run(output)) == COUNT * 10
