"""The stderr of Spark's Java."""

from __future__ import annotations

import os
import sys
import threading

__all__ = ["Stderr"]

#: The reason follows the kind of an exception.
KINDS = ("Exception in thread", "Error: ", "Caused by: ")


class Stderr:
    """Buffers the output of Java while Spark starts, then passes everything on.

    The output is of no use, except that it contains the reason if Spark does not start.

    Attributes:
        entrance: The file descriptor that Java gets as stderr; `follow` closes it here.
    """

    def __init__(self) -> None:
        self._exit, self.entrance = os.pipe()
        self._held: list[bytes] = []
        self._lock = threading.Lock()
        self._open = False
        self._thread = threading.Thread(target=self._read, daemon=True)

    def follow(self) -> None:
        """Begins to read the output of Java."""
        os.close(self.entrance)
        self._thread.start()

    def open(self) -> None:
        """Drops the output so far; from now on everything is passed on."""
        with self._lock:
            self._held.clear()
            self._open = True

    def join(self) -> None:
        """Waits until Java has ended and everything is passed on."""
        self._thread.join()

    def reason(self) -> str:
        """Returns why Java ended, or an empty string if it still runs or gave no reason."""
        self._thread.join(timeout=0.5)
        with self._lock:
            lines = b"".join(self._held).decode("utf-8", "replace").splitlines()
        for place, line in enumerate(lines):
            if line.startswith("Error: Could not create the Java Virtual Machine") and place:
                return lines[place - 1].strip()
            for kind in KINDS:
                if line.startswith(kind):
                    return line.removeprefix(kind).rpartition("Exception: ")[2].strip()
        return ""

    def _read(self) -> None:
        while part := os.read(self._exit, 1 << 16):
            with self._lock:
                if not self._open:
                    self._held.append(part)
                    continue
            try:
                sys.stderr.write(part.decode("utf-8", "replace"))
                sys.stderr.flush()
            except (OSError, ValueError):
                continue  # stderr is closed, but Java must not wait
        os.close(self._exit)
