"""`relyon mcp` as a process, driven by a real client of the Model Context Protocol."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.apart import run_apart
from tests.unit.sealed_data import HELD_OUT, OPEN, Place, place

import relyon

mcp = pytest.importorskip("mcp")

pytestmark = pytest.mark.long

OLD, NEW, SAME = "runs/old.run", "runs/new.run", "runs/same.run"
Use = Callable[[Any], Awaitable[None]]


@pytest.fixture
def files(tmp_path: Path) -> Place:
    """The files of an agent."""
    return place(tmp_path)


def arguments(files: Place, *more: str, sealed: bool = True) -> list[str]:
    """Returns the command line of a server."""
    found = ["-m", "relyon", "mcp", str(files.folder)]
    if sealed:
        found += ["--judgments", str(files.judgments), "--baseline", str(files.folder / OLD)]
        found += ["--held-out", str(files.root / "held.txt"), "--looks", "5"]
        found += ["--state", str(files.root / "state")]
    return [*found, *more]


@asynccontextmanager
async def session(
    given: list[str], log: Path, environment: dict[str, str] | None = None
) -> AsyncIterator[Any]:
    """A client of a new server; its stderr goes to a file."""
    parameters = mcp.StdioServerParameters(
        command=sys.executable, args=given, env=environment, cwd=log.parent
    )
    with log.open("a", encoding="utf-8") as errors:
        async with (
            mcp.stdio_client(parameters, errlog=errors) as (read, write),
            mcp.ClientSession(read, write) as found,
        ):
            await found.initialize()
            yield found


def client(
    given: list[str], log: Path, use: Use, environment: dict[str, str] | None = None
) -> None:
    """Uses a client."""

    async def main() -> None:
        async with session(given, log, environment) as found:
            await use(found)

    run_apart(main)


async def called(agent: Any, name: str, /, **given: object) -> dict[str, Any]:
    """Returns the values of an answer, which must not be an error."""
    found = await agent.call_tool(name, given)
    assert not found.is_error, found.content[0].text
    values: dict[str, Any] = found.structured_content
    text = found.content[0].text
    assert text.endswith(json.dumps(values, ensure_ascii=False))
    assert text.startswith(values.get("sentence", "{"))
    return values


async def refused(agent: Any, name: str, /, **given: object) -> str:
    """Returns the message of an error."""
    found = await agent.call_tool(name, given)
    assert found.is_error
    text: str = found.content[0].text
    assert "Traceback" not in text
    return text


def test_every_tool(files: Place) -> None:
    judgments = files.folder / "judged.qrels"
    judgments.write_bytes(files.judgments.read_bytes())

    async def use(agent: Any) -> None:
        known = {one.name: one for one in (await agent.list_tools()).tools}
        assert list(known) == ["files", "measures", "evaluate", "compare", "explain", "diagnose"]
        assert all(one.annotations.read_only_hint for one in known.values())
        assert known["evaluate"].input_schema["required"] == ["judgments", "run"]
        listed = await called(agent, "files", below="runs")
        assert [one["file"] for one in listed["files"]] == [NEW, OLD, SAME]
        assert len((await called(agent, "measures"))["measures"]) > 30
        described = await called(agent, "measures", name="ndcg")
        assert described["formula"] == "DCG@k / ideal DCG@k"
        own = {"judgments": "judged.qrels"}
        values = await called(agent, "evaluate", run=NEW, measures=["ndcg@10", "rr"], **own)
        direct = relyon.evaluate(judgments, files.folder / NEW, ["ndcg@10", "rr"])
        assert {name: one["value"] for name, one in values["measures"].items()} == dict(direct)
        assert values["sentence"].startswith("new.run: ndcg@10 0.9")
        paged = await called(agent, "evaluate", run=NEW, per_query=True, first=100, count=5, **own)
        assert paged["page"] == {"first": 100, "shown": 5, "of": 120, "next": 105}
        assert len(paged["per_query"]) == 5
        compared = await called(agent, "compare", baseline=OLD, candidates=[NEW, SAME], **own)
        assert [one["verdict"] for one in compared["contrasts"]] == ["better", "undecided"]
        assert "95% interval [" in compared["sentence"]
        explained = await called(agent, "explain", run=NEW, query="q5", **own)
        assert explained["query"] == "q5"
        moved = await called(agent, "explain", run=OLD, other=NEW, query="q5", **own)
        assert "documents moved" in moved["sentence"]
        found = await called(agent, "diagnose", baseline=NEW, candidate=OLD, **own)
        assert [one["rule"] for one in found["findings"]]
        assert "no tool `check`" in await refused(agent, "check", run=NEW)

    client(arguments(files, sealed=False), files.root / "log", use)


def test_errors(files: Place) -> None:
    async def use(agent: Any) -> None:
        for name in ("../judged.qrels", "/etc/passwd", "http://localhost/x", str(files.judgments)):
            assert "not a name within the folder" in await refused(agent, "evaluate", run=name)
        assert "there is no such file" in await refused(agent, "evaluate", run="no.run")
        assert "did you mean" in await refused(agent, "evalaute")
        assert "needs the argument `run`" in await refused(agent, "evaluate")
        assert "no argument `plugin`" in await refused(agent, "evaluate", run=NEW, plugin="x.py")
        assert "`first` cannot be -1" in await refused(agent, "evaluate", run=NEW, first=-1)
        assert "`run` cannot be 3" in await refused(agent, "evaluate", run=3)
        wrong = await refused(agent, "evaluate", run=NEW, measures=["ndgc@10"])
        assert "did you mean" in wrong
        assert "not a measure name" in await refused(
            agent, "evaluate", run=NEW, measures=["__import__('os')"]
        )
        assert (await called(agent, "sealed_set"))["looks_left"] == 5

    client(arguments(files), files.root / "log", use)
    assert "Traceback" not in (files.root / "log").read_text("utf-8")


def test_errors_and_sentences_in_chinese(files: Place) -> None:
    async def use(agent: Any) -> None:
        assert "文件" in await refused(agent, "evaluate", run="no.run")
        assert "不是该文件夹内的名称" in await refused(agent, "evaluate", run="../x")
        assert "条查询" in (await called(agent, "evaluate", run=NEW))["sentence"]

    client(arguments(files), files.root / "log", use, {"RELYON_LANG": "zh"})
    assert "正在服务" in (files.root / "log").read_text("utf-8")


def test_the_sealed_set_survives_a_restart(files: Place) -> None:
    async def first(agent: Any) -> None:
        assert [one.name for one in (await agent.list_tools()).tools][-2:] == [
            "check",
            "sealed_set",
        ]
        about = await called(agent, "sealed_set")
        assert (about["held_out_queries"], about["development_queries"]) == (60, 60)
        assert (await called(agent, "check", run=SAME))["answer"] == "not distinguishable"
        assert (await called(agent, "check", run=NEW))["answer"] == "better"
        assert (await called(agent, "evaluate", run=NEW))["measures"]["ndcg@10"]["queries"] == 60
        assert "development queries" in await refused(agent, "explain", run=NEW, query=HELD_OUT[0])
        await called(agent, "explain", run=NEW, query=OPEN[0])

    async def second(agent: Any) -> None:
        again = await called(agent, "check", run=NEW)
        assert (again["answer"], again["looks_left"], again["charged"]) == ("better", 3, False)
        for seed in (31, 32, 33):
            files.run(f"{seed}.run", 0.3, seed)
            assert (await called(agent, "check", run=f"runs/{seed}.run"))["charged"]
        files.run("34.run", 0.3, 34)
        last = await called(agent, "check", run="runs/34.run")
        assert (last["answer"], last["looks_left"]) == ("out of looks", 0)

    client(arguments(files), files.root / "log", first)
    client(arguments(files), files.root / "log", second)


def test_two_clients_share_one_budget(files: Place) -> None:
    for seed in range(40, 48):
        files.run(f"{seed}.run", 0.3, seed)
    answers: list[str] = []

    async def ask(agent: Any, seeds: range) -> None:
        for seed in seeds:
            answers.append((await called(agent, "check", run=f"runs/{seed}.run"))["answer"])

    async def main() -> None:
        given, log = arguments(files), files.root / "log"
        async with (
            session(given, log) as one,
            session(given, log) as two,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(ask, one, range(40, 44))
            tasks.start_soon(ask, two, range(44, 48))

    run_apart(main)
    assert len(answers) == 8
    assert answers.count("out of looks") == 3


def test_killed_in_the_middle_of_a_look(files: Place) -> None:
    """Kill -9 at any moment: the look is free only if nothing was compared."""
    handshake = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "check", "arguments": {"run": NEW}}},
    ]  # fmt: skip
    for wait in (0.0, 0.02, 0.1):
        process = subprocess.Popen(
            [sys.executable, *arguments(files)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(handshake[0]) + "\n")
        process.stdin.flush()
        assert '"result"' in process.stdout.readline()
        for one in handshake[1:]:
            process.stdin.write(json.dumps(one) + "\n")
        process.stdin.flush()
        time.sleep(wait)
        process.kill()
        process.communicate()
        time.sleep(0.5)  # its worker sees the end of its stdin

    async def use(agent: Any) -> None:
        left = (await called(agent, "sealed_set"))["looks_left"]
        found = await called(agent, "check", run=NEW)
        assert (found["answer"], found["looks_left"]) == ("better", 4)
        assert found["charged"] == (left == 5)

    client(arguments(files), files.root / "log", use)


def test_stdout_is_the_protocol_alone(files: Place) -> None:
    """Warnings of the data and what a library prints go to stderr."""
    done = subprocess.run(
        [sys.executable, *arguments(files)], input="", capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert "60 queries are held out, 60 are open; 5 of 5 looks left" in done.stderr
    assert "of about 0." in done.stderr


def test_a_folder_of_the_agent_is_not_imported_from(files: Place) -> None:
    for name in ("polars", "numpy", "sqlite3", "relyon"):
        (files.folder / f"{name}.py").write_text(
            f"open({str(files.root / 'imported')!r}, 'w').write('x')\nraise SystemExit(9)\n"
        )
    script = files.root / "start.py"
    script.write_text("from relyon.cli import run\nrun()\n", "utf-8")

    async def use(agent: Any) -> None:
        await called(agent, "compare", baseline=OLD, candidates=[NEW])

    async def main() -> None:
        given = [str(script), *arguments(files)[2:]]
        parameters = mcp.StdioServerParameters(command=sys.executable, args=given, cwd=files.folder)
        async with (
            mcp.stdio_client(parameters) as (read, write),
            mcp.ClientSession(read, write) as agent,
        ):
            await agent.initialize()
            await use(agent)

    run_apart(main)
    assert not (files.root / "imported").exists()


def test_a_call_that_takes_too_long_is_ended(files: Place) -> None:
    from relyon.compat.mcp.server import Worker
    from relyon.compat.mcp.settings import Settings

    async def main() -> None:
        worker = Worker(Settings(str(files.folder), files.sealing()))
        try:
            await worker.start()
            worker.settings = replace(worker.settings, seconds=0.0005)
            with pytest.raises(relyon.InputError, match="was ended"):
                await worker.call("compare", {"baseline": OLD, "candidates": [NEW]})
            worker.settings = replace(worker.settings, seconds=60.0)
            found = await worker.call("evaluate", {"run": NEW})
            assert found["measures"]["ndcg@10"]["queries"] == 60
        finally:
            await worker.end()

    run_apart(main)


def test_an_answer_that_was_withdrawn_does_not_answer_the_next_call(files: Place) -> None:
    from relyon.compat.mcp.server import Worker
    from relyon.compat.mcp.settings import Settings

    async def main() -> None:
        worker = Worker(Settings(str(files.folder), files.sealing()))
        try:
            await worker.start()
            with anyio.move_on_after(0.001):
                await worker.call("compare", {"baseline": OLD, "candidates": [NEW]})
            found = await worker.call("files", {})
            assert "files" in found
        finally:
            await worker.end()

    run_apart(main)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited on Linux")
def test_a_bomb_ends_the_call_not_the_server(files: Place) -> None:
    from relyon.compat.mcp.server import Worker
    from relyon.compat.mcp.settings import Settings

    with gzip.open(files.folder / "bomb.run.gz", "wb", compresslevel=1) as file:
        for _ in range(3000):
            file.write(b"0" * (1 << 20))

    async def main() -> None:
        settings = Settings(str(files.folder), files.sealing(), seconds=120, megabytes=1500)
        worker = Worker(settings)
        try:
            await worker.start()
            problem = ""
            try:
                problem = str((await worker.call("evaluate", {"run": "bomb.run.gz"})).get("error"))
            except relyon.InputError as error:
                problem = error.message
            assert problem
            found = await worker.call("evaluate", {"run": NEW})
            assert found["measures"]["ndcg@10"]["queries"] == 60
        finally:
            await worker.end()

    run_apart(main)


class Engine(BaseHTTPRequestHandler):
    """An engine that returns two documents."""

    def do_GET(self) -> None:
        """Answers."""
        body = json.dumps({"hits": [{"id": "d1", "score": 2.0}, {"id": "d2", "score": 1.0}]})
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *given: object) -> None:
        """Is silent."""


ENGINE = """kind = "http"
address = "http://127.0.0.1:{port}"
path = "/search"
hits = "hits"
id = "id"
score = "score"

