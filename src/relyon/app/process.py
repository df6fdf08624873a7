"""The app as a process: where it listens, and how it shuts down."""

from __future__ import annotations

import ipaddress
import os
import signal
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from relyon.core.errors import InputError
from relyon.core.texts import message

__all__ = ["Ending", "is_local", "listen", "own_names", "private_files", "serve_app"]

#: Seconds for running requests to finish: Kubernetes kills after 30, systemd after 90.
GRACE = 20

#: The signals of systemd, containers, a terminal and its loss; not every platform has all.
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")


class Ending:
    """A context in which a termination signal does not kill the process.

    Before the server runs, a signal raises `SystemExit` with code 0, so that open resources are
    closed. Afterwards the server finishes running requests, and returns.
    """

    def __init__(self) -> None:
        self.server: uvicorn.Server | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.server is None:
            raise SystemExit(0)
        self.server.handle_exit(number, frame)

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Installs the signal handlers, and restores the previous ones."""
        before = {}
        if threading.current_thread() is threading.main_thread():
            for name in SIGNALS:
                number = getattr(signal, name, None)
                # Signals that `nohup` or a shell ignores for its children stay ignored.
                if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                    before[number] = signal.signal(number, self)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class _Server(uvicorn.Server):
    """Leaves signals to `Ending`.

    By default uvicorn raises them again after shutdown, which kills the process with its open
    resources.
    """

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def serve_app(
    app: ASGIApp,
    listening: socket.socket,
    ending: Ending,
    *,
    certificate: str | None = None,
    key: str | None = None,
) -> None:
    """Serves until a termination signal; then accepts no new requests and finishes running ones.

    Args:
        app: The app.
        listening: The socket.
        ending: The signal handling.
        certificate: A file for HTTPS, with the chain; None serves HTTP.
        key: Its key, unless it is in the same file.

    Raises:
        InputError: If the certificate cannot be used.
    """
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # the app itself decides which proxies to trust
        timeout_graceful_shutdown=GRACE,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    try:
        config.load()
    except (ssl.SSLError, OSError) as error:
        raise InputError(
            message("app.certificate-cannot-be-used", strerror=error.strerror or error),
            path=certificate or "",
            hint=message("app.name-pem-files"),
        ) from None
    server = _Server(config)
    ending.server = server
    server.run(sockets=[listening])


def listen(host: str, port: int) -> socket.socket:
    """Binds a port.

    Raises:
        InputError: If it is in use, or the address is not this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise InputError(
            message(
                "app.cannot-listen-on-host",
                host=host,
                port=port,
                strerror=error.strerror or error,
            ),
            hint=message("app.choose-another-port"),
        ) from None


def is_local(listening: socket.socket) -> bool:
    """Returns whether only programs on this machine can reach it."""
    return ipaddress.ip_address(listening.getsockname()[0]).is_loopback


def own_names(host: str, listening: socket.socket) -> tuple[str, ...]:
    """Returns the default host names of the app."""
    return (host,) if is_local(listening) else (host, socket.gethostname())


@contextmanager
def private_files() -> Iterator[None]:
    """A context in which new files are readable only by this user."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)
