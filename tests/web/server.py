"""The app in a process of its own, or in a thread."""

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
from threading import Thread
from typing import Self

import pytest

PASSWORD = "a long sentence"


class Server:
    """`relyon judge serve`, which can be killed and started again.

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
        command = [sys.executable, "-m", "relyon", "judge", "serve", str(self.database)]
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


class ThreadServer(Server):
    """The app in a thread of this process, which is there at once.

    It is for tests of pages; what a process does, and how it ends, needs a `Server`.

    Attributes:
        engines: The folder of engines that leads may ask.
    """

    engines: Path | None = None

    def start(self) -> None:
        """Starts it and waits until it answers."""
        from relyon.app import Settings, create_app
        from relyon.app.engines.allowed import AllowedEngines
        from relyon.app.process import Ending, listen, own_names, serve_app
        from relyon.judging.store import open_store

        self._store = open_store(self.database)
        listening = listen("127.0.0.1", self.port)
        settings = Settings(
            allowed_hosts=own_names("127.0.0.1", listening),
            engines=AllowedEngines() if self.engines is None else AllowedEngines.read(self.engines),
        )
        self._ending = Ending()
        self._thread = Thread(
            target=serve_app, args=(create_app(self._store, settings), listening, self._ending)
        )
        self._thread.start()
        urllib.request.urlopen(f"{self.address}/healthz", timeout=60).close()

    def end(self, number: int = signal.SIGTERM) -> int:
        """Takes no more requests, and waits for those that run."""
        assert self._ending.server is not None
        self._ending.server.should_exit = True
        self._thread.join()
        self._store.close()
        return 0


def make_server(request: pytest.FixtureRequest, database: Path | str) -> Server:
    """Returns a server in a thread, or in a process where the test asks its fixture for it."""
    kind = Server if getattr(request, "param", "thread") == "process" else ThreadServer
    return kind(database)


#: For a test that kills its server.
IN_A_PROCESS = pytest.mark.parametrize("server", ["process"], indirect=True)
