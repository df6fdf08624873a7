"""A PostgreSQL server of our own, for a test or a measurement."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

__all__ = ["PostgreSQL", "UnavailableError", "own_postgresql", "serve_postgresql"]

PATIENCE = 60.0


class UnavailableError(Exception):
    """No PostgreSQL can be started here."""


def _programs() -> tuple[str, str]:
    folders = [Path(found).parent for found in [shutil.which("initdb")] if found]
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return str(folder / "initdb"), str(folder / "postgres")
    raise UnavailableError("PostgreSQL (initdb, postgres) is not installed")


def _identity() -> dict[str, Any]:
    """PostgreSQL refuses to run as root: another user for it, where we do."""
    if os.geteuid() != 0:
        return {}
    import pwd

    for name in ("postgres", "nobody"):
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}
    raise UnavailableError("this runs as root, and there is no user postgres or nobody")


class PostgreSQL:
    """A server over a cluster that is there, which can be stopped and started again.

    Attributes:
        url: A URL that the name of a database completes.
    """

    def __init__(self, folder: Path, *, durable: bool) -> None:
        self.url = f"postgresql://postgres@/{{}}?host={folder}"
        self._folder = folder
        self._command = [_programs()[1], "-D", str(folder / "data"), "-k", str(folder)]
        self._command += ["-c", "listen_addresses=", *([] if durable else ["-F"])]
        self._server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it and waits until it answers."""
        import psycopg

        with (self._folder / "log").open("ab") as log:
            self._server = subprocess.Popen(
                self._command, stdout=log, stderr=log, cwd=self._folder, **_identity()
            )
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                psycopg.connect(self.url.format("postgres")).close()
                return
            except psycopg.OperationalError:
                if self._server.poll() is not None or time.monotonic() > deadline:
                    text = (self._folder / "log").read_text("utf-8", "replace")
                    raise RuntimeError(f"PostgreSQL does not start: {text}") from None
                time.sleep(0.05)

    def stop(self, how: Literal["smart", "fast", "immediate"] = "smart") -> None:
        """Stops it: once all have left, at once, or as a loss of power would."""
        if self._server is not None:
            ends = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}
            self._server.send_signal(ends[how])
            self._server.wait(PATIENCE)
            self._server = None


@contextmanager
def own_postgresql(*, durable: bool) -> Iterator[PostgreSQL]:
    """Starts a server with an empty cluster, and ends it.

    Args:
        durable: Whether a commit waits for the disk, as in production; most tests need not.

    Raises:
        UnavailableError: If PostgreSQL or psycopg is not installed, or cannot run here.
    """
    if importlib.util.find_spec("psycopg") is None:
        raise UnavailableError("psycopg is not installed")
    initdb, _ = _programs()
    identity = _identity()
    # Not under a folder which only root may enter; and a socket's path is short.
    folder = Path(tempfile.mkdtemp(prefix="relyon-pg-"))
    try:
        if identity:
            os.chown(folder, identity["user"], identity["group"])
        made = subprocess.run(
            [initdb, "-D", str(folder / "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8",
             "--locale=C", "-N"],
            capture_output=True, cwd=folder, check=False, **identity,
        )  # fmt: skip
        if made.returncode:
            raise RuntimeError(made.stderr.decode("utf-8", "replace"))
        server = PostgreSQL(folder, durable=durable)
        try:
            server.start()
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def serve_postgresql(*, durable: bool) -> Iterator[str]:
    """Starts a server as `own_postgresql` does, for those who need its address alone.

    Yields:
        A URL that the name of a database completes.
    """
    with own_postgresql(durable=durable) as server:
        yield server.url
