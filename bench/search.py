"""Searching a server against plain requests, and replaying a tape against reading its run."""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import relyon
from bench.timing import Contender, Workload

QUERIES, DEPTH, AT_ONCE = 1000, 10, 8
TAPE_DEPTH = 100
ENGINE = """kind = "http"
address = "{address}"
path = "/search"
body = {{query = "{{query}}", size = "{{k}}"}}
hits = "hits"
id = "id"
score = "score"
[limits]
concurrency = {at_once}
"""


def texts() -> dict[str, str]:
    """Returns the queries."""
    return {f"q{number}": f"red shoes {number}" for number in range(QUERIES)}


def searches(home: Path) -> Workload:
    """1,000 queries to a local server, 8 at a time."""
    import httpx2

    engine = home / "search-engine.toml"

    @cache
    def url() -> str:
        """Starts the server, whose address goes into the engine's file."""
        address = _started()
        home.mkdir(parents=True, exist_ok=True)
        engine.write_text(ENGINE.format(address=address, at_once=AT_ONCE), "utf-8")
        return f"{address}/search"

    bodies = [{"query": text, "size": DEPTH} for text in texts().values()]

    def ours() -> Mapping[str, float]:
        url()
        found = relyon.search(
            engine, texts(), DEPTH, output=home / "searched.run", overwrite=True, restart=True
        )
        return {"results": float(len(found.run))}

    def threads() -> Mapping[str, float]:
        address = url()
        with (
            httpx2.Client(limits=httpx2.Limits(max_connections=AT_ONCE)) as client,
            ThreadPoolExecutor(AT_ONCE) as pool,
        ):
            answers = list(pool.map(lambda body: client.post(address, json=body).content, bodies))
        return {"results": float(sum(answer.count(b'"id"') for answer in answers))}

    async def gathered() -> list[bytes]:
        address = url()
        free = asyncio.Semaphore(AT_ONCE)
        async with httpx2.AsyncClient(limits=httpx2.Limits(max_connections=AT_ONCE)) as client:

            async def ask(body: dict[str, object]) -> bytes:
                async with free:
                    return (await client.post(address, json=body)).content

            return await asyncio.gather(*map(ask, bodies))

    def together() -> Mapping[str, float]:
        answers = asyncio.run(gathered())
        return {"results": float(sum(answer.count(b'"id"') for answer in answers))}

    count = float(QUERIES * DEPTH)
    return Workload(
        [
            Contender("relyon", ours, agrees="count"),
            Contender("httpx2, threads", threads, agrees="count"),
            Contender("httpx2, async", together, agrees="count"),
            Contender("sockets", lambda: asyncio.run(_plainly(url(), bodies)), agrees="count"),
        ],
        lambda rules: {"results": (count, count)},
    )


def replays(home: Path) -> Workload:
    """A tape of 1,000 × 100 replayed, and its run read."""
    chance = random.Random(7)
    names = [f"doc{number:07}" for number in range(200_000)]
    found = {
        text: [(id, round(20 * chance.random(), 5)) for id in chance.sample(names, TAPE_DEPTH)]
        for text in texts().values()
    }
    for results in found.values():
        results.sort(key=lambda pair: -pair[1])

    def engine(query: str, k: int) -> list[tuple[str, float]]:
        return found[query][:k]

    home.mkdir(parents=True, exist_ok=True)
    run = home / "replayed.run"
    relyon.search(engine, texts(), TAPE_DEPTH, output=run, overwrite=True, restart=True)
    tape = f"{run}.tape.jsonl"
    rows = float(QUERIES * TAPE_DEPTH)

    def replay() -> Mapping[str, float]:
        return {"rows": float(len(relyon.search(engine, texts(), TAPE_DEPTH, replay=tape).run))}

    return Workload(
        [
            Contender("relyon, replay", replay, agrees="count"),
            Contender(
                "relyon, read_run",
                lambda: {"rows": float(len(relyon.read_run(run)))},
                agrees="count",
            ),
            Contender("json.loads", lambda: _loaded(Path(tape))),
        ],
        lambda rules: {"rows": (rows, rows)},
    )


def _loaded(tape: Path) -> None:
    """Reads each line of a tape as JSON."""
    with tape.open("rb") as lines:
        for line in lines:
            json.loads(line)


async def _plainly(address: str, bodies: list[dict[str, object]]) -> Mapping[str, float]:
    """Sends requests as bytes on a few open connections, and reads as many bytes as are announced.

    Args:
        address: The server's, with `http://` and a path.
        bodies: What is asked.
    """
    host, _, port = address.removeprefix("http://").partition("/")[0].partition(":")
    waiting = iter(bodies)

    async def ask() -> int:
        reader, writer = await asyncio.open_connection(host, int(port))
        found = 0
        for body in waiting:
            sent = json.dumps(body).encode()
            writer.write(b"POST /search HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(sent) + sent)
            head = await reader.readuntil(b"\r\n\r\n")
            found += (await reader.readexactly(next(_lengths(head)))).count(b'"id"')
        writer.close()
        return found

    return {"results": float(sum(await asyncio.gather(*(ask() for _ in range(AT_ONCE)))))}


def _started() -> str:
    """Starts a server that lives as long as this process, and returns its address."""
    server = subprocess.Popen(
        [sys.executable, "-c", "from bench.search import serve; serve()"],
        stdout=subprocess.PIPE,
        text=True,
    )

    def stop() -> None:
        with server:
            server.terminate()

    atexit.register(stop)
    assert server.stdout is not None
    return f"http://127.0.0.1:{server.stdout.readline().strip()}"


def serve() -> None:
    """Answers searches on a port that it prints, until the process that started it is gone."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(_lengths(head))
                query = json.loads(await reader.readexactly(length))
                hits = [
                    {
                        "id": f"d{hash(query['query']) % 10**6}-{rank}",
                        "score": 10.0 - rank,
                        "title": "Red shoes",
                    }
                    for rank in range(query["size"])
                ]
                body = json.dumps({"hits": hits}).encode()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        print(server.sockets[0].getsockname()[1], flush=True)
        parent = os.getppid()
        while os.getppid() == parent:
            await asyncio.sleep(0.5)

    asyncio.run(run())


def _lengths(head: bytes) -> Iterator[int]:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            yield int(value)
