"""The app in a process of its own."""

from __future__ import annotations

import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.request
from contextlib import nullcontext
from pathlib import Path
from typing import Self

PASSWORD = "a long sentence"


class Server:
    """`relkit judge serve`, which can be killed and started again.

    Attributes:
        database: The file that it serves, or the URL of a PostgreSQL database.
        options: Further words of the command line.
        port: Where it listens.
        address: The same as the beginning of a URL.
        log: A file for what it says on stderr; without one it goes where the tests' goes.
        context: Whom to believe, where it serves HTTPS.
    """

    def __init__(
        self,
        database: Path | str,
        *options: str,
        log: Path | None = None,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self.database = database
        self.options = options
        self.log = log
        self.context = context
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = int(free.getsockname()[1])
        scheme = "http" if context is None else "https"
        self.address = f"{scheme}://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *reason: object) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        """The number of the process."""
        assert self.process is not None
        return self.process.pid

    def start(self) -> None:
        """Starts it and waits until it answers."""
        command = [sys.executable, "-m", "relkit", "judge", "serve", str(self.database)]
        command += ["--port", str(self.port), *self.options]
        with nullcontext() if self.log is None else self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log)
        end = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(
                    f"{self.address}/healthz", timeout=5, context=self.context
                ).close()
                return
            except OSError:
                assert self.process.poll() is None
                assert time.monotonic() < end, "the server does not start"
                time.sleep(0.1)

    def kill(self) -> None:
        """Ends it as a loss of power would."""
        self.end(signal.SIGKILL)

    def end(self, number: int = signal.SIGTERM) -> int:
        """Sends a signal, and returns the code with which the process ended."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(60)
