"""Strangers who send large bodies to a judging app without a pause, and what it holds meanwhile."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

#: JSON of 31 MiB, which takes thirty times as much when it is parsed.
BODY = b'{"a":[' + b"[]," * (31 * 2**20 // 3) + b"[]]}"
#: How the length of a body is declared: rightly, not at all, wrongly.
LENGTHS = (
    f"Content-Length: {len(BODY)}",
    "Transfer-Encoding: chunked",
    "Content-Length: 5\r\nTransfer-Encoding: chunked",
)
PART = 1 << 16


def send(port: int, length: str) -> None:
    """Sends one body, as far as the server takes it."""
    chunked = "chunked" in length
    head = "POST /api/actions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=10) as open_one:
        open_one.sendall(f"{head}{length}\r\n\r\n".encode())
        for start in range(0, len(BODY), PART):
            part = BODY[start : start + PART]
            open_one.sendall(b"%x\r\n%s\r\n" % (len(part), part) if chunked else part)
        open_one.sendall(b"0\r\n\r\n" if chunked else b"")
        open_one.recv(100)


@contextmanager
def flood(port: int, strangers: int) -> Iterator[None]:
    """Lets strangers send bodies until the block ends."""
    over = threading.Event()

    def go_on(first: int) -> None:
        number = first
        while not over.is_set():
            send(port, LENGTHS[number % len(LENGTHS)])
            number += 1

    threads = [threading.Thread(target=go_on, args=(number,)) for number in range(strangers)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


class Memory:
    """The most memory that a process has taken since it was asked first, in MiB."""

    def __init__(self, process: int) -> None:
        self.process = process
        self.most = 0.0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Memory:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()

    def _watch(self) -> None:
        while not self.over.is_set():
            with suppress(OSError, StopIteration):
                lines = Path(f"/proc/{self.process}/status").read_text("utf-8").splitlines()
                told = next(line for line in lines if line.startswith("VmRSS"))
                self.most = max(self.most, int(told.split()[1]) / 1024)
            time.sleep(0.05)
