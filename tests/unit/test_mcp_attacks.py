"""What a hostile agent does to the server: nothing is shown, stays or ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.apart import run_apart
from tests.unit.sealed_data import OPEN, Place, place
from tests.unit.test_mcp_server import NEW, arguments

import relyon

pytest.importorskip("mcp")

pytestmark = pytest.mark.long


@pytest.fixture
def files(tmp_path: Path) -> Place:
    """The files of an agent."""
    return place(tmp_path)


def test_the_file_of_an_engine_is_no_data(files: Place) -> None:
    """Errors quote lines of files, and a line of that one may be a password."""
    from relyon.compat.mcp.settings import Settings
    from relyon.compat.mcp.work import Work

    engine = files.folder / "shop.toml"
    engine.write_text('password = "hunter2"\n', "utf-8")
    (files.folder / "link.run").symlink_to("shop.toml")
    os.link(engine, files.folder / "hard.run")
    (files.folder / "judged.qrels").write_bytes(files.judgments.read_bytes())
    work = Work(Settings(str(files.folder), engines=(str(engine),)))
    for name in ("shop.toml", "link.run", "hard.run"):
        for given in ({"run": name, "judgments": "judged.qrels"}, {"run": NEW, "judgments": name}):
            with pytest.raises(relyon.ParameterError, match="is the file of an engine") as told:
                work.evaluate(**given)  # type: ignore[arg-type]
            assert "hunter2" not in str(told.value)


def test_text_that_is_not_unicode_does_not_end_the_server(files: Place) -> None:
    """Ids of JSON files may have half characters, and names of files any bytes."""
    half = json.dumps({"q1": {"d\ud800": 1.0}, "\ud800": {"d": 1.0}})
    (files.folder / "half.json").write_text(half, "utf-8")
    if sys.platform.startswith("linux"):
        os.close(os.open(os.fsencode(files.folder) + b"/bad\xff.run", os.O_CREAT | os.O_WRONLY))
    lines: list[dict[str, Any]] = [
        {"method": "initialize", "id": 1, "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }},
        {"method": "notifications/initialized"},
        *[
            {"method": "tools/call", "id": number, "params": {"name": name, "arguments": given}}
            for number, (name, given) in enumerate([
                ("files", {}),
                ("evaluate", {"run": "half.json"}),
                ("evaluate", {"run": "\ud800"}),
                ("evaluate", {"\ud800": NEW}),
                ("explain", {"run": NEW, "query": "\ud800"}),
                ("measures", {"name": "\ud800"}),
                ("\ud800", {}),
                ("evaluate", {"run": NEW}),
            ], 2)
        ],
    ]  # fmt: skip
    text = "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in lines)
    with subprocess.Popen(
        [sys.executable, *arguments(files)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as server:  # fmt: skip
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(text.encode())
        server.stdin.flush()
        found: dict[int, dict[str, Any]] = {}
        while 9 not in found:
            line = server.stdout.readline()
            assert line, found
            answer = json.loads(line)
            found[answer.get("id", -1)] = answer
        server.stdin.close()
        assert server.wait(30) == 0
    assert found[9]["result"]["structuredContent"]["measures"]["ndcg@10"]["queries"] == len(OPEN)
    assert "bad" not in json.dumps(found[2])


def test_files_of_a_call_that_was_ended_are_removed(
    files: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tempfile

    from relyon.compat.mcp.server import Worker
    from relyon.compat.mcp.settings import Settings

    scratch = files.root / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    large = files.folder / "large.run"
    with large.open("w", encoding="utf-8") as file:
        file.writelines(f"q{n} Q0 d{n} 1 {n} x\n" for n in range(500_000))

    async def main() -> None:
        worker = Worker(Settings(str(files.folder)))
        try:
            await worker.start()
            with anyio.move_on_after(30):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(
                        worker.call, "evaluate", {"run": "large.run", "judgments": "large.run"}
                    )
                    while not list(scratch.rglob("large.run")):
                        await anyio.sleep(0.002)
                    tasks.cancel_scope.cancel()
            assert list(scratch.iterdir()) == []
        finally:
            await worker.end()

    run_apart(main)
    assert list(scratch.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_nothing_is_left_of_a_server_that_was_killed(files: Place) -> None:
    scratch = files.root / "scratch"
    scratch.mkdir()
    with subprocess.Popen(
        [sys.executable, *arguments(files)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(scratch)},
    ) as server:
        end = time.monotonic() + 60
        while not list((files.root / "state").glob("*.sealed")) and time.monotonic() < end:
            time.sleep(0.05)
        assert list(scratch.iterdir())
        server.kill()
    while list(scratch.iterdir()) and time.monotonic() < end:
        time.sleep(0.05)
    assert not list(scratch.iterdir())