[url_parameters]
q = "{{query}}"

[limits]
retries = 0

[headers]
X-KEY = "${{MCP_TEST_KEY}}"
"""


def test_search_asks_only_what_the_person_allowed(files: Place) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Engine)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    engine = files.root / "shop.toml"
    text = ENGINE.format(port=server.server_address[1])
    engine.write_text(text, "utf-8")
    (files.folder / "mine.toml").write_text(text, "utf-8")

    async def use(agent: Any) -> None:
        tool = next(one for one in (await agent.list_tools()).tools if one.name == "search")
        assert tool.input_schema["properties"]["engine"]["enum"] == ["shop"]
        assert not tool.annotations.read_only_hint
        found = await called(agent, "search", engine="shop", queries={"a": "red"}, output="out.run")
        assert found["results"]["base"] == {"a": ["d1", "d2"]}
        assert (files.folder / "out.run").read_text("utf-8").startswith("a Q0 d1 1 2")
        kept = await refused(agent, "search", engine="shop", queries={"a": "b"}, output="out.run")
        assert "cannot be written" in kept
        for name in ("mine", "mine.toml", "../shop"):
            assert "cannot be" in await refused(agent, "search", engine=name, queries={"a": "b"})
        out = await refused(agent, "search", engine="shop", queries={"a": "b"}, output="../x.run")
        assert "not a name within the folder" in out
        for name in ("conftest.py", "out", ".envrc", "x.run.sh"):
            given = {"engine": "shop", "queries": {"import_os#": "b"}, "output": name}
            assert "name" in await refused(agent, "search", **given)
        assert sorted(os.listdir(files.folder)) == ["mine.toml", "out.run", "runs"]

    try:
        given = arguments(files, "--engine", str(engine), "--allow-write", sealed=False)
        client(given, files.root / "log", use, {"MCP_TEST_KEY": "secret"})
    finally:
        server.shutdown()
        server.server_close()
    assert not (files.root / "x.run").exists()


def test_searching_is_read_only_unless_it_is_allowed(files: Place) -> None:
    engine = files.root / "shop.toml"
    engine.write_text(ENGINE.format(port=9), "utf-8")

    async def use(agent: Any) -> None:
        tool = next(one for one in (await agent.list_tools()).tools if one.name == "search")
        assert "output" not in tool.input_schema["properties"]
        told = await refused(agent, "search", engine="shop", queries={"a": "b"}, output="x.run")
        assert "no argument `output`" in told
        told = await refused(agent, "search", engine="shop", queries={"a": "red"})
        assert "very-secret" not in told

    given = arguments(files, "--engine", str(engine), sealed=False)
    client(given, files.root / "log", use, {"MCP_TEST_KEY": "very-secret"})
    assert os.listdir(files.folder) == ["runs"]
