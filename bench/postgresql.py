"""A PostgreSQL server of our own, for a test or a measurement."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["UnavailableError", "serve_postgresql"]

PATIENCE = 60.0


class UnavailableError(Exception):
    """There is no PostgreSQL here that could be started."""


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


@contextmanager
def serve_postgresql(*, durable: bool) -> Iterator[str]:
    """Starts a server with an empty cluster, and ends it.

    Args:
        durable: Whether a commit waits for the disk, as in production; tests need not.

    Yields:
        A URL that the name of a database completes.

    Raises:
        UnavailableError: If PostgreSQL or psycopg is not installed, or cannot run here.
    """
    try:
        import psycopg
    except ImportError:
        raise UnavailableError("psycopg is not installed") from None
    initdb, postgres = _programs()
    identity = _identity()
    # Not under a folder which only root may enter; and a socket's path is short.
    folder = Path(tempfile.mkdtemp(prefix="relkit-pg-"))
    if identity:
        os.chown(folder, identity["user"], identity["group"])
    url = f"postgresql://postgres@/{{}}?host={folder}"
    command = [postgres, "-D", str(folder / "data"), "-k", str(folder), "-c", "listen_addresses="]
    try:
        made = subprocess.run(
            [initdb, "-D", str(folder / "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8",
             "--locale=C", "-N"],
            capture_output=True, cwd=folder, check=False, **identity,
        )  # fmt: skip
        if made.returncode:
            raise RuntimeError(made.stderr.decode("utf-8", "replace"))
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(
                command if durable else [*command, "-F"],
                stdout=log, stderr=log, cwd=folder, **identity,
            )  # fmt: skip
        try:
            deadline = time.monotonic() + PATIENCE
            while True:
                try:
                    psycopg.connect(url.format("postgres")).close()
                    break
                except psycopg.OperationalError:
                    if server.poll() is not None or time.monotonic() > deadline:
                        text = (folder / "log").read_text("utf-8", "replace")
                        raise RuntimeError(f"PostgreSQL does not start: {text}") from None
                    time.sleep(0.05)
            yield url
        finally:
            server.terminate()
            server.wait(PATIENCE)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
